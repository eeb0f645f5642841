-- nn/criterion/MarginCriterion.lua - two classes, -1 and 1, with a margin between them.
local torch = require 'torch'
local shared = require 'nn.criterion.margin'

local same = shared.same

--- max(0, margin - t x) for targets t of -1 and 1, averaged (sizeAverage = false: summed). Margin 1 by default.
-- nn.MarginCriterion():forward(torch.Tensor{0.5, -2}, torch.Tensor{1, 1}) --> 1.75
local MarginCriterion, Criterion = torch.class('nn.MarginCriterion', 'nn.Criterion')
MarginCriterion.__arguments = 'margin:number?'

function MarginCriterion:__init(margin)
   Criterion.__init(self)
   self.margin = margin or 1
   self.sizeAverage = true
end

function MarginCriterion:updateOutput(input, target)
   same(self, input, target)
   local z = torch.cmul(self:scratch('_z', input:type()), input, target):mul(-1):add(self.margin)
   local sum = z:cmax(0):sum()
   self.output = self.sizeAverage and sum / input:nElement() or sum
   return self.output
end

function MarginCriterion:updateGradInput(input, target)
   same(self, input, target)
   local z = torch.cmul(self:scratch('_z', input:type()), input, target)
   local g = self.gradInput:resize(input:size()):copy(target):mul(self.sizeAverage and -1 / input:nElement() or -1)
   return g:maskedFill(z:ge(self.margin), 0)
end

return MarginCriterion
