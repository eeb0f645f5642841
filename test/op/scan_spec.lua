-- test/op/scan_spec.lua - cumsum, cumprod, flip.
local torch, opcheck = require 'torch', require 'test.support.opcheck'

opcheck.describe('cumsum', function(op)
   op.dtypes 'all'
   op.gives({ 1, 3, 6 }, { 1, 2, 3 })
   op.gives({ { 1, 2 }, { 4, 6 } }, { { 1, 2 }, { 3, 4 } })
   op.gives({ { 1, 3 }, { 3, 7 } }, { { 1, 2 }, { 3, 4 } }, 2)
   op.gives({ { { 1 }, { 3 } }, { { 3 }, { 7 } } }, { { { 1 }, { 2 } }, { { 3 }, { 4 } } }, 2)
   op.gives({}, {})
   op.refuses('dim must lie in 1..1, got 2', { 1 }, 2)
   op.refuses('dim must lie in 1..2, got 0', { { 1 } }, 0)
   op.dtypes 'byte'
   op.gives({ 200, 144 }, { 200, 200 })
   op.grad({ 1, 2, 3 })
   op.grad({ { 1, 2 }, { 3, 4 } }, 2)
end)

opcheck.describe('cumprod', function(op)
   op.dtypes 'all'
   op.gives({ 1, 2, 6 }, { 1, 2, 3 })
   op.gives({ { 1, 2 }, { 3, 8 } }, { { 1, 2 }, { 3, 4 } }, 1)
   op.gives({ { 1, 2 }, { 3, 12 } }, { { 1, 2 }, { 3, 4 } }, 2)
   op.refuses('dim must lie in 1..1, got 2', { 1 }, 2)
end)

opcheck.describe('flip', function(op)
   op.dtypes 'all'
   op.gives({ 3, 2, 1 }, { 1, 2, 3 }, 1)
   op.gives({ { 2, 1 }, { 4, 3 } }, { { 1, 2 }, { 3, 4 } }, 2)
   op.refuses('dim must lie in 1..1, got 2', { 1 }, 2)
   op.grad({ { 1, 2 }, { 3, 4 } }, 1)
end)

describe('cumsum', function()
   it('sums float32 in double, so a hundred thousand tenths make ten thousand', function()
      assert.near(1e4, torch.FloatTensor(1e5):fill(0.1):cumsum()[1e5], 1e-3)
   end)
   it('may write over its operand', function()
      local x = torch.DoubleTensor { 1, 2, 3 }
      torch.cumsum(x, x)
      assert.equal(6, x[3])
      local y = torch.DoubleTensor { 1, 2, 3, 4 }
      y:narrow(1, 2, 3):cumsum(y:narrow(1, 1, 3))           -- overlapping by a shift: read before it is written
      assert.same({ 1, 1, 3, 6 }, { y[1], y[2], y[3], y[4] })
   end)
   it('of a long line knows what came before each of its blocks', function()
      local threads = torch.getnumthreads()
      for _, k in ipairs { 1, 3 } do
         torch.setnumthreads(k)
         for _, class in ipairs { 'Int', 'Long', 'Float', 'Double' } do
            local n = 1100003
            local x = torch[class .. 'Tensor'](2 * n):fill(1)
            local wide = torch[class .. 'Tensor'](2, n):fill(1)
            for _, y in ipairs { x:narrow(1, 1, n):cumsum(), x:view(n, 2):select(2, 2):cumsum(), wide:cumsum(2)[2] } do
               assert.equal(0, y:ne(torch[class .. 'Tensor']():range(1, n)):sum())
            end
            assert.equal(1, x:cumprod()[2 * n])
            x[70000], x[n] = 2, 3
            local y = x:cumprod()
            assert.same({ 1, 2, 2, 6, 6 }, { y[69999], y[70000], y[n - 1], y[n], y[2 * n] })
         end
      end
      torch.setnumthreads(threads)
   end)
   it('gives the same for any number of threads, along both dimensions', function()
      local threads = torch.getnumthreads()
      local x = torch.FloatTensor(700, 1100):uniform(-1, 1)
      torch.setnumthreads(1)
      local a, b = x:cumsum(1), x:cumsum(2)
      torch.setnumthreads(3)
      assert.equal(0, a:ne(x:cumsum(1)):sum())
      assert.equal(0, b:ne(x:cumsum(2)):sum())
      torch.setnumthreads(threads)
   end)
end)
