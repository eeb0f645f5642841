-- examples/lib/wave.lua - sounds as WAV files, 16 bits a sample.
local ffi = require 'ffi'
local torch = require 'torch'
local wave = {}

local function le(n, v)
   local s = ''
   for _ = 1, n do
      s = s .. string.char(v % 256)
      v = math.floor(v / 256)
   end
   return s
end

--- Writes samples x channels (or samples) under a name; the loudest sample becomes the largest number.
-- @param rate  samples a second
function wave.write(name, x, rate)
   if not torch.isTensor(x) or x:dim() < 1 or x:dim() > 2 or x:nElement() == 0 then
      error('wave.write: x must have samples, or samples x channels', 2)
   end
   local channels = x:dim() == 2 and tonumber(x:size(2)) or 1
   local loudest = math.max(x:max(), -x:min(), 1e-30)
   local numbers = x:double():mul(32767 / loudest):add(32768.5):floor():add(-32768):short():contiguous()
   local bytes = 2 * tonumber(numbers:nElement())
   local file, why = io.open(name, 'wb')
   if not file then error('wave.write: ' .. why, 2) end
   file:write('RIFF', le(4, 36 + bytes), 'WAVEfmt ', le(4, 16), le(2, 1), le(2, channels), le(4, rate), le(4, 2 * channels * rate),
      le(2, 2 * channels), le(2, 16), 'data', le(4, bytes), ffi.string(ffi.cast('const char *', numbers:data()), bytes))
   file:close()
end

return wave
