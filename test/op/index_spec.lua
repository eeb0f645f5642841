-- test/op/index_spec.lua - index, indexCopy, indexAdd, indexFill, gather, scatter, scatterAdd.
local torch, opcheck = require 'torch', require 'test.support.opcheck'

local long = opcheck.long
local matrix = { { 1, 2, 3 }, { 4, 5, 6 } }

-- What every op that takes a vector of places refuses; `rest` are the arguments after it.
local function refuses_bad_places(op, ...)
   op.refuses('index must lie in 1..2, got 0 at place 2 of index', matrix, 1, long { 1, 0 }, ...)
   op.refuses('index must lie in 1..2, got 3 at place 1 of index', matrix, 1, long { 3, 1 }, ...)
   op.refuses('index must lie in 1..2, got -1 at place 1 of index', matrix, 1, long { -1, 1 }, ...)
   op.refuses('index must have at most one dimension, got size 2x1', matrix, 1, long { { 1 }, { 2 } }, ...)
   op.refuses('index must be a LongTensor, got', matrix, 1, opcheck.int { 1, 2 }, ...)
   op.refuses('dim must lie in 1..2, got 3', matrix, 3, long { 1, 2 }, ...)
   op.refuses('dim must lie in 1..2, got 0', matrix, 0, long { 1, 2 }, ...)
end

opcheck.describe('index', function(op)
   op.dtypes 'all'
   op.gives({ { 4, 5, 6 }, { 1, 2, 3 }, { 4, 5, 6 } }, matrix, 1, long { 2, 1, 2 })
   op.gives({ { 3, 1 }, { 6, 4 } }, matrix, 2, long { 3, 1 })
   op.gives({ 7, 9, 7 }, { 7, 8, 9 }, 1, long { 1, 3, 1 })
   op.gives({ { { 2 }, { 4 } } }, { { { 1, 2 }, { 3, 4 } } }, 3, long { 2 })
   refuses_bad_places(op)
   op.refuses('index must lie in 1..0, got 1', {}, 1, long { 1 })
   op.grad(matrix, 1, long { 2, 1, 2 })
   op.grad(matrix, 2, long { 3, 3 })
end)

opcheck.describe('indexCopy', function(op)
   op.dtypes 'all'
   op.gives({ { 7, 8, 9 }, { 4, 5, 6 } }, matrix, 1, long { 1 }, { { 7, 8, 9 } })
   op.gives({ { 8, 2, 7 }, { 10, 5, 9 } }, matrix, 2, long { 3, 1 }, { { 7, 8 }, { 9, 10 } })
   op.gives({ { 1, 2, 3 }, { 9, 9, 9 } }, matrix, 1, long { 2, 2 }, { { 7, 7, 7 }, { 9, 9, 9 } })
   op.gives({ 1, 5 }, { 1, 2 }, 1, long { 2 }, { 5 })
   refuses_bad_places(op, { { 1, 2, 3 }, { 4, 5, 6 } })
   op.refuses('x must have the size 2x3, got 1x3', matrix, 1, long { 1, 2 }, { { 1, 2, 3 } })
   op.refuses('x must have the size 1x3, got 3', matrix, 1, long { 1 }, { 1, 2, 3 })
   op.dtypes 'double'
   op.refuses('x must be a DoubleTensor like y, got a FloatTensor', matrix, 1, long { 1 },
      opcheck.float { { 1, 2, 3 } })
end)

opcheck.describe('indexAdd', function(op)
   op.dtypes 'all'
   op.gives({ { 1, 2, 3 }, { 14, 16, 18 } }, matrix, 1, long { 2, 2 }, { { 4, 5, 6 }, { 6, 6, 6 } })
   op.gives({ { 1, 2, 10 }, { 4, 5, 14 } }, matrix, 2, long { 3 }, { { 7 }, { 8 } })
   refuses_bad_places(op, { { 1, 2, 3 }, { 4, 5, 6 } })
   op.refuses('x must have the size 2x3, got 3x3', matrix, 1, long { 1, 2 }, { { 1, 2, 3 }, { 1, 2, 3 }, { 1, 2, 3 } })
end)

opcheck.describe('indexFill', function(op)
   op.dtypes 'all'
   op.gives({ { 9, 9, 9 }, { 4, 5, 6 } }, matrix, 1, long { 1, 1 }, 9)
   op.gives({ { 9, 2, 9 }, { 9, 5, 9 } }, matrix, 2, long { 1, 3 }, 9)
   refuses_bad_places(op, 9)
   op.dtypes 'ints'
   op.gives({ 2, 3 }, { 1, 3 }, 1, long { 1 }, 2.9)
   op.refuses('value must be a number of at most 64 bits', { 1, 3 }, 1, long { 1 }, 0 / 0)
   op.dtypes 'floats'
   op.gives({ 0 / 0, 3 }, { 1, 3 }, 1, long { 1 }, 0 / 0)
end)

opcheck.describe('gather', function(op)
   op.dtypes 'all'
   op.gives({ { 1, 5, 3 }, { 4, 5, 6 }, { 4, 2, 3 } }, matrix, 1, long { { 1, 2, 1 }, { 2, 2, 2 }, { 2, 1, 1 } })
   op.gives({ { 3, 3 }, { 4, 5 } }, matrix, 2, long { { 3, 3 }, { 1, 2 } })
   op.gives({ 7, 7, 9 }, { 7, 8, 9 }, 1, long { 1, 1, 3 })
   op.refuses('index must lie in 1..3, got 4 at place 3 of index', matrix, 2, long { { 1, 2 }, { 4, 1 } })
   op.refuses('index must lie in 1..3, got 0 at place 1 of index', matrix, 2, long { { 0, 2 }, { 3, 1 } })
   op.refuses('index must have the size 2x3, dimension 2 aside, got 1x2', matrix, 2, long { { 1, 2 } })
   op.refuses('index must have the size 2x3, dimension 1 aside, got 3', matrix, 1, long { 1, 1, 1 })
   op.refuses('index must be a LongTensor', matrix, 1, opcheck.int { { 1, 1, 1 } })
   op.refuses('dim must lie in 1..2, got 3', matrix, 3, long { { 1, 1, 1 } })
   op.grad(matrix, 1, long { { 1, 2, 1 }, { 1, 2, 2 }, { 2, 1, 1 } })
   op.grad(matrix, 2, long { { 3, 3 }, { 1, 2 } })
end)

opcheck.describe('scatter', function(op)
   op.dtypes 'all'
   op.gives({ { 1, 8, 3 }, { 7, 5, 9 } }, matrix, 1, long { { 2, 1, 2 } }, { { 7, 8, 9 } })
   op.gives({ { 8, 2, 7 }, { 4, 10, 6 } }, matrix, 2, long { { 3, 1 }, { 2, 2 } },
      { { 7, 8 }, { 9, 10 } })                                                             -- the later counts
   op.gives({ { 1, 2, 0 }, { 0, 5, 6 } }, matrix, 2, long { { 3 }, { 1 } }, 0)
   op.gives({ 1, 9 }, { 1, 2 }, 1, long { 2 }, { 9, 8 })
   op.refuses('index must lie in 1..2, got 3 at place 2 of index', matrix, 1, long { { 1, 3, 1 } }, 0)
   op.refuses('index must lie in 1..2, got 0 at place 2 of index', matrix, 1, long { { 1, 0, 1 } }, { { 1, 2, 3 } })
   op.refuses('index must have the size 2x3, dimension 1 aside, got 1x2', matrix, 1, long { { 1, 1 } }, 0)
   op.refuses('x must have at least the size of index, 1x3, got 1x2', matrix, 1, long { { 1, 1, 1 } }, { { 1, 2 } })
   op.refuses('x must have at least the size of index, 2x3, got 1x3', matrix, 1,
      long { { 1, 1, 1 }, { 1, 1, 1 } }, { { 1, 2, 3 } })
   op.refuses('dim must lie in 1..2, got 3', matrix, 3, long { { 1, 1, 1 } }, 0)
   op.dtypes 'double'
   op.refuses('x must be a DoubleTensor like y, got a FloatTensor', matrix, 1, long { { 1, 1, 1 } },
      opcheck.float { { 1, 2, 3 } })
   op.dtypes 'ints'
   op.refuses('value must be a number of at most 64 bits', matrix, 1, long { { 1, 1, 1 } }, 1 / 0)
end)

opcheck.describe('scatterAdd', function(op)
   op.dtypes 'all'
   op.gives({ { 1, 2, 3 }, { 12, 14, 16 } }, matrix, 1, long { { 2, 2, 2 }, { 2, 2, 2 } }, { { 4, 4, 4 }, { 4, 5, 6 } })
   op.refuses('index must lie in 1..2, got 3 at place 2 of index', matrix, 1, long { { 1, 3, 1 } }, { { 1, 2, 3 } })
end)

opcheck.describe('index_grad', function(op)
   op.dtypes 'all'
   op.gives({ { 0, 0, 0 }, { 5, 7, 9 } }, matrix, 1, long { 2, 2 }, matrix)
   op.refuses('x must', { 1 }, 1, long { 2 }, { 1 })
end)

opcheck.describe('gather_grad', function(op)
   op.dtypes 'all'
   op.gives({ { 0, 0, 5 }, { 1, 0, 0 } }, matrix, 2, long { { 3, 3 }, { 1, 1 } }, { { 2, 3 }, { 0, 1 } })
   op.refuses('g must have the size of index', matrix, 2, long { { 3, 3 }, { 1, 1 } }, { { 2, 3 } })
end)

describe('indexing by places', function()
   it('is the same for any number of threads, places named many times included', function()
      local threads = torch.getnumthreads()
      local x = torch.FloatTensor(3000, 70):uniform(-1, 1)
      local places = torch.LongTensor(3000):random(1, 5)
      local lines = torch.LongTensor(3000, 70):random(1, 5)
      local function all()
         local out = {}
         for _, dim in ipairs { 1, 2 } do
            local source = dim == 1 and x or x:t()
            local size = dim == 1 and { 5, 70 } or { 70, 5 }
            local zeros = torch.FloatTensor(size[1], size[2]):fill(0)
            out[#out + 1] = zeros:clone():indexAdd(dim, places, source)
            out[#out + 1] = zeros:clone():indexCopy(dim, places, source)
            out[#out + 1] = zeros:clone():scatterAdd(dim, dim == 1 and lines or lines:t(), source)
            out[#out + 1] = zeros:clone():scatter(dim, dim == 1 and lines or lines:t(), source)
            out[#out + 1] = zeros:index(dim, places)
         end
         return out
      end
      torch.setnumthreads(1)
      local expected = all()
      torch.setnumthreads(3)
      for i, t in ipairs(all()) do assert.equal(0, t:ne(expected[i]):sum()) end
      torch.setnumthreads(threads)
      assert.equal(0, expected[1]:ne(expected[6]:t()):sum())
      assert.equal(0, expected[2]:ne(expected[7]:t()):sum())
      assert.near(x:sum(), expected[1]:sum(), 1e-2)
   end)

   it('takes a long line apart and goes through the places in order all the same', function()
      local n, m = 300001, 270000
      local places, x, y = torch.LongTensor(n), torch.FloatTensor(n), torch.FloatTensor(m):fill(0.5)
      local p, v, put, sum = places:data(), x:data(), {}, {}
      for i = 0, n - 1 do
         p[i], v[i] = i * 7919 % (m / 2) * 2 + 1, i % 1000
         put[tonumber(p[i])] = v[i]
         sum[tonumber(p[i])] = (sum[tonumber(p[i])] or 0.5) + v[i]
      end
      local threads = torch.getnumthreads()
      for _, k in ipairs { 1, 3 } do
         torch.setnumthreads(k)
         local scattered, copied = y:clone():scatter(1, places, x), y:clone():indexCopy(1, places, x)
         local added, filled = y:clone():scatterAdd(1, places, x), y:clone():indexFill(1, places, 7)
         local a, b, c, d = scattered:data(), copied:data(), added:data(), filled:data()
         for i = 1, m do
            if a[i - 1] ~= (put[i] or 0.5) or b[i - 1] ~= a[i - 1] or c[i - 1] ~= (sum[i] or 0.5)
               or d[i - 1] ~= (put[i] and 7 or 0.5) then
               error(('place %d with %d threads: %g %g %g %g'):format(i, k, a[i - 1], b[i - 1], c[i - 1], d[i - 1]))
            end
         end
         local one = torch.FloatTensor(2, m):fill(0.5)[2]:scatter(1, places, x)
         assert.equal(0, one:ne(scattered):sum())
      end
      torch.setnumthreads(threads)
      p[200000] = m + 1
      assert.error_matches(function() y:scatterAdd(1, places, x) end,
         'index must lie in 1..270000, got 270001 at place 200001 of index')
      assert.equal(0.5, y:max())
   end)

   it('returns its result, and writes an expanded one in order', function()
      local x = torch.DoubleTensor { 1, 2, 3 }
      assert.is_true(rawequal(x, x:indexFill(1, torch.LongTensor { 2 }, 5)))
      assert.equal(5, x[2])
      local e = torch.DoubleTensor(1, 3):fill(1):expand(2, 3)
      e:indexCopy(1, torch.LongTensor { 2, 1 }, torch.DoubleTensor { { 5, 6, 7 }, { 2, 3, 4 } })
      assert.same({ { 2, 3, 4 }, { 2, 3, 4 } }, e:totable())
      e:scatterAdd(1, torch.LongTensor { { 2, 1, 1 }, { 1, 2, 2 } }, torch.DoubleTensor(2, 3):fill(10))
      assert.same({ { 22, 23, 24 }, { 22, 23, 24 } }, e:totable())
   end)

   it('may read what it writes', function()
      local x = torch.DoubleTensor { { 1, 2 }, { 3, 4 } }
      x:indexCopy(1, torch.LongTensor { 2, 1 }, x)
      assert.same({ 3, 4, 1, 2 }, { x[1][1], x[1][2], x[2][1], x[2][2] })
      torch.index(x, x, 1, torch.LongTensor { 2, 2, 1 })
      assert.same({ 1, 1, 3 }, { x[1][1], x[2][1], x[3][1] })
      local places = torch.LongTensor { 3, 1, 2 }
      torch.gather(places, places, 1, places)
      assert.same({ 2, 3, 1 }, { places[1], places[2], places[3] })
   end)

   it('takes rows of any number of bytes, whose elements lie together or apart', function()
      local places = torch.LongTensor(90):random(1, 120)
      for _, class in ipairs { 'Byte', 'Short', 'Double' } do
         for _, cols in ipairs { 1, 2, 3, 5, 8, 13, 21, 40, 90 } do
            local together = torch.range(1, 120 * cols):fmod(100):type('torch.' .. class .. 'Tensor'):view(120, cols)
            local apart = torch[class .. 'Tensor'](120, cols, 2):fill(7):select(3, 1):copy(together)
            for _, x in ipairs { together, apart } do
               local taken = x:index(1, places)
               local into = torch[class .. 'Tensor'](90, cols, 2):fill(7)
               torch.index(into:select(3, 2), x, 1, places)
               local added = torch[class .. 'Tensor'](120, cols, 2):fill(1)
               added:select(3, 1):indexAdd(1, places:narrow(1, 1, 50), taken:narrow(1, 1, 50))
               local sums = torch.ones(120, cols)
               for i = 1, 90 do
                  assert.is_true(torch.equal(x[places[i]], taken[i]))
                  if i <= 50 then sums[places[i]]:add(taken[i]:double()) end
               end
               assert.is_true(torch.equal(taken, into:select(3, 2)))
               assert.equal(7 * 90 * cols, into:select(3, 1):double():sum())
               assert.is_true(torch.equal(sums:type('torch.' .. class .. 'Tensor'), added:select(3, 1)))
               assert.equal(120 * cols, added:select(3, 2):double():sum())
            end
         end
      end
   end)

   it('takes no places at all', function()
      local x = torch.DoubleTensor { 1, 2, 3 }
      assert.equal(0, x:index(1, torch.LongTensor()):nElement())
      x:indexFill(1, torch.LongTensor(), 7)
      assert.equal(6, x:sum())
   end)
end)
