-- torch.fft_cosine - cosine and sine transforms of types I to IV, of real lines.
--
-- Types II and III take a real Fourier transform of the same length: J. Makhoul, A fast cosine transform in one and two
-- dimensions, IEEE Transactions on Acoustics, Speech and Signal Processing 28 (1980). Type IV of even length n takes a complex
-- one of length n/2. Of odd length it is a real one of length n, whose places are renumbered by the Chinese remainder theorem:
-- S. C. Chan and K. L. Ho, Direct methods for computing discrete sinusoidal transforms, IEE Proceedings F 137 (1990). Type I
-- takes one of twice the length: methods of the same length for it divide by small sines and lose digits. Sine transforms are
-- cosine transforms of the line with other signs or in reverse order. All factors are put into one multiplication.
local lines = require 'torch.fft_lines'
local op = require 'torch.op'

local cosine = {}
local PI, ROOT = math.pi, math.sqrt(2)
local rfft, irfft, fft, index = op.func 'rfft', op.func 'irfft', op.func 'fft', op.func 'index'
local mul, mul_conj = op.func 'complexMul', op.func 'complexMulConj'

-- ---- constants: tables of n numbers f(k), k from 0 ----------------------------------------------------------------------

local function places(n, f)
   local t = torch.LongTensor(n)
   for k = 0, n - 1 do t[k + 1] = f(k) + 1 end
   return t
end

local function numbers(n, f)
   local t = torch.DoubleTensor(n)
   for k = 0, n - 1 do t[k + 1] = f(k) end
   return t
end

-- Complex numbers: scale times e^(i f(k)), and once more times `first` for k = 0.
local function rotations(n, scale, first, f)
   local t = torch.DoubleTensor(2 * n)
   for k = 0, n - 1 do
      local a, s = f(k), k == 0 and scale * first or scale
      t[2 * k + 1], t[2 * k + 2] = s * math.cos(a), s * math.sin(a)
   end
   return t:view(n, 2)
end

-- One transform of lines: x, p, their length n, what multiplies the sums, ortho or not, sine or not. id names its constants.
local Line = {}
Line.__index = Line

function Line:constant(name, make)
   return lines.constant(('%s %s %s'):format(self.id, name, self.n), self.p, function() return make(self.n) end)
end
function Line:pick(x, name, f, count)
   return index(x, x:dim(), self:constant(name, function() return places(count or self.n, f) end))
end
function Line:times(x, name, f, count)
   return lines.times(x, self:constant(name, function() return numbers(count or self.n, f) end))
end
function Line:rotations(name, count, first, f)
   return self:constant(name, function() return rotations(count, self.scale, first, f) end)
end

-- Makhoul's order: the even places going up, then the odd ones going down.
local function from(n) return function(k) return 2 * k < n and 2 * k or 2 * (n - k) - 1 end end
local function to(n) return function(k) return k % 2 == 0 and k / 2 or n - (k + 1) / 2 end end

-- The sign (-1)^k of place k in that order.
local function signs(n) return function(k) return 2 * k < n and 1 or -1 end end

local types = {}

-- The line between its mirror images, at whole places for cosines, and negative at half places for sines.
types[1] = function(self, x)
   local n, d = self.n, x:dim()
   local flip = op.func 'flip'
   if self.sine then
      local size = lines.sizes(x)
      size[d] = 1
      local zero = lines.zeros(self.p, size)
      local y = rfft(torch.cat({ zero, x, zero, op.func 'neg'(flip(x, d)) }, d)):narrow(d, 2, n):select(d + 1, 2)
      return op.func 'mul'(y, -self.scale)
   end
   if self.ortho then
      x = self:times(x, 'in', function(k) return (k == 0 or k == n - 1) and ROOT or 1 end)
   end
   local y = rfft(n > 2 and torch.cat({ x, flip(x:narrow(d, 2, n - 2), d) }, d) or x):select(d + 1, 1)
   return self:times(y, 'out', function(k)
      return self.ortho and (k == 0 or k == n - 1) and self.scale / ROOT or self.scale
   end)
end

types[2] = function(self, x)
   local n, half = self.n, math.floor(self.n / 2) + 1
   local v = self:pick(x, 'in', from(n))
   if self.sine then v = self:times(v, 'sign', signs(n)) end
   local factor = self:rotations('factor', half, self.ortho and 1 / ROOT or 1, function(k) return PI * k / (2 * n) end)
   local w = lines.join(mul_conj(factor, rfft(v)))             -- Re, -Im of e^(-i pi k / 2n) V: places k and n - k
   return self:pick(w, 'out', function(k)
      if self.sine then k = n - 1 - k end
      return k < half and 2 * k or 2 * (n - k) + 1
   end)
end

types[3] = function(self, x)
   local n, half = self.n, math.floor(self.n / 2) + 1
   local z = self:pick(x, 'in', function(i)                    -- places k and n - k; an irfft ignores the imaginary part of 0
      local k = math.floor(i / 2)
      if i % 2 == 1 and k > 0 then k = n - k end
      return self.sine and n - 1 - k or k
   end, 2 * half)
   local factor = self:rotations('factor', half, self.ortho and ROOT or 1, function(k) return PI * k / (2 * n) end)
   local v = irfft(mul_conj(factor, lines.split(z, 2)), n, -1, 'forward')
   if self.sine then v = self:times(v, 'sign', signs(n)) end
   return self:pick(v, 'out', to(n))
end

-- The even places as real parts, the odd ones from the end as imaginary parts.
local function even(self, x)
   local n, half = self.n, self.n / 2
   local z = lines.split(self:pick(x, 'in', function(i)
      local k = i % 2 == 0 and i or n - i
      return self.sine and n - 1 - k or k
   end), 2)
   local function angle(k) return PI * (8 * k + 1) / (8 * n) end
   local before = self:constant('before', function()
      return rotations(half, 1, 1, function(k) return -angle(k) end)
   end)
   local w = lines.join(mul_conj(self:rotations('factor', half, 1, angle), fft(mul(z, before))))
   local y = self:pick(w, 'out', function(k) return k % 2 == 0 and k or n - k end)
   return self.sine and self:times(y, 'sign', function(k) return k % 2 == 0 and 1 or -1 end) or y
end

-- The odd number a modulo 8n that is 1 modulo 8 and r modulo n. Cosines of odd multiples of pi / 4n are even in a and change
-- their sign with a + 4n, so each place 2j + 1 < 2n stands for one such a: its j, and the sign.
local function renumbered(n, r)
   local a = r
   while a % 8 ~= 1 do a = a + n end
   local sign = 1
   if a > 4 * n then a = 8 * n - a end
   if a > 2 * n then a, sign = 4 * n - a, -1 end
   return (a - 1) / 2, sign
end

local function odd(self, x)
   local n, half = self.n, (self.n + 1) / 2
   local v = self:pick(x, 'in', function(r)
      local j = renumbered(n, r)
      return self.sine and n - 1 - j or j
   end)
   v = self:times(v, 'sign in', function(r) return (select(2, renumbered(n, r))) end)
   local angle = PI / 4 * (n % 8)
   local w = lines.join(mul(rfft(v), self:rotations('factor', half, 1, function() return -angle end)))
   local mirror = math.cos(angle) * math.sin(angle) > 0 and -1 or 1
   -- Which of the results the renumbered result s is, its place in w, and its sign.
   local function result(s)
      local k, sign = renumbered(n, 8 * s % n)
      if self.sine and k % 2 == 1 then sign = -sign end
      if s < half then return k, 2 * s, sign end
      return k, 2 * (n - s) + 1, sign * mirror
   end
   local y = index(w, w:dim(), self:constant('out', function()
      local t = torch.LongTensor(n)
      for s = 0, n - 1 do
         local k, place = result(s)
         t[k + 1] = place + 1
      end
      return t
   end))
   return lines.times(y, self:constant('sign', function()
      local t = torch.DoubleTensor(n)
      for s = 0, n - 1 do
         local k, _, sign = result(s)
         t[k + 1] = sign
      end
      return t
   end))
end

types[4] = function(self, x)
   if self.n % 2 == 0 then return even(self, x) end
   return odd(self, x)
end

-- ---- the functions --------------------------------------------------------------------------------------------------------

local INVERSE = { 1, 3, 2, 4 }
local OTHER = { backward = 'forward', forward = 'backward', ortho = 'ortho' }

local function transform(who, sine, inverse, x, kind, n, dim, norm)
   local p = lines.floats(who, 'x', x)
   lines.at_most(who, 'x', p, 15)
   kind = kind == nil and 2 or lines.whole(who, 'type', kind, 1, 4)
   local d = lines.dim(who, dim, p._ndim)
   n = lines.length(who, n, tonumber(p._size[d - 1]), d, kind == 1 and not sine and 2 or 1)
   norm = lines.norm(who, norm)
   if inverse then kind, norm = INVERSE[kind], OTHER[norm] end
   local size = lines.sizes(p)
   size[d] = n
   return lines.on(p, function()
      if lines.is_empty(size) then return lines.zeros(p, size) end
      local y, q, narrow = lines.wide(x, p)
      y = lines.last(lines.cut(y, q, d, n), d, p._ndim)
      local whole = 2 * (kind > 1 and n or sine and n + 1 or n - 1)
      local scale = norm == 'backward' and 1 or norm == 'forward' and 1 / whole or 1 / math.sqrt(whole)
      local line = setmetatable({ p = q, n = n, sine = sine, ortho = norm == 'ortho', scale = scale,
         id = ('%s %d %s'):format(sine and 'dst' or 'dct', kind, norm) }, Line)
      -- The sums of types II and IV, as they are defined, have a factor of 2.
      if kind == 2 or kind == 4 then line.scale = 2 * scale end
      return lines.narrowed(lines.last(types[kind](line, y), d, p._ndim):contiguous(), narrow)
   end)
end

--- torch.fft.dct(x, [type], [n], [dim], [norm]): The discrete cosine transform of real x along dim, of type 1 to 4, as
-- scipy.fft.dct defines it. k is from 0 to n - 1. Type 2 gives 2 sum(x[j] cos(pi k (2 j + 1) /
-- 2n)). Type 3 gives x[0] + 2 sum(x[j] cos(pi (2 k + 1) j / 2n)) over j > 0. Type 4 gives 2
-- sum(x[j] cos(pi (2 k + 1)(2 j + 1) / 4n)). Type 1, for n of at least 2, gives x[0] + (-1)^k x[n -
-- 1] + 2 sum(x[j] cos(pi k j / (n - 1))). That sum is over the places between the ends.
-- @param x     floating point numbers of at least one dimension; halves are computed as floats. The result has its type
-- @param type  1 to 4 (default 2)
-- @param n     x is cut or padded with zeros to n numbers along dim (default, and -1: the size of x)
-- @param dim   from 1 (default, and -1: the last); the other dimensions are a batch. A NaN or an infinity reaches its line only
-- @param norm  'backward' (default) divides nothing, 'forward' by 2n (type 1: 2n - 2), 'ortho' by
--  the square root of that. 'ortho' also scales x[0] or y[0], as SciPy does, so that the matrix is
--  orthogonal
-- torch.fft.dct(torch.Tensor{1, 2, 3, 5}) --> {22, -8.1564, 1.4142, -1.2137}
-- torch.fft.dct(torch.Tensor{1, 2, 4}, 1) --> {9, -3, 1}
function cosine.dct(x, type, n, dim, norm) return transform('torch.fft.dct', false, false, x, type, n, dim, norm) end

--- torch.fft.idct(y, [type], [n], [dim], [norm]): The inverse of torch.fft.dct with the same
-- arguments. Type 2 is undone by type 3 and type 3 by type 2, types 1 and 4 by themselves.
-- 'backward' divides by 2n (type 1: 2n - 2), 'forward' nothing.
-- torch.fft.idct(torch.fft.dct(torch.Tensor{1, 2, 3, 4})) --> {1, 2, 3, 4}
function cosine.idct(x, type, n, dim, norm) return transform('torch.fft.idct', false, true, x, type, n, dim, norm) end

--- torch.fft.dst(x, [type], [n], [dim], [norm]): The discrete sine transform of real x along dim, of type 1 to 4, as
-- scipy.fft.dst defines it. k is from 0 to n - 1. Type 1 gives 2 sum(x[j] sin(pi (k + 1)(j + 1) /
-- (n + 1))). Type 2 gives 2 sum(x[j] sin(pi (k + 1)(2 j + 1) / 2n)). Type 3 gives (-1)^k x[n - 1] +
-- 2 sum(x[j] sin(pi (2 k + 1)(j + 1) / 2n)) over j < n - 1. Type 4 gives 2 sum(x[j] sin(pi (2 k +
-- 1)(2 j + 1) / 4n)). Arguments are those of torch.fft.dct; where that has 2n - 2 for type 1, this
-- has 2n + 2, and n may be 1.
-- torch.fft.dst(torch.Tensor{1, 2, 3, 4}, 2) --> {13.066, -5.6569, 5.412, -4}
function cosine.dst(x, type, n, dim, norm) return transform('torch.fft.dst', true, false, x, type, n, dim, norm) end

--- torch.fft.idst(y, [type], [n], [dim], [norm]): The inverse of torch.fft.dst with the same arguments.
-- torch.fft.idst(torch.fft.dst(torch.Tensor{1, 2, 3, 4}, 4), 4) --> {1, 2, 3, 4}
function cosine.idst(x, type, n, dim, norm) return transform('torch.fft.idst', true, true, x, type, n, dim, norm) end

return cosine
