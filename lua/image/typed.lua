-- lua/image/typed.lua - image.byte, image.float and image.double: functions behind image.scale and others, by type.
local torch = require 'torch'
local arg = require 'torch.arg'

local M = {}

local function sides(x)
   local d = x:dim()
   if d < 2 then error('the result must have rows and columns, got ' .. arg.size_text(x), 3) end
   return x:size(d - 1), x:size(d)
end

local modes = { [0] = 'simple', 'bilinear', 'bicubic', 'lanczos' }

local function scale(mode)
   return function(x, y)
      local height, width = sides(y)
      torch.image_scale(y, x, height, width, mode)
   end
end

local function rotate(mode) return function(x, y, angle) torch.image_rotate(y, x, angle, mode) end end

local function polar(mode, log)
   return function(x, y, full)
      local height, width = sides(y)
      torch.image_polar(y, x, height, width, mode, full and full ~= 0 and 'full' or 'valid', log)
   end
end

local functions = {
   scaleSimple = scale 'simple', scaleBilinear = scale 'bilinear', scaleBicubic = scale 'bicubic',
   rotate = rotate 'simple', rotateBilinear = rotate 'bilinear',
   polar = polar('simple', false), polarBilinear = polar('bilinear', false),
   logPolar = polar('simple', true), logPolarBilinear = polar('bilinear', true),
   translate = function(x, y, right, down) require 'image'.translate(y, x, right, down) end,
   cropNoScale = function(x, y, x1, y1) require 'image'.crop(y, x, x1, y1) end,
   hflip = function(y, x) require 'image'.hflip(y, x) end,
   vflip = function(y, x) require 'image'.vflip(y, x) end,
   flip = function(y, x, dim) require 'image'.flip(y, x, dim) end,
   warp = function(y, x, field, mode, offset, clamp, pad)
      mode = modes[mode] or error('image.warp: the mode must be 0, 1, 2 or 3, got ' .. tostring(mode), 3)
      torch.image_warp(y, x, field, mode, offset and offset ~= 0 or false, clamp == 1 and 'pad' or 'clamp', pad or 0)
   end,
}

for word, kind in pairs { byte = 'torch.ByteTensor', float = 'torch.FloatTensor', double = 'torch.DoubleTensor' } do
   M[word] = {}
   for name, f in pairs(functions) do
      local who = ('image.%s.%s'):format(word, name)
      M[word][name] = function(a, b, ...)
         for i = 1, 2 do
            local x = select(i, a, b)
            if torch.type(x) ~= kind then error(('%s: expected a %s, got %s'):format(who, kind, arg.describe(x)), 2) end
         end
         return f(a, b, ...)
      end
   end
end

--- image.byte, image.float, image.double: functions for pictures of one type, without optional arguments.
--- image.byte.scaleSimple(picture, result), image.float.scaleSimple, image.double.scaleSimple: see image.scale.
--- image.byte.scaleBilinear(picture, result), image.float.scaleBilinear, image.double.scaleBilinear: see image.scale.
--- image.byte.scaleBicubic(picture, result), image.float.scaleBicubic, image.double.scaleBicubic: see image.scale.
--- image.byte.rotate(picture, result, angle), image.float.rotate, image.double.rotate: see image.rotate.
--- image.byte.rotateBilinear(picture, result, angle), image.float.rotateBilinear, image.double.rotateBilinear: see image.rotate.
--- image.byte.polar(picture, result, full), image.float.polar, image.double.polar: see image.polar.
--- image.byte.polarBilinear(picture, result, full), image.float.polarBilinear, image.double.polarBilinear: see image.polar.
--- image.byte.logPolar(picture, result, full), image.float.logPolar, image.double.logPolar: see image.logpolar.
--- image.byte.logPolarBilinear(picture, result, full), image.float.logPolarBilinear, image.double.logPolarBilinear: see
-- image.logpolar.
--- image.byte.translate(picture, result, x, y), image.float.translate, image.double.translate: see image.translate.
--- image.byte.cropNoScale(picture, result, x, y), image.float.cropNoScale, image.double.cropNoScale: see image.crop.
--- image.byte.hflip(result, picture), image.float.hflip, image.double.hflip: see image.hflip.
--- image.byte.vflip(result, picture), image.float.vflip, image.double.vflip: see image.vflip.
--- image.byte.flip(result, picture, dim), image.float.flip, image.double.flip: see image.flip.
--- image.byte.warp(result, picture, field, mode, offset, clamp, pad), image.float.warp, image.double.warp: see image.warp.
-- mode is 0 (simple), 1 (bilinear), 2 (bicubic) or 3 (lanczos); clamp is 0 (clamp) or 1 (pad).

return M
