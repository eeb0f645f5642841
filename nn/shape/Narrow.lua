-- nn/shape/Narrow.lua - a part of the input along one dimension.
local torch = require 'torch'
local dims = require 'nn.support.dims'
local gradients = require 'nn.support.gradients'

--- The elements offset .. offset + length - 1 of a dimension. A length of -1 means up to the end (-2: one less);
-- a negative offset means all but the last `length` elements. A negative dimension counts from the end.
-- nn.Narrow(1, 2, 2):forward(torch.Tensor{1, 2, 3, 4}) --> {2, 3}
local Narrow, Module = torch.class('nn.Narrow', 'nn.Module')
Narrow.__arguments = 'dimension:place offset:place length:whole?'

function Narrow:__init(dimension, offset, length)
   Module.__init(self)
   self.dimension, self.index, self.length = dimension, offset, length or 1
end

local function part(self, input)
   local dim = dims.of(self, input, self.dimension)
   local size = input:size(dim)
   local first = self.index
   local length = self.length < 0 and size - first + self.length + 2 or self.length
   if first < 0 then first, length = 1, size - length end
   if first < 1 or length < 0 or first + length - 1 > size then
      self:refuse('input', ('reach from %d over %d along dimension %d'):format(self.index, self.length, dim), input)
   end
   return dim, first, length
end

function Narrow:updateOutput(input)
   self:needTensor(input)
   self.output:set(input:narrow(part(self, input)))
   return self.output
end

function Narrow:updateGradInput(input, gradOutput)
   gradients.need(self, gradOutput, input:narrow(part(self, input)))
   self.gradInput:resizeAs(input):zero()
   self.gradInput:narrow(part(self, input)):copy(gradOutput)
   return self.gradInput
end

return Narrow
