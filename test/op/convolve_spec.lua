-- test/op/convolve_spec.lua - Torch's plain convolutions and correlations.
local torch, opcheck = require 'torch', require 'test.support.opcheck'

local X, K = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } }, { { 1, 0 }, { 2, 3 } }

opcheck.describe('xcorr2', function(op)
   op.dtypes 'all'
   op.gives({ { 24, 30 }, { 42, 48 } }, X, K)
   op.gives({ { 24, 30 }, { 42, 48 } }, X, K, 'V')
   op.gives({ { 3, 8, 13, 6 }, { 12, 24, 30, 15 }, { 21, 42, 48, 24 }, { 0, 7, 8, 9 } }, X, K, 'F')
   op.gives({ { { 24, 30 }, { 42, 48 } }, { { 1, 2 }, { 4, 5 } } }, { X, X }, { K, { { 1, 0 }, { 0, 0 } } })
   op.gives({ { { 25, 32 }, { 46, 53 } } }, { X, X }, { { K, { { 1, 0 }, { 0, 0 } } } })
   op.refuses('k must be no larger than x, got sizes 3x3 and 2x2', K, X)
   op.refuses('type must be "V" (valid) or "F" (full), got "S"', X, K, 'S')
   op.refuses('k must have 2 planes like x, got sizes 1x2x2 and 2x3x3', { X, X }, { K })
   op.refuses('x must have 2 to 3 dimensions, got size 3', { 1, 2, 3 }, K)
   op.refuses('k must have 2 dimensions, got size 1x2x2', X, { K })
end)

opcheck.describe('conv2', function(op)
   op.dtypes 'all'
   op.gives({ { 3 + 4 + 5, 6 + 6 + 6 }, { 12 + 10 + 8, 15 + 12 + 9 } }, X, { { 1, 0 }, { 2, 3 } })
   op.gives({ { 1, 2, 3, 0 }, { 2, 7, 12, 9 } }, { { 1, 2, 3 } }, K, 'F')
end)

opcheck.describe('xcorr3', function(op)
   op.dtypes 'all'
   op.gives({ { { 24 + 1, 30 + 2 }, { 42 + 4, 48 + 5 } } }, { X, X }, { K, { { 1, 0 }, { 0, 0 } } })
   op.gives({ { { { 3 } } } }, { { { { 1 } } }, { { { 2 } } } }, { { { { { 1 } } }, { { { 1 } } } } })
   op.refuses('k must be no larger than x', { X }, { K, K })
end)

opcheck.describe('conv3', function(op)
   op.dtypes 'all'
   op.gives({ { { 1 } }, { { 4 } }, { { 4 } } }, { { { 1 } }, { { 2 } } }, { { { 1 } }, { { 2 } } }, 'F')
end)

describe('conv2', function()
   it('agrees with conv2d on wide images, flipped', function()
      local x, k = torch.DoubleTensor(2, 9, 1100), torch.DoubleTensor(3, 2, 4, 5)
      for i = 1, x:nElement() do x:storage()[i] = i * 7919 % 13 - 6 end
      for i = 1, k:nElement() do k:storage()[i] = i * 31 % 7 - 3 end
      assert.same(torch.conv2d(x, k):totable(), torch.xcorr2(x, k):totable())
      assert.same(torch.conv2d(x, k, torch.zeros(3), 1, 1, 3, 4):totable(), torch.xcorr2(x, k, 'F'):totable())
      local flipped = torch.DoubleTensor(3, 2, 4, 5)
      for i = 1, 4 do for j = 1, 5 do
         flipped:select(3, i):select(3, j):copy(k:select(3, 5 - i):select(3, 6 - j))
      end end
      assert.same(torch.conv2d(x, flipped):totable(), torch.conv2(x, k):totable())
   end)
end)
