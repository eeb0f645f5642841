-- nn/normalization/SpatialCrossMapLRN.lua - x / (k + alpha / size * sum of x^2 over `size` neighbouring planes)^beta.
local torch = require 'torch'
local images = require 'nn.support.images'
local windows = require 'nn.support.windows'
local constants = require 'nn.support.constants'

--- x / (k + alpha / size * sum of x^2 over `size` neighbouring planes)^beta. Krizhevsky et al., "ImageNet
-- classification with deep convolutional neural networks" (2012).
-- @param alpha,beta,k  default 1e-4, 0.75 and 1
-- nn.SpatialCrossMapLRN(3):forward(torch.ones(4, 2, 3)):size() --> {4, 2, 3}
local LRN, Module = torch.class('nn.SpatialCrossMapLRN', 'nn.Module')
LRN.__arguments = 'size:count alpha:number? beta:number? k:number?'
LRN.bufferNames = {'scale', 'paddedRatio', 'accumRatio'}

function LRN:__init(size, alpha, beta, k)
   Module.__init(self)
   local class, finite = torch.type(self), constants.finite
   self.size = constants.whole(class, 'size', size)
   self.alpha, self.beta = finite(class, 'alpha', alpha, 1e-4), finite(class, 'beta', beta, 0.75)
   self.k = finite(class, 'k', k, 1)
end

function LRN:updateOutput(input)
   images.check(self, input)
   local dim, before = input:dim() - 2, math.floor((self.size - 1) / 2)
   self.scale = windows.sums(torch.cmul(input, input), dim, self.size, before):mul(self.alpha / self.size):add(self.k)
   return torch.pow(self.output, self.scale, -self.beta):cmul(input)
end

-- The transposed windows: all windows that contain a plane.
function LRN:updateGradInput(input, gradOutput)
   images.like(self, input, gradOutput)
   local dim, before = input:dim() - 2, math.floor((self.size - 1) / 2)
   local ratio = torch.cmul(gradOutput, self.output):cdiv(self.scale)
   local sums = windows.sums(ratio, dim, self.size, self.size - 1 - before)
   torch.pow(self.gradInput, self.scale, -self.beta):cmul(gradOutput)
   return self.gradInput:add(-2 * self.alpha * self.beta / self.size, sums:cmul(input))
end

return LRN
