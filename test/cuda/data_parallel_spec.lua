-- test/cuda/data_parallel_spec.lua - one model on four devices: nn.DataParallelTable and nn.DataParallel give what one gives.
-- runs once: the device does not depend on the level
local ffi = require 'ffi'
ffi.cdef 'int setenv(const char *name, const char *value, int overwrite);'
ffi.C.setenv('TH_CUDA_EMU_DEVICES', '4', 0)
local torch = require 'torch'
local nn = require 'nn'
local optim = require 'optim'
local idx = require 'examples.lib.idx'
local exchange = require 'nn.parallel.exchange'
local device = require 'test.support.cuda.device'
local refuses = require 'test.support.refuses'
local cutorch = device.cutorch

local COUNT = cutorch and math.min(4, cutorch.getDeviceCount()) or 0
if COUNT < 2 then
   describe('nn.DataParallelTable on devices', function() pending('there are no two devices of ' .. device.name .. ' here') end)
   return
end

local ALL = {}
for i = 1, COUNT do ALL[i] = i end

local function near(want, got, tolerance, what)
   local off = (want:double() - got:double()):abs():max()
   assert(off <= tolerance, ('%s: off by %g'):format(what or 'tensor', off))
end

local function small()
   torch.manualSeed(5)
   return nn.Sequential():add(nn.Linear(3, 5)):add(nn.Tanh()):add(nn.Linear(5, 2)):float()
end

local containers = {
   DataParallelTable = function(m) return nn.DataParallelTable(1):add(m, ALL) end,
   ['DataParallelTable with flattened parameters'] = function(m) return nn.DataParallelTable(1, true):add(m, ALL) end,
   ['DataParallelTable by NCCL, or copies where there is none'] = function(m)
      return nn.DataParallelTable(1, true, true):add(m, ALL)
   end,
   DataParallel = function(m)
      local dp = nn.DataParallel(1)
      for i = 1, COUNT do dp:add(i == 1 and m or m:clone(), i) end
      return dp
   end,
}

-- How often parameters are copied to the others while f runs.
local function broadcasts(f)
   local kept, n = exchange.broadcast, 0
   exchange.broadcast = function(...)
      n = n + 1
      return kept(...)
   end
   f()
   exchange.broadcast = kept
   return n
end

-- ---- training ----------------------------------------------------------------------------------------------------------------

local STEPS, RATE = 20, 0.2

local function digits(n)
   local images, labels = idx.readPair('data/digits-images-idx3-ubyte', 'data/digits-labels-idx1-ubyte')
   local x = images:narrow(1, 1, n):float():view(n, 1, images:size(2), images:size(3)):div(16)
   return x:cuda(), labels:narrow(1, 1, n):long():add(1):cudaLong()
end

local function convnet()
   torch.manualSeed(3)
   return nn.Sequential()
      :add(nn.SpatialConvolution(1, 4, 3, 3, 1, 1, 1, 1)):add(nn.Tanh()):add(nn.SpatialMaxPooling(2, 2))
      :add(nn.SpatialConvolution(4, 8, 3, 3)):add(nn.Tanh()):add(nn.SpatialAveragePooling(2, 2))
      :add(nn.View(8):setNumInputDims(3)):add(nn.Linear(8, 10)):add(nn.LogSoftMax()):float()
end

-- The parameters after some steps with batches of a size; `step` takes one.
local function train(wrap, batch, how)
   local x, classes = digits(3 * batch)
   local net, criterion = wrap(convnet():cuda()), nn.ClassNLLCriterion():cuda()
   local parameters, gradients
   if how == 'optim' then parameters, gradients = net:getParameters() end
   local state = { learningRate = RATE, momentum = 0.5, dampening = 0 }
   for step = 1, STEPS do
      local first = (step - 1) % 3 * batch + 1
      local input, target = x:narrow(1, first, batch), classes:narrow(1, first, batch)
      local function gradient()
         net:zeroGradParameters()
         local y = net:forward(input)
         local loss = criterion:forward(y, target)
         net:backward(input, criterion:backward(y, target))
         return loss, gradients
      end
      if how == 'optim' then optim.sgd(gradient, parameters, state)
      else
         gradient()
         net:updateParameters(RATE)
      end
   end
   local flat = {}
   for _, p in ipairs((net:parameters())) do flat[#flat + 1] = p:float():view(-1) end
   return torch.cat(flat, 1), net
end

local one = {}
local function alone(batch, how)
   local key = batch .. how
   one[key] = one[key] or train(function(m) return m end, batch, how)
   return one[key]
end

describe('training the digits on several devices', function()
   for _, name in ipairs{ 'DataParallelTable', 'DataParallelTable with flattened parameters', 'DataParallel' } do
      for _, batch in ipairs{ 8, 7, 3 } do
         for _, how in ipairs{ 'optim', 'updateParameters' } do
            local title = 'with %s and %s, batches of %d, gives the parameters of one device after 20 steps'
            it(title:format(name, how, batch), function()
               near(alone(batch, how), (train(containers[name], batch, how)), 1e-5, 'parameters')
            end)
         end
      end
   end
   it('is so with buckets of one layer each', function()
      local function wrap(m)
         local dpt = containers.DataParallelTable(m)
         dpt.bucket = 1
         return dpt
      end
      near(alone(7, 'updateParameters'), (train(wrap, 7, 'updateParameters')), 1e-5, 'parameters')
   end)
   it('sends the gradients of a layer while those before it compute, in another stream', function()
      local m = small():cuda()
      local dpt = nn.DataParallelTable(1):add(m, ALL)
      dpt.bucket = 1
      local x, g = torch.CudaTensor(6, 3):fill(1), torch.CudaTensor(6, 2):fill(1)
      dpt:forward(x)
      local log, kept = {}, exchange.sum
      exchange.sum = function(own, lists, ...)
         log[#log + 1] = ('%d in stream %s'):format(lists[1][1]:nElement(), cutorch.getStream() == 0 and 0 or 'beside')
         return kept(own, lists, ...)
      end
      local first = m:get(1)
      function first:accGradParameters(...)
         log[#log + 1] = 'first layer'
         return nn.Linear.accGradParameters(self, ...)
      end
      dpt:backward(x, g)
      exchange.sum = kept
      assert.same({ '10 in stream beside', 'first layer', '15 in stream beside' }, log)
   end)
   it('is so where each device sums a part', function()
      local kept = exchange.SHARED
      exchange.SHARED = 3
      local got = train(containers.DataParallelTable, 7, 'updateParameters')
      exchange.SHARED = kept
      near(alone(7, 'updateParameters'), got, 1e-5, 'parameters')
   end)
   it('is so if NCCL is requested and missing, which cutorch.getNccl explains', function()
      local name, why = cutorch.getNccl()
      assert(name or why == 'emulated devices copy from each other' or why:find 'libnccl', why)
      local got = train(containers['DataParallelTable by NCCL, or copies where there is none'], 7, 'updateParameters')
      near(alone(7, 'updateParameters'), got, 1e-5, 'parameters')
   end)
   it('has the same bits every time', function()
      local a, b = train(containers.DataParallelTable, 7, 'optim'), train(containers.DataParallelTable, 7, 'optim')
      assert.equal(0, (a - b):abs():max())
   end)
end)

-- ---- each container ---------------------------------------------------------------------------------------------------------

for name, wrap in pairs(containers) do
   describe('nn.' .. name, function()
      local m, dp, x, g
      before_each(function()
         m = small():cuda()
         dp = wrap(m:clone())
         torch.manualSeed(7)
         x, g = torch.randn(6, 3):float():cuda(), torch.randn(6, 2):float():cuda()
      end)

      it('gives output, gradInput and gradients of the module with the whole batch, on the first device', function()
         for _, rows in ipairs{ 6, 5, 3, 1 } do
            local part, gPart = x:narrow(1, 1, rows), g:narrow(1, 1, rows)
            m:zeroGradParameters()
            dp:zeroGradParameters()
            local y = dp:forward(part)
            assert.equal(1, y:getDevice())
            near(m:forward(part), y, 1e-6, 'output')
            near(m:backward(part, gPart), dp:backward(part, gPart), 1e-6, 'gradInput')
            local _, want = m:parameters()
            local _, got = dp:parameters()
            for i = 1, #want do near(want[i], got[i], 1e-6, 'gradient ' .. i) end
         end
      end)
      it('adds the gradients of several passes, each scaled, by updateGradInput and accGradParameters too', function()
         m:zeroGradParameters()
         dp:zeroGradParameters()
         for _, model in ipairs{ m, dp } do
            model:forward(x)
            model:backward(x, g, 0.5)
            model:updateGradInput(x, g)
            model:accGradParameters(x, g, 2)
            model:forward(x:narrow(1, 1, 2))
            model:backward(x:narrow(1, 1, 2), g:narrow(1, 1, 2))
         end
         near(m.gradInput, dp.gradInput, 1e-6, 'gradInput')
         local _, want = m:parameters()
         local _, got = dp:parameters()
         for i = 1, #want do near(want[i], got[i], 1e-5, 'gradient ' .. i) end
      end)
      it('averages gradients over the devices that had rows, on request', function()
         dp:gradientReduction 'average'
         m:zeroGradParameters()
         dp:zeroGradParameters()
         for _, model in ipairs{ m, dp } do
            model:forward(x)
            model:backward(x, g)
         end
         local _, want = m:parameters()
         local _, got = dp:parameters()
         for i = 1, #want do near(want[i] / COUNT, got[i], 1e-6, 'gradient ' .. i) end
      end)
      it('takes one step on all devices and sends no parameters at the next forward', function()
         dp:forward(x)
         local n = broadcasts(function()
            for _ = 1, 3 do
               dp:zeroGradParameters()
               dp:forward(x)
               dp:backward(x, g)
               dp:updateParameters(0.1)
            end
            dp:forward(x)
         end)
         assert.equal(0, n)
         local before = dp:forward(x):clone()
         dp:syncParameters()
         near(before, dp:forward(x), 0, 'output')
      end)
      it('sends parameters at each forward while others may change them, in evaluation running estimates too', function()
         local parameters, gradients = dp:getParameters()
         dp:forward(x)
         dp:backward(x, g)
         parameters:add(-0.1, gradients)
         local function twice() for _ = 1, 2 do dp:forward(x) end end
         assert.equal(2, broadcasts(twice))
         dp:evaluate()
         assert.equal(4, broadcasts(twice))
         dp:training()
         m:zeroGradParameters()
         m:forward(x)
         m:backward(x, g)
         m:updateParameters(0.1)
         near(m:forward(x), dp:forward(x), 1e-5, 'output')
         parameters:fill(0.5)
         dp:syncParameters()
         m:getParameters():fill(0.5)
         near(m:forward(x), dp:forward(x), 1e-6, 'output')
      end)
      it('is written to files as the module, which opens on a machine without a GPU', function()
         dp:forward(x)
         local model = nn.Sequential():add(dp):add(nn.Tanh())
         local back = torch.deserialize(torch.serialize{ dp, model })
         assert.equal('nn.Sequential', torch.type(back[1]))
         assert(rawequal(back[1], back[2]:get(1)))
         near(m:forward(x), back[1]:forward(x), 1e-6, 'output')
         local file = require 'test.support.temporary'.name '.t7'
         torch.save(file, dp)
         local p = io.popen(('TH_CUDA= %s -e "require \'nn\'; local m = torch.load(\'%s\'); print(torch.type(m), m:type(), '
            .. 'm:forward(torch.FloatTensor(2, 3):fill(1)):size(1))" 2>&1'):format(os.getenv 'TH' or 'build/bin/th', file))
         local text = p:read '*a'
         p:close()
         os.remove(file)
         assert(text:find 'nn.Sequential%s+torch.FloatTensor%s+2', text)
      end)
      it('is cloned with its devices', function()
         dp:forward(x)
         local copy = dp:clone()
         assert.equal(torch.type(dp), torch.type(copy))
         near(dp:forward(x), copy:forward(x), 0, 'output')
         copy:get(1):get(1).weight:zero()
         copy:syncParameters()
         assert((copy:forward(x) - dp:forward(x)):abs():max() > 1e-3)
         local inside = nn.Sequential():add(dp):clone()
         near(dp:forward(x), inside:forward(x), 0, 'output')
      end)
      it('runs on the CPU as well, and again on the devices', function()
         dp:float()
         near(m:forward(x), dp:forward(x:float()), 1e-6, 'output')
         dp:backward(x:float(), g:float())
         dp:cuda()
         near(m:forward(x), dp:forward(x), 1e-6, 'output')
      end)
      it('takes a batch of the CPU to the devices', function()
         local y = dp:forward(x:double())
         near(m:forward(x), y, 1e-6, 'output')
         assert.equal('torch.CudaTensor', y:type())
         near(m:backward(x, g), dp:backward(x:double(), g:double()), 1e-6, 'gradInput')
      end)
      it('is trained and evaluated, cleared, reset, shared and applied to as a module', function()
         dp:evaluate()
         assert.is_false(dp.train)
         assert.is_false(dp:get(1):get(1).train)
         dp:training()
         dp:forward(x)
         dp:clearState()
         assert.equal(0, dp.output:nElement())
         near(m:forward(x), dp:forward(x), 1e-6, 'output')
         dp:reset()
         m:get(1).weight:copy(dp:get(1):get(1).weight)
         m:get(1).bias:copy(dp:get(1):get(1).bias)
         m:get(3).weight:copy(dp:get(1):get(3).weight)
         m:get(3).bias:copy(dp:get(1):get(3).bias)
         near(m:forward(x), dp:forward(x), 1e-6, 'output')
         local seen = 0
         dp:apply(function(module)
            seen = seen + 1
            if module.weight then module.weight:fill(0.25) end
         end)
         assert(seen >= 4)
         m:apply(function(module) if module.weight then module.weight:fill(0.25) end end)
         near(m:forward(x), dp:forward(x), 1e-6, 'output')
         dp:share(m, 'bias')
         m:get(1).bias:fill(2)
         dp:syncParameters()
         near(m:forward(x), dp:forward(x), 1e-6, 'output')
         assert.is_true(#dp:listModules() >= 5)
         for _, model in ipairs{ m, dp } do
            model:replace(function(module) return torch.type(module) == 'nn.Tanh' and nn.Sigmoid():cuda() or module end)
         end
         near(m:forward(x), dp:forward(x), 1e-6, 'output')
      end)
      it('takes a step without gradients kept by accUpdateGradParameters', function()
         for _, model in ipairs{ m, dp } do
            model:forward(x)
            model:updateGradInput(x, g)
            model:accUpdateGradParameters(x, g, 0.1)
         end
         near(m:forward(x), dp:forward(x), 1e-6, 'output')
      end)
      it('refuses bad input in words, names the device of an error, and works afterwards', function()
         refuses('input must be a tensor, or a table of tensors', dp.forward, dp, 3)
         refuses('input must have rows in dimension 1', dp.forward, dp, torch.CudaTensor())
         dp:forward(x)
         refuses('gradOutput must have the size of the output, 6x2, got 5x2', dp.backward, dp, x, g:narrow(1, 1, 5))
         refuses('gradOutput must have the size of the output, 6x2, got nothing', dp.backward, dp, x)
         local where = name:match '^%w+'
         refuses('nn.' .. where .. ': replica 1 on device 1: ', dp.forward, dp, torch.CudaTensor(6, 4))
         refuses('backward must follow forward of the same input', dp.backward, dp, x, g)
         refuses("how must be 'sum' or 'average', got mean", dp.gradientReduction, dp, 'mean')
         near(m:forward(x), dp:forward(x), 1e-6, 'output')
         near(m:backward(x, g), dp:backward(x, g), 1e-6, 'gradInput')
      end)
   end)
end

-- ---- what modules may be ----------------------------------------------------------------------------------------------------

describe('nn.DataParallelTable', function()
   it('cuts and joins nested tables, of different numbers of rows too', function()
      local function model()
         return nn.ParallelTable():add(nn.ConcatTable():add(nn.MulConstant(2)):add(nn.Square())):add(nn.Identity()):cuda()
      end
      local x = { torch.range(1, 10):float():view(5, 2):cuda(), { torch.range(1, 7):float():view(7, 1):cuda() } }
      local m, dpt = model(), nn.DataParallelTable(1):add(model(), ALL)
      local want, got = m:forward(x), dpt:forward(x)
      near(want[1][1], got[1][1], 0)
      near(want[1][2], got[1][2], 0)
      near(want[2][1], got[2][1], 0)
      local g = nn.utils.map(want, function(t) return t:clone():fill(3) end)
      want, got = m:backward(x, g), dpt:backward(x, g)
      near(want[1], got[1], 0)
      near(want[2][1], got[2][1], 0)
      refuses('gradOutput must be a table like the output', dpt.backward, dpt, x, g[1][1])
   end)
   it('cuts another dimension than the first', function()
      local x, m = torch.randn(3, 5):float():cuda(), nn.Square():cuda()
      local dpt = nn.DataParallelTable(2):add(nn.Square():cuda(), ALL)
      near(m:forward(x), dpt:forward(x), 0)
      near(m:backward(x, x), dpt:backward(x, x), 0)
      refuses('input must have rows in dimension 2, got 3', dpt.forward, dpt, torch.CudaTensor(3))
   end)
   it('takes classes on the CPU to the devices, and a module without gradInput', function()
      local m = nn.LookupTable(5, 2):cuda()
      local dpt = nn.DataParallelTable(1):add(m:clone(), ALL)
      local x = torch.LongTensor{ 1, 5, 3, 3, 2 }
      near(m:forward(x:cudaLong()), dpt:forward(x), 0)
      m:zeroGradParameters()
      dpt:zeroGradParameters()
      local g = torch.CudaTensor(5, 2):fill(1)
      m:backward(x:cudaLong(), g)
      dpt:backward(x, g)
      near(m.gradWeight, dpt:get(1).gradWeight, 0)
   end)
   it('adds the gradients of weights that layers share', function()
      local function tied()
         torch.manualSeed(2)
         local a, b = nn.Linear(3, 3), nn.Linear(3, 3)
         b:share(a, 'weight', 'gradWeight')
         return nn.Sequential():add(a):add(nn.Tanh()):add(b):cuda()
      end
      local m, dpt = tied(), nn.DataParallelTable(1):add(tied(), ALL)
      dpt.bucket = 1
      local x = torch.randn(5, 3):float():cuda()
      for _ = 1, 3 do
         for _, model in ipairs{ m, dpt } do
            model:zeroGradParameters()
            model:forward(x)
            model:backward(x, x)
            model:updateParameters(0.1)
         end
      end
      near(m:forward(x), dpt:forward(x), 1e-5)
   end)
   it('evaluates with the running estimates of the first device on all', function()
      local dpt = nn.DataParallelTable(1):add(nn.BatchNormalization(2):cuda(), ALL)
      local x = torch.randn(8, 2):float():cuda()
      for _ = 1, 4 do dpt:forward(x) end
      dpt:evaluate()
      local want = dpt:get(1):clone():evaluate():forward(x)
      near(want, dpt:forward(x), 1e-6)
   end)
   it('uses the devices that it is given, the same one twice too, or one, and a table of them stays the caller\'s', function()
      local m, x = small():cuda(), torch.randn(5, 3):float():cuda()
      local gpus = { 2, 1, 2 }
      local dpt = nn.DataParallelTable(1):add(m:clone(), gpus)
      gpus[1] = 9
      near(m:forward(x), dpt:forward(x), 1e-6)
      assert.equal(2, dpt.output:getDevice())
      assert.equal(2, dpt:get(1):get(1).weight:getDevice())
      dpt:backward(x, dpt.output)
      local single = nn.DataParallelTable(1):add(m:clone(), 2)
      near(m:forward(x), single:forward(x), 1e-6)
      near(m:backward(x, m.output), single:backward(x, single.output), 1e-6)
      assert.equal(cutorch.getDeviceCount(), #nn.DataParallelTable(1):add(m:clone()).gpus)
   end)
   it('exec reaches all copies, and get each of them', function()
      local m, x = small():cuda(), torch.randn(5, 3):float():cuda()
      local dpt = nn.DataParallelTable(1):add(m:clone(), ALL)
      local found = dpt.impl:exec(function(module, i) return { i, module:get(1).weight:getDevice() } end)
      for i = 1, COUNT do assert.same({ i, i }, found[i]) end
      assert.equal(2, #dpt.impl:exec(function(_, i) return i end, 2))
      local there = cutorch.withDevice(COUNT, function() return x.new():resize(5, 3):copy(x) end)
      near(m:forward(x), dpt:get(COUNT):forward(there), 1e-6)
      local all = dpt:moduleParameters()
      assert.equal(COUNT, #all)
      assert.same({ 4, 4 }, { #all[2][1], #all[2][2] })
   end)
   it('leaves the device and the stream of the thread as they were', function()
      local dpt = nn.DataParallelTable(1):add(small():cuda(), ALL)
      local x = torch.randn(5, 3):float():cuda()
      cutorch.reserveStreams(1)
      cutorch.synchronizeAll()                     -- stream 1 uses what stream 0 has made
      cutorch.setStream(1)
      cutorch.withDevice(2, function()
         dpt:forward(x)
         dpt:backward(x, dpt.output)
         assert.equal(2, cutorch.getDevice())
      end)
      assert.equal(1, cutorch.getStream())
      cutorch.setDefaultStream()
      cutorch.synchronizeAll()
   end)
   it('opens from files of Torch7, which hold the container', function()
      local dpt = nn.DataParallelTable(1):add(small():cuda(), ALL)
      local x = torch.randn(5, 3):float():cuda()
      local y = dpt:forward(x):clone()
      dpt.gpuAssignments, dpt.gpus, dpt.impl, dpt.reduction = dpt.gpus, nil, nil, nil
      local class, kept = torch.getmetatable 'nn.DataParallelTable', nn.DataParallelTable.writtenAs
      class.writtenAs = nil
      local text = torch.serialize(dpt)
      class.writtenAs = kept
      local back = torch.deserialize(text)
      assert.equal('nn.DataParallelTable', torch.type(back))
      assert.same(ALL, back.gpus)
      near(y, back:forward(x), 1e-6)
      assert.equal('sum', back:gradientReduction())
   end)
   it('follows what is done to modules that findModules and listModules gave', function()
      for _, get in ipairs { function(dp) return dp:findModules 'nn.Linear' end,
         function(dp)
            local list = {}
            for _, l in ipairs(dp:listModules()) do if torch.type(l) == 'nn.Linear' then list[#list + 1] = l end end
            return list
         end } do
         local dp, x = nn.DataParallelTable(1):add(small():cuda(), ALL), torch.CudaTensor(7, 3):fill(1)
         dp:forward(x)
         for _, l in ipairs(get(dp)) do
            l.weight:zero()
            l.bias:zero()
         end
         assert.equal(0, dp:forward(x):abs():max())
      end
   end)

   it('follows running estimates that were set, and a model that has other layers than before', function()
      local function made() return nn.Sequential():add(nn.BatchNormalization(3)):add(nn.Linear(3, 2)):float():cuda() end
      local x = torch.CudaTensor(8, 3):fill(1)
      local function same_rows(dp)
         local y = dp:forward(x):float()
         for i = 2, 8 do near(y[1], y[i], 0, 'row ' .. i) end
      end
      local m = made()
      local dp = nn.DataParallelTable(1):add(m, ALL):evaluate()
      dp:forward(x)
      dp.impl:exec(function(part) part:get(1).running_mean:fill(5) end, 1)
      same_rows(dp)
      m:get(1).running_mean:fill(7)
      dp:syncParameters()
      same_rows(dp)
      dp:get(1):get(1).running_var:fill(3)
      same_rows(dp)
      m:add(nn.MulConstant(0):cuda())
      assert.equal(0, dp:forward(x):abs():max())
      m:remove(3)
      same_rows(dp)
      assert(dp.output:abs():max() > 0)
   end)

   it('has equal copies after an exec that failed half-way', function()
      local dp, x = nn.DataParallelTable(1):add(small():cuda(), ALL):evaluate(), torch.CudaTensor(7, 3):fill(1)
      dp:forward(x)
      refuses('no more', function()
         dp.impl:exec(function(part, i)
            if i == 2 then error 'no more' end
            part:get(3).weight:zero()
            part:get(3).bias:zero()
         end)
      end)
      assert.equal(0, dp:forward(x):abs():max())
   end)

   it('refuses itself, one module twice, and outputs that cannot be joined', function()
      local dp = nn.DataParallelTable(1)
      refuses('module must be another than the container, got one that holds it', dp.add, dp, dp, ALL)
      refuses('module must be another than the container, got one that holds it', dp.add, dp, nn.Sequential():add(dp), ALL)
      refuses('the container must hold a module, got none: call add first', dp.flattenParameters, dp)
      local l = nn.Linear(2, 2)
      local mp = nn.ModelParallel(1):add(l, 1)
      refuses('module 2 must be a separate copy, got module 1 itself', mp.add, mp, l, 2)
      local counts = nn.Identity():cuda()
      function counts.updateOutput(_, input) return input:sum() end
      local d = nn.DataParallelTable(1):add(counts, { 1, 2 })
      refuses('output of replica 2 must be a tensor, a table of tensors, or the same for all, got 9', d.forward, d,
         torch.CudaTensor(7, 3):fill(1))
      refuses('maxGpuIdx must be a whole number that is not negative, got x', d.impl.exec, d.impl, function() end, 'x')
   end)

   it('takes its devices one by one, as the field gpuAssignments lists them', function()
      local x = torch.CudaTensor(5, 3):uniform()
      local net = small():cuda()
      local want = net:forward(x):clone()
      local dpt = nn.DataParallelTable(1):add(net, 1)
      assert.same({ 1 }, dpt.gpuAssignments)
      near(want, dpt:forward(x), 1e-6)
      dpt:add(small():cuda(), '2')
      assert.same({ 1, 2 }, dpt.gpuAssignments)
      near(want, dpt:forward(x), 1e-6)
      assert.equal(2, dpt:get(2):get(1).weight:getDevice())
      assert.same({ 1, 2 }, dpt:clone().gpuAssignments)
      refuses('CUDA devices here, got 99', dpt.add, dpt, small():cuda(), 99)
      assert.same({ 1, 2 }, dpt.gpuAssignments)
   end)

   it('refuses what it cannot be made of', function()
      refuses('nn.DataParallelTable: dimension must be a whole number of at least 1', nn.DataParallelTable, 'x')
      local dpt = nn.DataParallelTable(1)
      refuses('gpus must be a table of device numbers', dpt.add, dpt, nn.Abs(), {})
      refuses('device must be a whole number of at least 1, got 0', dpt.add, dpt, nn.Abs(), { 0 })
      refuses(('device must be one of the %d CUDA devices here, got 99'):format(cutorch.getDeviceCount()), dpt.add, dpt,
         nn.Abs():cuda(), { 1, 99 })
      refuses('expected a module, got number', dpt.add, dpt, 3, ALL)
      refuses('the container must hold a module, got none: call add first', dpt.forward, dpt, torch.CudaTensor(2, 3))
      dpt:add(nn.Abs():cuda(), ALL)
      refuses('the container must hold one module, got another one', dpt.add, dpt, nn.Abs(), ALL)
      refuses('closure must be a function', dpt.impl.exec, dpt.impl)
      local twice = nn.Abs()
      refuses('module 2 must be a separate copy, got module 1 itself', function()
         nn.DataParallel(1):add(twice, 1):add(twice, 2)
      end)
      local dp = nn.DataParallel(1):add(nn.Linear(2, 3):cuda(), 1):add(nn.Linear(3, 2):cuda(), 2)
      refuses('module 2 must have the parameters of module 1', dp.forward, dp, torch.CudaTensor(4, 2))
   end)
end)
