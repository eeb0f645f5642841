-- nn/embedding/WeightedLookupTable.lua - rows of a table, each times a weight from the input.
local torch = require 'torch'

--- nn.LookupTable whose input has a weight beside each number. The input is n x 2, or samples x n x
-- 2, with numbers of 1..nIndex in the first column and weights in the second. The output is n x
-- nOutput, or samples x n x nOutput: rows times their weights. The gradient by the numbers is zero.
-- As fbnn's.
-- @param paddingValue,maxNorm,normType  as of nn.LookupTable
-- nn.WeightedLookupTable(5, 3):forward(torch.Tensor{{2, 0.5}, {5, 1}}):size() --> {2, 3}
local Weighted, LookupTable = torch.class('nn.WeightedLookupTable', 'nn.LookupTable')
Weighted.bufferNames = {'_index', '_sorted', '_count', '_gradOutput', '_rows', '_scaled', '_float'}

-- The numbers as a LongTensor, and the weights as a column.
local function parts(self, input)
   local n = torch.isTensor(input) and input:dim()
   if (n ~= 2 and n ~= 3) or input:size(n) ~= 2 or input:nElement() == 0 then
      self:refuse('input', 'be n x 2 or samples x n x 2: numbers and weights', input)
   end
   self:needExact(input)
   local number = input:select(n, 1)
   local index = self:scratch('_index', 'torch.LongTensor'):resize(number:size()):copy(number)
   if not torch.equal(index:type(input:type()), number) then
      self:refuse('the first column of input', 'hold whole numbers', input)
   end
   return index:view(-1), input:select(n, 2):contiguous():view(-1, 1)
end

function Weighted:updateOutput(input)
   local index, weights = parts(self, input)
   local rows = LookupTable.updateOutput(self, index)
   self:scratch '_rows':resize(rows:size()):copy(rows)
   rows:cmul(weights:expandAs(rows))
   local size = input:size()
   size[#size] = self.weight:size(2)
   return self.output:resize(size)
end

local function grads(self, gradOutput)
   if not self._rows or self._rows:nElement() == 0 then error(torch.type(self) .. ': backward needs the forward before it', 4) end
   if not torch.isTensor(gradOutput) or not gradOutput:isSameSizeAs(self.output) then
      self:refuse('gradOutput', 'have the shape of the output', gradOutput)
   end
   return gradOutput:contiguous():view(self._rows:size())
end

function Weighted:updateGradInput(input, gradOutput)
   local g = grads(self, gradOutput)
   local byWeight = torch.cmul(self:scratch '_scaled', g, self._rows):sum(2)
   self.gradInput:resizeAs(input):zero()
   self.gradInput:select(input:dim(), 2):copy(byWeight:view(input:size():resize(input:dim() - 1)))
   return self.gradInput
end

function Weighted:accGradParameters(input, gradOutput, scale)
   local index, weights = parts(self, input)
   local g = grads(self, gradOutput)
   local scaled = torch.cmul(self:scratch '_scaled', g, weights:expandAs(g))
   LookupTable.accGradParameters(self, index, scaled, scale)
end

return Weighted
