-- lua/optim/rprop.lua - resilient propagation: steps that depend on the signs of the gradient only.
local optim = require 'optim'
local need = require 'optim.need'

need.declare('optim.rprop', 'etaplus etaminus stepsizemax stepsizemin niter')

--- Resilient propagation (Riedmiller and Braun, "A direct adaptive method for faster backpropagation learning", 1993),
-- for gradients over the whole batch.
-- @param config.stepsize         of every parameter at the start; default 0.1
-- @param config.etaplus,etaminus  growth where the sign stays and where it changes; default 1.2 and 0.5
-- @param config.stepsizemax,stepsizemin  limits; default 50 and 1e-6
-- @param config.niter            steps to take; default 1
-- @return x, {f(x) before each step}
-- x = torch.Tensor{1}; optim.rprop(function(x) return x[1]^2, x * 2 end, x, {stepsize = 0.1}); x --> {0.9}
function optim.rprop(opfunc, x, config, state)
   config, state = need.all('optim.rprop', opfunc, x, config, state)
   local fs = {}
   for i = 1, config.niter or 1 do
      local fx, g = need.evaluate('optim.rprop', opfunc, x)
      fs[i] = fx
      if not state.delta then
         -- where config is the state, too, `stepsize` is a number before the first step and a
         -- tensor later
         local size = tonumber(config.stepsize or 0.1) or config.stepsize
         need.number('optim.rprop', 'config.stepsize', size)
         local delta, sizes = x.new(g:size()):zero(), x.new(g:size()):fill(size)
         state.delta, state.stepsize = delta, sizes             -- the signs of the last step
      end
      state.sign = state.sign or x.new(g:size())
      state.factor = state.factor or x.new(g:size())             -- Torch7's checkpoints have none
      state.sign:copy(g):cmul(state.delta):sign()                -- 1: same sign, -1: changed, 0: a zero
      local plus, minus = config.etaplus or 1.2, config.etaminus or 0.5
      local grows, turns = state.sign:gt(0), state.sign:lt(0)
      state.factor:fill(1):maskedFill(grows, plus)
      state.factor:maskedFill(turns, minus)
      state.stepsize:cmul(state.factor)
      state.stepsize:clamp(config.stepsizemin or 1e-6, config.stepsizemax or 50)
      state.delta:copy(g):sign()
      state.delta:maskedFill(turns, 0)                           -- skips one step after a change
      x:addcmul(-1, state.delta, state.stepsize)
   end
   return x, fs
end
