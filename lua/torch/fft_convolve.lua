-- torch.fft_convolve - convolution and correlation of long signals by their spectra.
--
-- A long signal and a short one are convolved block by block (overlap-add: T. G. Stockham, High-speed convolution and
-- correlation, AFIPS Spring Joint Computer Conference 28, 1966), or both with one transform, whichever needs fewer operations.
local arg = require 'torch.arg'
local lines = require 'torch.fft_lines'
local op = require 'torch.op'

local convolve = {}
local fail = lines.fail

--- The smallest number of at least n that has no prime factors but 2, 3 and 5: a size with a fast transform.
-- @param n  a whole number, 1 to 2^52
-- torch.fft.fastLength(1021) --> 1024
function convolve.fastLength(n)
   n = lines.whole('torch.fft.fastLength', 'n', n, 1, 2 ^ 52)
   local best, five = math.huge, 1
   while five < best do
      local m = five
      while m < best do
         local k = m
         while k < n do k = 2 * k end
         best = math.min(best, k)
         if m >= n then break end
         m = 3 * m
      end
      if five >= n then break end
      five = 5 * five
   end
   return best
end
local fast = convolve.fastLength

-- Operations of a transform of n positions, up to a constant factor.
local function work(n) return n * math.log(n + 1) end

-- The size of the transforms, and the positions of the long signal in each block; nil where one transform is cheaper.
local function plan(long, short)
   local one, best = 3 * work(fast(long + short - 1)), nil
   local n = 2 * short
   while n < long do
      local size = fast(n)
      local step = size - short + 1
      local cost = (2 * math.ceil(long / step) + 1) * work(size)
      if cost < one then one, best = cost, { size, step } end
      n = 2 * n
   end
   if best then return best[1], best[2] end
   return nil
end

-- The whole convolution of lines along the last dimension (of those that are not real and imaginary part), na and nb long.
local function whole(a, b, na, nb, is_complex)
   if na < nb then a, b, na, nb = b, a, nb, na end
   local total = na + nb - 1
   local there, back = op.func(is_complex and 'fft' or 'rfft'), op.func(is_complex and 'ifft' or 'irfft')
   local mul, k = op.func 'complexMul', is_complex and 1 or 0
   local d, e = a:dim() - k, b:dim() - k
   local size, step = plan(na, nb)
   if not size then
      size = fast(total)
      local y = back(mul(there(a, size, d), there(b, size, e)), size)
      return y:narrow(y:dim() - k, 1, total)
   end
   local count = math.ceil(na / step)
   a = lines.cut(a, lines.tensor('torch.fft.convolve', 'a', a), d, count * step):contiguous()
   local shape, beside = lines.sizes(a), lines.sizes(b)
   if is_complex then shape[d], shape[d + 1], shape[d + 2] = count, step, 2 else shape[d], shape[d + 1] = count, step end
   table.insert(beside, e, 1)
   local blocks, filter = a:view(unpack(shape)), b:contiguous():view(unpack(beside))
   local y = back(mul(there(blocks, size, d + 1), there(filter, size, e + 1)), size)
   if is_complex then                                          -- a block is a line of twice as many numbers
      y = lines.split(lines.overlap_add(lines.join(y), 2 * step), 2)
   else
      y = lines.overlap_add(y, step)
   end
   return y:narrow(y:dim() - k, 1, total)
end

local MODES = { 'full', 'same', 'valid' }

local function apply(who, correlating, a, b, mode, dim, is_complex)
   is_complex = lines.flag(who, 'isComplex', is_complex, false)
   local need = is_complex and lines.complex or lines.floats
   local p, q = need(who, 'a', a), need(who, 'b', b)
   lines.at_most(who, 'a', p, 14)
   lines.at_most(who, 'b', q, 14)
   local k = is_complex and 1 or 0
   local ndim, other = p._ndim - k, q._ndim - k
   mode = mode == nil and 'full' or lines.word(who, 'mode', mode, MODES)
   if ndim < 1 then fail('%s: a must have at least 1 dimension, got size %s', who, arg.size_text(p)) end
   if other ~= 1 and other ~= ndim then
      fail('%s: b must be one line or have as many dimensions as a, got sizes %s and %s', who, arg.size_text(q), arg.size_text(p))
   end
   if p._dtype ~= q._dtype or p._device ~= q._device then fail('%s: b must be a %s like a, got %s', who, p:type(), arg.describe(q)) end
   local d = lines.dim(who, dim, ndim)
   local e = other == 1 and 1 or d
   for i = 1, other == 1 and 0 or ndim do
      local m, n = tonumber(p._size[i - 1]), tonumber(q._size[i - 1])
      if i ~= d and m ~= n and m ~= 1 and n ~= 1 then
         fail('%s: b must have the size of a or 1 along dimension %d, got %d and %d', who, i, n, m)
      end
   end
   local na, nb = tonumber(p._size[d - 1]), tonumber(q._size[e - 1])
   if na < 1 then fail('%s: a must have a place along dimension %d, got size %s', who, d, arg.size_text(p)) end
   if nb < 1 then fail('%s: b must have a place along dimension %d, got size %s', who, e, arg.size_text(q)) end
   return lines.on(p, function()
      local x, _, narrow = lines.wide(a, p)
      local y, z = lines.wide(b, q)
      if correlating then
         y = op.func 'flip'(y, e)
         if is_complex then
            y = lines.times(y, lines.constant('conj', z, function() return torch.DoubleTensor { 1, -1 } end))
         end
      end
      y = whole(lines.last(x, d, ndim), lines.last(y, e, other), na, nb, is_complex)
      if mode == 'same' then
         y = y:narrow(ndim, math.floor((nb - 1) / 2) + 1, na)
      elseif mode == 'valid' then
         y = y:narrow(ndim, math.min(na, nb), math.abs(na - nb) + 1)
      end
      return lines.narrowed(lines.last(y, d, ndim):contiguous(), narrow)
   end)
end

--- torch.fft.convolve(a, b, [mode], [dim], [isComplex]): The convolution of signals along dim, by their spectra:
-- y[k] = sum(a[j] b[k - j]), as scipy.signal.fftconvolve and oaconvolve give it. Fast where both signals are long; torch.conv2
-- and nn sum short filters directly. Errors are relative to the largest results, not to each. A NaN
-- in a line reaches no other line. Within its line it reaches everything, or the blocks around it
-- where a is much longer than b.
-- @param a          floating point numbers; the dimensions other than dim are a batch. Halves are computed as floats
-- @param b          one line, or a tensor with as many dimensions; dimensions other than dim have the size of a or 1, or a has 1
-- @param mode       'full' (default): na + nb - 1 places. 'same': the na in the middle of them.
--  'valid': the places where the shorter signal lies within the longer, max(na, nb) - min(na, nb) +
--  1
-- @param dim        from 1 (default, and -1: the last)
-- @param isComplex  true: a and b are complex, with a last dimension of size 2 that dim does not count (default false)
-- torch.fft.convolve(torch.Tensor{1, 2, 3}, torch.Tensor{1, 1}) --> {1, 3, 5, 3}
function convolve.convolve(a, b, mode, dim, isComplex)
   return apply('torch.fft.convolve', false, a, b, mode, dim, isComplex)
end

--- torch.fft.correlate(a, b, [mode], [dim], [isComplex]): The correlation of signals along dim, by
-- their spectra, as scipy.signal.correlate gives it. y[k] = sum(a[j] conj(b[j - k + nb - 1])), k
-- from 0 in the mode 'full'. The largest result, at place k, says that b resembles a best when it
-- is shifted by k - nb + 1 places. Arguments are those of convolve.
-- torch.fft.correlate(torch.Tensor{1, 1, 2, 4}, torch.Tensor{1, 2}) --> {2, 3, 5, 10, 4}
function convolve.correlate(a, b, mode, dim, isComplex)
   return apply('torch.fft.correlate', true, a, b, mode, dim, isComplex)
end

return convolve
