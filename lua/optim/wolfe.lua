-- lua/optim/wolfe.lua - the line search of optim.lswolfe, for vectors of any space (lua/optim/space.lua).
local optim = require 'optim'

--- optim.lswolfe.
-- @param space  computes products of vectors, and values and gradients
return function(opfunc, x, t, d, f, g, gtd, options, space)
   local c1, c2 = options.c1 or 1e-4, options.c2 or 0.9
   local tolX, most = options.tolX or 1e-9, options.maxIter or 20
   local start, evaluations = x:clone(), 0

   -- A point on the line: step, value, gradient (a copy), slope.
   local function at(step)
      x:copy(start):add(step, d)
      local value, gradient = space.evaluate('optim.lswolfe', opfunc, x)
      evaluations = evaluations + 1
      return {t = step, f = value, g = gradient:clone(), slope = space.dot(gradient, d)}
   end
   local function row(p) return {p.t, p.f, p.slope} end

   local origin = {t = 0, f = f, g = g:clone(), slope = gtd}
   local previous, here = origin, at(t)
   local size = space.most(d)
   local iteration, done = 0, false
   local low, high                                   -- the bracket
   while iteration < most do
      if here.f > f + c1 * here.t * gtd or (iteration > 1 and here.f >= previous.f) then
         low, high = previous, here
         break
      elseif math.abs(here.slope) <= -c2 * gtd then
         low, high, done = here, here, true
         break
      elseif here.slope >= 0 then
         low, high = previous, here
         break
      end
      local next = optim.polyinterp({row(previous), row(here)}, here.t + 0.01 * (here.t - previous.t), here.t * 10)
      previous, here = here, at(next)
      iteration = iteration + 1
   end
   if not low then low, high = origin, here end

   local stuck = false
   while not done and iteration < most do
      if high.f < low.f then low, high = high, low end
      local left, right = math.min(low.t, high.t), math.max(low.t, high.t)
      local step = optim.polyinterp {row(low), row(high)}
      -- A step next to an end of the bracket makes it hardly smaller, so the second time it is moved inside.
      if math.min(right - step, step - left) / (right - left) < 0.1 then
         if stuck or step >= right or step <= left then
            if math.abs(step - right) < math.abs(step - left) then
               step = right - 0.1 * (right - left)
            else
               step = left + 0.1 * (right - left)
            end
            stuck = false
         else
            stuck = true
         end
      else
         stuck = false
      end
      here = at(step)
      iteration = iteration + 1
      if here.f > f + c1 * here.t * gtd or here.f >= low.f then
         high = here
      else
         if math.abs(here.slope) <= -c2 * gtd then
            done = true
         elseif here.slope * (high.t - low.t) >= 0 then
            high = low
         end
         low = here
      end
      if not done and math.abs(low.t - high.t) * size < tolX then break end
   end
   if high.f < low.f then low = high end
   x:copy(start):add(low.t, d)
   return low.f, low.g, x, low.t, evaluations
end
