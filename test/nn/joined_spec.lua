-- test/nn/joined_spec.lua - modules of a Sequential that one op computes: all fields are as after
-- the modules one by one.
local torch = require 'torch'
local nn = require 'nn'
local types = { 'torch.FloatTensor', 'torch.DoubleTensor', 'torch.HalfTensor' }

local function chain(...)
   local net = nn.Sequential()
   for _, m in ipairs { ... } do net:add(m) end
   return net
end

-- The modules of a Sequential one after the other, each by its methods.
local function forward(net, x)
   for _, m in ipairs(net.modules) do x = m:updateOutput(x) end
   return x
end
local function backward(net, x, g, scale)
   for i = #net.modules, 1, -1 do
      g = net.modules[i]:backward(i > 1 and net.modules[i - 1].output or x, g, scale)
   end
   return g
end

-- What a pass leaves behind, without empty buffers.
local FIELDS = { 'output', 'gradInput', 'running_mean', 'running_var', 'gradWeight', 'gradBias',
   'save_mean', 'save_std' }
local function plain(v)
   if torch.isTensor(v) then return v:nElement() > 0 and v:totable() or nil end
   if type(v) ~= 'table' then return v end
   local t = {}
   for k, part in pairs(v) do t[k] = plain(part) end
   return t
end
local function fields(net)
   local all = {}
   for i, m in ipairs(net:listModules()) do
      all[i] = { torch.type(m) }
      for _, name in ipairs(FIELDS) do all[i][name] = i > 1 and plain(m[name]) or nil end
   end
   return all
end

-- How often each op of a list ran while f did.
local function counted(names, f)
   local counts, kept = {}, {}
   for _, name in ipairs(names) do
      counts[name], kept[name] = 0, torch[name]
      rawset(torch, name, function(...)
         counts[name] = counts[name] + 1
         return kept[name](...)
      end)
   end
   local ok, why = pcall(f)
   for name, op in pairs(kept) do rawset(torch, name, op) end
   assert(ok, why)
   return counts
end

local function same_as_apart(make, draw, kind, train)
   torch.manualSeed(3)
   local together = make():type(kind)
   if not train then together:evaluate() end
   local apart = together:clone()
   for pass = 1, 2 do
      local x = draw(kind)
      local x2 = plain(x) and torch.deserialize(torch.serialize(x))
      local y = together:forward(x)
      assert.same(plain(forward(apart, x2)), plain(y))
      assert.equal(y, together.output)
      local g = y:clone():uniform(-1, 1)
      local g2 = g:clone()
      together:zeroGradParameters()
      apart:zeroGradParameters()
      local gx = together:backward(x, g, 0.5)
      assert.same(plain(backward(apart, x2, g2, 0.5)), plain(gx))
      assert.same(plain(g2), plain(g))                     -- both changed it in place
      assert.same(fields(apart), fields(together), ('pass %d'):format(pass))
   end
end

local function images(kind) return torch.FloatTensor(4, 3, 5, 4):uniform(-1, 1):type(kind) end
local function rows(kind) return torch.FloatTensor(9, 3):uniform(-1, 1):type(kind) end
local function pair(kind) return { images(kind), images(kind) } end

describe('nn.Sequential', function()
   for _, kind in ipairs(types) do
      for _, train in ipairs { true, false } do
         local what = 'computes a batch normalization and an in-place ReLU as one by one, '
         it(what .. kind .. ', train = ' .. tostring(train), function()
            local function planes()
               return chain(nn.SpatialBatchNormalization(3), nn.ReLU(true))
            end
            same_as_apart(planes, images, kind, train)
            local function several()
               return chain(nn.SpatialConvolution(3, 4, 3, 3),
                  nn.SpatialBatchNormalization(4, nil, nil, false), nn.Threshold(0, 0, true),
                  nn.SpatialBatchNormalization(4), nn.ReLU(true), nn.Tanh())
            end
            same_as_apart(several, images, kind, train)
            local function features() return chain(nn.BatchNormalization(3), nn.ReLU(true)) end
            same_as_apart(features, rows, kind, train)
         end)
      end
      it('computes the sum of two branches and an in-place ReLU as one by one, ' .. kind, function()
         for _, inplace in ipairs { true, false } do
            local function sum() return chain(nn.CAddTable(inplace), nn.ReLU(true)) end
            same_as_apart(sum, pair, kind, true)
         end
      end)
      it('computes a residual block as one by one, ' .. kind, function()
         local function block()
            local path = chain(nn.SpatialBatchNormalization(3), nn.ReLU(true),
               nn.SpatialConvolution(3, 3, 1, 1))
            return chain(nn.ConcatTable():add(path):add(nn.Identity()), nn.CAddTable(true),
               nn.ReLU(true))
         end
         same_as_apart(block, images, kind, true)
      end)
   end

   it('runs one op forward and one back for them', function()
      local net = chain(nn.SpatialBatchNormalization(3), nn.ReLU(true)):float()
      local x = images 'torch.FloatTensor'
      local counts = counted({ 'batchnorm', 'batchnorm_grad', 'threshold', 'threshold_grad' },
         function()
         net:forward(x)
         net:backward(x, net.output:clone())
      end)
      assert.same({ batchnorm = 1, batchnorm_grad = 1, threshold = 0, threshold_grad = 0 }, counts)
      local sum = chain(nn.CAddTable(true), nn.ReLU(true)):float()
      assert.same({ addrelu = 1, threshold = 0 },
         counted({ 'addrelu', 'threshold' }, function() sum:forward(pair 'torch.FloatTensor') end))
   end)

   it('leaves alone a ReLU that keeps its input, another threshold, and three branches', function()
      for _, last in ipairs { nn.ReLU(), nn.Threshold(0.1, 0, true), nn.ReLU6(true) } do
         local net = chain(nn.SpatialBatchNormalization(3), last):float()
         local x = images 'torch.FloatTensor'
         local want = torch.batchnorm(x, net:get(1).weight, net:get(1).bias, nil, nil, true)
         assert.same(last:clone():forward(want:clone()):totable(), net:forward(x):totable())
         if not last.inplace then assert.same(want:totable(), net:get(1).output:totable()) end
      end
      local net = chain(nn.CAddTable(), nn.ReLU(true)):float()
      local t = images 'torch.FloatTensor'
      assert.same(torch.threshold(t * 3, 0, 0):totable(), net:forward { t, t, t }:totable())
   end)

   it('calls methods that a program has replaced, in an object or in a class', function()
      local calls = 0
      local function watched(f)
         return function(...)
            calls = calls + 1
            return f(...)
         end
      end
      local x = images 'torch.FloatTensor'
      local function pass(change)
         local net = chain(nn.SpatialBatchNormalization(3), nn.ReLU(true)):float()
         change(net)
         net:forward(x)
         net:backward(x, net.output:clone())
      end
      pass(function(net) net:get(1).updateOutput = watched(net:get(1).updateOutput) end)
      assert.equal(1, calls)
      pass(function(net) net:get(2).updateGradInput = watched(net:get(2).updateGradInput) end)
      assert.equal(2, calls)
      pass(function(net) net:get(1).backward = watched(net:get(1).backward) end)
      assert.equal(3, calls)
      local kept = nn.Threshold.updateOutput
      nn.Threshold.updateOutput = watched(kept)
      local ok, why = pcall(pass, function() end)
      nn.Threshold.updateOutput = kept
      assert(ok, why)
      assert.equal(4, calls)
   end)

   it('takes the gradient of an expanded tensor, and of one that is not contiguous', function()
      local function net() return chain(nn.BatchNormalization(3), nn.ReLU(true)):double() end
      torch.manualSeed(4)
      local one = net()
      local two, x = one:clone(), rows 'torch.DoubleTensor'
      one:forward(x)
      forward(two, x)
      local g = torch.DoubleTensor(3, 9):uniform(-1, 1)
      assert.same(backward(two, x, g:clone():t(), 1):totable(),
         one:backward(x, g:clone():t(), 1):totable())
   end)

   it('names the module that fails', function()
      local net = chain(nn.SpatialBatchNormalization(3), nn.ReLU(true)):float()
      local sum = chain(nn.CAddTable(true), nn.ReLU(true)):float()
      local few, doubles = torch.FloatTensor(4, 2, 5, 4), torch.DoubleTensor(4, 3, 5, 4):zero()
      for _, bad in ipairs { few, doubles, 5, { few, doubles }, { few, 5 }, {}, 'x' } do
         for _, m in ipairs { net, sum } do
            local ok, why = pcall(m.forward, m, bad)
            if m == net or bad ~= few then
               assert.is_false(ok)
               assert.truthy(why:find('In 1 module of nn.Sequential:', 1, true), why)
            end
         end
      end
      net:forward(images 'torch.FloatTensor')
      local ok, why = pcall(net.backward, net, images 'torch.FloatTensor', torch.FloatTensor(2, 2))
      assert.is_false(ok)
      assert.truthy(why:find('module of nn.Sequential:', 1, true), why)
   end)

   it('looks through nn.DontCast without conversions', function()
      local x = images 'torch.HalfTensor'
      local bn = nn.SpatialBatchNormalization(3):float()
      local net = chain(nn.DontCast(bn,
         false), nn.ReLU(true)):type 'torch.HalfTensor'
      local counts = counted({ 'batchnorm', 'threshold' }, function() net:forward(x) end)
      assert.same({ batchnorm = 1, threshold = 0 }, counts)
      assert.equal('torch.FloatTensor', bn.weight:type())
      assert.equal('torch.HalfTensor', net.output:type())
      local g = net:backward(x, net.output:clone())
      assert.equal('torch.HalfTensor', g:type())
      assert.equal(g, net:get(1).gradInput)
      assert.equal(bn.output, net:get(1).output)
   end)
end)

describe('nn.ConcatTable', function()
   it('adds the gradient of an nn.Identity without a copy before', function()
      local net = nn.ConcatTable():add(nn.Linear(3, 3)):add(nn.Identity()):float()
      local x, g = rows 'torch.FloatTensor', { rows 'torch.FloatTensor', rows 'torch.FloatTensor' }
      net:forward(x)
      local want = g[1] * net:get(1).weight + g[2]
      local given = g[2]:totable()
      for _ = 1, 2 do
         local gx = net:backward(x, g)
         assert.is_true((gx - want):abs():max() < 1e-6)
         assert.same(given, g[2]:totable())
         assert.equal(g[2], net:get(2).gradInput)
      end
   end)

   -- A residual block before a normalization, and a reference whose backward passes are the parts.
   local function blocks(kind, make)
      torch.manualSeed(8)
      local one = make():type(kind)
      local two = one:clone()
      two.backward = function(self, x, g, scale)
         local sum = self:updateGradInput(x, g)
         self:accGradParameters(x, g, scale)
         return sum
      end
      return one, two
   end
   local function short(kind) return torch.FloatTensor(5, 8):uniform(-1, 1):type(kind) end

   for _, kind in ipairs(types) do
      it('adds the gradient of a normalization to that of the other branch, ' .. kind, function()
         local one, two = blocks(kind, function()
            local path = chain(nn.LayerNormalization(8), nn.Linear(8, 8), nn.ReLU(true))
            return nn.ConcatTable():add(nn.Identity()):add(path)
         end)
         local x = short(kind)
         for _ = 1, 2 do
            local g = { short(kind), short(kind) }
            one:forward(x)
            two:forward(x)
            one:zeroGradParameters()
            two:zeroGradParameters()
            local given = g[1]:totable()
            local got
            local counts = counted({ 'add', 'layernorm_grad_sum' }, function()
               got = one:backward(x, g)
            end)
            assert.same({ add = 0, layernorm_grad_sum = 1 }, counts)
            assert.same(two:backward(x, { g[1]:clone(), g[2]:clone() }):totable(), got:totable())
            assert.same(given, g[1]:totable())
            assert.same(two:get(2).gradInput:totable(), one:get(2).gradInput:totable())
            local _, grads = one:parameters()
            for i, want in ipairs(select(2, two:parameters())) do
               assert.same(want:totable(), grads[i]:totable(), i)
            end
         end
      end)
   end

   it('copies the first gradient where the other branch works in its memory', function()
      local one, two = blocks('torch.FloatTensor', function()
         local path = chain(nn.LayerNormalization(8), nn.ReLU(true))
         return nn.ConcatTable():add(nn.Identity()):add(path)
      end)
      local x, g = short 'torch.FloatTensor', short 'torch.FloatTensor'
      one:forward(x)
      two:forward(x)
      local g2 = g:clone()
      assert.same(two:backward(x, { g2, g2 }):totable(), one:backward(x, { g, g }):totable())
      assert.same(g2:totable(), g:totable())
   end)

   it('takes branches that cannot add, or whose methods a program has replaced', function()
      for _, change in ipairs {
         function(path) path.backward = function(...) return nn.Sequential.backward(...) end end,
         function(path)
            local kept = path:get(1).updateGradInput
            path:get(1).updateGradInput = function(...) return kept(...) end
         end,
         function(path) path:remove(1) end,
         function(path) path:remove(1) path:remove(1) end,
      } do
         local one, two = blocks('torch.FloatTensor', function()
            local path = chain(nn.LayerNormalization(8), nn.Linear(8, 8))
            return nn.ConcatTable():add(nn.Identity()):add(path)
         end)
         change(one:get(2))
         change(two:get(2))
         local kind = 'torch.FloatTensor'
         local x, g = short(kind), { short(kind), short(kind) }
         one:forward(x)
         two:forward(x)
         assert.same(two:backward(x, g):totable(), one:backward(x, g):totable())
      end
   end)

   it('sums what modules give whose gradInputs share memory, as some programs let them', function()
      local net = nn.ConcatTable():add(nn.MulConstant(2)):add(nn.MulConstant(3))
      net = net:add(nn.Identity()):float()
      local x, one = rows 'torch.FloatTensor', rows('torch.FloatTensor'):fill(1)
      net:forward(x)
      local shared = torch.FloatStorage(27)
      for i = 1, 2 do net:get(i).gradInput = torch.FloatTensor(shared, 1, 9, 3) end
      assert.same(torch.FloatTensor(9, 3):fill(6):totable(),
         net:updateGradInput(x, { one, one, one }):totable())
   end)

   it('takes a first module without a gradient', function()
      local net = nn.ConcatTable():add(nn.Identity()):add(nn.Identity()):float()
      net:get(1).updateGradInput = function() return nil end
      local x = rows 'torch.FloatTensor'
      net:forward(x)
      assert.same(x:totable(), net:updateGradInput(x, { x, x }):totable())
   end)
end)
