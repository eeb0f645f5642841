-- lua/optim/asgd.lua - averaged stochastic gradient descent.
local optim = require 'optim'
local need = require 'optim.need'

need.declare('optim.asgd', 'eta0 lambda alpha t0')

--- One step of averaged stochastic gradient descent (Bottou, "Stochastic gradient descent tricks", 2012).
-- @param config.eta0    learning rate at the start; default 1e-4
-- @param config.lambda  decay of the parameters; default 1e-4
-- @param config.alpha   power of the rate's decay; default 0.75
-- @param config.t0      step at which averaging starts; default 1e6
-- @return x, {f(x) before the step}, the average of x since step t0
-- x = torch.Tensor{1}; optim.asgd(function(x) return x[1]^2, x * 2 end, x, {eta0 = 0.1}); x --> {0.79999}
function optim.asgd(opfunc, x, config, state)
   config, state = need.all('optim.asgd', opfunc, x, config, state)
   local eta0, lambda = config.eta0 or 1e-4, config.lambda or 1e-4
   local alpha, t0 = config.alpha or 0.75, config.t0 or 1e6
   state.eta_t = state.eta_t or eta0
   state.mu_t = state.mu_t or 1
   state.t = state.t or 0

   local fx, g = need.evaluate('optim.asgd', opfunc, x)

   state.ax = state.ax or x.new(x:size()):zero()
   state.tmp = state.tmp or x.new(x:size())
   state.t = state.t + 1                                      -- lack of memory can cause no failure from here on
   x:mul(1 - lambda * state.eta_t)
   x:add(-state.eta_t, g)
   if state.mu_t ~= 1 then
      state.tmp:copy(x):add(-1, state.ax):mul(state.mu_t)
      state.ax:add(state.tmp)
   else
      state.ax:copy(x)
   end
   state.eta_t = eta0 / (1 + lambda * eta0 * state.t) ^ alpha
   state.mu_t = 1 / math.max(1, state.t - t0)
   return x, {fx}, state.ax
end
