-- lua/optim/adam.lua - Adam: steps scaled by running moments of the gradient.
local optim = require 'optim'
local need = require 'optim.need'
local recording = require 'torch.recording'

need.declare('optim.adam', need.RATE .. ' beta1 beta2 epsilon', { replayed = true })
need.declare('optim.adamw', need.RATE .. ' beta1 beta2 epsilon', { replayed = true })

-- One step. decay_x shrinks x itself; when it is nil, config.weightDecay changes the gradient.
local function step(who, opfunc, x, config, state, decay_x)
   local beta1, beta2 = config.beta1 or 0.9, config.beta2 or 0.999

   local fx, g = need.evaluate(who, opfunc, x)

   if not decay_x and (config.weightDecay or 0) ~= 0 then g:add(config.weightDecay, x) end
   state.t = state.t or 0
   for _, name in ipairs{'m', 'v', 'denom'} do
      need.kept(who, state, name, function() return x.new(g:size()):zero() end)
   end

   -- Of the next step: its rate, corrected for moments that begin at 0, and the factor of x.
   local function rates()
      local rate = (config.learningRate or 1e-3) / (1 + state.t * (config.learningRateDecay or 0))
      state.t = state.t + 1
      return rate * math.sqrt(1 - beta2 ^ state.t) / (1 - beta1 ^ state.t), 1 - rate * (decay_x or 0)
   end
   local epsilon = config.epsilon or 1e-8
   local live = recording.numbers(2, rates, state, 't')
   if live then
      x:adam_step(state.m, state.v, g, live, beta1, beta2, epsilon, state.denom)
   else
      local rate, keep = rates()
      x:adam_step(state.m, state.v, g, rate, beta1, beta2, epsilon, keep, state.denom)
   end
   return x, {fx}
end

--- One step of Adam (Kingma and Ba, "Adam: a method for stochastic optimization", 2014).
-- @param config.learningRate       default 1e-3
-- @param config.learningRateDecay  the rate is learningRate / (1 + steps * decay); default 0
-- @param config.beta1,beta2        decay of the first and second moment; default 0.9 and 0.999
-- @param config.epsilon            added to the root of the second moment; default 1e-8
-- @param config.weightDecay        adds weightDecay * x to the gradient; default 0
-- @return x, {f(x) before the step}
-- x = torch.Tensor{1}; optim.adam(function(x) return x[1]^2, x * 2 end, x, {learningRate = 0.1}); x --> {0.9}
function optim.adam(opfunc, x, config, state)
   config, state = need.all('optim.adam', opfunc, x, config, state)
   return step('optim.adam', opfunc, x, config, state)
end

--- One step of AdamW: optim.adam whose weight decay shrinks x itself, x (1 - rate * weightDecay), and does not enter the
-- moments of the gradient. Loshchilov and Hutter, "Decoupled weight decay regularization" (2019). Options as of optim.adam.
-- @param config.weightDecay  default 0.01
-- @return x, {f(x) before the step}
-- x = torch.Tensor{1}; optim.adamw(function(x) return x[1]^2, x * 2 end, x, {learningRate = 0.1, weightDecay = 1}); x --> {0.8}
function optim.adamw(opfunc, x, config, state)
   config, state = need.all('optim.adamw', opfunc, x, config, state)
   return step('optim.adamw', opfunc, x, config, state, config.weightDecay or 0.01)
end
