-- test/threads/serialize_spec.lua - how values go to the threads of a pool and back: copied or shared.
-- runs once: nothing here computes
local torch = require 'torch'
local threads = require 'threads'
local tds = require 'tds'
local pools = require 'test.support.pools'
local refuses = require 'test.support.refuses'

after_each(pools.finish)

local pool
local function new(...) pool = pools.new(...) end
local function result(...) return pools.result(pool, ...) end

describe("'threads.serialize'", function()
   it('copies tensors, whose views of one storage stay together', function()
      new(1)
      local x = torch.range(1, 6):view(2, 3)
      local r = result(function(a, b, c)
         a:fill(7)
         return a, b, c:isContiguous()
      end, x, x:select(1, 2), x:t())
      assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, x:totable())
      assert.same({ 7, 7, 7 }, r[2]:totable())
      assert.is_false(r[3])
      r[1]:fill(1)
      assert.same({ 1, 1, 1 }, r[2]:totable())
   end)
   it('copies a lone view of a part as that part', function()
      new(1)
      local x = torch.range(1, 1000):view(10, 100)
      assert.equal(10, result(function(a) return a:storage():size() end, x:select(2, 3))[1])
      assert.same({ 3, 103 }, result(function(a) return a:narrow(1, 1, 2) end, x:select(2, 3))[1]:totable())
   end)
   it('copies objects with the tensors inside, and keeps what they share', function()
      require 'nn'
      new(1, function() require 'nn' end)
      local net = nn.Sequential():add(nn.Linear(3, 2))
      local w = net:get(1).weight
      local r = result(function(n, weight)
         weight:fill(2)
         n:get(1).bias:zero()
         return n:forward(torch.ones(3)), n
      end, net, w)
      assert.same({ 6, 6 }, r[1]:totable())
      assert.equal('nn.Sequential', torch.type(r[2]))
      assert.not_equal(2, w[1][1])
   end)
   it('brings tables that hold themselves and modules of Lua', function()
      new(1)
      local t = { 1 }
      t.itself = t
      local r = result(function(x, s) return rawequal(x, x.itself), s == string, x end, t, string)
      assert.is_true(r[1] and r[2])
      assert(rawequal(r[3], r[3].itself))
   end)
   it('leaves metatables behind that belong to no class', function()
      new(1)
      local r = result(function(t) return t.a, t.b end, setmetatable({ a = 1 }, { __index = { b = 2 } }))
      assert.same({ n = 2, 1, nil }, r)
   end)
end)

describe("'threads.sharedserialize'", function()
   before_each(function() threads.serialization 'threads.sharedserialize' end)

   it('shares tensors and storages inside of tables, functions and objects', function()
      require 'nn'
      new(1, function() require 'nn' end)
      local x, s, net = torch.zeros(2), torch.zeros(2):storage(), nn.Linear(1, 1)
      local function set(v) x:fill(v) end
      result(function(t)
         set(3)
         t.s[1] = 4
         t.net.weight:fill(5)
         t.h.x = t.half:fill(6)
      end, { s = s, net = net, h = tds.Hash(), half = x:narrow(1, 2, 1) })
      assert.same({ 3, 6 }, x:totable())
      assert.equal(4, s[1])
      assert.equal(5, net.weight[1][1])
   end)
   it('gives a tensor a reference that outlives the pool and the thread', function()
      new(1)
      local r = result(function() return torch.range(1, 1e5), torch.LongStorage { 1, 2 } end)
      pool:terminate()
      collectgarbage()
      collectgarbage()
      assert.equal(1e5 * (1e5 + 1) / 2, r[1]:sum())
      assert.equal(2, r[2][2])
   end)
   it('frees what jobs have shared, also of jobs that never ran', function()
      local memory = require 'torch.lib'.C.th_memory_of(0)
      collectgarbage()
      collectgarbage()
      local before = tonumber(memory.bytes)
      new(1)
      for _ = 1, 3 do result(function(t) return torch.ones(1e5), t end, torch.ones(1e5)) end
      pool:addjob(function()
         local timer = torch.Timer()
         while timer:time().real < 0.1 do end
      end)
      pool:addjob(function() end, nil, torch.ones(1e6))
      pool = nil
      local timer = torch.Timer()
      repeat
         collectgarbage()
         collectgarbage()
      until tonumber(memory.bytes) <= before + 1000 or timer:time().real > 10
      assert.is_true(tonumber(memory.bytes) <= before + 1000, tonumber(memory.bytes) - before)
   end)
   it('keeps shared memory in its place while a job works on it', function()
      new(1)
      local x, go = torch.ones(3), threads.AtomicCounter()
      pool:addjob(function(t)
         go:inc()
         local timer = require 'torch'.Timer()
         while go:get() < 2 and timer:time().real < 60 do end
         return t:sum()
      end, nil, x)
      while go:get() < 1 do end
      refuses('a storage whose elements a collective or another thread uses cannot grow', x.resize, x, 1000)
      go:inc()
      pool:synchronize()
      x:resize(1000)
      pool:addjob(function(t) t:resize(5000) end, nil, x)
      refuses('a storage whose elements a collective or another thread uses cannot grow', pool.synchronize, pool)
      go:free()
   end)
   it('lets shared tensors grow as soon as the result of the job has arrived', function()
      new(1, function() jit.off() end)                           -- a slow thread, which has many tensors to release
      local list, last = {}, nil
      for k = 1, 3000 do
         last = torch.ones(3)
         list[k] = last
      end
      for k = 1, 30 do
         pool:addjob(function(t) return #t end, nil, list)
         pool:synchronize()
         last:resize(1000 + k)
      end
   end)
   it('takes a module of the program in its place', function()
      refuses('threads.serialization: name must be the name of a module, got', threads.serialization, 5)
      refuses("threads.serialization: the module string must have functions save and load", threads.serialization, 'string')
      threads.serialization 'test.support.threads_codec'
      new(1)
      assert.same({ n = 3, 6, nil, 'x' }, result(function(a) return a + 1, nil, 'x' end, 5))
   end)
   it('loads what it has saved once, in any thread', function()
      local z = require 'threads.sharedserialize'
      local x = torch.zeros(2)
      local s = z.save { x }
      assert.equal('torch.CharStorage', torch.type(s))
      new(1)
      result(function() require 'threads.sharedserialize'.load(s)[1]:fill(3) end)
      assert.same({ 3, 3 }, x:totable())
      refuses('the object has been loaded already', z.load, s)
      refuses('the storage does not come from save', z.load, torch.CharStorage():string 'anything')
      refuses('storage must be a torch.CharStorage', z.load, 'x')
   end)
end)
