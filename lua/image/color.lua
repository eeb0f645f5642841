-- lua/image/color.lua - colour spaces and colour maps.
local torch = require 'torch'
local arg = require 'torch.arg'
local dtype = require 'torch.dtype'
local check = require 'image.check'
local colorize = require 'image.colorize'

local M = {}

-- The arguments ([result,] picture) of a change of colours; 4 is the level of the caller's caller.
local function need_colors(who, most, y, x)
   if x == nil then y, x = nil, y end
   check.picture(who, x, 3, 8, 4)
   local planes = x:size(x:dim() - 2)
   if planes < 3 or planes > most then
      error(('%s: the picture must have 3 planes x rows x columns, got %s'):format(who, arg.size_text(x)), 4)
   end
   if y ~= nil then check.result(who, y, x, 4) end
   return y or x.new(), x
end

local function change(name, y, x)
   y, x = need_colors('image.' .. name, 3, y, x)
   return torch.image_color(y, x, name)
end

local function change_fractions(name, y, x)
   local from = x == nil and y or x
   if torch.isTensor(from) and not dtype.is_float(from._dtype) then
      error(('image.%s: the picture must hold fractions, because a result below 0 does not fit into a %s; call float() first')
         :format(name, torch.type(from)), 3)
   end
   return change(name, y, x)
end

--- Changes colours to YUV: brightness in 0..1, and two differences of colour that may be negative.
-- @param result  an optional tensor of the same type; it may be the picture itself
-- @param picture  red, green and blue x rows x columns, or a batch of them, in 0..1
-- @return the result
-- image.rgb2yuv(torch.Tensor{1, 1, 0}:view(3, 1, 1)):view(3) --> {0.886, -0.43599, 0.10001}
function M.rgb2yuv(result, picture) return change_fractions('rgb2yuv', result, picture) end

--- Changes YUV back to red, green and blue.
-- @param result  an optional tensor of the same type; it may be the picture itself
-- @param picture  Y, U and V x rows x columns, or a batch of them
-- @return the result
-- image.yuv2rgb(torch.Tensor{0.5, 0, 0}:view(3, 1, 1)):view(3) --> {0.5, 0.5, 0.5}
function M.yuv2rgb(result, picture) return change_fractions('yuv2rgb', result, picture) end

--- Gives the brightness of a picture as one plane: 0.299 red + 0.587 green + 0.114 blue.
-- @param result  an optional tensor of the same type
-- @param picture  red, green and blue x rows x columns, or a batch of them; more planes do not count
-- @return the result
-- image.rgb2y(torch.Tensor{1, 1, 0}:view(3, 1, 1)):view(1) --> {0.886}
function M.rgb2y(result, picture)
   local y, x = need_colors('image.rgb2y', math.huge, result, picture)
   return torch.image_luma(y, x)
end

--- Changes colours to hue, saturation and lightness, each in 0..1, or in 0..255 if the picture holds whole numbers.
-- @param result  an optional tensor of the same type; it may be the picture itself
-- @param picture  red, green and blue x rows x columns, or a batch of them
-- @return the result
-- image.rgb2hsl(torch.Tensor{0, 1, 1}:view(3, 1, 1)):view(3) --> {0.5, 1, 0.5}
function M.rgb2hsl(result, picture) return change('rgb2hsl', result, picture) end

--- Changes hue, saturation and lightness back to red, green and blue.
-- @param result  an optional tensor of the same type; it may be the picture itself
-- @param picture  hue, saturation and lightness x rows x columns, or a batch of them
-- @return the result
-- image.hsl2rgb(torch.Tensor{0.5, 1, 0.5}:view(3, 1, 1)):view(3) --> {0, 1, 1}
function M.hsl2rgb(result, picture) return change('hsl2rgb', result, picture) end

--- Changes colours to hue, saturation and value, each in 0..1, or in 0..255 if the picture holds whole numbers.
-- @param result  an optional tensor of the same type; it may be the picture itself
-- @param picture  red, green and blue x rows x columns, or a batch of them
-- @return the result
-- image.rgb2hsv(torch.Tensor{0, 1, 1}:view(3, 1, 1)):view(3) --> {0.5, 1, 1}
function M.rgb2hsv(result, picture) return change('rgb2hsv', result, picture) end

--- Changes hue, saturation and value back to red, green and blue.
-- @param result  an optional tensor of the same type; it may be the picture itself
-- @param picture  hue, saturation and value x rows x columns, or a batch of them
-- @return the result
-- image.hsv2rgb(torch.Tensor{0.5, 1, 1}:view(3, 1, 1)):view(3) --> {0, 1, 1}
function M.hsv2rgb(result, picture) return change('hsv2rgb', result, picture) end

--- Changes sRGB colours to CIE L*a*b* under the white of D65: lightness in 0..100, and two differences of colour.
-- @param result  an optional tensor of the same type; it may be the picture itself
-- @param picture  red, green and blue x rows x columns, or a batch of them, in 0..1
-- @return the result
-- image.rgb2lab(torch.Tensor{0, 0, 0}:view(3, 1, 1)):view(3) --> {0, 0, 0}
function M.rgb2lab(result, picture) return change_fractions('rgb2lab', result, picture) end

--- Changes L*a*b* back to sRGB. A colour that a screen cannot show has parts outside of 0..1.
-- @param result  an optional tensor of the same type; it may be the picture itself
-- @param picture  L, a and b x rows x columns, or a batch of them
-- @return the result
-- image.lab2rgb(torch.Tensor{0, 0, 0}:view(3, 1, 1)):view(3) --> {0, 0, 0}
function M.lab2rgb(result, picture) return change_fractions('lab2rgb', result, picture) end

--- Divides red, green and blue by their sum, so that what remains does not depend on brightness.
-- @param result  an optional tensor of the same type; it may be the picture itself
-- @param picture  red, green and blue x rows x columns, or a batch of them
-- @return the result
-- image.rgb2nrgb(torch.Tensor{0, 0, 0}:view(3, 1, 1)):view(3) --> {0, 0, 0}
function M.rgb2nrgb(result, picture) return change('rgb2nrgb', result, picture) end

local function count(who, n)
   if type(n) ~= 'number' or n < 1 or n % 1 ~= 0 then
      error(('%s: the number of colours must be a positive whole number, got %s'):format(who, arg.describe(n)), 3)
   end
end

--- Gives n colours that are easy to distinguish, one in each row. The first ones do not depend on n.
-- @param nbColor  how many
-- @return a tensor of n x 3, red, green and blue in 0..1
-- image.colormap(1) --> {{0.65, 0.35, 0.35}}
function M.colormap(nbColor)
   count('image.colormap', nbColor)
   local hsl = torch.Tensor(3, 1, nbColor):fill(0.5)
   local i = torch.range(0, nbColor - 1):typeAs(hsl)
   hsl[1][1]:copy(i):mul(39 / 360):remainder(1)
   hsl[2][1]:copy(i):div(9):remainder(0.7):add(0.3)
   return M.hsl2rgb(hsl):view(3, nbColor):t():clone()
end

--- Gives the n colours of the map "jet", from blue over green and yellow to dark red, one in each row.
-- @param nbColor  how many
-- @return a tensor of n x 3, red, green and blue in 0..1
-- image.jetColormap(2) --> {{0.5, 1, 0.5}, {0.5, 0, 0}}
function M.jetColormap(nbColor)
   count('image.jetColormap', nbColor)
   local map = torch.Tensor(nbColor, 3)
   local x = torch.range(1, nbColor):typeAs(map):mul(4 / nbColor)
   for k, center in ipairs { 3, 2, 1 } do
      map:select(2, k):copy(x):add(-center):abs():mul(-1):add(1.5):clamp(0, 1)
   end
   return map
end

--- Shows whole numbers from 1 on as the colours of the map "jet"; the largest one becomes dark red.
-- @param result  an optional tensor of the same type
-- @param picture  one plane: rows x columns, 1 x rows x columns, or one row
-- @return the result: 3 x rows x columns
-- image.y2jet(torch.Tensor{1, 2}):view(3, 2) --> {{0.5, 0.5}, {1, 0}, {0.5, 0}}
function M.y2jet(result, picture)
   if picture == nil then result, picture = nil, result end
   check.picture('image.y2jet', picture, 1, 3)
   if not arg.absent(result) then check.result('image.y2jet', result, picture) end
   if picture:nElement() == 0 then
      error('image.y2jet: the picture must have pixels, got ' .. arg.size_text(picture), 2)
   end
   local most = picture:max()
   if not (picture:min() >= 1 and most < 2^31) then
      error(('image.y2jet: pixels must be whole numbers from 1 on, got %g to %g'):format(picture:min(), most), 2)
   end
   local map = M.jetColormap(math.floor(most)):double()
   if not dtype.is_float(picture._dtype) then map:mul(255):add(0.5):floor() end
   return colorize('image.y2jet', result or picture.new(), picture, map, 1)
end

return M
