-- lua/distlearn/AllReduceEA.lua - distlearn's AllReduceEA over dist: elastic averaging in which each rank has a
-- copy of the centre.
--
--    local ea = require 'distlearn.AllReduceEA'(nil, 10, 0.2)
--    ea.synchronizeParameters(params)           at the start
--    ea.averageParameters(params)               after each step
--    ea.synchronizeCenter(params)               after each epoch: the steps of all ranks end there
local arg = require 'torch.arg'
local dist = require 'dist'.init()
local lib = require 'distlearn.lib'

--- At every tau-th call of averageParameters, delta = alpha (params - centre) is subtracted from the parameters, and the sum of
-- all ranks' deltas is added to the centre. The first argument of distlearn, a tree of processes, is not needed.
return function(_, tau, alpha)
   if type(tau) ~= 'number' or tau % 1 ~= 0 or tau < 1 then arg.refuse('AllReduceEA', 'tau', 'a whole number from 1', tau) end
   if type(alpha) ~= 'number' or not (alpha >= 0 and alpha <= 1) then
      arg.refuse('AllReduceEA', 'alpha', 'a number in 0..1', alpha)
   end
   local center, steps = nil, 0

   local function needCenter(list)
      if center then return end
      center = {}
      for i, p in ipairs(list) do center[i] = p:clone() end
   end

   local function add(deltas) for i, d in ipairs(deltas) do center[i]:add(d) end end

   --- Counts a step, and averages if tau steps are done. Returns the parameters, a tensor or tables of tensors.
   local function averageParameters(params)
      local list = lib.tensors('averageParameters', params)
      needCenter(list)
      steps = steps + 1
      if steps % tau ~= 0 then return params end
      local deltas = {}
      for i, p in ipairs(list) do
         deltas[i] = (p - center[i]):mul(alpha)
         p:add(-1, deltas[i])
      end
      lib.count(1)
      add(dist.allreduce(deltas))
      return params
   end

   local function come_to_an_end(who, params)
      local list = lib.tensors(who, params)
      needCenter(list)
      lib.finish(list, add)
      return list
   end

   --- Copies the centre of one rank to all, because the centres drift apart by rounding.
   local function synchronizeCenter(params)
      come_to_an_end('synchronizeCenter', params)
      lib.takeFarthest(center, steps)
      steps = 0
      return params
   end

   --- Copies the parameters of the rank that has taken the most steps to all, also as their centre.
   local function synchronizeParameters(params)
      local list = come_to_an_end('synchronizeParameters', params)
      lib.takeFarthest(list, steps)
      for i, p in ipairs(list) do center[i]:copy(p) end
      steps = 0
      return params
   end

   return { averageParameters = averageParameters, synchronizeCenter = synchronizeCenter,
            synchronizeParameters = synchronizeParameters }
end
