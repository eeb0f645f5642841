-- lua/optim/init.lua - the package optim: optimizers, and tools for training scripts.
--
-- An optimizer is a function (opfunc, x, config, state): opfunc(x) returns the value and the gradient at x; one step
-- changes the vector x in place. It returns x and the list of function values. It keeps its memory
-- between steps in `state`, or in `config` when there is no state.
require 'torch'

local optim = rawget(_G, 'optim') or {}
_G.optim = optim                       -- scripts of Torch7 use the global
package.loaded.optim = optim

for _, name in ipairs{'sgd', 'adam', 'adamax', 'rmsprop', 'adagrad', 'adadelta', 'nag', 'asgd', 'rprop',
   'polyinterp', 'lswolfe', 'lbfgs', 'cg', 'checkgrad', 'de', 'cmaes', 'fista', 'ConfusionMatrix', 'Logger',
   'clip', 'schedules', 'LossScaler'} do
   require('optim.' .. name)
end

return optim
