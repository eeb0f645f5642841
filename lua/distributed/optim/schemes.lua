-- lua/distributed/optim/schemes.lua - the schemes of dist.optim: what each does in a step.
--
-- A scheme has: begin, step, finish (the remaining work when a rank takes no more steps), left (a
-- rank has finished or died; called with the control lock held), serve (what a server does when
-- BELL wakes it). `alone`: it needs no shared parameters.
local dist = require 'distributed.core'
local scales = require 'distributed.loss_scales'

local schemes = {}

local function nothing() end

local function tensors_like(x, n, had)
   local list = {}
   for i = 1, n do list[i] = had and had[i] or x.new(x:size()):zero() end
   return list
end

-- A step of this rank's own parameters x, with its own state.
local function own_step(self, x, g)
   self.config.step = self.steps
   self.update(x, g, self.own.states, self.config)
end

local function begin_own(self) self.own.states = tensors_like(self.x, self.config.states, self.own.states) end

-- ---- allreduce: all ranks take the same step with the mean of all gradients
-- ----------------------------------------------

local allreduce = { alone = true, left = nothing }

local function reduce(x, op) return dist.allreduce(x, op) end

-- Takes one step. Returns how many ranks took part; 0 when all have finished.
local function together(self, active)
   local count = self.x.new { active }
   local source = self.own.compressor and self.layout:source(self.g) or self.layout:allreduce(self.g, count, reduce)
   if self.own.compressor then dist.allreduce(count) end
   local n = count[1]
   if n == 0 then return 0 end
   if self.own.compressor then self:sumCompressed(1 / n) else self.g:mul(1 / n) end
   self.own.updates = (self.own.updates or 0) + 1
   self.config.step = self.own.updates
   local copies = { self.x, unpack(self.own.states) }
   self.layout:update(self.layout.whole, { source }, 1, copies, self.update, self.config)
   if self.model then scales.same(self.model, nil, active == 0) end
   return n
end

-- The carried error belongs to this rank in a job of this size: with another number of ranks it is
-- dropped.
function allreduce.begin(self)
   begin_own(self)
   local c = self.own.compressor
   if c and c.ranks and (c.ranks ~= dist.size() or c.rank ~= self.rank) then c:reset() end
   if self.compress and not c then self.own.compressor = dist.compressor(self.compress) end
end
function allreduce.step(self) together(self, 1) end
function allreduce.finish(self)
   repeat self.g:zero() until together(self, 0) == 0
end

-- ---- asynchronous schemes: servers apply posted gradients
-- -----------------------------------------------------------------

local function serve_posted(self)
   local at, what = self.at, self:what 'serve'
   self.taken = self.taken or {}
   for r = 0, self.count - 1 do
      local posted = self.control:count(at.POSTED + r)
      if posted > (self.taken[r] or 0) then
         local source = self:posted(r)
         for _, shard in ipairs(self:ownShards()) do
            self.shared:with(shard, what, 'change', nil, self.apply, self, shard, { source }, 1)
         end
         self.taken[r] = posted
         self.control:more(at.HANDLED + r)
      end
   end
end

local function count_step(self) self.control:more(self.at.CLOCK + self.rank) end

-- ---- downpour: push every nPush steps, fetch every nFetch; local steps between
-- --------------------------------------------

local downpour = { left = nothing, serve = serve_posted }

function downpour.begin(self) self.own.sum = self.own.sum or self.x.new(self.x:size()):zero() end

function downpour.step(self)
   local c, sum = self.config, self.own.sum
   sum:add(self.g)
   self.x:add(-c.learningRate, self.g)
   if self.steps % c.nPush == 0 then
      self:push(sum)
      sum:zero()
   end
   count_step(self)
   if self.steps % c.nFetch == 0 then self:copyShared(self.x) end
end

function downpour.finish(self)
   if self.steps % self.config.nPush ~= 0 then self:push(self.own.sum) end
end

-- ---- ssp: the same at every step, with bounded staleness
-- ------------------------------------------------------------------

local ssp = { begin = nothing, finish = nothing, serve = serve_posted }
local FAR = 2 ^ 30                          -- the clock of a rank that has left: no rank waits for it

function ssp.step(self)
   local at = self.at
   self:push(self.g)
   self:handled()                           -- the clock then implies that the shared parameters contain the step
   count_step(self)
   local slowest = self.control:count(at.CLOCK + self.rank) - self.config.staleness
   for r = 0, self.count - 1 do
      if slowest > 0 and r ~= self.rank then
         self:await(self.control, at.CLOCK + r, slowest, 'step', function() return { r } end)
      end
   end
   self:copyShared(self.x)
end

function ssp.left(self, r) self.control:more(self.at.CLOCK + r, FAR) end

-- ---- syncps: rounds of the first `workers` gradients ---------------------------------------------------------------------
-- Round t makes parameters of epoch t + 1 from gradients of epoch t. FULL counts full rounds: when
-- it is t + 1, the gradients of round t are complete, and waiting ranks apply them shard by shard,
-- each shard once. ROUND of a rank is 1 + the last round that it takes part in. In a job on several
-- hosts gradients are sent to the shard servers' hosts, and ranks there apply them; if none of
-- those is waiting, others do.

local syncps = { finish = nothing }

local function accepted(self, t)
   local list = {}
   for i, round in ipairs(self.control:counts(self.at.ROUND, self.count)) do
      if round == t + 1 then list[#list + 1] = i - 1 end
   end
   return list
end

-- With the control lock held: the round is full when no further gradient is needed or possible.
local function close_if_full(self)
   local t, going = self.control:count(self.at.FULL), 0
   for _, ended in ipairs(self.control:counts(self.at.ENDED, self.count)) do if ended == 0 then going = going + 1 end end
   local n = #accepted(self, t)
   if n > 0 and n >= math.min(self.config.workers, going) then
      self.control:more(self.at.FULL)
      self.control:more(self.at.BELL)
   end
end

function syncps.left(self) close_if_full(self) end

local function apply_round(self, t, shards)
   local ranks, sources, what = accepted(self, t), {}, self:what 'update'
   for i, r in ipairs(ranks) do sources[i] = self:posted(r) end
   for _, shard in ipairs(shards) do
      if self.shared:epochOf(shard) == t then                 -- checked again under the lock
         self.shared:with(shard, what, 'look', nil, function()
            if self.shared:epochOf(shard) ~= t then return end
            if not self.shared:hasRoom(shard) then error(what .. ': 2^31 - 1 rounds are the maximum', 0) end
            local updated = self:updated(shard, sources)
            if updated then
               self.shared:bring(shard, what, updated)
               for i, r in ipairs(ranks) do
                  self.slots:bring(shard, what, self.slots:moved(self.layout:runs(self.layout.pieces[shard], { sources[i] }), r))
               end
            end
            self:apply(shard, sources, 1 / #sources)
            if updated then self.shared:send(shard, what, updated) end
            self.shared:more(self.shared:epochCounter(shard))
         end)
      end
   end
end

-- Applies the full round, unless it is already applied. Without servers every worker does so, for
-- those shards that its host holds (or for the given one).
local function help(self, shard)
   local full, list, n = self.control:count(self.at.FULL), { shard }, #self.shared.ends
   if self.config.servers > 0 or full == 0 then return end
   for i = 1, shard and 0 or n do
      local s = (i + self.rank - 1) % n + 1
      if not self.shared.is_far[s] then list[#list + 1] = s end
   end
   if list[1] then apply_round(self, full - 1, list) end
end

-- Fetches the parameters when all shards have the same epoch, `least` or later.
local function fetch_epoch(self, least)
   local whom = self.config.servers > 0 and self.serversOf or self.workersOf
   while true do
      help(self)
      for s = 1, #self.shared.ends do
         local counter = self.shared:epochCounter(s)
         if self.shared.is_far[s] and not self.shared:waitMoment(counter, least, self:what 'fetch') then help(self, s) end
         self:await(self.shared, counter, least, 'fetch', whom)
      end
      local low, high = self:copyShared(self.x)
      if low == high then
         self.version = low
         return
      end
      least = high
   end
end

function syncps.begin(self) self.version, self.round = self.shared:epoch(), 0 end

local function hand_in(self, t)
   local at, control = self.at, self.control
   if control:count(at.FULL) ~= t then return false end
   self:post(self.layout:source(self.g))
   return control:with(1, self:what 'push', 'look', nil, function()
      if control:count(at.FULL) ~= t then return false end
      control:more(at.ROUND + self.rank, t + 1 - self.round)
      self.round = t + 1
      close_if_full(self)
      return true
   end)
end

function syncps.step(self)
   local t, at = self.version, self.at
   if not hand_in(self, t) then self.dropped = self.dropped + 1 end
   count_step(self)
   self:await(self.control, at.FULL, t + 1, 'step', function()
      local late = {}
      for i, round in ipairs(self.control:counts(at.ROUND, self.count)) do if round ~= t + 1 then late[#late + 1] = i - 1 end end
      return late
   end)
   fetch_epoch(self, t + 1)
end

function syncps.serve(self)
   local full = self.control:count(self.at.FULL)
   if full == 0 then return end
   apply_round(self, full - 1, self:ownShards())
end

-- ---- easgd and eamsgd: workers and a centre move towards each other
-- ------------------------------------------------------
-- Zhang, Choromanska and LeCun, "Deep learning with elastic averaging SGD", 2015, algorithms 1 and 2. Every tau steps
-- x = x - alpha (x - centre), centre = centre + alpha (x - centre); then the step, with the gradient at the old x.

local easgd = { begin = begin_own, finish = nothing, left = nothing, serve = serve_posted }

local function elastic(self, x)
   local alpha, what = self.config.alpha, self:what 'elastic'
   if self.config.servers > 0 then
      local move = x.new(x:size())
      self:copyShared(move)
      move:mul(-1):add(x):mul(alpha)
      x:add(-1, move)
      self:push(move)
      return
   end
   self.shared:each(function(shard)
      local first, n = self.shared:part(shard)
      if n < 1 then return end
      self.shared:with(shard, what, 'change', { first, n }, function()
         local mine, centre = x:narrow(1, first, n), self.shared.x:narrow(1, first, n)
         local move = (mine - centre):mul(alpha)
         mine:add(-1, move)
         centre:add(move)
      end)
   end)
end

function easgd.step(self)
   if (self.steps - 1) % self.config.tau == 0 then elastic(self, self.x) end
   own_step(self, self.x, self.g)
   count_step(self)
end

-- Between steps the model has x + momentum v, where algorithm 2 needs the gradient; x itself is
-- kept separately.
local eamsgd = { finish = nothing, left = nothing, serve = serve_posted }

function eamsgd.begin(self)
   self.own.x = self.own.x or self.x:clone()
   self.own.v = self.own.v or self.x.new(self.x:size()):zero()
end

function eamsgd.step(self)
   local c, x, v = self.config, self.own.x, self.own.v
   if (self.steps - 1) % c.tau == 0 then elastic(self, x) end
   v:mul(c.momentum):add(-c.learningRate, self.g)
   x:add(v)
   self.x:copy(x):add(c.momentum, v)
   count_step(self)
end

schemes.allreduce, schemes.syncps, schemes.downpour, schemes.ssp = allreduce, syncps, downpour, ssp
schemes.easgd, schemes.eamsgd = easgd, eamsgd
return schemes
