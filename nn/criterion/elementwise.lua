-- nn/criterion/elementwise.lua - criterions that sum a function of each input and its target.
local torch = require 'torch'

--- nn.MSECriterion([sizeAverage]): The mean, or with false the sum, of (x - t)^2.
-- nn.MSECriterion():forward(torch.Tensor{1, 2}, torch.Tensor{1, 4}) --> 2
--- nn.AbsCriterion([sizeAverage]): The mean, or with false the sum, of |x - t|.
-- nn.AbsCriterion():forward(torch.Tensor{1, 2}, torch.Tensor{1, 4}) --> 1
--- nn.SmoothL1Criterion([sizeAverage]): The mean, or with false the sum, of (x - t)^2 / 2 where |x - t| < 1, |x - t| - 1/2 elsewhere.
-- nn.SmoothL1Criterion():forward(torch.Tensor{1, 2}, torch.Tensor{1, 4}) --> 0.75

-- name, op
for _, row in ipairs{
   {'MSECriterion', 'mse_loss'},
   {'AbsCriterion', 'abs_loss'},
   {'SmoothL1Criterion', 'smoothl1_loss'},
} do
   local Class, Criterion = torch.class('nn.' .. row[1], 'nn.Criterion')
   local loss, grad = row[2], row[2] .. '_grad'

   --- @param sizeAverage  false: the sum over all elements instead of the mean
   function Class:__init(sizeAverage)
      Criterion.__init(self)
      self.sizeAverage = sizeAverage ~= false
   end

   function Class:updateOutput(input, target)
      self.output = torch[loss](input, target, self.sizeAverage)
      return self.output
   end

   function Class:updateGradInput(input, target)
      return torch[grad](self.gradInput, input, target, self.sizeAverage)
   end
end
