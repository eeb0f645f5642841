-- lua/optim/lbfgs.lua - limited-memory BFGS.
local optim = require 'optim'
local need = require 'optim.need'

--- Steps of L-BFGS (Liu and Nocedal, "On the limited memory BFGS method for large scale optimization", 1989). The
-- correction pairs stay in the state, so that the next call goes on from them.
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
   local maxIter = tonumber(config.maxIter) or 20
   local maxEval = tonumber(config.maxEval) or maxIter * 1.25
   local tolFun, tolX = config.tolFun or 1e-5, config.tolX or 1e-9
   local keep = config.nCorrection or 100
   local rate = config.learningRate or 1
   local function say(text) if config.verbose then print('<optim.lbfgs> ' .. text) end end

   state.funcEval = state.funcEval or 0
   state.nIter = state.nIter or 0
   local f, g = need.evaluate('optim.lbfgs', opfunc, x)
   local values, evaluations = {f}, 1
   state.funcEval = state.funcEval + 1
   if g:clone():abs():sum() <= tolFun then
      say 'the gradient is below tolFun'
      return x, values, evaluations
   end

   state.old_dirs = state.old_dirs or {}             -- steps
   state.old_stps = state.old_stps or {}             -- changes of the gradient
   local steps, changes = state.old_dirs, state.old_stps
   local d, t = state.d, state.t
   local iteration = 0
   while iteration < maxIter do
      iteration = iteration + 1
      state.nIter = state.nIter + 1
      if state.nIter == 1 then
         d = g:clone():mul(-1)
         state.Hdiag = 1
      else
         local y, s = g:clone():add(-1, state.g_old), d:clone():mul(t)
         local ys = y:dot(s)
         if ys > 1e-10 then
            if #steps == keep then
               table.remove(steps, 1)
               table.remove(changes, 1)
            end
            steps[#steps + 1], changes[#changes + 1] = s, y
            state.Hdiag = ys / y:dot(y)
         end
         local q, alpha = g:clone():mul(-1), {}
         for i = #steps, 1, -1 do
            alpha[i] = steps[i]:dot(q) / changes[i]:dot(steps[i])
            q:add(-alpha[i], changes[i])
         end
         d = q:mul(state.Hdiag)
         for i = 1, #steps do
            local beta = changes[i]:dot(d) / changes[i]:dot(steps[i])
            d:add(alpha[i] - beta, steps[i])
         end
      end
      state.g_old = g:clone()
      local before = f
      local slope = g:dot(d)
      if slope > -tolX then
         say 'the direction does not go down'
         break
      end
      t = state.nIter == 1 and math.min(1, 1 / g:clone():abs():sum()) * rate or rate

      local used = 0
      if config.lineSearch then
         local place
         f, g, place, t, used = config.lineSearch(opfunc, x, t, d, f, g, slope, config.lineSearchOptions)
         if place ~= x then x:copy(place) end
         values[#values + 1] = f
      else
         x:add(t, d)
         if iteration ~= maxIter then
            f, g = need.evaluate('optim.lbfgs', opfunc, x)
            used = 1
            values[#values + 1] = f
         end
      end
      evaluations = evaluations + used
      state.funcEval = state.funcEval + used

      if iteration == maxIter then
         say 'the number of iterations is reached'
         break
      elseif evaluations >= maxEval then
         say 'the number of evaluations is reached'
         break
      elseif g:clone():abs():sum() <= tolFun then
         say 'the gradient is below tolFun'
         break
      elseif d:clone():mul(t):abs():sum() <= tolX then
         say 'the step is below tolX'
         break
      elseif math.abs(f - before) < tolX then
         say 'the value moves less than tolX'
         break
      end
   end
   state.d, state.t = d, t
   return x, values, evaluations
end
