-- lua/onnx/ops/attention.lua - attention and rotary embeddings; normalization of layers.
local torch = require 'torch'
local arg = require 'torch.arg'
local messages = require 'onnx.messages'
local types = require 'onnx.types'
local registry = require 'onnx.registry'
local matmul = require 'onnx.ops.product'.matmul

local function wide_of(name) return name == 'double' and 'double' or 'float' end

-- ---- heads ---------------------------------------------------------------------------------------------------------

-- batch x steps x (heads d) as batch x heads x steps x d.
local function split_heads(t, heads)
   local s = types.shape(t)
   if #s ~= 3 then return t end
   if not heads or heads < 1 or s[3] % heads ~= 0 then error(('%s heads do not fit shape %s'):format(tostring(heads),
      types.shape_text(s)), 0) end
   return types.permute(types.view(t, { s[1], s[2], heads, s[3] / heads }), { 1, 3, 2, 4 })
end

local function join_heads(t)
   local s = types.shape(t)
   return types.view(types.permute(t, { 1, 3, 2, 4 }), { s[1], s[3], s[2] * s[4] })
end

-- Each head `times` times in a row.
local function repeat_heads(t, times)
   if times == 1 then return t end
   local s = types.shape(t)
   t = types.expand(types.view(t, { s[1], s[2], 1, s[3], s[4] }), { s[1], s[2], times, s[3], s[4] })
   return types.view(t, { s[1], s[2] * times, s[3], s[4] })
end

local function group_of(q, k)
   local a, b = types.size(q, 2), types.size(k, 2)
   if b == 0 or a % b ~= 0 then error(('%d heads of queries are no multiple of %d heads of keys'):format(a, b), 0) end
   return a / b
end

local function append(past, new, name)
   if past == nil then return new end
   if past:nElement() == 0 then return new end
   if new:nElement() == 0 then return past end
   return torch.cat(types.empty(name, { 0 }), { past, new }, 3)
end

-- ---- Attention -----------------------------------------------------------------------------------------------------

-- What is added to scores (batch x heads x queries x keys): 0 or -inf for each key and the mask. nil: nothing.
local function bias_of(n, mask, shape, offset, lengths, wide)
   local bias
   local lowest = types.full(wide, {}, -math.huge)
   local zero = types.full(wide, {}, 0)
   if mask then
      if n.types[4] == 'bool' then
         local form = types.shape(mask)
         bias = torch.where(mask, types.expand(zero, form), types.expand(lowest, form))
      else
         bias = types.convert(mask, wide)
      end
      local s = types.shape(bias)
      if s[#s] < shape[4] and s[#s] > 1 then                -- a shorter mask ends with -inf
         local full = types.shape(bias)
         full[#s] = shape[4]
         local padded = types.full(wide, full, -math.huge)
         padded:narrow(#s, 1, s[#s]):copy(bias)
         bias = padded
      end
   end
   local function hide(hidden)
      local form = types.shape(hidden)
      local more = torch.where(hidden, types.expand(lowest, form), types.expand(zero, form))
      if not bias then bias = more return end
      local full = types.broadcast(types.shape(bias), form)
      bias = torch.add(types.expand(bias, full), types.expand(more, full))
   end
   local keys = torch.range(0, shape[4] - 1):view(1, 1, 1, shape[4])
   if (n.attr.is_causal or 0) ~= 0 then
      local queries = torch.range(0, shape[3] - 1):view(1, 1, shape[3], 1)
      local last = type(offset) == 'number' and torch.add(queries, offset)
         or torch.add(types.expand(queries, { shape[1], 1, shape[3], 1 }), types.expand(offset, { shape[1], 1, shape[3], 1 }))
      local s = types.shape(last)
      local full = { s[1], 1, shape[3], shape[4] }
      hide(torch.gt(types.expand(keys, full), types.expand(last, full)))
   end
   if lengths then
      local count = types.view(types.convert(lengths, 'double'), { shape[1], 1, 1, 1 })
      local full = { shape[1], 1, 1, shape[4] }
      hide(torch.ge(types.expand(keys, full), types.expand(count, full)))
   end
   return bias
end

-- softmax along the last dimension; a row without a key gives zeros.
local function softmax(scores)
   local p = torch.softmax(scores, 4)
   local bad = torch.ne(p, p)
   if bad:nElement() > 0 and bad:sum() > 0 then
      local none = torch.eq(torch.max(scores, 4), -math.huge)
      p = torch.where(types.expand(none, types.shape(p)), types.expand(torch.mul(none, 0):type(p:type()), types.shape(p)), p)
   end
   return p
end

local function softcapped(scores, cap) return torch.tanh(torch.div(scores, cap)):mul(cap) end

-- The one pass over keys that keeps no scores, where nothing else is wanted.
local function is_plain(n, mask, lengths, total, queries, offset, size)
   local causal = (n.attr.is_causal or 0) ~= 0
   return not mask and not lengths and (n.attr.softcap or 0) == 0 and not n.wanted[4] and n.types[1] == 'float' and size <= 256
      and (not causal or total - queries == offset) and (n.attr.softmax_precision or 1) == 1
end

registry.add('Attention', { types = { 'first', 'second', 'third', 'first' }, run = function(n, q, k, v, mask, past_k, past_v,
   lengths)
   local name, flat = n.types[1], types.rank(q) == 3
   q = split_heads(q, n.attr.q_num_heads)
   k, v = split_heads(k, n.attr.kv_num_heads), split_heads(v, n.attr.kv_num_heads)
   if types.rank(q) ~= 4 or types.rank(k) ~= 4 or types.rank(v) ~= 4 then error('Q, K and V must have 3 or 4 dimensions', 0) end
   local past = past_k and types.size(past_k, 3) or 0
   k, v = append(past_k, k, n.types[2]), append(past_v, v, n.types[3])
   local present_k, present_v = n.wanted[2] and k:contiguous() or nil, n.wanted[3] and v:contiguous() or nil
   local times, size = group_of(q, k), types.size(q, 4)
   if types.size(k, 4) ~= size or types.size(v, 3) ~= types.size(k, 3) then error('Q, K and V do not fit', 0) end
   local queries, total = types.size(q, 3), types.size(k, 3)
   local scale = n.attr.scale or 1 / math.sqrt(size)
   local offset = past
   if lengths and not past_k then
      offset = types.view(types.convert(lengths, 'double'), { types.size(q, 1), 1, 1, 1 }):clone():add(-queries)
   end
   k, v = repeat_heads(k, times), repeat_heads(v, times)
   local y, scores
   if is_plain(n, mask, lengths, total, queries, offset, size) and q:nElement() > 0 and types.size(v, 4) == size
      and scale ~= 0 then
      y = torch.attention(types.empty('float', { 0 }), types.empty('float', { 0 }), q, k, v, scale, (n.attr.is_causal or 0) ~= 0)
   else
      local wide = wide_of(name)
      local root = math.sqrt(scale)
      local a, b = torch.mul(types.convert(q, wide), root), torch.mul(types.convert(k, wide), root)
      local raw = matmul(wide, a, types.permute(b, { 1, 2, 4, 3 }), types.empty(wide, { 0 }))
      local capped = (n.attr.softcap or 0) ~= 0 and softcapped(raw, n.attr.softcap) or raw
      local bias = bias_of(n, mask, types.shape(raw), offset, lengths, wide)
      local biased = bias and torch.add(capped, types.expand(bias, types.shape(raw))) or capped
      local p = softmax(biased)
      y = types.convert(matmul(wide, p, types.convert(v, wide), types.empty(wide, { 0 })), name)
      scores = types.convert(({ [0] = raw, capped, biased, p })[n.attr.qk_matmul_output_mode or 0] or raw, name)
   end
   return flat and join_heads(y) or y, present_k, present_v, scores
end })

registry.add('FlexAttention', { graph_types = function(n)
   local precision = n.attr.softmax_precision
   return { precision and messages.types[precision] or wide_of(n.types[1]) }
end, run = function(n, q, k, v)
   local name, precision = n.types[1], n.attr.softmax_precision
   local wide = precision and messages.types[precision] or wide_of(name)
   local times = group_of(q, k)
   k, v = repeat_heads(k, times), repeat_heads(v, times)
   local inner = wide_of(name)
   local root = math.sqrt(n.attr.scale or 1 / math.sqrt(types.size(q, 4)))
   local a, b = torch.mul(types.convert(q, inner), root), torch.mul(types.convert(k, inner), root)
   local scores = types.convert(matmul(inner, a, types.permute(b, { 1, 2, 4, 3 }), types.empty(inner, { 0 })), wide)
   if n.attr.score_mod then scores = n.attr.score_mod:run { scores }[1] end
   local p = softmax(scores)
   if n.attr.prob_mod then p = n.attr.prob_mod:run { p }[1] end
   p = types.convert(p, inner)
   return types.convert(matmul(inner, p, types.convert(v, inner), types.empty(inner, { 0 })), name)
end }, 'ai.onnx.preview')

-- ---- LinearAttention -----------------------------------------------------------------------------------------------

-- (batch heads) x steps x d of a packed tensor, each head `times` times.
local function packed(t, heads, wide)
   t = split_heads(types.convert(t, wide), heads)
   local s = types.shape(t)
   return types.view(t, { s[1] * s[2], s[3], s[4] })
end

registry.add('LinearAttention', { types = { 'first', 'fourth' }, run = function(n, q, k, v, past, decay, beta)
   local name, rule = n.types[1], n.attr.update_rule or 'gated_delta'
   local wide, batch, steps = wide_of(name), types.size(q, 1), types.size(q, 2)
   local q_heads, heads = n.attr.q_num_heads, n.attr.kv_num_heads
   if not q_heads or not heads or q_heads % heads ~= 0 then error('its numbers of heads do not fit', 0) end
   local scale = n.attr.scale or 0
   local keys, values = packed(k, heads, wide), packed(v, heads, wide)
   local dk, dv, count = types.size(keys, 3), types.size(values, 3), batch * heads
   if scale == 0 then scale = 1 / math.sqrt(dk) end
   local queries = types.view(split_heads(types.convert(q, wide), q_heads), { count, q_heads / heads, steps, dk })
   local gates, rates
   if rule == 'gated' or rule == 'gated_delta' then
      gates = torch.exp(packed(decay or error('decay is missing', 0), heads, wide))
   end
   if rule == 'delta' or rule == 'gated_delta' then
      if beta == nil then error('beta is missing', 0) end
      rates = types.convert(beta, wide)
      if types.size(beta, 3) == 1 then rates = types.expand(rates, { batch, steps, heads }):contiguous() end
      rates = packed(rates, heads, wide)
   elseif rule ~= 'linear' and rule ~= 'gated' then error(("there is no update rule '%s'"):format(rule), 0) end
   local state = past and types.view(types.convert(past, wide), { count, dk, dv }):clone() or types.full(wide, { count, dk,
      dv }, 0)
   local y = types.empty(wide, { count, q_heads / heads, steps, dv })
   for t = 1, steps do
      local key, value = types.view(keys:narrow(2, t, 1), { count, dk, 1 }), values:narrow(2, t, 1):contiguous()
      if gates then
         local g = gates:narrow(2, t, 1)
         state = torch.cmul(state, types.expand(types.view(g, { count, types.size(g, 3), 1 }), { count, dk, dv }))
      end
      if rates then
         local known = torch.bmm(types.view(key, { count, 1, dk }), state)
         value = torch.cmul(torch.csub(value, known), types.expand(rates:narrow(2, t, 1), { count, 1, dv }))
      end
      state = torch.add(state, torch.bmm(key, value))
      local asked = types.view(queries:narrow(3, t, 1), { count, q_heads / heads, dk })
      y:narrow(3, t, 1):copy(types.view(torch.bmm(asked, state):mul(scale), { count, q_heads / heads, 1, dv }))
   end
   y = join_heads(types.view(y, { batch, q_heads, steps, dv }))
   return types.convert(y, name), types.convert(types.view(state, { batch, heads, dk, dv }), n.out_types[2] or name)
end })

-- ---- RotaryEmbedding -----------------------------------------------------------------------------------------------

registry.add('RotaryEmbedding', function(n, x, cos, sin, positions)
   local shape, name = types.shape(x), n.types[1]
   local wide = wide_of(name)
   local t = #shape == 4 and types.permute(x, { 1, 3, 2, 4 })
   if not t then
      local heads = n.attr.num_heads or 0
      if #shape ~= 3 or heads < 1 or shape[3] % heads ~= 0 then error('num_heads does not fit its input', 0) end
      t = types.view(x, { shape[1], shape[2], heads, shape[3] / heads })
   end
   t = types.convert(t, wide)
   local s = types.shape(t)
   local rotated = (n.attr.rotary_embedding_dim or 0) > 0 and n.attr.rotary_embedding_dim or s[4]
   local half = rotated / 2
   local function angles(cache)
      cache = types.convert(cache, wide)
      if positions then
         local flat = types.view(positions, { s[1] * s[2] })
         cache = torch.index(cache, 1, torch.add(types.convert(flat, 'int64'), 1))
      end
      return types.expand(types.view(cache, { s[1], s[2], 1, half }), { s[1], s[2], s[3], half })
   end
   if half ~= math.floor(half) or rotated > s[4] then error('rotary_embedding_dim does not fit its input', 0) end
   cos, sin = angles(cos), angles(sin)
   local part = t:narrow(4, 1, rotated)
   local a, b
   local interleaved = (n.attr.interleaved or 0) ~= 0
   if interleaved then
      local pairs_ = types.view(part, { s[1], s[2], s[3], half, 2 })
      a, b = pairs_:select(5, 1), pairs_:select(5, 2)
   else
      a, b = part:narrow(4, 1, half), part:narrow(4, half + 1, half)
   end
   local real, imaginary = torch.cmul(cos, a):csub(torch.cmul(sin, b)), torch.cmul(sin, a):add(torch.cmul(cos, b))
   local y = t:clone()
   if interleaved then
      local joined = torch.cat(types.view(real, { s[1], s[2], s[3], half, 1 }), types.view(imaginary, { s[1], s[2], s[3], half,
         1 }), 5)
      y:narrow(4, 1, rotated):copy(types.view(joined, { s[1], s[2], s[3], rotated }))
   else
      y:narrow(4, 1, half):copy(real)
      y:narrow(4, half + 1, half):copy(imaginary)
   end
   y = #shape == 4 and types.permute(y, { 1, 3, 2, 4 }):contiguous() or types.view(y, shape)
   return types.convert(y, name)
end)

-- ---- normalization of layers ---------------------------------------------------------------------------------------

-- Rows of the dimensions from the axis on: the matrix, its shape, and that of numbers for each row.
local function rows_of(n, x, wide)
   local shape, rank = types.shape(x), types.rank(x)
   local dim, outer, per_row = types.dim(n.attr.axis or -1, rank), 1, {}
   for d = 1, rank do
      if d < dim then outer = outer * shape[d] end
      per_row[d] = d < dim and shape[d] or 1
   end
   if x:nElement() == 0 then error('its input must not be empty', 0) end
   return types.view(types.convert(x, wide), { outer, types.count(shape) / outer }), shape, per_row
end

local function rows_from(x, dim)
   local width = 1
   for d = dim, types.rank(x) do width = width * types.size(x, d) end
   return types.view(x, { x:nElement() / width, width })
end

local function flat(t) return types.view(t, { t:nElement() }) end

local function view_as(t, x) return types.view(t, types.shape(x)) end

-- Normalization of floats or doubles with a scale and a bias of each column, for y alone; else nil.
local function quick_norm(n, x, scale, bias)
   local name = n.types[1]
   local fits = n.outputs == 1 and bias and wide_of(name) == name and n.out_types[2] == name
   if not fits or x:nElement() == 0 then return nil end
   local rows = n:keep('rows', x, rows_from, types.dim(n.attr.axis or -1, types.rank(x)))
   local width = types.size(rows, 2)
   if scale:nElement() ~= width or bias:nElement() ~= width then return nil end
   local y = torch.layernorm(n:out(), n:out(2), n:out(3), rows, n.attr.epsilon or 1e-5,
      n:keep('scale', scale, flat), n:keep('bias', bias, flat))
   local result = n:keep('result', y, view_as, x)
   return arg.same_shape(result, x) and result or view_as(y, x)
end

registry.add('LayerNormalization', {
   types = function(n)
      local stash = messages.types[n.attr.stash_type or 1]
      return { n.types[1], stash, stash }
   end,
   run = function(n, x, scale, bias)
      local quick = quick_norm(n, x, scale, bias)
      if quick then return quick end
      local name = n.types[1]
      local wide = wide_of(name)
      local rows, shape, per_row = rows_of(n, x, wide)
      local width, eps = types.size(rows, 2), n.attr.epsilon or 1e-5
      local y, mean, inverse = types.empty(wide, { 0 }), types.empty(wide, { 0 }), types.empty(wide, { 0 })
      if name == wide and scale:nElement() == width and bias and bias:nElement() == width then
         y = torch.layernorm(n:out(), mean, inverse, rows, eps, types.view(scale, { width }), types.view(bias, { width }))
         y = types.view(y, shape)
      else
         torch.layernorm(y, mean, inverse, rows, eps)
         y = types.convert(types.view(y, shape), name)
         y = torch.cmul(types.pair(y, types.expand(scale, shape)))
         if bias then y = torch.add(y, types.expand(bias, shape)) end
      end
      local function row_values(t, i)
         return n.wanted[i] and types.convert(types.view(t, per_row), n.out_types[i]) or nil
      end
      return y, row_values(mean, 2), row_values(inverse, 3)
   end,
})

registry.add('RMSNormalization', function(n, x, scale)
   local name = n.types[1]
   local wide = wide_of(name)
   local rows, shape = rows_of(n, x, wide)
   local mean = torch.mean(torch.cmul(rows, rows), 2)
   local y = torch.cmul(rows, types.expand(torch.rsqrt(mean:add(n.attr.epsilon or 1e-5)), types.shape(rows)))
   y = types.convert(types.view(y, shape), n.types[2])
   return torch.cmul(y, types.expand(scale, shape))
end)
