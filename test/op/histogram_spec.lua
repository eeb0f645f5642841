-- test/op/histogram_spec.lua - histc, bhistc.
local torch, opcheck = require 'torch', require 'test.support.opcheck'

opcheck.describe('histc', function(op)
   op.dtypes 'floats'
   op.gives({ 2, 1, 0, 1 }, { 0.5, 1.5, 3.5, 0 }, 4, 0, 4)
   op.gives({ 2, 2 }, { { 1, 2 }, { 3, 4 } }, 2)
   op.gives({ 1, 1 }, { -1, 0, 1, 2, 3 }, 2, 0, 1)             -- both ends count, nothing beyond them
   op.gives({ 0, 3 }, { 7, 7, 7 }, 2)
   op.gives({ 1, 0, 1 }, { 1, 1 / 0, -1 / 0, 0 / 0, 4 }, 3)      -- the range is that of 1 and 4
   op.refuses('bins must be at least 1, got 0', { 1, 2 }, 0)
   op.refuses('min must not be greater than max, got 2 and 1', { 1, 2 }, 3, 2, 1)
   op.refuses('min and max must be finite', { 1, 2 }, 3, 0, 1 / 0)
end)

opcheck.describe('bhistc', function(op)
   op.dtypes 'floats'
   op.gives({ { 1, 1 }, { 0, 2 } }, { { 0, 4 }, { 3, 4 } }, 2)
   op.gives({ { 1, 0, 1 } }, { 0, 3 }, 3)
   op.refuses('x must have 1 to 2 dimensions', { { { 1 } } }, 3)
   op.refuses('bins must be at least 1, got 0', { 1, 2 }, 0)
end)

describe('torch.histc', function()
   it('tells large equal numbers from nothing', function()
      assert.same({ 0, 2 }, torch.histc(torch.Tensor { 1e300, 1e300 }, 2):totable())
      assert.same({ 2, 0 }, torch.histc(torch.Tensor { 1.7976931348623157e308, 1.7976931348623157e308 }, 2):totable())
   end)
   it('covers all that a double can hold', function()
      assert.same({ 1, 1, 1 }, torch.histc(torch.Tensor { -1.7e308, 0, 1.7e308 }, 3):totable())
   end)
   it('puts numbers whose distance has no half into the first bin', function()
      assert.same({ 2, 0 }, torch.histc(torch.DoubleTensor { 0, 5e-324 }, 2):totable())
      assert.same({ 1, 0, 0 }, torch.histc(torch.DoubleTensor { 0, 1 }, 3, 0, 5e-324):totable())
   end)
   it('has a hundred bins unless told, and counts no NaN', function()
      local y = torch.histc(torch.Tensor { 0, 0 / 0, 1 })
      assert.equal(100, y:nElement())
      assert.equal(1, y[1])
      assert.equal(1, y[100])
      for i = 2, 99 do assert.equal(0, y[i]) end
   end)
end)
