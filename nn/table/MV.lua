-- nn/table/MV.lua - the product of a matrix and a vector.
local torch = require 'torch'
local matrices = require 'nn.table.matrices'

local transposed, need, product = matrices.transposed, matrices.need, matrices.product

--- The product of a matrix and a vector, or of each pair of a batch.
-- @param trans  true: the matrix is transposed first
-- nn.MV():forward{torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{1, 1}} --> {3, 7}
local MV, Module = torch.class('nn.MV', 'nn.Module')

function MV:__init(trans)
   Module.__init(self)
   self.trans = trans or false
   self.gradInput = {torch.Tensor(), torch.Tensor()}
end

-- A vector, or a batch of them, as matrices of one column; as matrices of one row.
local function column(x)
   x = x:contiguous()
   if x:dim() == 2 then return x:view(x:size(1), x:size(2), 1) end
   return x:view(-1, 1)
end

local function row(x) return transposed(column(x), true) end

function MV:updateOutput(input)
   local batch = need(self, input, 2, 1)
   local m = transposed(input[1], self.trans)
   product(self.output, batch, m, column(input[2]))
   return batch and self.output:resize(m:size(1), m:size(2)) or self.output:resize(m:size(1))
end

function MV:updateGradInput(input, gradOutput)
   local batch = need(self, input, 2, 1)
   if #self.gradInput < 2 then self.gradInput = {input[1].new(), input[2].new()} end
   local m = transposed(input[1], self.trans)
   if self.trans then
      product(self.gradInput[1], batch, column(input[2]), row(gradOutput))
   else
      product(self.gradInput[1], batch, column(gradOutput), row(input[2]))
   end
   product(self.gradInput[2], batch, transposed(m, true), column(gradOutput))
   self.gradInput[2]:resize(input[2]:size())
   return self.gradInput
end

return MV
