-- feed.subset - some samples of a dataset, in a given order; and feed.split, which cuts a dataset into such parts.
local torch = require 'torch'
local arg = require 'torch.arg'
local fingerprint = require 'feed.fingerprint'
local need = require 'feed.need'
local seeds = require 'feed.seed'

local Subset = {}
Subset.__index = Subset

--- The samples of a dataset that have these numbers, a LongTensor or a list.
-- d = require 'feed'; d.subset(d.tensors(torch.range(1, 9)), {8, 2}):get(1) --> 8
function Subset.new(dataset, numbers)
   local n = need.count('feed.subset', need.dataset('feed.subset', 'dataset', dataset))
   if type(numbers) == 'table' then
      if not need.is_list(numbers) then arg.refuse('feed.subset', 'numbers', 'a list without holes', numbers) end
      for k, v in ipairs(numbers) do need.whole('feed.subset', ('numbers[%d]'):format(k), v, 1, n) end
      numbers = torch.LongTensor(numbers)
   elseif not torch.isTensor(numbers) or numbers:type() ~= 'torch.LongTensor'
      or numbers:nElement() > 0 and numbers:dim() ~= 1 then
      arg.refuse('feed.subset', 'numbers', 'a torch.LongTensor of one dimension, or a list of numbers', numbers)
   elseif numbers:nElement() > 0 and (numbers:min() < 1 or numbers:max() > n) then
      error(('feed.subset: samples have the numbers 1..%.0f, got %.0f..%.0f'):format(n, numbers:min(), numbers:max()), 2)
   end
   return setmetatable({ dataset = dataset, numbers = numbers:clone() }, Subset)
end

function Subset:size() return self.numbers:nElement() end

function Subset:get(i, random)
   need.index('feed.subset', i, self:size())
   return self.dataset:get(self.numbers[i], random)
end

-- For a dataset that makes whole batches.
function Subset:batch(numbers, out)
   if not self.dataset.batch then return nil end
   return self.dataset:batch(self.numbers:index(1, need.indices('feed.subset', numbers, self:size())), out)
end

function Subset:fingerprint()
   self.sum = self.sum or fingerprint.sum(self.numbers)
   return fingerprint.new('subset', ('%s of %s'):format(self.sum, fingerprint.of(self.dataset) or '?'))
end

local function need_parts(parts)
   if type(parts) ~= 'table' or #parts == 0 then arg.refuse('feed.split', 'parts', 'a list of fractions', parts, 3) end
   local sum = 0
   for k, v in ipairs(parts) do
      if type(v) ~= 'number' or not (v >= 0 and v <= 1) then
         arg.refuse('feed.split', ('parts[%d]'):format(k), 'a number in 0..1', v, 3)
      end
      sum = sum + v
   end
   if math.abs(sum - 1) > 1e-9 then error(('feed.split: the parts must have the sum 1, got %g'):format(sum), 3) end
end

--- Cuts a dataset into parts, whose sizes are these fractions of it: returns a dataset for each. Every sample is in one of them.
-- @param seed  a seed to shuffle the samples first (default: they stay in order)
-- d = require 'feed'; a, b = d.split(d.tensors(torch.range(1, 10)), {0.8, 0.2}); b:get(1) --> 9
function Subset.split(dataset, parts, seed)
   local n = need.count('feed.split', need.dataset('feed.split', 'dataset', dataset))
   need_parts(parts)
   if seed ~= nil then need.whole('feed.split', 'seed', seed, 0, 2 ^ 53) end
   local numbers = torch.LongTensor()
   if n > 0 then numbers = seed and seeds.permutation(n, seed, 0, 0) or numbers:range(1, n) end
   local sets, sum, first = {}, 0, 0
   for k, part in ipairs(parts) do
      sum = sum + part
      local last = k == #parts and n or math.floor(n * sum + 0.5)
      sets[k] = Subset.new(dataset, last > first and numbers:narrow(1, first + 1, last - first) or torch.LongTensor())
      first = last
   end
   return unpack(sets)
end

return Subset
