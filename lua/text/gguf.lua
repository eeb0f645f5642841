-- text.gguf - reads the metadata of a GGUF file: the names that begin with 'tokenizer.'. Weights are not read.
local ffi = require 'ffi'
local source = require 'feed.source'

local gguf = {}

local WINDOW = 2 ^ 20
local DEEPEST = 3                            -- arrays of arrays
local MOST_TEXT = 2 ^ 28                     -- bytes of a string
local UINT8, STRING, ARRAY = 0, 8, 9

local function fail(r, why, ...) error(('byte %.0f: ' .. why):format(r.place, ...), 0) end

-- A pointer to the next n bytes, which counts until the next call.
local function take(r, n)
   if n > r.size - r.place then fail(r, '%.0f bytes are needed, %.0f are left', n, r.size - r.place) end
   local at = r.place - r.first
   if at + n > r.held then
      local want = math.min(math.max(WINDOW, n), r.size - r.place)
      if want > r.room then r.bytes, r.room = ffi.new('uint8_t[?]', want), want end
      source.read(r.source, r.bytes, want, r.place)
      r.first, r.held, at = r.place, want, 0
   end
   r.place = r.place + n
   return r.bytes + at
end

-- Types of numbers: bytes, and the field of `bits` that holds them.
local types = { [0] = { 1, 'u8' }, { 1, 'i8' }, { 2, 'u16' }, { 2, 'i16' }, { 4, 'u32' }, { 4, 'i32' }, { 4, 'f32' }, { 1, 'u8' },
   [10] = { 8, 'u64' }, [11] = { 8, 'i64' }, [12] = { 8, 'f64' } }
local bits = ffi.new [[union { uint8_t u8; int8_t i8; uint16_t u16; int16_t i16; uint32_t u32; int32_t i32; float f32;
   uint64_t u64; int64_t i64; double f64; int32_t high[2]; }]]

local function number(r, kind)
   local size, name = types[kind][1], types[kind][2]
   ffi.copy(bits, take(r, size), size)
   -- LuaJIT keeps other types in the bits of some NaNs.
   if kind == 6 and bit.band(bits.u32, 0x7FFFFFFF) > 0x7F800000 then return 0 / 0 end
   if kind == 12 and bit.band(bits.high[1], 0x7FF00000) == 0x7FF00000 then return 0 / 0 end
   local v = tonumber(bits[name])
   if kind == 7 then return v ~= 0 end
   return v
end

local function count(r) return number(r, r.wide and 10 or 4) end

local function text(r)
   local n = count(r)
   if n > MOST_TEXT or n > r.size - r.place then fail(r, 'a text of %.0f bytes is too long', n) end
   return ffi.string(take(r, n), n)
end

local value

local function array(r, depth)
   local kind, n = number(r, 4), count(r)
   if depth > DEEPEST then fail(r, 'arrays are nested more than %d deep', DEEPEST) end
   local least = types[kind] and types[kind][1] or kind == STRING and (r.wide and 8 or 4) or kind == ARRAY and 8
   if not least then fail(r, 'there is no type %.0f', kind) end
   if n > (r.size - r.place) / least then fail(r, 'an array of %.0f elements is too long', n) end
   if kind == UINT8 then return ffi.string(take(r, n), n) end
   local list = {}
   for i = 1, n do list[i] = value(r, kind, depth + 1) end
   return list
end

function value(r, kind, depth)
   if kind == STRING then return text(r) end
   if kind == ARRAY then return array(r, depth) end
   if not types[kind] then fail(r, 'there is no type %.0f', kind) end
   return number(r, kind)
end

local function read(s, size)
   local r = { source = s, size = size, place = 0, first = 0, held = 0, room = 0, wide = true }
   if ffi.string(take(r, 4), 4) ~= 'GGUF' then error('it is no GGUF file', 0) end
   local version = number(r, 4)
   if version < 1 or version > 3 then error(('version %.0f of GGUF is not supported'):format(version), 0) end
   r.wide = version > 1
   count(r)                                  -- tensors
   local n, fields = count(r), {}
   if n > (size - r.place) / 9 then fail(r, '%.0f values are too many', n) end
   for _ = 1, n do
      local name = text(r)
      local v = value(r, number(r, 4), 1)
      if name:find '^tokenizer%.' then
         if fields[name] ~= nil then fail(r, "the name '%s' comes twice", name) end
         fields[name] = v
      end
   end
   return fields
end

--- The fields of a file. An array becomes a list, one of bytes a string.
function gguf.read(path) return source.with(path, read) end

return gguf
