-- feed.batch - makes batches of a dataset's samples, in worker threads or in the thread of the loader.
local torch = require 'torch'
local arg = require 'torch.arg'
local augment = require 'feed.augment'
local collate = require 'feed.collate'
local seed = require 'feed.seed'

local batch = {}
local random = torch.Generator 'philox'

-- The message of an error; for a value that is no text, its type.
local function told(why) return type(why) == 'string' and why or 'an error that is ' .. arg.describe(why) end

local function sample(job, epoch, i)
   torch.manualSeed(random, seed.of(job.seed, epoch, i))
   local ok, v = pcall(job.dataset.get, job.dataset, i, random)
   if not ok then error(('sample %d: %s'):format(i, told(v)), 0) end
   if v == nil then error(('sample %d: the dataset returned nil'):format(i), 0) end
   return v
end

-- Blames an error of dataset:batch on the sample that causes it, if there is one. Ctrl-C is no sample's fault.
local function blame(job, epoch, numbers, why)
   why = told(why)
   if why:find 'interrupted$' then error(why, 0) end
   for k = 1, numbers:size(1) do sample(job, epoch, numbers[k]) end
   error(('batch, for the samples %d ... %d: %s'):format(numbers[1], numbers[numbers:size(1)], why), 0)
end

-- A whole batch from dataset:batch, or nil if it has none. With `reuse` it may use the memory of the batch `reuse` turns ago.
local function whole(job, epoch, numbers)
   if not job.dataset.batch or job.collate then return nil end
   if job.reuse then job.turn = job.turn % job.reuse + 1 end
   local ok, made = pcall(job.dataset.batch, job.dataset, numbers, job.reuse and job.made[job.turn])
   if not ok then blame(job, epoch, numbers, made) end
   if job.reuse then job.made[job.turn] = made end
   return made
end

--- @param job      dataset, seed, collate (nil: the default), reuse (nil: never), made and turn for it, augment (nil: none)
-- @param numbers   a LongTensor
function batch.make(job, epoch, numbers)
   local made = whole(job, epoch, numbers)
   if made ~= nil then return job.augment and augment.batch(job, epoch, numbers, made) or made end
   local samples, list = {}, {}
   for k = 1, numbers:size(1) do
      list[k] = numbers[k]
      samples[k] = sample(job, epoch, list[k])
   end
   if job.augment then return augment.samples(job, epoch, numbers, samples, list) end
   if not job.collate then return collate(samples, list) end
   local ok
   ok, made = pcall(job.collate, samples, list)
   if not ok then error(('collate, for the samples %d ... %d: %s'):format(list[1], list[#list], told(made)), 0) end
   if made == nil then error(('collate, for the samples %d ... %d, returned nil'):format(list[1], list[#list]), 0) end
   return made
end

-- ---- in a worker ----------------------------------------------------------------------------------------------------

local own, turn, sent = nil, 0, {}

--- Called before begin, because classes of the job must be known when it arrives.
function batch.init(init) init() end

--- Sets the job of this thread.
function batch.begin(job) own = job end

-- Frees this thread's share of the memory of a batch that the reader has, so that its collector need not find it.
local function release(v)
   if torch.isTensor(v) then v:set()
   elseif type(v) == 'table' and not getmetatable(v) then
      for _, x in pairs(v) do release(x) end
   end
end

--- A batch for the reader. `default` is the reader's default type of tensors. A new request shows that the reader has taken the
-- batch of `depth` requests ago.
function batch.next(epoch, numbers, default)
   torch.setdefaulttensortype(default)
   if own.collate then return batch.make(own, epoch, numbers) end
   turn = turn % own.depth + 1
   release(sent[turn])
   sent[turn] = nil
   local made = batch.make(own, epoch, numbers)
   local again = own.reuse and (own.augment or own.made[own.turn] == made)           -- its memory is reused in this thread
   if not again then sent[turn] = made end
   return made
end

return batch
