-- lua/feed/image_augment.lua - image.augment: makes batches of random parts of pictures, for training.
local torch = require 'torch'
local arg = require 'torch.arg'
local plan = require 'feed.image_plan'

local M = {}

local who = 'image.augment'
local random = torch.Generator 'philox'

-- Each picture as planes x rows x columns: a view.
local function views(pictures, planes)
   local n = torch.isTensor(pictures) and pictures:dim() > 0 and pictures:size(1) or 0
   if torch.isTensor(pictures) then
      if pictures:dim() ~= 3 and pictures:dim() ~= 4 then
         error(('%s: a tensor of pictures must be pictures x planes x rows x columns, or pictures x rows x columns, got %s')
            :format(who, arg.size_text(pictures)), 3)
      end
   elseif type(pictures) == 'table' and #pictures > 0 then
      n = #pictures
   else
      arg.refuse(who, 'pictures', 'a tensor or a list of tensors', pictures, 3)
   end
   local list = {}
   for k = 1, n do
      local x = pictures[k]
      if not torch.isTensor(x) or x:dim() < 2 or x:dim() > 3 or x:nElement() == 0 then
         arg.refuse(who, ('picture %d'):format(k), 'a tensor of planes x rows x columns, or rows x columns', x, 3)
      end
      if x:dim() == 2 then x = x:view(1, x:size(1), x:size(2)) end
      if planes == 3 and x:size(1) == 1 then x = x:expand(3, x:size(2), x:size(3))
      elseif planes == 1 and x:size(1) == 3 then x = torch.image_luma(x) end
      list[k] = x
   end
   return list
end

local function seeds_of(seeds, n)
   if seeds == nil then
      local drawn = {}
      for k = 1, n do drawn[k] = torch.random(0, 2 ^ 31 - 1) end
      return drawn
   end
   if torch.isTensor(seeds) and seeds:dim() == 1 then seeds = seeds:totable() end
   if type(seeds) ~= 'table' or #seeds ~= n then
      error(('%s: seeds must be a list of %d number(s), one for each picture, got %s'):format(who, n,
         type(seeds) == 'table' and 'a list of ' .. #seeds or arg.describe(seeds)), 3)
   end
   for k, v in ipairs(seeds) do
      if type(v) ~= 'number' or v % 1 ~= 0 or v < 0 or v > 2 ^ 53 then
         arg.refuse(who, ('seeds[%d]'):format(k), 'a whole number in 0..2^53', v, 3)
      end
   end
   return seeds
end

--- A batch for training from pictures of any sides: a random part of each, scaled to one size, mirrored, with changed colours,
-- normalised. The result for a picture depends on its seed and its sides alone, so its bits do not depend on threads.
--
-- With `area`, the box that becomes the result is a random part of the area with a random `aspect`.
-- With `shorter`, it is a box of `size` pixels after the shorter side is scaled to that length.
-- Without both, it is `size` pixels unscaled. Its position is random. Contrast and saturation
-- change as in torch.image_augment.
-- @param result  an optional tensor for the result
-- @param pictures  a list of tensors of 1 or 3 planes x rows x columns, or rows x columns. Or a
--   tensor of pictures x planes x rows x columns, or pictures x rows x columns. They hold bytes, or
--   fractions as Float or Double
-- @param options  a table. `size`: a number, or height and width. `area`: two numbers in 0..1.
--   `aspect`: two numbers, width over height (default 3/4 and 4/3). `shorter`. `pad`: pixels of 0
--   around the picture. `mode`: of scaling (default 'bilinear', see image.scale). `flip`: the share
--   of mirrored pictures (default 0). `brightness`, `contrast` and `saturation`: the largest
--   distance of their factors from 1 (default 0). `mean` and `std`: a number for each plane, of
--   fractions. `float`: whether bytes become fractions (default false, true with mean or std).
--   `planes`: 1 or 3, to make all pictures grey or coloured. `centre`: true to take the box in the
--   middle, without any randomness, for testing
-- @param seeds  a whole number for each picture, a list or a tensor (default: drawn from the default generator)
-- @return pictures x planes x height x width: bytes of bytes, or fractions
-- image.augment({torch.ByteTensor(3, 9, 9):fill(7)}, {size = 2, shorter = 4, flip = 0.5}, {1}):size() --> {1, 3, 2, 2}
-- image.augment(torch.Tensor(2, 4, 6):fill(1), {size = {4, 2}, centre = true}):sum() --> 16
function M.augment(...)
   local result, pictures, options, seeds = ...
   if not (torch.isTensor(result) and (torch.isTensor(pictures) or type(pictures) == 'table' and pictures[1] ~= nil)) then
      result, pictures, options, seeds = nil, result, pictures, options
   end
   local p = plan.check(who, options, 2)
   local list = views(pictures, p.planes)
   seeds = seeds_of(seeds, #list)
   if result ~= nil and not torch.isTensor(result) then arg.refuse(who, 'the result', 'a tensor', result) end
   local rows = torch.DoubleTensor(#list, 6)
   for k, x in ipairs(list) do
      torch.manualSeed(random, seeds[k])
      local height, width = x:size(2), x:size(3)
      local top, left, h, w, flip, brightness, contrast, saturation = plan.draw(p, random, height, width)
      if not top then
         error(('%s: picture %d has %d x %d pixels, fewer than the %d x %d of size; area, shorter or pad would do')
            :format(who, k, height, width, p.height, p.width), 2)
      end
      if h ~= p.height or w ~= p.width then
         list[k] = torch.image_scale(x:narrow(2, top + 1, h):narrow(3, left + 1, w), p.height, p.width, p.mode)
         top, left = 0, 0
      end
      local row = rows[k]
      row[1], row[2], row[3], row[4], row[5], row[6] = top, left, flip, brightness, contrast, saturation
   end
   if result then return torch.image_augment(result, list, rows, p.height, p.width, p.mean, p.std, p.float or false) end
   return torch.image_augment(list, rows, p.height, p.width, p.mean, p.std, p.float or false)
end

return M
