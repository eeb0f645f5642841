-- lua/dist/scales.lua - the scales of the loss of nn.MixedPrecision: copies of a model, on several ranks or for several
-- micro-batches, go on with the same.
local torch = require 'torch'
local dist = require 'dist'

local M = {}

--- The modules in a model that have a scale.
function M.of(model)
   local list = {}
   for _, module in ipairs(model:listModules()) do
      if torch.isTypeOf(module, 'nn.MixedPrecision') then list[#list + 1] = module end
   end
   return list
end

--- Takes over what those of another copy have come to.
function M.copy(to, from)
   for i, module in ipairs(to) do module.lossScale, module.calm = from[i].lossScale, from[i].calm end
end

--- The ranks of a group take the smallest: where gradients were too large for a scale on one, it was so for all. All call it.
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
