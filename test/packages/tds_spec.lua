-- test/packages/tds_spec.lua - tds, containers in C memory: their values, iteration, files, threads and refusals.
-- runs once: nothing here computes
local refuses = require 'test.support.refuses'
local lib = require 'torch.lib'
local worker = require 'torch.worker'
local tds = require 'tds'

local function collect()
   collectgarbage()
   collectgarbage()
end

local function contents(h)
   local t = {}
   for k, v in pairs(h) do t[k] = v end
   return t
end

describe('tds.Hash', function()
   it('holds what a Lua table holds after the same random changes', function()
      math.randomseed(3)
      local h, t, n = tds.Hash(), {}, 0
      local function key()
         local k = math.random(400)
         return k % 3 == 0 and 'text' .. k or k % 3 == 1 and k or k / 7
      end
      local function new_value()
         local v = math.random(6)
         if v == 1 then return nil elseif v == 2 then return v % 2 == 0 else return v == 3 and ('x'):rep(math.random(600)) or v end
      end
      for _ = 1, 20000 do
         local k, v = key(), new_value()
         h[k], t[k] = v, v
      end
      for k, v in pairs(t) do
         n = n + 1
         assert.equal(v, h[k])
      end
      assert.equal(n, #h)
      assert.same(t, contents(h))
   end)
   it('is iterated in the order of insertion', function()
      local h, keys = tds.Hash(), {}
      for i = 20, 1, -1 do h['k' .. i] = i end
      h.k20 = nil
      h.k20 = 'last'
      for k in pairs(h) do keys[#keys + 1] = k end
      assert.equal('k19', keys[1])
      assert.equal('k20', keys[20])
   end)
   it('takes -0 for 0, and any text as a key', function()
      local h = tds.Hash()
      h[-0] = 'zero'
      h.read, h.write, h['a\0b'] = 1, 2, 3
      assert.equal('zero', h[0])
      assert.same({ 1, 2, 3 }, { h.read, h.write, h['a\0b'] })
      assert.is_nil(h.a)
   end)
   it('finds a tensor by its view', function()
      local h, x = tds.Hash(), torch.zeros(4, 4)
      h[x[2]] = 'second'
      assert.equal('second', h[x:select(1, 2)])
      assert.is_nil(h[x[1]])
      assert.is_nil(h[torch.zeros(4)])
   end)
   it('shares the elements of tensors and storages, which live as long as the hash', function()
      local h, x, s = tds.Hash(), torch.zeros(3), torch.LongStorage { 1, 2 }
      h.x, h.s, h.lost = x, s, torch.ones(3)
      h.x:fill(2)
      h.s[2] = 5
      assert.equal(6, x:sum())
      assert.equal(5, s[2])
      collect()
      assert.equal(3, h.lost:sum())
   end)
   it('gives its memory back, a million levels deep too', function()
      local function bytes() return tonumber(lib.C.th_memory_of(0).bytes) end
      local function deep()
         local h = tds.Hash()
         for _ = 1, 1e6 do
            local outer = tds.Hash()
            outer.inner = h
            h = outer
         end
         return bytes(), #h
      end
      collect()
      local before = bytes()
      assert.is_true(deep() - before > 1e8)
      collect()
      assert.is_true(math.abs(bytes() - before) < 1e5)
   end)
   it('refuses what it cannot hold, and stays as it was', function()
      local h = tds.Hash { a = 1 }
      refuses('tds.Hash: a value must be a number, text, boolean, tensor, storage or object of tds, got a table',
         function() h.a = {} end)
      refuses('got a function', function() h.b = print end)
      refuses('tds.Hash: a key must not be nil', function() h[nil] = 1 end)
      refuses('tds.Hash: a key must not be nan', function() h[0 / 0] = 1 end)
      refuses('tds.Hash: a key must be a number', function() return h[{}] end)
      refuses('tds.Hash: its content must be a table, got a number', tds.Hash, 5)
      refuses('too many arguments', tds.Hash, {}, 5)
      assert.same({ a = 1 }, contents(h))
      local deep = {}
      for _ = 1, 300 do deep = { x = deep } end
      refuses('more than 200 deep', tds.Hash, deep)
   end)
   it('brings long texts and tensors back in every kind of read', function()
      local h, v, long = tds.Hash(), tds.Vec(), ('x'):rep(5000)
      for round = 1, 3 do
         local key = round .. long .. ('y'):rep(round * 10000)
         h[key], h[round] = key, torch.range(1, round)
         v:insert(key)
         v:insert(torch.range(1, round))
         assert.equal(key, h[key])
         assert.equal(key, v[2 * round - 1])
         assert.same({ 1 }, v[2 * round]:narrow(1, 1, 1):totable())
      end
      local n, sum = 0, 0
      for k, x in pairs(h) do
         n = n + 1
         if type(k) == 'number' then sum = sum + x:sum() else assert.equal(k, x) end
      end
      for _, x in pairs(v) do if torch.isTensor(x) then sum = sum + x:sum() end end
      assert.same({ 6, 20 }, { n, sum })
   end)
   it('takes no more memory while keys come and go', function()
      local h = tds.Hash()
      local function pass(from)
         for i = from, from + 20000 do
            h['key' .. i] = i
            h['key' .. i - 50] = nil
         end
         return torch.memory().bytes
      end
      pass(1)
      collectgarbage()
      collectgarbage()
      local before = pass(20001)
      for k = 2, 10 do pass(k * 20000 + 1) end
      assert.equal(50, #h)
      assert(torch.memory().bytes <= before, torch.memory().bytes)
   end)
end)

describe('tds.Vec', function()
   it('holds what a Lua table holds after the same insertions and removals', function()
      math.randomseed(4)
      local v, t = tds.Vec(), {}
      for i = 1, 3000 do
         local place = math.random(#t + 1)
         if math.random(3) > 1 or #t == 0 then
            v:insert(place, 'e' .. i)
            table.insert(t, place, 'e' .. i)
         else
            place = math.random(#t)
            v:remove(place)
            table.remove(t, place)
         end
      end
      assert.equal(#t, #v)
      for i = 1, #t do assert.equal(t[i], v[i]) end
   end)
   it('stays as it was when the comparison of sort fails or contradicts itself', function()
      local v = tds.Vec { 3, 1, 2 }
      refuses('boo', v.sort, v, function() error 'boo' end)
      pcall(v.sort, v, function() return true end)
      assert.equal(6, v[1] + v[2] + v[3])
      v:sort()
      assert.same({ 1, 2, 3 }, { v[1], v[2], v[3] })
   end)
   it('fills the gap with nil when a place beyond the end is set or inserted', function()
      local v = tds.Vec { 1 }
      v:insert(4, 'x')
      assert.equal(4, #v)
      assert.same({ 1, 'x' }, { v[1], v[4] })
      assert.is_nil(v[3])
   end)
   it('refuses places, sizes and names that are none, and stays as it was', function()
      local v = tds.Vec { 5 }
      refuses('tds.Vec: a place must be at least 1, got 0', function() return v[0] end)
      refuses('a place must be at least 1, got -1', function() v[-1] = 2 end)
      refuses('a place must be a whole number, got a string', function() v.name = 1 end)
      refuses("it has places and methods, got 'unknown'", function() return v.unknown end)
      refuses('tds.Vec:insert: a place must be at least 1, got 0', v.insert, v, 0, 1)
      refuses('tds.Vec:insert: expected [place,] value, got 3 arguments', v.insert, v, 1, 2, 3)
      refuses('tds.Vec:remove: a place must lie in 1..1, got 2', v.remove, v, 2)
      refuses('tds.Vec:resize: a size must be at least 0, got -1', v.resize, v, -1)
      refuses('tds.Vec:resize: a place must be a whole number', v.resize, v, 0 / 0)
      refuses('out of memory', v.resize, v, 1e14)
      refuses('the keys of a table must be places, got x', tds.Vec, { x = 1 })
      assert.equal(1, #v)
      assert.equal(5, v[1])
   end)
end)

describe('tds.AtomicCounter', function()
   it('counts from 0, by any whole number', function()
      local c = tds.AtomicCounter()
      assert.same({ 0, 1, 6, 5 }, { c:inc(), c:inc(5), c:dec(), c:get() })
      refuses('tds.AtomicCounter:set: n must be a whole number', c.set, c, 1.5)
   end)
end)

describe('a tds object', function()
   it('is equal to itself however it was reached, and to nothing else', function()
      local h = tds.Hash { inner = { a = 1 } }
      assert.is_true(h.inner == h.inner)
      assert.is_false(h.inner == tds.Hash { a = 1 })
      assert.is_false(h == nil)
      assert.is_false(h == 5)
   end)
   it('is saved once where several containers hold it', function()
      local shared = tds.Vec { 1 }
      local h = torch.deserialize(torch.serialize(tds.Hash { a = shared, b = shared }))
      h.a[1] = 7
      assert.equal(7, h.b[1])
   end)
   it('refuses a damaged file with an error about the file, without a line of ours', function()
      local function load(text) return pcall(torch.deserialize, (text:gsub(' ', '\n'):gsub('_', ' ')) .. '\n', 'ascii') end
      for text, want in pairs {
         ['4 1 3 V_0 7 tds.Vec 1 3 2 0'] = 'torch.deserialize: tds.Vec: a value must be a number, text, boolean, tensor, storage or object of tds, got a table',
         ['4 1 3 V_0 8 tds.Hash 1 0 1 5'] = 'torch.deserialize: tds.Hash: file: a key must not be nil',
         ['4 1 3 V_0 17 tds.AtomicCounter 9223372036854775807'] =
            'torch.deserialize: tds.AtomicCounter:set: n must be a whole number, got a number (9.2233720368548e+18)',
      } do
         assert.same({ false, want }, { load(text) })
      end
   end)
   it('is shared by the threads of workers, which may change it at the same time', function()
      local h, count, threads = tds.Hash(), tds.AtomicCounter(), {}
      h.list = tds.Vec()
      for k = 1, 4 do
         threads[k] = worker.new 'test.support.worker_echo'
         threads[k]:ask('exec', loadstring(([[
            local h, count = ...
            return function()
               for i = 1, 5000 do
                  h[i] = %d
                  h['own' .. %d .. i] = ('x'):rep(i %% 100)
                  h.list:insert(i)
                  if i %% 3 == 0 then h[i - 1] = nil end
                  count:inc()
               end
            end]]):format(k, k))(h, count))
      end
      for k = 1, 4 do
         threads[k]:wait()
         threads[k]:close()
      end
      assert.equal(20000, count:get())
      assert.equal(20000, #h.list)
      for k = 1, 4 do assert.equal(('x'):rep(50), h['own' .. k .. 50]) end
   end)
   it('is refused by name in a damaged file', function()
      local text = torch.serialize(tds.Vec { 1, 2, 3 }, 'binary')
      for cut = 1, #text - 1 do
         local ok = pcall(torch.deserialize, text:sub(1, cut), 'binary')
         assert.is_false(ok)
      end
      local at = assert(text:find('tds.Vec', 1, true)) + 7
      refuses('', torch.deserialize, text:sub(1, at - 1) .. ('\255'):rep(7) .. '\127' .. text:sub(at + 8), 'binary')
   end)
end)

describe('pairs and ipairs', function()
   it('take tds objects and what they took before', function()
      local n = 0
      for _ in pairs { 1, 2 } do n = n + 1 end
      for i, x in ipairs(tds.Vec { 'a', 'b' }) do n = n + i + #x end
      assert.equal(7, n)
      assert.is_false(pcall(pairs, 5))
   end)
end)
