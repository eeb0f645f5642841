-- test/cuda/model_parallel_spec.lua - nn.ModelParallel and nn.OneBitDataParallel on four devices; parameters by device.
-- runs once: the device does not depend on the level
local ffi = require 'ffi'
ffi.cdef 'int setenv(const char *name, const char *value, int overwrite);'
ffi.C.setenv('TH_CUDA_EMU_DEVICES', '4', 0)
local torch = require 'torch'
local nn = require 'nn'
local device = require 'test.support.cuda.device'
local refuses = require 'test.support.refuses'
local cutorch = device.cutorch

local COUNT = cutorch and math.min(4, cutorch.getDeviceCount()) or 0
if COUNT < 2 then
   describe('nn.ModelParallel on devices', function() pending('there are no two devices of ' .. device.name .. ' here') end)
   return
end

local function near(want, got, tolerance, what)
   local off = (want:double() - got:double()):abs():max()
   assert(off <= tolerance, ('%s: off by %g'):format(what or 'tensor', off))
end

describe('nn.ModelParallel', function()
   local whole, split, x, g
   before_each(function()
      torch.manualSeed(4)
      whole, split = nn.Concat(2), nn.ModelParallel(2)
      for i = 1, COUNT do
         local part = nn.Sequential():add(nn.Linear(3, i)):add(nn.Tanh()):float()
         whole:add(part)
         split:add(part:clone():cuda(), i)
      end
      whole:cuda()
      local n = COUNT * (COUNT + 1) / 2
      x, g = torch.randn(5, 3):float():cuda(), torch.randn(5, n):float():cuda()
   end)

   it('is the model that is not split: output, gradInput, gradients, steps', function()
      for _ = 1, 3 do
         for _, m in ipairs{ whole, split } do m:zeroGradParameters() end
         near(whole:forward(x), split:forward(x), 1e-6, 'output')
         near(whole:backward(x, g, 0.5), split:backward(x, g, 0.5), 1e-6, 'gradInput')
         near(whole:updateGradInput(x, g), split:updateGradInput(x, g), 1e-6, 'gradInput')
         for _, m in ipairs{ whole, split } do
            m:accGradParameters(x, g, 2)
            m:updateParameters(0.1)
            m:accUpdateGradParameters(x, g, 0.1)
         end
      end
      near(whole:forward(x), split:forward(x), 1e-5, 'output')
      assert.equal(1, split.output:getDevice())
      assert.equal(1, split.gradInput:getDevice())
   end)
   it('keeps each part on its own device, also after types, clones and clearState', function()
      for _, m in ipairs{ split, split:clone(), split:float():cuda(), split:clearState() } do
         for i = 1, COUNT do assert.equal(i, m:get(i):get(1).weight:getDevice()) end
         near(whole:forward(x), m:forward(x), 1e-6, 'output')
      end
      assert.equal(0, split:float():get(2):get(1).weight:getDevice())
      near(whole:forward(x), split:forward(x:float()), 1e-6, 'output')
   end)
   it('takes nested tables', function()
      local function part() return nn.ParallelTable():add(nn.MulConstant(2)):add(nn.Square()):cuda() end
      local m = nn.ModelParallel(1):add(part(), 1):add(part(), 2)
      local y = m:forward{ x, x }
      near(x * 2, y[1]:narrow(1, 6, 5), 0)
      near(torch.cmul(x, x), y[2]:narrow(1, 1, 5), 0)
      local gx = m:backward({ x, x }, { y[1], y[2] })
      near(x * 8, gx[1], 1e-5)
   end)
   it('gives each part the next device, if none is named', function()
      local m = nn.ModelParallel(2)
      for _ = 1, cutorch.getDeviceCount() + 1 do m:add(nn.Linear(2, 2):cuda()) end
      assert.equal(1, m:get(1).weight:getDevice())
      assert.equal(2, m:get(2).weight:getDevice())
      assert.equal(1, m:get(#m.modules).weight:getDevice())
      assert.equal(2, m:nextGPU())
   end)
   it('is written to files as an nn.Concat, which computes the same', function()
      local back = torch.deserialize(torch.serialize(nn.Sequential():add(split)))
      assert.equal('nn.Concat', torch.type(back:get(1)))
      near(whole:forward(x), back:float():forward(x:float()), 1e-6, 'output')
   end)
   it('has vectors of parameters by device, and no vector of all', function()
      local parameters, gradients = split:getParametersByDevice()
      for i = 1, COUNT do
         assert.equal(4 * i, parameters[i]:nElement())
         assert.same({ i, i }, { parameters[i]:getDevice(), gradients[i]:getDevice() })
      end
      near(whole:forward(x), split:forward(x), 1e-6, 'output')
      refuses('all tensors must be on one device, got CUDA devices 1 and 2: getParametersByDevice makes a vector for each',
         split.getParameters, split)
   end)
   it('refuses bad input in words, names the module of an error, and works afterwards', function()
      refuses('backward must follow forward', split.backward, split, x, g)
      split:forward(x)
      refuses('gradOutput must have the size of the output', split.backward, split, x, x)
      refuses('In 1 module of nn.ModelParallel:', split.forward, split, torch.CudaTensor(5, 4))
      refuses('device must be a whole number of at least 1, got 1.5', split.add, split, nn.Abs(), 1.5)
      refuses(('device must be one of the %d CUDA devices here, got 77'):format(cutorch.getDeviceCount()), split.add, split,
         nn.Abs():cuda(), 77)
      refuses('the container must hold modules', nn.ModelParallel(1).forward, nn.ModelParallel(1), x)
      near(whole:forward(x), split:forward(x), 1e-6, 'output')
   end)
end)

describe('nn.OneBitQuantization on a device', function()
   it('gives what it gives on the CPU', function()
      torch.manualSeed(9)
      local here, there = nn.OneBitQuantization(), nn.OneBitQuantization()
      for _ = 1, 3 do
         local x = torch.randn(3, 70):float()
         local bits, err, up, down = here:quantize(x)
         local cx = cutorch.withDevice(2, function() return x:cuda() end)
         local cbits, cerr, cup, cdown = there:quantize(cx)
         assert.same(bits:totable(), cbits:totable())
         for _, t in ipairs{ cbits, cerr, cup, cdown } do assert.equal(2, t:getDevice()) end
         near(err, cerr, 1e-5)
         near(here:dequantize(bits, up, down, 70), there:dequantize(cbits, cup, cdown, 70), 1e-5)
      end
   end)
end)

describe('nn.OneBitDataParallel', function()
   local m, x, g
   before_each(function()
      torch.manualSeed(6)
      m = nn.Linear(20, 8):float()
      x, g = torch.randn(COUNT * 2 + 1, 20):float(), torch.randn(COUNT * 2 + 1, 8):float()
   end)
   local function container(config, kind)
      local dp = nn.OneBitDataParallel(1, config)
      for i = 1, COUNT do dp:add(m:clone():type(kind or 'torch.CudaTensor'), i) end
      return dp
   end

   it('adds what is lost once: sums over many steps are those of whole gradients', function()
      for _, kind in ipairs{ 'torch.CudaTensor', 'torch.FloatTensor' } do
         local dp = container(nil, kind)
         local steps, bias = 120, nil
         m:zeroGradParameters()
         m:forward(x)
         m:backward(x, g)
         dp:zeroGradParameters()
         local input, grad = x:type(kind), g:type(kind)
         for _ = 1, steps do
            dp:forward(input)
            dp:backward(input, grad)
            bias = bias or dp:get(1).gradBias:clone()
         end
         near(m.gradBias, bias, 1e-5, 'gradBias')
         local off = (dp:get(1).gradWeight:float() / steps - m.gradWeight):norm() / m.gradWeight:norm()
         assert(off < 0.05, 'the mean of the steps is off by ' .. off)
      end
   end)
   it('gives all devices the same gradients, so that steps keep them alike', function()
      local dp, input, grad = container(), x:cuda(), g:cuda()
      for _ = 1, 5 do
         dp:zeroGradParameters()
         dp:forward(input)
         dp:backward(input, grad)
         dp:updateParameters(0.01)
      end
      local before = dp:forward(input):clone()
      for i = 2, COUNT do near(dp.modules[1].weight, dp.modules[i].weight, 0, 'weight') end
      near(before, dp.modules[1]:forward(input), 1e-5, 'output')
   end)
   it('sends small matrices whole', function()
      local dp = container{ min_elements = 160 }
      dp:forward(x:cuda())
      dp:backward(x:cuda(), g:cuda())
      m:zeroGradParameters()
      dp:zeroGradParameters()
      m:forward(x)
      m:backward(x, g)
      dp:forward(x:cuda())
      dp:backward(x:cuda(), g:cuda())
      near(m.gradWeight, dp:get(1).gradWeight, 1e-5)
   end)
   it('replaces sums by steps of Adagrad with momentum, on request', function()
      local dp = container{ learningRate = 0.1, momentum = 0.5 }
      for _ = 1, 2 do
         dp:zeroGradParameters()
         dp:forward(x:cuda())
         dp:backward(x:cuda(), g:cuda())
      end
      local largest = dp:get(1).gradWeight:float():abs():max()
      assert(largest > 0.05 and largest < 0.2, largest)
   end)
   it('is linear regression that learns', function()
      local input = x:cuda()
      local target = nn.Linear(20, 8):float():forward(x):clone()
      local wanted = target:cuda()
      local dp, criterion = container(), nn.MSECriterion():cuda()
      local first, last
      for _ = 1, 100 do
         dp:zeroGradParameters()
         last = criterion:forward(dp:forward(input), wanted)
         first = first or last
         dp:backward(input, criterion:backward(dp.output, wanted))
         dp:updateParameters(0.1)
      end
      assert(last < 0.05 * first, ('%g after %g'):format(last, first))
      dp:resetErrors()
      dp:backward(input, criterion:backward(dp:forward(input), wanted))
   end)
   it('has clones that continue as it does: they have lost what it has', function()
      for _, config in ipairs{ {}, { learningRate = 0.1, momentum = 0.5 } } do
         local dp = container(config)
         local function step(d)
            d:zeroGradParameters()
            d:forward(x:cuda())
            d:backward(x:cuda(), g:cuda())
            return d:get(1).gradWeight:clone()
         end
         local first = step(dp)
         local twin = dp:clone()
         assert.equal('nn.OneBitDataParallel', torch.type(twin))
         for _ = 1, 3 do near(step(dp), step(twin), 0, 'gradWeight') end
         near(first, step(twin:clone():resetErrors()), 0, 'the first step')
         assert(first:float():dist(step(dp):float()) > 0)
      end
   end)
   it('keeps the sums of before when a pass fails', function()
      local dp = container()
      dp:zeroGradParameters()
      dp:forward(x:cuda())
      dp:backward(x:cuda(), g:cuda())
      local before = dp:get(1).gradWeight:clone()
      refuses('gradOutput must have the size of the output', dp.backward, dp, x:cuda(), x:cuda())
      near(before, dp:get(1).gradWeight, 0)
   end)
   it('refuses a config that it does not know', function()
      refuses('config must be a table, got number', nn.OneBitDataParallel, 1, 3)
      refuses('config must hold min_elements, learningRate or momentum, got rate', nn.OneBitDataParallel, 1, { rate = 1 })
      refuses('config.momentum must be a number', nn.OneBitDataParallel, 1, { momentum = 'x' })
   end)
end)
