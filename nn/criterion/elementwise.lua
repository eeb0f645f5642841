-- nn/criterion/elementwise.lua - criterions that sum a function of each input and its target.
local torch = require 'torch'

-- name, op, doc
for _, row in ipairs{
   {'MSECriterion', 'mse_loss', '(x - t)^2'},
   {'AbsCriterion', 'abs_loss', '|x - t|'},
   {'SmoothL1Criterion', 'smoothl1_loss', '(x - t)^2 / 2 where |x - t| < 1, |x - t| - 1/2 elsewhere'},
} do
   local Class, Criterion = torch.class('nn.' .. row[1], 'nn.Criterion')
   local loss, grad = row[2], row[2] .. '_grad'
   Class.doc = '(sizeAverage): the mean, or with false the sum, of ' .. row[3] .. '.'

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
