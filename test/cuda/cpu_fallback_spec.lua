-- test/cuda/cpu_fallback_spec.lua - ops that the CPU computes for CUDA tensors: LAPACK's; Fourier transforms are in fft_spec.lua.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local refuses = require 'test.support.refuses'
local device = require 'test.support.cuda.device'
local cutorch = device.cutorch

if device.missing('ops by the CPU', describe, pending) then return end

local a
before_each(function() a = torch.DoubleTensor { { 4, 1, 0 }, { 1, 3, 1 }, { 0, 1, 2 } } end)

describe('an op that the CPU computes for CUDA tensors', function()
   it('gives tensors of their device and type', function()
      local e, v = torch.symeig(a, 'V')
      local ce, cv = torch.symeig(a:cudaDouble(), 'V')
      assert.equal('torch.CudaDoubleTensor', ce:type())
      assert.is_true(torch.equal(e, ce:double()) and torch.equal(v, cv:double()))
      local x = cutorch.withDevice(device.count, function() return a:cuda() end)
      assert.equal(device.count, torch.inverse(x):getDevice())
   end)
   it('takes results that are given, of any layout, and methods', function()
      local x, r = a:cudaDouble(), torch.CudaDoubleTensor(7)
      assert.is_true(rawequal(r, torch.inverse(r, x)))
      assert.is_true(torch.equal(torch.inverse(a), r:double()))
      local turned = torch.CudaDoubleTensor(3, 3):t()
      torch.inverse(turned, x)
      assert.is_true(torch.equal(torch.inverse(a), turned:double()))
      torch.inverse(x, x)
      assert.is_true(torch.equal(torch.inverse(a), x:double()))
   end)
   it('takes inputs that are views', function()
      local big = torch.CudaDoubleTensor(5, 5):zero()
      big:narrow(1, 2, 3):narrow(2, 2, 3):copy(a)
      assert.is_true(torch.equal(torch.inverse(a), big:narrow(1, 2, 3):narrow(2, 2, 3):t():inverse():double()))
   end)
   it('waits for what was given to the stream before', function()
      local x = torch.CudaTensor(4, 2):fill(1)
      for _ = 1, 20 do x:add(1) end
      assert.same({ 21, 21 }, torch.symeig(torch.diag(x:select(2, 1):narrow(1, 1, 2))):totable())
   end)
   it('says in its help that the CPU computes it', function()
      for _, name in ipairs { 'svd', 'gesv' } do
         assert.truthy(torch.help(name):find('Of CUDA tensors the CPU computes it: they are copied there, and its results back.', 1, true))
      end
      for _, name in ipairs { 'conv2', 'fft', 'irfftn' } do
         assert.is_nil(torch.help(name):find('the CPU computes it', 1, true))
      end
   end)
   it('refuses what it refuses on the CPU, and leaves its result as it was', function()
      local r = torch.CudaDoubleTensor { 7 }
      refuses('inverse: ', torch.inverse, r, torch.CudaDoubleTensor(3, 3):zero())
      refuses('inverse: ', torch.inverse, r, torch.CudaDoubleTensor(2, 3))
      refuses('symeig: a must be a tensor of type ', torch.symeig, torch.CudaIntTensor(2, 2))
      assert.same({ 7 }, r:totable())
   end)
   it('refuses results of another type or device', function()
      local x = a:cudaDouble()
      refuses('must be a DoubleTensor, got a FloatTensor', torch.inverse, torch.CudaTensor(3, 3), x)
      refuses('must be on CUDA device 1 like', torch.inverse, torch.DoubleTensor(3, 3), x)
      refuses('gesv: a must be on CUDA device 1 like b, got one on the CPU', torch.gesv, x, a)
      refuses('must be different tensors, got one for both', torch.symeig, x, x, a:cudaDouble())
   end)
   it('writes a result whose elements share places in row-major order', function()
      local y = torch.CudaDoubleTensor(3, 1):zero()
      torch.inverse(y:expand(3, 3), a:cudaDouble())
      assert.is_true(y:double():equal(torch.inverse(a):narrow(2, 3, 1)))
   end)
   it('refuses such results before it works', function()
      local none = torch.CudaDoubleTensor(3, 3):zero()                  -- singular, which the work finds
      refuses('inverse: result y must be a DoubleTensor', torch.inverse, torch.CudaTensor(3, 3), none)
      refuses('gesv: results', torch.gesv, none, none, a:cudaDouble(), none)
   end)
end)
