-- lua/onnx/ops/pointwise.lua - arithmetic and activations, element by element, with broadcasting.
local torch = require 'torch'
local types = require 'onnx.types'
local registry = require 'onnx.registry'
local unsigned = require 'onnx.unsigned'

-- ---- two inputs ----------------------------------------------------------------------------------------------------

--- Before opset 7 attributes told where the dimensions of the second input lie.
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
      a, b = types.pair(a, aligned(n, a, b))
      return types.wrap(f(n:out_of(a, b), a, b), n.out_types[1])
   end }
end

for name, op in pairs { Add = 'add', Sub = 'csub', Mul = 'cmul', Div = 'cdiv' } do
   registry.add(name, binary(function(y, a, b) return torch[op](y, a, b) end))
end

local divide = registry.find('Div').run
registry.find('Div').run = function(n, a, b)
   if n.types[1] == 'uint64' then return unsigned.divide(a, b) end
   return divide(n, a, b)
end

registry.add('Mod', function(n, a, b)
   if n.types[1] == 'uint64' then return unsigned.divide(a, b, true) end
   a, b = types.pair(a, b)
   if (n.attr.fmod or 0) ~= 0 or types.is_unsigned(n.types[1]) then return torch.cfmod(n:out(), a, b) end
   return torch.cremainder(n:out(), a, b)
end)

registry.add('Pow', function(n, a, b)
   a, b = types.pair(a, aligned(n, a, b))
   local from, power = n.types[1], n.types[2]
   if from == power then return torch.cpow(n:out(), a, b) end
   if types.is_float(from) then return torch.cpow(n:out(), a, types.convert(b, from)) end
   if not types.is_float(power) then return torch.cpow(n:out(), a, types.convert(b, from)) end
   return types.convert(torch.cpow(types.convert(a, 'double'), types.convert(b, 'double')), from)
end)

registry.add('PRelu', function(n, x, slope)
   local rank, shape = types.rank(x), types.shape(slope)
   if n.version < 7 and #shape == 1 and rank > 2 and shape[1] > 1 then
      for _ = 3, rank do shape[#shape + 1] = 1 end
      slope = types.view(slope, shape)
   end
   x, slope = types.pair(x, slope)
   return torch.where(n:out(), torch.gt(x, 0), x, torch.cmul(x, slope))
end)

-- ---- any number of inputs ------------------------------------------------------------------------------------------

local function variadic(name)
   return function(n, first, ...)
      local y = first
      for i = 1, n.count - 2 do y = torch[name](types.pair(y, (select(i, ...)))) end
      if n.count == 1 then return types.alias(first) end
      local a, b = types.pair(y, (select(n.count - 1, ...)))
      return types.wrap(torch[name](n:out_of(a, b), a, b), n.out_types[1])
   end
end
registry.each({ Max = 'cmax', Min = 'cmin', Sum = 'add' }, function(_, name) return variadic(name) end)

local sum = variadic 'add'
registry.add('Mean', function(n, ...) return torch.div(n:out(), sum(n, ...), n.count) end)

-- ---- one input -----------------------------------------------------------------------------------------------------

local function unary(name)
   return { run = function(n, x) return torch[name](n:out_like(x), x) end }
end

registry.each({ Abs = 'abs', Neg = 'neg', Sqrt = 'sqrt', Exp = 'exp', Log = 'log', Sin = 'sin', Cos = 'cos', Tan = 'tan',
   Asin = 'asin',
   Acos = 'acos', Atan = 'atan', Sinh = 'sinh', Cosh = 'cosh', Tanh = 'tanh', Sigmoid = 'sigmoid', Floor = 'floor', Ceil = 'ceil',
   Erf = 'erf', Reciprocal = 'cinv', Softsign = 'softsign', Softplus = 'softplus', Sign = 'sign' }, function(_, name)
   return unary(name)
end)

-- Halves become even numbers; torch.round moves them away from 0.
registry.add('Round', function(_, x)
   local half = torch.eq(torch.abs(torch.csub(x, torch.trunc(x))), 0.5)
   return torch.where(half, torch.mul(torch.round(torch.div(x, 2)), 2), torch.round(x))
end)

registry.add('Asinh', function(_, x)
   local size = torch.abs(x)
   local square = torch.cmul(x, x)
   local root = torch.sqrt(torch.add(square, 1)):add(1)
   return torch.cmul(torch.log1p(size:add(torch.cdiv(square, root))), torch.sign(x))
end)

registry.add('Acosh', function(_, x) return torch.log(torch.add(x, torch.sqrt(torch.csub(torch.cmul(x, x), 1)))) end)

registry.add('Atanh', function(_, x)
   return torch.mul(torch.log1p(torch.cdiv(torch.mul(x, 2), torch.add(torch.neg(x), 1))), 0.5)
end)

-- ---- activations ---------------------------------------------------------------------------------------------------

registry.add('Relu', function(n, x)
   if types.is_float(n.types[1]) then return torch.relu(n:out_like(x), x) end
   return torch.cmax(n:out_like(x), x, 0)
end)
registry.add('LeakyRelu', function(n, x) return torch.leakyrelu(n:out_like(x), x,
   n.attr.alpha or 0.01) end)
registry.add('Elu', function(n, x) return torch.elu(n:out_like(x), x, n.attr.alpha or 1) end)
registry.add('ThresholdedRelu', function(n, x) return torch.threshold(n:out(), x, n.attr.alpha or 1, 0) end)

registry.add('Selu', function(n, x)
   local alpha, gamma = n.attr.alpha or 1.67326319217681884765625, n.attr.gamma or 1.05070102214813232421875
   return torch.elu(n:out(), x, alpha):mul(gamma)
end)

registry.add('Celu', function(n, x)
   local alpha = n.attr.alpha or 1
   return torch.elu(n:out(), torch.div(x, alpha), 1):mul(alpha)
end)

registry.add('HardSigmoid', function(n, x)
   return torch.mul(n:out(), x, n.attr.alpha or 0.2):add(n.attr.beta or 0.5):clamp(0, 1)
end)
registry.add('HardSwish', function(_, x) return torch.div(x, 6):add(0.5):clamp(0, 1):cmul(x) end)
registry.add('Mish', function(_, x) return torch.cmul(torch.tanh(torch.softplus(x)), x) end)
registry.add('Swish', function(n, x) return torch.sigmoid(torch.mul(x, n.attr.alpha or 1)):cmul(x) end)

registry.add('Gelu', function(n, x)
   if n.attr.approximate ~= 'tanh' then return torch.gelu(n:out(), x) end
   local cube = torch.cmul(torch.cmul(x, x), x)
   local y = torch.tanh(cube:mul(0.044715):add(x):mul(math.sqrt(2 / math.pi)))
   return y:add(1):cmul(x):mul(0.5)
end)

registry.add('Shrink', function(n, x)
   local lambda, bias = n.attr.lambd or 0.5, n.attr.bias or 0
   local zero = torch.mul(x, 0)
   local y = torch.where(torch.gt(x, lambda), torch.csub(x, bias), zero)
   return torch.where(n:out(), torch.lt(x, -lambda), torch.add(x, bias), y)
end)

registry.add('Clip', function(n, x, low, high)
   if n.version < 11 then
      return torch.clamp(n:out_like(x), x, n.attr.min or -math.huge, n.attr.max or math.huge)
   end
   if low == nil and high == nil then return types.alias(x) end
   if high == nil then return torch.cmax(n:out_like(x), x, low) end
   return torch.cmin(n:out_like(x), low == nil and x or torch.cmax(x, low), high)
end)

-- Numbers of uint64 have no sign.
local absolute, sign = registry.find('Abs').run, registry.find('Sign').run
registry.find('Abs').run = function(n, x)
   if n.types[1] == 'uint64' then return types.alias(x) end
   return absolute(n, x)
end
registry.find('Sign').run = function(n, x)
   if n.types[1] == 'uint64' then return types.convert(torch.ne(x, 0), 'uint64') end
   return sign(n, x)
end
unsigned.ordered('Max', 'Min', 'Clip')

-- Their results may lie over an input of the same size: they read each element before they write it.
for name in ([[Add Sub Mul Div Sum Max Min Abs Neg Sqrt Exp Log Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Sigmoid Floor Ceil Erf
   Reciprocal Softsign Softplus Sign Relu LeakyRelu Elu ThresholdedRelu Selu Celu HardSigmoid Clip]]):gmatch '%S+' do
   registry.find(name).inplace = true
end
