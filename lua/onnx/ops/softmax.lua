-- lua/onnx/ops/softmax.lua - softmax and its family, and losses.
local torch = require 'torch'
local types = require 'onnx.types'
local registry = require 'onnx.registry'

-- ---- softmax -------------------------------------------------------------------------------------------------------

-- Before opset 13 the dimensions from the axis on are one.
local function along(f)
   return function(n, x)
      local shape, rank = types.shape(x), types.rank(x)
      if x:nElement() == 0 then return types.alias(x) end
      if n.version >= 13 then
         if rank == 0 then return types.view(f(nil, types.view(x, { 1 }), 1), {}) end
         return f(n:out(), x, types.dim(n.attr.axis or -1, rank))
      end
      local axis, rows = n.attr.axis or 1, 1
      if axis < 0 then axis = axis + rank end
      for d = 1, axis do rows = rows * shape[d] end
      return types.view(f(n:out(), types.view(x, { rows, x:nElement() / rows }), 2), shape)
   end
end

registry.add('Softmax', along(function(y, x, dim) return torch.softmax(y, x, dim) end))
registry.add('LogSoftmax', along(function(y, x, dim) return torch.logsoftmax(y, x, dim) end))

registry.add('Hardmax', along(function(_, x, dim)
   local _, at = torch.max(x, dim)
   return torch.mul(x, 0):fill(0):scatter(dim, at, 1)
end))

-- ---- losses --------------------------------------------------------------------------------------------------------

-- The loss of log probabilities (samples x classes x places) and classes from 0.
local function negative_log_likelihood(n, x, target, weight)
   local shape, name = types.shape(x), n.types[1]
   local samples, classes = shape[1], shape[2] or error('its input must have classes in dimension 2', 0)
   local places = types.count(shape) / math.max(samples * classes, 1)
   local result = { samples }
   for d = 3, #shape do result[d - 1] = shape[d] end
   if not types.same_shape(types.shape(target), result) then
      error(('targets of shape %s are needed, got %s'):format(types.shape_text(result), types.shape_text(types.shape(target))), 0)
   end
   local at = types.view(types.convert(target, 'int64'), { samples, 1, places })
   local ignored = n.attr.ignore_index and torch.eq(at, n.attr.ignore_index)
   if ignored then at = torch.where(ignored, types.full('int64', {}, 0), at) end
   local y = torch.neg(torch.gather(types.view(x, { samples, classes, places }), 2, torch.add(at, 1)))
   local w
   if weight then
      w = torch.index(weight:contiguous(), 1, types.view(torch.add(at, 1), { samples * places }))
      w = types.view(w, { samples, 1, places })
   end
   if ignored then
      local zero = types.full(name, {}, 0)
      w = torch.where(ignored, zero, w or types.full(name, {}, 1))
      y = torch.where(ignored, zero, y)
   end
   if w then y = torch.cmul(y, w) end
   local reduction = n.attr.reduction or 'mean'
   if reduction == 'none' then return types.view(y, result) end
   local total = y:sum()
   if reduction == 'sum' then return types.scalar(name, total) end
   return types.scalar(name, total / (w and torch.expand(w, samples, 1, places):sum() or samples * places))
end

registry.add('NegativeLogLikelihoodLoss', negative_log_likelihood)

registry.add('SoftmaxCrossEntropyLoss', { types = 'first', run = function(n, x, target, weight)
   local log_p = torch.logsoftmax(x, 2)
   return negative_log_likelihood(n, log_p, target, weight), log_p
end })
