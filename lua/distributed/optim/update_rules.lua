-- lua/distributed/optim/update_rules.lua - update rules that dist.optim knows by name.
--
-- An update is function(x, g, state, config), which changes x in place. `state` is a list of
-- tensors like x, initially zero, which the update may change; it must not change g. config holds
-- the options, and `step`: the number of this update, from 1.
local torch = require 'torch'

local updates = {}

updates.sgd = { states = 0, run = function(x, g, _, config) x:add(-config.learningRate, g) end }

updates.momentum = { states = 1, run = function(x, g, state, config)
   state[1]:mul(config.momentum):add(g)
   x:add(-config.learningRate, state[1])
end }

updates.adagrad = { states = 1, run = function(x, g, state, config)
   state[1]:addcmul(1, g, g)
   x:addcdiv(-config.learningRate, g, torch.sqrt(state[1]):add(config.epsilon))
end }

updates.adam = { states = 2, run = function(x, g, state, config)
   local rate = config.learningRate * math.sqrt(1 - config.beta2 ^ config.step) / (1 - config.beta1 ^ config.step)
   x:adam_step(state[1], state[2], g, rate, config.beta1, config.beta2, config.epsilon)
end }

-- What servers do with the moves of elastic workers.
updates.add = { states = 0, run = function(x, g) x:add(g) end }

return updates
