-- test/threads/errors_spec.lua - errors of pools: of jobs, of callbacks, of threads that end.
-- runs once: nothing here computes
local ffi = require 'ffi'
local torch = require 'torch'
local threads = require 'threads'
local feed = require 'test.support.feed'
local plain = require 'test.support.launcher'
local pools = require 'test.support.pools'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'

teardown(temporary.remove)
after_each(pools.finish)

local pool
local function new(...) pool = pools.new(...) end
local function result(...) return pools.result(pool, ...) end

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
      local place = ('the variable stuck of the function at test/threads/errors_spec.lua:%d.deep'):format(line)
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
      torch.class('errors_spec.Unknown', home)
      new(1)
      pool:addjob(function(x) return x end, nil, home.Unknown())
      refuses('the class errors_spec.Unknown is unknown in this thread: require its package there', pool.synchronize, pool)
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
      local out = plain.th [[
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
