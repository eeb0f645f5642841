-- test/op/extremum_spec.lua - max and min: of all elements, and along a dimension with their indices.
local torch, opcheck = require 'torch', require 'test.support.opcheck'

local nan, inf = 0 / 0, 1 / 0
local long, results = opcheck.long, opcheck.results
local matrix = { { 1, 5, 3 }, { 4, 2, 6 } }

opcheck.describe('max', function(op)
   op.dtypes 'all'
   op.gives(results({ { 4, 5, 6 } }, long { { 2, 1, 2 } }), matrix, 1)
   op.gives(results({ { 5 }, { 6 } }, long { { 2 }, { 3 } }), matrix, 2)
   op.gives(results({ 5, 6 }, long { 2, 3 }), matrix, 2, false)
   op.gives(results({ 3 }, long { 2 }), { 1, 3, 2, 3 }, 1)                    -- the first of equals
   op.gives(6, matrix)
   op.refuses('dim must lie in 1..2, got 3', matrix, 3)
   op.refuses('dim must lie in 1..2, got 0', matrix, 0)
   op.refuses('x must not be empty along dimension 1', {}, 1)
   op.dtypes 'floats'
   op.gives(results({ nan }, long { 2 }), { 1, nan, 3, nan }, 1)
   op.gives(results({ inf }, long { 3 }), { 1, -inf, inf }, 1)
   op.gives(nan, { nan, 1 })
   op.grad(matrix, 1)
   op.grad(matrix, 2, false)
   op.forms 'function method'
   op.refuses('x must have at least one element', {})
   op.dtypes 'long'
   op.gives(-5, { -5, -7 })
end)

opcheck.describe('min', function(op)
   op.dtypes 'all'
   op.gives(results({ { 1, 2, 3 } }, long { { 1, 2, 1 } }), matrix, 1)
   op.gives(results({ { 1 }, { 2 } }, long { { 1 }, { 2 } }), matrix, 2)
   op.gives(1, matrix)
   op.refuses('dim must lie in 1..2, got -3', matrix, -3)
   op.dtypes 'floats'
   op.gives(results({ nan }, long { 2 }), { 1, nan, 3 }, 1)
   op.gives(nan, { 1, nan })
   op.grad(matrix, 1)
end)

opcheck.describe('pick_grad', function(op)
   op.dtypes 'all'
   op.gives({ { 0, 7 }, { 8, 0 } }, { { 1, 2 }, { 3, 4 } }, 2, long { { 2 }, { 1 } }, { { 7 }, { 8 } })
   op.gives({ { 0, 7 }, { 8, 0 } }, { { 1, 2 }, { 3, 4 } }, 2, long { 2, 1 }, { 7, 8 })
   op.refuses('index must lie in 1..2, got 3 at place 2', { { 1, 2 }, { 3, 4 } }, 2, long { 2, 3 }, { 7, 8 })
   op.refuses('index must have the size of x, 2x2, without dimension 2 or with 1 there, got 3',
      { { 1, 2 }, { 3, 4 } }, 2, long { 1, 1, 1 }, { 7, 8, 9 })
end)

describe('max and min', function()
   it('find the first place in long lines and in columns, whatever the number of threads', function()
      local threads = torch.getnumthreads()
      for _, size in ipairs { { 1, 300000 }, { 300000, 1 }, { 500, 700 }, { 30000, 7 }, { 7, 30000 } } do
         local x = torch.FloatTensor(size[1], size[2])
         local s = x:storage()
         for i = 1, #s do s[i] = i * 7919 % 1021 end
         for dim = 1, 2 do
            for _, name in ipairs { 'max', 'min' } do
               local expected
               for n = 1, 3 do
                  torch.setnumthreads(n)
                  local v, i = x[name](x, dim)
                  assert.equal(0, v:dist(x:gather(dim, i)))
                  if not expected then
                     expected = i
                     for k = 1, math.min(20, x:size(3 - dim)) do
                        local line = x:select(3 - dim, k)
                        local best, place = line[1], 1
                        for p = 2, line:size(1) do
                           local e = line[p]
                           if name == 'max' and e > best or name == 'min' and e < best then best, place = e, p end
                        end
                        assert.equal(place, i:select(3 - dim, k)[1])
                     end
                  end
                  assert.equal(0, expected:ne(i):sum())
               end
            end
         end
      end
      torch.setnumthreads(threads)
   end)

   it('refuse results that share memory', function()
      local i = torch.LongTensor(3)
      local x = torch.LongTensor { { 1, 2, 3 } }
      assert.error_matches(function() torch.max(i, i, x, 1) end, 'max: y and index must not share memory')
   end)

   it('take the operand as result', function()
      local x = torch.DoubleTensor { { 1, 5 }, { 4, 2 } }
      torch.max(x, torch.LongTensor(), x, 1)
      assert.equal(4, x[1][1])
      assert.equal(5, x[1][2])
   end)

   it('of narrow columns is the first of equals, as of any', function()
      for _, class in ipairs { 'Byte', 'Half', 'Float', 'Double', 'Long' } do
         for _, cols in ipairs { 1, 2, 7, 10, 63, 64, 65 } do
            local x = torch[class .. 'Tensor'](1003, cols)
            local p = x:storage()
            for i = 1, #p do p[i] = i * 7919 % 1021 % 50 end
            if class == 'Float' and cols > 1 then x[900][2], x[700][2], x[1003][1] = 0 / 0, 0 / 0, 100 end
            for _, name in ipairs { 'max', 'min' } do
               local v, places = x[name](x, 1)
               for c = 1, cols do
                  local w, place = x[name](x:select(2, c):clone(), 1)
                  assert(places[1][c] == place[1] and (v[1][c] == w[1] or w[1] ~= w[1] and v[1][c] ~= v[1][c]),
                     ('%s of column %d of %d: place %d'):format(name, c, cols, places[1][c]))
               end
            end
         end
      end
   end)
end)
