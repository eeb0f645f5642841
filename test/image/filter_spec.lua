-- test/image/filter_spec.lua - convolution, kernels, contrast, black and white shapes, minmax and toDisplayTensor.
local torch = require 'torch'
local image = require 'image'

local function refuses(text, f, ...)
   local ok, why = pcall(f, ...)
   assert.is_false(ok)
   assert.truthy(tostring(why):find(text, 1, true), tostring(why))
end

local function near(want, got, by)
   assert.same(want:size():totable(), got:size():totable())
   assert.truthy((want:double() - got:double()):abs():max() <= (by or 1e-6))
end

describe('image.convolve', function()
   local x, k = torch.rand(5, 6), torch.rand(3, 2)

   it('is torch.conv2 where it is valid and where it is full', function()
      near(torch.conv2(x, k), image.convolve(x, k), 1e-12)
      near(torch.conv2(x, k, 'F'), image.convolve(x, k, 'full'), 1e-12)
   end)

   it('keeps the size with the mode same', function()
      near(torch.conv2(x, k, 'F'):narrow(1, 2, 5):narrow(2, 1, 6), image.convolve(x, k, 'same'), 1e-12)
      near(x, image.convolve(x, torch.Tensor { { 0, 0, 0 }, { 0, 1, 0 }, { 0, 0, 0 } }, 'same'), 1e-12)
   end)

   it('treats planes one by one, with one kernel or with one for each', function()
      local y = torch.rand(2, 5, 6)
      near(image.convolve(y[2], k), image.convolve(y, k)[2], 1e-12)
      local both = torch.rand(2, 3, 2)
      near(image.convolve(y[2], both[2]), image.convolve(y, both)[2], 1e-12)
   end)

   it('takes views and writes into a result', function()
      local y, want = torch.Tensor(), image.convolve(x, k)
      assert.is_true(rawequal(y, image.convolve(y, x:t():contiguous():t(), k)))
      near(want, y, 1e-12)
   end)

   it('leaves the whole convolution in the result of the mode same', function()
      local y = torch.Tensor()
      near(image.convolve(x, k, 'same'), image.convolve(y, x, k, 'same'), 0)
      near(image.convolve(x, k, 'full'), y, 0)
   end)

   it('refuses an unknown mode, a missing kernel, and sizes that do not fit', function()
      refuses("image.convolve: the mode must be 'valid', 'full' or 'same', got most", image.convolve, x, k, 'most')
      refuses('image.convolve: the kernel must be a tensor, got nil', image.convolve, x)
      refuses('image.convolve: the kernel must have 2 dimensions, got 2x3x2', image.convolve, x, torch.rand(2, 3, 2))
      refuses('image.convolve: the picture must have 2 to 3 dimensions', image.convolve, torch.rand(3), k)
   end)
end)

describe('kernels of image', function()
   it('are symmetric and have their top in the middle', function()
      for _, f in ipairs { image.gaussian, image.laplacian } do
         local y = f(5)
         near(y:t(), y, 1e-12)
         assert.equal(1, y[3][3])
         assert.equal(1, y:max())
      end
      assert.equal(1, image.gaussian1D(5)[3])
   end)

   it('have the sum 1 if they are normalized', function()
      assert.near(1, image.gaussian { width = 7, height = 4, normalize = true }:sum(), 1e-12)
      assert.near(1, image.gaussian1D { size = 7, normalize = true }:sum(), 1e-12)
      assert.near(1, image.laplacian { size = 7, sigma = 0.2, normalize = true }:sum(), 1e-12)
   end)

   it('take arguments in order and by name', function()
      near(image.gaussian(5, 0.3, 2, false, 6, 4, 0.2, 0.4, 0.3, 0.6), image.gaussian { size = 5, sigma = 0.3, amplitude = 2,
         width = 6, height = 4, sigma_horz = 0.2, sigma_vert = 0.4, mean_horz = 0.3, mean_vert = 0.6 }, 0)
      near(image.gaussian1D(5, 0.3, 2, false, 0.4), image.gaussian1D { size = 5, sigma = 0.3, amplitude = 2, mean = 0.4 }, 0)
   end)

   it('fill a tensor, of its type and size', function()
      local y = torch.FloatTensor(4, 5)
      assert.is_true(rawequal(y, image.gaussian { tensor = y }))
      near(image.gaussian { width = 5, height = 4 }, y, 1e-6)
      near(y, image.float.gaussian(torch.FloatTensor(4, 5)), 0)
      near(image.gaussian1D(6), image.gaussian1D { tensor = torch.FloatTensor(6) }, 1e-6)
   end)

   it('refuse sizes below 1, values of other types, and tensors of other dimensions', function()
      refuses('image.gaussian: width must be at least 1, got 0', image.gaussian, 0)
      refuses('image.gaussian: width must be at least 1, got nan', image.gaussian, 0 / 0)
      refuses('image.gaussian1D: size must be at least 1, got -2', image.gaussian1D, -2)
      refuses('image.laplacian: sigma must be a number, got', image.laplacian, 3, 'wide')
      refuses('image.gaussian: the picture must have 2 dimensions', image.gaussian, { tensor = torch.Tensor(2, 2, 2) })
      refuses('image.gaussian: the picture must have 2 dimensions', image.gaussian, { tensor = torch.Tensor() })
   end)
end)

describe('image.lcn', function()
   it('makes a picture of one contrast the same at every brightness', function()
      local x = torch.rand(14, 13)
      near(image.lcn(x), image.lcn(x * 3 + 7), 1e-9)
      near(image.lcn(x), image.lcn(x:view(1, 14, 13)), 0)
   end)

   it('gives doubles for every type, and leaves the picture alone', function()
      local x = torch.ByteTensor(10, 10):random(0, 255)
      local before = x:clone()
      assert.equal('torch.DoubleTensor', image.lcn(x):type())
      near(before, x, 0)
   end)

   it('refuses pictures with colours', function()
      refuses('image.lcn: the picture must be grey, got 3x12x12', image.lcn, torch.rand(3, 12, 12))
      refuses('image.lcn: the picture must be a tensor, got nil', image.lcn)
   end)
end)

describe('image.erode and image.dilate', function()
   local dot = torch.Tensor { { 0, 0, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 0, 0 } }

   it('grow and shrink shapes, in the type of the picture', function()
      local grown = { { 0, 1, 1, 1 }, { 0, 1, 1, 1 }, { 0, 1, 1, 1 } }
      for _, kind in ipairs { 'Byte', 'Int', 'Float', 'Double' } do
         local x = dot:type('torch.' .. kind .. 'Tensor')
         local y = image.dilate(x)
         assert.equal(x:type(), y:type())
         assert.same(grown, torch.totable(y))
         assert.same({ { 0, 0, 1, 1 }, { 0, 0, 1, 1 }, { 0, 0, 1, 1 } }, torch.totable(image.erode(y)))
         assert.same({ { 0, 0, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 0, 0 } }, torch.totable(image.erode(y, nil, 0)))
      end
   end)

   it('are each the other of the opposite picture with the kernel turned', function()
      local x, k = torch.rand(6, 7):gt(0.5):double(), torch.Tensor { { 1, 1, 0 }, { 1, 0, 0 }, { 0, 0, 0 } }
      near(-image.dilate(x, torch.Tensor { { 0, 0, 0 }, { 0, 0, 1 }, { 0, 1, 1 } }) + 1, image.erode(-x + 1, torch.flip(torch.flip(
         torch.Tensor { { 0, 0, 0 }, { 0, 0, 1 }, { 0, 1, 1 } }, 1), 2)), 0)
      near(-image.dilate(x, k) + 1, image.erode(-x + 1, torch.flip(torch.flip(k, 1), 2)), 0)
   end)

   it('sum more neighbours than a byte can count', function()
      local x = torch.ByteTensor(16, 16):fill(1)
      assert.equal(256, image.dilate(x, torch.ByteTensor(16, 16):fill(1), 1):double():sum())
   end)

   it('take pictures of one pixel and views', function()
      assert.same({ { 1 } }, torch.totable(image.dilate(torch.ones(1, 1))))
      near(image.dilate(dot):t(), image.dilate(dot:t()), 0)
   end)

   it('refuse what is no picture, no kernel and no number', function()
      refuses('image.erode: the picture must be a tensor, got nil', image.erode)
      refuses('image.dilate: the picture must have 2 dimensions', image.dilate, torch.ones(3))
      refuses('image.dilate: the kernel must be a tensor, got a number (3)', image.dilate, dot, 3)
      refuses('image.erode: pad must be a number', image.erode, dot, nil, 'one')
   end)
end)

describe('image.minmax', function()
   local x = torch.Tensor { -1, 0, 3 }

   it('brings values to 0..1', function()
      near(torch.Tensor { 0, 0.25, 1 }, image.minmax { tensor = x })
      near(torch.Tensor { -0.5, 0, 1.5 }, image.minmax { tensor = x, min = 0, max = 2 })
      near(torch.Tensor { 0, 0, 1 }, image.minmax { tensor = x, min = 0, max = 2, saturate = true })
      near(torch.Tensor { 1 / 3, 0.5, 1 }, image.minmax { tensor = x, symm = true })
      near(torch.Tensor { 0, 0 }, image.minmax { tensor = torch.Tensor { 5, 5 } })
   end)

   it('leaves the tensor alone unless it works in place', function()
      local y = x:clone()
      image.minmax { tensor = y }
      near(x, y, 0)
      assert.is_true(rawequal(y, image.minmax { tensor = y, inplace = true }))
      near(torch.Tensor { 0, 0.25, 1 }, y)
   end)

   it('writes into tensorOut', function()
      local y = torch.FloatTensor()
      assert.is_true(rawequal(y, image.minmax { tensor = x, tensorOut = y }))
      near(torch.Tensor { 0, 0.25, 1 }, y)
   end)

   it('gives bytes fractions, but not in place', function()
      near(torch.Tensor { 0, 1 }, image.minmax { tensor = torch.ByteTensor { 3, 8 } })
      refuses('image.minmax: the result must hold fractions, got a torch.ByteTensor', image.minmax,
         { tensor = torch.ByteTensor { 3, 8 }, inplace = true })
   end)

   it('takes a tensor without elements', function()
      assert.equal(0, image.minmax { tensor = torch.Tensor() }:nElement())
   end)

   it('refuses arguments of other types', function()
      refuses('image.minmax: the arguments must be in a table, got a torch.DoubleTensor', image.minmax, x)
      refuses('image.minmax: the picture must be a tensor, got nil', image.minmax, {})
      refuses('image.minmax: min must be a number', image.minmax, { tensor = x, min = 'low' })
   end)
end)

describe('image.toDisplayTensor', function()
   it('puts pictures side by side, and what is left gets the largest value', function()
      local y = image.toDisplayTensor { input = torch.Tensor { 0, 1, 2 }:view(3, 1, 1, 1), nrow = 2 }
      near(torch.Tensor { { { 0, 0.5 }, { 1, 1 } } }, y)
   end)

   it('puts padding around pictures', function()
      local y = image.toDisplayTensor { input = { torch.zeros(1, 1), torch.ones(1, 1) }, padding = 2 }
      near(torch.Tensor { { { 1, 1, 1, 1, 1, 1 }, { 1, 0, 1, 1, 1, 1 }, { 1, 1, 1, 1, 1, 1 } } }, y)
   end)

   it('takes planes other than 1 and 3 for pictures', function()
      assert.same({ 4, 9 }, image.toDisplayTensor { input = torch.rand(5, 2, 3), nrow = 3 }:size():totable())
      assert.same({ 3, 2, 3 }, image.toDisplayTensor(torch.rand(3, 2, 3)):size():totable())
   end)

   it('scales all pictures together, or each alone', function()
      local x = torch.Tensor { 0, 1, 0, 4 }:view(2, 1, 1, 2)
      near(torch.Tensor { { { 0, 0.25, 0, 1 } } }, image.toDisplayTensor(x))
      near(torch.Tensor { { { 0, 1, 0, 1 } } }, image.toDisplayTensor { input = x, scaleeach = true })
   end)

   it('leaves the pictures alone, also if they are bytes', function()
      local x = torch.ByteTensor { 0, 100, 200, 50 }:view(2, 1, 2)
      near(torch.Tensor { { 0, 0.5, 1, 0.25 } }, image.toDisplayTensor { input = x, scaleeach = false })
      assert.same({ { { 0, 100 } }, { { 200, 50 } } }, torch.totable(x))
   end)

   it('refuses pictures of several sizes, other planes, and numbers out of range', function()
      refuses('image.toDisplayTensor: all pictures must have one size, got 2x2 and 2x3', image.toDisplayTensor,
         { input = { torch.rand(2, 2), torch.rand(2, 3) } })
      refuses('image.toDisplayTensor: pictures must have 1 or 3 planes, got 2x2x2x2', image.toDisplayTensor, torch.rand(2, 2, 2, 2))
      refuses('padding must be at least 0', image.toDisplayTensor, torch.rand(2, 2), -1)
      refuses('nrow at least 1', image.toDisplayTensor, torch.rand(2, 2), 0, 0)
      refuses('image.toDisplayTensor: the picture must be a tensor, got nil', image.toDisplayTensor, { input = {} })
   end)
end)
