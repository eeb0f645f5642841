-- lua/distributed/pipeline/stages.lua - the layers of each stage of a pipeline, and the order in which a stage
-- works.
local torch = require 'torch'
local comm = require 'distributed.lib'
local utils = require 'nn.utils'

local M = {}

--- The cost of layers, counted: their parameters, and one for the layer itself.
function M.counted(layers)
   local costs = {}
   for i, layer in ipairs(layers) do
      costs[i] = 1
      for _, p in ipairs(layer:parameters() or {}) do costs[i] = costs[i] + p:nElement() end
   end
   return costs
end

--- The cost of layers, measured: the seconds of forward and backward with this input, the least of
-- three. Copies are measured.
function M.measured(layers, input)
   local costs, drawn = {}, torch.getRNGState()
   local function fresh(x) return utils.map(x, function(t) return t:clone() end) end
   local at
   local ok, why = pcall(function()
      for i, layer in ipairs(layers) do
         at = i
         local copy, least, output = layer:clone(), math.huge, nil
         for _ = 1, 3 do
            local x = fresh(input)
            local since = comm.now()
            output = copy:forward(x)
            copy:backward(x, fresh(output))
            least = math.min(least, comm.now() - since)
         end
         costs[i], input = least, fresh(output)
      end
   end)
   torch.setRNGState(drawn)
   if not ok then error(('dist.Pipeline: sample, in layer %d: %s'):format(at, tostring(why)), 0) end
   return costs
end

--- How many layers each of n stages has, so that the most expensive stage costs as little as
-- possible; among such placements the one whose last stages have the most layers.
function M.balanced(costs, n)
   local sums = { [0] = 0 }
   for i, c in ipairs(costs) do sums[i] = sums[i - 1] + c end
   -- least[k][i]: the dearest of k stages that hold layers 1..i; last[k][i]: where the last of them begins
   local least, last = { [0] = { [0] = 0 } }, {}
   for k = 1, n do
      least[k], last[k] = {}, {}
      for i = k, #costs do
         least[k][i] = math.huge
         for j = k - 1, i - 1 do
            local most = math.max(least[k - 1][j] or math.huge, sums[i] - sums[j])
            if most < least[k][i] then least[k][i], last[k][i] = most, j end
         end
      end
   end
   local counts, at = {}, #costs
   for k = n, 1, -1 do
      counts[k] = at - last[k][at]
      at = last[k][at]
   end
   return counts
end

--- The work of stage `stage` (from 1) of n with m micro-batches, in order: a list of numbers, k for forward of micro-batch k and
-- -k for its backward; and the greatest number of micro-batches between their forward and backward.
-- @param schedule  '1f1b': backward as early as possible; 'gpipe': all forward, then all backward
function M.schedule(schedule, stage, n, m)
   local ahead = schedule == 'gpipe' and m or math.min(n - stage + 1, m)
   local list = {}
   for k = 1, m + ahead - 1 do
      if k <= m then list[#list + 1] = k end
      if k >= ahead then list[#list + 1] = -(k - ahead + 1) end
   end
   return list, ahead
end

--- The sizes of m micro-batches of n samples: the first n % m have one more.
function M.cut(n, m)
   local sizes = {}
   for k = 1, m do sizes[k] = math.floor(n / m) + (k <= n % m and 1 or 0) end
   return sizes
end

return M
