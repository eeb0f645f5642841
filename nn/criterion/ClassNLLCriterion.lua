-- nn/criterion/ClassNLLCriterion.lua - negative log-likelihood of the right class, given log-probabilities.
local torch = require 'torch'

--- The loss of log-probabilities (a vector, or one row for each sample) against class numbers from 1. A vector uses the first
-- of several classes.
-- @param weights      one for each class: a sample counts as much as its class, and the mean is divided by their sum
-- @param sizeAverage  false: the sum over the samples instead of the mean
-- @param ignoreIndex  samples of this class do not count (default -100)
-- nn.ClassNLLCriterion():forward(torch.Tensor{{-1, -2}, {-3, -4}}, torch.LongTensor{2, 1}) --> 2.5
local ClassNLLCriterion, Criterion = torch.class('nn.ClassNLLCriterion', 'nn.Criterion')
ClassNLLCriterion.__arguments = 'weights:tensor? sizeAverage ignoreIndex:number?'

function ClassNLLCriterion:__init(weights, sizeAverage, ignoreIndex)
   Criterion.__init(self)
   if sizeAverage == nil then sizeAverage = true end
   self.sizeAverage = sizeAverage
   self.ignoreIndex = ignoreIndex or -100
   if weights then
      if weights:dim() ~= 1 then
         error('nn.ClassNLLCriterion: weights must be a vector with one number for each class, got '
            .. require 'nn.utils'.shape(weights), 3)
      end
      self.weights = weights
   end
   self.output_tensor = torch.zeros(1)
   self.total_weight_tensor = torch.ones(1)
   self.target = torch.zeros(1):type 'torch.LongTensor'
end

function ClassNLLCriterion:__len() return self.weights and #self.weights or 0 end

-- The class numbers. A single sample, a vector of log-probabilities, uses the first of them.
local function classes(self, input, target)
   local t = self:classNumbers(target, nil, input)
   if input:dim() == 1 and t:nElement() > 1 then t = t:contiguous():view(-1):narrow(1, 1, 1) end
   return t
end

function ClassNLLCriterion:updateOutput(input, target)
   self:needTensor(input)
   local kind = input:type()
   torch.nll_loss(self:scratch('output_tensor', kind), self:scratch('total_weight_tensor', kind), input,
      classes(self, input, target), self.weights, self.sizeAverage, self.ignoreIndex or -100)
   self.output = self.number(self.output_tensor)
   return self.output
end

function ClassNLLCriterion:updateGradInput(input, target)
   return torch.nll_loss_grad(self.gradInput, input, classes(self, input, target), self.total_weight_tensor, 1,
      self.weights, self.sizeAverage, self.ignoreIndex or -100)
end

return ClassNLLCriterion
