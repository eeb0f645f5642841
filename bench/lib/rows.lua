-- bench/lib/rows.lua - the rows of bench/ops.lua: each is one statement in Lua and one in Python.
--
-- A row: name, ours, theirs (a list: the fastest counts), bytes that one element must move, operations that it must
-- compute, sizes. `new` has both statements for the form that makes its result; true: the same ones without the result.
-- n elements are a vector x and a matrix X of `rows` x `cols`; z, Z, T, v, V, i, I, J hold results.
local rows = {}

local ALL, SORTS = { 10, 1e3, 1e6, 1e7 }, { 10, 1e3, 1e5, 1e6 }

--- Rows and columns of a matrix of n elements.
function rows.shape(n)
   local shapes = { [10] = { 2, 5 }, [1e3] = { 25, 40 }, [1e5] = { 250, 400 }, [1e6] = { 1000, 1000 }, [1e7] = { 2500, 4000 } }
   local shape = shapes[n]
   if not shape then
      shape = { math.max(math.floor(math.sqrt(n)), 1) }
      while n % shape[1] ~= 0 do shape[1] = shape[1] - 1 end
      shape[2] = n / shape[1]
   end
   return shape[1], shape[2]
end

--- The operands; `n`, `rows`, `cols` are defined before.
rows.OURS = [[
x, y, w = torch.FloatTensor(n):uniform(0.1, 1), torch.FloatTensor(n):uniform(0.1, 1), torch.FloatTensor(n):uniform(0.1, 1)
z, i, v = torch.FloatTensor(n), torch.LongTensor(n), torch.FloatTensor(n)
m, g = torch.ByteTensor(n):bernoulli(0.5), torch.ByteTensor(n)
X, Y, Z, M = x:view(rows, cols), y:view(rows, cols), z:view(rows, cols), m:view(rows, cols)
I, Xt, T, U = torch.LongTensor(rows, cols), X:t(), z:view(cols, rows), y:view(cols, rows)
row, col = torch.FloatTensor(1, cols):uniform(), torch.FloatTensor(rows, 1):uniform()
V1, V2, J1, J2 = torch.FloatTensor(1, cols), torch.FloatTensor(rows, 1), torch.LongTensor(1, cols), torch.LongTensor(rows, 1)
p = torch.LongTensor(n):random(n)
P1, P2 = torch.LongTensor(rows, cols):random(rows), torch.LongTensor(rows, cols):random(cols)
r, c = torch.LongTensor(rows):random(rows), torch.LongTensor(cols):random(cols)
h, b, l = torch.HalfTensor(n), torch.BFloat16Tensor(n), torch.LongTensor(n)
h:copy(x) b:copy(x) l:copy(x)
k, q, xy = math.min(100, n), torch.LongTensor(), torch.FloatTensor(2 * n)
tk, ti, s, kv, ki = torch.FloatTensor(k), torch.LongTensor(k), torch.FloatTensor(), torch.FloatTensor(), torch.LongTensor()
K1, K2 = torch.FloatTensor(2 * rows, cols), torch.FloatTensor(rows, 2 * cols)
]]

rows.THEIRS = [[
x, y, w = [torch.rand(n) * 0.9 + 0.1 for _ in range(3)]
z, i, v = torch.empty(n), torch.empty(n, dtype=torch.long), torch.empty(n)
m, g = torch.rand(n) < 0.5, torch.empty(n, dtype=torch.bool)
X, Y, Z, M = x.view(rows, cols), y.view(rows, cols), z.view(rows, cols), m.view(rows, cols)
I, Xt, T, U = torch.empty(rows, cols, dtype=torch.long), X.t(), z.view(cols, rows), y.view(cols, rows)
row, col = torch.rand(1, cols), torch.rand(rows, 1)
V1, V2, J1, J2 = torch.empty(1, cols), torch.empty(rows, 1), torch.empty(1, cols, dtype=torch.long), torch.empty(rows, 1, dtype=torch.long)
p = torch.randint(n, (n,))
P1, P2 = torch.randint(rows, (rows, cols)), torch.randint(cols, (rows, cols))
r, c = torch.randint(rows, (rows,)), torch.randint(cols, (cols,))
h, b, l = x.half(), x.bfloat16(), x.long()
k, q, xy = min(100, n), torch.empty(n, dtype=torch.long), torch.empty(2 * n)
tk, ti, s, kv, ki = torch.empty(k), torch.empty(k, dtype=torch.long), torch.empty(0), torch.empty(()), torch.empty((), dtype=torch.long)
K1, K2 = torch.empty(2 * rows, cols), torch.empty(rows, 2 * cols)
]]

local list = {}
rows.list = list

-- A statement without its results: the first arguments of ours, `out=` of theirs.
local function without_results(ours, theirs)
   local results = theirs[1]:find('out=(', 1, true) and 2 or 1
   local bare = {}
   for k, statement in ipairs(theirs) do
      bare[k] = statement:gsub(', out=%b()', ''):gsub(', out=%w+', '')
   end
   return { (ours:gsub('%(' .. ('[^,]+, '):rep(results), '(', 1)), bare }
end

local function row(name, ours, theirs, bytes, operations, more)
   local entry = { name = name, ours = ours, theirs = type(theirs) == 'table' and theirs or { theirs },
      bytes = bytes, operations = operations or 0, sizes = ALL }
   for key, value in pairs(more or {}) do entry[key] = value end
   if entry.new == true then entry.new = without_results(ours, entry.theirs) end
   list[#list + 1] = entry
end

local NEW = { new = true }

-- Operations of a function are those of a usual polynomial of float precision, so they are estimates.
row('add',          'torch.add(z, x, y)',            'torch.add(x, y, out=z)', 12, 1, NEW)
row('mul',          'torch.cmul(z, x, y)',           'torch.mul(x, y, out=z)', 12, 1, NEW)
row('addcmul',      'torch.addcmul(z, x, 0.5, y, w)', 'torch.addcmul(x, y, w, value=0.5, out=z)', 16, 3, NEW)
row('exp',          'torch.exp(z, x)',               'torch.exp(x, out=z)', 8, 16, NEW)
row('log',          'torch.log(z, x)',               'torch.log(x, out=z)', 8, 20, NEW)
row('tanh',         'torch.tanh(z, x)',              'torch.tanh(x, out=z)', 8, 24, NEW)
row('sigmoid',      'torch.sigmoid(z, x)',           'torch.sigmoid(x, out=z)', 8, 20, NEW)
row('pow',          'torch.pow(z, x, 1.7)',          'torch.pow(x, 1.7, out=z)', 8, 40, NEW)
row('sqrt',         'torch.sqrt(z, x)',              'torch.sqrt(x, out=z)', 8, 4, NEW)
row('clamp',        'torch.clamp(z, x, 0.3, 0.7)',   { 'torch.clamp(x, 0.3, 0.7, out=z)', 'torch.clamp(x, 0.3, 0.7)' }, 8, 2, NEW)
row('gt',           'torch.gt(g, x, 0.5)',           'torch.gt(x, 0.5, out=g)', 5, 1, NEW)
row('gt tensor',    'torch.gt(g, x, y)',             'torch.gt(x, y, out=g)', 9, 1)
row('where',        'torch.where(z, m, x, y)',       { 'torch.where(m, x, y, out=z)', 'torch.where(m, x, y)' }, 13, 1, NEW)

row('add transposed', 'torch.add(T, Xt, U)',         'torch.add(Xt, U, out=T)', 12, 1)
row('add row',      'torch.add(Z, X, row)',          'torch.add(X, row, out=Z)', 8, 1, NEW)
row('add column',   'torch.add(Z, X, col)',          'torch.add(X, col, out=Z)', 8, 1, NEW)
row('copy',         'z:copy(x)',                     'z.copy_(x)', 8, 0, { new = { 'x:clone()', { 'x.clone()' } } })
row('copy transposed', 'T:copy(Xt)',                  'T.copy_(Xt)', 8, 0, { new = { 'Xt:contiguous()', { 'Xt.contiguous()' } } })
row('f32 to f16',   'h:copy(x)',                     'h.copy_(x)', 6, 0, { new = { 'x:half()', { 'x.half()' } } })
row('f16 to f32',   'z:copy(h)',                     'z.copy_(h)', 6, 0, { new = { 'h:float()', { 'h.float()' } } })
row('f32 to bf16',  'b:copy(x)',                     'b.copy_(x)', 6, 0, { new = { 'x:bfloat16()', { 'x.bfloat16()' } } })
row('bf16 to f32',  'z:copy(b)',                     'z.copy_(b)', 6, 0, { new = { 'b:float()', { 'b.float()' } } })
row('f32 to i64',   'l:copy(x)',                     'l.copy_(x)', 12, 0, { new = { 'x:long()', { 'x.long()' } } })
row('i64 to f32',   'z:copy(l)',                     'z.copy_(l)', 12, 0, { new = { 'l:float()', { 'l.float()' } } })
row('cat',          'torch.cat(xy, x, y)',           'torch.cat((x, y), out=xy)', 16, 0, NEW)
row('cat dim 1',    'torch.cat(K1, X, Y, 1)',        'torch.cat((X, Y), 0, out=K1)', 16, 0)
row('cat dim 2',    'torch.cat(K2, X, Y, 2)',        'torch.cat((X, Y), 1, out=K2)', 16, 0)
row('masked fill',  'z:maskedFill(m, 0.5)',          'z.masked_fill_(m, 0.5)', 5)
row('masked select', 'torch.maskedSelect(s, x, m)',  { 'torch.masked_select(x, m, out=s)', 'torch.masked_select(x, m)' }, 7, 0, NEW)

for _, case in ipairs { { 'sum', 1 }, { 'mean', 1 }, { 'var', 3 } } do
   local name, operations = unpack(case)
   row(name, ('x:%s()'):format(name), ('x.%s()'):format(name), 4, operations)
   for d = 1, 2 do
      row(('%s dim %d'):format(name, d), ('torch.%s(V%d, X, %d)'):format(name, d, d),
          ('torch.%s(X, %d, keepdim=True, out=V%d)'):format(name, d - 1, d), 4, operations, NEW)
   end
end
row('norm',         'x:norm()',                      { 'x.norm()', 'torch.linalg.vector_norm(x)' }, 4, 2)
row('max',          'x:max()',                       'x.max()', 4, 1)
row('max index',    'torch.max(kv, ki, x, 1)',       { 'torch.max(x, 0, keepdim=True, out=(kv, ki))', 'torch.max(x, 0)' }, 4, 1)
row('cumsum',       'torch.cumsum(z, x)',            'torch.cumsum(x, 0, out=z)', 8, 1, NEW)
for d = 1, 2 do
   row('norm dim ' .. d, ('torch.norm(V%d, X, 2, %d)'):format(d, d),
       ('torch.linalg.vector_norm(X, 2, %d, True, out=V%d)'):format(d - 1, d), 4, 2, NEW)
   row('max index dim ' .. d, ('torch.max(V%d, J%d, X, %d)'):format(d, d, d),
       ('torch.max(X, %d, keepdim=True, out=(V%d, J%d))'):format(d - 1, d, d), 4, 1, NEW)
   row('cumsum dim ' .. d, ('torch.cumsum(Z, X, %d)'):format(d), ('torch.cumsum(X, %d, out=Z)'):format(d - 1), 8, 1)
end

row('sort',         'torch.sort(v, i, x)',           { 'torch.sort(x, out=(v, i))', 'torch.sort(x)' }, 16, 0, { sizes = SORTS, new = true })
for d = 1, 2 do
   row('sort dim ' .. d, ('torch.sort(Z, I, X, %d)'):format(d),
       { ('torch.sort(X, %d, out=(Z, I))'):format(d - 1), ('torch.sort(X, %d)'):format(d - 1) }, 16, 0, { sizes = SORTS })
end
row('topk',         'torch.topk(tk, ti, x, k, 1, true, true)', { 'torch.topk(x, k, out=(tk, ti))', 'torch.topk(x, k)' }, 4, 0, NEW)
row('kthvalue',     'torch.kthvalue(kv, ki, x, k)',  { 'torch.kthvalue(x, k, keepdim=True, out=(kv, ki))', 'torch.kthvalue(x, k)' }, 4, 0, NEW)

row('index',        'torch.index(z, x, 1, p)',       { 'torch.index_select(x, 0, p, out=z)', 'torch.take(x, p, out=z)' }, 16, 0, NEW)
row('index rows',   'torch.index(Z, X, 1, r)',       'torch.index_select(X, 0, r, out=Z)', 8, 0, NEW)
row('index columns', 'torch.index(Z, X, 2, c)',      'torch.index_select(X, 1, c, out=Z)', 8, 0)
row('gather',       'torch.gather(z, x, 1, p)',      'torch.gather(x, 0, p, out=z)', 16, 0, NEW)
row('gather dim 1', 'torch.gather(Z, X, 1, P1)',     'torch.gather(X, 0, P1, out=Z)', 16)
row('gather dim 2', 'torch.gather(Z, X, 2, P2)',     'torch.gather(X, 1, P2, out=Z)', 16)
row('scatter add',  'z:scatterAdd(1, p, x)',         'z.scatter_add_(0, p, x)', 20, 1)
row('scatter add dim 1', 'Z:scatterAdd(1, P1, X)',   'Z.scatter_add_(0, P1, X)', 20, 1)
row('scatter add dim 2', 'Z:scatterAdd(2, P2, X)',   'Z.scatter_add_(1, P2, X)', 20, 1)

row('randn',        'z:normal()',                    { 'z.normal_()', 'torch.randn(n, out=z)' }, 4, 40,
    { new = { 'torch.FloatTensor(n):normal()', { 'torch.randn(n)' } } })
row('uniform',      'z:uniform()',                   { 'z.uniform_()', 'torch.rand(n, out=z)' }, 4, 10,
    { new = { 'torch.FloatTensor(n):uniform()', { 'torch.rand(n)' } } })
row('bernoulli',    'z:bernoulli(0.5)',              'z.bernoulli_(0.5)', 4, 10)
row('randperm',     'torch.randperm(q, n)',          { 'torch.randperm(n, out=q)', 'torch.randperm(n)' }, 8, 0,
    { new = { 'torch.randperm(n)', { 'torch.randperm(n)' } } })


return rows
