-- test/op/image_geometry_spec.lua - image_affine, image_rotate, image_polar; scale and warp are in test/image.
local opcheck = require 'test.support.opcheck'

local X = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } }

opcheck.describe('image_affine', function(op)
   op.dtypes 'all'
   op.gives(X, X, 1, 0, 0, 1)
   op.gives({ { 1, 1, 2 }, { 4, 4, 5 }, { 7, 7, 8 } }, X, 1, 0, 0, 1, 0, 1)
   op.gives({ { 9, 1, 2 }, { 9, 4, 5 }, { 9, 7, 8 } }, X, 1, 0, 0, 1, 0, 1, 'simple', 'pad', 9)
   op.gives({ { 9, 8, 7 }, { 6, 5, 4 }, { 3, 2, 1 } }, X, -1, 0, 0, -1, 0, 0, 'simple')
   op.gives({ { X, X } }, { { X, X } }, 1, 0, 0, 1)                                        -- a batch
   op.refuses('mode', X, 1, 0, 0, 1, 0, 0, 'nearest')
   op.refuses('clamp', X, 1, 0, 0, 1, 0, 0, 'simple', 'wrap')
   op.refuses('x must', { 1, 2, 3 }, 1, 0, 0, 1)
end)

opcheck.describe('image_rotate', function(op)
   op.dtypes 'all'
   op.gives(X, X, 0)
   op.gives({ { 9, 8, 7 }, { 6, 5, 4 }, { 3, 2, 1 } }, X, math.pi)
   op.gives({ { { 9, 8, 7 }, { 6, 5, 4 }, { 3, 2, 1 } } }, { X }, math.pi)
   op.refuses('mode', X, 1, 'bicubic')
   op.refuses('x must', { 1, 2, 3 }, 1)
end)

opcheck.describe('image_polar', function(op)
   op.dtypes 'all'
   op.gives({ { 5, 5 }, { 5, 5 } }, { { 5, 5, 5 }, { 5, 5, 5 }, { 5, 5, 5 } }, 2, 2)
   op.gives({ { 5, 5 }, { 5, 5 } }, { { 5, 5, 5 }, { 5, 5, 5 }, { 5, 5, 5 } }, 2, 2, 'bilinear', 'valid', true)
   op.refuses('mode', X, 2, 2, 'bicubic')
   op.refuses('area', X, 2, 2, 'simple', 'half')
   op.refuses('height', X, 0, 2)
end)
