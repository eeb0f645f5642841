-- test/image/augment_spec.lua - image.augment: random parts of pictures as a batch.
local torch = require 'torch'
local image = require 'image'
local refuses = require 'test.support.refuses'

local function picture(...) return torch.ByteTensor(...):random(0, 255) end
local function bits(x) return torch.serialize(x:clone()) end
local function seeds(n) return torch.range(1, n):totable() end

-- A picture whose first two planes hold the row and the column of each pixel, from 0.
local function map(height, width)
   local x = torch.ByteTensor(3, height, width):zero()
   x[1]:copy(torch.range(0, height - 1):view(height, 1):expand(height, width))
   x[2]:copy(torch.range(0, width - 1):view(1, width):expand(height, width))
   return x
end

describe('image.augment', function()
   setup(function() torch.manualSeed(7) end)

   it('takes boxes at random places, all of them in the picture', function()
      local x, tops, lefts = map(12, 20), {}, {}
      local list = {}
      for k = 1, 200 do list[k] = x end
      local y = image.augment(list, { size = { 10, 8 } }, seeds(200))
      assert.same({ 200, 3, 10, 8 }, y:size():totable())
      for k = 1, 200 do
         local top, left = y[k][1][1][1], y[k][2][1][1]
         tops[top], lefts[left] = true, true
         assert.is_true(y[k]:equal(x:narrow(2, top + 1, 10):narrow(3, left + 1, 8):clone()))
      end
      for top = 0, 2 do assert.is_true(tops[top], 'top ' .. top) end
      for left = 0, 12 do assert.is_true(lefts[left], 'left ' .. left) end
      assert.is_nil(tops[3])
      assert.is_nil(lefts[13])
   end)

   it('mirrors a share of the pictures', function()
      local x, n = map(4, 6), 0
      local y = image.augment(x:view(1, 3, 4, 6):expand(400, 3, 4, 6), { size = { 4, 6 }, flip = 0.25 }, seeds(400))
      for k = 1, 400 do
         local flipped = y[k][2][1][1] == 5
         assert.is_true(y[k]:equal(flipped and image.hflip(x) or x))
         n = n + (flipped and 1 or 0)
      end
      assert.is_true(n > 60 and n < 140, tostring(n))
   end)

   it('leaves the picture by at most pad pixels, which are 0', function()
      local x, seen = torch.ByteTensor(200, 5, 5):fill(9), {}
      local y = image.augment(x, { size = 5, pad = 2 }, seeds(200))
      assert.same({ 200, 1, 5, 5 }, y:size():totable())
      for k = 1, 200 do seen[y[k]:double():sum() / 9] = true end
      local list = {}
      for n in pairs(seen) do list[#list + 1] = n end
      table.sort(list)
      assert.same({ 9, 12, 15, 16, 20, 25 }, list)
   end)

   it('scales what lies under the result where the shorter side is scaled, as image.scale does', function()
      for _, mode in ipairs { 'bilinear', 'bicubic', 'simple' } do
         local x = picture(3, 30, 40)
         local y = image.augment({ x }, { size = 10, shorter = 15, centre = true, mode = mode })
         local part = image.crop(x, 'c', 20, 20)
         assert.is_true(y[1]:equal(image.scale(part, 10, 10, mode)))
      end
      local tall = image.augment({ map(200, 50) }, { size = { 20, 10 }, shorter = 10, centre = true, mode = 'simple' })
      assert.same({ 50, 0, 145, 45 }, { tall[1][1][1][1], tall[1][2][1][1], tall[1][1][20][10], tall[1][2][20][10] })
      assert.same({ 1, 3, 9, 9 }, image.augment({ picture(3, 4, 5) }, { size = 9, shorter = 9 }):size():totable())
   end)

   it('takes boxes of a random area and aspect', function()
      local x, list = map(100, 120), {}
      for k = 1, 300 do list[k] = x end
      local y = image.augment(list, { size = 50, area = { 0.2, 0.5 }, aspect = { 0.5, 2 }, mode = 'simple' }, seeds(300))
      local least, most, wide, high = 1, 0, 0, 0
      for k = 1, 300 do
         local h = (y[k][1][50][1] - y[k][1][1][1]) * 50 / 49
         local w = (y[k][2][1][50] - y[k][2][1][1]) * 50 / 49
         local area = h * w / 12000
         least, most = math.min(least, area), math.max(most, area)
         wide, high = wide + (w > 1.5 * h and 1 or 0), high + (h > 1.5 * w and 1 or 0)
         assert.is_true(w / h > 0.44 and w / h < 2.25, w / h)
      end
      assert.is_true(least > 0.18 and least < 0.23 and most < 0.53 and most > 0.47, least .. ' ' .. most)
      assert.is_true(wide > 30 and high > 30, wide .. ' ' .. high)
   end)

   it('cuts a box that cannot fit', function()
      local y = image.augment({ map(4, 100) }, { size = { 8, 8 }, area = { 1, 1 }, aspect = { 1, 1 }, mode = 'simple' }, { 3 })
      assert.same({ 0, 3 }, { y[1][1]:min(), y[1][1]:max() })
      assert.same({ 1, 3, 2, 2 }, image.augment({ picture(3, 1, 1) }, { size = 2, area = { 0.1, 0.1 } }):size():totable())
   end)

   it('draws factors of brightness, contrast and saturation as far from 1 as it may', function()
      local x = torch.FloatTensor(3, 2, 2):fill(0.5)
      local list, least, most = {}, 9, 0
      for k = 1, 300 do list[k] = x end
      local y = image.augment(list, { size = 2, brightness = 0.4 }, seeds(300))
      for k = 1, 300 do least, most = math.min(least, y[k]:min()), math.max(most, y[k]:max()) end
      assert.is_true(least > 0.2999 and least < 0.31 and most < 0.7001 and most > 0.69, least .. ' ' .. most)
      assert.is_true((image.augment(list, { size = 2, contrast = 0.4, saturation = 0.9 }, seeds(300)) - 0.5):abs():max() < 1e-6)
      local dark = image.augment(list, { size = 2, brightness = 3 }, seeds(300))
      assert.is_true(dark:min() >= 0 and dark:max() > 1.8)
   end)

   it('gives bytes for bytes, and normalised fractions on request', function()
      local x = picture(2, 3, 4, 4)
      local o = { size = 4 }
      assert.is_true(image.augment(x, o):equal(x))
      o.float = true
      assert.is_true((image.augment(x, o) - x:float() / 255):abs():max() < 1e-6)
      o = { size = 4, mean = { 0.1, 0.2, 0.3 }, std = torch.FloatTensor { 1, 2, 4 } }
      local y = image.augment(x, o)
      for p = 1, 3 do
         local want = (x:select(2, p):float() / 255 - 0.1 * p) / 2 ^ (p - 1)
         assert.is_true((y:select(2, p) - want):abs():max() < 1e-6)
      end
   end)

   it('makes grey pictures coloured, and the other way round', function()
      local list = { picture(3, 4, 4), picture(1, 4, 4), picture(4, 4) }
      local y = image.augment(list, { size = 4, planes = 3 })
      assert.is_true(y[1]:equal(list[1]) and y[2][3]:equal(list[2][1]) and y[3][2]:equal(list[3]))
      y = image.augment(list, { size = 4, planes = 1 })
      assert.is_true(y[1]:equal(torch.image_luma(list[1])) and y[2]:equal(list[2]))
      refuses('picture 2 must have 3 plane(s) like the first, got 1', image.augment, list, { size = 4 })
   end)

   it('gives a picture the same bits in any batch, by its seed', function()
      local list = {}
      local all = { size = 8, area = { 0.1, 1 }, flip = 0.5, brightness = 0.4, contrast = 0.4, saturation = 0.4, float = true }
      for k = 1, 9 do list[k] = picture(3, 10 + k, 30 - k) end
      local y = image.augment(list, all, seeds(9))
      for k = 1, 9 do assert.equal(bits(y[k]), bits(image.augment({ list[k] }, all, { k })[1])) end
      assert.not_equal(bits(y[1]), bits(image.augment({ list[1] }, all, { 2 })[1]))
      assert.equal(bits(y), bits(image.augment(list, all, torch.LongTensor(seeds(9)))))
   end)

   it('gives the same bits with any number of threads', function()
      local list, threads = {}, torch.getnumthreads()
      local o = { size = 40, shorter = 50, flip = 0.5, contrast = 0.4, saturation = 0.4, mean = { 0, 0, 0 } }
      for k = 1, 9 do list[k] = picture(3, 70 + k, 90 - k) end
      torch.setnumthreads(1)
      local one = bits(image.augment(list, o, seeds(9)))
      torch.setnumthreads(3)
      assert.equal(one, bits(image.augment(list, o, seeds(9))))
      torch.setnumthreads(threads)
   end)

   it('draws seeds from the default generator where none are given', function()
      local x, o = picture(20, 3, 9, 9), { size = 5, flip = 0.5 }
      torch.manualSeed(4)
      local y = image.augment(x, o)
      assert.not_equal(bits(y), bits(image.augment(x, o)))
      torch.manualSeed(4)
      assert.equal(bits(y), bits(image.augment(x, o)))
   end)

   it('leaves out what is random with centre', function()
      local x = map(9, 12)
      local o = { size = 4, centre = true, flip = 1, brightness = 1, contrast = 1, saturation = 1 }
      assert.is_true(image.augment({ x }, o)[1]:equal(image.crop(x, 'c', 4, 4)))
      o = { size = { 3, 4 }, area = { 0.1, 0.2 }, centre = true }
      assert.is_true(image.augment({ x }, o)[1]:equal(image.scale(x, 4, 3)))
   end)

   it('writes into a result, also from a list', function()
      local x, y = picture(2, 3, 5, 5), torch.ByteTensor()
      assert.is_true(rawequal(y, image.augment(y, x, { size = 5 })) and y:equal(x))
      image.augment(y, { x[2] }, { size = 5 }, { 1 })
      assert.is_true(y[1]:equal(x[2]))
   end)

   it('refuses what it cannot do', function()
      local x = { picture(3, 4, 5) }
      local function no(text, ...) refuses('image.augment: ' .. text, image.augment, ...) end
      no('options must be a table, got nil', x)
      no('size must be a list of numbers, got nil', x, {})
      no('size must be a number, or height and width', x, { size = { 1, 2, 3 } })
      no('size must be a whole number in 1..16777215, got a number (1.5)', x, { size = 1.5 })
      no('size must be a whole number in 1..16777215, got a number (0)', x, { size = { 3, 0 } })
      no('there is no option shortest; there are area, aspect,', x, { size = 2, shortest = 3 })
      no('picture 1 has 4 x 5 pixels, fewer than the 5 x 5 of size; area, shorter or pad would do', x, { size = 5 })
      no('area must be two numbers above 0, at most 1, the lower one first', x, { size = 2, area = { 0.5, 1.5 } })
      no('area must be two numbers above 0, at most 1, the lower one first', x, { size = 2, area = { 0.5, 0.4 } })
      no('area must be two numbers above 0, at most 1, the lower one first', x, { size = 2, area = { 0 / 0, 0.4 } })
      no('area must be a list of numbers, got a number (0.5)', x, { size = 2, area = 0.5 })
      no('aspect needs area', x, { size = 2, aspect = { 1, 2 } })
      no('area and shorter exclude each other', x, { size = 2, area = { 1, 1 }, shorter = 3 })
      no('pad excludes area and shorter', x, { size = 2, pad = 1, shorter = 3 })
      no('pad must be a whole number in 0..16777215, got a number (-1)', x, { size = 2, pad = -1 })
      no('flip must be a number in 0..1, got a number (2)', x, { size = 2, flip = 2 })
      no('flip must be a number in 0..1, got a boolean (true)', x, { size = 2, flip = true })
      no('brightness must be a finite number of at least 0, got a number (-1)', x, { size = 2, brightness = -1 })
      no('contrast must be a finite number of at least 0, got a number (inf)', x, { size = 2, contrast = math.huge })
      no("mode must be 'bilinear', 'bicubic' or 'simple', got linear", x, { size = 2, mode = 'linear' })
      no('planes must be 1 or 3, got 2', x, { size = 2, planes = 2 })
      no('centre must be a boolean, got a number (1)', x, { size = 2, centre = 1 })
      no('mean[2] must be a number, got a string', x, { size = 2, mean = { 1, 'x', 1 } })
      no('pictures must be a tensor or a list of tensors, got a table', {}, { size = 2 })
      no('pictures must be a tensor or a list of tensors, got a number (3)', 3, { size = 2 })
      no('a tensor of pictures must be pictures x planes x rows x columns, or pictures x rows x columns, got 4x5',
         x[1][1], { size = 2 })
      no('picture 2 must be a tensor of planes x rows x columns, or rows x columns, got a number (1)', { x[1], 1 }, { size = 2 })
      no('picture 1 must be a tensor of planes x rows x columns, or rows x columns, got a torch.ByteTensor of size empty',
         { torch.ByteTensor() }, { size = 2 })
      no('seeds must be a list of 1 number(s), one for each picture, got a list of 2', x, { size = 2 }, { 1, 2 })
      no('seeds must be a list of 1 number(s), one for each picture, got a number (3)', x, { size = 2 }, 3)
      no('seeds[1] must be a whole number in 0..2^53, got a number (-1)', x, { size = 2 }, { -1 })
      refuses('std[1] must be finite and above 0, got 0', image.augment, x, { size = 2, std = { 0, 1, 1 } })
      refuses('mean must have a number for each of 3 plane(s), got size 1', image.augment, x, { size = 2, mean = { 0 } })
   end)
end)
