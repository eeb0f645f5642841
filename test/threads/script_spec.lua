-- test/threads/script_spec.lua - how scripts with pools and threads end, and what Ctrl-C does to them.
-- runs once: nothing here computes
local torch = require 'torch'
local plain = require 'test.support.launcher'
local temporary = require 'test.support.temporary'

teardown(temporary.remove)

describe('a script', function()
   it('may end without terminate, with jobs under way and in the queue', function()
      local timer = torch.Timer()
      local out, status = plain.th [[
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
      local out = plain.th [[
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
      local out = plain.th [[
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
