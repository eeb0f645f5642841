-- lua/optim/adamax.lua - AdaMax: Adam with the largest gradient instead of the second moment.
local optim = require 'optim'
local need = require 'optim.need'

need.declare('optim.adamax', need.RATE .. ' beta1 beta2 epsilon')

--- One step of AdaMax (Kingma and Ba, "Adam: a method for stochastic optimization", 2014, section 7).
-- @param config.learningRate  default 2e-3
-- @param config.beta1,beta2   decay of the moment and of the largest gradient; default 0.9 and 0.999
-- @param config.epsilon       added to |gradient|; default 1e-38
-- @return x, {f(x) before the step}
-- x = torch.Tensor{1}; optim.adamax(function(x) return x[1]^2, x * 2 end, x, {learningRate = 0.1}); x --> {0.9}
function optim.adamax(opfunc, x, config, state)
   config, state = need.all('optim.adamax', opfunc, x, config, state)
   local beta1, beta2 = config.beta1 or 0.9, config.beta2 or 0.999

   local fx, g = need.evaluate('optim.adamax', opfunc, x)

   state.m = state.m or x.new(g:size()):zero()
   state.u = state.u or x.new(g:size()):zero()
   state.max = state.max or x.new(g:size())
   state.t = (state.t or 0) + 1                               -- lack of memory can cause no failure from here on
   state.m:mul(beta1):add(1 - beta1, g)
   state.max:copy(g):abs():add(config.epsilon or 1e-38)
   state.u:mul(beta2):cmax(state.max)
   x:addcdiv(-(config.learningRate or 2e-3) / (1 - beta1 ^ state.t), state.m, state.u)
   return x, {fx}
end
