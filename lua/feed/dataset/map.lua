-- feed.map - applies a function to the samples of a dataset.
local torch = require 'torch'
local fingerprint = require 'feed.fingerprint'
local need = require 'feed.need'
local seed = require 'feed.seed'

local Map = {}
Map.__index = Map

--- The dataset whose sample i is f(sample, random, i). `random` is a torch.Generator whose numbers depend on the loader's
-- seed, the epoch and the sample alone, for any number of threads: torch.uniform(random, -1, 1). Worker threads get a copy of
-- f, with copies of the variables that it uses.
-- d = require 'feed'.map(require 'feed'.tensors(torch.range(1, 3)), function(x) return 2 * x end); d:get(3) --> 6
function Map.new(dataset, f)
   need.dataset('feed.map', 'dataset', dataset)
   need.callable('feed.map', 'f', f)
   return setmetatable({ dataset = dataset, f = f }, Map)
end

function Map:size() return self.dataset:size() end

function Map:get(i, random)
   if not random then
      random = torch.Generator 'philox'
      torch.manualSeed(random, seed.of(0, 0, i))
   end
   return self.f(self.dataset:get(i, random), random, i)
end

-- f is not part of the fingerprint, because it may change between two runs.
function Map:fingerprint() return fingerprint.of(self.dataset) end

return Map
