-- nn/normalization/SpatialContrastiveNormalization.lua - subtractive, then divisive normalization.
local torch = require 'torch'
local neighbourhood = require 'nn.normalization.neighbourhood'

local init = neighbourhood.init

--- Subtractive, then divisive normalization. Jarrett et al., "What is the best multi-stage architecture for object
-- recognition?" (2009).
-- nn.SpatialContrastiveNormalization(1, torch.ones(3, 3)):forward(torch.ones(1, 5, 5)):size() --> {1, 5, 5}
local Contrastive = torch.class('nn.SpatialContrastiveNormalization', 'nn.Module')
Contrastive.__arguments = 'nInputPlane:count? kernel:tensor? threshold:number? thresval:number?'

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

return Contrastive
