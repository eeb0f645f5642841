-- feed.concat - datasets one after the other.
local need = require 'feed.need'

local Concat = {}
Concat.__index = Concat

--- The samples of several datasets, one after the other.
-- d = require 'feed'; d.concat(d.tensors(torch.ones(2)), d.tensors(torch.zeros(3))):size() --> 5
function Concat.new(...)
   local parts, first = { ... }, { 0 }
   if select('#', ...) == 0 then error('feed.concat: a dataset is wanted, got none', 2) end
   for k = 1, select('#', ...) do
      need.dataset('feed.concat', 'argument ' .. k, parts[k])
      first[k + 1] = first[k] + need.count('feed.concat', parts[k])
   end
   if first[#first] > 2 ^ 53 then error(('feed.concat: %.0f samples are too many'):format(first[#first]), 2) end
   return setmetatable({ parts = parts, first = first }, Concat)
end

function Concat:size() return self.first[#self.first] end

function Concat:get(i, random)
   need.index('feed.concat', i, self:size())
   local lo, hi = 1, #self.parts                              -- the part with first[k] < i <= first[k + 1]
   while lo < hi do
      local k = math.floor((lo + hi) / 2)
      if i > self.first[k + 1] then lo = k + 1 else hi = k end
   end
   return self.parts[lo]:get(i - self.first[lo], random)
end

return Concat
