-- nn/linear/Mul.lua - one learned factor for all elements.
local torch = require 'torch'

--- One learned factor for all elements.
-- m = nn.Mul(); m.weight:fill(3); m:forward(torch.Tensor{1, 2}) --> {3, 6}
local Mul, Module = torch.class('nn.Mul', 'nn.Module')

function Mul:__init()
   Module.__init(self)
   self:parameter('weight', 1)
   self:reset()
end

function Mul:reset(stdv)
   local a = stdv and stdv * math.sqrt(3) or 1
   self.weight:uniform(-a, a)
end

function Mul:updateOutput(input) return torch.mul(self.output, input, self.weight[1]) end

function Mul:updateGradInput(_, gradOutput)
   if not self.gradInput then return end
   return torch.mul(self.gradInput, gradOutput, self.weight[1])
end

function Mul:accGradParameters(input, gradOutput, scale)
   self.gradWeight[1] = self.gradWeight[1] + (scale or 1) * input:dot(gradOutput)
end

return Mul
