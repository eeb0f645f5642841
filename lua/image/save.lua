-- lua/image/save.lua - writes images into files and compressed bytes.
local ffi = require 'ffi'
local torch = require 'torch'
local arg = require 'torch.arg'
local file = require 'torch.file'
local format = require 'torch.format'
local codec = require 'image.codec'
local load = require 'image.load'

local M = {}

local QUALITY = 75

-- By the names of the savers: the kind of file, and the possible numbers of planes.
local forms = {
   JPG = { 'JPEG', { [1] = true, [3] = true } },
   PNG = { 'PNG', { [1] = true, [3] = true, [4] = true } },
   PPM = { 'PNM', { [3] = true } },
   PGM = { 'PNM', { [1] = true } },
}

-- The bytes of a file, as `make` gives them: a string without it.
local function packed(who, form, tensor, quality, level, make)
   codec.check(who, tensor, form[2], level + 1)
   local ok, bytes = pcall(function()
      local s = require(codec.modules[form[1]]).write(codec.pixels(tensor), quality)
      return make and make(s) or s
   end)
   if not ok then error(who .. ': ' .. format.reason(bytes), level) end
   return bytes
end

-- The file gets its name when it is complete.
local function write(who, name, bytes)
   local ok, f = pcall(file.replacing, name)
   if not ok then error(who .. ': ' .. tostring(f):gsub('^.-torch%.DiskFile: ', ''), 4) end
   local why
   f:binary()
   ok, why = pcall(function()
      format.put(file.inside(f), bytes)
      f:close()
   end)
   if ok then return end
   file.abandon(f)
   error(who .. ': ' .. tostring(why):gsub('^.-torch%.DiskFile:close: ', ''), 4)
end

local function save(who, name, tensor, form, quality)
   if type(name) ~= 'string' or name == '' or name:find '%z' then arg.refuse(who, 'filename', 'the name of a file', name, 3) end
   write(who, name, packed(who, form, tensor, quality, 4))
end

--- Writes an image into a JPEG file of quality 75. Values are 0..1, or 0..255 in a ByteTensor. Needs libturbojpeg.
-- @param tensor  rows x columns, or planes x rows x columns with one plane or three
function M.saveJPG(filename, tensor) save('image.saveJPG', filename, tensor, forms.JPG, QUALITY) end

--- Writes an image into a PNG file of 8 bits. Values are 0..1, or 0..255 in a ByteTensor. Needs libpng.
-- @param tensor  rows x columns, or planes x rows x columns with one, three or four planes (the fourth is alpha)
function M.savePNG(filename, tensor) save('image.savePNG', filename, tensor, forms.PNG) end

--- Writes an image of three planes into a PPM file. Values are 0..1, or 0..255 in a ByteTensor.
-- name = os.tmpname(); image.savePPM(name, torch.ones(3, 1, 2)); x = image.load(name, 1); os.remove(name); x --> {{1, 1}}
function M.savePPM(filename, tensor) save('image.savePPM', filename, tensor, forms.PPM) end

--- Writes an image of one plane, or of rows x columns, into a PGM file. Values are 0..1, or 0..255 in a ByteTensor.
-- name = os.tmpname(); image.savePGM(name, torch.eye(2)); x = image.load(name); os.remove(name); x --> {{{1, 0}, {0, 1}}}
function M.savePGM(filename, tensor) save('image.savePGM', filename, tensor, forms.PGM) end

-- ---- by the suffix ----------------------------------------------------------------------------------------------------------

local types = {
   JPG = { loader = load.loadJPG, saver = M.saveJPG, sizer = load.getJPGsize },
   PNG = { loader = load.loadPNG, saver = M.savePNG, sizer = load.getPNGsize },
   PPM = { loader = load.loadPPM, saver = M.savePPM, sizer = load.getPPMsize },
   PGM = { loader = load.loadPPM, saver = M.savePGM, sizer = load.getPPMsize },
}
types.JPEG = types.JPG
for _, name in ipairs { 'JPG', 'JPEG', 'PNG', 'PPM', 'PGM' } do types[name:lower()] = types[name] end

--- image.supported_filetypes: A table of the suffixes of files. Each has a loader, a saver and a sizer, functions of image.
M.supported_filetypes = types

--- Whether image.save writes files with this suffix.
-- image.is_supported 'png' --> true
-- image.is_supported 'gif' --> false
function M.is_supported(suffix) return types[suffix] ~= nil end

--- Writes an image into a file; the suffix of its name (jpg, jpeg, png, ppm or pgm) selects the kind. Values are 0..1, or
-- 0..255 in a ByteTensor; values outside are clamped. The file gets its name when it is complete.
-- @param tensor  planes x rows x columns, or rows x columns
-- name = os.tmpname() .. '.ppm'; image.save(name, torch.ones(3, 1, 2)); x = image.load(name); os.remove(name); x:sum() --> 6
function M.save(filename, tensor)
   if type(filename) ~= 'string' then arg.refuse('image.save', 'filename', 'the name of a file', filename) end
   local suffix = filename:match '%.(%a+)$'
   if not suffix or not types[suffix] then
      error(('image.save: %s: the suffix must be jpg, jpeg, png, ppm or pgm'):format(filename), 2)
   end
   local form = forms[suffix:upper()] or forms.JPG
   save('image.save', filename, tensor, form, form == forms.JPG and QUALITY or nil)
end

-- ---- compressed bytes -------------------------------------------------------------------------------------------------------

local function tensor_of(bytes)
   local t = torch.ByteTensor(#bytes)
   ffi.copy(t:data(), bytes, #bytes)
   return t
end

--- The bytes of a JPEG file that holds the image, a ByteTensor of one dimension.
-- @param tensor  an image as for image.saveJPG
-- @param quality  0..100 (default 75). Below 24 quantization values are above 255, as in Torch7: readers of baseline files only
--    refuse such a file
function M.compressJPG(tensor, quality)
   quality = quality == nil and QUALITY or quality
   if type(quality) ~= 'number' or not (quality >= 0 and quality <= 100) then
      arg.refuse('image.compressJPG', 'quality', 'a number in 0..100', quality)
   end
   return (packed('image.compressJPG', forms.JPG, tensor, quality, 3, tensor_of))
end

--- The bytes of a PNG file that holds the image, a ByteTensor of one dimension.
-- @param tensor  an image as for image.savePNG
function M.compressPNG(tensor) return (packed('image.compressPNG', forms.PNG, tensor, nil, 3, tensor_of)) end

return M
