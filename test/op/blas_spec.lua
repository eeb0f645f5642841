-- test/op/blas_spec.lua - products of matrices and vectors: call forms, layouts, gradients, large sizes, without BLAS.
local torch, opcheck = require 'torch', require 'test.support.opcheck'

local A, B = { { 1, 2, 3 }, { 4, 5, 6 } }, { { 1, 0 }, { 2, 1 }, { 0, 3 } }       -- 2x3 and 3x2
local M = { { 1, 1 }, { 2, 2 } }

opcheck.describe('mm', function(op)
   op.dtypes 'all'
   op.gives({ { 5, 11 }, { 14, 23 } }, A, B)
   op.gives({ { 2, 4 } }, { { 2 } }, { { 1, 2 } })
   op.refuses('b must have 3 rows, as many as a has columns, got sizes 2x3 and 2x3', A, A)
   op.refuses('a must have 2 dimensions, got size 3', { 1, 2, 3 }, B)
   op.grad({ { 0.5, -1, 2 }, { 1, 3, -2 } }, { { 1, 0.25 }, { -2, 1 }, { 0.5, 3 } })
   op.dtypes 'float'
   op.refuses('b must be a FloatTensor like a, got a DoubleTensor', A, opcheck.double(B))
end)

opcheck.describe('addmm', function(op)
   op.dtypes 'all'
   op.gives({ { 6, 12 }, { 16, 25 } }, M, A, B)
   op.gives({ { 11, 23 }, { 30, 48 } }, M, 2, A, B)
   op.gives({ { 13, 25 }, { 34, 52 } }, 3, M, 2, A, B)
   op.refuses('m must have the size of the product, 2x2, got 2x3', A, A, B)
   op.grad({ { 0.5, -1 }, { 2, 1 } }, 0.5, { { 0.5, -1, 2 }, { 1, 3, -2 } }, { { 1, 0.25 }, { -2, 1 }, { 0.5, 3 } })
end)

opcheck.describe('mv', function(op)
   op.dtypes 'all'
   op.gives({ 8, 20 }, A, { 1, 2, 1 })
   op.refuses('x must have 3 elements, as many as a has columns, got sizes 2x3 and 2', A, { 1, 2 })
   op.refuses('x must have 1 dimension, got size 3x2', A, B)
   op.grad({ { 0.5, -1, 2 }, { 1, 3, -2 } }, { 1, -2, 0.5 })
end)

opcheck.describe('addmv', function(op)
   op.dtypes 'all'
   op.gives({ 9, 22 }, { 1, 2 }, A, { 1, 2, 1 })
   op.gives({ 17, 42 }, { 1, 2 }, 2, A, { 1, 2, 1 })
   op.gives({ 19, 46 }, 3, { 1, 2 }, 2, A, { 1, 2, 1 })
   op.refuses('m must have the size of the product, 2, got 3', { 1, 2, 3 }, A, { 1, 2, 1 })
   op.grad(0.5, { 1, 2 }, 3, { { 0.5, -1, 2 }, { 1, 3, -2 } }, { 1, -2, 0.5 })
end)

opcheck.describe('ger', function(op)
   op.dtypes 'all'
   op.gives({ { 3, 4, 5 }, { 6, 8, 10 } }, { 1, 2 }, { 3, 4, 5 })
   op.refuses('u must have 1 dimension, got size 2x2', M, { 1, 2 })
   op.grad({ 1, -2 }, { 0.5, 2, 3 })
end)

opcheck.describe('addr', function(op)
   op.dtypes 'all'
   op.gives({ { 4, 5 }, { 8, 10 } }, M, { 1, 2 }, { 3, 4 })
   op.gives({ { 7, 9 }, { 14, 18 } }, M, 2, { 1, 2 }, { 3, 4 })
   op.gives({ { 9, 11 }, { 18, 22 } }, 3, M, 2, { 1, 2 }, { 3, 4 })
   op.refuses('m must have the size of the product, 2x3, got 2x2', M, { 1, 2 }, { 3, 4, 5 })
   op.grad(M, 2, { 1, -2 }, { 0.5, 2 })
end)

opcheck.describe('dot', function(op)
   op.dtypes 'all'
   op.gives(32, { 1, 2, 3 }, { 4, 5, 6 })
   op.gives(21 * 2, A, { { 2, 2 }, { 2, 2 }, { 2, 2 } })          -- shapes may differ, counts may not
   op.refuses('b must have as many elements as a, got sizes 3 and 2', { 1, 2, 3 }, { 4, 5 })
   op.grad({ 1, -2, 3 }, { 0.5, 2, 1 })
end)

opcheck.describe('bmm', function(op)
   op.dtypes 'all'
   op.gives({ { { 5, 11 }, { 14, 23 } }, { { 1, 2 }, { 4, 5 } } }, { A, A }, { B, { { 1, 0 }, { 0, 1 }, { 0, 0 } } })
   op.refuses('b must have 2 matrices like a, got size 1x3x2', { A, A }, { B })
   op.grad({ A, { { 0.5, -1, 2 }, { 1, 3, -2 } } }, { B, { { 1, 0.25 }, { -2, 1 }, { 0.5, 3 } } })
end)

opcheck.describe('baddbmm', function(op)
   op.dtypes 'all'
   op.gives({ { { 6, 12 }, { 16, 25 } }, { { 7, 13 }, { 17, 26 } } }, { M, { { 2, 2 }, { 3, 3 } } }, { A, A }, { B, B })
   op.gives({ { { 13, 25 }, { 34, 52 } } }, 3, { M }, 2, { A }, { B })
   op.grad({ M }, 2, { { { 0.5, -1, 2 }, { 1, 3, -2 } } }, { { { 1, 0.25 }, { -2, 1 }, { 0.5, 3 } } })
end)

opcheck.describe('addbmm', function(op)
   op.dtypes 'all'
   op.gives({ { 11, 23 }, { 30, 48 } }, M, { A, A }, { B, B })
   op.gives({ { 23, 47 }, { 62, 98 } }, 3, M, 2, { A, A }, { B, B })
   op.refuses('m must have the size of the product, 2x2, got 3x2', B, { A }, { B })
end)

-- ---- sizes that are cut into tiles ---------------------------------------------------------------------

-- Small whole numbers, so that every order of summation gives the same result.
local function numbers(kind, seed, ...)
   local t = torch[kind .. 'Tensor'](...)
   local p, s = t:storage(), seed
   for i = 1, t:nElement() do
      s = (s * 1103515245 + 12345) % 2147483648
      p[i] = math.floor(s / 65536) % 5 - 2
   end
   return t
end

-- Rows and columns of the product, by the definition, at a few places.
local function looks_right(y, a, b)
   local m, n, k = a:size(1), b:size(2), a:size(2)
   for q = 0, 40 do
      local i, j, sum = 1 + q * 37 % m, 1 + q * 53 % n, 0
      for l = 1, k do sum = sum + a[i][l] * b[l][j] end
      assert.are.equal(sum, y[i][j])
   end
end

describe('large products', function()
   for _, kind in ipairs { 'Float', 'Double', 'Int', 'Long', 'BFloat16' } do
      it('of ' .. kind .. 'Tensors are right in every layout', function()
         local m, n, k = 150, 301, 263
         if kind == 'BFloat16' then k = 60 end                   -- its sums stay below 2^8, where it holds whole numbers
         local a, b = numbers(kind, 1, m, k), numbers(kind, 2, k, n)
         local at, bt = numbers(kind, 1, k, m):t(), numbers(kind, 2, n, k):t()
         looks_right(torch.mm(a, b), a, b)
         looks_right(torch.mm(at, b), at, b)
         looks_right(torch.mm(a, bt), a, bt)
         looks_right(torch.mm(torch[kind .. 'Tensor'](n, m):t(), at, bt), at, bt)
         local every = numbers(kind, 3, m, 2 * k):unfold(2, 1, 2):select(3, 1)
         local gaps = torch[kind .. 'Tensor'](m, n, 2):select(3, 1)
         looks_right(torch.mm(gaps, every, b), every, b)
         local row = numbers(kind, 4, 1, k):expand(m, k)
         looks_right(torch.mm(row, b), row, b)
      end)
   end

   for _, kind in ipairs { 'Float', 'Double' } do
      it('of few rows or columns of ' .. kind .. 'Tensors are right in every layout', function()
         for q, m in ipairs { 1, 2, 3, 4, 5, 7, 8, 11, 15, 16, 31, 47, 48 } do
            local k, n = ({ 1, 3, 8, 129, 263, 520, 1031 })[q % 7 + 1], 1900 + q
            local a, b = numbers(kind, q, m, k), numbers(kind, q + 20, k, n)
            local at, bt = numbers(kind, q, k, m):t(), numbers(kind, q + 20, n, k):t()
            looks_right(torch.mm(a, b), a, b)
            looks_right(torch.mm(at, b), at, b)
            looks_right(torch.mm(a, bt), a, bt)
            looks_right(torch.mm(bt:t(), a:t()), bt:t(), a:t())
            looks_right(torch.mm(b:t(), at:t()), b:t(), at:t())
            local every = numbers(kind, 3, m, 2 * k):unfold(2, 1, 2):select(3, 1)
            local gaps = torch[kind .. 'Tensor'](m, n, 2):select(3, 1)
            looks_right(torch.mm(gaps, every, bt), every, bt)
            local wide = numbers(kind, q + 40, k, n + 5):narrow(2, 3, n)
            looks_right(torch.mm(torch[kind .. 'Tensor'](n, m):t(), a, wide), a, wide)
            local function twice(x)
               local one = x:view(1, x:size(1), x:size(2))
               return torch.cat(one, one, 1)
            end
            looks_right(torch.bmm(twice(a), twice(b))[2], a, b)
         end
      end)
   end

   it('of few rows add what they are to add, and read no result that counts nothing', function()
      local a, b = numbers('Float', 1, 3, 200), numbers('Float', 2, 150, 200):t()
      local c = numbers('Float', 3, 3, 150)
      local y = torch.mm(a, b)
      assert.is_true(torch.equal(torch.addmm(2, c, 3, a, b), torch.mul(c, 2):add(3, y)))
      assert.is_true(torch.equal(torch.addmm(c:clone():fill(0 / 0), 0, c, 1, a, b), y))
      local nan = a:clone()
      nan[2][7] = 0 / 0
      local z = torch.mm(nan, b)
      assert.is_true(torch.equal(z[1], y[1]))
      assert.is_true(torch.ne(z[2], z[2]):all())
   end)

   it('of a vector are those of a matrix of one row', function()
      for _, kind in ipairs { 'Float', 'Double' } do
         local x, a = numbers(kind, 4, 333), numbers(kind, 5, 333, 220)
         for _, m in ipairs { a:t(), a:t():contiguous() } do
            local y = torch.mv(m, x)
            assert.is_true(torch.equal(torch.mm(x:view(1, 333), m:t())[1], y))
            local c = numbers(kind, 6, 220)
            local gaps = numbers(kind, 6, 440):unfold(1, 1, 2):select(2, 1)
            assert.is_true(torch.equal(torch.addmv(2, c, 3, m, x), torch.mul(c, 2):add(3, y)))
            assert.is_true(torch.equal(torch.addmv(2, gaps, 3, m, x), torch.mul(gaps, 2):add(3, y)))
            assert.is_true(torch.equal(c:clone():addmv(2, 3, m, x), torch.mul(c, 2):add(3, y)))
            assert.is_true(torch.equal(torch.addmv(c:clone():fill(0 / 0), 0, c, 1, m, x), y))
            local far = numbers(kind, 4, 666):unfold(1, 1, 2):select(2, 1)
            assert.is_true(torch.equal(torch.mv(m, far), torch.mv(m, far:clone())))
         end
      end
   end)

   it('of few rows give the same bits with any number of threads, in both layouts', function()
      local before = torch.getnumthreads()
      for _, m in ipairs { 1, 2, 5, 20 } do
         local a, b = torch.FloatTensor(m, 777), torch.FloatTensor(777, 1000)
         local bt = torch.FloatTensor(1000, 777)
         for _, t in ipairs { a, b, bt } do
            for i = 1, t:nElement() do t:storage()[i] = math.sin(i) end
         end
         local first
         for n = 1, 5 do
            torch.setnumthreads(n)
            local y = torch.cat(torch.mm(a, b), torch.mm(a, bt:t()), 1)
            first = first or y
            assert.is_true(torch.equal(first, y))
         end
      end
      torch.setnumthreads(before)
   end)

   it('give the same bits with any number of threads', function()
      local before, results = torch.getnumthreads(), {}
      local a, b = torch.FloatTensor(300, 700), torch.FloatTensor(700, 520)
      for _, t in ipairs { a, b } do for i = 1, t:nElement() do t:storage()[i] = math.sin(i) end end
      for _, n in ipairs { 1, 2, 3 } do
         torch.setnumthreads(n)
         results[#results + 1] = { torch.mm(a, b):totable(), torch.mv(a, b:select(2, 3)):totable(), a:dot(a),
            torch.mm(a:double(), b:double()):totable(), torch.mm(a:half(), b:half()):totable() }
      end
      torch.setnumthreads(before)
      assert.same(results[1], results[2])
      assert.same(results[1], results[3])
   end)
end)

describe('products', function()
   it('with beta 0 do not read what they overwrite', function()
      local nan = 0 / 0
      local y = torch.DoubleTensor { { nan, nan }, { nan, nan } }
      y:addmm(0, 1, torch.DoubleTensor(A), torch.DoubleTensor(B))
      assert.same({ { 5, 11 }, { 14, 23 } }, y:totable())
      local v = torch.DoubleTensor { nan, nan }
      v:addmv(0, 1, torch.DoubleTensor(A), torch.DoubleTensor { 1, 2, 1 })
      assert.same({ 8, 20 }, v:totable())
   end)

   it('of no columns are beta times what is added to', function()
      local none = torch.DoubleTensor():resize(2, 0)
      assert.same({ { 0, 0 }, { 0, 0 } }, torch.mm(none, none:t()):totable())
      assert.same({ { 3, 3 }, { 6, 6 } }, torch.addmm(3, torch.DoubleTensor(M), none, none:t()):totable())
   end)

   it('of no columns whose steps no BLAS can read end too', function()
      local x = torch.ones(5, 2)
      local overlapping = torch.Tensor():set(x:storage(), 1, torch.LongStorage { 0, 6 }, torch.LongStorage { 2, 1 })
      assert.same(torch.ones(3, 6):mul(2):totable(), torch.ones(3, 6):addmm(2, 1, torch.Tensor(0, 3):t(), overlapping):totable())
      assert.same(torch.ones(6, 3):totable(), torch.ones(6, 3):addmm(1, overlapping:t(), torch.Tensor(0, 3)):totable())
   end)

   it('may read what they write: the operand is copied first', function()
      local x = torch.DoubleTensor(M)
      torch.mm(x, x, x)
      assert.same({ { 3, 3 }, { 6, 6 } }, x:totable())
      x = torch.DoubleTensor(M)
      x:addmm(x, x:t())
      assert.same({ { 3, 5 }, { 6, 10 } }, x:totable())
   end)

   it('are sums of products for sizes around those of panels and groups, whatever the strides', function()
      torch.manualSeed(1)
      -- rows, columns apart from each other, one within the other
      local forms = {
         function(new, m, n) return new(m, n) end, function(new, m, n) return new(n, m):t() end,
         function(new, m, n) return new(m, n + 3):narrow(2, 2, n) end,
         function(new, m, n) return new(m, 2 * n):view(m, n, 2):select(3, 2) end,
         function(new, m, n) return new(m + 1, 300 + n):narrow(1, 1, m):narrow(2, 200, n) end }
      local function check(kind, tolerance, m, n, k, batch)
         local function new(...) return torch[kind](...):uniform(-1, 1) end
         local function any(...)
            local form = forms[torch.random(#forms)]
            if not batch then return form(new, ...) end
            local list = {}
            for l = 1, batch do list[l] = form(new, ...):contiguous() end
            return torch.stack(list, 1)
         end
         local a, b, c = any(m, k), any(k, n), any(m, n)
         local alpha, beta = torch.random(2), torch.random(3) - 1
         if beta == 0 then c:fill(0 / 0) end
         local y = c:clone()
         if batch then torch.baddbmm(y, beta, y, alpha, a, b) else torch.addmm(y, beta, y, alpha, a, b) end
         for _ = 1, 10 do
            local i, q, l = torch.random(m), torch.random(n), torch.random(batch or 1)
            local function of(t) return batch and t[l] or t end
            local sum = of(a)[i]:double():dot(of(b):select(2, q):double())
            local wanted = (beta == 0 and 0 or beta * of(c)[i][q]) + alpha * sum
            assert.is_true(math.abs(of(y)[i][q] - wanted) < tolerance, ('%d x %d x %d'):format(m, n, k))
         end
      end
      for kind, tolerance in pairs { FloatTensor = 2e-3, DoubleTensor = 1e-11 } do
         for _ = 1, 100 do check(kind, tolerance, torch.random(14, 140), torch.random(14, 140), torch.random(14, 420)) end
         for _ = 1, 20 do
            check(kind, tolerance, torch.random(14, 70), torch.random(14, 70), torch.random(14, 70), torch.random(30))
         end
         check(kind, tolerance, 40, 600, 5000)
         check(kind, tolerance, 20, 6000, 200)
         check(kind, tolerance, 6000, 20, 200)
      end
   end)

   it('of whole numbers wrap around as additions do', function()
      local x = torch.ByteTensor { { 200, 100 } }
      assert.same({ { (200 * 200 + 100 * 100) % 256 } }, torch.mm(x, x:t()):totable())
      assert.are.equal((200 * 200 + 100 * 100) % 256, x:dot(x))
   end)

   it('are the same without a BLAS library', function()
      local script = os.tmpname()
      local f = assert(io.open(script, 'w'))
      f:write [[
         local torch = require 'torch'
         local a, b = torch.FloatTensor(70, 300), torch.FloatTensor(300, 90)
         for _, t in ipairs { a, b } do for i = 1, t:nElement() do t:storage()[i] = i % 7 - 3 end end
         local y = torch.mm(a, b)
         local s = 0
         for i = 1, y:nElement() do s = (s * 31 + y:storage()[i]) % 1000003 end
         print(s, require 'torch.lib'.C.th_blas_name() == nil)
      ]]
      f:close()
      local results = {}
      for _, blas in ipairs { 'TH_BLAS=none ', '' } do
         local lua = ("%s'%s' %s"):format(blas, os.getenv 'TH' or 'build/bin/th', script)
         local p = assert(io.popen(lua))
         results[#results + 1] = p:read '*a'
         p:close()
      end
      os.remove(script)
      assert.is_truthy(results[1]:find 'true')
      assert.are.equal(results[1]:match '^%d+', results[2]:match '^%d+')
   end)
end)
