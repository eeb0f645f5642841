-- test/op/fft_spec.lua - Fourier transforms: against their definition, their inverses, sums of squares, differences.
local torch, opcheck = require 'torch', require 'test.support.opcheck'
local autograd = require 'autograd'
local fft = torch.fft
local long = torch.LongStorage

local patience = require 'test.support.patience'
local refuses = require 'test.support.refuses'
local with_little = require 'test.support.little_memory'

local function distance(a, b)
   assert.same(a:size():totable(), b:size():totable())
   return a:nElement() == 0 and 0 or torch.max(torch.abs(a - b))
end

local function noise(...) return torch.DoubleTensor(...):uniform(-1, 1) end

-- The transform of complex x (n x 2) as it is defined, for some of its places or all; sign -1 is forward.
local function defined(x, sign, places)
   local n = x:size(1)
   local y = torch.DoubleTensor(places and #places or n, 2)
   local j = torch.range(0, n - 1)
   for i = 1, y:size(1) do
      local k = places and places[i] or i - 1
      local angle = torch.remainder(j * k, n) * (sign * 2 * math.pi / n)
      local c, s = torch.cos(angle), torch.sin(angle)
      local re, im = x:select(2, 1), x:select(2, 2)
      y[i][1], y[i][2] = re:dot(c) - im:dot(s), re:dot(s) + im:dot(c)
   end
   return y
end

local KINDS = 'half bfloat16 float double'
local COMPLEX = 'x must be complex: a last dimension of size 2, got size '
local x4 = { { 1, 0 }, { 2, 1 }, { 3, -1 }, { 4, 2 } }
local y4 = { { 10, 2 }, { -3, 3 }, { -2, -4 }, { -1, -1 } }
local grad4 = { { 1, 0.5 }, { 2, 1 }, { 3, -1 }, { -4, 2 }, { 0.25, 1 } }

opcheck.describe('fft', function(op)
   op.dtypes(KINDS)
   op.gives(y4, x4)
   op.gives({ { 1, 2 } }, { { 1, 2 } })
   op.gives({ { 1, 0 }, { 1, 0 }, { 1, 0 }, { 1, 0 } }, { { 1, 0 } }, 4)
   op.gives({ { 3, 1 }, { -1, -1 } }, x4, 2)
   op.gives({ y4, y4 }, { x4, x4 }, 4, 2)
   op.gives({ { { 2, 4 } }, { { 0, 0 } } }, { { { 1, 2 } }, { { 1, 2 } } }, -1, 1)
   op.gives({ { 5, 1 }, { -1.5, 1.5 }, { -1, -2 }, { -0.5, -0.5 } }, x4, -1, 1, 'ortho')
   op.gives({ { 2.5, 0.5 }, { -0.75, 0.75 }, { -0.5, -1 }, { -0.25, -0.25 } }, x4, 4, 1, 'forward')
   op.refuses(COMPLEX .. '3', { 1, 2, 3 })
   op.refuses('x must have at least 1 dimension and the complex one, got size 2', { 1, 2 })
   op.refuses('n must be at least 1 along dimension 1, got 0', x4, 0)
   op.refuses('n must be at least 1 along dimension 1, got -2', x4, -2)
   op.refuses('dim must lie in 1..1, got 2', x4, 4, 2)
   op.refuses('dim must lie in 1..1, got 0', x4, 4, 0)
   op.refuses("norm must be 'backward', 'ortho' or 'forward', got 'none'", x4, 4, 1, 'none')
   for _, n in ipairs { 3, 5, 8 } do op.grad(grad4, n) end
   op.grad({ grad4, grad4 }, 4, 1, 'ortho')
   op.dtypes 'long'
   op.refuses('x must be a Float, Double, Half or BFloat16 tensor, got a LongTensor', x4)
end)

opcheck.describe('ifft', function(op)
   op.dtypes(KINDS)
   op.gives(x4, y4)
   op.gives({ { 40, 0 }, { 0, 0 } }, { { 20, 0 }, { 20, 0 } }, 2, 1, 'forward')
   op.refuses(COMPLEX .. '1x3', { { 1, 2, 3 } })
   for _, norm in ipairs { 'backward', 'ortho', 'forward' } do op.grad(grad4, 7, 1, norm) end
   op.grad(grad4, 2)
end)

opcheck.describe('rfft', function(op)
   op.dtypes(KINDS)
   op.gives({ { 10, 0 }, { -2, 2 }, { -2, 0 } }, { 1, 2, 3, 4 })
   op.gives({ { 5, 0 } }, { 5 })
   op.gives({ { 3, 0 }, { -1, 0 } }, { 1, 2, 3 }, 2)
   op.gives({ { 1, 0 }, { 1, 0 }, { 1, 0 } }, { 1 }, 5)
   op.gives({ { { 4, 0 }, { 6, 0 } }, { { -2, 0 }, { -2, 0 } } }, { { 1, 2 }, { 3, 4 } }, 2, 1)
   op.refuses('n must be at least 1 along dimension 1, got 0', {})
   op.refuses('dim must lie in 1..1, got 2', { 1, 2 }, 2, 2)
   for _, n in ipairs { 4, 5, 7, 8 } do op.grad({ 1, 2, 0.5, -1, 3 }, n) end
   op.grad({ { 1, 2 }, { 0.5, -1 }, { 1, 3 } }, 3, 1, 'ortho')
end)

opcheck.describe('irfft', function(op)
   op.dtypes(KINDS)
   op.gives({ 1, 2, 3, 4 }, { { 10, 0 }, { -2, 2 }, { -2, 0 } })
   op.gives({ 1, 2, 3, 4 }, { { 10, 9 }, { -2, 2 }, { -2, 9 } })         -- imaginary parts that cannot be are passed over
   op.gives({ 3 }, { { 3, 1 } }, 1)
   op.refuses('n must be at least 1 along dimension 1, got 0', { { 3, 1 } })
   op.refuses(COMPLEX .. '3', { 1, 2, 3 })
   for _, n in ipairs { 4, 5, 7, 8, 9, 12 } do op.grad(grad4, n) end
   op.grad({ grad4, grad4 }, 3, 1, 'forward')
end)

local square = { { { 1, 0 }, { 2, 1 }, { 0, 1 } }, { { -1, 2 }, { 0.5, 0 }, { 1, 1 } } }

opcheck.describe('fft2', function(op)
   op.dtypes(KINDS)
   op.gives({ { { 10, 0 }, { -2, 0 } }, { { -4, 0 }, { 0, 0 } } }, { { { 1, 0 }, { 2, 0 } }, { { 3, 0 }, { 4, 0 } } })
   op.gives({ { { 4, 0 } }, { { -2, 0 } } }, { { { 1, 0 }, { 2, 0 } }, { { 3, 0 }, { 4, 0 } } }, long { 2, 1 })
   op.refuses('x must have at least 2 dimensions to transform, got 1', x4)
   op.refuses('s must have a size for each of the 2 dimensions, got 1', square, long { 3 })
   op.refuses('dim must name 2 dimensions, got 1', square, long { 3 }, long { 1 })
   op.refuses('dim names dimension 1 twice', square, long { 3, 3 }, long { 1, 1 })
   op.refuses('dim must lie in 1..2, got 3', square, long { 3, 3 }, long { 1, 3 })
   op.refuses('n must be at least 1 along dimension 1, got 0', square, long { 0, 3 })
   op.grad(square)
   op.grad(square, long { 3, 2 }, long { 2, 1 }, 'ortho')
end)

opcheck.describe('ifft2', function(op)
   op.dtypes(KINDS)
   op.gives({ { { 1, 0 }, { 2, 0 } }, { { 3, 0 }, { 4, 0 } } }, { { { 10, 0 }, { -2, 0 } }, { { -4, 0 }, { 0, 0 } } })
   op.grad(square, long { 4, 3 })
end)

opcheck.describe('rfft2', function(op)
   op.dtypes(KINDS)
   op.gives({ { { 10, 0 }, { -2, 0 } }, { { -4, 0 }, { 0, 0 } } }, { { 1, 2 }, { 3, 4 } })
   op.refuses('x must have at least 2 dimensions to transform, got 1', { 1, 2 })
   op.grad({ { 1, 2, 3 }, { 0.5, -1, 2 } })
   op.grad({ { 1, 2, 3 }, { 0.5, -1, 2 } }, long { 3, 4 }, long { 2, 1 }, 'forward')
end)

opcheck.describe('irfft2', function(op)
   op.dtypes(KINDS)
   op.gives({ { 1, 2 }, { 3, 4 } }, { { { 10, 0 }, { -2, 0 } }, { { -4, 0 }, { 0, 0 } } })
   op.grad(square)
   op.grad(square, long { 3, 5 })
end)

opcheck.describe('fftn', function(op)
   op.dtypes(KINDS)
   op.gives(y4, x4)
   op.gives({ y4, y4 }, { x4, x4 }, long { 4 })                             -- sizes alone: that many dimensions, the last
   op.refuses('dim must lie in 1..1, got 3', x4, long {}, long { 3 })
   op.grad({ square, square })
end)
opcheck.describe('ifftn', function(op)
   op.gives(x4, y4)
   op.grad({ square, square }, long { 1, 2, 4 })
end)
opcheck.describe('rfftn', function(op)
   op.gives({ { 10, 0 }, { -2, 2 }, { -2, 0 } }, { 1, 2, 3, 4 })
   op.grad({ { { 1, 2 }, { 3, 4 } }, { { 0, 1 }, { -2, 5 } } }, long { 3, 2, 3 })
end)
opcheck.describe('irfftn', function(op)
   op.gives({ 1, 2, 3, 4 }, { { 10, 0 }, { -2, 2 }, { -2, 0 } })
   op.grad({ square, square })
end)

opcheck.describe('fft_grad', function(op)
   op.gives({ { 8, 2 }, { 0, 0 }, { 0, 0 }, { 0, 0 } }, x4, { { 2, 0.5 }, { 2, 0.5 }, { 2, 0.5 }, { 2, 0.5 } }, 0)
   op.refuses('kind must lie in 0..3, got 4', x4, x4, 4)
   op.refuses('g must be a DoubleTensor of size 4x2, got a DoubleTensor of size 2', x4, { 1, 2 }, 0)
end)
opcheck.describe('fftn_grad', function(op)
   op.gives({ { 8, 2 }, { 0, 0 }, { 0, 0 }, { 0, 0 } }, x4, { { 2, 0.5 }, { 2, 0.5 }, { 2, 0.5 }, { 2, 0.5 } }, 8)
   op.refuses('kind must lie in 4..11, got 0', x4, x4, 0)
end)

opcheck.describe('complexMul', function(op)
   op.dtypes(KINDS)
   op.gives({ { -5, 10 }, { 1, 0 } }, { { 1, 2 }, { 0, 1 } }, { { 3, 4 }, { 0, -1 } })
   op.gives({ { 0, 1 }, { -2, 0 } }, { { 1, 0 }, { 0, 2 } }, { 0, 1 })
   op.refuses('a must be complex: a last dimension of size 2, got size 3', { 1, 2, 3 }, { 1, 2 })
   op.refuses('b must be complex: a last dimension of size 2, got size 1', { 1, 2 }, { 1 })
   op.refuses('b must have the size of a or one that broadcasts to it', { { 1, 2 }, { 3, 4 } }, { { 1, 2 }, { 3, 4 }, { 5, 6 } })
   op.grad({ { 1, 2 }, { 0, 1 } }, { { 3, 4 }, { 0, -1 } })
   op.grad({ { 1, 2 }, { 0, 1 } }, { { 3, 4 } })
end)
opcheck.describe('complexMulConj', function(op)
   op.dtypes(KINDS)
   op.gives({ { 11, 2 } }, { { 1, 2 } }, { { 3, 4 } })
   op.grad({ { 1, 2 }, { 0, 1 } }, { { 3, 4 }, { 0, -1 } })
end)

opcheck.describe('roll', function(op)
   op.dtypes 'all'
   op.gives({ 3, 1, 2 }, { 1, 2, 3 }, 1)
   op.gives({ 2, 3, 1 }, { 1, 2, 3 }, -1)
   op.gives({ 1, 2, 3 }, { 1, 2, 3 }, -300)
   op.gives({ { 2, 1 }, { 4, 3 } }, { { 1, 2 }, { 3, 4 } }, 1, 2)
   op.gives({ { 3, 4 }, { 1, 2 } }, { { 1, 2 }, { 3, 4 } }, 2 ^ 53 - 1)
   op.gives({}, {}, 1)
   op.refuses('dim must lie in 1..1, got 2', { 1 }, 1, 2)
   op.grad({ { 1, 2 }, { 3, 4 }, { 5, 6 } }, 2, 1)
end)

describe('torch.fft', function()
   it('is what the definition says, for every size to 65: one line and many', function()
      for n = 1, 65 do
         local x = noise(n, 2)
         assert.is_true(distance(fft.fft(x), defined(x, -1)) < 1e-12, n)
         assert.is_true(distance(fft.ifft(x, nil, nil, 'forward'), defined(x, 1)) < 1e-12, n)
         local r = noise(n)
         local half = math.floor(n / 2) + 1
         assert.is_true(distance(fft.rfft(r), defined(fft.complex(r), -1):narrow(1, 1, half)) < 1e-12, n)
         assert.is_true(distance(fft.irfft(fft.rfft(r), n), r) < 1e-14, n)
      end
   end)
   it('is what the definition says for primes, powers of two and round numbers', function()
      for _, n in ipairs { 127, 137, 251, 509, 566, 1009, 1019, 1024, 1031, 2310, 4093, 10007, 65521, 65536, 99991, 1e5 } do
         local x, places = noise(n, 2), { 0, 1, 7, math.floor(n / 3), math.floor(n / 2), n - 1 }
         local y, want = fft.fft(x), defined(x, -1, places)
         local half = fft.rfft(x:select(2, 1))
         local real = defined(fft.complex(x:select(2, 1)), -1, places)
         for i, k in ipairs(places) do
            for c = 1, 2 do
               assert.near(want[i][c], y[k + 1][c], 1e-9)
               if k <= n / 2 then assert.near(real[i][c], half[k + 1][c], 1e-9) end
            end
         end
         assert.is_true(distance(fft.ifft(y), x) < 1e-13, n)
         assert.is_true(distance(fft.irfft(half, n), x:select(2, 1)) < 1e-13, n)
         assert.near(1, torch.sum(torch.cmul(y, y)) / n / torch.sum(torch.cmul(x, x)), 1e-12)       -- Parseval
      end
   end)
   it('takes a large prime in no more than a few products of its size', function()
      local x = noise(1000003, 2)
      local timer = torch.Timer()
      local y = fft.fft(x)
      assert.is_true(timer:time().user < patience(30))
      assert.is_true(distance(fft.ifft(y), x) < 1e-13)
   end)
   it('gives long lines of a large batch the bits that they have alone', function()
      for _, n in ipairs { 4096, 10000, 10125, 16384 } do
         local lines = math.ceil(9 * 2 ^ 20 / (32 * n))
         local x, r = noise(lines, n, 2), noise(2 * lines, n)
         local y, half = fft.fft(x), fft.rfft(r)
         local back, whole = fft.ifft(y), fft.irfft(half, n)
         local unaligned = x.new(2 * lines * n + 1):narrow(1, 2, 2 * lines * n):view(lines, n, 2)
         fft.fft(unaligned, x)
         for i = 1, lines, 5 do
            assert.equal(0, distance(fft.fft(x[i]), y[i]), n)
            assert.equal(0, distance(unaligned[i], y[i]), n)
            assert.equal(0, distance(fft.ifft(y[i]), back[i]), n)
            assert.equal(0, distance(fft.rfft(r[i]), half[i]), n)
            assert.equal(0, distance(fft.irfft(half[i], n), whole[i]), n)
         end
         assert.is_true(distance(back, x) < 1e-13)
         assert.is_true(distance(whole, r) < 1e-13)
         assert.equal(0, distance(fft.fft(x, x), y), n)
      end
   end)
   it('takes real lines of odd sizes as complex ones, both ways', function()
      for _, n in ipairs { 15, 25, 27, 33, 45, 49, 55, 75, 81, 99, 117, 135, 225, 343, 495, 1155,
         3375, 6561, 10125 } do
         for _, lines in ipairs { 1, 9, 20 } do
            local x, half = noise(lines, n), (n + 1) / 2
            local z = x.new(lines, n, 2):zero()
            z:select(3, 1):copy(x)
            local want = fft.fft(z):narrow(2, 1, half)
            assert.is_true(distance(fft.rfft(x), want) < 3e-16 * want:norm(), n)
            assert.is_true(distance(fft.rfft(x:float()):double(), want) < 2e-7 * want:norm(), n)
            local y = noise(lines, half, 2)         -- the imaginary part of number 0 does not count
            for k = 0, n - 1 do
               z:select(2, k + 1):copy(y:select(2, math.min(k, n - k) + 1))
               if k >= half then z:select(2, k + 1):select(2, 2):mul(-1) end
            end
            z:select(2, 1):select(2, 2):zero()
            local back = fft.ifft(z):select(3, 1)
            assert.is_true(distance(fft.irfft(y, n), back) < 3e-16 * back:norm(), n)
            assert.is_true(distance(fft.irfft(y:float(), n):double(), back) < 2e-7 * back:norm(), n)
            local columns = fft.irfft(y:transpose(1, 2):contiguous(), n, 1):t()
            assert.equal(0, distance(columns, fft.irfft(y, n)), n)
         end
      end
   end)
   it('has gradients of real lines of odd sizes', function()
      for _, n in ipairs { 15, 45, 495, 1155 } do
         for _, lines in ipairs { 1, 19 } do
            local x, half = noise(lines, n), (n + 1) / 2
            local g = noise(lines, half, 2)
            -- <rfft x, g> = <x, gradient>; the same of irfft, whose number 0 has no imaginary part
            local function there(v) return torch.sum(torch.cmul(fft.rfft(v), g)) end
            local function back_again(v) return torch.sum(torch.cmul(fft.irfft(v, n), x)) end
            local gradient = autograd(there)(x)
            assert.near(torch.cmul(fft.rfft(x), g):sum(), torch.cmul(x, gradient):sum(), 1e-10)
            local back = autograd(back_again)(g)
            assert.near(torch.cmul(fft.irfft(g, n), x):sum(), torch.cmul(g, back):sum(), 1e-10)
            assert.equal(0, back:select(2, 1):select(2, 2):norm())
         end
      end
   end)
   it('gives each line of a batch the bits that it has alone, whatever its place in memory', function()
      for _, n in ipairs { 4, 15, 17, 26, 34, 61, 101, 127, 128, 135, 242, 1155 } do
         for _, lines in ipairs { 2, 3, 8, 19 } do
            local x, r = noise(lines, n, 2), noise(lines, n)
            local y, half = fft.fft(x), fft.rfft(r)
            local back = fft.irfft(half, n)
            local columns = fft.fft(x:transpose(1, 2):contiguous(), nil, 1):transpose(1, 2)
            local apart = x.new(lines, 2, n):transpose(2, 3):copy(x)
            for i = 1, lines do
               assert.equal(0, distance(fft.fft(x[i]), y[i]))
               assert.equal(0, distance(columns[i], y[i]))
               assert.equal(0, distance(fft.rfft(r[i]), half[i]))
               assert.equal(0, distance(fft.irfft(half[i], n), back[i]))
            end
            assert.equal(0, distance(fft.fft(apart), y))
            assert.equal(0, distance(fft.rfft(r:t():contiguous():t()), half))
         end
      end
   end)
   it('has the same bits with any number of threads', function()
      local before, x = torch.getnumthreads(), noise(70, 600, 2)
      torch.setnumthreads(1)
      local one, two = fft.fft(x), fft.fft2(x)
      for n = 2, 4 do
         torch.setnumthreads(n)
         assert.equal(0, distance(fft.fft(x), one))
         assert.equal(0, distance(fft.fft2(x), two))
      end
      torch.setnumthreads(before)
   end)
   -- Sizes of every kind: one pass, matrices with whole and partial chunks of columns, convolutions.
   local SIZES = { 15, 31, 45, 61, 64, 96, 100, 127, 128, 137, 210, 244, 251, 256, 257, 262, 275,
      403, 488, 509, 512, 566, 600, 1001, 1019, 1021, 1155, 2187, 2310, 4093, 4096, 8192 }
   it('gives a long line of a batch the bits that it has alone, as columns and as rows, in float too', function()
      for _, kind in ipairs { 'FloatTensor', 'DoubleTensor' } do
         for _, n in ipairs(SIZES) do
            local x = torch[kind](19, n, 2):uniform(-1, 1)
            local real = x:select(3, 1):contiguous()
            local y, half = fft.fft(x), fft.rfft(real)
            local columns = fft.fft(x:transpose(1, 2):contiguous(), nil, 1):transpose(1, 2)
            local halves = fft.rfft(real:t():contiguous(), nil, 1):transpose(1, 2)
            local back = fft.irfft(half, n)
            local backs = fft.irfft(half:transpose(1, 2):contiguous(), n, 1):t()
            for i = 1, 19, 6 do
               assert.equal(0, distance(fft.fft(x[i]), y[i]), n)
               assert.equal(0, distance(fft.rfft(real[i]), half[i]), n)
               assert.equal(0, distance(fft.irfft(half[i], n), back[i]), n)
            end
            assert.equal(0, distance(columns, y), n)
            assert.equal(0, distance(halves, half), n)
            assert.equal(0, distance(backs, back), n)
         end
      end
   end)
   it('gives long lines of a large batch, which are copied, the bits that they have alone', function()
      for kind, n in pairs { FloatTensor = 20000, DoubleTensor = 8192 } do
         local x = torch[kind](40, n, 2):uniform(-1, 1)
         local real = x:view(40, 2 * n)
         local y, half = fft.fft(x), fft.rfft(real)
         local back = fft.irfft(half, 2 * n)
         for i = 1, 40, 13 do
            assert.equal(0, distance(fft.fft(x[i]), y[i]), n)
            assert.equal(0, distance(fft.rfft(real[i]), half[i]), n)
            assert.equal(0, distance(fft.irfft(half[i], 2 * n), back[i]), n)
         end
         local place = x:clone()
         fft.fft(place, place)
         assert.equal(0, distance(place, y), n)
      end
   end)
   it('has the same bits with 1 to 8 threads on one long line', function()
      local before = torch.getnumthreads()
      for _, n in ipairs { 16384, 49999, 59049, 65521, 131072 } do
         local x = noise(n, 2)
         local real = x:select(2, 1):contiguous()
         torch.setnumthreads(1)
         local y, half = fft.fft(x), fft.rfft(real)
         local back = fft.irfft(half, n)
         for threads = 2, 8 do
            torch.setnumthreads(threads)
            assert.equal(0, distance(fft.fft(x), y), n)
            assert.equal(0, distance(fft.rfft(real), half), n)
            assert.equal(0, distance(fft.irfft(half, n), back), n)
         end
      end
      torch.setnumthreads(before)
   end)
   it('rounds to float and double no worse than roots of unity that are right to the last bit allow', function()
      for _, n in ipairs { 64, 1000, 1024, 4096, 10000, 65536, 2 ^ 18 } do
         local x = noise(n, 2):float():double()
         local y, steps = fft.fft(x), math.sqrt(math.log(n) / math.log(2))
         local float = fft.fft(x:float()):double()
         assert.is_true((float - y):norm() < 2 ^ -24 * steps * y:norm(), n)
         assert.is_true((fft.ifft(y) - x):norm() < 1.5 * 2 ^ -53 * steps * x:norm(), n)
      end
   end)
   -- A number in two parts, and cos and sin of 2 pi e / n by their series, rounded once.
   local function parts(a, b)
      local s = a + b
      local t = s - a
      return s, (a - (s - t)) + (b - t)
   end
   local function halves(a)
      local t = 134217729 * a
      local high = t - (t - a)
      return high, a - high
   end
   local function product(a, al, b, bl)
      local p, ah, bh = a * b, halves(a), halves(b)
      local am, bm = a - ah, b - bh
      return parts(p, ((ah * bh - p) + ah * bm + am * bh) + am * bm + (a * bl + al * b))
   end
   local function over(a, al, d)
      local q = a / d
      local p, pl = product(q, 0, d, 0)
      return parts(q, ((a - p) - pl + al) / d)
   end
   local function root(e, n)
      local x, xl = over(e, 0, n)
      x, xl = product(x, xl, 2 * math.pi, 2.4492935982947064e-16)
      local z, zl = product(x, xl, -x, -xl)
      local result = {}
      for part = 0, 1 do
         local t, tl = part == 0 and 1 or x, part == 0 and 0 or xl
         local s, sl = t, tl
         for k = 1 + part, 60, 2 do
            t, tl = product(t, tl, z, zl)
            t, tl = over(t, tl, k * (k + 1))
            local high, low = parts(s, t)
            s, sl = parts(high, low + sl + tl)
         end
         result[part + 1] = s
      end
      return result[1], result[2]
   end
   -- The spectrum of a 1 among zeros is roots of unity as the plan has them: of primes all; of matrices, which have 8 rows at
   -- least, those of a few columns.
   it('has roots of unity that are right to the last bit', function()
      local function check(n, l, last)
         local x = torch.DoubleTensor(n, 2):zero()
         x[l + 1][1] = 1
         local y, float = fft.fft(x), fft.fft(x:float())
         for k = 1, last do
            local c, s = root(math.min(l * k, n - l * k), n)
            if 2 * l * k > n then s = -s end
            assert.same({ n, l, k, c, -s }, { n, l, k, y[k + 1][1], y[k + 1][2] })
            local want = torch.FloatTensor { c, -s }
            assert.same({ n, l, k, want[1], want[2] }, { n, l, k, float[k + 1][1], float[k + 1][2] })
         end
      end
      for _, n in ipairs { 17, 31, 61, 101, 127 } do check(n, 1, n - 1) end
      for _, n in ipairs { 1000, 1024, 1080, 2000, 4096, 5000, 7000, 10000, 12000, 30000, 65536, 70000, 100000, 2 ^ 20 } do
         for l = 1, 29 do check(n, l, 7) end
      end
   end)
   it('rounds real lines of small primes as little as the sum of the definition does', function()
      for n, most in pairs { [17] = 7.5e-8, [31] = 9e-8, [61] = 1.1e-7, [101] = 1.3e-7, [127] = 1.4e-7 } do
         local x = noise(400, n):float()
         local want = fft.rfft(x:double())
         assert.is_true((fft.rfft(x):double() - want):norm() < most * want:norm(), n)
      end
   end)
   it('keeps NaN and infinity in their lines', function()
      for _, n in ipairs { 8, 100, 257, 1024 } do
         local x = noise(20, n, 2)
         local want = fft.fft(x)
         local spoilt = x:clone()
         spoilt[3][2][1], spoilt[12][n][2] = 0 / 0, math.huge
         for _, y in ipairs { fft.fft(spoilt), fft.fft(spoilt:transpose(1, 2):contiguous(), nil, 1):transpose(1, 2) } do
            for i = 1, 20 do
               if i == 3 or i == 12 then assert.not_equal(y[i]:sum(), y[i]:sum(), n)
               else assert.equal(0, distance(y[i], want[i]), n) end
            end
         end
      end
   end)
   it('cuts and pads', function()
      local x = noise(3, 10, 2)
      for _, n in ipairs { 1, 4, 9, 10, 11, 31 } do
         local cut = torch.DoubleTensor(3, n, 2):zero()
         local some = math.min(n, 10)
         cut:narrow(2, 1, some):copy(x:narrow(2, 1, some))
         assert.equal(0, distance(fft.fft(x, n), fft.fft(cut)))
         assert.equal(0, distance(fft.rfft(x:select(3, 1), n), fft.rfft(cut:select(3, 1))))
      end
   end)
   it('in two dimensions is one after the other', function()
      local x = noise(2, 6, 9, 2)
      assert.is_true(distance(fft.fft2(x), fft.fft(fft.fft(x, nil, 3), nil, 2)) < 1e-13)
      assert.is_true(distance(fft.ifft2(fft.fft2(x)), x) < 1e-14)
      assert.is_true(distance(fft.fftn(x, {}, { 2, 3 }), fft.fft2(x)) < 1e-13)
      local r = noise(2, 6, 9)
      assert.is_true(distance(fft.irfft2(fft.rfft2(r), { 6, 9 }), r) < 1e-14)
      assert.is_true(distance(fft.irfftn(fft.rfftn(r), { 2, 6, 9 }), r) < 1e-14)
      local cut = torch.DoubleTensor(2, 4, 12, 2):zero()
      cut:narrow(3, 1, 9):copy(x:narrow(2, 1, 4))
      assert.equal(0, distance(fft.fft2(x, { 4, 12 }), fft.fft2(cut)))
   end)
   it('keeps sums that a half cannot hold in float until the end', function()
      local x = torch.HalfTensor(64, 64):fill(100)
      local y = fft.rfft2(x, nil, nil, 'forward')
      assert.equal(100, y[1][1][1])
   end)
   it('may write where it reads', function()
      local x = noise(8, 2)
      local want = fft.fft(x)
      assert.equal(0, distance(fft.fft(x, x), want))
      local r = noise(12)
      want = fft.rfft(r:narrow(1, 1, 8))
      assert.equal(0, distance(fft.rfft(torch.DoubleTensor(r:storage(), 1, 5, 2, 2, 1), r:narrow(1, 1, 8)), want))
   end)
   it('of nothing is nothing, and of zeros when told a size', function()
      assert.same({ 0, 4, 2 }, fft.fft(torch.DoubleTensor(0, 4, 2)):size():totable())
      assert.same({ 3, 2, 2 }, fft.rfft(torch.DoubleTensor(3, 0), 2):size():totable())
      assert.equal(0, fft.rfft(torch.DoubleTensor(3, 0), 2):sum())
   end)
   it('may be called itself, and is a method', function()
      local x = noise(4, 2)
      assert.equal(0, distance(torch.fft(x), fft.fft(x)))
      assert.equal(0, distance(x:fft(), fft.fft(x)))
   end)
   it('refuses sizes beyond memory, and continues', function()
      local x = noise(4, 2)
      refuses('no memory', fft.fft, x, 2 ^ 50)
      refuses('more than can be counted', fft.fft, noise(2 ^ 10, 4, 2), 2 ^ 53)
      refuses('fft', fft.fft, x, 2 ^ 46)
      refuses('must be a whole number', fft.fft, x, 0 / 0)
      assert.equal(0, distance(fft.ifft(fft.fft(x)), x) > 1e-14 and 1 or 0)
   end)
   it('refuses sizes near 2^31 and beyond, primes too, and leaves the result as it is', function()
      local x, r, y = noise(4, 2), noise(4), torch.DoubleTensor { 7 }
      for _, n in ipairs { 2 ^ 31 - 1, 2 ^ 31, 2 ^ 31 + 11, 2 ^ 32 - 5, 2 ^ 40 } do
         for _, name in ipairs { 'fft', 'ifft', 'rfft', 'irfft' } do
            local ok, why = with_little(2 ^ 30, fft[name], y, name == 'rfft' and r or x, n)
            assert.is_false(ok, n)
            assert.truthy(why:find(name .. ': no memory to prepare a transform of ', 1, true) or
               why:find(name .. ': out of memory', 1, true), why)
            assert.same({ 7 }, y:totable())
         end
      end
   end)
   it('changes nothing where memory ends in the middle of a call', function()
      local cases = { { 'fft', noise(20, 2003, 2) }, { 'rfft', noise(20, 2011) }, { 'irfft', noise(20, 1009, 2), 2017 },
         { 'ifft', noise(2018, 2) }, { 'fft', noise(16386, 2) }, { 'fft2', noise(112, 90, 2) }, { 'rfft2', noise(112, 182) } }
      for _, c in ipairs(cases) do
         local name, x, n = unpack(c)
         local y, budget, fails = torch.DoubleTensor { 7 }, 0, 0
         repeat
            local ok, why = with_little(budget, fft[name], y, x, n)
            if not ok then
               assert.truthy(why:find('memory', 1, true), why)
               assert.same({ 7 }, y:totable())
               fails = fails + 1
            end
            budget = budget * 1.1 + 1000
         until ok
         assert.is_true(fails > 8, name)
         assert.equal(0, distance(fft[name](x, n), y))
      end
   end)
   it('keeps no more plans than its cache holds', function()
      for n = 1, 200 do fft.fft(torch.DoubleTensor(n, 2):zero()) end
      for n = 60000, 60400, 10 do assert.near(n, fft.rfft(torch.DoubleTensor(n):fill(1))[1][1], 1e-6) end
   end)
end)

describe('the frequencies', function()
   it('come in the order of the results', function()
      assert.same({ 0, 1, -2, -1 }, (fft.fftfreq(4) * 4):totable())
      assert.same({ 0, 1, 2, -2, -1 }, (fft.fftfreq(5, 0.2)):totable())
      assert.same({ 0 }, fft.fftfreq(1):totable())
      assert.same({ 0, 1, 2 }, (fft.rfftfreq(5, 0.2)):totable())
      assert.same({ 0, 0.25, 0.5 }, fft.rfftfreq(4):totable())
   end)
   it('are shifted so that 0 lies in the middle, and back', function()
      assert.same({ -2, -1, 0, 1 }, (fft.fftshift(fft.fftfreq(4)) * 4):totable())
      for n = 1, 6 do
         local x = torch.range(1, n)
         assert.same(x:totable(), fft.ifftshift(fft.fftshift(x)):totable())
      end
      local m = torch.range(1, 9):view(3, 3)
      assert.same({ { 9, 7, 8 }, { 3, 1, 2 }, { 6, 4, 5 } }, fft.fftshift(m):totable())
      assert.same({ { 3, 1, 2 }, { 6, 4, 5 }, { 9, 7, 8 } }, fft.fftshift(m, 2):totable())
      assert.same({ { 9, 7, 8 }, { 3, 1, 2 }, { 6, 4, 5 } }, fft.fftshift(m, { 1, 2 }):totable())
   end)
   it('leave real and imaginary part where they are', function()
      assert.same({ { 3, 4 }, { 1, 2 } }, fft.fftshift(torch.Tensor { { 1, 2 }, { 3, 4 } }):totable())
      assert.same({ { 2, 1 }, { 4, 3 } }, fft.fftshift(torch.Tensor { { 1, 2 }, { 3, 4 } }, 2):totable())
   end)
   it('refuse what makes no sense', function()
      refuses('torch.fft.fftfreq: n must be at least 1, got 0', fft.fftfreq, 0)
      refuses('torch.fft.fftfreq: n must be a whole number, got nil', fft.fftfreq)
      refuses('torch.fft.rfftfreq: n must be a whole number', fft.rfftfreq, 0 / 0)
      refuses('torch.fft.fftfreq: d must be a number other than 0, got 0', fft.fftfreq, 3, 0)
      refuses('torch.fft.fftfreq: d must be a number, got a string', fft.fftfreq, 3, 'a')
      refuses('torch.fft.fftshift: x must be a tensor, got nil', fft.fftshift)
      refuses('torch.fft.fftshift: dim must lie in 1..1, got 2', fft.fftshift, torch.Tensor(3), 2)
      refuses('torch.fft.ifftshift: dim names dimension 1 twice', fft.ifftshift, torch.Tensor(3), { 1, 1 })
      refuses('torch.fft.ifftshift: dim must be a whole number', fft.ifftshift, torch.Tensor(3), { 'a' })
   end)
end)

describe('complex tensors', function()
   local x = torch.Tensor { { 3, 4 }, { 0, -2 } }
   it('have parts, absolute values, angles and conjugates', function()
      assert.same({ 3, 0 }, fft.real(x):totable())
      assert.same({ 4, -2 }, fft.imag(x):totable())
      assert.same({ 5, 2 }, fft.abs(x):totable())
      assert.near(-math.pi / 2, fft.angle(x)[2], 1e-15)
      assert.same({ { 3, -4 }, { 0, 2 } }, fft.conj(x):totable())
      assert.same({ { 25, 0 }, { 4, 0 } }, fft.mul(x, fft.conj(x)):totable())
      assert.equal(5, fft.abs(x[1]))
   end)
   it('are made of real and imaginary parts', function()
      assert.same({ { 1, 3 }, { 2, 4 } }, fft.complex(torch.Tensor { 1, 2 }, torch.Tensor { 3, 4 }):totable())
      assert.same({ { 1, 0 } }, fft.complex(torch.FloatTensor { 1 }):totable())
      assert.same(x:totable(), fft.complex(fft.real(x), fft.imag(x)):totable())
   end)
   it('refuse what is none', function()
      for _, name in ipairs { 'real', 'imag', 'abs', 'angle', 'conj' } do
         local who = 'torch.fft.' .. name
         refuses(who .. ': x must be complex: a last dimension of size 2, got size 3', fft[name], torch.Tensor(3))
         refuses(who .. ': x must be a tensor, got nil', fft[name])
      end
      refuses('torch.fft.complex: re must be a tensor, got a number', fft.complex, 1)
      refuses('torch.fft.complex: re must be a Float, Double, Half or BFloat16 tensor', fft.complex, torch.LongTensor(2))
      refuses('torch.fft.complex: im must be a torch.DoubleTensor of size 2, got', fft.complex, torch.Tensor(2), torch.Tensor(3))
   end)
end)

describe('torch.help', function()
   it('knows the names in torch.fft', function()
      assert.truthy(torch.help('torch.fft.rfft'):find('of real x', 1, true))
      assert.truthy(torch.help('torch.fft'):find('torch.fft([y], x', 1, true))
      assert.truthy(torch.help('torch.fft.fftshift'):find('torch.fft.fftshift(x, dim)', 1, true))
   end)
end)
