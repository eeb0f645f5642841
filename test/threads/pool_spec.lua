-- test/threads/pool_spec.lua - pools of the package threads: jobs and their callbacks.
-- runs once: nothing here computes
local torch = require 'torch'
local threads = require 'threads'
local feed = require 'test.support.feed'
local pools = require 'test.support.pools'
local refuses = require 'test.support.refuses'

after_each(pools.finish)

local pool
local function new(...)
   local results
   pool, results = pools.new(...)
   return pool, results
end
local function result(...) return pools.result(pool, ...) end

describe('threads.Threads', function()
   it('runs jobs while the caller computes, and takes the next one by itself', function()
      new(1)
      local shared = threads.AtomicCounter()
      for _ = 1, 2 do
         if not pool:acceptsjob() then break end
         pool:addjob(function() shared:inc() end)
      end
      local timer = torch.Timer()
      while shared:get() < 1 and timer:time().real < 10 do end
      pool:addjob(function() shared:inc() end)
      while shared:get() < 2 and timer:time().real < 10 do end
      assert.is_true(shared:get() >= 2)
      pool:synchronize()
      shared:free()
   end)
   it('brings arguments and results behind a nil', function()
      new(1)
      assert.same({ n = 4, 3, nil, 'x', nil }, result(function(...) return select('#', ...), ... end, nil, 'x', nil))
   end)
   it('gives its threads what th gives to programs, the paths and the type of tensors', function()
      torch.setdefaulttensortype 'torch.FloatTensor'
      local path = package.path
      package.path = './nowhere/?.lua;' .. path
      new(1)
      package.path = path
      torch.setdefaulttensortype 'torch.DoubleTensor'
      local r = result(function() return type(torch.Tensor()), torch.type(torch.Tensor()), package.path end)
      assert.same({ n = 3, 'userdata', 'torch.FloatTensor', './nowhere/?.lua;' .. path }, r)
   end)
   it('takes functions of the program that are global here, and not in the thread', function()
      new(1)
      local function double(x) return 2 * x end
      rawset(_G, 'threads_pool_global', double)
      package.loaded.threads_pool_nothing = true             -- a new package: the names of functions are looked at anew
      local r = result(double, 4)
      rawset(_G, 'threads_pool_global', nil)
      package.loaded.threads_pool_nothing = nil
      assert.equal(8, r[1])
      assert.is_true(result(function(f) return f == require 'torch.original'.type end, require 'torch.original'.type)[1])
   end)
   it('counts memory that its threads have freed, and keeps nothing of them', function()
      local memory = require 'torch.lib'.C.th_memory_of
      local function storages()
         collectgarbage()
         collectgarbage()
         require 'torch.lib'.sweep()
         return tonumber(memory(0).storages)
      end
      local before = storages()
      new(1)
      for _ = 1, 30 do pool:addjob(function(t) return t:sum() end, nil, torch.ones(10)) end
      pool:addjob(function() require 'torch.lib'.collect() end)
      pool:synchronize()
      pool:terminate()
      assert.equal(before, storages())
   end)
   it('gives each thread separate random numbers', function()
      new(2)
      pool:specific(true)
      local seeds = {}
      for i = 1, 2 do pool:addjob(i, function() return torch.random() end, function(r) seeds[i] = r end) end
      torch.manualSeed(5)
      local mine = torch.random()
      torch.manualSeed(5)
      pool:addjob(1, function() torch.manualSeed(7) end)
      pool:synchronize()
      assert.equal(mine, torch.random())
      assert.not_equal(seeds[1], seeds[2])
   end)
   it('calls every start function with the number of the thread, and returns what the last returned', function()
      local _, r = new(3, function(id) _G.first = id end, function(id) return _G.first * 10, id end)
      assert.same({ { 10, 1 }, { 20, 2 }, { 30, 3 } }, r)
   end)
   it('holds so many jobs that a caller who only adds them does not run out of memory', function()
      new(2)
      for _ = 1, 100 do
         if pool:acceptsjob() then pool:addjob(function() end) end
      end
      local timer = torch.Timer()
      while timer:time().real < 0.2 do end
      local added = 0
      while pool:acceptsjob() and added < 100 do
         pool:addjob(function() end)
         added = added + 1
      end
      assert.is_true(added < 100)
   end)
   it('calls no callback in addjob while results have room', function()
      new(2)
      local got = 0
      local function add() pool:addjob(function() end, function() got = got + 1 end) end
      add()
      add()
      for i = 1, 50 do
         add()
         assert.equal(i - 1, got)
         pool:dojob()
         assert.equal(i, got)
      end
   end)
   it('calls callbacks in addjob where a job waits for one', function()
      new(1)
      local go = threads.AtomicCounter()
      pool:addjob(function() end, function() go:inc() end)
      for _ = 1, 3 do
         pool:addjob(function() while go:get() == 0 do end end)
      end
      pool:synchronize()
      assert.equal(1, go:get())
   end)
   it('lets callbacks add jobs, thousands one after another', function()
      new(2)
      local n = 0
      local function again()
         n = n + 1
         if n < 3000 then pool:addjob(function() end, again) end
         if n == 10 then for _ = 1, 50 do pool:addjob(function() end) end end
      end
      pool:addjob(function() end, again)
      pool:synchronize()
      assert.equal(3000, n)
   end)
   it('may be terminated by a callback', function()
      new(3)                                                  -- each job has its place: addjob calls no callback
      local n = 0
      local function stop()
         n = n + 1
         pool:terminate()
      end
      for _ = 1, 3 do pool:addjob(function() end, stop) end
      pool:synchronize()
      assert.equal(3, n)
      new(1)
      refuses('the threads have been terminated', function()
         for _ = 1, 100 do pool:addjob(function() end, stop) end
         pool:synchronize()
         pool:addjob(function() end)
      end)
   end)
   it('may have a pool inside of a job', function()
      new(1)
      assert.equal(7, result(function()
         local inner, r = require 'threads'.Threads(2), nil
         inner:addjob(function() return 7 end, function(v) r = v end)
         inner:terminate()
         return r
      end)[1])
   end)
   it('ends its threads when it is terminated or forgotten', function()
      local before = feed.threads()
      new(3)
      assert.equal(before + 3, feed.threads())
      pool:terminate()
      assert.equal(before, feed.threads_become(before))
      new(3)
      pool:addjob(function() return torch.ones(10) end)
      pool = nil
      collectgarbage()
      collectgarbage()
      assert.equal(before, feed.threads_become(before))
   end)
   it('does every job that was added before terminate', function()
      new(1)
      local n = 0
      for _ = 1, 30 do pool:addjob(function() return 1 end, function(r) n = n + r end) end
      pool:terminate()
      assert.equal(30, n)
   end)
   it('says what it is', function()
      new(2)
      assert.equal('threads.Threads <2 threads>', tostring(pool))
      pool:terminate()
      assert.equal('threads.Threads <2 threads, terminated>', tostring(pool))
   end)
   it('refuses wrong arguments', function()
      for _, n in ipairs { 0, -1, 1.5, 0 / 0, math.huge, 'x' } do
         refuses('threads.Threads: n must be a number of threads, 1 to 1024, got', threads.Threads, n)
      end
      refuses('threads.Threads: init 1 must be a function, got', threads.Threads, 1, 'x')
      new(2)
      refuses('threads.Threads:addjob: callback must be a function, got', pool.addjob, pool, 'x')
      refuses('threads.Threads:addjob: endcallback must be a function, got', pool.addjob, pool, function() end, 'x')
      refuses('threads.Threads:specific: flag must be true or false, got', pool.specific, pool, 1)
      pool:specific(true)
      for _, id in ipairs { 0, 3, 1.5, 'x', 0 / 0 } do
         refuses('threads.Threads:addjob: id must be the number of a thread, 1 to 2, got', pool.addjob, pool, id, function() end)
         refuses('threads.Threads:acceptsjob: id must be the number of a thread, 1 to 2, got', pool.acceptsjob, pool, id)
      end
      pool:terminate()
      for _, name in ipairs { 'addjob', 'dojob', 'hasjob', 'specific', 'acceptsjob' } do
         refuses(('threads.Threads:%s: the threads have been terminated'):format(name), pool[name], pool, function() end)
      end
   end)
end)
