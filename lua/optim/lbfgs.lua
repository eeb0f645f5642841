-- lua/optim/lbfgs.lua - limited-memory BFGS.
local optim = require 'optim'
local need = require 'optim.need'
local quasi = require 'optim.quasi'
local space = require 'optim.space'

need.declare('optim.lbfgs', 'learningRate maxIter maxEval tolFun tolX nCorrection')

--- Steps of L-BFGS (Liu and Nocedal, "On the limited memory BFGS method for large scale optimization", 1989). The
-- correction pairs stay in the state, so that the next call continues from them.
-- @param config.maxIter            default 20
-- @param config.maxEval            evaluations, default maxIter * 1.25
-- @param config.tolFun             ends when the sum of |gradient| is not above; default 1e-5
-- @param config.tolX               ends when a step is not longer, or the value moves less; default 1e-9
-- @param config.nCorrection        pairs to keep, default 100
-- @param config.lineSearch         a function like optim.lswolfe; without one each step has length learningRate
-- @param config.lineSearchOptions  for it
-- @param config.learningRate       default 1
-- @param config.verbose            true: prints why it ends
-- @return x, {all values}, number of evaluations
-- x = torch.Tensor{1}; optim.lbfgs(function(x) return x[1]^2, x * 2 end, x, {maxIter = 5}); x --> {0}
function optim.lbfgs(opfunc, x, config, state)
   config, state = need.all('optim.lbfgs', opfunc, x, config, state)
   return quasi('optim.lbfgs', opfunc, x, config, state, space)
end
