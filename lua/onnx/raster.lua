-- lua/onnx/raster.lua - reads BMP and TIFF images without compression, or with runs of bytes (PackBits), for ImageDecoder.
local ffi = require 'ffi'
local bit = require 'bit'
local torch = require 'torch'
local limit = require 'feed.pixels'

local M = {}

-- ---- numbers in bytes ----------------------------------------------------------------------------------------------

-- A number of `size` bytes at offset `at` (from 0), with the low byte first unless big.
local function number(bytes, at, size, big)
   if at < 0 or at + size > #bytes then error('it is cut off', 0) end
   local v = 0
   for i = 0, size - 1 do
      local b = bytes:byte(at + 1 + (big and i or size - 1 - i))
      v = v * 256 + b
   end
   return v
end

-- An empty picture; `room` bytes of the file must be there for it.
local function canvas(width, height, channels)
   if width < 1 or height < 1 then error(('its size is %d x %d'):format(width, height), 0) end
   limit.check(width, height)
   local x = torch.ByteTensor(height, width, channels)
   return x, x:data()
end

-- ---- BMP -----------------------------------------------------------------------------------------------------------

local bmp = {}
M.bmp = bmp

function bmp.is(bytes) return bytes:sub(1, 2) == 'BM' and #bytes >= 54 end

-- How far a mask lies to the left, and the largest number that it leaves.
local function channel(mask)
   if mask == 0 then error('a mask of colours is empty', 0) end
   local shift = 0
   while mask % 2 == 0 do mask, shift = mask / 2, shift + 1 end
   return shift, mask
end

-- Rows of whole pixels: a function(pixel offset) that returns red, green, blue.
local function direct(from, size, masks)
   if not masks then return function(at) return from[at + 2], from[at + 1], from[at] end end
   local shift, most = {}, {}
   for k = 1, 3 do shift[k], most[k] = channel(masks[k]) end
   return function(at)
      local v = 0
      for i = size - 1, 0, -1 do v = v * 256 + from[at + i] end
      local function value(k) return math.floor(math.floor(v / 2 ^ shift[k]) % (most[k] + 1) * 255 / most[k] + 0.5) end
      return value(1), value(2), value(3)
   end
end

--- The pixels of a BMP image: a ByteTensor of height x width x 3.
function bmp.read(bytes)
   local start, header = number(bytes, 10, 4), number(bytes, 14, 4)
   if header < 40 then error('its header is of a kind that is not read', 0) end
   local width, height = number(bytes, 18, 4), number(bytes, 22, 4)
   local depth, compression = number(bytes, 28, 2), number(bytes, 30, 4)
   local down = height >= 2 ^ 31                              -- a negative height: the first row is the top
   if down then height = 2 ^ 32 - height end
   if compression ~= 0 and compression ~= 3 then error('it is compressed, which is not read', 0) end
   local stride = math.ceil(width * depth / 32) * 4
   if start + stride * height > #bytes then error('it is cut off', 0) end
   local x, p = canvas(width, height, 3)
   local from = ffi.cast('const uint8_t *', bytes) + start
   local masks
   if compression == 3 then masks = { number(bytes, 54, 4), number(bytes, 58, 4), number(bytes, 62, 4) }
   elseif depth == 16 then masks = { 0x7C00, 0x3E0, 0x1F } end
   local colours, palette, get = 0, nil, nil
   if depth == 1 or depth == 4 or depth == 8 then
      colours = number(bytes, 46, 4)
      if colours == 0 then colours = 2 ^ depth end
      if colours > 256 then error('its palette is too large', 0) end
      number(bytes, 14 + header + 4 * colours - 1, 1)
      palette = ffi.cast('const uint8_t *', bytes) + 14 + header
   elseif depth == 16 or depth == 24 or depth == 32 then get = direct(from, depth / 8, masks)
   else error(('pixels of %d bits are not read'):format(depth), 0) end
   for i = 0, height - 1 do
      local row = stride * (down and i or height - 1 - i)
      for j = 0, width - 1 do
         local to, r, g, b = (i * width + j) * 3
         if get then r, g, b = get(row + j * depth / 8)
         else
            local place = bit.rshift(j * depth, 3)
            local k = bit.band(bit.rshift(from[row + place], 8 - depth - bit.band(j * depth, 7)), 2 ^ depth - 1)
            if k >= colours then error('a pixel is outside of its palette', 0) end
            r, g, b = palette[4 * k + 2], palette[4 * k + 1], palette[4 * k]
         end
         p[to], p[to + 1], p[to + 2] = r, g, b
      end
   end
   return x
end

-- ---- TIFF ----------------------------------------------------------------------------------------------------------

local tiff = {}
M.tiff = tiff

function tiff.is(bytes) return bytes:sub(1, 4) == 'II*\0' or bytes:sub(1, 4) == 'MM\0*' end

local sizes = { 1, 1, 2, 4 }
local MOST_VALUES = 2 ^ 20

-- The entries of the first directory: tag -> list of numbers.
local function directory(bytes)
   local big = bytes:sub(1, 1) == 'M'
   local at, tags = number(bytes, 4, 4, big), {}
   for k = 0, number(bytes, at, 2, big) - 1 do
      local entry = at + 2 + 12 * k
      local tag, kind, count = number(bytes, entry, 2, big), number(bytes, entry + 2, 2, big), number(bytes, entry + 4, 4, big)
      local size = sizes[kind]
      if size then
         if count > MOST_VALUES then error('its directory is too large', 0) end
         local from, list = entry + 8, {}
         if size * count > 4 then from = number(bytes, entry + 8, 4, big) end
         for i = 1, count do list[i] = number(bytes, from + size * (i - 1), size, big) end
         tags[tag] = list
      end
   end
   return tags
end

-- Bytes from runs: n from 0 on means n + 1 bytes as they are, -n from -127 on a byte n + 1 times.
local function unpacked(text, wanted)
   local parts, have, at = {}, 0, 1
   while have < wanted and at <= #text do
      local n = text:byte(at)
      local part
      if n < 128 then
         part, at = text:sub(at + 1, at + 1 + n), at + n + 2
      elseif n > 128 then
         part, at = text:sub(at + 1, at + 1):rep(257 - n), at + 2
      else part, at = '', at + 1 end
      parts[#parts + 1], have = part, have + #part
   end
   return table.concat(parts)
end

--- The pixels of a TIFF image of 8 bits: a ByteTensor of height x width x 1, 3 or 4.
function tiff.read(bytes)
   local tags = directory(bytes)
   local function one(tag, default)
      local list = tags[tag]
      return list and list[1] or default or error(('its tag %d is missing'):format(tag), 0)
   end
   local width, height, channels = one(256), one(257), one(277, 1)
   local compression, kind = one(259, 1), one(262)
   for _, depth in ipairs(tags[258] or { 1 }) do
      if depth ~= 8 then error(('samples of %d bits are not read'):format(depth), 0) end
   end
   if compression ~= 1 and compression ~= 32773 then error(('its compression %d is not read'):format(compression), 0) end
   if kind > 3 or one(284, 1) ~= 1 or channels < 1 or channels > 4 or tags[322] then error('its form is not read', 0) end
   local starts, counts, rows = tags[273] or {}, tags[279] or {}, one(278, height)
   if rows < 1 or #starts < math.ceil(height / rows) or #counts ~= #starts then error('its strips do not fit its size', 0) end
   if compression == 1 and width * height * channels > #bytes or width * height * channels > 128 * #bytes then
      error('it is cut off', 0)
   end
   local x, p = canvas(width, height, channels)
   for k = 1, math.ceil(height / rows) do
      local wanted = math.min(rows, height - (k - 1) * rows) * width * channels
      local strip = bytes:sub(starts[k] + 1, starts[k] + counts[k])
      if compression ~= 1 then strip = unpacked(strip, wanted) end
      if #strip < wanted then error('it is cut off', 0) end
      ffi.copy(p + (k - 1) * rows * width * channels, strip, wanted)
   end
   if kind == 0 then x = torch.mul(x:int(), -1):add(255):byte() end
   if kind ~= 3 then return x end
   local map = tags[320] or {}
   local y, q = canvas(width, height, 3)
   if channels ~= 1 or #map ~= 768 then error('its palette does not fit', 0) end
   for i = 0, width * height - 1 do
      for c = 0, 2 do q[3 * i + c] = math.floor(map[1 + 256 * c + p[i]] / 256) end
   end
   return y
end

return M
