-- lua/onnx/fused.lua - the nodes that patterns.lua puts in place of groups of nodes: each runs one
-- kernel where the sizes fit it.
--
-- A node here has the fields of other nodes, and parts, the graph of the nodes that it replaces.
-- Where sizes or values do not fit the kernel, it runs parts, so that results and errors are those
-- of the model as it was written.
local torch = require 'torch'
local kept = require 'onnx.kept'
local run = require 'onnx.run'
local types = require 'onnx.types'

local M = {}

-- The result of the nodes that a node replaces.
local function run_parts(n, inputs)
   local parts, v = n.parts, {}
   for slot, value in pairs(parts.constants) do v[slot] = value end
   for k = 1, n.count do if n.inputs[k] then v[n.inputs[k]] = inputs[k] end end
   run.nodes(parts, v)
   return v[parts.outputs[1].slot]
end

-- A definition from a function that returns nil where the inputs do not fit it.
local function define(fast, inplace)
   return { inplace = inplace, whole = true, run = function(n, a, b, c, d, e, f)
      local y = fast(n, a, b, c, d, e, f)
      if y ~= nil then return y end
      return run_parts(n, { a, b, c, d, e, f })
   end }
end

-- ---- normalization of layers --------------------------------------------------------------------

-- The number of elements of the last `count` dimensions of x if a scale or bias has the same ones,
-- or nil.
local function width_of(shape, count, t)
   local width = 1
   local other = t and types.shape(t)
   for d = 0, count - 1 do
      local size = shape[#shape - d]
      if other and other[#other - d] ~= size then return nil end
      width = width * size
   end
   return width
end

M.layer_norm = define(function(n, x, w, b)
   local shape, count = types.shape(x), n.attr.count
   if #shape < math.max(count, n.least_rank) or n.attr.rank and n.attr.rank ~= #shape
      or x:nElement() == 0 then return nil end
   local width = width_of(shape, count, w)
   if not width or b and not width_of(shape, count, b) then return nil end
   local rows = types.view(x, { x:nElement() / width, width })
   local y = torch.layernorm(n:out(), n:out(2), n:out(3), rows, n.attr.epsilon, w
      and types.view(w, { width }),
      b and types.view(b, { width }))
   return types.view(y, shape)
end)

-- ---- activations --------------------------------------------------------------------------------

local function pointwise(f, inplace)
   return define(function(n, x)
      if types.rank(x) < n.least_rank then return nil end
      return f(n, x)
   end, inplace)
end

M.Gelu = pointwise(function(n, x) return torch.gelu(n:out_like(x), x) end, true)
M.Swish = pointwise(function(n, x) return torch.swish(n:out_like(x), x) end, true)
M.HardSwish = pointwise(function(n, x)
   return torch.add(n:out_like(x), x, 3):clamp(0, 6):cmul(x):mul(1 / 6)
end)
M.Mish = pointwise(function(n, x) return torch.softplus(n:out_like(x), x):tanh():cmul(x) end)

-- 1 + tanh(u) = 2 sigmoid(2 u)
M.GeluTanh = pointwise(function(n, x)
   local c = 2 * math.sqrt(2 / math.pi)
   local y = torch.cmul(n:out(), x, x)
   return y:mul(0.044715 * c):add(c):cmul(x):sigmoid():cmul(x)
end)

-- ---- attention ----------------------------------------------------------------------------------

-- A mask of HIDDEN or less hides a score, because exp of the sum is 0 where scores are below SMALL.
local HIDDEN, SMALL = -1e4, 4000

--- What a constant mask hides, where it hides from each query the keys behind it: { size, lowest };
-- else nil.
function M.is_causal(mask)
   local shape = types.shape(mask)
   local size = shape[#shape]
   local is_square = #shape >= 2 and size >= 2 and size == shape[#shape - 1]
      and types.count(shape) == size * size
   if not is_square then return nil end
   if mask:type() ~= 'torch.FloatTensor' and mask:type() ~= 'torch.DoubleTensor' then return nil end
   local square = types.view(mask, { size, size })
   local hidden = torch.le(square, HIDDEN)
   local above = torch.triu(torch.ByteTensor(size, size):fill(1), 1)
   if torch.ne(hidden, above):sum() > 0 then return nil end
   if torch.ne(torch.tril(square), 0):sum() > 0 then return nil end
   return { size = size, lowest = torch.max(square[hidden]) }
end

-- Whether numbers from `lowest` down hide scores: no score is large against it.
local function hides(lowest, q, k, scale)
   if lowest == -math.huge then return true end
   local function size(t) return math.max(t:max(), -t:min()) end
   return size(q) * size(k) * types.size(q, 4) * math.abs(scale) < SMALL
end

-- The condition of a Where, samples x 1 x 1 x keys, as the padding of torch.attention, where it
-- hides keys and each sample keeps one; else nil.
local function padding_of(n, mask, q, k, scale)
   local s, samples, keys = types.shape(mask), types.size(q, 1), types.size(k, 3)
   if #s ~= 4 or s[2] ~= 1 or s[3] ~= 1 or s[4] ~= keys then return nil end
   if s[1] ~= 1 and s[1] ~= samples then return nil end
   local hidden, lowest = n.attr.kept and torch.eq(mask, 0) or torch.ne(mask, 0), n.attr.fill
   if lowest ~= lowest or lowest > HIDDEN then return nil end
   hidden = types.view(hidden, { s[1], keys })
   if torch.min(hidden, 2):sum() > 0 or not hides(lowest, q, k, scale) then return nil end
   return types.expand(hidden, { samples, keys }):contiguous()
end

-- A tensor of up to 4 dimensions as a view of 4.
local function lifted(t)
   local shape, strides, rank = { 1, 1, 1, 1 }, { 0, 0, 0, 0 }, types.rank(t)
   for d = 1, rank do
      shape[d + 4 - rank], strides[d + 4 - rank] = types.size(t, d), tonumber(t._stride[d - 1])
   end
   return types.strided(t, shape, strides, t._offset)
end

-- Whether queries a x b x t x d, keys a x b x d x s and values a x b x s x e fit each other.
local function fit(n, q, k, v)
   local rank, name = types.rank(q), n.types[1]
   if n.types[2] ~= name or n.types[3] ~= name then return false end
   if rank < math.max(2, n.least_rank) or rank > 4 or (n.attr.rank or rank) ~= rank then
      return false
   end
   if types.rank(k) ~= rank or types.rank(v) ~= rank then return false end
   local a, b, c = types.shape(q), types.shape(k), types.shape(v)
   for d = 1, rank - 2 do if a[d] ~= b[d] or a[d] ~= c[d] then return false end end
   return a[rank] == b[rank - 1] and b[rank] == c[rank - 1]
      and q:nElement() > 0 and k:nElement() > 0 and v:nElement() > 0
end

-- Scale from constants and from values that are computed of sizes.
local function scale_of(n, a, b)
   local scale = n.attr.scale
   for i, t in ipairs { a, b } do
      if not types.is_tensor(t) or t:nElement() ~= 1 or types.rank(t) > 2 then return nil end
      scale = n.attr.divides[i] and scale / types.number(t) or scale * types.number(t)
   end
   return scale
end

-- a x b x t x d in three dimensions, without a copy where that is possible.
local function flat(t)
   local s = types.shape(t)
   return types.view(t, { s[1] * s[2], s[3], s[4] })
end

-- Softmax of the scores in place, with a mask.
local function weights_of(n, scores, mask)
   local shape = types.shape(scores)
   if n.attr.fill then
      local hidden = n.attr.kept and torch.eq(mask, 0) or torch.ne(mask, 0)
      scores:maskedFill(types.expand(hidden, shape):contiguous(), n.attr.fill)
   elseif mask then
      scores:add(types.expand(mask, shape))
   end
   torch.softmax(scores, scores, 4)
   if n.attr.safe then
      local bad = torch.ne(scores, scores)
      if bad:sum() > 0 then scores:maskedFill(bad, 0) end
   end
   return scores
end

-- All scores in one matrix for each head.
local function by_products(n, q, k, v, mask, scale)
   local s = types.shape(q)
   s[4] = types.size(k, 3)
   local full = mask and types.broadcast(types.shape(mask), s)
   if mask and not (full and types.same_shape(full, s)) then return nil end
   local rows = flat(torch.mul(n:out(3), q, scale))
   local scores = torch.bmm(n:out(2), rows, types.permute(flat(k), { 1, 3, 2 }))
   weights_of(n, types.view(scores, s), mask)
   return torch.bmm(n:out(), scores, flat(v))
end

-- Whether the mask is the causal one of these sizes.
local function is_causal_here(n, q, k, scale, mask)
   local causal = n.attr.causal
   if causal == nil and mask and not n.attr.fill then causal = M.is_causal(mask) end
   if not causal then return false end
   return types.size(q, 3) == causal.size and types.size(k, 3) == causal.size
      and hides(causal.lowest, q, k, scale)
end

-- Memory for the result. Heads that a Transpose puts behind the steps lie there at once.
local function room_of(n, q)
   return n.attr.joins and n:out_ordered(types.shape(q), { 1, 3, 2, 4 }) or n:out()
end

-- Runs a call without a causal mask, and returns its result.
local function run_call(c)
   if c.mask then torch.attention_masked(c.y, c.q, c.k, c.v, c.mask, c.scale, c.safe)
   else torch.attention(c.y, c.lse, c.q, c.k, c.v, c.scale, false) end
   return c.y
end

-- By a kernel that keeps no matrix of scores; nil where none fits. The second result is the call
-- where it follows from sizes alone.
local function by_tiles(n, q, k, v, mask, scale)
   local size = types.size(q, 4)
   if size ~= types.size(v, 4) or size > 256 or scale == 0 then return nil end
   if is_causal_here(n, q, k, scale, mask) then
      return (torch.attention(room_of(n, q), n:out(2), q, k, v, scale, true))
   end
   if n.attr.fill then
      local padding = padding_of(n, mask, q, k, scale)
      return padding and (torch.attention(room_of(n, q), n:out(2), q, k, v, scale, false, padding))
   end
   local scores = types.shape(q)
   scores[4] = types.size(k, 3)
   local full = mask and types.broadcast(types.shape(mask), scores)
   if mask and not (full and types.same_shape(full, scores)) then return nil end
   local call = { y = room_of(n, q), lse = not mask and n:out(2), q = q, k = k, v = v,
      mask = mask and lifted(mask), scale = scale, safe = n.attr.safe }
   return run_call(call), call
end

-- Keeps a call for later runs of the plan, where all tensors stay.
local function keep_call(n, call, result, q, k, v, mask)
   local steady = n.steady or {}
   local is_fixed = (not n.inputs[5] or steady[5]) and (not n.inputs[6] or steady[6])
   -- whether a square mask is causal, and hides scores, follows from values
   if mask and n.attr.causal ~= false and types.size(call.mask, 3) > 1 then is_fixed = false end
   for _, t in ipairs { call.y, q, k, v, mask } do is_fixed = is_fixed and kept.stays(n, t) end
   if not is_fixed then return end
   call.result, call.seen = result, { y = kept.seen(call.y), q = kept.seen(q), k = kept.seen(k),
      v = kept.seen(v), mask = mask and kept.seen(mask) }
   n.kept.call = call
end

local function kept_attention(n, q, k, v, mask)
   local c, same = n.kept and n.kept.call, kept.same
   local s = c and c.seen
   if not c or not same(s.y, c.y) or not same(s.q, q) or not same(s.k, k) or not same(s.v, v)
      or mask and not same(s.mask, mask) then return nil end
   run_call(c)
   return c.result
end

M.attention = define(function(n, q, k, v, mask, a, b)
   local early = kept_attention(n, q, k, v, mask)
   if early then return early end
   if not fit(n, q, k, v) then return nil end
   local shape, rank = types.shape(q), types.rank(q)
   if mask and types.rank(mask) > rank then return nil end
   if mask and not n.attr.fill and n.types[4] ~= n.types[1] then return nil end
   local scale = scale_of(n, a, b)
   if not scale or scale ~= scale then return nil end
   shape[rank] = types.size(v, rank)
   local q4, k4, v4 = lifted(q), types.permute(lifted(k), { 1, 2, 4, 3 }), lifted(v)
   local y, call = by_tiles(n, q4, k4, v4, mask, scale)
   if not y then y = by_products(n, q4, k4, v4, mask, scale) end
   if not y then return nil end
   if not types.same_shape(types.shape(y), shape) then y = types.view(y, shape) end
   if call then keep_call(n, call, y, q, k, v, mask) end
   return y
end)

return M
