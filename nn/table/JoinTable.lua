-- nn/table/JoinTable.lua - joins the tensors of a table along a dimension.
local torch = require 'torch'
local dims = require 'nn.support.dims'
local gradients = require 'nn.support.gradients'
local utils = require 'nn.utils'

--- Joins the tensors of a table along `dimension` (negative: from the end).
-- @param nInputDims  dimensions of one sample: with one more, `dimension` counts after the batch's
-- nn.JoinTable(1):forward{torch.Tensor{1}, torch.Tensor{2, 3}} --> {1, 2, 3}
local JoinTable, Module = torch.class('nn.JoinTable', 'nn.Module')
JoinTable.__arguments = 'dimension:place? nInputDims:whole?'

function JoinTable:__init(dimension, nInputDims)
   Module.__init(self)
   self.size = torch.LongStorage()
   self.dimension = dimension
   self.nInputDims = nInputDims
   self.gradInput = {}
end

function JoinTable:_getPositiveDimension(input) return dims.of(self, input[1], self.dimension, self.nInputDims) end

local function check(self, input)
   if type(input) ~= 'table' or torch.isTensor(input) or not torch.isTensor(input[1]) then
      self:refuse('input', 'be a table of tensors', input)
   end
   local dim, total = self:_getPositiveDimension(input), 0
   for i = 1, #input do
      local x = input[i]
      local fits = torch.isTensor(x) and x:dim() == input[1]:dim()
      for d = 1, fits and x:dim() or 0 do fits = fits and (d == dim or x:size(d) == input[1]:size(d)) end
      if not fits then
         self:refuse(('input %d'):format(i), ('have the shape %s, but for dimension %d'):format(
            utils.shape(input[1]), dim), x)
      end
      total = total + x:size(dim)
   end
   return dim, total
end

function JoinTable:updateOutput(input)
   local dim, total = check(self, input)
   local size = input[1]:size()
   size[dim] = total
   self.size = size
   self.output:resize(size)
   local at = 1
   for i = 1, #input do
      local n = input[i]:size(dim)
      self.output:narrow(dim, at, n):copy(input[i])
      at = at + n
   end
   return self.output
end

function JoinTable:updateGradInput(input, gradOutput)
   local dim, parts, at = self:_getPositiveDimension(input), {}, 1
   for i = 1, #input do
      local n = input[i]:size(dim)
      parts[i] = gradients.need(self, gradients.part(self, gradOutput, dim, at, n), input[i])
      at = at + n
   end
   if type(self.gradInput) ~= 'table' then self.gradInput = {} end
   for i = 1, #input do
      local g = self.gradInput[i]
      if not torch.isTensor(g) or g:type() ~= input[i]:type() then
         g = input[i].new()
         self.gradInput[i] = g
      end
      g:resizeAs(input[i]):copy(parts[i])
   end
   for i = #self.gradInput, #input + 1, -1 do self.gradInput[i] = nil end
   return self.gradInput
end

return JoinTable
