-- test/op/mask_spec.lua - maskedFill, maskedCopy, maskedSelect, nonzero.
local torch, opcheck = require 'torch', require 'test.support.opcheck'

local byte, long = opcheck.byte, opcheck.long
local matrix, mask = { { 1, 2, 3 }, { 4, 5, 6 } }, byte { { 1, 0, 1 }, { 0, 0, 1 } }

local function refuses_bad_masks(op, ...)
   op.refuses('mask must have as many elements as the tensor of size 2x3, got size 2', matrix, byte { 1, 0 }, ...)
   op.refuses('mask must hold only 0 and 1, got 2 at place 5', matrix, byte { { 1, 0, 1 }, { 0, 2, 1 } }, ...)
   op.refuses('mask must be a ByteTensor, got', matrix, long { { 1, 0, 1 }, { 0, 0, 1 } }, ...)
end

opcheck.describe('maskedFill', function(op)
   op.dtypes 'all'
   op.gives({ { 9, 2, 9 }, { 4, 5, 9 } }, matrix, mask, 9)
   op.gives({ { 9, 2, 9 }, { 4, 5, 9 } }, matrix, byte { 1, 0, 1, 0, 0, 1 }, 9)
   op.gives({ 1, 2 }, { 1, 2 }, byte { 0, 0 }, 9)
   refuses_bad_masks(op, 9)
   op.dtypes 'ints'
   op.refuses('value must be a number of at most 64 bits', matrix, mask, 0 / 0)
end)

opcheck.describe('maskedCopy', function(op)
   op.dtypes 'all'
   op.gives({ { 7, 2, 8 }, { 4, 5, 9 } }, matrix, mask, { 7, 8, 9 })
   op.gives({ { 7, 2, 8 }, { 4, 5, 9 } }, matrix, mask, { { 7, 8 }, { 9, 10 } })
   op.gives({ 1, 2 }, { 1, 2 }, byte { 0, 0 }, { 3 })
   refuses_bad_masks(op, { 7, 8, 9 })
   op.refuses('x must have at least the 3 elements that mask asks for, got size 2', matrix, mask, { 7, 8 })
   op.dtypes 'double'
   op.refuses('x must be a DoubleTensor like y', matrix, mask, opcheck.float { 7, 8, 9 })
end)

opcheck.describe('maskedSelect', function(op)
   op.dtypes 'all'
   op.gives({ 1, 3, 6 }, matrix, mask)
   op.gives({ 1, 3, 6 }, matrix, byte { 1, 0, 1, 0, 0, 1 })
   op.gives({ 1, 2 }, { 1, 2 }, byte { 1, 1 })
   refuses_bad_masks(op)
   op.grad(matrix, mask)
end)

opcheck.describe('mask_grad', function(op)
   op.dtypes 'all'
   op.gives({ { 7, 0, 8 }, { 0, 0, 9 } }, matrix, mask, { 7, 8, 9 })
   op.refuses('g must have the 3 elements that mask picks, got size 2', matrix, mask, { 7, 8 })
end)

opcheck.describe('nonzero', function(op)
   op.dtypes 'all'
   op.gives(long { { 1, 1 }, { 2, 3 } }, { { 1, 0, 0 }, { 0, 0, 5 } })
   op.gives(long { { 2 }, { 4 } }, { 0, 3, 0, 4 })
   op.gives(long { { 2, 1, 2 } }, { { { 0, 0 } }, { { 0, 1 } } })
   op.dtypes 'floats'
   op.gives(long { { 2 }, { 3 } }, { -0, 0 / 0, -1, 0 })
end)

describe('masks', function()
   it('select and put back in order, however long, however the mask lies, for any number of threads', function()
      local threads = torch.getnumthreads()
      for _, size in ipairs { { 100003, 1 }, { 333, 301 } } do
         local x = torch.DoubleTensor(size[1], size[2]):uniform()
         for _, m in ipairs { x:gt(0.3), x:t():contiguous():t():gt(0.3), x:gt(0.999), x:gt(-1) } do
            local expected = {}
            for i = 1, size[1] do
               for j = 1, size[2] do if m[i][j] == 1 then expected[#expected + 1] = x[i][j] end end
            end
            for n = 1, 3 do
               torch.setnumthreads(n)
               local y = x:maskedSelect(m)
               assert.equal(#expected, y:nElement())
               for k = 1, #expected, 7 do assert.equal(expected[k], y[k]) end
               local z = torch.DoubleTensor(size[1], size[2]):fill(0)
               z:maskedCopy(m, y)
               assert.equal(0, z:ne(torch.cmul(x, m:double())):sum())
               local places = m:nonzero()
               assert.equal(#expected, places:size(1))
               for k = 1, #expected, 101 do assert.equal(expected[k], x[places[k][1]][places[k][2]]) end
            end
         end
      end
      torch.setnumthreads(threads)
   end)

   it('that are empty select nothing', function()
      assert.equal(0, torch.DoubleTensor { 1, 2 }:maskedSelect(torch.ByteTensor { 0, 0 }):nElement())
      assert.equal(0, torch.DoubleTensor():maskedSelect(torch.ByteTensor()):nElement())
      assert.equal(0, torch.DoubleTensor { 0, 0 }:nonzero():dim())
      assert.equal(0, torch.DoubleTensor():nonzero():dim())
   end)

   it('return the tensor, and write an expanded one in order', function()
      local x = torch.DoubleTensor { 1, 2 }
      local m = torch.ByteTensor { 1, 0 }
      assert.is_true(rawequal(x, x:maskedFill(m, 3)))
      assert.is_true(rawequal(x, x:maskedCopy(m, torch.DoubleTensor { 4 })))
      local e = torch.DoubleTensor { 1 }:expand(2)
      e:maskedFill(m, 3)
      assert.same({ 3, 3 }, e:totable())
      e:maskedCopy(torch.ByteTensor { 1, 1 }, torch.DoubleTensor { 7, 8 })
      assert.same({ 8, 8 }, e:totable())
   end)
end)
