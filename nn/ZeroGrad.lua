-- nn/ZeroGrad.lua - returns its input, and stops the gradient.
local torch = require 'torch'

--- Returns its input; the gradient is zero.
local ZeroGrad = torch.class('nn.ZeroGrad', 'nn.Module')

function ZeroGrad:updateOutput(input)
   self:needTensor(input)
   self.output:set(input)
   return self.output
end

function ZeroGrad:updateGradInput(input)
   return self.gradInput:resize(input:size()):zero()
end

return ZeroGrad
