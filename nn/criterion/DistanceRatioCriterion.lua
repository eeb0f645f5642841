-- nn/criterion/DistanceRatioCriterion.lua - distances of similar and of different pairs.
local torch = require 'torch'

--- -log(exp(-s) / (exp(-s) + exp(-d))) for {s, d}, the distances of similar and of different pairs; averaged.
-- @param sizeAverage  false: summed
-- nn.DistanceRatioCriterion():forward{torch.ones(2), torch.ones(2)} --> 0.69315
local DistanceRatioCriterion, Criterion = torch.class('nn.DistanceRatioCriterion', 'nn.Criterion')

function DistanceRatioCriterion:__init(sizeAverage)
   Criterion.__init(self)
   self.sizeAverage = sizeAverage ~= false
   self.gradInput = {}
end

-- s - d: the loss is softplus of it.
local function gap(self, input)
   local s, d
   if type(input) == 'table' then s, d = input[1], input[2] end
   if not torch.isTensor(s) or not torch.isTensor(d) or not s:isSameSizeAs(d) then
      self:refuse('input', 'be a table of two tensors of one shape', self.shapes(s, d))
   end
   return torch.csub(self:scratch('_z', s:type()), s, d)
end

function DistanceRatioCriterion:updateOutput(input)
   local z = gap(self, input)
   local sum = -torch.logsigmoid(z, z:mul(-1)):sum()
   self.output = self.sizeAverage and sum / z:nElement() or sum
   return self.output
end

function DistanceRatioCriterion:updateGradInput(input)
   local z = gap(self, input)
   if not torch.isTensor(self.gradInput[1]) or self.gradInput[1]:type() ~= z:type() then
      self.gradInput = {z.new(), z.new()}
   end
   local g = self.gradInput
   torch.sigmoid(g[1], z)
   if self.sizeAverage then g[1]:div(z:nElement()) end
   torch.mul(g[2], g[1], -1)
   return g
end

return DistanceRatioCriterion
