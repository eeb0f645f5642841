-- test/image/geometry_spec.lua - image.crop, translate, rotate, polar, logpolar, warp and affinetransform.
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

local function apart(x, y) return (x:double() - y:double()):abs():max() end

local KINDS, MODES = { 'Byte', 'Float', 'Double', 'Half', 'BFloat16' }, { 'simple', 'bilinear', 'bicubic', 'lanczos' }

-- Every call that reads a picture at positions, for pictures of 11 x 13.
local calls = {}
for _, mode in ipairs { 'simple', 'bilinear' } do
   calls['rotate ' .. mode] = function(x, y) return image.rotate(y or x.new(), x, 0.4, mode) end
   for _, area in ipairs { 'valid', 'full' } do
      calls[('polar %s %s'):format(mode, area)] = function(x, y)
         return y and image.polar(y, x, mode, area) or image.polar(x, mode, area)
      end
      calls[('logpolar %s %s'):format(mode, area)] = function(x, y)
         return y and image.logpolar(y, x, mode, area) or image.logpolar(x, mode, area)
      end
   end
end
torch.manualSeed(7)
local flow = torch.rand(2, 11, 13):mul(8):add(-4)
for _, mode in ipairs(MODES) do
   for _, clamp in ipairs { 'clamp', 'pad' } do
      calls[('warp %s %s'):format(mode, clamp)] = function(x, y)
         local field = flow:type(x:type() == 'torch.ByteTensor' and 'torch.FloatTensor' or x:type())
         return image.warp(y or x.new(), x, field, mode, true, clamp)
      end
      calls[('affinetransform %s %s'):format(mode, clamp)] = function(x, y)
         local matrix = torch.Tensor { { 0.9, 0.3 }, { -0.2, 1.1 } }
         return image.affinetransform(y or x.new(), x, matrix, mode, { 1.5, -0.5 }, clamp)
      end
   end
end

describe('pictures read at positions', function()
   it('give the same for views, into views, and plane by plane', function()
      for name, call in pairs(calls) do
         for _, kind in ipairs(KINDS) do
            local x = picture(kind, 3, 11, 13)
            local want = call(x)
            local last = x:transpose(1, 3):contiguous():transpose(1, 3)
            assert.is_true(torch.equal(want, call(last)), name .. kind)
            local h, w = want:size(2), want:size(3)
            local room = x.new(h + 2, w + 1, 3):fill(7)
            local y = room:narrow(1, 2, h):narrow(2, 1, w):permute(3, 1, 2)
            call(x, y)
            assert.is_true(torch.equal(want, y:contiguous()), name .. kind)
            assert.is_true(room[1]:double():eq(7):all() and room[h + 2]:double():eq(7):all(), name)
            for p = 1, 3 do assert.is_true(torch.equal(want[p], call(x[p])), name .. kind) end
         end
      end
   end)

   it('give bytes that are at most 1 away from the float result', function()
      for name, call in pairs(calls) do
         local x = picture('Byte', 3, 11, 13)
         assert.is_true(apart(call(x), call(x:float()):clamp(0, 255)) <= 1, name)
      end
   end)

   it('give the same bits with any number of threads', function()
      local threads = torch.getnumthreads()
      local field = torch.rand(2, 200, 600):mul(20):add(-10):float()
      local x = picture('Float', 3, 200, 600)
      local all = {
         function() return image.rotate(x, 0.4, 'bilinear') end,
         function() return image.polar(x, 'bilinear', 'full') end,
         function() return image.warp(x, field, 'bicubic') end,
         function() return image.affinetransform(x, torch.Tensor { { 0.9, 0.3 }, { -0.2, 1.1 } }, 'lanczos') end,
      }
      for _, call in ipairs(all) do
         local want
         for _, n in ipairs { 1, 2, 5 } do
            torch.setnumthreads(n)
            local y = call()
            want = want or y
            assert.is_true(torch.equal(want, y))
         end
      end
      torch.setnumthreads(threads)
   end)

   it('take pictures of 1x1, and positions that are nan or far away', function()
      for _, mode in ipairs(MODES) do
         assert.is_true(math.abs(9 - image.warp(torch.Tensor(1, 1, 1):fill(9), torch.zeros(2, 1, 1), mode)[1][1][1]) < 1e-5)
         local field = torch.Tensor { { { 0 / 0, 1 / 0, -1 / 0, 1e30 } }, { { 0, 0, 0, -1e30 } } }
         assert.is_true(apart(torch.Tensor { 1, 3, 1, 3 }, image.warp(torch.Tensor { { 1 }, { 3 } }, field, mode, false)) < 1e-5)
         assert.same({ { 5, 5, 5, 5 } }, torch.totable(image.warp(torch.Tensor { { 1 }, { 3 } }, field, mode, false, 'pad', 5)))
      end
      assert.equal(9, image.rotate(torch.Tensor(1, 1):fill(9), 1)[1][1])
      assert.equal(9, image.polar(torch.Tensor(1, 1):fill(9))[1][1])
   end)
end)

describe('image.warp', function()
   it('reads where offsets or positions point', function()
      local x = torch.Tensor { { 1, 2, 3 } }
      local field = torch.Tensor { { { 0, 0, 0 } }, { { 0.5, 0.5, 0.5 } } }
      assert.same({ { 1.5, 2.5, 3 } }, torch.totable(image.warp(x, field)))
      assert.same({ { 1.5, 1.5, 1.5 } }, torch.totable(image.warp(x, field, 'bilinear', false)))
      assert.same({ { 2, 3, 3 } }, torch.totable(image.warp(x, field, 'simple')))
      assert.same({ { 1.5, 2.5, 8 } }, torch.totable(image.warp(x, field, 'bilinear', true, 'pad', 8)))
   end)
   it('copies the nearest pixel in rows of any length, from planes with any strides', function()
      for _, width in ipairs { 511, 512, 513, 1025 } do
         local x = torch.ByteTensor(3, 4, width):random(0, 255)
         local field = torch.FloatTensor(2, 4, width):uniform(-3, 3)
         local want, padded = x:clone(), x:clone()
         for i = 1, 4 do
            for j = 1, width do
               local row, column = i + field[1][i][j], j + field[2][i][j]
               local r = math.min(math.max(math.floor(row + 0.5), 1), 4)
               local c = math.min(math.max(math.floor(column + 0.5), 1), width)
               local inside = row >= 1 and row <= 4 and column >= 1 and column <= width
               for k = 1, 3 do
                  want[k][i][j] = x[k][r][c]
                  padded[k][i][j] = inside and x[k][r][c] or 7
               end
            end
         end
         for _, y in ipairs { x, x:transpose(2, 3):contiguous():transpose(2, 3) } do
            assert.is_true(image.warp(y, field, 'simple'):equal(want), width)
            assert.is_true(image.warp(y, field, 'simple', true, 'pad', 7):equal(padded), width)
         end
      end
   end)

   it('takes floating fields for bytes, and a field for each picture of a batch through torch.image_warp', function()
      local x, field = torch.rand(4, 3, 5, 6), torch.rand(4, 2, 5, 6)
      local y = torch.image_warp(x, field, 'bicubic')
      for i = 1, 4 do assert.is_true(torch.equal(y[i], image.warp(x[i], field[i], 'bicubic'))) end
      local one = torch.image_warp(x, field[1])
      for i = 1, 4 do assert.is_true(torch.equal(one[i], image.warp(x[i], field[1]))) end
      local right = torch.Tensor { { { 0, 0, 0 } }, { { 1, 1, 1 } } }
      assert.same({ { 2, 3, 3 } }, torch.totable(image.warp(torch.ByteTensor { { 1, 2, 3 } }, right)))
   end)

   it('gives the same pixels for every layout of planes in memory', function()
      for _, kind in ipairs { 'Byte', 'Float' } do
         local x = picture(kind, 2, 30, 70)
         local turned = x:transpose(2, 3):contiguous():transpose(2, 3)
         for _, reach in ipairs { 0.4, 3, 40 } do
            local field = torch.FloatTensor(2, 25, 77):normal(0, reach)
            for _, mode in ipairs(MODES) do
               for _, clamp in ipairs { 'clamp', 'pad' } do
                  local want = torch.image_warp(x, field, mode, true, clamp, 3)
                  assert.is_true(want:equal(torch.image_warp(turned, field, mode, true, clamp, 3)), kind .. ' ' .. mode)
                  local y = want.new(2, 77, 25):transpose(2, 3)
                  torch.image_warp(y, x, field, mode, true, clamp, 3)
                  assert.is_true(want:equal(y), kind .. ' ' .. mode)
               end
            end
         end
      end
   end)

   it('copies any pixel of small and large pictures, in every type', function()
      for _, kind in ipairs { 'Byte', 'Short', 'Int', 'Float', 'Double' } do
         for _, sides in ipairs { { 1, 1 }, { 1, 2 }, { 3, 1 }, { 2, 2 }, { 1, 40 }, { 7, 5 }, { 33, 21 } } do
            local height, width = sides[1], sides[2]
            local x = torch.rand(2, height, width):mul(100):type('torch.' .. kind .. 'Tensor')
            local rows = torch.LongTensor(3, 50):random(1, height)
            local columns = torch.LongTensor(3, 50):random(1, width)
            rows[1][1], columns[1][1] = height, width
            rows[3]:fill(height)                       -- pixels behind which nothing may be read
            columns[3]:fill(width)
            local field = torch.cat(rows:view(1, 3, 50), columns:view(1, 3, 50), 1):add(-1)
            local y = torch.image_warp(x, field:float(), 'simple', false)
            local places = torch.add(rows - 1, columns) + (rows - 1) * (width - 1)
            for plane = 1, 2 do
               local want = x[plane]:view(-1):index(1, places:view(-1)):view(3, 50)
               assert.is_true(want:equal(y[plane]), ('%s %d x %d'):format(kind, height, width))
            end
         end
      end
   end)

   it('keeps constant pictures constant inside, by lanczos at any position', function()
      local x = torch.FloatTensor(1, 20, 200):fill(7)
      local field = torch.FloatTensor(2, 1, 1024)
      field[1]:fill(10.3)
      field[2]:copy(torch.linspace(5, 190, 1024))
      assert.is_true(apart(x.new(1, 1, 1024):fill(7), image.warp(x, field, 'lanczos', false)) < 1e-5)
   end)

   it('weighs pixels by lanczos windows of six', function()
      local function window(t) return t == 0 and 1 or 3 * math.sin(math.pi * t) * math.sin(math.pi * t / 3) / (math.pi * t) ^ 2 end
      for _, part in ipairs { 0, 1e-6, 0.1, 0.5, 0.75, 0.999999 } do
         local want, sum = {}, 0
         for k = 1, 6 do
            want[k] = window(part + 3 - k)
            sum = sum + want[k]
         end
         local field = torch.DoubleTensor(2, 1, 1):fill(10)
         field[2]:fill(10 + part)
         for k = 1, 6 do
            local x = torch.DoubleTensor(1, 20, 20):zero()
            x:narrow(3, 8 + k, 1):fill(1)
            assert.is_true(math.abs(want[k] / sum - image.warp(x, field, 'lanczos', false)[1][1][1]) < 2e-6, part .. ' ' .. k)
         end
      end
   end)

   it('refuses other modes, fields and pad values', function()
      local x, field = torch.rand(3, 5, 6), torch.zeros(2, 5, 6)
      refuses('image.warp: mode must be simple, bilinear, bicubic, lanczos, got cubic', image.warp, x, field, 'cubic')
      refuses("image.warp: clamp must be 'clamp' or 'pad', got wrap", image.warp, x, field, 'simple', true, 'wrap')
      refuses("image.warp: a pad value needs the clamp mode 'pad'", image.warp, x, field, 'simple', true, 'clamp', 1)
      refuses("the field must have the picture's type, torch.DoubleTensor, got torch.FloatTensor", image.warp, x, field:float())
      refuses('too many arguments', image.warp, x, field, 'simple', true, 'pad', 1, 2)
      refuses('field must have size 2 x rows x columns', image.warp, x, torch.zeros(3, 5, 6))
      refuses('the field must be a tensor, got a number (3)', image.warp, x, 3)
      refuses('a field of size 3x2x5x6 needs as many pictures', torch.image_warp, torch.rand(2, 1, 5, 6), torch.zeros(3, 2, 5, 6))
   end)
end)

describe('image.affinetransform', function()
   it('is a warp by the field of its matrix', function()
      local x, matrix = torch.rand(2, 9, 8), torch.Tensor { { 0.9, 0.3 }, { -0.2, 1.1 } }
      local field = torch.Tensor(2, 9, 8)
      for i = 1, 9 do
         for j = 1, 8 do
            local y, z = i - 5, j - 4.5
            field[1][i][j], field[2][i][j] = 4 + 0.9 * y + 0.3 * z - 1, 3.5 - 0.2 * y + 1.1 * z - 2
         end
      end
      for _, mode in ipairs(MODES) do
         local y = image.affinetransform(x, matrix, mode, torch.Tensor { 1, 2 })
         assert.is_true(apart(image.warp(x, field, mode, false), y) < 1e-5, mode)
      end
   end)

   it('refuses other matrices, translations and clamp modes', function()
      local x = torch.rand(3, 5, 6)
      refuses('the matrix must have size 2x2, got a torch.DoubleTensor of size 3x3', image.affinetransform, x, torch.eye(3))
      refuses('mode must be simple, bilinear, bicubic, lanczos, got nearest', image.affinetransform, x, torch.eye(2), 'nearest')
      refuses("clamp must be 'clamp' or 'pad', got zero", image.affinetransform, x, torch.eye(2), 'bilinear', nil, 'zero')
      refuses('the translation must have two numbers, got a number (3)', image.affinetransform, x, torch.eye(2), 'bilinear', 3)
      refuses('a must be finite', image.affinetransform, x, torch.eye(2):fill(0 / 0))
   end)
end)

describe('image.rotate', function()
   it('turns counterclockwise, and leaves 0 where nothing comes from', function()
      local x = torch.range(1, 9):view(3, 3)
      assert.same({ { 3, 6, 9 }, { 2, 5, 8 }, { 1, 4, 7 } }, torch.totable(image.rotate(x, math.pi / 2)))
      assert.equal(0, image.rotate(torch.ones(5, 5), math.pi / 4)[1][1])
      assert.is_true(torch.equal(x, image.rotate(torch.Tensor(5), x, 0)))
      assert.is_true(apart(x, image.rotate(x, 2 * math.pi, 'bilinear')) < 1e-5)
   end)

   it('refuses other modes, angles and dimensions', function()
      local x = torch.rand(3, 5, 6)
      refuses('image.rotate: mode must be simple, bilinear, got bicubic', image.rotate, x, 1, 'bicubic')
      refuses('image.rotate: the angle must be a number, got nil', image.rotate, x)
      refuses('angle must be finite, got inf', image.rotate, x, 1 / 0)
      refuses('must have 2 to 3 dimensions', image.rotate, torch.Tensor(2, 3, 4, 4), 1)
   end)
end)

describe('image.polar and image.logpolar', function()
   it('give one row an angle, from the centre outwards, beginning below it', function()
      local x = torch.zeros(7, 7)
      x:narrow(2, 4, 1):copy(torch.range(1, 7):view(7, 1))          -- the middle column
      assert.same({ 4, 5, 5, 6, 6, 7, 7 }, torch.totable(image.polar(x)[1]))
      assert.same({ 4, 3, 2, 1 }, torch.totable(image.polar(torch.Tensor(2, 4), x, 'simple', 'valid')[2]))
      assert.same({ 5, 5, 5, 6, 6, 6, 7 }, torch.totable(image.logpolar(x)[1]))
      assert.equal(0, image.polar(x, 'simple', 'full')[1][7])
      assert.equal('9 9', table.concat(torch.totable(image.polar(torch.rand(7, 9)):size()), ' '))
   end)

   it('refuse other interpolations, modes and results', function()
      local x = torch.rand(3, 5, 6)
      refuses('image.polar: the interpolation must be simple, bilinear, got cubic', image.polar, x, 'cubic', 'full')
      refuses('image.polar: the mode must be valid, full, got empty', image.polar, x, 'simple', 'empty')
      refuses('image.logpolar: the result must have as many planes as the picture, got 2x2 and 3x5x6', image.logpolar,
         torch.Tensor(2, 2), x, 'simple', 'full')
   end)
end)

describe('image.translate', function()
   it('moves a picture, also in place, and fills with 0', function()
      local x = torch.range(1, 6):view(2, 3)
      assert.same({ { 0, 1, 2 }, { 0, 4, 5 } }, torch.totable(image.translate(x, 1, 0)))
      assert.same({ { 0, 0, 0 }, { 2, 3, 0 } }, torch.totable(image.translate(x, -1, 1)))
      assert.is_true(image.translate(x, 3, 0):eq(0):all() and image.translate(x, 0, -9):eq(0):all())
      image.translate(x, x, 1, 0)
      assert.same({ { 0, 1, 2 }, { 0, 4, 5 } }, torch.totable(x))
   end)

   it('refuses missing numbers and batches', function()
      refuses('image.translate: y must be a number, got nil', image.translate, torch.rand(2, 3), 1)
      refuses('must have 2 to 3 dimensions', image.translate, torch.rand(2, 3, 4, 4), 1, 1)
   end)
end)

describe('image.crop', function()
   local x = torch.range(1, 12):view(3, 4)

   it('cuts rectangles, centres and corners out', function()
      assert.same({ { 2, 3 }, { 6, 7 } }, torch.totable(image.crop(x, 1, 0, 3, 2)))
      assert.same({ { 2, 3 } }, torch.totable(image.crop(x:narrow(1, 1, 1), 'c', 2, 1)))
      for format, want in pairs { tl = 1, tr = 3, bl = 5, br = 7, c = 2 } do
         assert.equal(want, image.crop(x, format, 2, 2)[1][1], format)
      end
      local y = image.crop(x, 0, 0, 4, 3):zero()
      assert.equal(12, x[3][4], 'the crop is a copy')
      assert.equal(0, y[3][4])
   end)

   it('copies into a result, scales into one of another size, and returns nothing without x2 and y2', function()
      local y = torch.Tensor(2, 2)
      assert.equal(0, select('#', image.crop(y, x, 2, 1)))
      assert.same({ { 7, 8 }, { 11, 12 } }, torch.totable(y))
      local z = torch.Tensor(3, 3)
      assert.is_true(rawequal(z, image.crop(z, x, 0, 0, 2, 2)))
      assert.is_true(torch.equal(z, image.scale(image.crop(x, 0, 0, 2, 2), 3, 3)))
   end)

   it('refuses rectangles outside, other formats and other counts of arguments', function()
      refuses('the rectangle from (1, 1) to (4, 4) must have pixels and lie in a picture of 4 x 3', image.crop, x, 1, 1, 4, 4)
      refuses('must have pixels and lie in a picture', image.crop, x, 1, 1, 1, 2)
      refuses('must have pixels and lie in a picture', image.crop, x, -1, 0, 2, 2)
      refuses('must have pixels and lie in a picture', image.crop, x, 'c', 5, 3)
      refuses('must have pixels and lie in a picture', image.crop, torch.Tensor(2, 2), x, 3, 1)
      refuses('must have pixels and lie in a picture', image.crop, x, 0 / 0, 0, 2, 2)
      refuses('the format must be "c", "tl", "tr", "bl" or "br", got "m"', image.crop, x, 'm', 2, 2)
      refuses('expected [result,] picture, x1, y1, x2, y2', image.crop, x)
   end)
end)

describe('image.byte, image.float and image.double', function()
   it('do what the functions above do, into a result of their type', function()
      for word, kind in pairs { byte = 'Byte', float = 'Float', double = 'Double' } do
         local f, x = image[word], picture(kind, 3, 7, 8)
         local function like(want, name, ...)
            local y = x.new(want:size()):fill(1)
            f[name](x, y, ...)
            assert.is_true(torch.equal(want, y), name)
         end
         for name, mode in pairs { Simple = 'simple', Bilinear = 'bilinear', Bicubic = 'bicubic' } do
            like(image.scale(x, 5, 9, mode), 'scale' .. name)
         end
         like(image.rotate(x, 0.3), 'rotate', 0.3)
         like(image.rotate(x, 0.3, 'bilinear'), 'rotateBilinear', 0.3)
         like(image.polar(x, 'bilinear', 'full'), 'polarBilinear', true)
         like(image.polar(x), 'polar', false)
         like(image.logpolar(x, 'bilinear', 'full'), 'logPolarBilinear', 1)
         like(image.logpolar(x), 'logPolar', 0)
         like(image.translate(x, 2, -1), 'translate', 2, -1)
         like(image.crop(x, 1, 2, 4, 5), 'cropNoScale', 1, 2)
         local y, field = x.new(), torch.rand(2, 7, 8):mul(3):type(x:type())
         f.hflip(y, x)
         assert.is_true(torch.equal(y, image.hflip(x)))
         f.vflip(y, x)
         assert.is_true(torch.equal(y, image.vflip(x)))
         f.flip(y, x, 1)
         assert.is_true(torch.equal(y, image.flip(x, 1)))
         for number, mode in pairs { [0] = 'simple', 'bilinear', 'bicubic', 'lanczos' } do
            f.warp(y, x, field, number, true, 1, 0.5)
            assert.is_true(torch.equal(y, image.warp(x, field, mode, true, 'pad', 0.5)))
         end
      end
   end)

   it('are the field image of the tensors of their type, and of no others', function()
      local x, y = torch.ByteTensor { { 1, 2 }, { 3, 4 } }, torch.ByteTensor(1, 1)
      x.image.scaleSimple(x, y)
      assert.is_true(torch.equal(image.scale(x, 1, 1, 'simple'), y))
      assert.equal(image.float, torch.FloatTensor(2).image)
      assert.equal(image.double, torch.getmetatable 'torch.DoubleTensor'.image)
      assert.is_nil(torch.IntTensor(2).image)
   end)

   it('refuse tensors of other types and other numbers of modes', function()
      refuses('image.float.scaleSimple: expected a torch.FloatTensor, got a torch.DoubleTensor of size 2x2',
         image.float.scaleSimple, torch.Tensor(2, 2), torch.FloatTensor(3, 3))
      refuses('the mode must be 0, 1, 2 or 3, got 4', image.double.warp, torch.Tensor(), torch.rand(2, 2), torch.rand(2, 2, 2), 4)
   end)
end)
