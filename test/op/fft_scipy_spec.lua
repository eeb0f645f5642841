-- test/op/fft_scipy_spec.lua - torch.fft compared with SciPy: recorded values, and an installed SciPy.
local torch = require 'torch'
local refuses = require 'test.support.refuses'

local python = os.getenv 'PYTHON' or 'python3'

local function tensor(v) return torch.DoubleTensor(v.data):view(unpack(v.size)) end

-- The columns first, first + 1, ... of an stft whose frames begin at whole hops before the signal, as ShortTimeFFT numbers them.
local function like_scipy(x, n, hop, name, first, after)
   local d, half = x:dim(), math.floor(n / 2)
   local function zeros(k)
      local size = x:size()
      size[d] = k
      return x.new(size):zero()
   end
   local before, behind = half - first * hop, (after - 1) * hop + n - half - x:size(d)
   if before < 0 then x = x:narrow(d, 1 - before, x:size(d) + before) end
   x = torch.cat({ zeros(math.max(0, before)), x, zeros(math.max(0, behind)) }, d)
   return torch.fft.stft(x, n, hop, name, { center = false }):narrow(d + 1, 1, after - first)
end

-- The largest difference, as a part of the norm of what SciPy gives.
local function compare(cases, limit)
   local count = {}
   for i, c in ipairs(cases) do
      local name, a = c[1], {}
      for k = 1, c.n do a[k] = type(c[2][k]) == 'table' and c[2][k].data and tensor(c[2][k]) or c[2][k] end
      local f = name == 'scipy stft' and like_scipy or torch.fft[name]
      local want, got = tensor(c[3]), f(unpack(a, 1, c.n))
      local text = ('case %d: %s of n = %s'):format(i, name, tostring(c[2][1] and type(c[2][1]) == 'table' and #c[2][1].data))
      assert.same(want:size():totable(), got:size():totable(), text)
      assert.is_true((want - got):norm() <= limit * math.max(want:norm(), 1), text .. ': ' .. (want - got):norm())
      count[name] = (count[name] or 0) + 1
   end
   return count
end

describe('torch.fft', function()
   it('equals what SciPy 1.17 gave', function()
      local count = compare(dofile 'test/support/fft_scipy.lua', 1e-13)
      for name in ([[dct idct dst idst hfft ihfft window stft convolve correlate fftfreq rfftfreq fftshift ifftshift]])
         :gmatch '%S+' do
         assert.is_true((count[name] or 0) > 0, name)
      end
      assert.is_true(count['scipy stft'] > 0)
   end)

   it('equals the SciPy that is installed, for long lines too', function()
      local p = io.popen(("%s -c 'import scipy, numpy' 2>/dev/null && %s test/support/fft_scipy.py 7"):format(python, python))
      local text = p:read '*a'
      p:close()
      if text == '' then return pending(python .. ' has no SciPy: set PYTHON to one that has it') end
      compare(assert(loadstring(text))(), 2e-14)
   end)

   it('refuses a window that SciPy has and it has not', function()
      refuses("name must be 'hann', 'hamming', 'blackman', 'bartlett', 'kaiser' or 'ones', got 'parzen'", torch.fft.window, 'parzen', 4)
   end)
end)
