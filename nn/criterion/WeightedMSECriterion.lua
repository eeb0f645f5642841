-- nn/criterion/WeightedMSECriterion.lua - MSECriterion against weighted targets.
local torch = require 'torch'

--- MSECriterion against targets that are multiplied by a weight for each element.
-- @param w  a tensor like one sample, or like the batch
-- nn.WeightedMSECriterion(torch.Tensor{1, 2}):forward(torch.Tensor{1, 1}, torch.Tensor{2, 1}) --> 1
local WeightedMSECriterion, MSECriterion = torch.class('nn.WeightedMSECriterion', 'nn.MSECriterion')
WeightedMSECriterion.__arguments = 'w:tensor'

function WeightedMSECriterion:__init(w)
   MSECriterion.__init(self)
   self.weight = w:clone()
end

local function weighted(self, input, target)
   self:needTensor(input, target, true)
   local t = self:scratch('_target', input:type()):resize(target:size()):copy(target)
   local w = self.weight
   if w:dim() < t:dim() then w = w:view(1, unpack(w:size():totable())):expandAs(t) end
   return t:cmul(w)
end

function WeightedMSECriterion:updateOutput(input, target)
   return MSECriterion.updateOutput(self, input, weighted(self, input, target))
end

function WeightedMSECriterion:updateGradInput(input, target)
   return MSECriterion.updateGradInput(self, input, weighted(self, input, target))
end

return WeightedMSECriterion
