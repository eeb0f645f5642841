-- test/feed/threads_spec.lua - threads that make batches.
-- runs once
local torch = require 'torch'
local resident = require 'test.support.resident'
local feed = require 'feed'
local shared = require 'test.support.feed'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'

local loader, texts, threads, threads_become, TH = shared.loader, shared.texts, shared.threads, shared.threads_become, shared.TH

teardown(temporary.remove)

describe('threads of a loader', function()
   setup(function()                                           -- ThreadSanitizer starts another thread
      local l = loader { workers = 1 }
      l:epoch()()
      l:close()
   end)
   it('end when it is closed or forgotten, in the middle of an epoch', function()
      local before = threads()
      local l = loader { workers = 3 }
      l:epoch()()
      assert.equal(before + 3, threads())
      l:close()
      l:close()
      assert.equal(before, threads_become(before))
      assert.equal('2: 2', texts(l)[1])
      l = nil
      collectgarbage()
      collectgarbage()
      assert.equal(before, threads_become(before))
      assert.is_nil(l)
   end)
   it('do no more than they may: workers × prefetch batches ahead', function()
      local done = torch.IntTensor { 0 }
      local l = feed.loader { workers = 1, prefetch = 3, dataset = { done = done, size = function() return 50 end, get = function(self, i)
         self.done[1] = i
         return i
      end } }
      local step = l:epoch()
      step()
      local timer = torch.Timer()
      while done[1] < 4 and timer:time().real < 10 do end
      timer:reset()
      while timer:time().real < 0.1 do end
      assert.equal(4, done[1])
      l:close()
   end)
   it('end with the process, whatever they do', function()
      local file = temporary.put([[
         local l = require 'feed'.loader{workers = 2, dataset = {size = function() return 100 end, get = function(_, i)
            local t = torch.Timer()
            while t:time().real < 0.05 do end
            return i
         end}}
         l:epoch()()
         print('end')
      ]], '.lua')
      local p = io.popen(("timeout 60 '%s' %s 2>&1; echo $?"):format(TH, file))
      assert.equal('end\n0\n', p:read '*a')
      p:close()
   end)
   it('keep the tensors that they share from growing', function()
      local x = torch.range(1, 6)
      local l = loader { dataset = feed.tensors(x), batch = 2, workers = 2 }
      local step = l:epoch()
      step()
      refuses('cannot grow', x.resize, x, 1000)
      assert.same({ 3, 4 }, step():totable())
      l:close()
      assert.equal(1000, x:resize(1000):size(1))
   end)
   it('make tensors of the default type of the reader', function()
      local l = loader { dataset = feed.list { 1, 2, 3, 4 }, workers = 1, prefetch = 1 }
      assert.equal('torch.DoubleTensor', l:epoch()():type())
      torch.setdefaulttensortype 'torch.FloatTensor'
      l:epoch(2)
      local ok, batch = pcall(l:epoch())
      torch.setdefaulttensortype 'torch.DoubleTensor'
      l:close()
      assert(ok, batch)
      assert.equal('torch.FloatTensor', batch:type())
   end)
   it('have what init has loaded before the dataset comes', function()
      local dir = os.tmpname()
      os.remove(dir)
      assert(os.execute(("mkdir '%s'"):format(dir)) == 0)
      local f = io.open(dir .. '/ownset.lua', 'w')
      f:write [[
         local Set = torch.class('OwnSet')
         function Set:__init(n) self.n = n end
         function Set:size() return self.n end
         function Set:get(i) return 10 * i end
         return OwnSet
      ]]
      f:close()
      local before = package.path
      package.path = dir .. '/?.lua;' .. package.path
      local set = require 'ownset'(3)
      local l = loader { dataset = set, batch = 3, workers = 1, init = function() require 'ownset' end }
      local ok, got = pcall(texts, l)
      l:close()
      package.path = before
      os.execute(("rm -r '%s'"):format(dir))
      assert.same({ true, { '1: 10 20 30' } }, { ok, got })
   end)
   it('give each batch once, also where it cannot be pinned at first', function()
      local there, boom = package.loaded.cutorch, true
      package.loaded.cutorch = { createCudaHostDoubleTensor = function(sizes)
         if boom then error('no pinned memory', 0) end
         return torch.DoubleTensor(sizes)
      end }
      for workers = 0, 2 do
         boom = false
         local l = loader({ workers = workers, pin = true }, 5)
         local step = l:epoch()
         step()
         boom = true
         refuses('no pinned memory', step)
         boom = false
         assert.same({ '2: 2', '3: 3', '4: 4', '5: 5' }, texts(l))
         l:close()
      end
      package.loaded.cutorch = there
   end)
   it('raise Ctrl-C while their answers are put away, and the loader stays where it was', function()
      local file = temporary.put([[
         local ffi = require 'ffi'
         ffi.cdef 'int getpid(void);'
         local l = require 'feed'.loader{workers = 1, prefetch = 3, dataset = {size = function() return 12 end, get = function(_, i)
            local t = torch.Timer()
            while t:time().real < 0.3 do end
            return i
         end}}
         l:epoch()()
         local state = l:state()
         state.place = 10
         os.execute(('(sleep 0.2; kill -INT %d) &'):format(ffi.C.getpid()))
         print(pcall(l.restore, l, state))
         print(l:state().place)
         for batch in l:epoch() do print(batch[1]) if batch[1] == 4 then break end end
         l:restore(state)
         for batch in l:epoch() do print(batch[1]) end
      ]], '.lua')
      local p = io.popen(("timeout 60 '%s' %s 2>&1"):format(TH, file))
      local out = p:read '*a'
      p:close()
      assert.truthy(out:find '^false\t[^\n]*interrupted\n1\n2\n3\n4\n11\n12\n$', out)
   end)
   it('survive Ctrl-C: the next batch is the one that was waited for', function()
      local file = temporary.put([[
         local ffi = require 'ffi'
         ffi.cdef 'int getpid(void);'
         local l = require 'feed'.loader{workers = 2, dataset = {size = function() return 4 end, get = function(_, i)
            local t = torch.Timer()
            while i == 2 and t:time().real < 1 do end
            return i
         end}}
         print(l:epoch()()[1])
         os.execute(('(sleep 0.3; kill -INT %d) &'):format(ffi.C.getpid()))
         print(pcall(l:epoch()))
         for batch in l:epoch() do print(batch[1]) end
      ]], '.lua')
      local p = io.popen(("timeout 60 '%s' %s 2>&1"):format(TH, file))
      local out = p:read '*a'
      p:close()
      assert.truthy(out:find '^1\nfalse\tfeed%.loader: [^\n]*interrupted\n2\n3\n4\n$', out)
   end)
   it('keep memory flat', function()
      local function held()
         collectgarbage()
         return resident()
      end
      local l = feed.loader { dataset = feed.tensors(torch.zeros(1600, 2048)), workers = 2, batch = 16 }
      local function epochs(n) for _ = 1, n do for _ in l:epoch() do end end end
      epochs(16)                                              -- 400 MB: what is kept for later has been filled
      local before = held()
      epochs(16)
      assert(held() - before < 1e8, ('%d bytes more'):format(held() - before))
      l:close()
   end)
end)
