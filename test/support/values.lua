-- test/support/values.lua - how op specs write tensors, lay them out in memory, and compare them.
local torch = require 'torch'
local values = { typed = {} }                -- typed: float, long, ...: tables as tensors of that type

local GAP = 77                               -- what lies between the elements of a tensor with gaps
local TYPES = {
   byte = 'Byte', uint8 = 'Byte', char = 'Char', int8 = 'Char', short = 'Short', int16 = 'Short', int = 'Int', int32 = 'Int',
   long = 'Long', int64 = 'Long', half = 'Half', float16 = 'Half', bfloat16 = 'BFloat16', float = 'Float', float32 = 'Float',
   double = 'Double', float64 = 'Double',
}
local TOLERANCE = { Half = 2e-3, BFloat16 = 1.6e-2, Float = 1e-6, Double = 1e-10 }

local Typed, Results = {}, {}
local function typed(word)
   return function(data) return setmetatable({ type = TYPES[word], data = data }, Typed) end
end
for word in pairs(TYPES) do values.typed[word] = typed(word) end
function values.results(...) return setmetatable({ n = select('#', ...), ... }, Results) end
values.any = setmetatable({}, { __tostring = function() return 'anything' end })

local function is_tensor_value(v)
   return type(v) == 'table' and v ~= values.any and getmetatable(v) ~= Results
end

-- A nested table as its sizes and its numbers in row-major order.
local function flatten(data)
   local sizes, numbers, level = {}, {}, data
   while type(level) == 'table' and #level > 0 do
      sizes[#sizes + 1] = #level
      level = level[1]
   end
   local function visit(t, depth)
      if depth > #sizes then numbers[#numbers + 1] = t return end
      assert(type(t) == 'table' and #t == sizes[depth], 'a ragged table in the spec')
      for i = 1, #t do visit(t[i], depth + 1) end
   end
   if #sizes > 0 then visit(data, 1) end
   return sizes, numbers
end

local function row_major(sizes, unit)
   local strides, step = {}, unit or 1
   for d = #sizes, 1, -1 do
      strides[d] = step
      step = step * sizes[d]
   end
   return strides, step
end

local layouts = {}
function layouts.contiguous(sizes)
   local strides, n = row_major(sizes)
   return strides, 0, n
end
function layouts.transposed(sizes)
   local strides, step = {}, 1
   for d = 1, #sizes do
      strides[d] = step
      step = step * sizes[d]
   end
   return #sizes > 1 and strides or nil, 0, step
end
function layouts.window(sizes)
   local larger = {}
   for d = 1, #sizes do larger[d] = sizes[d] + 2 end
   local strides, n = row_major(larger)
   local offset = 0
   for d = 1, #sizes do offset = offset + strides[d] end
   return strides, offset, n
end
function layouts.second(sizes)
   local strides, n = row_major(sizes, 2)
   return strides, 1, n + 1
end
-- Stride 0 along every dimension whose slices are all equal; nil where there is none.
function layouts.expanded(sizes, numbers)
   local full = row_major(sizes)
   local kept, any = {}, false
   for d = 1, #sizes do
      local constant = sizes[d] > 1
      for i = 1, #numbers do
         local place = math.floor((i - 1) / full[d]) % sizes[d]
         if numbers[i] ~= numbers[i - place * full[d]] then constant = false end
      end
      kept[d] = constant and 1 or sizes[d]
      any = any or constant
   end
   local strides, n = row_major(kept)
   for d = 1, #sizes do if kept[d] ~= sizes[d] then strides[d] = 0 end end
   return any and strides or nil, 0, n
end

-- Where element i (row-major, from 0) lies in the storage, from 1.
local function place_of(i, sizes, strides, offset)
   local at = offset
   for d = #sizes, 1, -1 do
      at = at + (i % sizes[d]) * strides[d]
      i = math.floor(i / sizes[d])
   end
   return at + 1
end

local function long_storage(t)
   local s = torch.LongStorage(#t)
   for i = 1, #t do s[i] = t[i] end
   return s
end

-- A tensor whose numbers lie in memory as `layout` says; nil where the layout does not apply.
local function make(kind, data, layout)
   local sizes, numbers = flatten(data)
   local class = torch[kind .. 'Tensor']
   if #sizes == 0 then return class() end
   local strides, offset, n = layouts[layout or 'contiguous'](sizes, numbers)
   if not strides then return nil end
   local storage = torch[kind .. 'Storage'](n)
   for i = 1, n do storage[i] = GAP end
   for i = 1, #numbers do storage[place_of(i - 1, sizes, strides, offset)] = numbers[i] end
   return class(storage, offset + 1, long_storage(sizes), long_storage(strides))
end

local function kind_of(t) return (torch.typename(t):match '^torch%.(%w+)Tensor$') end

local function shape_of(t)
   local sizes = {}
   for d = 1, t:dim() do sizes[d] = t:size(d) end
   return sizes
end

local function numbers_of(t)
   local sizes, strides, numbers = shape_of(t), {}, {}
   for d = 1, #sizes do strides[d] = t:stride(d) end
   local n = t:nElement()
   if n == 0 then return sizes, numbers end
   local storage, offset = t:storage(), t:storageOffset() - 1
   for i = 1, n do numbers[i] = storage[place_of(i - 1, sizes, strides, offset)] end
   return sizes, numbers
end

local function same(a, b) return a == b or (a ~= a and b ~= b) end

-- Everything that can be seen of a tensor, its gaps included. `only_gaps`: its elements may change.
local function snapshot(t)
   local s = { shape = table.concat(shape_of(t), 'x'), offset = t:storageOffset(), numbers = {} }
   for d = 1, t:dim() do s.shape = s.shape .. ' ' .. t:stride(d) end
   local storage = t:nElement() > 0 and t:storage()
   for i = 1, storage and #storage or 0 do s.numbers[i] = storage[i] end
   return s
end

local function changed(t, before, only_gaps)
   local now = snapshot(t)
   if now.shape ~= before.shape or now.offset ~= before.offset then
      return ('its size and strides became %s, were %s'):format(now.shape, before.shape)
   end
   local mine = {}
   if only_gaps then
      local sizes, strides = shape_of(t), {}
      for d = 1, #sizes do strides[d] = t:stride(d) end
      for i = 1, t:nElement() do mine[place_of(i - 1, sizes, strides, t:storageOffset() - 1)] = true end
   end
   for i = 1, #before.numbers do
      if not mine[i] and not same(before.numbers[i], now.numbers[i]) then
         return ('place %d of its storage became %s, was %s'):format(i, tostring(now.numbers[i]), tostring(before.numbers[i]))
      end
   end
end

-- ---- comparing -------------------------------------------------------------------------------------

local function near(expected, got, tolerance)
   if same(expected, got) then return true end
   return type(got) == 'number' and math.abs(expected - got) <= (tolerance or 0) * math.max(1, math.abs(expected))
end

-- The difference between a result and what the spec says, as a sentence; nil when there is none.
local function difference(expected, got, kind, tolerance)
   if expected == values.any then return nil end
   if getmetatable(expected) == Typed then
      kind, expected = expected.type, expected.data
   end
   if type(expected) ~= 'table' then
      if type(got) ~= type(expected) or not (type(expected) == 'number' and near(expected, got, tolerance or TOLERANCE[kind]) or got == expected) then
         return ('expected %s, got %s'):format(tostring(expected), tostring(got))
      end
      return nil
   end
   if not torch.isTensor(got) then return ('expected a tensor, got %s'):format(tostring(got)) end
   if kind_of(got) ~= kind then return ('expected a %sTensor, got a %s'):format(kind, torch.typename(got)) end
   local sizes, numbers = flatten(expected)
   local got_sizes, got_numbers = numbers_of(got)
   if table.concat(sizes, 'x') ~= table.concat(got_sizes, 'x') then
      return ('expected size %s, got %s'):format(table.concat(sizes, 'x'), table.concat(got_sizes, 'x'))
   end
   tolerance = TOLERANCE[kind] and math.max(tolerance or 0, TOLERANCE[kind])
   for i = 1, #numbers do
      if not near(numbers[i], got_numbers[i], tolerance) then
         return ('element %d: expected %.17g, got %s'):format(i, numbers[i], tostring(got_numbers[i]))
      end
   end
end

local function text(v, depth)
   if getmetatable(v) == Typed then return v.type:lower() .. text(v.data, depth) end
   if getmetatable(v) == Results then
      local parts = {}
      for i = 1, v.n do parts[i] = text(v[i], depth) end
      return table.concat(parts, ' and ')
   end
   if type(v) == 'string' then return ('%q'):format(v) end
   if type(v) ~= 'table' or v == values.any then return tostring(v) end
   local parts = {}
   for i = 1, math.min(#v, 6) do parts[i] = text(v[i], (depth or 0) + 1) end
   if #v > 6 then parts[7] = '...' end
   return '{' .. table.concat(parts, ',') .. '}'
end

local function texts(args)
   local parts = {}
   for i = 1, args.n do parts[i] = text(args[i]) end
   local all = table.concat(parts, ', ')
   return #all > 90 and all:sub(1, 87) .. '...' or all
end

values.TYPES, values.Typed, values.Results, values.is_tensor_value, values.flatten, values.place_of =
   TYPES, Typed, Results, is_tensor_value, flatten, place_of
values.make, values.shape_of, values.numbers_of, values.snapshot, values.changed = make, shape_of, numbers_of, snapshot, changed
values.near, values.difference, values.text, values.texts = near, difference, text, texts

return values
