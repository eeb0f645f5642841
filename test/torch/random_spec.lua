-- test/torch/random_spec.lua - generators, their streams, and tensors filled from them.
local torch = require 'torch'

local refuses = require 'test.support.refuses'

local function draws(n, f, ...)
   local t = {}
   for i = 1, n do t[i] = f(...) end
   return t
end

local FLOATS = { 'Half', 'BFloat16', 'Float', 'Double' }
local ALL = { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double' }

describe('a stream', function()
   it('is that of MT19937: the 10000th word after seed 5489 is 4123659995', function()
      torch.manualSeed(5489)
      local x
      for _ = 1, 10000 do x = torch.random() end
      assert.equal(4123659995, x)
   end)
   it('repeats after the same seed, of which 32 bits count', function()
      torch.manualSeed(7)
      local a = draws(5, torch.random)
      torch.manualSeed(2 ^ 32 + 7)
      assert.same(a, draws(5, torch.random))
   end)
   it('does not keep half a pair of normal numbers over a new seed', function()
      torch.manualSeed(7)
      local first = torch.normal()
      torch.manualSeed(7)
      assert.equal(first, torch.normal())
   end)
   it('continues where a state was kept, in the middle of a pair too', function()
      torch.manualSeed(3)
      torch.normal()
      local state = torch.getRNGState()
      local a = { torch.normal(), torch.uniform(), torch.random(10) }
      torch.setRNGState(state)
      assert.same(a, { torch.normal(), torch.uniform(), torch.random(10) })
   end)
   it('has a state of 5048 bytes, as Torch7 saved it', function()
      local state = torch.getRNGState()
      assert.equal('torch.ByteTensor', torch.typename(state))
      assert.equal(5048, state:nElement())
   end)
   it('continues from any place of its 624 words', function()
      torch.manualSeed(1)
      for _ = 1, 1300 do
         local state = torch.getRNGState()
         local x = torch.random()
         torch.setRNGState(state)
         assert.equal(x, torch.random())
      end
   end)
   it('starts anew from what torch.seed returns', function()
      local s = torch.seed()
      local a = draws(3, torch.random)
      assert.equal(s, torch.initialSeed())
      torch.manualSeed(s)
      assert.same(a, draws(3, torch.random))
   end)
   it('of one generator is not moved by another', function()
      local g = torch.Generator()
      torch.manualSeed(g, 5)
      local a = draws(4, torch.uniform, g)
      torch.manualSeed(g, 5)
      assert.same(a, draws(4, function()
         torch.uniform()
         return torch.uniform(g)
      end))
      assert.equal(5, torch.initialSeed(g))
   end)
   it('of a generator saved is that of the generator loaded', function()
      local g = torch.Generator()
      torch.normal(g)
      local h = torch.deserialize(torch.serialize(g))
      assert.equal(torch.normal(g), torch.normal(h))
      assert.equal(torch.random(g), torch.random(h))
   end)
   it('belongs to a generator that answers nil for what it has not', function()
      assert.is_nil(torch.Generator().nothing)
      assert.equal('torch.Generator', tostring(torch.Generator()))
   end)
   it('refuses a seed that is no number', function()
      refuses('seed must be a number, got a string', torch.manualSeed, 'a')
      refuses('seed must be a number, got nil', torch.manualSeed)
      refuses('seed must be a number, got nan', torch.manualSeed, 0 / 0)
      refuses('seed must lie in -2^63..2^64, got 1e+30', torch.manualSeed, 1e30)
   end)
   it('refuses bytes that are no state, and continues as before', function()
      torch.manualSeed(3)
      local a = torch.random()
      torch.manualSeed(3)
      refuses('state must have 5048 bytes, or 56 of a Philox generator, got 7', torch.setRNGState, torch.ByteTensor(7))
      refuses('state must come from getRNGState', torch.setRNGState, torch.ByteTensor(5048))
      refuses('state must be a torch.ByteTensor, got a torch.IntTensor', torch.setRNGState,
         torch.IntTensor(5048))
      assert.equal(a, torch.random())
   end)
end)

describe('a filled tensor', function()
   local cases = {
      { 'uniform', -2, 3 }, { 'normal', 1, 0.5 }, { 'exponential', 2 }, { 'cauchy', 1, 0.5 },
      { 'logNormal', 0.5, 0.25 }, { 'geometric', 0.25 }, { 'bernoulli', 0.2 }, { 'random', 10 }, { 'random', -5, 5 },
   }
   local function label(case) return case[1] .. '(' .. table.concat(case, ', ', 2) .. ')' end

   for _, case in ipairs(cases) do
      local name = case[1]
      it('holds what single calls give, in order: ' .. label(case), function()
         for _, n in ipairs { 1, 2, 7, 1025, 5000 } do           -- below and above what is drawn at a time
            torch.manualSeed(11)
            local want = draws(n + 1, torch[name], unpack(case, 2))
            torch.manualSeed(11)
            local x = torch.DoubleTensor(n)
            assert.equal(x, x[name](x, unpack(case, 2)))
            for i = 1, n do assert.near(want[i], x[i], 1e-12 * math.abs(want[i])) end
            assert.near(want[n + 1], torch[name](unpack(case, 2)), 1e-9)
         end
      end)
      it('is filled row by row, whatever its strides: ' .. label(case), function()
         torch.manualSeed(12)
         local packed = torch.DoubleTensor(4, 3)
         packed[name](packed, unpack(case, 2))
         torch.manualSeed(12)
         local around = torch.DoubleTensor(5, 6):fill(77)
         local window = around:narrow(1, 2, 3):narrow(2, 2, 4):t()
         window[name](window, unpack(case, 2))
         for i = 1, 4 do for j = 1, 3 do assert.near(packed[i][j], window[i][j], 1e-12) end end
         for i = 1, 6 do assert.equal(77, around[1][i]) end
         for i = 1, 5 do assert.equal(77, around[i][6]) end
      end)
   end

   it('has the same bits for any number of threads', function()
      local before = torch.getnumthreads()
      local function fill(threads)
         torch.setnumthreads(threads)
         torch.manualSeed(5)
         return torch.FloatTensor(200003):normal(), torch.FloatTensor(70001):exponential(2)
      end
      local a, b = fill(1)
      local c, d = fill(3)
      torch.setnumthreads(before)
      for i = 1, 200003, 101 do assert.equal(a[i], c[i]) end
      for i = 1, 70001, 101 do assert.equal(b[i], d[i]) end
   end)
   it('may be of any float type; whole numbers go into all types', function()
      for _, type in ipairs(FLOATS) do
         local x = torch[type .. 'Tensor'](1000):uniform(2, 4)
         for i = 1, 1000 do assert.truthy(x[i] >= 2 and x[i] <= 4) end
      end
      for _, type in ipairs(ALL) do
         local x = torch[type .. 'Tensor'](1000):random(3, 8)
         for i = 1, 1000 do assert.truthy(x[i] >= 3 and x[i] <= 8 and x[i] % 1 == 0) end
         local y = torch[type .. 'Tensor'](1000):bernoulli(0.5)
         for i = 1, 1000 do assert.truthy(y[i] == 0 or y[i] == 1) end
      end
   end)
   it('takes random() up to what its type holds exactly', function()
      local most = { Byte = 255, Char = 127, Short = 32767, Int = 2 ^ 31 - 1, Long = 2 ^ 32 - 1, Half = 2048,
         BFloat16 = 256, Float = 2 ^ 24, Double = 2 ^ 32 - 1 }
      for type, m in pairs(most) do
         local x, largest = torch[type .. 'Tensor'](20000):random(), 0
         for i = 1, 20000 do
            assert.truthy(x[i] >= 0 and x[i] <= m)
            largest = math.max(largest, x[i])
         end
         assert.truthy(largest > 0.99 * m, type)
      end
   end)
   it('takes ranges of more than 2^32 numbers', function()
      local x = torch.LongTensor(1000):random(-2 ^ 40, 2 ^ 40)
      local wide = 0
      for i = 1, 1000 do
         assert.truthy(x[i] >= -2 ^ 40 and x[i] <= 2 ^ 40)
         if math.abs(x[i]) > 2 ^ 33 then wide = wide + 1 end
      end
      assert.truthy(wide > 900)
      local y = torch.random(2 ^ 40)
      assert.truthy(y >= 1 and y <= 2 ^ 40)
   end)
   it('may be empty', function()
      assert.equal(0, torch.FloatTensor():uniform():nElement())
      assert.equal(0, torch.FloatTensor(2, 0):normal():nElement())
   end)
   it('comes from the generator given', function()
      local g = torch.Generator()
      torch.manualSeed(g, 9)
      local a = torch.DoubleTensor(5):uniform(g, 0, 1)
      local b = torch.rand(g, 5)
      torch.manualSeed(g, 9)
      local c = torch.rand(torch.DoubleTensor(), g, 10)
      assert.same(a:totable(), c:narrow(1, 1, 5):totable())
      assert.same(b:totable(), c:narrow(1, 6, 5):totable())
   end)

   it('is refused when the distribution does not exist, and stays as it was', function()
      local x = torch.DoubleTensor(3):fill(7)
      refuses('normal: std must not be negative, got -1', x.normal, x, 0, -1)
      refuses('logNormal: std must be greater than 0, got 0', x.logNormal, x, 0, 0)
      refuses('exponential: lambda must be greater than 0, got 0', x.exponential, x, 0)
      refuses('geometric: p must lie between 0 and 1, got 0', x.geometric, x, 0)
      refuses('geometric: p must lie between 0 and 1, got 1', x.geometric, x, 1)
      refuses('bernoulli: p must lie in 0..1, got 2', x.bernoulli, x, 2)
      refuses('bernoulli: p must lie in 0..1, got', x.bernoulli, x, 0 / 0)
      refuses('bernoulli: p must hold numbers of 0..1 only, got 2 at place 2', x.bernoulli, x,
         torch.Tensor { 1, 2, 0 })
      refuses('bernoulli: p must have the size of x, 3, got 2', x.bernoulli, x, torch.Tensor { 1, 0 })
      refuses('random: n must lie in 1..2^53, got 0', x.random, x, 0)
      refuses('random: b must not be less than a, got 1 and 3', x.random, x, 3, 1)
      refuses('uniform: a must be finite', x.uniform, x, 0 / 0, 1)
      refuses('cauchy: sigma must be finite', x.cauchy, x, 0, 1 / 0)
      assert.same({ 7, 7, 7 }, x:totable())
   end)
   it('is refused when its type has no fractions', function()
      local x = torch.IntTensor(3)
      for _, name in ipairs { 'uniform', 'normal', 'exponential', 'cauchy', 'logNormal' } do
         refuses(name .. ': x must be a Float, Double, Half or BFloat16 tensor, got a', x[name], x)
      end
      refuses('rand: result must be a Float, Double, Half or BFloat16 tensor', torch.rand, x, 2, 2)
      assert.same({ 3 }, x:size():totable())
   end)
   it('gets as many numbers as it has elements when it is expanded, and the last one stays', function()
      torch.manualSeed(5)
      local fourth, fifth = torch.DoubleTensor(4):uniform()[4], torch.uniform()
      torch.manualSeed(5)
      assert.equal(fourth, torch.DoubleTensor(1):expand(4):uniform()[1])
      assert.equal(fifth, torch.uniform())
   end)
end)

describe('single numbers', function()
   it('are refused where the distribution does not exist', function()
      refuses('torch.normal: std must not be negative, got -1', torch.normal, 0, -1)
      refuses('torch.logNormal: std must be greater than 0, got 0', torch.logNormal, 1, 0)
      refuses('torch.exponential: lambda must be greater than 0, got 0', torch.exponential, 0)
      refuses('torch.geometric: p must lie between 0 and 1, got 1', torch.geometric, 1)
      refuses('torch.geometric: p must be a number, got nil', torch.geometric)
      refuses('torch.bernoulli: p must lie in 0..1, got 2', torch.bernoulli, 2)
      refuses('torch.random: n must be at least 1, got 0', torch.random, 0)
      refuses('torch.random: b must not be less than a, got 1 and 3', torch.random, 3, 1)
      refuses('torch.uniform: a must be a number, got a string', torch.uniform, 'a')
      refuses('torch.uniform: too many arguments', torch.uniform, 1, 2, 3)
   end)
   it('come from the generator given', function()
      local g, h = torch.Generator(), torch.Generator()
      for _, name in ipairs { 'random', 'uniform', 'normal', 'exponential', 'cauchy', 'logNormal' } do
         torch.manualSeed(g, 3)
         torch.manualSeed(h, 3)
         assert.equal(torch[name](g), torch[name](h))
      end
   end)
   it('take half a chance to its ends: never with p = 0, always with p = 1', function()
      for _ = 1, 1000 do
         assert.equal(0, torch.bernoulli(0))
         assert.equal(1, torch.bernoulli(1))
      end
   end)
end)

describe('moments', function()
   local n = 200000
   local function moments(x)
      local sum, square = 0, 0
      for i = 1, n do sum, square = sum + x[i], square + x[i] * x[i] end
      return sum / n, square / n - (sum / n) ^ 2
   end
   local function near(name, mean, variance, ...)
      torch.manualSeed(17)
      local x = torch.DoubleTensor(n)
      local m, v = moments(x[name](x, ...))
      assert.near(mean, m, 5 * math.sqrt(variance / n))
      assert.near(variance, v, 0.05 * variance)
   end
   it('of every distribution are those it promises', function()
      near('uniform', 1, 3, -2, 4)
      near('normal', 3, 4, 3, 2)
      near('exponential', 0.5, 0.25, 2)
      near('logNormal', math.exp(0.125), (math.exp(0.25) - 1) * math.exp(0.25), 0, 0.5)
      near('geometric', 1 / 0.75, 0.25 / 0.75 ^ 2, 0.25)
      near('bernoulli', 0.3, 0.21, 0.3)
      near('random', 5.5, 99 / 12, 10)
   end)
   it('of a Cauchy tensor do not exist, but a quarter lies beyond each half width', function()
      torch.manualSeed(17)
      local x, above, below = torch.DoubleTensor(n):cauchy(2, 3), 0, 0
      for i = 1, n do
         if x[i] > 5 then above = above + 1 end
         if x[i] < -1 then below = below + 1 end
      end
      assert.near(n / 4, above, 1500)
      assert.near(n / 4, below, 1500)
   end)
end)

describe('randperm', function()
   it('holds every number of 1..n once', function()
      for _, n in ipairs { 1, 2, 3, 1000 } do
         local p, seen = torch.randperm(n), {}
         assert.equal(n, p:nElement())
         for i = 1, n do seen[p[i]] = true end
         for i = 1, n do assert.truthy(seen[i]) end
      end
   end)
   it('writes into a result of any type, strided too', function()
      local x = torch.ByteTensor(2, 3)
      local column = x:select(2, 2)
      assert.equal(column, torch.randperm(column, 2))
      assert.equal(3, x[1][2] + x[2][2])
      assert.equal(0, x[1][1] + x[2][3])
      assert.equal(9, torch.LongTensor():randperm(9):nElement())
   end)
   it('makes every order equally often', function()
      torch.manualSeed(1)
      local count = {}
      for _ = 1, 6000 do
         local key = table.concat(torch.randperm(3):totable(), ',')
         count[key] = (count[key] or 0) + 1
      end
      local orders = 0
      for _, k in pairs(count) do
         orders = orders + 1
         assert.near(1000, k, 150)
      end
      assert.equal(6, orders)
   end)
   it('refuses what cannot be', function()
      refuses('randperm: n must lie in 1..9007199254740992 for a DoubleTensor, got 0', torch.randperm, 0)
      refuses('randperm: n must lie in 1..255 for a ByteTensor, got 300', torch.randperm,
         torch.ByteTensor(), 300)
      refuses('randperm: n must be a whole number, got nan', torch.randperm, 0 / 0)
   end)
end)

describe('multinomial', function()
   it('draws with the chances that p says', function()
      torch.manualSeed(4)
      local count = { 0, 0, 0, 0 }
      local y = torch.multinomial(torch.Tensor { 1, 2, 0, 5 }, 80000, true)
      for i = 1, 80000 do count[y[i]] = count[y[i]] + 1 end
      assert.near(10000, count[1], 400)
      assert.near(20000, count[2], 600)
      assert.equal(0, count[3])
      assert.near(50000, count[4], 700)
   end)
   it('draws no place twice without replacement, and none of weight 0', function()
      for _ = 1, 200 do
         local y = torch.multinomial(torch.FloatTensor { 1, 0, 1e-30, 3 }, 3)
         local t = y:totable()
         table.sort(t)
         assert.same({ 1, 3, 4 }, t)
      end
   end)
   it('draws from every row of a matrix, transposed too', function()
      local p = torch.Tensor { { 0, 1 }, { 2, 0 }, { 1, 0 } }
      assert.same({ { 2, 2 }, { 1, 1 }, { 1, 1 } }, torch.multinomial(p, 2, true):totable())
      assert.same({ { 2 }, { 1 } }, torch.Tensor({ { 0, 1 }, { 3, 0 } }):t():multinomial(1):totable())
      assert.same({ 3, 2 }, p:multinomial(2, true):size():totable())
   end)
   it('does not lose its way among weights of very different size', function()
      local y = torch.multinomial(torch.Tensor { 1e-300, 1e300, 1e300 }, 100, true)
      for i = 1, 100 do assert.truthy(y[i] > 1) end
   end)
   it('writes into a result and draws from a generator', function()
      local g = torch.Generator()
      torch.manualSeed(g, 2)
      local r = torch.LongTensor()
      assert.equal(r, torch.multinomial(r, torch.Tensor { 1, 1 }, 5, true))
      assert.equal(5, r:nElement())
      local a = torch.multinomial(g, torch.Tensor { 1, 1 }, 5, true)
      torch.manualSeed(g, 2)
      assert.same(a:totable(), torch.multinomial(g, torch.Tensor { 1, 1 }, 5, true):totable())
   end)
   it('refuses what cannot be drawn, and leaves the result', function()
      local r = torch.LongTensor { 1, 2 }
      local function no(text, p, n) refuses('multinomial: ' .. text, torch.multinomial, r, torch.Tensor(p), n) end
      no('n must be at most 2, the elements of a row of p, without replacement, got 3', { 1, 2 }, 3)
      no('row 1 of p must hold 2 numbers above 0 without replacement, got 1', { 1, 0 }, 2)
      no('row 2 of p must hold a number above 0, got none', { { 1, 1 }, { 0, 0 } }, 1)
      no('p must hold finite numbers not below 0 only, got -1 at place 2', { 1, -1 }, 1)
      no('p must hold finite numbers not below 0 only', { 1, 0 / 0 }, 1)
      no('n must be at least 1, got 0', { 1, 2 }, 0)
      refuses('multinomial: p must be a Float, Double, Half or BFloat16 tensor, got a', torch.multinomial, r,
         torch.IntTensor { 1, 2 }, 1)
      no('p must have 1 to 2 dimensions', { { { 1 } } }, 1)
      assert.same({ 1, 2 }, r:totable())
   end)
end)

describe('multinomialAlias', function()
   it('draws with the chances that p says', function()
      torch.manualSeed(4)
      local tables = torch.multinomialAliasSetup(torch.Tensor { 1, 2, 0, 5 })
      local y, count = torch.LongTensor(80000), { 0, 0, 0, 0 }
      assert.equal(y, torch.multinomialAlias(y, tables))
      for i = 1, 80000 do count[y[i]] = count[y[i]] + 1 end
      assert.near(10000, count[1], 400)
      assert.near(20000, count[2], 600)
      assert.equal(0, count[3])
      assert.near(50000, count[4], 700)
   end)
   it('fills the tables it is given', function()
      local tables = { torch.LongTensor(), torch.DoubleTensor() }
      local J = tables[1]
      assert.equal(tables, torch.multinomialAliasSetup(torch.Tensor { 1, 3 }, tables))
      assert.equal(J, tables[1])
      assert.equal(2, J:nElement())
   end)
   it('refuses tables that are none', function()
      local y = torch.LongTensor(3)
      refuses('state must be the table of torch.multinomialAliasSetup', torch.multinomialAlias, y, { 1 })
      refuses('a place must lie in 1..2, got 3', torch.multinomialAlias, y,
         { torch.LongTensor { 1, 3 }, torch.Tensor { 1, 1 } })
      refuses('q must hold numbers of 0..1 only, got 2', torch.multinomialAlias, y,
         { torch.LongTensor { 1, 2 }, torch.Tensor { 2, 1 } })
      refuses('p must hold a number above 0, got none', torch.multinomialAliasSetup, torch.Tensor { 0, 0 })
      refuses('y must be a LongTensor, got a DoubleTensor', torch.multinomialAlias, torch.Tensor(3),
         { torch.LongTensor { 1, 2 }, torch.Tensor { 1, 1 } })
      assert.same({ 0, 0, 0 }, y:totable())
   end)
end)

describe('rand and randn', function()
   it('take sizes, a LongStorage, a result, the name of a type', function()
      assert.same({ 2, 3 }, torch.rand(2, 3):size():totable())
      assert.same({ 2, 3 }, torch.randn(torch.LongStorage { 2, 3 }):size():totable())
      local x = torch.FloatTensor()
      assert.equal(x, torch.rand(x, 4))
      assert.same({ 4 }, x:size():totable())
      assert.same({ 2, 2 }, x:randn(2, 2):size():totable())
      assert.equal('torch.FloatTensor', torch.typename(torch.rand(2, 'torch.FloatTensor')))
   end)
   it('refuse sizes that are none', function()
      refuses('size 1 must not be negative, got -1', torch.rand, -1)
      refuses('size 2 must be a whole number', torch.rand, 2, 1 / 0)
      refuses('size 1 must be a whole number', torch.randn, 0 / 0)
   end)
end)
