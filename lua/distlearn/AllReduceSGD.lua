-- lua/distlearn/AllReduceSGD.lua - distlearn's AllReduceSGD over dist: gradients summed over ranks, which may take different
-- numbers of steps.
--
--    local sgd = require 'distlearn.AllReduceSGD'()
--    sgd.synchronizeParameters(params)          at the start, and after each epoch: there the steps of all come to an end
--    sgd.sumAndNormalizeGradients(grads)        at each step
local dist = require 'dist'.init()
local lib = require 'distlearn.lib'

--- The argument of distlearn, a tree of processes, is not needed: the job's ranks are it.
return function()
   local steps = 0

   local function sum(who, grads)
      local list = lib.tensors(who, grads)
      local n = lib.count(1)
      dist.allreduce(list)
      steps = steps + 1
      return list, n
   end

   --- Gradients, a tensor or tables of tensors, become their sum over the ranks that take the step. Returns them, and how many.
   local function sumGradients(grads)
      local _, n = sum('sumGradients', grads)
      return grads, n
   end

   --- The same, divided by how many ranks took the step.
   local function sumAndNormalizeGradients(grads)
      local list, n = sum('sumAndNormalizeGradients', grads)
      for _, g in ipairs(list) do g:mul(1 / n) end
      return grads, n
   end

   --- All ranks get the parameters of the one that has taken the most steps; who has fewer waits for the others here.
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
