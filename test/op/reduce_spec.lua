-- test/op/reduce_spec.lua - sum, prod, mean, var, std, norm, dist, renorm: of all elements and along a dimension.
local torch, opcheck = require 'torch', require 'test.support.opcheck'

local nan, inf = 0 / 0, 1 / 0
local matrix = { { 1, 2, 3 }, { 4, 5, 6 } }
local cube = { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } } }
local DIMS = { { 0, '1..2' }, { 3, '1..2' }, { -3, '1..2' } }

opcheck.describe('sum', function(op)
   op.dtypes 'all'
   op.gives({ { 5, 7, 9 } }, matrix, 1)
   op.gives({ { 6 }, { 15 } }, matrix, 2)
   op.gives({ { { 4, 6 } }, { { 12, 14 } } }, cube, 2)
   op.gives({ 6, 15 }, matrix, 2, false)
   op.gives({ 6 }, { 1, 2, 3 }, 1)
   op.gives({ { 9, 9, 9 } }, { { 4, 4, 4 }, { 5, 5, 5 } }, 1)
   op.gives(21, matrix)
   op.gives(36, cube)
   op.gives({ 0 }, {}, 1)
   op.gives(0, {})
   for _, d in ipairs(DIMS) do op.refuses(('dim must lie in %s, got %d'):format(d[2], d[1]), matrix, d[1]) end
   op.dtypes 'byte'
   op.gives({ 44 }, { 200, 100 }, 1)
   op.gives(300, { 200, 100 })
   op.dtypes 'floats'
   op.gives({ nan }, { 1, nan }, 1)
   op.gives(nan, { inf, -inf })
   op.grad(matrix)
   op.grad(matrix, 1)
   op.grad(cube, 2)
   op.grad(matrix, 2, false)
end)

opcheck.describe('prod', function(op)
   op.dtypes 'all'
   op.gives({ { 4, 10, 18 } }, matrix, 1)
   op.gives({ { 6 }, { 120 } }, matrix, 2)
   op.gives({ 6, 120 }, matrix, 2, false)
   op.gives(120, { 1, 2, 3, 4, 5 })
   op.gives({ 1 }, {}, 1)
   op.gives(1, {})
   op.grad({ { 1, 2, 0.5 }, { 0, 5, -6 }, { 0, 0, 1 } }, 2)
   op.grad(matrix, 1, false)
   for _, d in ipairs(DIMS) do op.refuses(('dim must lie in %s, got %d'):format(d[2], d[1]), matrix, d[1]) end
end)

opcheck.describe('mean', function(op)
   op.dtypes 'floats'
   op.gives({ { 2.5, 3.5, 4.5 } }, matrix, 1)
   op.gives({ { 2 }, { 5 } }, matrix, 2)
   op.gives({ 2, 5 }, matrix, 2, false)
   op.gives(3.5, matrix)
   for _, d in ipairs(DIMS) do op.refuses(('dim must lie in %s, got %d'):format(d[2], d[1]), matrix, d[1]) end
   op.grad(matrix, 1)
   op.grad(matrix, 2, false)
   op.grad(matrix)
   op.refuses('x must not be empty along dimension 1', {}, 1)
   op.forms 'function method'
   op.refuses('x must have at least one element', {})
   op.dtypes 'ints'
   op.refuses('x must be a Float, Double, Half or BFloat16 tensor', { 1, 2 })
   op.refuses('x must be a Float, Double, Half or BFloat16 tensor', { 1, 2 }, 1)
end)

opcheck.describe('var', function(op)
   op.dtypes 'floats'
   op.gives({ { 4.5, 4.5, 4.5 } }, matrix, 1)
   op.gives({ { 1 }, { 1 } }, matrix, 2)
   op.gives({ { 2.25, 2.25, 2.25 } }, matrix, 1, true)
   op.gives({ 2.25, 2.25, 2.25 }, matrix, 1, true, false)
   op.gives(3.5, matrix)
   op.gives(2, { 1, 2, 3, 4, 5 }, true)
   op.gives({ nan }, { 3 }, 1)
   op.gives(nan, { 3 })
   op.grad({ { 1, 2, 4 }, { 7, -5, 6 } }, 2)
   op.grad({ { 1, 2, 4 }, { 7, -5, 6 } }, 1, true, false)
   op.gives({ 0 }, { 3 }, 1, true)
   op.refuses('dim must lie in 1..2, got 3', matrix, 3)
   op.refuses('x must not be empty along dimension 1', {}, 1)
   op.forms 'function method'
   op.refuses('x must have at least one element', {})
   op.dtypes 'ints'
   op.refuses('x must be a Float, Double, Half or BFloat16 tensor', { 1, 2 })
end)

opcheck.describe('std', function(op)
   op.dtypes 'floats'
   op.gives({ { 1 }, { 1 } }, matrix, 2)
   op.gives({ { 1.5, 1.5, 1.5 } }, matrix, 1, true)
   op.gives(math.sqrt(3.5), matrix)
   op.grad({ { 1, 2, 4 }, { 7, -5, 6 } }, 2)
   op.grad({ { 1, 2, 4 }, { 7, -5, 6 } }, 1, true, false)
   op.refuses('dim must lie in 1..2, got 0', matrix, 0)
end)

opcheck.describe('norm', function(op)
   op.dtypes 'floats'
   op.gives({ { 5, 13 } }, { { 3, 5 }, { -4, -12 } }, 2, 1)
   op.gives({ { 8 }, { 16 } }, { { 3, -5 }, { -4, -12 } }, 1, 2)
   op.gives({ 2, 1 }, { { 3, -5 }, { 0, -12 } }, 0, 2, false)
   op.gives({ 5, 12 }, { { 3, -5 }, { 0, -12 } }, inf, 2, false)
   op.gives({ 3 }, { 1, -2, 2 }, 2, 1)
   for _, p in ipairs { 1, 2, 3, 1.5, inf } do
      op.grad({ { 1, -2, 4 }, { 7, -5, 6 } }, p, 2)
      op.grad({ { 1, -2, 4 }, { 7, -5, 6 } }, p, 1, false)
   end
   op.gives(6 ^ (1 / 3), { 1, -1, 1, 1, -1, 1 }, 3)
   op.gives(5, { 3, -4 })
   op.gives(2, { 3, -4, 0 }, 0)
   op.gives(4, { 3, -4, 0 }, inf)
   op.gives(0.5, { 1, 1 }, -1)
   op.gives(0, {})
   op.gives(nan, { 1, nan, 2 }, inf)
   op.refuses('dim must lie in 1..2, got 3', matrix, 2, 3)
   op.refuses('p must be a number above -inf, got nan', { 1, 2 }, nan, 1)
   op.forms 'function method'
   op.refuses('p must be a number above -inf, got -inf', { 1, 2 }, -inf)
   op.dtypes 'ints'
   op.refuses('x must be a Float, Double, Half or BFloat16 tensor', { 1, 2 }, 2)
end)

opcheck.describe('dist', function(op)
   op.dtypes 'floats'
   op.gives(5, { 1, 2 }, { 4, 6 })
   op.gives(7, { { 1, 2 } }, { { 4, 6 } }, 1)
   op.gives(5, { 1, 2 }, { { 4 }, { 6 } })
   op.gives(4, { 1, 2 }, { 4, 6 }, inf)
   op.gives(inf, { 1, 2 }, { 4, 6 }, 0)
   op.gives(0, {}, {})
   op.refuses('y must have as many elements as x, of size 2, got 3', { 1, 2 }, { 1, 2, 3 })
   op.refuses('p must be a number above -inf, got nan', { 1, 2 }, { 1, 2 }, nan)
   op.dtypes 'double'
   op.refuses('y must be a DoubleTensor like x, got a FloatTensor', { 1, 2 }, opcheck.float { 1, 2 })
end)

opcheck.describe('renorm', function(op)
   op.dtypes 'floats'
   op.tolerance(1e-7)                          -- the norm is taken as 1e-7 larger
   op.gives({ { 3, 4 }, { 3, 4 } }, { { 3, 4 }, { 6, 8 } }, 2, 1, 5)
   op.gives({ { 1, 2, 0.5 }, { 1, 0, 1 } }, { { 3, 2, 0.5 }, { 3, 0, 1 } }, 1, 2, 2)
   op.gives({ { 0, 0 }, { 0, 0 } }, { { 0, 0 }, { 0, 0 } }, 2, 1, 1)
   op.refuses('dim must lie in 1..2, got 3', matrix, 2, 3, 1)
   op.refuses('p must be above 0, got -1', matrix, -1, 2, 1)
   op.refuses('p must be a number above -inf, got nan', matrix, nan, 2, 1)
   op.refuses('maxnorm must be at least 0, got -1', matrix, 2, 1, -1)
   op.refuses('x must have 2 to 16 dimensions, got size 3', { 1, 2, 3 }, 2, 1, 1)
end)

opcheck.describe('prod_grad', function(op)
   op.dtypes 'floats'
   op.gives({ { 6, 3, 2 }, { 0, 40, 0 } }, { { 1, 2, 3 }, { 4, 0, 5 } }, { { 1 }, { 2 } }, 2)
   op.refuses('g must have the size of x, 2x3, without dimension 2 or with 1 there, got 3', matrix, { 1, 2, 3 }, 2)
   op.refuses('dim must lie in 1..2, got 3', matrix, { { 1 }, { 2 } }, 3)
end)

opcheck.describe('norm_grad', function(op)
   op.dtypes 'floats'
   op.gives({ { 0, 0 }, { 1.5, -1.5 } }, { { 0, 0 }, { 2, -2 } }, { 0, 2 }, { 1, 3 }, 2, inf)
   op.gives({ 0, -2, 2 }, { 0, -3, 1 }, { 4 }, { 2 }, 1, 1)
   op.refuses('y must have the size of x, 3, without dimension 1 or with 1 there, got 2',
      { 1, 2, 3 }, { 1, 2 }, { 1 }, 1, 2)
end)

opcheck.describe('std_grad', function(op)
   op.dtypes 'floats'
   op.gives({ 0, 0 }, { 3, 3 }, { 0 }, { 1 }, 1)
   op.refuses('x must be a Float, Double, Half or BFloat16 tensor', opcheck.long { 1 }, { 1 }, { 1 }, 1)
end)

describe('reductions', function()
   local function deal(n)                     -- eighths: sums of them are exact in any order
      local x = torch.DoubleTensor(n)
      local s = x:storage()
      for i = 1, n do s[i] = (i * 7919 % 1021 - 510) / 8 end
      return x
   end

   it('sums float32 in double, so a hundred thousand tenths make ten thousand', function()
      assert.near(1e4, torch.FloatTensor(1e5):fill(0.1):sum(), 1e-3)
      assert.near(1e4, torch.FloatTensor(1e5, 1):fill(0.1):sum(1)[1][1], 1e-3)
   end)

   it('agree with a plain loop for long lines, many columns, odd sizes and views', function()
      for _, size in ipairs { { 1, 200003 }, { 200003, 1 }, { 300, 701 }, { 20001, 10 }, { 10, 20001 }, { 40, 3 } } do
         local rows, cols = size[1], size[2]
         local base = deal(rows * cols):view(rows, cols)
         for _, x in ipairs { base, base:t(), base:narrow(2, 1, math.max(1, cols - 1)) } do
            local down, right, total, largest = {}, {}, 0, -inf
            local n, m = x:size(1), x:size(2)
            for j = 1, m do down[j] = 0 end
            local s, a, b = x:storage(), x:stride(1), x:stride(2)
            for i = 1, n do
               local sum = 0
               for j = 1, m do
                  local v = s[(i - 1) * a + (j - 1) * b + 1]
                  sum, down[j], largest = sum + v, down[j] + v, math.max(largest, v)
               end
               right[i], total = sum, total + sum
            end
            for _, class in ipairs { 'Double', 'Float' } do
               local y = class == 'Double' and x or x:float()
               assert.equal(total, y:sum())
               assert.equal(largest, y:max())
               assert.equal(total / (n * m), y:mean())
               local s1, s2 = y:sum(1), y:sum(2)
               for j = 1, m, 97 do assert.equal(down[j], s1[1][j]) end
               for i = 1, n, 89 do assert.equal(right[i], s2[i][1]) end
            end
         end
      end
   end)

   it('give the same bits for any number of threads', function()
      local threads = torch.getnumthreads()
      local x = torch.FloatTensor(1000, 1003):uniform(-1, 1)
      local function all()
         return { x:sum(), x:mean(), x:var(), x:norm(3), x:t():sum(), x:sum(1):sum(), x:std(1):sum(),
            x:norm(2, 2):sum(), x:view(1, -1):sum(2)[1][1], x:dist(x:t():contiguous():viewAs(x)) }
      end
      torch.setnumthreads(1)
      local expected = all()
      for n = 2, 5 do
         torch.setnumthreads(n)
         assert.same(expected, all())
      end
      torch.setnumthreads(threads)
   end)

   it('write an expanded result in order and allow the operand as result', function()
      local x = torch.DoubleTensor { { 1, 2 }, { 3, 4 } }
      local r = torch.DoubleTensor(1, 1):fill(7):expand(1, 2)
      torch.sum(r, x, 1)
      assert.same({ { 6, 6 } }, r:totable())
      torch.sum(x, x, 1)
      assert.same({ 1, 2 }, x:size():totable())
      assert.equal(4, x[1][1])
      assert.equal(6, x[1][2])
   end)

   it('work on single numbers and on tensors without elements', function()
      local one = torch.DoubleTensor { 3 }:sum(1, false)
      assert.equal(0, one:nDimension())
      assert.equal(3, one:sum())
      assert.equal(3, one:sum(1):sum())
      assert.equal(3, one:max())
      assert.equal(0, torch.DoubleTensor():sum())
      assert.error_matches(function() torch.DoubleTensor():max() end, 'max: x must have at least one element')
   end)
end)

opcheck.describe('mean_all_grad', function(op)
   op.dtypes 'floats'
   op.gives({ { 0.5, 0.5 }, { 0.5, 0.5 } }, { { 1, 2 }, { 3, 4 } }, 2)
   op.gives({ 3 }, { 7 }, 3)
   op.gives({}, {}, 3)

   it('over narrow columns and over many blocks are those of each line', function()
      for _, class in ipairs { 'Float', 'Double' } do
         for _, cols in ipairs { 1, 3, 10, 64, 65 } do
            local x = torch[class .. 'Tensor'](1003, cols):uniform(1, 3)
            local sum, var, norm, most = x:sum(1), x:var(1), x:norm(2, 1), x:norm(math.huge, 1)
            for c = 1, cols do
               local line = x:select(2, c):clone()
               assert.near(line:sum(), sum[1][c], 1e-3)
               assert.near(line:var(), var[1][c], 1e-6)
               assert.near(line:norm(), norm[1][c], 1e-4)
               assert.equal(line:norm(math.huge), most[1][c])
            end
         end
         local far = torch[class .. 'Tensor'](200001):uniform(1000, 1001)
         far:narrow(1, 1, 100000):add(7)
         local exact = far:double()
         exact:add(-exact:mean())
         assert.near(exact:dot(exact) / 200000, far:var(), 1e-9)
         assert.near(exact:dot(exact) / 200001, far:var(true), 1e-9)
      end
   end)
end)
