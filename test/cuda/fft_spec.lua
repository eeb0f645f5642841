-- test/cuda/fft_spec.lua - Fourier transforms of CUDA tensors: what is beyond test/cuda/ops_spec.lua's cases, and without cuFFT.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'
local device = require 'test.support.cuda.device'
local cutorch = device.cutorch

if device.missing('Fourier transforms on a CUDA device', describe, pending) then return end

local TH = os.getenv 'TH' or 'build/bin/th'
local LAST, EMULATED = cutorch.getDeviceCount(), cutorch.getDeviceProperties(1).emulated

local function near(want, got, limit)
   got = got:host():double()
   assert(want:isSameSizeAs(got), 'of other size')
   if want:nElement() == 0 then return end
   assert((want - got):norm() <= (limit or 1e-12) * math.max(1, want:norm()), (want - got):norm())
end

describe('a Fourier transform on a CUDA device', function()
   before_each(function() torch.manualSeed(5) end)
   after_each(temporary.remove)

   it('takes any size and dimension, cuts and pads, and normalises, as on the CPU', function()
      local x = torch.randn(3, 7, 6, 2)
      for _, norm in ipairs { 'backward', 'ortho', 'forward' } do
         for dim = 1, 3 do
            for _, n in ipairs { -1, 1, 2, 5, 17 } do
               for _, name in ipairs { 'fft', 'ifft', 'irfft' } do
                  if not (name == 'irfft' and n == -1 and x:size(dim) == 1) then
                     near(torch[name](x, n, dim, norm), torch[name](x:cudaDouble(), n, dim, norm))
                  end
               end
               near(torch.rfft(x, n, dim, norm), torch.rfft(x:cudaDouble(), n, dim, norm))
            end
         end
      end
   end)
   it('goes along several dimensions, and back', function()
      local x = torch.randn(4, 5, 6)
      for _, dims in ipairs { { 1, 3 }, { 3, 1 }, { 2, 3, 1 }, { 2 } } do
         local y = torch.rfftn(x:cudaDouble(), {}, dims)
         near(torch.rfftn(x, {}, dims), y)
         local size = {}
         for i, d in ipairs(dims) do size[i] = x:size(d) end
         near(x, torch.irfftn(y, size, dims))
      end
      near(torch.fft2(torch.randn(3, 4, 5, 2):fill(2)), torch.fft2(torch.CudaDoubleTensor(3, 4, 5, 2):fill(2)))
   end)
   it('reads and writes tensors that lie in any way, results that are inputs too', function()
      local x = torch.randn(5, 4, 2)
      local there = x:cudaDouble():transpose(1, 2)
      near(torch.fft(x:transpose(1, 2)), torch.fft(there))
      local y = torch.CudaDoubleTensor(2, 5, 4):transpose(1, 2):transpose(2, 3)
      torch.fft(y, x:cudaDouble())
      near(torch.fft(x), y)
      torch.fft(y, y)
      near(torch.fft(torch.fft(x)), y)
   end)
   it('is right for halves, which are floats between passes', function()
      local x = torch.randn(8, 9, 2):half()
      near(torch.fft2(x):double(), torch.fft2(x:cudaHalf()):double(), 1e-3)
   end)
   it('is right in a stream and on another device', function()
      local x = torch.randn(6, 8)
      cutorch.reserveStreams(1)
      cutorch.withDevice(LAST, function()
         cutorch.setStream(1)
         local y = torch.rfft(x:cudaDouble())
         assert.equal(LAST, y:getDevice())
         cutorch.synchronizeAll()
         near(torch.rfft(x), y)
         cutorch.setDefaultStream()
      end)
   end)
   it('of nothing is nothing', function()
      assert.same({ 0, 5, 2 }, torch.rfft(torch.CudaTensor(0, 8)):size():totable())
   end)
   it('refuses what it refuses on the CPU, and leaves its result as it was', function()
      local r = torch.CudaTensor { 7 }
      refuses('x must be complex: a last dimension of size 2', torch.fft, r, torch.CudaTensor(3, 3))
      refuses('n must be at least 1 along dimension 2, got 0', torch.fft, r, torch.CudaTensor(3, 3, 2), 0)
      refuses("norm must be 'backward', 'ortho' or 'forward', got 'none'", torch.rfft, r, torch.CudaTensor(3), 3, 1, 'none')
      refuses('fft: x must be a ', torch.fft, r, torch.CudaIntTensor(3, 2))
      assert.same({ 7 }, r:totable())
   end)
   it('fails for want of memory without a trace', function()
      if not EMULATED then return pending 'only the memory of an emulated device is as small as one likes' end
      local name = temporary.put([[
         require 'cutorch'
         local x, r = torch.CudaTensor(150000):fill(1), torch.CudaTensor { 7 }
         print(pcall(torch.rfft, r, x))
         print(r[1], x:sum())
      ]], '.lua')
      local p = io.popen(("TH_CUDA_EMU_MEMORY=1500000 '%s' '%s' 2>&1"):format(TH, name))
      local text = p:read '*a'
      p:close()
      assert.truthy(text:find '^false\t.-out of memory on CUDA device 1.-\n7\t150000\n$', text)
   end)
   it('goes through many lines a few at a time', function()
      if not EMULATED then return pending 'only the memory of an emulated device is as small as one likes' end
      local name = temporary.put([[
         require 'cutorch'
         torch.manualSeed(3)
         local x = torch.randn(100, 500, 2)
         for _, f in ipairs { torch.fft, torch.irfft, function(t) return torch.rfft(t:select(3, 1)) end } do
            local want, got = f(x), f(x:cudaDouble())
            assert((got:host() - want):norm() < 1e-12 * want:norm())
         end
         print 'fine'
      ]], '.lua')
      local p = io.popen(("TH_CUDA_EMU_MEMORY=4000000 '%s' '%s' 2>&1"):format(TH, name))
      local text = p:read '*a'
      p:close()
      assert.equal('fine\n', text)
   end)
   it('is left to the CPU where there is no cuFFT', function()
      local name = temporary.put([[
         require 'cutorch'
         torch.manualSeed(3)
         local x = torch.randn(4, 6, 2)
         local y, r = torch.fft(x:cudaDouble()), torch.CudaDoubleTensor()
         torch.fft2(r, x:cudaDouble())
         print(y:getDevice(), torch.equal(y:host(), torch.fft(x)), torch.equal(r:host(), torch.fft2(x)))
      ]], '.lua')
      local p = io.popen(("TH_CUFFT=none '%s' '%s' 2>&1"):format(TH, name))
      local text = p:read '*a'
      p:close()
      assert.equal('1\ttrue\ttrue\n', text)
   end)
end)
