-- test/support/draw.lua - arguments for any op of the registry, drawn from its signature with a fixed seed.
--
-- draw.good(name, form, how) gives valid arguments, by name; draw.wild(argument, ...) one that is mostly invalid.
-- `recipes` adds what a signature does not say: which tensor holds indices, and which sizes must agree.
local torch = require 'torch'
local ffi = require 'ffi'
local draw = {}

-- ---- numbers ---------------------------------------------------------------------------------------

local state = 1

--- Starts the numbers that belong to a text.
function draw.seed(text)
   state = 12345
   for i = 1, #text do state = (state * 31 + text:byte(i)) % 2147483646 + 1 end
end

--- 1..n, the same on every machine.
function draw.whole(n)
   state = (state * 48271) % 2147483647
   return state % n + 1
end

function draw.pick(list) return list[draw.whole(#list)] end

-- ---- tensors ---------------------------------------------------------------------------------------

-- A tensor of these sizes whose elements lie in memory as `layout` says: contiguous, or transposed (the last dimension
-- has the largest stride; every second element of a vector).
local function laid_out(kind, sizes, layout)
   local class, n = torch[kind .. 'Tensor'], #sizes
   if layout ~= 'transposed' then return class():resize(torch.LongStorage(sizes)) end
   if n == 1 then
      local storage = torch[kind .. 'Storage'](2 * sizes[1])
      return class(storage, 1, torch.LongStorage { sizes[1] }, torch.LongStorage { 2 })
   end
   local back = torch.LongStorage(n)
   for d = 1, n do back[d] = sizes[n + 1 - d] end
   local x = class():resize(back)
   for d = 1, math.floor(n / 2) do x = x:transpose(d, n + 1 - d) end
   return x
end

local PERIOD = 2039                          -- a prime: what repeats after so many numbers never repeats with the rows

-- Such a tensor of numbers (1..n) * step + least.
local function filled(kind, sizes, layout, n, step, least)
   local x = laid_out(kind, sizes, layout)
   local s = x:storage()
   local count = s and #s or 0
   local numbers = torch.DoubleStorage(count)
   local p, at = numbers:data(), state
   for i = 0, math.min(count, PERIOD) - 1 do
      at = (at * 48271) % 2147483647
      p[i] = (at % n + 1) * step + least
   end
   for i = PERIOD, count - 1 do p[i] = p[i - PERIOD] end
   state = at
   if s then s:copy(numbers) end
   return x
end

local Draw = {}
Draw.__index = Draw

--- Numbers in -0.5..1.5, or for whole numbers 1..7.
function Draw:values(...)
   if self.float then return filled(self.kind, { ... }, self.layout, 4096, 1 / 2048, -0.5) end
   return filled(self.kind, { ... }, self.layout, 7, 1, 0)
end

--- Numbers in 0..1, neither of them; for whole numbers 1.
function Draw:chances(...)
   if self.float then return filled(self.kind, { ... }, self.layout, 1023, 1 / 1024, 0) end
   return filled(self.kind, { ... }, self.layout, 1, 1, 0)
end

--- Places 1..n.
function Draw:places(n, ...) return filled('Long', { ... }, self.layout, n, 1, 0) end

--- Bytes of 0 and 1.
function Draw:mask(...) return filled('Byte', { ... }, self.layout, 2, 1, -1) end

--- A matrix with a heavy diagonal: it has an inverse and, as a symmetric one, a Cholesky factor.
function Draw:square()
   local n = math.min(self.rows, 40)
   local a = self:values(n, n)
   for i = 1, n do a[i][i] = 3 * n + i end
   return a, n
end

-- The sizes of the operand, with `n` along the dimension at hand.
function Draw:along(n)
   if self.dim == 1 then return n, self.cols end
   return self.rows, n
end
function Draw:length() return self.dim == 1 and self.rows or self.cols end

-- ---- recipes ---------------------------------------------------------------------------------------

local recipes = {}                           -- name -> function(d) giving the arguments that the signature leaves open

local function recipe(names, f) for name in names:gmatch '%S+' do recipes[name] = f end end

recipe('eye', function(d) return { n = d.rows, m = d.cols } end)
recipe('range', function(d) return { first = 1, last = math.min(d.rows * d.cols, 2 ^ 20), step = 1 } end)
recipe('linspace logspace', function(d) return { first = 0, last = 2, n = d.rows * d.cols } end)
local most = { Char = 127, Byte = 255, BFloat16 = 256, Half = 2048 }     -- up to which a type holds all whole numbers
recipe('randperm', function(d) return { n = math.min(d.rows * d.cols, most[d.kind] or 2 ^ 31) } end)
recipe('geometric', function() return { p = 0.3 } end)
recipe('bernoulli', function(d, form)
   return { p = form.args[3].word == 'tensor' and (d.float and d or d:as 'Double'):chances(d.rows, d.cols) or 0.3 }
end)
recipe('dropout', function() return { p = 0.3 } end)
recipe('random', function() return { n = 100, a = 1, b = 100 } end)
recipe('multinomial', function(d) return { p = d:chances(d.rows, d.cols), n = math.min(d.cols, 10) } end)
recipe('multinomialAliasSetup_', function(d) return { p = d:chances(d.rows * d.cols) } end)
recipe('multinomialAlias_', function(d)
   local J, q = torch.multinomialAliasSetup_(d:chances(d.rows * d.cols))
   return { y = d:places(2, d.rows * d.cols), J = J, q = q }
end)

recipe('where', function(d) return { condition = d:mask(d.rows, d.cols) } end)
recipe('clamp hardtanh hardtanh_grad', function() return { min = 0, max = 1 } end)
recipe('cross', function(d)
   local many = math.max(1, math.floor(d.rows * d.cols / 3))
   local m, n = 3, many
   if d.dim == 2 then m, n = many, 3 end
   return { a = d:values(m, n), b = d:values(m, n) }
end)
recipe('renorm', function() return { p = 2, maxnorm = 1 } end)
recipe('norm norm_grad', function() return { p = 2 } end)
recipe('sum_grad mean_grad prod_grad var_grad std_grad norm_grad', function(d)
   return { y = d:values(d:along(1)), g = d:values(d:along(1)), p = 2 }
end)
recipe('adam_step', function() return { rates = torch.DoubleTensor { 0.5, 0.75 } } end)
recipe('rmsprop_step momentum_step', function() return { rates = torch.DoubleTensor { 0.5 } } end)
recipe('pick_grad', function(d) return { index = d:places(d:length(), d:along(1)), g = d:values(d:along(1)) } end)
recipe('topk kthvalue', function(d) return { k = math.min(3, d:length()) } end)

recipe('index indexCopy indexAdd indexFill index_grad', function(d) return { index = d:places(d:length(), d:length()) } end)
recipe('gather gather_grad scatter scatterAdd', function(d) return { index = d:places(d:length(), d.rows, d.cols) } end)
recipe('maskedFill maskedCopy maskedSelect', function(d) return { mask = d:mask(d.rows, d.cols) } end)
recipe('mask_grad', function(d)
   local mask = d:mask(d.rows, d.cols)
   mask[1][1] = 1
   return { mask = mask, g = d:values(mask:sum()) }
end)
recipe('tril triu diag', function() return { k = 0 } end)

recipe('mm addmm', function(d)
   local k = math.max(1, math.floor(d.rows / 2))
   return { m = d:values(d.rows, d.cols), a = d:values(d.rows, k), b = d:values(k, d.cols) }
end)
recipe('bmm baddbmm addbmm', function(d, form)
   local n = math.min(d.rows, 160)
   return { m = form.op.name[0] == 97 and d:values(n, n) or d:values(6, n, n), a = d:values(6, n, 33), b = d:values(6, 33, n) }
end)
recipe('mv addmv', function(d)
   return { m = d:values(d.rows), a = d:values(d.rows, d.cols), x = d:values(d.cols) }
end)
recipe('ger addr', function(d)
   return { m = d:values(d.rows, d.cols), u = d:values(d.rows), v = d:values(d.cols) }
end)
recipe('dot', function(d) return { a = d:values(d.rows * d.cols), b = d:values(d.rows * d.cols) } end)

recipe('gesv gels trtrs symeig eig svd inverse potrf pstrf qr geqrf', function(d)
   local a, n = d:square()
   return { a = a, b = d:values(n, 3) }
end)
recipe('potri potrs', function(d)
   local a, n = d:square()
   return { chol = a, b = d:values(n, 3) }
end)
recipe('orgqr ormqr', function(d)
   local m, tau = torch.geqrf(d:square():contiguous())
   return { m = m, tau = tau, c = d:values(m:size(1), 3) }
end)

recipe('fft ifft irfft fft2 ifft2 irfft2 fftn ifftn irfftn', function(d) return { x = d:values(d.rows, d.cols, 2) } end)
recipe('fft_grad fftn_grad', function(d, form)
   return { x = d:values(d.rows, d.cols, 2), g = d:values(d.rows, d.cols, 2), kind = form.args[5].word == 'sizes' and 8 or 0 }
end)
recipe('complexMul complexMulConj', function(d) return { a = d:values(d.rows, d.cols, 2), b = d:values(d.rows, d.cols, 2) } end)

local function plane(d) return math.min(d.rows + 3, 40), math.min(d.cols + 3, 30) end

recipe('conv2d conv2d_grad_input conv2d_grad_weight', function(d)
   local h, w = plane(d)
   local planes = d.rows > 40 and 16 or 2
   return { x = d:values(4, 3, h, w), g = d:values(4, planes, h - 2, w - 2), weight = d:values(planes, 3, 3, 3),
      bias = d:values(planes), gw = d:values(planes, 3, 3, 3), gb = d:values(planes) }
end)
recipe('conv2d_fused', function(d)
   local h, w = plane(d)
   local planes = d.rows > 40 and 16 or 2
   return { x = d:values(4, 3, h, w), weight = d:values(planes, 3, 3, 3), bias = d:values(planes),
      add = d:values(4, planes, h - 2, w - 2), act = 'clip', low = -0.5, high = 2 }
end)
recipe('scale_planes', function(d)
   local h, w = plane(d)
   return { x = d:values(4, 3, h, w), scale = d:values(3), shift = d:values(3), act = 'clip',
      low = -0.5, high = 2 }
end)
recipe('conv2 xcorr2', function(d)
   local h, w = plane(d)
   return { x = d:values(5, h, w), k = d:values(5, 3, 3) }
end)
recipe('conv3 xcorr3', function(d)
   local h, w = plane(d)
   return { x = d:values(3, h, 9, w), k = d:values(3, 2, 2, 3) }
end)
local function pooled(d, f)
   local h, w = plane(d)
   local x = d:values(4, 12, h, w)
   local y, index = f(x, 2, 2, 2, 2)
   return { x = x, index = index, g = d:values(unpack(y:size():totable())), kH = 2, kW = 2, strideH = 2, strideW = 2 }
end
recipe('pool2d', function(d)
   local h, w = plane(d)
   return { x = d:values(4, 12, h, w), kind = 'max', kH = 2, kW = 2, strideH = 2, strideW = 2 }
end)
recipe('maxpool2d maxpool2d_grad', function(d) return pooled(d, torch.maxpool2d) end)
-- Pictures that are cut into several pieces of work where the operands are large.
local function large_plane(d) return math.min(d.rows + 3, 200), math.min(d.cols + 3, 150) end

recipe('image_scale image_polar', function(d)
   local h, w = large_plane(d)
   return { x = d:values(3, h, w), height = 2 * h, width = w + 3 }
end)
recipe('image_rotate', function(d) return { x = d:values(3, large_plane(d)), angle = 0.4 } end)
recipe('image_affine', function(d) return { x = d:values(3, large_plane(d)), a = 0.9, b = 0.25, c = -0.25, d = 0.9 } end)
recipe('image_warp', function(d)
   local h, w = large_plane(d)
   return { x = d:values(3, h, w), field = d:values(2, h, w) }
end)
recipe('image_color image_luma', function(d) return { x = d:values(3, d.rows, d.cols), change = 'rgb2hsv' } end)
recipe('image_augment', function(d)
   local h, w = large_plane(d)
   local rows = torch.DoubleTensor { { 1, -2, 0, 1, 1, 1 }, { 0, 1, 1, 1.2, 0.7, 1.3 }, { 2, 3, 0, 0.5, 1.5, 0 } }
   return { list = { d:values(3, h, w), d:values(3, h, w), d:values(3, h, w) }, plan = rows, height = h, width = w }
end)
recipe('fractionalmaxpool2d', function(d)
   local h, w = plane(d)
   return { x = d:values(4, 12, h, w), samples = d:chances(4, 12, 2), kH = 2, kW = 2, outH = h - 2, outW = w - 2 }
end)
recipe('fractionalmaxpool3d maxpool3d_grad', function(d)
   local h, w = plane(d)
   local x, samples = d:values(4, 5, 4, h, w), d:chances(4, 5, 3)
   local y, index = torch.fractionalmaxpool3d(x, samples, 2, 2, 2, 2, h - 2, w - 2)
   return { x = x, samples = samples, index = index, g = d:values(unpack(y:size():totable())), kD = 2, kH = 2, kW = 2,
      outD = 2, outH = h - 2, outW = w - 2 }
end)
recipe('avgpool2d avgpool2d_grad', function(d) return pooled(d, torch.avgpool2d) end)

recipe('nll_loss nll_loss_grad', function(d)
   local samples = d.rows * 40
   return { x = d:values(samples, 7), target = d:places(7, samples), weight = d:chances(7), total = d:chances(1) }
end)
recipe('ctc_loss ctc_loss_grad', function(d)
   local steps, samples = 20, d.rows
   local x, labels = d:values(steps, samples, 7), d:places(6, samples, 5)
   local _, alpha = torch.ctc_loss(x, labels)
   return { x = x, labels = labels, alpha = alpha, g = d:values(samples), blank = 1, batchFirst = false }
end)
recipe('bce_loss bce_loss_grad', function(d)
   return { x = d:chances(d.rows, d.cols), target = d:chances(d.rows, d.cols), weight = d:chances(d.cols) }
end)
recipe('embedding embedding_grad', function(d)
   return { weight = d:values(d.rows, d.cols), gw = d:values(d.rows, d.cols), index = d:places(d.rows, 200),
      g = d:values(200, d.cols) }
end)
recipe('layernorm layernorm_grad layernorm_grad_sum layernorm_grad_weight', function(d)
   local function row() return d:chances(d.cols) end
   return { x = d:values(d.rows, d.cols), g = d:values(d.rows, d.cols), weight = row(), bias = row(), gw = row(), gb = row(),
      mean = d:chances(d.rows), invstd = d:chances(d.rows), base = d:values(d.rows, d.cols) }
end)
-- More keys than queries; dim 1 is causal and has dropout, dim 2 has padding.
recipe('attention attention_grad attention_grad_query attention_grad_key attention_grad_value', function(d)
   local queries, width = math.min(d.rows, 150), math.min(d.cols, 37)
   local function steps(n) return d:values(2, 3, n, width) end
   local q, k, v, g = steps(queries), steps(queries + 3), steps(queries + 3), steps(queries)
   local causal, padding = d.dim == 1, d.dim == 2 and d:mask(2, queries + 3) or nil
   local dropout, seed = d.dim == 1 and 0.25 or 0, d:places(1e9, 2)
   local y, lse = torch.attention(q, k, v, 0, causal, padding, dropout, seed)
   return { q = q, k = k, v = v, g = g, y = y, lse = lse, causal = causal, padding = padding,
      dropout = dropout, seed = seed }
end)
recipe('attention_masked', function(d)
   local queries, width = math.min(d.rows, 150), math.min(d.cols, 37)
   local function steps(n) return d:values(2, 3, n, width) end
   return { q = steps(queries), k = steps(queries + 3), v = steps(queries + 3),
      mask = d:values(1, 3, d.dim == 1 and queries or 1, queries + 3), safe = d.dim == 2 }
end)
recipe('batchnorm batchnorm_grad', function(d)
   local h, w = plane(d)
   local function features() return d:chances(100) end
   return { x = d:values(2, 100, h, w), g = d:values(2, 100, h, w), weight = features(), bias = features(), mean = features(),
      invstd = features(), runningMean = features(), runningVar = features(), gradWeight = features(),
      gradBias = features(), train = d.dim == 1, relu = d.dim == 2, y = d:values(2, 100, h, w),
      gy = d:values(2, 100, h, w) }
end)

-- Sequences of 5 steps, of which the first sample has 4.
recipe('lstm lstm_grad gru gru_grad rnn rnn_grad', function(d, form)
   local cell = ffi.string(form.op.name):match '^%a+'
   local gates, samples, units = cell == 'lstm' and 4 or cell == 'gru' and 3 or 1, math.min(d.rows, 50), math.min(d.cols, 37)
   local n, per = 5 * samples, gates * units
   local places = torch.range(1, n):long():view(5, samples)
   places[5][1] = 0
   local function states() return d:values(samples, units) end
   return { x = d:values(n, per), a = d:chances(n, per), h = d:chances(n, units), c = d:values(n, units), q = d:values(n, units),
      g = d:values(n, units), places = places, weight = d:chances(per, units), h0 = states(), c0 = states(), ghn = states(),
      gcn = states(), bias = d:values(per + (cell == 'gru' and units or 0)) }
end)

-- ---- what makes sense ------------------------------------------------------------------------------

local FLOATS = { Half = true, BFloat16 = true, Float = true, Double = true }

--- The same way of drawing, for another type.
function Draw:as(kind)
   local other = {}
   for k, v in pairs(self) do other[k] = v end
   other.kind, other.float = kind, FLOATS[kind]
   return setmetatable(other, Draw)
end

local function by_kind(d, a)
   local word = a.word
   if word == 'tensor' or word == 'inout' then return d:values(d.rows, d.cols)
   elseif word == 'out' or word == 'self' then return torch[d.kind .. 'Tensor']()
   elseif word == 'list' then return { d:values(d.rows, d.cols), d:values(d.rows, d.cols), d:values(d.rows, d.cols) }
   elseif word == 'dim' then return d.dim
   elseif word == 'number' then return d.float and 0.75 or 3
   elseif word == 'int' then return 3
   elseif word == 'bool' then return d.dim == 1
   end
end

-- What a default says, and whether it says something.
local function default_of(a)
   if a.default == 'nil' then return nil, true end
   if a.default == 'true' or a.default == 'false' then return nil, false end
   local text = a.default and a.default:match "^'(.*)'$"
   if text then return text, true end
   local number = tonumber(a.default)
   if a.word == 'dim' then number = nil end
   return number, number ~= nil
end

--- Arguments of a call form (of torch.op's `forms`) that it takes, by name. how.kind is the type of the operands ('Float'),
-- how.layout 'contiguous' or 'transposed', how.rows and how.cols the size of a matrix, how.dim 1 or 2 the dimension to
-- work along.
function draw.good(name, form, how)
   local d = Draw.as(how, how.kind)
   local given, args = recipes[name] and recipes[name](d, form) or {}, {}
   for _, a in ipairs(form.args) do
      local v = given[a.name]
      if v == nil then
         local default, says = default_of(a)
         if says then v = default else v = by_kind(d, a) end
      end
      args[a.name] = v
   end
   return args
end

-- ---- what may not ----------------------------------------------------------------------------------

local types = { 'Double', 'Double', 'Float', 'Float', 'Long', 'Long', 'Byte', 'Int', 'Half', 'BFloat16', 'Char', 'Short' }
local shapes = {
   {}, { 0 }, { 1 }, { 3 }, { 3 }, { 4 }, { 3, 3 }, { 3, 3 }, { 3, 4 }, { 4, 3 }, { 1, 3 }, { 0, 3 }, { 3, 0 }, { 2, 3, 4 }, { 2, 3, 3 },
   { 2, 3, 4, 4 }, { 3, 1, 2, 2 }, { 3, 3, 3, 3 }, { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2 },
}
local numbers = { 0, 1, 2, -1, 3, 0.5, 1e30, -1e30, 2 ^ 53, 0 / 0, 1 / 0, -1 / 0 }
local wholes = { 0, 1, 1, 2, 2, 3, 4, -1, 17, 2 ^ 31, 2 ^ 40, 2 ^ 53, 1.5, 0 / 0 }
local junk = { 'a string', '2', '-1.5', true, {}, print, torch.LongStorage { 2 }, 0, -1, 0 / 0, 2 ^ 53, ffi.cast('void *', 0) }

--- The name of a type.
function draw.kind() return draw.pick(types) end

--- Something that fits nowhere in particular.
function draw.junk() return draw.pick(junk) end

-- Makes element i (from 0) a NaN in whose bits LuaJIT would keep another of its types.
local function put_odd_nan(x, i)
   local words = ({ ['torch.FloatTensor'] = 1, ['torch.DoubleTensor'] = 2 })[x:type()]
   if words then ffi.cast('uint32_t *', x:storage():data())[words * i + words - 1] = 0xffffffff - draw.whole(14) * 0x40000 end
end

-- A small tensor of any shape, sometimes a view, sometimes with a number that is none.
local function any_tensor(kind)
   local pick, whole = draw.pick, draw.whole
   local make = torch[(kind or draw.kind()) .. 'Tensor']
   local shape = pick(shapes)
   if #shape == 0 then return torch.tensor(whole(5) - 2, make().type(make())) end
   local x = make():resize(torch.LongStorage(shape))
   local n = x:nElement()
   if n > 0 then
      local s = x:storage()
      for i = 1, n do s[i] = whole(7) - 2 end
      if whole(10) == 1 then s[whole(n)] = pick { 0 / 0, 1 / 0, -1 / 0, 1e18, -1e18 } end
      if whole(15) == 1 then put_odd_nan(x, whole(n) - 1) end
   end
   local way = whole(8)
   if way == 1 and x:dim() == 2 then x = x:t() end
   if way == 2 and x:dim() >= 1 and x:size(1) > 1 then x = x:narrow(1, 2, x:size(1) - 1) end
   if way == 3 and x:dim() >= 1 and x:size(1) == 1 then x = x:expand(3, unpack(shape, 2)) end
   return x
end

--- A value for one argument: mostly of its kind, now and then anything. `seen` lists the tensors of the call, `element` is
-- the type that most of them have.
function draw.wild(a, seen, element)
   local pick, whole = draw.pick, draw.whole
   if whole(12) == 1 then return draw.junk() end
   if whole(30) == 1 then return nil end
   local w = a.word
   if w == 'tensor' or w == 'out' or w == 'self' or w == 'inout' then
      if #seen > 0 and whole(6) == 1 then return pick(seen) end         -- the same object twice
      local x = any_tensor(whole(4) > 1 and element or nil)
      if w ~= 'tensor' and whole(12) == 1 then x = x.new(1, 1):fill(1):expand(3, 3) end
      if #seen > 0 and whole(10) == 1 then
         local other = pick(seen)
         if other:dim() >= 1 and other:size(1) > 1 then x = other:narrow(1, 1, other:size(1) - 1) end   -- an overlap
      end
      seen[#seen + 1] = x
      return x
   elseif w == 'number' then return pick(numbers)
   elseif w == 'int' or w == 'dim' then return pick(wholes)
   elseif w == 'bool' then return whole(2) == 1
   elseif w == 'string' then return pick { 'a', '', 'V', 'F' }
   elseif w == 'gen' then return nil
   elseif w == 'sizes' then return torch.LongStorage(pick { { 2 }, { 0 }, { -1 }, { 2, 3 }, { 2 ^ 40, 2 ^ 40 } })
   elseif w == 'list' then
      local list = {}
      for i = 1, whole(3) do
         list[i] = any_tensor(element)
         seen[#seen + 1] = list[i]
      end
      return list
   end
end

return draw
