-- lua/hdf5/value.lua - values of data sets and attributes: tensors, strings and tables of strings.
local ffi = require 'ffi'
local torch = require 'torch'
local arg = require 'torch.arg'
local format = require 'torch.format'
local library = require 'hdf5.library'
local types = require 'hdf5.types'

local M = {}

local NULL = 2
local MOST_DIMS = 16

-- ---- shapes --------------------------------------------------------------------------------------------------------

--- The sizes of a space, a table, or nil where it has no elements at all; and the sizes that it may grow to, or -1.
function M.sizes(space)
   local C = library.open()
   if C.H5Sget_simple_extent_type(space) == NULL then return nil end
   local n = library.check(C.H5Sget_simple_extent_ndims(space), 'its shape')
   if n > MOST_DIMS then error(('it has %d dimensions, a tensor has %d at most'):format(n, MOST_DIMS), 0) end
   local size, most = ffi.new 'hsize_t[33]', ffi.new 'hsize_t[33]'
   library.check(C.H5Sget_simple_extent_dims(space, size, most), 'its shape')
   local sizes, limits = {}, {}
   for i = 1, n do
      sizes[i] = tonumber(size[i - 1])
      limits[i] = most[i - 1] == 0xffffffffffffffffULL and -1 or tonumber(most[i - 1])
   end
   return sizes, limits
end

--- The product of sizes.
function M.count(sizes)
   local n = 1
   for _, size in ipairs(sizes) do n = n * size end
   return n
end

--- Sizes in libhdf5's form, at least one element long.
function M.array(sizes) return ffi.new('hsize_t[?]', math.max(#sizes, 1), sizes) end

-- Calls f(space) with a space of these sizes.
function M.with_space(sizes, most, f)
   local C = library.open()
   local id
   if #sizes == 0 then id = C.H5Screate(0) else id = C.H5Screate_simple(#sizes, M.array(sizes), most) end
   return library.with(id, 'a shape of ' .. table.concat(sizes, 'x'), f)
end

-- ---- reading -------------------------------------------------------------------------------------------------------

-- The text without its padding: a 0 byte ends it, zeros or blanks fill it up.
local function trimmed(text, pad)
   if pad == 0 then return text:match '^%Z*' end
   return (text:gsub(pad == 1 and '%z+$' or ' +$', ''))
end

-- Nested tables with a level for each size; at(i) returns element i, from 0. Without sizes the element itself.
local function nested(sizes, at)
   local next_element = -1
   local function level(d)
      if d > #sizes then
         next_element = next_element + 1
         return at(next_element)
      end
      local t = {}
      for i = 1, sizes[d] do t[i] = level(d + 1) end
      return t
   end
   return level(1)
end

local function read_fixed(kind, sizes, type_id, read)
   local n = M.count(sizes)
   local buffer = torch.ByteTensor(math.max(n * kind.bytes, 1))
   local bytes = buffer:data()
   read(type_id, bytes)
   return nested(sizes, function(i) return trimmed(ffi.string(bytes + i * kind.bytes, kind.bytes), kind.pad) end)
end

-- libhdf5 allocates the texts, and reclaim frees them.
local function read_variable(sizes, type_id, read)
   local n = M.count(sizes)
   local texts = ffi.new('char *[?]', math.max(n, 1))
   read(type_id, texts)
   local t = nested(sizes, function(i) return texts[i] == nil and '' or ffi.string(texts[i]) end)
   M.with_space(sizes, nil, function(space) library.open().H5Dvlen_reclaim(type_id, space, 0, texts) end)
   return t
end

local function read_numbers(kind, sizes, read)
   local n = #sizes
   local size = ffi.new('int64_t[?]', math.max(n, 1), sizes)
   local t = format.room(kind.dtype, n, size)
   if t:nElement() > 0 then
      local p = format.bytes(t)
      read(kind.id, p)
      if kind.unsigned and t:min() < 0 then error('it has numbers above 2^63 - 1, which no tensor holds', 0) end
   end
   return t
end

--- A value of these sizes (nil: none), read by read(type in memory, address).
-- @param type_id  the type in the file, for strings
function M.read(kind, sizes, type_id, read)
   if not sizes then return torch.Tensor() end
   if kind.text == 'fixed' then return read_fixed(kind, sizes, type_id, read) end
   if kind.text then return read_variable(sizes, type_id, read) end
   return read_numbers(kind, sizes, read)
end

-- ---- writing -------------------------------------------------------------------------------------------------------

--- Whether a table is a list of strings, which one data set can hold.
function M.is_list(t)
   local n = 0
   for k, v in pairs(t) do
      if type(k) ~= 'number' or type(v) ~= 'string' then return false end
      n = n + 1
   end
   return n > 0 and n == #t
end

local function with_numbers(t, f)
   t = t:host():contiguous()
   local p, n = format.bytes(t)
   local sizes = n == 0 and t._ndim == 0 and { 0 } or format.sizes(t)
   return f(types.of_dtype(t._dtype), sizes, n == 0 and ffi.new 'char[1]' or p, t)
end

local function with_texts(list, sizes, f)
   local longest = 1
   for _, text in ipairs(list) do longest = math.max(longest, #text) end
   if #list * longest > 2 ^ 31 then error('the strings are too long together', 0) end
   local buffer = torch.ByteTensor(#list * longest):zero()
   local p = buffer:data()
   for i, text in ipairs(list) do ffi.copy(p + (i - 1) * longest, text, #text) end
   return types.with_text(longest, function(id) return f(id, sizes, p) end)
end

--- Whether one data set or attribute can hold v.
function M.is_one(v)
   return arg.is_tensor(v) or type(v) == 'number' or type(v) == 'string' or type(v) == 'table' and M.is_list(v)
end

--- Calls f(type, sizes, address) with the form of a value in a file: a tensor, a number, a string or a list of strings.
function M.with(v, f)
   if type(v) == 'number' then v = torch.tensor(v) end
   if arg.is_tensor(v) then return with_numbers(v, f) end
   if type(v) == 'string' then return with_texts({ v }, {}, f) end
   return with_texts(v, { #v }, f)
end

--- Bytes of a result in memory, as a number that cannot overflow.
function M.bytes(kind, sizes) return sizes and M.count(sizes) * kind.bytes or 0 end

return M
