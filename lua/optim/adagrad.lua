-- lua/optim/adagrad.lua - AdaGrad: steps divided by the root of all squared gradients so far.
local optim = require 'optim'
local need = require 'optim.need'

need.declare('optim.adagrad', need.RATE)

--- One step of AdaGrad (Duchi, Hazan and Singer, "Adaptive subgradient methods", 2011).
-- @param config.learningRate       default 1e-3
-- @param config.learningRateDecay  the rate is learningRate / (1 + evaluations * decay); default 0
-- @param config.weightDecay        adds weightDecay * x to the gradient; default 0
-- @return x, {f(x) before the step}
-- x = torch.Tensor{1}; optim.adagrad(function(x) return x[1]^2, x * 2 end, x, {learningRate = 0.1}); x --> {0.9}
function optim.adagrad(opfunc, x, config, state)
   config, state = need.all('optim.adagrad', opfunc, x, config, state)
   state.evalCounter = state.evalCounter or 0

   local fx, g = need.evaluate('optim.adagrad', opfunc, x)

   if (config.weightDecay or 0) ~= 0 then g:add(config.weightDecay, x) end
   state.paramVariance = state.paramVariance or x.new(g:size()):zero()
   state.paramStd = state.paramStd or x.new(g:size())
   local rate = (config.learningRate or 1e-3) / (1 + state.evalCounter * (config.learningRateDecay or 0))
   state.paramVariance:addcmul(1, g, g)
   state.paramStd:copy(state.paramVariance):sqrt():add(1e-10)
   x:addcdiv(-rate, g, state.paramStd)
   state.evalCounter = state.evalCounter + 1
   return x, {fx}
end
