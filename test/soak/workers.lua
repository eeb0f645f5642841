-- test/soak/workers.lua - Lua states in threads come and go: some are closed, some forgotten, some end in an error.
local torch = require 'torch'
local worker = require 'torch.worker'

return function(soak)
   local x = torch.ones(2000)
   local first, second = worker.new 'test.support.worker_echo', worker.new('test.support.worker_echo', 4)
   first:ask('double', x)
   for k = 1, 4 do second:ask('count', k) end
   first:wait()
   assert(x:sum() == 4000)
   for k = 1, 4 do assert(second:wait() == k * (k + 1) / 2) end
   first:ask('fail', 'wanted')
   soak.fails('wanted', first.wait, first)
   first:ask('echo', { x, 'text', f = function() return x end })
   first:wait()
   first:ask('exec', function()
      local T, list = require 'torch', {}                        -- luacheck: ignore
      for i = 1, 2000 do list[i] = T.ones(3) end
   end)
   first:wait()
   first:close()
   second:share('echo', x)                                        -- forgotten with a request under way
end
