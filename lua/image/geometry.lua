-- lua/image/geometry.lua - scales, crops, moves, rotates and warps pictures.
--
-- These functions take planes x rows x columns, or rows x columns, of bytes or floating numbers, as Torch7's did. The ops below
-- them, torch.image_scale, image_warp, image_affine, image_rotate and image_polar, also take batches and all types.
local torch = require 'torch'
local arg = require 'torch.arg'
local check = require 'image.check'

local M = {}

-- Refuses anything but a picture of two or three dimensions, and integer types other than bytes.
local function picture(who, x, level)
   level = level or 3
   check.picture(who, x, 2, 3, level + 1)
   local kind = torch.type(x)
   if kind:find 'Int' or kind:find 'Long' or kind:find 'Short' or kind:find 'Char' then
      error(('%s: the picture must have bytes or floating numbers, got a %s'):format(who, kind), level)
   end
end

-- A result of the picture's size: as many planes as the picture.
local function planes(who, y, x)
   check.result(who, y, x, 4)
   if y:dim() ~= x:dim() or x:dim() == 3 and y:size(1) ~= x:size(1) then
      local got, want = arg.size_text(y), arg.size_text(x)
      error(('%s: the result must have as many planes as the picture, got %s and %s'):format(who, got, want), 3)
   end
   if y:nElement() == 0 then error(who .. ': the result must not be empty', 3) end
end

local function one_of(who, name, value, ...)
   for i = 1, select('#', ...) do if select(i, ...) == value then return value end end
   error(('%s: %s must be %s, got %s'):format(who, name, table.concat({ ... }, ', '), tostring(value)), 3)
end

local function number(who, name, value)
   return arg.number_of(value) or error(('%s: %s must be a number, got %s'):format(who, name, arg.describe(value)), 3)
end

local function share(x, y)
   return x:storage() and y:storage() and torch.pointer(x:storage()) == torch.pointer(y:storage())
end

local function sides(x) return x:size(x:dim() - 1), x:size(x:dim()) end

-- ---- size --------------------------------------------------------------------------------------------------------------

-- Width and height of a picture that is scaled to a size such as '8x6', 8, '^8', '*3/2' or '/2'.
local function size_of(size, width, height)
   size = tostring(size)
   local w, h = size:match '^(%d+)[xX](%d+)$'
   if w then return tonumber(w), tonumber(h) end
   local sign, over, under = size:match '^([*/^]?)(%d*%.?%d*)/?(%d*%.?%d*)$'
   local n, by = tonumber(over), under ~= '' and tonumber(under) or 1
   if not n or under ~= '' and sign ~= '*' then return nil end
   if sign == '*' then return width * n / by, height * n / by end
   if sign == '/' then return width / n, height / n end
   local side = (sign == '^' and math.min or math.max)(width, height)
   return width * n / side, height * n / side
end

-- A side of at least one pixel.
local function side(who, n)
   n = math.max(1, math.floor(n))
   if n ~= n or n >= 2 ^ 24 then error(('%s: a side must have fewer than 2^24 pixels, got %g'):format(who, n), 3) end
   return n
end

--- Scales a picture. A side that grows is interpolated, one that shrinks takes the mean of the pixels that a new one covers.
-- @param result  an optional tensor of the picture's type, which gives the size: image.scale(result, picture, 'simple')
-- @param picture  planes x rows x columns, or rows x columns
-- @param size  width and height as two numbers; or '8x6' (width x height), 8 (the longer side), '^8' (the shorter one), '*2',
--   '*3/2' or '/2'
-- @param mode  'bilinear' (the default), 'bicubic' or 'simple' (copies pixels)
-- @return the result
-- image.scale(torch.Tensor{{0, 2}, {4, 6}}, 3, 3) --> {{0, 1, 2}, {2, 3, 4}, {4, 5, 6}}
-- image.scale(torch.Tensor{{1, 2}, {3, 4}}, '*2', 'simple') --> {{1, 1, 2, 2}, {1, 1, 2, 2}, {3, 3, 4, 4}, {3, 3, 4, 4}}
function M.scale(...)
   local a, b, c, d = ...
   local who, n = 'image.scale', select('#', ...)
   if n < 2 or n > 4 then error(who .. ': expected [result,] picture, size [, mode]', 2) end
   if torch.isTensor(b) then
      picture(who, b)
      check.pixels(who, b)
      planes(who, a, b)
      local height, width = sides(a)
      return torch.image_scale(a, b, height, width, one_of(who, 'mode', c or 'bilinear', 'bilinear', 'bicubic', 'simple'))
   end
   picture(who, a)
   check.pixels(who, a)
   local height, width = sides(a)
   local mode = d or 'bilinear'
   if c ~= nil and not arg.number_of(c) then
      mode = c
      width, height = size_of(b, width, height)
   elseif c ~= nil then
      width, height = number(who, 'the width', b), number(who, 'the height', c)
   else
      width, height = size_of(b, width, height)
   end
   if not width then
      local want = 'width and height, "WxH", a number, "^N", "*N", "*N/M" or "/N"'
      error(('%s: the size must be %s, got %s'):format(who, want, tostring(b)), 2)
   end
   one_of(who, 'mode', mode, 'bilinear', 'bicubic', 'simple')
   return torch.image_scale(a, side(who, height), side(who, width), mode)
end

-- A picture smoothed by the Gaussian of 3 x 3 pixels whose deviation is 3/4 pixels; pixels outside are 0.
local function smoothed(x)
   local float = torch.type(x) == 'torch.DoubleTensor' and x or x:float()
   local w = math.exp(-8 / 9)
   local line = float.new { w, 1, w }:div(1 + 2 * w)
   local kernel = torch.ger(line, line)
   local y = float.new():resizeAs(float)
   local height, width = sides(x)
   local from, to = float:view(-1, height, width), y:view(-1, height, width)
   for i = 1, from:size(1) do to[i]:copy(torch.conv2(from[i], kernel, 'F'):narrow(1, 2, height):narrow(2, 2, width)) end
   if torch.type(x) == 'torch.ByteTensor' then y:add(0.5) end
   return y:typeAs(x)
end

--- Makes smaller copies of a picture. The first is the picture scaled by taking pixels; each later one is taken from the last
-- copy, smoothed by a Gaussian.
-- @param result  an optional table for the copies
-- @param picture  planes x rows x columns, or rows x columns
-- @param scales  a list of factors of the picture's size, falling
-- @return a list of pictures
-- #image.gaussianpyramid(torch.rand(3, 8, 8), {1, 0.5}) --> 2
function M.gaussianpyramid(...)
   local who, result, x, scales = 'image.gaussianpyramid', ...
   if torch.isTensor(result) then result, x, scales = {}, result, x end
   picture(who, x)
   check.pixels(who, x)
   if torch.type(result) ~= 'table' then error(who .. ': the result must be a table, got ' .. arg.describe(result), 2) end
   if torch.type(scales) ~= 'table' then
      error(who .. ': the scales must be a list of numbers, got ' .. arg.describe(scales), 2)
   end
   local height, width = sides(x)
   local heights, widths = {}, {}
   for i, scale in ipairs(scales) do
      scale = number(who, 'a scale', scale)
      heights[i], widths[i] = side(who, height * scale), side(who, width * scale)
   end
   local from = x:contiguous()
   for i = 1, #heights do
      result[i] = torch.image_scale(from, heights[i], widths[i], 'simple')
      if heights[i + 1] then from = smoothed(result[i]) end
   end
   return result
end

-- ---- parts of a picture ---------------------------------------------------------------------------------------------------

-- The rectangle of a picture, as a view.
local function window(who, x, x1, y1, x2, y2)
   local height, width = sides(x)
   x1, y1, x2, y2 = math.floor(x1), math.floor(y1), math.floor(x2), math.floor(y2)
   if not (x1 >= 0 and y1 >= 0 and x2 <= width and y2 <= height and x1 < x2 and y1 < y2) then
      local text = '%s: the rectangle from (%g, %g) to (%g, %g) must have pixels and lie in a picture of %d x %d'
      error(text:format(who, x1, y1, x2, y2, width, height), 3)
   end
   return x:narrow(x:dim(), x1 + 1, x2 - x1):narrow(x:dim() - 1, y1 + 1, y2 - y1)
end

local corners = {
   c = function(free_x, free_y) return math.floor(free_x / 2), math.floor(free_y / 2) end,
   tl = function() return 0, 0 end,
   tr = function(free_x) return free_x, 0 end,
   bl = function(_, free_y) return 0, free_y end,
   br = function(free_x, free_y) return free_x, free_y end,
}

-- The arguments of image.crop: result, picture, and the rectangle; x2 is nil where the result determines the size.
local function crop_arguments(n, ...)
   local who, a, b, c, d, e, f = 'image.crop', ...
   local result, x = nil, a
   if torch.isTensor(b) then result, x, b, c, d, e, n = a, b, c, d, e, f, n - 1 end
   picture(who, x, 4)
   if result and n == 3 then return result, x, number(who, 'x1', b), number(who, 'y1', c) end
   if type(b) == 'string' and not arg.number_of(b) and n == 4 then
      local corner = corners[b] or error(('%s: the format must be "c", "tl", "tr", "bl" or "br", got "%s"'):format(who, b), 3)
      local height, width = sides(x)
      local w, h = number(who, 'the width', c), number(who, 'the height', d)
      local x1, y1 = corner(width - w, height - h)
      return result, x, x1, y1, x1 + w, y1 + h
   end
   if n ~= 5 then error(who .. ': expected [result,] picture, x1, y1, x2, y2, or [result,] picture, format, width, height', 3) end
   return result, x, number(who, 'x1', b), number(who, 'y1', c), number(who, 'x2', d), number(who, 'y2', e)
end

--- Cuts a rectangle out of a picture. It reaches from column x1 and row y1, counted from 0, up to
-- column x2 and row y2, which are excluded. image.crop([result,] picture, 'c', width, height) takes
-- it from the centre; 'tl', 'tr', 'bl' and 'br' are the corners. A result of another size gets the
-- rectangle scaled. image.crop(result, picture, x1, y1) copies as much as the result holds, and
-- returns nothing.
-- @param result  an optional tensor of the picture's type
-- @param picture  planes x rows x columns, or rows x columns
-- @return the result
-- image.crop(torch.range(1, 9):view(3, 3), 1, 0, 3, 2) --> {{2, 3}, {5, 6}}
-- image.crop(torch.range(1, 9):view(3, 3), 'c', 1, 1) --> {{5}}
function M.crop(...)
   local who, n = 'image.crop', select('#', ...)
   local result, x, x1, y1, x2, y2 = crop_arguments(n, ...)
   if result then planes(who, result, x) end
   if not x2 then
      local height, width = sides(result)
      result:copy(window(who, x, x1, y1, x1 + width, y1 + height))
      return
   end
   local part = window(who, x, x1, y1, x2, y2)
   if not result then return part:clone() end
   local height, width = sides(result)
   return torch.image_scale(result, part, height, width)
end

--- Moves a picture by whole pixels. Pixels without a source become 0.
-- @param result  an optional tensor of the picture's type
-- @param picture  planes x rows x columns, or rows x columns
-- @param x  columns to the right
-- @param y  rows down
-- @return the result
-- image.translate(torch.Tensor{{1, 2}, {3, 4}}, 1, 0) --> {{0, 1}, {0, 3}}
function M.translate(...)
   local who, result, x, right, down = 'image.translate', ...
   if not torch.isTensor(x) then result, x, right, down = nil, result, x, right end
   picture(who, x)
   right, down = number(who, 'x', right), number(who, 'y', down)
   right, down = right < 0 and math.ceil(right) or math.floor(right), down < 0 and math.ceil(down) or math.floor(down)
   if result ~= nil then check.result(who, result, x) else result = x.new() end
   local height, width = sides(x)
   local wide, high = width - math.abs(right), height - math.abs(down)
   if share(result, x) then x = x:clone() end
   result:resizeAs(x):zero()
   if wide > 0 and high > 0 then
      local d = x:dim()
      result:narrow(d, 1 + math.max(right, 0), wide):narrow(d - 1, 1 + math.max(down, 0), high)
         :copy(x:narrow(d, 1 + math.max(-right, 0), wide):narrow(d - 1, 1 + math.max(-down, 0), high))
   end
   return result
end

-- ---- positions ------------------------------------------------------------------------------------------------------------

--- Rotates a picture counterclockwise around its centre. Pixels from outside the picture become 0.
-- @param result  an optional tensor of the picture's type
-- @param picture  planes x rows x columns, or rows x columns
-- @param angle  in radians
-- @param mode  'simple' (the default: the nearest pixel) or 'bilinear'
-- @return the result
-- image.rotate(torch.Tensor{{1, 2}, {3, 4}}, math.pi) --> {{4, 3}, {2, 1}}
function M.rotate(...)
   local who, result, x, angle, mode = 'image.rotate', ...
   if not torch.isTensor(x) then result, x, angle, mode = nil, result, x, angle end
   picture(who, x)
   check.pixels(who, x)
   if result ~= nil then check.result(who, result, x) end
   angle, mode = number(who, 'the angle', angle), one_of(who, 'mode', mode or 'simple', 'simple', 'bilinear')
   return torch.image_rotate(result or x.new(), x, angle, mode)
end

local function polar(who, log, ...)
   local result, x, mode, area = ...
   if not torch.isTensor(x) then result, x, mode, area = nil, result, x, mode end
   check.picture(who, x, 2, 3, 4)
   check.pixels(who, x, 4)
   one_of(who, 'the interpolation', mode or 'simple', 'simple', 'bilinear')
   one_of(who, 'the mode', area or 'valid', 'valid', 'full')
   local height, width = sides(x)
   local side_of = math.max(height, width)
   if result == nil then
      return torch.image_polar(x.new(), x, side_of, side_of, mode or 'simple', area or 'valid', log)
   end
   planes(who, result, x)
   height, width = sides(result)
   return torch.image_polar(result, x, height, width, mode or 'simple', area or 'valid', log)
end

--- Gives a picture in polar coordinates: rows are angles, columns distances from the centre.
-- @param result  an optional tensor of the picture's type, whose size is used; without it a square as wide as the longer side
-- @param picture  planes x rows x columns, or rows x columns
-- @param interpolation  'simple' (the default: the nearest pixel) or 'bilinear'
-- @param mode  'valid' (the default: up to the nearest edge) or 'full' (up to the corners)
-- @return the result
-- image.polar(torch.ones(2, 2)) --> {{1, 1}, {1, 1}}
function M.polar(...) return polar('image.polar', false, ...) end

--- Gives a picture in polar coordinates whose columns are logarithms of distances from the centre. Arguments are those of
-- image.polar.
-- @param result  an optional tensor of the picture's type, whose size is used; without it a square as wide as the longer side
-- @param picture  planes x rows x columns, or rows x columns
-- @param interpolation  'simple' (the default: the nearest pixel) or 'bilinear'
-- @param mode  'valid' (the default: up to the nearest edge) or 'full' (up to the corners)
-- @return the result
-- image.logpolar(torch.ones(9, 9)):sum() --> 81
function M.logpolar(...) return polar('image.logpolar', true, ...) end

local function clamp_of(who, clamp, pad)
   clamp = clamp or 'clamp'
   if clamp ~= 'clamp' and clamp ~= 'pad' then
      error(("%s: clamp must be 'clamp' or 'pad', got %s"):format(who, tostring(clamp)), 3)
   end
   if pad ~= nil and clamp ~= 'pad' then error(who .. ": a pad value needs the clamp mode 'pad'", 3) end
   return clamp, pad == nil and 0 or number(who, 'the pad value', pad)
end

local function warp_mode(who, mode)
   return one_of(who, 'mode', mode or 'bilinear', 'simple', 'bilinear', 'bicubic', 'lanczos')
end

--- Warps a picture: each pixel of the result is read from the picture at the position in a field.
-- @param result  an optional tensor of the picture's type
-- @param picture  planes x rows x columns, or rows x columns
-- @param field  2 x rows x columns: rows, then columns, of the type of the picture; for a ByteTensor also floating numbers
-- @param mode  'bilinear' (the default), 'bicubic', 'lanczos' or 'simple'
-- @param offset  true (the default): positions are relative to the pixel; false: relative to the first pixel
-- @param clamp  'clamp' (the default): positions outside are moved to the edge; 'pad': they get the pad value
-- @param pad  the pad value, 0 by default
-- @return the result
-- image.warp(torch.Tensor{{1, 2, 3}}, torch.Tensor{{{0, 0, 0}}, {{0.5, 0.5, 0.5}}}) --> {{1.5, 2.5, 3}}
function M.warp(...)
   local who, result, x, field, mode, offset, clamp, pad = 'image.warp', ...
   local n = select('#', ...)
   if not torch.isTensor(field) then
      n, result, x, field, mode, offset, clamp, pad = n + 1, nil, result, x, field, mode, offset, clamp
   end
   if n > 7 then error(who .. ': too many arguments: expected [result,] picture, field, mode, offset, clamp, pad', 2) end
   picture(who, x)
   check.pixels(who, x)
   if not torch.isTensor(field) then error(who .. ': the field must be a tensor, got ' .. arg.describe(field), 2) end
   if torch.type(field) ~= torch.type(x) and torch.type(x) ~= 'torch.ByteTensor' then
      error(("%s: the field must have the picture's type, %s, got %s"):format(who, torch.type(x), torch.type(field)), 2)
   end
   if field:dim() ~= 3 then error(who .. ': the field must have size 2 x rows x columns, got ' .. arg.size_text(field), 2) end
   if result ~= nil then check.result(who, result, x) end
   mode = warp_mode(who, mode)
   clamp, pad = clamp_of(who, clamp, pad)
   return torch.image_warp(result or x.new(), x, field, mode, offset ~= false, clamp, pad)
end

--- Rotates, scales and shears a picture around its centre.
-- @param result  an optional tensor of the picture's type
-- @param picture  planes x rows x columns, or rows x columns
-- @param matrix  2 x 2: maps each pixel of the result to (row, column) in the picture, both counted from the centre
-- @param mode  'bilinear' (the default), 'bicubic', 'lanczos' or 'simple'
-- @param translation  rows and columns by which the picture is moved: a tensor or table of two numbers
-- @param clamp  'clamp' (the default): positions outside are moved to the edge; 'pad': they get the pad value
-- @param pad  the pad value, 0 by default
-- @return the result
-- image.affinetransform(torch.Tensor{{1, 2, 3}}, torch.eye(2), 'bilinear', {0, 1}) --> {{1, 1, 2}}
function M.affinetransform(...)
   local who, result, x, matrix, mode, translation, clamp, pad = 'image.affinetransform', ...
   if not torch.isTensor(matrix) then result, x, matrix, mode, translation, clamp, pad = nil, result, x, matrix, mode, translation, clamp end
   picture(who, x)
   check.pixels(who, x)
   if not torch.isTensor(matrix) or matrix:dim() ~= 2 or matrix:size(1) ~= 2 or matrix:size(2) ~= 2 then
      error(who .. ': the matrix must have size 2x2, got ' .. arg.describe(matrix), 2)
   end
   local down, right = 0, 0
   if translation ~= nil then
      local vector = torch.isTensor(translation) and translation:dim() == 1 and translation:nElement() == 2
      if not vector and torch.type(translation) ~= 'table' then
         error(who .. ': the translation must have two numbers, got ' .. arg.describe(translation), 2)
      end
      down, right = number(who, 'a translation', translation[1]), number(who, 'a translation', translation[2])
   end
   if result ~= nil then check.result(who, result, x) end
   mode = warp_mode(who, mode)
   clamp, pad = clamp_of(who, clamp, pad)
   local a, b, c, d = matrix[1][1], matrix[1][2], matrix[2][1], matrix[2][2]
   return torch.image_affine(result or x.new(), x, a, b, c, d, down, right, mode, clamp, pad)
end

return M
