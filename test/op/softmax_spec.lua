-- test/op/softmax_spec.lua - softmax and its logarithm along any dimension.
local torch, opcheck = require 'torch', require 'test.support.opcheck'
local log = math.log

opcheck.describe('softmax', function(op)
   op.dtypes 'floats'
   op.gives({ 0.25, 0.75 }, { 0, log(3) }, 1)
   op.gives({ { 0.25, 0.5 }, { 0.75, 0.5 } }, { { 0, 2 }, { log(3), 2 } }, 1)
   op.gives({ { 0.5, 0.5 }, { 0.2, 0.8 } }, { { 5, 5 }, { 0, log(4) } }, 2)
   op.gives({ { { 0.25, 0.5 }, { 0.75, 0.5 } } }, { { { 0, 2 }, { log(3), 2 } } }, 2)
   op.gives({ 0, 1 }, { -1000, 1000 }, 1)
   op.refuses('dim must lie in 1..1, got 2', { 1, 2 }, 2)
   op.refuses('dim must lie in 1..1, got 0', { 1, 2 }, 0)
   op.grad({ { 0.5, -1, 2 }, { 1, 3, -2 } }, 1)
   op.grad({ { 0.5, -1, 2 }, { 1, 3, -2 } }, 2)
   op.dtypes 'ints'
   op.refuses('x must be a Float, Double, Half or BFloat16 tensor', { 1, 2 }, 1)
end)

opcheck.describe('logsoftmax', function(op)
   op.dtypes 'floats'
   op.gives({ -log(4), log(3) - log(4) }, { 0, log(3) }, 1)
   op.gives({ { -log(4), -log(2) }, { log(3) - log(4), -log(2) } }, { { 0, 2 }, { log(3), 2 } }, 1)
   op.gives({ -2000, 0 }, { -1000, 1000 }, 1)
   op.refuses('dim must lie in 1..2, got 3', { { 1, 2 } }, 3)
   op.grad({ { 0.5, -1, 2 }, { 1, 3, -2 } }, 1)
   op.grad({ { 0.5, -1, 2 }, { 1, 3, -2 } }, 2)
end)

for _, name in ipairs { 'softmax_grad', 'logsoftmax_grad' } do
   opcheck.describe(name, function(op)
      op.dtypes 'floats'
      op.refuses('g must have the size of y, 2, got 3', { 0.5, 0.5 }, { 1, 2, 3 }, 1)
      op.refuses('dim must lie in 1..1, got 2', { 0.5, 0.5 }, { 1, 2 }, 2)
   end)
end

describe('softmax', function()
   it('agrees with the definition on long, short and spread lines', function()
      for _, sizes in ipairs { { 3, 1000 }, { 50, 7 }, { 4, 9, 70 }, { 2, 130, 5 }, { 1, 1 }, { 8192, 2 } } do
         local x = torch.DoubleTensor(unpack(sizes))
         for i = 1, x:nElement() do x:storage()[i] = math.sin(i * i) * 5 end
         for dim = 1, #sizes do
            local e = torch.exp(x)
            local total = e:sum(dim):expandAs(e)
            local want = torch.cdiv(e, total)
            assert.is_true((torch.softmax(x, dim) - want):abs():max() < 1e-14)
            assert.is_true((torch.logsoftmax(x, dim) - torch.log(want)):abs():max() < 1e-12)
            assert.is_true((torch.softmax(x:float(), dim):double() - want):abs():max() < 1e-6)
         end
      end
   end)

   it('works in place', function()
      local x = torch.FloatTensor { { 1, 2 }, { 3, 5 } }
      local y = torch.softmax(x, 2)
      torch.softmax(x, x, 2)
      assert.same(y:totable(), x:totable())
   end)

   it('of nothing is nothing', function()
      assert.same({ 0, 3 }, torch.softmax(torch.FloatTensor():resize(0, 3), 2):size():totable())
   end)
end)
