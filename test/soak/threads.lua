-- test/soak/threads.lua - pools of threads come and go, with jobs that fail, shared tensors and mutexes. A pool in three is
-- forgotten and not terminated.
local torch = require 'torch'
local threads = require 'threads'

return function(soak)
   threads.serialization(soak.round % 2 == 0 and 'threads.sharedserialize' or 'threads.serialize')
   local n = soak.round % 3 + 1
   local counter, mutex = threads.AtomicCounter(), threads.Mutex()
   local pool = threads.Threads(n, function(id)
      require 'torch'
      torch.manualSeed(id)
   end)
   local sum, x = 0, torch.ones(1000)
   for k = 1, 30 do
      pool:addjob(function()
         mutex:lock()
         counter:inc()
         mutex:unlock()
         local list = {}                                          -- luacheck: ignore
         for i = 1, 200 do list[i] = torch.ones(i % 20) end
         return torch.mm(torch.ones(20, 20), torch.ones(20, 20)):sum() + x:sum() + k
      end, function(v) sum = sum + v end)
   end
   pool:synchronize()
   assert(sum == 30 * 9000 + 465 and counter:get() == 30, sum)
   for _ = 1, 3 do pool:addjob(function() error 'wanted' end) end
   for _ = 1, 3 do soak.fails('wanted', pool.synchronize, pool) end
   pool:synchronize()
   if soak.round % 3 ~= 0 then pool:terminate() end
end
