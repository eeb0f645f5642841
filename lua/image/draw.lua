-- lua/image/draw.lua - rectangles and text drawn into pictures.
local ffi = require 'ffi'
local arg = require 'torch.arg'
local dtype = require 'torch.dtype'
local check = require 'image.check'
local glyphs = require 'image.font'

local M = {}
local RED = { 255, 0, 0 }
local WIDTH, HEIGHT = 6, 8          -- of a character with the space around it

-- ---- shared checks --------------------------------------------------------------------------------

local function need_picture(who, x)
   check.picture(who, x, 3, 3, 4)
   if x:size(1) < 3 then error(('%s: the picture must have 3 planes, got %s'):format(who, arg.size_text(x)), 4) end
end

-- A whole number from v, in the range of pixel arithmetic.
local function need_number(who, name, v, least)
   if type(v) ~= 'number' or not (v >= least and v < 2^31) then
      error(('%s: %s must be a number from %d on, got %s'):format(who, name, least, arg.describe(v)), 4)
   end
   return math.floor(v)
end

-- The color {red, green, blue} in 0..255 as values of the picture; fractions in single precision, as Torch7 had them.
local function need_color(who, name, color, x)
   local values = {}
   for i = 1, 3 do
      local v = type(color) == 'table' and color[i]
      if type(v) ~= 'number' then
         error(('%s: %s must be a table of 3 numbers, got %s'):format(who, name, arg.describe(color)), 4)
      end
      values[i] = dtype.is_float(x._dtype) and tonumber(ffi.new('float', v / 255)) or v
   end
   return values
end

local function need_options(who, options)
   if options == nil then return {} end
   if type(options) ~= 'table' then
      error(('%s: the options must be a table, got %s'):format(who, arg.describe(options)), 4)
   end
   return options
end

-- Fills columns x1..x2 of rows y1..y2 as far as the picture reaches.
local function fill(picture, x1, y1, x2, y2, color)
   x1, y1 = math.max(x1, 1), math.max(y1, 1)
   x2, y2 = math.min(x2, picture:size(3)), math.min(y2, picture:size(2))
   if x1 > x2 or y1 > y2 then return end
   for plane = 1, 3 do
      picture:select(1, plane):narrow(1, y1, y2 - y1 + 1):narrow(2, x1, x2 - x1 + 1):fill(color[plane])
   end
end

-- ---- rectangles -----------------------------------------------------------------------------------

local function rectangle(picture, x1, y1, x2, y2, line, color)
   x1, x2, y1, y2 = math.min(x1, x2), math.max(x1, x2), math.min(y1, y2), math.max(y1, y2)
   local before = math.floor(line / 2)
   local after = line - 1 - before
   fill(picture, x1 - before, y1 - before, x2 + after, y1 + after, color)
   fill(picture, x1 - before, y2 - before, x2 + after, y2 + after, color)
   fill(picture, x1 - before, y1 - before, x1 + after, y2 + after, color)
   fill(picture, x2 - before, y1 - before, x2 + after, y2 + after, color)
   return picture
end

--- Draws the outline of a rectangle. Parts outside the picture are left out.
-- @param src  3 planes x rows x columns
-- @param x1  the first column
-- @param y1  the first row
-- @param x2  the last column
-- @param y2  the last row; if one of the four is absent nothing is drawn
-- @param opts  options by name: color {red, green, blue} in 0..255 ({255, 0, 0}), lineWidth (1), inplace (false)
-- @return a new picture, or src if inplace is true
-- image.drawRect(torch.zeros(3, 1, 3), 1, 1, 2, 1)[1] --> {{1, 1, 0}}
function M.drawRect(src, x1, y1, x2, y2, opts)
   local who = 'image.drawRect'
   need_picture(who, src)
   opts = need_options(who, opts)
   local color = need_color(who, 'color', opts.color or RED, src)
   local line = need_number(who, 'lineWidth', opts.lineWidth or 1, 1)
   local picture = opts.inplace and src or src:clone()
   if not (x1 and y1 and x2 and y2) then return picture end
   return rectangle(picture, need_number(who, 'x1', x1, -2^31), need_number(who, 'y1', y1, -2^31),
      need_number(who, 'x2', x2, -2^31), need_number(who, 'y2', y2, -2^31), line, color)
end

-- ---- text -----------------------------------------------------------------------------------------

-- The character `code` with its corner at column x and row y, from 0, in pixels of size x size.
local function character(picture, code, x, y, size, color, background)
   if background then fill(picture, x + 1, y + 1, x + WIDTH * size, y + HEIGHT * size, background) end
   for row, line in ipairs(glyphs[code]) do
      local top = y + (row - 1) * size
      for first, past in line:gmatch '()#+()' do
         fill(picture, x + (first - 1) * size + 1, top + 1, x + (past - 1) * size, top + size, color)
      end
   end
end

local function write(picture, text, x, y, size, wrap, color, background)
   local left = x
   for i = 1, #text do
      local code = text:byte(i)
      if code == 10 then
         x, y = left, y + HEIGHT * size
      elseif code ~= 13 then
         character(picture, code, x, y, size, color, background)
         x = x + WIDTH * size
         if wrap and x >= picture:size(3) - WIDTH * size then x, y = 0, y + HEIGHT * size end
      end
      if y >= picture:size(2) then break end
   end
   return picture
end

--- Draws text in letters of 5 x 7 pixels, one every 6 pixels, a line every 8. Parts outside the picture are left out.
-- @param src  3 planes x rows x columns
-- @param text  a string; a newline begins a line below the first letter
-- @param x  columns before the text (1)
-- @param y  rows above the text (1)
-- @param opts  options by name. `color`: {red, green, blue} in 0..255 ({255, 0, 0}). `bg`: a color
--   behind the letters (none). `size`: of a dot of the letters (1). `wrap`: whether a full line
--   continues at the left edge (true). `inplace` (false)
-- @return a new picture, or src if inplace is true
-- image.drawText(torch.zeros(3, 8, 6), '-', 0, 0)[{1, 4, {}}] --> {1, 1, 1, 1, 1, 0}
function M.drawText(src, text, x, y, opts)
   local who = 'image.drawText'
   need_picture(who, src)
   if type(text) ~= 'string' and type(text) ~= 'number' then
      error(('%s: the text must be a string, got %s'):format(who, arg.describe(text)), 2)
   end
   opts = need_options(who, opts)
   local color = need_color(who, 'color', opts.color or RED, src)
   local background = opts.bg and need_color(who, 'bg', opts.bg, src)
   local size = need_number(who, 'size', opts.size or 1, 1)
   x = need_number(who, 'x', x == nil and 1 or x, -2^31)
   y = need_number(who, 'y', y == nil and 1 or y, -2^31)
   return write(opts.inplace and src or src:clone(), tostring(text), x, y, size, opts.wrap ~= false, color, background)
end

return M
