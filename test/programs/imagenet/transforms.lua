-- transforms.lua - changes of a picture, as functions that are put together.
require 'image'
local M = {}

function M.Compose(list)
   return function(input)
      for _, change in ipairs(list) do input = change(input) end
      return input
   end
end

function M.ColorNormalize(meanstd)
   return function(img)
      img = img:clone()
      for i = 1, 3 do
         img[i]:add(-meanstd.mean[i])
         img[i]:div(meanstd.std[i])
      end
      return img
   end
end

-- The shorter side gets this size.
function M.Scale(size, interpolation)
   interpolation = interpolation or 'bicubic'
   return function(input)
      local w, h = input:size(3), input:size(2)
      if (w <= h and w == size) or (h <= w and h == size) then return input end
      if w < h then return image.scale(input, size, h / w * size, interpolation) end
      return image.scale(input, w / h * size, size, interpolation)
   end
end

function M.CenterCrop(size)
   return function(input)
      local w1 = math.ceil((input:size(3) - size) / 2)
      local h1 = math.ceil((input:size(2) - size) / 2)
      return image.crop(input, w1, h1, w1 + size, h1 + size)
   end
end

-- A random part with zeros around it.
function M.RandomCrop(size, padding)
   padding = padding or 0
   return function(input)
      if padding > 0 then
         local temp = input.new(3, input:size(2) + 2 * padding, input:size(3) + 2 * padding)
         temp:zero():narrow(2, padding + 1, input:size(2)):narrow(3, padding + 1, input:size(3)):copy(input)
         input = temp
      end
      local w, h = input:size(3), input:size(2)
      if w == size and h == size then return input end
      local x1, y1 = torch.random(0, w - size), torch.random(0, h - size)
      local out = image.crop(input, x1, y1, x1 + size, y1 + size)
      assert(out:size(2) == size and out:size(3) == size, 'wrong crop size')
      return out
   end
end

-- A random part of the area, of a random form.
function M.RandomSizedCrop(size)
   local scale, crop = M.Scale(size), M.CenterCrop(size)
   return function(input)
      for _ = 1, 10 do
         local target = torch.uniform(0.5, 1.0) * input:size(2) * input:size(3)
         local aspect = torch.uniform(3 / 4, 4 / 3)
         local w, h = torch.round(math.sqrt(target * aspect)), torch.round(math.sqrt(target / aspect))
         if torch.uniform() < 0.5 then w, h = h, w end
         if h <= input:size(2) and w <= input:size(3) then
            local y1, x1 = torch.random(0, input:size(2) - h), torch.random(0, input:size(3) - w)
            local out = image.crop(input, x1, y1, x1 + w, y1 + h)
            assert(out:size(2) == h and out:size(3) == w, 'wrong crop size')
            return image.scale(out, size, size, 'bicubic')
         end
      end
      return crop(scale(input))
   end
end

function M.HorizontalFlip(prob)
   return function(input)
      if torch.uniform() < prob then input = image.hflip(input) end
      return input
   end
end

function M.Lighting(alphastd, eigval, eigvec)
   return function(input)
      if alphastd == 0 then return input end
      local alpha = torch.Tensor(3):normal(0, alphastd)
      local rgb = eigvec:clone():cmul(alpha:view(1, 3):expand(3, 3)):cmul(eigval:view(1, 3):expand(3, 3)):sum(2):squeeze()
      input = input:clone()
      for i = 1, 3 do input[i]:add(rgb[i]) end
      return input
   end
end

local function blend(img1, img2, alpha) return img1:mul(alpha):add(1 - alpha, img2) end

local function grayscale(dst, img)
   dst:resizeAs(img)
   dst[1]:zero()
   dst[1]:add(0.299, img[1]):add(0.587, img[2]):add(0.114, img[3])
   dst[2]:copy(dst[1])
   dst[3]:copy(dst[1])
   return dst
end

function M.Saturation(var)
   local gs
   return function(input)
      gs = gs or input.new()
      grayscale(gs, input)
      blend(input, gs, 1.0 + torch.uniform(-var, var))
      return input
   end
end

function M.Brightness(var)
   local gs
   return function(input)
      gs = gs or input.new()
      gs:resizeAs(input):zero()
      blend(input, gs, 1.0 + torch.uniform(-var, var))
      return input
   end
end

function M.Contrast(var)
   local gs
   return function(input)
      gs = gs or input.new()
      grayscale(gs, input)
      gs:fill(gs[1]:mean())
      blend(input, gs, 1.0 + torch.uniform(-var, var))
      return input
   end
end

function M.RandomOrder(ts)
   return function(input)
      local img = input.img or input
      local order = torch.randperm(#ts)
      for i = 1, #ts do img = ts[order[i]](img) end
      return img
   end
end

function M.ColorJitter(opt)
   local ts = {}
   if opt.brightness ~= 0 then table.insert(ts, M.Brightness(opt.brightness)) end
   if opt.contrast ~= 0 then table.insert(ts, M.Contrast(opt.contrast)) end
   if opt.saturation ~= 0 then table.insert(ts, M.Saturation(opt.saturation)) end
   if #ts == 0 then return function(input) return input end end
   return M.RandomOrder(ts)
end

return M
