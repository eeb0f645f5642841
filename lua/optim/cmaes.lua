-- lua/optim/cmaes.lua - CMA-ES: an evolution strategy that learns a covariance matrix.
local torch = require 'torch'
local optim = require 'optim'
local need = require 'optim.need'

need.declare('optim.cmaes', 'sigma maxEval ftarget popsize ftol xtol verb_disp minSigma')

-- Eigenvalues and eigenvectors (columns) of a symmetric matrix, by Jacobi's rotations; plain tables.
local function eigen(a)
   local n, v = #a, {}
   for i = 1, n do
      v[i] = {}
      for k = 1, n do v[i][k] = i == k and 1 or 0 end
   end
   for _ = 1, 100 do
      local off = 0
      for i = 1, n do for k = i + 1, n do off = off + a[i][k] * a[i][k] end end
      if off < 1e-30 then break end
      for p = 1, n do
         for q = p + 1, n do
            if math.abs(a[p][q]) > 1e-300 then
               local theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
               local t = (theta >= 0 and 1 or -1) / (math.abs(theta) + math.sqrt(theta * theta + 1))
               local c = 1 / math.sqrt(t * t + 1)
               local s = t * c
               for k = 1, n do a[k][p], a[k][q] = c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q] end
               for k = 1, n do a[p][k], a[q][k] = c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k] end
               for k = 1, n do v[k][p], v[k][q] = c * v[k][p] - s * v[k][q], s * v[k][p] + c * v[k][q] end
            end
         end
      end
   end
   local values = {}
   for i = 1, n do values[i] = a[i][i] end
   return values, v
end

--- Minimises with the covariance matrix adaptation evolution strategy (Hansen, "The CMA evolution strategy: a tutorial",
-- 2016), for functions without a gradient.
-- @param config.sigma      the distance to try at the start; should be about a third of the range; required
-- @param config.maxEval    evaluations, default 1000 * (number of parameters)^2
-- @param config.ftarget    ends at this value
-- @param config.popsize    default 4 + 3 log(number of parameters)
-- @param config.ftol,xtol  ends when values or points move less; default 1e-15 and 1e-17
-- @param config.verb_disp  prints every so many rounds; default 0
-- @return x (moved to the best point), {the best value after each round}, number of evaluations
function optim.cmaes(opfunc, x, config)
   config = need.all('optim.cmaes', opfunc, x, config)
   local n = x:nElement()
   local sigma = config.sigma
   if type(sigma) ~= 'number' or sigma ~= sigma or sigma <= 0 then
      error('optim.cmaes: config.sigma must be a positive number, got ' .. tostring(sigma), 2)
   end
   local size = config.popsize or 4 + math.floor(3 * math.log(n))
   local most = config.maxEval or 1000 * n * n
   local target = config.ftarget or -math.huge
   local ftol, xtol = config.ftol or 1e-15, config.xtol or 1e-17

   -- Weights of the better half, and the rates of learning.
   local mu = math.floor(size / 2)
   local weights, sum, squares = {}, 0, 0
   for i = 1, mu do
      weights[i] = math.log(mu + 0.5) - math.log(i)
      sum = sum + weights[i]
   end
   for i = 1, mu do
      weights[i] = weights[i] / sum
      squares = squares + weights[i] ^ 2
   end
   local mueff = 1 / squares
   local cc = (4 + mueff / n) / (n + 4 + 2 * mueff / n)
   local cs = (mueff + 2) / (n + mueff + 5)
   local c1 = 2 / ((n + 1.3) ^ 2 + mueff)
   local cmu = math.min(1 - c1, 2 * (mueff - 2 + 1 / mueff) / ((n + 2) ^ 2 + mueff))
   local damps = 1 + cs + 2 * math.max(0, math.sqrt((mueff - 1) / (n + 1)) - 1)
   local chi = math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))

   local function vector(value)
      local v = {}
      for i = 1, n do v[i] = value end
      return v
   end
   local flat = x:view(-1)
   local mean, pc, ps, C = {}, vector(0), vector(0), {}
   for i = 1, n do
      mean[i] = flat[i]
      C[i] = vector(0)
      C[i][i] = 1
   end
   local best, bestPlace, evaluations, history = math.huge, x:clone(), 0, {}
   local place = x:clone()

   for round = 1, math.huge do
      local copy = {}
      for i = 1, n do
         copy[i] = {}
         for k = 1, n do copy[i][k] = (C[i][k] + C[k][i]) / 2 end
      end
      local scale, B = eigen(copy)
      for i = 1, n do scale[i] = math.sqrt(math.max(scale[i], 1e-30)) end

      local people = {}
      for k = 1, size do
         local z, y = {}, {}
         for i = 1, n do z[i] = torch.normal() * scale[i] end
         for i = 1, n do
            local total = 0
            for j = 1, n do total = total + B[i][j] * z[j] end
            y[i] = total
         end
         local to = place:view(-1)
         for i = 1, n do to[i] = mean[i] + sigma * y[i] end
         local f = need.value('optim.cmaes', (opfunc(place)))
         evaluations = evaluations + 1
         if f < best then
            best = f
            bestPlace:copy(place)
         end
         people[k] = {f = f, y = y}
      end
      table.sort(people, function(a, b) return a.f < b.f or b.f ~= b.f and a.f == a.f end)   -- NaN is the worst
      history[round] = best

      -- The mean moves, and the two paths with it.
      local step = vector(0)
      for k = 1, mu do
         for i = 1, n do step[i] = step[i] + weights[k] * people[k].y[i] end
      end
      for i = 1, n do mean[i] = mean[i] + sigma * step[i] end
      local along = {}                                -- C^(-1/2) step
      for j = 1, n do
         local total = 0
         for i = 1, n do total = total + B[i][j] * step[i] end
         along[j] = total / scale[j]
      end
      local length = 0
      for i = 1, n do
         local total = 0
         for j = 1, n do total = total + B[i][j] * along[j] end
         ps[i] = (1 - cs) * ps[i] + math.sqrt(cs * (2 - cs) * mueff) * total
         length = length + ps[i] ^ 2
      end
      length = math.sqrt(length)
      local steady = length / math.sqrt(1 - (1 - cs) ^ (2 * round)) / chi < 1.4 + 2 / (n + 1)
      for i = 1, n do
         pc[i] = (1 - cc) * pc[i] + (steady and math.sqrt(cc * (2 - cc) * mueff) * step[i] or 0)
      end
      for i = 1, n do
         for j = 1, n do
            local rank = 0
            for k = 1, mu do rank = rank + weights[k] * people[k].y[i] * people[k].y[j] end
            C[i][j] = (1 - c1 - cmu) * C[i][j] + c1 * (pc[i] * pc[j] + (steady and 0 or cc * (2 - cc) * C[i][j]))
               + cmu * rank
         end
      end
      sigma = sigma * math.exp((cs / damps) * (length / chi - 1))

      if (config.verb_disp or 0) > 0 and round % config.verb_disp == 0 then
         print(('<optim.cmaes> round %d, %d evaluations: %g'):format(round, evaluations, best))
      end
      local widest = 0
      for i = 1, n do widest = math.max(widest, sigma * scale[i]) end
      if best <= target or evaluations >= most or widest < xtol
         or math.abs(people[1].f - people[size].f) < ftol and round > 1 then
         break
      end
   end
   x:copy(bestPlace)
   return x, history, evaluations
end
