-- lua/onnx/ops/cast.lua - conversions between types, those of few bits and strings included.
local ffi = require 'ffi'
local messages = require 'onnx.messages'
local formats = require 'onnx.formats'
local types = require 'onnx.types'
local registry = require 'onnx.registry'
local unsigned = require 'onnx.unsigned'
local torch = require 'torch'

-- ---- strings -------------------------------------------------------------------------------------------------------

local special = { inf = math.huge, ['+inf'] = math.huge, ['-inf'] = -math.huge, nan = 0 / 0, ['+nan'] = 0 / 0, ['-nan'] = 0 / 0 }

local function from_strings(x)
   local list = {}
   for i, text in ipairs(x) do
      local v = special[text:lower()]
      if v == nil then v = tonumber(text) or error(("'%s' is no number"):format(text), 0) end
      list[i] = v
   end
   return types.of_numbers('double', list, types.shape(x))
end

-- The shortest text with which a float or double reads as itself.
local function text_of(v, name)
   if v ~= v then return 'NaN' end
   if v == math.huge then return 'INF' elseif v == -math.huge then return '-INF' end
   if not types.is_float(name) then return ('%.0f'):format(v) end
   for digits = 1, 17 do
      local text = ('%.' .. digits .. 'g'):format(v)
      local back = tonumber(text)
      if back == v or name ~= 'double' and tonumber(ffi.cast('float', back)) == v then
         return text:find '[.eEn]' and text or text .. '.0'
      end
   end
end

local function to_strings(x, name)
   local list = { shape = types.shape(x) }
   if name == 'int64' or name == 'uint64' then
      for i, v in ipairs(unsigned.exact(x, name)) do list[i] = tostring(v):match '^%-?%d+' end
      return list
   end
   for i, v in ipairs(types.numbers(x)) do list[i] = text_of(v, name) end
   return list
end

-- ---- numbers -------------------------------------------------------------------------------------------------------

--- A value of type `from` in type `to`.
local function cast(x, from, to, saturate, mode)
   if from == to then return types.alias(x) end
   if from == 'string' then
      x, from = from_strings(x), 'double'
      if to == 'double' then return x end
   end
   if to == 'string' then return to_strings(x, from) end
   if x:nElement() == 0 then return types.empty(to, types.shape(x)) end
   if to == 'bool' then return torch.ne(x, 0) end
   if from == 'uint64' and types.is_float(to) then x, from = unsigned.to_double(x), 'double' end
   if to == 'uint64' and types.is_float(from) then return unsigned.from(x) end
   if formats.is_small(to) then
      local wide = types.is_float(to) and 'float' or 'double'
      return types.convert(formats.round(types.convert(x, wide):clone(), to, saturate, mode), to)
   end
   -- Elements of float8e8m0 reach 2^127; halves round once, from floats.
   return types.wrap(types.convert(x, to), to)
end

local function named(number) return messages.types[number] or error(('there is no element type %s'):format(tostring(number)),
   0) end

local function run(n, x) return cast(x, n.types[1], n.out_types[1], (n.attr.saturate or 1) ~= 0, n.attr.round_mode) end

registry.add('Cast', { types = function(n)
   local to = n.attr.to
   if type(to) == 'string' then return { to:lower() } end     -- the first version
   return { named(to) }
end, run = run })

registry.add('CastLike', { types = 'second', run = run })

-- ---- bits ----------------------------------------------------------------------------------------------------------

local width = { float = 32, int32 = 32, uint32 = 32, double = 64, int64 = 64, uint64 = 64, float16 = 16, bfloat16 = 16,
   int16 = 16,
   uint16 = 16, int8 = 8, uint8 = 8, bool = 8 }
local plain = { float = 'float', int32 = 'int32_t', uint32 = 'uint32_t', double = 'double', int64 = 'int64_t', uint64 = 'int64_t',
   float16 = 'uint16_t', bfloat16 = 'uint16_t', int16 = 'int16_t', uint16 = 'uint16_t', int8 = 'int8_t', uint8 = 'uint8_t',
   bool = 'uint8_t' }

registry.add('BitCast', { types = function(n) return { named(n.attr.to) } end, run = function(n, x)
   local from, to = n.types[1], n.out_types[1]
   if not width[from] or width[from] ~= width[to] then error(('%s and %s have no equal widths here'):format(from, to), 0) end
   local y, count = types.empty(to, types.shape(x)), x:nElement()
   if count == 0 then return y end
   local source, result = x:contiguous():data(), y:data()
   local room = ffi.new('uint8_t[?]', count * width[from] / 8)
   local a, b = ffi.cast(plain[from] .. ' *', room), ffi.cast(plain[to] .. ' *', room)
   if from == 'float' or from == 'double' or width[from] == 16 and from:find 'float' then
      ffi.copy(room, source, count * width[from] / 8)         -- a number of Lua would lose the bits of a NaN
   else
      for i = 0, count - 1 do a[i] = source[i] end
   end
   if to == 'float' or to == 'double' or to == 'float16' or to == 'bfloat16' then
      ffi.copy(result, room, count * width[to] / 8)
   else
      for i = 0, count - 1 do result[i] = b[i] end
   end
   return y
end })

return { cast = cast }
