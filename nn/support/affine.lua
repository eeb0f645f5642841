-- nn/support/affine.lua - y = x W' + b for the rows of x.
local torch = require 'torch'

-- y = x weight' + bias; the bias is a vector or nil. On a device one op does both, because cublasLt
-- can add a row to a product.
local function affine(y, x, weight, bias)
   local rows, columns = x:size(1), weight:size(1)
   if not bias then return torch.mm(y, x, weight:t()) end
   if x._device ~= 0 and rows > 0 and bias:isContiguous() and bias._dtype == x._dtype then
      return torch.addmm(y, bias:view(1, columns):expand(rows, columns), x, weight:t())
   end
   torch.mm(y, x, weight:t())
   return y:add(bias:view(1, columns):expandAs(y))
end

return affine
