-- nn/ZeroGrad.lua - returns its input, and stops the gradient.
local torch = require 'torch'

--- Returns its input; the gradient is zero.
-- z = nn.ZeroGrad(); z:forward(torch.ones(2)); z:backward(torch.ones(2), torch.ones(2)) --> {0, 0}
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
