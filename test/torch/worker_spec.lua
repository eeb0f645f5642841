-- test/torch/worker_spec.lua - Lua states in threads: transfer of values, errors, threads that end.
-- runs once: nothing here computes
local ffi = require 'ffi'
local torch = require 'torch'
local parcel = require 'torch.parcel'
local worker = require 'torch.worker'
local patience = require 'test.support.patience'
local plain = require 'test.support.launcher'
local temporary = require 'test.support.temporary'

ffi.cdef 'void pthread_exit(void *result);'

teardown(temporary.remove)

local function through(...) return parcel.unpack((parcel.pack(...))) end

describe('torch.parcel', function()
   it('brings numbers, texts, booleans, nil and nested tables as they are', function()
      local a, b, c, d, e = through(1 / 3, 'a\0:b.', nil, true, { 1, x = { 'y', [2.5] = false } })
      assert.same({ 1 / 3, 'a\0:b.', true }, { a, b, d })
      assert.is_nil(c)
      assert.same({ 1, x = { 'y', [2.5] = false } }, e)
      local inf, nan = through(-math.huge, 0 / 0)
      assert.equal(-math.huge, inf)
      assert(nan ~= nan)
   end)
   it('shares the elements of tensors, whatever their layout', function()
      local x = torch.range(1, 6):view(2, 3)
      local s, kept = parcel.pack(x:t():narrow(1, 2, 2))
      local y = parcel.unpack(s)
      assert.equal(1, #kept)
      y[1][1] = 20
      assert.equal(20, x[1][2])
   end)
   it('brings functions with their variables, tables that hold themselves, and what packages hold', function()
      local count, concat = 3, table.concat
      local function f(n) return n <= 0 and count or concat({ n, 'x' }) end
      assert.equal('2x', through(f)(2))
      assert.equal(3, through(f)(0))
      local t = { f }
      t.itself = t
      local back = through(t)
      assert(rawequal(back, back.itself))
      assert(rawequal(torch, through(torch)))
      assert(rawequal(torch.Timer, through(torch.Timer)))
   end)
   it('brings functions that th has replaced, and those of Lua behind them', function()
      local original = require 'torch.original'
      assert.same({ type, original.type, print, pairs }, { through(type, original.type, print, pairs) })
   end)
   it('copies objects as torch.serialize does', function()
      local timer = torch.Timer()
      assert.equal('torch.Timer', torch.type(through(timer)))
   end)
   it('refuses what has no copy, and says where it is', function()
      local thread = coroutine.create(function() end)
      assert.has_error(function() parcel.pack(1, { a = { thread } }) end,
         'argument 2.a cannot go to another thread: it is a thread')
      local line = debug.getinfo(1, 'l').currentline + 1
      local f = function() return thread end
      assert.has_error(function() parcel.pack { x = setmetatable({}, {}) } end,
         'argument 1.x cannot go to another thread: it is a table whose metatable is no class and no package')
      local deep = {}
      for _ = 1, 999 do deep = { deep } end
      assert.equal('table', type(through(deep)))
      assert.has_error(function() parcel.pack { deep } end,
         'argument 1 cannot go to another thread: tables are inside of each other more than 1000 deep')
      assert.has_error(function() parcel.pack(f) end,
         ('the variable thread of the function at test/torch/worker_spec.lua:%d cannot go to another thread: it is a thread'):format(line))
   end)
end)

describe('torch.worker', function()
   local w
   before_each(function() w = worker.new 'test.support.worker_echo' end)
   after_each(function() w:close() end)

   local function ask(...)
      w:ask(...)
      return w:wait()
   end

   it('calls functions of a module in another Lua state, and returns what they return', function()
      assert.same({ 1, 'two', nil, 4 }, { ask('echo', 1, 'two', nil, 4) })
      assert.equal(5, ask('count', 5))
      assert.equal(7, ask('count', 2))
   end)
   it('gives the thread what th gives to programs', function()
      assert.equal('userdata', ask('exec', function() return type(torch.Tensor()) end))
   end)
   it('works on the tensors of this one', function()
      local x = torch.ones(3)
      local y = ask('double', x)
      assert.same({ 2, 2, 2 }, x:totable())
      y[1] = 9
      assert.equal(9, x[1])
   end)
   it('works while this one does', function()
      local others = { worker.new 'test.support.worker_echo', worker.new 'test.support.worker_echo' }
      for i, other in ipairs(others) do other:ask('count', i) end
      w:ask('count', 10)
      assert.same({ 1, 2, 10 }, { others[1]:wait(), others[2]:wait(), w:wait() })
      for _, other in ipairs(others) do other:close() end
   end)
   it('raises errors of the function here, with the traceback of the thread, and continues', function()
      local ok, why = pcall(ask, 'fail', 'no such thing')
      assert.is_false(ok)
      assert(why:find 'no such thing' and why:find 'stack traceback' and why:find 'echo%.lua', why)
      ok, why = pcall(ask, 'nothing')
      assert(not ok and why:find 'the thread has no function nothing', why)
      assert.equal(3, ask('count', 3))
   end)
   it('keeps tensors from growing while it works on them, or has been given them', function()
      local x, y = torch.ones(3), torch.ones(3)
      local function f() return y[1] end
      local what = 'a storage whose elements a collective or another thread uses cannot grow'
      local function grows(t, n) return pcall(t.resize, t, n) end
      w:ask('sleep', 0.2)
      w:wait()
      w:ask('echo', { { x } })
      local ok, why = grows(x, 1000)
      assert(not ok and why:find(what, 1, true), why)
      w:wait()
      assert.is_true((grows(x, 1000)))
      w:share('echo', { { x } }, f)
      w:wait()
      w:ask('echo', x)
      w:wait()
      for _, t in ipairs { x, y } do
         ok, why = grows(t, 2000)
         assert(not ok and why:find(what, 1, true), why)
         assert.is_true((grows(t, 2)))                        -- no element moves
      end
      w:close()
      for _, t in ipairs { x, y } do assert.is_true((grows(t, 2000))) end
   end)
   it('may be collected while it works on a request', function()
      for _ = 1, 5 do
         worker.new 'test.support.worker_echo':ask('double', torch.ones(100000), ('x'):rep(100000))
         collectgarbage()
         collectgarbage()
         for j = 1, 50 do assert(#('y'):rep(j * 10000) > 0) end
      end
   end)
   it('continues after Ctrl-C while its answer came', function()
      local file = require 'test.support.temporary'.name '.lua'
      local f = io.open(file, 'w')
      f:write [[
         local worker, ffi = require 'torch.worker', require 'ffi'
         ffi.cdef 'int getpid(void);'
         local w = worker.new 'test.support.worker_echo'
         w:ask('sleep', 0)
         w:wait()
         os.execute(('(sleep 0.47; kill -INT %d) &'):format(ffi.C.getpid()))
         w:ask('sleep', 0.5)
         print(select(2, pcall(w.wait, w)))
         w:ask('sleep', 0)
         print('answer', w:wait())
      ]]
      f:close()
      local th = os.getenv 'TH' or 'build/bin/th'
      local p = io.popen(("timeout %d '%s' %s 2>&1"):format(patience(60), th, file))
      local out = p:read '*a'
      p:close()
      os.remove(file)
      assert(out:find 'interrupted\n' and out:find 'answer\t0\n', out)
   end)
   it('says that its thread has ended, however it ended, and does not hang', function()
      local ok, why = pcall(ask, 'exec', function()
         require 'ffi'.C.pthread_exit(nil)
      end)
      assert.is_false(ok)
      assert.equal('its thread has ended', why)
      assert.is_false(w:alive())
      assert.has_error(function() ask('count', 1) end, 'its thread has ended')
   end)
   it('says that there is no memory for a request, and answers the next one', function()
      local C = require 'torch.lib'.C
      local w = worker.new 'test.support.worker_echo'
      assert.equal(C.TH_ENOMEM, C.th_worker_ask(w.box[0], 'x', 2 ^ 60))
      local place
      for i = 1, 60 do if debug.getupvalue(w.ask, i) == 'ask' then place = i end end
      local _, ask = debug.getupvalue(w.ask, place)
      for i = 1, 60 do if debug.getupvalue(ask, i) == 'C' then place = i end end
      debug.setupvalue(ask, place, setmetatable({ th_worker_ask = function(c, bytes)
         debug.setupvalue(ask, place, C)
         return C.th_worker_ask(c, bytes, 2 ^ 60)
      end }, { __index = C }))
      local x = torch.ones(3)
      assert.has_error(function() w:ask('echo', x) end, 'no memory left for 1152921504606846976 bytes of a request')
      x:resize(1000)                                         -- no thread works on it
      w:ask('echo', 5)
      assert.equal(5, w:wait())
      w:close()
   end)
   it('says why a state did not come up', function()
      local broken = worker.new 'test.no_such_module'
      local ok, why = pcall(function()
         broken:ask('echo')
         broken:wait()
      end)
      assert(not ok and why:find 'its thread has ended: ' and why:find 'no_such_module', why)
   end)
   it('drops a reply for which the caller did not wait', function()
      w:ask('count', 1)
      assert.equal('b', ask('echo', 'b'))
      assert.has_error(function() w:wait() end)
   end)
   it('waits for threads that are late once, and not in the collector', function()
      local timer, slow = torch.Timer(), {}
      local function collected()
         timer:reset()
         collectgarbage()
         collectgarbage()
         return timer:time().real
      end
      collected()
      local usual = collected()
      for k = 1, 3 do
         slow[k] = worker.new 'test.support.worker_echo'
         slow[k]:ask('sleep', 7)
      end
      worker.new 'test.support.worker_echo':ask('sleep', 7)
      local seconds = collected()
      assert(seconds < 2 + 2 * usual, seconds)
      timer:reset()
      worker.close(slow)
      assert(timer:time().real < 7, timer:time().real)
      while worker.late() > 0 and timer:time().real < patience(20) do end
      assert.equal(0, worker.late())
   end)
   it('gives back its memory when it is closed or forgotten', function()
      for _ = 1, 20 do ask('count', worker.new 'test.support.worker_echo' and 1) end
      w:close()
      w:close()
      collectgarbage()
      assert.is_false(w:alive())
   end)
   it('are all ended by end_all, which th calls when a program ends', function()
      local first, second = worker.new 'test.support.worker_echo', worker.new 'test.support.worker_echo'
      second:ask('echo', 1)
      worker.end_all()
      assert.is_false(first:alive())
      assert.is_false(second:alive())
      worker.end_all()
   end)
   it('end with a plain LuaJIT, which repeats a compiled loop over pairs without end where a finalizer runs it', function()
      local out, status = plain.luajit [[
         local worker, torch = require 'torch.worker', require 'torch'
         for _ = 1, 8 do
            local w = worker.new('test.support.worker_echo', 16)
            for i = 1, 16 do w:ask('count', i) end
            w:close()
         end
         Left = worker.new('test.support.worker_echo', 16)
         Left:share('echo', torch.ones(3))
         Left:wait()
         print 'end'
      ]]
      if not out then return pending(plain.PENDING) end
      assert.equal('end\n', out)
      assert.equal(0, status)
   end)
   it('are gone for finalizers that run at the end of a program', function()
      local out, status = plain.luajit [[
         local worker = require 'torch.worker'
         local w = worker.new 'test.support.worker_echo'
         w:ask('count', 1)
         Guard = newproxy(true)
         getmetatable(Guard).__gc = function()
            print(w:alive(), w:idle(), pcall(w.wait, w))
            print(pcall(w.ask, w, 'count', 2))
            w:leave()
            w:close()
         end
      ]]
      if not out then return pending(plain.PENDING) end
      assert.equal('false\ttrue\tfalse\tits thread has ended\nfalse\tits thread has ended\n', out)
      assert.equal(0, status)
   end)
end)

describe('a finalizer of a program that th runs', function()
   local program = [[
      local function sum(t)
         local n = 0
         for _, v in pairs(t) do n = n + tonumber(v) end
         return n
      end
      for _ = 1, 300 do sum { a = 1, b = 2, c = 3, d = 4 } end
      Guard = newproxy(true)
      getmetatable(Guard).__gc = function() print(sum { a = '1', b = '2' }) end
   ]]
   it('may run a compiled loop over pairs at the end', function()
      assert.equal('3\n', (plain.th(program)))
      assert.equal('3\n', (plain.th(program .. 'os.exit(0)')))
   end)
end)
