-- nn/table/Index.lua - slices of a tensor, selected by a tensor of indices.
local torch = require 'torch'

--- {tensor, LongTensor} to tensor:index(dimension, indices).
-- nn.Index(1):forward{torch.Tensor{5, 6, 7}, torch.LongTensor{3, 1}} --> {7, 5}
local Index, Module = torch.class('nn.Index', 'nn.Module')
Index.__arguments = 'dimension:place?'
Index.readsValues = true

function Index:__init(dimension)
   Module.__init(self)
   self.dimension = dimension
   self.gradInput = {self.gradInput, self.gradInput.new()}
end

function Index:updateOutput(input)
   if type(input) ~= 'table' or not torch.isTensor(input[1]) or not torch.isTensor(input[2]) then
      self:refuse('input', 'be a tensor and its indices', input)
   end
   local y = input[1]:index(self.dimension, input[2])
   self.output:set(y)
   return self.output
end

function Index:updateGradInput(input, gradOutput)
   local g = self.gradInput
   if #g < 2 then
      g = {input[1].new(), input[1].new()}
      self.gradInput = g
   end
   g[1]:resize(input[1]:size()):zero():indexAdd(self.dimension, input[2], gradOutput)
   g[2]:resize(input[2]:size()):zero()
   return g
end

return Index
