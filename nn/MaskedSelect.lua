-- nn/MaskedSelect.lua - the elements of a tensor that a mask names.
local torch = require 'torch'
local grads = require 'nn.operands'.grads

--- {tensor, ByteTensor of its shape} to the vector of the elements where the mask is 1. The gradient of the mask is zero, in the
-- type of the mask.
-- nn.MaskedSelect():forward{torch.Tensor{1, 2, 3}, torch.ByteTensor{1, 0, 1}} --> {1, 3}
local MaskedSelect, Module = torch.class('nn.MaskedSelect', 'nn.Module')
MaskedSelect.bufferNames = {'_maskIndices', '_gradBuffer', '_gradMask', '_mask'}

function MaskedSelect:__init()
   Module.__init(self)
   self.gradInput = {}
end

local function check(self, input)
   local x, mask
   if type(input) == 'table' then x, mask = input[1], input[2] end
   if not torch.isTensor(x) or not torch.isTensor(mask) or not mask:isSameSizeAs(x) then
      local shape = require 'nn.utils'.shape
      self:refuse('input', 'be a tensor and a mask of its shape', shape(x) .. ' and ' .. shape(mask))
   end
   return x, mask:type() == 'torch.ByteTensor' and mask or mask:ne(0)
end

function MaskedSelect:updateOutput(input)
   local x, mask = check(self, input)
   return self.output:maskedSelect(x, mask)
end

function MaskedSelect:updateGradInput(input, gradOutput)
   local x, mask = check(self, input)
   local g = grads(self, input)
   g[1]:resize(x:size()):zero():maskedCopy(mask, gradOutput)
   g[2]:resize(x:size()):zero()
   return g
end

return MaskedSelect
