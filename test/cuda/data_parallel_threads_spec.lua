-- test/cuda/data_parallel_threads_spec.lua - nn.DataParallelTable with a thread for each device: numbers, errors, dead threads.
-- runs once: the device does not depend on the level
local ffi = require 'ffi'
ffi.cdef [[
int setenv(const char *name, const char *value, int overwrite);
void pthread_exit(void *result);
]]
ffi.C.setenv('TH_CUDA_EMU_DEVICES', '4', 0)
local torch = require 'torch'
local nn = require 'nn'
local device = require 'test.support.cuda.device'
local refuses = require 'test.support.refuses'
local cutorch = device.cutorch

local COUNT = cutorch and math.min(4, cutorch.getDeviceCount()) or 0
if COUNT < 2 then
   describe('threads of nn.DataParallelTable', function() pending('there are no two devices of ' .. device.name .. ' here') end)
   return
end

local ALL = {}
for i = 1, COUNT do ALL[i] = i end

local function near(want, got, tolerance, what)
   local off = (want:double() - got:double()):abs():max()
   assert(off <= tolerance, ('%s: off by %g'):format(what or 'tensor', off))
end

local function model()
   torch.manualSeed(5)
   return nn.Sequential():add(nn.Linear(3, 5)):add(nn.Tanh()):add(nn.Linear(5, 2)):cuda()
end

describe('threads of nn.DataParallelTable', function()
   local m, dpt, x, g
   before_each(function()
      m = model()
      dpt = nn.DataParallelTable(1):add(m:clone(), ALL):threads(function() require 'nn' end)
      torch.manualSeed(7)
      x, g = torch.randn(7, 3):float():cuda(), torch.randn(7, 2):float():cuda()
   end)
   after_each(function() dpt.impl:close() end)

   local function pass(net)
      net:zeroGradParameters()
      net:forward(x)
      return net:backward(x, g)
   end

   it('learn what one device learns, in steps of all devices and of an optimizer', function()
      dpt.bucket = 1
      for _ = 1, 20 do
         for _, net in ipairs{ m, dpt } do
            pass(net)
            net:updateParameters(0.01)
         end
      end
      near(m:forward(x), dpt:forward(x), 1e-5, 'output')
      near(m:backward(x, g), dpt:backward(x, g), 1e-5, 'gradInput')
      local parameters, gradients = dpt:getParameters()
      for _ = 1, 5 do
         pass(m)
         m:updateParameters(0.01)
         pass(dpt)
         parameters:add(-0.01, gradients)
      end
      near(m:forward(x), dpt:forward(x), 1e-5, 'output')
   end)
   it('follow training, evaluate, clearState, syncParameters and types', function()
      local function modes() return dpt.impl:exec(function(net) return net.train end) end
      dpt:forward(x)
      dpt:evaluate()
      assert.is_false(modes()[2])
      dpt:training()
      assert.is_true(modes()[COUNT])
      dpt:clearState()
      assert.equal(0, dpt.impl:exec(function(net) return net.output:nElement() end)[2])
      dpt:get(1):get(1).weight:fill(0.5)
      m:get(1).weight:fill(0.5)
      dpt:syncParameters()
      near(m:forward(x), dpt:forward(x), 1e-6, 'output')
      near(m:forward(x), dpt:float():forward(x:float()), 1e-6, 'output')
      near(m:forward(x), dpt:cuda():forward(x), 1e-6, 'output')
      refuses('replica 2 must lie in this thread', dpt.get, dpt, 2)
   end)
   it('run exec with its variables, one Lua state each', function()
      local factor = 3
      local results = dpt.impl:exec(function(net, i)
         local found = rawget(_G, 'here') or 0
         rawset(_G, 'here', found + 1)
         return { i * factor, torch.type(net), require 'cutorch'.getDevice() }
      end)
      for i = 1, COUNT do assert.same({ i * factor, 'nn.Sequential', i }, results[i]) end
      assert.is_nil(dpt.impl:exec(function() return 1 end, 0)[1])
      rawset(_G, 'here', nil)
   end)
   it('raise an error of a thread here, with its device, cause and traceback, and continue', function()
      local function fail(net, i)
         if i == 2 then error('too hot') end
         return net and i
      end
      local why = refuses('nn.DataParallelTable: replica 2 on device 2: ', dpt.impl.exec, dpt.impl, fail)
      assert(why:find 'too hot' and why:find 'stack traceback', why)
      near(m:forward(x), dpt:forward(x), 1e-6, 'output')
      near(m:backward(x, g), dpt:backward(x, g), 1e-6, 'gradInput')
   end)
   it('raise an error in the middle of backward, and continue', function()
      dpt.bucket = 1
      dpt.impl:exec(function(net, i)
         if i ~= 2 then return end
         local linear = net:get(1)
         function linear.accGradParameters()
            linear.accGradParameters = nil
            error 'no gradient today'
         end
      end)
      dpt:forward(x)
      local why = refuses('replica 2 on device 2: ', dpt.backward, dpt, x, g)
      assert(why:find('no gradient today', 1, true), why)
      near(pass(m), pass(dpt), 1e-6, 'gradInput')
      local _, want = m:parameters()
      local _, got = dpt:parameters()
      for i = 1, #want do near(want[i], got[i], 1e-6, 'gradient') end
   end)
   it('say that a thread has ended, without a hang, and are started again', function()
      dpt:forward(x)
      local function leave(_, i)
         if i == 2 then
            require 'ffi'.cdef 'void pthread_exit(void *result);'
            require 'ffi'.C.pthread_exit(nil)
         end
      end
      refuses('nn.DataParallelTable: replica 2 on device 2: its thread has ended', dpt.impl.exec, dpt.impl, leave)
      refuses('backward must follow forward of the same input', dpt.backward, dpt, x, g)
      near(m:forward(x), dpt:forward(x), 1e-6, 'output')
      near(pass(m), pass(dpt), 1e-6, 'gradInput')
   end)
   it('say so when a thread ends in the middle of a pass', function()
      for _, pass_of in ipairs{ 'updateOutput', 'accGradParameters' } do
         dpt.impl:exec(function(net, i)
            if i ~= 2 then return end
            require 'ffi'.cdef 'void pthread_exit(void *result);'
            rawset(net:get(1), pass_of, function() require 'ffi'.C.pthread_exit(nil) end)
         end)
         refuses('nn.DataParallelTable: replica 2 on device 2: its thread has ended', pass, dpt)
         near(pass(m), pass(dpt), 1e-6, 'gradInput')
      end
   end)
   it('name the device whose initFunc fails', function()
      dpt:threads(function(i) if i == 2 then error 'no such package' end end)
      local why = refuses('nn.DataParallelTable: replica 2 on device 2: ', dpt.forward, dpt, x)
      assert(why:find('no such package', 1, true), why)
      dpt:threads()
      near(m:forward(x), dpt:forward(x), 1e-6, 'output')
      refuses('initFunc must be a function', dpt.threads, dpt, 3)
   end)
   it('draw the numbers that copies without threads draw', function()
      local function noisy() return nn.DataParallelTable(1):add(nn.Dropout(0.5):cuda(), ALL) end
      local ones = torch.CudaTensor(64, 3):fill(1)
      cutorch.manualSeedAll(3)
      local want = noisy():forward(ones):clone()
      cutorch.manualSeedAll(3)
      local other = noisy():threads()
      near(want, other:forward(ones), 0, 'output')
      other.impl:close()
   end)
   it('are left alone by a copy and a file, and end with the container', function()
      dpt:forward(x)
      local copy = dpt:clone()
      near(m:forward(x), copy:forward(x), 1e-6, 'output')
      copy.impl:close()
      assert.equal('nn.Sequential', torch.type(torch.deserialize(torch.serialize(dpt))))
      for _ = 1, 3 do
         local short = nn.DataParallelTable(1):add(m:clone(), ALL):threads()
         short:forward(x)
      end
      collectgarbage()
      collectgarbage()
   end)
   it('run without devices too', function()
      local net = nn.DataParallelTable(1):add(m:clone():float(), { 1, 2 }):threads()
      near(m:forward(x), net:forward(x:float()), 1e-6, 'output')
      near(m:backward(x, g), net:backward(x:float(), g:float()), 1e-6, 'gradInput')
      net.impl:close()
   end)
end)
