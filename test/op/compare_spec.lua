-- test/op/compare_spec.lua - lt le gt ge eq ne, equal, all, any, where.
local torch = require 'torch'
local opcheck = require 'test.support.opcheck'
local byte = opcheck.byte
local inf, nan = 1 / 0, 0 / 0

local cases = {                              -- name, {1,2,3} against 2, {1,2,3} against {3,2,1}, NaN against 1
   { 'lt', { 1, 0, 0 }, { 1, 0, 0 }, 0, function(a, b) return a < b end },
   { 'le', { 1, 1, 0 }, { 1, 1, 0 }, 0, function(a, b) return a <= b end },
   { 'gt', { 0, 0, 1 }, { 0, 0, 1 }, 0, function(a, b) return a > b end },
   { 'ge', { 0, 1, 1 }, { 0, 1, 1 }, 0, function(a, b) return a >= b end },
   { 'eq', { 0, 1, 0 }, { 0, 1, 0 }, 0, function(a, b) return a == b end },
   { 'ne', { 1, 0, 1 }, { 1, 0, 1 }, 1, function(a, b) return a ~= b end },
}

for _, c in ipairs(cases) do
   local name, number, tensor, with_nan, f = c[1], c[2], c[3], c[4], c[5]
   opcheck.describe(name, function(op)
      op.dtypes 'all'
      op.gives(byte(number), { 1, 2, 3 }, 2)
      op.gives(byte(tensor), { 1, 2, 3 }, { 3, 2, 1 })
      op.gives(byte { number, tensor }, { { 1, 2, 3 }, { 1, 2, 3 } }, { { 2, 2, 2 }, { 3, 2, 1 } })
      op.gives(byte { number, number }, { { 1, 2, 3 }, { 1, 2, 3 } }, { 2, 2, 2 })
      op.refuses('z must have the size of x or one that broadcasts to it, got 3 and 2', { 1, 2, 3 }, { 1, 2 })
      op.dtypes 'floats'
      op.gives(byte { with_nan }, { nan }, 1)
      op.gives(byte { with_nan, with_nan }, { nan, 1 }, { 1, nan })
      op.dtypes 'double'
      op.refuses('z must be a DoubleTensor like x, got a FloatTensor', { 1 }, opcheck.float { 1 })
      -- Whole numbers against fractions and numbers that the type does not hold.
      op.dtypes 'ints'
      for _, v in ipairs { 2.5, 1.5, -0.5, 300, -300, 2 ^ 40, -2 ^ 40, 2 ^ 63, -2 ^ 63, 1e30, -1e30, inf, -inf, nan } do
         local want = {}
         for i = 1, 3 do want[i] = f(i, v) and 1 or 0 end
         op.gives(byte(want), { 1, 2, 3 }, v)
      end
   end)
   describe('torch.' .. name, function()
      it('takes a result of the type of x as well', function()
         local x = torch.DoubleTensor { 1, 2, 3 }
         local r = torch.DoubleTensor()
         assert.equal(r, torch[name](r, x, 2))
         assert.same(number, r:totable())
         assert.same(number, torch[name](torch.HalfTensor(), x:half(), 2):totable())
         assert.same(tensor, torch[name](torch.LongTensor(3), x:long(), torch.LongTensor { 3, 2, 1 }):totable())
      end)
      it('compares 64 bits', function()
         local x = torch.LongTensor { 2 ^ 53 }:add(1)
         assert.equal(f(2, 1) and 1 or 0, torch[name](x, 2 ^ 53)[1])
         assert.equal(f(2, 1) and 1 or 0, torch[name](x, torch.LongTensor { 2 ^ 53 })[1])
      end)
   end)
end

opcheck.describe('equal', function(op)
   op.dtypes 'all'
   op.gives(true, { 1, 2 }, { 1, 2 })
   op.gives(false, { 1, 2 }, { 1, 3 })
   op.gives(false, { 1, 2 }, { 1, 2, 3 })
   op.gives(false, { { 1, 2 } }, { 1, 2 })
   op.gives(true, { { 1, 2 }, { 3, 4 } }, { { 1, 2 }, { 3, 4 } })
   op.gives(true, {}, {})
   op.dtypes 'float double'
   op.gives(false, { nan }, { nan })
   op.refuses('z must be a', { 1 }, opcheck.long { 1 })
end)
opcheck.describe('all', function(op)
   op.dtypes 'byte'
   op.gives(true, { 1, 2, 3 })
   op.gives(false, { { 1, 0 }, { 1, 1 } })
   op.gives(true, {})
   op.dtypes 'float'
   op.refuses('x must be a ByteTensor, got a FloatTensor', { 1 })
end)
opcheck.describe('any', function(op)
   op.dtypes 'byte'
   op.gives(true, { 0, 2, 0 })
   op.gives(false, { { 0, 0 }, { 0, 0 } })
   op.gives(false, {})
   op.dtypes 'long'
   op.refuses('x must be a ByteTensor, got a LongTensor', { 1 })
end)
opcheck.describe('where', function(op)
   op.dtypes 'all'
   op.gives({ 1, 5, 3 }, byte { 1, 0, 2 }, { 1, 2, 3 }, { 4, 5, 6 })
   op.gives({ { 1, 6 }, { 7, 4 } }, byte { { 1, 0 }, { 0, 1 } }, { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } })
   op.gives({ { 1, 9 }, { 9, 4 } }, byte { { 1, 0 }, { 0, 1 } }, { { 1, 2 }, { 3, 4 } }, { 9 })
   op.refuses('condition must be a ByteTensor', opcheck.short { 1 }, { 1 }, { 2 })
   op.grad(byte { 1, 0 }, { 1, 2 }, { 3, 4 })
end)
