-- test/op/maps_spec.lua - functions of one element.
local torch = require 'torch'
local opcheck = require 'test.support.opcheck'
local inf, nan = 1 / 0, 0 / 0

-- name, points, the function in plain Lua, and points for the gradient.
local function erf(x)                                      -- its series
   local sum, term = x, x
   for n = 1, 60 do
      term = -term * x * x / n
      sum = sum + term / (2 * n + 1)
   end
   return sum * 2 / math.sqrt(math.pi)
end
local function truncated(x) return x < 0 and math.ceil(x) or math.floor(x) end
local function exp_minus_one(x) return math.exp(x) - 1 end

local maps = {
   { 'sqrt', { 0, 0.25, 1, 2, 9 }, math.sqrt, { 0.5, 2, 3 } },
   { 'rsqrt', { 0.25, 1, 2, 16 }, function(x) return 1 / math.sqrt(x) end, { 0.5, 2, 3 } },
   { 'cinv', { -4, 0.5, 1, 2 }, function(x) return 1 / x end, { -2, 0.5, 3 } },
   { 'exp', { -2, -0.5, 0, 1, 3 }, math.exp, { -1, 0, 2 } },
   { 'expm1', { -2, -0.5, 0, 1, 3 }, exp_minus_one, { -1, 0, 2 } },
   { 'log', { 0.5, 1, 2, 10 }, math.log, { 0.5, 2, 3 } },
   { 'log1p', { -0.5, 0, 1, 9 }, function(x) return math.log(1 + x) end, { -0.5, 0.5, 3 } },
   { 'sin', { -2, -0.5, 0, 1, 3 }, math.sin, { -1, 0, 2 } },
   { 'cos', { -2, -0.5, 0, 1, 3 }, math.cos, { -1, 0, 2 } },
   { 'tan', { -1, -0.5, 0, 1, 1.25 }, math.tan, { -1, 0, 1 } },
   { 'asin', { -1, -0.5, 0, 0.25, 1 }, math.asin, { -0.5, 0, 0.25 } },
   { 'acos', { -1, -0.5, 0, 0.25, 1 }, math.acos, { -0.5, 0, 0.25 } },
   { 'atan', { -2, -0.5, 0, 1, 3 }, math.atan, { -1, 0, 2 } },
   { 'sinh', { -2, -0.5, 0, 1, 3 }, math.sinh, { -1, 0, 2 } },
   { 'cosh', { -2, -0.5, 0, 1, 3 }, math.cosh, { -1, 0, 2 } },
   { 'erf', { -2, -0.5, 0, 0.25, 1 }, erf, { -1, 0, 0.5 } },
   { 'floor', { -1.5, -1, -0.25, 0.25, 1, 1.5 }, math.floor, { -0.5, 1.5 } },
   { 'ceil', { -1.5, -1, -0.25, 0.25, 1, 1.5 }, math.ceil, { -0.5, 1.5 } },
   { 'trunc', { -1.5, -1, -0.25, 0.25, 1, 1.5 }, truncated, { -0.5, 1.5 } },
   { 'round', { -2.5, -1.5, -0.25, 0.25, 0.5, 1.5 }, function(x) return truncated(x + (x < 0 and -0.5 or 0.5)) end, { -0.75, 1.25 } },
   { 'frac', { -1.5, -1, -0.25, 0.25, 1, 1.5 }, function(x) return x - truncated(x) end, { -0.5, 1.25 } },
}

for _, m in ipairs(maps) do
   local name, points, f, at = m[1], m[2], m[3], m[4]
   opcheck.describe(name, function(op)
      op.dtypes 'floats'
      local results, square, results2 = {}, {}, {}
      for i, x in ipairs(points) do results[i] = f(x) end
      op.gives(results, points)
      for r = 1, 2 do
         square[r], results2[r] = {}, {}
         for c = 1, 3 do
            square[r][c] = points[(r + c) % #points + 1]
            results2[r][c] = f(square[r][c])
         end
      end
      op.gives(results2, square)
      op.gives({}, {})
      op.grad(at)
      op.dtypes 'long'
      op.refuses('must be a tensor of type Half, BFloat16, Float, Double, got a LongTensor', { 1, 2 })
      op.dtypes 'double'
      op.refuses('must be', 'a string')
   end)
end

opcheck.describe('abs', function(op)
   op.dtypes 'signed'
   op.gives({ 3, 0, 2 }, { -3, 0, 2 })
   op.gives({ { 1, 2 }, { 3, 4 }, { 5, 6 } }, { { -1, 2 }, { 3, -4 }, { -5, 6 } })
   op.dtypes 'byte'
   op.gives({ 255, 0 }, { 255, 0 })
   op.dtypes 'char'
   op.gives({ -128, 127 }, { -128, -127 })               -- the smallest has no counterpart and wraps
   op.grad({ -2, 3 })
end)
opcheck.describe('neg', function(op)
   op.dtypes 'signed'
   op.gives({ 3, 0, -2 }, { -3, 0, 2 })
   op.gives({ { -1, 2 }, { 3, -4 } }, { { 1, -2 }, { -3, 4 } })
   op.dtypes 'byte'
   op.gives({ 255, 0 }, { 1, 0 })
   op.grad({ -2, 3 })
end)
opcheck.describe('sign', function(op)
   op.dtypes 'signed'
   op.gives({ -1, 0, 1 }, { -3, 0, 2 })
   op.dtypes 'all'
   op.gives({ { 1, 0 }, { 1, 1 } }, { { 3, 0 }, { 1, 2 } })
   op.dtypes 'floats'
   op.gives({ 1, -1, nan }, { inf, -inf, nan })
   op.grad({ -2, 3 })
end)
opcheck.describe('square', function(op)
   op.dtypes 'signed'
   op.gives({ 9, 0, 4 }, { -3, 0, 2 })
   op.dtypes 'byte'
   op.gives({ 144, 0 }, { 20, 16 })
   op.grad({ -2, 3 })
end)

describe('maps of special values', function()
   local function of(name, x) return torch[name](torch.FloatTensor { x })[1], torch[name](torch.DoubleTensor { x })[1] end
   local function is(want, name, x)
      for _, got in ipairs { of(name, x) } do
         assert.truthy(got == want or (got ~= got and want ~= want), ('%s(%s) is %s'):format(name, x, got))
         if want == 0 then assert.equal(1 / want, 1 / got, name .. ' has the wrong zero') end
      end
   end
   it('keeps NaN', function()
      for _, m in ipairs(maps) do is(nan, m[1], nan) end
      for _, name in ipairs { 'relu', 'tanh', 'sigmoid', 'softplus', 'elu', 'logsigmoid', 'gelu', 'softsign' } do is(nan, name, nan) end
   end)
   it('has the limits of exp, log and related functions', function()
      is(inf, 'exp', inf) is(0, 'exp', -inf) is(inf, 'exp', 1000) is(0, 'exp', -1000)
      is(inf, 'expm1', inf) is(-1, 'expm1', -inf)
      is(inf, 'log', inf) is(-inf, 'log', 0) is(nan, 'log', -1) is(0, 'log', 1)
      is(inf, 'log1p', inf) is(-inf, 'log1p', -1) is(nan, 'log1p', -2)
      is(1, 'tanh', inf) is(-1, 'tanh', -inf) is(1, 'sigmoid', inf) is(0, 'sigmoid', -inf) is(0.5, 'sigmoid', 0)
      is(-inf, 'logsigmoid', -inf) is(inf, 'softplus', inf)
   end)
   it('keeps the sign of zero', function()
      local zero = -1 / inf                     -- LuaJIT on ARM reads -0.0 as 0
      is(zero, 'tanh', zero) is(zero, 'log1p', zero) is(zero, 'round', -0.25) is(zero, 'sqrt', zero)
   end)
   it('computes denormals', function()
      assert.equal(2 ^ -149, (of('tanh', 2 ^ -149)))
      assert.equal(2 ^ -149, (of('expm1', 2 ^ -149)))
      assert.near(1, torch.exp(torch.FloatTensor { -90 })[1] / math.exp(-90), 1e-5)
      assert.near(-103.278929903432, (of('log', 2 ^ -149)), 1e-5)
   end)
   it('rounds halves away from zero, and nothing that is below a half', function()
      assert.same({ 1, -1, 3, -3, 0 }, torch.round(torch.FloatTensor { 0.5, -0.5, 2.5, -2.5, 0.49999997 }):totable())
      assert.equal(2 ^ 53 - 1, torch.round(torch.DoubleTensor { 2 ^ 53 - 1 })[1])
   end)
   it('takes plain numbers as well', function()
      assert.equal(3, torch.abs(-3))
      assert.equal(2, torch.sqrt(4))
      assert.equal(math.atan2(1, -3), torch.atan2(1, -3))
      assert.equal(8, torch.pow(2, 3))
   end)
end)
