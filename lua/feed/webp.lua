-- feed.webp - reads WebP images through libwebp, which is opened on first use.
local ffi = require 'ffi'
local load_library = require 'feed.library'
local limit = require 'feed.pixels'
local torch = require 'torch'

ffi.cdef [[
typedef struct feed_webp_features {
   int width, height, has_alpha, has_animation, format;
   uint32_t pad[5];
} feed_webp_features;
int WebPGetFeaturesInternal(const uint8_t *bytes, size_t n, feed_webp_features *out, int version);
uint8_t *WebPDecodeRGBInto(const uint8_t *bytes, size_t n, uint8_t *to, size_t room, int pitch);
uint8_t *WebPDecodeRGBAInto(const uint8_t *bytes, size_t n, uint8_t *to, size_t room, int pitch);
]]

local VERSION = 0x0208                       -- of the interface: libwebp compares its high byte
local HEADER = 12                            -- 'RIFF', how many bytes follow, 'WEBP'
-- An image of one colour takes a few bytes, however large it is, so small images may come from any file. A larger one is
-- refused if a byte would have to hold more than MOST pixels: photographs of low quality have about 100.
local SMALL, MOST = 2 ^ 24, 512

local STATUS = {
   'no memory is left', 'bad parameter', 'it is damaged', 'it has a feature that libwebp does not know', 'it is cut off',
   'stopped', 'it is cut off',
}

local webp = {}

local library
local function open()
   library = library or load_library('TH_WEBP', 'libwebp.so.7', 'webp',
      'libwebp is not installed (Debian: libwebp7); TH_WEBP may name it')
   return library
end

--- Whether these bytes begin as a WebP file does.
function webp.is(bytes) return bytes:sub(1, 4) == 'RIFF' and bytes:sub(9, HEADER) == 'WEBP' end

-- The size of the file in bytes, from its header.
local function length(bytes)
   local a, b, c, d = bytes:byte(5, 8)
   return 8 + a + 256 * (b + 256 * (c + 256 * d))
end

-- Channels, height and width.
local function header(bytes)
   if #bytes < HEADER then error('it is cut off', 0) end
   local features = ffi.new 'feed_webp_features'
   local status = open().WebPGetFeaturesInternal(bytes, #bytes, features, VERSION)
   if status ~= 0 then error('libwebp: ' .. (STATUS[status] or 'error ' .. status), 0) end
   if features.has_animation ~= 0 then error('it is an animation: only single images are read', 0) end
   return features.has_alpha ~= 0 and 4 or 3, features.height, features.width
end

--- Channels, height and width of the WebP image in these bytes.
webp.size = header

--- The pixels in the bytes of a WebP file, a string: a ByteTensor of height x width x 3, or 4 if it has alpha.
function webp.read(bytes)
   local channels, height, width = header(bytes)
   if length(bytes) > #bytes then error(('it is cut off: %d of %.0f bytes are left'):format(#bytes, length(bytes)), 0) end
   if width * height > math.max(SMALL, MOST * #bytes) then
      error(('%d x %d pixels do not fit into %d bytes'):format(width, height, #bytes), 0)
   end
   limit.check(width, height)
   local pixels = torch.ByteTensor(height, width, channels)
   local decode = library[channels == 4 and 'WebPDecodeRGBAInto' or 'WebPDecodeRGBInto']
   if decode(bytes, #bytes, pixels:data(), pixels:nElement(), width * channels) == nil then
      error('libwebp: its pixels are damaged', 0)
   end
   return pixels
end

return webp
