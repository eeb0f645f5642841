-- test/op/layernorm_spec.lua - rows with mean 0 and variance 1, and the gradients.
local torch, opcheck = require 'torch', require 'test.support.opcheck'
local refuses = require 'test.support.refuses'

opcheck.describe('layernorm', function(op)
   op.dtypes 'floats'
   op.gives(opcheck.results({ { -1, 1 }, { 1, -1 } }, { 2, 4 }, { 1, 0.5 }), { { 1, 3 }, { 6, 2 } }, 0)
   op.gives(opcheck.results({ { -1, 4 } }, { 2 }, { 1 }), { { 1, 3 } }, 0, { 2, 3 }, { 1, 1 })
   op.forms 'function method'
   op.refuses('x must have 2 to 16 dimensions, got size 2', { 1, 3 }, 0)
   op.refuses('weight must have 2 elements, got size 3', { { 1, 3 } }, 0, { 1, 2, 3 })
   op.refuses('bias must have 2 elements, got size 1x2', { { 1, 3 } }, 0, { 1, 2 }, { { 1, 2 } })
end)

opcheck.describe('layernorm_grad', function(op)
   op.dtypes 'double'
   op.gives({ { 0, 0 } }, { { 1, 3 } }, { { 5, 7 } }, { 2, 3 }, { 2 }, { 1 })
   op.refuses('g must have the size of x', { { 1, 3 } }, { { 5 } }, nil, { 2 }, { 1 })
   op.refuses('mean must have 1 elements, got size 2', { { 1, 3 } }, { { 5, 7 } }, nil, { 2, 2 }, { 1 })
end)

opcheck.describe('layernorm_grad_sum', function(op)
   op.dtypes 'double'
   local x, g = { { 1, 3 } }, { { 5, 7 } }
   op.gives(opcheck.results({ { 0, 0 } }, { { 3, 4 } }), x, g, { 2, 3 }, { 2 }, { 1 }, { { 3, 4 } })
   op.forms 'function'
   op.refuses('base must have the size of x, 1x2, got 1x1', x, g, { 1, 1 }, { 2 }, { 1 }, { { 5 } })
   op.refuses('base must be a DoubleTensor like x, got a FloatTensor', x, g, { 1, 1 }, { 2 }, { 1 },
      opcheck.float(x))
end)

opcheck.describe('layernorm_grad_weight', function(op)
   op.dtypes 'floats'
   op.gives({ -9, 15 }, { 1, 1 }, { 0, 0 }, { { 1, 3 } }, { { 5, 7 } }, { 2 }, { 1 }, 2)
   op.refuses('gw must have 2 elements, got size 1', { 1 }, { 0, 0 }, { { 1, 3 } }, { { 5, 7 } }, { 2 }, { 1 })
end)

describe('layernorm', function()
   it('has the gradients that differences say, for rows of any length', function()
      torch.manualSeed(5)
      for _, n in ipairs { 2, 5, 16, 37 } do
         local function draw(...) return torch.DoubleTensor(...):uniform(-1, 1) end
         local x, w, b, g = draw(2, 3, n), draw(n), draw(n), draw(2, 3, n)
         local function loss() return torch.cmul(torch.layernorm(x, 1e-3, w, b), g):sum() end
         local _, mean, invstd = torch.layernorm(x, 1e-3, w, b)
         local gx, gw, gb = torch.layernorm_grad(x, g, w, mean, invstd), torch.zeros(n), torch.zeros(n)
         torch.layernorm_grad_weight(gw, gb, x, g, mean, invstd)
         for _, pair in ipairs { { x, gx }, { w, gw }, { b, gb } } do
            local t, slope = pair[1]:view(-1), pair[2]:view(-1)
            for i = 1, t:size(1) do
               local kept = t[i]
               t[i] = kept + 1e-6
               local up = loss()
               t[i] = kept - 1e-6
               local down = loss()
               t[i] = kept
               assert.is_true(math.abs((up - down) / 2e-6 - slope[i]) < 1e-6 * math.max(1, math.abs(slope[i])))
            end
         end
      end
   end)

   it('of equal elements far from 0 is 0, and of no rows nothing', function()
      assert.same({ { 0, 0, 0 } }, torch.layernorm(torch.FloatTensor(1, 3):fill(12345.678), 1e-5):totable())
      assert.equal(0, torch.layernorm(torch.FloatTensor(0, 3), 1e-5):nElement())
   end)

   for _, kind in ipairs { 'half', 'bfloat16' } do
      it('of a ' .. kind .. ' takes floats as weights and statistics, and loses less', function()
         torch.manualSeed(6)
         local function draw(...) return torch.FloatTensor(5, 40):uniform(...) end
         local x, g = draw(3, 4), draw(-1, 1)
         x, g = x[kind](x), g[kind](g)
         local w, b = torch.FloatTensor(40):uniform(-1, 1), torch.FloatTensor(40):uniform(-1, 1)
         local y, mean, invstd = torch.layernorm(x, 1e-5, w, b)
         local want, m, i = torch.layernorm(x:float(), 1e-5, w, b)
         assert.equal(x:type(), y:type())
         assert.same({ 'torch.FloatTensor', 'torch.FloatTensor' }, { mean:type(), invstd:type() })
         assert.same({ m:totable(), i:totable() }, { mean:totable(), invstd:totable() })
         assert.same(want[kind](want):totable(), y:totable())
         local gx = torch.layernorm_grad(x, g, w, mean, invstd)
         want = torch.layernorm_grad(x:float(), g:float(), w, m, i)
         assert.same(want[kind](want):totable(), gx:totable())
         local gw, gb = torch.FloatTensor(40):fill(1), torch.FloatTensor(40):fill(2)
         local wide, wideBias = gw:clone(), gb:clone()
         torch.layernorm_grad_weight(gw, gb, x, g, mean, invstd, 0.5)
         torch.layernorm_grad_weight(wide, wideBias, x:float(), g:float(), m, i, 0.5)
         assert.same({ wide:totable(), wideBias:totable() }, { gw:totable(), gb:totable() })
      end)
   end

   for _, kind in ipairs { 'half', 'bfloat16', 'float', 'double' } do
      it('adds its gradient to that of another branch, in a ' .. kind, function()
         torch.manualSeed(7)
         local function draw(...)
            local t = torch.FloatTensor(...):uniform(-1, 1)
            return t[kind](t)
         end
         local x, g, w, base = draw(3, 2, 40), draw(3, 2, 40), draw(40), draw(3, 2, 40)
         local _, mean, invstd = torch.layernorm(x, 1e-5, w)
         local want = torch.layernorm_grad(x, g, w, mean, invstd)
         local gx, sum = torch.layernorm_grad_sum(x, g, w, mean, invstd, base)
         assert.same({ want:totable(), (base + want):totable() }, { gx:totable(), sum:totable() })
         local total = (base + want):totable()
         torch.layernorm_grad_sum(gx, base, x, g, w, mean, invstd, base)
         assert.same(total, base:totable())
         local wide = draw(3, 2, 80):narrow(3, 1, 40)
         total = (wide + want):totable()
         torch.layernorm_grad_sum(gx, wide, x, g, w, mean, invstd, wide)
         assert.same(total, wide:totable())
      end)
   end

   it('says which types its vectors may have', function()
      local x, w = torch.ones(2, 3):half(), torch.ones(3)
      refuses('weight must be a HalfTensor like x, or with the other vectors a FloatTensor, ' ..
         'got a DoubleTensor', torch.layernorm, x, 0, w:double())
      refuses('bias must be a FloatTensor, as the other vectors are, got a HalfTensor',
         torch.layernorm, x, 0, w:float(), w:half())
      refuses('bias must be a HalfTensor like x, or with the other vectors a FloatTensor, ' ..
         'got a FloatTensor', torch.layernorm, x, 0, w:half(), w:float())
      refuses('weight must be a DoubleTensor like x, got a FloatTensor', torch.layernorm,
         x:double(), 0, w:float())
      refuses('gb must be a FloatTensor, as the other vectors are, got a HalfTensor',
         torch.layernorm_grad_weight, w:float(), w:half(), x, x,
         torch.ones(2):float(), torch.ones(2):float())
   end)

   it('refuses gradients that are expanded', function()
      local x, one = torch.ones(2, 3), torch.ones(2)
      refuses('gw is expanded', torch.layernorm_grad_weight, torch.zeros(1):expand(3), torch.zeros(3), x, x, one, one)
   end)
end)
