-- feed.exif - reads the orientation that a camera wrote into a JPEG or WebP file.
local exif = {}

local function number(s, at, bytes, big)
   if at < 1 or at + bytes - 1 > #s then return nil end
   local v = 0
   for k = 0, bytes - 1 do
      v = v + s:byte(at + k) * 256 ^ (big and bytes - 1 - k or k)
   end
   return v
end

local ORIENTATION, SHORT = 0x112, 3

-- The orientation in a block of Exif data, which is a TIFF file.
local function in_tiff(s)
   local big = s:sub(1, 2) == 'MM'
   if not big and s:sub(1, 2) ~= 'II' then return nil end
   local directory = number(s, 5, 4, big)
   local entries = directory and number(s, directory + 1, 2, big)
   for k = 0, (entries or 0) - 1 do
      local at = directory + 3 + 12 * k
      local tag = number(s, at, 2, big)
      if tag == nil then return nil end
      if tag == ORIENTATION then return number(s, at + 2, 2, big) == SHORT and number(s, at + 8, 2, big) or nil end
   end
end

local MARK = 'Exif\0\0'                      -- the beginning of a block; in WebP files only some programs write it

-- The blocks of Exif data: the first of a JPEG file, and that of a WebP file.
local function in_jpeg(bytes)
   local at = 3
   while true do
      local mark, size = bytes:byte(at + 1), number(bytes, at + 2, 2, true)
      if bytes:byte(at) ~= 255 or not size or size < 2 or mark == 0xda then return nil end
      if mark == 0xe1 and bytes:sub(at + 4, at + 9) == MARK then return bytes:sub(at + 10, at + 1 + size) end
      at = at + 2 + size
   end
end

local function in_webp(bytes)
   local at = 13
   while true do
      local size = number(bytes, at + 4, 4)
      if not size then return nil end
      if bytes:sub(at, at + 3) == 'EXIF' then
         local block = bytes:sub(at + 8, at + 7 + size)
         return block:sub(1, #MARK) == MARK and block:sub(#MARK + 1) or block
      end
      at = at + 8 + size + size % 2
   end
end

--- The orientation of the JPEG or WebP image in these bytes: 1..8, and 1 if the file has no valid one.
function exif.orientation(bytes)
   local block = (bytes:sub(1, 4) == 'RIFF' and in_webp or in_jpeg)(bytes)
   local v = block and in_tiff(block)
   return v and v >= 1 and v <= 8 and v or 1
end

--- Rotates or mirrors planes x rows x columns, as stored, by the orientation. @return a contiguous tensor
function exif.upright(x, orientation)
   if orientation >= 5 then x = x:transpose(2, 3) end
   local mirror_rows = orientation == 3 or orientation == 4 or orientation == 7 or orientation == 8
   local mirror_columns = orientation == 2 or orientation == 3 or orientation == 6 or orientation == 7
   if mirror_rows then x = x:flip(2) end
   if mirror_columns then x = x:flip(3) end
   return x:contiguous()
end

return exif
