-- nn/criterion/margin.lua - shared code of criterions with margins: equal counts, pairs, signs, rows.
local torch = require 'torch'
local utils = require 'nn.utils'

local function same(self, input, target)
   self:needTensor(input, target, true)
   if not torch.isTensor(target) or input:nElement() ~= target:nElement() then
      self:refuse('target', 'have as many elements as the input, ' .. utils.shape(input), target)
   end
end

-- Two tensors with as many elements in a table; the second in the shape of the first.
local function pair(self, input)
   local a, b
   if type(input) == 'table' then a, b = input[1], input[2] end
   if not torch.isTensor(a) or not torch.isTensor(b) or a:nElement() ~= b:nElement() then
      self:refuse('input', 'be a table of two tensors of one shape', self.shapes(a, b))
   end
   return a, a:isSameSizeAs(b) and b or b:contiguous():viewAs(a)
end

-- self.gradInput as a table of two tensors of x's type.
local function two(self, x)
   local g = self.gradInput
   if type(g) ~= 'table' or torch.isTensor(g) or not torch.isTensor(g[1]) or g[1]:type() ~= x:type() then
      g = {x.new(), x.new()}
      self.gradInput = g
   end
   return g
end

-- The target as a tensor like x.
local function signs(self, input, target)
   self:needTensor(input)
   if type(target) == 'number' then return self:scratch('_y', input:type()):resize(input:size()):fill(target) end
   same(self, input, target)
   return target
end

-- Rows of scores.
local function rows(self, input)
   if not torch.isTensor(input) or input:dim() < 1 or input:dim() > 2 then
      self:refuse('input', 'be a vector or a matrix of scores', input)
   end
   return input:dim() == 1 and input:contiguous():view(1, -1) or input
end

-- The divisor of the loss and its gradient.
local function divisor(self, x) return x:size(2) * (self.sizeAverage and x:size(1) or 1) end

return {
   same = same, pair = pair, two = two, signs = signs, rows = rows, divisor = divisor,
}
