-- test/op/scale_planes_spec.lua - a factor and an addend for each plane, then an activation.
local opcheck = require 'test.support.opcheck'
local torch = require 'torch'

opcheck.describe('scale_planes', function(op)
   op.dtypes 'floats'
   op.gives({ { { 3, 5 }, { 0, 0 } } }, { { { 1, 2 }, { 1, -1 } } }, { 2, 4 }, { 1, -8 }, 'relu')
   op.gives({ { { 3, 4 }, { -4, -5 } } }, { { { 1, 2 }, { 1, -1 } } }, { 2, 4 }, { 1, -8 }, 'clip',
      -5, 4)
   op.gives({ { 3, -4 }, { 5, -12 } }, { { 1, 1 }, { 2, -1 } }, { 2, 4 }, { 1, -8 })
   op.refuses('scale must have 2 elements, one for each plane of x, got size 3', { { 1, 2 } },
      { 1, 2, 3 }, { 1, 2 })
   op.refuses('shift must have 2 elements, one for each plane of x, got size 1', { { 1, 2 } },
      { 1, 2 }, { 1 })
   op.refuses('x must have', { 1, 2 }, { 1, 2 }, { 1, 2 })
   op.refuses('act must be "none", "relu" or "clip", got "gelu"', { { 1, 2 } }, { 1, 2 }, { 1, 2 },
      'gelu')
   op.refuses('low must be at most high, got 2 and 1', { { 1, 2 } }, { 1, 2 }, { 1, 2 }, 'clip', 2,
      1)
end)

describe('scale_planes', function()
   it('gives the same numbers with channels side by side, in parts of pixels too', function()
      for _, step in ipairs { 40, 47 } do
         local x = torch.FloatTensor(2, 9, 7, step):uniform(-1, 1):permute(1, 4, 2, 3):narrow(2, 1,
            40)
         local y = torch.FloatTensor(2, 9, 7, step):fill(9):permute(1, 4, 2, 3)
         local scale, shift = torch.FloatTensor(40):uniform(), torch.FloatTensor(40):uniform(-1, 1)
         torch.scale_planes(y:narrow(2, 1, 40), x, scale, shift, 'relu')
         local want = torch.scale_planes(x:clone(), scale, shift, 'relu')
         assert.is_true(torch.equal(want, y:narrow(2, 1, 40):clone()))
         if step > 40 then assert.equal(9, y:narrow(2, 41, step - 40):min()) end
      end
   end)
end)
