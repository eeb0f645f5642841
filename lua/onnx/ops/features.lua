-- lua/onnx/ops/features.lua - ops of ai.onnx.ml that prepare features, and linear models.
local torch = require 'torch'
local types = require 'onnx.types'
local registry = require 'onnx.registry'
local scores_of = require 'onnx.scores'

local DOMAIN = 'ai.onnx.ml'

local function add(name, definition) registry.add(name, definition, DOMAIN) end

-- The rows and columns of features: the last dimension are columns; a vector is one row.
local function matrix_sizes(x)
   local shape = types.shape(x)
   if #shape < 1 then error('its input must not be a single number', 0) end
   local columns = shape[#shape]
   return types.count(shape) / math.max(columns, 1), columns
end

-- ---- selection, thresholds, scales ---------------------------------------------------------------------------------

add('ArrayFeatureExtractor', function(n, x, index)
   local rows, columns = matrix_sizes(x)
   local at, shape = types.numbers(index), types.shape(x)
   for _, k in ipairs(at) do
      if k < 0 or k >= columns then error(('an index must lie in 0..%d, got %d'):format(columns - 1, k), 0) end
   end
   if #at == 0 then error('it needs an index at least', 0) end
   shape[#shape] = #at
   if #shape == 1 then shape = { 1, #at } end
   if n.types[1] == 'string' then
      local y = { shape = shape }
      for row = 0, rows - 1 do
         for _, k in ipairs(at) do y[#y + 1] = x[row * columns + k + 1] end
      end
      return y
   end
   if rows == 0 then return types.empty(n.types[1], shape) end
   for i, k in ipairs(at) do at[i] = k + 1 end
   return types.view(torch.index(types.view(x, { rows, columns }), 2, types.of_numbers('int64', at)), shape)
end)

add('Binarizer', function(n, x)
   if x:nElement() == 0 then return types.alias(x) end
   return types.convert(torch.gt(x, n.attr.threshold or 0), n.types[1])
end)

-- Numbers for each column, or a single one for all.
local function per_column(list, columns, what, default)
   if not list or #list == 0 then return nil, default end
   if #list == 1 then return nil, list[1] end
   if #list ~= columns then error(('%d %ss do not fit %d columns'):format(#list, what, columns), 0) end
   return list
end

-- f(value, column from 1) of all elements, as a tensor of a type.
local function map_columns(x, name, f)
   local _, columns = matrix_sizes(x)
   local list, r = types.numbers(x), {}
   for i, v in ipairs(list) do r[i] = f(v, (i - 1) % columns + 1) end
   return types.of_numbers(name, r, types.shape(x))
end

add('Scaler', { types = 'float', run = function(n, x)
   local _, columns = matrix_sizes(x)
   local offsets, offset = per_column(n.attr.offset, columns, 'offset', 0)
   local scales, scale = per_column(n.attr.scale, columns, 'scale', 1)
   return map_columns(x, 'float', function(v, k) return (v - (offsets and offsets[k] or offset)) * (scales and scales[k] or scale) end)
end })

add('Imputer', function(n, x)
   local float = types.is_float(n.types[1])
   local wanted = n.attr[float and 'imputed_value_floats' or 'imputed_value_int64s']
   if not wanted or #wanted == 0 then error('the values that it puts in are missing', 0) end
   local old = n.attr[float and 'replaced_value_float' or 'replaced_value_int64'] or 0
   local _, columns = matrix_sizes(x)
   local list, one = per_column(wanted, columns, 'value')
   return map_columns(x, n.types[1], function(v, k)
      if v == old or v ~= v and old ~= old then return list and list[k] or one end
      return v
   end)
end)

add('Normalizer', { types = 'float', run = function(n, x)
   local rows, columns = matrix_sizes(x)
   local norm, list, r = n.attr.norm or 'MAX', types.numbers(x), {}
   for row = 0, rows - 1 do
      local most, sum, squares = -math.huge, 0, 0
      for i = row * columns + 1, (row + 1) * columns do
         local v = list[i]
         most, sum, squares = math.max(most, v), sum + math.abs(v), squares + v * v
      end
      local by = norm == 'MAX' and most or norm == 'L1' and sum or norm == 'L2' and math.sqrt(squares)
      if not by then error(("there is no norm '%s'"):format(norm), 0) end
      for i = row * columns + 1, (row + 1) * columns do r[i] = by ~= 0 and list[i] / by or list[i] end
   end
   return types.of_numbers('float', r, types.shape(x))
end })

add('FeatureVectorizer', { types = 'float', run = function(n, ...)
   local parts, rows = {}, nil
   for k = 1, n.count do
      local x = select(k, ...)
      local count, columns = matrix_sizes(x)
      local wanted = (n.attr.inputdimensions or {})[k] or columns
      if rows and rows ~= count then error(('its inputs have %d and %d rows'):format(rows, count), 0) end
      if wanted < 0 then error(('%d columns are not possible'):format(wanted), 0) end
      rows = count
      local part = types.full('float', { count, wanted }, 0)
      local some = math.min(wanted, columns)
      if some > 0 and count > 0 then part:narrow(2, 1, some):copy(types.view(x, { count, columns }):narrow(2, 1, some)) end
      if part:nElement() > 0 then parts[#parts + 1] = part end
   end
   if #parts == 0 then return types.empty('float', { rows, 0 }) end
   return #parts == 1 and parts[1] or torch.cat(parts, 2)
end })

-- ---- categories ----------------------------------------------------------------------------------------------------

add('OneHotEncoder', { types = 'float', run = function(n, x)
   local names = n.types[1] == 'string' and n.attr.cats_strings or n.attr.cats_int64s
   if not names then error('its categories are missing', 0) end
   local place, shape = {}, types.shape(x)
   for k, name in ipairs(names) do place[name] = place[name] or k end
   local list = types.numbers(x)
   shape[#shape + 1] = #names
   local y = types.full('float', shape, 0)
   if y:nElement() == 0 then return y end
   local p = y:data()
   for i, v in ipairs(list) do
      if type(v) == 'number' then v = v < 0 and math.ceil(v) or math.floor(v) end
      local k = v == v and place[v] or nil
      if k then p[(i - 1) * #names + k - 1] = 1
      elseif (n.attr.zeros or 1) == 0 then error(("'%s' is no category"):format(tostring(v)), 0) end
   end
   return y
end })

add('CategoryMapper', {
   types = function(n) return { n.types[1] == 'string' and 'int64' or 'string' } end,
   run = function(n, x)
      local numbers, names, map = n.attr.cats_int64s or {}, n.attr.cats_strings or {}, {}
      if #numbers ~= #names then error(('%d numbers do not fit %d strings'):format(#numbers, #names), 0) end
      local from_text = n.types[1] == 'string'
      for i = 1, #names do
         if from_text then map[names[i]] = numbers[i] else map[numbers[i]] = names[i] end
      end
      local r = { shape = types.shape(x) }
      for i, v in ipairs(types.numbers(x)) do
         r[i] = map[v]
         if r[i] == nil then r[i] = from_text and (n.attr.default_int64 or -1) or n.attr.default_string or '_Unused' end
      end
      return from_text and types.of_numbers('int64', r, r.shape) or r
   end,
})

-- Attribute kind_strings, kind_int64s, kind_floats or kind_tensor: a list and its type.
local function listed(n, kind)
   for suffix, name in pairs { strings = 'string', int64s = 'int64', floats = 'float' } do
      local list = n.attr[kind .. '_' .. suffix]
      if list then return list, name end
   end
   local t = n.attr[kind .. '_tensor']
   if t == nil then return nil end
   return types.numbers(t), n.attr_types[kind .. '_tensor']
end

add('LabelEncoder', {
   types = function(n)
      if n.attr.classes_strings then return { n.types[1] == 'string' and 'int64' or 'string' } end
      local _, name = listed(n, 'values')
      return { name or error('its values are missing', 0) }
   end,
   run = function(n, x)
      local to = n.out_types[1]
      local keys, values
      if n.attr.classes_strings then                          -- the first version: strings and their places
         local places = {}
         for i = 1, #n.attr.classes_strings do places[i] = i - 1 end
         keys, values = n.attr.classes_strings, places
         if to == 'string' then keys, values = values, keys end
      else
         keys, values = listed(n, 'keys'), listed(n, 'values')
      end
      if not keys or #keys ~= #values then error('its keys and values do not fit', 0) end
      local other = n.attr.default_tensor and types.numbers(n.attr.default_tensor)[1]
      if other == nil then
         if to == 'string' then other = n.attr.default_string or '_Unused'
         elseif types.is_float(to) then other = n.attr.default_float or -0.0
         else other = n.attr.default_int64 or -1 end
      end
      local map, of_nan = {}, other
      for i, key in ipairs(keys) do
         if key ~= key then of_nan = values[i] else map[key] = values[i] end
      end
      local r = { shape = types.shape(x) }
      for i, v in ipairs(types.numbers(x)) do
         if v ~= v then r[i] = of_nan else r[i] = map[v] end
         if r[i] == nil then r[i] = other end
      end
      return to == 'string' and r or types.of_numbers(to, r, r.shape)
   end,
})

-- ---- maps ----------------------------------------------------------------------------------------------------------

add('DictVectorizer', {
   types = function(n) return { (n.types[1] or ''):match '^map%(.-,(.*)%)$' or 'float' } end,
   run = function(n, map)
      local words, r = n.attr.string_vocabulary or n.attr.int64_vocabulary or error('its vocabulary is missing', 0), {}
      local to = n.out_types[1]
      for i, word in ipairs(words) do
         local v = map[word]
         if v == nil then v = to == 'string' and '' or 0 end
         r[i] = types.is_tensor(v) and types.number(v) or v
      end
      if to == 'string' then r.shape = { #words } return r end
      return types.of_numbers(to, r)
   end,
})

local cast_types = { TO_FLOAT = 'float', TO_INT64 = 'int64', TO_STRING = 'string' }

-- A value of a map, a number, a text, or a tensor or strings with one of them, as a number or a text.
local function cast_value(v, to)
   if types.is_tensor(v) then v = types.number(v) elseif type(v) == 'table' then v = v[1] end
   if to ~= 'string' then return tonumber(v) or error(("'%s' is no number"):format(tostring(v)), 0) end
   return type(v) == 'number' and ('%.9g'):format(v) or v
end

add('CastMap', {
   types = function(n)
      local name = n.attr.cast_to or 'TO_FLOAT'
      return { cast_types[name] or error(("there is no cast_to '%s'"):format(name), 0) }
   end,
   run = function(n, map)
      local to, keys, r = n.out_types[1], {}, {}
      for key in pairs(map) do keys[#keys + 1] = key end
      for _, key in ipairs(keys) do if type(key) ~= 'number' then error('its keys must be whole numbers', 0) end end
      table.sort(keys)
      if n.attr.map_form == 'SPARSE' then
         local size = n.attr.max_map or 1
         if size < 1 or size > 2 ^ 24 then error(('max_map must lie in 1..2^24, got %d'):format(size), 0) end
         for k = 1, size do r[k] = to == 'string' and '' or 0 end
         for _, key in ipairs(keys) do
            if key < 0 or key >= size then error(('key %d is outside of 0..%d'):format(key, size - 1), 0) end
            r[key + 1] = cast_value(map[key], to)
         end
      else
         for k, key in ipairs(keys) do r[k] = cast_value(map[key], to) end
      end
      if to ~= 'string' then return types.of_numbers(to, r, { 1, #r }) end
      r.shape = { 1, #r }
      return r
   end,
})

add('ZipMap', {
   types = function(n) return { ('seq(map(%s,float))'):format(n.attr.classlabels_strings and 'string' or 'int64') } end,
   run = function(n, x)
      local keys = n.attr.classlabels_strings or n.attr.classlabels_int64s or error('its keys are missing', 0)
      local rows, columns = matrix_sizes(x)
      if columns ~= #keys then error(('%d keys do not fit %d columns'):format(#keys, columns), 0) end
      local list, r = types.numbers(x), {}
      for row = 1, rows do
         local map = {}
         for k, key in ipairs(keys) do map[key] = list[(row - 1) * columns + k] end
         r[row] = map
      end
      return r
   end,
})

-- ---- linear models -------------------------------------------------------------------------------------------------

-- x (rows x columns) times coefficients (many x columns) plus intercepts, as rows of numbers.
local function linear(x, coefficients, many, intercepts)
   local rows, columns = matrix_sizes(x)
   if many < 1 or #coefficients ~= many * columns then
      error(('%d coefficients do not fit %d columns and %d results'):format(#coefficients, columns, many), 0)
   end
   if intercepts and #intercepts > 0 and #intercepts ~= many then
      error(('%d intercepts do not fit %d results'):format(#intercepts, many), 0)
   end
   local list, r = types.numbers(x), {}
   for row = 1, rows do
      local y, base = {}, (row - 1) * columns
      for k = 1, many do
         local sum = intercepts and intercepts[k] or 0
         for j = 1, columns do sum = sum + list[base + j] * coefficients[(k - 1) * columns + j] end
         y[k] = sum
      end
      r[row] = y
   end
   return r
end

add('LinearRegressor', { types = 'float', run = function(n, x)
   local many = n.attr.targets or 1
   local rows = linear(x, n.attr.coefficients, many, n.attr.intercepts)
   for _, row in ipairs(rows) do scores_of.transform(row, n.attr.post_transform) end
   return scores_of.matrix('float', rows, many)
end })

add('LinearClassifier', {
   types = function(n) return { n.attr.classlabels_strings and 'string' or 'int64', 'float' } end,
   run = function(n, x)
      local labels = n.attr.classlabels_strings or n.attr.classlabels_ints or error('its labels are missing', 0)
      local many = n.attr.intercepts and #n.attr.intercepts > 0 and #n.attr.intercepts or #labels
      return scores_of.classes(n, linear(x, n.attr.coefficients, many, n.attr.intercepts), labels, 0)
   end,
})
