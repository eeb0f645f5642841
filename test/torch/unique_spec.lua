-- test/torch/unique_spec.lua - unique, bincount, where with numbers or alone, isnan, isinf, isfinite, nansum.
local torch = require 'torch'
local nan, inf = 0 / 0, math.huge

local refuses = require 'test.support.refuses'
local KINDS = { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double' }

describe('torch.unique', function()
   it('gives values in order, the place of each element\'s value, and counts, for every type', function()
      for _, kind in ipairs(KINDS) do
         local x = torch[kind .. 'Tensor'] { { 3, 1 }, { 3, 2 }, { 1, 3 } }
         for _, y in ipairs { x, x:t():contiguous():t() } do
            local values, inverse, counts = torch.unique(y)
            assert.equal(x:type(), values:type())
            assert.same({ 1, 2, 3 }, values:totable())
            assert.same({ { 3, 1 }, { 3, 2 }, { 1, 3 } }, inverse:totable())
            assert.same({ 2, 1, 3 }, counts:totable())
         end
      end
   end)
   it('takes all NaN for one value, the last, and -0 for 0', function()
      for _, kind in ipairs { 'Half', 'BFloat16', 'Float', 'Double' } do
         local values, inverse, counts = torch.unique(torch[kind .. 'Tensor'] { nan, 0, inf, nan, -0.0, -inf })
         assert.equal(4, values:size(1))
         assert.same({ -inf, 0, inf }, values:narrow(1, 1, 3):totable())
         assert.is_true(values[4] ~= values[4])
         assert.same({ 4, 2, 3, 4, 2, 1 }, inverse:totable())
         assert.same({ 1, 2, 1, 2 }, counts:totable())
      end
   end)
   it('finds back what it was given, at any size', function()
      for _, n in ipairs { 1, 2, 100, 5000 } do
         local x = torch.LongTensor(n):random(1, 50)
         local values, inverse, counts = torch.unique(x)
         assert.is_true(values:index(1, inverse):equal(x))
         assert.equal(n, counts:sum())
         assert.is_true(torch.bincount(x):maskedSelect(torch.bincount(x):gt(0)):equal(counts))
      end
   end)
   it('along dim compares slices', function()
      local x = torch.Tensor { { 2, 0, 2 }, { 1, 5, 1 }, { 2, 0, 2 } }
      local values, inverse, counts = torch.unique(x, 1)
      assert.same({ { 1, 5, 1 }, { 2, 0, 2 } }, values:totable())
      assert.same({ 2, 1, 2 }, inverse:totable())
      assert.same({ 1, 2 }, counts:totable())
      values, inverse = x:unique(2)
      assert.same({ { 0, 2 }, { 5, 1 }, { 0, 2 } }, values:totable())
      assert.same({ 2, 1, 2 }, inverse:totable())
      local rows = torch.IntTensor(300, 3):random(0, 3)
      values, inverse, counts = torch.unique(rows, 1)
      assert.is_true(values:index(1, inverse):equal(rows))
      assert.equal(300, counts:sum())
      for i = 2, values:size(1) do
         local a, b = values[i - 1]:totable(), values[i]:totable()
         assert.is_true(a[1] * 16 + a[2] * 4 + a[3] < b[1] * 16 + b[2] * 4 + b[3])
      end
   end)
   it('of nothing is nothing', function()
      local values, inverse, counts = torch.unique(torch.FloatTensor())
      assert.equal('torch.FloatTensor', values:type())
      assert.equal(0, values:nElement() + inverse:nElement() + counts:nElement())
      assert.equal(1, torch.unique(torch.Tensor(3, 0), 1):size(1))
   end)
   it('refuses what makes no sense', function()
      refuses('unique: argument 1 must be a tensor, got nil', torch.unique)
      refuses('torch.unique: dim must lie in 1..1, got 2', torch.unique, torch.Tensor(2), 2)
      refuses('torch.unique: dim must be a whole number', torch.unique, torch.Tensor(2), 0 / 0)
   end)
end)

describe('torch.bincount', function()
   it('counts whole numbers from 1 on, or sums their weights', function()
      for _, kind in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long' } do
         assert.same({ 1, 0, 2 }, torch.bincount(torch[kind .. 'Tensor'] { 3, 1, 3 }):totable())
      end
      local x = torch.LongTensor { { 3, 1 }, { 3, 1 } }
      assert.same({ 2, 0, 2, 0, 0 }, torch.bincount(x, 5):totable())
      assert.same({ 2, 0, 2 }, torch.bincount(x, nil, 2):totable())
      local y = torch.bincount(x, torch.FloatTensor { { 1, 2 }, { 0.5, 4 } })
      assert.equal('torch.FloatTensor', y:type())
      assert.same({ 6, 0, 1.5 }, y:totable())
      assert.same({ 0, 0 }, torch.bincount(torch.LongTensor(), 2):totable())
      assert.equal(0, torch.bincount(torch.LongTensor()):nElement())
   end)
   it('refuses what makes no sense', function()
      local x = torch.LongTensor { 1, 2 }
      refuses('torch.bincount: x must hold whole numbers from 1 on, got 0', torch.bincount, torch.LongTensor { 0, 1 })
      refuses('torch.bincount: x must hold whole numbers from 1 on, got -2', torch.bincount, torch.LongTensor { -2, 1 })
      refuses('torch.bincount: x must be a tensor of whole numbers', torch.bincount, torch.Tensor { 1 })
      refuses('bincount: argument 1 must be a tensor, got nil', torch.bincount)
      refuses('torch.bincount: weights must be a tensor of 2 elements', torch.bincount, x, torch.Tensor(3))
      refuses('torch.bincount: minlength must not be negative, got -1', torch.bincount, x, -1)
      refuses('torch.bincount: minlength must be a whole number', torch.bincount, x, nil, 0 / 0)
      refuses('torch.bincount: out of memory', torch.bincount, torch.LongTensor { 2 ^ 52 })
   end)
end)

describe('torch.where', function()
   local m = torch.ByteTensor { 1, 0, 1 }
   it('takes numbers, and alone gives places', function()
      assert.same({ 5, -1, 7 }, torch.where(m, torch.IntTensor { 5, 6, 7 }, -1):totable())
      assert.same({ -1, 6, -1 }, torch.where(m, -1, torch.FloatTensor { 5, 6, 7 }):totable())
      assert.equal('torch.FloatTensor', torch.where(m, -1, torch.FloatTensor { 5, 6, 7 }):type())
      assert.same({ 2, 3, 2 }, torch.where(m, 2, 3):totable())
      assert.same({ { 1 }, { 3 } }, torch.where(m):totable())
      assert.same({ { 1, 1 }, { 2, 3 } }, torch.where(torch.Tensor { { 1, 0, 0 }, { 0, 0, nan } }):totable())
      assert.same({ { 1, 0, 1 }, { 2, 0, 2 } }, torch.where(m, torch.Tensor { { 1 }, { 2 } }:expand(2, 3), 0):totable())
      local y = torch.Tensor()
      assert.equal(y, torch.where(y, m, torch.Tensor { 1, 2, 3 }, torch.Tensor { 4, 5, 6 }))
      assert.same({ 1, 5, 3 }, y:totable())
   end)
   it('refuses what makes no sense', function()
      refuses('where: argument 1 must be a tensor, got nil', torch.where)
      refuses('torch.where: argument', torch.where, m, 'a', 1)
      refuses('where: ', torch.where, torch.Tensor(3), 1, 2)
   end)
end)

describe('isnan, isinf, isfinite and nansum', function()
   it('tell numbers from what is none', function()
      for _, kind in ipairs { 'Half', 'BFloat16', 'Float', 'Double' } do
         local x = torch[kind .. 'Tensor'] { 1, nan, -inf, inf, 0 }
         assert.same({ 0, 1, 0, 0, 0 }, torch.isnan(x):totable())
         assert.same({ 0, 0, 1, 1, 0 }, torch.isinf(x):totable())
         assert.same({ 1, 0, 0, 0, 1 }, x:isfinite():totable())
      end
      for _, kind in ipairs { 'Byte', 'Char', 'Long' } do
         local x = torch[kind .. 'Tensor'] { 1, 0 }
         assert.same({ 0, 0 }, torch.isnan(x):totable())
         assert.same({ 0, 0 }, torch.isinf(x):totable())
         assert.same({ 1, 1 }, torch.isfinite(x):totable())
      end
   end)
   it('sum what is a number', function()
      local x = torch.Tensor { { 1, nan }, { 2, 3 } }
      assert.equal(6, torch.nansum(x))
      assert.same({ { 3, 3 } }, torch.nansum(x, 1):totable())
      assert.equal(0, torch.nansum(torch.Tensor()))
      assert.is_true(x[1][2] ~= x[1][2])
   end)
   it('refuse what is no tensor', function()
      for _, name in ipairs { 'isnan', 'isinf', 'isfinite', 'nansum' } do
         refuses(('%s: argument 1 must be a tensor, got a number'):format(name), torch[name], 1)
      end
      refuses('torch.nansum: dim must lie in 1..1, got 3', torch.nansum, torch.Tensor(2), 3)
      refuses('torch.nansum: dim must be a whole number', torch.nansum, torch.Tensor(2), 'a')
   end)
end)
