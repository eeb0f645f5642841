-- nn/table/SplitTable.lua - the slices of a tensor as a table.
local torch = require 'torch'
local dims = require 'nn.support.dims'
local gradients = require 'nn.support.gradients'

--- The slices of a tensor along `dimension` (negative: from the end), as a table.
-- @param nInputDims  dimensions of one sample: with one more, `dimension` counts after the batch's
-- nn.SplitTable(1):forward(torch.Tensor{{1, 2}, {3, 4}}) --> {{1, 2}, {3, 4}}
local SplitTable, Module = torch.class('nn.SplitTable', 'nn.Module')
SplitTable.__arguments = 'dimension:place? nInputDims:whole?'

function SplitTable:__init(dimension, nInputDims)
   Module.__init(self)
   self.dimension = dimension
   self.nInputDims = nInputDims
   self.output = {}
end

function SplitTable:_getPositiveDimension(input) return dims.of(self, input, self.dimension, self.nInputDims) end

-- Slice i; of a vector a tensor of one element.
local function slice(x, dim, i)
   return x:dim() == 1 and x:narrow(1, i, 1) or x:select(dim, i)
end

function SplitTable:updateOutput(input)
   if not torch.isTensor(input) then self:refuse('input', 'be a tensor', input) end
   local dim = self:_getPositiveDimension(input)
   self.output = {}
   for i = 1, input:size(dim) do self.output[i] = slice(input, dim, i) end
   return self.output
end

function SplitTable:updateGradInput(input, gradOutput)
   local dim = self:_getPositiveDimension(input)
   if type(gradOutput) ~= 'table' and not torch.isTensor(gradOutput) then
      self:refuse('gradOutput', 'be a table of tensors', gradOutput)
   end
   for i = 1, input:size(dim) do
      local g = gradOutput[i]
      if torch.isTensor(g) then gradients.need(self, g, slice(input, dim, i), ('gradOutput %d'):format(i)) end
   end
   self.gradInput:resizeAs(input)
   for i = 1, input:size(dim) do
      local to = slice(self.gradInput, dim, i)
      if torch.isTensor(gradOutput[i]) then to:copy(gradOutput[i]) else to:zero() end
   end
   return self.gradInput
end

return SplitTable
