-- test/op/batchnorm_spec.lua - batch normalisation: statistics, running ones, gradients.
local torch, opcheck = require 'torch', require 'test.support.opcheck'
local refuses = require 'test.support.refuses'

local X = { { 1, 10 }, { 3, 30 } }                        -- two samples, two features

opcheck.describe('batchnorm', function(op)
   op.dtypes 'float double'
   op.forms 'function method result'
   op.gives(opcheck.results({ { -1, -1 }, { 1, 1 } }, { 2, 20 }, { 1, 0.1 }), X,
      nil, nil, nil, nil, true, 0.1, 0)
   op.gives(opcheck.results({ { -1, 3 }, { 3, 7 } }, { 2, 20 }, { 1, 0.1 }), X,
      { 2, 2 }, { 1, 5 }, nil, nil, true, 0.1, 0)
   op.forms 'function method'
   op.refuses('weight must have 2 elements, one a feature of x, got size 3', X, { 1, 2, 3 }, { 1, 2 }, nil, nil, true)
   op.refuses('runningMean and runningVar must be given where train is false', X, nil, nil, nil, nil, false)
   op.refuses('x must have 2 to 16 dimensions, got size 2', { 1, 2 }, nil, nil, nil, nil, true)
   op.gives(opcheck.results({ { 0, 3 }, { 3, 7 } }, { 2, 20 }, { 1, 0.1 }), X,
      { 2, 2 }, { 1, 5 }, nil, nil, true, 0.1, 0, true)
end)

describe('batchnorm', function()
   local function random(...)
      local t = torch.DoubleTensor(...)
      for i = 1, t:nElement() do t:storage()[i] = math.sin(i * i * 0.7) + 0.1 * i % 3 end
      return t
   end

   it('moves the running statistics by momentum, the variance without bias', function()
      local mean, var = torch.DoubleTensor { 0, 10 }, torch.DoubleTensor { 1, 1 }
      torch.batchnorm(torch.DoubleTensor(X), nil, nil, mean, var, true, 0.25)
      assert.same({ 0.5, 12.5 }, mean:totable())
      assert.same({ 0.75 + 0.25 * 2, 0.75 + 0.25 * 200 }, var:totable())
   end)

   it('uses the running statistics outside of training, and leaves them', function()
      local mean, var = torch.DoubleTensor { 1, 10 }, torch.DoubleTensor { 4, 25 }
      local y = torch.batchnorm(torch.DoubleTensor(X), nil, nil, mean, var, false, 0.1, 0)
      assert.same({ { 0, 0 }, { 1, 4 } }, y:totable())
      assert.same({ 1, 10 }, mean:totable())
      assert.same({ 4, 25 }, var:totable())
   end)

   it('treats planes like long samples, whatever the layout', function()
      local x = random(3, 19, 4, 5)
      local rows = x:transpose(2, 4):contiguous():view(60, 19)
      local y = torch.batchnorm(x, nil, nil, nil, nil, true)
      local z = torch.batchnorm(rows, nil, nil, nil, nil, true)
      assert.is_true((y:transpose(2, 4):contiguous():view(60, 19) - z):abs():max() < 1e-12)
      local strided = torch.batchnorm(rows:t():contiguous():t(), nil, nil, nil, nil, true)
      assert.same(z:totable(), strided:totable())
   end)

   for _, train in ipairs { true, false } do
      it('has the gradients that differences give, train = ' .. tostring(train), function()
         local x, weight, bias, g = random(4, 3, 2), random(3), random(3):add(1), random(4, 3, 2):add(0.5)
         local rm, rv = random(3), random(3):abs():add(1)
         local function loss()
            local y = torch.batchnorm(x, weight, bias, rm:clone(), rv:clone(), train)
            return torch.dot(y, g)
         end
         local _, mean, invstd = torch.batchnorm(x, weight, bias, rm:clone(), rv:clone(), train)
         local gw, gb = torch.DoubleTensor(3):fill(1), torch.DoubleTensor(3):fill(2)
         local gx = torch.batchnorm_grad(x, g, weight, mean, invstd, gw, gb, train, 0.5)
         local function compare(t, gradient, scale, offset)
            for i = 1, t:nElement() do
               local p, kept = t:storage(), t:storage()[i]
               p[i] = kept + 1e-5
               local up = loss()
               p[i] = kept - 1e-5
               local down = loss()
               p[i] = kept
               assert.near(scale * (up - down) / 2e-5 + offset, gradient:storage()[i], 1e-7)
            end
         end
         compare(x, gx, 1, 0)
         compare(weight, gw, 0.5, 1)
         compare(bias, gb, 0.5, 2)
      end)
   end

   -- The op with relu, and its gradient, against the two ops apart.
   local function compare(x, g, weight, bias, rm, rv, train)
      local function copies() return rm:clone(), rv:clone(), weight:clone():fill(1),
         bias:clone():fill(2) end
      local rm1, rv1, gw1, gb1 = copies()
      local rm2, rv2, gw2, gb2 = copies()
      local y, mean, invstd = torch.batchnorm(x, weight, bias, rm1, rv1, train, 0.1, 1e-3)
      local relu, m, i = torch.batchnorm(x, weight, bias, rm2, rv2, train, 0.1, 1e-3, true)
      y = torch.threshold(y, 0, 0)
      assert.same(y:totable(), relu:totable())
      assert.same({ rm1:totable(), rv1:totable(), mean:totable(), invstd:totable() },
         { rm2:totable(), rv2:totable(), m:totable(), i:totable() })
      local masked = torch.threshold_grad(y, y, g, 0, 0)
      local want = torch.batchnorm_grad(x, masked, weight, mean, invstd, gw1, gb1, train, 0.5)
      local gy = g:clone()                                       -- in place
      local gx = torch.batchnorm_grad(x, gy, weight, mean, invstd, gw2, gb2, train, 0.5, y, gy)
      assert.same({ want:totable(), masked:totable() }, { gx:totable(), gy:totable() })
      assert.same({ gw1:totable(), gb1:totable() }, { gw2:totable(), gb2:totable() })
      local into = g:clone()                                     -- and gx in the memory of g
      torch.batchnorm_grad(into, x, into, weight, mean, invstd, gw2, gb2, train, 0.5, y, gy)
      assert.same({ want:totable(), masked:totable() }, { into:totable(), gy:totable() })
      local apart, before = x:clone():fill(7), g:totable()       -- or in other memory
      local again = torch.batchnorm_grad(x, g, weight, mean, invstd, gw2, gb2, train, 0.5, y, apart)
      assert.same({ want:totable(), masked:totable(), before },
         { again:totable(), apart:totable(), g:totable() })
   end

   for _, kind in ipairs { 'half', 'bfloat16', 'float', 'double' } do
      it('with relu gives what a ReLU behind it gives, in a ' .. kind, function()
         local function draw(...)
            local t = random(...)
            return t[kind](t)
         end
         for _, train in ipairs { true, false } do
            compare(draw(4, 19, 3, 5), draw(4, 19, 3, 5), draw(19), draw(19), draw(19),
               draw(19):abs():add(1), train)
            compare(draw(7, 18), draw(7, 18), draw(18), draw(18), draw(18), draw(18):abs():add(1),
               train)
            local x = draw(4, 5, 3, 19):transpose(2, 4)
            compare(x, draw(4, 5, 3, 19):transpose(2, 4), draw(19), draw(19), draw(19),
               draw(19):abs():add(1), train)
         end
         if kind == 'half' or kind == 'bfloat16' then
            local function vector() return random(19):float() end
            compare(draw(4, 19, 3, 5), draw(4, 19, 3, 5), vector(), vector(), vector(),
               vector():abs():add(1), true)
         end
      end)
   end

   it('passes NaN on, and no gradient where the result is NaN', function()
      local x = torch.DoubleTensor{{ 1, 0 / 0 }, { 2, 3 }}
      local y, mean, invstd = torch.batchnorm(x, nil, nil, nil, nil, true, 0.1, 0, true)
      assert.same({ 0, 1 }, y:select(2, 1):totable())
      assert.is_true(y[1][2] ~= y[1][2])
      local gy = torch.DoubleTensor(2, 2):fill(5)
      torch.batchnorm_grad(x, gy, nil, mean, invstd, nil, nil, true, 1, y, gy)
      assert.same({ { 0, 0 }, { 5, 0 } }, gy:totable())
   end)

   for _, kind in ipairs { 'half', 'bfloat16' } do
      it('of a ' .. kind .. ' takes floats as vectors, and gives what floats give, rounded',
         function()
         local x, g = random(6, 5, 4, 3), random(6, 5, 4, 3)
         x, g = x[kind](x), g[kind](g)
         local function vectors()
            return random(5):float(), random(5):float():add(1), random(5):float(),
               random(5):float():abs():add(1)
         end
         for _, train in ipairs { true, false } do
            local w, b, rm, rv = vectors()
            local w2, b2, rm2, rv2 = vectors()
            local y, mean, invstd = torch.batchnorm(x, w, b, rm, rv, train)
            local want, m, i = torch.batchnorm(x:float(), w2, b2, rm2, rv2, train)
            assert.equal(x:type(), y:type())
            assert.same({ 'torch.FloatTensor', 'torch.FloatTensor' },
               { mean:type(), invstd:type() })
            assert.same(want[kind](want):totable(), y:totable())
            assert.same({ m:totable(), i:totable(), rm2:totable(), rv2:totable() },
               { mean:totable(), invstd:totable(), rm:totable(), rv:totable() })
            local gw, gb, gw2, gb2 = w:clone(), b:clone(), w:clone(), b:clone()
            local gx = torch.batchnorm_grad(x, g, w, mean, invstd, gw, gb, train)
            want = torch.batchnorm_grad(x:float(), g:float(), w2, m, i, gw2, gb2, train)
            assert.same(want[kind](want):totable(), gx:totable())
            assert.same({ gw2:totable(), gb2:totable() }, { gw:totable(), gb:totable() })
         end
      end)
   end

   it('says which types its vectors may have, and that y and gy belong together', function()
      local x, w = torch.ones(2, 3):half(), torch.ones(3)
      local f, h = w:float(), w:half()
      refuses('weight must be a HalfTensor like x, or with the other vectors a FloatTensor, ' ..
         'got a DoubleTensor', torch.batchnorm, x,
         w:double(), nil, nil, nil, true)
      refuses('runningVar must be a FloatTensor, as the other vectors are, got a HalfTensor',
         torch.batchnorm, x, f, f, f, h, true)
      refuses('weight must be a DoubleTensor like x, got a FloatTensor', torch.batchnorm,
         x:double(), f, nil, nil, nil, true)
      refuses('gradWeight must be a FloatTensor, as the other vectors are, got a HalfTensor',
         torch.batchnorm_grad, x, x, f, f, f, h, h, true)
      refuses('y and gy must be given together', torch.batchnorm_grad, x, x, f, f, f, f, f, true, 1,
         x)
      refuses('gy must have the size of x, 2x3, got 3x2', torch.batchnorm_grad, x, x, f, f, f, f, f,
         true, 1, x, torch.ones(3, 2):half())
      refuses('y must be a HalfTensor like x, got a FloatTensor', torch.batchnorm_grad, x, x, f, f,
         f, f, f, true, 1, x:float(), x)
   end)

   it('gives the same bits with any number of threads', function()
      local x, before, results = random(20, 70, 3, 3):float(), torch.getnumthreads(), {}
      for n = 1, 3 do
         torch.setnumthreads(n)
         local y, mean, invstd = torch.batchnorm(x, nil, nil, nil, nil, true)
         results[n] = { y:totable(), torch.batchnorm_grad(x, y, nil, mean, invstd, nil, nil, true):totable() }
      end
      torch.setnumthreads(before)
      assert.same(results[1], results[2])
      assert.same(results[1], results[3])
   end)
end)
