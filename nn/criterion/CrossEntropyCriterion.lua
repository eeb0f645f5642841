-- nn/criterion/CrossEntropyCriterion.lua - LogSoftMax and ClassNLLCriterion in one.
local torch = require 'torch'
local nn = require 'nn'

--- The loss of scores (a vector, or one row for each sample) against class numbers from 1.
-- @param weights,sizeAverage  as of nn.ClassNLLCriterion
-- nn.CrossEntropyCriterion():forward(torch.Tensor{{0, 0}}, torch.LongTensor{1}) --> 0.69315
local CrossEntropyCriterion, Criterion = torch.class('nn.CrossEntropyCriterion', 'nn.Criterion')

function CrossEntropyCriterion:__init(weights, sizeAverage)
   Criterion.__init(self)
   self.lsm = nn.LogSoftMax()
   self.nll = nn.ClassNLLCriterion(weights, sizeAverage)
   self.sizeAverage = self.nll.sizeAverage
   self.oldSizeAverage = self.sizeAverage
end

-- A user sets c.sizeAverage or c.nll.sizeAverage: what changed last counts.
local function agree(self)
   if self.sizeAverage ~= self.oldSizeAverage then
      self.nll.sizeAverage = self.sizeAverage
   end
   self.sizeAverage = self.nll.sizeAverage
   self.oldSizeAverage = self.sizeAverage
end

function CrossEntropyCriterion:updateOutput(input, target)
   agree(self)
   self.lsm:updateOutput(input)
   self.output = self.nll:updateOutput(self.lsm.output, target)
   return self.output
end

function CrossEntropyCriterion:updateGradInput(input, target)
   agree(self)
   local g = self.nll:updateGradInput(self.lsm.output, target)
   self.gradInput = self.lsm:updateGradInput(input, g)
   return self.gradInput
end

return CrossEntropyCriterion
