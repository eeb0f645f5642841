-- torch.fft - Fourier transforms under one name, frequencies, and what complex tensors need.
--
-- The transforms are ops of the registry: torch.fft.rfft(x) is torch.rfft(x) is x:rfft(). A complex tensor has a last
-- dimension of size 2, real and imaginary part, which no dimension argument counts.
local arg = require 'torch.arg'
local dtype = require 'torch.dtype'
local op = require 'torch.op'
local tensor = require 'torch.tensor'

local fft = {}
local is_tensor = arg.is_tensor

local function need_complex(who, x)
   arg.tensor(who, 'x', x)
   if x._ndim == 0 or x._size[x._ndim - 1] ~= 2 then
      error(('%s: x must be complex: a last dimension of size 2, got size %s'):format(who, arg.size_text(x)), 3)
   end
   return x, x._ndim
end

local function is_complex(x) return x._ndim >= 2 and x._size[x._ndim - 1] == 2 end

-- ---- order of frequencies -----------------------------------------------------------------------------------------------

-- The dimensions to shift: one, those of a list, or all but that of real and imaginary part.
local function dims_of(who, x, dim)
   arg.tensor(who, 'x', x)
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
      d = arg.whole(who, 'dim', d)
      list[i] = d
      if d < 1 or d > n then error(('%s: dim must lie in 1..%d, got %g'):format(who, n, d), 3) end
      for j = 1, i - 1 do if list[j] == d then error(('%s: dim names dimension %d twice'):format(who, d), 3) end end
   end
   return list
end

local function shifted(x, dims, round)
   local roll, y = op.func 'roll', x
   for _, d in ipairs(dims) do y = roll(y, round(tonumber(y._size[d - 1]) / 2), d) end
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

--- Puts frequency 0 into the middle along dim, a number or a list of them (default: all dimensions; a last one of size 2
-- is taken for that of real and imaginary part and stays, unless it is named).
-- torch.fft.fftshift(torch.range(1, 5)) --> {4, 5, 1, 2, 3}
function fft.fftshift(x, dim) return shifted(x, dims_of('torch.fft.fftshift', x, dim), math.floor) end

--- The inverse of fftshift.
function fft.ifftshift(x, dim) return shifted(x, dims_of('torch.fft.ifftshift', x, dim), math.ceil) end

-- @param range  function(n): the first multiple, and how many
local function frequencies(who, n, d, range)
   n = arg.whole(who, 'n', n)
   if n < 1 then error(('%s: n must be at least 1, got %g'):format(who, n), 3) end
   if d == nil then d = 1 end
   d = arg.number(who, 'd', d)
   if d == 0 or d ~= d then error(('%s: d must be a number other than 0, got %g'):format(who, d), 3) end
   local t = dtype.is_float(tensor.default()) and tensor.default() or dtype.id.Double
   local first, count = range(n)
   local y = op.func 'range'(tensor.empty(t), first, first + count - 1)
   return op.method 'div'(y, n * d)
end

--- The frequencies of fft's results for n numbers, d apart (default 1): 0, 1, ..., -1 divided by n d.
-- torch.fft.fftfreq(4) --> {0, 0.25, -0.5, -0.25}
function fft.fftfreq(n, d)
   local y = frequencies('torch.fft.fftfreq', n, d, function(k) return -math.floor(k / 2), k end)
   return shifted(y, { 1 }, math.ceil)
end

--- The frequencies of rfft's results for n numbers, d apart (default 1): 0, 1, ..., n/2 divided by n d.
function fft.rfftfreq(n, d)
   return frequencies('torch.fft.rfftfreq', n, d, function(k) return 0, math.floor(k / 2) + 1 end)
end

-- ---- complex tensors ------------------------------------------------------------------------------------------------------

--- A complex tensor of real and imaginary parts (default: 0): one more dimension, of size 2.
function fft.complex(re, im)
   local who = 'torch.fft.complex'
   arg.tensor(who, 're', re)
   if not dtype.is_float(re._dtype) then arg.refuse(who, 're', 'a Float, Double, Half or BFloat16 tensor', re) end
   if im == nil then im = re:clone():zero() end
   if not is_tensor(im) or im._dtype ~= re._dtype or not im:isSameSizeAs(re) then
      arg.refuse(who, 'im', ('a %s of size %s'):format(re:type(), arg.size_text(re)), im)
   end
   if re._ndim == 0 then return re.new { re:item(), im:item() } end
   local n = re._ndim + 1
   return op.func 'cat'({ tensor.base.unsqueeze(re, n), tensor.base.unsqueeze(im, n) }, n)
end

local function part(who, x, i)
   local _, n = need_complex(who, x)
   return tensor.base.narrow(x, n, i, 1):select(n, 1)
end

--- The real parts of a complex tensor: a view, or a number.
function fft.real(x) return part('torch.fft.real', x, 1) end

--- The imaginary parts of a complex tensor: a view, or a number.
function fft.imag(x) return part('torch.fft.imag', x, 2) end

--- The conjugate of a complex tensor.
function fft.conj(x)
   local _, n = need_complex('torch.fft.conj', x)
   local y = x:clone()
   tensor.base.narrow(y, n, 2, 1):mul(-1)
   return y
end

--- The absolute values of the elements of a complex tensor.
function fft.abs(x)
   local _, n = need_complex('torch.fft.abs', x)
   return op.func 'norm'(x, 2, n):select(n, 1)
end

--- The angles of the elements of a complex tensor, from -pi to pi.
function fft.angle(x)
   local _, n = need_complex('torch.fft.angle', x)
   return op.func 'atan2'(tensor.base.narrow(x, n, 2, 1), tensor.base.narrow(x, n, 1, 1)):select(n, 1)
end

function fft.install(torch)
   for _, extent in ipairs { '', '2', 'n' } do
      for _, name in ipairs { 'fft', 'ifft', 'rfft', 'irfft' } do fft[name .. extent] = op.func(name .. extent) end
   end
   fft.mul = op.func 'complexMul'
   fft.install = nil
   torch.fft = setmetatable(fft, { __call = function(_, ...) return fft.fft(...) end })
end

return fft
