-- test/op/loss_spec.lua - losses and their gradients.
local torch, opcheck = require 'torch', require 'test.support.opcheck'

local X = { { -1, -2, -3 }, { -4, -0.5, -6 } }

opcheck.describe('nll_loss', function(op)
   op.dtypes 'floats'
   op.gives(opcheck.results({ 0.75 }, { 2 }), X, opcheck.long { 1, 2 })
   op.gives(opcheck.results({ 1.5 }, { 2 }), X, opcheck.long { 1, 2 }, nil, false)
   op.gives(opcheck.results({ 4 }, { 1.5 }), X, opcheck.long { 2, 3 }, { 2, 0.75, 0.75 }, nil, 1)
   op.gives(opcheck.results({ 3 }, { 1 }), { -1, -2, -3 }, opcheck.long { 3 })
   op.gives(opcheck.results({ 1 }, { 1 }), X, opcheck.long { 1, 7 }, nil, true, 7)
   op.gives(opcheck.results({ 0 }, { 0 }), X, opcheck.long { 7, 7 }, nil, true, 7)
   op.gives(opcheck.results({ 4 }, { 2 }), { { { -1, -2 }, { -3, -5 } } }, opcheck.long { { 2, 2 } })
   op.grad(X, opcheck.long { 1, 2 })
   op.grad(X, opcheck.long { 2, 3 }, { 2, 0.75, 0.75 }, true, 1)
   op.grad(X, opcheck.long { 1, 7 }, { 2, 0.75, 0.5 }, false, 7)
   op.grad({ { { -1, -2 }, { -3, -5 } } }, opcheck.long { { 2, 1 } })
   op.grad({ -1, -2, -3 }, opcheck.long { 3 })
   op.forms 'function method'
   op.refuses('target must lie in 1..3, got 4 (sample 2)', X, opcheck.long { 1, 4 })
   op.refuses('target must lie in 1..3, got 0 (sample 1)', X, opcheck.long { 0, 1 })
   op.refuses('target must have the size 2, one class a sample of x (2x3), got size 3', X, opcheck.long { 1, 2, 3 })
   op.refuses('target must be a LongTensor', X, opcheck.int { 1, 2 })
   op.refuses('weight must have 3 elements, one a class, got size 2', X, opcheck.long { 1, 2 }, { 1, 1 })
end)

opcheck.describe('nll_loss_grad', function(op)
   op.dtypes 'floats'
   op.gives({ { -0.5, 0, 0 }, { 0, -0.5, 0 } }, X, opcheck.long { 1, 2 }, { 2 })
   op.gives({ { -2, 0, 0 }, { 0, 0, 0 } }, X, opcheck.long { 1, 9 }, { 1 }, 2, nil, true, 9)
   op.gives({ { -0.5, 0, 0 }, { 0, -0.25, 0 } }, X, opcheck.long { 1, 2 }, { 3 }, 1, { 0.5, 0.25, 8 }, false)
   op.refuses('target must lie in 1..3, got 4 (sample 2)', X, opcheck.long { 1, 4 }, { 2 })
   op.refuses('total must have 1 element, got size 2', X, opcheck.long { 1, 2 }, { 2, 2 })
end)

local A, B = { { 1, 2 }, { -3, 0.5 } }, { { 0, 2.5 }, { 1, 0.5 } }

opcheck.describe('mse_loss', function(op)
   op.dtypes 'floats'
   op.gives(17.25 / 4, A, B)
   op.gives(17.25, A, B, false)
   op.refuses('target must have as many elements as x, got sizes 3 and 2x2', A, { 1, 2, 3 })
   op.grad(A, B)
   op.grad(A, B, false)
   op.dtypes 'ints'
   op.refuses('x must be a Float, Double, Half or BFloat16 tensor', { 1, 2 }, { 1, 2 })
end)

opcheck.describe('abs_loss', function(op)
   op.dtypes 'floats'
   op.gives(5.5 / 4, A, B)
   op.gives(5.5, A, B, false)
   op.grad({ { 1, 2 }, { -3, 0.75 } }, B)
end)

opcheck.describe('smoothl1_loss', function(op)
   op.dtypes 'floats'
   op.gives(4.125 / 4, A, B)
   op.gives(4.125, A, B, false)
   op.grad({ { 1.5, 2 }, { -3, 0.75 } }, B)
end)

opcheck.describe('bce_loss', function(op)
   op.dtypes 'float double'
   op.gives(-(math.log(0.25) + math.log(0.5)) / 2, { 0.25, 0.5 }, { 1, 0 })
   op.gives(-(2 * math.log(0.25) + math.log(0.5)), { 0.25, 0.5 }, { 1, 0 }, false, { 2, 1 })
   op.gives(12 * math.log(10), { 0 }, { 1 })
   op.refuses('weight must have as many elements as a sample of x, got sizes 3 and 2',
      { 0.25, 0.5 }, { 1, 0 }, false, { 1, 2, 3 })
end)

for _, name in ipairs { 'mse_loss_grad', 'abs_loss_grad', 'smoothl1_loss_grad', 'bce_loss_grad' } do
   opcheck.describe(name, function(op)
      op.refuses('target must have as many elements as x, got sizes 3 and 2x2', A, { 1, 2, 3 })
   end)
end

describe('losses', function()
   it('of classes and of bits have the gradients that differences give', function()
      local x, t, w = torch.DoubleTensor { 0.25, 0.5, 0.75, 0.1 }, torch.DoubleTensor { 1, 0, 0.5, 1 }, torch.DoubleTensor { 2, 3 }
      for _, average in ipairs { true, false } do
         local g = torch.bce_loss_grad(x, t, average, w)
         for i = 1, 4 do
            local up, down = x:clone(), x:clone()
            up[i], down[i] = x[i] + 1e-6, x[i] - 1e-6
            local slope = (torch.bce_loss(up, t, average, w) - torch.bce_loss(down, t, average, w)) / 2e-6
            assert.near(slope, g[i], 1e-6)
         end
      end
   end)

   it('sum in double: a million tenths are a hundred thousand', function()
      local x, zero = torch.FloatTensor(1000000):fill(0.1), torch.FloatTensor(1000000):zero()
      assert.near(1e5, torch.abs_loss(x, zero, false), 0.01)
   end)

   it('are the same with any number of threads', function()
      local x, y, before = torch.FloatTensor(100000), torch.FloatTensor(100000):fill(0.5), torch.getnumthreads()
      for i = 1, 100000 do x:storage()[i] = (math.sin(i) + 1.5) / 3 end
      local results = {}
      for n = 1, 3 do
         torch.setnumthreads(n)
         results[n] = { torch.mse_loss(x, y), torch.smoothl1_loss(x, y), torch.bce_loss(x, y),
            (torch.nll_loss(x:view(10000, 10), torch.LongTensor(10000):fill(3)))[1] }
      end
      torch.setnumthreads(before)
      assert.same(results[1], results[2])
      assert.same(results[1], results[3])
   end)

   it('of nothing are 0', function()
      assert.are.equal(0, torch.mse_loss(torch.FloatTensor(), torch.FloatTensor()))
   end)
end)
