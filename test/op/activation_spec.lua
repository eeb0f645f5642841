-- test/op/activation_spec.lua - activations of networks and their gradients.
local torch = require 'torch'
local opcheck = require 'test.support.opcheck'

local function sigmoid(x) return 1 / (1 + math.exp(-x)) end
local function erf(x)                                      -- its series
   local sum, term = x, x
   for n = 1, 60 do
      term = -term * x * x / n
      sum = sum + term / (2 * n + 1)
   end
   return sum * 2 / math.sqrt(math.pi)
end

-- name, numbers, the function in plain Lua; all are compared, and differentiated, at points away from their corners.
local activations = {
   { 'sigmoid', {}, sigmoid },
   { 'tanh', {}, math.tanh },
   { 'relu', {}, function(x) return math.max(x, 0) end },
   { 'threshold', { 0.3, 7 }, function(x) return x > 0.3 and x or 7 end },
   { 'threshold', {}, function(x) return x > 0 and x or 0 end },
   { 'leakyrelu', { 0.1 }, function(x) return x > 0 and x or 0.1 * x end },
   { 'leakyrelu', {}, function(x) return x > 0 and x or 0.01 * x end },
   { 'elu', { 0.5 }, function(x) return x > 0 and x or 0.5 * (math.exp(x) - 1) end },
   { 'elu', {}, function(x) return x > 0 and x or math.exp(x) - 1 end },
   { 'hardtanh', {}, function(x) return math.max(-1, math.min(1, x)) end },
   { 'hardtanh', { -0.3, 0.7 }, function(x) return math.max(-0.3, math.min(0.7, x)) end },
   { 'hardshrink', {}, function(x) return math.abs(x) > 0.5 and x or 0 end },
   { 'softshrink', { 0.2 }, function(x) return x > 0.2 and x - 0.2 or x < -0.2 and x + 0.2 or 0 end },
   { 'softplus', {}, function(x) return math.log(1 + math.exp(x)) end },
   { 'softplus', { 2, 3 }, function(x) return 2 * x > 3 and x or math.log(1 + math.exp(2 * x)) / 2 end },
   { 'softsign', {}, function(x) return x / (1 + math.abs(x)) end },
   { 'logsigmoid', {}, function(x) return -math.log(1 + math.exp(-x)) end },
   { 'gelu', {}, function(x) return x * 0.5 * (1 + erf(x / math.sqrt(2))) end },
   { 'swish', {}, function(x) return x * sigmoid(x) end },
}
local at = { -2, -0.75, -0.125, 0.125, 0.75, 2 }

for _, a in ipairs(activations) do
   local name, numbers, f = a[1], a[2], a[3]
   opcheck.describe(name, function(op)
      op.dtypes 'floats'
      local want, square, want_square = {}, {}, {}
      for i, x in ipairs(at) do want[i] = f(x) end
      for r = 1, 2 do
         square[r], want_square[r] = {}, {}
         for c = 1, 3 do
            square[r][c] = at[3 * r - c + 1]
            want_square[r][c] = f(square[r][c])
         end
      end
      op.gives(want, at, unpack(numbers))
      op.gives(want_square, square, unpack(numbers))
      op.grad(at, unpack(numbers))
      op.dtypes 'long'
      op.refuses('must be a tensor of type Half, BFloat16, Float, Double, got a LongTensor', { 1 }, unpack(numbers))
   end)
   opcheck.describe(name .. '_grad', function(op)
      op.dtypes 'floats'
      op.tolerance(1e-4)
      local y, g, want, step = {}, {}, {}, 1e-5
      for i, x in ipairs(at) do
         y[i], g[i] = f(x), i - 3.5
         want[i] = g[i] * (f(x + step) - f(x - step)) / (2 * step)
      end
      op.gives(want, at, y, g, unpack(numbers))
      op.refuses('g must have the size of x, 6, got 1', at, y, { 1 }, unpack(numbers))
      op.dtypes 'double'
      op.refuses('y must be a DoubleTensor like x, got a FloatTensor', { 1 }, opcheck.float { 1 }, { 1 }, unpack(numbers))
   end)
end

describe('activation gradients', function()
   it('may be written over the gradient they come from', function()
      local x, g = torch.FloatTensor { -1, 2 }, torch.FloatTensor { 5, 6 }
      assert.equal(g, torch.relu_grad(g, x, torch.relu(x), g))
      assert.same({ 0, 6 }, g:totable())
   end)
   it('leave infinities out where the slope is 0', function()
      local inf = torch.FloatTensor { -1 / 0, 1 / 0 }
      assert.same({ 0, 1 }, torch.relu_grad(inf, torch.relu(inf), torch.FloatTensor { 1, 1 }):totable())
      assert.same({ 0, 0 }, torch.tanh_grad(inf, torch.tanh(inf), torch.FloatTensor { 1, 1 }):totable())
   end)
end)
