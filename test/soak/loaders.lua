-- test/soak/loaders.lua - loaders with threads read packed records: whole epochs, loops that end early, errors, states.
local torch = require 'torch'
local feed = require 'feed'

local RECORDS = 300

local function loop(loader, most)
   local sum, count = 0, 0
   for batch in loader:epoch() do
      sum, count = sum + batch.label:sum(), count + 1
      if count == most then break end
   end
   return sum
end

return function(soak)
   local name, k = soak:file 'records', 0
   feed.pack(name, function()
      k = k + 1
      if k <= RECORDS then return { image = torch.ByteTensor(3, 8, 8):fill(k % 200), label = k } end
   end)
   local options = { dataset = feed.records(name), batch = 32, shuffle = true, seed = soak.round, workers = soak.round % 3,
      reuse = soak.round % 2 == 0 }
   local loader = feed.loader(options)
   assert(loop(loader) == RECORDS * (RECORDS + 1) / 2, 'an epoch does not have every record once')
   local some = loop(loader, 3)
   local state = loader:state()
   local rest = loop(loader)
   assert(some + rest == RECORDS * (RECORDS + 1) / 2)
   loader:restore(state)
   assert(loop(loader) == rest, 'a restored loader gives other samples')
   loader:close()
   options.dataset = feed.map(options.dataset, function(sample, _, i)
      if i == 17 then error 'wanted' end
      return sample
   end)
   loader = feed.loader(options)
   soak.fails('wanted', loop, loader)
   loader = feed.loader { dataset = feed.records(name), batch = 10, workers = 2 }
   loop(loader, 2)                                                -- forgotten in the middle of an epoch
   os.remove(name)
end
