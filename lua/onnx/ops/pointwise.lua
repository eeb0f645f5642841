-- lua/onnx/ops/pointwise.lua - ops that work element by element, with broadcasting.
local torch = require 'torch'
local types = require 'onnx.types'
local registry = require 'onnx.registry'

-- ---- two inputs ----------------------------------------------------------------------------------------------------

-- Before opset 7 an attribute told where the smaller input lies.
local function aligned(n, a, b)
   if n.version >= 7 or (n.attr.broadcast or 0) == 0 then return b end
   local axis = n.attr.axis
   if not axis then return b end
   local shape, rank = types.shape(b), types.rank(a)
   for _ = types.dim(axis, rank) + #shape, rank do shape[#shape + 1] = 1 end
   return types.view(b, shape)
end

local function binary(f)
   return { run = function(n, a, b)
      local y = f(n:out(), a, aligned(n, a, b), n.types[1])
      return types.wrap(y, n.out_types[1])
   end }
end

registry.add('Add', binary(function(y, a, b) return torch.add(y, a, b) end))
registry.add('Sub', binary(function(y, a, b) return torch.csub(y, a, b) end))
registry.add('Mul', binary(function(y, a, b) return torch.cmul(y, a, b) end))
registry.add('Div', binary(function(y, a, b) return torch.cdiv(y, a, b) end))

-- ---- one input -----------------------------------------------------------------------------------------------------

local function unary(name)
   return { run = function(n, x) return torch[name](n:out(), x) end }
end

registry.each({ Abs = 'abs', Neg = 'neg', Sqrt = 'sqrt', Exp = 'exp', Log = 'log', Sin = 'sin', Cos = 'cos', Tan = 'tan', Asin = 'asin',
   Acos = 'acos', Atan = 'atan', Sinh = 'sinh', Cosh = 'cosh', Tanh = 'tanh', Sigmoid = 'sigmoid', Relu = 'relu', Floor = 'floor',
   Ceil = 'ceil', Erf = 'erf', Reciprocal = 'cinv', Softsign = 'softsign' }, function(_, name) return unary(name) end)
