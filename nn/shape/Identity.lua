-- nn/shape/Identity.lua - returns its input.
local torch = require 'torch'

--- Returns its input, a tensor or a table.
-- nn.Identity():forward(torch.Tensor{1, 2}) --> {1, 2}
local Identity = torch.class('nn.Identity', 'nn.Module')
Identity.refusesFirst = true

function Identity:updateOutput(input)
   self.output = input
   return input
end

function Identity:updateGradInput(_, gradOutput)
   self.gradInput = gradOutput
   return gradOutput
end

-- Output and gradInput are tensors of the caller, so they are dropped, not emptied.
function Identity:clearState()
   self.output, self.gradInput = torch.Tensor():type(self._type), torch.Tensor():type(self._type)
   return self
end

return Identity
