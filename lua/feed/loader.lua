-- feed.loader - batches of a dataset, in an order that a seed determines, prefetched by threads or made by the reader.
--
-- The order of an epoch is a list of samples; the place is how many of them have been returned, over all ranks. A step takes
-- the next batch × ranks samples, of which every rank makes its part. So the state is a few numbers, and neither workers nor
-- ranks are part of it.
local torch = require 'torch'
local lib = require 'torch.lib'
local arg = require 'torch.arg'
local ByLength = require 'feed.length'
local worker = require 'torch.worker'
local augment = require 'feed.augment'
local batch = require 'feed.batch'
local fingerprint = require 'feed.fingerprint'
local need = require 'feed.need'
local Order = require 'feed.order'

local memory = lib.C.th_memory_of(lib.C.TH_CPU)

local LAST = 2 ^ 53 - 1                     -- the last epoch whose successor has an exact number

local Loader = {}
Loader.__index = Loader

local known = {
   dataset = 'table', batch = 'number', shuffle = 'boolean', seed = 'number', workers = 'number', prefetch = 'number',
   dropLast = 'boolean', rank = 'number', ranks = 'number', chunk = 'number', window = 'number', collate = 'any',
   init = 'function', pin = 'boolean', reuse = 'boolean', lengths = 'any', shortestFirst = 'boolean', bucket = 'number',
   augment = 'table',
}

-- Rank and number of ranks: the given ones, else those of this process in its job, if dist has been started.
local function ranks_of(options)
   local ranks, rank = options.ranks, options.rank
   if (ranks == nil) ~= (rank == nil) then error('feed.loader: rank and ranks are given both or not at all', 3) end
   if ranks == nil then
      local dist = package.loaded.dist
      local started, size = pcall(function() return dist.size() end)
      if not started then return 0, 1 end
      return dist.rank(), size
   end
   need.whole('feed.loader', 'ranks', ranks, 1, 2 ^ 31, 3)
   return need.whole('feed.loader', 'rank', rank, 0, ranks - 1, 3), ranks
end

local function whole(options, name, default, lo, hi, level)
   if options[name] == nil then return default end
   return need.whole('feed.loader', name, options[name], lo, hi, level or 3)
end

-- Orders by length rearrange the other order. `bucket` counts steps; the length of their runs is part of the state.
local function need_lengths(self, options)
   local bucket = whole(options, 'bucket', nil, 1, 2 ^ 31, 4)
   if not bucket and not options.shortestFirst then return end
   if options.lengths == nil then
      error(('feed.loader: %s needs lengths'):format(bucket and 'bucket' or 'shortestFirst'), 3)
   end
   self.by_length = ByLength.new('feed.loader', self.order, self.n, {
      lengths = options.lengths, shortest = options.shortestFirst or nil, bucket = bucket, run = self.per * self.ranks,
      seed = self.order_options.seed, shuffle = self.order_options.shuffle,
   })
   self.order = self.by_length
end

--- Batches of a dataset, in an order that depends on the seed and the epoch alone.
--
--    local loader = feed.loader{dataset = d, batch = 32, shuffle = true, workers = 4}
--    for batch, i in loader:epoch() do ... end
--
-- loader:epoch() iterates over the remaining batches of an epoch (all, at its beginning) and their numbers; loader:epoch(n)
-- begins epoch n, from 1 on. loader:state() is a small table that torch.save and dist.commit take; loader:restore(state)
-- continues with the batch that would have been next. loader:batches() is their number in an epoch, loader:close() ends
-- the threads.
-- @param options  a table. `dataset`. `batch`: samples of a batch (default 1). `shuffle` (default
--  false). `seed` (default 1). `workers`: threads that make batches (default 0: the reader does).
--  `prefetch`: batches that a worker may be ahead, 1..16 (default 2). `dropLast`: whether samples
--  that fill no batch on all ranks are left out (default false). `rank` and `ranks` (default: those
--  of dist if it is started, else 0 of 1). `chunk`, samples of a chunk, and `window`, chunks at a
--  time (default 16), shuffle chunk-wise. `lengths`: those of the samples, as a tensor, a list or a
--  function of a sample's number. `shortestFirst`: whether epoch 1 takes the samples by length
--  (default false). `bucket`: the number of steps whose samples are sorted by length, so that a
--  batch has similar lengths (default: none). `collate`: a function of a list of samples and their
--  numbers that makes a batch. `init`: a function that every worker calls first. `pin`: whether
--  batches lie in pinned memory (needs cutorch). `reuse`: whether the memory of a batch may be used
--  again when the next one is requested. It is for loops that keep no batch, and saves the memory
--  of batches that wait for the collector. `augment`: the options of image.augment, which augments
--  the images of a batch. `key`: their key in a sample (default 1; samples may also be images
--  themselves)
-- d = require 'feed'; l = d.loader{dataset = d.tensors(torch.range(1, 5)), batch = 2}; l:batches() --> 3
function Loader.new(options)
   if type(options) ~= 'table' then arg.refuse('feed.loader', 'options', 'a table', options) end
   need.options('feed.loader', options, known)
   local dataset = need.dataset('feed.loader', 'dataset', options.dataset)
   if options.collate ~= nil then need.callable('feed.loader', 'collate', options.collate) end
   if options.augment then augment.check(options.augment, 3) end
   if options.augment and options.collate then error('feed.loader: augment and collate exclude each other', 2) end
   if options.pin and not package.loaded.cutorch then error("feed.loader: pin needs cutorch: require 'cutorch' first", 2) end
   local self = {
      n = need.count('feed.loader', dataset), per = whole(options, 'batch', 1, 1, 2 ^ 31), pin = options.pin, init = options.init,
      count = whole(options, 'workers', 0, 0, 1024), prefetch = whole(options, 'prefetch', 2, 1, 16), drop = options.dropLast,
      at = { epoch = 1, place = 0 }, threads = {},
   }
   self.rank, self.ranks = ranks_of(options)
   self.order_options = {
      seed = whole(options, 'seed', 1, 0, 2 ^ 53), shuffle = options.shuffle or false,
      chunk = whole(options, 'chunk', nil, 1, 2 ^ 53), window = whole(options, 'window', 16, 1, 2 ^ 31),
   }
   self.order = Order.new(self.n, self.order_options)
   need_lengths(self, options)
   self.job = { dataset = dataset, seed = self.order_options.seed, collate = options.collate, depth = self.prefetch,
      augment = options.augment }
   -- A thread gets the request for batch k when batch k - prefetch has arrived. Then the batch before that one is not used any
   -- more.
   if options.reuse then
      self.job.reuse, self.job.made, self.job.turn = self.count > 0 and self.prefetch + 1 or 1, {}, 0
      self.job.pictures, self.job.picture_turn = {}, 0
   end
   return setmetatable(self, Loader)
end

local function need_loader(who, self)
   if getmetatable(self) ~= Loader then arg.refuse('loader:' .. who, 'argument 1', 'a loader made by feed.loader', self, 3) end
end

-- ---- which samples ------------------------------------------------------------------------------------------------------

-- How many samples the step at a place takes, over all ranks; 0 at the end.
local function step_size(self, place)
   local whole_step, left = self.per * self.ranks, self.n - place
   if left >= whole_step then return whole_step end
   return self.drop and 0 or left
end

-- The numbers of this rank's samples in the step at a place, of m samples. If m is not divisible, the first ranks have
-- one more. A rank without any repeats one from the beginning of the epoch, so that all have as many batches.
local function numbers_of(self, epoch, place, m)
   local q, rest = math.floor(m / self.ranks), m % self.ranks
   local n, first = q + (self.rank < rest and 1 or 0), place + self.rank * q + math.min(self.rank, rest)
   if n == 0 then n, first = 1, (self.rank - m) % self.n end
   return self.order:at(epoch, first, n)
end

--- The number of batches that an epoch has on every rank.
function Loader:batches()
   need_loader('batches', self)
   return (self.drop and math.floor or math.ceil)(self.n / (self.per * self.ranks))
end

-- ---- threads ------------------------------------------------------------------------------------------------------------

--- Ends the threads. The next loop starts new ones.
function Loader:close()
   need_loader('close', self)
   local threads = self.threads
   self.threads, self.sent = {}, nil
   worker.close(threads)
end

local function start(self)
   for k = 1, self.count do self.threads[k] = worker.new('feed.batch', self.prefetch) end
   for _, w in ipairs(self.threads) do
      if self.init then
         w:share('init', self.init)
         w:wait()
      end
      w:share('begin', self.job)
   end
   for _, w in ipairs(self.threads) do w:wait() end
end

-- Without the traceback of a thread, so that a message is the same with and without workers.
local function message(why) return (tostring(why):gsub('\nstack traceback:.*$', '')) end

local function need_threads(self)
   if self.count == 0 or #self.threads > 0 then return end
   local ok, why = pcall(start, self)
   if ok then return end
   self:close()
   why = message(why):gsub('^argument 2%.?', 'the loader\'s ')
   error('feed.loader: ' .. why, 0)
end

-- Requests as many batches ahead as the threads may make. `sent` is the queue of requests: first, last, the thread of
-- each; `place`, that of the first; `ahead`, that of the next request.
local function fill(self)
   local sent = self.sent
   if not sent then
      sent = { first = 1, last = 0, place = self.at.place, ahead = self.at.place }
      self.sent = sent
   end
   while sent.last - sent.first + 1 < self.count * self.prefetch do
      local m = step_size(self, sent.ahead)
      if m == 0 then return end
      local thread = self.threads[sent.last % self.count + 1]
      thread:ask('next', self.at.epoch, numbers_of(self, self.at.epoch, sent.ahead, m), torch.getdefaulttensortype())
      sent.last = sent.last + 1
      sent[sent.last] = thread
      sent.ahead = sent.ahead + m
   end
end

-- Only the reader's collector can free batches that the reader has dropped, so it runs before the collectors of the threads
-- would, which would find nothing.
local function tidy()
   if tonumber(memory.bytes) > 0.75 * tonumber(memory.limit) then lib.collect() end
end

-- The next batch from the threads, of m samples. Ctrl-C before a batch has arrived changes nothing. After an error the threads
-- are ended, and also if a batch has been taken but did not reach the reader.
local function from_threads(self, m)
   if self.sent and self.sent.place ~= self.at.place then self:close() end
   need_threads(self)
   local thread, taken
   local ok, made = pcall(function()
      fill(self)
      thread = self.sent[self.sent.first]
      taken = thread.taken
      local answer = thread:wait()
      local sent = self.sent
      sent[sent.first] = nil
      sent.first, sent.place = sent.first + 1, sent.place + m
      fill(self)
      tidy()
      return answer
   end)
   if ok then return made end
   if not (thread and thread:alive() and thread.taken == taken) then self:close() end
   error('feed.loader: ' .. message(made), 0)
end

local function made_here(self, m)
   local at = self.at
   local ok, made = pcall(batch.make, self.job, at.epoch, numbers_of(self, at.epoch, at.place, m))
   if not ok then error('feed.loader: ' .. message(made), 0) end
   return made
end

-- Drops outstanding requests: waits for their answers, because the threads stay.
local function forget(self)
   local sent = self.sent
   for k = sent and sent.first or 1, sent and sent.last or 0 do
      local thread, taken = sent[k], sent[k].taken
      local ok, why = pcall(thread.wait, thread)
      if not ok and thread.taken == taken then                -- the answer is still outstanding, or will never come
         local interrupted = thread:alive()
         self:close()
         if interrupted then error('feed.loader: ' .. message(why), 0) end
         return
      end
   end
   self.sent = nil
end

-- ---- the reader ---------------------------------------------------------------------------------------------------------

local function pinned(v)
   if torch.isTensor(v) then
      if v:nElement() == 0 then return v end
      local word = v:type():match '^torch%.(%a+)Tensor$'
      local create = package.loaded.cutorch['createCudaHost' .. word .. 'Tensor']
      return create and create(v:size()):copy(v) or v
   elseif type(v) ~= 'table' or getmetatable(v) then
      return v
   end
   local out = {}
   for k, x in pairs(v) do out[k] = pinned(x) end
   return out
end

-- A change of position ends other loops, because two loops would take each other's batches.
local function go(self, epoch, place)
   self.at, self.loop = { epoch = epoch, place = place }, nil
end

local function step(self)
   local at = self.at
   local m = step_size(self, at.place)
   if m == 0 then
      self.sent = nil
      return go(self, at.epoch + 1, 0)
   end
   local made
   if self.count > 0 then made = from_threads(self, m) else made = made_here(self, m) end
   if self.pin then made = pinned(made) end
   at.place = at.place + m
   return made, math.ceil(at.place / (self.per * self.ranks))
end

--- The remaining batches of this epoch, or those of epoch n: for batch, i in loader:epoch() do ... end
-- Another call of epoch or restore ends this loop: its next step raises an error.
function Loader:epoch(n)
   need_loader('epoch', self)
   if n ~= nil then
      need.whole('loader:epoch', 'n', n, 1, LAST)
      forget(self)
      go(self, n, 0)
   end
   local loop, ended = {}, false
   self.loop = loop
   return function()
      if ended then return nil end
      if self.loop ~= loop then error('feed.loader: this loop has ended, because the position of the loader was changed', 2) end
      local made, i = step(self)
      ended = made == nil
      return made, i
   end
end

-- The settings that determine the order.
local function likeness(self)
   local o, by = self.order_options, self.by_length
   return { size = self.n, seed = o.seed, shuffle = o.shuffle, chunk = o.shuffle and o.chunk or nil,
      window = o.shuffle and o.chunk and o.window or nil, shortestFirst = by and by.shortest, bucket = by and by.bucket,
      lengths = by and by.sum }
end

-- The fingerprint of the dataset, with errors in the name of `who`; nil if it has none.
local function dataset_of(self, who)
   local ok, v = pcall(fingerprint.of, self.job.dataset)
   if not ok then error(('%s: %s'):format(who, message(v)), 3) end
   return v
end

--- The position of the loader, as a small table: epoch, place (samples returned, over all ranks), the settings that determine
-- the order, and in `dataset` a word and a checksum that identify the dataset: dataset:fingerprint(), which feed's datasets
-- have.
function Loader:state()
   need_loader('state', self)
   local state = likeness(self)
   state.epoch, state.place, state.dataset = self.at.epoch, self.at.place, dataset_of(self, 'loader:state')
   state.run = state.bucket and self.by_length.run
   return state
end

--- Continues from a state. Workers, batch and ranks may differ: samples that were returned are not repeated.
-- The dataset's size, seed, shuffle, chunk and window must be the same, and so must lengths, shortestFirst and bucket, and the
-- dataset too; its files may have moved. A state without its field `dataset` accepts any dataset of that size.
function Loader:restore(state)
   need_loader('restore', self)
   if type(state) ~= 'table' then arg.refuse('loader:restore', 'state', 'a table from loader:state()', state) end
   local mine = likeness(self)
   for _, name in ipairs { 'size', 'seed', 'shuffle', 'chunk', 'window', 'shortestFirst', 'bucket', 'lengths' } do
      if state[name] ~= mine[name] then
         error(('loader:restore: %s is %s in the state, and %s here')
            :format(name, tostring(state[name]), tostring(mine[name])), 2)
      end
   end
   if type(state.dataset) ~= 'nil' and type(state.dataset) ~= 'string' then
      arg.refuse('loader:restore', 'state.dataset', 'a string', state.dataset)
   end
   local own = state.dataset and dataset_of(self, 'loader:restore')
   if own and own ~= state.dataset then
      error(('loader:restore: the dataset is another one of the same size: %s in the state, and %s here; '
         .. 'if that is meant, set state.dataset to nil'):format(state.dataset, own), 2)
   end
   need.whole('loader:restore', 'state.epoch', state.epoch, 1, LAST)
   need.whole('loader:restore', 'state.place', state.place, 0, self.n)
   if mine.bucket then need.whole('loader:restore', 'state.run', state.run, 1, 2 ^ 53) end
   forget(self)
   if mine.bucket then self.by_length:cut(state.run) end
   go(self, state.epoch, state.place)
   return self
end

return Loader
