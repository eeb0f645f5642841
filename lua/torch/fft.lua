-- torch.fft - Fourier transforms under one name, frequencies, and what complex tensors need.
--
-- The transforms are ops of the registry: torch.fft.rfft(x) is torch.rfft(x) is x:rfft(). A complex tensor has a last
-- dimension of size 2, real and imaginary part, which no dimension argument counts.
--
-- Functions that are more than a name for an op are in further files: torch.fft_cosine, torch.fft_frames, torch.fft_convolve.
local arg = require 'torch.arg'
local lines = require 'torch.fft_lines'
local op = require 'torch.op'
local tensor = require 'torch.tensor'

local fft = {}
local fail = lines.fail

local function is_complex(x) return x._ndim >= 2 and x._size[x._ndim - 1] == 2 end

-- ---- order of frequencies -----------------------------------------------------------------------------------------------

-- The dimensions to shift: one, those of a list, or all but that of real and imaginary part.
local function dims_of(who, x, dim)
   x = lines.tensor(who, 'x', x)
   local n, list = x:dim(), {}
   if dim == nil then
      for d = 1, is_complex(x) and n - 1 or n do list[d] = d end
      return list
   end
   if type(dim) == 'table' or arg.is_storage(dim) then
      for i = 1, #dim do list[i] = dim[i] end
   else
      list[1] = dim
   end
   for i, d in ipairs(list) do
      d = lines.whole(who, 'dim', d, 1, n)
      list[i] = d
      for j = 1, i - 1 do if list[j] == d then fail('%s: dim names dimension %d twice', who, d) end end
   end
   return list
end

local function shifted(x, dims, round)
   local roll, y = op.func 'roll', x
   for _, d in ipairs(dims) do y = roll(y, round(y:size(d) / 2), d) end
   return y == x and x:clone() or y
end

--- torch.fft.fft(x, [n], [dim], [norm]), torch.fft.ifft(y, [n], [dim], [norm]): torch.fft itself and its inverse; ? torch.fft
-- torch.fft.fft(torch.Tensor{{1, 0}, {2, 0}}) --> {{3, 0}, {-1, 0}}

--- torch.fft.rfft(x, [n], [dim], [norm]), torch.fft.irfft(y, [n], [dim], [norm]): torch.rfft and torch.irfft, of real x.
-- torch.fft.rfft(torch.Tensor{1, 2, 3, 4}) --> {{10, 0}, {-2, 2}, {-2, 0}}
-- torch.fft.irfft(torch.fft.rfft(torch.range(1, 5)), 5) --> {1, 2, 3, 4, 5}

--- torch.fft.fft2(x, [s], [dim], [norm]), torch.fft.ifft2(y, [s], [dim], [norm]): torch.fft2, torch.ifft2: two dimensions.
--- torch.fft.rfft2(x, [s], [dim], [norm]), torch.fft.irfft2(y, [s], [dim], [norm]): torch.rfft2, torch.irfft2: two dimensions.
--- torch.fft.fftn(x, [s], [dim], [norm]), torch.fft.ifftn(y, [s], [dim], [norm]): torch.fftn, torch.ifftn: several dimensions.
--- torch.fft.rfftn(x, [s], [dim], [norm]), torch.fft.irfftn(y, [s], [dim], [norm]): torch.rfftn, torch.irfftn: several dimensions.

--- torch.fft.mul(a, b): the product of complex tensors, torch.complexMul.
-- torch.fft.mul(torch.Tensor{1, 2}, torch.Tensor{3, 4}) --> {-5, 10}

--- Puts frequency 0 into the middle along dim, a number or a list of them (default: all
-- dimensions). A last dimension of size 2 is taken for that of real and imaginary part and stays,
-- unless it is named.
-- torch.fft.fftshift(torch.range(1, 5)) --> {4, 5, 1, 2, 3}
function fft.fftshift(x, dim) return shifted(x, dims_of('torch.fft.fftshift', x, dim), math.floor) end

--- The inverse of fftshift.
-- torch.fft.ifftshift(torch.Tensor{4, 5, 1, 2, 3}) --> {1, 2, 3, 4, 5}
function fft.ifftshift(x, dim) return shifted(x, dims_of('torch.fft.ifftshift', x, dim), math.ceil) end

-- @param range  function(n): the first multiple, and how many
local function frequencies(who, n, d, range)
   n = lines.whole(who, 'n', n, 1)
   local step = d == nil and 1 or arg.number_of(d)
   if not step then fail('%s: d must be a number, got %s', who, arg.describe(d)) end
   if step == 0 or step ~= step then fail('%s: d must be a number other than 0, got %g', who, step) end
   d = step
   local first, count = range(n)
   local y = op.func 'range'(tensor.empty(lines.default_type()), first, first + count - 1)
   return op.method 'div'(y, n * d)
end

--- The frequencies of fft's results for n numbers, d apart (default 1): 0, 1, ..., -1 divided by n d.
-- torch.fft.fftfreq(4) --> {0, 0.25, -0.5, -0.25}
function fft.fftfreq(n, d)
   local y = frequencies('torch.fft.fftfreq', n, d, function(k) return -math.floor(k / 2), k end)
   return shifted(y, { 1 }, math.ceil)
end

--- The frequencies of rfft's results for n numbers, d apart (default 1): 0, 1, ..., n/2 divided by n d.
-- torch.fft.rfftfreq(4) --> {0, 0.25, 0.5}
function fft.rfftfreq(n, d)
   return frequencies('torch.fft.rfftfreq', n, d, function(k) return 0, math.floor(k / 2) + 1 end)
end

-- ---- complex tensors ------------------------------------------------------------------------------------------------------

--- A complex tensor of real and imaginary parts (default: 0): one more dimension, of size 2.
-- torch.fft.complex(torch.Tensor{1, 2}, torch.Tensor{3, 4}) --> {{1, 3}, {2, 4}}
function fft.complex(re, im)
   local who = 'torch.fft.complex'
   local p = lines.floats(who, 're', re)
   lines.at_most(who, 're', p, 15)
   local q = im ~= nil and lines.tensor(who, 'im', im) or lines.on(p, function() return lines.zeros(p, lines.sizes(p)) end)
   if q._dtype ~= p._dtype or not q:isSameSizeAs(p) then
      fail('%s: im must be a %s of size %s, got %s', who, p:type(), arg.size_text(p), arg.describe(q))
   end
   if p._ndim == 0 then return p.new { p:item(), q:item() } end
   local n = p._ndim + 1
   if p:nElement() == 0 then
      local size = lines.sizes(p)
      if n == 2 then size[1] = 0 end
      size[n] = 2
      return lines.on(p, function() return lines.zeros(p, size) end)
   end
   if im == nil then im = q end
   return torch.cat({ re:unsqueeze(n), im:unsqueeze(n) }, n)
end

local function part(who, x, i)
   local _, n = lines.complex(who, 'x', x)
   return x:narrow(n + 1, i, 1):select(n + 1, 1)
end

--- The real parts of a complex tensor: a view, or a number.
-- torch.fft.real(torch.Tensor{{1, 3}, {2, 4}}) --> {1, 2}
function fft.real(x) return part('torch.fft.real', x, 1) end

--- The imaginary parts of a complex tensor: a view, or a number.
-- torch.fft.imag(torch.Tensor{{1, 3}, {2, 4}}) --> {3, 4}
function fft.imag(x) return part('torch.fft.imag', x, 2) end

-- A new tensor in which the imaginary parts have the other sign.
local function conjugate(x, p)
   return lines.times(x, lines.constant('conj', p, function() return torch.DoubleTensor { 1, -1 } end))
end

--- The conjugate of a complex tensor.
-- torch.fft.conj(torch.Tensor{{1, 3}, {2, 4}}) --> {{1, -3}, {2, -4}}
function fft.conj(x)
   local p = lines.complex('torch.fft.conj', 'x', x)
   return lines.on(p, conjugate, x, p)
end

--- The absolute values of the elements of a complex tensor.
-- torch.fft.abs(torch.Tensor{{3, 4}, {0, 2}}) --> {5, 2}
function fft.abs(x)
   local _, n = lines.complex('torch.fft.abs', 'x', x)
   return op.func 'norm'(x, 2, n + 1):select(n + 1, 1)
end

--- The angles of the elements of a complex tensor, in radians from -pi to pi.
-- torch.fft.angle(torch.Tensor{{1, 0}, {0, 2}}) --> {0, 1.5708}
function fft.angle(x)
   local _, n = lines.complex('torch.fft.angle', 'x', x)
   return op.func 'atan2'(x:narrow(n + 1, 2, 1), x:narrow(n + 1, 1, 1)):select(n + 1, 1)
end

-- ---- real spectra -----------------------------------------------------------------------------------------------------------

local OTHER = { backward = 'forward', forward = 'backward', ortho = 'ortho' }

--- torch.fft.hfft(x, [n], [dim], [norm]): The real spectrum of a complex signal with x[n - t] = conj(x[t]), of which x has the
-- first half, places 0 to n/2. The imaginary part of place 0, and of place n/2 for even n, is ignored.
-- @param x     complex; along dim it is cut or padded with zeros to n/2 + 1 places
-- @param n     how many numbers the result has along dim (default, and -1: 2 (m - 1), m being the size of x); at least 1
-- @param dim   from 1, without the complex one (default, and -1: the last)
-- @param norm  'backward' (default) divides nothing, 'ortho' by sqrt(n), 'forward' by n
-- torch.fft.hfft(torch.Tensor{{1, 0}, {2, -1}, {4, 0}}) --> {9, -5, 1, -1}
function fft.hfft(x, n, dim, norm)
   local who = 'torch.fft.hfft'
   local p, ndim = lines.complex(who, 'x', x)
   local d = lines.dim(who, dim, ndim)
   n = lines.length(who, n, 2 * (tonumber(p._size[d - 1]) - 1), d, 1)
   norm = OTHER[lines.norm(who, norm)]
   return lines.on(p, function() return op.func 'irfft'(conjugate(x, p), n, d, norm) end)
end

--- torch.fft.ihfft(x, [n], [dim], [norm]): The inverse of hfft: n/2 + 1 complex numbers from n real ones.
-- @param x     real numbers; along dim it is cut or padded with zeros to n places (default, and -1: its size)
-- @param norm  'backward' (default) divides by n, 'ortho' by sqrt(n), 'forward' nothing
-- torch.fft.real(torch.fft.ihfft(torch.Tensor{9, -5, 1, -1})) --> {1, 2, 4}
function fft.ihfft(x, n, dim, norm)
   local who = 'torch.fft.ihfft'
   local p = lines.floats(who, 'x', x)
   lines.at_most(who, 'x', p, 15)
   local d = lines.dim(who, dim, p._ndim)
   n = lines.length(who, n, tonumber(p._size[d - 1]), d, 1)
   norm = OTHER[lines.norm(who, norm)]
   return lines.on(p, function() return conjugate(op.func 'rfft'(x, n, d, norm), p) end)
end

-- name -> the file that has it.
local further = {}
for file, names in pairs {
   fft_cosine = 'dct idct dst idst', fft_frames = 'window stft istft', fft_convolve = 'convolve correlate fastLength',
} do
   for name in names:gmatch '%S+' do further[name] = file end
end

-- name -> the op.
local ops = { mul = 'complexMul' }
for _, extent in ipairs { '', '2', 'n' } do
   for _, name in ipairs { 'fft', 'ifft', 'rfft', 'irfft' } do
      ops[name .. extent] = name .. extent
   end
end

function fft.install(torch)
   fft.install = nil
   -- Functions of ops are written, and further files read, when one of their names is first used.
   local function find(_, name)
      if ops[name] then rawset(fft, name, op.func(ops[name])) end
      local file = further[name]
      if not file then return rawget(fft, name) end
      for key, f in pairs(require('torch.' .. file)) do if further[key] == file then rawset(fft, key, f) end end
      return rawget(fft, name)
   end
   local function all()
      for _, names in ipairs { ops, further } do
         for name in pairs(names) do local _ = fft[name] end
      end
   end
   torch.fft = setmetatable(fft, { __index = find, __functions = all, __call = function(_, ...) return fft.fft(...) end })
end

return fft
