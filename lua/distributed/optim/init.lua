-- lua/distributed/optim/init.lua - training with parameter servers and without: one step for every scheme of
-- lua/distributed/optim/schemes.lua.
--
-- The parameters are a shared tensor, cut into shards. A rank that has a gradient applies it to
-- each shard, with the shard's lock held; with servers, the servers do. A table of counters holds
-- the progress of each rank. In a job on several hosts the server's host holds a shard, so
-- gradients are sent and state is not. Without servers a rank of another host reads the elements
-- and their state, and writes them back.
local torch = require 'torch'
require 'nn'
local arg = require 'torch.arg'
local dist = require 'distributed.core'
local comm = require 'distributed.lib'
local Layout = require 'distributed.optim.layout'
local options_of = require 'distributed.optim.options'
local schemes = require 'distributed.optim.schemes'
local state_of = require 'distributed.optim.state'
local updates = require 'distributed.optim.update_rules'
local compress = require 'distributed.compress'
local vectors = require 'distributed.vectors'
local clone = require 'torch.serialize'.clone
local C = require 'torch.lib'.C

local Optim = {}
Optim.__index = Optim

-- ---- what the ranks of a job share
-- ---------------------------------------------------------------------------------------

local MOST = 2 ^ 30                         -- steps of a rank: counters of two ranks must differ by less than 2^31
local made = 0

-- Counters of the job: BELL wakes servers, FULL counts the rounds of syncps; then five for each
-- rank.
local function counters(n)
   return { BELL = 0, FULL = 1, CLOCK = 2, POSTED = 2 + n, HANDLED = 2 + 2 * n, ENDED = 2 + 3 * n, ROUND = 2 + 4 * n,
      all = 2 + 5 * n }
end

-- The row numbers of gradients: each host that applies updates holds those of all ranks, as a
-- shard.
local function lists_of(self, name)
   local n, servers, ends, shard_of = self.layout:listSize() + 1, {}, {}, {}
   local function host(r) return C.th_dist_host(comm.world.c, r) end
   for r = self.config.servers > 0 and self.count or 0, dist.size() - 1 do
      if not shard_of[host(r)] then
         servers[#servers + 1] = r
         shard_of[host(r)] = #servers
         ends[#servers] = #servers * n
      end
   end
   self.listAt = shard_of[host(self.rank)]
   return comm.shared(name, 'torch.LongTensor', torch.LongStorage { n * #ends }, n * #ends, ends, dist.size(), 0,
      function(s) return servers[s] end)
end

local function share(self)
   local n, c, R = self.x:nElement(), self.config, dist.size()
   local name, ty = 'dist.optim ' .. made, self.x:type()
   local sizes = torch.LongStorage { n }
   local copies = 1 + (self.elastic and 0 or c.states)
   local function server_of(shard) return c.servers > 0 and self.count + (shard - 1) % c.servers or (shard - 1) % R end
   self.at = counters(R)
   self.shared = comm.shared(name, ty, sizes, n, self.layout.ends, copies, 0, server_of)
   self.control = comm.shared(name .. ' control', 'torch.DoubleTensor', torch.LongStorage { 1 }, 1, { 1 }, 1, self.at.all, server_of)
   if c.servers > 0 or c.scheme == 'syncps' then
      self.slots = comm.shared(name .. ' slots', ty, sizes, n, self.layout.ends, R, 0, server_of)
      self.lists = lists_of(self, name .. ' lists')
   end
end

-- Every push goes to all shards, so between two steps they all have the same epoch.
local function first_values(self, state)
   local had = state and state.shared
   if dist.rank() == 0 then
      self.shared.x:copy(had and had.copies[1] or self.x)
      for i = 2, had and #self.shared.copy_of or 0 do self.shared.copy_of[i]:copy(had.copies[i]) end
      for s = 1, #self.shared.ends do self.shared:send(s, self:what 'begin', self.shared:whole(s)) end
      for s = 1, had and #self.shared.ends or 0 do self.shared:more(self.shared:epochCounter(s), had.epoch) end
      if had then self.control:more(self.at.FULL, had.epoch) end
   end
   dist.barrier()
   -- A gradient of syncps belongs to an epoch: that of the shared parameters.
   if not state or self.config.scheme == 'syncps' then self:copyShared(self.x) end
end

local function begin(self, state)
   made = made + 1
   self.steps, self.dropped, self.ended, self.seen = state and state.steps or 0, state and state.dropped or 0, false, comm.now()
   if state then self.x:copy(state.x) end
   if self.scheme.alone then
      dist.broadcast(self.x, 0)
   else
      share(self)
      first_values(self, state)
      if not self:isServer() then self.control:more(self.at.CLOCK + self.rank, self.steps) end
   end
   self.own = state and clone(state.own) or {}
   self.scheme.begin(self)
   dist.barrier()
end

--- Trains a model on all ranks of the job together. All ranks call it with the same options and
-- models of the same size, and all begin with the parameters of rank 0. Each worker then computes
-- gradients of its data and calls `step`; at the end it calls `finish`.
-- Scheme 'allreduce' takes the mean of all gradients, and the same step on all ranks. 'syncps' does
-- the same with the first `workers` gradients of each round, and drops later ones. 'downpour'
-- pushes gradients and fetches parameters without waiting. 'ssp' does likewise, but no worker is
-- more than `staleness` steps ahead. With 'easgd' and 'eamsgd' each worker and a centre move
-- towards each other every `tau` steps. doc/distributed-reference.md says what each guarantees. Its
-- methods: `step([f])` takes a step with the gradient of this rank, which f, if given, computes; it
-- returns what f returns. `fetch([x])` fills x with the shared parameters. `finish()` ends this
-- rank's steps, and waits for the others. `isServer()` returns whether this rank calls `serve()`,
-- which applies gradients until all workers have finished. `state()` is for dist.commit. A failed
-- update ends the job on all ranks, because a shard may be half written.
-- @param options.scheme          one of these
-- @param options.model           or `parameters` and `gradParameters`: vectors of floats or doubles. With 'allreduce' the
--    modules nn.MixedPrecision in a model have the same loss scale on all ranks, the smallest, after each step
-- @param options.update          'sgd' (default), 'momentum', 'adagrad', 'adam', or function(x, g,
--    state, config) that changes x, a shard's elements, by the gradient g. state is a list of
--    `states` (default 0) tensors like x. config holds the options and step
-- @param options.learningRate    default 0.01; `momentum` 0.9; `beta1` 0.9, `beta2` 0.999; `epsilon` 1e-10, of adam 1e-8
-- @param options.servers         how many ranks only update: the last ones of the job, which call `serve`; default 0
-- @param options.workers         of syncps: gradients of one round (default: all workers)
-- @param options.nFetch,nPush    of downpour: steps from one fetch or push to the next; default 1
-- @param options.staleness       of ssp, default 2
-- @param options.tau,alpha,beta  of easgd and eamsgd: steps between moves, default 10; alpha is beta / workers, and beta 0.9
-- @param options.spare           how many workers may die; default: those beyond `workers`, otherwise 0
-- @param options.sparse          true: gradients of nn.LookupTable are sent as rows, and only rows with a gradient are updated
-- @param options.compress        of allreduce: how gradients are compressed, as dist.compressor takes it
-- @param options.state           what `state` returned: continues from there
-- @return an object with these methods; `steps` and `dropped` count
-- x = torch.ones(1); dist.init().optim{scheme = 'ssp', parameters = x, gradParameters = torch.ones(1)}:step(); x --> {0.99}
function dist.optim(options)
   if not comm.world then error('dist.optim: call dist.init() first', 2) end
   local c = options_of.options(options, 2)
   local self = setmetatable({ config = c, scheme = schemes[c.scheme], rank = dist.rank(), compress = options.compress,
      model = options.model }, Optim)
   self.update = options_of.update(options, c, 2)
   self.x, self.g = options_of.vectors(options, 2)
   if c.sparse and not options.model then options_of.fail(2, 'sparse needs the option model') end
   self.count = options_of.roles(c, 2)
   self.elastic = c.scheme == 'easgd' or c.scheme == 'eamsgd'
   state_of.need(self, options.state, 2)
   self.layout = Layout.of(self.g, c.servers > 0 and c.servers or dist.size(), c.sparse and options.model or nil)
   options_of.same(self, options.state, 2)
   begin(self, options.state)
   return self
end

-- ---- waiting for other ranks
-- ---------------------------------------------------------------------------------------------

function Optim:what(operation) return ('dist.optim, %s, step %d of rank %d'):format(operation, self.steps, self.rank) end

--- Whether this rank is a server: servers call serve, the others step and finish.
function Optim:isServer() return self.rank >= self.count end

-- Whether this rank has closed its counters, or has none.
local function is_over(self) return self.ended and (not self.control or rawget(self.control, 'closed') ~= nil) end

function Optim:hasEnded(rank)
   return is_over(self) or self.control:count(self.at.ENDED + rank) > 0
end

-- Rank r has died or left early. At most `spare` workers may do so; a server must not.
local function lose(self, r, what)
   self.control:with(1, what, 'look', nil, function()
      local lost = 0
      if self:hasEnded(r) then return end
      for q = 0, self.count - 1 do if self.control:count(self.at.ENDED + q) >= 2 then lost = lost + 1 end end
      if r >= self.count or lost >= self.config.spare then self.control:blame(r, what, dist.deadline()) end
      self.control:more(self.at.ENDED + r, 2)
      self.scheme.left(self, r)
   end)
   self.control:more(self.at.BELL)
end

function Optim:lookAfter(ranks, what)
   for _, r in ipairs(ranks) do
      if r ~= self.rank and not is_over(self) and self.control:gone(r) and not self:hasEnded(r) then lose(self, r, what) end
   end
end

local function progress(self)
   local sum = 0
   for _, clock in ipairs(self.control:counts(self.at.CLOCK, self.count)) do sum = sum + clock end
   return sum
end

-- The rank of the list that has taken the fewest steps; the others may be waiting for it.
local function slowest(self, ranks)
   local last, least = nil, math.huge
   for _, r in ipairs(ranks) do
      local clock = self.control:count(self.at.CLOCK + r)
      if r ~= self.rank and not self:hasEnded(r) and clock < least then last, least = r, clock end
   end
   return last
end

-- Returns a function that a waiting rank calls repeatedly with the ranks for which it waits. It
-- checks that they live, and reports the slowest after the timeout. `patient`: every step of any
-- rank restarts the timeout.
local function watch(self, what, patient)
   local seconds, since, mark = dist.deadline(), comm.now(), patient and progress(self)
   return function(ranks)
      self:lookAfter(ranks, what)
      if patient and progress(self) ~= mark then since, mark = comm.now(), progress(self) end
      if comm.now() - since <= seconds then return end
      local r = slowest(self, ranks)
      if r then self.control:blame(r, what, seconds) end
      error(('%s: it took more than %g s'):format(what, seconds), 0)
   end
end

--- Waits until a counter reaches a value; the ranks of `whom()` advance it. `patient`: every step of
-- any rank restarts the timeout.
function Optim:await(shared, counter, value, operation, whom, patient)
   local what = self:what(operation)
   local look = watch(self, what, patient)
   while not shared:waitMoment(counter, value, what) do look(whom(self)) end
end

function Optim.workersOf(self)
   local list = {}
   for r = 0, self.count - 1 do list[#list + 1] = r end
   return list
end

function Optim.serversOf(self)
   local list = {}
   for r = self.count, dist.size() - 1 do list[#list + 1] = r end
   return list
end

-- ---- pushing and fetching -----------------------------------------------------------------------------------------------

-- Applies gradients to a shard whose lock is held. A failed update may have written half of it, and
-- breaks the job.
function Optim:apply(shard, sources, scale)
   self.config.step = self.shared:epochOf(shard) + 1
   local update = self.elastic and updates.add.run or self.update
   local ok, why = pcall(self.layout.update, self.layout, self.layout.pieces[shard], sources, scale, self.shared.copy_of, update,
      self.config)
   if not ok then self.shared:fail(self:what 'update', why) end
end

-- The row numbers of a rank's gradient, in the lists of the host that has them as this shard.
local function lists_at(self, rank, shard)
   local first, n = self.lists:part(shard)
   return self.lists.copy_of[rank + 1]:narrow(1, first, n), first
end

-- Writes a gradient to the slots, where the ranks that update its shards read it.
function Optim:post(source)
   local layout, copy, what = self.layout, self.rank, self:what 'push'
   layout:put(source, self.slots.copy_of[copy + 1])
   for s, pieces in ipairs(layout.pieces) do
      if self.slots.is_far[s] then self.slots:send(s, what, self.slots:moved(layout:runs(pieces, { source }), copy)) end
   end
   for s = 1, #self.lists.ends do
      local lists, first = lists_at(self, self.rank, s)
      local runs = layout:putLists(source, lists, first)
      if #runs > 0 then self.lists:send(s, what, self.lists:moved(runs, copy)) end
   end
end

-- The gradient that a rank has posted. The elements are valid on the host of the shard's server.
function Optim:posted(rank)
   return self.layout:get(self.slots.copy_of[rank + 1], (lists_at(self, rank, self.listAt)))
end

-- Which elements of a shard an update with these sources uses: parameters and their state.
function Optim:updated(shard, sources)
   if not self.shared.is_far[shard] then return nil end
   return self.shared:inCopies(self.layout:runs(self.layout.pieces[shard], sources))
end

local function handled(self, rank, operation)
   local at = self.at
   local value = self.control:count(at.POSTED + rank) * self.config.servers
   self:await(self.control, at.HANDLED + rank, value, operation, self.serversOf)
end

--- Applies a gradient to all shards, or posts it for the servers.
function Optim:push(g)
   if self.ended then error('push: this rank has finished', 2) end
   local source, what = self.layout:source(g), self:what 'push'
   if self.config.servers == 0 then
      self.shared:each(function(shard)
         self.shared:with(shard, what, 'change', self:updated(shard, { source }), self.apply, self, shard, { source }, 1)
      end)
      return
   end
   handled(self, self.rank, 'push')
   self:post(source)
   self.control:more(self.at.POSTED + self.rank)
   self.control:more(self.at.BELL)
end

function Optim:handled() if self.config.servers > 0 and not is_over(self) then handled(self, self.rank, 'push') end end

--- Copies the shared parameters into x (default: those of this rank), shard by shard. Returns their
-- least and greatest epoch.
function Optim:copyShared(x)
   local what, least, most = self:what 'fetch', math.huge, 0
   self.shared:each(function(shard)
      local first, n = self.shared:part(shard)
      self.shared:with(shard, what, 'look', n > 0 and { first, n } or nil, function()
         if n > 0 then x:narrow(1, first, n):copy(self.shared.x:narrow(1, first, n)) end
         local epoch = self.shared:epochOf(shard)
         least, most = math.min(least, epoch), math.max(most, epoch)
      end)
   end)
   return least, most
end

-- When all ranks have called it, names and memory are freed. Rank 0 keeps what state() returns.
local function give_back(self)
   if self.rank == 0 then self.last = state_of.shared(self) end
   for _, name in ipairs { 'shared', 'control', 'slots', 'lists' } do
      if self[name] then self[name]:close() end
   end
end

--- Replaces g by `scale` times the sum of all ranks' gradients, compressed.
function Optim:sumCompressed(scale)
   local ok, why = pcall(compress.sum, self.own.compressor, comm.world, { self.g }, scale)
   if not ok then error(('%s: %s'):format(self:what 'step', why), 0) end
end

-- ---- the object ---------------------------------------------------------------------------------------------------------

local function need_worker(self, who)
   if self.ended then error(who .. ': this rank has finished', 3) end
   if self:isServer() then error(('%s: rank %d is a server, it calls serve'):format(who, self.rank), 3) end
end

--- Takes a step with the gradient of this rank. `f`, if given, is called first and must compute it.
-- step returns what f returns. A gradient that is not finite is an error that changes nothing.
function Optim:step(f)
   need_worker(self, 'step')
   if f ~= nil and not arg.is_callable(f) then arg.refuse('step', 'argument 1', 'a function', f) end
   local function results(...) return select('#', ...), { ... } end
   local n, values = 0, nil
   if f then n, values = results(f()) end
   need_worker(self, 'step')
   if not vectors.finite(self.g) then
      error(('dist.optim: the gradient of step %d of rank %d is not finite'):format(self.steps + 1, self.rank), 2)
   end
   if self.steps >= MOST then
      error(('dist.optim: rank %d has taken 2^30 steps, which is the maximum: begin again with state()'):format(self.rank), 2)
   end
   self.steps = self.steps + 1
   if not self.scheme.alone and comm.now() - self.seen > 0.5 then
      self.seen = comm.now()
      self:lookAfter(self:workersOf(), self:what 'step')
      self:lookAfter(self:serversOf(), self:what 'step')
   end
   self.scheme.step(self)
   if n > 0 then return unpack(values, 1, n) end
end

--- Fills x (default: the parameters of this rank) with the shared parameters; for easgd and eamsgd
-- these are the centre. Returns x.
function Optim:fetch(x)
   x = x or self.x
   if not arg.is_tensor(x) or x:type() ~= self.x:type() or x:dim() ~= 1 or x:nElement() ~= self.x:nElement() then
      arg.refuse('fetch', 'argument 1', ('a %s of size %d'):format(self.x:type(), self.x:nElement()), x)
   end
   if self.scheme.alone or self.ended then return x:copy(self.x) end
   self:copyShared(x)
   return x
end

--- Ends the steps of this rank, and waits until all workers have finished; then all ranks have the
-- shared parameters. Ranks may take different numbers of steps.
function Optim:finish()
   need_worker(self, 'finish')
   self.scheme.finish(self)
   self.ended = true
   if self.scheme.alone then return self end
   local at = self.at
   self:handled()
   self.control:with(1, self:what 'finish', 'look', nil, function()
      self.control:more(at.ENDED + self.rank, 1)
      self.scheme.left(self, self.rank)
   end)
   self.control:more(at.BELL)
   for r = 0, self.count - 1 do self:await(self.control, at.ENDED + r, 1, 'finish', self.workersOf, true) end
   for r = 0, self.count - 1 do handled(self, r, 'finish') end
   self:copyShared(self.x)
   give_back(self)
   return self
end

--- The loop of a server: applies gradients until all workers have finished. Then it has the shared
-- parameters.
function Optim:serve()
   if self.ended then error('serve: this rank has finished', 2) end
   if not self:isServer() then error(('serve: rank %d is a worker'):format(self.rank), 2) end
   local at, what = self.at, self:what 'serve'
   local look = watch(self, what, true)
   repeat
      local bell, over = self.control:count(at.BELL), true
      for r = 0, self.count - 1 do over = over and self:hasEnded(r) end
      self.scheme.serve(self)
      if not over and not self.control:waitMoment(at.BELL, bell + 1, what) then
         self:lookAfter(self:serversOf(), what)
         look(self:workersOf())
      end
   until over
   self.ended = true
   self.control:more(at.ENDED + self.rank, 1)
   self:copyShared(self.x)
   give_back(self)
   return self
end

-- The shards that this rank updates: those of this server; without servers all.
function Optim:ownShards()
   local list = {}
   for s = 1, #self.shared.ends do
      if self.config.servers == 0 or (s - 1) % self.config.servers == self.rank - self.count then list[#list + 1] = s end
   end
   return list
end

--- What dist.commit needs to continue with the option `state`. All ranks call it between two steps.
-- Jobs with servers have none.
function Optim:state()
   if self.config.servers > 0 then error('state: with servers there is no moment at which all ranks stop', 2) end
   return state_of.of(self)
end

return Optim
