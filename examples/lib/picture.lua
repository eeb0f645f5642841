-- examples/lib/picture.lua - writes small grey images side by side into one PNG file; needs no other program.
local bit = require 'bit'

local picture = {}

local table_of_crc = {}
for i = 0, 255 do
   local c = i
   for _ = 1, 8 do c = bit.bxor(bit.rshift(c, 1), bit.band(c, 1) == 1 and 0xedb88320 or 0) end
   table_of_crc[i] = c
end

local function crc(text)
   local c = bit.bnot(0)
   for i = 1, #text do c = bit.bxor(table_of_crc[bit.band(bit.bxor(c, text:byte(i)), 255)], bit.rshift(c, 8)) end
   return bit.bnot(c)
end

local function big(n) return string.char(bit.band(bit.rshift(n, 24), 255), bit.band(bit.rshift(n, 16), 255),
                                         bit.band(bit.rshift(n, 8), 255), bit.band(n, 255)) end

local function chunk(kind, content) return big(#content) .. kind .. content .. big(crc(kind .. content)) end

-- The bytes as a zlib stream of stored (uncompressed) blocks.
local function stored(text)
   local out, at, a, b = { '\120\1' }, 1, 1, 0
   repeat
      local part = text:sub(at, at + 65534)
      at = at + #part
      local low, high = #part % 256, math.floor(#part / 256)
      out[#out + 1] = string.char(at > #text and 1 or 0, low, high, 255 - low, 255 - high) .. part
   until at > #text
   for i = 1, #text do
      a = (a + text:byte(i)) % 65521
      b = (b + a) % 65521
   end
   return table.concat(out) .. big(b * 65536 + a)
end

--- The content of a PNG file: images in rows of `columns`, each pixel `scale` pixels wide.
-- @param images  list of tensors H x W, all of one size
-- @param white   the value that is white; 0 is black
function picture.png(images, columns, white, scale)
   local height, width = tonumber(images[1]:size(1)), tonumber(images[1]:size(2))
   local gap, rows, lines = scale, math.ceil(#images / columns), {}
   local blank = ('\128'):rep(columns * (width * scale + gap) + gap)
   for _ = 1, gap do lines[#lines + 1] = blank end
   for row = 1, rows do
      local band = {}
      for y = 1, height do
         local line = { ('\128'):rep(gap) }
         for column = 1, columns do
            local image = images[(row - 1) * columns + column]
            for x = 1, width do
               local level = image and math.max(0, math.min(1, image[y][x] / white)) or 0.5
               line[#line + 1] = string.char(math.floor(level * 255 + 0.5)):rep(scale)
            end
            line[#line + 1] = ('\128'):rep(gap)
         end
         band[y] = table.concat(line)
      end
      for y = 1, height do for _ = 1, scale do lines[#lines + 1] = band[y] end end
      for _ = 1, gap do lines[#lines + 1] = blank end
   end
   local size = big(#lines[1]) .. big(#lines)
   return '\137PNG\r\n\26\n' .. chunk('IHDR', size .. '\8\0\0\0\0')               -- 8 bits of grey
      .. chunk('IDAT', stored('\0' .. table.concat(lines, '\0'))) .. chunk('IEND', '')
end

--- Writes such a picture into a file; raises an error with the reason if it cannot.
function picture.write(path, ...)
   local file, why = io.open(path, 'wb')
   local ok = file
   if file then
      ok, why = file:write(picture.png(...))
      if not file:close() then ok = nil end
   end
   if not ok then error(('cannot write %s: %s'):format(path, why or 'the disk may be full'), 0) end
end

return picture
