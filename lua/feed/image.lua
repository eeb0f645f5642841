-- feed.image - images in files.
local need = require 'feed.need'
local source = require 'feed.source'

local image = {}

local kinds = { { '\137PNG', 'feed.png' }, { '\255\216', 'feed.jpeg' } }      -- by the first bytes, whatever the name is

--- The image in a file, channels first. Errors have no name of a function or a file.
function image.read(file, least)
   local bytes = source.with(file, source.whole)
   for _, kind in ipairs(kinds) do
      if bytes:sub(1, #kind[1]) == kind[1] then return require(kind[2])(bytes, least):permute(3, 1, 2):contiguous() end
   end
   error('it is no PNG and no JPEG image', 0)
end

--- The image in a PNG or JPEG file: a ByteTensor of 3 x height x width, or 1 x height x width if it has no colours. Sixteen bits
-- become eight, and what is transparent lies on black. A JPEG file that is cut off or damaged as far as the library notices is
-- an error, and so are CMYK colours; an orientation in its Exif data is not applied. Needs libpng and libturbojpeg, which TH_PNG
-- and TH_JPEG name if they lie elsewhere.
-- @param options  a table: `least` (a JPEG image is read at 1/2, 1/4 or 1/8 of its size, in less time, where its shorter side
--                 still has so many pixels)
function image.new(file, options)
   need.path('feed.image', file)
   options = need.options('feed.image', options, { least = 'number' })
   if options.least then need.whole('feed.image', 'least', options.least, 1, 65535) end
   local ok, x = pcall(image.read, file, options.least)
   if not ok then source.fail('feed.image', file, x) end
   return x
end

return image
