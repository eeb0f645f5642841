-- test/op/order_spec.lua - sort, topk, kthvalue, median, mode.
local torch, opcheck = require 'torch', require 'test.support.opcheck'

local nan, inf = 0 / 0, 1 / 0
local long, results = opcheck.long, opcheck.results

opcheck.describe('sort', function(op)
   op.dtypes 'all'
   op.gives(results({ 1, 2, 3 }, long { 2, 3, 1 }), { 3, 1, 2 })
   op.gives(results({ 3, 2, 1 }, long { 1, 3, 2 }), { 3, 1, 2 }, true)
   op.gives(results({ { 1, 2 }, { 3, 4 } }, long { { 2, 1 }, { 1, 2 } }), { { 3, 2 }, { 1, 4 } }, 1)
   op.gives(results({ { 3, 2 }, { 4, 1 } }, long { { 1, 2 }, { 2, 1 } }), { { 3, 2 }, { 1, 4 } }, 2, true)
   op.gives(results({ 1, 1, 2, 2 }, long { 2, 4, 1, 3 }), { 2, 1, 2, 1 })                  -- equals in their order,
   op.gives(results({ 2, 2, 1, 1 }, long { 1, 3, 2, 4 }), { 2, 1, 2, 1 }, 1, true)         -- descending too
   op.refuses('dim must lie in 1..2, got 3', { { 1 } }, 3)
   op.refuses('dim must lie in 1..2, got 0', { { 1 } }, 0)
   op.dtypes 'floats'
   op.gives(results({ -inf, -1, 0, 2, inf, nan, nan }, long { 6, 4, 2, 1, 7, 3, 5 }), { 2, 0, nan, -1, nan, -inf, inf })
   op.gives(results({ inf, 2, 0, -1, -inf, nan, nan }, long { 7, 1, 2, 4, 6, 3, 5 }),
      { 2, 0, nan, -1, nan, -inf, inf }, true)
   op.gives(results({ 0, -0, 0 }, long { 1, 2, 3 }), { 0, -0, 0 })
   op.grad({ { 3, 1, 2 } })
   op.dtypes 'signed'
   op.gives(results({ -3, -1, 0, 2 }, long { 4, 2, 1, 3 }), { 0, -1, 2, -3 })
   op.dtypes 'byte'
   op.gives(results({ 0, 127, 128, 255 }, long { 3, 4, 2, 1 }), { 255, 128, 0, 127 })
end)

opcheck.describe('topk', function(op)
   op.dtypes 'all'
   op.gives(results({ 1, 2 }, long { 4, 3 }), { 5, 3, 2, 1 }, 2, 1, false, true)
   op.gives(results({ 5, 3 }, long { 1, 2 }), { 5, 3, 2, 1 }, 2, 1, true, true)
   op.gives(results({ 1, 2 }, long { 4, 3 }), { 5, 3, 2, 1 }, 2)                            -- as Torch7 leaves them
   op.gives(results({ 2, 3, 5 }, long { 3, 2, 1 }), { 5, 3, 2, 1 }, 3, 1, true)
   op.gives(results({ 1 }, long { 4 }), { 5, 3, 2, 1 })
   op.gives(results({ 1, 3, 3 }, long { 2, 1, 3 }), { 3, 1, 3, 3 }, 3)
   op.gives(results({ 1, 3, 3 }, long { 2, 1, 3 }), { 3, 1, 3, 3 }, 3, 1, false, true)      -- of equals the first
   op.gives(results({ { 1, 2 } }, long { { 2, 1 } }), { { 3, 2 }, { 1, 4 } }, 1, 1)
   op.refuses('k must lie in 1..2, the size along dimension 2, got 3', { { 1, 2 } }, 3)
   op.refuses('k must lie in 1..2, the size along dimension 2, got 0', { { 1, 2 } }, 0)
   op.refuses('k must lie in 1..1, the size along dimension 1, got -1', { { 1, 2 } }, -1, 1)
   op.refuses('dim must lie in 1..2, got 3', { { 1, 2 } }, 1, 3)
   op.refuses('k must lie in 1..0', {}, 1)
   op.dtypes 'floats'
   op.gives(results({ 3, 2, nan }, long { 2, 3, 1 }), { nan, 3, 2 }, 3, 1, true, true)
   op.grad({ { 3, 1, 2 } }, 2)
end)

opcheck.describe('kthvalue', function(op)
   op.dtypes 'all'
   op.gives(results({ 2 }, long { 3 }), { 5, 3, 2, 1 }, 2)
   op.gives(results({ { 3, 4 } }, long { { 1, 2 } }), { { 3, 2 }, { 1, 4 } }, 2, 1)
   op.gives(results({ 7 }, long { 3 }), { 7, 8, 7, 7 }, 2)                                  -- as a stable sort has it
   op.refuses('k must lie in 1..2, the size along dimension 2, got 3', { { 1, 2 } }, 3)
   op.refuses('k must lie in 1..2, the size along dimension 2, got 0', { { 1, 2 } }, 0)
   op.refuses('dim must lie in 1..2, got 4', { { 1, 2 } }, 1, 4)
   op.grad({ { 3, 1, 2 } }, 2)
end)

opcheck.describe('median', function(op)
   op.dtypes 'all'
   op.gives(results({ 2 }, long { 3 }), { 5, 3, 2, 1 })                                     -- the lower of two
   op.gives(results({ 3 }, long { 2 }), { 5, 3, 2 })
   op.gives(results({ { 1, 2 } }, long { { 2, 1 } }), { { 3, 2 }, { 1, 4 } }, 1)
   op.refuses('dim must lie in 1..2, got 3', { { 1, 2 } }, 3)
   op.refuses('x must not be empty along dimension 1', {})
   op.dtypes 'floats'
   op.gives(results({ 2 }, long { 3 }), { nan, 1, 2 })
   op.grad({ { 3, 1, 2 } })
end)

opcheck.describe('mode', function(op)
   op.dtypes 'all'
   op.gives(results({ 3 }, long { 1 }), { 3, 1, 3, 2, 3 })
   op.gives(results({ 1 }, long { 2 }), { 3, 1, 3, 1 })                                -- the smaller of equally many
   op.gives(results({ { 1 }, { 2 } }, long { { 1 }, { 1 } }), { { 1, 1 }, { 2, 2 } }, 2)
   op.refuses('dim must lie in 1..2, got 3', { { 1, 2 } }, 3)
   op.refuses('x must not be empty along dimension 1', {})
end)

describe('sorting', function()
   -- The order that Lua's sort finds, with the place as the last resort.
   local function places(line, descending)
      local order, v = {}, {}
      for i = 1, line:size(1) do order[i], v[i] = i, line[i] end
      table.sort(order, function(a, b)
         if v[a] ~= v[b] then
            if descending then return v[a] > v[b] end
            return v[a] < v[b]
         end
         return a < b
      end)
      return order
   end

   it('is stable at every length, for every type', function()
      for _, class in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double' } do
         for _, n in ipairs { 1, 2, 23, 24, 25, 49, 100, 767, 768, 3000 } do
            local x = torch[class .. 'Tensor'](n)
            local s = x:storage()
            for i = 1, n do s[i] = i * 7919 % 1021 % 101 + (class == 'Byte' and 0 or -50) end
            for _, descending in ipairs { false, true } do
               local v, index = x:sort(1, descending)
               local expected = places(x, descending)
               for i = 1, n do
                  if expected[i] ~= index[i] or v[i] ~= x[index[i]] then
                     error(('%s, %d elements: place %d holds %d, not %d'):format(class, n, i, index[i], expected[i]))
                  end
               end
            end
            local expected = places(x, false)
            for _, k in ipairs { 1, math.ceil(n / 3), n } do
               local v, index = x:kthvalue(k)
               assert.equal(expected[k], index[1])
               assert.equal(x[expected[k]], v[1])
               local top = select(2, x:topk(k, 1, false, true))
               for i = 1, k do assert.equal(expected[i], top[i]) end
            end
         end
      end
   end)

   it('is the same for lines side by side and one by one, NaN, -0 and ties included', function()
      local function same(got, wanted, what)
         for i = 1, wanted:size(1) do
            local a, b = got[i], wanted[i]
            if not (a == b and 1 / a == 1 / b or a ~= a and b ~= b) then
               error(('%s: place %d holds %g, not %g'):format(what, i, a, b))
            end
         end
      end
      local odd = { 0 / 0, -0.0, 0, 1 / 0, -1 / 0 }
      for _, class in ipairs { 'Byte', 'Short', 'Int', 'Half', 'Float', 'Double' } do
         for _, n in ipairs { 2, 10, 33, 100, 192, 193 } do
            local x = torch[class .. 'Tensor'](n, 21)
            local s = x:storage()
            for i = 1, n * 21 do
               local v = i * 7919 % 1021 % (n + 3)
               s[i] = (class == 'Half' or class == 'Float' or class == 'Double') and odd[v + 1] or v
            end
            local k = math.ceil(n / 3)
            for _, dim in ipairs { 1, 2 } do
               local m = dim == 1 and x or x:t():contiguous()
               local results = {
                  sort = { m:sort(dim, true) }, topk = { m:topk(k, dim, true) }, kthvalue = { m:kthvalue(k, dim) },
                  median = { m:median(dim) }, mode = { m:mode(dim) },
               }
               for c = 1, 21, 4 do
                  local line = x:select(2, c):clone()
                  local alone = {
                     sort = { line:sort(1, true) }, topk = { line:topk(k, 1, true) }, kthvalue = { line:kthvalue(k) },
                     median = { line:median() }, mode = { line:mode() },
                  }
                  for name, r in pairs(results) do
                     for i = 1, 2 do
                        same(r[i]:select(3 - dim, c), alone[name][i], ('%s of %s, %d along %d'):format(name, class, n, dim))
                     end
                  end
               end
            end
         end
      end
   end)

   it('leaves what topk does not sort in the order of x in lines of more than 32 elements', function()
      for _, n in ipairs { 33, 200, 70000 } do
         local x = torch.range(n, 1, -1)
         for _, largest in ipairs { false, true } do
            local _, places = x:topk(20, 1, largest)
            assert.same(torch.range(largest and 1 or n - 19, largest and 20 or n):totable(), places:totable())
         end
      end
   end)

   it('of a long line is the same for any number of threads, and stable', function()
      local threads = torch.getnumthreads()
      for _, class in ipairs { 'Byte', 'Half', 'Float', 'Double', 'Long' } do
         local x = torch[class .. 'Tensor'](140001)
         local p = x:storage()
         for i = 1, #p do p[i] = i * 7919 % 1021 % 101 end
         local counts = {}
         for i = 1, #p do counts[p[i]] = (counts[p[i]] or 0) + 1 end
         for _, k in ipairs { 1, 3 } do
            torch.setnumthreads(k)
            local v, index = x:sort()
            local a, b = v:storage(), index:storage()
            local at = 1
            for key = 0, 100 do
               local last = 0
               for _ = 1, counts[key] do
                  assert(a[at] == key and p[b[at]] == key and b[at] > last, 'not in order')
                  at, last = at + 1, b[at]
               end
            end
            for _, place in ipairs { 1, 2, 70000, 140001 } do
               local value, where = x:kthvalue(place)
               assert(value[1] == a[place] and where[1] == b[place])
               local most, places = x:topk(place, 1, false, true)
               assert.equal(0, most:ne(v:narrow(1, 1, place)):sum() + places:ne(index:narrow(1, 1, place)):sum())
               local set = x:topk(place)
               assert.near(v:narrow(1, 1, place):double():sum(), set:double():sum(), 1e-6)
            end
            local value, where = x:mode()
            local most = 0
            for key = 1, 100 do if counts[key] > counts[most] then most = key end end
            assert(value[1] == most and p[where[1]] == most)
         end
         torch.setnumthreads(threads)
      end
   end)

   it('works along any dimension of a large tensor, for any number of threads', function()
      local threads = torch.getnumthreads()
      local x = torch.FloatTensor(300, 200):uniform(-1, 1)
      for dim = 1, 2 do
         torch.setnumthreads(1)
         local v, i = x:sort(dim)
         torch.setnumthreads(3)
         local v2, i2 = x:sort(dim)
         torch.setnumthreads(threads)
         assert.equal(0, v:ne(v2):sum() + i:ne(i2):sum())
         assert.equal(0, v:ne(x:gather(dim, i)):sum())
         assert.equal(0, v:narrow(dim, 1, x:size(dim) - 1):gt(v:narrow(dim, 2, x:size(dim) - 1)):sum())
      end
   end)

   it('may write over its operand, but not both results into one', function()
      local x = torch.LongTensor { 3, 1, 2 }
      torch.sort(x, torch.LongTensor(), x)
      assert.same({ 1, 2, 3 }, { x[1], x[2], x[3] })
      assert.error_matches(function() torch.sort(x, x, torch.LongTensor { 2, 1 }) end,
         'y and index must not share memory')
   end)

   it('of nothing is nothing, of a single number that number', function()
      local v, i = torch.DoubleTensor():sort()
      assert.equal(0, v:nElement() + i:nElement())
      v, i = torch.DoubleTensor { 4 }:sum(1, false):sort()
      assert.equal(4, v:sum())
      assert.equal(1, i:sum())
   end)
end)
