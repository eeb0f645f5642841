-- test/cuda/graph_spec.lua - what is recorded as a CUDA graph and replayed does what running it does.
-- runs once, on the plain build: the device does not depend on the level
local torch = require 'torch'
local nn = require 'nn'
local optim = require 'optim'
local idx = require 'examples.lib.idx'
local refuses = require 'test.refuses'
local device = require 'test.cuda.device'

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

   it('takes tables of tensors and other values, each value a graph of its own', function()
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

describe('what a CUDA graph cannot record', function()
   local x = torch.CudaTensor{ 1, 2, 3 }
   local other, before = torch.FloatTensor{ 1, 2, 3 }, cutorch.Event()
   local scaled, short = nn.MixedPrecision(nn.Linear(3, 1):cuda(), 'half', 2), torch.CudaTensor{ 1 }
   local CASES = {
      { 'an element', 'elements go to the host', function(y) return y[1] end },
      { 'a sum', 'sum: a CUDA graph cannot record this: the host needs what a device computes', function(y) return y:sum() end },
      { 'a largest element', 'max: a CUDA graph cannot record this', function(y) return y:max() end },
      { 'a copy to the CPU', 'copy: a CUDA graph cannot record this: elements go to the host', function(y) return y:float() end },
      { 'a copy from the CPU', 'copy: a CUDA graph cannot record this: elements come from the host', function(y) y:clone():copy(other) end },
      { 'a tensor of numbers', 'elements come from the host', function() return torch.CudaTensor{ 1, 2 } end },
      { 'an op of the CPU', 'svd: a CUDA graph cannot record this: the CPU computes it',
         function(y) return torch.svd(y:view(3, 1)) end },
      { 'a permutation', 'the CPU computes it', function() return torch.randperm(torch.CudaLongTensor(), 3) end },
      { 'an odd number of normal numbers', 'normal: a CUDA graph cannot record this: an odd number of normal random numbers',
         function(y) return y:clone():normal() end },
      { "another generator's numbers", 'of another generator than the device', function(y) return y:clone():uniform(torch.Generator()) end },
      { 'places of what is not 0', 'the host needs what a device computes', function(y) return torch.nonzero(y) end },
      { 'waiting for the device', 'synchronize: a CUDA graph cannot record this: it waits for a device',
         function() cutorch.synchronize() end },
      { 'another stream', 'setStream: a CUDA graph cannot record this: it changes the stream', function()
         cutorch.reserveStreams(1)
         cutorch.setStream(1)
      end },
      { 'an event', 'it makes an event', function() cutorch.Event() end },
      { 'waiting for an event', 'it waits for an event', function() before:waitOn() end },
      { 'pinned memory', 'it takes memory of the host', function() cutorch.createCudaHostTensor(3) end },
      { 'another device', 'it changes the device', function() cutorch.setDevice(2) end, devices = 2 },
      { 'an optimizer that counts its steps', 'optim.adagrad: its steps depend on numbers of the host',
         function(y) optim.adagrad(function() return 0, y end, y, {}) end },
      { 'a scale of the loss', 'nn.MixedPrecision: a scale of the loss', function()
         scaled:forward(x)
         scaled:backward(x, short)
      end },
   }
   for _, case in ipairs(CASES) do
      it(('is %s: the error says so, and nothing is left behind'):format(case[1]), function()
         if case.devices and cutorch.getDeviceCount() < case.devices then return end
         local recording = false
         local f = cutorch.graph(function(y)
            if recording then case[3](y) end
            return y * 2
         end)
         f(x)
         recording = true
         refuses(case[2], function() f(x) end)
         recording = false
         assert.same({ 2, 4, 6 }, f(x):totable())               -- recorded now
         assert.same({ 2, 4, 6 }, f(x):totable())
         assert.equal(1, (f:count()))
         cutorch.synchronize()
         assert.equal(6, x:sum())
      end)
   end

   it('does not become part of a graph when the function catches the error', function()
      local f = cutorch.graph(function(y)
         pcall(function() return y:sum() end)
         return y * 2
      end)
      f(x)
      refuses('cutorch.graph: sum: a CUDA graph cannot record this', function() f(x) end)
   end)

   it('runs plainly with fallback, and the object says why', function()
      local f = cutorch.graph(function(y) return y * y:sum() end, { fallback = true })
      for k = 1, 3 do assert.same({ 6 * k * k, 12 * k * k, 18 * k * k }, f(x * k):totable()) end
      assert.truthy(f.why:find('sum: a CUDA graph cannot record this', 1, true))
      assert.equal(0, (f:count()))
   end)

   it('is an error of the function itself: it comes out, and the device works on', function()
      local fail = false
      local f = cutorch.graph(function(y)
         if fail then torch.mm(y, y) end
         return y + 1
      end)
      f(x)
      fail = true
      assert.is_false(pcall(f, x))
      refuses('mm', function() f(x) end)
      fail = false
      for _ = 1, 2 do assert.same({ 2, 3, 4 }, f(x):totable()) end
      local g = cutorch.graph(function() error { code = 7 } end, {})
      local ok, why = pcall(g)
      assert.is_true(not ok and why.code == 7)
   end)

   it('is a change of an argument, whole or a view of it', function()
      local CHANGES = { function(y) y:add(1) end, function(y) y:narrow(1, 2, 1):zero() end, function(y) y:copy(y + 1) end }
      for _, change in ipairs(CHANGES) do
         local f = cutorch.graph(function(t) change(t.y) end)
         f{ y = x:clone() }
         refuses('it changes argument 1[y]; change a copy, or what is no argument', function() f{ y = x } end)
         local g = cutorch.graph(function(y) change(y) end, { fallback = true, late = true })
         local mine, want = x:clone(), x:clone()
         for _ = 1, 4 do
            g(mine)
            change(want)
         end
         assert.same(want:totable(), mine:totable())
      end
      assert.equal(6, x:sum())
   end)

   it('is a seed, and a state of random numbers', function()
      local state = cutorch.getRNGState()
      for name, set in pairs{ manualSeed = function() cutorch.manualSeed(1) end, seed = cutorch.seed,
         setRNGState = function() cutorch.setRNGState(state) end } do
         local f = cutorch.graph(function(y)
            set()
            return y * 2
         end)
         f(x)
         refuses(('torch.%s: it sets a generator, which cannot be recorded'):format(name), function() f(x) end)
      end
   end)

   it('is a table of options made anew for each call', function()
      local y, state, rate, config = torch.CudaTensor{ 0 }, {}, 1, nil
      local function step(g)
         optim.sgd(function() return 0, g end, y, config or { learningRate = rate }, state)
      end
      local g, f = torch.CudaTensor{ 1 }, cutorch.graph(step)
      f(g)
      refuses('optim.sgd: a table of options that no call before has had', function() f(g) end)
      local plain = cutorch.graph(step, { fallback = true })
      for k = 2, 4 do
         rate = k
         plain(g)
      end
      assert.equal(-10, y[1])
      config = { learningRate = 1 }
      step(g)
      for k = 1, 3 do
         config.learningRate = k
         f(g)
      end
      assert.equal(-17, y[1])
   end)

   it('is a yield: the thread records no more', function()
      local f = cutorch.graph(function(y)
         coroutine.yield()
         return y * 2
      end)
      local thread = coroutine.wrap(function()
         f(x)
         return pcall(f, x)
      end)
      thread()
      local ok, why = thread()
      assert.is_true(not ok and why:find('cutorch.graph: f yields', 1, true) ~= nil)
      assert.equal(6, x:sum())
   end)

   it("does not hide the function's own errors with fallback", function()
      local fail = false
      local f = cutorch.graph(function(y)
         if fail then
            pcall(function() return y:sum() end)
            error('mine', 0)
         end
         return y * 2
      end, { fallback = true })
      f(x)
      fail = true
      local ok, why = pcall(f, x)
      assert.is_true(not ok and why == 'mine' and f.why == nil)
      fail = false
      for _ = 1, 2 do assert.same({ 2, 4, 6 }, f(x):totable()) end
      assert.equal(1, (f:count()))
   end)

   it('is a first step of an optimizer that makes its state', function()
      local y, state = torch.CudaTensor{ 1, 2 }, nil
      local f = cutorch.graph(function(g)
         if state then optim.adam(function() return 0, g:clone() end, y, nil, state) end
      end)
      local g = torch.CudaTensor{ 1, 1 }
      f(g)
      state = {}
      refuses('optim.adam: its first step, which makes state.m, cannot be recorded in a CUDA graph', function() f(g) end)
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
   it('that come as arguments are looked at before the replay, which changes nothing', function()
      local f = rows()
      refuses('index: an element must lie in 1..3, got 4 at place 2', function() f(torch.CudaLongTensor{ 1, 4 }) end)
      assert.same({ { 1, 2 }, { 5, 6 } }, f(torch.CudaLongTensor{ 1, 3 }):totable())
   end)
   it('that come as arguments are looked at by the graph with the option late', function()
      local f = rows(true)
      f(torch.CudaLongTensor{ 0, 4 })
      refuses('index: an element must lie in 1..3, got 0 at place 1 (found by a replay before)', function() f:synchronize() end)
      assert.same({ { 1, 2 }, { 5, 6 } }, f(torch.CudaLongTensor{ 1, 3 }):totable())
      f:synchronize()
   end)
   it('that the graph computes are looked at there, and told by the next call after it is known', function()
      local x = torch.CudaTensor{ 10, 20, 30 }
      local f = cutorch.graph(function(i) return x:index(1, i + 1) end)
      local good = torch.CudaLongTensor{ 1, 2 }
      f(good)
      assert.same({ 20, 30 }, f(good):totable())
      f(torch.CudaLongTensor{ 1, 5 })
      cutorch.synchronize()
      refuses('index: an element must lie in 1..3, got 6 at place 2 (found by a replay before)', function() f(good) end)
      assert.same({ 20, 30 }, f(good):totable())
      assert.same({ 10, 20, 30 }, x:totable())
   end)
   it('that the graph only reads are looked at before the replay, and stay as they are', function()
      local x, i = torch.CudaTensor{ 10, 20, 30 }, torch.CudaLongTensor{ 1, 3 }
      local f = cutorch.graph(function(by) return x:index(1, i) * by end)
      for _ = 1, 3 do assert.same({ 20, 60 }, f(2):totable()) end
      i[2] = 9
      refuses('index: an element must lie in 1..3, got 9 at place 2', function() f(2) end)
      assert.same({ 1, 9 }, i:totable())
   end)
   it('of classes: one out of range is refused and trains nothing, one to pass over is passed over', function()
      local step, parameters = trainer('sgd', METHODS[2][2])
      step = cutorch.graph(step)
      local x, target = batch(0)
      for _ = 1, 3 do step(x, target) end
      local before = parameters:float()
      local wrong = target:clone()
      wrong[3] = 11
      refuses('nll_loss: an element must lie in 1..10, got 11 at place 3', function() step(x, wrong) end)
      assert.is_true(before:equal(parameters:float()))
      wrong[3] = -100
      step(x, wrong)
      assert.is_false(before:equal(parameters:float()))
   end)
end)

describe('the memory of a CUDA graph', function()
   it('stays while the graph lives, whatever is freed and made beside it', function()
      local weight = torch.CudaTensor(64, 64):fill(1)
      local f = cutorch.graph(function(x) return torch.mm(x, weight):add(torch.mm(x, weight)):cmul(x) end)
      local x = torch.CudaTensor(64, 64):fill(2)
      f(x)
      f(x)
      weight:resize(1000, 1000):fill(7)                    -- its old memory goes back, but the graph reads it
      weight = nil
      for _ = 1, 5 do
         collectgarbage()
         for i = 1, 20 do torch.CudaTensor(64, 64):fill(i) end
         assert.same(2 * 64 * 2 * 2, f(x):min())
         assert.same(2 * 64 * 2 * 2, f(x):max())
      end
   end)

   it('is the same after many graphs as before them', function()
      local x = torch.CudaTensor(100, 100):fill(1)
      local function some()
         local sum = 0
         for _ = 1, 3 do
            local f = cutorch.graph(function(y) return torch.mm(y, y):add(y) end)
            f(x)
            f(x)
            sum = f(x):sum()
         end
         for _ = 1, 3 do
            collectgarbage()
            torch.memory()
         end
         cutorch.synchronizeAll()
         return sum, (cutorch.getMemoryUsage())
      end
      some()
      local _, first = some()
      for _ = 1, 3 do
         local sum, free = some()
         assert.equal(101 * 100 * 100, sum)
         assert.equal(first, free)
      end
   end)

   it('of results is its own, though modules take more for a larger batch', function()
      local net = nn.Concat(2):add(nn.Linear(3, 2)):add(nn.Linear(3, 2)):cuda()
      local twin = net:clone()
      local f = cutorch.graph(function(y) return net:forward(y) end)
      for _, n in ipairs{ 4, 4, 50, 4, 2, 50, 2, 4 } do
         local y = torch.CudaTensor(n, 3):uniform()
         net:forward(torch.CudaTensor(60, 3):fill(9))
         assert.is_true(twin:forward(y):equal(f(y)))
      end
   end)

   it('of results stays, though the caller makes them larger or takes them from their table', function()
      local f = cutorch.graph(function(y) return y * 2, { y + 1 } end)
      local y = torch.CudaTensor(2, 3)
      for k = 1, 6 do
         local a, b = f(y:fill(k))
         assert.equal(2 * k * 6, a:sum())
         assert.equal((k + 1) * 6, b[1]:sum())
         b[1] = nil
         a:resize(k % 2 == 0 and 100 or 6):fill(7)
      end
   end)

   it('belongs to results that outlive the graph', function()
      local x = torch.CudaTensor(50):fill(3)
      local f = cutorch.graph(function(y) return y * 2 end)
      f(x)
      local y = f(x)
      f:reset()
      assert.equal(0, (f:count()))
      collectgarbage()
      collectgarbage()
      for _ = 1, 10 do torch.CudaTensor(50):fill(9) end
      assert.equal(300, y:sum())
   end)

   it('is taken once: what is freed while a graph is recorded serves the next that wants some', function()
      local f = cutorch.graph(function(x)
         for k = 1, 50 do
            local y = x * 1.01
            if k > 1 then x:free() end
            x = y
         end
         return x
      end)
      local x = torch.CudaTensor(1000):fill(1)
      f(x)
      f(x)
      local _, nodes, bytes = f:count()
      assert.is_true(nodes >= 50)
      assert.is_true(bytes >= 4000 and bytes < 50 * 4000 / 4)
   end)

   it('and two graphs of one model, for batches of two sizes, do not meet', function()
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
