-- lua/optim/sgd.lua - stochastic gradient descent.
local torch = require 'torch'
local optim = require 'optim'
local need = require 'optim.need'
local recording = require 'torch.recording'

need.declare('optim.sgd', need.RATE .. ' momentum dampening', { replayed = true })

local SHORT = { ['torch.CudaHalfTensor'] = true, ['torch.CudaBFloat16Tensor'] = true }


-- x + rate g with a rate on the device. A low-precision type would round the rate, and small ones to 0, so this uses floats.
local function step_there(x, rate, rates, g)
   local ty = SHORT[x:type()] and 'torch.CudaTensor' or x:type()
   local y, d = x:type(ty), g:type(ty)
   if rates then d = torch.cmul(rates:type(ty), d) end
   y:addcmul(1, rate:type(ty):expand(d:nElement()), d)
   if y ~= x then x:copy(y) end
end

--- One step of stochastic gradient descent.
-- @param config.learningRate       default 1e-3
-- @param config.learningRateDecay  the rate is learningRate / (1 + evaluations * decay); default 0
-- @param config.weightDecay        adds weightDecay * x to the gradient; default 0
-- @param config.weightDecays       a vector: one decay for each parameter, when weightDecay is 0
-- @param config.momentum           default 0
-- @param config.dampening          of the gradient that enters the momentum; default: the momentum
-- @param config.nesterov           Nesterov's momentum; needs momentum > 0 and dampening 0
-- @param config.learningRates      a vector: a factor for each parameter's rate
-- @return x, {f(x) before the step}
-- x = torch.Tensor{1}; optim.sgd(function(x) return x[1]^2, x * 2 end, x, {learningRate = 0.1}); x --> {0.8}
function optim.sgd(opfunc, x, config, state)
   config, state = need.all('optim.sgd', opfunc, x, config, state)
   local momentum = config.momentum or 0
   local damp = config.dampening or momentum
   local nesterov = config.nesterov or false
   if nesterov and not (momentum > 0 and damp == 0) then
      error('optim.sgd: nesterov needs momentum > 0 and dampening = 0', 2)
   end
   state.evalCounter = state.evalCounter or 0

   local fx, g = need.evaluate('optim.sgd', opfunc, x)
   local function rate()                       -- of the next step
      local r = (config.learningRate or 1e-3) / (1 + state.evalCounter * (config.learningRateDecay or 0))
      state.evalCounter = state.evalCounter + 1
      return r
   end
   if momentum ~= 0 and state.dfdx and not config.weightDecays and not config.learningRates then
      local live = recording.numbers(1, rate, state, 'evalCounter')
      x:momentum_step(state.dfdx, g, live or rate(), momentum, damp, config.weightDecay or 0, nesterov)
      return x, {fx}
   end

   if (config.weightDecay or 0) ~= 0 then
      g:add(config.weightDecay, x)
   elseif config.weightDecays then
      g:addcmul(1, need.factors('optim.sgd', 'config.weightDecays', config.weightDecays, x), x)
   end
   if momentum ~= 0 then
      if state.dfdx then
         state.dfdx:mul(momentum):add(1 - damp, g)
      else
         need.kept('optim.sgd', state, 'dfdx', function() return g:clone() end)
      end
      if nesterov then
         g:add(momentum, state.dfdx)
      else
         g = state.dfdx
      end
   end
   local live = recording.numbers(1, function() return -rate() end, state, 'evalCounter')
   if live then
      step_there(x, live, config.learningRates, g)
   elseif config.learningRates then
      x:addcmul(-rate(), need.factors('optim.sgd', 'config.learningRates', config.learningRates, x), g)
   else
      x:add(-rate(), g)
   end
   return x, {fx}
end
