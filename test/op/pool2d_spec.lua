-- test/op/pool2d_spec.lua - maxima and means over windows, and where their gradients go.
local torch, opcheck = require 'torch', require 'test.support.opcheck'

local X = { { { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 1, 1, 1 }, { 2, 2, 3, 2 } } }

opcheck.describe('maxpool2d', function(op)
   op.dtypes 'floats'
   op.gives(opcheck.results({ { { 6, 8 }, { 9, 3 } } }, opcheck.long { { { 6, 8 }, { 9, 15 } } }), X, 2, 2, 2, 2)
   op.gives(opcheck.results({ { { 7, 8 } } }, opcheck.long { { { 7, 8 } } }), X, 2, 3, 3, 1)
   op.gives(opcheck.results({ { { 6, 8 }, { 9, 8 } } }, opcheck.long { { { 6, 8 }, { 9, 8 } } }),
      X, 3, 3, 2, 2, 1, 1)
   op.gives(opcheck.results({ { { 6, 8 }, { 2, 3 } } }, opcheck.long { { { 6, 8 }, { 13, 15 } } }),
      X, 2, 2, 3, 2, 0, 0, 1, 1, true)
   op.gives(opcheck.results({ { { 9, 4 }, { 7, 8 } } }, opcheck.long { { { 9, 4 }, { 7, 8 } } }), X, 2, 2, 1, 1, 0, 0, 2, 2)
   op.gives(opcheck.results({ { { 1 } } }, opcheck.long { { { 1 } } }), { { { 1, 1 }, { 1, 1 } } }, 2, 2, 1, 1)
   op.grad({ { { 1, 2, 3 }, { 7, 5, 6 }, { 4, 8, 9 } } }, 2, 2, 1, 1)
   op.grad({ { { { 1, 2, 3 }, { 7, 5, 6 }, { 4, 8, 9 } } } }, 3, 2, 2, 1, 1, 1, 1, 1, true)
   op.refuses('x of size 1x4x4, padded by 0x0, must be at least as large as the window of 5x2', X, 5, 2, 1, 1)
   op.refuses('kW must lie in 1..2147483647, got 0', X, 2, 0, 1, 1)
   op.refuses('strideH must lie in 1..2147483647, got -1', X, 2, 2, -1, 1)
   op.refuses('padH must be at most half of kH, 2, got 2', X, 2, 2, 1, 1, 2, 0)
   op.refuses('padW must lie in 0..2147483647, got -1', X, 2, 2, 1, 1, 0, -1)
   op.refuses('x must have 3 to 4 dimensions, got size 2x2', { { 1, 2 }, { 3, 4 } }, 2, 2, 1, 1)
   op.dtypes 'ints'
   op.refuses('x must be a Float, Double, Half or BFloat16 tensor', X, 2, 2, 2, 2)
end)

opcheck.describe('maxpool2d_grad', function(op)
   op.dtypes 'floats'
   op.gives({ { { 0, 0, 0, 0 }, { 0, 3, 0, 3 }, { 3, 0, 0, 0 }, { 0, 0, 0, 0 } } }, X,
      opcheck.long { { { 6, 8 }, { 9, 6 } } }, { { { 1, 3 }, { 3, 2 } } })
   op.refuses('index must lie in 1..16, got 17 at place 3 of index', X,
      opcheck.long { { { 6, 8 }, { 17, 6 } } }, { { { 1, 3 }, { 3, 2 } } })
   op.refuses('index must lie in 1..16, got -1 at place 1 of index', X, opcheck.long { { { -1, 8 } } }, { { { 1, 3 } } })
   op.refuses('index must be a LongTensor', X, opcheck.int { { { 6, 8 } } }, { { { 1, 3 } } })
   op.refuses('g must have the size of index, 1x1x2, got 1x2x1', X, opcheck.long { { { 6, 8 } } }, { { { 1 }, { 3 } } })
   op.refuses('index must have the planes of x', X, opcheck.long { { { 6 } }, { { 8 } } }, { { { 1 } }, { { 3 } } })
end)

opcheck.describe('avgpool2d', function(op)
   op.dtypes 'floats'
   op.gives({ { { 3.5, 5.5 }, { 3.5, 1.75 } } }, X, 2, 2, 2, 2)
   op.gives({ { { 14 / 9, 30 / 9 }, { 25 / 9, 31 / 9 } } }, X, 3, 3, 2, 2, 1, 1)
   op.gives({ { { 14 / 4, 30 / 6 }, { 25 / 6, 31 / 9 } } }, X, 3, 3, 2, 2, 1, 1, false, false)
   op.gives({ { { 3.5, 5.5 }, { 2, 2.5 } } }, X, 2, 2, 3, 2, 0, 0, true)
   op.refuses('padW must be at most half of kW, 3, got 2', X, 3, 3, 2, 2, 1, 2)
   op.grad({ { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } } }, 2, 2, 1, 1, 1, 1)
   op.grad({ { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } } }, 3, 2, 2, 2, 1, 0, true, false)
end)

opcheck.describe('avgpool2d_grad', function(op)
   op.dtypes 'floats'
   op.gives({ { { 0.25, 0.25, 0.5, 0.5 }, { 0.25, 0.25, 0.5, 0.5 }, { 1, 1, 2, 2 }, { 1, 1, 2, 2 } } }, X,
      { { { 1, 2 }, { 4, 8 } } }, 2, 2, 2, 2)
   op.refuses("g must have the size of the pooling's result, 1x2x2, got 1x1x2", X, { { { 1, 2 } } }, 2, 2, 2, 2)
end)

describe('pooling', function()
   local nan = 0 / 0

   it('lets NaN through, and points to it', function()
      local y, index = torch.maxpool2d(torch.FloatTensor { { { 1, nan, 3, 4 }, { 5, 6, 7, 8 } } }, 2, 2, 2, 2)
      assert.is_true(y[1][1][1] ~= y[1][1][1])
      assert.same({ { { 2, 8 } } }, index:totable())
   end)

   it('finds a place even among negative infinities', function()
      local low = -math.huge
      local x = torch.DoubleTensor { { { low, low }, { low, low } } }
      local _, index = torch.maxpool2d(x, 3, 3, 1, 1, 1, 1)
      assert.same({ { { 1, 1 }, { 1, 1 } } }, index:totable())
   end)

   it('agrees with the definition on larger images, of any thread count', function()
      local x = torch.FloatTensor(3, 5, 29, 301)
      for i = 1, x:nElement() do x:storage()[i] = i * 7919 % 1013 end
      local before = torch.getnumthreads()
      for _, c in ipairs { { 2, 2, 2, 2, 0, 0, 1, 1 }, { 3, 3, 2, 2, 1, 1, 1, 1 }, { 3, 2, 1, 3, 0, 1, 2, 2 },
         { 2, 3, 3, 1, 1, 1, 1, 1 } } do
         torch.setnumthreads(3)
         local y, index = torch.maxpool2d(x, unpack(c))
         torch.setnumthreads(1)
         assert.same(y:totable(), (torch.maxpool2d(x, unpack(c))):totable())
         local p = torch.maxpool2d_grad(x, index, y)
         assert.are.equal(y:double():sum(), p:double():sum())
         for q = 1, 60 do
            local n, k = q % 3 + 1, q % 5 + 1
            local i, j = q * 5 % y:size(3) + 1, q * 41 % y:size(4) + 1
            local best, at = -math.huge
            for a = 0, c[1] - 1 do for b = 0, c[2] - 1 do
               local h, w = (i - 1) * c[3] - c[5] + a * c[7] + 1, (j - 1) * c[4] - c[6] + b * c[8] + 1
               if h >= 1 and h <= 29 and w >= 1 and w <= 301 and x[n][k][h][w] > best then
                  best, at = x[n][k][h][w], (h - 1) * 301 + w
               end
            end end
            assert.are.equal(best, y[n][k][i][j])
            assert.are.equal(at, index[n][k][i][j])
         end
      end
      torch.setnumthreads(before)
   end)

   it('of no image is empty', function()
      local none = torch.FloatTensor():resize(0, 2, 4, 4)
      local y, index = torch.maxpool2d(none, 2, 2, 2, 2)
      assert.same({ 0, 2, 2, 2 }, y:size():totable())
      assert.same({ 0, 2, 2, 2 }, index:size():totable())
      assert.same({ 0, 2, 4, 4 }, torch.maxpool2d_grad(none, index, y):size():totable())
   end)
end)

opcheck.describe('pool2d', function(op)
   op.dtypes 'floats'
   op.gives({ { { 4 } } }, { { { 1, 2 }, { 3, 4 } } }, 'max', 2, 2, 1, 1)
   op.gives({ { { 2.5 } } }, { { { 1, 2 }, { 3, 4 } } }, 'mean', 2, 2, 1, 1)
   op.refuses('kind must be "max" or "mean", got "least"', { { { 1, 2 }, { 3, 4 } } }, 'least', 2,
      2, 1, 1)
   op.refuses('dilationH and dilationW must be 1 for means, got 2 and 1',
      { { { 1, 2 }, { 3, 4 }, { 5, 6 } } }, 'mean', 2, 2, 1,
      1, 0, 0, 2, 1)
end)

describe('pool2d', function()
   local function last(t)
      return torch.FloatTensor(t:size(1), t:size(3), t:size(4), t:size(2)):permute(1, 4, 2,
         3):copy(t)
   end

   it('agrees with maxpool2d and avgpool2d in each layout, for any number of threads', function()
      local before = torch.getnumthreads()
      local x = torch.FloatTensor(2, 83, 13, 11):uniform(-1, 1)
      x[2][70][3][4] = 0 / 0
      for _, c in ipairs { { 2, 2, 2, 2 }, { 3, 3, 2, 2, 1, 1 }, { 3, 2, 1, 3, 1, 0 },
         { 13, 11, 1, 1 } } do
         local most = torch.maxpool2d(x, unpack(c))
         local mean = torch.avgpool2d(x, c[1], c[2], c[3], c[4], c[5] or 0, c[6] or 0, false, false)
         for threads = 1, 2 do
            torch.setnumthreads(threads)
            for _, from in ipairs { x, last(x) } do
               local y = torch.pool2d(last(most), from, 'max', unpack(c))
               local m = torch.pool2d(last(mean), from, 'mean', c[1], c[2], c[3], c[4], c[5] or 0,
                  c[6] or 0, 1, 1, false, false)
               assert.same(tostring(most), tostring(y:clone()))
               assert.is_true(torch.ne(y:clone(), most):sum() == torch.ne(most, most):sum())
               m, mean = m:clone(), mean:clone()
               m[torch.ne(m, m)], mean[torch.ne(mean, mean)] = 0, 0
               assert.is_true((m - mean):abs():max() < 1e-6)
               mean = torch.avgpool2d(x, c[1], c[2], c[3], c[4], c[5] or 0, c[6] or 0, false, false)
            end
         end
      end
      torch.setnumthreads(before)
   end)
end)
