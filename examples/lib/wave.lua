-- examples/lib/wave.lua - writes sounds as WAV files, 16 bits per sample.
local torch = require 'torch'
local wave = {}

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
   local file = torch.DiskFile(name, 'w'):binary():littleEndianEncoding()
   file:writeString 'RIFF'
   file:writeInt(36 + bytes)
   file:writeString 'WAVEfmt '
   file:writeInt(16)
   file:writeShort(torch.ShortStorage { 1, channels })
   file:writeInt(torch.IntStorage { rate, 2 * channels * rate })
   file:writeShort(torch.ShortStorage { 2 * channels, 16 })
   file:writeString 'data'
   file:writeInt(bytes)
   file:writeShort(numbers:storage())
   file:close()
end

return wave
