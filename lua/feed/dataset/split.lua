-- feed.split - cuts a dataset into parts.
local torch = require 'torch'
local arg = require 'torch.arg'
local need = require 'feed.need'
local seeds = require 'feed.seed'
local subset = require 'feed.dataset.subset'

local function need_parts(parts)
   if type(parts) ~= 'table' or #parts == 0 then
      arg.refuse('feed.split', 'parts', 'a list of fractions', parts, 3)
   end
   local sum = 0
   for k, v in ipairs(parts) do
      if type(v) ~= 'number' or not (v >= 0 and v <= 1) then
         arg.refuse('feed.split', ('parts[%d]'):format(k), 'a number in 0..1', v, 3)
      end
      sum = sum + v
   end
   if math.abs(sum - 1) > 1e-9 then
      error(('feed.split: the parts must have the sum 1, got %g'):format(sum), 3)
   end
end

--- Cuts a dataset into parts, whose sizes are these fractions of it: returns a dataset for each.
-- Every sample is in one of them.
-- @param seed  a seed to shuffle the samples first (default: they stay in order)
-- d = require 'feed'; a, b = d.split(d.tensors(torch.range(1, 10)), {0.8, 0.2}); b:get(1) --> 9
return function(dataset, parts, seed)
   local n = need.count('feed.split', need.dataset('feed.split', 'dataset', dataset))
   need_parts(parts)
   if seed ~= nil then need.whole('feed.split', 'seed', seed, 0, 2 ^ 53) end
   local numbers = torch.LongTensor()
   if n > 0 then numbers = seed and seeds.permutation(n, seed, 0, 0) or numbers:range(1, n) end
   local sets, sum, first = {}, 0, 0
   for k, part in ipairs(parts) do
      sum = sum + part
      local last = k == #parts and n or math.floor(n * sum + 0.5)
      local own = last > first and numbers:narrow(1, first + 1, last - first) or torch.LongTensor()
      sets[k] = subset.new(dataset, own)
      first = last
   end
   return unpack(sets)
end
