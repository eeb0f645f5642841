-- feed.batch_memory - a tensor for a batch: an old one is reused if it has the type and the sizes.
local torch = require 'torch'
local format = require 'torch.format'

--- @param d, n, sizes  dtype, number of dimensions, an int64_t array  @param out  a tensor to reuse, or nil
return function(d, n, sizes, out)
   if torch.isTensor(out) and out._dtype == d and out._device == 0 and out._ndim == n and out:isContiguous() then
      local k = 0
      while k < n and out._size[k] == sizes[k] do k = k + 1 end
      if k == n then return out end
   end
   return format.room(d, n, sizes)
end
