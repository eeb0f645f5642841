-- test/op/copy_spec.lua - fill, zero, copy between all types.
local torch = require 'torch'
local opcheck = require 'test.support.opcheck'

opcheck.describe('fill', function(op)
   op.dtypes 'all'
   op.gives({ 2, 2, 2 }, { 1, 2, 3 }, 2)
   op.gives({ { 7, 7 }, { 7, 7 } }, { { 1, 2 }, { 3, 4 } }, 7)
   op.gives({}, {}, 7)
   op.refuses('must be', { 1 }, 'x')
   op.dtypes 'ints'
   op.gives({ 2 }, { 1 }, 2.9)
   op.refuses('value must be a number of at most 64 bits', { 1 }, 1e30)
   op.dtypes 'byte'
   op.gives({ 255 }, { 1 }, -1)
   op.dtypes 'half'
   op.gives({ 1 / 0 }, { 1 }, 1e6)
end)
opcheck.describe('zero', function(op)
   op.dtypes 'all'
   op.gives({ 0, 0 }, { 1, 2 })
   op.gives({ { 0, 0 }, { 0, 0 } }, { { 1, 2 }, { 3, 4 } })
end)
opcheck.describe('copy', function(op)
   op.dtypes 'all'
   for word in ('byte char short int long half bfloat16 float double'):gmatch '%a+%d*' do
      local of = opcheck[word]
      op.gives({ 0, 1, 100 }, { 7, 7, 7 }, of { 0, 1, 100 })
      op.gives({ { 1, 2 }, { 3, 4 } }, { { 7, 7 }, { 7, 7 } }, of { { 1, 2 }, { 3, 4 } })
   end
   op.gives({ { 1, 2, 3 }, { 4, 5, 6 } }, { { 7, 7, 7 }, { 7, 7, 7 } }, { { 1, 2 }, { 3, 4 }, { 5, 6 } })
   op.gives({}, {}, {})
   op.refuses('x must have 2 elements as y has, got size 3 for 2', { 1, 2 }, { 1, 2, 3 })
   op.dtypes 'char short int long'
   op.gives({ 0, -1, -99, 2 }, { 7, 7, 7, 7 }, opcheck.double { -0.5, -1.5, -99.875, 2.99 })
   op.dtypes 'byte'
   op.gives({ 0, 255, 44 }, { 7, 7, 7 }, opcheck.int { 256, -1, 300 })
   op.gives({ 0, 255, 44 }, { 7, 7, 7 }, opcheck.double { 256, -1, 300.5 })
   op.dtypes 'half'
   op.gives({ 65504, 1 / 0, 0, 2048 }, { 7, 7, 7, 7 }, opcheck.double { 65504, 65520, 1e-9, 2049 })
end)

describe('torch.copy', function()
   it('carries all 64 bits between whole numbers', function()
      local x = torch.LongTensor { 2 ^ 53 }:add(1)
      assert.equal(1, torch.LongTensor(1):copy(x):csub(2 ^ 53)[1])
      assert.equal(1, torch.IntTensor(1):copy(x)[1])
   end)
   it('copies long, transposed and shifted tensors right', function()
      local x = torch.FloatTensor(301 * 407)
      for i = 1, x:nElement() do x[i] = i end
      x = x:view(301, 407)
      local y = torch.FloatTensor(407, 301):copy(x:t())
      local z = torch.DoubleTensor(407, 301):copy(x:t())
      local back = torch.FloatTensor(407, 301):t():copy(x)
      for _, at in ipairs { { 1, 1 }, { 407, 301 }, { 64, 65 }, { 65, 64 }, { 300, 17 }, { 405, 299 } } do
         local want = (at[2] - 1) * 407 + at[1]
         assert.equal(want, y[at[1]][at[2]])
         assert.equal(want, z[at[1]][at[2]])
         assert.equal(want, back[at[2]][at[1]])
      end
      assert.is_true(torch.equal(y:t(), x))
   end)
   it('copies planes of larger tensors, whichever two dimensions trade places', function()
      local x = torch.FloatTensor(3, 37, 70, 33)
      local n = 0
      x:apply(function() n = n + 1 return n end)
      for _, pair in ipairs { { 2, 3 }, { 2, 4 }, { 3, 4 }, { 1, 4 } } do
         local turned = x:transpose(pair[1], pair[2])
         for _, kind in ipairs { 'Float', 'Double', 'Int' } do         -- other types take another road
            local y = torch[kind .. 'Tensor'](turned:size()):copy(turned)
            assert.is_true(torch.equal(y:float(), turned:clone()))
            local back = torch.FloatTensor(x:size()):transpose(pair[1], pair[2]):copy(y):transpose(pair[1], pair[2])
            assert.is_true(torch.equal(back, x))
         end
      end
   end)
   it('copies parts of a tensor that overlap as if they did not', function()
      local x = torch.FloatTensor { 1, 2, 3, 4, 5 }
      x:narrow(1, 2, 4):copy(x:narrow(1, 1, 4))
      assert.same({ 1, 1, 2, 3, 4 }, x:totable())
   end)
   it('leaves the last value in a place that several elements of the target share', function()
      local x = torch.FloatTensor { 1, 2 }:view(2, 1):expand(2, 3)
      x:copy(torch.FloatTensor { { 1, 2, 3 }, { 4, 5, 6 } })
      assert.same({ { 3, 3, 3 }, { 6, 6, 6 } }, x:totable())
   end)
end)
