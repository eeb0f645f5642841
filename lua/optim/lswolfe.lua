-- lua/optim/lswolfe.lua - a line search that satisfies the strong Wolfe conditions.
local optim = require 'optim'
local need = require 'optim.need'
local space = require 'optim.space'
local wolfe = require 'optim.wolfe'

need.declare('optim.lswolfe', 'c1 c2 tolX maxIter')

--- Searches along d for a step t with enough descent and a small slope (Nocedal and Wright, "Numerical optimization",
-- section 3.5). x itself is moved, and returned.
-- @param opfunc  value and gradient at a point
-- @param t       the step to try first
-- @param d       the direction; gtd is the slope there, g:dot(d)
-- @param f,g     value and gradient at x
-- @param options.c1,c2    how much descent, how small a slope; default 1e-4 and 0.9
-- @param options.tolX     the least length of a bracket, default 1e-9
-- @param options.maxIter  default 20
-- @return value, gradient, point, step, number of evaluations
function optim.lswolfe(opfunc, x, t, d, f, g, gtd, options)
   need.func('optim.lswolfe', 'opfunc', opfunc)
   need.tensor('optim.lswolfe', 'x', x)
   need.number('optim.lswolfe', 't', t)
   need.tensor('optim.lswolfe', 'd', d)
   need.number('optim.lswolfe', 'f', f)
   need.tensor('optim.lswolfe', 'g', g)
   need.number('optim.lswolfe', 'gtd', gtd)
   options = need.options('optim.lswolfe', 'options', options)
   return wolfe(opfunc, x, t, d, f, g, gtd, options, space)
end
