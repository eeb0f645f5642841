-- nn/linear/SparseLinear.lua - nn.Linear of sparse vectors.
local torch = require 'torch'
local utils = require 'nn.utils'

--- nn.Linear of sparse vectors. An input is a list of n x 2 matrices, (index, value) rows, one for
-- each sample. Or it is a tensor of samples x n x 2. Pairs with index 0 are ignored.
-- @param doGradInput  true: gradInput is a list of inputSize x 2 matrices
-- nn.SparseLinear(6, 3):forward{torch.Tensor{{1, 0.5}, {4, -1.5}}}:nElement() --> 3
local SparseLinear, Module = torch.class('nn.SparseLinear', 'nn.Module')
SparseLinear.__arguments = 'inputSize:size outputSize:size'

function SparseLinear:__init(inputSize, outputSize, doGradInput)
   Module.__init(self)
   self.doGradInput = doGradInput or false
   self:parameter('weight', outputSize, inputSize)
   self:parameter('bias', outputSize)
   self.gradInput = {}
   self:reset()
end

function SparseLinear:reset(stdv)
   local a = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.weight:size(2))
   self.weight:uniform(-a, a)
   self.bias:uniform(-a, a):mul(0.000001)
end

--- The input as a list of n x 2 matrices.
function SparseLinear:reshapeInput(input)
   local list = input
   if torch.isTensor(input) then
      list = {}
      if input:dim() == 2 then
         list[1] = input
      elseif input:dim() == 3 then
         for i = 1, input:size(1) do list[i] = input[i] end
      end
   end
   local bad = type(list) ~= 'table' or #list == 0
   for i = 1, bad and 0 or #list do
      bad = bad or not torch.isTensor(list[i]) or list[i]:dim() ~= 2 or list[i]:size(2) ~= 2
   end
   if bad then self:refuse('input', 'be a list of matrices of (index, value) rows, or samples x n x 2', input) end
   return list
end

-- Calls f(sample, index, value) for each pair whose index is not 0.
local function each(self, list, f)
   local n = self.weight:size(2)
   for s, pairs in ipairs(list) do
      for k = 1, pairs:size(1) do
         local index, value = pairs[k][1], pairs[k][2]
         if index ~= 0 then
            if index < 1 or index > n or index % 1 ~= 0 then
               self:refuse('input', ('have indices of 1..%d'):format(n), tostring(index))
            end
            f(s, index, value)
         end
      end
   end
end

function SparseLinear:updateOutput(input)
   local list = self:reshapeInput(input)
   each(self, list, function() end)
   self.output:resize(#list, self.weight:size(1)):copy(self.bias:view(1, -1):expand(#list, self.weight:size(1)))
   each(self, list, function(s, index, value) self.output[s]:add(value, self.weight:select(2, index)) end)
   return self.output
end

function SparseLinear:updateGradInput(input, gradOutput)
   if not self.doGradInput then return self.gradInput end
   local list = self:reshapeInput(input)
   local g = gradOutput:contiguous():view(#list, -1)
   local n = self.weight:size(2)
   self.gradInput = {}
   for s = 1, #list do
      local pairs = g.new(n, 2)
      pairs:select(2, 1):copy(torch.range(1, n))
      pairs:select(2, 2):copy(torch.mv(self.weight:t(), g[s]))
      self.gradInput[s] = pairs
   end
   return self.gradInput
end

function SparseLinear:accGradParameters(input, gradOutput, scale)
   scale = scale or 1
   local list = self:reshapeInput(input)
   local g = gradOutput:contiguous():view(#list, -1)
   each(self, list, function(s, index, value) self.gradWeight:select(2, index):add(scale * value, g[s]) end)
   self.gradBias:add(scale, g:sum(1):view(-1))
end

function SparseLinear:clearState()
   utils.clear(self, 'output')
   self.gradInput = {}
   return self
end

return SparseLinear
