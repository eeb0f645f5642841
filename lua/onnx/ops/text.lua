-- lua/onnx/ops/text.lua - ops on strings, and counts of n-grams.
local unicode = require 'onnx.unicode'
local regex = require 'onnx.regex'
local types = require 'onnx.types'
local registry = require 'onnx.registry'

local MOST_STRINGS = 2 ^ 26

-- ---- joining, splitting, matching ----------------------------------------------------------------------------------

-- A function(i) that gives the place in strings of a shape for element i (from 0) of the shape to which it broadcasts.
local function places(from, to)
   local strides, stride, shift = {}, 1, #to - #from
   for d = #from, 1, -1 do
      strides[d + shift] = from[d] == 1 and 0 or stride
      stride = stride * from[d]
   end
   return function(i)
      local at = 0
      for d = #to, 1, -1 do
         at = at + i % to[d] * (strides[d] or 0)
         i = math.floor(i / to[d])
      end
      return at + 1
   end
end

registry.add('StringConcat', function(_, a, b)
   local x, y = types.shape(a), types.shape(b)
   local shape = types.broadcast(x, y)
   if not shape then error(('shapes %s and %s do not broadcast'):format(types.shape_text(x), types.shape_text(y)), 0) end
   if types.count(shape) > MOST_STRINGS then error('its result has too many strings', 0) end
   local of_a, of_b, r = places(x, shape), places(y, shape), { shape = shape }
   for i = 0, types.count(shape) - 1 do r[i + 1] = a[of_a(i)] .. b[of_b(i)] end
   return r
end)

local function split_spaces(text, most)
   local parts, at = {}, text:find '%S'
   while at do
      if #parts == most then
         parts[#parts + 1] = text:sub(at)
         break
      end
      local last = text:find('%s', at) or #text + 1
      parts[#parts + 1] = text:sub(at, last - 1)
      at = text:find('%S', last)
   end
   return parts
end

local function split_at(text, delimiter, most)
   local parts, at = {}, 1
   while true do
      local first, last
      if #parts < most then first, last = text:find(delimiter, at, true) end
      if not first then break end
      parts[#parts + 1] = text:sub(at, first - 1)
      at = last + 1
   end
   parts[#parts + 1] = text:sub(at)
   return parts
end

registry.add('StringSplit', { types = { 'string', 'int64' }, run = function(n, x)
   local delimiter, most = n.attr.delimiter or '', n.attr.maxsplit or math.huge
   if most < 0 then most = math.huge end
   local all, counts, widest = {}, {}, 0
   for i, text in ipairs(x) do
      local parts = delimiter == '' and split_spaces(text, most) or split_at(text, delimiter, most)
      all[i], counts[i], widest = parts, #parts, math.max(widest, #parts)
   end
   local shape = types.shape(x)
   local y = { shape = types.shape(x) }
   y.shape[#y.shape + 1] = widest
   if #x * widest > MOST_STRINGS then error('its result has too many strings', 0) end
   for _, parts in ipairs(all) do
      for k = 1, widest do y[#y + 1] = parts[k] or '' end
   end
   return y, types.of_numbers('int64', counts, shape)
end })

registry.add('StringNormalizer', function(n, x)
   local action, sensitive = n.attr.case_change_action or 'NONE', (n.attr.is_case_sensitive or 0) ~= 0
   local way = ({ LOWER = 'lower', UPPER = 'upper', NONE = false })[action]
   if way == nil then error(("there is no case_change_action '%s'"):format(action), 0) end
   local shape, stop = types.shape(x), {}
   if #shape > 2 or #shape == 0 or #shape == 2 and shape[1] ~= 1 then
      error(('its input must be a list, got shape %s'):format(types.shape_text(shape)), 0)
   end
   local function key(text) return sensitive and text or unicode.cased(text, 'lower') end
   for _, word in ipairs(n.attr.stopwords or {}) do stop[key(word)] = true end
   local r = {}
   for _, text in ipairs(x) do
      if not stop[key(text)] then r[#r + 1] = way and unicode.cased(text, way) or text end
   end
   if #r == 0 then r[1] = '' end
   r.shape = #shape == 2 and { 1, #r } or { #r }
   return r
end)

-- Compiled patterns by node.
local compiled = setmetatable({}, { __mode = 'k' })

registry.add('RegexFullMatch', { types = 'bool', run = function(n, x)
   local match = compiled[n]
   if not match then
      match = regex.compile(n.attr.pattern or '')
      compiled[n] = match
   end
   local r = {}
   for i, text in ipairs(x) do r[i] = match(text) and 1 or 0 end
   return types.of_numbers('bool', r, types.shape(x))
end })

-- ---- n-grams -------------------------------------------------------------------------------------------------------

-- A text that differs for different lists.
local function key_of(list, first, count, step)
   local parts = {}
   for k = 0, count - 1 do
      local v = tostring(list[first + k * step])
      parts[k + 1] = #v .. ':' .. v
   end
   return table.concat(parts)
end

-- The n-grams of the attributes: n -> key -> number in the pool; and the size of the result.
local function read_pool(a)
   local pool, starts, indexes = a.pool_strings or a.pool_int64s, a.ngram_counts, a.ngram_indexes
   if not pool then error('its pool is missing', 0) end
   local grams, number, size = {}, 0, 0
   for n, start in ipairs(starts) do
      local stop = starts[n + 1] or #pool
      if start < 0 or stop < start or stop > #pool or (stop - start) % n ~= 0 then error('ngram_counts do not fit the pool', 0) end
      grams[n] = {}
      for at = start, stop - n, n do
         number = number + 1
         grams[n][key_of(pool, at + 1, n, 1)] = number
      end
   end
   if #indexes ~= number then error(('%d ngram_indexes do not fit %d n-grams'):format(#indexes, number), 0) end
   for _, index in ipairs(indexes) do
      if index < 0 or index > 2 ^ 31 then error(('an index of ngram_indexes must not be %s'):format(tostring(index)), 0) end
      size = math.max(size, index + 1)
   end
   if a.weights and #a.weights ~= number then error(('%d weights do not fit %d n-grams'):format(#a.weights, number), 0) end
   return { grams = grams, size = size }
end

-- How often each n-gram is in a row: number in the pool -> count.
local function count_grams(a, pool, list, first, length)
   local counts = {}
   for n = math.max(1, a.min_gram_length), math.min(a.max_gram_length, #pool.grams) do
      local grams = pool.grams[n]
      for step = 1, n == 1 and 1 or math.min(a.max_skip_count, length) + 1 do
         for i = 0, length - 1 - (n - 1) * step do
            local number = grams[key_of(list, first + i, n, step)]
            if number then counts[number] = (counts[number] or 0) + 1 end
         end
      end
   end
   return counts
end

local pools = setmetatable({}, { __mode = 'k' })

registry.add('TfIdfVectorizer', { types = 'float', run = function(n, x)
   local a, shape = n.attr, types.shape(x)
   if #shape > 2 then error(('its input must have at most 2 dimensions, got shape %s'):format(types.shape_text(shape)), 0) end
   local mode = a.mode
   if mode ~= 'TF' and mode ~= 'IDF' and mode ~= 'TFIDF' then error(("there is no mode '%s'"):format(tostring(mode)), 0) end
   local pool = pools[n] or read_pool(a)
   pools[n] = pool
   local length, rows = shape[#shape] or 1, #shape == 2 and shape[1] or 1
   local y = types.full('float', #shape == 2 and { rows, pool.size } or { pool.size }, 0)
   if y:nElement() == 0 then return y end
   local list, p = types.numbers(x), y:data()
   for row = 0, rows - 1 do
      for number, count in pairs(count_grams(a, pool, list, row * length + 1, length)) do
         local weight = mode ~= 'TF' and a.weights and a.weights[number] or 1
         local at = row * pool.size + a.ngram_indexes[number]
         p[at] = p[at] + (mode == 'IDF' and 1 or count) * weight
      end
   end
   return y
end })
