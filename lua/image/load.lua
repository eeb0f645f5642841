-- lua/image/load.lua - reads images from files and from compressed bytes.
local ffi = require 'ffi'
local torch = require 'torch'
local arg = require 'torch.arg'
local format = require 'torch.format'
local codec = require 'image.codec'

local M = {}

-- The bytes of a file.
local function bytes_of(who, file, level)
   if type(file) ~= 'string' or file == '' or file:find '%z' then
      arg.refuse(who, 'filename', 'the name of a file', file, level)
   end
   local source = require 'feed.source'
   local ok, bytes = pcall(source.with, file, source.whole)
   if not ok then source.fail(who, file, bytes, level) end
   return bytes
end

local UNKNOWN = 'it is no JPEG, PNG, WebP, PBM, PGM or PPM image'

-- The pixels in these bytes. Warnings about damage in a complete JPEG image go to stderr, as libjpeg's did in Torch7.
local function pixels(who, what, bytes, kind)
   local found = codec.kind(bytes)
   if not found then error(UNKNOWN, 0) end
   if kind and kind ~= found then error(('it is no %s image, but a %s image'):format(kind, found), 0) end
   local function warn(text) io.stderr:write(('%s: %s%s\n'):format(who, what and what .. ': ' or '', text)) end
   return require(codec.modules[found]).read(bytes, { print = true, warn = warn })
end

-- pixels(...) as planes of a type; or nil and the error, including lack of memory, without a position in our sources.
local function planes(who, what, bytes, kind, depth, t)
   local ok, x = pcall(function() return codec.planes(pixels(who, what, bytes, kind), depth, t) end)
   if ok then return x end
   return nil, format.reason(x)
end

local function read(who, file, depth, tensortype, kind)
   local t = codec.type(who, tensortype, 4)
   local bytes = bytes_of(who, file, 4)
   local x, why = planes(who, file, bytes, kind, depth, t)
   if not x then require 'feed.source'.fail(who, file, why, 3) end
   return x
end

--- The image in a JPEG, PNG, WebP, PBM, PGM or PPM file, which is known by its first bytes: planes x rows x columns. Values are
-- 0..1, or 0..255 in a ByteTensor. JPEG files with CMYK colours give four planes. An orientation in Exif data is not applied.
-- Images of more than 2^30 pixels are refused; TH_IMAGE_PIXELS in the environment sets another limit.
-- @param filename  the name of the file
-- @param depth  1: colours become grey, a tensor of rows x columns; 3: grey becomes three planes, alpha is dropped; nil: all
-- @param tensortype  'byte', 'float' or 'double' (nil: the default type of tensors)
-- name = os.tmpname(); image.savePPM(name, torch.ones(3, 1, 2)); x = image.load(name); os.remove(name); x:size() --> {3, 1, 2}
function M.load(filename, depth, tensortype) return (read('image.load', filename, depth, tensortype)) end

--- The image in a JPEG file, as image.load gives it. Needs libturbojpeg, which TH_JPEG may name.
function M.loadJPG(filename, depth, tensortype) return (read('image.loadJPG', filename, depth, tensortype, 'JPEG')) end

--- The image in a PNG file, as image.load gives it; palettes become colours. Needs libpng, which TH_PNG may name.
function M.loadPNG(filename, depth, tensortype) return (read('image.loadPNG', filename, depth, tensortype, 'PNG')) end

--- The image in a PBM, PGM or PPM file (P1 to P6), as image.load gives it.
-- name = os.tmpname(); image.savePGM(name, torch.ones(4, 5)); x = image.loadPPM(name); os.remove(name); x:size() --> {1, 4, 5}
function M.loadPPM(filename, depth, tensortype) return (read('image.loadPPM', filename, depth, tensortype, 'PNM')) end

-- ---- sizes ------------------------------------------------------------------------------------------------------------------

-- Channels, height and width, or the result of `make` for them.
local function size(who, file, kind, make)
   local bytes = bytes_of(who, file, 4)
   local ok, c, h, w = pcall(function()
      local found = codec.kind(bytes)
      if not found then error(UNKNOWN, 0) end
      if kind and kind ~= found then error(('it is no %s image, but a %s image'):format(kind, found), 0) end
      local planes_of, rows, columns = require(codec.modules[found]).size(bytes)
      if make then return make { planes_of, rows, columns } end
      return planes_of, rows, columns
   end)
   if not ok then require 'feed.source'.fail(who, file, format.reason(c), 3) end
   return c, h, w
end

--- The size of the image in a file: a LongTensor of planes, rows and columns. The pixels are not read.
-- name = os.tmpname(); image.savePPM(name, torch.ones(3, 4, 5)); s = image.getSize(name); os.remove(name); s --> {3, 4, 5}
function M.getSize(filename) return (size('image.getSize', filename, nil, torch.LongTensor)) end

--- Planes, rows and columns of the image in a JPEG file: three numbers.
function M.getJPGsize(filename) return size('image.getJPGsize', filename, 'JPEG') end

--- Planes, rows and columns of the image in a PNG file: three numbers.
function M.getPNGsize(filename) return size('image.getPNGsize', filename, 'PNG') end

--- Planes, rows and columns of the image in a PBM, PGM or PPM file: three numbers.
-- name = os.tmpname(); image.savePGM(name, torch.ones(4, 5)); s = { image.getPPMsize(name) }; os.remove(name); s --> {1, 4, 5}
function M.getPPMsize(filename) return size('image.getPPMsize', filename, 'PNM') end

-- ---- compressed bytes -------------------------------------------------------------------------------------------------------

local function unpacked(who, tensor, depth, tensortype, kind)
   if not torch.isTensor(tensor) or tensor:type() ~= 'torch.ByteTensor' then
      arg.refuse(who, 'tensor', 'a torch.ByteTensor, the bytes of a file', tensor, 3)
   end
   local t = codec.type(who, tensortype, 4)
   tensor = tensor:contiguous()
   local n = tensor:nElement()
   local x, why = planes(who, nil, n == 0 and '' or ffi.string(tensor:data(), n), kind, depth, t)
   if not x then error(who .. ': ' .. why, 3) end
   return x
end

--- The image in the bytes of a file, a ByteTensor, as image.load reads a file.
-- image.decompress(torch.ByteTensor{80, 50, 10, 50, 32, 49, 10, 57, 10, 48, 32, 57}) --> {{{0, 1}}}
function M.decompress(tensor, depth, tensortype) return (unpacked('image.decompress', tensor, depth, tensortype)) end

--- The image in the bytes of a JPEG file, a ByteTensor.
function M.decompressJPG(tensor, depth, tensortype) return (unpacked('image.decompressJPG', tensor, depth, tensortype, 'JPEG')) end

--- The image in the bytes of a PNG file, a ByteTensor.
function M.decompressPNG(tensor, depth, tensortype) return (unpacked('image.decompressPNG', tensor, depth, tensortype, 'PNG')) end

return M
