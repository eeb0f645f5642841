-- nn/criterion/binary.lua - shared code of criterions of probabilities: weights broadcast over samples, equal counts.
local torch = require 'torch'
local utils = require 'nn.utils'

-- The weights broadcast over the rows of x, or nil.
local function stretched(self, x)
   local w = self.weights
   if not w then return nil end
   if x:dim() > 1 and w:dim() < x:dim() then return w:view(1, -1):expandAs(x) end
   return w
end

local function same(self, input, target)
   if not torch.isTensor(input) or not torch.isTensor(target) or input:nElement() ~= target:nElement() then
      self:refuse('target', 'have as many elements as the input, ' .. utils.shape(input), target)
   end
end

return { stretched = stretched, same = same }
