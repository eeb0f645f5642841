-- nn/products.lua - MM and MV: products of the two tensors of a table.
local torch = require 'torch'

-- The transpose of a matrix, or of every matrix of a batch.
local function transposed(x, on)
   if not on then return x end
   return x:transpose(x:dim() - 1, x:dim())
end

local function need(self, input, dims1, dims2)
   if type(input) ~= 'table' or #input ~= 2 or not torch.isTensor(input[1]) or not torch.isTensor(input[2]) then
      self:refuse('input', 'be a table of 2 tensors', input)
   end
   local a, b = input[1]:dim(), input[2]:dim()
   if not ((a == dims1 and b == dims2) or (a == dims1 + 1 and b == dims2 + 1)) then
      self:refuse('input', ('be tensors of %d and %d dimensions, or batches of those'):format(dims1, dims2),
         ('%d and %d'):format(a, b))
   end
   return a == dims1 + 1
end

--- The product of two matrices, or of each pair of a batch.
--- @param transA,transB  true: the matrix is transposed first
local MM, Module = torch.class('nn.MM', 'nn.Module')

function MM:__init(transA, transB)
   Module.__init(self)
   self.transA, self.transB = transA or false, transB or false
   self.gradInput = {torch.Tensor(), torch.Tensor()}
end

local function product(to, batch, a, b)
   if batch then return torch.bmm(to, a, b) end
   return torch.mm(to, a, b)
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

--- The product of a matrix and a vector, or of each pair of a batch.
--- @param trans  true: the matrix is transposed first
local MV = torch.class('nn.MV', 'nn.Module')

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
