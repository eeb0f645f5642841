-- nn/criterion/HingeEmbeddingCriterion.lua - distances that should be small, or larger than a margin.
local torch = require 'torch'
local shared = require 'nn.criterion.margin'

local signs = shared.signs

--- x where the target is 1, max(0, margin - x) where it is -1, averaged (sizeAverage = false: summed). Margin 1.
-- nn.HingeEmbeddingCriterion():forward(torch.Tensor{0.5, 0.25}, torch.Tensor{1, -1}) --> 0.625
local HingeEmbeddingCriterion, Criterion = torch.class('nn.HingeEmbeddingCriterion', 'nn.Criterion')
HingeEmbeddingCriterion.__arguments = 'margin:number?'

function HingeEmbeddingCriterion:__init(margin)
   Criterion.__init(self)
   self.margin = margin or 1
   self.sizeAverage = true
end

function HingeEmbeddingCriterion:updateOutput(input, target)
   local y = signs(self, input, target)
   local z = self:scratch('_z', input:type()):resize(input:size()):copy(input)
   local below = z:mul(-1):add(self.margin):cmax(0)
   local sum = below:maskedFill(y:eq(1), 0):sum() + z:copy(input):maskedFill(y:ne(1), 0):sum()
   self.output = self.sizeAverage and sum / input:nElement() or sum
   return self.output
end

function HingeEmbeddingCriterion:updateGradInput(input, target)
   local y = signs(self, input, target)
   local g = self.gradInput:resize(input:size()):copy(y)
   g:maskedFill(y:ne(1):cmul(input:ge(self.margin)), 0)
   return self.sizeAverage and g:div(input:nElement()) or g
end

return HingeEmbeddingCriterion
