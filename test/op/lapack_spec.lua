-- test/op/lapack_spec.lua - equations, eigenvalues, singular values and factorisations.
local torch, opcheck = require 'torch', require 'test.support.opcheck'

local vector, wide, square = { 1, 2 }, { { 1, 2, 3 }, { 4, 5, 6 } }, { { 3, 1 }, { 4, 2 } }
local q, r = { { -0.6, -0.8 }, { -0.8, 0.6 } }, { { -5, -2.2 }, { 0, 0.4 } }              -- of square
local factors, tau = { { -5, -2.2 }, { 0.5, 0.4 } }, { 1.6, 0 }
local KINDS = 'float double'
local WHOLE = ' must be a tensor of type Float, Double, got a LongTensor'

-- ---- equations -------------------------------------------------------------------------------------

opcheck.describe('gesv', function(op)
   op.dtypes(KINDS)
   local a, lu = { { 2, 1 }, { 4, 5 } }, { { 4, 5 }, { 0.5, -1.5 } }
   op.gives(opcheck.results({ { 1, 0 }, { 2, 1 } }, lu), { { 4, 1 }, { 14, 5 } }, a)
   op.gives(opcheck.results({ { 1 }, { 2 } }, lu), { 4, 14 }, a)
   op.refuses('the matrix a is singular: pivot 2 is 0', { { 1 }, { 1 } }, { { 1, 2 }, { 2, 4 } })
   op.refuses('a must be a square matrix, got size 2x3', { { 1 }, { 1 } }, wide)
   op.refuses('a must have 2 dimensions, got size 2', { { 1 }, { 1 } }, vector)
   op.refuses('b must have 2 rows, as many as a, got size 3', { 1, 2, 3 }, a)
   op.refuses('b must have 1 to 2 dimensions, got size 1x1x2', { { { 1, 2 } } }, a)
   op.refuses('a must have 2 dimensions, got size empty', { 1, 2, 3 }, {})
   op.dtypes 'float'
   op.refuses('b must be a FloatTensor like a, got a DoubleTensor', opcheck.double { 4, 14 }, a)
   op.dtypes 'long'
   op.refuses('b' .. WHOLE, { 4, 14 }, a)
end)

opcheck.describe('gels', function(op)
   op.dtypes(KINDS)
   op.gives(opcheck.results({ { 1 }, { 2 } }, factors), { { 5 }, { 8 } }, square)
   local tall = { { 1, 0 }, { 0, 1 }, { 0, 0 } }
   op.gives(opcheck.results({ { 1 }, { 2 } }, tall), { 1, 2, 3 }, tall)
   op.gives(opcheck.results({ { 0 }, { 5 } }, { { -1, 1 } }), { 5 }, { { 0, 1 } })
   op.refuses('a does not have full rank: element 2 on the diagonal of its triangular factor is 0', vector,
      { { 1, 0 }, { 0, 0 } })
   op.refuses('b must have 2 rows, as many as a, got size 3', { 1, 2, 3 }, wide)
   op.refuses('a must have 2 dimensions, got size 2', { 1, 2 }, vector)
   op.dtypes 'long'
   op.refuses('b' .. WHOLE, { 4, 14 }, square)
end)

opcheck.describe('trtrs', function(op)
   op.dtypes(KINDS)
   local a = { { 2, 1 }, { 0, 4 } }
   op.gives(opcheck.results({ { 1 }, { 2 } }, a), { { 4 }, { 8 } }, a)
   op.gives(opcheck.results({ { 1 }, { 2 } }, a), { 4, 8 }, a, 'U', 'N', 'N')
   op.gives(opcheck.results({ { 2 }, { 2 } }, a), { 4, 8 }, a, 'L')
   op.gives(opcheck.results({ { 2 }, { 1.5 } }, a), { 4, 8 }, a, 'U', 'T')
   op.gives(opcheck.results({ { -4 }, { 8 } }, a), { 4, 8 }, a, 'U', 'N', 'U')
   op.refuses('the matrix a is singular: element 2 on its diagonal is 0', { 4, 8 }, { { 2, 1 }, { 0, 0 } })
   op.refuses("uplo must be 'U' or 'L', got 'u'", { 4, 8 }, a, 'u')
   op.refuses("trans must be 'N' or 'T', got 'C'", { 4, 8 }, a, 'U', 'C')
   op.refuses("diag must be 'N' or 'U', got ''", { 4, 8 }, a, 'U', 'N', '')
   op.refuses('b must have 2 rows, as many as a, got size 1', { 4 }, a)
   op.refuses('a must be a square matrix, got size 2x3', { 4, 8 }, wide)
end)

opcheck.describe('inverse', function(op)
   op.dtypes(KINDS)
   op.gives({ { 1, -1 }, { -1, 2 } }, { { 2, 1 }, { 1, 1 } })
   op.gives({ { 0, 0.25 }, { 0.5, 0 } }, { { 0, 2 }, { 4, 0 } })
   op.gives({ { 0.25 } }, { { 4 } })
   op.refuses('inverse: the matrix is singular: pivot 3 is 0', { { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 } })
   op.refuses('a must be a square matrix, got size 2x3', wide)
   op.refuses('a must have 2 dimensions, got size 2', vector)
   op.grad { { 2, 1 }, { 0.5, -3 } }
   op.dtypes 'byte int long half'
   op.refuses('a must be a tensor of type Float, Double, got a ', { { 2, 1 }, { 1, 1 } })
end)

-- ---- eigenvalues and singular values ---------------------------------------------------------------

opcheck.describe('symeig', function(op)
   op.dtypes(KINDS)
   op.gives(opcheck.results({ 1, 3 }, {}), { { 2, 1 }, { 1, 2 } })
   op.gives(opcheck.results({ 1, 3 }, {}), { { 2, 1 }, { 99, 2 } }, 'N', 'U')
   op.gives(opcheck.results({ 1, 3 }, {}), { { 2, 0 / 0 }, { 1, 2 } }, 'N', 'L')
   op.gives(opcheck.results({ 1, 3 }, opcheck.any), { { 2, 1 }, { 1, 2 } }, 'V')
   op.refuses('a must be finite, got nan in row 1, column 2', { { 2, 0 / 0 }, { 1, 2 } })
   op.refuses("vectors must be 'N' or 'V', got 'X'", { { 2, 1 }, { 1, 2 } }, 'X')
   op.refuses("uplo must be 'U' or 'L', got 'UL'", { { 2, 1 }, { 1, 2 } }, 'N', 'UL')
   op.refuses('a must be a square matrix, got size 2x3', wide)
   op.dtypes 'long'
   op.refuses('a' .. WHOLE, { { 2, 1 }, { 1, 2 } })
end)

opcheck.describe('eig', function(op)
   op.dtypes(KINDS)
   op.gives(opcheck.results({ { 2, 0 }, { 3, 0 } }, {}), { { 2, 1 }, { 0, 3 } })
   op.gives(opcheck.results({ { 0, 1 }, { 0, -1 } }, {}), { { 0, -1 }, { 1, 0 } }, 'N')
   op.gives(opcheck.results({ { 2, 0 }, { 3, 0 } }, opcheck.any), { { 2, 1 }, { 0, 3 } }, 'V')
   op.refuses('a must be finite, got -inf in row 2, column 1', { { 2, 0 }, { -1 / 0, 2 } })
   op.refuses("vectors must be 'N' or 'V', got 'n'", { { 2, 1 }, { 1, 2 } }, 'n')
   op.refuses('a must be a square matrix, got size 2x3', wide)
end)

opcheck.describe('svd', function(op)
   op.dtypes(KINDS)
   op.gives(opcheck.results(opcheck.any, { 3, 2 }, opcheck.any), { { 0, 2 }, { 3, 0 } })
   op.gives(opcheck.results(opcheck.any, { 5 }, opcheck.any), { { 3, 4 } }, 'A')
   op.gives(opcheck.results({ { 1 } }, { 2 }, { { 1 } }), { { 2 } })
   op.refuses('a must be finite, got inf in row 1, column 2', { { 2, 1 / 0 }, { 1, 2 } })
   op.refuses("size must be 'S' or 'A', got 'N'", wide, 'N')
   op.refuses('a must have 2 dimensions, got size 2', vector)
end)

-- ---- Cholesky ----------------------------------------------------------------------------------------

opcheck.describe('potrf', function(op)
   op.dtypes(KINDS)
   op.gives({ { 2, 1 }, { 0, 2 } }, { { 4, 2 }, { 77, 5 } })
   op.gives({ { 2, 0 }, { 1, 2 } }, { { 4, 77 }, { 2, 5 } }, 'L')
   op.refuses('the matrix is not positive definite: its leading minor of order 2 is not', { { 1, 2 }, { 2, 1 } })
   op.refuses("uplo must be 'U' or 'L', got 'V'", { { 4, 2 }, { 2, 5 } }, 'V')
   op.refuses('a must be a square matrix, got size 2x3', wide)
end)

opcheck.describe('potri', function(op)
   op.dtypes(KINDS)
   op.gives({ { 0.3125, -0.125 }, { -0.125, 0.25 } }, { { 2, 1 }, { 77, 2 } })
   op.gives({ { 0.3125, -0.125 }, { -0.125, 0.25 } }, { { 2, 77 }, { 1, 2 } }, 'L')
   op.refuses('the factor chol is singular: element 2 on the diagonal is 0', { { 2, 1 }, { 0, 0 } })
   op.refuses('chol must be a square matrix, got size 2x3', wide)
   op.refuses("uplo must be 'U' or 'L', got 'X'", { { 2, 1 }, { 0, 2 } }, 'X')
end)

opcheck.describe('potrs', function(op)
   op.dtypes(KINDS)
   op.gives({ { 1, 0 }, { 2, 1 } }, { { 8, 2 }, { 12, 5 } }, { { 2, 1 }, { 0, 2 } })
   op.gives({ { 1 }, { 2 } }, { 8, 12 }, { { 2, 77 }, { 1, 2 } }, 'L')
   op.refuses('the factor chol is singular: element 1 on the diagonal is 0', { 8, 12 },
      { { 0, 1 }, { 0, 2 } })
   op.refuses('b must have 2 rows, as many as chol, got size 3', { 1, 2, 3 }, { { 2, 1 }, { 0, 2 } })
   op.refuses("uplo must be 'U' or 'L', got 'N'", { 8, 12 }, { { 2, 1 }, { 0, 2 } }, 'N')
end)

opcheck.describe('pstrf', function(op)
   op.dtypes(KINDS)
   local a, piv = { { 5, 4 }, { 4, 16 } }, opcheck.int { 2, 1 }
   op.gives(opcheck.results({ { 4, 1 }, { 0, 2 } }, piv), a)
   op.gives(opcheck.results({ { 4, 0 }, { 1, 2 } }, piv), a, 'L')
   op.gives(opcheck.results({ { 4, 1 }, { 0, 2 } }, piv), a, 'U', 3.5)
   op.refuses('the matrix is not positive definite: only 1 of 2 pivots are above tol', a, 'U', 4.5)
   op.refuses('the matrix is not positive definite: only 1 of 2 pivots are above tol', { { 1, 2 }, { 2, 4 } })
   op.refuses('tol must be a number, got nan', a, 'U', 0 / 0)
   op.refuses('a must be finite, got nan in row 2, column 2', { { 1, 2 }, { 2, 0 / 0 } })
   op.refuses("uplo must be 'U' or 'L', got 'T'", a, 'T')
   op.refuses('a must be a square matrix, got size 2x3', wide)
end)

-- ---- QR ------------------------------------------------------------------------------------------------

opcheck.describe('qr', function(op)
   op.dtypes(KINDS)
   op.gives(opcheck.results(q, r), square)
   op.gives(opcheck.results({ { 1 } }, { { 2, 3 } }), { { 2, 3 } })
   op.gives(opcheck.results({ { -0.6 }, { -0.8 } }, { { -5 } }), { { 3 }, { 4 } })
   op.refuses('a must have 2 dimensions, got size 2', vector)
   op.dtypes 'long'
   op.refuses('a' .. WHOLE, square)
end)

opcheck.describe('geqrf', function(op)
   op.dtypes(KINDS)
   op.gives(opcheck.results(factors, tau), square)
   op.refuses('a must have 2 dimensions, got size 2', vector)
end)

opcheck.describe('orgqr', function(op)
   op.dtypes(KINDS)
   op.gives(q, factors, tau)
   op.gives({ { -0.6 }, { -0.8 } }, factors, { 1.6 })
   op.refuses('tau must have at most 2 elements, as many as m of size 2x3 can have reflectors, got 3', wide,
      { 1, 2, 3 })
   op.refuses('tau must have 1 dimension, got size 2x2', factors, q)
   op.refuses('m must have 2 dimensions, got size 2', vector, tau)
end)

opcheck.describe('ormqr', function(op)
   op.dtypes(KINDS)
   op.gives({ { -0.6 }, { -0.8 } }, factors, tau, { { 1 }, { 0 } })
   op.gives({ { -2.2 }, { 0.4 } }, factors, tau, { { 1 }, { 2 } }, 'L', 'T')
   op.gives({ { -2.2, 0.4 } }, factors, tau, { { 1, 2 } }, 'R')
   op.gives({ { -2.2, 0.4 } }, factors, tau, { { 1, 2 } }, 'R', 'T')
   op.refuses('c must have 2 rows, as many as m has rows, got size 1x2', factors, tau, { { 1, 2 } })
   op.refuses('c must have 2 columns, as many as m has rows, got size 2x1', factors, tau, { { 1 }, { 2 } }, 'R')
   op.refuses("side must be 'L' or 'R', got 'U'", factors, tau, square, 'U')
   op.refuses("trans must be 'N' or 'T', got 'X'", factors, tau, square, 'L', 'X')
   op.refuses('c must have 2 dimensions, got size 2', factors, tau, vector)
end)

-- ---- what the parts make together, for sizes at which LAPACK works in blocks --------------------------------

local function random(kind, rows, cols)
   local t = torch.Tensor(rows, cols)
   local state, s = rows * 1000 + cols, t:storage()
   for i = 1, #s do
      state = (state * 16807) % 2147483647
      s[i] = state / 2147483647 - 0.5
   end
   return t:type('torch.' .. kind .. 'Tensor')
end

local function eye(n, like) return torch.eye(n):typeAs(like) end
local function apart(a, b) return (a - b):abs():max() end
local function positive(kind, n)
   local a = random(kind, n, n)
   return torch.mm(a, a:t()) + eye(n, a)
end

for kind, eps in pairs { Float = 2e-4, Double = 1e-11 } do
   local function near(a, b) assert.is_true(apart(a, b) < eps, apart(a, b)) end
   local function orthonormal(u) near(torch.mm(u:t(), u), eye(u:size(2), u)) end

   describe('of a ' .. kind .. 'Tensor', function()
      for _, n in ipairs { 1, 5, 150 } do
         local size = (' (%d)'):format(n)
         it('gesv, inverse, trtrs and potrs solve what they were given' .. size, function()
            local a, b = random(kind, n, n) + eye(n, random(kind, 1, 1)) * n, random(kind, n, 3)
            near(torch.mm(a, (torch.gesv(b, a))), b)
            near(torch.mm(a, torch.inverse(a)), eye(n, a))
            near(torch.mm(torch.triu(a), (torch.trtrs(b, a))), b)
            near(torch.mm(torch.tril(a):t(), (torch.trtrs(b, a, 'L', 'T'))), b)
            local p = positive(kind, n)
            near(torch.mm(p, torch.potrs(b, torch.potrf(p, 'L'), 'L')), b)
            near(torch.mm(p, torch.potri(torch.potrf(p))), eye(n, a))
         end)
         it('gels leaves a rest that is orthogonal to all columns, or finds the shortest solution' .. size, function()
            local tall, b = random(kind, 2 * n, n), random(kind, 2 * n, 2)
            near(torch.mm(tall:t(), torch.mm(tall, (torch.gels(b, tall))) - b), tall.new(n, 2):zero())
            local low, b2 = random(kind, n, 2 * n), random(kind, n, 2)
            local x = torch.gels(b2, low)
            near(torch.mm(low, x), b2)
            local y = torch.mm(low:t(), (torch.gesv(b2, torch.mm(low, low:t()))))    -- in the span of the rows
            assert.is_true(apart(x, y) < 1e4 * eps)
         end)
         it('potrf and pstrf give factors of the matrix' .. size, function()
            local p = positive(kind, n)
            local u, l = torch.potrf(p), torch.potrf(p, 'L')
            near(torch.mm(u:t(), u), p)
            near(l, u:t())
            local v, piv = torch.pstrf(p)
            local places = piv:long()
            near(torch.mm(v:t(), v), p:index(1, places):index(2, places))
         end)
         it('symeig gives orthonormal vectors that a only stretches' .. size, function()
            local p = positive(kind, n)
            for _, uplo in ipairs { 'U', 'L' } do
               local e, v = torch.symeig(uplo == 'U' and torch.triu(p) or torch.tril(p), 'V', uplo)
               near(torch.mm(p, v), torch.mm(v, torch.diag(e)))
               orthonormal(v)
               near(e, (torch.symeig(p)))
               for i = 2, n do assert.is_true(e[i - 1] <= e[i]) end
            end
         end)
         it('eig gives pairs of values and vectors, complex ones too' .. size, function()
            local a = random(kind, n, n)
            local e, v = torch.eig(a, 'V')
            local av, k = torch.mm(a, v), 1
            while k <= n do
               local re, im, x = e[k][1], e[k][2], v:select(2, k)
               if im == 0 then
                  near(av:select(2, k), x * re)
                  k = k + 1
               else                                                 -- a (x + iy) = (re + i im) (x + iy)
                  local y = v:select(2, k + 1)
                  near(av:select(2, k), x * re - y * im)
                  near(av:select(2, k + 1), x * im + y * re)
                  k = k + 2
               end
            end
            assert.is_true(math.abs(e:select(2, 1):sum() - torch.trace(a)) < eps * n)
         end)
         it('svd, thin and full, tall and wide, gives the matrix back' .. size, function()
            local tall = random(kind, 3 * n, n)
            for _, a in ipairs { random(kind, n + 7, n), random(kind, n, n + 7), random(kind, n, n), tall:t() } do
               local k = math.min(a:size(1), a:size(2))
               for _, job in ipairs { 'S', 'A' } do
                  local u, s, v = torch.svd(a, job)
                  assert.same({ a:size(1), job == 'A' and a:size(1) or k }, u:size():totable())
                  assert.same({ a:size(2), job == 'A' and a:size(2) or k }, v:size():totable())
                  orthonormal(u)
                  orthonormal(v)
                  near(torch.mm(torch.mm(u:narrow(2, 1, k), torch.diag(s)), v:narrow(2, 1, k):t()), a)
                  assert.is_true(s:min() >= 0)
                  for i = 2, k do assert.is_true(s[i - 1] >= s[i]) end
               end
            end
         end)
         it('qr and geqrf with orgqr and ormqr agree' .. size, function()
            for _, a in ipairs { random(kind, n + 7, n), random(kind, n, n + 7), random(kind, n, n) } do
               local k = math.min(a:size(1), a:size(2))
               local one, two = torch.qr(a)
               near(torch.mm(one, two), a)
               orthonormal(one)
               assert.are.equal(0, torch.tril(two, -1):abs():max())
               local m, t = torch.geqrf(a)
               near(torch.orgqr(m, t), one)
               near(torch.triu(m:narrow(1, 1, k)), two)
               local c = random(kind, a:size(1), 4)
               local qc = torch.ormqr(m, t, c)
               near(torch.ormqr(m, t, qc, 'L', 'T'), c)
               near(torch.ormqr(m, t, c, 'L', 'T'):narrow(1, 1, k), torch.mm(one:t(), c))
               near(torch.ormqr(m, t, c:t(), 'R', 'T'), qc:t())
               near(torch.ormqr(m, t, c:t(), 'R'), torch.ormqr(m, t, c, 'L', 'T'):t())
            end
         end)
      end
   end)
end

describe('LAPACK', function()
   local function refuses(text, f, ...)
      local ok, err = pcall(f, ...)
      assert.is_false(ok)
      assert.truthy(tostring(err):find(text, 1, true), tostring(err))
   end

   it('gives the same bits with any number of threads', function()
      local before, results = torch.getnumthreads(), {}
      local a, p, b = random('Float', 150, 150), positive('Float', 150), random('Float', 150, 20)
      for _, n in ipairs { 1, 2, 3, 4, 8 } do
         torch.setnumthreads(n)
         local e, v = torch.symeig(p, 'V')
         local u, s, w = torch.svd(a)
         local found = { torch.inverse(a), torch.potrf(p), e, v, u, s, w, (torch.gesv(b, a)), (torch.gels(b, a)),
            (torch.eig(a)), torch.qr(a) }
         for i, t in ipairs(found) do found[i] = t:totable() end
         results[#results + 1] = found
      end
      torch.setnumthreads(before)
      for i = 2, #results do assert.same(results[1], results[i]) end
   end)

   it('may write over what it reads', function()
      local a, b = torch.Tensor { { 2, 1 }, { 4, 5 } }, torch.Tensor { { 4 }, { 14 } }
      assert.are.equal(b, (torch.gesv(b, a, b, a)))
      assert.same({ { 1 }, { 2 } }, b:totable())
      assert.same({ { 4, 5 }, { 0.5, -1.5 } }, a:totable())
      local x = torch.Tensor { { 2, 1 }, { 1, 1 } }
      torch.inverse(x, x:t())
      assert.is_true(apart(x, torch.Tensor { { 1, -1 }, { -1, 2 } }) < 1e-14)
      local right = torch.Tensor { 4, 14 }                          -- a vector becomes a column
      torch.gesv(right, right, torch.Tensor { { 2, 1 }, { 4, 5 } })
      assert.same({ { 1 }, { 2 } }, right:totable())
   end)

   it('leaves results as they were when the matrix turns out to be singular', function()
      local a, x = torch.Tensor { { 1, 2 }, { 2, 4 } }, torch.Tensor { 7 }
      refuses('singular', torch.inverse, x, a)
      refuses('singular', torch.inverse, a, a)
      refuses('singular', torch.gesv, x, a, torch.ones(2), a)
      assert.same({ 7 }, x:totable())
      assert.same({ { 1, 2 }, { 2, 4 } }, a:totable())
      assert.same({ { 0.5, 0 }, { 0, 0.25 } }, torch.inverse(x, torch.Tensor { { 2, 0 }, { 0, 4 } }):totable())
   end)

   it('refuses one tensor for two results', function()
      local x = torch.Tensor(9)
      refuses('qr: results q and r must be different tensors, got one for both', torch.qr, x, x, torch.eye(3))
      assert.are.equal(9, x:size(1))
   end)

   it('refuses matrices without elements', function()
      local none = torch.Tensor():resize(0, 3)
      refuses('svd: a must have at least one element, got size 0x3', torch.svd, none)
      refuses('gesv: b must have at least one element, got size 3x0', torch.gesv, none:t(), torch.eye(3))
   end)

   it('refuses what its integers cannot count, before it takes memory', function()
      local one = torch.FloatTensor(1, 1):fill(1)
      local most = ' must have at most 2147483647 rows and columns, which is all that LAPACK counts, got size '
      refuses('qr: a' .. most .. '2147483648x1', torch.qr, one:expand(2 ^ 31, 1))
      refuses('gels: b' .. most .. '1x4294967296', torch.gels, one:expand(1, 2 ^ 32), one)
      local count = ' must be smaller: LAPACK cannot count the workspace of a matrix of size '
      refuses('geqrf: a' .. count .. '1x33554432', torch.geqrf, one:expand(1, 2 ^ 25))
      refuses('svd: a' .. count .. '30000x30000', torch.svd, one:expand(30000, 30000))
      refuses('symeig: a' .. count .. '40000x40000', torch.symeig, one:expand(40000, 40000), 'V')
      refuses('inverse: a' .. count .. '16777216x16777216', torch.inverse, one:expand(2 ^ 24, 2 ^ 24))
   end)

   it('without memory fails and leaves results as they were', function()
      local memory, x = require 'torch.lib'.C.th_memory_of(0), torch.FloatTensor { 7 }
      local a = torch.FloatTensor(1, 1):fill(1):expand(3000, 3000)
      collectgarbage()                                        -- what is freed during the call would make room
      collectgarbage()
      memory.most = memory.bytes + 2 ^ 20
      local ok, err = pcall(torch.potrf, x, a)
      memory.most = 0
      assert.is_false(ok)
      assert.truthy(tostring(err):find('potrf: needs 36000000 bytes of scratch memory', 1, true), err)
      assert.same({ 7 }, x:totable())
   end)

   it('carries NaN through where nothing iterates', function()
      local x = torch.inverse(torch.Tensor { { 1, 0 / 0 }, { 2, 1 } })
      assert.is_true(x[1][1] ~= x[1][1])
   end)

   it('without a BLAS library says what brings one', function()
      local script = os.tmpname()
      local f = assert(io.open(script, 'w'))
      f:write 'print(pcall(torch.inverse, torch.eye(2)))'
      f:close()
      local p = assert(io.popen(("TH_BLAS=none '%s' %s"):format(os.getenv 'TH' or 'build/bin/th', script)))
      local said = p:read '*a'
      p:close()
      os.remove(script)
      assert.matches('^false.*inverse: no BLAS: TH_BLAS=none', said)
   end)
end)
