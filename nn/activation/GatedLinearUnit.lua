-- nn/activation/GatedLinearUnit.lua - one half of the input times the sigmoid of the other.
local torch = require 'torch'

--- Splits the input in two along `dim` (default: the last): first * sigmoid(second). Dauphin et al., "Language
-- modeling with gated convolutional networks" (2017).
-- nn.GatedLinearUnit():forward(torch.ones(3, 6)):size() --> {3, 3}
local GatedLinearUnit, Module = torch.class('nn.GatedLinearUnit', 'nn.Module')
GatedLinearUnit.__arguments = 'dim:place?'
GatedLinearUnit.bufferNames = {'_gate', '_part'}

function GatedLinearUnit:__init(dim)
   Module.__init(self)
   self.dim = dim
end

local function halves(self, input)
   local dim = self.dim or input:dim()
   if dim < 1 or dim > input:dim() or input:size(dim) % 2 ~= 0 then
      self:refuse('input', ('have an even size along dimension %d'):format(dim), input)
   end
   local n = tonumber(input:size(dim)) / 2
   return input:narrow(dim, 1, n), input:narrow(dim, n + 1, n), dim, n
end

function GatedLinearUnit:updateOutput(input)
   self:needTensor(input)
   local first, second = halves(self, input)
   local gate = torch.sigmoid(self:scratch('_gate', input:type()), second)
   return torch.cmul(self.output, first, gate)
end

function GatedLinearUnit:updateGradInput(input, gradOutput)
   local first, second, dim, n = halves(self, input)
   local gate = torch.sigmoid(self:scratch('_gate', input:type()), second)
   self.gradInput:resizeAs(input)
   self.gradInput:narrow(dim, 1, n):copy(gradOutput):cmul(gate)
   local part = torch.cmul(self:scratch('_part', input:type()), gate, gate):mul(-1):add(gate)     -- gate (1 - gate)
   self.gradInput:narrow(dim, n + 1, n):copy(part:cmul(first):cmul(gradOutput))
   return self.gradInput
end

return GatedLinearUnit
