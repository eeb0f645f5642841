-- test/cuda/late_errors_spec.lua - errors that a CUDA device finds while a call runs: raised by the next wait, once, in its thread.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local refuses = require 'test.support.refuses'
local worker = require 'torch.worker'
local device = require 'test.support.cuda.device'
local cutorch = device.cutorch

if device.missing('errors found late', describe, pending) then return end
local th = os.getenv 'TH' or 'build/bin/th'

local function L(t) return torch.CudaLongTensor(t) end
local INDEX = 'index: index must lie in 1..2, got 3 at place 2 of index (found after the call, when '

describe('an index out of bounds on a CUDA device', function()
   local x
   before_each(function() x = torch.CudaTensor{ 1, 2 } end)
   local function wrong() return x:index(1, L{ 1, 3 }) end

   it('is reported by each kind of wait, which names itself, and the next wait reports nothing', function()
      local waits = {
         { 'cutorch.synchronize', cutorch.synchronize },
         { 'cutorch.synchronizeAll', cutorch.synchronizeAll },
         { 'sum', function() return x:sum() end },
         { 'copy', function() return x:float() end },
         { 'copy', function() return tostring(x) end },
         { '', function() return x[1] end },
         { 'cutorch.streamSynchronize', function() cutorch.streamSynchronize(0) end },
         { 'nonzero', function() return torch.nonzero(x) end },
      }
      for _, wait in ipairs(waits) do
         wrong()
         refuses(INDEX .. wait[1], wait[2])
         wait[2]()
      end
      wrong()
      local e = cutorch.Event()
      refuses(INDEX, function() e:synchronize() end)
      e:synchronize()
   end)
   it('is the first of all that the wait covers, in the order of the calls and of the places', function()
      wrong()
      x:index(1, L{ 9, 8 })
      x:maskedFill(torch.CudaByteTensor{ 0, 5 }, 1)
      refuses(INDEX, cutorch.synchronize)
      cutorch.synchronize()
      x:index(1, L(5000):fill(-4))
      refuses('got -4 at place 1 of index', cutorch.synchronize)
   end)
   it('counts as index 1, so that it reads and writes no other memory', function()
      local y = wrong()
      pcall(cutorch.synchronize)
      assert.same({ 1, 1 }, y:totable())
   end)
   it('has its place in an expanded tensor, of which one element is checked', function()
      local index = L{ { 1 }, { 4 } }:expand(2, 1000)
      local y = torch.CudaTensor(2, 1000):fill(5)
      local why = refuses('gather: index must lie in 1..2, got 4 at place 1001 of index', function()
         y:gather(1, index)
         cutorch.synchronize()
      end)
      assert.truthy(why)
      assert.same({ { 1 }, { 4 } }, index:narrow(2, 1, 1):totable())
   end)
   it('is refused by the call where the index lies on the CPU', function()
      refuses('index: index must lie in 1..2, got 3 at place 2 of index', x.index, x, 1, torch.LongTensor{ 1, 3 })
      refuses('maskedFill: mask must hold only 0 and 1, got 2 at place 1', x.maskedFill, x, torch.ByteTensor{ 2, 0 }, 9)
      cutorch.synchronize()
      assert.same({ 1, 2 }, x:totable())
   end)
   it('is refused by the call where the dimension is empty', function()
      local empty = torch.CudaTensor(2):narrow(1, 1, 0)
      refuses('index: index must lie in 1..0, got 1 at place 1 of index', empty.index, empty, 1, L{ 1 })
   end)
   it('in one stream is reported by the wait for another one after the device has found it', function()
      cutorch.reserveStreams(1)
      cutorch.streamWaitFor(1, { 0 })
      cutorch.setStream(1)
      wrong()
      cutorch.setDefaultStream()
      refuses(INDEX, cutorch.synchronize)
   end)
   it('is not reported to another thread', function()
      local thread = worker.new 'test.support.worker_echo'
      finally(function() thread:close() end)
      wrong()
      thread:ask('exec', function()
         local c, t = require 'cutorch', require 'torch'
         c.synchronize()
         return t.CudaTensor{ 1, 2 }:sum()
      end)
      assert.equal(3, (thread:wait()))
      refuses(INDEX, cutorch.synchronize)
   end)
end)

describe('an error that a CUDA device finds late', function()
   local function output(environment, code)
      local f = io.popen(('env TH_CUDA=emu %s %s -e "%s" 2>&1'):format(environment, th, code))
      local text = f:read '*a'
      f:close()
      return text
   end
   local code = "require 'cutorch'; x = torch.CudaTensor{ 1, 2 }; x:index(1, torch.CudaLongTensor{ 1, 3 }); print('after')"

   it('is printed where the program ends without a wait', function()
      if not cutorch.getDeviceProperties(1).emulated then return pending 'the program takes the emulated device' end
      local text = output('', code)
      local _, n = text:gsub('index: index must lie in 1..2, got 3 at place 2 of index', '')
      assert.equal(1, n, text)
      assert.truthy(text:find('(found by CUDA device 1; the thread ended without waiting for it)', 1, true), text)
      assert.truthy(text:find('after', 1, true), text)
   end)
   it('is raised by the call itself with TH_CUDA_SYNC=1', function()
      local text = output('TH_CUDA_SYNC=1', code)
      assert(text:find 'index: index must lie in 1..2, got 3 at place 2 of index\n' and not text:find 'after', text)
   end)
   it('of classes leaves out the sample, and of masks the element', function()
      local x, target = torch.CudaTensor{ { -1, -2 }, { -3, -4 } }, L{ 2, 9 }
      local y, total = torch.nll_loss(x, target)
      refuses('nll_loss: target must lie in 1..2, got 9 (sample 2)', cutorch.synchronize)
      assert.same({ 2, 1 }, { y[1], total[1] })
      local gx = torch.nll_loss_grad(x, target, total)
      refuses('nll_loss_grad: target must lie in 1..2, got 9 (sample 2)', cutorch.synchronize)
      assert.same({ { 0, -1 }, { 0, 0 } }, gx:totable())
      x:maskedFill(torch.CudaByteTensor{ { 1, 0 }, { 0, 3 } }, 7)
      refuses('maskedFill: mask must hold only 0 and 1, got 3 at place 4', cutorch.synchronize)
      assert.same({ { 7, -2 }, { -3, -4 } }, x:totable())
   end)
   it('of probabilities is reported too', function()
      for _, kind in ipairs { 'Cuda', 'CudaDouble', 'CudaHalf' } do
         local p = torch.Tensor{ 0.5, 2 }:type('torch.' .. kind .. 'Tensor')
         device.refuses('bernoulli: p must hold numbers of 0..1 only, got 2 at place 2', p.bernoulli, p:clone(), p)
      end
   end)
   it('of places of a sequence takes the first of equal rows, and none of those out of range', function()
      local x, w = torch.CudaTensor{ { 1 }, { 2 } }, torch.CudaTensor(1, 1):fill(1)
      local y = torch.rnn(x, L{ { 2 }, { 2 }, { 1 } }, w, true, false)
      refuses('rnn: places must hold each of 0..2 at most once, but 0, got 2 at step 2 of sample 1', cutorch.synchronize)
      assert.same({ { 3 }, { 2 } }, y:totable())
      y = torch.rnn(x, L{ { 9 }, { 2 }, { -1 } }, w, true, false)
      refuses('got 9 at step 1 of sample 1', cutorch.synchronize)
      assert.same({ { 0 }, { 2 } }, y:totable())
   end)
end)

describe('a training step on a CUDA device', function()
   local ffi, nn, optim = require 'ffi', require 'nn', require 'optim'
   require 'nn.recurrent'
   local counts = cutorch.getDeviceProperties(1).emulated
   if counts then ffi.cdef 'double th_emu_count(const char *name);' end
   local C = require 'cutorch.backend'.C

   local function step_of(net, x, target)
      net = net:cuda()
      local criterion = nn.ClassNLLCriterion():cuda()
      local parameters, gradients = net:getParameters()
      local state = { learningRate = 1e-3 }
      return function(input, classes)
         local loss
         optim.adam(function()
            gradients:zero()
            loss = criterion:updateOutput(net:forward(input), classes)
            net:backward(input, criterion:backward(net.output, classes))
            return loss, gradients
         end, parameters, state)
         return loss
      end, x, target
   end
   local words = torch.LongTensor(2, 4):random(10):cudaLong()
   local classes = torch.LongTensor(8):random(10):cudaLong()
   local nets = {
      { 'of a transformer', function()
         return step_of(nn.Sequential():add(nn.LookupTable(10, 8)):add(nn.MultiHeadAttention(8, 2, 0, true)):add(nn.View(-1, 8))
            :add(nn.Linear(8, 10)):add(nn.LogSoftMax()), words, classes)
      end },
      { 'of an LSTM', function()
         return step_of(nn.Sequential():add(nn.LookupTable(10, 8)):add(nn.LSTM(8, 8, 2, true, 0, true)):add(nn.View(-1, 8))
            :add(nn.Linear(8, 10)):add(nn.LogSoftMax()), words, classes)
      end },
      { 'of a net with pooling', function()
         return step_of(nn.Sequential():add(nn.SpatialConvolution(1, 2, 3, 3)):add(nn.SpatialMaxPooling(2, 2)):add(nn.View(-1, 8))
            :add(nn.Linear(8, 10)):add(nn.LogSoftMax()), torch.CudaTensor(8, 1, 6, 6):uniform(), classes)
      end },
   }
   for _, case in ipairs(nets) do
      it(case[1] .. ' waits for the device once, for the loss, and its graph never', function()
         if not counts then return pending 'only the emulated device counts' end
         local step, x, target = case[2]()
         local function waits_of(f)
            local before = C.th_emu_count 'waits'
            f(x, target)
            return C.th_emu_count 'waits' - before
         end
         for _ = 1, 2 do step(x, target) end
         collectgarbage()
         assert.equal(1, waits_of(step))
         local graph = cutorch.graph(step)
         for _ = 1, 2 do graph(x, target) end
         collectgarbage()
         assert.equal(0, waits_of(graph))
         graph:synchronize()
      end)
   end
end)
