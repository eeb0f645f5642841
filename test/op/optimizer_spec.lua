-- test/op/optimizer_spec.lua - fused steps of optimizers follow their formulas.
local torch, opcheck = require 'torch', require 'test.support.opcheck'
local refuses = require 'test.support.refuses'

opcheck.describe('adam_step', function(op)
   op.dtypes 'floats'
   op.gives({ 0.5, 2.5 }, { 1, 2 }, { 0, 0 }, { 0, 0 }, { 2, -2 }, 0.5, 0, 0, 0)
   op.gives({ 0, 1.5 }, { 1, 2 }, { 0, 0 }, { 0, 0 }, { 2, -2 }, 0.5, 0, 0, 0, 0.5)
   op.refuses('g must have as many elements as x, got sizes 3 and 2', { 1, 2 }, { 0, 0 }, { 0, 0 }, { 1, 2, 3 }, 1)
   op.refuses('m must have as many elements as x, got sizes 1 and 2', { 1, 2 }, { 0 }, { 0, 0 }, { 1, 2 }, 1)
end)

opcheck.describe('rmsprop_step', function(op)
   op.dtypes 'floats'
   op.gives({ 0.5, 2.5 }, { 1, 2 }, { 0, 0 }, { 2, -2 }, 0.5, 0, 0)
   op.refuses('v must have as many elements as x, got sizes 1 and 2', { 1, 2 }, { 0 }, { 1, 2 }, 1)
end)

opcheck.describe('momentum_step', function(op)
   op.dtypes 'floats'
   op.gives({ -2, -1 }, { 1, 2 }, { 2, 2 }, { 2, 2 }, 1, 0.5)
   op.gives({ -3, -3 }, { 1, 2 }, { 2, 2 }, { 2, 2 }, 1, 0.5, 0, 1)
   op.gives({ -2.5, -1.5 }, { 1, 2 }, { 2, 2 }, { 2, 2 }, 1, 0.5, 0, 0, true)
   op.refuses('g must have as many elements as x, got sizes 3 and 2', { 1, 2 }, { 0, 0 }, { 1, 2, 3 }, 1, 0)
end)

describe('steps of optimizers', function()
   it('change the state with the parameters, also of any strides', function()
      torch.manualSeed(1)
      local function column(n) return torch.DoubleTensor(n, 3):uniform(0.1, 1):select(2, 2) end
      local x, m, v, g = column(5000), column(5000), column(5000), column(5000)
      local x0, m0, v0 = x:clone(), m:clone(), v:clone()
      local denom = column(5000)
      x:adam_step(m, v, g, 0.1, 0.9, 0.99, 1e-3, 0.999, denom)
      local m1 = m0 * 0.9 + g * 0.1
      local v1 = v0 * 0.99 + torch.cmul(g, g) * 0.01
      assert.is_true((m - m1):abs():max() < 1e-15 and (v - v1):abs():max() < 1e-15)
      assert.is_true((denom - (torch.sqrt(v1) + 1e-3)):abs():max() < 1e-15)
      assert.is_true((x - (x0 * 0.999 - torch.cdiv(m1, torch.sqrt(v1) + 1e-3) * 0.1)):abs():max() < 1e-14)

      x, v, g = column(5000), column(5000), column(5000)
      x0, v0 = x:clone(), v:clone()
      local g0 = g:clone()
      x:momentum_step(v, g, 0.1, 0.9, 0.5, 0.01, true)
      local gd = g0 + x0 * 0.01
      v1 = v0 * 0.9 + gd * 0.5
      assert.is_true((v - v1):abs():max() < 1e-15 and (g - (gd + v1 * 0.9)):abs():max() < 1e-15)
      assert.is_true((x - (x0 - (gd + v1 * 0.9) * 0.1)):abs():max() < 1e-15)
   end)

   it('refuse state that is expanded or of another type, and leave all as it was', function()
      local x = torch.FloatTensor { 1, 2 }
      refuses('m is expanded', function() x:adam_step(torch.FloatTensor(1):expand(2), x:clone(), x:clone(), 1) end)
      refuses('v must be a FloatTensor like x, got a DoubleTensor', function()
         x:rmsprop_step(torch.DoubleTensor(2), x:clone(), 1)
      end)
      refuses('g is expanded', function() x:momentum_step(x:clone(), torch.FloatTensor(1):expand(2), 1, 0) end)
      assert.same({ 1, 2 }, x:totable())
   end)
end)

describe('steps of optimizers with rates in a tensor', function()
   local STEPS = {
      { 'adam_step', 2, 2, function(rate) return { rate, 0.8, 0.9, 1e-3, 0.999 } end, function(r) return { r, 0.8, 0.9, 1e-3 } end },
      { 'rmsprop_step', 1, 1, function(rate) return { rate, 0.9, 1e-3 } end, function(r) return { r, 0.9, 1e-3 } end },
      { 'momentum_step', 1, 1, function(rate) return { rate, 0.9, 0.1, 1e-3, true } end,
         function(r) return { r, 0.9, 0.1, 1e-3, true } end },
   }
   for _, s in ipairs(STEPS) do
      local name, states, n, numbers, tensors = unpack(s)
      it(('are those with numbers, bit for bit: %s'):format(name), function()
         torch.manualSeed(2)
         for _, kind in ipairs { 'Float', 'Double', 'Half' } do
            local function make() return torch.Tensor(100):uniform(0.1, 1):type('torch.' .. kind .. 'Tensor') end
            local x, g, state = make(), make(), {}
            for i = 1, states do state[i] = make() end
            local x2, g2, state2 = x:clone(), g:clone(), {}
            for i = 1, states do state2[i] = state[i]:clone() end
            local rates = torch.DoubleTensor(n, 2):select(2, 1)           -- not packed
            rates[1] = 0.3
            if n == 2 then rates[2] = 0.999 end
            local function call(p, parts, gradient, more)
               local list = {}
               for i, t in ipairs(parts) do list[i] = t end
               list[#list + 1] = gradient
               for _, v in ipairs(more) do list[#list + 1] = v end
               p[name](p, unpack(list))
            end
            call(x, state, g, numbers(0.3))
            call(x2, state2, g2, tensors(rates))
            assert.is_true(x:equal(x2) and state[1]:equal(state2[1]))
            for _, wrong in ipairs { torch.DoubleTensor(3), torch.DoubleTensor(n, 1), torch.DoubleTensor() } do
               refuses('rates must be a vector of ' .. n, function() call(x, state, g, tensors(wrong)) end)
            end
            refuses('rates must be a DoubleTensor, got a FloatTensor', function() call(x, state, g, tensors(torch.FloatTensor(n))) end)
            assert.is_true(x:equal(x2))
         end
      end)
   end
end)
