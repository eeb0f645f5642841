-- nn/shape/Select.lua - one slice of the input.
local torch = require 'torch'
local dims = require 'nn.support.dims'
local gradients = require 'nn.support.gradients'

--- input:select(dimension, index); negative numbers count from the end.
-- nn.Select(1, -1):forward(torch.Tensor{{1, 2}, {3, 4}}) --> {3, 4}
local Select, Module = torch.class('nn.Select', 'nn.Module')
Select.__arguments = 'dimension:place? index:place?'

function Select:__init(dimension, index)
   Module.__init(self)
   self.dimension, self.index = dimension, index
end

local function slice(self, input)
   local dim = dims.of(self, input, self.dimension)
   local index = self.index < 0 and input:size(dim) + self.index + 1 or self.index
   if index < 1 or index > input:size(dim) then
      self:refuse('input', ('have a slice %d along dimension %d'):format(self.index, dim), input)
   end
   return dim, index
end

-- A slice of a vector is a number: as a tensor it has one element.
local function view(tensor, dim, index)
   return tensor:dim() == 1 and tensor:narrow(1, index, 1) or tensor:select(dim, index)
end

function Select:updateOutput(input)
   self.output:set(view(input, slice(self, input)))
   return self.output
end

function Select:updateGradInput(input, gradOutput)
   gradients.need(self, gradOutput, view(input, slice(self, input)))
   self.gradInput:resizeAs(input):zero()
   view(self.gradInput, slice(self, input)):copy(gradOutput)
   return self.gradInput
end

return Select
