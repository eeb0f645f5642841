-- test/cuda/idle_memory_spec.lua - small memory of a device that was given back, for its next user.
-- runs once, on the plain build: sanitizers see each release instead
local ffi = require 'ffi'
local torch = require 'torch'
local device = require 'test.support.cuda.device'
local cutorch = device.cutorch

if device.missing('idle memory of a CUDA device', describe, pending) then return end
if not cutorch.getDeviceProperties(1).emulated then
   describe('idle memory', function() pending 'the emulated device counts: TH_CUDA=emu' end)
   return
end
ffi.cdef 'double th_emu_count(const char *name);'
local C = require 'cutorch.backend'.C
local th = os.getenv 'TH' or 'build/bin/th'

local function allocations(f)
   local before = C.th_emu_count 'allocations'
   f()
   return C.th_emu_count 'allocations' - before
end

describe('small memory that a stream gives back', function()
   setup(function() cutorch.reserveStreams(1) end)
   before_each(function()
      collectgarbage()
      cutorch.deviceReset()
   end)
   after_each(function() cutorch.setDefaultStream() end)

   it('is used by later tensors and calls of the same size in that stream', function()
      torch.CudaTensor(1000):free()
      assert.equal(0, allocations(function() torch.CudaTensor(1000):free() end))
      assert.equal(1, allocations(function() torch.CudaTensor(1001):free() end))
      local x = torch.CudaTensor(300, 70):fill(1)
      torch.median(x, 1)
      collectgarbage()
      local fresh = allocations(function() torch.median(x, 1) end)
      assert(fresh <= 2, fresh)                               -- its results alone
   end)
   it('is not used by another stream', function()
      torch.CudaTensor(1000):free()
      cutorch.setStream(1)
      assert.equal(1, allocations(function() torch.CudaTensor(1000):free() end))
   end)
   it('holds garbage for the next user', function()
      torch.CudaTensor(1000):fill(7):free()
      assert.equal(0, torch.CudaTensor(1000):eq(7):sum())
   end)
   it('goes back to the pool by deviceReset, and before a device is full', function()
      torch.CudaTensor(1000):free()
      cutorch.deviceReset()
      assert.equal(1, allocations(function() torch.CudaTensor(1000):free() end))
      local code = [[require 'cutorch'
         for k = 1, 12 do torch.CudaByteTensor(2^20 + k):free() end
         print(torch.CudaByteTensor(14 * 2^20):nElement())]]
      local f = io.popen(('env TH_CUDA=emu TH_CUDA_EMU_MEMORY=%d %s -e "%s" 2>&1')
         :format(16 * 2 ^ 20, th, code))
      local text = f:read '*a'
      f:close()
      assert.equal('14680064\n', text)
   end)
end)
