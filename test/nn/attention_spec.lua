-- test/nn/attention_spec.lua - attention computes what its formula says, looks where it may, and refuses the rest;
-- the layers that stand beside it.
local torch = require 'torch'
local nn = require 'nn'
local optim = require 'optim'

local checks = require 'test.support.nn.rounding'
local draw, near = checks.draw, checks.near
local refuses = require 'test.support.refuses'

-- One sample, step by step and head by head. sees(t, s): whether query t looks at key s.
local function by_hand(m, q, k, v, sees)
   local size, d = m.size, m.size / m.heads
   local function project(x, which)
      local rows = { which * size + 1, (which + 1) * size }
      return x * m.weight[{ rows }]:t() + m.bias[{ rows }]:view(1, -1):expand(x:size(1), size)
   end
   q, k, v = project(q, 0), project(k, 1), project(v, 2)
   local context = torch.zeros(q:size(1), size)
   for h = 0, m.heads - 1 do
      local part = { h * d + 1, (h + 1) * d }
      for t = 1, q:size(1) do
         local sum = 0
         for s = 1, k:size(1) do
            if sees(t, s) then
               local w = math.exp(q[t][{ part }]:dot(k[s][{ part }]) / math.sqrt(d))
               sum = sum + w
               context[t][{ part }]:add(w, v[s][{ part }])
            end
         end
         if sum > 0 then context[t][{ part }]:div(sum) end
      end
   end
   return context * m.outWeight:t() + m.outBias:view(1, -1):expand(q:size(1), size)
end

local function layer(...)
   local m = nn.MultiHeadAttention(...)
   m.bias:uniform(-1, 1)
   m.outBias:uniform(-1, 1)
   return m
end
local function all() return true end

describe('nn.MultiHeadAttention', function()
   before_each(function() torch.manualSeed(9) end)

   it('is the mean of the values by softmax of the scores, for each head', function()
      local m, x = layer(6, 3), draw(2, 4, 6)
      local y = m:forward(x)
      for b = 1, 2 do near(y[b], by_hand(m, x[b], x[b], x[b], all)) end
      near(m:weights():sum(4), torch.ones(2, 3, 4, 1))
   end)

   it('takes keys and values from elsewhere', function()
      local m, q, k, v = layer(6, 2), draw(3, 6), draw(5, 6), draw(5, 6)
      near(m:forward { q, k, v }, by_hand(m, q, k, v, all))
      near(m:forward { q, k }, by_hand(m, q, k, k, all))
      near(m:forward { q, q, q }, m:forward(q):clone())
   end)

   it('sees nothing later when it is causal; with fewer queries these are the last steps', function()
      local m, x = layer(4, 2, 0, true), draw(5, 4)
      local y = m:forward(x):clone()
      near(y, by_hand(m, x, x, x, function(t, s) return s <= t end))
      near(m:forward { x:narrow(1, 4, 2), x }, y:narrow(1, 4, 2))
      near(m:forward { x:narrow(1, 5, 1), x }, y:narrow(1, 5, 1))
   end)

   it('does not see padding, told by lengths or by a mask', function()
      local m, x = layer(4, 2), draw(2, 4, 4)
      local y = m:forward { x, torch.LongTensor { 3, 4 } }:clone()
      near(y[1], by_hand(m, x[1], x[1], x[1], function(_, s) return s <= 3 end))
      near(y[2], by_hand(m, x[2], x[2], x[2], all))
      near(y, m:forward { x, torch.ByteTensor { { 0, 0, 0, 1 }, { 0, 0, 0, 0 } } })
      local left = m:forward { x, torch.ByteTensor { { 1, 1, 0, 0 }, { 0, 1, 0, 0 } } }
      near(left[1], by_hand(m, x[1], x[1], x[1], function(_, s) return s > 2 end))
   end)

   it('gives the bias where a query sees nothing, and no nan', function()
      local m, x = layer(4, 2, 0, true), draw(3, 4)
      local y = m:forward { x, torch.ByteTensor { 1, 0, 0 } }
      near(y[1], m.outBias)
      local g = m:backward({ x, torch.ByteTensor { 1, 0, 0 } }, torch.ones(3, 4))
      assert.equal(2, #g)
      assert.is_true(g[1]:norm() > 0 and g[1]:norm() < 1e3)
      assert.equal('torch.ByteTensor', g[2]:type())
   end)

   it('drops weights in training only', function()
      local m, x = layer(8, 2, 0.5), draw(6, 8)
      local a, b = m:forward(x):clone(), m:forward(x):clone()
      assert.is_true((a - b):norm() > 0)
      m:evaluate()
      near(m:forward(x), by_hand(m, x, x, x, all))
   end)

   it('multiplies weights by 0 or 1 / (1 - dropout), on the mean by 1', function()
      local m = nn.MultiHeadAttention(16, 1, 0.25)
      for _, p in ipairs { m.weight, m.outWeight } do p:zero() end
      m.weight:narrow(1, 33, 16):copy(torch.eye(16))          -- values and the output are the input
      m.outWeight:copy(torch.eye(16))
      local query, values = torch.zeros(2000, 16), torch.eye(16):mul(16)
      local y = m:forward { query, values, values }
      local kept = y:gt(0):double()
      near(kept * (4 / 3), y)
      assert.near(0.75, kept:mean(), 0.01)
      near(m:weights(), torch.Tensor(1, 1, 2000, 16):fill(1 / 16))
   end)

   it('draws what it drops from the generator; the gradient is that of the same weights', function()
      for _, case in ipairs { { layer(6, 2, 0.4, true), draw(2, 5, 6) },
         { layer(514, 2, 0.4), draw(3, 514) },
         { layer(6, 3, 0.4), draw(2, 5, 6), torch.LongTensor { 5, 3 } } } do
         local m, x, hint = unpack(case)
         local input, g = hint and { x, hint } or x, draw(unpack(x:size():totable()))
         local function run()
            torch.manualSeed(3)
            return m:forward(input)
         end
         local y = run():clone()
         assert.is_true(torch.equal(y, run()))
         assert.is_true((m:forward(input) - y):norm() > 0)
         m:zeroGradParameters()
         run()
         local slope = m:backward(input, g)
         slope = (torch.isTensor(slope) and slope or slope[1]):clone():view(-1)
         local function check(place, gradient)
            for _ = 1, 6 do
               local at = torch.random(1, place:size(1))
               local kept = place[at]
               place[at] = kept + 1e-5
               local up = torch.cmul(run(), g):sum()
               place[at] = kept - 1e-5
               local down = torch.cmul(run(), g):sum()
               place[at] = kept
               assert.near((up - down) / 2e-5, gradient[at], 1e-6)
            end
         end
         check(x:view(-1), slope)
         check(m.weight:view(-1), m.gradWeight:view(-1))
         check(m.bias, m.gradBias)
      end
   end)

   it('keeps the seed for the gradient when others draw, also in a copy', function()
      local m, x, g = layer(4, 2, 0.5), draw(5, 4), draw(5, 4)
      m:forward(x)
      local want = m:backward(x, g):clone()
      torch.random()
      local copy = torch.deserialize(torch.serialize(m))
      near(want, copy:backward(x, g), 0)
      near(want, m:backward(x, g), 0)
      m._seed, m._pass, m.lse = nil, nil, nil             -- as earlier versions saved modules
      assert.same(x:size():totable(), m:forward(x):size():totable())
      for _, kind in ipairs { 'torch.FloatTensor', 'torch.HalfTensor', 'torch.BFloat16Tensor' } do
         torch.manualSeed(4)
         local y = m:forward(x)
         torch.manualSeed(4)
         local h = m:clone():type(kind)
         near(y, h:forward(x:type(kind)):double(), 0.1)
         near(m:backward(x, g), h:backward(x:type(kind), g:type(kind)):double(), 0.1)
      end
      m:clearState()
      refuses('backward needs the forward before it', m.backward, m, x, g)
   end)

   it('has the weights of the last forward, zero where a step is hidden', function()
      local m, x = layer(6, 2, 0, true), draw(2, 3, 6)
      m:forward { x, torch.LongTensor { 3, 2 } }
      local w = m:weights():clone()
      near(w:sum(4), torch.ones(2, 2, 3, 1))
      for t = 1, 3 do
         for s = 1, 3 do assert.equal(s <= t, w[1][1][t][s] > 0) end
      end
      assert.equal(0, w[{ 2, {}, {}, 3 }]:norm())
      refuses('weights needs the forward before it', m.weights, layer(6, 2))
   end)

   it('takes heads of more than 256 features, with a matrix of weights', function()
      local large, z, g = layer(257, 1, 0, true), draw(2, 3, 257), draw(2, 3, 257)
      local function earlier(t, s) return s <= t end
      for b = 1, 2 do
         near(large:forward(z)[b], by_hand(large, z[b], z[b], z[b], earlier), 1e-12)
      end
      local padded = { z, torch.LongTensor { 3, 2 } }
      large:forward(padded)
      near(large:weights():sum(4), torch.ones(2, 1, 3, 1))
      local slope, most = large:backward(padded, g)[1]:view(-1), 0
      for i = 1, 6 do
         local x, at = z:view(-1), 257 * (i - 1) + i
         local kept = x[at]
         x[at] = kept + 1e-5
         local up = torch.cmul(large:forward(padded), g):sum()
         x[at] = kept - 1e-5
         local down = torch.cmul(large:forward(padded), g):sum()
         x[at] = kept
         most = math.max(most, math.abs((up - down) / 2e-5 - slope[at]))
      end
      assert.is_true(most < 1e-6, most)
   end)

   it('takes 20000 steps, whose matrix of weights would have 3.2 GB', function()
      local m = nn.MultiHeadAttention(2, 1, 0, true):float()
      local x = torch.FloatTensor(20000, 2):fill(1)
      local y = m:forward(x)
      assert.is_true((y[1] - y[20000]):norm() < 1e-4, (y[1] - y[20000]):norm())
   end)

   it('needs memory that grows with the steps, not with their square, with dropout too', function()
      local function bytes(steps)
         local m = nn.MultiHeadAttention(2, 1, 0.5, true):float()
         local x = torch.FloatTensor(steps, 2):fill(1)
         collectgarbage()
         local before = torch.memory().bytes
         m:forward(x)
         m:backward(x, x)
         return torch.memory().bytes - before
      end
      local few, many = bytes(500), bytes(4000)         -- a matrix would have 1 and 64 MB
      assert.is_true(many < 9 * few and many < 2e6, ('%g and %g bytes'):format(few, many))
   end)

   it('learns to find the first step', function()
      local m = nn.Sequential():add(nn.MultiHeadAttention(8, 2, 0, true)):add(nn.GELU()):add(nn.LayerNormalization(8))
         :add(nn.Bottle(nn.Linear(8, 8)))
      local criterion, x = nn.MSECriterion(), draw(4, 6, 8)
      x:select(3, 1):copy(torch.range(1, 6):div(6):view(1, 6):expand(4, 6))
      local target = x:narrow(2, 1, 1):expandAs(x):clone()
      local params, grads = m:getParameters()
      local first, last, config = nil, nil, { learningRate = 0.02 }
      for _ = 1, 200 do
         grads:zero()
         last = criterion:forward(m:forward(x), target)
         first = first or last
         m:backward(x, criterion:backward(m.output, target))
         optim.adam(function() return last, grads end, params, config)
      end
      assert.is_true(last < first / 5, last)
   end)

   it('refuses sizes, inputs, lengths and masks that do not fit', function()
      refuses('nn.MultiHeadAttention: heads must divide size, got 3 and 4', nn.MultiHeadAttention, 4, 3)
      refuses('size must be a whole number of at least 1, got nil', nn.MultiHeadAttention)
      refuses('dropout must lie in 0..1, 1 excluded, got 1', nn.MultiHeadAttention, 4, 2, 1)
      local m, x = layer(4, 2, 0, true), draw(2, 3, 4)
      refuses('nn.MultiHeadAttention(4, 2 heads, causal): input must be a torch.DoubleTensor of samples x steps x 4 or steps x 4, '
         .. 'got 2x3x5', m.forward, m, draw(2, 3, 5))
      refuses('got a torch.FloatTensor', m.forward, m, x:float())
      refuses('input 2 must be', m.forward, m, { x, draw(3, 3, 4) })
      refuses('input 3 must have 3 steps, got 2x4x4', m.forward, m, { x, x, draw(2, 4, 4) })
      refuses('input 1 must have at most 2 steps, as the keys, got 2x3x4', m.forward, m, { x, draw(2, 2, 4) })
      refuses('lengths must be a LongTensor of 2 numbers of 0..3, got 2', m.forward, m, { x, torch.LongTensor { 4, 1 } })
      refuses('padding must be a ByteTensor of 2 x 3, got 2x2', m.forward, m, { x, torch.ByteTensor(2, 2):zero() })
      refuses('backward needs the forward before it', m.backward, m, x, x)
      m:forward(x)
      refuses('gradOutput must have the shape of the output, got 2x3', m.backward, m, x, draw(2, 3))
   end)
end)

describe('nn.LayerNormalization', function()
   it('is what the modules inside say', function()
      torch.manualSeed(3)
      local m, x, g = nn.LayerNormalization(5, 0.5, 1e-2), draw(4, 5), draw(4, 5)
      m:get(5).weight:uniform(-1, 1)
      local plain = nn.Sequential()
      for i = 1, 6 do plain:add(m:get(i):clone()) end
      near(m:forward(x), plain:forward(x))
      m:zeroGradParameters()
      plain:zeroGradParameters()
      near(m:backward(x, g), plain:backward(x, g))
      local _, a = m:parameters()
      local _, b = plain:parameters()
      for i = 1, 2 do near(a[i], b[i]) end
   end)
   it('refuses rows of another size', function()
      refuses('nOutput must be a whole number of at least 1, got a number (0)', nn.LayerNormalization, 0)
      local m = nn.LayerNormalization(4)
      refuses('input must have rows of 4 elements, got 2x3', m.forward, m, draw(2, 3))
   end)
end)

describe('nn.ClippedReLU', function()
   it('refuses a limit that is none', function()
      refuses('nn.ClippedReLU: clip must be positive, got -1', nn.ClippedReLU, -1)
      refuses('nn.ClippedReLU: clip must be a number, got string', nn.ClippedReLU, 'x')
   end)
   it('works in place', function()
      local x = torch.Tensor { -1, 3, 30 }
      assert.same({ 0, 3, 20 }, nn.ClippedReLU(20, true):forward(x):totable())
      assert.same({ 0, 3, 20 }, x:totable())
   end)
end)
