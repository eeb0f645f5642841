-- test/cuda/graph_spec.lua - a replayed CUDA graph has the same effect as running the function.
-- runs once, on the plain build: the device does not depend on the level
local torch = require 'torch'
local nn = require 'nn'
local optim = require 'optim'
local idx = require 'examples.lib.idx'
local worker = require 'torch.worker'
local refuses = require 'test.support.refuses'
local device = require 'test.support.cuda.device'

if device.missing('CUDA graphs', describe, pending) then return end
local cutorch = device.cutorch

local BATCH = 8

local function batch(number)
   local images, labels = idx.readPair('data/digits-images-idx3-ubyte', 'data/digits-labels-idx1-ubyte')
   local first = number * BATCH + 1
   return images:narrow(1, first, BATCH):float():view(BATCH, 1, 8, 8):div(16):cuda(),
      labels:narrow(1, first, BATCH):long():add(1):cudaLong()
end

-- Convolutions, pooling, normalisation, a hidden layer: LeCun et al. (1998), for images of 8 x 8.
local function lenet(dropout)
   torch.manualSeed(3)
   local net = nn.Sequential()
      :add(nn.SpatialConvolution(1, 4, 3, 3, 1, 1, 1, 1)):add(nn.SpatialBatchNormalization(4)):add(nn.ReLU())
      :add(nn.SpatialMaxPooling(2, 2)):add(nn.View(64):setNumInputDims(3)):add(nn.Linear(64, 16)):add(nn.Tanh())
   if dropout then net:add(nn.Dropout(0.5)) end
   return net:add(nn.Linear(16, 10)):add(nn.LogSoftMax()):cuda()
end

-- A step of training, its parameters and the optimizer's state.
local function trainer(method, options, dropout)
   local net, criterion = lenet(dropout), nn.ClassNLLCriterion():cuda()
   local parameters, gradients = net:getParameters()
   local state = {}
   for k, v in pairs(options) do state[k] = v end
   local function step(x, target)
      local loss
      optim[method](function()
         gradients:zero()
         local y = net:forward(x)
         loss = criterion:forward(y, target)
         net:backward(x, criterion:backward(y, target))
         return loss, gradients
      end, parameters, state)
      return loss, net.output
   end
   return step, parameters, state, net
end

local function number(x) return torch.isTensor(x) and x[1] or x end

-- Losses, parameters and state after so many steps on two batches; between steps, begin(step, state).
local function run(method, options, graph, steps, dropout, begin)
   local step, parameters, state, net = trainer(method, options, dropout)
   if graph then step = cutorch.graph(step) end
   cutorch.manualSeed(5)
   local data, losses = { { batch(0) }, { batch(1) } }, {}
   for k = 1, steps do
      if begin then begin(k, state) end
      losses[k] = number((step(unpack(data[k % 2 + 1]))))
   end
   return losses, parameters:float(), state, net, step
end

local METHODS = {
   { 'sgd', { learningRate = 1, learningRateDecay = 0.01 }, 'evalCounter' },
   { 'sgd', { learningRate = 0.1, momentum = 0.9, dampening = 0, nesterov = true, weightDecay = 1e-3 }, 'evalCounter' },
   { 'adam', { learningRate = 0.01, learningRateDecay = 0.1 }, 't' },
   { 'adamw', { learningRate = 0.01 }, 't' },
   { 'rmsprop', { learningRate = 0.01 } },
}

describe('a step of training in a CUDA graph', function()
   for _, m in ipairs(METHODS) do
      it(('is bit for bit the step that runs, 20 times, with %s%s'):format(m[1], m[2].momentum and ' and momentum' or ''), function()
         local losses, parameters, state = run(m[1], m[2], false, 20)
         local theirs, others, kept = run(m[1], m[2], true, 20)
         assert.same(losses, theirs)
         assert.is_true(parameters:equal(others))
         assert.equal(state[m[3]], kept[m[3]])
         assert.is_true(losses[20] < 0.9 * losses[1])
      end)
   end

   it('takes the learning rate that stands in the options when it is replayed', function()
      local function fall(k, state) state.learningRate = 0.1 / k end
      for _, m in ipairs{ METHODS[2], METHODS[3] } do
         local _, parameters = run(m[1], m[2], false, 8, false, fall)
         local _, others = run(m[1], m[2], true, 8, false, fall)
         assert.is_true(parameters:equal(others))
      end
   end)

   it('takes small learning rates with halves', function()
      local function half(v) return torch.CudaTensor(64):fill(v):type('torch.CudaHalfTensor') end
      for _, rates in ipairs{ false, half(0.5) } do
         local x, y, state, other = half(0.01), half(0.01), {}, {}
         local config = { learningRate = 1e-8, learningRates = rates or nil }
         local f = cutorch.graph(function(g) optim.sgd(function() return 0, g end, x, config, state) end)
         for _ = 1, 4 do
            f(half(30000))
            optim.sgd(function() return 0, half(30000) end, y, config, other)
         end
         assert.is_true(x:float():max() < 0.0096)
         assert.is_true((x:float() - y:float()):abs():max() < 2e-5)
      end
   end)

   it('drops others in every replay, those that the seed says', function()
      local _, parameters = run('sgd', METHODS[2][2], false, 10, true)
      local _, others, _, net, step = run('sgd', METHODS[2][2], true, 10, true)
      assert.is_true(parameters:equal(others))
      assert.equal(1, (step:count()))
      local noise = net:findModules 'nn.Dropout'[1].noise
      local x, target = batch(0)
      local function draw()
         step(x, target)
         return noise:float()
      end
      local first, second = draw(), draw()
      assert.is_false(first:equal(second))
      cutorch.manualSeed(9)
      first = draw()
      cutorch.manualSeed(9)
      second = draw()
      assert.is_true(first:equal(second))
   end)

   it('is recorded for batches of two sizes: the graphs do not meet', function()
      local step, parameters = trainer('sgd', METHODS[2][2])
      local plain, others = trainer('sgd', METHODS[2][2])
      step = cutorch.graph(step)
      local x, target = batch(0)
      for k = 1, 8 do
         local n = k % 2 == 0 and BATCH or BATCH - 3
         local a, b = x:narrow(1, 1, n), target:narrow(1, 1, n)
         assert.equal(number((plain(a, b))), number((step(a, b))))
      end
      assert.is_true(parameters:equal(others))
      assert.equal(2, (step:count()))
   end)

   it('leaves counts of steps and random numbers as they are when the graph is not launched', function()
      local first, second, last = {}, {}, {}
      local function config() return { learningRate = 0.1, learningRateDecay = 0.1 } end
      local a, b, c = config(), config(), config()
      local x, y, z, noise = torch.CudaTensor{ 1 }, torch.CudaTensor{ 1 }, torch.CudaTensor{ 1 }, torch.CudaTensor(3)
      local f = cutorch.graph(function(g)
         for _ = 1, 2 do optim.sgd(function() return 0, g end, x, a, first) end
         optim.adam(function() return 0, g end, y, b, second)
         optim.sgd(function() return 0, g end, z, c, last)
         noise:normal()
      end)
      local g = torch.CudaTensor{ 1 }
      for _ = 1, 3 do f(g) end
      local function counts() return { first.evalCounter, second.t, last.evalCounter, x[1], y[1], z[1], noise:totable() } end
      local before, state = counts(), cutorch.getRNGState()
      assert.same({ 6, 3, 3 }, { unpack(before, 1, 3) })
      c.learningRate = 'fast'
      assert.is_false(pcall(f, g))
      c.learningRate = 0.1
      local need, G = require 'cutorch.need', require 'cutorch.backend'.C
      local call = need.call
      function need.call(who, what, ...)                     -- a launch that fails
         if what == G.th_cuda_graph_launch then error 'cutorch.graph: CUDA: unspecified launch failure' end
         return call(who, what, ...)
      end
      local ok, why = pcall(f, g)
      need.call = call
      assert.is_true(not ok and why:find('unspecified launch failure', 1, true) ~= nil)
      assert.same(before, counts())
      assert.is_true(state:equal(cutorch.getRNGState()))
      f(g)
      assert.same({ 8, 4, 4 }, { first.evalCounter, second.t, last.evalCounter })
   end)

   it('leaves the random numbers where running leaves them', function()
      local function after(graph)
         cutorch.manualSeed(4)
         local function draw()
            return torch.CudaTensor(7):uniform(), torch.CudaTensor(6):normal(), torch.CudaByteTensor(3):bernoulli(0.5)
         end
         if graph then draw = cutorch.graph(draw) end
         for _ = 1, 3 do draw() end
         local a, b = draw()
         return torch.cat(torch.cat(a, b), torch.CudaTensor(5):uniform()):float()
      end
      assert.is_true(after(false):equal(after(true)))
   end)

   it('draws the normal numbers that running draws, also of odd counts and where half a pair waits', function()
      local LISTS = { { 1 }, { 3 }, { 6 }, { 1, 2, 4 }, { 5, 1, 1, 8 }, { 2, 7 }, { 0, 3, 0 } }
      for _, ty in ipairs{ 'torch.CudaTensor', 'torch.CudaDoubleTensor', 'torch.CudaHalfTensor' } do
         for _, list in ipairs(LISTS) do
            for before = 0, 2 do
               local function after(graph)
                  cutorch.manualSeed(11)
                  torch.CudaTensor(before):normal()
                  local total = 0
                  for _, n in ipairs(list) do total = total + n end
                  local y, tail, u = torch.CudaTensor(total):type(ty), torch.CudaTensor(2, 3):type(ty), torch.CudaTensor(3)
                  local function draw()
                     local at = 1
                     for i, n in ipairs(list) do
                        if n > 0 then
                           local part = y:narrow(1, at, n)
                           if i % 2 == 1 then part:normal(1, 2) else part:logNormal(2, 1) end
                        end
                        at = at + n
                     end
                     u:uniform()
                     tail:t():normal()
                  end
                  if graph then draw = cutorch.graph(draw) end
                  local all = {}
                  for k = 1, 4 do
                     draw()
                     all[k] = { y:totable(), u:totable(), tail:totable() }
                     if k == 2 then all.alone = torch.CudaTensor(1):normal():totable() end
                  end
                  all.over = torch.CudaTensor(5):normal():totable()
                  return all
               end
               assert.same(after(false), after(true))
            end
         end
      end
   end)

   it('is recorded anew for other sizes, and keeps as many graphs as were allowed', function()
      local calls = 0
      local double = cutorch.graph(function(x)
         calls = calls + 1
         return x * 2
      end, { most = 2 })
      for round = 1, 4 do
         for n = 1, 2 do
            local x = torch.range(round, round + n)
            assert.same((x * 2):totable(), double(x:cuda()):totable())
         end
      end
      assert.equal(4, calls)
      assert.equal(2, (double:count()))
      local x = torch.CudaTensor{ 1, 2, 3, 4 }
      double(x)
      assert.same({ 2, 4, 6, 8 }, double(x):totable())
      assert.equal(2, (double:count()))
      assert.same({ 2, 4, 6, 8 }, double(torch.CudaDoubleTensor{ 1, 2, 3, 4 }):totable())        -- another type
      assert.equal(7, calls)
   end)

   it('takes tables of tensors and other values, with a separate graph for each value', function()
      local f = cutorch.graph(function(t, by, name) return { sum = (t[1] + t.other) * by, name = name } end)
      local a, b = torch.CudaTensor{ 1, 2 }, torch.CudaTensor{ 3, 5 }
      for k = 1, 3 do
         local r = f({ a * k, other = b }, 2, 'x')
         assert.same({ 2 * (k + 3), 2 * (2 * k + 5) }, r.sum:totable())
         assert.equal('x', r.name)
         assert.same({ 12, 21 }, f({ a, other = b }, 3, 'x').sum:totable())
      end
      assert.equal(2, (f:count()))
   end)

   it('gives losses of differences, clips gradients, and works in a graph around it', function()
      local x, t = torch.CudaTensor{ 1, 2.5, -3 }, torch.CudaTensor{ 1, 1, 1 }
      for _, name in ipairs{ 'MSECriterion', 'AbsCriterion', 'SmoothL1Criterion' } do
         local criterion = nn[name]():cuda()
         local inner = cutorch.graph(function(a, b) return criterion:forward(a, b), criterion:backward(a, b) end)
         local outer = cutorch.graph(function(a, b) return inner(a, b) end)
         local loss, g = outer(x, t)
         g = g:float()
         local l2, g2 = outer(x, t)
         assert.near(loss, l2[1], 1e-6)
         assert.is_true(g:equal(g2:float()))
      end
      for _, most in ipairs{ 1, 100 } do
         local clip = cutorch.graph(function(g)
            g = g:clone()
            return optim.clipGradNorm({ g:narrow(1, 1, 1), g:narrow(1, 2, 1) }, most), g
         end)
         local norm, g = clip(torch.CudaTensor{ 3, 4 })
         g = g:float()
         local n2, g2 = clip(torch.CudaTensor{ 3, 4 })
         assert.equal(5, norm)
         assert.near(5, n2[1], 1e-6)
         assert.is_true((g - g2:float()):abs():max() < 1e-6)
      end
   end)

   it('gives losses the bits that they have outside', function()
      local x, t = torch.CudaTensor(64, 10):uniform(), torch.CudaTensor(64, 10):uniform()
      for _, name in ipairs{ 'MSECriterion', 'AbsCriterion', 'SmoothL1Criterion' } do
         local criterion = nn[name]():cuda()
         local f = cutorch.graph(function(a, b) return criterion:forward(a, b) end)
         local want = f(x, t)
         assert.equal(want, f(x, t)[1])
      end
   end)

   it('clips gradients of halves whose squares are too large for halves', function()
      local function halves() return torch.CudaTensor(1000):fill(300):type('torch.CudaHalfTensor') end
      local clip = cutorch.graph(function(g)
         g = g:clone()
         return g, optim.clipGradNorm(g, 1)
      end)
      local want, norm = clip(halves())
      local g, there = clip(halves())
      assert.is_true(want:float():equal(g:float()))
      assert.near(norm, there[1], 1e-9 * norm)
      assert.is_true(norm > 9000 and norm < math.huge)
   end)
end)

describe('indices in a CUDA graph', function()
   local function rows(late)
      local table_ = torch.CudaTensor{ { 1, 2 }, { 3, 4 }, { 5, 6 } }
      local f = cutorch.graph(function(i) return table_:index(1, i) end, { late = late })
      f(torch.CudaLongTensor{ 1, 2 })
      assert.same({ { 3, 4 }, { 5, 6 } }, f(torch.CudaLongTensor{ 2, 3 }):totable())
      return f
   end
   it('that come as arguments are checked before the replay where late is false, which changes nothing', function()
      local f = rows(false)
      refuses('index: index must lie in 1..3, got 4 at place 2 of index', function() f(torch.CudaLongTensor{ 1, 4 }) end)
      assert.same({ { 1, 2 }, { 5, 6 } }, f(torch.CudaLongTensor{ 1, 3 }):totable())
   end)
   it('that come as arguments are checked by the graph', function()
      local f = rows()
      f(torch.CudaLongTensor{ 0, 4 })
      refuses('index: index must lie in 1..3, got 0 at place 1 of index (found by a replay before)', function() f:synchronize() end)
      assert.same({ { 1, 2 }, { 5, 6 } }, f(torch.CudaLongTensor{ 1, 3 }):totable())
      f:synchronize()
   end)
   it('that the graph computes are checked there, and reported by the next wait, once', function()
      local x = torch.CudaTensor{ 10, 20, 30 }
      local f = cutorch.graph(function(i) return x:index(1, i + 1) end)
      local good = torch.CudaLongTensor{ 1, 2 }
      f(good)
      assert.same({ 20, 30 }, f(good):totable())
      f(torch.CudaLongTensor{ 1, 5 })
      refuses('index: index must lie in 1..3, got 6 at place 2 of index (found by a replay before)', cutorch.synchronize)
      cutorch.synchronize()
      assert.same({ 20, 30 }, f(good):totable())
      assert.same({ 10, 20, 30 }, x:totable())
   end)
   it('of a graph that is freed are reported by the next wait', function()
      local x = torch.CudaTensor{ 10, 20, 30 }
      local f = cutorch.graph(function(i) return x:index(1, i) end)
      for _ = 1, 2 do f(torch.CudaLongTensor{ 1, 2 }) end
      f(torch.CudaLongTensor{ 7, 2 })
      f:reset()
      refuses('index: index must lie in 1..3, got 7 at place 1 of index', cutorch.synchronize)
      cutorch.synchronize()
   end)
   it('that the graph only reads are checked by it or before it, and stay as they are', function()
      local x, i = torch.CudaTensor{ 10, 20, 30 }, torch.CudaLongTensor{ 1, 3 }
      local late = cutorch.graph(function(by) return x:index(1, i) * by end)
      local early = cutorch.graph(function(by) return x:index(1, i) * by end, { late = false })
      for _ = 1, 3 do
         assert.same({ 20, 60 }, late(2):totable())
         assert.same({ 20, 60 }, early(2):totable())
      end
      i[2] = 9
      refuses('index: index must lie in 1..3, got 9 at place 2 of index', function() early(2) end)
      late(2)
      refuses('index: index must lie in 1..3, got 9 at place 2 of index (found by a replay before)', cutorch.synchronize)
      assert.same({ 1, 9 }, i:totable())
   end)
   it('of classes: one out of range is refused and trains nothing, one to pass over is passed over', function()
      local step, parameters = trainer('sgd', METHODS[2][2])
      step = cutorch.graph(step, { late = false })
      local x, target = batch(0)
      for _ = 1, 3 do step(x, target) end
      local before = parameters:float()
      local wrong = target:clone()
      wrong[3] = 11
      refuses('nll_loss: target must lie in 1..10, got 11 (sample 3)', function() step(x, wrong) end)
      assert.is_true(before:equal(parameters:float()))
      wrong[3] = -100
      step(x, wrong)
      assert.is_false(before:equal(parameters:float()))
   end)
end)

describe('cutorch.graph', function()
   local function id(x) return x end
   it('wants a function and options that it knows', function()
      refuses('cutorch.graph: f must be a function, got nil', function() cutorch.graph() end)
      refuses('cutorch.graph: f must be a function, got a number (3)', function() cutorch.graph(3) end)
      refuses('cutorch.graph: options must be a table, got a number (1)', function() cutorch.graph(id, 1) end)
      refuses("cutorch.graph: options are warm, most, fallback and late, got 'warmup'", function() cutorch.graph(id, { warmup = 1 }) end)
      refuses('cutorch.graph: options.warm must be a whole number of at least 1, got a number (0)',
         function() cutorch.graph(id, { warm = 0 }) end)
      refuses('cutorch.graph: options.most must be a whole number of at least 1, got a number (nan)',
         function() cutorch.graph(id, { most = 0 / 0 }) end)
      refuses('cutorch.graph: options.fallback must be true or false, got a number (1)',
         function() cutorch.graph(id, { fallback = 1 }) end)
   end)
   it('wants tensors of the device of the thread', function()
      local f = cutorch.graph(id)
      refuses('cutorch.graph: argument 1 must be on a CUDA device, got a torch.FloatTensor of size 2',
         function() f(torch.FloatTensor(2)) end)
      refuses('cutorch.graph: argument 2[1] must be on a CUDA device, got a torch.DoubleTensor of size 1',
         function() f(1, { torch.DoubleTensor(1) }) end)
      refuses('cutorch.graph: argument 1 must be a tensor, a number, a string, a boolean, nil, or a table of these, got a function',
         function() f(print) end)
      local x, round = torch.CudaTensor(2), {}
      round.own = { round }
      refuses('cutorch.graph: keys of argument 1 must be strings, numbers or booleans, got a torch.CudaTensor of size 2',
         function() f{ [x] = 1 } end)
      refuses('cutorch.graph: argument 1[own][1] contains itself', function() f(round) end)
      local g = cutorch.graph(function() return round end)
      g()
      refuses('cutorch.graph: a result contains itself', function() g() end)
      if cutorch.getDeviceCount() > 1 then
         x = cutorch.withDevice(2, function() return torch.CudaTensor(2) end)
         refuses('cutorch.graph: argument 1 is on device 2, and the device of this thread is 1', function() f(x) end)
      end
   end)
   it('records on the device and replays in the stream of the thread', function()
      cutorch.reserveStreams(2)
      local f = cutorch.graph(function(x) return x:clone():add(1) end)
      for stream = 0, 2 do
         cutorch.setStream(stream)
         local x = torch.CudaTensor{ 1, 2 }
         for k = 1, 3 do assert.same({ 2 + k, 3 + k }, f(x + k):totable()) end
      end
      cutorch.setDefaultStream()
      if cutorch.getDeviceCount() > 1 then
         cutorch.withDevice(2, function()
            local x = torch.CudaTensor{ 1, 2 }
            for k = 1, 3 do assert.same({ 2 + k, 3 + k }, f(x + k):totable()) end
         end)
         assert.equal(2, (f:count()))
      end
   end)
   it('records on, though another thread waits for the device meanwhile', function()
      local thread = worker.new 'test.support.worker_echo'
      finally(function() thread:close() end)
      local function wait()
         local c, t = require 'cutorch', require 'torch'
         local x = t.CudaTensor{ 1, 2 }
         c.synchronize()
         c.deviceReset()
         return x:sum()
      end
      local waited = 0
      local f = cutorch.graph(function(x)
         local y = x + 1
         thread:ask('exec', wait)
         waited = waited + thread:wait()
         return y * 2
      end)
      local x = torch.CudaTensor{ 1, 2 }
      for _ = 1, 3 do assert.same({ 4, 6 }, f(x):totable()) end
      assert.equal(6, waited)
      assert.equal(1, (f:count()))
   end)
   it('cannot be saved', function()
      local f = cutorch.graph(id)
      refuses('cutorch.Graph: a graph cannot be saved', function() torch.serialize(f) end)
   end)
   it('runs a function without arguments and results', function()
      local x = torch.CudaTensor{ 0 }
      local f = cutorch.graph(function() x:add(1) end)
      for _ = 1, 5 do assert.equal(0, select('#', f())) end
      assert.equal(5, x[1])
   end)
end)
