-- nn/dropout/WhiteNoise.lua - adds normal noise while training.
local torch = require 'torch'

--- Adds normal noise while training, and its mean in evaluation mode.
-- @param mean,std  default 0 and 0.1
-- w = nn.WhiteNoise(0, 0.1); w:evaluate(); w:forward(torch.ones(2)) --> {1, 1}
local WhiteNoise, Module = torch.class('nn.WhiteNoise', 'nn.Module')
WhiteNoise.__arguments = 'mean:number? std:number?'
WhiteNoise.bufferNames = {'noise'}

function WhiteNoise:__init(mean, std)
   Module.__init(self)
   self.mean, self.std = mean or 0, std or 0.1
   self.train = true
end

function WhiteNoise:updateOutput(input)
   self:needTensor(input)
   self.output:resizeAs(input):copy(input)
   if self.train then
      local noise = self:scratch('noise', self.output:type()):resizeAs(input)
      self.output:add(noise:normal(self.mean, self.std))
   else
      self.output:add(self.mean)
   end
   return self.output
end

function WhiteNoise:updateGradInput(_, gradOutput)
   return self.gradInput:resizeAs(gradOutput):copy(gradOutput)
end

function WhiteNoise:__tostring__()
   return ('%s mean: %f, std: %f'):format(torch.type(self), self.mean, self.std)
end

return WhiteNoise
