-- lua/onnx/export/activation.lua - rules for functions of each element, softmax and dropout.
local torch = require 'torch'
local rules = require 'onnx.export.rules'
local leaf = rules.leaf

local function same(_, _, x) return x end

leaf('nn.Identity nn.Contiguous nn.GradientReversal nn.ZeroGrad nn.L1Penalty nn.PrintSize nn.NestedDropout', same)

for name, op in pairs { Abs = 'Abs', Exp = 'Exp', Log = 'Log', Sqrt = 'Sqrt', Sigmoid = 'Sigmoid', Tanh = 'Tanh', SoftSign = 'Softsign' } do
   leaf('nn.' .. name .. ' cudnn.' .. name, function(c, _, x) return c:op(op, { x }) end)
end

leaf('nn.Square', function(c, _, x) return c:op('Mul', { x, x }) end)
leaf('nn.Power', function(c, m, x) return c:op('Pow', { x, c:number(m.pow) }) end)
leaf('nn.TanhShrink', function(c, _, x) return c:op('Sub', { x, c:op('Tanh', { x }) }) end)
leaf('nn.LogSigmoid', function(c, _, x) return c:op('Neg', { c:op('Softplus', { c:op('Neg', { x }) }) }) end)

leaf('nn.SoftPlus', function(c, m, x)
   local beta = m.beta or 1
   if beta == 1 then return c:op('Softplus', { x }) end
   return c:op('Div', { c:op('Softplus', { c:op('Mul', { x, c:number(beta) }) }), c:number(beta) })
end)

leaf('nn.ELU', function(c, m, x) return c:op('Elu', { x }, { alpha = m.alpha or 1 }) end)
leaf('nn.LeakyReLU', function(c, m, x) return c:op('LeakyRelu', { x }, { alpha = m.negval or 0.01 }) end)
leaf('nn.RReLU', function(c, m, x) return c:op('LeakyRelu', { x }, { alpha = (m.lower + m.upper) / 2 }) end)
leaf('nn.HardShrink', function(c, m, x) return c:op('Shrink', { x }, { lambd = m.lambda or 0.5, bias = 0 }) end)
leaf('nn.SoftShrink', function(c, m, x) return c:op('Shrink', { x }, { lambd = m.lambda or 0.5, bias = m.lambda or 0.5 }) end)

local function clip(c, x, low, high) return c:op('Clip', { x, c:number(low), c:number(high) }) end
leaf('nn.HardTanh nn.Clamp', function(c, m, x) return clip(c, x, m.min_val or -1, m.max_val or 1) end)
leaf('nn.ReLU6', function(c, _, x) return clip(c, x, 0, 6) end)
leaf('nn.ClippedReLU cudnn.ClippedReLU', function(c, m, x) return clip(c, x, 0, m.clip or m.ceiling or 20) end)

leaf('nn.ReLU nn.Threshold cudnn.ReLU', function(c, m, x)
   local threshold, value = m.threshold or 0, m.val or 0
   if threshold == 0 and value == 0 then return c:op('Relu', { x }) end
   return c:op('Where', { c:op('Greater', { x, c:number(threshold) }), x, c:number(value) })
end)

leaf('nn.GELU', function(c, _, x)
   if c.opset >= 20 then return c:op('Gelu', { x }) end
   local erf = c:op('Erf', { c:op('Mul', { x, c:number(math.sqrt(0.5)) }) })
   return c:op('Mul', { c:op('Mul', { x, c:number(0.5) }), c:op('Add', { erf, c:number(1) }) })
end)

leaf('nn.PReLU', function(c, m, x, _)
   local n = x:dim()
   if (m.nOutputPlane or 0) == 0 then return c:op('PRelu', { x, c:weight(m, 'weight') }) end
   local dim = n == 1 and 1 or 2
   if n == 3 and x.sizes[2] ~= m.nOutputPlane then dim = 1 end
   local size = {}
   for i = 1, n - dim + 1 do size[i] = i == 1 and m.nOutputPlane or 1 end
   return c:op('PRelu', { x, c:weight(m, 'weight', 'dim' .. n - dim, function(w)
      return w:contiguous():view(torch.LongStorage(size))
   end) })
end)

-- ---- constants -----------------------------------------------------------------------------------------------------

local function constant(c, k) return torch.isTensor(k) and c:constant(k) or c:number(k) end
leaf('nn.AddConstant', function(c, m, x) return c:op('Add', { x, constant(c, m.constant_scalar) }) end)
leaf('nn.MulConstant', function(c, m, x) return c:op('Mul', { x, constant(c, m.constant_scalar) }) end)
leaf('nn.WhiteNoise', function(c, m, x)
   return m.mean == 0 and x or c:op('Add', { x, c:number(m.mean) })
end)

-- ---- softmax -------------------------------------------------------------------------------------------------------

local function softmax(op, negate)
   return function(c, _, x)
      local n = x:dim()
      local axis = (n == 1 or n == 3) and 0 or 1
      return c:op(op, { negate and c:op('Neg', { x }) or x }, { axis = axis })
   end
end
leaf('nn.SoftMax nn.SpatialSoftMax cudnn.SoftMax cudnn.SpatialSoftMax', softmax 'Softmax')
leaf('nn.LogSoftMax nn.SpatialLogSoftMax cudnn.LogSoftMax cudnn.SpatialLogSoftMax', softmax 'LogSoftmax')
leaf('nn.SoftMin', softmax('Softmax', true))
leaf('cudnn.VolumetricSoftMax', function(c, _, x) return c:op('Softmax', { x }, { axis = x:dim() - 4 }) end)
leaf('cudnn.VolumetricLogSoftMax', function(c, _, x) return c:op('LogSoftmax', { x }, { axis = x:dim() - 4 }) end)

leaf('nn.GatedLinearUnit', function(c, m, x)
   local dim = m.dim or x:dim()
   local n = c:fixed(x, dim) / 2
   local first, second = c:op('Split', { x, c:ints { n, n } }, { axis = dim - 1 }, 2)
   return c:op('Mul', { first, c:op('Sigmoid', { second }) })
end)

-- ---- dropout, which evaluation mode makes a constant factor --------------------------------------------------------

local function kept_part(c, m, x)
   if m.stochastic_inference and m.p > 0 then c:refuse 'stochasticInference draws numbers in evaluation mode too' end
   if m.v2 or m.p == 0 then return x end
   return c:op('Mul', { x, c:number(1 - m.p) })
end
leaf('nn.Dropout nn.SpatialDropout nn.VolumetricDropout', kept_part)

-- ---- types ---------------------------------------------------------------------------------------------------------

leaf('nn.HalfPrecision', function(c, _, x) return c:cast(c:cast(x, 'float16'), c.float) end)
leaf('nn.Copy', function(c, _, x, y)
   if x.type == y.type then return x end
   return c:cast(x, y.type)
end)
