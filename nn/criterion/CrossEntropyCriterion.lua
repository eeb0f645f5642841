-- nn/criterion/CrossEntropyCriterion.lua - LogSoftMax and ClassNLLCriterion in one.
local torch = require 'torch'
local nn = require 'nn'

--- The loss of scores (a vector, or one row for each sample) against class numbers from 1. Dimensions of size 1 do not count, as
-- in samples x classes x 1 x 1.
-- @param weights,sizeAverage  as of nn.ClassNLLCriterion
-- nn.CrossEntropyCriterion():forward(torch.Tensor{{0, 0}}, torch.LongTensor{1}) --> 0.69315
local CrossEntropyCriterion, Criterion = torch.class('nn.CrossEntropyCriterion', 'nn.Criterion')
CrossEntropyCriterion.__arguments = 'weights:tensor?'

function CrossEntropyCriterion:__init(weights, sizeAverage)
   Criterion.__init(self)
   self.lsm = nn.LogSoftMax()
   self.nll = nn.ClassNLLCriterion(weights, sizeAverage)
   self.sizeAverage = self.nll.sizeAverage
   self.oldSizeAverage = self.sizeAverage
end

-- A user may set c.sizeAverage or c.nll.sizeAverage; the last change counts.
local function agree(self)
   if self.sizeAverage ~= self.oldSizeAverage then
      self.nll.sizeAverage = self.sizeAverage
   end
   self.sizeAverage = self.nll.sizeAverage
   self.oldSizeAverage = self.sizeAverage
end

-- x without its dimensions of size 1, if one or two others remain, as in scores of samples x classes x 1 x 1 and
-- classes in a column. Scores and classes of the pixels of images stay as they are.
local function squeezed(x, least)
   if not torch.isTensor(x) or x:dim() <= least then return x end
   local size = {}
   for d = 1, x:dim() do
      if x:size(d) ~= 1 then size[#size + 1] = tonumber(x:size(d)) end
   end
   if #size == 0 or #size > 2 or #size == x:dim() then return x end
   return x:contiguous():view(torch.LongStorage(size))
end

local function pair(input, target)
   local x = squeezed(input, 2)
   return x, torch.isTensor(x) and x:dim() <= 2 and squeezed(target, 1) or target
end

function CrossEntropyCriterion:updateOutput(input, target)
   agree(self)
   input, target = pair(input, target)
   self.lsm:updateOutput(input)
   self.output = self.nll:updateOutput(self.lsm.output, target)
   return self.output
end

function CrossEntropyCriterion:updateGradInput(input, target)
   agree(self)
   local x, y = pair(input, target)
   local g = self.nll:updateGradInput(self.lsm.output, y)
   self.gradInput = self.lsm:updateGradInput(x, g)
   if x ~= input then self.gradInput = self.gradInput:view(input:size()) end
   return self.gradInput
end

return CrossEntropyCriterion
