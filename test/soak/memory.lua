-- test/soak/memory.lua - makes and forgets tensors, views and storages of many sizes, with and without the help of the collector.
local torch = require 'torch'

return function(soak)
   local kept = {}
   for k = 1, 4000 do
      local n = (k * 7919 + soak.round * 104729) % 3000 + 1
      kept[k % 100 + 1] = torch.FloatTensor(n):fill(k):narrow(1, 1, (n + 1) / 2)
   end
   for k = 1, 8 do
      local n = (k * 7919 + soak.round * 104729) % 100000 + 1
      local x = torch.rand(n)
      kept[k] = x:sort()
      assert(kept[k][1] <= kept[k][n])
      x:storage():resize(n * 2)
      x:set()
   end
   local sum = torch.zeros(3)
   for _ = 1, 20000 do sum = sum + 1 end
   assert(sum:sum() == 60000)
end
