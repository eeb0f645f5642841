-- torch.fft_lines - what the functions of torch.fft share: checks of arguments, lines along the last dimension, constants.
--
-- A function of torch.fft takes x, which may be a taped value of the package autograd, and checks p, its tensor.
-- It computes with ops and views of x only and changes nothing in place, so a gradient follows from the rules of its steps.
-- linear: set by the package autograd; linear(x, f, ft, name) is f(x) for a linear f whose transpose is ft.
local arg = require 'torch.arg'
local dtype = require 'torch.dtype'
local op = require 'torch.op'
local tensor = require 'torch.tensor'

local lines = {}

-- ---- checks -------------------------------------------------------------------------------------------------------------

--- Raises an error at the first line outside of these files.
function lines.fail(text, ...)
   local level = 2
   local info = debug.getinfo(level, 'S')
   while info and (info.source:find 'torch/fft[%w_]*%.lua$' or info.what == 'C') do
      level = level + 1
      info = debug.getinfo(level, 'S')
   end
   error(text:format(...), info and level or 2)                -- no tail call, which would take this function off the stack
end
local fail = lines.fail

--- The tensor v, or the one behind a taped value.
function lines.tensor(who, name, v)
   if arg.is_tensor(v) then return v end
   local behind = arg.stand_in and arg.stand_in(who, v)
   if not behind then fail('%s: %s must be a tensor, got %s', who, name, arg.describe(v)) end
   return behind
end

--- The same, of floating point numbers.
function lines.floats(who, name, v)
   local p = lines.tensor(who, name, v)
   if not dtype.is_float(p._dtype) then
      fail('%s: %s must be a Float, Double, Half or BFloat16 tensor, got %s', who, name, arg.describe(p))
   end
   return p
end

--- The same, with a last dimension of size 2; also the number of the other dimensions.
function lines.complex(who, name, v)
   local p = lines.floats(who, name, v)
   if p._ndim == 0 or p._size[p._ndim - 1] ~= 2 then
      fail('%s: %s must be complex: a last dimension of size 2, got size %s', who, name, arg.size_text(p))
   end
   return p, p._ndim - 1
end

--- v as a whole number of at least `least` and, where it is given, at most `most`.
function lines.whole(who, name, v, least, most)
   local n = arg.whole_of(v)
   if not n then fail('%s: %s must be a whole number, got %s', who, name, arg.describe(v)) end
   if most and (n < least or n > most) then fail('%s: %s must lie in %d..%d, got %.15g', who, name, least, most, n) end
   if n < least then fail('%s: %s must be at least %d, got %.15g', who, name, least, n) end
   return n
end

--- v as true or false; `default` where it is nil.
function lines.flag(who, name, v, default)
   if v == nil then return default end
   if type(v) ~= 'boolean' then fail('%s: %s must be true or false, got %s', who, name, arg.describe(v)) end
   return v
end

--- One of the words of a list.
function lines.word(who, name, v, words)
   for _, word in ipairs(words) do if v == word then return v end end
   local text = table.concat(words, "', '", 1, #words - 1) .. "' or '" .. words[#words]
   fail("%s: %s must be '%s', got %s", who, name, text, type(v) == 'string' and "'" .. v .. "'" or arg.describe(v))
end

local NORMS = { 'backward', 'ortho', 'forward' }

--- The name of a normalisation; nil means 'backward'.
function lines.norm(who, norm)
   if norm == nil then return 'backward' end
   return lines.word(who, 'norm', norm, NORMS)
end

--- Refuses a tensor of more than `most` dimensions, where the result or an intermediate value has more than x.
function lines.at_most(who, name, p, most)
   if p._ndim > most then fail('%s: %s must have at most %d dimensions, got %d', who, name, most, p._ndim) end
end

--- Dimension d, from 1, of a tensor of n dimensions; nil and -1 mean the last.
function lines.dim(who, d, n)
   if n < 1 then fail('%s: x must have at least 1 dimension, got size ()', who) end
   if d == nil or d == -1 then return n end
   return lines.whole(who, 'dim', d, 1, n)
end

--- The length n of lines along dimension d, nil and -1 meaning `size`; it must be at least `least`.
function lines.length(who, n, size, d, least)
   if n == nil or n == -1 then n = size else n = lines.whole(who, 'n', n, -2 ^ 53) end
   if n < least then fail('%s: n must be at least %d along dimension %d, got %.15g', who, least, d, n) end
   return n
end

-- ---- types and devices ---------------------------------------------------------------------------------------------------

local WIDER = { Half = 'Float', BFloat16 = 'Float', CudaHalf = 'Cuda', CudaBFloat16 = 'Cuda' }

--- x and p in the type for the computation, float for halves, and the type of the result if it is another.
function lines.wide(x, p)
   local wider = WIDER[dtype.words[dtype.of(p)]]
   if not wider then return x, p, nil end
   local narrow = p:type()
   x = x:type('torch.' .. wider .. 'Tensor')
   return x, lines.tensor('torch.fft.wide', 'x', x), narrow
end

--- y converted back to the type that lines.wide returned.
function lines.narrowed(y, narrow) return narrow and y:type(narrow) or y end

--- f(...), with the device of p as the current one.
function lines.on(p, f, ...)
   if p._device == 0 then return f(...) end
   local cutorch = package.loaded.cutorch         -- it has made p
   if cutorch.getDevice() == p:getDevice() then return f(...) end
   local a, n = { ... }, select('#', ...)
   return cutorch.withDevice(p:getDevice(), function() return f(unpack(a, 1, n)) end)
end

--- A tensor of zeros of the type of p, on the current device.
function lines.zeros(p, size)
   local ok, y = pcall(p.new, unpack(size))
   if not ok then fail('%s', (tostring(y):gsub('^[^:]*:%d+: ', ''))) end          -- out of memory
   return y:zero()
end

-- Constants by name, length, type and device. All are dropped when there are too many.
local cache, kept, elements = {}, 0, 0
local MOST, MOST_ELEMENTS = 64, 2 ^ 22

--- The tensor that make() returns, in the type and on the device of p, which must be the current one. LongTensors keep their
-- type. It is kept under the name `key`, so it must not be changed.
function lines.constant(key, p, make)
   local of = dtype.words[dtype.of(p)]
   local device = p._device == 0 and 0 or p:getDevice()
   key = ('%s %s %d'):format(key, of, device)
   local t = cache[key]
   if t then return t end
   t = make()
   if t:type() ~= 'torch.LongTensor' then t = t:type('torch.' .. of .. 'Tensor')
   elseif device > 0 then t = t:type 'torch.CudaLongTensor' end
   if kept >= MOST or elements + t:nElement() > MOST_ELEMENTS then cache, kept, elements = {}, 0, 0 end
   if t:nElement() <= MOST_ELEMENTS then
      cache[key] = t
      kept, elements = kept + 1, elements + t:nElement()
   end
   return t
end

-- ---- lines along the last dimension ------------------------------------------------------------------------------------

--- The sizes of a tensor as a list.
function lines.sizes(x)
   local size, list = x:size(), {}
   for d = 1, #size do list[d] = size[d] end
   return list
end

--- Whether a tensor of these sizes has no elements.
function lines.is_empty(size)
   for _, n in ipairs(size) do if n == 0 then return true end end
   return false
end

--- x cut or padded with zeros to n places along dimension d.
function lines.cut(x, p, d, n)
   local had = tonumber(p._size[d - 1])
   if n == had then return x end
   if n < had then return x:narrow(d, 1, n) end
   local size = lines.sizes(p)
   size[d] = n - had
   local more = lines.zeros(p, size)
   if had == 0 then return more end
   return torch.cat({ x, more }, d)
end

--- x with dimension d in the place of the last of n; the same call goes back.
function lines.last(x, d, n) return d == n and x or x:transpose(d, n) end

--- x with its last dimension of size m seen as two, of sizes m / k and k.
function lines.split(x, k)
   local size = lines.sizes(x)
   size[#size], size[#size + 1] = size[#size] / k, k
   return x:contiguous():view(unpack(size))
end

--- x with its last two dimensions seen as one.
function lines.join(x)
   local size = lines.sizes(x)
   size[#size - 1], size[#size] = size[#size - 1] * size[#size], nil
   return x:contiguous():view(unpack(size))
end

--- x times the vector c, which stretches along all dimensions but the last.
function lines.times(x, c) return op.func 'cmul'(x, c:expand(x:size())) end

--- Sums frames, which are the last dimension, `hop` places apart: (..., frames, n) gives (..., (frames - 1) hop + n). Each
-- place adds its frames in the order of a loop over chunks of `hop` places, whatever the number of threads.
local function overlap_add(frames, hop)
   local size = lines.sizes(frames)
   local d, count, n = #size, size[#size - 1], size[#size]
   local chunks = math.ceil(n / hop)
   size[d - 1], size[d] = count + chunks - 1, hop
   local y = lines.zeros(frames, size)
   for k = 1, chunks do
      local first = (k - 1) * hop
      local width = math.min(hop, n - first)
      y:narrow(d - 1, k, count):narrow(d, 1, width):add(frames:narrow(d, first + 1, width))
   end
   return lines.join(y):narrow(d - 1, 1, (count - 1) * hop + n)
end

function lines.overlap_add(frames, hop)
   local n = frames:size(frames:dim())
   local function f(x) return overlap_add(x, hop) end
   if arg.is_tensor(frames) then return f(frames) end
   return lines.linear(frames, f, function(g) return g:unfold(g:dim(), n, hop) end, 'overlap_add')
end

--- The windows of n places along the last dimension, `hop` apart: (..., m) gives (..., 1 + (m - n) / hop, n), a view.
function lines.frames(x, n, hop)
   local d = x:dim()
   if arg.is_tensor(x) then return x:unfold(d, n, hop) end
   local m = x:size(d)
   return lines.linear(x, function(t) return t:unfold(d, n, hop) end, function(g)
      local y = overlap_add(g, hop)
      return lines.cut(y, y, d, m)
   end, 'unfold')
end

--- Numbers of the default type of tensors if that has fractions, else doubles.
function lines.default_type() return dtype.is_float(tensor.default()) and tensor.default() or dtype.id.Double end

return lines
