-- nn/support/dims.lua - maps a dimension of one sample to the dimension of a batch.
local torch = require 'torch'
local utils = require 'nn.utils'

local dims = {}

--- The dimension `dim` of an input: negative ones count from the end; one more when the input has one dimension more
-- than a sample has (nInputDims; nil or not positive: unknown). Refuses a dimension that does not exist.
function dims.of(self, input, dim, nInputDims)
   self:needTensor(input)
   if not dim then utils.fail(torch.typename(self) .. ': it was made without the dimension that it needs here') end
   local n, k = input:dim(), dim
   if k < 0 then
      k = n + k + 1
   elseif nInputDims and nInputDims > 0 and n == nInputDims + 1 then
      k = k + 1
   end
   if k < 1 or k > n then self:refuse('input', ('have a dimension %d'):format(dim), input) end
   return k
end

return dims
