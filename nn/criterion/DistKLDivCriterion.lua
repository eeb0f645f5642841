-- nn/criterion/DistKLDivCriterion.lua - Kullback-Leibler divergence.
local torch = require 'torch'
local utils = require 'nn.utils'

--- Kullback-Leibler divergence: the sum of t (log t - x) for log-probabilities x and probabilities t, divided by the
-- number of elements (sizeAverage = false: not divided).
-- nn.DistKLDivCriterion():forward(torch.Tensor{math.log(0.5), math.log(0.5)}, torch.Tensor{1, 0}) --> 0.34657
local DistKLDivCriterion, Criterion = torch.class('nn.DistKLDivCriterion', 'nn.Criterion')

function DistKLDivCriterion:__init()
   Criterion.__init(self)
   self.sizeAverage = true
end

local function same(self, input, target)
   self:needTensor(input, target, true)
   if not torch.isTensor(target) or input:nElement() ~= target:nElement() then
      self:refuse('target', 'have as many elements as the input, ' .. utils.shape(input), target)
   end
end

function DistKLDivCriterion:updateOutput(input, target)
   same(self, input, target)
   local z = self:scratch('_z', input:type()):resize(target:size()):copy(target)
   z:maskedFill(target:le(0), 1):log():add(-1, input):cmul(target)
   z:maskedFill(target:le(0), 0)
   local sum = z:sum()
   self.output = self.sizeAverage and sum / input:nElement() or sum
   return self.output
end

function DistKLDivCriterion:updateGradInput(input, target)
   same(self, input, target)
   local g = self.gradInput:resize(input:size()):copy(target):mul(self.sizeAverage and -1 / input:nElement() or -1)
   return g:maskedFill(target:le(0), 0)
end

return DistKLDivCriterion
