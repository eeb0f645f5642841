-- nn/distance/row_wise.lua - shared code of distances to learned vectors: inputs as rows, results in the form of the input.
local torch = require 'torch'

-- The input as rows.
local function rows(self, input, n)
   local dim = torch.isTensor(input) and input:dim()
   if not ((dim == 1 or dim == 2) and input:size(dim) == n) then
      self:refuse('input', ('be a matrix with %d columns or a vector of %d'):format(n, n), input)
   end
   return dim == 2 and input or input:contiguous():view(1, -1)
end

-- Converts a result of rows to the form of the input.
local function like(input, result, to)
   to:resizeAs(result):copy(result)
   return input:dim() == 1 and to:resize(result:nElement()) or to
end

return { rows = rows, like = like }
