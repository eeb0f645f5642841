-- lua/optim/adadelta.lua - AdaDelta: steps in the units of the parameters, without a learning rate.
local optim = require 'optim'
local need = require 'optim.need'

need.declare('optim.adadelta', 'rho eps weightDecay')

--- One step of AdaDelta (Zeiler, "ADADELTA: an adaptive learning rate method", 2012).
-- @param config.rho          decay of the running mean squares; default 0.9
-- @param config.eps          added to both mean squares; default 1e-6
-- @param config.weightDecay  adds weightDecay * x to the gradient; default 0
-- @return x, {f(x) before the step}
-- x = torch.Tensor{1}; optim.adadelta(function(x) return x[1]^2, x * 2 end, x, {}); x --> {0.99684}
function optim.adadelta(opfunc, x, config, state)
   config, state = need.all('optim.adadelta', opfunc, x, config, state)
   local rho, eps = config.rho or 0.9, config.eps or 1e-6

   local fx, g = need.evaluate('optim.adadelta', opfunc, x)

   if (config.weightDecay or 0) ~= 0 then g:add(config.weightDecay, x) end
   state.evalCounter = (state.evalCounter or 0) + 1
   state.paramVariance = state.paramVariance or x.new(g:size()):zero()
   state.paramStd = state.paramStd or x.new(g:size())
   state.delta = state.delta or x.new(g:size())
   state.accDelta = state.accDelta or x.new(g:size()):zero()
   state.paramVariance:mul(rho):addcmul(1 - rho, g, g)
   state.paramStd:copy(state.paramVariance):add(eps):sqrt()
   state.delta:copy(state.accDelta):add(eps):sqrt():cdiv(state.paramStd):cmul(g)
   x:add(-1, state.delta)
   state.accDelta:mul(rho):addcmul(1 - rho, state.delta, state.delta)
   return x, {fx}
end
