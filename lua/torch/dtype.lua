-- torch.dtype - the element types: their names, pointers, and how one element is read and written.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local C = lib.C

local dtype = {}

--- Names in the order of the C enum; dtype.id.Float is TH_F32.
dtype.names = {}
dtype.id = {}
for i = 1, tonumber(C.TH_NDTYPE) - 1 do
   local name = ffi.string(C.th_dtype_name(i))
   dtype.names[i], dtype.id[name] = name, i
end

local words = { 'uint8_t', 'int8_t', 'int16_t', 'int32_t', 'int64_t', 'uint16_t', 'uint16_t', 'float', 'double' }
dtype.pointer, dtype.bytes = {}, {}
for i, word in ipairs(words) do
   dtype.pointer[i] = ffi.typeof(word .. '*')
   dtype.bytes[i] = tonumber(C.th_dtype_size(i))
end

local U8, I8, I16, I32, I64 = 1, 2, 3, 4, 5
local F16, BF16, F32, F64 = 6, 7, 8, 9
local u8, i8, i16, i32, i64 = unpack(dtype.pointer, 1, 5)
local u16, f32, f64 = dtype.pointer[6], dtype.pointer[8], dtype.pointer[9]
local cast, tonumber = ffi.cast, tonumber
local integer = ffi.typeof 'int64_t'

dtype.is_float = function(d) return d >= F16 end

--- The type of a tensor or a storage is its dtype on the CPU, and dtype + dtype.CUDA on a CUDA device. Its word is part of
-- the type's name: torch.FloatTensor, torch.CudaTensor (of floats), torch.CudaDoubleTensor.
local CUDA = 16
dtype.CUDA = CUDA
dtype.words = { [0] = 'Undefined' }
for d, name in ipairs(dtype.names) do
   dtype.words[d], dtype.words[d + CUDA] = name, 'Cuda' .. (d == F32 and '' or name)
end

--- The type of a tensor.
function dtype.of(t)
   if t._device == 0 then return t._dtype end
   return t._dtype + CUDA
end
--- The type of what a storage refers to.
function dtype.of_storage(s)
   if s.device == 0 then return s.dtype end
   return s.dtype + CUDA
end

-- LuaJIT represents its other types by NaNs that no computation makes. Memory from a file may hold such bits, or those of a
-- signaling NaN, which become such bits when they are converted, added or negated. So the upper word is read first, and every
-- NaN becomes the plain one of its sign.
local i32_t, u32_t = ffi.typeof 'int32_t *', ffi.typeof 'uint32_t *'
local upper, lower = ffi.abi 'le' and 1 or 0, ffi.abi 'le' and 0 or 1       -- the half of a double with its sign; the other
local band = bit.band

local negative, positive = ffi.new('uint64_t[1]', 0xfff8000000000000ULL), ffi.new('uint64_t[1]', 0x7ff8000000000000ULL)
negative, positive = ffi.cast('double *', negative)[0], ffi.cast('double *', positive)[0]
local function plain_nan(word) return word < 0 and negative or positive end

local function read_f32(p, at)
   local word = cast(i32_t, p)[at]
   if band(word, 0x7fffffff) > 0x7f800000 then return plain_nan(word) end
   return cast(f32, p)[at]
end

local function read_f64(p, at)
   local word = cast(i32_t, p)[2 * at + upper]
   if band(word, 0x7fffffff) >= 0x7ff00000 and (band(word, 0xfffff) ~= 0 or cast(u32_t, p)[2 * at + lower] ~= 0) then
      return plain_nan(word)
   end
   return cast(f64, p)[at]
end

--- Element `at` (from 0) of the memory at p, as a number. Long values beyond 2^53 are rounded.
function dtype.read(d, p, at)
   if d == F32 then return read_f32(p, at)
   elseif d == F64 then return read_f64(p, at)
   elseif d == I64 then return tonumber(cast(i64, p)[at])
   elseif d == U8 then return cast(u8, p)[at]
   elseif d == I32 then return cast(i32, p)[at]
   elseif d == I16 then return cast(i16, p)[at]
   elseif d == I8 then return cast(i8, p)[at]
   else return C.th_half_to_double(cast(u16, p)[at], d) end
end

--- Writes the number v; integers take it truncated and wrapped.
function dtype.write(d, p, at, v)
   if d == F32 then cast(f32, p)[at] = v
   elseif d == F64 then cast(f64, p)[at] = v
   elseif d == F16 or d == BF16 then cast(u16, p)[at] = C.th_half_from_double(v, d)
   else
      local k = cast(integer, v)
      if d == I64 then cast(i64, p)[at] = k
      elseif d == U8 then cast(u8, p)[at] = k
      elseif d == I32 then cast(i32, p)[at] = k
      elseif d == I16 then cast(i16, p)[at] = k
      elseif d == I8 then cast(i8, p)[at] = k end
   end
end

local room = ffi.new 'int64_t[1]'

--- Element `at` (from 0) of a storage on any device (a th_storage *), as a number.
function dtype.peek(s, at)
   if s.device == 0 then return dtype.read(s.dtype, s.data, at) end
   lib.check(C.th_storage_get(s, at, 1, room))
   return dtype.read(s.dtype, room, 0)
end

--- Writes the number v there.
function dtype.poke(s, at, v)
   if s.device == 0 then return dtype.write(s.dtype, s.data, at, v) end
   dtype.write(s.dtype, room, 0, v)
   lib.check(C.th_storage_put(s, at, 1, room))
end

return dtype
