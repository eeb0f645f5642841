-- feed.jpeg - reads JPEG images through TurboJPEG, the plain interface of libjpeg-turbo 2 and 3, which is opened when the first
-- one is read.
local ffi = require 'ffi'
local load_library = require 'feed.library'
local torch = require 'torch'

ffi.cdef [[
void *tjInitDecompress(void);
int tjDecompressHeader3(void *handle, const unsigned char *bytes, unsigned long n, int *width, int *height, int *sampling,
   int *colours);
int tjDecompress2(void *handle, const unsigned char *bytes, unsigned long n, unsigned char *to, int width, int pitch, int height,
   int format, int flags);
char *tjGetErrorStr2(void *handle);
int tjDestroy(void *handle);
]]

local RGB, GREY = 0, 6                       -- formats of pixels
local GREYSCALE, CMYK, YCCK = 2, 3, 4        -- colours of a file; the others become RGB
-- What is cut off or damaged is a warning to the library, which fills up with grey: for us it is an error. A file of very many
-- scans (`LIMIT_SCANS`: 500) is there to keep its reader busy.
local STOP_ON_WARNING, LIMIT_SCANS = 8192, 32768
local MOST = 512                             -- pixels of a byte: each block of 8 x 8 takes at least a bit

local jpeg
local function library()
   jpeg = jpeg or load_library('TH_JPEG', 'libturbojpeg.so.0', 'turbojpeg',
      'libturbojpeg is not installed (Debian: libturbojpeg0); TH_JPEG may name it')
   return jpeg
end

-- The smallest of 1/8, 1/4, 1/2 and 1 that leaves `least` pixels of n.
local function scale(n, least)
   for _, part in ipairs { 8, 4, 2 } do
      if math.ceil(n / part) >= least then return part end
   end
   return 1
end

local function decode(handle, bytes, n, least)
   local function try(status)
      if status ~= 0 then error('libjpeg-turbo: ' .. ffi.string(jpeg.tjGetErrorStr2(handle)), 0) end
   end
   local size = ffi.new 'int[4]'                              -- width, height, sampling, colours
   try(jpeg.tjDecompressHeader3(handle, bytes, n, size, size + 1, size + 2, size + 3))
   local width, height, colours = size[0], size[1], size[3]
   if width * height == 0 then error('it ends before its image begins', 0) end       -- tables alone are well-formed, too
   if colours == CMYK or colours == YCCK then
      error('its colours are CMYK, those of print: only grey and RGB images are read', 0)
   end
   if width * height > MOST * n then
      error(('%d x %d pixels do not fit into %d bytes'):format(width, height, n), 0)
   end
   local part = least and scale(math.min(width, height), least) or 1
   width, height = math.ceil(width / part), math.ceil(height / part)
   local channels = colours == GREYSCALE and 1 or 3
   local pixels = torch.ByteTensor(height, width, channels)
   try(jpeg.tjDecompress2(handle, bytes, n, pixels:data(), width, width * channels, height, channels == 1 and GREY or RGB,
      STOP_ON_WARNING + LIMIT_SCANS))
   return pixels
end

--- The pixels in the bytes of a JPEG file, a string: a ByteTensor of height x width x 3, or 1 if it has no colours.
-- @param least  pixels that the shorter side shall have at least: a half, a fourth or an eighth of the image is read where it
--               has so many, which takes a part of the time (nil: the whole image)
return function(bytes, least)
   local handle = library().tjInitDecompress()
   if handle == nil then error('libjpeg-turbo: ' .. ffi.string(jpeg.tjGetErrorStr2(nil)), 0) end
   local ok, x = pcall(decode, handle, bytes, #bytes, least)
   jpeg.tjDestroy(handle)
   if not ok then error(x, 0) end
   return x
end
