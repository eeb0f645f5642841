-- nn/shape/Constant.lua - the same tensor whatever the input.
local torch = require 'torch'
local utils = require 'nn.utils'
local zeros = require 'nn.support.nested'.zeros

--- The same tensor whatever the input, once for each sample of a batch.
-- @param value      a tensor or a number
-- @param nInputDim  dimensions of one sample: an input of more is a batch; nil: it never is
-- nn.Constant(torch.Tensor{1, 2}, 1):forward(torch.zeros(2, 5)) --> {{1, 2}, {1, 2}}
local Constant, Module = torch.class('nn.Constant', 'nn.Module')
Constant.__arguments = 'value nInputDim:size?'

function Constant:__init(value, nInputDim)
   Module.__init(self)
   self.value = type(value) == 'number' and torch.Tensor{value} or value
   self.nInputDim = nInputDim
   if not torch.isTensor(self.value) then
      error('nn.Constant: expected a tensor or a number, got ' .. utils.shape(value), 3)
   end
end

function Constant:updateOutput(input)
   local v = self.value
   if self.nInputDim then self:needTensor(input) end
   if self.nInputDim and input:dim() > self.nInputDim then
      local size = v:size():totable()
      v = v:contiguous():view(1, unpack(size)):expand(input:size(1), unpack(size))
   end
   return self.output:resizeAs(v):copy(v)
end

function Constant:updateGradInput(input)
   self.gradInput = zeros(self.gradInput, input)
   return self.gradInput
end

return Constant
