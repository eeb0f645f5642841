-- nn/table/MM.lua - the product of two matrices.
local torch = require 'torch'
local matrices = require 'nn.table.matrices'

local transposed, need, product = matrices.transposed, matrices.need, matrices.product

--- The product of two matrices, or of each pair of a batch.
-- @param transA,transB  true: the matrix is transposed first
-- nn.MM():forward{torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{{1, 0}, {1, 1}}} --> {{3, 2}, {7, 4}}
local MM, Module = torch.class('nn.MM', 'nn.Module')

function MM:__init(transA, transB)
   Module.__init(self)
   self.transA, self.transB = transA or false, transB or false
   self.gradInput = {torch.Tensor(), torch.Tensor()}
end

function MM:updateOutput(input)
   local batch = need(self, input, 2, 2)
   return product(self.output, batch, transposed(input[1], self.transA), transposed(input[2], self.transB))
end

function MM:updateGradInput(input, gradOutput)
   local batch = need(self, input, 2, 2)
   if #self.gradInput < 2 then self.gradInput = {input[1].new(), input[2].new()} end
   local a, b = transposed(input[1], self.transA), transposed(input[2], self.transB)
   -- C = A B: dA = dC B', dB = A' dC; a transposed input has the transposed gradient.
   if self.transA then
      product(self.gradInput[1], batch, b, transposed(gradOutput, true))
   else
      product(self.gradInput[1], batch, gradOutput, transposed(b, true))
   end
   if self.transB then
      product(self.gradInput[2], batch, transposed(gradOutput, true), a)
   else
      product(self.gradInput[2], batch, transposed(a, true), gradOutput)
   end
   return self.gradInput
end

return MM
