-- examples/lib/draw.lua - draws small grey images as text, several side by side.
local draw = {}

local RAMP = ' .:-=+*#%@'                      -- from dark to bright

-- Mean of the pixels that the text cell (row, column) covers; a cell is about twice as high as wide.
local function grey(image, row, column, scale)
   local height = image:size(1)
   local y1 = math.floor((row - 1) * 2 / scale) + 1
   local y2 = math.min(height, math.max(y1, math.ceil(row * 2 / scale)))
   local x = math.floor((column - 1) / scale) + 1
   local sum = 0
   for y = y1, y2 do sum = sum + image[y][x] end
   return sum / (y2 - y1 + 1)
end

--- The lines of one image.
-- @param image   tensor H x W
-- @param white   the value of the brightest pixel
-- @param colour  true: blocks in grey levels of a terminal; false: characters
-- @return table of strings, and how many columns they take
function draw.lines(image, white, colour)
   local scale = image:size(2) < 16 and 2 or 1 -- columns per pixel
   local columns, rows = image:size(2) * scale, math.ceil(image:size(1) * scale / 2)
   local lines = {}
   for row = 1, rows do
      local cells = {}
      for column = 1, columns do
         local level = math.max(0, math.min(1, grey(image, row, column, scale) / white))
         if colour then                       -- 232..255 are the greys of the 256 colours
            cells[column] = ('\27[48;5;%dm '):format(232 + math.floor(level * 23 + 0.5))
         else
            local i = 1 + math.floor(level * (#RAMP - 1) + 0.5)
            cells[column] = RAMP:sub(i, i)
         end
      end
      lines[row] = table.concat(cells) .. (colour and '\27[0m' or '')
   end
   return lines, columns
end

--- Images side by side with a caption under each, in bands that fit the width.
-- @param images    list of tensors H x W
-- @param captions  list of strings, as many
-- @param width     columns there are; 80 by default
-- @return one string
function draw.row(images, captions, white, colour, width)
   assert(#images == #captions, 'draw.row: every image needs a caption')
   local out, i = {}, 1
   while i <= #images do
      local band, under, used, height = {}, {}, 0, 0
      repeat
         local lines, columns = draw.lines(images[i], white, colour)
         for k, line in ipairs(lines) do band[k] = (band[k] and band[k] .. '  ' or '') .. line end
         under[#under + 1] = captions[i] .. (' '):rep(columns - #captions[i])
         used, height, i = used + columns + 2, math.max(height, #lines), i + 1
      until i > #images or used + columns > (width or 80)
      for k = 1, height do out[#out + 1] = band[k] end
      out[#out + 1] = table.concat(under, '  ')
      out[#out + 1] = ''
   end
   return table.concat(out, '\n')
end

--- Whether standard output is a terminal with colours.
function draw.terminal()
   local ffi = require 'ffi'
   pcall(ffi.cdef, 'int isatty(int);')
   return ffi.C.isatty(1) == 1 and os.getenv 'TERM' ~= 'dumb' and not os.getenv 'NO_COLOR'
end

return draw
