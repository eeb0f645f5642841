-- lua/optim/quasi.lua - the steps of L-BFGS, for vectors of any space (lua/optim/space.lua).

--- L-BFGS, as optim.lbfgs describes it.
-- @param who    for messages
-- @param space  computes products of vectors, and values and gradients
return function(who, opfunc, x, config, state, space)
   local maxIter = tonumber(config.maxIter) or 20
   local maxEval = tonumber(config.maxEval) or maxIter * 1.25
   local tolFun, tolX = config.tolFun or 1e-5, config.tolX or 1e-9
   local keep = tonumber(config.nCorrection or 100)
   if keep < 1 or keep ~= keep then error(('%s: config.nCorrection must be a number from 1, got %g'):format(who, keep), 3) end
   local rate = config.learningRate or 1
   local function say(text) if config.verbose then print(('<%s> %s'):format(who, text)) end end

   state.funcEval = state.funcEval or 0
   state.nIter = state.nIter or 0
   local f, g = space.evaluate(who, opfunc, x)
   local values, evaluations = {f}, 1
   state.funcEval = state.funcEval + 1
   if space.sum(g) <= tolFun then
      say 'the gradient is below tolFun'
      return x, values, evaluations
   end

   state.old_dirs = state.old_dirs or {}             -- steps
   state.old_stps = state.old_stps or {}             -- changes of the gradient
   local steps, changes = state.old_dirs, state.old_stps
   state.products = state.products or {}             -- of each change and its step
   local products = state.products
   for i = #products + 1, #steps do products[i] = space.dot(changes[i], steps[i]) end
   local iteration = 0
   while iteration < maxIter do
      iteration = iteration + 1
      if state.d then                               -- the last step, and how it has changed the gradient
         local y, s = g:clone():add(-1, state.g_old), state.d:clone():mul(state.t)
         local ys, yy = space.dots(y, s, y, y)
         state.d = nil                              -- a step is one pair, even if later code fails
         if ys > 1e-10 then
            while #steps >= keep do
               table.remove(steps, 1)
               table.remove(changes, 1)
               table.remove(products, 1)
            end
            steps[#steps + 1], changes[#changes + 1], products[#products + 1] = s, y, ys
            state.Hdiag = ys / yy
         end
      end
      local q, alpha = g:clone():mul(-1), {}
      for i = #steps, 1, -1 do
         alpha[i] = space.dot(steps[i], q) / products[i]
         q:add(-alpha[i], changes[i])
      end
      local d = q:mul(state.Hdiag or 1)
      for i = 1, #steps do
         local beta = space.dot(changes[i], d) / products[i]
         d:add(alpha[i] - beta, steps[i])
      end
      local before = f
      local slope = space.dot(g, d)
      if slope > -tolX then
         say 'the direction does not go down'
         break
      end
      local t = state.nIter == 0 and math.min(1, 1 / space.sum(g)) * rate or rate

      local from, used = g:clone(), 0
      local function stepped() state.d, state.t, state.g_old, state.nIter = d, t, from, state.nIter + 1 end
      if config.lineSearch then
         local place
         f, g, place, t, used = space.search(config.lineSearch, opfunc, x, t, d, f, g, slope, config.lineSearchOptions)
         if place ~= x then x:copy(place) end
         stepped()
         values[#values + 1] = f
      else
         x:add(t, d)
         stepped()
         if iteration ~= maxIter then
            f, g = space.evaluate(who, opfunc, x)
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
      elseif space.sum(g) <= tolFun then
         say 'the gradient is below tolFun'
         break
      elseif space.sum(d:clone():mul(t)) <= tolX then
         say 'the step is below tolX'
         break
      elseif math.abs(f - before) < tolX then
         say 'the value moves less than tolX'
         break
      end
   end
   return x, values, evaluations
end
