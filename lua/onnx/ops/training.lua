-- lua/onnx/ops/training.lua - the optimizers of the training domain: one step of Adagrad, Adam and Momentum.
local torch = require 'torch'
local types = require 'onnx.types'
local registry = require 'onnx.registry'

local DOMAIN = 'ai.onnx.preview.training'

-- The inputs behind rate and step count: `kinds` lists of as many tensors each.
local function many_of(n, kinds)
   local many = (n.count - 2) / kinds
   if many < 1 or many ~= math.floor(many) then
      error(('%d inputs are no %d tensors for each variable'):format(n.count - 2, kinds), 0)
   end
   return many
end

--- An optimizer. step(n, rate, count, x, g, ...) returns the new x and the new states of one variable.
-- @param kinds  tensors per variable: itself, its gradient and its states
local function optimizer(name, kinds, step)
   registry.add(name, {
      types = function(n)
         local many, list = many_of(n, kinds), {}
         for kind = 1, kinds - 1 do
            for i = 1, many do list[(kind - 1) * many + i] = n.types[2 + (kind > 1 and kind or 0) * many + i] end
         end
         return list
      end,
      run = function(n, rate, count, ...)
         local many, inputs, results = many_of(n, kinds), { ... }, {}
         rate, count = types.number(rate), types.number(count)
         for i = 1, many do
            local own = {}
            for kind = 1, kinds do
               own[kind] = inputs[(kind - 1) * many + i] or error('a tensor is missing', 0)
               if not types.same_shape(types.shape(own[kind]), types.shape(own[1])) then
                  error(('tensors of variable %d have several shapes'):format(i), 0)
               end
            end
            for kind, t in ipairs { step(n, rate, count, unpack(own)) } do results[(kind - 1) * many + i] = t end
         end
         return unpack(results, 1, n.outputs)
      end,
   }, DOMAIN)
end

-- The gradient of the loss and of norm_coefficient / 2 |x|^2.
local function regularized(n, x, g)
   return torch.add(g, n.attr.norm_coefficient or 0, x)
end

-- J. Duchi, E. Hazan, Y. Singer, Adaptive subgradient methods for online learning and stochastic optimization, 2011.
optimizer('Adagrad', 3, function(n, rate, count, x, g, h)
   rate = rate / (1 + count * (n.attr.decay_factor or 0))
   g = regularized(n, x, g)
   local sum = torch.addcmul(h, 1, g, g)
   return torch.addcdiv(x, -rate, g, torch.sqrt(sum):add(n.attr.epsilon or 1e-6)), sum
end)

-- D. Kingma, J. Ba, Adam: a method for stochastic optimization, 2015.
optimizer('Adam', 4, function(n, rate, count, x, g, v, h)
   local alpha, beta = n.attr.alpha or 0.9, n.attr.beta or 0.999
   g = regularized(n, x, g)
   v = torch.add(torch.mul(v, alpha), 1 - alpha, g)
   h = torch.addcmul(torch.mul(h, beta), 1 - beta, g, g)
   if count > 0 then rate = rate * math.sqrt(1 - beta ^ count) / (1 - alpha ^ count) end
   local y = torch.addcdiv(x, -rate, v, torch.sqrt(h):add(n.attr.epsilon or 1e-6))
   return y:mul(1 - (n.attr.norm_coefficient_post or 0)), v, h
end)

-- I. Sutskever and others, On the importance of initialization and momentum in deep learning, 2013.
optimizer('Momentum', 3, function(n, rate, count, x, g, v)
   local mode = n.attr.mode
   if mode ~= 'standard' and mode ~= 'nesterov' then error(("there is no mode '%s'"):format(tostring(mode)), 0) end
   g = regularized(n, x, g)
   v = torch.add(torch.mul(v, n.attr.alpha), count > 0 and n.attr.beta or 1, g)
   local way = mode == 'nesterov' and torch.add(g, n.attr.alpha, v) or v
   return torch.add(x, -rate, way), v
end)
