-- lua/onnx/ops/normalization.lua - normalization of batches, instances, groups, neighbours and lines.
local torch = require 'torch'
local types = require 'onnx.types'
local after = require 'onnx.after'
local registry = require 'onnx.registry'

local function ones(count, rank)
   local form = { 1, count }
   for d = 3, rank do form[d] = 1 end
   return form
end

-- Halves are computed as floats.
local function wide(name) return name == 'double' and 'double' or 'float' end

-- ---- batches -------------------------------------------------------------------------------------------------------

-- Factors and addends of the channels, from constants, in doubles; kept in the node.
local function scales_of(n, scale, bias, mean, var, eps)
   if not n.scales then
      local function wide_of(t) return types.convert(t, 'double') end
      local factor = torch.cdiv(wide_of(scale), torch.sqrt(torch.add(wide_of(var), eps)))
      local shift = torch.csub(wide_of(bias), torch.cmul(wide_of(mean), factor))
      n.scales = { types.convert(factor, n.types[1]), types.convert(shift, n.types[1]) }
   end
   return n.scales[1], n.scales[2]
end

local function is_constant(n)
   for k = 2, 5 do if not n.fixed or not n.fixed[k] or n.types[k]
      ~= n.types[1] then return false end end
   return n.types[1] == 'float' or n.types[1] == 'double'
end

registry.add('BatchNormalization', { types = { 'first', 'fourth', 'fourth', 'fourth', 'fourth' }, run = function(n, x, scale,
   bias, mean, var)
   local eps, name = n.attr.epsilon or 1e-5, n.types[1]
   local w = wide(name)
   local shape = types.shape(x)
   local train = (n.attr.training_mode or 0) ~= 0 or n.version < 7 and n.attr.is_test == 0
   if n.version < 9 and n.attr.spatial == 0 then
      x = types.view(x, { shape[1], types.count(shape) / shape[1] })
      local flat = { types.size(x, 2) }
      scale, bias, mean, var = types.view(scale, flat), types.view(bias, flat), types.view(mean, flat), types.view(var, flat)
   end
   local channels = types.size(x, 2)
   for what, t in pairs { scale = scale, bias = bias, mean = mean, variance = var } do
      if t:nElement() ~= channels then
         error(('its %s must have %d elements, got %d'):format(what, channels, t:nElement()), 0)
      end
   end
   if not train and is_constant(n) and types.rank(x) >= 2 and x:nElement() > 0 then
      local factor, shift = scales_of(n, scale, bias, mean, var, eps)
      local f = after.of(n)
      local y = torch.scale_planes(n:out_like(x), x, factor, shift, f.act == 'gelu' and 'none'
         or f.act, f.low, f.high)
      if f.act == 'gelu' then torch.gelu(y, y) end
      return types.same_shape(types.shape(y), shape) and y or types.view(y, shape)
   end
   x = types.convert(x, w)
   scale, bias, mean, var = types.convert(scale, w), types.convert(bias, w), types.convert(mean, w), types.convert(var, w)
   if not train then
      local y = torch.batchnorm(name == w and n:out() or types.empty(w, { 0 }), types.empty(w, { 0 }), types.empty(w, { 0 }), x,
         scale,
         bias, mean, var, false, 0.1, eps)
      y = types.view(y, shape)
      return after.apply(n, name == w and y or types.convert(y, name))
   end
   local order = { 2, 1 }
   for d = 3, types.rank(x) do order[d] = d end
   local rows = types.view(types.permute(x, order), { channels, x:nElement() / channels })
   local m, v = torch.mean(rows, 2):view(channels), torch.var(rows, 2, true, true):view(channels)
   local y = torch.batchnorm(x, scale, bias, m, v, false, 0.1, eps)
   local momentum = n.attr.momentum or 0.9
   local function moved(from, to)
      return types.convert(torch.add(torch.mul(from, momentum), 1 - momentum, to), n.types[4])
   end
   return types.convert(types.view(y, shape), name), moved(mean, m), moved(var, v)
end })

-- ---- rows ----------------------------------------------------------------------------------------------------------

-- (x - mean) / sqrt(var + eps) of the rows of a matrix.
local function normalized(x, eps) return (torch.layernorm(x, eps)) end

-- Normalization of groups of channels, then scale and bias for each channel.
local function by_groups(n, x, scale, bias, groups)
   local name, shape = n.types[1], types.shape(x)
   local w = wide(name)
   if #shape < 2 or shape[2] % groups ~= 0 then error(('%d groups do not fit shape %s'):format(groups, types.shape_text(shape)),
      0) end
   if x:nElement() == 0 then return types.alias(x) end
   local rows = shape[1] * groups
   local y = normalized(types.view(types.convert(x, w), { rows, types.count(shape) / rows }), n.attr.epsilon or 1e-5)
   local form = ones(shape[2], #shape)
   local function per_channel(t)
      t = types.convert(t, w)
      if t:nElement() == groups and groups ~= shape[2] then     -- before opset 21: one number for each group
         local each = shape[2] / groups
         t = types.view(t, { groups, 1 }):expand(groups, each):contiguous()
      end
      return types.view(t, form)
   end
   y = torch.cmul(types.view(y, shape), per_channel(scale))
   return types.convert(y:add(per_channel(bias)), name)
end

registry.add('InstanceNormalization', function(n, x, scale, bias) return by_groups(n, x, scale, bias, types.size(x, 2)) end)

registry.add('GroupNormalization', function(n, x, scale, bias)
   return by_groups(n, x, scale, bias, n.attr.num_groups or error("attribute 'num_groups' is missing", 0))
end)

registry.add('MeanVarianceNormalization', function(n, x)
   local rank, reduced, order, back = types.rank(x), {}, {}, {}
   for _, axis in ipairs(n.attr.axes or { 0, 2, 3 }) do reduced[types.dim(axis, rank, 'an axis')] = true end
   for d = 1, rank do if not reduced[d] then order[#order + 1] = d end end
   local rows = 1
   for _, d in ipairs(order) do rows = rows * types.size(x, d) end
   for d = 1, rank do if reduced[d] then order[#order + 1] = d end end
   for i, d in ipairs(order) do back[d] = i end
   local moved = types.permute(x, order)
   local y = normalized(types.view(types.convert(moved, wide(n.types[1])), { rows, x:nElement() / rows }), 1e-9)
   return types.convert(types.permute(types.view(y, types.shape(moved)), back), n.types[1])
end)

-- ---- neighbours and lines ------------------------------------------------------------------------------------------

registry.add('LRN', function(n, x)
   local size = n.attr.size or error("attribute 'size' is missing", 0)
   local alpha, beta, bias = n.attr.alpha or 1e-4, n.attr.beta or 0.75, n.attr.bias or 1
   local square, channels = torch.cmul(x, x), types.size(x, 2)
   local sum = square:clone()
   for off = -math.floor((size - 1) / 2), math.ceil((size - 1) / 2) do
      local count = channels - math.abs(off)
      if off ~= 0 and count > 0 then
         local to, from = sum:narrow(2, math.max(1, 1 - off), count), square:narrow(2, math.max(1, 1 + off), count)
         to:add(from)
      end
   end
   sum:mul(alpha / size):add(bias)
   if beta == 0.75 then                                       -- x^-0.75 = 1 / (sqrt(x) sqrt(sqrt(x)))
      local root = torch.sqrt(sum)
      return torch.cdiv(n:out(), x, torch.sqrt(sum, root):cmul(root))
   end
   return torch.cmul(n:out(), x, sum:pow(-beta))
end)

registry.add('LpNormalization', function(n, x)
   local dim, p = types.dim(n.attr.axis or -1, types.rank(x)), n.attr.p or 2
   local norm = torch.norm(x, p, dim)
   return torch.cdiv(n:out(), x, torch.where(torch.eq(norm, 0), types.full(n.types[1], {}, 1), norm))
end)
