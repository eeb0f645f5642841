-- lua/onnx/types.lua - the types of values, and tensors of any shape, zero-dimensional and empty ones included.
--
-- A type is a text: 'float', 'int64', 'bool', ..., 'string', 'seq(float)', 'optional(seq(float))', 'map(int64,float)'. Values:
--    float double float16 bfloat16        Float-, Double-, Half-, BFloat16Tensor
--    int8 int16 int32 int64 uint8         Char-, Short-, Int-, Long-, ByteTensor
--    uint16 uint32                        IntTensor, LongTensor; results wrap to 16 and 32 bits
--    uint64                               LongTensor with the same bits: values from 2^63 on are negative
--    bool                                 ByteTensor of 0 and 1
--    float8..., float4e2m1                FloatTensor that holds exactly the values of the type
--    int4 int2, uint4 uint2               CharTensor, ByteTensor
--    complex64, complex128                Float-, DoubleTensor with a last dimension of 2
--    string                               a list of Lua strings in row-major order, with a field shape
--    seq(T)                               a Lua list;  optional(T): the value, or nil
local ffi = require 'ffi'
local lib = require 'torch.lib'
local dtype = require 'torch.dtype'
local arg = require 'torch.arg'
local construct = require 'torch.construct'
local C, new = lib.C, lib.new

local M = {}

local words = {
   float = 'Float', double = 'Double', float16 = 'Half', bfloat16 = 'BFloat16',
   int8 = 'Char', int16 = 'Short', int32 = 'Int', int64 = 'Long', uint8 = 'Byte',
   uint16 = 'Int', uint32 = 'Long', uint64 = 'Long', bool = 'Byte',
   float8e4m3fn = 'Float', float8e4m3fnuz = 'Float', float8e5m2 = 'Float', float8e5m2fnuz = 'Float', float8e8m0 = 'Float',
   float4e2m1 = 'Float', int4 = 'Char', int2 = 'Char', uint4 = 'Byte', uint2 = 'Byte', complex64 = 'Float', complex128 = 'Double',
}

--- Type -> word of the tensor type: 'float' -> 'Float'.
M.words = words

--- Type -> number of the tensor type in C.
M.dtypes = {}
for name, word in pairs(words) do M.dtypes[name] = dtype.id[word] end

--- Whether a type is one of floats.
function M.is_float(name)
   return name == 'float' or name == 'double' or name == 'float16' or name == 'bfloat16' or name:sub(1, 6) == 'float8'
      or name == 'float4e2m1'
end

--- Whether values of a type have no sign.
function M.is_unsigned(name) return name:sub(1, 4) == 'uint' end

--- The type inside 'seq(T)' or 'optional(T)'; nil of others.
function M.inner(name) return name:match '^seq%((.*)%)$' or name:match '^optional%((.*)%)$' end

-- ---- shapes --------------------------------------------------------------------------------------------------------

local sizes = ffi.new 'int64_t[16]'

--- The sizes of a tensor or of strings, a list; {} of a single number.
function M.shape(t)
   local s = {}
   if type(t) == 'table' then
      for d, size in ipairs(t.shape or { #t }) do s[d] = size end
      return s
   end
   for d = 1, t._ndim do s[d] = tonumber(t._size[d - 1]) end
   return s
end

function M.rank(t) return type(t) == 'table' and #(t.shape or { 0 }) or t._ndim end

--- Size of dimension d, from 1.
function M.size(t, d) return type(t) == 'table' and t.shape[d] or tonumber(t._size[d - 1]) end

--- The number of elements of a shape.
function M.count(shape)
   local n = 1
   for _, size in ipairs(shape) do n = n * size end
   return n
end

--- '2x3' of a shape.
function M.shape_text(shape) return #shape == 0 and 'a single number' or table.concat(shape, 'x') end

--- Whether two shapes are equal.
function M.same_shape(a, b)
   if #a ~= #b then return false end
   for d = 1, #a do if a[d] ~= b[d] then return false end end
   return true
end

local MOST = 2 ^ 47
local function checked(shape)
   if #shape > 16 then error(('a tensor has at most 16 dimensions, got %d'):format(#shape), 0) end
   local n = 1
   for d, size in ipairs(shape) do
      if size < 0 or size > MOST or size ~= math.floor(size) then
         error(('size %d must be a whole number from 0 on, got %s'):format(d, tostring(size)), 0)
      end
      n = n * math.max(size, 1)
      if n > MOST then error(('shape %s has too many elements'):format(table.concat(shape, 'x')), 0) end
      sizes[d - 1] = size
   end
   return sizes
end

--- A tensor of a type and shape; its elements have no values yet.
function M.empty(name, shape) return M.resize(construct.empty(M.dtypes[name] or error('there is no tensor of ' .. name, 0)), shape) end

--- Changes the shape of a tensor in place.
function M.resize(t, shape)
   lib.call('onnx', C.th_tensor_resize, t, t._dtype, #shape, checked(shape), nil)
   return t
end

--- A tensor filled with a number.
function M.full(name, shape, value)
   local t = M.empty(name, shape)
   if t:nElement() > 0 then t:fill(value) end
   return t
end

--- A single number.
function M.scalar(name, value) return M.full(name, {}, value) end

--- The elements in another shape, without a copy where they are contiguous.
function M.view(t, shape)
   if type(t) == 'table' then
      local r = { shape = shape }
      for i = 1, #t do r[i] = t[i] end
      return r
   end
   local n = M.count(shape)
   if n ~= t:nElement() then
      error(('a shape of %d elements is needed, got %s'):format(t:nElement(), M.shape_text(shape)), 0)
   end
   if n == 0 then return M.resize(construct.empty(dtype.of(t)), shape) end
   t = t:contiguous()
   local r = new()
   lib.call('onnx', C.th_tensor_set, r, t._dtype, t._storage, t._offset, #shape, checked(shape), nil)
   return r
end

--- A tensor that is not contiguous in another shape with as many elements, as a view; nil where its
-- strides do not allow that.
function M.reshaped(t, shape)
   if type(t) == 'table' or t:isContiguous() or t:nElement() == 0 then return nil end
   local strides, d, i = {}, #shape, t._ndim - 1
   while i >= 0 do
      local base, count = tonumber(t._stride[i]), tonumber(t._size[i])
      while i > 0 and (count == 1 or t._size[i - 1] == 1
         or t._stride[i - 1] == base * count) do              -- dimensions that are one run
         i = i - 1
         if count == 1 then base = tonumber(t._stride[i]) end
         count = count * tonumber(t._size[i])
      end
      local n = 1
      while d > 0 and (n < count or shape[d] == 1) do
         strides[d], n, d = base * n, n * shape[d], d - 1
      end
      if n ~= count then return nil end
      i = i - 1
   end
   while d > 0 do
      if shape[d] ~= 1 then return nil end
      strides[d], d = 1, d - 1
   end
   return M.strided(t, shape, strides, t._offset)
end

--- A second view of the same elements.
function M.alias(t)
   if type(t) ~= 'cdata' then return t end
   local r = new()
   C.th_tensor_alias(r, t)
   return r
end

--- A view with other sizes and strides, both lists, from element `offset` (from 0) of the storage on. The caller checks the range.
-- @param strides  (nil: in order, without gaps)
function M.strided(t, shape, strides, offset)
   local n, stride = #shape, strides and ffi.new 'int64_t[16]'
   for d = 1, strides and n or 0 do stride[d - 1] = strides[d] end
   local r = new()
   lib.call('onnx', C.th_tensor_set, r, t._dtype, t._storage, offset, n, checked(shape), stride)
   return r
end

--- The dimensions in another order, from 1.
function M.permute(t, order)
   local shape, strides = {}, {}
   for i, d in ipairs(order) do shape[i], strides[i] = tonumber(t._size[d - 1]), tonumber(t._stride[d - 1]) end
   if M.count(shape) == 0 then return M.resize(construct.empty(dtype.of(t)), shape) end
   return M.strided(t, shape, strides, t._offset)
end

--- The shape to which two shapes broadcast, or nil.
function M.broadcast(a, b)
   local n, shape = math.max(#a, #b), {}
   for i = 0, n - 1 do
      local x, y = a[#a - i] or 1, b[#b - i] or 1
      if x ~= y and x ~= 1 and y ~= 1 then return nil end
      shape[n - i] = x == 1 and y or x
   end
   return shape
end

--- A view of t in a shape to which it broadcasts.
function M.expand(t, shape)
   if M.same_shape(M.shape(t), shape) then return t end
   if M.count(shape) == 0 then return M.resize(construct.empty(dtype.of(t)), shape) end
   local r, from = new(), M.shape(t)
   for i = 1, #from do
      local want = shape[#shape - #from + i]
      if #from > #shape or from[i] ~= 1 and from[i] ~= want then
         error(('shape %s does not broadcast to %s'):format(M.shape_text(from), M.shape_text(shape)), 0)
      end
   end
   lib.call('onnx', C.th_tensor_expand, r, t, #shape, checked(shape))
   return r
end

--- Two tensors as views of the shape to which they broadcast, where that is needed: ops of torch pair the elements of tensors with
-- equal numbers of elements in order, whatever their shapes are.
function M.pair(a, b)
   if arg.same_shape(a, b) or C.th_tensor_numel(a) ~= C.th_tensor_numel(b) then return a, b end
   local x, y = M.shape(a), M.shape(b)
   local shape = M.broadcast(x, y)
   if not shape then error(('shapes %s and %s do not broadcast'):format(M.shape_text(x), M.shape_text(y)), 0) end
   return M.expand(a, shape), M.expand(b, shape)
end

--- An axis, from 0 and possibly negative, as a dimension from 1.
function M.dim(axis, rank, what)
   local d = axis < 0 and axis + rank or axis
   if d < 0 or d >= rank or d ~= math.floor(d) then
      error(('%s must lie in %d..%d, got %s'):format(what or 'axis', -rank, rank - 1, tostring(axis)), 0)
   end
   return d + 1
end

-- ---- elements ------------------------------------------------------------------------------------------------------

local I64 = dtype.id.Long

--- The elements of a tensor as a list of numbers, or those of strings.
function M.numbers(t)
   if type(t) == 'table' then return t end
   t = t:contiguous()
   local list, n, d = {}, t:nElement(), t._dtype
   if n == 0 then return list end
   if d == I64 then
      local p = t:data()
      for i = 1, n do list[i] = tonumber(p[i - 1]) end
      return list
   end
   local p = ffi.cast('uint8_t *', t:data())
   for i = 1, n do list[i] = dtype.read(d, p, i - 1) end
   return list
end

--- Makes the NaNs of a tensor plain ones, in place, and returns it. LuaJIT keeps its other types in the bits of some NaNs,
-- which a file may hold: Lua may read the memory of such a tensor only behind this, or by dtype.read.
function M.plain(t)
   if t:nElement() == 0 then return t end
   local nans = t:ne(t)
   return nans:max() == 0 and t or t:maskedFill(nans, 0 / 0)
end

--- A contiguous tensor with the same numbers, whose memory Lua may read.
function M.readable(t)
   t = t:contiguous()
   if t:nElement() == 0 or t:ne(t):max() == 0 then return t end
   return M.plain(t:clone())
end

--- A tensor of a type with the numbers of a list. @param shape  (default: that many)
function M.of_numbers(name, list, shape)
   local t = M.empty(name, shape or { #list })
   if #list == 0 then return t end
   local p = ffi.cast('uint8_t *', t:data())
   for i = 1, #list do dtype.write(t._dtype, p, i - 1, list[i]) end
   return t
end

--- The one element of a tensor as a number.
function M.number(t)
   if t:nElement() ~= 1 then error(('one number is needed, got %s'):format(M.shape_text(M.shape(t))), 0) end
   return M.numbers(t)[1]
end

--- A tensor in another type, by the rules of Torch: floats are cut off, integers wrap.
function M.convert(t, name)
   local r = M.empty(name, M.shape(t))
   if r:nElement() > 0 then r:copy(t) end
   return r
end

--- Wraps the results of uint16 and uint32 to their bits, in place.
function M.wrap(t, name)
   if name == 'uint16' then t:bitand(t, 65535)
   elseif name == 'uint32' then t:bitand(t, 4294967295) end
   return t
end

--- Whether a value fits a type, and a word for what it is.
function M.is(value, name)
   if name == 'string' then return type(value) == 'table' end
   if M.inner(name) or name:sub(1, 4) == 'map(' then return true end
   return arg.is_tensor(value) and dtype.of(value) == M.dtypes[name]
end

--- 'torch.FloatTensor' of 'float'.
function M.class(name) return words[name] and ('torch.%sTensor'):format(words[name]) or 'a table' end

M.is_tensor = arg.is_tensor

return M
