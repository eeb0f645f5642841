-- nn/activation/ZeroGrad.lua - returns its input, and stops the gradient.
local torch = require 'torch'
local zeros = require 'nn.support.nested'.zeros

--- Returns its input, a tensor or a table; the gradient is zero.
-- z = nn.ZeroGrad(); z:forward(torch.ones(2)); z:backward(torch.ones(2), torch.ones(2)) --> {0, 0}
local ZeroGrad = torch.class('nn.ZeroGrad', 'nn.Module')

function ZeroGrad:updateOutput(input)
   self.output = input
   return input
end

function ZeroGrad:updateGradInput(input)
   self.gradInput = zeros(self.gradInput, input)
   return self.gradInput
end

-- The output is a tensor of the caller.
ZeroGrad.clearState = require 'torch.class'.ours 'nn.Identity'.clearState

return ZeroGrad
