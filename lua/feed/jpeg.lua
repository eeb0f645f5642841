-- feed.jpeg - reads and writes JPEG images through TurboJPEG, the simple interface of libjpeg-turbo 2 and 3, which is opened on
-- first use.
local ffi = require 'ffi'
local extended = require 'feed.jpeg_extended'
local load_library = require 'feed.library'
local limit = require 'feed.pixels'
local torch = require 'torch'

ffi.cdef [[
void *tjInitDecompress(void);
int tjDecompressHeader3(void *handle, const unsigned char *bytes, unsigned long n, int *width, int *height, int *sampling,
   int *colours);
int tjDecompress2(void *handle, const unsigned char *bytes, unsigned long n, unsigned char *to, int width, int pitch, int height,
   int format, int flags);
void *tjInitCompress(void);
int tjCompress2(void *handle, const unsigned char *from, int width, int pitch, int height, int format, unsigned char **to,
   unsigned long *n, int sampling, int quality, int flags);
void tjFree(unsigned char *bytes);
char *tjGetErrorStr2(void *handle);
int tjDestroy(void *handle);
]]

local RGB, GREY, PRINT = 0, 6, 11            -- formats of pixels
local FORMATS = { [1] = GREY, [3] = RGB, [4] = PRINT }      -- by channels
local GREYSCALE, CMYK, YCCK = 2, 3, 4        -- colours of a file; the others become RGB
local QUARTER, NO_COLOURS = 2, 3             -- chroma subsampling of a written file: one sample for four pixels, none
-- For truncated or damaged data the library only warns, and fills the rest with grey. LIMIT_SCANS refuses files with more than
-- 500 scans, which are made to keep a reader busy.
local STOP_ON_WARNING, LIMIT_SCANS = 8192, 32768
-- The beginning of a warning about entropy-coded data. Errors begin differently, and so does the warning about a short file.
local DAMAGE = 'libjpeg-turbo: Corrupt JPEG data: '
local MOST = 512                             -- pixels per byte: each block of 8 x 8 takes at least a bit

local jpeg = {}

--- Whether these bytes begin as a JPEG file does.
function jpeg.is(bytes) return bytes:sub(1, 2) == '\255\216' end

local turbo
local function library()
   turbo = turbo or load_library('TH_JPEG', 'libturbojpeg.so.0', 'turbojpeg',
      'libturbojpeg is not installed (Debian: libturbojpeg0); TH_JPEG may name it')
   return turbo
end

local function message(handle) return 'libjpeg-turbo: ' .. ffi.string(turbo.tjGetErrorStr2(handle)) end

-- Raises an error; or passes it to `warn` if the image has its full size nevertheless.
local function try(handle, status, warn)
   if status == 0 then return end
   local why = message(handle)
   if not warn or why:sub(1, #DAMAGE) ~= DAMAGE then error(why, 0) end
   warn(why)
end

-- Calls f(handle, ...) with a handle of the library.
local function with(new, f, ...)
   local handle = library()[new]()
   if handle == nil then error(message(nil), 0) end
   local ok, x, y, z = pcall(f, handle, ...)
   turbo.tjDestroy(handle)
   if not ok then error(x, 0) end
   return x, y, z
end

-- The smallest of 1/8, 1/4, 1/2 and 1 that leaves `least` pixels of n.
local function scale(n, least)
   for _, part in ipairs { 8, 4, 2 } do
      if math.ceil(n / part) >= least then return part end
   end
   return 1
end

-- Channels, height and width. CMYK has four channels.
local function header(handle, bytes, warn)
   local size = ffi.new 'int[4]'                              -- width, height, sampling, colours
   try(handle, turbo.tjDecompressHeader3(handle, bytes, #bytes, size, size + 1, size + 2, size + 3), warn)
   local width, height, colours = size[0], size[1], size[3]
   if width * height == 0 then error('it ends before its image begins', 0) end       -- a file of tables alone is valid, too
   return colours == GREYSCALE and 1 or (colours == CMYK or colours == YCCK) and 4 or 3, height, width
end

local function decode(handle, bytes, options)
   local channels, height, width = header(handle, bytes, options.warn)
   if channels == 4 and not options.print then
      error('its colours are CMYK, those of print: only grey and RGB images are read', 0)
   end
   if width * height > MOST * #bytes then
      error(('%d x %d pixels do not fit into %d bytes'):format(width, height, #bytes), 0)
   end
   limit.check(width, height)               -- for the whole image: progressive files need memory for all of it at any scale
   local part = options.least and scale(math.min(width, height), options.least) or 1
   width, height = math.ceil(width / part), math.ceil(height / part)
   local pixels = torch.ByteTensor():resize(height, width, channels)       -- not initialized: the library writes every row
   try(handle, turbo.tjDecompress2(handle, bytes, #bytes, pixels:data(), width, width * channels, height, FORMATS[channels],
      LIMIT_SCANS + (options.warn and 0 or STOP_ON_WARNING)), options.warn)
   return pixels
end

--- The pixels in the bytes of a JPEG file, a string: a ByteTensor of height x width x 3, or 1 if it has no colours.
-- @param options  a table: `least`, the fewest pixels of the shorter side: if a half, a fourth or
--    an eighth of the image still has so many, that is read instead, in less time. `print`: CMYK
--    files are read too, as four channels. `warn`: a function that gets the text about damage
--    within the data, over which libjpeg continues; without it such damage is an error
function jpeg.read(bytes, options) return with('tjInitDecompress', decode, bytes, options or {}) end

--- Channels, height and width of the JPEG image in these bytes.
function jpeg.size(bytes) return with('tjInitDecompress', header, bytes, function() end) end

local function encode(handle, x, quality)
   local to, n = ffi.new 'unsigned char *[1]', ffi.new 'unsigned long[1]'
   local channels = x:size(3)
   local status = turbo.tjCompress2(handle, x:data(), x:size(2), 0, x:size(1), FORMATS[channels], to, n,
      channels == 1 and NO_COLOURS or QUARTER, math.max(quality, 1), 0)
   local bytes = status == 0 and ffi.string(to[0], n[0])
   turbo.tjFree(to[0])
   try(handle, status)
   return bytes
end

--- The bytes of a JPEG file, a string. `x` is a contiguous ByteTensor, height x width x channels (1 or 3); quality is 0..100.
-- A quality below 24 needs 16-bit quantization tables. The library would limit their values to 255, and so compress less.
function jpeg.write(x, quality)
   if extended.takes(x, quality) then return extended.write(x, quality) end
   return with('tjInitCompress', encode, x, quality)
end

return jpeg
