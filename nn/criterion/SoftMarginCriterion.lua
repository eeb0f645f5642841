-- nn/criterion/SoftMarginCriterion.lua - two classes, -1 and 1, with a logistic loss.
local torch = require 'torch'
local shared = require 'nn.criterion.margin'

local same = shared.same

--- log(1 + exp(-t x)) for targets t of -1 and 1, averaged (sizeAverage = false: summed).
-- nn.SoftMarginCriterion():forward(torch.zeros(2), torch.Tensor{1, -1}) --> 0.69315
local SoftMarginCriterion, Criterion = torch.class('nn.SoftMarginCriterion', 'nn.Criterion')

function SoftMarginCriterion:__init()
   Criterion.__init(self)
   self.sizeAverage = true
end

function SoftMarginCriterion:updateOutput(input, target)
   same(self, input, target)
   local z = torch.cmul(self:scratch('_z', input:type()), input, target)
   local sum = -torch.logsigmoid(self:scratch('_log', input:type()), z):sum()
   self.output = self.sizeAverage and sum / input:nElement() or sum
   return self.output
end

function SoftMarginCriterion:updateGradInput(input, target)
   same(self, input, target)
   local z = torch.cmul(self:scratch('_z', input:type()), input, target):mul(-1)
   local g = torch.sigmoid(self.gradInput, z):cmul(target)
   return g:mul(self.sizeAverage and -1 / input:nElement() or -1)
end

return SoftMarginCriterion
