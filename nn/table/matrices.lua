-- nn/table/matrices.lua - shared code of products of two tensors: transposes, batches, the check of their inputs.
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

local function product(to, batch, a, b)
   if batch then return torch.bmm(to, a, b) end
   return torch.mm(to, a, b)
end

return { transposed = transposed, need = need, product = product }
