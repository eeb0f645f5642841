-- nn/activation/GradientReversal.lua - returns its input, and reverses the gradient.
local torch = require 'torch'

--- Returns its input; the gradient is multiplied by -lambda (default 1). Ganin and Lempitsky, "Unsupervised domain
-- adaptation by backpropagation" (2015).
-- r = nn.GradientReversal(2); r:forward(torch.ones(1)); r:backward(torch.ones(1), torch.ones(1)) --> {-2}
local GradientReversal, Module = torch.class('nn.GradientReversal', 'nn.Module')
GradientReversal.__arguments = 'lambda:number?'

function GradientReversal:__init(lambda)
   Module.__init(self)
   self.lambda = lambda or 1
end

--- Sets the factor of the reversed gradient.
function GradientReversal:setLambda(lambda) self.lambda = lambda end

function GradientReversal:updateOutput(input)
   self:needTensor(input)
   self.output:set(input)
   return self.output
end

function GradientReversal:updateGradInput(_, gradOutput)
   return torch.mul(self.gradInput, gradOutput, -(self.lambda or 1))
end

return GradientReversal
