-- lua/optim/fista.lua - FISTA: minimises a smooth function plus one with a known shrinkage.
local optim = require 'optim'
local need = require 'optim.need'

need.declare('optim.FistaLS', 'maxiter maxline errthres L Lstep')

--- Minimises f(x) + g(x) (Beck and Teboulle, "A fast iterative shrinkage-thresholding algorithm for linear inverse
-- problems", 2009), with backtracking.
-- @param f      f(x, 'dx') returns the value and the gradient of the smooth part
-- @param g      the value of the other part
-- @param pl     pl(x, L) shrinks x in place: the minimum of g(z) + L / 2 |z - x|^2 over z
-- @param xinit  the starting point; a vector, which is moved
-- @param params.maxiter        default 50
-- @param params.maxline        backtracking steps in one iteration, default 20
-- @param params.errthres       ends when the value moves less; default 1e-4
-- @param params.doFistaUpdate  true: with momentum; without it (the default, as in Torch7) this is ISTA
-- @param params.L,Lstep        the curvature at the start, default 0.1, and its growth in backtracking, default 1.5
-- @param params.verbose        true: prints every iteration
-- @return x, a list of {f, g, F, L} for every iteration
function optim.FistaLS(f, g, pl, xinit, params)
   need.func('optim.FistaLS', 'f', f)
   need.func('optim.FistaLS', 'g', g)
   need.func('optim.FistaLS', 'pl', pl)
   need.tensor('optim.FistaLS', 'xinit', xinit)
   params = need.options('optim.FistaLS', 'params', params)
   local maxiter, maxline = params.maxiter or 50, params.maxline or 20
   local threshold, Lstep = params.errthres or 1e-4, params.Lstep or 1.5
   local momentum = params.doFistaUpdate
   local L = params.L or 0.1
   local x = xinit
   local y, t, last = x:clone(), 1, math.huge
   local history = {}
   for iteration = 1, maxiter do
      local fy, gy = f(y, 'dx')
      fy = need.value('optim.FistaLS', fy, 'f')
      need.tensor('optim.FistaLS', 'the gradient of f', gy)
      gy = gy:clone()
      local next, fx, gx
      for line = 1, maxline do
         next = y:clone():add(-1 / L, gy)
         pl(next, L)
         fx, gx = need.value('optim.FistaLS', (f(next)), 'f'), need.value('optim.FistaLS', (g(next)), 'g')
         local step = next - y
         local bound = fy + gy:dot(step) + L / 2 * step:dot(step)
         if fx <= bound or line == maxline then break end
         L = L * Lstep
      end
      local total = fx + gx
      history[iteration] = {f = fx, g = gx, F = total, L = L}
      if params.verbose then print(('FISTA %d: F = %g, L = %g'):format(iteration, total, L)) end
      if momentum then
         local tn = (1 + math.sqrt(1 + 4 * t * t)) / 2
         y = next + (next - x) * ((t - 1) / tn)
         t = tn
      else
         y = next:clone()
      end
      x:copy(next)
      if math.abs(last - total) <= threshold then break end
      last = total
   end
   return x, history
end
