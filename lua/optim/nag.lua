-- lua/optim/nag.lua - Nesterov's accelerated gradient: uses the gradient at the point to which the momentum leads.
local optim = require 'optim'
local need = require 'optim.need'

need.declare('optim.nag', need.RATE .. ' momentum')

--- One step of Nesterov's accelerated gradient (Sutskever et al., "On the importance of initialization and momentum in
-- deep learning", 2013).
-- @param config.learningRate       default 1e-3
-- @param config.learningRateDecay  the rate is learningRate / (1 + evaluations * decay); default 0
-- @param config.weightDecay        adds weightDecay * x to the gradient; default 0
-- @param config.momentum           default 0.9, must be positive
-- @param config.learningRates      a vector: a factor for each parameter's rate
-- @return x, {f at the point ahead}
-- x = torch.Tensor{1}; optim.nag(function(x) return x[1]^2, x * 2 end, x, {learningRate = 0.1}); x --> {0.8}
function optim.nag(opfunc, x, config, state)
   config, state = need.all('optim.nag', opfunc, x, config, state)
   local momentum = config.momentum or 0.9
   if momentum <= 0 then
      error('optim.nag: momentum must be positive, got ' .. tostring(momentum), 2)
   end
   state.evalCounter = state.evalCounter or 0

   -- When opfunc fails, x stays ahead, and the next call does not move it again.
   if state.dfdx and not state.ahead then
      x:add(momentum, state.dfdx)
      state.ahead = true
   end
   local fx, g = need.evaluate('optim.nag', opfunc, x)

   if (config.weightDecay or 0) ~= 0 then g:add(config.weightDecay, x) end
   local rate = (config.learningRate or 1e-3) / (1 + state.evalCounter * (config.learningRateDecay or 0))
   if config.learningRates then
      g:cmul(need.factors('optim.nag', 'config.learningRates', config.learningRates, x))
   end
   state.dfdx = state.dfdx or x.new(g:size()):zero()
   x:add(-rate, g)
   state.ahead = nil
   state.dfdx:mul(momentum):add(-rate, g)
   state.evalCounter = state.evalCounter + 1
   return x, {fx}
end
