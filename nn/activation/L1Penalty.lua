-- nn/activation/L1Penalty.lua - returns its input, and adds the gradient of an L1 penalty in the backward pass.
local torch = require 'torch'

--- Returns its input; backward adds the gradient of l1weight * |x|_1. The penalty itself is self.loss.
-- @param sizeAverage    true: divided by the number of elements
-- @param provideOutput  false: gradOutput is not passed on
-- p = nn.L1Penalty(0.5); p:forward(torch.Tensor{1, -2}); p.loss --> 1.5
local L1Penalty, Module = torch.class('nn.L1Penalty', 'nn.Module')
L1Penalty.__arguments = 'l1weight:number'

function L1Penalty:__init(l1weight, sizeAverage, provideOutput)
   Module.__init(self)
   self.l1weight = l1weight
   self.sizeAverage = sizeAverage or false
   self.provideOutput = provideOutput == nil or provideOutput
end

local function weight(self, input) return self.sizeAverage and self.l1weight / input:nElement() or self.l1weight end

function L1Penalty:updateOutput(input)
   self:needTensor(input)
   self.loss = weight(self, input) * input:norm(1)
   self.output = input
   return input
end

function L1Penalty:updateGradInput(input, gradOutput)
   torch.sign(self.gradInput, input):mul(weight(self, input))
   return self.provideOutput and self.gradInput:add(gradOutput) or self.gradInput
end

L1Penalty.clearState = require 'torch.class'.ours 'nn.Identity'.clearState

return L1Penalty
