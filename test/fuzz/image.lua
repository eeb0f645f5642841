-- test/fuzz/image.lua - takes a file: image.decompress reads it in each type, what it gives is saved and read again.
local torch = require 'torch'
local ffi = require 'ffi'
package.path = package.path .. ';./?.lua'
local judge = require 'test.fuzz.judge'
local exif = require 'feed.exif'
local codec = require 'image.codec'
local image = require 'image'

-- A WebP file of one colour takes a few bytes, however large the image is. Smaller images keep within the memory of a target.
ffi.cdef 'int setenv(const char *name, const char *value, int overwrite);'
ffi.C.setenv('TH_IMAGE_PIXELS', '524288', 1)

io.stderr = { write = function() end }          -- notes about damaged JPEG files

-- A picture of bytes as a file without loss, and back.
local function again(x)
   if x:size(1) ~= 1 and x:size(1) ~= 3 then return end
   local pnm = require 'image.pnm'
   local y = codec.planes(pnm.read(pnm.write(codec.pixels(x))), nil, 'torch.ByteTensor')
   assert(y:equal(x), 'a picture came back as another')
end

return function(text)
   local orientation = exif.orientation(text)
   assert(orientation >= 1 and orientation <= 8 and orientation % 1 == 0, 'an orientation that is none')
   local t = torch.ByteTensor(#text)
   if #text > 0 then ffi.copy(t:data(), text, #text) end
   local ok, x = pcall(image.decompress, t, nil, 'byte')
   if not ok then return judge.refusal('image.decompress', x) end
   local most = math.max(4 * 8 * 1032 * #text, codec.kind(text) == 'WebP' and 4 * 2 ^ 24 or 0)
   assert(x:nElement() > 0 and x:nElement() <= most, 'more pixels than bytes can hold')
   judge.touch(x)
   again(x)
   local y = image.decompress(t, 3, 'float')
   assert(y:size(1) == 3 and y:min() >= 0 and y:max() <= 1.00001, 'values outside of 0..1')
   assert(image.decompress(t, 1, 'double'):nElement() * x:size(1) == x:nElement(), 'grey of another size')
end
