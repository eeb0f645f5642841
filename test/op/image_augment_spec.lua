-- test/op/image_augment_spec.lua - image_augment: parts of pictures with other colours.
local torch = require 'torch'
local refuses = require 'test.support.refuses'

local function plan(...) return torch.DoubleTensor { ... } end
local PLAIN = { 0, 0, 0, 1, 1, 1 }

-- The op said again, in doubles, pixel by pixel. Values outside of the picture are 0.
local function expected(x, row, height, width, unit, mean, std)
   local top, left, flip, b, c, s = unpack(row)
   local n = x:size(1)
   local v = torch.DoubleTensor(n, height, width):zero()
   for i = 1, height do
      for j = 1, width do
         local r, q = top + i, left + (flip ~= 0 and width + 1 - j or j)
         if r >= 1 and r <= x:size(2) and q >= 1 and q <= x:size(3) then
            for p = 1, n do v[p][i][j] = x[p][r][q] end
         end
      end
   end
   local grey = n == 1 and v[1]:clone() or v[1] * 0.299 + v[2] * 0.587 + v[3] * 0.114
   local level = grey:mean()
   for p = 1, n do
      local pixel = n == 1 and v[p] or v[p] * s + grey * (1 - s)
      v[p]:copy(((pixel * c):add((1 - c) * level) * (b / unit)):add(-(mean and mean[p] or 0)):div(std and std[p] or 1))
   end
   return v
end

local ROWS = {
   PLAIN, { 2, 3, 0, 1, 1, 1 }, { 2, 3, 1, 1, 1, 1 }, { -2, -3, 1, 1, 1, 1 }, { 4, 250, 0, 1.2, 0.7, 1.3 }, { 1, 5, 1, 0.5, 1.5, 0 },
   { -100, 0, 0, 1, 0.5, 1 }, { 0, 500, 1, 1, 1, 0.5 }, { 0, 0, 0, -1, 2, 2 },
}

describe('image_augment', function()
   setup(function() torch.manualSeed(5) end)

   for _, planes in ipairs { 1, 3 } do
      it('cuts out, mirrors and changes colours of ' .. planes .. ' plane(s), as doubles say it', function()
         local list, rows, want, bytes = {}, {}, {}, {}
         local mean, std = torch.range(1, planes):mul(0.2), torch.range(1, planes):mul(0.25)
         for k, row in ipairs(ROWS) do
            list[k], rows[k] = torch.ByteTensor(planes, 7 + k, 270 + k):random(0, 255), row
            want[k] = expected(list[k], row, 9, 300, 255, mean, std)
            bytes[k] = expected(list[k], row, 9, 300, 1):clamp(0, 255)
         end
         local y = torch.image_augment(list, plan(unpack(rows)), 9, 300, mean, std)
         assert.equal('torch.FloatTensor', y:type())
         local z = torch.image_augment(list, plan(unpack(rows)), 9, 300)
         assert.equal('torch.ByteTensor', z:type())
         for k = 1, #list do
            assert.is_true((y[k]:double() - want[k]):abs():max() < 1e-4, 'picture ' .. k)
            assert.is_true((z[k]:double() - bytes[k]):abs():max() < 0.5001, 'picture ' .. k)
            local d = torch.image_augment({ list[k]:double():div(255) }, plan(ROWS[k]), 9, 300, mean, std)
            assert.equal('torch.DoubleTensor', d:type())
            assert.is_true((d[1] - want[k]):abs():max() < 1e-12, 'picture ' .. k)
         end
      end)
   end

   it('reads pictures whose channels or columns come first, and writes results of any strides', function()
      local x = torch.ByteTensor(8, 9, 3):random(0, 255)
      local row = plan { 1, 2, 1, 1.1, 0.9, 1.2 }
      local want = torch.image_augment({ x:permute(3, 1, 2):contiguous() }, row, 5, 6)
      assert.is_true(want:equal(torch.image_augment({ x:permute(3, 1, 2) }, row, 5, 6)))
      for _, kind in ipairs { 'Byte', 'Float' } do
         local y = torch.Tensor(1, 6, 5, 3):type('torch.' .. kind .. 'Tensor'):permute(1, 4, 3, 2)
         torch.image_augment(y, { x:permute(3, 1, 2) }, row, 5, 6, nil, nil, kind == 'Float')
         local got = kind == 'Float' and y:clone():mul(255):add(0.5):clamp(0, 255):floor():byte() or y:clone()
         assert.is_true((want:int() - got:int()):abs():max() <= (kind == 'Float' and 1 or 0))
      end
      local wide = torch.ByteTensor(1, 4, 4):random(0, 255):expand(3, 4, 4)
      assert.is_true(torch.image_augment({ wide }, plan(PLAIN), 4, 4)[1]:equal(wide:clone()))
   end)

   it('computes the same bits with any number of threads', function()
      local list, rows, threads = {}, {}, torch.getnumthreads()
      for k = 1, 13 do
         list[k] = torch.FloatTensor(3, 40 + k, 50):uniform()
         rows[k] = { k % 4 - 1, k % 5, k % 2, 0.8 + k / 30, 1.3 - k / 30, 0.7 + k / 20 }
      end
      local made = {}
      for n = 1, 4 do
         torch.setnumthreads(n)
         made[n] = torch.image_augment(list, plan(unpack(rows)), 33, 44)
      end
      torch.setnumthreads(threads)
      for n = 2, 4 do assert.equal(torch.serialize(made[1]), torch.serialize(made[n])) end
   end)

   it('gives the same mean of a part and of the mirrored part', function()
      local x = torch.FloatTensor(3, 31, 37):uniform()
      local a = torch.image_augment({ x, x }, plan({ 1, 1, 0, 1, 0.5, 1 }, { 1, 1, 1, 1, 0.5, 1 }), 29, 35)
      assert.equal(torch.serialize(torch.flip(a[1], 3)), torch.serialize(a[2]:clone()))
   end)

   it('refuses what it cannot do, and leaves the result as it was', function()
      local x, y = torch.ByteTensor(3, 4, 5):zero(), torch.ByteTensor { 7 }
      local function no(text, ...) refuses('image_augment: ' .. text, torch.image_augment, y, ...) end
      no('list must hold at least one picture', {}, plan(PLAIN), 2, 2)
      no('picture 2 must have 3 plane(s) like the first, got 1', { x, x:narrow(1, 1, 1) }, plan(PLAIN, PLAIN), 2, 2)
      no('picture 2 must be a ByteTensor like the first, got a FloatTensor', { x, x:float() }, plan(PLAIN, PLAIN), 2, 2)
      no('picture 1 must have size 1 or 3 x rows x columns, at most 16777216 a side, got 4x5', { x[1] }, plan(PLAIN), 2, 2)
      no('picture 1 must have size 1 or 3 x rows x columns', { torch.ByteTensor(2, 4, 4) }, plan(PLAIN), 2, 2)
      no('picture 1 must have size 1 or 3 x rows x columns', { torch.ByteTensor(3, 0, 4) }, plan(PLAIN), 2, 2)
      no('pictures must be Byte, Float or Double tensors, got a IntTensor', { x:int() }, plan(PLAIN), 2, 2)
      no('plan must have size 1x6, got 2x6', { x }, plan(PLAIN, PLAIN), 2, 2)
      no('plan must', { x }, plan(PLAIN):float(), 2, 2)
      no('plan[1][1] must be a whole number of at most 16777216 pixels, got 0.5', { x }, plan { 0.5, 0, 0, 1, 1, 1 }, 2, 2)
      no('plan[1][2] must be a whole number', { x }, plan { 0, 2 ^ 30, 0, 1, 1, 1 }, 2, 2)
      no('plan[1][4] must be finite, got inf', { x }, plan { 0, 0, 0, math.huge, 1, 1 }, 2, 2)
      no('plan[1][2] must be finite', { x }, plan { 0, 0 / 0, 0, 1, 1, 1 }, 2, 2)
      no('height and width must lie in 1..16777216', { x }, plan(PLAIN), 0, 2)
      no('height and width must lie in 1..16777216', { x }, plan(PLAIN), 2 ^ 23, 2 ^ 23)
      no('mean must have a number for each of 3 plane(s), got size 2', { x }, plan(PLAIN), 2, 2, torch.zeros(2))
      no('std[2] must be finite and above 0, got 0', { x }, plan(PLAIN), 2, 2, nil, torch.Tensor { 1, 0, 1 })
      no('mean[1] must be finite, got', { x }, plan(PLAIN), 2, 2, torch.Tensor { 0 / 0, 0, 1 })
      assert.same({ 7 }, y:totable())
   end)
end)
