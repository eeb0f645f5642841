-- lua/onnx/export/normalization.lua - rules for normalizations.
local torch = require 'torch'
local rules = require 'onnx.export.rules'
local leaf = rules.leaf

local function batchnorm(c, m, name)
   local mean, var = c:weight(m, 'running_mean'), c:weight(m, 'running_var')
   local ones = m.running_mean.new():resizeAs(m.running_mean)
   local w = m.weight and c:weight(m, 'weight') or c:constant(ones:clone():fill(1), 'weight')
   local b = m.bias and c:weight(m, 'bias') or c:constant(ones:clone():zero(), 'bias')
   return c:op('BatchNormalization', { name, w, b, mean, var }, { epsilon = m.eps })
end

leaf([[nn.BatchNormalization nn.SpatialBatchNormalization nn.VolumetricBatchNormalization cudnn.BatchNormalization
   cudnn.SpatialBatchNormalization cudnn.VolumetricBatchNormalization fbnn.BatchNormalization fbnn.SpatialBatchNormalization]],
   function(c, m, x)
      return batchnorm(c, m, x:dim() < m.nDim and c:unsqueeze(x, { 0 }) or x.name)
   end)

leaf('nn.SequenceBatchNormalization', function(c, m, x)
   if x:dim() == 2 then return batchnorm(c, m, x.name) end
   return c:transpose(batchnorm(c, m, c:transpose(x, { 0, 2, 1 })), { 0, 2, 1 })
end)

-- Normalization of each sample by its own means, as nets for pictures of a style have it.
leaf('nn.InstanceNormalization nn.SpatialInstanceNormalization', function(c, m, x)
   local n = x.sizes[2]
   local one = torch.DoubleTensor(n)
   local w = m.weight and c:weight(m, 'weight') or c:constant(one:clone():fill(1), 'weight')
   local b = m.bias and c:weight(m, 'bias') or c:constant(one:clone():zero(), 'bias')
   return c:op('InstanceNormalization', { x, w, b }, { epsilon = m.eps or 1e-5 })
end)

leaf('nn.LayerNormalization', function(c, m, x)
   local factor, summand = m.modules[5], m.modules[6]
   local n = math.floor(m.modules[4].constant_scalar ^ 2 + 0.5)
   local eps = m.modules[3].eps / n
   local w = factor and c:weight(factor, 'weight', 'flat', function(t) return t:contiguous():view(-1) end)
   local b = summand and c:weight(summand, 'bias', 'flat', function(t) return t:contiguous():view(-1) end)
   if c.opset >= 17 then
      w = w or c:constant(torch.DoubleTensor(n):fill(1), 'weight')
      return c:op('LayerNormalization', { x, w, b }, { axis = -1, epsilon = eps })
   end
   local last = { x:dim() - 1 }
   local centered = c:op('Sub', { x, c:reduce('ReduceMean', x, last, true) })
   local variance = c:reduce('ReduceMean', c:op('Mul', { centered, centered }), last, true)
   local y = c:op('Div', { centered, c:op('Sqrt', { c:op('Add', { variance, c:number(eps) }) }) })
   if w then y = c:op('Mul', { y, w }) end
   return b and c:op('Add', { y, b }) or y
end)

leaf('nn.Normalize nn.L2Normalize', function(c, m, x)
   local last = { x:dim() - 1 }
   local norm
   if m.p == math.huge then
      norm = c:op('Add', { c:reduce('ReduceMax', c:op('Abs', { x }), last, true), c:number(m.eps) })
   else
      local power = m.p == 2 and c:op('Mul', { x, x }) or c:op('Abs', { x })
      if m.p ~= 1 and m.p ~= 2 then power = c:op('Pow', { power, c:number(m.p) }) end
      norm = c:op('Add', { c:reduce('ReduceSum', power, last, true), c:number(m.eps) })
      if m.p == 2 then norm = c:op('Sqrt', { norm }) elseif m.p ~= 1 then norm = c:op('Pow', { norm, c:number(1 / m.p) }) end
   end
   return c:op('Div', { x, norm })
end)

-- ---- over planes and pixels ----------------------------------------------------------------------------------------

leaf('nn.SpatialCrossMapLRN cudnn.SpatialCrossMapLRN inn.SpatialCrossResponseNormalization', function(c, m, x)
   local size, k = m.size, m.k or m.K or 1
   if size % 2 == 1 then
      return c:batched(x, 4, function(name)
         return c:op('LRN', { name }, { size = size, alpha = m.alpha, beta = m.beta, bias = k })
      end)
   end
   -- An even window lies one plane further behind: padding, then a mean over planes as over a dimension of an image.
   local before = math.floor((size - 1) / 2)
   local n = x:dim()
   local planes, h, w = c:fixed(x, n - 2), c:fixed(x, n - 1), c:fixed(x, n)
   local square = c:reshape_to(c:op('Mul', { x, x }), { -1, 1, planes, h * w })
   local mean = c:op('AveragePool', { square }, { kernel_shape = { size, 1 }, strides = { 1, 1 }, pads = { before, 0, size - 1 - before, 0 },
      count_include_pad = 1 })
   local scale = c:op('Add', { c:op('Mul', { c:reshape_to(mean, n == 4 and { -1, planes, h, w } or { planes, h, w }), c:number(m.alpha) }),
      c:number(k) })
   return c:op('Mul', { x, c:op('Pow', { scale, c:number(-m.beta) }) })
end)

-- The filter of a neighbourhood: its sum over all planes is 1.
local function filter(m)
   local k = m.kernel:double()
   if k:dim() == 1 then k = torch.ger(k, k) end
   k = torch.div(k, k:sum() * m.nInputPlane)
   return k:view(1, 1, k:size(1), k:size(2)):expand(1, m.nInputPlane, k:size(1), k:size(2)):contiguous()
end

local function conv_attributes(w)
   local h, v = (w:size(3) - 1) / 2, (w:size(4) - 1) / 2
   return { kernel_shape = { w:size(3), w:size(4) }, pads = { h, v, h, v } }
end

-- For each pixel, the part of the filter that lies inside the image: height x width.
local function coefficients(c, m, x, w)
   local h, v = c:fixed(x, x:dim() - 1), c:fixed(x, x:dim())
   local ones, padH, padW = torch.DoubleTensor(1, m.nInputPlane, h, v):fill(1), (w:size(3) - 1) / 2, (w:size(4) - 1) / 2
   local y = torch.conv2d(torch.DoubleTensor(), ones, w, torch.DoubleTensor(1):zero(), 1, 1, padH, padW)
   return c:constant(y:view(y:size(3), y:size(4)), 'coefficients')
end

local function subtracted(c, m, x, name)
   local w = filter(m)
   local mean = c:op('Conv', { name, c:constant(w, 'kernel') }, conv_attributes(w))
   return c:op('Sub', { name, c:op('Div', { mean, coefficients(c, m, x, w) }) })
end

local function divided(c, m, x, name)
   local w = filter(m)
   local square = c:op('Conv', { c:op('Mul', { name, name }), c:constant(w, 'kernel') }, conv_attributes(w))
   local deviation = c:op('Div', { c:op('Sqrt', { square }), coefficients(c, m, x, w) })
   local above = c:op('Greater', { deviation, c:number(m.threshold) })
   return c:op('Div', { name, c:op('Where', { above, deviation, c:number(m.thresval) }) })
end

leaf('nn.SpatialSubtractiveNormalization', function(c, m, x)
   return c:batched(x, 4, function(name) return subtracted(c, m, x, name) end)
end)
leaf('nn.SpatialDivisiveNormalization', function(c, m, x)
   return c:batched(x, 4, function(name) return divided(c, m, x, name) end)
end)
leaf('nn.SpatialContrastiveNormalization', function(c, m, x)
   local first, second = m.normalizer.modules[1], m.normalizer.modules[2]
   return c:batched(x, 4, function(name) return divided(c, second, x, subtracted(c, first, x, name)) end)
end)

leaf('cudnn.SpatialDivisiveNormalization', function(c, m, x)
   local half = (m.size - 1) / 2
   return c:batched(x, 4, function(name)
      local mean = c:op('AveragePool', { c:op('Mul', { name, name }) }, { kernel_shape = { m.size, m.size }, strides = { 1, 1 },
         pads = { half, half, half, half }, count_include_pad = 1 })
      local scale = c:op('Add', { c:op('Mul', { mean, c:number(m.alpha) }), c:number(m.K) })
      return c:op('Mul', { name, c:op('Pow', { scale, c:number(-m.beta) }) })
   end)
end)
