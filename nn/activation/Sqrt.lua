-- nn/activation/Sqrt.lua - sqrt(x).
local torch = require 'torch'

--- sqrt(x); the gradient at 0 is 0. The argument of Torch7's constructor is stored without effect, as there.
-- nn.Sqrt():forward(torch.Tensor{4, 9}) --> {2, 3}
local Sqrt, Module = torch.class('nn.Sqrt', 'nn.Module')
Sqrt.__arguments = 'eps:number?'

function Sqrt:__init(eps)
   Module.__init(self)
   self.eps = eps or 0
end

function Sqrt:updateOutput(input)
   return torch.sqrt(self.output, input)
end

function Sqrt:updateGradInput(_, gradOutput)
   torch.cdiv(self.gradInput, gradOutput, self.output):mul(0.5)
   self.gradInput:maskedFill(self.output:eq(0), 0)
   return self.gradInput
end

return Sqrt
