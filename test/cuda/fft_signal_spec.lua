-- test/cuda/fft_signal_spec.lua - cosine transforms, stft and convolution of CUDA tensors, against those of the CPU.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local refuses = require 'test.support.refuses'
local device = require 'test.support.cuda.device'
local cutorch = device.cutorch

if device.missing('torch.fft on a CUDA device', describe, pending) then return end

local fft, LAST = torch.fft, cutorch.getDeviceCount()

local function near(want, got, limit)
   got = got:host():double()
   assert.same(want:size():totable(), got:size():totable())
   assert.is_true((want:double() - got):norm() <= (limit or 1e-12) * math.max(1, want:norm()))
end

-- name -> f(x) of a 3 x 20 tensor.
local functions = {
   idct = function(x) return fft.idct(x, 2, 9, 1) end,
   hfft = function(x) return fft.hfft(x:narrow(2, 1, 2)) end,
   ihfft = function(x) return fft.ihfft(x, 7, 1) end,
   stft = function(x) return fft.stft(x, 8, 3, 'hamming', { width = 6 }) end,
   istft = function(x) return fft.istft(fft.stft(x, 8), 8) end,
   ['stft of all bins'] = function(x) return fft.stft(x, 5, 2, nil, { onesided = false, pad = 'zeros' }) end,
   convolve = function(x) return fft.convolve(x, x:narrow(2, 3, 4), 'same') end,
   ['convolve by blocks'] = function(x) return fft.convolve(x, x:select(1, 1):narrow(1, 1, 2)) end,
   correlate = function(x) return fft.correlate(x:view(3, 10, 2), x:view(3, 10, 2):narrow(2, 1, 3), 'full', 2, true) end,
   conj = function(x) return fft.conj(x:narrow(2, 1, 2)) end,
   complex = function(x) return fft.complex(x) end,
}
for kind = 1, 4 do
   functions['dct of type ' .. kind] = function(x) return fft.dct(x, kind) end
   functions['dst of type ' .. kind] = function(x) return fft.dst(x, kind, 7, 2, 'ortho') end
end

describe('on a CUDA device torch.fft.', function()
   before_each(function() torch.manualSeed(5) end)

   for name, f in pairs(functions) do
      it(name .. ' gives what it gives on the CPU', function()
         local x = torch.randn(3, 20)
         local y = f(x:cudaDouble())
         assert.equal('torch.CudaDoubleTensor', y:type())
         near(f(x), y)
         local single = f(x:cuda())
         assert.equal('torch.CudaTensor', single:type())
         near(f(x), single, 1e-5)
         local half = f(x:cudaHalf())
         assert.equal('torch.CudaHalfTensor', half:type())
         near(f(x:half()), half, 2e-3)
      end)
      it(name .. ' works on the device of x, another one than the current', function()
         local x, there = torch.randn(3, 20), nil
         cutorch.withDevice(LAST, function() there = x:cudaDouble() end)
         local y = f(there)
         assert.equal(LAST, y:getDevice())
         near(f(x), y)
      end)
   end
   it('stft refuses a window that lies elsewhere, and a convolution signals of both kinds', function()
      local x = torch.CudaTensor(30):fill(1)
      refuses('torch.fft.stft: window must be on the device of x', fft.stft, x, 8, 2, torch.FloatTensor(8):fill(1))
      refuses('torch.fft.convolve: b must be a torch.CudaTensor like a', fft.convolve, x, torch.FloatTensor(3))
      refuses('torch.fft.dct: x must be a Float, Double, Half or BFloat16 tensor', fft.dct, torch.CudaIntTensor(3))
   end)
end)
