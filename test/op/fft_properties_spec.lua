-- test/op/fft_properties_spec.lua - properties of every Fourier transform, over 2,000 random sizes, shapes, layouts and types.
local torch = require 'torch'
local share = require 'test.support.share'
local fft = torch.fft

local CASES = 2000
local EPSILON = { ['torch.DoubleTensor'] = 2 ^ -53, ['torch.FloatTensor'] = 2 ^ -24 }

-- ---- the cases ------------------------------------------------------------------------------------------------------------

local function between(a, b) return torch.random(a, b) end

local function smooth(most)
   local n = 1
   while true do
      local p = ({ 2, 2, 3, 4, 5, 7, 8, 11, 13 })[between(1, 9)]
      if n * p > most then return n end
      n = n * p
      if between(1, 12) == 1 then return n end
   end
end

local function length()
   local r = between(1, 100)
   if r <= 35 then return between(1, 40) end
   if r <= 55 then return between(41, 600) end
   if r <= 70 then return 2 ^ between(0, 12) end
   if r <= 85 then return smooth(6000) end
   if r <= 98 then return between(601, 4000) end               -- one in eight is a prime
   return between(4001, 20000)
end

-- Case i: a length n along dimension dim of a shape, a type, a norm, and the order in which dimensions lie in memory.
local function case(i)
   torch.manualSeed(i)
   local c = { i = i, n = length(), kind = between(1, 2) == 1 and 'torch.DoubleTensor' or 'torch.FloatTensor' }
   local room, ndim = math.max(1, math.floor(2500 / c.n)), between(1, 4)
   c.dim, c.shape, c.order = between(1, ndim), {}, {}
   for d = 1, ndim do
      local size = d == c.dim and c.n or between(1, math.min(room, 9))
      if d ~= c.dim then room = math.max(1, math.floor(room / size)) end
      c.shape[d] = size
   end
   c.layout = between(1, 3)
   c.norm = ({ 'backward', 'ortho', 'forward' })[between(1, 3)]
   c.scale = c.norm == 'backward' and 1 or c.norm == 'ortho' and 1 / math.sqrt(c.n) or 1 / c.n
   c.text = ('case %d: %s of %s along %d, layout %d, %s'):format(i, c.kind, table.concat(c.shape, ' x '), c.dim, c.layout, c.norm)
   -- Relative to the norm, rounding grows with the square root of the logarithm of n; lines of prime length take three transforms.
   c.limit = 12 * EPSILON[c.kind] * math.sqrt(1 + math.log(c.n) / math.log(2))
   return c
end

-- A tensor of the case: contiguous, with reversed dimensions in memory, or every other place of a larger one.
local function tensor(c, is_complex)
   local shape = { unpack(c.shape) }
   if is_complex then shape[#shape + 1] = 2 end
   if c.layout == 1 then return torch.randn(unpack(shape)):type(c.kind) end
   local n = #shape
   if c.layout == 2 then
      local turned = {}
      for d = 1, n do turned[d] = shape[n + 1 - d] end
      local x = torch.randn(unpack(turned)):type(c.kind)
      for d = 1, math.floor(n / 2) do x = x:transpose(d, n + 1 - d) end
      return x
   end
   shape[n + 1] = 2
   return torch.randn(unpack(shape)):type(c.kind):select(n + 1, 1)
end

local function each(check, step)
   step = step or 1
   for k = 1, CASES / step do
      if share.has(k) then check(case((k - 1) * step + 1)) end
   end
end

-- Asserts that got is want, but for rounding: the norm of the difference as a part of the larger norm.
local function near(c, want, got, factor)
   assert.same(want:size():totable(), got:size():totable(), c.text)
   local size = math.max(want:norm(), got:norm())
   local apart = (want:double() - got:double()):norm()
   if apart > (factor or 1) * c.limit * size then error(('%s: apart by %g of %g'):format(c.text, apart / size, c.limit), 2) end
end
local function same(c, want, got)
   if not want:equal(got) then error(c.text .. ': other bits', 2) end
end

-- e^(-2 pi i k s / n) for k from 0 to count - 1, in doubles.
local function rotations(n, s, count)
   local t = torch.DoubleTensor(2 * count)
   for k = 0, count - 1 do
      local a = -2 * math.pi * ((k * s) % n) / n
      t[2 * k + 1], t[2 * k + 2] = math.cos(a), math.sin(a)
   end
   return t:view(count, 2)
end

-- t, which lies along dimension d of n, as a tensor that broadcasts to n dimensions and the complex one.
local function along(t, d, n)
   local shape = {}
   for i = 1, n do shape[i] = i == d and t:size(1) or 1 end
   shape[n + 1] = 2
   return t:view(unpack(shape))
end

-- ---- the properties -------------------------------------------------------------------------------------------------------

describe(('over %d random sizes and shapes'):format(share.of(CASES)), function()
   it('ifft and irfft undo fft and rfft', function()
      each(function(c)
         local x, r = tensor(c, true), tensor(c)
         near(c, x, fft.ifft(fft.fft(x, -1, c.dim, c.norm), -1, c.dim, c.norm))
         near(c, r, fft.irfft(fft.rfft(r, -1, c.dim, c.norm), c.n, c.dim, c.norm))
      end)
   end)

   it('transforms are linear', function()
      each(function(c)
         local x, z, r, q = tensor(c, true), tensor(c, true), tensor(c), tensor(c)
         near(c, fft.fft(x, -1, c.dim):mul(0.75):add(fft.fft(z, -1, c.dim)), fft.fft(torch.add(z, 0.75, x), -1, c.dim), 2)
         near(c, fft.rfft(r, -1, c.dim):mul(0.75):add(fft.rfft(q, -1, c.dim)), fft.rfft(torch.add(q, 0.75, r), -1, c.dim), 2)
      end)
   end)

   it('transforms keep the sum of squares (Parseval)', function()
      each(function(c)
         local x, r = tensor(c, true):double(), tensor(c)
         local y = fft.fft(x:type(c.kind), -1, c.dim, c.norm):double()
         assert.near(1, y:norm() / (x:norm() * c.scale * math.sqrt(c.n)), 2 * c.limit, c.text)
         local half = fft.rfft(r, -1, c.dim, c.norm):double()
         local whole = 2 * half:norm() ^ 2 - half:narrow(c.dim, 1, 1):norm() ^ 2
         if c.n % 2 == 0 then whole = whole - half:narrow(c.dim, c.n / 2 + 1, 1):norm() ^ 2 end
         assert.near(1, math.sqrt(whole) / (r:double():norm() * c.scale * math.sqrt(c.n)), 2 * c.limit, c.text)
      end)
   end)

   it('a shift of x turns the phases of its spectrum', function()
      each(function(c)
         local x, s = tensor(c, true), between(0, c.n)
         local turned = along(rotations(c.n, s, c.n):type(c.kind), c.dim, #c.shape)
         near(c, torch.complexMul(fft.fft(x, -1, c.dim), turned), fft.fft(torch.roll(x, s, c.dim), -1, c.dim), 2)
      end)
   end)

   it('spectra of real lines are the first half of a symmetric one', function()
      each(function(c)
         local r = tensor(c)
         local half, whole = fft.rfft(r, -1, c.dim), fft.fft(fft.complex(r), -1, c.dim)
         local count = half:size(c.dim)
         near(c, whole:narrow(c.dim, 1, count), half)
         if c.n - count > 0 then
            near(c, fft.conj(torch.flip(whole:narrow(c.dim, count + 1, c.n - count), c.dim)), half:narrow(c.dim, 2, c.n - count))
         end
         assert.equal(0, half:select(#c.shape + 1, 2):narrow(c.dim, 1, 1):abs():max(), c.text)
         if c.n % 2 == 0 then assert.equal(0, half:select(#c.shape + 1, 2):narrow(c.dim, count, 1):abs():max(), c.text) end
      end)
   end)

   it('lines of up to 48 places are the sums of the definition', function()
      local matrices, count = {}, 0
      each(function(c)
         if c.n > 48 then return end
         count = count + 1
         local m = matrices[c.n]
         if not m then
            m = torch.DoubleTensor(2, c.n, c.n)
            for j = 0, c.n - 1 do m:select(3, j + 1):copy(rotations(c.n, j, c.n):t()) end
            matrices[c.n] = m
         end
         local x, last = tensor(c, true), #c.shape
         local lines = x:double():transpose(c.dim, last):contiguous():view(-1, c.n, 2)
         local re, im = lines:select(3, 1):contiguous(), lines:select(3, 2):contiguous()
         local want = fft.complex(re * m[1] - im * m[2], re * m[2] + im * m[1]):mul(c.scale)
         local got = fft.fft(x, -1, c.dim, c.norm):transpose(c.dim, last):contiguous():view(-1, c.n, 2)
         near(c, want, got)
      end)
      assert.is_true(count > share.of(CASES) / 4, count)
   end)

   it('two and more dimensions are one after the other', function()
      each(function(c)
         if #c.shape < 2 then return end
         local x, r, all, want = tensor(c, true), tensor(c), {}, nil
         for d = 1, #c.shape do
            all[d] = d
            want = fft.fft(want or x, -1, d, c.norm)
         end
         near(c, want, fft.fftn(x, {}, all, c.norm), 2)
         near(c, x, fft.ifftn(want, {}, all, c.norm), 3)
         near(c, r, fft.irfftn(fft.rfftn(r, {}, {}, c.norm), c.shape, {}, c.norm), 3)
      end)
   end)

   it('a line has the bits that it has alone, whatever its place in memory', function()
      each(function(c)
         local x, r, last = tensor(c, true), tensor(c), #c.shape
         local function one(t, lines) return t:transpose(c.dim, last):contiguous():view(lines, -1):narrow(1, lines, 1) end
         local y, half = fft.fft(x, -1, c.dim), fft.rfft(r, -1, c.dim)
         local lines = r:nElement() / c.n
         same(c, fft.fft(one(x, lines):view(c.n, 2)), one(y, lines):view(c.n, 2))
         same(c, fft.rfft(one(r, lines):view(c.n)), one(half, lines):view(-1, 2))
      end, 2)
   end)

   it('a matrix has the bits of its rows and then its columns, and nothing beside it changes', function()
      local before = torch.getnumthreads()
      for i = 1, CASES, 20 do
         torch.manualSeed(i)
         local rows = ({ 64, 96, 100, 256, 360, 1000, between(30, 400), smooth(1200) })[between(1, 8)]
         local columns = ({ 16, 33, 64, 129, between(1, 300), smooth(300) })[between(1, 6)]
         local kind = between(1, 2) == 1 and 'torch.DoubleTensor' or 'torch.FloatTensor'
         local c = { text = ('case %d: %d x %d of %s'):format(i, rows, columns, kind) }
         local x, r = torch.randn(rows, columns, 2):type(kind), torch.randn(rows, columns):type(kind)
         if i % 3 == 0 then x, r = x:transpose(1, 2):clone():transpose(1, 2), r:t():clone():t() end
         if i % 5 == 0 then r = r:narrow(1, 1, 1):expand(rows, columns) end
         torch.setnumthreads(1 + i % 4)
         local y, half = fft.fft(fft.fft(x, -1, 2), -1, 1), fft.fft(fft.rfft(r, -1, 2), -1, 1)
         same(c, y, fft.fft2(x))
         same(c, half, fft.rfft2(r))
         local place = torch.randn(rows, math.floor(columns / 2) + 2, 2):type(kind)   -- the last column lies beside the result
         local left = place:narrow(2, half:size(2) + 1, place:size(2) - half:size(2))
         local was, inside = left:clone(), place:narrow(2, 1, half:size(2))
         fft.rfft2(inside, r)
         same(c, half, inside)
         same(c, was, left)
         same(c, fft.ifft(fft.ifft(x, -1, 2, 'forward'), -1, 1, 'forward'), fft.ifft2(x, {}, {}, 'forward'))
         fft.fft2(x, x)
         same(c, y, x)
      end
      torch.setnumthreads(before)
   end)

   it('a NaN or an infinity reaches its own line and no other', function()
      local function broken(y, d)
         local last = y:dim()
         local lines = y:transpose(d, last):contiguous():view(-1, y:size(d))
         return torch.min(lines:isfinite(), 2):eq(0):view(-1)
      end
      each(function(c)
         local r, last = tensor(c), #c.shape
         local count = r:nElement() / c.n
         local lines = r:transpose(c.dim, last):contiguous():view(count, c.n)
         local hit = between(1, count)
         lines[hit][between(1, c.n)] = between(1, 2) == 1 and 0 / 0 or -math.huge
         local x = r:transpose(c.dim, last):clone():copy(lines):transpose(c.dim, last)
         for _, y in ipairs { fft.rfft(x, -1, c.dim), fft.fft(fft.complex(x), -1, c.dim) } do
            local whole = broken(fft.real(y), c.dim):add(broken(fft.imag(y), c.dim))
            for k = 1, count do
               if (whole[k] > 0) ~= (k == hit) then error(c.text .. ': line ' .. k) end
            end
         end
      end, 5)
   end)

   it('bits are the same for 1 to 8 threads', function()
      local before = torch.getnumthreads()
      for threads = 2, 8 do
         for i = threads, CASES, 40 do
            local c = case(i)
            local x, r = tensor(c, true), tensor(c)
            torch.setnumthreads(1)
            local y, half = fft.fft(x, -1, c.dim), fft.rfft(r, -1, c.dim)
            local back = fft.irfft(half, c.n, c.dim)
            torch.setnumthreads(threads)
            same(c, y, fft.fft(x, -1, c.dim))
            same(c, half, fft.rfft(r, -1, c.dim))
            same(c, back, fft.irfft(half, c.n, c.dim))
         end
      end
      torch.manualSeed(1)
      for _, n in ipairs { 2 ^ 17, 100003, 2 ^ 16 * 3 } do       -- long enough to be shared by threads
         local x = torch.randn(n, 2):float()
         torch.setnumthreads(1)
         local y, half = fft.fft(x), fft.rfft(x:view(-1))
         for threads = 2, 8 do
            torch.setnumthreads(threads)
            assert.is_true(y:equal(fft.fft(x)) and half:equal(fft.rfft(x:view(-1))), n)
         end
      end
      torch.setnumthreads(before)
   end)

   -- For a linear transform F and its gradient G, <F(x), g> = <x, G(g)>.
   it('gradients are the transposed transforms', function()
      each(function(c)
         local x, r = tensor(c, true), tensor(c)
         for kind, name in ipairs { 'fft', 'ifft', 'rfft', 'irfft' } do
            local input = name == 'rfft' and r or x
            local n = name == 'irfft' and (c.n > 1 and -1 or 1) or -1
            local y = fft[name](input, n, c.dim, c.norm)
            local g = torch.randn(y:size()):type(c.kind)
            local gx = torch.fft_grad(input, g, kind - 1, n, c.dim, c.norm)
            local a, b = y:double(), g:double()
            local left, right = torch.dot(a, b), torch.dot(input:double(), gx:double())
            local bound = 2 * c.limit * a:norm() * b:norm()
            if math.abs(left - right) > bound then error(('%s: %s, %g and %g'):format(c.text, name, left, right)) end
         end
      end, 10)
   end)

   it('cosine and sine transforms are undone by their inverses', function()
      each(function(c)
         local r, kind = tensor(c), between(1, 4)
         for name, inverse in pairs { dct = 'idct', dst = 'idst' } do
            if not (name == 'dct' and kind == 1 and c.n == 1) then
               near(c, r, fft[inverse](fft[name](r, kind, -1, c.dim, c.norm), kind, -1, c.dim, c.norm), 2)
            end
         end
      end, 4)
   end)

   it('convolution is the product of spectra', function()
      each(function(c)
         local a, b = tensor(c), torch.randn(between(1, 300)):type(c.kind)
         local y = fft.convolve(a, b, 'full', c.dim)
         local n = y:size(c.dim)
         local product = torch.complexMul(fft.rfft(a, n, c.dim), along(fft.rfft(b, n), c.dim, #c.shape))
         near(c, product, fft.rfft(y, n, c.dim), 3)
      end, 4)
   end)
end)
