-- nn/normalization/neighbourhood.lua - weighted means over all planes and the pixels around, for the normalizations of images.
local torch = require 'torch'
local images = require 'nn.support.images'
local Module = require 'torch.class'.ours 'nn.Module'

-- A weighted mean over the planes and the neighbourhood: samples x 1 x height x width.
local function kernelOf(class, kernel, planes)
   kernel = kernel or torch.Tensor(9, 9):fill(1)
   if kernel:dim() ~= 1 and kernel:dim() ~= 2 then
      error(('nn.%s: the kernel must have 1 or 2 dimensions, got %d'):format(class, kernel:dim()), 4)
   end
   for d = 1, kernel:dim() do
      if kernel:size(d) % 2 == 0 then
         error(('nn.%s: the kernel must have odd sizes, got %d'):format(class, kernel:size(d)), 4)
      end
   end
   return kernel:clone():div(kernel:sum()), planes or 1
end

-- The kernel as filters: 1 x planes x kH x kW; its sum is 1.
local function filter(self, input)
   local k = self.kernel:type(input:type())
   if k:dim() == 1 then k = torch.ger(k, k) end
   k = torch.div(k, k:sum() * self.nInputPlane)
   return k:view(1, 1, k:size(1), k:size(2)):expand(1, self.nInputPlane, k:size(1), k:size(2)):contiguous()
end

-- The input as a batch.
local function batch(self, input)
   images.check(self, input, self.nInputPlane)
   if input:dim() == 4 then return input end
   return input:contiguous():view(1, input:size(1), input:size(2), input:size(3))
end

local function mean(x, w)
   local padH, padW = (w:size(3) - 1) / 2, (w:size(4) - 1) / 2
   return torch.conv2d(x.new(), x, w, x.new(1):zero(), 1, 1, padH, padW)
end

-- The gradient of mean by x.
local function meanGrad(x, g, w)
   local padH, padW = (w:size(3) - 1) / 2, (w:size(4) - 1) / 2
   return torch.conv2d_grad_input(x.new(), x, g:contiguous(), w, 1, 1, padH, padW)
end

-- For each pixel, the part of the kernel that lies inside the image.
local function coefficients(x, w)
   return mean(x.new(1, x:size(2), x:size(3), x:size(4)):fill(1), w)
end

local function init(self, class, nInputPlane, kernel)
   Module.__init(self)
   self.kernel, self.nInputPlane = kernelOf(class, kernel, nInputPlane)
end

return {
   kernelOf = kernelOf, filter = filter, batch = batch, mean = mean, meanGrad = meanGrad,
   coefficients = coefficients, init = init,
}
