-- test/torch/philox_spec.lua - generators whose words come from a counter.
local ffi = require 'ffi'
local torch = require 'torch'

local refuses = require 'test.support.refuses'

local function seeded(seed)
   local g = torch.Generator('philox')
   torch.manualSeed(g, seed)
   return g
end

-- A generator with this key and counter, each of four or two words of 32 bits, the lowest first.
local function at(counter, key)
   local g = seeded(0)
   local state = torch.getRNGState(g)
   local word = ffi.cast('uint32_t *', state:data())
   word[0], word[1] = key[1], key[2]
   for i = 1, 4 do word[3 + i] = counter[i] end
   torch.setRNGState(g, state)
   return g
end

local function block(g) return { torch.random(g), torch.random(g), torch.random(g), torch.random(g) } end

local function same(a, b)
   assert.equal(a:nElement(), b:nElement())
   assert.equal(0, ffi.C.memcmp(a:data(), b:data(), a:nElement() * a:elementSize()))
end
ffi.cdef 'int memcmp(const void *a, const void *b, size_t n);'

describe('Philox', function()
   it('is Philox4x32-10: the known answers of its authors', function()
      assert.same({ 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 }, block(at({ 0, 0, 0, 0 }, { 0, 0 })))
      local f = 0xffffffff
      assert.same({ 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd }, block(at({ f, f, f, f }, { f, f })))
      assert.same({ 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 },
         block(at({ 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 }, { 0xa4093822, 0x299f31d0 })))
   end)
   it('draws the same words one by one and many at a time, from any place', function()
      local one = seeded(2 ^ 40 + 5)
      local want = {}
      for i = 1, 3000 do want[i] = torch.random(one) end
      for _, n in ipairs { 1, 2, 3, 4, 5, 31, 32, 33, 500, 1500 } do
         for skip = 0, 5 do
            local g = seeded(2 ^ 40 + 5)
            for _ = 1, skip do torch.random(g) end
            local x = torch.LongTensor(n):random(g, 0, 2 ^ 32 - 1)
            for i = 1, n do assert.equal(want[skip + i], x[i]) end
            assert.equal(want[skip + n + 1], torch.random(g))
         end
      end
   end)
   it('carries from the low word of its counter into the next', function()
      local g = at({ 0xfffffffe, 7, 0, 0 }, { 1, 2 })
      local x = torch.LongTensor(64):random(g, 0, 2 ^ 32 - 1):totable()
      local h = at({ 0, 8, 0, 0 }, { 1, 2 })
      assert.same(block(h), { x[9], x[10], x[11], x[12] })
   end)
   it('takes a seed of 64 bits', function()
      assert.not_same(block(seeded(1)), block(seeded(2 ^ 32 + 1)))
      assert.same(block(seeded(7)), block(seeded(7)))
      assert.equal(7, torch.initialSeed(seeded(7)))
   end)
   it('fills the same bits with any number of threads', function()
      local before = torch.getnumthreads()
      local function fill(threads)
         torch.setnumthreads(threads)
         local g = seeded(5)
         return { torch.FloatTensor(200003):normal(g), torch.DoubleTensor(70001):exponential(g, 2),
            torch.HalfTensor(70001):uniform(g), torch.IntTensor(70001):random(g, 6), torch.LongTensor(70001):geometric(g, 0.1),
            torch.ByteTensor(70001):bernoulli(g, 0.3), torch.FloatTensor(70001):cauchy(g), torch.DoubleTensor(70001):logNormal(g),
            torch.randperm(g, 5000), torch.multinomial(g, torch.range(1, 9), 500, true), torch.randn(g, 333, 3) }
      end
      local a = fill(1)
      for threads = 2, 4 do
         local b = fill(threads)
         for i = 1, #a do same(a[i], b[i]) end
      end
      torch.setnumthreads(before)
   end)
   local cases = {
      { 'uniform', -2, 3 }, { 'normal', 1, 0.5 }, { 'exponential', 2 }, { 'cauchy', 1, 0.5 }, { 'logNormal', 0.5, 0.25 },
      { 'geometric', 0.25 }, { 'bernoulli', 0.2 }, { 'random', 10 }, { 'random', -5, 5 }, { 'random', 2 ^ 40 },
   }
   for _, case in ipairs(cases) do
      it('fills a tensor with what single calls give: ' .. table.concat(case, ' '), function()
         local g, h, name = seeded(11), seeded(11), case[1]
         for _, n in ipairs { 1, 7, 1025, 5000 } do
            local x = torch.DoubleTensor(n, 2):t()
            x[name](x, g, unpack(case, 2))
            for i = 1, 2 do
               for j = 1, n do
                  local want = torch[name](h, unpack(case, 2))
                  assert.near(want, x[i][j], 1e-11 * math.abs(want))
               end
            end
         end
      end)
   end
   it('gives numbers of the moments they promise', function()
      local g, n = seeded(17), 400000
      local function near(mean, variance, x)
         assert.near(mean, x:mean(), 5 * math.sqrt(variance / n))
         assert.near(variance, x:var(), 0.05 * variance)
      end
      near(0.5, 1 / 12, torch.FloatTensor(n):uniform(g))
      near(3, 4, torch.FloatTensor(n):normal(g, 3, 2))
      near(0.5, 0.25, torch.DoubleTensor(n):exponential(g, 2))
      near(0.3, 0.21, torch.DoubleTensor(n):bernoulli(g, 0.3))
      near(0.25, 0.1875, torch.DoubleTensor(n):bernoulli(g, torch.FloatTensor(n):fill(0.25)))
   end)
end)

describe('the state of a Philox generator', function()
   it('continues where it was kept, in the middle of a block and of a pair', function()
      local g = seeded(3)
      torch.random(g)
      torch.normal(g)
      local state = torch.getRNGState(g)
      local a = { torch.normal(g), torch.uniform(g), torch.random(g, 10) }
      torch.setRNGState(g, state)
      assert.same(a, { torch.normal(g), torch.uniform(g), torch.random(g, 10) })
   end)
   it('makes any generator one of its kind, and back', function()
      local g, twister = seeded(4), torch.Generator()
      local states = { torch.getRNGState(g), torch.getRNGState(twister) }
      torch.setRNGState(twister, states[1])
      assert.equal('philox', twister:kind())
      assert.equal(torch.random(g), torch.random(twister))
      torch.setRNGState(g, states[2])
      assert.equal('mt19937', g:kind())
   end)
   it('travels through ascii files whatever its bytes are', function()
      local g = torch.Generator()
      for _ = 1, 2000 do
         torch.manualSeed(g, torch.random(2 ^ 31))
         torch.random(g)
         assert.equal(torch.random(g:clone()), torch.random(torch.deserialize(torch.serialize(g, 'ascii'), 'ascii')))
      end
   end)
   it('travels through files of both modes, and is cloned', function()
      for _, mode in ipairs { 'binary', 'ascii' } do
         for _, g in ipairs { seeded(9), torch.Generator() } do
            torch.normal(g)
            torch.random(g)
            local h = torch.deserialize(torch.serialize(g, mode), mode)
            local copy = g:clone()
            assert.equal(g:kind(), h:kind())
            local a = { torch.normal(g), torch.random(g) }
            assert.same(a, { torch.normal(h), torch.random(h) })
            assert.same(a, { torch.normal(copy), torch.random(copy) })
         end
      end
   end)
   it('refuses bytes that are none, and continues as before', function()
      local g, h = seeded(9), seeded(9)
      local state = torch.getRNGState(g)
      state[9] = 1
      refuses('state must come from getRNGState', torch.setRNGState, g, state)
      state = torch.getRNGState(g)
      state[33] = 4
      refuses('state must come from getRNGState', torch.setRNGState, g, state)
      refuses('state must come from getRNGState', torch.setRNGState, g, torch.ByteTensor(56):fill(255))
      assert.equal(torch.random(h), torch.random(g))
   end)
end)

describe('the kind of a generator', function()
   it('is the twister unless said otherwise, and shows', function()
      assert.equal('mt19937', torch.Generator():kind())
      assert.equal('mt19937', torch.Generator('mt19937'):kind())
      assert.equal('torch.Generator (philox)', tostring(torch.Generator('philox')))
      assert.equal('torch.Generator', torch.typename(torch.Generator('philox')))
   end)
   it('of the default generator is chosen with its seed, and kept by the next', function()
      local before = torch.getRNGState()
      torch.manualSeed(3, 'philox')
      local g = seeded(3)
      same(torch.randn(g, 100), torch.randn(100))
      torch.manualSeed(4)
      assert.equal('philox', torch._gen:kind())
      torch.seed()
      assert.equal('philox', torch._gen:kind())
      torch.manualSeed(5489, 'mt19937')
      assert.equal(3499211612, torch.random())
      torch.setRNGState(before)
   end)
   it('is refused when there is no such kind', function()
      refuses("torch.Generator: kind must be 'mt19937' or 'philox', got 'x'", torch.Generator, 'x')
      refuses("torch.Generator: kind must be 'mt19937' or 'philox', got a number", torch.Generator, 3)
      refuses('torch.Generator: too many arguments', torch.Generator, 'philox', 3)
      refuses("torch.manualSeed: kind must be 'mt19937' or 'philox', got 'pcg'", torch.manualSeed, 1, 'pcg')
      refuses('torch.manualSeed: too many arguments', torch.manualSeed, 1, 'philox', 3)
   end)
end)
