-- feed.png - reads PNG images through libpng 1.6, which is opened when the first one is read.
local ffi = require 'ffi'
local load_library = require 'feed.library'
local torch = require 'torch'

ffi.cdef [[
typedef struct png_image {
   void *opaque;
   uint32_t version, width, height, format, flags, colormap_entries, warning_or_error;
   char message[64];
} png_image;
int png_image_begin_read_from_memory(png_image *image, const void *memory, size_t size);
int png_image_finish_read(png_image *image, const void *background, void *buffer, int32_t row_stride, void *colormap);
void png_image_free(png_image *image);
]]

local VERSION, COLOUR = 1, 2
local MOST = 24 * 1040                       -- deflate makes at most 1032 bytes of one, and a bit of them three bytes

local png
local function library()
   png = png or load_library('TH_PNG', 'libpng16.so.16', 'png16',
      'libpng 1.6 is not installed (Debian: libpng16-16); TH_PNG may name it')
   return png
end

local function decode(image, bytes, n)
   local function try(status)
      if status == 0 or image.warning_or_error > 1 then error('libpng: ' .. ffi.string(image.message), 0) end
   end
   image.version = VERSION
   try(png.png_image_begin_read_from_memory(image, bytes, n))
   local channels = bit.band(image.format, COLOUR) ~= 0 and 3 or 1
   image.format = channels == 3 and COLOUR or 0               -- 8 bits, no alpha
   local height, width = tonumber(image.height), tonumber(image.width)
   if channels * height * width > MOST * n then
      error(('%d x %d pixels do not fit into %d bytes'):format(width, height, n), 0)
   end
   local pixels = torch.ByteTensor(height, width, channels):zero()     -- what is transparent shows what is there
   try(png.png_image_finish_read(image, nil, pixels:data(), 0, nil))
   return pixels
end

--- The pixels in the bytes of a PNG file, a string: a ByteTensor of height x width x 3, or 1 if it has no colours. Sixteen bits
-- become eight, and what is transparent lies on black.
return function(bytes)
   library()
   local image = ffi.new 'png_image'
   local ok, x = pcall(decode, image, bytes, #bytes)
   png.png_image_free(image)
   if not ok then error(x, 0) end
   return x
end
