-- test/threads_pool_spec.lua - the package threads: pools, what goes to their threads and back, errors, mutexes, queues.
-- runs once: nothing here computes
local ffi = require 'ffi'
local torch = require 'torch'
local threads = require 'threads'
local tds = require 'tds'
local feed = require 'test.feed'
local plain = require 'test.plain'
local refuses = require 'test.refuses'
local temporary = require 'test.temporary'

teardown(temporary.remove)

-- What a script prints that th runs, within 20 seconds.
local function th(text, before)
   local name = temporary.put(text, '.lua')
   local p = io.popen(("%s timeout 20 '%s' %s 2>&1; echo \"status $?\""):format(before or '', feed.TH, name))
   local out, status = p:read '*a':match '^(.*)status (%d+)\n$'
   p:close()
   return out, tonumber(status)
end

local pool
local function new(...)
   pool = threads.Threads(...)
   return pool
end
after_each(function()
   threads.serialization 'threads.serialize'
   if pool then pcall(pool.terminate, pool) end
   pool = nil
end)

-- The results of a job.
local function result(f, ...)
   local r
   pool:addjob(f, function(...) r = { n = select('#', ...), ... } end, ...)
   pool:synchronize()
   return r
end

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
   it('gives each thread random numbers of its own', function()
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
      local r
      pool, r = threads.Threads(3, function(id) _G.first = id end, function(id) return _G.first * 10, id end)
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
   it('lets callbacks add jobs, thousands in a row', function()
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

describe('errors of a pool', function()
   it('have the traceback of the thread, also those of callbacks', function()
      new(1)
      pool:addjob(function()
         local function inside() error 'my reason' end
         inside()
      end)
      local why = refuses('[thread 1 callback] ', pool.synchronize, pool)
      assert(why:find('my reason', 1, true) and why:find('stack traceback', 1, true) and why:find("in function 'inside'", 1, true), why)
      assert.is_true(pool:haserror())
      pool:synchronize()
      assert.is_false(pool:haserror())
      pool:addjob(function() return 1 end, function() error 'other reason' end)
      why = refuses('[thread 1 endcallback] ', pool.synchronize, pool)
      assert(why:find('other reason', 1, true) and why:find('stack traceback', 1, true), why)
      assert.equal(2, result(function() return 2 end)[1])
   end)
   it('are raised one by one, and none is lost', function()
      new(2)
      local n, bad = 0, {}
      for i = 1, 40 do
         pool:addjob(function() return i % 4 == 0 and error('reason ' .. i) or 1 end, function(r) n = n + r end)
      end
      while pool:hasjob() do
         local ok, why = pcall(pool.synchronize, pool)
         if not ok then bad[#bad + 1] = why:match 'reason %d+' end
      end
      assert.equal(30, n)
      assert.equal(10, #bad)
   end)
   it('do not keep terminate from doing the rest and ending the threads', function()
      local before = feed.threads()
      new(1)
      local n = 0
      pool:addjob(function() error 'my reason' end)
      for _ = 1, 5 do pool:addjob(function() return 1 end, function(r) n = n + r end) end
      refuses('my reason', pool.terminate, pool)
      assert.equal(5, n)
      assert.is_false(pool:isrunning())
      assert.equal(before, feed.threads_become(before))
   end)
   it('come from start functions, too, and end the threads', function()
      local before = feed.threads()
      refuses('[thread 1 init] ', threads.Threads, 1, function() error 'my reason' end)
      assert.equal(before, feed.threads_become(before))
   end)
   it('say which value cannot go to a thread, and where it is', function()
      new(1)
      local stuck = { deep = { coroutine.create(function() end) } }
      local line = debug.getinfo(1, 'l').currentline + 1
      local function job() return stuck end
      local place = ('the variable stuck of the function at test/threads_pool_spec.lua:%d.deep'):format(line)
      refuses(place .. ' cannot go to another thread: it is a thread', pool.addjob, pool, job)
      refuses('the variable pool of the function at', pool.addjob, pool, function() return pool end)
      refuses('cannot go to another thread: it is a threads.Threads', pool.addjob, pool, function() return pool end)
      refuses('argument 3 cannot go to another thread: it is a cdata', pool.addjob, pool, function() end, nil, ffi.new 'int[3]')
      assert.is_false(pool:hasjob())
      pool:addjob(function() return coroutine.create(function() end) end)
      refuses('argument 2 cannot go to another thread: it is a thread', pool.synchronize, pool)
      pool:addjob(function() return io.stdout end)
      refuses('[thread 1 callback] ', pool.synchronize, pool)
      assert.equal(1, result(function() return 1 end)[1])
   end)
   it('say that a thread does not know a class', function()
      local home = {}
      torch.class('threads_pool_spec.Unknown', home)
      new(1)
      pool:addjob(function(x) return x end, nil, home.Unknown())
      refuses('the class threads_pool_spec.Unknown is unknown in this thread: require its package there', pool.synchronize, pool)
      assert.equal(1, result(function() return 1 end)[1])
   end)
   it('say that a thread has ended; the others do their jobs', function()
      ffi.cdef 'void pthread_exit(void *result);'
      local die = function()
         local c = require 'ffi'
         c.cdef 'void pthread_exit(void *result);'
         c.C.pthread_exit(nil)
      end
      new(2)
      pool:addjob(die)
      refuses('its thread has ended', pool.synchronize, pool)
      local n = 0
      for _ = 1, 20 do pool:addjob(function() return 1 end, function(r) n = n + r end) end
      pool:synchronize()
      assert.equal(20, n)
      pool:addjob(die)
      refuses('its thread has ended', pool.synchronize, pool)
      assert.is_false(pool:hasjob())
      refuses('all threads have ended', pool.addjob, pool, function() end)
      pool:synchronize()
      pool:terminate()
      new(2)
      pool:specific(true)
      pool:addjob(2, die)
      pool:addjob(2, function() end)
      refuses('[thread 2 callback] its thread has ended', pool.synchronize, pool)
      pool:synchronize()
      refuses('threads.Threads:addjob: thread 2 has ended', pool.addjob, pool, 2, function() end)
      pool:addjob(1, function() return 1 end, function(r) n = n + r end)
      pool:synchronize()
      assert.equal(21, n)
   end)
   it('say that a thread had no memory for a result, and nothing waits for that', function()
      new(1)
      -- The C library of the thread as one that asks for more memory than there is.
      pool:addjob(function()
         local serve, debug = require 'threads.serve', debug
         local function variable(f, wanted)
            for i = 1, 60 do
               local name, value = debug.getupvalue(f, i)
               if name == wanted then return value, i end
            end
         end
         local answer_to = variable(serve.serve, 'answer_to')
         local C, place = variable(answer_to, 'C')
         local short = setmetatable({ th_sync_reply = function(queue, id, message, bytes)
            debug.setupvalue(answer_to, place, C)
            return C.th_sync_reply(queue, id, message, bytes, 2 ^ 60)
         end }, { __index = C })
         debug.setupvalue(answer_to, place, short)
         return torch.ones(5)
      end)
      refuses('[thread 1 callback] no memory left for the results of the job', pool.synchronize, pool)
      assert.is_false(pool:hasjob())
      assert.equal(3, result(function() return 3 end)[1])
   end)
   it('of a pool in a child process are errors, and nothing hangs', function()
      local out = th [[
         local threads, ffi = require 'threads', require 'ffi'
         ffi.cdef 'int fork(void); int waitpid(int, int *, int); void _exit(int);'
         local pool = threads.Threads(2)
         io.stdout:flush()
         local child = ffi.C.fork()
         if child == 0 then
            io.write(tostring(select(2, pcall(pool.addjob, pool, function() end))), '\n')
            io.stdout:flush()
            ffi.C._exit(0)
         end
         ffi.C.waitpid(child, nil, 0)
         pool:terminate()
         print 'done'
      ]]
      assert.equal('the threads of this pool belong to another process\ndone\n', out)
   end)
end)

describe('a script', function()
   it('may end without terminate, with jobs under way and in the queue', function()
      local timer = torch.Timer()
      local out, status = th [[
         local threads = require 'threads'
         local pool = threads.Threads(2, function() require 'torch' end)
         pool:addjob(function() while true do end end)
         pool:addjob(function() return torch.ones(3) end)
         pool:addjob(function() return torch.ones(3) end)
         print 'end'
      ]]
      assert.equal('end\n', out)
      assert.equal(0, status)
      assert.is_true(timer:time().real < 10)
   end)
   it('may be interrupted while it synchronizes, and continue', function()
      local out = th [[
         local threads, ffi = require 'threads', require 'ffi'
         ffi.cdef 'int getpid(void);'
         local pool = threads.Threads(1)
         local n = 0
         pool:addjob(function()
            require 'torch'
            local timer = torch.Timer()
            while timer:time().real < 1.2 do end
            return 5
         end, function(r) n = r end)
         os.execute(('(sleep 0.4; kill -INT %d) &'):format(ffi.C.getpid()))
         print(select(2, pcall(pool.synchronize, pool)))
         print(pool:hasjob())
         pool:synchronize()
         print(n)
         pool:terminate()
      ]]
      assert(out:find 'interrupted' and out:find 'true\n5\n$', out)
   end)
   it('may be interrupted while it waits for a mutex or a condition', function()
      local out = th [[
         local threads, ffi = require 'threads', require 'ffi'
         ffi.cdef 'int getpid(void);'
         local m, c = threads.Mutex(), threads.Condition()
         m:lock()
         os.execute(('(sleep 0.4; kill -INT %d) &'):format(ffi.C.getpid()))
         print(select(2, pcall(c.wait, c, m)))
         m:unlock()
         local held = threads.AtomicCounter()
         local t = threads.Thread(([=[
            local threads = require 'threads'
            threads.Mutex(%d):lock()
            threads.AtomicCounter(%d):inc()
            while true do end]=]):format(m:id(), held:id()))
         local timer = torch.Timer()
         while timer:time().real < 1.5 or held:get() == 0 do end      -- two interrupts within a second end th
         os.execute(('(sleep 0.4; kill -INT %d) &'):format(ffi.C.getpid()))
         print(select(2, pcall(m.lock, m)))
         print 'end'
      ]]
      assert(out:find 'interrupted.*interrupted.*end\n$', out)
   end)
end)

describe('a script of plain LuaJIT', function()
   it('may end while its threads compute for a long time', function()
      local out, status = plain.luajit [[
         local threads, torch = require 'threads', require 'torch'
         Pool = threads.Threads(2, function() require 'torch' end)
         local begun = threads.AtomicCounter()
         for _ = 1, 2 do
            Pool:addjob(function()
               local timer, x = torch.Timer(), torch.randn(50, 50)
               begun:inc()
               while timer:time().real < 20 do x:mm(x, x):fill(1) end
            end)
         end
         while begun:get() < 2 do end
         print 'end'
      ]]
      if not out then return pending(plain.PENDING) end
      assert.equal('end\n', out)
      assert.equal(0, status)
   end)
   it('may end without terminate, with jobs under way and in the queue', function()
      local out, status = plain.luajit [[
         local threads, torch = require 'threads', require 'torch'
         threads.serialization 'threads.sharedserialize'
         Pool, Other = threads.Threads(2, function() require 'torch' end), threads.Threads(1)
         for i = 1, 12 do Pool:addjob(function() return torch.ones(i) end, function() end) end
         for _ = 1, 2 do Other:addjob(function(t) return t end, nil, torch.ones(1000)) end
         print 'end'
      ]]
      if not out then return pending(plain.PENDING) end
      assert.equal('end\n', out)
      assert.equal(0, status)
   end)
   it('ends with the error of a job that it has not caught, while others are in the queue', function()
      local out, status = plain.luajit [[
         local pool = require 'threads'.Threads(2)
         pool:addjob(function() return 1 end, function() error 'my reason' end)
         for _ = 1, 2 do pool:addjob(function() for _ = 1, 1e7 do end end) end
         pool:synchronize()
      ]]
      if not out then return pending(plain.PENDING) end
      assert(out:find('endcallback]', 1, true) and out:find('my reason', 1, true), out)
      assert.equal(1, status)
   end)
   it('may be interrupted while it synchronizes, and continue', function()
      local out, status = plain.luajit [[
         local threads, ffi = require 'threads', require 'ffi'
         ffi.cdef 'int getpid(void);'
         local pool, n = threads.Threads(1), 0
         pool:addjob(function()
            local timer = require 'torch'.Timer()
            while timer:time().real < 1.2 do end
            return 5
         end, function(r) n = r end)
         os.execute(('(sleep 0.4; kill -INT %d) &'):format(ffi.C.getpid()))
         print(select(2, pcall(pool.synchronize, pool)))
         pool:synchronize()
         print(n)
      ]]
      if not out then return pending(plain.PENDING) end
      assert(out:find 'interrupted' and out:find '\n5\n$', out)
      assert.equal(0, status)
   end)
end)

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
         while go:get() < 2 do end
         return t:sum()
      end, nil, x)
      while go:get() < 1 do end
      refuses('in another thread cannot grow', x.resize, x, 1000)
      go:inc()
      pool:synchronize()
      x:resize(1000)
      pool:addjob(function(t) t:resize(5000) end, nil, x)
      refuses('in another thread cannot grow', pool.synchronize, pool)
      go:free()
   end)
   it('lets shared tensors grow as soon as the result of the job has come', function()
      new(1, function() jit.off() end)                           -- a slow thread, which has many tensors to let go
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
      threads.serialization 'test.threads_own'
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

describe('threads.Mutex, Condition and AtomicCounter', function()
   it('are the same object in every thread', function()
      new(3)
      local m, n, file = threads.Mutex(), threads.AtomicCounter(), temporary.put '0'
      for _ = 1, 30 do
         pool:addjob(function()
            m:lock()
            local f = io.open(file)
            local x = tonumber(f:read '*a')
            f:close()
            f = io.open(file, 'w')
            f:write(x + 1)
            f:close()
            m:unlock()
            n:inc()
         end)
      end
      pool:synchronize()
      assert.equal('30', temporary.get(file))
      assert.equal(30, n:get())
      assert.equal(m, threads.Mutex(m:id()))
      assert.equal(30, n:dec(2))
      n:set(5)
      assert.equal(5, threads.AtomicCounter(n:id()):get())
      m:free()
      n:free()
   end)
   it('wake the threads that wait', function()
      new(3)
      local m, c, n = threads.Mutex(), threads.Condition(), threads.AtomicCounter()
      local open = torch.zeros(1)
      threads.serialization 'threads.sharedserialize'
      pool:terminate()
      new(3)
      for _ = 1, 3 do
         pool:addjob(function()
            m:lock()
            n:inc()
            while open[1] == 0 do c:wait(m) end
            m:unlock()
            return n:inc()
         end)
      end
      while n:get() < 3 do end
      m:lock()
      open[1] = 1
      c:signal()
      c:broadcast()
      m:unlock()
      pool:synchronize()
      assert.equal(6, n:get())
   end)
   it('refuse what would hang or crash', function()
      local m, c = threads.Mutex(), threads.Condition()
      m:lock()
      refuses('threads.Mutex:lock: this thread holds it already', m.lock, m)
      m:unlock()
      refuses('threads.Mutex:unlock: this thread does not hold it', m.unlock, m)
      refuses('threads.Mutex:unlock: this thread does not hold it', c.wait, c, m)
      refuses('threads.Condition:wait: mutex must be a threads.Mutex, got', c.wait, c, 5)
      refuses('threads.Mutex: there is none with the number 1e+15', threads.Mutex, 1e15)
      refuses('threads.Condition: there is none with the number', threads.Condition, m:id())
      refuses('threads.Mutex: there is none with the number nan', threads.Mutex, 0 / 0)
      refuses('threads.Mutex: id must be a number, got', threads.Mutex, 'x')
      local id = m:id()
      m:lock()
      m:free()
      refuses('it has been freed', m.lock, m)
      refuses('it has been freed', m.free, m)
      refuses('there is none with the number', threads.Mutex, id)
      refuses('n must be a whole number', threads.AtomicCounter().inc, threads.AtomicCounter(), 0.5)
      c:free()
   end)
   it('say that the thread that held a mutex has ended', function()
      local m = threads.Mutex()
      threads.Thread(('require "threads".Mutex(%d):lock()'):format(m:id())):free()
      refuses('threads.Mutex:lock: the thread that held it has ended', m.lock, m)
      m:lock()
      m:unlock()
      m:free()
   end)
end)

describe('threads.safe', function()
   it('unlocks when the function fails, and keeps results behind a nil', function()
      local m = threads.Mutex()
      local f = threads.safe(function(x) return x or error 'my reason', nil, 2 end, m)
      refuses('my reason', f)
      assert.same({ 1, nil, 2 }, { f(1) })
      m:lock()
      m:unlock()
      m:free()
   end)
end)

describe('threads.Queue', function()
   it('brings calls to another thread', function()
      local Queue = require 'threads.queue'
      local q, back = Queue(2, 'threads.serialize'), Queue(1, 'threads.sharedserialize')
      new(1)
      local x = torch.zeros(2)
      pool:addjob(function()
         back:addjob(function(t) return t end, (q:dojob()))
         return q:id()
      end, function(id) assert.equal(q:id(), id) end)
      q:addjob(function(t) return t:add(1) end, x)
      assert.same({ 1, 1 }, back:dojob():totable())
      pool:synchronize()
      assert.same({ 0, 0 }, x:totable())
      assert.same({ 2, 'threads.serialize', 1, 0 }, { q.size, q.serialize, q.isempty, q.isfull })
      refuses('threads.Queue:addjob: func must be a function, got', q.addjob, q, 5)
      refuses('threads.Queue: size must be a positive number', Queue, 0, 'threads.serialize')
      refuses("threads.Queue: serialization must be 'threads.serialize' or", Queue, 1, 'x')
      refuses('threads.Queue: there is none with the number 1e+15', Queue, 1e15)
   end)
end)

describe('threads.Thread', function()
   it('raises errors of its code when it is freed', function()
      local t = threads.Thread 'error "my reason"'
      refuses('my reason', t.free, t)
      t:free()
      t = threads.Thread 'x ='
      refuses('unexpected symbol', t.free, t)
      refuses('threads.Thread: code must be a string, got', threads.Thread, 5)
   end)
end)
