-- test/cuda/random_spec.lua - random numbers on CUDA devices: their generators, and how they are seeded.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local refuses = require 'test.support.refuses'
local device = require 'test.support.cuda.device'
local cutorch = device.cutorch
local on_two = device.on_two(it, pending)

if device.missing('random numbers', describe, pending) then return end

describe('cutorch.manualSeed', function()
   it('gives the numbers of a Philox generator of the CPU with that seed', function()
      local g = torch.Generator 'philox'
      torch.manualSeed(g, 3)
      cutorch.manualSeed(3)
      for _ = 1, 2 do
         assert.same(torch.FloatTensor(37):uniform(g):totable(), torch.CudaTensor(37):uniform():totable())
         local want, got = torch.FloatTensor(7):normal(g, 1, 2), torch.CudaTensor(7):normal(1, 2):float()
         assert(want:dist(got) < 1e-5)                        -- an odd number: half a pair waits
         assert.same(torch.randperm(g, 20):totable(), torch.randperm(torch.CudaTensor(), 20):totable())
      end
   end)
   on_two('leaves other devices, and the generator of the CPU, as they are', function()
      torch.manualSeed(1)
      local want = torch.random()
      torch.manualSeed(1)
      cutorch.manualSeedAll(5)
      cutorch.manualSeed(6)
      torch.CudaTensor(10):uniform()
      assert.equal(want, torch.random())
      assert.equal(6, cutorch.initialSeed())
      assert.equal(5, cutorch.initialSeed(2))
   end)
   it('refuses what is no seed', function()
      refuses('torch.manualSeed: seed must be a number', cutorch.manualSeed, 'x')
      refuses('torch.manualSeed: seed must be a number, got nil', cutorch.manualSeed)
   end)
end)

describe('the state', function()
   it('continues where it was taken', function()
      torch.CudaTensor(5):normal()
      local state = cutorch.getRNGState()
      assert.equal('torch.ByteTensor', state:type())
      local x = torch.CudaTensor(9):normal()
      cutorch.setRNGState(state)
      assert.same(x:totable(), torch.CudaTensor(9):normal():totable())
      cutorch.withDevice(device.count, function()
         cutorch.setRNGState(state, device.count)
         assert.same(x:totable(), torch.CudaTensor(9):normal():totable())
      end)
   end)
   it('that is none, or of a device that is not there, is refused', function()
      local other = 'cutorch.setRNGState: the state must be one that cutorch.getRNGState gave, of a Philox generator'
      refuses(other, cutorch.setRNGState, torch.ByteTensor(3))
      refuses(other, cutorch.setRNGState, torch.getRNGState(torch.Generator()))
      refuses('torch.setRNGState: state must be a torch.ByteTensor', cutorch.setRNGState, 1)
      refuses(('getRNGState: %s, got 99'):format(device.range), cutorch.getRNGState, 99)
      refuses('cutorch.initialSeed: device must be a whole number', cutorch.initialSeed, 'x')
   end)
end)

describe('cutorch.seed and seedAll', function()
   it('seed by chance and say how', function()
      local seed = cutorch.seed()
      assert.equal(seed, cutorch.initialSeed())
      local x = torch.CudaTensor(9):uniform():totable()
      cutorch.manualSeed(seed)
      assert.same(x, torch.CudaTensor(9):uniform():totable())
      seed = cutorch.seedAll()
      assert.equal(seed, cutorch.initialSeed(1))
      assert.equal(seed, cutorch.initialSeed(device.count))
   end)
end)

describe('a distribution', function()
   it('takes a generator of either kind, and its words', function()
      for _, kind in ipairs { 'philox', 'mt19937' } do
         local g = torch.Generator(kind)
         torch.manualSeed(g, 4)
         local same = g:clone()
         assert.same(torch.IntTensor(1000):random(g, 1, 6):totable(), torch.CudaIntTensor(1000):random(same, 1, 6):totable())
         assert.equal(torch.random(g), torch.random(same))
      end
   end)
   it('has the mean and the deviation asked for', function()
      local x = torch.CudaDoubleTensor(20000):normal(3, 2)
      assert(math.abs(x:mean() - 3) < 0.1 and math.abs(x:std() - 2) < 0.1)
      assert(math.abs(torch.CudaTensor(20000):bernoulli(0.2):mean() - 0.2) < 0.02)
   end)
   it('called geometric ends with chance p, as in cutorch, for every type', function()
      for _, kind in ipairs { 'Cuda', 'CudaDouble', 'CudaInt', 'CudaLong', 'CudaShort' } do
         local x = torch[kind .. 'Tensor'](20000):geometric(0.25)
         assert(math.abs(x:double():mean() - 4) < 0.2 and x:min() == 1)
      end
      assert.equal(1, torch.CudaHalfTensor(100):geometric(0.5):min())
      assert.equal(1, torch.CudaByteTensor(100):geometric(0.9):min())
   end)
   it('called dropout gives the bits of bernoulli, div and cmul, for every size and view', function()
      local function text(t) return table.concat(t:host():double():contiguous():view(-1):totable(), ' ') end
      for _, kind in ipairs { 'Cuda', 'CudaDouble', 'CudaHalf', 'CudaBFloat16' } do
         for _, generator in ipairs { 'philox', 'mt19937' } do
            for _, n in ipairs { 1, 3, 4, 1023, 3000 } do
               local whole = torch[kind .. 'Tensor'](2 * n + 1):uniform(-1, 1)
               for _, x in ipairs { whole:narrow(1, 1, n), whole:narrow(1, 2, n), whole:narrow(1, 1, 2 * n):view(n, 2):select(2, 1) } do
                  local a, b = torch.Generator(generator), torch.Generator(generator)
                  torch.manualSeed(a, 3)
                  torch.manualSeed(b, 3)
                  torch.random(a)
                  torch.random(b)
                  local y, noise = torch.dropout(x, a, 0.3)
                  local want = x.new(n):bernoulli(b, 1 - 0.3):div(1 - 0.3)
                  assert(text(want) == text(noise) and text(torch.cmul(x, want)) == text(y))
                  assert.equal(torch.random(b), torch.random(a))
               end
            end
         end
      end
   end)
   it('refuses chances that are none, wherever they are', function()
      local x, p = torch.CudaTensor(2, 2):fill(7), torch.CudaTensor{ { 0, 1 }, { 2, 0.5 } }
      cutorch.setSynchronous(true)
      finally(function() cutorch.setSynchronous(false) end)
      refuses('bernoulli: p must hold numbers of 0..1 only, got 2 at place 3', x.bernoulli, x, p)
      assert.equal(28, x:sum())
      cutorch.setSynchronous(false)
      p[2][1] = 0 / 0
      device.refuses('bernoulli: p must hold numbers of 0..1 only, got ', x.bernoulli, x, p)
      p[2][1] = 1
      assert.equal(0, x:bernoulli(p)[1][1])
   end)
end)

describe('torch.multinomial', function()
   it('draws places of the rows of a CUDA tensor', function()
      cutorch.manualSeed(1)
      local y = torch.multinomial(torch.CudaTensor{ { 0, 1, 0 }, { 1, 0, 0 } }, 4, true)
      assert.equal('torch.CudaLongTensor', y:type())
      assert.same({ { 2, 2, 2, 2 }, { 1, 1, 1, 1 } }, y:totable())
   end)
   it('refuses rows that have nothing to draw, and leaves the result', function()
      local y = torch.CudaLongTensor{ 5 }
      local function refused(text, p, n) refuses(text, torch.multinomial, y, torch.CudaTensor(p), n) end
      refused('row 2 of p must hold a number above 0, got none', { { 1, 1 }, { 0, 0 } }, 1)
      refused('row 1 of p must hold 2 numbers above 0 without replacement, got 1', { 0, 1 }, 2)
      refused('p must hold finite numbers not below 0 only, got -1 at place 2', { 1, -1 }, 1)
      assert.same({ 5 }, y:totable())
   end)
end)
