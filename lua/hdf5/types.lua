-- lua/hdf5/types.lua - HDF5's types of elements, and those of tensors.
local ffi = require 'ffi'
local dtype = require 'torch.dtype'
local library = require 'hdf5.library'

local M = {}

local INTEGER, FLOAT, STRING, ENUM = 0, 1, 3, 8
local classes = { [2] = 'a time', [4] = 'a bit field', [5] = 'opaque data', [6] = 'a compound', [7] = 'a reference',
   [9] = 'sequences of varying length', [10] = 'an array in each element' }
local natives = { Byte = 'UINT8', Char = 'INT8', Short = 'INT16', Int = 'INT32', Long = 'INT64', Float = 'FLOAT',
   Double = 'DOUBLE' }
local halves = { Half = { 10, 5, 15 }, BFloat16 = { 7, 8, 127 } }           -- bits of the mantissa and the exponent, its bias
local made = {}

-- A float of 16 bits, which libhdf5 1.10 has no name for.
local function half(mantissa, exponent, bias)
   local C = library.open()
   local id = library.check(C.H5Tcopy(C.H5T_NATIVE_FLOAT_g), 'hdf5')
   library.check(C.H5Tset_fields(id, 15, mantissa, exponent, 0, mantissa), 'hdf5')
   library.check(C.H5Tset_size(id, 2), 'hdf5')
   library.check(C.H5Tset_ebias(id, bias), 'hdf5')
   return library.hold(id)
end

--- The id of the type of a tensor's elements, in this machine's order of bytes. It stays open.
function M.of_dtype(d)
   local name = dtype.names[d]
   if natives[name] then return library.open()['H5T_NATIVE_' .. natives[name] .. '_g'] end
   made[name] = made[name] or half(unpack(halves[name]))
   return made[name][0]
end

local function whole(id, size)
   local unsigned = library.open().H5Tget_sign(id) == 0
   if size == 1 then return unsigned and 'Byte' or 'Char' end
   if size == 2 then return unsigned and 'Int' or 'Short' end
   if size <= 4 then return unsigned and 'Long' or 'Int' end
   if size <= 8 then return 'Long', unsigned end
   error(('whole numbers of %d bytes are not supported'):format(size), 0)
end

local function real(id, size)
   if size == 2 then
      local bits = ffi.new 'size_t[5]'
      library.check(library.open().H5Tget_fields(id, bits, bits + 1, bits + 2, bits + 3, bits + 4), 'the type of its elements')
      if bits[2] == 5 and bits[4] == 10 then return 'Half' end
      if bits[2] == 8 and bits[4] == 7 then return 'BFloat16' end
   end
   return size <= 4 and 'Float' or 'Double'
end

local function number(name, unsigned)
   local d = dtype.id[name]
   return { dtype = d, bytes = dtype.bytes[d], unsigned = unsigned,
      id = unsigned and library.open().H5T_NATIVE_UINT64_g or M.of_dtype(d) }
end

-- Elements of an enumeration are read as the whole numbers of its base type. h5py stores booleans so.
local function enumeration(id)
   local C = library.open()
   local name = library.with(C.H5Tget_super(id), 'the type of its elements', function(base)
      return (whole(base, tonumber(C.H5Tget_size(base))))
   end)
   if name == 'Char' and C.H5Tget_nmembers(id) == 2 and C.H5Tget_member_index(id, 'FALSE') >= 0 then name = 'Byte' end
   local d = dtype.id[name]
   local native = library.check(C.H5Tget_native_type(id, 1), 'the type of its elements')
   local held = library.hold(native)
   if tonumber(C.H5Tget_size(native)) ~= dtype.bytes[d] then error('an enumeration of this size is not supported', 0) end
   return { dtype = d, bytes = dtype.bytes[d], id = native, held = held }
end

--- The form of elements of this type in memory: {dtype =, bytes =, id = the type in memory, unsigned = true for 64 bits without
-- sign}; for strings {text = 'fixed' or 'variable', bytes =, pad =}. Types that no tensor can hold are errors.
function M.describe(id)
   local C = library.open()
   local class, size = C.H5Tget_class(id), tonumber(C.H5Tget_size(id))
   if class == INTEGER then return number(whole(id, size)) end
   if class == FLOAT then return number(real(id, size)) end
   if class == STRING then
      if C.H5Tis_variable_str(id) > 0 then return { text = 'variable', bytes = ffi.sizeof 'char *' } end
      return { text = 'fixed', bytes = size, pad = C.H5Tget_strpad(id) }
   end
   if class == ENUM then return enumeration(id) end
   error(('its elements are %s; numbers and strings are supported'):format(classes[class] or 'of an unknown type'), 0)
end

--- Calls f(type) with a type for strings of n bytes.
function M.with_text(n, f)
   local C = library.open()
   return library.with(C.H5Tcopy(C.H5T_C_S1_g), 'hdf5', function(id)
      library.check(C.H5Tset_size(id, math.max(n, 1)), 'hdf5')
      library.check(C.H5Tset_strpad(id, 1), 'hdf5')          -- zeros behind the text
      library.check(C.H5Tset_cset(id, 1), 'hdf5')            -- UTF-8
      return f(id)
   end)
end

return M
