-- test/soak/errors.lua - raises errors in many places: ops, callbacks, modules, files, coroutines, and for want of memory.
local torch = require 'torch'
local nn = require 'nn'
local optim = require 'optim'
local C = require 'torch.lib'.C

local function object_that_fails()
   local Own = torch.class('soak.Fails', {})
   function Own.write() error 'write fails' end
   return setmetatable({}, Own)
end

return function(soak)
   local fails = soak.fails
   local x, n = torch.rand(20, 30), soak.round % 25 + 2
   for k = 1, 50 do
      fails('size', torch.mm, x, torch.rand(n, k))
      fails('narrow', x.narrow, x, 1, 15, 10 + k)
      fails('inverse', torch.inverse, torch.zeros(k + 1, k + 1))
      fails('wanted', x.apply, x, function() error 'wanted' end)
      fails('wanted', coroutine.wrap(function() torch.rand(k):map(torch.rand(k), function() error 'wanted' end) end))
   end
   local layer = nn.Module()
   function layer.updateOutput() error 'wanted' end
   local net = nn.Sequential():add(nn.Linear(30, n)):add(layer)
   fails('wanted', net.forward, net, x)
   fails('Linear', net.forward, net, torch.rand(4, 31))
   fails('wanted', optim.sgd, function() error 'wanted' end, torch.rand(5), {})
   fails('no/such', torch.load, '/no/such/file')
   fails('no/such', torch.save, '/no/such/file', x)
   local name = soak:file 'cut.t7'
   fails('write fails', torch.save, name, { x, object_that_fails() })
   local bytes = torch.serialize { x, net = nn.Linear(3, 4) }
   for k = 1, 20 do
      fails('deserialize', torch.deserialize, bytes:sub(1, (soak.round * 37 + k * 101) % (#bytes - 1)))
   end
   local f = assert(io.open(name, 'wb'))
   f:write(bytes:sub(1, #bytes / 2))
   f:close()
   fails('torch.load', torch.load, name)
   os.remove(name)
   collectgarbage()
   collectgarbage()
   local memory = C.th_memory_of(0)
   memory.most = memory.bytes + 1000
   local ok, why = pcall(torch.rand, 1000, n)
   memory.most = 0
   assert(not ok and why:find 'out of memory', why)
   fails('memory', torch.FloatTensor, 2 ^ 42)
end
