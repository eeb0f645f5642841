-- test/image/scale_spec.lua - image.scale and image.gaussianpyramid.
local torch = require 'torch'
local image = require 'image'

local function refuses(text, f, ...)
   local ok, why = pcall(f, ...)
   assert.is_false(ok)
   assert.truthy(tostring(why):find(text, 1, true), tostring(why))
end

local function picture(kind, ...)
   local x = torch.rand(...)
   return kind == 'Byte' and x:mul(255):byte() or x:type('torch.' .. kind .. 'Tensor')
end

-- How far two pictures are apart, at most.
local function apart(x, y) return (x:double() - y:double()):abs():max() end

local KINDS = { 'Byte', 'Float', 'Double', 'Half', 'BFloat16' }
local MODES = { 'bilinear', 'bicubic', 'simple' }

describe('image.scale', function()
   it('draws lines between pixels, keeps means, follows curves, and copies pixels', function()
      local x = torch.Tensor { { 0, 2 }, { 4, 6 } }
      assert.same({ { 0, 1, 2 }, { 2, 3, 4 }, { 4, 5, 6 } }, torch.totable(image.scale(x, 3, 3)))
      assert.same({ { 3 } }, torch.totable(image.scale(x, 1, 1)))
      assert.same({ { 0, 0, 2, 2 }, { 0, 0, 2, 2 }, { 4, 4, 6, 6 }, { 4, 4, 6, 6 } },
         torch.totable(image.scale(x, 4, 4, 'simple')))
      local parabola = torch.range(0, 4):pow(2):view(1, 5)
      assert.equal(6.25, image.scale(parabola, 9, 1, 'bicubic')[1][6])
   end)

   it('computes the mean of the pixels that a new one covers, also of many', function()
      for _, n in ipairs { 2, 3, 7, 20, 50 } do
         local x = picture('Float', 2, 6, 7 * n)
         local want = x:view(2, 6, 7, n):mean(4):view(2, 6, 7):view(2, 2, 3, 7):mean(3):view(2, 2, 7)
         assert.is_true(apart(want, image.scale(x, 7, 2)) < 1e-5, 'by ' .. n)
      end
   end)

   it('rounds the mean of 2^a x 2^b bytes once, upwards from a half', function()
      local x = picture('Byte', 2, 64, 224)
      x[{ 1, { 1, 16 }, { 1, 32 } }]:fill(255)
      for a = 0, 4 do
         for b = 1, 4 do
            local rows, columns = 64 / 2 ^ a, 224 / 2 ^ b
            local sums = x:int():view(2, rows, 2 ^ a, columns, 2 ^ b):sum(5):sum(3):view(2, rows, columns)
            local want = sums:double():div(2 ^ (a + b)):add(0.5):floor():byte()
            assert.is_true(want:equal(image.scale(x, columns, rows)), ('%d x %d'):format(2 ^ a, 2 ^ b))
         end
      end
   end)

   it('gives the same pixels for every layout of planes in memory', function()
      for _, kind in ipairs { 'Byte', 'Float' } do
         for _, sides in ipairs { { 40, 20 }, { 40, 17 }, { 41, 5 }, { 33, 66 }, { 37, 100 }, { 100, 3 } } do
            for _, mode in ipairs(MODES) do
               local x = picture(kind, 2, sides[1] + 3, sides[1])
               local turned = x:transpose(2, 3):contiguous():transpose(2, 3)
               local want = image.scale(x, sides[2], sides[2] + 1, mode)
               local y = want.new(2, sides[2], sides[2] + 1):transpose(2, 3)
               assert.is_true(want:equal(image.scale(turned, sides[2], sides[2] + 1, mode)), kind .. ' ' .. mode)
               image.scale(y, x, mode)
               assert.is_true(want:equal(y), kind .. ' ' .. mode)
            end
         end
      end
   end)

   it('multiplies wide rows by the weights of lines, for every ratio of sides', function()
      for _, sides in ipairs { { 20, 50 }, { 100, 150 }, { 100, 99 }, { 100, 70 }, { 100, 45 }, { 150, 45 }, { 300, 40 },
         { 900, 33 } } do
         local n, m = sides[1], sides[2]
         local w = torch.zeros(m, n)
         for i = 0, m - 1 do
            if m > n then
               local at = i * (n - 1) / (m - 1)
               local s = math.min(math.floor(at), n - 2)
               w[i + 1][s + 1], w[i + 1][s + 2] = 1 - (at - s), at - s
            else
               local first, last = i * n / m, (i + 1) * n / m
               for s = math.floor(first), math.min(n - 1, math.ceil(last) - 1) do
                  w[i + 1][s + 1] = (math.min(last, s + 1) - math.max(first, s)) * m / n
               end
            end
         end
         local x = torch.rand(3, n)
         local want = x * w:t()
         assert.is_true(apart(want, image.scale(x, m, 3)) < 1e-4, n .. ' to ' .. m)
         assert.is_true(apart(want, image.scale(x:float(), m, 3)) < 1e-4, n .. ' to ' .. m)
         assert.is_true(apart(want:t(), image.scale(x:t():contiguous():float(), 3, m)) < 1e-4, n .. ' to ' .. m)
         assert.is_true(apart(want * 255, image.scale((x * 255):byte(), m, 3)) <= 1.51, n .. ' to ' .. m)
      end
   end)

   it('takes nothing from the row below where only the first row counts, whatever the widths', function()
      for width = 1, 70 do
         local x = torch.FloatTensor(2, width):fill(3)
         x[2]:fill(0 / 0)
         for _, mode in ipairs { 'bilinear', 'bicubic' } do
            for _, wider in ipairs { width, width + 1, math.ceil(1.5 * width), 2 * width, 5 * width + 3 } do
               local top = image.scale(x, wider, 3, mode)[1]
               assert.is_true(top:add(-3):abs():max() < 1e-6, ('%d to %d, %s'):format(width, wider, mode))
            end
         end
      end
   end)

   it('takes every form of size', function()
      local x = torch.rand(3, 6, 10)
      for size, want in pairs { ['5x4'] = '4 5', ['5X4'] = '4 5', [5] = '3 5', ['5'] = '3 5', ['^3'] = '3 5', ['*2'] = '12 20',
         ['*0.5'] = '3 5', ['*3/2'] = '9 15', ['/2'] = '3 5', [1] = '1 1', ['*0.01'] = '1 1' } do
         local y = image.scale(x, size)
         assert.equal('3 ' .. want, table.concat(torch.totable(y:size()), ' '), tostring(size))
         assert.is_true(torch.equal(y, image.scale(x, size, 'bilinear')))
         assert.is_true(torch.equal(y, image.scale(x, y:size(3), y:size(2))))
         assert.is_true(torch.equal(y, image.scale(torch.Tensor(3, y:size(2), y:size(3)), x)))
      end
   end)

   it('rounds bytes and limits them to 0..255', function()
      local x = torch.ByteTensor { { 0, 0, 255, 255 } }
      local y = image.scale(x, 13, 1, 'bicubic')
      assert.equal(0, y:min())
      assert.equal(255, y:max())
      assert.same({ { 0, 1, 1, 2, 2 } }, torch.totable(image.scale(torch.ByteTensor { { 0, 2 } }, 5, 1)))
   end)

   it('gives bytes that are at most 1 away from the float result, and halves near it', function()
      for _, mode in ipairs(MODES) do
         for _, size in ipairs { '9x5', '40x31', '20x5', '3x40' } do
            local x = mode == 'bicubic' and torch.rand(3, 13, 17):mul(60):add(90):byte() or picture('Byte', 3, 13, 17)
            assert.is_true(apart(image.scale(x, size, mode), image.scale(x:float(), size, mode)) <= 1.5, mode .. size)
            local h = picture('Half', 3, 13, 17)
            assert.is_true(apart(image.scale(h, size, mode), image.scale(h:float(), size, mode)) < 2e-3)
         end
      end
   end)

   it('takes views, and results that are views', function()
      for _, kind in ipairs(KINDS) do
         for _, mode in ipairs(MODES) do
            for _, size in ipairs { { 5, 7 }, { 19, 23 }, { 19, 4 }, { 13, 11 } } do
               local x = picture(kind, 3, 11, 13)
               local want = image.scale(x, size[1], size[2], mode)
               local last = x:transpose(1, 3):contiguous():transpose(1, 3)
               assert.is_true(torch.equal(want, image.scale(last, size[1], size[2], mode)))
               local room = x.new(size[2] + 2, size[1] + 1, 3):fill(7)
               local y = room:narrow(1, 2, size[2]):narrow(2, 1, size[1]):permute(3, 1, 2)
               image.scale(y, x, mode)
               assert.is_true(torch.equal(want, y:contiguous()))
               assert.is_true(room[1]:double():eq(7):all() and room[size[2] + 2]:double():eq(7):all())
            end
         end
      end
   end)

   it('takes 1 to 5 planes, no planes, and pictures of 1x1', function()
      for n = 1, 5 do
         local x = picture('Byte', n, 5, 6)
         for p = 1, n do assert.is_true(torch.equal(image.scale(x[p], 3, 9), image.scale(x, 3, 9)[p])) end
      end
      assert.equal('0 3 4', table.concat(torch.totable(torch.image_scale(torch.Tensor(0, 5, 6), 3, 4):size()), ' '))
      for _, mode in ipairs(MODES) do
         assert.is_true(image.scale(torch.ByteTensor(2, 1, 1):fill(9), 3, 4, mode):eq(9):all())
         assert.is_true(image.scale(torch.Tensor(2, 1, 3):fill(9), 4, 4, mode):eq(9):all())
      end
   end)

   it('gives the same bits with any number of threads', function()
      local threads = torch.getnumthreads()
      for _, kind in ipairs { 'Byte', 'Float', 'Double' } do
         for _, mode in ipairs(MODES) do
            local x = picture(kind, 3, 150, 170)
            local results = {}
            for i, n in ipairs { 1, 2, 5 } do
               torch.setnumthreads(n)
               results[i] = { image.scale(x, 61, 333, mode), image.scale(x, 333, 61, mode) }
            end
            torch.setnumthreads(threads)
            for i = 2, 3 do
               for k = 1, 2 do assert.is_true(torch.equal(results[1][k], results[i][k])) end
            end
         end
      end
   end)

   it('takes a result that shares memory with the picture', function()
      local x = torch.rand(4, 8)
      local want = image.scale(x, 4, 4)
      assert.is_true(torch.equal(want, image.scale(x:narrow(2, 3, 4), x)))
      assert.is_true(torch.equal(want, x:narrow(2, 3, 4):contiguous()))
   end)

   it('refuses other modes, sizes, types and dimensions, and leaves the result as it was', function()
      local x, y = torch.rand(3, 5, 6), torch.ones(2, 3, 3)
      refuses('image.scale: mode must be bilinear, bicubic, simple, got cubic', image.scale, x, 3, 3, 'cubic')
      refuses('the size must be width and height, "WxH", a number, "^N", "*N", "*N/M" or "/N", got large', image.scale, x,
         'large')
      refuses('expected [result,] picture, size [, mode]', image.scale, x)
      refuses('image.scale: the picture must have 2 to 3 dimensions, got 2x3x4x4', image.scale, torch.Tensor(2, 3, 4, 4), 3, 3)
      refuses('the result must have as many planes as the picture, got 2x3x3 and 3x5x6', image.scale, y, x)
      refuses("the result must have the picture's type, torch.DoubleTensor, got torch.FloatTensor", image.scale,
         torch.FloatTensor(3, 2, 2), x)
      refuses('the picture must have bytes or floating numbers, got a torch.IntTensor', image.scale, x:int(), 3, 3)
      refuses('a side must have fewer than 2^24 pixels', image.scale, x, 1e9, 2)
      refuses('a side must have fewer than 2^24 pixels', image.scale, x, 0 / 0, 2)
      refuses('is too large', image.scale, x, 2 ^ 23, 2 ^ 23)
      refuses('x must have pixels, got size 3x0x4', torch.image_scale, torch.Tensor(3, 0, 4), 2, 2)
      refuses('the picture must have 2 to 3 dimensions, got empty', image.scale, torch.Tensor(), 2, 2)
      assert.is_true(y:eq(1):all())
   end)
end)

describe('torch.image_scale', function()
   it('scales a batch like its pictures, one by one, in every type', function()
      for _, kind in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Float', 'Double' } do
         local x = torch.rand(4, 3, 9, 10):mul(100):type('torch.' .. kind .. 'Tensor')
         for _, mode in ipairs(MODES) do
            local y = torch.image_scale(x, 5, 14, mode)
            for i = 1, 4 do assert.is_true(torch.equal(y[i], torch.image_scale(x[i], 5, 14, mode))) end
         end
      end
   end)

   it('rounds integers of all sizes to the nearest', function()
      for _, kind in ipairs { 'Char', 'Short', 'Int', 'Long' } do
         local x = torch[kind .. 'Tensor'] { { -100, 101 } }
         assert.same({ { -100, -33, 34, 101 } }, torch.totable(torch.image_scale(x, 1, 4)))
      end
      assert.same({ { 2 ^ 31 - 1 } }, torch.totable(torch.image_scale(torch.IntTensor { { 2 ^ 31 - 1, 2 ^ 31 - 1 } }, 1, 1)))
   end)
end)

describe('image.gaussianpyramid', function()
   it('takes pixels of the picture, then of the smoothed copy before', function()
      local x = torch.rand(3, 8, 8)
      local list = image.gaussianpyramid(x, { 1, 0.5, 0.25 })
      assert.is_true(torch.equal(x, list[1]))
      assert.equal('3 4 4', table.concat(torch.totable(list[2]:size()), ' '))
      local w = math.exp(-8 / 9)
      local line = torch.Tensor { w, 1, w }:div(1 + 2 * w)
      local want = torch.conv2(list[2][2], torch.ger(line, line), 'F'):narrow(1, 2, 4):narrow(2, 2, 4)
      assert.is_true(math.abs(want[1][3] - list[3][2][1][2]) < 1e-9)
   end)

   it('fills a table, takes bytes, and keeps even pictures even inside', function()
      local t = {}
      assert.equal(t, image.gaussianpyramid(t, torch.ByteTensor(9, 9):fill(100), { 1, 0.5 }))
      assert.equal(100, t[2][2][2])
      assert.equal('torch.ByteTensor', torch.type(t[2]))
   end)

   it('refuses what are no scales', function()
      refuses('the scales must be a list of numbers, got nil', image.gaussianpyramid, torch.rand(4, 4))
      refuses('a scale must be a number, got a string', image.gaussianpyramid, torch.rand(4, 4), { 'x' })
   end)
end)
