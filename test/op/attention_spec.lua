-- test/op/attention_spec.lua - softmax(scale q k') v for each head, and its gradients, against the definition.
local torch, opcheck = require 'torch', require 'test.support.opcheck'
local refuses = require 'test.support.refuses'

local Q, K, V = { { { { 0, 0 }, { 1, 0 } } } }, { { { { 1, 1 }, { 1, 1 } } } }, { { { { 1, 2 }, { 3, 4 } } } }
local MEAN, FIRST = { { { { 2, 3 }, { 2, 3 } } } }, { { { { 1, 2 }, { 2, 3 } } } }
-- With this seed a dropout of 1/2 drops the first key for the first query, and the second for the
-- second.
local NONE_HIDDEN, SEED = opcheck.byte { { 0, 0 } }, opcheck.long { 0, 7 }
local KEPT = { { { { 3, 4 }, { 1, 2 } } } }
local SEEN, ONE = { { { math.log(2), 2 + math.log(2) } } }, { { { 0, 2 + math.log(2) } } }

-- Compares slopes, the gradient of loss() by the vector x, with differences at four places.
local function compare_slopes(loss, x, slope, limit, name)
   for _ = 1, 4 do
      local at = torch.random(1, x:size(1))
      local kept = x[at]
      x[at] = kept + 1e-5
      local up = loss()
      x[at] = kept - 1e-5
      local down = loss()
      x[at] = kept
      assert.is_true(math.abs((up - down) / 2e-5 - slope[at]) < limit, name)
   end
end

opcheck.describe('attention', function(op)
   op.dtypes 'half bfloat16 float'
   op.gives(opcheck.results(MEAN, opcheck.float(SEEN)), Q, K, V, 2)
   op.gives(opcheck.results(FIRST, opcheck.float(ONE)), Q, K, V, 2, true)
   op.gives(opcheck.results(KEPT, opcheck.float(SEEN)), Q, K, V, 2, false, NONE_HIDDEN, 0.5, SEED)
   op.dtypes 'double'
   op.gives(opcheck.results(KEPT, SEEN), Q, K, V, 2, false, NONE_HIDDEN, 0.5, SEED)
   op.gives(opcheck.results(MEAN, SEEN), Q, K, V, 2, false, NONE_HIDDEN, 0, SEED)
   op.gives(opcheck.results(MEAN, SEEN), Q, K, V, 2)
   op.gives(opcheck.results(FIRST, ONE), Q, K, V, 2, true)
   op.gives(opcheck.results({ { { { 3, 4 }, { 3, 4 } } } }, { { { 0, 2 } } }), Q, K, V, 2, false, opcheck.byte { { 1, 0 } })
   op.grad(Q, K, V, 2)
   op.grad({ { { { 0.5, -1 }, { 1, 0.25 } } } }, { { { { 1, 0.5 }, { -1, 2 }, { 0.75, 1 } } } },
           { { { { 1, 2 }, { 3, -4 }, { 0.5, 1 } } } }, 0, true)
   op.grad(Q, K, V, 2, false, NONE_HIDDEN, 0.5, SEED)
   op.forms 'function method'
   op.refuses('q must have 4 dimensions, got size 2', { 1, 2 }, K, V)
   op.refuses('k must have the size 1x1x1x2, got 1x1x1x1', Q, { { { { 1 } } } }, V)
   op.refuses('v must have the size 1x1x2x2, got 1x1x1x2', Q, K, { { { { 1, 2 } } } })
   op.refuses('padding must have the size 1x2, got 2', Q, K, V, 0, false, opcheck.byte { 1, 0 })
   op.refuses('padding must be a ByteTensor', Q, K, V, 0, false, { { 1, 0 } })
   for _, p in ipairs { -0.1, 1, 0 / 0, math.huge } do
      local got = p == p and ('%g'):format(p) or ''
      op.refuses('dropout must lie in 0 <= dropout < 1, got ' .. got,
         Q, K, V, 0, false, NONE_HIDDEN, p, SEED)
   end
   op.refuses('dropout needs a seed, two words as torch.LongTensor(2):random() gives',
      Q, K, V, 0, false, NONE_HIDDEN, 0.5)
   op.refuses('seed must be a LongTensor', Q, K, V, 0, false, NONE_HIDDEN, 0.5, { 1, 2 })
   op.refuses('seed must have the size 2, got 3',
      Q, K, V, 0, false, NONE_HIDDEN, 0.5, opcheck.long { 1, 2, 3 })
   op.refuses('seed must have the size 2, got 1x2',
      Q, K, V, 0, false, NONE_HIDDEN, 0, opcheck.long { { 1, 2 } })
end)

opcheck.describe('attention_grad', function(op)
   op.dtypes 'double'
   op.gives(opcheck.results({ { { { 0, 0 } } } }, { { { { 0, 0 }, { 0, 0 } } } }, { { { { 2, 3 }, { 2, 3 } } } }),
            { { { { 0, 0 } } } }, { { { { 1, 1 }, { 1, 1 } } } }, V, { { { { 2, 3 } } } }, { { { math.log(2) } } },
            { { { { 4, 6 } } } })
   op.forms 'function method'
   op.refuses('y must have the size 1x1x2x2, got 1x1x1x2', Q, K, V, { { { { 2, 3 } } } }, SEEN, Q)
   op.refuses('lse must have the size 1x1x2, got 1x1', Q, K, V, Q, { { 1 } }, Q)
   op.refuses('g must have the size 1x1x2x2, got 1x1x1x2', Q, K, V, Q, SEEN, { { { { 2, 3 } } } })
   op.refuses('dropout must lie in 0 <= dropout < 1, got 1',
      Q, K, V, Q, SEEN, Q, 0, false, NONE_HIDDEN, 1, SEED)
   op.refuses('dropout needs a seed', Q, K, V, Q, SEEN, Q, 0, false, NONE_HIDDEN, 0.5)
   op.refuses('seed must have the size 2, got 3',
      Q, K, V, Q, SEEN, Q, 0, false, NONE_HIDDEN, 0.5, opcheck.long { 1, 2, 3 })
end)

local LATER = { { { { -math.huge, 0 }, { 0, 0 } } } }
local NONE = { { { { -math.huge, -math.huge }, { 0, 0 } } } }

opcheck.describe('attention_masked', function(op)
   op.dtypes 'floats'
   op.gives(MEAN, Q, K, V, { { { { 5, 5 } } } }, 2)
   op.gives({ { { { 3, 4 }, { 2, 3 } } } }, Q, K, V, LATER, 2)
   op.gives({ { { { 0, 0 }, { 2, 3 } } } }, Q, K, V, NONE, 2, true)
   op.forms 'function method'
   op.refuses('q must have 4 dimensions, got size 2', { 1, 2 }, K, V, LATER)
   op.refuses('k must have the size 1x1x1x2, got 1x1x1x1', Q, { { { { 1 } } } }, V, LATER)
   op.refuses('mask must have 4 dimensions, got size 2', Q, K, V, { 0, 0 })
   op.refuses('mask must broadcast to the size 1x1x2x2, got 1x1x1x3', Q, K, V,
      { { { { 0, 0, 0 } } } })
   op.refuses('like q, got a ByteTensor', Q, K, V, opcheck.byte { { { { 0, 0 } } } })
end)

-- What dropout multiplies the weights of so many queries and keys by. Attention gives it for scores
-- of 0 and values that are 1 at one key, times the number of keys.
local function factors(samples, heads, queries, keys, p, seed)
   local all = torch.Tensor(samples, heads, queries, keys)
   for first = 1, keys, 256 do
      local d = math.min(256, keys - first + 1)
      local none, v = torch.zeros(samples, heads, keys, d), torch.zeros(samples, heads, keys, d)
      for e = 1, d do v:select(3, first + e - 1):select(3, e):fill(keys) end
      local q = torch.zeros(samples, heads, queries, d)
      all:narrow(4, first, d):copy((torch.attention(q, none, v, 0, false, nil, p, seed)))
   end
   return all
end

-- The definition, one query after the other. `factor` is what each weight is multiplied by.
local function by_hand(q, k, v, causal, padding, factor)
   local y, queries, keys = q:clone():zero(), tonumber(q:size(3)), tonumber(k:size(3))
   for b = 1, q:size(1) do
      for h = 1, q:size(2) do
         for t = 1, queries do
            local sum = 0
            for s = 1, keys do
               if not (causal and s - t > keys - queries) and not (padding and padding[b][s] == 1) then
                  local w = math.exp(q[b][h][t]:dot(k[b][h][s]) / math.sqrt(q:size(4)))
                  sum = sum + w
                  y[b][h][t]:add(factor and w * factor[b][h][t][s] or w, v[b][h][s])
               end
            end
            if sum > 0 then y[b][h][t]:div(sum) end
         end
      end
   end
   return y
end

local CASES = { { 1, 1, 1, 1, 1 }, { 2, 3, 5, 7, 4 }, { 1, 2, 70, 130, 33 }, { 2, 1, 130, 70, 8 }, { 1, 1, 65, 300, 256 },
   { 4, 9, 70, 140, 3 } }

-- f(q, k, v, g, causal, padding) for each case, causal or not, with padding or without.
local function each_case(f)
   torch.manualSeed(4)
   for _, case in ipairs(CASES) do
      local samples, heads, queries, keys, d = unpack(case)
      for form = 0, 3 do
         local padding = form >= 2 and torch.ByteTensor(samples, keys):random(0, 1) or nil
         local q, k = torch.randn(samples, heads, queries, d), torch.randn(samples, heads, keys, d)
         f(q, k, torch.randn(samples, heads, keys, d), torch.randn(samples, heads, queries, d), form % 2 == 1, padding)
      end
   end
end

describe('attention', function()
   it('is what the definition says, for any number of queries and keys', function()
      each_case(function(q, k, v, _, causal, padding)
         local y = torch.attention(q, k, v, 0, causal, padding)
         assert.is_true((y - by_hand(q, k, v, causal, padding)):abs():max() < 1e-13)
      end)
   end)

   it('adds masks that broadcast, of any strides', function()
      torch.manualSeed(3)
      for _, case in ipairs(CASES) do
         local samples, heads, queries, keys, d = unpack(case)
         local q, k = torch.randn(samples, heads, queries, d), torch.randn(samples, heads, keys, d)
         local v = torch.randn(samples, heads, keys, d)
         for _, size in ipairs { { 1, 1, 1, keys }, { samples, 1, queries, 1 },
            { 1, heads, queries, keys }, { samples, heads, queries, keys } } do
            local mask = torch.randn(unpack(size)):mul(3)
            if size[4] > 1 then mask:narrow(4, 2, 1):fill(-math.huge) end
            local function flat(t) return t:view(samples * heads, t:size(3), d) end
            local scores = torch.bmm(flat(q), flat(k):transpose(2, 3)):div(math.sqrt(d))
            local full = mask:expand(samples, heads, queries, keys):contiguous()
            scores:add(full:viewAs(scores))
            local want = torch.bmm(torch.softmax(scores, 3), flat(v)):viewAs(q)
            assert.is_true((want - torch.attention_masked(q, k, v, mask)):abs():max() < 1e-12)
            local turned = mask:transpose(3, 4):contiguous():transpose(3, 4)
            assert.is_true(torch.equal(torch.attention_masked(q, k, v, mask),
               torch.attention_masked(q, k, v, turned)))
         end
      end
   end)

   it('gives NaN where a mask hides all keys, as softmax, and where scores are NaN', function()
      local q, k = torch.FloatTensor(1, 1, 3, 2):fill(1), torch.FloatTensor(1, 1, 40, 2):fill(2)
      local mask = torch.FloatTensor(1, 1, 3, 40):zero()
      mask[1][1][1]:fill(-math.huge)
      mask[1][1][2][7] = 0 / 0
      local y = torch.attention_masked(q, k, k, mask)
      assert.equal(4, torch.ne(y, y):sum())
      assert.same({ 2, 2 }, y[1][1][3]:totable())
      y = torch.attention_masked(q, k, k, mask, 0, true)
      assert.same({ { { { 0, 0 }, { 0, 0 }, { 2, 2 } } } }, y:totable())
   end)

   it('has the gradients that differences say', function()
      each_case(function(q, k, v, g, causal, padding)
         local y, lse = torch.attention(q, k, v, 0, causal, padding)
         local function loss() return torch.cmul(torch.attention(q, k, v, 0, causal, padding), g):sum() end
         local slopes = { torch.attention_grad(q, k, v, y, lse, g, 0, causal, padding) }
         for i, name in ipairs { 'attention_grad_query', 'attention_grad_key', 'attention_grad_value' } do
            assert.is_true(torch.equal(slopes[i], torch[name](q, k, v, y, lse, g, 0, causal, padding)), name)
            local x, slope = ({ q, k, v })[i]:view(-1), slopes[i]:view(-1)
            compare_slopes(loss, x, slope, 1e-7, name)
         end
      end)
   end)

   it('gives the same bits for any number of threads, for few heads and for many', function()
      local before = torch.getnumthreads()
      torch.manualSeed(5)
      for _, heads in ipairs { 2, 40 } do
         local q, k, want = torch.randn(1, heads, 150, 5):float(), torch.randn(1, heads, 200, 5):float(), nil
         for _, threads in ipairs { 1, 3, 8 } do
            torch.setnumthreads(threads)
            local y, lse = torch.attention(q, k, k, 0, true)
            local got = { y, lse, torch.attention_grad(q, k, k, y, lse, q, 0, true) }
            want = want or got
            for i = 1, 5 do assert.is_true(torch.equal(want[i], got[i])) end
         end
      end
      torch.setnumthreads(before)
   end)

   it('reads and writes the heads of a matrix of steps x features as they lie', function()
      torch.manualSeed(6)
      local rows = torch.randn(2 * 5, 3 * 8)
      local function heads(m, first) return m:narrow(2, first, 8):unfold(2, 4, 4):unfold(1, 5, 5):permute(1, 2, 4, 3) end
      local q, k, v, to = heads(rows, 1), heads(rows, 9), heads(rows, 17), torch.zeros(10, 8)
      local y, lse = torch.attention(heads(to, 1), torch.Tensor(), q, k, v)
      assert.is_true((y - by_hand(q, k, v)):abs():max() < 1e-14)
      assert.is_true(torch.equal(heads(to, 1), y) and to:norm() > 0)
      local into, want = torch.zeros(10, 24), { torch.attention_grad(q, k, v, y, lse, y) }
      torch.attention_grad(heads(into, 1), heads(into, 9), heads(into, 17), q, k, v, y, lse, y)
      for i = 1, 3 do assert.is_true(torch.equal(want[i], heads(into, 8 * i - 7))) end
   end)

   it('is zero where a query sees no key, and so are its gradients', function()
      local q, k, none = torch.ones(1, 1, 3, 2), torch.ones(1, 1, 2, 2), torch.ByteTensor { { 1, 1 } }
      local y, lse = torch.attention(q, k, k, 0, false, none)
      assert.same({ { { { 0, 0 }, { 0, 0 }, { 0, 0 } } } }, y:totable())
      assert.equal(-math.huge, lse[1][1][1])
      for _, slope in ipairs { torch.attention_grad(q, k, k, y, lse, q, 0, false, none) } do assert.equal(0, slope:norm()) end
      y = torch.attention(q, k, k, 0, true)             -- two keys, three queries: the first sees none
      assert.same({ { { { 0, 0 }, { 1, 1 }, { 1, 1 } } } }, y:totable())
      y, lse = torch.attention(q, torch.zeros(1, 1, 0, 2), torch.zeros(1, 1, 0, 2))
      assert.equal(0, y:norm())
      assert.equal(0, (torch.attention_grad(q, torch.zeros(1, 1, 0, 2), torch.zeros(1, 1, 0, 2), y, lse, q)):norm())
      assert.equal(0, torch.attention(torch.zeros(1, 1, 0, 2), k, k):nElement())
      local empty = torch.zeros(0, 1, 1, 2)
      local _, gk = torch.attention_grad(empty, empty, empty, empty, torch.zeros(0, 1, 1), empty)
      assert.equal(0, gk:nElement())
   end)

   it('does not overflow for large scores', function()
      local q, k, v = torch.FloatTensor(1, 1, 1, 1):fill(1e4), torch.FloatTensor(1, 1, 300, 1), torch.FloatTensor(1, 1, 300, 1)
      k:copy(torch.range(1, 300))
      v:copy(k)
      assert.same({ { { { 300 } } } }, torch.attention(q, k, v, 1):totable())
   end)

   it('needs memory that grows with the length, not with its square', function()
      local q = torch.FloatTensor(1, 1, 40000, 1):fill(1)          -- the matrix of weights would have 6.4 GB
      assert.equal(1, torch.attention(q:narrow(3, 1, 16), q, q)[1][1][1][1])
   end)

   it('drops the weights that words of a Philox generator say', function()
      for _, seed in ipairs { 7, 2 ^ 40 + 3 } do
         local g, keys, drops = torch.Generator 'philox', 208, math.floor(0.3 * 65536 + 0.5)
         local words = torch.LongTensor { math.floor(seed / 2 ^ 32), seed % 2 ^ 32 }
         local factor = factors(1, 1, 64, keys, 0.3, words)
         torch.manualSeed(g, seed)
         local word = torch.LongTensor(4 * keys / 2):random(g)      -- of queries 1, 9, 17 and 25
         for t = 1, 4 do
            for s = 0, keys - 1 do
               local w = word[4 * (math.floor(s / 16) * 8 + s % 8) + t]
               local bits = s % 16 < 8 and w % 65536 or math.floor(w / 65536)
               local want = bits < drops and 0 or 65536 / (65536 - drops)
               assert.near(want, factor[1][1][8 * t - 7][s + 1], 1e-12)
            end
         end
      end
   end)

   it('drops other weights of each head, sample and seed, and the part that it should', function()
      local function gone(seed)
         return factors(2, 3, 100, 300, 0.2, torch.LongTensor(seed)):eq(0):view(6, -1):double()
      end
      local a = gone { 1, 2 }
      assert.is_true(torch.equal(a, gone { 1, 2 }))
      assert.near(0.2, a:mean(), 0.003)
      local back = a:index(2, torch.range(30000, 1, -1):long())
      for _, b in ipairs { gone { 1, 3 }, gone { 2, 2 }, back } do
         assert.near(0.04, torch.cmul(a, b):mean(), 0.003)
      end
      for i = 1, 5 do
         for j = i + 1, 6 do assert.near(0.04, torch.cmul(a[i], a[j]):mean(), 0.006) end
      end
      for _, dim in ipairs { 3, 4 } do                               -- neighbours
         local all = a:view(2, 3, 100, 300)
         local n = all:size(dim) - 1
         assert.near(0.04, torch.cmul(all:narrow(dim, 1, n), all:narrow(dim, 2, n)):mean(), 0.003)
      end
   end)

   it('with dropout is what the definition says of the weights that remain', function()
      local seed = torch.LongTensor { 12, 345 }
      each_case(function(q, k, v, g, causal, padding)
         local y, lse = torch.attention(q, k, v, 0, causal, padding, 0.4, seed)
         local factor = factors(q:size(1), q:size(2), q:size(3), k:size(3), 0.4, seed)
         assert.is_true((y - by_hand(q, k, v, causal, padding, factor)):abs():max() < 1e-12)
         local _, whole = torch.attention(q, k, v, 0, causal, padding)
         assert.is_true(torch.equal(whole, lse))
         local slopes = { torch.attention_grad(q, k, v, y, lse, g, 0, causal, padding, 0.4, seed) }
         local function loss()
            return torch.cmul(torch.attention(q, k, v, 0, causal, padding, 0.4, seed), g):sum()
         end
         for i, name in ipairs { 'query', 'key', 'value' } do
            local grad = torch['attention_grad_' .. name]
            local one = grad(q, k, v, y, lse, g, 0, causal, padding, 0.4, seed)
            assert.is_true((slopes[i] - one):abs():max() < 1e-12, name)
            local x, slope = ({ q, k, v })[i]:view(-1), slopes[i]:view(-1)
            compare_slopes(loss, x, slope, 1e-6, name)
         end
      end)
   end)

   it('rounds the part that is dropped to 1/65536, never to all', function()
      local q, seed = torch.randn(1, 2, 40, 8), torch.LongTensor { 3, 4 }
      local plain = torch.attention(q, q, q)
      local none = torch.attention(q, q, q, 0, false, nil, 1e-6, seed)
      assert.is_true(torch.equal(plain, none))
      local factor = factors(1, 1, 1500, 256, 1 - 1e-9, seed)
      local kept = factor:gt(0):sum()
      assert.is_true(kept > 0 and kept < 20, kept)
      assert.near(65536, factor:max(), 1e-6)
   end)

   it('with dropout gives the same bits for any number of threads and strides', function()
      local before = torch.getnumthreads()
      torch.manualSeed(5)
      local apart = torch.LongTensor { { 8, 1 }, { 9, 1 } }:select(2, 1)
      local seeds = { torch.LongTensor { 8, 9 }, apart }
      for _, heads in ipairs { 2, 40 } do
         local q, k = torch.randn(1, heads, 150, 5):float(), torch.randn(1, heads, 200, 5):float()
         local want
         for _, threads in ipairs { 1, 3, 8 } do
            torch.setnumthreads(threads)
            for _, seed in ipairs(seeds) do
               local y, lse = torch.attention(q, k, k, 0, true, nil, 0.2, seed)
               local got = { y, lse,
                  torch.attention_grad(q, k, k, y, lse, q, 0, true, nil, 0.2, seed) }
               want = want or got
               for i = 1, 5 do assert.is_true(torch.equal(want[i], got[i])) end
            end
         end
      end
      torch.setnumthreads(before)
   end)

   it('with dropout stores neither a matrix nor a mask', function()
      local q, seed = torch.FloatTensor(1, 1, 40000, 1):fill(1), torch.LongTensor { 1, 2 }
      local few, g = q:narrow(3, 1, 16), torch.FloatTensor(1, 1, 16, 1):fill(1)
      collectgarbage()
      local before = torch.memory()
      local y, lse = torch.attention(few, q, q, 0, false, nil, 0.5, seed)
      local _, _, gv = torch.attention_grad(few, q, q, y, lse, g, 0, false, nil, 0.5, seed)
      assert.is_true(torch.memory().bytes - before.bytes < 1e6)
      assert.near(1, y:mean(), 0.02)
      assert.near(16, gv:sum(), 0.2)
      assert.is_true(gv:eq(0):sum() < 40)
   end)

   it('refuses heads that are too large', function()
      refuses('q must have 1 to 256 features a head, got size 1x1x1x257', torch.attention, torch.ones(1, 1, 1, 257),
         torch.ones(1, 1, 1, 257), torch.ones(1, 1, 1, 257))
   end)
end)
