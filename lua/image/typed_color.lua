-- lua/image/typed_color.lua - colours, kernels and drawing in image.byte, image.float and image.double, for one type each.
local torch = require 'torch'
local arg = require 'torch.arg'
local dtype = require 'torch.dtype'
local color = require 'image.color'
local filter = require 'image.filter'
local draw = require 'image.draw'
local colorize = require 'image.colorize'

local functions = {}

for _, name in ipairs { 'rgb2y', 'rgb2hsl', 'hsl2rgb', 'rgb2hsv', 'hsv2rgb', 'rgb2lab', 'lab2rgb' } do
   functions[name] = function(_, picture, result)
      if result == nil then return color[name](picture) end
      return color[name](result, picture)
   end
end

function functions.colorize(who, result, labels, map)
   if not torch.isTensor(map) or map:dim() ~= 2 or map:size(2) ~= 3 then
      error(('%s: the map must be a tensor of colours x 3, got %s'):format(who, arg.describe(map)), 3)
   end
   return colorize(who, result, labels, map, 0)
end

function functions.gaussian(_, result, amplitude, normalize, sigma_horz, sigma_vert, mean_horz, mean_vert)
   return filter.gaussian { tensor = result, amplitude = amplitude, normalize = normalize, sigma_horz = sigma_horz,
      sigma_vert = sigma_vert, mean_horz = mean_horz, mean_vert = mean_vert }
end

function functions.saturate(_, picture) return dtype.is_float(picture._dtype) and picture:clamp(0, 1) or picture end

function functions.drawRect(_, picture, x1, y1, x2, y2, line, red, green, blue)
   return draw.drawRect(picture, x1, y1, x2, y2, { lineWidth = line, color = { red, green, blue }, inplace = true })
end

function functions.text(_, picture, text, x, y, size, red, green, blue, red_behind, green_behind, blue_behind, wrap)
   local behind = red_behind and red_behind >= 0 and { red_behind, green_behind, blue_behind } or nil
   return draw.drawText(picture, text, x, y, { size = size, color = { red, green, blue }, bg = behind, wrap = wrap,
      inplace = true })
end

local M = {}
for word, kind in pairs { byte = 'torch.ByteTensor', float = 'torch.FloatTensor', double = 'torch.DoubleTensor' } do
   M[word] = {}
   for name, f in pairs(functions) do
      local who = ('image.%s.%s'):format(word, name)
      M[word][name] = function(x, ...)
         if torch.type(x) ~= kind then error(('%s: expected a %s, got %s'):format(who, kind, arg.describe(x)), 2) end
         return f(who, x, ...)
      end
   end
end

--- image.byte.rgb2y(picture, [result]), image.float.rgb2y, image.double.rgb2y: see image.rgb2y.
--- image.byte.rgb2hsl(picture, [result]), image.float.rgb2hsl, image.double.rgb2hsl: see image.rgb2hsl.
--- image.byte.hsl2rgb(picture, [result]), image.float.hsl2rgb, image.double.hsl2rgb: see image.hsl2rgb.
--- image.byte.rgb2hsv(picture, [result]), image.float.rgb2hsv, image.double.rgb2hsv: see image.rgb2hsv.
--- image.byte.hsv2rgb(picture, [result]), image.float.hsv2rgb, image.double.hsv2rgb: see image.hsv2rgb.
--- image.byte.rgb2lab(picture, [result]), image.float.rgb2lab, image.double.rgb2lab: see image.rgb2lab, which refuses bytes.
--- image.byte.lab2rgb(picture, [result]), image.float.lab2rgb, image.double.lab2rgb: see image.lab2rgb, which refuses bytes.
--- image.byte.colorize(result, labels, map), image.float.colorize, image.double.colorize: the rows of map (colours x 3) whose
-- numbers, from 0, are in labels, as 3 planes.
--- image.byte.gaussian(result, ...), image.float.gaussian, image.double.gaussian: see image.gaussian. After the result follow
-- amplitude, normalize, sigma_horz, sigma_vert, mean_horz and mean_vert.
--- image.byte.saturate(picture), image.float.saturate, image.double.saturate: limits fractions to 0..1, in place.
--- image.byte.drawRect(picture, x1, y1, x2, y2, ...), image.float.drawRect, image.double.drawRect: see image.drawRect. Draws in
-- place; after the corners follow the width of the line, red, green and blue.
--- image.byte.text(picture, text, x, y, size, ...), image.float.text, image.double.text: see image.drawText. Draws in place;
-- after size follow red, green and blue, the same for the background (negative: none), and whether lines wrap.

return M
