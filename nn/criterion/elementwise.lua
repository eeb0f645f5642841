-- nn/criterion/elementwise.lua - criterions that sum a function of each input and its target.
local torch = require 'torch'
local recording = require 'torch.recording'

--- nn.MSECriterion([sizeAverage]): The mean, or with false the sum, of (x - t)^2.
-- nn.MSECriterion():forward(torch.Tensor{1, 2}, torch.Tensor{1, 4}) --> 2
--- nn.AbsCriterion([sizeAverage]): The mean, or with false the sum, of |x - t|.
-- nn.AbsCriterion():forward(torch.Tensor{1, 2}, torch.Tensor{1, 4}) --> 1
--- nn.SmoothL1Criterion([sizeAverage]): The mean, or with false the sum, of (x - t)^2 / 2 where |x - t| < 1, |x - t| - 1/2 elsewhere.
-- nn.SmoothL1Criterion():forward(torch.Tensor{1, 2}, torch.Tensor{1, 4}) --> 0.75

-- The terms of a loss from the differences, in place, where a CUDA graph is recorded and the op cannot return a number to the
-- host.
local TERMS = {
   mse_loss = function(d) return d:cmul(d) end,
   abs_loss = function(d) return d:abs() end,
   smoothl1_loss = function(d)
      local a = d:abs()
      return torch.where(torch.lt(a, 1), torch.cmul(a, a):div(2), torch.add(a, -0.5))
   end,
}
local function recorded(op, input, target, average)
   local n = input:nElement()
   if n ~= target:nElement() then
      error(('%s: x and target must have as many elements, got %d and %d'):format(op, n, target:nElement()), 3)
   end
   local x, t = input:contiguous():view(-1):cudaDouble(), target:contiguous():view(-1):cudaDouble()
   local sum = TERMS[op](x:clone():add(-1, t)):sum(1)
   return average and sum:div(n) or sum
end

-- class, op
for _, row in ipairs{
   {torch.class('nn.MSECriterion', 'nn.Criterion'), 'mse_loss'},
   {torch.class('nn.AbsCriterion', 'nn.Criterion'), 'abs_loss'},
   {torch.class('nn.SmoothL1Criterion', 'nn.Criterion'), 'smoothl1_loss'},
} do
   local Class, loss, grad = row[1], row[2], row[2] .. '_grad'
   local Criterion = getmetatable(Class)

   --- @param sizeAverage  false: the sum over all elements instead of the mean
   function Class:__init(sizeAverage)
      Criterion.__init(self)
      self.sizeAverage = sizeAverage ~= false
   end

   function Class:updateOutput(input, target)
      if recording.recorder then self.output = recorded(loss, input, target, self.sizeAverage)
      else self.output = torch[loss](input, target, self.sizeAverage) end
      return self.output
   end

   function Class:updateGradInput(input, target)
      return torch[grad](self.gradInput, input, target, self.sizeAverage)
   end
end
