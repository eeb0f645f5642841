-- lua/optim/space.lua - the vector operations of L-BFGS and its line search. lua/distributed/lbfgs.lua has them for vectors in parts
-- on several ranks, where each result is that of all parts.
local need = require 'optim.need'

local space = {}

--- The value, a number, and the gradient at x.
space.evaluate = need.evaluate_number

--- The product of two vectors.
function space.dot(a, b) return a:dot(b) end

--- Two products, of two vectors each.
function space.dots(a, b, c, d) return a:dot(b), c:dot(d) end

--- The sum of absolute values, and the largest.
function space.sum(a) return a:clone():abs():sum() end
function space.most(a) return a:clone():abs():max() end

--- Calls a line search: a function like optim.lswolfe.
function space.search(f, ...) return f(...) end

return space
