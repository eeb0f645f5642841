-- test/torch/memory_growth_spec.lua - a script that makes a million temporaries keeps its memory flat.
-- runs once, on the plain build: AddressSanitizer keeps for a while what was given back
local torch = require 'torch'
local emulated = require 'test.support.emulated'
local resident = require 'test.support.resident'

describe('a script that makes a million temporaries', function()
   -- Calls f(i) a million times, without calls of the collector.
   local function stays_flat(f)
      for i = 1, 1e5 do f(i) end
      local bytes, most = resident(), 0
      for i = 1, 9e5 do
         f(i)
         if i % 1000 == 0 then most = math.max(most, torch.memory().bytes) end
      end
      assert.is_true(most < 600 * 2 ^ 20, ('%d bytes of tensors'):format(most))
      assert.is_true(resident() < bytes + 200 * 2 ^ 20, ('%d bytes more than before'):format(resident() - bytes))
   end

   it('keeps its memory flat: small results', function()
      local x, y = torch.ones(100), torch.ones(100)
      stays_flat(function() return x + y end)
   end)
   it('keeps its memory flat: views, storages and sizes', function()
      local x = torch.ones(20, 30)
      stays_flat(function(i) return x[i % 20 + 1]:narrow(1, 2, 3), x:storage(), x:size() end)
   end)
   it('keeps its memory flat: results of many sizes', function()
      stays_flat(function(i) return torch.FloatTensor():resize(i % 500 * 16 + 1) end)
   end)
   it('keeps its memory flat: files in memory and copies of tables', function()
      local clone = require 'torch.serialize'.clone
      local t = { torch.ones(3), 'a' }
      local function once(i)
         if i % 20 == 0 then return clone(t) end
         return torch.MemoryFile
      end
      stays_flat(once)
   end)
end)

describe('a thread that ends', function()
   local worker = require 'torch.worker'
   local function in_thread(f, ...)
      local w = worker.new 'test.support.worker_echo'
      w:ask('exec', f, ...)
      local result = w:wait()
      w:close()
      return result
   end
   local function clean()
      collectgarbage()
      collectgarbage()
   end

   it('gives back the memory of its small tensors', function()
      local why = emulated 'the resident memory'
      if why then return pending(why) end
      local function many()
         local torch, list = require 'torch', {}   -- luacheck: ignore
         for i = 1, 20000 do list[i] = torch.ones(3) end
         list = nil                                          -- luacheck: ignore
         collectgarbage()
         collectgarbage()
      end
      in_thread(many)
      clean()
      local before = resident()
      for _ = 1, 10 do in_thread(many) end
      clean()
      assert.is_true(resident() < before + 20 * 2 ^ 20, ('%d bytes more than before'):format(resident() - before))
   end)
   it('leaves the count of memory right when its tensors live on', function()
      local C = require 'torch.lib'.C
      local function make()
         local torch, list = require 'torch', {}
         for i = 1, 50 do list[i] = torch.ones(i) end
         return list
      end
      in_thread(make)
      clean()
      local memory = C.th_memory_of(0)
      local bytes, storages = tonumber(memory.bytes), tonumber(memory.storages)
      for _ = 1, 5 do assert.equal(50, #in_thread(make)) end
      clean()
      C.th_memory_of(0)
      assert.same({ bytes, storages }, { tonumber(memory.bytes), tonumber(memory.storages) })
   end)
end)
