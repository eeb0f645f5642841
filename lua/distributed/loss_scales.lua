-- lua/distributed/loss_scales.lua - the loss scales of nn.MixedPrecision: replicas of a model, on several ranks
-- or for several micro-batches, continue with the same ones.
local torch = require 'torch'
local dist = require 'distributed.core'

local M = {}

--- The modules in a model that have a scale.
function M.of(model)
   local list = {}
   for _, module in ipairs(model:listModules()) do
      if torch.isTypeOf(module, 'nn.MixedPrecision') then list[#list + 1] = module end
   end
   return list
end

--- Copies the scales of another replica.
function M.copy(to, from)
   for i, module in ipairs(to) do module.lossScale, module.calm = from[i].lossScale, from[i].calm end
end

--- Sets all ranks of a group to the smallest scale: if gradients overflowed with a scale on one rank, it is too large for all.
-- All ranks call it.
-- @param options  as of dist's operations
-- @param idle  true: this rank has made no pass, and takes the scale of those that have
function M.same(model, options, idle)
   local list = M.of(model)
   if #list == 0 then return end
   local all = torch.DoubleTensor(#list, 2):fill(math.huge)
   for i, module in ipairs(idle and {} or list) do all[i][1], all[i][2] = module.lossScale, module.calm end
   dist.allreduce(all, 'min', options)
   for i, module in ipairs(list) do module.lossScale, module.calm = all[i][1], all[i][2] end
end

return M
