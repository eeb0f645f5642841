-- nn/distance/DotProduct.lua - the dot product of two vectors.
local torch = require 'torch'
local operands = require 'nn.support.operands'

local check, grads, rows = operands.check, operands.grads, operands.rows

--- The dot product of two vectors, or of the rows of two matrices.
-- nn.DotProduct():forward{torch.Tensor{1, 2}, torch.Tensor{3, 4}} --> {11}
local DotProduct, Module = torch.class('nn.DotProduct', 'nn.Module')
DotProduct.bufferNames = {'buffer'}

function DotProduct:__init()
   Module.__init(self)
   self.gradInput = {}
end

function DotProduct:updateOutput(input)
   check(self, input, 2, 2)
   local product = torch.cmul(self:scratch('buffer', input[1]:type()), input[1], input[2])
   torch.sum(self.output, rows(product), 2)
   return self.output:resize(self.output:nElement())
end

function DotProduct:updateGradInput(input, gradOutput)
   local g = grads(self, input)
   local scale = gradOutput:contiguous():view(-1, 1):expandAs(rows(input[1]))
   for i = 1, 2 do
      g[i]:resizeAs(input[i])
      torch.cmul(rows(g[i]), rows(input[3 - i]), scale)
   end
   return g
end

return DotProduct
