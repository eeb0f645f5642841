-- nn/criterion/MultiLabelSoftMarginCriterion.lua - binary cross entropy of scores.
local torch = require 'torch'
local nn = require 'nn'
local binary = require 'nn.criterion.binary'

local stretched, same = binary.stretched, binary.same

--- nn.BCECriterion for scores instead of probabilities: x goes through a sigmoid first, without loss at large |x|.
-- @param weights,sizeAverage  as of nn.BCECriterion
-- nn.MultiLabelSoftMarginCriterion():forward(torch.zeros(3), torch.Tensor{1, 0, 1}) --> 0.69315
local MultiLabelSoftMarginCriterion, Criterion = torch.class('nn.MultiLabelSoftMarginCriterion', 'nn.Criterion')
MultiLabelSoftMarginCriterion.__arguments = 'weights:tensor?'

function MultiLabelSoftMarginCriterion:__init(weights, sizeAverage)
   Criterion.__init(self)
   self.sizeAverage = sizeAverage ~= false
   self.weights = weights
   self.lsm = nn.LogSigmoid()
end

-- -t logsigmoid(x) - (1 - t) logsigmoid(-x), and logsigmoid(-x) = logsigmoid(x) - x
function MultiLabelSoftMarginCriterion:updateOutput(input, target)
   same(self, input, target)
   local w, kind = stretched(self, input), input:type()
   local logs = torch.logsigmoid(self:scratch('_logs', kind), input)
   local part = self:scratch('_part', kind)
   part:resize(target:size()):copy(target):mul(-1):add(1):cmul(input)
   part:add(-1, logs)
   if w then part:cmul(w) end
   local sum = part:sum()
   self.output = self.sizeAverage and sum / input:nElement() or sum
   return self.output
end

function MultiLabelSoftMarginCriterion:updateGradInput(input, target)
   same(self, input, target)
   local w = stretched(self, input)
   local g = torch.sigmoid(self.gradInput, input):add(-1, target)
   if w then g:cmul(w) end
   if self.sizeAverage then g:div(input:nElement()) end
   return g
end

return MultiLabelSoftMarginCriterion
