-- feed.augment - replaces each image of a batch by a random part of it, by image.augment: the option `augment` of a loader.
local torch = require 'torch'
local arg = require 'torch.arg'
local collate = require 'feed.collate'
local image_augment = require 'feed.image_augment'
local plan = require 'feed.image_plan'
local seed = require 'feed.seed'

local augment = {}

-- The options without those of the loader.
local function options_of(o)
   local out = {}
   for name, v in pairs(o) do if name ~= 'key' then out[name] = v end end
   return out
end

--- Refuses the options that image.augment refuses. @param level  as in error()
function augment.check(o, level)
   plan.check('feed.loader: augment', options_of(o), level)
   if type(o.key) ~= 'nil' and type(o.key) ~= 'string' and type(o.key) ~= 'number' then
      arg.refuse('feed.loader: augment', 'key', 'a number or a string', o.key, level)
   end
end

local function key_of(job) return job.augment.key or 1 end

-- The images of the samples `numbers`, augmented. An image's seed depends on loader, epoch and sample; it differs from the seed
-- of the sample's other random numbers.
local function made(job, epoch, numbers, pictures)
   local seeds, n = {}, numbers:size(1)
   for k = 1, n do seeds[k] = seed.of(seed.of(job.seed, epoch, numbers[k]), 1, 0) end
   local room
   if job.reuse then
      job.picture_turn = job.picture_turn % job.reuse + 1
      room = job.pictures[job.picture_turn]
   end
   local f, options = image_augment.augment, options_of(job.augment)
   local ok, x
   if room then ok, x = pcall(f, room, pictures, options, seeds) else ok, x = pcall(f, pictures, options, seeds) end
   if not ok then error(('augment, for the samples %d ... %d: %s'):format(numbers[1], numbers[n], tostring(x)), 0) end
   if job.reuse then job.pictures[job.picture_turn] = x end
   return x
end

--- A whole batch with its images augmented.
function augment.batch(job, epoch, numbers, whole)
   if torch.isTensor(whole) then return made(job, epoch, numbers, whole) end
   local key, out = key_of(job), {}
   if type(whole) ~= 'table' or not torch.isTensor(whole[key]) then
      error(('augment: samples have no tensor at %s'):format(tostring(key)), 0)
   end
   for k, v in pairs(whole) do out[k] = v end
   out[key] = made(job, epoch, numbers, whole[key])
   return out
end

--- A batch of samples whose images may differ in size; other values in the samples are collated as usual.
-- @param list  the numbers of the samples, a table
function augment.samples(job, epoch, numbers, samples, list)
   if torch.isTensor(samples[1]) then return made(job, epoch, numbers, samples) end
   local key, pictures, rest = key_of(job), {}, {}
   for k, sample in ipairs(samples) do
      if type(sample) ~= 'table' or not torch.isTensor(sample[key]) then
         error(('sample %d: augment finds no tensor at %s in %s'):format(list[k], tostring(key), arg.describe(sample)), 0)
      end
      pictures[k], rest[k] = sample[key], {}
      for name, v in pairs(sample) do if name ~= key then rest[k][name] = v end end
   end
   local out = collate(rest, list)
   out[key] = made(job, epoch, numbers, pictures)
   return out
end

return augment
