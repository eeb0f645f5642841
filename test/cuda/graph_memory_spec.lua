-- test/cuda/graph_memory_spec.lua - memory that graphs use stays as long as they exist.
-- runs once, on the plain build: the device does not depend on the level
-- runs alone on a GPU: it measures the memory that is free
local torch = require 'torch'
local nn = require 'nn'
local refuses = require 'test.support.refuses'
local device = require 'test.support.cuda.device'

if device.missing('memory of CUDA graphs', describe, pending) then return end
local cutorch = device.cutorch

describe('the memory of a CUDA graph', function()
   it('stays while the graph lives, whatever is freed and made beside it', function()
      local weight = torch.CudaTensor(64, 64):fill(1)
      local f = cutorch.graph(function(x) return torch.mm(x, weight):add(torch.mm(x, weight)):cmul(x) end)
      local x = torch.CudaTensor(64, 64):fill(2)
      f(x)
      f(x)
      weight:resize(1000, 1000):fill(7)                    -- its old memory goes back, but the graph reads it
      weight = nil
      for _ = 1, 5 do
         collectgarbage()
         for i = 1, 20 do torch.CudaTensor(64, 64):fill(i) end
         assert.same(2 * 64 * 2 * 2, f(x):min())
         assert.same(2 * 64 * 2 * 2, f(x):max())
      end
   end)

   it('is the same after many graphs as before them', function()
      local x = torch.CudaTensor(100, 100):fill(1)
      local function some()
         local sum = 0
         for _ = 1, 3 do
            local f = cutorch.graph(function(y) return torch.mm(y, y):add(y) end)
            f(x)
            f(x)
            sum = f(x):sum()
         end
         for _ = 1, 3 do
            collectgarbage()
            torch.memory()
         end
         cutorch.synchronizeAll()
         cutorch.deviceReset()                                 -- what is idle is free, too
         return sum, (cutorch.getMemoryUsage())
      end
      some()
      local _, first = some()
      for _ = 1, 3 do
         local sum, free = some()
         assert.equal(101 * 100 * 100, sum)
         assert.equal(first, free)
      end
   end)

   it('of results is its own, though modules take more for a larger batch', function()
      local net = nn.Concat(2):add(nn.Linear(3, 2)):add(nn.Linear(3, 2)):cuda()
      local twin = net:clone()
      local f = cutorch.graph(function(y) return net:forward(y) end)
      for _, n in ipairs{ 4, 4, 50, 4, 2, 50, 2, 4 } do
         local y = torch.CudaTensor(n, 3):uniform()
         net:forward(torch.CudaTensor(60, 3):fill(9))
         assert.is_true(twin:forward(y):equal(f(y)))
      end
   end)

   it('of results stays, though the caller makes them larger or takes them from their table', function()
      local f = cutorch.graph(function(y) return y * 2, { y + 1 } end)
      local y = torch.CudaTensor(2, 3)
      for k = 1, 6 do
         local a, b = f(y:fill(k))
         assert.equal(2 * k * 6, a:sum())
         assert.equal((k + 1) * 6, b[1]:sum())
         b[1] = nil
         a:resize(k % 2 == 0 and 100 or 6):fill(7)
      end
   end)

   it('belongs to results that outlive the graph', function()
      local x = torch.CudaTensor(50):fill(3)
      local f = cutorch.graph(function(y) return y * 2 end)
      f(x)
      local y = f(x)
      f:reset()
      assert.equal(0, (f:count()))
      collectgarbage()
      collectgarbage()
      for _ = 1, 10 do torch.CudaTensor(50):fill(9) end
      assert.equal(300, y:sum())
   end)

   it('is taken once: what is freed while a graph is recorded serves the next that wants some', function()
      local f = cutorch.graph(function(x)
         for k = 1, 50 do
            local y = x * 1.01
            if k > 1 then x:free() end
            x = y
         end
         return x
      end)
      local x = torch.CudaTensor(1000):fill(1)
      f(x)
      f(x)
      local _, nodes, bytes = f:count()
      assert.is_true(nodes >= 50)
      assert.is_true(bytes >= 4000 and bytes < 50 * 4000 / 4)
   end)

   -- Numbers that a tensor can have, but not two.
   local function most()
      cutorch.deviceReset()
      return math.floor(0.6 * cutorch.getMemoryUsage() / 4)
   end

   it('is taken once more where it was short, when what the recording before kept has been given back', function()
      local half = most()
      local held, recordings = torch.CudaTensor(half):fill(1), 0
      local f = cutorch.graph(function(x)
         recordings = recordings + 1
         if recordings > 1 then
            held = nil                                       -- a graph keeps what is given back while it is recorded
            collectgarbage()
            torch.memory()
            held = torch.CudaTensor(half):fill(2)
         end
         return x + held:narrow(1, 1, 2)
      end)
      local x = torch.CudaTensor{ 1, 2 }
      f(x)
      assert.same({ 3, 4 }, f(x):totable())
      assert.equal(3, recordings)
      assert.same({ 5, 6 }, f(x + 2):totable())
      f:reset()
   end)

   it('that is short again is an error, after which the device works on', function()
      local much, recordings = most(), 0
      local f = cutorch.graph(function(x)
         recordings = recordings + 1
         local a = torch.CudaTensor(recordings == 1 and 1 or much)
         local b = torch.CudaTensor(recordings == 1 and 1 or much)
         return x + a:narrow(1, 1, 1):zero() + b:narrow(1, 1, 1):zero()
      end, { fallback = true })
      local x = torch.CudaTensor{ 1 }
      f(x)
      refuses('out of memory on CUDA device 1', function() f(x) end)
      assert.equal(3, recordings)
      assert.equal(0, (f:count()))
      assert.equal(much, torch.CudaTensor(much):fill(1):sum())
   end)

   it('that a failed recording has not written holds no numbers', function()
      local made, fail = {}, false
      local f = cutorch.graph(function(x)
         if fail then
            for i, ty in ipairs{ 'Cuda', 'CudaDouble', 'CudaHalf', 'CudaBFloat16', 'CudaLong' } do
               made[i] = made[i] or torch[ty .. 'Tensor'](3):fill(1)
            end
            x:sum()
         end
         return x * 2
      end)
      local x = torch.CudaTensor{ 1, 2 }
      f(x)
      fail = true
      refuses('sum: a CUDA graph cannot record this', function() f(x) end)
      for i = 1, 4 do assert.equal(3, made[i]:ne(made[i]):sum()) end
      assert.equal(-3, made[5]:sum())
   end)
end)
