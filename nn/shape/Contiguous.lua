-- nn/shape/Contiguous.lua - its input as a contiguous tensor: a copy, if it is not contiguous already.
local torch = require 'torch'

--- nn.Contiguous():forward(torch.ones(2, 3):t()):isContiguous() --> true
local Contiguous = torch.class('nn.Contiguous', 'nn.Module')

local function contiguous(to, x)
   if x:isContiguous() then return to:set(x) end
   if to:isSetTo(x) or not to:isContiguous() then to:set() end
   return to:resizeAs(x):copy(x)
end

function Contiguous:updateOutput(input)
   self:needTensor(input)
   return contiguous(self.output, input)
end

function Contiguous:updateGradInput(_, gradOutput) return contiguous(self.gradInput, gradOutput) end

return Contiguous
