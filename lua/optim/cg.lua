-- lua/optim/cg.lua - nonlinear conjugate gradients (Polak-Ribiere), with a line search that interpolates and extrapolates.
local optim = require 'optim'
local need = require 'optim.need'

need.declare('optim.cg', 'maxIter maxEval rho sig int ext ratio')

local function bad(z) return z ~= z or z == math.huge or z == -math.huge end

--- Minimises with conjugate gradients, after C. E. Rasmussen's description of `minimize` (2006). Each line search ends
-- when Wolfe-Powell conditions hold; cubic and quadratic polynomials give the points to try.
-- @param config.maxIter  evaluations in one line search, default 20
-- @param config.maxEval  evaluations in all, default maxIter * 1.25
-- @param config.rho,sig  the conditions: enough descent, small slope; default 0.01 and 0.5
-- @param config.int,ext  the least distance from the ends of a bracket, the largest outside; default 0.1 and 3
-- @param config.ratio    the largest ratio of slopes between line searches, default 100
-- @return x, {the value after each line search}, number of evaluations
-- x = torch.Tensor{1}; optim.cg(function(x) return x[1]^2, x * 2 end, x, {maxIter = 5}); x:norm() < 1e-9 --> true
function optim.cg(opfunc, x, config)
   config = need.all('optim.cg', opfunc, x, config)
   local rho, sig = config.rho or 0.01, config.sig or 0.5
   local int, ext, ratio = config.int or 0.1, config.ext or 3, config.ratio or 100
   local maxIter = config.maxIter or 20
   local maxEval = config.maxEval or maxIter * 1.25
   local evaluations = 0

   local function evaluate()
      local f, g = need.evaluate_number('optim.cg', opfunc, x)
      evaluations = evaluations + 1
      return f, g:clone()
   end

   local f1, g1 = evaluate()
   local values = {f1}
   local s = g1:clone():mul(-1)
   local d1 = -s:dot(s)                              -- the slope
   local z1 = 1 / (1 - d1)                           -- the step
   local failed = false

   while evaluations < maxEval and d1 < 0 do          -- a slope of 0: this is the minimum
      local x0, f0 = x:clone(), f1
      x:add(z1, s)
      local f2, g2 = evaluate()
      local d2 = g2:dot(s)
      local f3, d3, z3 = f1, d1, -z1                 -- the other end
      local left = math.min(maxIter, maxEval - evaluations)
      local success, limit = false, -1
      while true do
         while (f2 > f1 + z1 * rho * d1 or d2 > -sig * d1) and left > 0 do
            limit = z1
            local z2
            if f2 > f1 then
               z2 = z3 - (0.5 * d3 * z3 * z3) / (d3 * z3 + f2 - f3)
            else
               local a = 6 * (f2 - f3) / z3 + 3 * (d2 + d3)
               local b = 3 * (f3 - f2) - z3 * (d3 + 2 * d2)
               z2 = (math.sqrt(b * b - a * d2 * z3 * z3) - b) / a
            end
            if bad(z2) then z2 = z3 / 2 end
            z2 = math.max(math.min(z2, int * z3), (1 - int) * z3)
            z1 = z1 + z2
            x:add(z2, s)
            f2, g2 = evaluate()
            left = left - 1
            d2 = g2:dot(s)
            z3 = z3 - z2
         end
         if f2 > f1 + z1 * rho * d1 or d2 > -sig * d1 then break end
         if d2 > sig * d1 then
            success = true
            break
         end
         if left == 0 or left < -10 then break end   -- a fraction of maxEval continues until it finds a point
         local a = 6 * (f2 - f3) / z3 + 3 * (d2 + d3)
         local b = 3 * (f3 - f2) - z3 * (d3 + 2 * d2)
         local z2 = -d2 * z3 * z3 / (b + math.sqrt(b * b - a * d2 * z3 * z3))
         if bad(z2) or z2 < 0 then
            z2 = limit < -0.5 and z1 * (ext - 1) or (limit - z1) / 2
         elseif limit > -0.5 and z2 + z1 > limit then
            z2 = (limit - z1) / 2
         elseif limit < -0.5 and z2 + z1 > z1 * ext then
            z2 = z1 * (ext - 1)
         elseif z2 < -z3 * int then
            z2 = -z3 * int
         elseif limit > -0.5 and z2 < (limit - z1) * (1 - int) then
            z2 = (limit - z1) * (1 - int)
         end
         f3, d3, z3 = f2, d2, -z2
         z1 = z1 + z2
         x:add(z2, s)
         f2, g2 = evaluate()
         left = left - 1
         d2 = g2:dot(s)
      end
      if success then
         f1 = f2
         values[#values + 1] = f1
         local beta = (g2:dot(g2) - g2:dot(g1)) / g1:dot(g1)
         s:mul(beta):add(-1, g2)
         g1 = g2
         d2 = g1:dot(s)
         if d2 > 0 then
            s:copy(g1):mul(-1)
            d2 = -s:dot(s)
         end
         z1 = z1 * math.min(ratio, d1 / (d2 - 1e-320))
         d1 = d2
         failed = false
      else
         x:copy(x0)
         f1 = f0
         if failed or evaluations > maxEval then break end
         g1 = g2
         s:copy(g1):mul(-1)
         d1 = -s:dot(s)
         z1 = 1 / (1 - d1)
         failed = true
      end
   end
   return x, values, evaluations
end
