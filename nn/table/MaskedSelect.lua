-- nn/table/MaskedSelect.lua - the elements of a tensor that a mask selects.
local torch = require 'torch'
local grads = require 'nn.support.operands'.grads

--- {tensor, ByteTensor with as many elements} to the vector of the elements where the mask is 1. The gradient of the mask is zero, in the
-- type of the mask.
-- nn.MaskedSelect():forward{torch.Tensor{1, 2, 3}, torch.ByteTensor{1, 0, 1}} --> {1, 3}
local MaskedSelect, Module = torch.class('nn.MaskedSelect', 'nn.Module')
MaskedSelect.readsValues = true
MaskedSelect.bufferNames = {'_maskIndices', '_gradBuffer', '_gradMask', '_mask'}

function MaskedSelect:__init()
   Module.__init(self)
   self.gradInput = {}
end

local function check(self, input)
   local x, mask
   if type(input) == 'table' then x, mask = input[1], input[2] end
   if not torch.isTensor(x) or not torch.isTensor(mask) or mask:nElement() ~= x:nElement() then
      local shape = require 'nn.utils'.shape
      self:refuse('input', 'be a tensor and a mask of its shape', shape(x) .. ' and ' .. shape(mask))
   end
   if mask:type() ~= 'torch.ByteTensor' then mask = mask:ne(0) end
   return x, mask:isSameSizeAs(x) and mask or mask:contiguous():viewAs(x)
end

function MaskedSelect:updateOutput(input)
   local x, mask = check(self, input)
   return self.output:maskedSelect(x, mask)
end

function MaskedSelect:updateGradInput(input, gradOutput)
   local x, mask = check(self, input)
   local g = grads(self, input)
   g[1]:resize(x:size()):zero():maskedCopy(mask, gradOutput)
   g[2]:resize(input[2]:size()):zero()
   return g
end

return MaskedSelect
