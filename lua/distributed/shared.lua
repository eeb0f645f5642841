-- lua/distributed/shared.lua - shared tensors: tensors under a name, which all ranks of a job read and
-- write. Parameter servers are built on them.
--
-- A tensor is cut into shards. A rank that reads or writes a shard holds its lock, so no other rank
-- uses it meanwhile. A shard counts its writes, which is its epoch. So what one rank writes into
-- one shard is seen whole or not at all, but different shards may be of different times.
--
-- In a job on several hosts each shard has a shard server. The server's host holds the shard's
-- lock, its epoch and its valid elements. A rank of another host that holds the lock reads the
-- elements that it needs into the same place of its host's memory. It writes its changes back
-- before it releases the lock.
local ffi = require 'ffi'
local torch = require 'torch'
local lib = require 'torch.lib'
local arg = require 'torch.arg'
local storage = require 'torch.storage'
local dtype = require 'torch.dtype'
local dist = require 'distributed.core'
local comm = require 'distributed.lib'
local C = lib.C

local Shared = {}
Shared.__index = Shared

local shared_t, storage_t, int_t = ffi.typeof 'th_shared *[1]', ffi.typeof 'th_storage *[1]', ffi.typeof 'int[1]'
local values_t, runs_t, servers_t = ffi.typeof 'uint32_t[?]', ffi.typeof 'int64_t[?]', ffi.typeof 'int32_t[?]'
local value = values_t(1)

-- ---- opening ------------------------------------------------------------------------------------------------------------

local known = { type = true, shards = true }

local function options_of(options, level)
   if options == nil then return {} end
   if type(options) ~= 'table' then arg.refuse('dist.shared', 'options', 'a table', options, level) end
   for name in pairs(options) do
      if not known[name] then
         error(('dist.shared: there is no option %s; there are type and shards'):format(tostring(name)), level)
      end
   end
   local shards = options.shards
   if type(shards) ~= 'nil' and (type(shards) ~= 'number' or shards % 1 ~= 0 or shards < 1 or shards > 256) then
      arg.refuse('dist.shared', 'shards', 'a whole number in 1..256', shards, level)
   end
   return options
end

local function sizes_of(sizes, level)
   if type(sizes) == 'number' then sizes = { sizes } end
   if arg.is_storage(sizes) then sizes = sizes:totable() end
   if type(sizes) ~= 'table' or #sizes == 0 or #sizes > 16 then
      arg.refuse('dist.shared', 'sizes', 'a number, a list of 1 to 16 numbers or a LongStorage', sizes, level)
   end
   local count = 1
   for i, n in ipairs(sizes) do
      if type(n) ~= 'number' or n % 1 ~= 0 or n < 1 or n > 2 ^ 53 then
         arg.refuse('dist.shared', 'size ' .. i, 'a whole number from 1', n, level)
      end
      count = count * n
   end
   if count > 2 ^ 53 then error('dist.shared: too many elements', level) end
   return torch.LongStorage(sizes), count
end

-- The ends of the shards: whole rows, divided as evenly as possible.
local function ends_of(rows, cols, shards)
   local ends = {}
   for s = 1, shards do ends[s] = math.floor(rows * s / shards) * cols end
   return ends
end

-- The default server of shard s.
local function usual_server(s) return (s - 1) % dist.size() end

--- The same with more options, for the files of dist. `copies` of the elements lie one after the
-- other and belong to the same shards. `ends` has the last element of each shard. `counters` is how
-- many counters there are. server_of(s) is the server of shard s; the first shard's server also holds
-- the counters.
function comm.shared(name, ty, sizes, count, ends, copies, counters, server_of)
   local s, elements, servers = shared_t(), storage_t(), servers_t(#ends)
   local names = {}
   for i = 1, #ends do
      names[i] = (server_of or usual_server)(i)
      servers[i - 1] = names[i]
   end
   local form = comm.digest { table.concat(sizes:totable(), ' '), table.concat(ends, ' '), table.concat(names, ' ') }
   lib.check(C.th_shared_open(s, elements, comm.world.c, name, dtype.id[ty:match 'torch%.(%a+)Tensor'], count * copies, form,
      #ends, counters, servers), 3)
   local ref = storage.owned(elements[0])
   local self = { c = s[0], name = name, sizes = sizes, n = count, ends = ends, copy_of = {}, counters = counters, is_far = {} }
   for i = 1, copies do self.copy_of[i] = torch[ty:match '%.(.*)'](ref, (i - 1) * count + 1, count) end
   for i = 1, #ends do self.is_far[i] = C.th_shared_is_remote(s[0], i - 1) ~= 0 end
   self.x = self.copy_of[1]
   return setmetatable(self, Shared)
end

--- A tensor that all ranks of the job see under a name, as an object with methods. The first rank
-- that asks for the name creates it, filled with zeros. The others get the same one, and must pass
-- the same sizes, type and shards. It is freed when all ranks that have it close it, or when the
-- job ends. A job has at most 512 at a time. Methods process shard by shard: ranks that write at
-- the same time take turns in each shard.
-- Its methods: `fetch([into])` returns a copy, or fills `into`. `copy(x)` replaces its elements.
-- `add([scale,] x)` adds to them. `addRows(index, rows)` adds row i of `rows` to row index[i].
-- `apply(f)` calls f(part, first) with each shard's elements, a vector, which f may change.
-- `epoch()` is the number of writes, at most 2^31 - 1. `wait(epoch [, seconds])` waits until that
-- number is reached (default: the job's timeout). `close()` ends this rank's use of it. A process
-- that is a fork of a rank cannot use it. In a job on several hosts rank (s - 1) % size is the
-- server of shard s. Ranks of other hosts read elements from there and write them back; `fetch`
-- only reads, `copy` only writes, and `addRows` transfers only these rows.
-- @param name     1 to 63 bytes, which do not begin with 'dist.optim'
-- @param sizes    a number, a list of numbers or a LongStorage
-- @param options  a table: `type` (the default tensor type), `shards` (as many as ranks; whole rows of the first dimension each)
-- dist.init(); s = dist.shared('w', {2, 3}); s:add(torch.ones(2, 3)); s:fetch() --> {{1, 1, 1}, {1, 1, 1}}
function dist.shared(name, sizes, options)
   if not comm.world then error('dist.shared: call dist.init() first', 2) end
   if type(name) ~= 'string' or name:find('\0', 1, true) then
      arg.refuse('dist.shared', 'name', 'a string without a byte 0', name, 2)
   end
   if name:find '^dist%.optim' then error("dist.shared: names that begin with 'dist.optim' are reserved", 2) end
   options = options_of(options, 3)
   local list, count = sizes_of(sizes, 3)
   local ty = options.type or torch.getdefaulttensortype()
   if type(ty) ~= 'string' or not dtype.id[ty:match '^torch%.(%a+)Tensor$' or ''] then
      arg.refuse('dist.shared', 'type', 'the name of a tensor type of the CPU', ty, 2)
   end
   local rows = tonumber(list[1])
   local shards = math.min(options.shards or dist.size(), rows)
   return comm.shared(name, ty, list, count, ends_of(rows, count / rows, shards), 1, 0)
end

-- ---- shards -------------------------------------------------------------------------------------------------------------

function Shared:first(shard) return (self.ends[shard - 1] or 0) + 1 end

--- The elements of a shard: the first one's number, and how many.
function Shared:part(shard)
   local first = self:first(shard)
   return first, self.ends[shard] - first + 1
end

--- Whether the shard can be written once more. Waiting for an epoch needs numbers below 2^31.
function Shared:hasRoom(shard) return self:epochOf(shard) < 2 ^ 31 - 1 end

-- Runs of adjacent elements, as C takes them. `list`: the first element and how many, and so on.
local function runs_of(list)
   local n = #list / 2
   local runs = runs_t(2 * n)
   for i = 0, n - 1 do runs[2 * i], runs[2 * i + 1] = list[2 * i + 1] - 1, list[2 * i + 2] end
   return runs, n
end

--- Calls f with the shard's lock held. `how` is 'look', which does not count as a write; 'put',
-- which does not read the old elements; or 'change'. `list` has the elements that f uses (the first
-- and how many, and so on; nil: none). On another host than the server's only these are
-- transferred.
function Shared:with(shard, what, how, list, f, ...)
   local trace = comm.trace
   local begin = trace and comm.now()
   local runs, n = nil, 0
   if list and self.is_far[shard] then runs, n = runs_of(list) end
   lib.check(C.th_shared_lock(self.c, shard - 1, what, 0, how ~= 'put' and runs or nil, how ~= 'put' and n or 0), 3)
   if how ~= 'look' and not self:hasRoom(shard) then
      lib.check(C.th_shared_unlock(self.c, shard - 1, what, 0, nil, 0), 3)
      error(what .. ': it was written 2^31 - 1 times, and cannot be written again', 0)
   end
   local ok, why = pcall(f, ...)
   if how == 'look' then runs, n = nil, 0 end
   lib.check(C.th_shared_unlock(self.c, shard - 1, what, ok and how ~= 'look' and 1 or 0, runs, n), 3)
   if begin then trace:shared(what, begin) end
   if not ok then error(why, 0) end
   return why
end

--- The same elements in copy i (0: the first); in all copies; and all elements of a shard in all
-- copies.
function Shared:moved(list, i)
   local moved = {}
   for k = 1, #list, 2 do moved[k], moved[k + 1] = list[k] + i * self.n, list[k + 1] end
   return moved
end
function Shared:inCopies(list)
   local all = {}
   for i = 0, #self.copy_of - 1 do
      for _, v in ipairs(self:moved(list, i)) do all[#all + 1] = v end
   end
   return all
end
function Shared:whole(shard)
   local first, n = self:part(shard)
   return n > 0 and self:inCopies { first, n } or {}
end

--- Reads elements from the shard server, or writes them there. The caller holds the lock, or knows
-- that no other rank uses the elements.
function Shared:bring(shard, what, list)
   if not self.is_far[shard] then return end
   local runs, n = runs_of(list)
   lib.check(C.th_shared_bring(self.c, shard - 1, what, runs, n), 3)
end
function Shared:send(shard, what, list)
   if not self.is_far[shard] then return end
   local runs, n = runs_of(list)
   lib.check(C.th_shared_send(self.c, shard - 1, what, runs, n), 3)
end

-- All shards, one after the other; each rank begins with a different one.
function Shared:each(f)
   local n = #self.ends
   for i = 0, n - 1 do f((i + dist.rank() * math.ceil(n / dist.size())) % n + 1) end
end

function Shared:what(operation) return ("dist.shared '%s', %s"):format(self.name, operation) end

local function walk(self, operation, how, f)
   local what = self:what(operation)
   self:each(function(shard)
      local first, n = self:part(shard)
      if n > 0 then self:with(shard, what, how, { first, n }, f, self.x:narrow(1, first, n), first, n) end
   end)
end

-- ---- for users
-- ----------------------------------------------------------------------------------------------------------

local function need_like(self, who, x, level)
   if not arg.is_tensor(x) then arg.refuse(who, 'argument 1', 'a tensor', x, level + 1) end
   if x:type() ~= self.x:type() or x:nElement() ~= self.n then
      error(("%s: '%s' has %d elements of a %s, got %s"):format(who, self.name, self.n, self.x:type(), arg.describe(x)),
         level + 1)
   end
   return x:contiguous():view(-1)
end

--- Returns a copy of it. With a tensor of the same type and number of elements, fills and returns
-- that.
function Shared:fetch(into)
   local flat
   if into == nil then
      into = self.x.new():resize(self.sizes)                 -- for a LongTensor new(sizes) would contain the sizes
      flat = into:view(-1)
   else
      flat = need_like(self, 'fetch', into, 2)
   end
   walk(self, 'fetch', 'look', function(x, first, n) flat:narrow(1, first, n):copy(x) end)
   if not into:isContiguous() then into:copy(flat:viewAs(into)) end
   return into
end

--- Replaces its elements by those of x. Returns the shared tensor, like the methods below.
function Shared:copy(x)
   local flat = need_like(self, 'copy', x, 2)
   walk(self, 'copy', 'put', function(to, first, n) to:copy(flat:narrow(1, first, n)) end)
   return self
end

--- Adds `scale` (default 1) times x.
function Shared:add(scale, x)
   if x == nil then scale, x = 1, scale end
   if type(scale) ~= 'number' then arg.refuse('add', 'scale', 'a number', scale) end
   local flat = need_like(self, 'add', x, 2)
   walk(self, 'add', 'change', function(to, first, n) to:add(scale, flat:narrow(1, first, n)) end)
   return self
end

local function need_index(index)
   if not arg.is_tensor(index) or index:type() ~= 'torch.LongTensor' or index:dim() > 1 then
      arg.refuse('addRows', 'argument 1', 'a LongTensor of row numbers', index, 3)
   end
end

-- The elements of some rows, with adjacent rows joined. places: numbers of rows, from 1 at the
-- element `first`.
local function rows_of(places, first, cols)
   local list, sorted = {}, places:sort(1)
   for i = 1, sorted:size(1) do
      local at, n = first + (sorted[i] - 1) * cols, #list
      if n == 0 or at > list[n - 1] + list[n] then list[n + 1], list[n + 2] = at, cols
      elseif at == list[n - 1] + list[n] then list[n] = list[n] + cols end
   end
   return list
end

-- Calls f(part as rows, places in it, indices of those rows in the list) for each shard that
-- contains some of the rows.
local function each_row(self, operation, index, how, f)
   local rows = tonumber(self.sizes[1])
   local cols, what = self.n / rows, self:what(operation)
   if index:min() < 1 or index:max() > rows then
      error(("%s: rows of '%s' must lie in 1..%d, got %d"):format(operation, self.name, rows,
         index:min() < 1 and index:min() or index:max()), 3)
   end
   self:each(function(shard)
      local first, n = self:part(shard)
      local low = (first - 1) / cols
      local mine = index:gt(low):cmul(index:le(low + n / cols)):nonzero()
      if n > 0 and mine:nElement() > 0 then
         mine = mine:view(-1)
         local places = index:index(1, mine):add(-low)
         self:with(shard, what, how, self.is_far[shard] and rows_of(places, first, cols), f,
            self.x:narrow(1, first, n):view(n / cols, cols), places, mine)
      end
   end)
end

--- Adds rows to rows of the first dimension: row i of `rows` to row index[i]. A row that is named
-- twice gets both. Only the shards of these rows are locked.
-- @param index  a LongTensor
-- @param rows   one for each number of index
function Shared:addRows(index, rows)
   local cols = self.n / tonumber(self.sizes[1])
   need_index(index)
   if not arg.is_tensor(rows) or rows:type() ~= self.x:type() or rows:nElement() ~= index:nElement() * cols then
      arg.refuse('addRows', 'argument 2', ('a %s with %d elements for each row'):format(self.x:type(), cols), rows)
   end
   if index:nElement() == 0 then return self end
   local flat = rows:contiguous():view(-1, cols)
   each_row(self, 'addRows', index, 'change', function(part, places, from) part:indexAdd(1, places, flat:index(1, from)) end)
   return self
end

--- Calls f(part, first) for each shard, with its lock held. part is the shard's elements in the
-- job's memory, a vector; first is the number of the first one. f may change them, but must not
-- keep them, nor call the shared tensor. An error in f ends apply; what f has written stays, and
-- does not count as a write.
function Shared:apply(f)
   if not arg.is_callable(f) then arg.refuse('apply', 'argument 1', 'a function', f) end
   walk(self, 'apply', 'change', function(part, first) f(part, first) end)
   return self
end

--- The number of writes of the shard that was written least. After 2^31 - 1 writes, writing is an
-- error.
function Shared:epoch()
   local least = math.huge
   for s = 1, #self.ends do least = math.min(least, self:epochOf(s)) end
   return least
end

local function ended_others(self)
   local list = {}
   for r = 0, dist.size() - 1 do
      if r ~= dist.rank() and self:gone(r) then list[#list + 1] = r end
   end
   return list
end

--- Waits until its epoch is at least `epoch`. It is an error if the timeout expires, or if all other
-- ranks have ended.
function Shared:wait(epoch, seconds)
   if type(epoch) ~= 'number' or epoch % 1 ~= 0 or epoch < 0 or epoch >= 2 ^ 31 then
      arg.refuse('wait', 'argument 1', 'a whole number from 0', epoch)
   end
   if type(seconds) ~= 'nil' and (type(seconds) ~= 'number' or seconds <= 0 or seconds ~= seconds) then
      arg.refuse('wait', 'argument 2', 'a positive number of seconds', seconds)
   end
   local what, begin = self:what 'wait', comm.now()
   seconds = seconds or dist.deadline()
   for s = 1, #self.ends do
      while not self:moment(s, epoch, what, 3) do
         local ended = ended_others(self)
         if #ended == dist.size() - 1 and self:epochOf(s) < epoch then
            error(('%s: all other ranks have ended in epoch %d'):format(what, self:epoch()), 2)
         end
         if comm.now() - begin > seconds then
            error(('%s: epoch %d did not come within %g s: it is %d%s'):format(what, epoch, seconds, self:epoch(),
               ended[1] and (', and rank %d has ended'):format(ended[1]) or ''), 2)
         end
      end
   end
   return self
end

local Closed = {}
function Closed:__index(name)
   error(("%s: this rank has closed dist.shared '%s'"):format(tostring(name), rawget(self, 'closed')), 2)
end

--- Ends this rank's use of it; no method can be called any more. Memory and name are freed when the
-- last rank has closed it.
function Shared:close()
   local name = self.name
   lib.check(C.th_shared_close(self.c), 3)
   for field in pairs(self) do self[field] = nil end
   self.closed = name
   setmetatable(self, Closed)
end

-- ---- counters, for the files of dist ------------------------------------------------------------------------------------

-- The epoch of shard s is a counter, numbered behind the others.
function Shared:epochOf(s) return self:count(self:epochCounter(s)) end
function Shared:epochCounter(s) return self.counters + s - 1 end
function Shared:count(i)
   lib.check(C.th_shared_count(self.c, i, 1, value), 3)
   return value[0]
end

--- n counters from i on, as a list.
function Shared:counts(i, n)
   local values, list = values_t(n), {}
   lib.check(C.th_shared_count(self.c, i, n, values), 3)
   for k = 1, n do list[k] = values[k - 1] end
   return list
end
function Shared:more(i, n) lib.check(C.th_shared_add(self.c, i, n or 1), 3) end
function Shared:gone(rank) return C.th_shared_gone(self.c, rank) ~= 0 end

-- Sleeps until a counter has reached the value, at most about 20 ms; returns whether it has.
function Shared:waitMoment(counter, value, what, level)
   local there = int_t()
   lib.check(C.th_shared_wait(self.c, counter, value % 2 ^ 32, what, there), (level or 2) + 1)
   return there[0] ~= 0
end
function Shared:moment(shard, epoch, what, level) return self:waitMoment(self:epochCounter(shard), epoch, what, level + 1) end

-- Breaks the job, because this rank has left a shard half written.
function Shared:fail(what, why) lib.check(C.th_shared_fail(self.c, what, tostring(why)), 3) end

function Shared:blame(rank, what, seconds) lib.check(C.th_shared_blame(self.c, rank, what, seconds), 3) end

return Shared
