-- nn/criterion/SpatialClassNLLCriterion.lua - ClassNLLCriterion for every pixel.
local torch = require 'torch'

--- The loss of samples x classes x height x width log-probabilities against samples x height x width class numbers.
-- @param weights,sizeAverage  as of nn.ClassNLLCriterion
-- nn.SpatialClassNLLCriterion():forward(torch.zeros(1, 2, 1, 1):fill(-1), torch.ones(1, 1, 1):long()) --> 1
local SpatialClassNLLCriterion, ClassNLLCriterion =
   torch.class('nn.SpatialClassNLLCriterion', 'nn.ClassNLLCriterion')

-- Pixels as rows of classes, and their classes as a vector.
local function pixels(self, input, target)
   local fits = torch.isTensor(input) and torch.isTensor(target) and input:dim() == 4 and target:dim() == 3
      and input:size(1) == target:size(1) and input:size(3) == target:size(2) and input:size(4) == target:size(3)
   if not fits then
      self:refuse('input and target', 'be samples x classes x height x width and samples x height x width',
         self.shapes(input, target))
   end
   local rows = input:permute(1, 3, 4, 2):contiguous():view(-1, input:size(2))
   return rows, self:classNumbers(target, nil, input):contiguous():view(-1)
end

function SpatialClassNLLCriterion:updateOutput(input, target)
   local rows, classes = pixels(self, input, target)
   return ClassNLLCriterion.updateOutput(self, rows, classes)
end

function SpatialClassNLLCriterion:updateGradInput(input, target)
   local rows, classes = pixels(self, input, target)
   local g = self:scratch('_rows', input:type())
   torch.nll_loss_grad(g, rows, classes, self.total_weight_tensor, 1, self.weights, self.sizeAverage,
      self.ignoreIndex or -100)
   local size = input:size()
   g = g:view(size[1], size[3], size[4], size[2]):permute(1, 4, 2, 3)
   return self.gradInput:resize(size):copy(g)
end

return SpatialClassNLLCriterion
