-- test/op/image_color_spec.lua - image_color, image_luma.
local torch, opcheck = require 'torch', require 'test.support.opcheck'

local function pixel(a, b, c) return { { { a } }, { { b } }, { { c } } } end

opcheck.describe('image_luma', function(op)
   op.dtypes 'floats'
   op.tolerance(1e-2)
   op.gives({ { { 0.299, 0.114 } } }, { { { 1, 0 } }, { { 0, 0 } }, { { 0, 1 } } })
end)

opcheck.describe('image_luma', function(op)
   op.dtypes 'ints'
   op.gives({ { { 30, 11 } } }, { { { 100, 0 } }, { { 0, 0 } }, { { 0, 100 } } })
   op.gives({ { { 127, 0 } } }, { { { 127, 0 } }, { { 127, 0 } }, { { 127, 0 } }, { { 1, 1 } } })
end)

opcheck.describe('image_color', function(op)
   op.dtypes 'floats'
   op.tolerance(1e-2)
   op.gives(pixel(0.5, 1, 0.5), pixel(0, 1, 1), 'rgb2hsl')
   op.gives(pixel(0, 1, 1), pixel(0.5, 1, 0.5), 'hsl2rgb')
   op.gives(pixel(0.5, 1, 1), pixel(0, 1, 1), 'rgb2hsv')
   op.gives(pixel(0.75, 0.25, 0.25), pixel(0, 0.66667, 0.75), 'hsv2rgb')
   op.gives(pixel(0.25, 0.25, 0.5), pixel(0.25, 0.25, 0.5), 'rgb2nrgb')
   op.gives(pixel(0.299, -0.14713, 0.615), pixel(1, 0, 0), 'rgb2yuv')
   op.gives(pixel(1, 0, 0), pixel(0.299, -0.14713, 0.615), 'yuv2rgb')
   op.gives(pixel(100, 0, 0), pixel(1, 1, 1), 'rgb2lab')
   op.gives(pixel(1, 1, 1), pixel(100, 0, 0), 'lab2rgb')
   op.gives({ pixel(0, 0, 1), pixel(0, 1, 1) }, { pixel(1, 1, 1), pixel(1, 0, 0) }, 'rgb2hsv')   -- a batch
   op.refuses("no change of colours is called 'rgb2xyz'", pixel(1, 1, 1), 'rgb2xyz')
   op.refuses('x must be pictures of 3 planes x rows x columns, got size 2x1x1', { { { 1 } }, { { 1 } } }, 'rgb2hsl')
   op.refuses('x must have 3 to 16 dimensions', { { 1 }, { 1 }, { 1 } }, 'rgb2hsl')
end)

opcheck.describe('image_color', function(op)
   op.dtypes 'byte short int long'
   op.gives(pixel(85, 255, 128), pixel(0, 255, 0), 'rgb2hsl')
   op.gives(pixel(1, 255, 1), pixel(85, 255, 128), 'hsl2rgb')
   op.gives(pixel(170, 255, 255), pixel(0, 0, 255), 'rgb2hsv')
   op.gives(pixel(0, 0, 255), pixel(170, 255, 255), 'hsv2rgb')
   op.gives(pixel(85, 85, 85), pixel(9, 9, 9), 'rgb2nrgb')
   op.refuses('x must be', pixel(1, 1, 1), 'rgb2yuv')
end)

opcheck.describe('image_color', function(op)
   op.dtypes 'char'
   op.gives(pixel(85, 127, 50), pixel(0, 100, 0), 'rgb2hsl')       -- 255 is more than a char holds
end)

describe('image_color and image_luma', function()
   it('take pictures without pixels', function()
      assert.same({ 3, 0, 4 }, torch.image_color(torch.Tensor(3, 0, 4), 'rgb2hsv'):size():totable())
      assert.same({ 1, 0, 4 }, torch.image_luma(torch.Tensor(3, 0, 4)):size():totable())
   end)
end)
