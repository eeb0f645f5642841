-- test/op/fft_signal_spec.lua - cosine transforms, windows, stft and convolution of torch.fft: promises beyond SciPy's values.
local torch = require 'torch'
local refuses = require 'test.support.refuses'
local fft = torch.fft

local INF, NAN = math.huge, 0 / 0

local function noise(...) return torch.randn(...) end
local function distance(a, b)
   assert.same(a:size():totable(), b:size():totable())
   return a:nElement() == 0 and 0 or (a - b):abs():max()
end
local function near(want, got, limit) assert.is_true(distance(want, got) <= (limit or 1e-12), distance(want, got)) end

-- Which of the lines along the last dimension of a matrix have a number that is not finite.
local function broken(y)
   local list = {}
   for i = 1, y:size(1) do if not y[i]:isfinite():all() then list[#list + 1] = i end end
   return list
end

before_each(function() torch.manualSeed(3) end)

describe('torch.fft.dct and dst', function()
   it('are the sums of their definition', function()
      for _, n in ipairs { 2, 3, 4, 7, 9, 10 } do
         local x = noise(n)
         local function sums(f)
            local y = torch.DoubleTensor(n):zero()
            for k = 0, n - 1 do for j = 0, n - 1 do y[k + 1] = y[k + 1] + x[j + 1] * f(k, j) end end
            return y
         end
         local cos, sin, pi = math.cos, math.sin, math.pi
         local function twice(j, from, to) return (j < from or j > to) and 1 or 2 end
         near(sums(function(k, j) return twice(j, 1, n - 2) * cos(pi * k * j / (n - 1)) end), fft.dct(x, 1))
         near(sums(function(k, j) return 2 * cos(pi * k * (2 * j + 1) / (2 * n)) end), fft.dct(x))
         near(sums(function(k, j) return twice(j, 1, n) * cos(pi * (2 * k + 1) * j / (2 * n)) end), fft.dct(x, 3))
         near(sums(function(k, j) return 2 * cos(pi * (2 * k + 1) * (2 * j + 1) / (4 * n)) end), fft.dct(x, 4))
         near(sums(function(k, j) return 2 * sin(pi * (k + 1) * (j + 1) / (n + 1)) end), fft.dst(x, 1))
         near(sums(function(k, j) return 2 * sin(pi * (k + 1) * (2 * j + 1) / (2 * n)) end), fft.dst(x))
         near(sums(function(k, j) return twice(j, 0, n - 2) * sin(pi * (2 * k + 1) * (j + 1) / (2 * n)) end), fft.dst(x, 3))
         near(sums(function(k, j) return 2 * sin(pi * (2 * k + 1) * (2 * j + 1) / (4 * n)) end), fft.dst(x, 4))
      end
   end)
   it('are orthogonal matrices with norm ortho', function()
      for _, name in ipairs { 'dct', 'dst' } do
         for kind = 1, 4 do
            for _, n in ipairs { 2, 5, 8 } do
               local m = fft[name](torch.eye(n), kind, nil, nil, 'ortho')
               near(torch.eye(n), m * m:t())
            end
         end
      end
   end)
   it('go along any dimension of any layout, and leave x as it was', function()
      local x = noise(4, 5, 6)
      for _, name in ipairs { 'dct', 'idct', 'dst', 'idst' } do
         for kind = 1, 4 do
            for d = 1, 3 do
               local kept = x:clone()
               local want = fft[name](x:transpose(d, 3):contiguous(), kind):transpose(d, 3)
               assert.equal(0, distance(want, fft[name](x, kind, nil, d)))
               assert.equal(0, distance(want, fft[name](x:transpose(1, 2):contiguous():transpose(1, 2), kind, -1, d)))
               assert.equal(0, distance(kept, x))
               assert.is_true(fft[name](x, kind, nil, d):isContiguous())
            end
         end
      end
      near(fft.dct(torch.ones(3):expand(2, 3)), fft.dct(torch.ones(2, 3)), 0)
   end)
   it('cut and pad with zeros', function()
      local x = noise(2, 5)
      for _, n in ipairs { 2, 4, 9 } do
         local cut = torch.DoubleTensor(2, n):zero()
         cut:narrow(2, 1, math.min(n, 5)):copy(x:narrow(2, 1, math.min(n, 5)))
         for kind = 1, 4 do
            near(fft.dct(cut, kind), fft.dct(x, kind, n), 0)
            near(fft.idst(cut, kind), fft.idst(x, kind, n), 0)
         end
      end
   end)
   it('compute floats in float and halves in float, and give the type of x', function()
      local x = noise(3, 40)
      for kind = 1, 4 do
         local want = fft.dct(x, kind)
         assert.equal('torch.FloatTensor', fft.dct(x:float(), kind):type())
         assert.is_true((fft.dct(x:float(), kind):double() - want):norm() < 1e-6 * want:norm())
         local half = x:half()
         assert.equal('torch.HalfTensor', fft.dct(half, kind):type())
         near(fft.dct(half:float(), kind):half():float(), fft.dct(half, kind):float(), 0)
      end
      assert.equal(100, fft.dct(torch.HalfTensor(2000):fill(100), 2, nil, nil, 'forward')[1])    -- 400000 is no half
   end)
   it('let a NaN and an infinity reach their own line only', function()
      for kind = 1, 4 do
         for _, name in ipairs { 'dct', 'dst' } do
            local x = noise(4, 7)
            x[2][3], x[4][7] = NAN, INF
            assert.same({ 2, 4 }, broken(fft[name](x, kind)))
         end
      end
   end)
   it('of no lines are none', function()
      for kind = 1, 4 do assert.same({ 0, 4 }, fft.dct(torch.DoubleTensor(0, 4), kind):size():totable()) end
      near(torch.DoubleTensor { { 2, 2 } }:expand(3, 2):clone():zero(), fft.dct(torch.DoubleTensor(3, 0), 2, 2), 0)
   end)
   it('refuse bad input and name it', function()
      for _, name in ipairs { 'dct', 'idct', 'dst', 'idst' } do
         local f, who, x = fft[name], 'torch.fft.' .. name .. ': ', torch.Tensor(3, 4)
         refuses(who .. 'x must be a tensor, got nil', f)
         refuses(who .. 'x must be a Float, Double, Half or BFloat16 tensor, got a torch.LongTensor of size 3', f, torch.LongTensor(3))
         refuses(who .. 'type must lie in 1..4, got 5', f, x, 5)
         refuses(who .. 'type must be a whole number, got a string', f, x, 'two')
         refuses(who .. 'n must be at least 1 along dimension 2, got 0', f, x, 2, 0)
         refuses(who .. 'n must be at least 1 along dimension 1, got 0', f, torch.Tensor())
         refuses(who .. 'n must be a whole number, got a number (nan)', f, x, 2, NAN)
         refuses('out of memory', f, x, 2, 2 ^ 45)
         refuses(who .. 'dim must lie in 1..2, got 3', f, x, 2, nil, 3)
         refuses(who .. 'dim must lie in 1..2, got 0', f, x, 2, nil, 0)
         refuses(who .. "norm must be 'backward', 'ortho' or 'forward', got 'none'", f, x, 2, nil, 1, 'none')
         refuses(who .. "norm must be 'backward', 'ortho' or 'forward', got a number (2)", f, x, 2, nil, 1, 2)
      end
      refuses('torch.fft.dct: n must be at least 2 along dimension 1, got 1', fft.dct, torch.Tensor(1), 1)
      assert.truthy(refuses('dim must', fft.dct, torch.Tensor(2), 2, 2, 2):find 'test/support/refuses.lua:%d+: ')
   end)
end)

describe('torch.fft.hfft', function()
   it('is the transform of the whole signal, and ihfft its inverse', function()
      for _, n in ipairs { 1, 2, 5, 8 } do
         local r = noise(3, n)
         for _, norm in ipairs { 'backward', 'ortho', 'forward' } do
            local half = fft.ihfft(r, nil, nil, norm)
            near(r, fft.hfft(half, n, nil, norm))
            near(r, fft.real(fft.fft(fft.ifft(fft.complex(r), nil, nil, norm), nil, nil, norm)))
            near(half, fft.ifft(fft.complex(r), nil, nil, norm):narrow(2, 1, math.floor(n / 2) + 1))
         end
      end
   end)
   it('and ihfft refuse bad input and name it', function()
      refuses('torch.fft.hfft: x must be complex: a last dimension of size 2, got size 3', fft.hfft, torch.Tensor(3))
      refuses('torch.fft.hfft: n must be at least 1 along dimension 1, got 0', fft.hfft, torch.Tensor(1, 2))
      refuses('torch.fft.hfft: dim must lie in 1..1, got 2', fft.hfft, torch.Tensor(3, 2), 3, 2)
      refuses("torch.fft.hfft: norm must be 'backward', 'ortho' or 'forward', got 'x'", fft.hfft, torch.Tensor(3, 2), 3, 1, 'x')
      refuses('torch.fft.hfft: x must have at least 1 dimension', fft.hfft, torch.Tensor(2))
      refuses('torch.fft.ihfft: x must be a Float', fft.ihfft, torch.IntTensor(3))
      refuses('torch.fft.ihfft: n must be at least 1 along dimension 1, got -2', fft.ihfft, torch.Tensor(3), -2)
   end)
end)

describe('torch.fft.window', function()
   it('is symmetric to the last bit, and periodic windows lack the last place', function()
      for _, name in ipairs { 'hann', 'hamming', 'blackman', 'bartlett', 'kaiser', 'ones' } do
         for _, n in ipairs { 1, 2, 3, 16, 101 } do
            local w = fft.window(name, n, false)
            assert.equal(0, distance(torch.flip(w, 1), w))
            if n > 2 then assert.equal(0, distance(w:narrow(1, 1, n - 1), fft.window(name, n - 1))) end
            assert.is_true(w:min() >= 0 and w:max() <= 1)
         end
      end
   end)
   it('has the default type, or double where that has no fractions', function()
      torch.setdefaulttensortype 'torch.FloatTensor'
      assert.equal('torch.FloatTensor', fft.window('hann', 3):type())
      torch.setdefaulttensortype 'torch.DoubleTensor'
      assert.equal('torch.DoubleTensor', fft.window('hann', 3):type())
   end)
   it('refuses bad input and names it', function()
      local who = 'torch.fft.window: '
      refuses(who .. "name must be 'hann', 'hamming', 'blackman', 'bartlett', 'kaiser' or 'ones', got nil", fft.window)
      refuses(who .. 'n must be at least 1, got 0', fft.window, 'hann', 0)
      refuses(who .. 'n must be a whole number, got nil', fft.window, 'hann')
      refuses('out of memory', fft.window, 'hann', 2 ^ 46)
      refuses(who .. 'periodic must be true or false, got a number (1)', fft.window, 'hann', 3, 1)
      refuses(who .. 'beta must lie in 0..700, got 701', fft.window, 'kaiser', 3, true, 701)
      refuses(who .. 'beta must lie in 0..700, got nan', fft.window, 'kaiser', 3, true, NAN)
      refuses(who .. 'beta must be a number, got a boolean (true)', fft.window, 'kaiser', 3, true, true)
   end)
end)

describe('torch.fft.stft', function()
   it('has the spectra of frames in its columns', function()
      local x, w = noise(3, 40), fft.window('hann', 8)
      local y = fft.stft(x, 8, 3, 'hann', { center = false })
      assert.same({ 3, 5, 11, 2 }, y:size():totable())
      for f = 1, 11 do
         for i = 1, 3 do near(fft.rfft(torch.cmul(x[i]:narrow(1, 3 * f - 2, 8), w)), y[i]:select(2, f)) end
      end
      assert.is_true(y:isContiguous())
   end)
   it('centres frames by reflection, zeros, the last value or the other end', function()
      local x = torch.range(1, 6)
      local function first(pad)
         local y = fft.stft(x, 4, 2, 'ones', { pad = pad })
         return fft.irfft(y:select(2, 1), 4):totable(), fft.irfft(y:select(2, 4), 4):totable()
      end
      local function rounded(t)
         for i, v in ipairs(t) do t[i] = math.floor(v + 0.5) end
         return t
      end
      for pad, want in pairs { reflect = { { 3, 2, 1, 2 }, { 5, 6, 5, 4 } }, zeros = { { 0, 0, 1, 2 }, { 5, 6, 0, 0 } },
         replicate = { { 1, 1, 1, 2 }, { 5, 6, 6, 6 } }, circular = { { 5, 6, 1, 2 }, { 5, 6, 1, 2 } } } do
         local a, b = first(pad)
         assert.same(want, { rounded(a), rounded(b) }, pad)
      end
   end)
   it('takes all bins, ortho scale and windows of other widths', function()
      local x = noise(2, 30)
      local all, half = fft.stft(x, 6, 2, nil, { onesided = false }), fft.stft(x, 6, 2)
      near(half, all:narrow(2, 1, 4))
      near(fft.conj(half:narrow(2, 2, 2)), torch.flip(all:narrow(2, 5, 2), 2))
      near(half / math.sqrt(6), fft.stft(x, 6, 2, nil, { normalized = true }))
      local w = torch.DoubleTensor(6):zero()
      w:narrow(1, 2, 3):copy(fft.window('hamming', 3))
      near(fft.stft(x, 6, 2, w), fft.stft(x, 6, 2, 'hamming', { width = 3 }))
      near(fft.stft(x, 6, 2, w), fft.stft(x, 6, 2, fft.window('hamming', 3)))
      near(fft.stft(x, 6, 2, fft.window('kaiser', 6, true, 9)), fft.stft(x, 6, 2, { 'kaiser', 9 }), 0)
      near(fft.stft(x, 8), fft.stft(x, 8, 2, 'hann'), 0)
   end)
   it('computes halves as floats', function()
      local x = noise(2, 30):half()
      local y = fft.stft(x, 8)
      assert.equal('torch.HalfTensor', y:type())
      near(fft.stft(x:float(), 8):half():float(), y:float(), 0)
      near(fft.istft(y:float(), 8):half():float(), fft.istft(y, 8):float(), 0)
   end)
   it('is undone by istft', function()
      for _, n in ipairs { 1, 2, 7, 16 } do
         for _, hop in ipairs { 1, 2, 5 } do
            for _, onesided in ipairs { true, false } do
               if hop < n or n == 1 and hop == 1 then
                  local x, o = noise(2, 3, 50), { onesided = onesided, normalized = onesided }
                  local y = fft.stft(x, n, hop, 'hamming', o)
                  o.length = 50
                  local back = fft.istft(y, n, hop, 'hamming', o)
                  local covered = math.min(50, (y:size(4) - 1) * hop + n - math.floor(n / 2))
                  near(x:narrow(3, 1, covered), back:narrow(3, 1, covered), 1e-11)
                  if covered < 50 then assert.equal(0, back:narrow(3, covered + 1, 50 - covered):abs():max()) end
               end
            end
         end
      end
      local x = noise(41)
      near(x, fft.istft(fft.stft(x, 8, 3, 'ones', { center = false }), 8, 3, 'ones', { center = false }))
   end)
   it('lets a NaN reach the frames that hold it, and istft its own places', function()
      local x = noise(2, 40)
      x[2][20] = NAN
      local y = fft.stft(x, 8, 4, 'hann', { center = false })
      assert.same({}, broken(y[1]))
      assert.same({ 4, 5 }, broken(y[2]:transpose(1, 2)))
      local z = fft.istft(y, 8, 4, 'hamming', { center = false })
      assert.is_true(z[1]:isfinite():all())
      assert.equal(12, 40 - z[2]:isfinite():sum())
      for i = 13, 24 do assert.is_false(z[2][i] == z[2][i]) end
   end)
   it('refuses bad input and names it', function()
      local who, x = 'torch.fft.stft: ', torch.ones(2, 20)
      refuses(who .. 'x must be a tensor, got nil', fft.stft)
      refuses(who .. 'x must be a Float, Double, Half or BFloat16 tensor, got a torch.ByteTensor of size 9', fft.stft, torch.ByteTensor(9), 4)
      refuses(who .. 'n must be at least 1, got 0', fft.stft, x, 0)
      refuses(who .. 'n must be a whole number, got nil', fft.stft, x)
      refuses(who .. 'hop must be at least 1, got 0', fft.stft, x, 4, 0)
      refuses(who .. 'hop must be a whole number, got a string', fft.stft, x, 4, 'a')
      refuses(who .. "window must be 'hann', 'hamming', 'blackman', 'bartlett', 'kaiser' or 'ones', got 'sine'", fft.stft, x, 4, 1, 'sine')
      refuses(who .. 'the window must have 1..4 places, got 5', fft.stft, x, 4, 1, torch.ones(5))
      refuses(who .. 'width must lie in 1..4, got 5', fft.stft, x, 4, 1, 'hann', { width = 5 })
      refuses(who .. 'width must be the size of the window, 3, got 2', fft.stft, x, 4, 1, torch.ones(3), { width = 2 })
      refuses(who .. 'window must be a vector of floating point numbers, got a torch.DoubleTensor of size 2x2', fft.stft, x, 4, 1, torch.ones(2, 2))
      refuses(who .. 'options must be a table, got a boolean (true)', fft.stft, x, 4, 1, 'hann', true)
      refuses(who .. 'options have no field centre', fft.stft, x, 4, 1, 'hann', { centre = false })
      refuses(who .. 'options have no field length', fft.stft, x, 4, 1, 'hann', { length = 3 })
      refuses(who .. 'center must be true or false, got a number (0)', fft.stft, x, 4, 1, 'hann', { center = 0 })
      refuses(who .. "pad must be 'reflect', 'zeros', 'replicate' or 'circular', got 'x'", fft.stft, x, 4, 1, 'hann', { pad = 'x' })
      refuses(who .. 'x must have more than 20 places along its last dimension for a reflection, got 20', fft.stft, x, 40)
      refuses(who .. 'x must have at least 21 places along its last dimension, got 20', fft.stft, x, 21, 1, 'hann', { center = false })
      refuses(who .. 'x must have at least 1 places along its last dimension, got 0', fft.stft, torch.Tensor(), 1)
      refuses(who .. 'x must have', fft.stft, x, 2 ^ 50)
   end)
end)

describe('torch.fft.istft', function()
   it('gives as many places as asked for', function()
      local y = fft.stft(noise(30), 8)
      for _, length in ipairs { 1, 5, 28, 30, 100 } do
         assert.same({ length }, fft.istft(y, 8, nil, nil, { length = length }):size():totable())
      end
      assert.same({ 30 }, fft.istft(y, 8):size():totable())
   end)
   it('refuses bad input and names it', function()
      local who, y = 'torch.fft.istft: ', torch.ones(5, 4, 2)
      refuses(who .. 'y must be complex: a last dimension of size 2, got size 5x4', fft.istft, torch.ones(5, 4), 8)
      refuses(who .. 'y must have at least 3 dimensions: bins, frames and 2, got size 5x2', fft.istft, torch.ones(5, 2), 8)
      refuses(who .. 'y must have 6 bins for n = 10, got 5', fft.istft, y, 10)
      refuses(who .. 'y must have 8 bins for n = 8, got 5', fft.istft, y, 8, 2, 'hann', { onesided = false })
      refuses(who .. 'hop must be at least 1, got 0', fft.istft, y, 8, 0)
      refuses(who .. 'options have no field pad', fft.istft, y, 8, 2, 'hann', { pad = 'zeros' })
      refuses(who .. 'length must be at least 1, got 0', fft.istft, y, 8, 2, 'hann', { length = 0 })
      refuses(who .. 'y must have at least 1 frame', fft.istft, torch.Tensor(5, 0, 2), 8)
      refuses(who .. 'the result would have no places', fft.istft, torch.ones(5, 1, 2), 8)
      refuses(who .. 'the squares of the windows must not sum to 0', fft.istft, y, 8, 8)
      refuses(who .. 'the squares of the windows must not sum to 0', fft.istft, y, 8, 9, 'ones')
      refuses(who .. 'the squares of the windows must not sum to 0', fft.istft, y, 8, 2, 'hann', { center = false })
      refuses(who .. 'the squares of the windows must not sum to 0', fft.istft, y, 8, 2, torch.zeros(8))
   end)
end)

-- The convolution by its definition.
local function direct(a, b)
   local y = torch.DoubleTensor(a:size(1) + b:size(1) - 1):zero()
   for i = 1, b:size(1) do y:narrow(1, i, a:size(1)):add(b[i], a) end
   return y
end

describe('torch.fft.convolve', function()
   it('is the sum of its definition, by one transform and by blocks', function()
      for _, sizes in ipairs { { 1, 1 }, { 7, 3 }, { 3, 7 }, { 500, 20 }, { 20, 501 }, { 3000, 5 }, { 800, 790 } } do
         local a, b = noise(sizes[1]), noise(sizes[2])
         local want = direct(a, b)
         near(want, fft.convolve(a, b), 1e-11)
         near(want:narrow(1, math.min(sizes[1], sizes[2]), math.abs(sizes[1] - sizes[2]) + 1), fft.convolve(a, b, 'valid'), 1e-11)
         near(want:narrow(1, math.floor((sizes[2] - 1) / 2) + 1, sizes[1]), fft.convolve(a, b, 'same'), 1e-11)
         near(direct(a, torch.flip(b, 1)), fft.correlate(a, b), 1e-11)
      end
   end)
   it('takes batches, lines along any dimension, and sizes of 1 that stretch', function()
      for _, long in ipairs { 30, 900 } do
         local a, b = noise(2, 3, long), noise(2, 3, 7)
         local y, same = fft.convolve(a, b), fft.convolve(a, b[1][1])
         local stretched = fft.convolve(a, b:narrow(2, 2, 1))
         for i = 1, 2 do
            for j = 1, 3 do
               near(direct(a[i][j], b[i][j]), y[i][j])
               near(direct(a[i][j], b[1][1]), same[i][j])
               near(direct(a[i][j], b[i][2]), stretched[i][j])
            end
         end
         for d = 1, 2 do
            local turned = fft.convolve(a:transpose(d, 3), b:transpose(d, 3), 'full', d)
            near(y, turned:transpose(d, 3))
            assert.is_true(turned:isContiguous())
         end
      end
   end)
   it('takes complex signals', function()
      for _, long in ipairs { 9, 700 } do
         local a, b = noise(long, 2), noise(4, 2)
         local function part(x, i) return x:select(2, i):contiguous() end
         local function joined(re, im) return fft.complex(re, im) end
         local ar, ai, br, bi = part(a, 1), part(a, 2), part(b, 1), part(b, 2)
         near(joined(direct(ar, br) - direct(ai, bi), direct(ar, bi) + direct(ai, br)), fft.convolve(a, b, 'full', nil, true))
         local function turned(x) return torch.flip(x, 1) end
         near(joined(direct(ar, turned(br)) + direct(ai, turned(bi)), direct(ai, turned(br)) - direct(ar, turned(bi))),
            fft.correlate(a, b, 'full', nil, true))
      end
   end)
   it('finds where a signal lies in another', function()
      local x = noise(5000)
      local _, place = torch.max(fft.correlate(x, x:narrow(1, 1234, 100)), 1)
      assert.equal(1233, place[1] - 100)
   end)
   it('computes halves as floats', function()
      local a, b = noise(40):half(), noise(5):half()
      assert.equal('torch.HalfTensor', fft.convolve(a, b):type())
      near(fft.convolve(a:float(), b:float()):half():float(), fft.convolve(a, b):float(), 0)
   end)
   it('has the same bits for any number of threads', function()
      local before, a, b = torch.getnumthreads(), noise(5, 20000), noise(300)
      torch.setnumthreads(1)
      local one, two = fft.convolve(a, b), fft.stft(a, 64)
      local three = fft.dct(a)
      for n = 2, 8 do
         torch.setnumthreads(n)
         assert.equal(0, distance(one, fft.convolve(a, b)))
         assert.equal(0, distance(two, fft.stft(a, 64)))
         assert.equal(0, distance(three, fft.dct(a)))
      end
      torch.setnumthreads(before)
   end)
   it('lets a NaN reach its own line only, and in long lines the blocks around it', function()
      local a, b = noise(3, 5000), noise(9)
      a[2][100] = NAN
      local y = fft.convolve(a, b)
      assert.same({ 2 }, broken(y))
      assert.is_true(y[2]:narrow(1, 2500, 2500):isfinite():all())
      for i = 100, 108 do assert.is_false(y[2][i] == y[2][i]) end
   end)
   it('and correlate refuse bad input and name it', function()
      for _, name in ipairs { 'convolve', 'correlate' } do
         local f, who, a = fft[name], 'torch.fft.' .. name .. ': ', torch.ones(3, 8)
         refuses(who .. 'a must be a tensor, got nil', f)
         refuses(who .. 'b must be a tensor, got a number (1)', f, a, 1)
         refuses(who .. 'a must be a Float, Double, Half or BFloat16 tensor', f, a:long(), a)
         refuses(who .. 'b must be a torch.DoubleTensor like a, got a torch.FloatTensor of size 8', f, a, torch.FloatTensor(8))
         refuses(who .. "mode must be 'full', 'same' or 'valid', got 'all'", f, a, a, 'all')
         refuses(who .. 'dim must lie in 1..2, got 3', f, a, a, 'full', 3)
         refuses(who .. 'b must be one line or have as many dimensions as a, got sizes 2x2 and 8', f, torch.ones(8), torch.ones(2, 2))
         refuses(who .. 'b must have the size of a or 1 along dimension 1, got 2 and 3', f, a, torch.ones(2, 4))
         refuses(who .. 'a must have a place along dimension 1, got size empty', f, torch.Tensor(), torch.ones(1))
         refuses(who .. 'b must have a place along dimension 1, got size empty', f, a, torch.Tensor())
         refuses(who .. 'isComplex must be true or false, got a number (1)', f, a, a, 'full', 1, 1)
         refuses(who .. 'b must be complex: a last dimension of size 2, got size 8', f, torch.ones(8, 2), torch.ones(8), 'full', 1, true)
      end
   end)
end)

describe('torch.fft.fastLength', function()
   it('is the smallest product of 2, 3 and 5 that is large enough', function()
      local function smooth(n)
         for _, p in ipairs { 2, 3, 5 } do while n % p == 0 do n = n / p end end
         return n == 1
      end
      local want = 1
      for n = 1, 2000 do
         while want < n or not smooth(want) do want = want + 1 end
         assert.equal(want, fft.fastLength(n))
      end
      assert.equal(2 ^ 52, fft.fastLength(2 ^ 52))
   end)
   it('refuses what is no such number', function()
      refuses('torch.fft.fastLength: n must lie in 1..4503599627370496, got 0', fft.fastLength, 0)
      refuses('torch.fft.fastLength: n must be a whole number, got nil', fft.fastLength)
   end)
end)

describe('the gradients in torch.fft', function()
   local autograd = require 'autograd'
   local check = autograd.gradcheck()
   local function weighed(y)
      local w = torch.range(1, torch.nElement(y)):mul(0.3):sin():add(1.5)
      return torch.sum(torch.cmul(y, torch.viewAs(w, y)))
   end
   local w = torch.range(1, 6):mul(0.1)
   for name, f in pairs {
      ['dct of type 1'] = function(x) return fft.dct(x, 1, nil, 1, 'ortho') end,
      ['dct of type 2, padded'] = function(x) return fft.dct(x, 2, 9, 2, 'ortho') end,
      ['idct of type 2'] = function(x) return fft.idct(x) end,
      ['dct of type 4 of even length'] = function(x) return fft.dct(x, 4) end,
      ['dct of type 4 of odd length'] = function(x) return fft.dct(x, 4, nil, 1) end,
      ['dst of type 1, cut'] = function(x) return fft.dst(x, 1, 4) end,
      ['dst of type 2'] = function(x) return fft.dst(x, 2) end,
      ['idst of type 2'] = function(x) return fft.idst(x, 2, 7) end,
      ['dst of type 4'] = function(x) return fft.dst(x, 4, 7) end,
      ['hfft'] = function(x) return fft.hfft(x:view(3, 4, 2)) end,
      ['ihfft'] = function(x) return fft.ihfft(x, 5, 1) end,
      ['stft with a reflection'] = function(x) return fft.stft(x, 4, 1) end,
      ['stft with zeros'] = function(x) return fft.stft(x, 6, 2, w, { onesided = false, normalized = true, pad = 'zeros' }) end,
      ['stft that repeats the ends'] = function(x) return fft.stft(x, 5, 3, { 'kaiser', 8 }, { pad = 'replicate', width = 3 }) end,
      ['circular stft'] = function(x) return fft.stft(x, 5, 3, 'hann', { pad = 'circular' }) end,
      ['stft by its window'] = function(x) return fft.stft(w, 3, 2, x:select(1, 1):narrow(1, 1, 3)) end,
      ['istft'] = function(x) return fft.istft(x:view(3, 4, 2), 4, 1) end,
      ['istft of all bins'] = function(x)
         return fft.istft(x:view(3, 4, 2), 3, 1, 'hamming', { onesided = false, length = 9 })
      end,
      ['convolve by both signals'] = function(x) return fft.convolve(x, x) end,
      ['convolve by blocks'] = function(x) return fft.convolve(x:view(24), w:narrow(1, 1, 2)) end,
      ['correlate of complex signals'] = function(x)
         return fft.correlate(x:view(12, 2), x:view(12, 2):narrow(1, 1, 3), 'same', 1, true)
      end,
      ['abs'] = function(x) return fft.abs(x:view(12, 2)) end,
      ['angle'] = function(x) return fft.angle(x:view(12, 2)) end,
      ['conj'] = function(x) return fft.conj(x:view(12, 2)) end,
      ['real and imag'] = function(x) return fft.real(x:view(12, 2)) + fft.imag(x:view(12, 2)) * 2 end,
      ['complex'] = function(x) return fft.complex(x, x) end,
      ['fftshift'] = function(x) return fft.fftshift(x) end,
      ['unfold with windows that overlap'] = function(x) return x:unfold(1, 2, 1) end,
   } do
      it('are right: ' .. name, function()
         assert.is_true(check(function(x) return weighed(torch.pow(f(x), 2)) end, torch.randn(3, 8)))
      end)
   end
   for name, f in pairs {
      rfft = function(x) return torch.rfft(x, 6, 1) end,
      irfft = function(x) return torch.irfft(x:view(3, 4, 2)) end,
      fft2 = function(x) return torch.fft2(x:view(3, 4, 2), { 2, 5 }) end,
      dct = function(x) return fft.dct(x) end,
   } do
      it('have gradients in turn: ' .. name, function()
         local df = autograd(function(x) return weighed(torch.pow(f(x), 3)) end)
         assert.is_true(check(function(x) return weighed(torch.pow(df(x), 2)) end, torch.randn(3, 8)))
      end)
   end
end)

describe('torch.fft', function()
   it('of no lines gives none, for every function', function()
      local none = torch.DoubleTensor(0, 20)
      assert.same({ 0, 5, 11, 2 }, fft.stft(none, 8):size():totable())
      assert.same({ 0, 20 }, fft.istft(fft.stft(none, 8), 8):size():totable())
      assert.same({ 0, 22 }, fft.convolve(none, torch.ones(3)):size():totable())
      assert.same({ 0, 20, 2 }, fft.complex(none):size():totable())
      assert.same({ 0, 2 }, fft.complex(torch.Tensor()):size():totable())
      assert.same({ 0, 20 }, fft.dst(none, 4, nil, 2):size():totable())
   end)
   it('refuses more dimensions than its results can have', function()
      local function ones(n)
         local size = {}
         for d = 1, n do size[d] = 1 end
         return torch.ones(unpack(size))
      end
      local x = ones(16)
      for _, name in ipairs { 'idct', 'dst', 'ihfft' } do
         refuses('torch.fft.' .. name .. ': x must have at most 15 dimensions, got 16', fft[name], x)
      end
      refuses('torch.fft.complex: re must have at most 15 dimensions, got 16', fft.complex, x)
      refuses('torch.fft.stft: x must have at most 14 dimensions, got 16', fft.stft, x, 1)
      refuses('torch.fft.convolve: a must have at most 14 dimensions, got 16', fft.convolve, x, x)
      near(ones(15), fft.idct(fft.dct(ones(15), 2), 2))
      assert.equal(16, fft.stft(ones(14), 1):dim())
      near(ones(14), fft.convolve(ones(14), torch.ones(1)))
   end)
end)

describe('torch.complexMul', function()
   it('takes a factor of fewer dimensions and as many elements as the other', function()
      local a, b = noise(5, 2), noise(1, 1, 5, 2)
      for _, name in ipairs { 'complexMul', 'complexMulConj' } do
         near(torch[name](a:view(1, 1, 5, 2), b), torch[name](a, b), 0)
         near(torch[name](b, a:view(1, 1, 5, 2)), torch[name](b, a), 0)
         near(torch[name](a[1]:view(1, 2), b:narrow(3, 1, 1):view(1, 2)), torch[name](a[1], b:narrow(3, 1, 1):view(1, 2)), 0)
      end
   end)
end)
