-- torch.fft_frames - windows, and Fourier transforms of the frames of long signals.
local arg = require 'torch.arg'
local dtype = require 'torch.dtype'
local lines = require 'torch.fft_lines'
local op = require 'torch.op'
local tensor = require 'torch.tensor'

local frames = {}
local fail, PI = lines.fail, math.pi

-- ---- windows ------------------------------------------------------------------------------------------------------------

-- The modified Bessel function of the first kind of order 0, by its power series; every term is positive.
local function bessel(x)
   local term, sum, k = 1, 1, 0
   repeat
      k = k + 1
      term = term * (x / 2 / k) ^ 2
      sum = sum + term
   until term <= sum * 1e-17
   return sum
end

-- name -> f(t, beta) for t from 0 to 1, symmetric about 1/2.
local shapes = {
   ones = function() return 1 end,
   hann = function(t) return 0.5 - 0.5 * math.cos(2 * PI * t) end,
   hamming = function(t) return 0.54 - 0.46 * math.cos(2 * PI * t) end,
   blackman = function(t) return math.max(0, 0.42 - 0.5 * math.cos(2 * PI * t) + 0.08 * math.cos(4 * PI * t)) end,
   bartlett = function(t) return 1 - math.abs(2 * t - 1) end,
   kaiser = function(t, beta) return bessel(beta * math.sqrt(math.max(0, 1 - (2 * t - 1) ^ 2))) / bessel(beta) end,
}
local NAMES = { 'hann', 'hamming', 'blackman', 'bartlett', 'kaiser', 'ones' }
local MOST_BETA = 700                        -- beyond it, the Bessel function leaves the range of doubles

local function need_beta(who, beta)
   if beta == nil then return 12 end
   local b = arg.number_of(beta)
   if not b then fail('%s: beta must be a number, got %s', who, arg.describe(beta)) end
   if not (b >= 0 and b <= MOST_BETA) then fail('%s: beta must lie in 0..%d, got %g', who, MOST_BETA, b) end
   return b
end

-- The n values as doubles in t.
local function fill(t, name, n, periodic, beta)
   local last = math.max(1, periodic and n or n - 1)
   for i = 0, n - 1 do
      local k = math.min(i, last - i)                          -- both halves have the same bits
      t[i + 1] = n == 1 and 1 or shapes[name](k / last, beta)
   end
   return t
end

--- torch.fft.window(name, n, [periodic], [beta]): The n values of a window, a vector of the default
-- type of tensors. With t from 0 to 1 across the window: 'hann' 0.5 - 0.5 cos(2 pi t), 'hamming'
-- 0.54 - 0.46 cos(2 pi t). 'blackman' 0.42 - 0.5 cos(2 pi t) + 0.08 cos(4 pi t); 'bartlett' a
-- triangle from 0 to 1 to 0. 'kaiser' I0(beta sqrt(1 - (2 t - 1)^2)) / I0(beta); 'ones' 1. F. J.
-- Harris, On the use of windows for harmonic analysis with the discrete Fourier transform,
-- Proceedings of the IEEE 66 (1978), compares them.
-- @param n         at least 1; a window of one place is 1
-- @param periodic  true (default): t is i / n for i from 0, for spectra; false: i / (n - 1), symmetric, for filters
-- @param beta      of 'kaiser', 0 to 700 (default 12): larger values make a wider peak and lower sidelobes
-- torch.fft.window('hann', 4) --> {0, 0.5, 1, 0.5}
-- torch.fft.window('hamming', 3, false) --> {0.08, 1, 0.08}
function frames.window(name, n, periodic, beta)
   local who = 'torch.fft.window'
   name = lines.word(who, 'name', name, NAMES)
   n = lines.whole(who, 'n', n, 1)
   periodic, beta = lines.flag(who, 'periodic', periodic, true), need_beta(who, beta)
   local like = tensor.empty(dtype.id.Double)
   local y = fill(lines.zeros(like, { n }), name, n, periodic, beta)
   return y:type('torch.' .. dtype.words[lines.default_type()] .. 'Tensor')
end

-- The window of a call: n values of the type of p, with zeros on both sides of its `width`.
local function window_of(who, window, n, width, p)
   local name, beta = window == nil and 'hann' or window, nil
   local behind = not arg.is_tensor(name) and arg.stand_in and arg.stand_in(who, name) or name
   if not arg.is_tensor(behind) then
      if type(name) == 'table' then name, beta = name[1], name[2] end
      name, beta = lines.word(who, 'window', name, NAMES), need_beta(who, beta)
      if width == nil then width = n else width = lines.whole(who, 'width', width, 1, n) end
      return lines.constant(('window %s %d %d %.17g'):format(name, n, width, beta), p, function()
         local t = torch.DoubleTensor(n):zero()
         fill(t:narrow(1, math.floor((n - width) / 2) + 1, width), name, width, true, beta)
         return t
      end)
   end
   if behind._ndim ~= 1 or not dtype.is_float(behind._dtype) then
      fail('%s: window must be a vector of floating point numbers, got %s', who, arg.describe(behind))
   end
   local m = tonumber(behind._size[0])
   if width ~= nil and lines.whole(who, 'width', width, 1, n) ~= m then
      fail('%s: width must be the size of the window, %d, got %g', who, m, width)
   end
   if m < 1 or m > n then fail('%s: the window must have 1..%d places, got %d', who, n, m) end
   if behind._device ~= p._device then
      fail('%s: window must be on the device of x, got %s', who, arg.describe(behind))
   end
   window = dtype.of(behind) ~= dtype.of(p) and window:type(p:type()) or window
   if m == n then return window end
   local before = math.floor((n - m) / 2)
   local list = { window }
   if before > 0 then table.insert(list, 1, lines.zeros(p, { before })) end
   if n - m - before > 0 then list[#list + 1] = lines.zeros(p, { n - m - before }) end
   return torch.cat(list, 1)
end

-- ---- short-time Fourier transforms -----------------------------------------------------------------------------------------

local PADS = { 'reflect', 'zeros', 'replicate', 'circular' }
local KNOWN = { width = true, center = true, onesided = true, normalized = true }

-- The arguments of stft and istft, checked and with defaults.
local function settings(who, n, hop, options, own)
   n = lines.whole(who, 'n', n, 1)
   if hop == nil then hop = math.max(1, math.floor(n / 4)) else hop = lines.whole(who, 'hop', hop, 1) end
   if options ~= nil and type(options) ~= 'table' then fail('%s: options must be a table, got %s', who, arg.describe(options)) end
   for k in pairs(options or {}) do
      if not KNOWN[k] and k ~= own then fail('%s: options have no field %s', who, tostring(k)) end
   end
   options = options or {}
   return n, hop, {
      center = lines.flag(who, 'center', options.center, true), onesided = lines.flag(who, 'onesided', options.onesided, true),
      norm = lines.flag(who, 'normalized', options.normalized, false) and 'ortho' or 'backward',
      width = options.width, pad = options.pad, length = options.length,
   }
end

-- x with k more places on both sides of its last dimension, of size m.
local function padded(who, x, p, m, k, pad)
   if k == 0 then return x end
   local d, flip = p._ndim, op.func 'flip'
   if pad == 'zeros' then
      local size = lines.sizes(p)
      size[d] = k
      local zero = lines.zeros(p, size)
      return torch.cat({ zero, x, zero }, d)
   elseif pad == 'replicate' then
      if m < 1 then fail("%s: x must have a place to replicate along its last dimension, got size %s", who, arg.size_text(p)) end
      local size = lines.sizes(p)
      size[d] = k
      return torch.cat({ x:narrow(d, 1, 1):expand(unpack(size)), x, x:narrow(d, m, 1):expand(unpack(size)) }, d)
   elseif pad == 'circular' then
      if m < k then fail('%s: x must have at least %d places along its last dimension, got %d', who, k, m) end
      return torch.cat({ x:narrow(d, m - k + 1, k), x, x:narrow(d, 1, k) }, d)
   end
   if m <= k then
      fail('%s: x must have more than %d places along its last dimension for a reflection, got %d', who, k, m)
   end
   return torch.cat({ flip(x:narrow(d, 2, k), d), x, flip(x:narrow(d, m - k, k), d) }, d)
end

--- torch.fft.stft(x, n, [hop], [window], [options]): The short-time Fourier transform of real signals, the last dimension of x:
-- the spectra of frames of n places, each multiplied by the window. A result of size ... x bins x
-- frames x 2 has the spectrum of frame f in column f. Frame f begins at place (f - 1) hop of the
-- padded signal. It is linear in x and in the window. A NaN at a place of x reaches the frames that
-- hold it, and no others. J. B. Allen and L. R. Rabiner, A unified approach to short-time Fourier
-- analysis and synthesis, Proceedings of the IEEE 65 (1977).
-- @param x        floating point numbers; the dimensions in front are a batch. Halves are computed as floats
-- @param n        places in a frame, at least 1; the k-th of the n/2 + 1 bins, from 0, has the frequency k / n per place
-- @param hop      places from one frame to the next, at least 1 (default: n / 4)
-- @param window   the name of a periodic window of torch.fft.window (default 'hann'), {'kaiser',
--  beta}, or a vector of at most n values. A window shorter than n is centred in the frame, between
--  zeros
-- @param options  a table. width: places of a window that is named (default n). center: true
--  (default) puts the middle of frame f at place (f - 1) hop of x, and pads x with n/2 places on
--  both sides. false begins the first frame with x, which must have n places then. pad: 'reflect'
--  (default; x must have more than n/2 places), 'zeros', 'replicate' or 'circular'. onesided: false
--  gives all n bins (default true: n/2 + 1). normalized: true divides by sqrt(n) (default false)
-- @return a tensor of the type of x
-- torch.fft.stft(torch.ones(2, 16), 8):size() --> {2, 5, 9, 2}
-- torch.fft.stft(torch.Tensor{1, 2, 3, 4}, 2, 2, 'ones', {center = false}) --> {{{3, 0}, {7, 0}}, {{-1, 0}, {-1, 0}}}
function frames.stft(x, n, hop, window, options)
   local who = 'torch.fft.stft'
   local p = lines.floats(who, 'x', x)
   lines.at_most(who, 'x', p, 14)
   local d = lines.dim(who, nil, p._ndim)
   local o
   n, hop, o = settings(who, n, hop, options, 'pad')
   local pad = o.pad == nil and 'reflect' or lines.word(who, 'pad', o.pad, PADS)
   local m, half = tonumber(p._size[d - 1]), o.center and math.floor(n / 2) or 0
   if m + 2 * half < n then
      fail('%s: x must have at least %d places along its last dimension, got %d', who, n - 2 * half, m)
   end
   return lines.on(p, function()
      local y, q, narrow = lines.wide(x, p)
      local size = lines.sizes(p)
      if lines.is_empty(size) then
         window_of(who, window, n, o.width, q)                 -- checks these arguments too
         size[d], size[d + 1], size[d + 2] = o.onesided and math.floor(n / 2) + 1 or n, 1 + math.floor((m + 2 * half - n) / hop), 2
         return lines.zeros(p, size)
      end
      y = lines.frames(padded(who, y, q, m, half, pad), n, hop)
      local w = window_of(who, window, n, o.width, q)
      y = op.func 'cmul'(y, w:expand(y:size()))
      if o.onesided then y = op.func 'rfft'(y, n, d + 1, o.norm)
      else y = op.func 'fft'(require('torch').fft.complex(y), n, d + 1, o.norm) end
      return lines.narrowed(y:transpose(d, d + 1):contiguous(), narrow)
   end)
end

local NOLA = 1e-11

--- torch.fft.istft(y, n, [hop], [window], [options]): The inverse of stft with the same arguments.
-- It transforms frames back, multiplies them by the window again, and sums them. It divides by the
-- sum of the squares of the windows. The frames of this signal are nearest to the given ones in the
-- sense of least squares: D. W. Griffin and J. S. Lim, Signal estimation from modified short-time
-- Fourier transform, IEEE Transactions on Acoustics, Speech and Signal Processing 32 (1984). The
-- sum of squares must not vanish at any place of the result (the condition NOLA, nonzero overlap
-- add). A NaN reaches its frame only.
-- @param y        complex, of size ... x bins x frames x 2
-- @param options  width, center, onesided and normalized as for stft. length: how many places the
--  result has (default: those between the middles of the first and the last frame, or all where
--  center is false). Places that no frame reaches are 0
-- @return real signals: a tensor of the type of y, of size ... x places
-- x = torch.range(1, 16); (torch.fft.istft(torch.fft.stft(x, 8), 8) - x):abs():max() < 1e-12 --> true
function frames.istft(y, n, hop, window, options)
   local who = 'torch.fft.istft'
   local p, ndim = lines.complex(who, 'y', y)
   if ndim < 2 then fail('%s: y must have at least 3 dimensions: bins, frames and 2, got size %s', who, arg.size_text(p)) end
   local o
   n, hop, o = settings(who, n, hop, options, 'length')
   local bins, count = tonumber(p._size[ndim - 2]), tonumber(p._size[ndim - 1])
   local want = o.onesided and math.floor(n / 2) + 1 or n
   if bins ~= want then fail('%s: y must have %d bins for n = %d, got %d', who, want, n, bins) end
   if count < 1 then fail('%s: y must have at least 1 frame, got size %s', who, arg.size_text(p)) end
   local all, first = (count - 1) * hop + n, o.center and math.floor(n / 2) or 0
   local length = o.length == nil and all - 2 * first or lines.whole(who, 'length', o.length, 1)
   if length < 1 then fail('%s: the result would have no places: length must be given, or more frames', who) end
   local some = math.min(length, all - first)
   return lines.on(p, function()
      local z, q, narrow = lines.wide(y, p)
      local w, size = window_of(who, window, n, o.width, q), lines.sizes(p)
      if lines.is_empty(size) then
         size[ndim + 1], size[ndim], size[ndim - 1] = nil, nil, length
         return lines.zeros(p, size)
      end
      z = z:transpose(ndim - 1, ndim)
      if o.onesided then z = op.func 'irfft'(z, n, ndim, o.norm)
      else z = op.func 'ifft'(z, n, ndim, o.norm):select(ndim + 1, 1) end
      z = lines.overlap_add(op.func 'cmul'(z, w:expand(z:size())), hop):narrow(ndim - 1, first + 1, some)
      local squares = op.func 'cmul'(w, w):view(1, n):expand(count, n)
      local sum = lines.overlap_add(squares, hop):narrow(1, first + 1, some)
      local least = lines.tensor(who, 'window', sum):min()
      if least <= NOLA or least ~= least then
         fail('%s: the squares of the windows must not sum to 0 at any place of the result (NOLA), got %g', who, least)
      end
      z = op.func 'cdiv'(z, sum:expand(z:size()))
      return lines.narrowed(lines.cut(z:contiguous(), lines.tensor(who, 'y', z), ndim - 1, length), narrow)
   end)
end

return frames
