-- feed.image - images in files.
local format = require 'torch.format'
local exif = require 'feed.exif'
local need = require 'feed.need'
local source = require 'feed.source'

local image = {}

-- Converts to eight bits, with black behind transparent pixels.
local function plain(x)
   if x:type() == 'torch.IntTensor' then x = x:div(256):byte() end
   local channels = x:size(1)
   if channels % 2 == 1 then return x end
   local opaque = x:narrow(1, channels, 1):int()
   local colours = x:narrow(1, 1, channels - 1):int()
   return colours:cmul(opaque:expandAs(colours)):add(127):div(255):byte()
end

-- The format is known by the first bytes, whatever the name is.
local readers = {
   ['feed.png'] = function(png, bytes) return plain(png.read(bytes):permute(3, 1, 2):contiguous()) end,
   ['feed.webp'] = function(webp, bytes)
      return exif.upright(plain(webp.read(bytes):permute(3, 1, 2):contiguous()), exif.orientation(bytes))
   end,
   ['feed.jpeg'] = function(jpeg, bytes, least)
      return exif.upright(jpeg.read(bytes, { least = least }):permute(3, 1, 2), exif.orientation(bytes))
   end,
}

local function read(file, least)
   local bytes = source.with(file, source.whole)
   for name, reader in pairs(readers) do
      local codec = require(name)
      if codec.is(bytes) then return reader(codec, bytes, least) end
   end
   error('it is no PNG, JPEG or WebP image', 0)
end

--- The image in a file, channels first. Errors do not name a function or a file.
function image.read(file, least)
   local ok, x = pcall(read, file, least)
   if not ok then error(format.reason(x), 0) end
   return x
end

--- The image in a PNG, JPEG or WebP file. It is a ByteTensor of 3 x height x width, or 1 x height x
-- width if it has no colours. Sixteen bits become eight, and transparent pixels get a black
-- background. A JPEG file that is cut off, or damaged so that the library notices, is an error, and
-- so are CMYK colours and animations. A JPEG or WebP image is rotated by the orientation in its
-- Exif data. Needs libpng, libturbojpeg and libwebp; TH_PNG, TH_JPEG and TH_WEBP name them if they
-- are in unusual folders. Images of more than 2^30 pixels are refused; TH_IMAGE_PIXELS in the
-- environment sets another limit.
-- @param options  a table. `least`: a JPEG image is read faster, at 1/2, 1/4 or 1/8 of its size, if
--                 its shorter side still has so many pixels
function image.new(file, options)
   need.path('feed.image', file)
   options = need.options('feed.image', options, { least = 'number' })
   if options.least then need.whole('feed.image', 'least', options.least, 1, 65535) end
   local ok, x = pcall(image.read, file, options.least)
   if not ok then source.fail('feed.image', file, x) end
   return x
end

return image
