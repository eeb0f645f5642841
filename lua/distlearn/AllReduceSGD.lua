-- lua/distlearn/AllReduceSGD.lua - distlearn's AllReduceSGD over dist: gradients summed over ranks, which may take different
-- numbers of steps.
--
--    local sgd = require 'distlearn.AllReduceSGD'()
--    sgd.synchronizeParameters(params)          at the start, and after each epoch: the steps of all ranks end there
--    sgd.sumAndNormalizeGradients(grads)        at each step
local dist = require 'dist'.init()
local lib = require 'distlearn.lib'

--- The argument of distlearn, a tree of processes, is not needed: the job's ranks replace it.
return function()
   local steps = 0

   local function sum(who, grads)
      local list = lib.tensors(who, grads)
      local n = lib.count(1)
      dist.allreduce(list)
      steps = steps + 1
      return list, n
   end

   --- Sums gradients, a tensor or tables of tensors, over the ranks that take the step. Returns them, and the number of ranks.
   local function sumGradients(grads)
      local _, n = sum('sumGradients', grads)
      return grads, n
   end

   --- The same, divided by the number of ranks that took the step.
   local function sumAndNormalizeGradients(grads)
      local list, n = sum('sumAndNormalizeGradients', grads)
      for _, g in ipairs(list) do g:mul(1 / n) end
      return grads, n
   end

   --- Copies the parameters of the rank that has taken the most steps to all. Ranks with fewer steps wait here for the others.
   local function synchronizeParameters(params)
      local list = lib.tensors('synchronizeParameters', params)
      lib.finish(list, function() end)
      lib.takeFarthest(list, steps)
      steps = 0
      return params
   end

   return { sumGradients = sumGradients, sumAndNormalizeGradients = sumAndNormalizeGradients,
            synchronizeParameters = synchronizeParameters }
end
