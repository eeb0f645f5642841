-- lua/distributed/pipeline/plan.lua - checks of a pipeline's model and options, and the placement of its layers.
local torch = require 'torch'
local arg = require 'torch.arg'
local agree = require 'distributed.collective_check'
local stages = require 'distributed.pipeline.stages'

local M = {}

local WHO = 'dist.Pipeline'
local known = { criterion = 'table', sizeAverage = 'boolean', micro = 'number', stages = 'table', costs = 'table', sample = true,
   schedule = 'string', checkpoint = 'boolean', group = true, data = true, average = 'boolean' }

local function fail(text, ...) error(WHO .. ': ' .. text:format(...), 0) end

--- Refuses an invalid model or invalid options.
function M.need_options(model, options)
   if torch.type(model) ~= 'nn.Sequential' then arg.refuse(WHO, 'model', 'an nn.Sequential', model, -1) end
   for name, value in pairs(options) do
      local kind = known[name]
      if not kind then fail('there is no option %s', tostring(name)) end
      if kind ~= true and type(value) ~= kind then arg.refuse(WHO, name, 'a ' .. kind, value, -1) end
   end
   local m, schedule = options.micro, options.schedule
   if m and (m % 1 ~= 0 or m < 1 or m > 2 ^ 20) then arg.refuse(WHO, 'micro', 'a whole number from 1', m, -1) end
   if schedule and schedule ~= '1f1b' and schedule ~= 'gpipe' then
      fail("schedule must be '1f1b' or 'gpipe', got %s", schedule)
   end
   if options.criterion and not torch.isTypeOf(options.criterion, 'nn.Criterion') then
      arg.refuse(WHO, 'criterion', 'a criterion', options.criterion, -1)
   end
   if (options.stages and 1 or 0) + (options.costs and 1 or 0) + (options.sample and 1 or 0) > 1 then
      fail 'give one of stages, costs and sample'
   end
end

local function need_counts(counts, layers, n)
   local sum = 0
   for i = 1, #counts do
      local c = counts[i]
      if type(c) ~= 'number' or c % 1 ~= 0 or c < 1 then
         arg.refuse(WHO, ('stages[%d]'):format(i), 'a whole number of layers from 1', c, -1)
      end
      sum = sum + c
   end
   if #counts ~= n then fail('stages must have %d entries, got %d', n, #counts) end
   if sum ~= layers then fail('stages must have %d layers in all, got %d', layers, sum) end
   return counts
end

local function need_costs(costs, layers)
   local sum = 0
   if #costs ~= layers then fail('costs must be those of %d layers, got %d', layers, #costs) end
   for i, c in ipairs(costs) do
      if type(c) ~= 'number' or not (c >= 0 and c < math.huge) then
         arg.refuse(WHO, ('costs[%d]'):format(i), 'a number from 0', c, -1)
      end
      sum = sum + c
   end
   if sum == math.huge then fail 'the sum of costs must be finite' end
   return costs
end

--- How many layers each of n stages has.
function M.placed(layers, n, options)
   if #layers < n then fail('%d layer%s for %d ranks: each needs at least one', #layers, #layers == 1 and '' or 's', n) end
   if options.stages then return need_counts(options.stages, #layers, n) end
   local costs = options.costs and need_costs(options.costs, #layers)
      or options.sample and stages.measured(layers, options.sample) or stages.counted(layers)
   return stages.balanced(costs, n)
end

-- The first element of a tensor in its storage, and the number of elements from there to its last
-- one.
local function span_of(p)
   local size = p:nElement() > 0 and 1 or 0
   for d = 1, size > 0 and p:dim() or 0 do size = size + (tonumber(p:size(d)) - 1) * tonumber(p:stride(d)) end
   return tonumber(p:storageOffset()), size
end

--- Parameters that two stages share would become two, each with a part of the gradient, so they are
-- refused.
function M.need_apart(layers, counts)
   local owner, stage, left = {}, 1, counts[1]
   for i, layer in ipairs(layers) do
      while left == 0 do
         stage = stage + 1
         left = counts[stage]
      end
      left = left - 1
      for _, p in ipairs(layer:parameters() or {}) do
         local at, size = span_of(p)
         local key = size > 0 and tostring(torch.pointer(p:storage()))
         owner[key] = owner[key] or {}
         for _, other in ipairs(owner[key]) do
            if other.stage ~= stage and at < other.at + other.size and other.at < at + size then
               fail('layers %d and %d share parameters: they must be on one rank', other.layer, i)
            end
         end
         table.insert(owner[key], { at = at, size = size, stage = stage, layer = i })
      end
   end
end

--- Refuses a data group that contains other ranks of this pipeline.
function M.need_beside(group, across)
   for _, rank in ipairs(across.ranks) do
      for stage, other in ipairs(group.ranks) do
         if other == rank and stage ~= group.at + 1 then
            fail('data: rank %d holds another stage of this pipeline', rank)
         end
      end
   end
end

--- Refuses layers that remember states, because micro-batches are in flight together.
function M.need_forgetful(model)
   for _, layer in ipairs(model:listModules()) do
      if layer.rememberStates then
         fail('%s with rememberStates carries state from batch to batch, which micro-batches cannot', torch.type(layer))
      end
   end
end

--- The groups (by number) whose ranks hold parts of these layers. Each must contain only this rank
-- of the pipeline.
function M.parts_of(module, group)
   local list, seen = {}, {}
   for _, layer in ipairs(module:listModules()) do
      local number = type(layer.number) == 'number' and layer.collect and layer.number
      if number and not seen[number] and agree.group(number).n > 1 then
         seen[number], list[#list + 1] = true, number
         for _, rank in ipairs(agree.group(number).ranks) do
            for stage, other in ipairs(group.ranks) do
               if other == rank and stage ~= group.at + 1 then
                  fail('rank %d holds another stage of this pipeline, and cannot hold a part of the %s', rank, torch.type(layer))
               end
            end
         end
      end
   end
   return list
end

return M
