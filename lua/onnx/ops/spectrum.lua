-- lua/onnx/ops/spectrum.lua - Fourier transforms of signals, their windows, and mel scales.
local torch = require 'torch'
local messages = require 'onnx.messages'
local types = require 'onnx.types'
local registry = require 'onnx.registry'

local function wide_of(name) return name == 'double' and 'double' or 'float' end

-- ---- DFT -----------------------------------------------------------------------------------------------------------

-- A signal whose last dimension has size 1 (real) or 2 (complex); returns whether it is real, too.
local function parts_of(x)
   local rank = types.rank(x)
   local last = rank > 1 and types.size(x, rank) or 0
   if last ~= 1 and last ~= 2 then error('the last dimension must be of size 1 or 2 and not the only one', 0) end
   if x:nElement() == 0 then error('its input must not be empty', 0) end
   return last == 1
end

local function complex_of(x, name)
   local shape = types.shape(x)
   if shape[#shape] == 2 then return x end
   return torch.cat(x, types.full(name, shape, 0), #shape)
end

local function without_last(x)
   local shape = types.shape(x)
   shape[#shape] = nil
   return types.view(x, shape)
end

local function with_last(x)
   local shape = types.shape(x)
   shape[#shape + 1] = 1
   return types.view(x, shape)
end

-- The transform of x along a dimension. length: how many numbers (nil: all that there are)
local function transform(x, name, dim, length, inverse, onesided)
   local real = parts_of(x)
   if length and not (length >= 1 and length <= 2 ^ 31) then error(('dft_length must be positive, got %s'):format(length), 0) end
   if onesided and inverse then
      return with_last(torch.irfft(complex_of(x, name), length or math.max(1, 2 * (types.size(x, dim) - 1)), dim))
   end
   length = length or types.size(x, dim)
   if onesided then
      if not real then error('a one-sided transform needs a real signal', 0) end
      return torch.rfft(without_last(x), length, dim)
   end
   return torch[inverse and 'ifft' or 'fft'](complex_of(x, name), length, dim)
end

registry.add('DFT', function(n, x, length, axis)
   local name, rank = n.types[1], types.rank(x)
   local wide = wide_of(name)
   local at = n.version < 20 and (n.attr.axis or 1) or axis and types.number(axis) or -2
   local dim = types.dim(at, rank)
   if dim == rank then error('axis must not be the dimension of real and imaginary parts', 0) end
   local y = transform(types.convert(x, wide), wide, dim, length and types.number(length), (n.attr.inverse or 0) ~= 0,
      (n.attr.onesided or 0) ~= 0)
   return types.convert(y, name)
end)

registry.add('STFT', function(n, x, step, window, length)
   local name, shape = n.types[1], types.shape(x)
   local wide = wide_of(name)
   if #shape == 2 then shape[3], x = 1, with_last(x) end
   if #shape ~= 3 then error(('a signal of 3 dimensions is needed, got shape %s'):format(types.shape_text(shape)), 0) end
   local real = parts_of(x)
   step = types.number(step)
   length = length and types.number(length) or window and window:nElement() or error('a window or its length is needed', 0)
   if not (length >= 1 and length <= shape[2]) then error(('frames of %s do not fit %d samples'):format(length, shape[2]), 0) end
   if step < 1 then error(('frame_step must be positive, got %s'):format(step), 0) end
   if window and window:nElement() ~= length then
      error(('a window of %d does not fit frames of %d'):format(window:nElement(), length), 0)
   end
   local frames = math.floor((shape[2] - length) / step) + 1
   x = types.convert(x, wide):contiguous()
   local line = shape[2] * shape[3]
   local y = types.strided(x, { shape[1], frames, length, shape[3] }, { line, step * shape[3], shape[3], 1 }, tonumber(x._offset))
   if window then
      local form = { 1, 1, length, 1 }
      y = torch.cmul(y, types.expand(types.view(types.convert(window, wide), form), types.shape(y)))
   end
   local onesided = (n.attr.onesided or 1) ~= 0
   y = transform(y:contiguous(), wide, 3, nil, false, onesided and real)
   if onesided and not real then y = y:narrow(3, 1, math.floor(length / 2) + 1) end
   return types.convert(y, name)
end)

-- ---- windows -------------------------------------------------------------------------------------------------------

local function output_type(n)
   local number = n.attr.output_datatype or 1
   return { messages.types[number] or error(('there is no element type %s'):format(tostring(number)), 0) }
end

-- Sums of cosines: the factors of cos(0), cos(2 pi k / size), cos(4 pi k / size), ...
local windows = { HannWindow = { 0.5, -0.5 }, HammingWindow = { 25 / 46, -21 / 46 }, BlackmanWindow = { 0.42, -0.5, 0.08 } }

registry.each(windows, function(_, factors)
   return { types = output_type, run = function(n, size)
      local count = types.number(size)
      if not (count >= 0 and count <= 2 ^ 31) then error(('a window of size %s is not made'):format(count), 0) end
      local y = types.full('double', { count }, factors[1])
      if count == 0 then return types.convert(y, n.out_types[1]) end
      local period = (n.attr.periodic or 1) ~= 0 and count or math.max(1, count - 1)
      local angle = torch.range(0, count - 1):mul(2 * math.pi / period)
      for k = 2, #factors do y:add(factors[k], torch.cos(torch.mul(angle, k - 1))) end
      return types.convert(y, n.out_types[1])
   end }
end)

-- ---- mel scale -----------------------------------------------------------------------------------------------------

local function mel(hertz) return 2595 * math.log10(1 + hertz / 700) end
local function hertz_of(m) return 700 * (10 ^ (m / 2595) - 1) end

registry.add('MelWeightMatrix', { types = output_type, run = function(n, bins, length, rate, low, high)
   bins, length, rate = types.number(bins), types.number(length), types.number(rate)
   low, high = mel(types.number(low)), mel(types.number(high))
   local rows = math.floor(length / 2) + 1
   if not (bins >= 1 and length >= 1 and rate >= 1) then error('its numbers of bins, length and rate must be positive', 0) end
   local y = types.full('double', { rows, bins }, 0)
   local function edge(k)                                    -- the row at which triangle k begins
      local row = math.floor((length + 1) * hertz_of(low + k * (high - low) / (bins + 2)) / rate)
      if not (row >= 0 and row < rows) then error('its edges must lie between 0 and half of the sample rate', 0) end
      return row
   end
   local p = y:data()
   for i = 0, bins - 1 do
      local first, middle, last = edge(i), edge(i + 1), edge(i + 2)
      for row = first, middle do p[row * bins + i] = middle > first and (row - first) / (middle - first) or 1 end
      for row = middle, last - 1 do p[row * bins + i] = (last - row) / (last - middle) end
   end
   return types.convert(y, n.out_types[1])
end })
