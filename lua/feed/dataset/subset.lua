-- feed.subset - some samples of a dataset, in a given order.
local torch = require 'torch'
local arg = require 'torch.arg'
local fingerprint = require 'feed.fingerprint'
local need = require 'feed.need'

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

return Subset
