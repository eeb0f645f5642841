-- test/op/fractional_pool_spec.lua - maxima over windows at random places, and where their gradients go.
local torch, opcheck = require 'torch', require 'test.support.opcheck'

local X = { { { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 1, 1, 1 }, { 2, 2, 3, 2 } } }
local ZEROS = { { { 0, 0 } } }
local CUBE = { { { { 1, 2, 3 }, { 4, 5, 6 } }, { { 7, 8, 9 }, { 12, 11, 10 } } } }

opcheck.describe('fractionalmaxpool2d', function(op)
   op.dtypes 'floats'
   -- Windows of 2 at 0 and 2 of 4 places.
   op.gives(opcheck.results({ { { 6, 8 }, { 9, 3 } } }, opcheck.long { { { 6, 8 }, { 9, 15 } } }), X, ZEROS, 2, 2, 2, 2)
   -- Rows at 0, 1 and 2, columns at 0 and 1: a window of 3 columns.
   op.gives(opcheck.results({ { { 7, 8 }, { 9, 8 }, { 9, 3 } } }, opcheck.long { { { 7, 8 }, { 9, 8 }, { 9, 15 } } }),
      X, ZEROS, 2, 3, 3, 2)
   -- A step of 1.5: the second window begins one or two places from the first.
   op.gives(opcheck.results({ { { 2, 3, 5 } } }, opcheck.long { { { 2, 3, 5 } } }), { { { 1, 2, 3, 4, 5 } } }, ZEROS, 1, 2, 1, 3)
   op.gives(opcheck.results({ { { 2, 4, 5 } } }, opcheck.long { { { 2, 4, 5 } } }), { { { 1, 2, 3, 4, 5 } } },
      { { { 0.5, 0 } } }, 1, 2, 1, 3)
   -- One window lies at the end; the first among equals has the place.
   op.gives(opcheck.results({ { { 7 } } }, opcheck.long { { { 4 } } }), { { { 0, 9, 0 }, { 7, 7, 7 } } }, ZEROS, 1, 3, 1, 1)
   op.grad({ { { 1, 2, 3 }, { 7, 5, 6 }, { 4, 8, 9 } } }, ZEROS, 2, 2, 2, 2)
   op.refuses('kH must lie in 1..4, the size of x, got 5', X, ZEROS, 5, 2, 1, 1)
   op.refuses('kW must lie in 1..4, the size of x, got 0', X, ZEROS, 2, 0, 1, 1)
   op.refuses('outW must lie in 1..3, got 4', X, ZEROS, 2, 2, 1, 4)
   op.refuses('outH must lie in 1..3, got 0', X, ZEROS, 2, 2, 0, 1)
   op.refuses('samples must have size 1x1x2, a number for each dimension of a plane, got 1x1x3', X, { { { 0, 0, 0 } } }, 2, 2, 1, 1)
   op.refuses('x must have 3 to 4 dimensions, got size 2x2', { { 1, 2 }, { 3, 4 } }, ZEROS, 2, 2, 1, 1)
   op.refuses('samples must be a', X, opcheck.long { { { 0, 0 } } }, 2, 2, 1, 1)
   op.dtypes 'ints'
   op.refuses('x must be a Float, Double, Half or BFloat16 tensor', X, ZEROS, 2, 2, 2, 2)
end)

opcheck.describe('fractionalmaxpool3d', function(op)
   op.dtypes 'floats'
   op.gives(opcheck.results({ { { { 12, 11 } } } }, opcheck.long { { { { 10, 11 } } } }), CUBE, { { { 0, 0, 0 } } }, 2, 2, 2, 1, 1, 2)
   op.gives(opcheck.results({ { { { 3 }, { 6 } }, { { 9 }, { 12 } } } }, opcheck.long { { { { 3 }, { 6 } }, { { 9 }, { 10 } } } }),
      CUBE, { { { 0, 0, 0 } } }, 1, 1, 3, 2, 2, 1)
   op.grad(CUBE, { { { 0, 0, 0 } } }, 2, 1, 2, 1, 2, 2)
   op.refuses('outD must lie in 1..1, got 2', CUBE, { { { 0, 0, 0 } } }, 2, 2, 2, 2, 1, 1)
   op.refuses('x must have 4 to 5 dimensions, got size 1x4x4', X, { { { 0, 0, 0 } } }, 2, 2, 2, 1, 1, 1)
end)

opcheck.describe('maxpool3d_grad', function(op)
   op.dtypes 'floats'
   op.gives({ { { { 0, 0, 0 }, { 0, 0, 0 } }, { { 3, 0, 0 }, { 0, 0, 5 } } } }, CUBE, opcheck.long { { { { 7, 7, 12 } } } },
      { { { { 1, 2, 5 } } } })
   op.refuses('index must lie in 1..12, got 13 at place 2 of index', CUBE, opcheck.long { { { { 7, 13 } } } }, { { { { 1, 2 } } } })
   op.refuses('index must have the planes of x', CUBE, opcheck.long { { { { 7 } } }, { { { 8 } } } }, { { { { 1 } } }, { { { 2 } } } })
end)

-- What Graham's paper says, in Lua: the places of the windows along one dimension, from 1.
local function starts(sample, n, out, k)
   local first, step = {}, out > 1 and (n - k) / (out - 1) or 0
   for i = 1, out - 1 do first[i] = math.floor((i - 1 + sample) * step) - math.floor(sample * step) + 1 end
   first[out] = n - k + 1
   return first
end

describe('fractional pooling', function()
   local nan = 0 / 0

   it('agrees with the definition on larger images, for any thread count', function()
      local before = torch.getnumthreads()
      for _, c in ipairs { { 2, 2, 150, 11 }, { 3, 2, 9, 290 }, { 2, 3, 1, 7 }, { 4, 5, 26, 100 } } do
         local kh, kw, oh, ow = math.min(c[1], 29), c[2], math.min(c[3], 29 - c[1] + 1), c[4]
         local x = torch.FloatTensor(3, 5, 29, 301)
         for i = 1, x:nElement() do x:storage()[i] = i * 7919 % 1013 end
         local samples = torch.FloatTensor(3, 5, 2):uniform()
         torch.setnumthreads(1)
         local want_y, want_index = torch.fractionalmaxpool2d(x, samples, kh, kw, oh, ow)
         torch.setnumthreads(3)
         local y, index = torch.fractionalmaxpool2d(x, samples, kh, kw, oh, ow)
         assert.is_true(y:equal(want_y) and index:equal(want_index))
         for n = 1, 3 do
            local rows, cols = starts(samples[n][4][2], 29, oh, kh), starts(samples[n][4][1], 301, ow, kw)
            for q = 1, 40 do
               local i, j = q * 5 % oh + 1, q * 41 % ow + 1
               local best, at = -math.huge, 0
               for h = rows[i], rows[i] + kh - 1 do
                  for w = cols[j], cols[j] + kw - 1 do
                     if x[n][4][h][w] > best then best, at = x[n][4][h][w], (h - 1) * 301 + w end
                  end
               end
               assert.are.equal(best, y[n][4][i][j])
               assert.are.equal(at, index[n][4][i][j])
            end
         end
      end
      torch.setnumthreads(before)
   end)

   it('keeps a NaN, and points to the first one', function()
      local x = torch.DoubleTensor { { { 1, nan, 3, 4, 1, 1, 1, 1 }, { nan, 6, 7, 8, 1, 1, nan, 1 } } }
      local y, index = torch.fractionalmaxpool2d(x, torch.zeros(1, 1, 2), 2, 2, 1, 4)
      assert.is_true(y[1][1][1] ~= y[1][1][1] and y[1][1][4] ~= y[1][1][4])
      assert.same({ { { 2, 12, 5, 15 } } }, index:totable())
   end)

   it('finds a place among negative infinities', function()
      local x = torch.FloatTensor(1, 3, 3):fill(-math.huge)
      assert.same({ { { 1, 2 }, { 4, 5 } } }, select(2, torch.fractionalmaxpool2d(x, torch.FloatTensor(1, 1, 2):zero(),
         2, 2, 2, 2)):totable())
   end)

   it('stays inside of the plane whatever the samples are', function()
      local x = torch.range(1, 100):view(1, 10, 10)
      for _, s in ipairs { nan, math.huge, -math.huge, 1e300, -1e300, 1e18, -5, 7 } do
         local _, index = torch.fractionalmaxpool2d(x, torch.Tensor { { { s, s } } }, 2, 2, 6, 6)
         assert.is_true(index:min() >= 1 and index:max() <= 100)
      end
   end)

   it('of no image is empty', function()
      local none = torch.FloatTensor():resize(0, 2, 4, 4)
      local y, index = torch.fractionalmaxpool2d(none, torch.FloatTensor():resize(0, 2, 2), 2, 2, 2, 2)
      assert.same({ 0, 2, 2, 2 }, y:size():totable())
      assert.same({ 0, 2, 4, 4 }, torch.maxpool2d_grad(none, index, y):size():totable())
   end)
end)
