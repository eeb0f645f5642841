-- nn/spatial_normalization.lua - SpatialCrossMapLRN and the subtractive, divisive and contrastive normalizations.
local torch = require 'torch'
local images = require 'nn.images'
local windows = require 'nn.windows'

--- x / (k + alpha / size * sum of x^2 over `size` neighbouring planes)^beta. Krizhevsky et al., "ImageNet
--- classification with deep convolutional neural networks" (2012).
--- @param alpha,beta,k  default 1e-4, 0.75 and 1
local LRN, Module = torch.class('nn.SpatialCrossMapLRN', 'nn.Module')
LRN.bufferNames = {'scale', 'paddedRatio', 'accumRatio'}

function LRN:__init(size, alpha, beta, k)
   Module.__init(self)
   self.size, self.alpha, self.beta, self.k = size, alpha or 1e-4, beta or 0.75, k or 1
end

function LRN:updateOutput(input)
   images.check(self, input)
   local dim, before = input:dim() - 2, math.floor((self.size - 1) / 2)
   self.scale = windows.sums(torch.cmul(input, input), dim, self.size, before):mul(self.alpha / self.size):add(self.k)
   return torch.pow(self.output, self.scale, -self.beta):cmul(input)
end

-- The windows the other way round: a plane counts where it lies in a window.
function LRN:updateGradInput(input, gradOutput)
   local dim, before = input:dim() - 2, math.floor((self.size - 1) / 2)
   local ratio = torch.cmul(gradOutput, self.output):cdiv(self.scale)
   local sums = windows.sums(ratio, dim, self.size, self.size - 1 - before)
   torch.pow(self.gradInput, self.scale, -self.beta):cmul(gradOutput)
   return self.gradInput:add(-2 * self.alpha * self.beta / self.size, sums:cmul(input))
end

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

-- The share of the kernel that lies inside the image at each place.
local function coefficients(x, w)
   return mean(x.new(1, x:size(2), x:size(3), x:size(4)):fill(1), w)
end

local function init(self, class, nInputPlane, kernel)
   Module.__init(self)
   self.kernel, self.nInputPlane = kernelOf(class, kernel, nInputPlane)
end

--- Subtracts the weighted mean over all planes of the neighbourhood; at borders over what is there.
--- @param nInputPlane  default 1
--- @param kernel       weights: a matrix, or a vector for rows and columns; odd sizes; default 9x9 ones
local Subtractive = torch.class('nn.SpatialSubtractiveNormalization', 'nn.Module')

function Subtractive:__init(nInputPlane, kernel)
   init(self, 'SpatialSubtractiveNormalization', nInputPlane, kernel)
end

function Subtractive:updateOutput(input)
   local x = batch(self, input)
   local w = filter(self, x)
   local m = mean(x, w)
   m:cdiv(coefficients(x, w):expandAs(m))
   self.output:resize(x:size()):copy(x)
   self.output:add(-1, m:expandAs(x))
   return self.output:resize(input:size())
end

function Subtractive:updateGradInput(input, gradOutput)
   local x, g = batch(self, input), batch(self, gradOutput)
   local w = filter(self, x)
   local sum = g:sum(2)
   sum:cdiv(coefficients(x, w):expandAs(sum))
   self.gradInput:resize(x:size()):copy(g)
   self.gradInput:add(-1, meanGrad(x, sum, w))
   return self.gradInput:resize(input:size())
end

--- Divides by the weighted standard deviation (around 0) over all planes of the neighbourhood.
--- @param threshold,thresval  deviations not above threshold are taken for thresval; default 1e-4
local Divisive = torch.class('nn.SpatialDivisiveNormalization', 'nn.Module')

function Divisive:__init(nInputPlane, kernel, threshold, thresval)
   init(self, 'SpatialDivisiveNormalization', nInputPlane, kernel)
   self.threshold = threshold or 1e-4
   self.thresval = thresval or self.threshold
end

-- The input as a batch, the filter, the coefficients, and the deviations (not limited yet).
local function deviations(self, input)
   local x = batch(self, input)
   local w = filter(self, x)
   local coef = coefficients(x, w)
   local square = mean(torch.cmul(x, x), w)
   local std = square:sqrt()
   return x, w, coef:expandAs(std), std
end

function Divisive:updateOutput(input)
   local x, _, coef, std = deviations(self, input)
   local adjusted = torch.cdiv(std, coef)
   adjusted = torch.threshold(adjusted, self.threshold, self.thresval)
   self.output:resize(x:size()):copy(x)
   self.output:cdiv(adjusted:expandAs(x))
   return self.output:resize(input:size())
end

-- y = x / d, d = sqrt(mean(x^2)) / coef where it is above the threshold: dx = g / d - mean'(sum(g x) / d^2 / coef / (2 std)) 2x
function Divisive:updateGradInput(input, gradOutput)
   local x, w, coef, std = deviations(self, input)
   local g = batch(self, gradOutput)
   local adjusted = torch.cdiv(std, coef)
   local active = adjusted:gt(self.threshold)
   adjusted = torch.threshold(adjusted, self.threshold, self.thresval)
   local by = torch.cmul(g, x):sum(2):cdiv(adjusted):cdiv(adjusted):cdiv(coef)
   by:cdiv(std:maskedFill(std:eq(0), 1)):maskedFill(active:eq(0), 0)
   self.gradInput:resize(x:size()):copy(g)
   self.gradInput:cdiv(adjusted:expandAs(x))
   self.gradInput:add(-1, meanGrad(x, by, w):cmul(x))
   return self.gradInput:resize(input:size())
end

--- Subtractive, then divisive normalization. Jarrett et al., "What is the best multi-stage architecture for object
--- recognition?" (2009).
local Contrastive = torch.class('nn.SpatialContrastiveNormalization', 'nn.Module')

function Contrastive:__init(nInputPlane, kernel, threshold, thresval)
   local nn = require 'nn'
   init(self, 'SpatialContrastiveNormalization', nInputPlane, kernel)
   self.threshold = threshold or 1e-4
   self.thresval = thresval or self.threshold
   self.normalizer = nn.Sequential()
      :add(nn.SpatialSubtractiveNormalization(self.nInputPlane, self.kernel))
      :add(nn.SpatialDivisiveNormalization(self.nInputPlane, self.kernel, self.threshold, self.thresval))
end

function Contrastive:updateOutput(input)
   self.output = self.normalizer:forward(input)
   return self.output
end

function Contrastive:updateGradInput(input, gradOutput)
   self.gradInput = self.normalizer:backward(input, gradOutput)
   return self.gradInput
end
