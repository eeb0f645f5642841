-- nn/shape/Transpose.lua - swaps dimensions.
local torch = require 'torch'
local arg = require 'torch.arg'

--- Swaps pairs of dimensions, one after the other. setNumInputDims sets how many dimensions one sample has: an input
-- of one more is a batch, and the numbers count after its first.
-- @example nn.Transpose({1, 2}, {2, 3}):forward(torch.ones(2, 3, 4)):size()   --> {3, 4, 2}
local Transpose, Module = torch.class('nn.Transpose', 'nn.Module')

function Transpose:__init(...)
   Module.__init(self)
   self.permutations = {...}
   for _, pair in ipairs(self.permutations) do
      if type(pair) ~= 'table' or not arg.number_of(pair[1]) or not arg.number_of(pair[2]) then
         error('nn.Transpose: expected pairs of dimensions like {1, 2}, got ' .. tostring(pair), 3)
      end
   end
   self.numInputDims = nil
end

--- How many dimensions one sample has: an input with one more is a batch. Returns self.
function Transpose:setNumInputDims(n)
   self.numInputDims = n
   return self
end

local function swap(self, x, from, to, step)
   local shift = self.numInputDims and x:dim() > self.numInputDims and 1 or 0
   for i = from, to, step do
      local pair = self.permutations[i]
      x = x:transpose(pair[1] + shift, pair[2] + shift)
   end
   return x
end

function Transpose:updateOutput(input)
   self:needTensor(input)
   local y = swap(self, input, 1, #self.permutations, 1)
   self.output:resizeAs(y):copy(y)
   return self.output
end

function Transpose:updateGradInput(_, gradOutput)
   local g = swap(self, gradOutput, #self.permutations, 1, -1)
   self.gradInput:resizeAs(g):copy(g)
   return self.gradInput
end

return Transpose
