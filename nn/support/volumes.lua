-- nn/support/volumes.lua - shared code of layers on volumes: planes x time x height x width, or a batch of those.
--
-- A volume's windows of kT frames become planes of images, so that ops on images can compute them: N x C x T x H x W is
-- read as (N * oT) x (C * kT) x H x W.
local torch = require 'torch'
local utils = require 'nn.utils'
local windows = require 'nn.support.windows'

-- The input as a batch.
local function batch(self, input, planes)
   local n = torch.isTensor(input) and input:dim()
   if (n ~= 4 and n ~= 5) or (planes and input:size(n - 3) ~= planes) then
      local form = ('%s x time x height x width'):format(planes or 'planes')
      self:refuse('input', ('be %s or samples x %s'):format(form, form), input)
   end
   return n == 5 and input or input:contiguous():view(1, unpack(input:size():totable()))
end

-- Writes y of a batch into `to`, in the form of the input.
local function like(input, y, to)
   to:resizeAs(y):copy(y)
   return input:dim() == 4 and to:resize(y:size(2), y:size(3), y:size(4), y:size(5)) or to
end

local function fits(self, x, g)
   local room = {x:size(3) + 2 * g.padT, x:size(4) + 2 * g.padH, x:size(5) + 2 * g.padW}
   local need = {(g.kT - 1) * g.dilationT + 1, (g.kH - 1) * g.dilationH + 1, (g.kW - 1) * g.dilationW + 1}
   for i = 1, 3 do
      if room[i] < need[i] then
         self:refuse('input', ('be at least %dx%dx%d with its padding'):format(need[1], need[2], need[3]), x)
      end
   end
end

-- The number of windows of time.
local function times(x, g)
   return math.floor((tonumber(x:size(3)) + 2 * g.padT - (g.kT - 1) * g.dilationT - 1) / g.dT) + 1
end

-- The frames of window o, o = 1, 2, ..., one window after the other, counted in the padded volume; on the device of x.
local function frames(x, n, g)
   local list = {}
   for o = 0, n - 1 do
      for k = 0, g.kT - 1 do list[#list + 1] = o * g.dT + k * g.dilationT + 1 end
   end
   return utils.beside(list, x)
end

-- Images of all windows: (N * oT) x (C * kT) x H x W.
local function toImages(x, g, n)
   local padded = windows.pad(x, 3, g.padT, g.padT)
   local all = padded:index(3, frames(x, n, g)):view(x:size(1), x:size(2), n, g.kT, x:size(4), x:size(5))
   return all:permute(1, 3, 2, 4, 5, 6):contiguous():view(x:size(1) * n, x:size(2) * g.kT, x:size(4), x:size(5))
end

-- The sums of such images as a volume of the given sizes.
local function fromImages(y, size, g, n)
   local all = y:view(size[1], n, size[2], g.kT, size[4], size[5]):permute(1, 3, 2, 4, 5, 6):contiguous()
   local padded = y.new(size[1], size[2], size[3] + 2 * g.padT, size[4], size[5]):zero()
   padded:indexAdd(3, frames(y, n, g), all:view(size[1], size[2], n * g.kT, size[4], size[5]))
   return windows.unpad(padded, 3, g.padT, g.padT)
end

-- Results of images, (N * oT) x C x oH x oW, as a volume; and back.
local function stack(y, samples)
   return y:view(samples, -1, y:size(2), y:size(3), y:size(4)):transpose(2, 3):contiguous()
end

local function unstack(g)
   return g:transpose(2, 3):contiguous():view(-1, g:size(2), g:size(4), g:size(5))
end

-- out x in x kT x kH x kW as filters of images
local function filters(w) return w:view(w:size(1), w:size(2) * w:size(3), w:size(4), w:size(5)) end

local function numbers(g) return g.dH, g.dW, g.padH, g.padW, g.dilationH, g.dilationW end

-- The three passes of a convolution of batches.
local function forward(x, w, bias, g)
   local n = times(x, g)
   local y = torch.conv2d(x.new(), toImages(x, g, n), filters(w), bias or x.new(w:size(1)):zero(), numbers(g))
   return stack(y, x:size(1))
end

local function backward(size, gradOutput, w, g)
   local n = tonumber(gradOutput:size(3))
   local shape = gradOutput.new(1):zero():expand(size[1] * n, size[2] * g.kT, size[4], size[5])
   local y = torch.conv2d_grad_input(gradOutput.new(), shape, unstack(gradOutput), filters(w), numbers(g))
   return fromImages(y, size, g, n)
end

local function gradients(gw, gb, x, gradOutput, scale, g)
   local n = tonumber(gradOutput:size(3))
   torch.conv2d_grad_weight(filters(gw), gb, toImages(x, g, n), unstack(gradOutput), scale, numbers(g))
end

-- The numbers of a layer; those that are missing in files of early versions get their defaults.
local function geometry(self)
   return {kT = self.kT, kH = self.kH, kW = self.kW, dT = self.dT, dH = self.dH, dW = self.dW, padT = self.padT or 0,
      padH = self.padH or 0, padW = self.padW or 0, dilationT = self.dilationT or 1, dilationH = self.dilationH or 1,
      dilationW = self.dilationW or 1}
end

-- ", 2,2,2, 1,1,1": the text after the sizes of the kernel.
local function steps(self)
   local text, g = '', geometry(self)
   local padded = g.padT ~= 0 or g.padW ~= 0 or g.padH ~= 0
   if padded or g.dT ~= 1 or g.dW ~= 1 or g.dH ~= 1 then text = (', %d,%d,%d'):format(g.dT, g.dW, g.dH) end
   if padded then text = text .. (', %d,%d,%d'):format(g.padT, g.padW, g.padH) end
   return text
end

return {
   batch = batch, like = like, fits = fits, times = times, frames = frames, toImages = toImages,
   fromImages = fromImages, stack = stack, unstack = unstack, filters = filters, numbers = numbers,
   forward = forward, backward = backward, gradients = gradients, geometry = geometry, steps = steps,
}
