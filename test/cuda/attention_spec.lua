-- test/cuda/attention_spec.lua - attention of CUDA tensors: several tiles, all head sizes, layouts; as on the CPU.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local refuses = require 'test.support.refuses'
local device = require 'test.support.cuda.device'

if device.missing('attention on a CUDA device', describe, pending) then return end

-- How far results may lie apart. Weights of halves are rounded to halves before the second product.
local TYPES = { { 'Float', 4e-6 }, { 'Double', 1e-13 }, { 'Half', 4e-3 }, { 'BFloat16', 4e-2 } }

local function there(x) return x and x:type((x:type():gsub('torch%.', 'torch.Cuda'):gsub('CudaFloat', 'Cuda'))) end

local function near(want, got, limit, what)
   assert.same(want:size():totable(), got:size():totable())
   if want:nElement() == 0 then return end
   want, got = want:double(), got:host():double()
   local shown = want:gt(-1e300)                                -- lse is -infinity where no key is seen
   assert(torch.equal(shown, got:gt(-1e300)), what)
   if shown:sum() == 0 then return end
   want, got = want:maskedSelect(shown), got:maskedSelect(shown)
   local largest = math.max(1, want:clone():abs():max())
   local far = (want - got):abs():max()
   assert(far <= limit * largest, ('%s: %g apart'):format(what, far / largest))
end

-- All results of a case here and there. `lay` arranges each operand in memory. With `dropout` both
-- drop the same weights, or results are far apart.
local function try(kind, limit, case, causal, padded, lay, dropout)
   local samples, heads, queries, keys, d = unpack(case)
   local function draw(n) return lay(torch.FloatTensor(samples, heads, n, d):normal():type('torch.' .. kind .. 'Tensor')) end
   local q, k, v, g = draw(queries), draw(keys), draw(keys), draw(queries)
   local padding = padded and torch.ByteTensor(samples, keys):bernoulli(0.3) or nil
   local seed = dropout and torch.LongTensor(2):random() or nil
   local what = ('%s, %s%s%s%s'):format(kind, table.concat(case, ' '), causal and ', causal' or '',
      padded and ', padding' or '', dropout and ', dropout' or '')
   local y, lse = torch.attention(q, k, v, 0, causal, padding, dropout, seed)
   local want = { y, lse,
      torch.attention_grad(q, k, v, y, lse, g, 0, causal, padding, dropout, seed) }
   local cq, ck, cv, cg = lay(there(q)), lay(there(k)), lay(there(v)), lay(there(g))
   local cp, cs = there(padding), there(seed)
   local cy, clse = torch.attention(cq, ck, cv, 0, causal, cp, dropout, cs)
   local got = { cy, clse,
      torch.attention_grad(cq, ck, cv, there(y), there(lse), cg, 0, causal, cp, dropout, cs) }
   for i = 1, 5 do near(want[i], got[i], limit, ('%s, result %d'):format(what, i)) end
end

local function as_it_is(x) return x end
-- Steps x heads x features in memory, as the rows of a matrix; then the features are neighbours.
local function by_steps(x) return x:transpose(2, 3):contiguous():transpose(2, 3) end
-- Features far from each other, at addresses that vectors do not reach.
local function far_apart(x)
   local room = x.new(x:size(1), x:size(2), x:size(4), x:size(3) + 1)
   return room:narrow(4, 2, x:size(3)):transpose(3, 4):copy(x)
end

describe('attention on a CUDA device', function()
   before_each(function() torch.manualSeed(8) end)

   for _, type in ipairs(TYPES) do
      local kind, limit = unpack(type)
      it('is as on the CPU for several tiles, ' .. kind, function()
         try(kind, limit, { 1, 2, 130, 130, 64 }, true, false, as_it_is)
         try(kind, limit, { 1, 1, 129, 193, 16 }, false, true, by_steps)
         try(kind, limit, { 1, 1, 70, 150, 128 }, true, true, by_steps)
         try(kind, limit, { 2, 1, 100, 40, 32 }, true, false, as_it_is)
         try(kind, limit, { 1, 1, 33, 66, 256 }, true, true, as_it_is)
      end)
      it('takes few steps, odd sizes and any layout, ' .. kind, function()
         for _, case in ipairs { { 1, 1, 1, 1, 1 }, { 2, 2, 1, 65, 40 }, { 1, 3, 5, 3, 7 }, { 1, 1, 17, 9, 129 } } do
            for form = 0, 3 do try(kind, limit, case, form % 2 == 1, form >= 2, form == 3 and far_apart or by_steps) end
         end
      end)
   end

   for _, type in ipairs(TYPES) do
      local kind, limit = unpack(type)
      it('drops the weights that the CPU drops, ' .. kind, function()
         try(kind, limit, { 1, 2, 130, 130, 64 }, true, false, as_it_is, 0.3)
         try(kind, limit, { 2, 1, 129, 193, 16 }, false, true, by_steps, 0.1)
         try(kind, limit, { 1, 1, 70, 150, 128 }, true, true, by_steps, 0.5)
         try(kind, limit, { 1, 1, 150, 70, 72 }, false, false, far_apart, 0.9)
         try(kind, limit, { 1, 1, 33, 66, 256 }, true, true, as_it_is, 0.3)
         try(kind, limit, { 1, 3, 5, 3, 7 }, false, false, by_steps, 0.5)
      end)
   end

   it('drops as on the CPU for a negative scale, by plain kernels, and with a part of 0', function()
      local q, seed = torch.FloatTensor(1, 2, 90, 64):normal():half(), torch.LongTensor(2):random()
      local want = torch.attention(q, q, q, -0.125, false, nil, 0.4, seed)
      local c, words = there(q), there(seed)
      near(want, torch.attention(c, c, c, -0.125, false, nil, 0.4, words), 4e-3, 'scale')
      local plain = torch.attention(c, c, c)
      assert.is_true(torch.equal(plain, (torch.attention(c, c, c, 0, false, nil, 1e-6, words))))
   end)

   it('gives the gradients with dropout as one by one, and the same bits each time', function()
      for _, d in ipairs { 64, 160 } do
         local q = there(torch.FloatTensor(2, 2, 90, d):normal():half())
         local seed = there(torch.LongTensor(2):random())
         local y, lse = torch.attention(q, q, q, 0, true, nil, 0.3, seed)
         assert.is_true(torch.equal(y, (torch.attention(q, q, q, 0, true, nil, 0.3, seed))))
         local first = { torch.attention_grad(q, q, q, y, lse, q, 0, true, nil, 0.3, seed) }
         for i, name in ipairs { 'query', 'key', 'value' } do
            local grad = torch['attention_grad_' .. name]
            assert.is_true(torch.equal(first[i], grad(q, q, q, y, lse, q, 0, true, nil, 0.3, seed)))
         end
      end
   end)

   it('draws the seed from the generator of the device; replays of a graph draw others', function()
      local nn, cutorch = require 'nn', require 'cutorch'
      for _, kind in ipairs { 'torch.CudaTensor', 'torch.CudaHalfTensor' } do
         local m = nn.MultiHeadAttention(64, 2, 0.4, true):type(kind)
         local x = torch.CudaTensor(2, 40, 64):normal():type(kind)
         local g = torch.CudaTensor(2, 40, 64):normal():type(kind)
         local function step(input)
            local y = m:forward(input):clone()
            return y, m:backward(input, g):clone()
         end
         local function run(f, times)
            cutorch.manualSeed(6)
            local all = {}
            for i = 1, times do
               local y, gx = f(x)                       -- a replay writes to the same tensors
               all[i] = { y:float(), gx:float() }
            end
            return all
         end
         local want = run(step, 4)
         local graph = cutorch.graph(step)
         graph(x)
         for _, got in ipairs { run(step, 4), run(graph, 4) } do
            for i = 1, 4 do
               assert.is_true(torch.equal(want[i][1], got[i][1]))
               assert.is_true(torch.equal(want[i][2], got[i][2]))
            end
         end
         for i = 2, 4 do assert.is_false(torch.equal(want[1][1], want[i][1])) end
         graph:reset()
         m:evaluate()
         assert.is_true(torch.equal(m:forward(x):clone(), m:forward(x)))
         m:training()
         cutorch.manualSeed(6)
         local seed = torch.CudaLongTensor(2):random()
         cutorch.manualSeed(6)
         m:forward(x)
         assert.is_true(torch.equal(seed, m._seed))
      end
   end)

   it('with dropout takes no memory that grows with the square of the steps', function()
      local nn, cutorch, C = require 'nn', require 'cutorch', require 'torch.lib'.C
      local function bytes(kind, steps)
         local m = nn.MultiHeadAttention(8, 1, 0.5, true):type(kind)
         local x = torch.CudaTensor(steps, 8):fill(1):type(kind)
         local tensors = C.th_memory_of(cutorch.getDevice())
         local before = tonumber(tensors.bytes)
         m:forward(x)
         m:backward(x, x)
         return tonumber(tensors.bytes) - before
      end
      for _, kind in ipairs { 'torch.CudaTensor', 'torch.CudaHalfTensor' } do
         collectgarbage()
         collectgarbage 'stop'
         local few, many = bytes(kind, 100), bytes(kind, 800)
         collectgarbage 'restart'
         local what = ('%s: %g and %g bytes'):format(kind, few, many)
         assert.is_true(few > 0 and many < 12 * few, what)
      end
   end)

   it('computes nn.MultiHeadAttention of halves, in a graph too', function()
      local nn, cutorch = require 'nn', require 'cutorch'
      local m = nn.MultiHeadAttention(64, 2, 0, true):float()
      local x, g = torch.FloatTensor(2, 70, 64):normal(), torch.FloatTensor(2, 70, 64):normal()
      local lengths = torch.LongTensor { 70, 41 }
      local y, gx = m:forward { x, lengths }:clone(), m:backward({ x, lengths }, g)[1]:clone()
      for _, kind in ipairs { { 'torch.CudaHalfTensor', 4e-3 }, { 'torch.CudaBFloat16Tensor', 3e-2 } } do
         local h = m:clone():type(kind[1])
         local hx = { x:type(kind[1]), lengths }
         near(y, h:forward(hx), kind[2], kind[1])
         near(gx, h:backward(hx, g:type(kind[1]))[1], kind[2], kind[1])
         near(m:weights(), h:weights(), kind[2], kind[1])
      end
      local c, cx = m:clone():cuda(), x:cuda()
      local want, graph = c:forward(cx):clone(), cutorch.graph(function(t) return c:forward(t) end)
      for _ = 1, 3 do assert.is_true(torch.equal(want, graph(cx))) end
   end)

   it('gives the same bits each time', function()
      local q = there(torch.FloatTensor(2, 2, 90, 64):normal():half())
      local y, lse = torch.attention(q, q, q, 0, true)
      local first = { y, lse, torch.attention_grad(q, q, q, y, lse, q, 0, true) }
      local again = { torch.attention(q, q, q, 0, true) }
      for _, t in ipairs { torch.attention_grad(q, q, q, y, lse, q, 0, true) } do again[#again + 1] = t end
      for i = 1, 5 do assert.is_true(torch.equal(first[i], again[i])) end
      for i, name in ipairs { 'attention_grad_query', 'attention_grad_key', 'attention_grad_value' } do
         assert.is_true(torch.equal(first[i + 2], torch[name](q, q, q, y, lse, q, 0, true)))
      end
   end)

   it('writes only the elements of results that are views', function()
      local rows = torch.CudaHalfTensor(10, 24):fill(7)
      local function heads(first) return rows:narrow(2, first, 8):unfold(2, 4, 4):unfold(1, 5, 5):permute(1, 2, 4, 3) end
      local q = there(torch.FloatTensor(2, 2, 5, 4):normal():half())
      local y, lse = torch.attention(q, q, q)
      torch.attention(heads(9), torch.CudaTensor(), q, q, q)
      assert.is_true(torch.equal(heads(9), y))
      assert.equal(7 * 160, rows:narrow(2, 1, 8):float():sum() + rows:narrow(2, 17, 8):float():sum())
      torch.attention_grad(heads(1), heads(9), heads(17), q, q, q, y, lse, y)
      for i, t in ipairs { torch.attention_grad(q, q, q, y, lse, y) } do assert.is_true(torch.equal(heads(8 * i - 7), t)) end
   end)

   it('of nothing is nothing, and of no keys zero', function()
      for _, kind in ipairs { 'torch.CudaHalfTensor', 'torch.CudaTensor' } do
         local q, none = torch.CudaTensor(1, 2, 3, 8):fill(1):type(kind), torch.CudaTensor(1, 2, 0, 8):type(kind)
         local y, lse = torch.attention(q, none, none)
         assert.equal(0, y:float():norm())
         assert.equal(0, (torch.attention_grad(q, none, none, y, lse, q)):float():norm())
         assert.equal(0, torch.attention(none, q, q):nElement())
         local _, gk = torch.attention_grad(none, q, q, none, torch.CudaTensor(1, 2, 0), none)
         assert.equal(0, gk:float():norm())
      end
   end)

   it('refuses what it refuses on the CPU', function()
      local q = torch.CudaTensor(1, 1, 2, 2)
      refuses('padding must have the size 1x2, got 2', torch.attention, q, q, q, 0, false, torch.CudaByteTensor(2))
      local words = torch.CudaLongTensor { 1, 2 }
      refuses('dropout must lie in 0 <= dropout < 1, got 1', torch.attention, q, q, q, 0, false,
         nil, 1, words)
      refuses('dropout needs a seed', torch.attention, q, q, q, 0, false, nil, 0.5)
      refuses('seed must have the size 2, got 3', torch.attention, q, q, q, 0, false, nil, 0.5,
         torch.CudaLongTensor(3))
      refuses('seed', torch.attention, q, q, q, 0, false, nil, 0.5, torch.LongTensor { 1, 2 })
      refuses('seed must', torch.attention, q, q, q, 0, false, nil, 0.5, torch.CudaTensor { 1, 2 })
   end)
end)

describe('attention by cuDNN', function()
   local ffi = require 'ffi'
   local cutorch, cudnn = device.cutorch, require 'cudnn'
   local EMULATED = cutorch.getDeviceProperties(1).emulated
   local why = torch.conv.missing('cudnn', 1)
   if why then return pending('there is no cuDNN: ' .. why) end
   pcall(ffi.cdef, 'double th_emu_count(const char *name);')
   local function launches(f)
      local C = require 'cutorch.backend'.C
      local before = C.th_emu_count 'launches'
      f()
      return C.th_emu_count 'launches' - before
   end

   before_each(function()
      torch.manualSeed(9)
      cudnn.prefer = true
   end)
   after_each(function()
      cudnn.enabled = true
      cudnn.prefer = false
   end)

   for _, type in ipairs { TYPES[3], TYPES[4] } do
      local kind, limit = unpack(type)
      it('is as on the CPU for each layout, ' .. kind, function()
         for form = 0, 3 do
            local lay = form >= 2 and by_steps or as_it_is
            try(kind, limit, { 2, 4, 128, 128, 64 }, form % 2 == 1, false, lay)
            try(kind, limit, { 2, 2, 130, 130, 128 }, form % 2 == 1, false, lay)
         end
         try(kind, limit, { 2, 4, 100, 140, 40 }, false, false, by_steps)
      end)
      it('leaves to our kernels what its graphs do not express, ' .. kind, function()
         try(kind, limit, { 2, 4, 100, 140, 40 }, true, false, by_steps)
         try(kind, limit, { 2, 4, 128, 64, 64 }, true, false, as_it_is)
         try(kind, limit, { 2, 4, 128, 128, 64 }, true, true, as_it_is)
         try(kind, limit, { 2, 4, 128, 128, 64 }, true, false, far_apart)
         try(kind, limit, { 2, 4, 128, 64, 36 }, false, false, as_it_is)
      end)
   end

   local function operands(d)
      local q = there(torch.FloatTensor(2, 4, 128, d):normal():half())
      local y, lse = torch.attention(q, q, q, 0, true)
      return q, y, lse
   end

   it('takes one kernel for all gradients, and ours where cuDNN is disabled', function()
      if not EMULATED then return pending 'launches are counted on the emulated device' end
      local q, y, lse = operands(64)
      local a, b, c = q:clone(), q:clone(), q:clone()
      local function gradients() torch.attention_grad(a, b, c, q, q, q, y, lse, q, 0, true) end
      gradients()
      assert.equal(1, launches(gradients))
      cudnn.enabled = false
      assert.equal(3, launches(gradients))
      cudnn.enabled, cudnn.prefer = true, false
      assert.equal(3, launches(gradients))
   end)

   it('is computed by our kernels where cuDNN has no plan, or its plan fails', function()
      for _, d in ipairs { 72, 88 } do
         for _ = 1, 2 do try('Half', 4e-3, { 2, 4, 64, 64, d }, true, false, as_it_is) end
         if EMULATED then
            local q, y, lse = operands(d)
            local function gradients() torch.attention_grad(q, q, q, y, lse, q, 0, true) end
            assert.equal(3, launches(gradients))
         end
      end
   end)

   it('takes a scale, and a negative one by our kernels', function()
      for _, scale in ipairs { 0.3, -0.2 } do
         local q = torch.FloatTensor(2, 4, 64, 64):normal():half()
         local want = torch.attention(q, q, q, scale)
         near(want, torch.attention(there(q), there(q), there(q), scale), 4e-3, 'scale ' .. scale)
      end
   end)

   it('gives the same bits each time, and in the replay of a graph', function()
      local q, y, lse = operands(64)
      local function step()
         local out, sums = torch.attention(q, q, q, 0, true)
         local gq, gk, gv = torch.attention_grad(q, q, q, y, lse, q, 0, true)
         return { out, sums, gq, gk, gv }
      end
      local want, record = step(), cutorch.graph(step)
      for _ = 1, 3 do
         local got = record()
         for i = 1, 5 do assert.is_true(torch.equal(want[i], got[i]), i) end
      end
      assert.is_true(torch.equal(y, want[1]))
   end)

   it('is recorded by our kernels where cuDNN has made no plan before', function()
      local q = there(torch.FloatTensor(2, 4, 96, 64):normal():half())
      local want = torch.attention(q:float():host(), q:float():host(), q:float():host())
      local record = cutorch.graph(function() return (torch.attention(q, q, q)) end)
      near(want, record(), 4e-3, 'recorded')
   end)
end)
