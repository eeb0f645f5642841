-- test/image/color_spec.lua - colour spaces and colour maps.
local torch = require 'torch'
local image = require 'image'

local function refuses(text, f, ...)
   local ok, why = pcall(f, ...)
   assert.is_false(ok)
   assert.truthy(tostring(why):find(text, 1, true), tostring(why))
end

local function pixel(a, b, c, t) return torch.Tensor { a, b, c }:view(3, 1, 1):type(t or 'torch.DoubleTensor') end
local function near(want, got, by)
   assert.same(want:size():totable(), got:size():totable())
   assert.truthy((want:double() - got:double()):abs():max() <= (by or 1e-6))
end

local THERE_AND_BACK = { 'yuv', 'hsl', 'hsv', 'lab' }

describe('colour spaces of image', function()
   it('come back to the colours they came from', function()
      local x = torch.rand(3, 5, 7)
      for _, space in ipairs(THERE_AND_BACK) do
         near(x, image[space .. '2rgb'](image['rgb2' .. space](x)), 1e-4)
         near(x, image[space .. '2rgb'](image['rgb2' .. space](x:float())), 1e-3)
      end
   end)

   it('give the values of well-known colours', function()
      near(pixel(53.2408, 80.0925, 67.2032), image.rgb2lab(pixel(1, 0, 0)), 5e-3)
      near(pixel(1 / 3, 1, 0.5), image.rgb2hsl(pixel(0, 1, 0)))
      near(pixel(5 / 6, 1, 1), image.rgb2hsv(pixel(1, 0, 1)))
      near(pixel(0.114, 0.436, -0.10001), image.rgb2yuv(pixel(0, 0, 1)))
      near(pixel(0.5, 0.25, 0.25), image.rgb2nrgb(pixel(1, 0.5, 0.5)), 1e-5)
      near(torch.Tensor(1, 1, 1):fill(0.587), image.rgb2y(pixel(0, 1, 0)))
   end)

   it('give grey no hue and no saturation', function()
      near(pixel(0, 0, 0.25), image.rgb2hsl(pixel(0.25, 0.25, 0.25)))
      near(pixel(0, 0, 0), image.rgb2hsv(pixel(0, 0, 0)))
      near(pixel(0, 0, 0), image.rgb2nrgb(pixel(0, 0, 0)))
   end)

   it('take a hue as a place on a circle', function()
      for _, f in ipairs { image.hsl2rgb, image.hsv2rgb } do
         near(f(pixel(0.25, 1, 0.5)), f(pixel(1.25, 1, 0.5)))
         near(f(pixel(0.25, 1, 0.5)), f(pixel(-0.75, 1, 0.5)))
      end
   end)

   it('give NaN for a hue that is NaN', function()
      for _, f in ipairs { image.hsl2rgb, image.hsv2rgb } do
         local y = f(pixel(0 / 0, 1, 0.5))
         assert.is_true(y:ne(y):all())
      end
   end)

   it('take whole numbers as 0 to 255', function()
      for _, kind in ipairs { 'Byte', 'Short', 'Int', 'Long' } do
         local t = 'torch.' .. kind .. 'Tensor'
         local hsv = image.rgb2hsv(pixel(255, 0, 255, t))
         assert.equal(t, hsv:type())
         near(pixel(213, 255, 255), hsv, 1)
         near(pixel(255, 0, 255), image.hsv2rgb(hsv), 4)
         near(torch.Tensor(1, 1, 1):fill(105), image.rgb2y(pixel(255, 0, 255, t)))
      end
   end)

   it('write into a result, which may be the picture itself', function()
      local x = torch.rand(3, 4, 5)
      for _, space in ipairs(THERE_AND_BACK) do
         local f = image['rgb2' .. space]
         local want, y, z = f(x), torch.Tensor(1), x:clone()
         assert.is_true(rawequal(y, f(y, x)))
         near(want, y, 0)
         near(want, f(z, z), 0)
      end
   end)

   it('give views and batches the same values', function()
      local x = torch.rand(2, 3, 4, 5)
      for _, name in ipairs { 'rgb2hsv', 'rgb2lab', 'rgb2y' } do
         local f = image[name]
         local y = f(x)
         near(f(x[1]), y[1], 0)
         near(f(x[2]), y[2], 0)
         near(y[1], f(x[1]:transpose(2, 3):contiguous():transpose(2, 3)), 0)
         near(f(x[1]):narrow(3, 2, 2), f(x[1]:narrow(3, 2, 2)), 0)
      end
   end)

   it('give the brightness of a picture with more than three planes', function()
      local x = torch.rand(4, 2, 3)
      near(image.rgb2y(x:narrow(1, 1, 3)), image.rgb2y(x), 0)
   end)

   it('refuse what is no picture of three planes, and a result of another type', function()
      refuses('image.rgb2hsv: the picture must be a tensor, got nil', image.rgb2hsv)
      refuses('image.rgb2y: the picture must have 3 to 8 dimensions, got 2x2', image.rgb2y, torch.rand(2, 2))
      refuses('image.rgb2hsl: the picture must have 3 planes x rows x columns, got 4x2x2', image.rgb2hsl, torch.rand(4, 2, 2))
      refuses("the result must have the picture's type", image.hsl2rgb, torch.FloatTensor(), torch.rand(3, 2, 2))
   end)

   it('refuse whole numbers where a result may be negative', function()
      for _, name in ipairs { 'rgb2yuv', 'yuv2rgb', 'rgb2lab', 'lab2rgb' } do
         refuses(('image.%s: the picture must hold fractions'):format(name), image[name], torch.ByteTensor(3, 2, 2):zero())
      end
   end)
end)

describe('colour maps of image', function()
   it('have rows of red, green and blue between 0 and 1', function()
      for _, f in ipairs { image.colormap, image.jetColormap } do
         for _, n in ipairs { 1, 2, 40 } do
            local map = f(n)
            assert.same({ n, 3 }, map:size():totable())
            assert.truthy(map:min() >= 0 and map:max() <= 1)
         end
      end
   end)

   it('refuse a number of colours that is not positive and whole', function()
      refuses('image.colormap: the number of colours must be a positive whole number, got a number (0)', image.colormap, 0)
      refuses('got a number (2.5)', image.jetColormap, 2.5)
      refuses('got nil', image.jetColormap)
      refuses('got a number (nan)', image.colormap, 0 / 0)
   end)
end)

describe('image.y2jet', function()
   it('gives the largest value the last colour', function()
      local y = image.y2jet(torch.Tensor { { 1, 2 }, { 3, 4 } })
      near(torch.Tensor { 0.5, 0, 0 }, y:select(3, 2):select(2, 2))
      near(torch.Tensor { 0, 0.5, 1 }, y:select(3, 1):select(2, 1))
   end)

   it('gives bytes colours up to 255', function()
      local y = image.y2jet(torch.ByteTensor { 1, 2 })
      assert.equal('torch.ByteTensor', y:type())
      near(torch.Tensor { 128, 0, 0 }, y:select(3, 2):select(2, 1))
   end)

   it('refuses values below 1, not numbers, and more than one plane', function()
      refuses('image.y2jet: pixels must be whole numbers from 1 on, got 0 to 2', image.y2jet, torch.Tensor { 0, 2 })
      refuses('from 1 on', image.y2jet, torch.Tensor { 0 / 0 })
      refuses('image.y2jet: the picture must have one plane, got 3x2x2', image.y2jet, torch.ones(3, 2, 2))
      refuses('the picture must be a tensor, got nil', image.y2jet)
   end)
end)

describe('colours in image.byte, image.float and image.double', function()
   it('come from a picture and go into a result', function()
      local x, y = torch.rand(3, 2, 2), torch.Tensor()
      image.double.rgb2hsl(x, y)
      near(image.rgb2hsl(x), y, 0)
      near(image.rgb2hsl(x), image.double.rgb2hsl(x), 0)
      near(pixel(85, 255, 255), image.byte.rgb2hsv(pixel(0, 255, 0, 'torch.ByteTensor')))
   end)

   it('colorize labels from 0 with the rows of a map', function()
      local y = image.double.colorize(torch.Tensor(), torch.Tensor { { 1, 0 } }, torch.Tensor { { 1, 2, 3 }, { 4, 5, 6 } })
      assert.same({ { { 4, 1 } }, { { 5, 2 } }, { { 6, 3 } } }, torch.totable(y))
      refuses('image.double.colorize: pixels must lie in 0..1, got 0 to 2', image.double.colorize, torch.Tensor(),
         torch.Tensor { 0, 2 }, torch.ones(2, 3))
      refuses('the map must be a tensor of colours x 3', image.double.colorize, torch.Tensor(), torch.Tensor { 0 }, torch.ones(2, 2))
   end)

   it('saturate fractions in place and leave bytes alone', function()
      local x = torch.FloatTensor { -1, 0.5, 2 }
      assert.is_true(rawequal(x, image.float.saturate(x)))
      assert.same({ 0, 0.5, 1 }, torch.totable(x))
      assert.same({ 255 }, torch.totable(image.byte.saturate(torch.ByteTensor { 255 })))
   end)

   it('refuse tensors of another type', function()
      refuses('image.float.rgb2y: expected a torch.FloatTensor, got a torch.DoubleTensor', image.float.rgb2y, torch.rand(3, 2, 2))
   end)
end)
