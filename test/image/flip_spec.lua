-- test/image/flip_spec.lua - image.hflip, vflip and flip.
local torch = require 'torch'
local image = require 'image'

local function refuses(text, f, ...)
   local ok, why = pcall(f, ...)
   assert.is_false(ok)
   assert.truthy(tostring(why):find(text, 1, true), tostring(why))
end

local x = torch.range(1, 12):view(2, 2, 3)
local columns, rows = { { { 3, 2, 1 }, { 6, 5, 4 } }, { { 9, 8, 7 }, { 12, 11, 10 } } },
   { { { 4, 5, 6 }, { 1, 2, 3 } }, { { 10, 11, 12 }, { 7, 8, 9 } } }

describe('image.hflip and image.vflip', function()
   it('mirror pictures of every type', function()
      for _, kind in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Float', 'Double' } do
         local t = 'torch.' .. kind .. 'Tensor'
         assert.same(columns, torch.totable(image.hflip(x:type(t))))
         assert.same(rows, torch.totable(image.vflip(x:type(t))))
      end
   end)

   it('write into a result, which may be the picture', function()
      local y, z = torch.Tensor(5), x:clone()
      assert.is_true(rawequal(y, image.hflip(y, x)))
      assert.same(columns, torch.totable(y))
      image.vflip(z, z)
      assert.same(rows, torch.totable(z))
   end)

   it('take views and batches', function()
      assert.same(columns, torch.totable(image.hflip(x:transpose(2, 3):contiguous():transpose(2, 3))))
      assert.same({ columns }, torch.totable(image.hflip(x:view(1, 2, 2, 3))))
      assert.same({ rows }, torch.totable(image.vflip(x:view(1, 2, 2, 3))))
   end)

   it('refuse what is no picture, a result of another type, and a transposed picture of two dimensions', function()
      refuses('image.hflip: the picture must be a tensor, got nil', image.hflip)
      refuses('image.vflip: the picture must have 2 to 4 dimensions, got 3', image.vflip, torch.Tensor(3))
      refuses("image.vflip: the result must have the picture's type, torch.DoubleTensor, got torch.FloatTensor",
         image.vflip, torch.FloatTensor(), x)
      refuses('call contiguous() first', image.vflip, x[1]:t())
   end)
end)

describe('image.flip', function()
   it('reverses any dimension of up to five', function()
      for d = 1, 5 do
         local y = torch.range(1, 48):view(2, 2, 3, 2, 2)
         assert.is_true(torch.equal(torch.flip(y, d), image.flip(y, d)))
         assert.is_true(torch.equal(torch.flip(y, d), image.flip(torch.Tensor(), y, d)))
      end
   end)

   it('refuses dimensions that are not there, more than five, and the picture as the result', function()
      refuses('got 0', image.flip, x, 0)
      refuses('got 4', image.flip, x, 4)
      refuses('must have 1 to 5 dimensions', image.flip, torch.Tensor(1, 1, 1, 1, 1, 1), 1)
      refuses('must not be the picture itself', image.flip, x, x, 2)
   end)
end)
