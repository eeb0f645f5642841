-- nn/shape/Replicate.lua - repeats the input along a new dimension, without a copy.
local torch = require 'torch'

--- The input nfeatures times along a new dimension `dim` (default 1; negative: from the end).
-- @param ndim  dimensions of one sample: with one more, `dim` counts after the batch's
-- nn.Replicate(2, 1):forward(torch.Tensor{1, 2}) --> {{1, 2}, {1, 2}}
local Replicate, Module = torch.class('nn.Replicate', 'nn.Module')
Replicate.__arguments = 'nfeatures:count? dim:place? ndim:whole?'

function Replicate:__init(nfeatures, dim, ndim)
   Module.__init(self)
   self.nfeatures, self.dim, self.ndim = nfeatures, dim or 1, ndim
end

local function place(self, input)
   self:needTensor(input)
   if not self.nfeatures then self:refuse('nfeatures', 'be given to the constructor', 'nil') end
   local dim = self.dim + (self.ndim and input:dim() > self.ndim and 1 or 0)
   if self.dim < 0 then dim = input:dim() + self.dim + 2 end
   if dim < 1 or dim > input:dim() + 1 then self:refuse('input', ('have at least %d dimensions'):format(self.dim - 1), input) end
   return dim
end

function Replicate:updateOutput(input)
   local dim, n = place(self, input), input:dim()
   local size, stride = torch.LongStorage(n + 1), torch.LongStorage(n + 1)
   for i = 1, n + 1 do
      local from = i < dim and i or i - 1
      size[i] = i == dim and self.nfeatures or input:size(from)
      stride[i] = i == dim and 0 or input:stride(from)
   end
   self.output:set(input:storage(), input:storageOffset(), size, stride)
   return self.output
end

function Replicate:updateGradInput(input, gradOutput)
   torch.sum(self.gradInput, gradOutput, place(self, input))
   self.gradInput:resizeAs(input)
   return self.gradInput
end

return Replicate
