-- lua/dist/optim.lua - training by parameter servers and without: one step for every scheme of lua/dist/schemes.lua.
--
-- Parameters lie in a shared tensor, cut into shards. Updates run in the rank that brings a gradient, with the shard's lock held;
-- with servers they run there. A table of counters says how far each rank has come.
local torch = require 'torch'
require 'nn'
local arg = require 'torch.arg'
local dist = require 'dist'
local wire = require 'dist.lib'
local Layout = require 'dist.layout'
local options_of = require 'dist.options'
local schemes = require 'dist.schemes'
local state_of = require 'dist.state'
local updates = require 'dist.update'
local vectors = require 'dist.vectors'
local compress = require 'dist.compress'
local clone = require 'torch.serialize'.clone

local Optim = {}
Optim.__index = Optim

-- ---- options ------------------------------------------------------------------------------------------------------------

local schemes = require 'dist.schemes'
local scheme_names = 'allreduce, syncps, downpour, ssp, easgd or eamsgd'

-- name -> { default, least, whole?, schemes that have it (all) }
local numbers = {
   learningRate = { 0.01, 0 }, momentum = { 0.9, 0 }, beta1 = { 0.9, 0, below = 1 },
   beta2 = { 0.999, 0, below = 1 }, epsilon = { 1e-10, 1e-37 },
   nFetch = { 1, 1, true, 'downpour' }, nPush = { 1, 1, true, 'downpour' },
   staleness = { 2, 0, true, 'ssp' },
   workers = { nil, 1, true, 'syncps' },
   tau = { 10, 1, true, 'easgd eamsgd' }, alpha = { nil, 0, false, 'easgd eamsgd' }, beta = { 0.9, 0, false, 'easgd eamsgd' },
   servers = { 0, 0, true, 'syncps downpour ssp easgd eamsgd' }, spare = { nil, 0, true, 'syncps downpour ssp easgd eamsgd' },
   states = { 0, 0, true, below = 100 },
}
local others = { scheme = 'string', model = true, parameters = true, gradParameters = true, update = true, sparse = 'boolean',
   state = 'table', compress = true }
local order = { 'learningRate', 'momentum', 'beta1', 'beta2', 'epsilon', 'nFetch', 'nPush', 'staleness', 'workers', 'tau',
   'alpha', 'beta', 'servers', 'spare', 'states' }

local function fail(level, text, ...) error('dist.optim: ' .. text:format(...), level + 1) end

local function need_number(o, name, row, level)
   local v = o[name]
   if v == nil then return row[1] end
   if row[4] and v ~= row[1] and not (' ' .. row[4] .. ' '):find(' ' .. o.scheme .. ' ', 1, true) then
      fail(level + 1, '%s is an option of %s, not of %s', name, row[4]:gsub(' ', ', '), o.scheme)
   end
   local below = row.below or row[3] and 2 ^ 31 or math.huge
   if type(v) ~= 'number' or not (v >= row[2] and v < below) or (row[3] and v % 1 ~= 0) then
      arg.refuse('dist.optim', name, ('a %snumber from %g%s'):format(row[3] and 'whole ' or '', row[2],
         row.below and (' and less than %g'):format(below) or ''), v, level + 1)
   end
   return v
end

local function need_options(o, level)
   if type(o) ~= 'table' then arg.refuse('dist.optim', 'options', 'a table', o, level + 1) end
   if not schemes[o.scheme] then fail(level + 1, 'scheme must be %s, got %s', scheme_names, tostring(o.scheme)) end
   for name, v in pairs(o) do
      if not numbers[name] and not others[name] then fail(level + 1, 'there is no option %s', tostring(name)) end
      local kind = others[name]
      if type(kind) == 'string' and type(v) ~= kind then arg.refuse('dist.optim', name, 'a ' .. kind, v, level + 1) end
   end
   local c = { scheme = o.scheme, sparse = o.sparse or false }
   for name, row in pairs(numbers) do c[name] = need_number(o, name, row, level + 1) end
   if o.alpha and o.beta then fail(level + 1, 'give either alpha or beta') end
   if o.update == 'adam' and o.epsilon == nil then c.epsilon = 1e-8 end
   c.compress = 'none'
   if o.compress ~= nil then
      if o.scheme ~= 'allreduce' then fail(level + 1, 'compress is an option of allreduce, not of %s', o.scheme) end
      if c.sparse then fail(level + 1, 'give either compress or sparse') end
      local text, why = compress.text(o.compress)
      if not text then fail(level + 1, 'compress: %s', why) end
      c.compress = text
   end
   return c
end

local function need_update(o, c, level)
   local u = o.update
   if u ~= nil and c.scheme == 'eamsgd' then fail(level + 1, 'eamsgd has an update of its own') end
   if u == nil then u = 'sgd' end
   c.update = type(u) == 'string' and u or 'function'
   if type(u) == 'string' and u ~= 'add' and updates[u] then
      if o.states ~= nil then fail(level + 1, 'states is an option of updates that are functions') end
      c.states = updates[u].states
      return updates[u].run
   end
   if not arg.is_callable(u) then
      arg.refuse('dist.optim', 'update', "'sgd', 'momentum', 'adagrad', 'adam' or a function", u, level + 1)
   end
   return u
end

local function need_vectors(o, level)
   local x, g = o.parameters, o.gradParameters
   if o.model ~= nil then
      if not torch.isTypeOf(o.model, 'nn.Module') then arg.refuse('dist.optim', 'model', 'a module', o.model, level + 1) end
      if x ~= nil or g ~= nil then fail(level + 1, 'give either model, or parameters and gradParameters') end
      x, g = o.model:getParameters()
   end
   for name, t in pairs { parameters = x or false, gradParameters = g or false } do
      if not arg.is_tensor(t) or t:dim() ~= 1 or not t:isContiguous()
         or not (t:type() == 'torch.FloatTensor' or t:type() == 'torch.DoubleTensor') then
         arg.refuse('dist.optim', name, 'a packed vector of floats or doubles on the CPU', t or nil, level + 1)
      end
   end
   if x:type() ~= g:type() or x:nElement() ~= g:nElement() then
      fail(level + 1, 'parameters and gradParameters must be of one type and size, got %s and %s', arg.describe(x),
         arg.describe(g))
   end
   if x:storage():data() == g:storage():data() and x:storageOffset() == g:storageOffset() and x:nElement() > 0 then
      fail(level + 1, 'parameters and gradParameters must not be the same elements')
   end
   return x, g
end

local function need_roles(c, level)
   local n = dist.size()
   if c.servers >= n then
      fail(level + 1, 'servers must leave a worker: the job has %d rank%s, got %d', n, n == 1 and '' or 's', c.servers)
   end
   local all = n - c.servers
   c.workers = c.workers or all
   if c.workers > all then fail(level + 1, 'workers must lie in 1..%d, got %d', all, c.workers) end
   c.spare = c.spare or all - c.workers
   c.alpha = c.alpha or c.beta / all
   if c.sparse and (c.scheme == 'easgd' or c.scheme == 'eamsgd') then
      fail(level + 1, 'sparse is for gradients: %s moves all parameters', c.scheme)
   end
   return all
end

local words = { scheme = { 'allreduce', 'syncps', 'downpour', 'ssp', 'easgd', 'eamsgd' },
   update = { 'sgd', 'momentum', 'adagrad', 'adam', 'function' }, type = { 'torch.FloatTensor', 'torch.DoubleTensor' },
   sparse = { 'false', 'true' }, state = { 'none', 'one' } }

-- What all ranks must have alike, as { name, number }; words are numbered.
local function facts(self, state)
   local c, list = self.config, {}
   local function add(name, value)
      for i, word in ipairs(words[name] or {}) do if word == tostring(value) then value = i end end
      list[#list + 1] = { name, value }
   end
   for _, name in ipairs { 'scheme', 'sparse', 'update' } do add(name, c[name]) end
   for _, name in ipairs(order) do add(name, c[name]) end
   for _, fact in ipairs(compress.facts(self.compress and dist.compressor(self.compress))) do list[#list + 1] = fact end
   add('type', self.x:type())
   add('size', self.x:nElement())
   add('layout', wire.digest(self.layout:texts()))
   add('state', state and 'one' or 'none')
   return list
end

local function need_same(self, state, level)
   local mine, numbered = facts(self, state), {}
   for i, fact in ipairs(mine) do numbered[i] = fact[2] end
   local all = dist.allgather(torch.DoubleTensor(numbered))
   for r = 2, all:size(1) do
      for i, fact in ipairs(mine) do
         local known = words[fact[1]] or fact[3] or {}
         local first, other = all[1][i], all[r][i]
         if first ~= other then
            fail(level + 1, 'the ranks differ in %s: rank 0 has %s, rank %d %s', fact[1], known[first] or first, r - 1,
               known[other] or other)
         end
      end
   end
end

-- ---- what a job shares --------------------------------------------------------------------------------------------------

local MOST = 2 ^ 30                         -- steps of a rank: counters of two ranks must not be 2^31 apart
local made = 0

-- Counters of the job: BELL for servers, FULL the rounds of syncps, then four of each rank.
local function counters(n)
   return { BELL = 0, FULL = 1, CLOCK = 2, POSTED = 2 + n, HANDLED = 2 + 2 * n, ENDED = 2 + 3 * n, all = 2 + 4 * n }
end

local function share(self)
   local n, c, R = self.x:nElement(), self.config, dist.size()
   local name, ty = 'dist.optim ' .. made, self.x:type()
   local sizes = torch.LongStorage { n }
   local copies = 1 + (self.elastic and 0 or c.states)
   self.at = counters(R)
   self.shared = wire.shared(name, ty, sizes, n, self.layout.ends, copies, 0)
   self.control = wire.shared(name .. ' control', 'torch.DoubleTensor', torch.LongStorage { R }, R, { R }, 1, self.at.all)
   if c.servers > 0 or c.scheme == 'syncps' then
      local lists = self.layout:listSize() + 1
      self.slots = wire.shared(name .. ' slots', ty, sizes, n, { n }, R, 0)
      self.lists = wire.shared(name .. ' lists', 'torch.LongTensor', torch.LongStorage { lists }, lists, { lists }, R, 0)
   end
end

-- Every push goes to all shards, so between two steps they are all of one epoch, however many there are.
local function first_values(self, state)
   local had = state and state.shared
   if dist.rank() == 0 then
      self.shared.x:copy(had and had.copies[1] or self.x)
      for i = 2, #self.shared.copy_of do self.shared.copy_of[i]:copy(had and had.copies[i] or self.shared.copy_of[i]) end
      for s = 1, had and #self.shared.ends or 0 do self.shared:more(self.shared:epochCounter(s), had.epoch) end
      if had then self.control:more(self.at.FULL, had.epoch) end
   end
   dist.barrier()
   -- A gradient of syncps belongs to an epoch: that of the shared parameters.
   if not state or self.config.scheme == 'syncps' then self.x:copy(self.shared.x) end
end

local function begin(self, state)
   made = made + 1
   self.steps, self.dropped, self.ended, self.seen = state and state.steps or 0, state and state.dropped or 0, false, wire.now()
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

local function is_count(v) return type(v) == 'number' and v % 1 == 0 and v >= 0 and v < 2 ^ 31 end

-- The state's tables as Optim:state writes them: all that is read of them later.
local function is_whole(self, state)
   local function like_x(list, n)
      if type(list) ~= 'table' or #list ~= n then return false end
      for _, t in ipairs(list) do
         if not arg.is_tensor(t) or t:type() ~= self.x:type() or t:nElement() ~= self.x:nElement() then return false end
      end
      return true
   end
   local own, had, c = state.own, state.shared, self.config
   if not (like_x({ state.x }, 1) and is_count(state.steps) and is_count(state.dropped) and type(own) == 'table') then
      return false
   end
   for name, v in pairs(own) do
      if not (name == 'states' and like_x(v, c.states) or name == 'updates' and is_count(v)
         or name == 'compressor' and torch.isTypeOf(v, 'dist.Compressor') and compress.text(compress.options_of(v)) == c.compress
         or like_x({ v }, 1)) then return false end
   end
   if had == nil then return self.scheme.alone or self.rank > 0 end
   return type(had) == 'table' and is_count(had.epoch) and like_x(had.copies, 1 + (self.elastic and 0 or c.states))
end

local function need_state(self, state, level)
   if state == nil then return end
   for _, name in ipairs { 'scheme', 'update', 'states', 'sparse', 'compress' } do
      local had = state[name]
      if name == 'compress' and had == nil then had = 'none' end          -- of a version that had no such option
      if had ~= self.config[name] then
         fail(level + 1, 'state is of %s %s, wanted %s', name, tostring(had), tostring(self.config[name]))
      end
   end
   if state.n ~= self.x:nElement() or state.type ~= self.x:type() then
      fail(level + 1, 'state is of %s elements of a %s, wanted %d of a %s', tostring(state.n), tostring(state.type),
         self.x:nElement(), self.x:type())
   end
   if not is_whole(self, state) then fail(level + 1, 'state is not what Optim:state has given') end
end

--- Trains a model on all ranks of the job together. All ranks call it, with the same options and models of the same size, and all
-- begin with the parameters of rank 0. Each worker then computes gradients of its own data and calls `step`; at the end `finish`.
-- Schemes: 'allreduce' (the mean of all gradients, everywhere the same step), 'syncps' (the same with the first `workers`
-- gradients of each round; those that come later are dropped), 'downpour' (gradients are pushed and parameters fetched without
-- waiting), 'ssp' (likewise, but nobody is more than `staleness` steps ahead), 'easgd' and 'eamsgd' (every `tau` steps workers
-- and a centre pull at each other). doc/distributed.md says what each promises.
-- Its methods: `step([f])` takes a step with the gradient of this rank, which f, if given, computes; it returns what f returns;
-- `fetch([x])` fills x with the shared parameters; `finish()` says that this rank takes no more steps, and waits for the others;
-- `isServer()` tells whether this rank calls `serve()`, which takes gradients until all workers have finished; `state()` is for
-- dist.commit. An update that fails ends the job for all: a shard may be half written.
-- @param options.scheme          one of these
-- @param options.model           or `parameters` and `gradParameters`: vectors of floats or doubles
-- @param options.update          'sgd' (default), 'momentum', 'adagrad', 'adam', or function(x, g, state, config) that changes x,
--    a shard's elements, by the gradient g; state is a list of `states` (default 0) tensors like x; config holds the options
--    and step
-- @param options.learningRate    default 0.01; `momentum` 0.9; `beta1` 0.9, `beta2` 0.999; `epsilon` 1e-10, of adam 1e-8
-- @param options.servers         ranks that only update: the last ones of the job, which call `serve`; default 0
-- @param options.workers         of syncps: gradients of one round (default: all workers)
-- @param options.nFetch,nPush    of downpour: steps from one fetch or push to the next; default 1
-- @param options.staleness       of ssp, default 2
-- @param options.tau,alpha,beta  of easgd and eamsgd: steps between moves, default 10; alpha is beta / workers, and beta 0.9
-- @param options.spare           how many workers may die; default: those beyond `workers`, otherwise 0
-- @param options.sparse          true: gradients of nn.LookupTable travel as rows, and only rows with a gradient are updated
-- @param options.compress        of allreduce: how gradients travel in fewer bytes, as dist.compressor takes it
-- @param options.state           what `state` gave: goes on from there
-- @return an object with these methods; `steps` and `dropped` count
-- x = torch.ones(1); dist.init().optim{scheme = 'ssp', parameters = x, gradParameters = torch.ones(1)}:step(); x --> {0.99}
function dist.optim(options)
   if not wire.world then error('dist.optim: call dist.init() first', 2) end
   local c = options_of.options(options, 2)
   local self = setmetatable({ config = c, scheme = schemes[c.scheme], rank = dist.rank() }, Optim)
   self.update = options_of.update(options, c, 2)
   self.x, self.g = options_of.vectors(options, 2)
   if c.sparse and not options.model then options_of.fail(2, 'sparse needs the option model') end
   self.count = options_of.roles(c, 2)
   local c = need_options(options, 2)
   local self = setmetatable({ config = c, scheme = schemes[c.scheme], rank = dist.rank(), compress = options.compress }, Optim)
   self.update = need_update(options, c, 2)
   self.x, self.g = need_vectors(options, 2)
   if c.sparse and not options.model then fail(2, 'sparse needs the option model') end
   self.count = need_roles(c, 2)
   self.elastic = c.scheme == 'easgd' or c.scheme == 'eamsgd'
   state_of.need(self, options.state, 2)
   self.layout = Layout.of(self.g, c.servers > 0 and c.servers or dist.size(), c.sparse and options.model or nil)
   options_of.same(self, options.state, 2)
   begin(self, options.state)
   return self
end

-- ---- ranks that wait for others -----------------------------------------------------------------------------------------

function Optim:what(operation) return ('dist.optim, %s, step %d of rank %d'):format(operation, self.steps, self.rank) end

--- Whether this rank is a server: it calls serve, the others step and finish.
function Optim:isServer() return self.rank >= self.count end

function Optim:hasEnded(rank) return self.control:count(self.at.ENDED + rank) > 0 end

-- Rank r has died or left early. As many workers as may do so without harm; a server never.
local function lose(self, r, what)
   self.control:with(1, what, true, function()
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
      if r ~= self.rank and not self:hasEnded(r) and self.control:gone(r) and not self:hasEnded(r) then lose(self, r, what) end
   end
end

local function progress(self)
   local sum = 0
   for r = 0, self.count - 1 do sum = sum + self.control:count(self.at.CLOCK + r) end
   return sum
end

-- The rank of the list that has taken the fewest steps: the others may wait for it.
local function slowest(self, ranks)
   local last, least = nil, math.huge
   for _, r in ipairs(ranks) do
      local clock = self.control:count(self.at.CLOCK + r)
      if r ~= self.rank and not self:hasEnded(r) and clock < least then last, least = r, clock end
   end
   return last
end

-- What a rank calls again and again with those that it waits for: they are looked after, and when they have taken too long, the
-- slowest is blamed. `patient`: as long as anybody takes steps, nobody takes too long.
local function watch(self, what, patient)
   local seconds, since, mark = dist.deadline(), wire.now(), patient and progress(self)
   return function(ranks)
      self:lookAfter(ranks, what)
      if patient and progress(self) ~= mark then since, mark = wire.now(), progress(self) end
      if wire.now() - since <= seconds then return end
      local r = slowest(self, ranks)
      if r then self.control:blame(r, what, seconds) end
      error(('%s: it took more than %g s'):format(what, seconds), 0)
   end
end

--- Waits until a counter has come to a value that the ranks of `whom()` bring. `patient`: as long as anybody takes steps.
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

-- Applies gradients to a shard whose lock is held. What fails may have written half of it, and breaks the job.
function Optim:apply(shard, sources, scale)
   self.config.step = self.shared:epochOf(shard) + 1
   local update = self.elastic and updates.add.run or self.update
   local ok, why = pcall(self.layout.update, self.layout, self.layout.pieces[shard], sources, scale, self.shared.copy_of, update,
      self.config)
   if not ok then self.shared:fail(self:what 'update', why) end
end

function Optim:post(source)
   self.layout:put(source, self.slots.copy_of[self.rank + 1], self.lists.copy_of[self.rank + 1])
end

function Optim:posted(rank) return self.layout:get(self.slots.copy_of[rank + 1], self.lists.copy_of[rank + 1]) end

local function handled(self, rank, operation)
   local at = self.at
   local value = self.control:count(at.POSTED + rank) * self.config.servers
   self:await(self.control, at.HANDLED + rank, value, operation, self.serversOf)
end

--- Brings a gradient to all shards, or leaves it where the servers take it.
function Optim:push(g)
   local source, what = self.layout:source(g), self:what 'push'
   if self.config.servers == 0 then
      self.shared:each(function(shard) self.shared:with(shard, what, false, self.apply, self, shard, { source }, 1) end)
      return
   end
   handled(self, self.rank, 'push')
   self:post(source)
   self.control:more(self.at.POSTED + self.rank)
   self.control:more(self.at.BELL)
end

function Optim:handled() if self.config.servers > 0 then handled(self, self.rank, 'push') end end

--- Copies the shared parameters into x (default: those of this rank), shard by shard. Returns the epochs that they had.
function Optim:copyShared(x)
   local what, least, most = self:what 'fetch', math.huge, 0
   self.shared:each(function(shard)
      local first, n = self.shared:part(shard)
      self.shared:with(shard, what, true, function()
         if n > 0 then x:narrow(1, first, n):copy(self.shared.x:narrow(1, first, n)) end
         local epoch = self.shared:epochOf(shard)
         least, most = math.min(least, epoch), math.max(most, epoch)
      end)
   end)
   return least, most
end

-- When all ranks have done so, names and memory are free. What they were to state() stays with rank 0.
local function give_back(self)
   if self.rank == 0 then self.last = state_of.shared(self) end
   for _, name in ipairs { 'shared', 'control', 'slots', 'lists' } do
      if self[name] then self[name]:close() end
   end
--- `scale` times the sum of all ranks' gradients takes the place of g, in fewer bytes.
function Optim:sumCompressed(scale)
   local ok, why = pcall(compress.sum, self.own.compressor, wire.world, { self.g }, scale)
   if not ok then error(('%s: %s'):format(self:what 'step', why), 0) end
end

-- ---- the object ---------------------------------------------------------------------------------------------------------

local function need_worker(self, who)
   if self.ended then error(who .. ': this rank has finished', 3) end
   if self:isServer() then error(('%s: rank %d is a server, it calls serve'):format(who, self.rank), 3) end
end

--- Takes a step with the gradient of this rank. `f`, if given, is called first, and must compute it: step returns what f returns.
-- A gradient that is not finite is an error, and nothing has changed then.
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
      error(('dist.optim: rank %d has taken 2^30 steps, more are not counted: begin again with state()'):format(self.rank), 2)
   end
   self.steps = self.steps + 1
   if not self.scheme.alone and wire.now() - self.seen > 0.5 then
      self.seen = wire.now()
      self:lookAfter(self:workersOf(), self:what 'step')
      self:lookAfter(self:serversOf(), self:what 'step')
   end
   self.scheme.step(self)
   if n > 0 then return unpack(values, 1, n) end
end

--- Fills x (default: the parameters of this rank) with the shared parameters; of easgd and eamsgd that is the centre. Returns x.
function Optim:fetch(x)
   x = x or self.x
   if not arg.is_tensor(x) or x:type() ~= self.x:type() or x:dim() ~= 1 or x:nElement() ~= self.x:nElement() then
      arg.refuse('fetch', 'argument 1', ('a %s of size %d'):format(self.x:type(), self.x:nElement()), x)
   end
   if self.scheme.alone or self.ended then return x:copy(self.x) end
   self:copyShared(x)
   return x
end

--- Says that this rank takes no more steps, and waits until no worker does; all ranks have the shared parameters then. A rank
-- that has fewer steps than others calls it earlier.
function Optim:finish()
   need_worker(self, 'finish')
   self.scheme.finish(self)
   self.ended = true
   if self.scheme.alone then return self end
   local at = self.at
   self:handled()
   self.control:with(1, self:what 'finish', true, function()
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

--- What a server does: takes gradients until all workers have finished. It has the shared parameters then.
function Optim:serve()
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

-- A server has shards of its own.
function Optim:ownShards()
   local list = {}
   for s = 1, #self.shared.ends do
      if self.config.servers == 0 or (s - 1) % self.config.servers == self.rank - self.count then list[#list + 1] = s end
   end
   return list
end

--- What dist.commit needs, to go on with the option `state`. All ranks call it between two steps. Jobs with servers have none.
function Optim:state()
   if self.config.servers > 0 then error('state: with servers there is no moment at which all ranks stop', 2) end
   return state_of.of(self)
   local c = self.config
   local state = { scheme = c.scheme, update = c.update, states = c.states, sparse = c.sparse, compress = c.compress,
                   n = self.x:nElement(), type = self.x:type(), x = self.x:clone(), steps = self.steps, dropped = self.dropped,
                   own = clone(self.own) }
   dist.barrier()
   if not self.scheme.alone and self.rank == 0 then
      state.shared = { copies = {}, epoch = self.shared:epoch() }
      for i, x in ipairs(self.shared.copy_of) do state.shared.copies[i] = x:clone() end
   end
   dist.barrier()
   return state
end

return Optim
