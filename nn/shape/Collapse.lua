-- nn/shape/Collapse.lua - merges the dimensions of a sample into one.
local torch = require 'torch'

--- Merges the dimensions of a sample into one.
-- @param nInputDim  dimensions of one sample: an input of more is a batch
-- nn.Collapse(2):forward(torch.ones(5, 2, 3)):size() --> {5, 6}
local Collapse, Module = torch.class('nn.Collapse', 'nn.Module')
Collapse.__arguments = 'nInputDim:count?'
Collapse.bufferNames = {'_input', '_gradOutput'}

function Collapse:__init(nInputDim)
   Module.__init(self)
   self.nInputDim = nInputDim
end

function Collapse:updateOutput(input)
   local n = torch.isTensor(input) and input:dim() or 0
   if n < self.nInputDim then self:refuse('input', ('have at least %d dimensions'):format(self.nInputDim), input) end
   local size = {}
   for d = 1, n - self.nInputDim do size[d] = tonumber(input:size(d)) end
   size[#size + 1] = -1
   self.output:view(input:contiguous(), unpack(size))
   return self.output
end

function Collapse:updateGradInput(input, gradOutput)
   self.gradInput:view(gradOutput:contiguous(), input:size())
   return self.gradInput
end

return Collapse
