-- test/torch/storage_spec.lua - storages: the memory that tensors view.
local torch = require 'torch'
local plain = require 'test.support.launcher'

local refuses = require 'test.support.refuses'

describe('a storage', function()
   it('is made from a size or a table', function()
      assert.same({ 0, 0 }, torch.IntStorage(2):totable())
      assert.same({ 4, 5 }, torch.FloatStorage({ 4, 5 }):totable())
      assert.same({ 4, 5 }, torch.totable(torch.FloatStorage({ 4, 5 })))
      assert.equal(3, #torch.ByteStorage(3))
      assert.equal('torch.ByteStorage', torch.typename(torch.ByteStorage(3)))
   end)
   it('reads and writes elements', function()
      local s = torch.LongStorage(2)
      s[2] = 7
      assert.equal(7, s[2])
   end)
   it('grows and keeps its elements; shrinking leaves tensors that view it alone', function()
      local s = torch.DoubleStorage { 1, 2, 3 }
      local x = torch.DoubleTensor(s)
      s:resize(5)
      assert.equal(2, s[2])
      s:resize(1)
      assert.same({ 1, 2, 3 }, x:totable())
   end)
   it('is one memory with its parts for ops, whose operands may overlap', function()
      local s = torch.FloatStorage(40):fill(1)
      local function pair() return torch.FloatTensor(s, 1, 40), torch.FloatTensor(torch.FloatStorage(s, 3, 38), 1, 38) end
      local a, b = pair()
      a:narrow(1, 4, 37):add(b:narrow(1, 1, 37))             -- elements 4..40 += elements 3..39
      assert.equal(40 + 37, a:sum())
      a:narrow(1, 1, 4):copy(torch.FloatTensor { 1, 2, 3, 4 })
      torch.cumsum(a:narrow(1, 3, 3), b:narrow(1, 2, 3))      -- of elements 4..6 into 3..5
      assert.same({ 4, 6, 8 }, a:narrow(1, 3, 3):totable())
   end)

   it('shares a part of itself, and then does not grow', function()
      local a = torch.DoubleStorage { 1, 2, 3, 4 }
      local b = torch.DoubleStorage(a, 2, 2)
      b[1] = 20
      assert.equal(20, a[2])
      refuses('a storage that shares its memory with another cannot grow', a.resize, a, 5)
      refuses('places 4 to 6 are outside of 1..4', torch.DoubleStorage, a, 4, 3)
   end)
   it('can be a file: changes to a shared one are in the file, those to a private one are not', function()
      local name = os.tmpname()
      local s = torch.IntStorage(name, true, 4)
      s:fill(7)
      s = nil                                    -- luacheck: ignore 311
      collectgarbage()
      collectgarbage()
      local again = torch.IntStorage(name)
      assert.same({ 7, 7, 7, 7 }, again:totable())
      again[1] = 1
      assert.equal(7, torch.IntStorage(name)[1])
      refuses('holds 16 bytes, 40 wanted', torch.IntStorage, name, false, 10)
      os.remove(name)
      refuses('cannot open ' .. name, torch.IntStorage, name)
   end)
   it('copies, fills and converts', function()
      local s = torch.DoubleStorage({ 1, 2 })
      assert.same({ 1, 2 }, torch.ByteStorage(2):copy(s):totable())
      assert.same({ 1, 2 }, s:int():totable())
      assert.equal('torch.IntStorage', s:int():type())
      refuses('copy: source must have 2 elements, got 3', s.copy, s, torch.DoubleStorage(3))
   end)
   it('refuses places outside, and what is no number', function()
      local s = torch.FloatStorage(3)
      for _, i in ipairs { 0, 4, -1, 0.5, 0 / 0, 2 ^ 53 } do
         refuses('index must lie in 1..3', function() return s[i] end)
         refuses('index must lie in 1..3', function() s[i] = 1 end)
      end
      refuses('value must be a number, got a string', function() s[1] = 'x' end)
      refuses('must not have a negative size, got -1', torch.FloatStorage, -1)
      refuses('out of memory', torch.FloatStorage, 2 ^ 50)
      refuses('element 2 must be a number, got a boolean', torch.FloatStorage, { 1, true })
   end)
end)

describe('a finalizer of a program, which runs when its state closes,', function()
   teardown(require 'test.support.temporary'.remove)
   local program = [[
      local torch, tds, threads = require 'torch', require 'tds', require 'threads'
      local s, x, g, h = torch.DoubleStorage(100):fill(7), torch.ones(100), torch.Generator(), tds.Hash { a = torch.ones(3) }
      local m, q = threads.Mutex(threads.Mutex():id()), threads.Queue(3, 'threads.serialize')
      torch.manualSeed(g, 5)
      local same = torch.random(g:clone(), 1, 1000)
      Guard = newproxy(true)
      getmetatable(Guard).__gc = function()
         local other = torch.DoubleStorage(100):fill(9)             -- takes memory that has been given back
         print(#s, s[2], s:totable()[100], torch.DoubleTensor(s):sum(), x:sum(), other[1])
         print(s:resize(5000):fill(2)[5000], torch.random(g, 1, 1000) == same, h.a:sum(), #h)
         m:lock()
         m:unlock()
         q:addjob(math.max, 1, 4)
         print(q:dojob())
      end
   ]]
   local said = '100\t7\t7\t700\t100\t9\n2\ttrue\t3\t1\n4\n'
   it('finds the storages, generators, containers and queues that it holds as they were', function()
      local out, status = plain.th(program)
      assert.equal(said, out)
      assert.equal(0, status)
   end)
   it('does so under a plain LuaJIT, too', function()
      local out, status = plain.luajit(program)
      if not out then return pending(plain.PENDING) end
      assert.equal(said, out)
      assert.equal(0, status)
   end)
   it('does so under a LuaJIT that hides its table of finalizers', function()
      local out = plain.luajit('debug.getfenv = function() return {} end\n' .. program)
      if not out then return pending(plain.PENDING) end
      assert.equal(said, out)
   end)
   it('meets an empty storage that cannot grow where it is older than torch', function()
      local out, status = plain.luajit [[
         local seen = {}
         Guard = newproxy(true)
         getmetatable(Guard).__gc = function()
            print(#seen.s, pcall(function() return seen.s[2] end))
            print(pcall(function() seen.s:resize(5) end))
         end
         seen.s = require 'torch'.DoubleStorage(100):fill(7)
      ]]
      if not out then return pending(plain.PENDING) end
      assert(out:find('^0\tfalse\tindex must lie in 1%.%.0, got 2\nfalse\t'), out)
      assert.equal(0, status)
   end)
end)
