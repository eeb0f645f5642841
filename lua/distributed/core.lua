-- lua/distributed/core.lua - jobs of several processes: ranks, groups, and collective operations on
-- tensors. The other files of the package require this one, and it requires none of them.
--
-- Every rank runs the same script. All ranks of a group call an operation, in the same order and
-- with tensors of the same type and size; a difference is an error on all of them. Sums are
-- computed in fixed pairs of ranks, so their bits depend only on the ranks' tensors. Tensors on
-- CUDA devices use NCCL, with its order of sums, if each rank has a device for itself; otherwise
-- they use copies on the CPU.
local ffi = require 'ffi'
local torch = require 'torch'
local arg = require 'torch.arg'
local find = require 'distributed.environment'
local lib = require 'distributed.lib'
local tlib = require 'torch.lib'
local environment = require 'torch.environment'

ffi.cdef [[
bool th_overlaps_itself_slowly(const th_tensor *t);
const char *th_overlap_text(const th_tensor *t);
]]

local dist = rawget(_G, 'dist') or {}
_G.dist = dist                         -- torch.class finds the package among the globals

local world, job                       -- the group of all ranks, and the environment's job, after dist.init

-- ---- the job ------------------------------------------------------------------------------------------------------

local Group = {}
Group.__index = Group

--- Joins the job that this process was started for, and waits until all its ranks have joined. The
-- job is that of thrun, mpirun or a Slurm step, on one host or several; otherwise it consists of
-- this process alone. Returns dist. A second call has no effect.
-- @param options  a table: `deadline`, the timeout of operations in seconds (default: what thrun
--    passes, or 300)
-- dist.init().rank() --> 0
function dist.init(options)
   if type(options) ~= 'nil' and type(options) ~= 'table' then arg.refuse('dist.init', 'options', 'a table', options) end
   local seconds = options and options.deadline
   if type(seconds) ~= 'nil' and (type(seconds) ~= 'number' or not (seconds > 0 and seconds < 1e9)) then
      arg.refuse('dist.init', 'deadline', 'a positive number of seconds', seconds)
   end
   if world then
      if seconds then dist.deadline(seconds) end
      return dist
   end
   job = find(environment.get)
   local c = lib.join(job, seconds or job.deadline, 2)
   if job.host then job.localRank = lib.C.th_dist_local(c) end
   world = setmetatable({ c = c, at = job.rank, n = job.size, ranks = {} }, Group)
   for r = 0, job.size - 1 do world.ranks[r + 1] = r end
   lib.world = world
   return dist
end

local function joined(who)
   if not world then error(who .. ': call dist.init() first', 3) end
   return world
end

--- The number of this process among the ranks of the job, from 0.
-- dist.init(); dist.rank() --> 0
function dist.rank() return joined('dist.rank').at end

--- How many ranks the job has.
-- dist.init(); dist.size() --> 1
function dist.size() return joined('dist.size').n end

--- The number of this process among the ranks on its host, from 0; for example to choose a GPU.
-- dist.init(); dist.localRank() --> 0
function dist.localRank()
   joined 'dist.localRank'
   return job.localRank
end

--- How many hosts the ranks are on.
-- dist.init(); dist.hosts() --> 1
function dist.hosts() return lib.C.th_dist_hosts(joined('dist.hosts').c) end

--- How often thrun has restarted the job after a failure.
-- dist.init(); dist.restarts() --> 0
function dist.restarts()
   joined 'dist.restarts'
   return job.restarts
end

--- The timeout of operations in seconds. With an argument, sets it.
-- dist.init(); dist.deadline(300); dist.deadline() --> 300
function dist.deadline(seconds)
   local c = joined('dist.deadline').c
   if type(seconds) ~= 'nil' and (type(seconds) ~= 'number' or not (seconds > 0 and seconds < 1e9)) then
      arg.refuse('dist.deadline', 'seconds', 'a positive number', seconds)
   end
   return lib.C.th_dist_deadline(c, seconds or 0)
end

-- ---- groups -------------------------------------------------------------------------------------------------------

--- A group of some ranks, for the option `group` of operations. All ranks of the job call it with
-- the same list, and create several groups in the same order. A rank that is not in the list gets a
-- group that it cannot use. A job has at most 31 at a time. group:close() frees the group; all its
-- ranks call it, after they have waited for its operations. group:rank() and group:size() return
-- this rank's number in the group and the group's size.
-- dist.init(); g = dist.group{0}; n = g:size(); g:close(); n --> 1
function dist.group(ranks)
   joined 'dist.group'
   if type(ranks) ~= 'table' or #ranks == 0 then arg.refuse('dist.group', 'ranks', 'a list of ranks', ranks) end
   local at, seen = nil, {}
   for i, r in ipairs(ranks) do
      if type(r) ~= 'number' or r % 1 ~= 0 or r < 0 or r >= world.n then
         error(('dist.group: ranks must lie in 0..%d, got %s'):format(world.n - 1, tostring(r)), 2)
      end
      if seen[r] then error(('dist.group: rank %d is named twice'):format(r), 2) end
      seen[r] = true
      if r == world.at then at = i - 1 end
   end
   return setmetatable({ c = lib.group(world.c, ranks, 2), at = at, n = #ranks, ranks = ranks }, Group)
end

local meshes = {}                      -- their groups, by their sizes

--- Groups of ranks that form a grid, with consecutive ranks along the last dimension: dist.mesh(2,
-- 3) has ranks 0 1 2 in its first row and 3 4 5 in its second. It returns one group per dimension:
-- the ranks that differ from this one only in that dimension. Here these are a group of 2 and one
-- of 3, for example to train 2 copies of a model that lies on 3 ranks. All ranks of the job call
-- it. The same sizes return the same groups, and a size equal to the number of ranks returns the
-- whole job, because groups are few.
-- @param ...  the sizes, whose product is the number of ranks
-- dist.init(); a, b = dist.mesh(1, 1); a:size(), b:size() --> 1, 1
function dist.mesh(...)
   local n, sizes, steps, all = joined('dist.mesh').n, { ... }, {}, 1
   for d = math.max(1, select('#', ...)), 1, -1 do
      local size = sizes[d]
      if type(size) ~= 'number' or size % 1 ~= 0 or size < 1 then
         arg.refuse('dist.mesh', 'size ' .. d, 'a whole number from 1', size)
      end
      steps[d], all = all, all * size
   end
   if all ~= n then
      error(('dist.mesh: there are %d ranks, %s are %d'):format(n, table.concat(sizes, ' x '), all), 2)
   end
   local name, mine = table.concat(sizes, ' x '), {}
   if meshes[name] then return unpack(meshes[name]) end
   for d, size in ipairs(sizes) do
      mine[d] = size == n and world or nil
      for first = 0, n - 1 do
         if size < n and math.floor(first / steps[d]) % size == 0 then
            local ranks = {}
            for i = 1, size do ranks[i] = first + (i - 1) * steps[d] end
            local group = dist.group(ranks)
            group.stays = 'dist.mesh returns this group again for the same sizes, so it stays open'
            if group.c then mine[d] = group end
         end
      end
   end
   meshes[name] = mine
   return unpack(mine)
end

function Group:rank() return self.at end
function Group:size() return self.n end

function Group:close()
   if getmetatable(self) ~= Group then arg.refuse('dist.group:close', 'argument 1', 'a group made by dist.group', self) end
   if self == world or self.stays then error('dist.group:close: ' .. (self.stays or 'this is the whole job'), 2) end
   if self.closed then error('dist.group:close: the group is closed', 2) end
   if self.c then lib.close(self.c, 2) end
   self.c, self.closed = nil, true
end

-- ---- asynchronous operations
-- ---------------------------------------------------------------------------------------------

local Handle = {}
Handle.__index = Handle

--- Whether wait would return immediately.
function Handle:test()
   if self.there and self.works and not self.there() then return false end
   for _, work in ipairs(self.works or {}) do if not lib.test(work) then return false end end
   return true
end

--- Waits until the operation has ended; returns its result, or raises its error.
function Handle:wait()
   for _, work in ipairs(self.works or {}) do
      local why = lib.wait(work)
      self.why = self.why or why
   end
   if self.works and not self.why and self.finish then
      local ok, why = pcall(self.finish)
      if not ok then self.why = why end
   end
   self.works, self.finish, self.keep = nil, nil, nil
   if self.why then error(self.why, 2) end
   return self.result
end

-- ---- how an operation is called -----------------------------------------------------------------------------------

local known = { group = true, async = true, deadline = true }
local none = {}

local function options_of(who, options, more)
   if options == nil then return none end
   if type(options) ~= 'table' then arg.refuse(who, 'options', 'a table', options, 3) end
   for name in pairs(options) do
      if not known[name] and name ~= more then
         error(('%s: there is no option %s; there are group, async%s'):format(who, tostring(name),
            more and ', deadline and ' .. more or ' and deadline'), 3)
      end
   end
   local group, seconds = options.group, options.deadline
   if group ~= nil and getmetatable(group) ~= Group then arg.refuse(who, 'group', 'a group made by dist.group', group, 3) end
   if group and group.closed then error(who .. ': the group is closed', 3) end
   if group and not group.c then error(('%s: rank %d is not in the group'):format(who, world.at), 3) end
   if type(seconds) ~= 'nil' and (type(seconds) ~= 'number' or not (seconds > 0 and seconds < 1e9)) then
      arg.refuse(who, 'deadline', 'a positive number of seconds', seconds, 3)
   end
   return options
end

local function operator_of(who, op)
   local number = lib.operators[op or 'sum']
   if not number then error(('%s: the operator must be sum, mean, min, max or prod, got %s'):format(who, tostring(op)), 3) end
   return number
end

local function rank_of(who, rank, options)
   local n = (options.group or world).n
   if rank == nil then return 0 end
   if type(rank) ~= 'number' or rank % 1 ~= 0 or rank < 0 or rank >= n then
      error(('%s: the rank must lie in 0..%d, got %s'):format(who, n - 1, tostring(rank)), 3)
   end
   return rank
end

-- Runs one C operation for each pair of lists { inputs, outputs }, blocking or not. `finish` copies
-- results to their tensors.
local function operate(name, op, root, pairs_of_lists, result, finish, options)
   local c, kind = (options.group or world).c, lib.kinds[name]
   if not options.async then
      for _, p in ipairs(pairs_of_lists) do lib.run(c, kind, op, root, p[1], p[2], options.deadline, 3) end
      if finish then finish() end
      return result
   end
   local works = {}
   for i, p in ipairs(pairs_of_lists) do works[i] = lib.start(c, kind, op, root, p[1], p[2], options.deadline, 3) end
   return setmetatable({ works = works, result = result, finish = finish, keep = pairs_of_lists }, Handle)
end

-- No two elements of a result may share memory.
local function need_room(who, list)
   for i, t in ipairs(list) do
      if torch.isTensor(t) and not t:isContiguous() and tlib.C.th_overlaps_itself_slowly(t) then
         error(('%s: tensor %d %s: several elements share one place; clone it first'):format(who, i,
            ffi.string(tlib.C.th_overlap_text(t))), 4)
      end
   end
end

-- Returns a function that copies results back from copies, { tensor, copy } each.
local function back_to(copies) return function() for _, c in ipairs(copies) do c[1]:copy(c[2]) end end end

-- Whether contiguous tensor t, which begins at address `at`, overlaps one of `spans`.
local function overlaps(spans, at, t)
   for _, span in ipairs(spans) do if at < span[2] and at + t:bytes() > span[1] then return true end end
   return false
end

-- The tensors of a list, made contiguous, on the CPU (or `there`, on their device) and without
-- overlap. Also returns a function that copies results back to the tensors that were copied.
local function packed_of(list, there)
   local packed, copies, spans = {}, {}, {}
   for i, t in ipairs(list) do
      packed[i] = (there and t or lib.host(t)):contiguous()
      local own = not there and t._device ~= 0 or not t:isContiguous()
      if not own and #list > 1 and t:nElement() > 0 then
         local at = lib.address(t)
         if overlaps(spans, at, t) then packed[i], own = t:clone(), true
         else spans[#spans + 1] = { at, at + t:bytes() } end
      end
      if own then copies[#copies + 1] = { t, packed[i] } end
   end
   return packed, back_to(copies), #copies > 0
end

local function any_in_place(name, who, x, op, root, changed, options)
   local list = lib.tensors(who, x, 3)
   if changed then need_room(who, list) end
   local packed, back, any = packed_of(list, lib.by_device((options.group or world).c, lib.kinds[name], op, list))
   local lists = {}
   for i, l in ipairs(lib.by_type(packed)) do lists[i] = { l, l } end
   return operate(name, op, root, lists, x, changed and any and back or nil, options)
end

-- An operation in place. `changed`: this rank gets a result. The common case, one contiguous
-- tensor, allocates no table and no closure, because LuaJIT does not compile code that creates
-- closures.
local function in_place(name, who, x, op, root, changed, options)
   if not arg.is_tensor(x) or x._device ~= 0 or not x:isContiguous() or options.async then
      return any_in_place(name, who, x, op, root, changed, options)
   end
   lib.run_one((options.group or world).c, lib.kinds[name], op, root, x, options.deadline, 3)
   return x
end

-- An operation whose result is a new tensor; `shape(size of the first dimension, sizes)` changes
-- the sizes.
local function anew(name, who, x, op, shape, options)
   local single, list, results, lists, copies = arg.is_tensor(x), lib.tensors(who, x, 3), {}, {}, {}
   for i, t in ipairs(list) do
      local sizes = shape(t, who)
      local result = t.new():resize(sizes)
      local there = result._device == t._device and lib.by_device((options.group or world).c, lib.kinds[name], op, { t })
      results[i] = result
      if t._device ~= 0 and not there then
         result = lib.host(t.new()):resize(sizes)
         copies[#copies + 1] = { results[i], result }
      end
      lists[i] = { { (there and t or lib.host(t)):contiguous() }, { result } }
   end
   return operate(name, op, 0, lists, single and results[1] or results, #copies > 0 and back_to(copies) or nil, options)
end

-- ---- the operations -----------------------------------------------------------------------------------------------

--- Returns when all ranks have called it.
-- dist.init(); dist.barrier() --> nil
function dist.barrier(options)
   joined 'dist.barrier'
   options = options_of('dist.barrier', options)
   return operate('barrier', 0, 0, { {} }, nil, nil, options)
end

-- The same with compression, by distributed/compress.lua. A handle's wait unpacks the result.
local function allreduce_compressed(x, op, options)
   local who, c = 'dist.allreduce', options.compress
   if not torch.isTypeOf(c, 'dist.Compressor') then arg.refuse(who, 'compress', 'made by dist.compressor', c, 3) end
   if op ~= nil and op ~= 'sum' and op ~= 'mean' then
      operator_of(who, op)
      error(('%s: with compress the operator must be sum or mean, got %s'):format(who, op), 3)
   end
   local list = lib.tensors(who, x, 3)
   need_room(who, list)
   lib.compression.need_list(who, list, 3)
   local packed, back = packed_of(list)
   local ok, finish, test = pcall(lib.compression.allreduce, c, options.group or world, packed, op or 'sum', options.deadline,
      options.async)
   if not ok then error(('%s: %s'):format(who, finish), 3) end
   if not options.async then
      back()
      return x
   end
   local function whole()
      local well, why = pcall(finish)
      if not well then error(('%s: %s'):format(who, why), 0) end
      back()
   end
   return setmetatable({ works = {}, there = test, result = x, finish = whole }, Handle)
end

--- Replaces x, a tensor or a table of tensors, by its sum over all ranks; returns x. Tensors of a
-- table may be the same, or share elements.
-- @param op       'sum' (default), 'mean', 'min', 'max' or 'prod'. Integers wrap, and their mean is
--    truncated; NaN wins
-- @param options  `group`; `deadline`, the timeout in seconds. `async = true` returns a handle
--    immediately, whose wait() returns x and whose test() returns whether wait() would not wait.
--    `compress`, a dist.compressor: the sum or mean is sent in fewer bytes
-- dist.init(); dist.allreduce(torch.Tensor{1, 2}) --> {1, 2}
function dist.allreduce(x, op, options)
   joined 'dist.allreduce'
   options = options_of('dist.allreduce', options, 'compress')
   if options.compress ~= nil then return allreduce_compressed(x, op, options) end
   return in_place('allreduce', 'dist.allreduce', x, operator_of('dist.allreduce', op), 0, true, options)
end

--- As dist.allreduce, but only rank `root` gets the result; the tensors of the others do not change.
-- dist.init(); dist.reduce(torch.Tensor{1, 2}, 0, 'max') --> {1, 2}
function dist.reduce(x, root, op, options)
   joined 'dist.reduce'
   options = options_of('dist.reduce', options)
   root = rank_of('dist.reduce', root, options)
   local changed = (options.group or world).at == root
   return in_place('reduce', 'dist.reduce', x, operator_of('dist.reduce', op), root, changed, options)
end

--- Replaces x, a tensor or a table of tensors, by that of rank `root` (default 0); returns x.
-- dist.init(); dist.broadcast(torch.Tensor{1, 2}) --> {1, 2}
function dist.broadcast(x, root, options)
   joined 'dist.broadcast'
   options = options_of('dist.broadcast', options)
   root = rank_of('dist.broadcast', root, options)
   local changed = (options.group or world).at ~= root
   return in_place('broadcast', 'dist.broadcast', x, 0, root, changed, options)
end

local function sizes_of(t)
   local sizes = {}
   for d = 1, t:dim() do sizes[d] = t:size(d) end
   return sizes
end

--- The tensors of all ranks, concatenated along a new first dimension. A table of tensors gives a
-- table.
-- dist.init(); dist.allgather(torch.Tensor{1, 2}) --> {{1, 2}}
function dist.allgather(x, options)
   joined 'dist.allgather'
   options = options_of('dist.allgather', options)
   local n = (options.group or world).n
   return anew('allgather', 'dist.allgather', x, 0, function(t)
      local sizes = sizes_of(t)
      if t:nElement() > 0 or #sizes > 0 then table.insert(sizes, 1, n) end
      return torch.LongStorage(sizes)
   end, options)
end

local function need_parts(t, who, n)
   if t._ndim == 0 or tonumber(t._size[0]) % n ~= 0 then
      error(('%s: the first dimension must be a multiple of %d ranks, got %s'):format(who, n, arg.describe(t)), 4)
   end
end

--- Cuts x along its first dimension into one part per rank; returns this rank's part, summed over
-- all ranks.
-- @param op  as of dist.allreduce
-- dist.init(); dist.reducescatter(torch.Tensor{1, 2}) --> {1, 2}
function dist.reducescatter(x, op, options)
   joined 'dist.reducescatter'
   options = options_of('dist.reducescatter', options)
   local n = (options.group or world).n
   return anew('reducescatter', 'dist.reducescatter', x, operator_of('dist.reducescatter', op), function(t, who)
      need_parts(t, who, n)
      local sizes = sizes_of(t)
      if #sizes > 0 then sizes[1] = sizes[1] / n end
      return torch.LongStorage(sizes)
   end, options)
end

--- Cuts x along its first dimension into one part per rank, and sends each rank its part. Returns
-- the parts that this rank received, in the order of the ranks.
-- dist.init(); dist.alltoall(torch.Tensor{1, 2}) --> {1, 2}
function dist.alltoall(x, options)
   joined 'dist.alltoall'
   options = options_of('dist.alltoall', options)
   local n = (options.group or world).n
   return anew('alltoall', 'dist.alltoall', x, 0, function(t, who)
      need_parts(t, who, n)
      return t:size()
   end, options)
end

local function message(name, who, x, rank, options)
   joined(who)
   options = options_of(who, options)
   if options.group then error(who .. ': messages go between ranks of the whole job: there is no option group', 3) end
   if rank == nil then arg.refuse(who, 'argument 2', 'a rank', rank, 3) end
   rank = rank_of(who, rank, options)
   if rank == world.at then error(('%s: rank %d is this process'):format(who, rank), 3) end
   local list, lists, copies = lib.tensors(who, x, 3), {}, {}
   if name == 'recv' then need_room(who, list) end
   for i, t in ipairs(list) do
      local packed = lib.host(t):contiguous()
      lists[i] = name == 'send' and { { packed } } or { nil, { packed } }
      if name == 'recv' and (t._device ~= 0 or not t:isContiguous()) then copies[#copies + 1] = { t, packed } end
   end
   return operate(name, 0, rank, lists, x, #copies > 0 and back_to(copies) or nil, options)
end

--- Sends x, a tensor or a table of tensors, to a rank, which must call dist.recv. Messages between
-- two ranks keep their order. A message of at most 64 kB does not wait for its receiver.
-- @param to  the rank
function dist.send(x, to, options) return message('send', 'dist.send', x, to, options) end

--- Replaces x by the tensor, or table of tensors, that a rank sends; types and numbers of elements
-- must be the same on both. Returns x.
-- @param from  the rank
function dist.recv(x, from, options) return message('recv', 'dist.recv', x, from, options) end

return dist
