-- lua/feed/image_plan.lua - the options of image.augment, and their random choices for one picture.
local torch = require 'torch'
local arg = require 'torch.arg'

local plan = {}

local SIDE = 2 ^ 24 - 1                     -- pixels of the longest side that the ops take
local MODES = { bilinear = true, bicubic = true, simple = true }

local function list(who, name, v, level)
   if torch.isTensor(v) and v:dim() == 1 then v = v:totable() end
   if type(v) ~= 'table' then arg.refuse(who, name, 'a list of numbers', v, level + 1) end
   for k, x in ipairs(v) do
      if type(x) ~= 'number' then arg.refuse(who, ('%s[%d]'):format(name, k), 'a number', x, level + 1) end
   end
   return v
end

-- A number in lo..hi, or nil; with `whole`, a whole one. NaN is refused.
local function number(who, name, v, lo, hi, whole, level)
   if v == nil or type(v) == 'number' and v >= lo and v <= hi and v < math.huge and (not whole or v % 1 == 0) then return v end
   local text = hi == math.huge and 'a finite number of at least %g' or 'a number in %g..%g'
   if whole then text = 'a whole number in %.0f..%.0f' end
   arg.refuse(who, name, text:format(lo, hi), v, level + 1)
end

-- Two numbers, the lower one first.
local function range(who, name, v, most, level)
   if v == nil then return nil end
   local r = list(who, name, v, level + 1)
   if #r == 2 and r[1] > 0 and r[1] <= r[2] and r[2] <= most then return { r[1], r[2] } end
   error(('%s: %s must be two numbers above 0, at most %g, the lower one first'):format(who, name, most), level)
end

local function levels(who, name, v, level)
   if v == nil then return nil end
   return torch.DoubleTensor(list(who, name, v, level + 1))
end

local KNOWN = 'area, aspect, brightness, centre, contrast, flip, float, mean, mode, pad, planes, saturation, shorter, size, std'
local is_known = {}
for name in KNOWN:gmatch '%a+' do is_known[name] = true end

--- The options of image.augment, checked, with sides as numbers and levels as tensors.
-- @param level  that of the error, as in error(): 2 is the caller of the function `who`
function plan.check(who, o, level)
   level = level + 1
   if type(o) ~= 'table' then arg.refuse(who, 'options', 'a table', o, level + 1) end
   for name in pairs(o) do
      if not is_known[name] then
         error(('%s: there is no option %s; there are %s'):format(who, tostring(name), KNOWN), level)
      end
   end
   local size = type(o.size) == 'number' and { o.size, o.size } or list(who, 'size', o.size, level)
   if #size ~= 2 then error(who .. ': size must be a number, or height and width', level) end
   local p = {
      height = number(who, 'size', size[1], 1, SIDE, true, level), width = number(who, 'size', size[2], 1, SIDE, true, level),
      area = range(who, 'area', o.area, 1, level), aspect = range(who, 'aspect', o.aspect, 1e6, level),
      shorter = number(who, 'shorter', o.shorter, 1, SIDE, true, level),
      pad = number(who, 'pad', o.pad, 0, SIDE, true, level) or 0,
      flip = number(who, 'flip', o.flip, 0, 1, false, level) or 0, planes = number(who, 'planes', o.planes, 1, 3, true, level),
      mean = levels(who, 'mean', o.mean, level), std = levels(who, 'std', o.std, level),
      float = o.float, centre = o.centre, mode = o.mode or 'bilinear',
   }
   for _, name in ipairs { 'brightness', 'contrast', 'saturation' } do
      p[name] = number(who, name, o[name], 0, math.huge, false, level) or 0
   end
   for _, name in ipairs { 'float', 'centre' } do
      if o[name] ~= nil and type(o[name]) ~= 'boolean' then arg.refuse(who, name, 'a boolean', o[name], level + 1) end
   end
   if not MODES[p.mode] then
      error(("%s: mode must be 'bilinear', 'bicubic' or 'simple', got %s"):format(who, tostring(p.mode)), level)
   end
   if p.planes == 2 then error(who .. ': planes must be 1 or 3, got 2', level) end
   if p.aspect and not p.area then error(who .. ': aspect needs area', level) end
   if p.area and p.shorter then error(who .. ': area and shorter exclude each other', level) end
   if p.pad > 0 and (p.area or p.shorter) then error(who .. ': pad excludes area and shorter', level) end
   p.aspect = p.aspect or { 3 / 4, 4 / 3 }
   return p
end

-- ---- the plan of one picture ------------------------------------------------------------------------------------------------

local function between(random, lo, hi) return lo + (hi - lo) * torch.uniform(random, 0, 1) end

-- A position among `free` + 1, from 0; the middle without a generator.
local function place(random, free)
   if not random then return math.floor(free / 2) end
   return math.min(free, math.floor(between(random, 0, free + 1)))
end

-- A box that covers a random part of the area and has a random aspect; after ten that do not fit, one that is cut to fit.
local function box_of_area(p, random, height, width)
   local h, w
   for _ = 1, 10 do
      local area = between(random, p.area[1], p.area[2]) * height * width
      local aspect = math.exp(between(random, math.log(p.aspect[1]), math.log(p.aspect[2])))
      w, h = math.floor(math.sqrt(area * aspect) + 0.5), math.floor(math.sqrt(area / aspect) + 0.5)
      if w >= 1 and h >= 1 and w <= width and h <= height then return h, w end
   end
   return math.max(1, math.min(h, height)), math.max(1, math.min(w, width))
end

-- The largest box of the result's form in `share` of the shorter side that fits.
local function box_of_form(p, height, width, share)
   local by = math.min(share, height / p.height, width / p.width)
   local h, w = math.floor(p.height * by + 0.5), math.floor(p.width * by + 0.5)
   return math.max(1, math.min(height, h)), math.max(1, math.min(width, w))
end

--- Top, left, height and width of the box of a picture that becomes the result; nil if the picture is too small. The box may
-- extend beyond the picture by `pad` pixels.
-- @param random  a torch.Generator, or nil: the box in the middle
local function box(p, random, height, width)
   local h, w = p.height, p.width
   if p.area then
      if random then h, w = box_of_area(p, random, height, width) else h, w = box_of_form(p, height, width, math.huge) end
   elseif p.shorter then
      h, w = box_of_form(p, height, width, math.min(height, width) / p.shorter)
   end
   local down, right = height + 2 * p.pad - h, width + 2 * p.pad - w
   if down < 0 or right < 0 then return nil end
   local top = place(random, down) - p.pad
   return top, place(random, right) - p.pad, h, w
end

local function factor(p, random, name)
   local most = p[name]
   return random and most > 0 and between(random, math.max(0, 1 - most), 1 + most) or 1
end

--- The plan of a picture of height x width: its box, as above, then flip (0 or 1), brightness, contrast, saturation.
-- @param random  a torch.Generator; without `centre` every number of the plan comes from it
function plan.draw(p, random, height, width)
   if p.centre then random = nil end
   local top, left, h, w = box(p, random, height, width)
   if not top then return nil end
   local flip = random and p.flip > 0 and torch.uniform(random, 0, 1) < p.flip and 1 or 0
   return top, left, h, w, flip, factor(p, random, 'brightness'), factor(p, random, 'contrast'), factor(p, random, 'saturation')
end

return plan
