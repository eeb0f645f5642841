-- lua/optim/rmsprop.lua - RMSprop: steps divided by a running root mean square of the gradient.
local optim = require 'optim'
local need = require 'optim.need'
local recording = require 'torch.recording'

need.declare('optim.rmsprop', need.RATE .. ' alpha epsilon initialMean', { replayed = true })

--- One step of RMSprop (Tieleman and Hinton, Coursera lecture 6.5, 2012).
-- @param config.learningRate  default 1e-2
-- @param config.alpha         decay of the mean square; default 0.99
-- @param config.epsilon       added to its root; default 1e-8
-- @param config.initialMean   the mean square at the start; default 0
-- @param config.weightDecay   adds weightDecay * x to the gradient; default 0
-- @return x, {f(x) before the step}
-- x = torch.Tensor{1}; optim.rmsprop(function(x) return x[1]^2, x * 2 end, x, {learningRate = 0.01}); x --> {0.9}
function optim.rmsprop(opfunc, x, config, state)
   config, state = need.all('optim.rmsprop', opfunc, x, config, state)
   local alpha = config.alpha or 0.99

   local fx, g = need.evaluate('optim.rmsprop', opfunc, x)

   if (config.weightDecay or 0) ~= 0 then g:add(config.weightDecay, x) end
   need.kept('optim.rmsprop', state, 'm', function() return x.new(g:size()):fill(config.initialMean or 0) end)
   local function rate() return config.learningRate or 1e-2 end
   local live = recording.numbers(1, rate)
   x:rmsprop_step(state.m, g, live or rate(), alpha, config.epsilon or 1e-8)
   return x, {fx}
end
