-- feed.zip - combines datasets sample by sample: images and their labels.
local fingerprint = require 'feed.fingerprint'
local need = require 'feed.need'

local Zip = {}
Zip.__index = Zip

--- The dataset whose sample i is the list of the samples i of these datasets, which must have equal sizes. A table gives the
-- samples names.
-- d = require 'feed'; d.zip{x = d.tensors(torch.ones(2)), y = d.tensors(torch.zeros(2))}:get(1).y --> 0
function Zip.new(...)
   local parts, count = { ... }, select('#', ...)
   if count == 1 and type(parts[1]) == 'table' and not parts[1].get then
      parts = parts[1]
   else
      for k = 1, count do need.dataset('feed.zip', 'argument ' .. k, parts[k]) end
   end
   local n
   for key, part in pairs(parts) do
      local size = need.count('feed.zip', need.dataset('feed.zip', 'argument ' .. tostring(key), part))
      n = n or size
      if size ~= n then error(('feed.zip: all datasets must have as many samples, got %.0f and %.0f'):format(n, size), 2) end
   end
   if not n then error('feed.zip: expected a dataset, got none', 2) end
   return setmetatable({ parts = parts, n = n }, Zip)
end

function Zip:size() return self.n end

function Zip:get(i, random)
   need.index('feed.zip', i, self.n)
   local sample = {}
   for key, part in pairs(self.parts) do sample[key] = part:get(i, random) end
   return sample
end

-- For datasets that all make whole batches.
function Zip:batch(numbers, out)
   local batch = {}
   for key, part in pairs(self.parts) do
      if part.batch then batch[key] = part:batch(numbers, out and out[key]) end
      if batch[key] == nil then return nil end
   end
   return batch
end

function Zip:fingerprint() return fingerprint.of_parts('zip', self.parts) end

return Zip
