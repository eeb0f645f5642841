-- nn/support/StochasticGradient.lua - the plain trainer: one sample after the other.
local torch = require 'torch'

--- Trains a module on a data set: data[i] is {input, target}, data:size() their number.
-- Fields: learningRate (0.01), learningRateDecay (0), maxIteration (25; 0: no end), shuffleIndices (true), verbose (true),
-- hookExample(self, sample), hookIteration(self, iteration, error).
-- t = nn.StochasticGradient(nn.Linear(2, 1), nn.MSECriterion()); t.learningRate --> 0.01
local StochasticGradient = torch.class('nn.StochasticGradient')
StochasticGradient.__arguments = 'module:module criterion:criterion'

function StochasticGradient:__init(module, criterion)
   self.learningRate = 0.01
   self.learningRateDecay = 0
   self.maxIteration = 25
   self.shuffleIndices = true
   self.module = module
   self.criterion = criterion
   self.verbose = true
end

--- Runs over the data set until maxIteration or the error is reached.
function StochasticGradient:train(dataset)
   local iteration = 1
   local currentLearningRate = self.learningRate
   local module, criterion = self.module, self.criterion
   local n = dataset:size()
   local order = torch.randperm(n)
   if not self.shuffleIndices then order = torch.range(1, n) end
   if self.verbose then print '# StochasticGradient: training' end
   while true do
      local currentError = 0
      for t = 1, n do
         local sample = dataset[order[t]]
         local input, target = sample[1], sample[2]
         currentError = currentError + criterion:forward(module:forward(input), target)
         module:updateGradInput(input, criterion:updateGradInput(module.output, target))
         module:accUpdateGradParameters(input, criterion.gradInput, currentLearningRate)
         if self.hookExample then self.hookExample(self, sample) end
      end
      currentError = currentError / n
      if self.hookIteration then self.hookIteration(self, iteration, currentError) end
      if self.verbose then print('# current error = ' .. currentError) end
      iteration = iteration + 1
      currentLearningRate = self.learningRate / (1 + iteration * self.learningRateDecay)
      if self.maxIteration > 0 and iteration > self.maxIteration then
         if self.verbose then
            print '# StochasticGradient: you have reached the maximum number of iterations'
            print('# training error = ' .. currentError)
         end
         break
      end
   end
end

return StochasticGradient
