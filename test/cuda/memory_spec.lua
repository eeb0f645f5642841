-- test/cuda/memory_spec.lua - memory of CUDA tensors between streams, devices and libraries, and errors of kernels.
-- runs once: the device does not depend on the level
local ffi = require 'ffi'
local torch = require 'torch'
local refuses = require 'test.support.refuses'
local device = require 'test.support.cuda.device'
local cutorch = device.cutorch

if device.missing('memory of CUDA tensors', describe, pending) then return end
if not cutorch.getDeviceProperties(1).emulated then
   describe('memory of CUDA tensors', function() pending 'these are for the emulated device: TH_CUDA=emu' end)
   return
end
ffi.cdef 'double th_emu_count(const char *name); void th_emu_fail();'
local C = require 'cutorch.backend'.C
local th = os.getenv 'TH' or 'build/bin/th'

local function counted(name, f)
   local before = C.th_emu_count(name)
   f()
   return C.th_emu_count(name) - before
end

describe('memory of a CUDA tensor', function()
   setup(function() cutorch.reserveStreams(2) end)
   before_each(function() collectgarbage() collectgarbage() end)
   after_each(function() cutorch.setDefaultStream() end)

   it('that one stream has used is freed without waits for others', function()
      local x = {}
      for i = 1, 10 do x[i] = torch.CudaTensor(100):fill(i):add(1) end
      assert.equal(0, counted('stream waits', function() for i = 1, 10 do x[i]:free() end end))
   end)
   it('that another stream has used is freed after a wait for that one alone', function()
      local x, y, z = torch.CudaTensor(100):fill(1), torch.CudaTensor(100):fill(2), torch.CudaTensor(100)
      cutorch.setStream(1)
      cutorch.streamWaitFor(1, { 0 })
      z:add(x, y)
      cutorch.setDefaultStream()
      assert.equal(1, counted('stream waits', function() x:free() end))
      assert.equal(1, counted('stream waits', function() z:free() end))
      cutorch.setStream(2)
      assert.equal(2, counted('stream waits', function() y:free() end))
   end)
   it('is not reused before the other stream has read it', function()
      local sum = torch.CudaTensor(1):zero()
      cutorch.synchronize()
      for k = 1, 20 do
         local x = torch.CudaTensor(1000):fill(k)
         cutorch.streamWaitFor(1, { 0 })
         cutorch.setStream(1)
         sum:add(x:narrow(1, 500, 1))
         cutorch.setDefaultStream()
         x:free()
         torch.CudaTensor(1000):fill(-1)
      end
      cutorch.synchronize()
      assert.equal(210, sum[1])
   end)
   it('that was copied to in another stream is freed after a wait for it', function()
      local x = torch.CudaTensor(100)
      cutorch.streamWaitFor(1, { 0 })
      cutorch.setStream(1)
      x:copy(torch.FloatTensor(100):fill(3))
      cutorch.setDefaultStream()
      assert.equal(1, counted('stream waits', function() x:free() end))
   end)
end)

describe('devices in use', function()
   local function output(code)
      local f = io.popen(('env TH_CUDA=emu TH_CUDA_EMU_DEVICES=3 %s -e "%s" 2>&1'):format(th, code))
      local text = f:read '*a'
      f:close()
      return text
   end
   local code = [[require 'cutorch'
      require 'ffi'.cdef 'double th_emu_count(const char *name);'
      local C = require 'cutorch.backend'.C
      local function on(d) cutorch.withDevice(d, function() torch.CudaTensor(2):fill(1) end) print(C.th_emu_count 'accesses') end ]]
   it('reach the memory of each other from the first memory of the second one', function()
      assert.equal('0\n2\n6\n6\n', output(code .. 'for _, d in ipairs{ 1, 2, 3, 2 } do on(d) end'))
   end)
   it('do not where the caller has said so before', function()
      assert.equal('0\n2\n', output(code .. 'on(1) cutorch.setPeerToPeerAccess(1, 2, false) on(2)'))
   end)
end)

describe('a kernel that fails', function()
   it('is reported late, with the calls that may have started it', function()
      cutorch.synchronize()
      local x = torch.CudaTensor{ 1, 2 }
      x:add(1):cmul(x)
      C.th_emu_fail()
      refuses('A kernel of an earlier call may have failed; the last ones of this thread: copy, add, cmul', cutorch.synchronize)
      cutorch.synchronize()
   end)
end)
