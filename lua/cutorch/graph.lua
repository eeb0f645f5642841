-- cutorch.graph - records functions as CUDA graphs and replays them: one launch in place of hundreds.
local ffi = require 'ffi'
local torch = require 'torch'
local arg = require 'torch.arg'
local lib = require 'torch.lib'
local recording = require 'torch.recording'
local need = require 'cutorch.need'
local G = require 'cutorch.backend'.C

local handle_t = ffi.metatype(ffi.typeof 'struct { th_cuda_graph *g; }', { __gc = function(self)
   if self.g ~= nil then G.th_cuda_graph_free(self.g) end
end })

-- ---- arguments ----------------------------------------------------------------------------------------------------------

local function plain_table(x) return type(x) == 'table' and getmetatable(x) == nil end

local function sorted_keys(t)
   local keys = {}
   for k in pairs(t) do keys[#keys + 1] = k end
   local function text(k) return type(k) .. (type(k) == 'number' and ('%.17g'):format(k) or tostring(k)) end
   table.sort(keys, function(a, b) return text(a) < text(b) end)
   return keys
end

local KEYS = { string = true, number = true, boolean = true }

-- Tables are trees whose keys have an order; `around`: the tables that enclose x.
local function need_tree(x, name, around)
   if around[x] then error(('cutorch.graph: %s contains itself'):format(name), 0) end
   for k in pairs(x) do
      if not KEYS[type(k)] then
         error(('cutorch.graph: keys of %s must be strings, numbers or booleans, got %s'):format(name, arg.describe(k)), 0)
      end
   end
end

local function tensor_key(x, name, list, device)
   if x._device == 0 then error(('cutorch.graph: %s must be on a CUDA device, got %s'):format(name, arg.describe(x)), 0) end
   if x._device ~= device then
      error(('cutorch.graph: %s is on device %d, and the device of this thread is %d'):format(name, x._device, device), 0)
   end
   list[#list + 1] = { x = x, name = name }
   return x:type() .. ' ' .. table.concat(x:size():totable(), 'x')
end

-- The key of a set of arguments: types and sizes of tensors, other values as they are. Appends the tensors to `list`, in
-- order; tables may be nested.
local function key_of(x, name, list, device, around)
   if torch.isTensor(x) then return tensor_key(x, name, list, device) end
   if x == nil or type(x) == 'boolean' then return tostring(x) end
   if type(x) == 'number' then return ('%.17g'):format(x) end
   if type(x) == 'string' then return ('%q'):format(x) end
   if not plain_table(x) then
      arg.refuse('cutorch.graph', name, 'a tensor, a number, a string, a boolean, nil, or a table of these', x, 4)
   end
   local parts = {}
   need_tree(x, name, around)
   around[x] = true
   for i, k in ipairs(sorted_keys(x)) do
      parts[i] = key_of(k, name) .. '=' .. key_of(x[k], ('%s[%s]'):format(name, tostring(k)), list, device, around)
   end
   around[x] = nil
   return '{' .. table.concat(parts, ',') .. '}'
end

-- x with every tensor t replaced by take(t), in the order of key_of.
local function map(x, take, around)
   if torch.isTensor(x) then return take(x) end
   if not plain_table(x) then return x end
   local t = {}
   around = around or {}
   need_tree(x, 'a result', around)
   around[x] = true
   for _, k in ipairs(sorted_keys(x)) do t[k] = map(x[k], take, around) end
   around[x] = nil
   return t
end
local function map_all(list, take)
   local out = { n = list.n }
   for i = 1, list.n do out[i] = map(list[i], take) end
   return out
end

local function pack(...) return { n = select('#', ...), ... } end

-- ---- recording ----------------------------------------------------------------------------------------------------------

-- A graph with the data for its replays: tensors for its arguments, and numbers that Lua computes for each replay.
local Record = {}
Record.__index = Record

local MOST_NUMBERS = 256

function Record:numbers(n, f, owner, name)
   local first = self.count + 1
   if first + n - 1 > MOST_NUMBERS then error('cutorch.graph: there are too many steps of optimizers in one graph', 3) end
   self.count = self.count + n
   self.live[#self.live + 1] = { first = first, f = f, owner = owner, name = name }
   return self.there:narrow(1, first, n)
end

-- A record for f(given), with copies of its tensors. run() records it.
local function new_record(tensors)
   local self = setmetatable({ inputs = {}, live = {}, count = 0, handle = handle_t() }, Record)
   for i, a in ipairs(tensors) do self.inputs[i] = a.x:clone() end
   self.here, self.there = torch.DoubleTensor(MOST_NUMBERS):zero(), torch.CudaDoubleTensor(MOST_NUMBERS):zero()
   return self
end

-- Calls f in a separate coroutine, because a yield of f to an outer one could leave the thread recording.
local function call(f, given)
   local thread = coroutine.create(f)
   local results = pack(coroutine.resume(thread, unpack(given, 1, given.n)))
   if coroutine.status(thread) ~= 'dead' then error('cutorch.graph: f yields, which no CUDA graph can', 0) end
   if not results[1] then error(results[2], 0) end
   return pack(unpack(results, 2, results.n))
end

local function data_of(t) return t._storage ~= nil and t._storage.data or nil end

-- Whether a result has moved, because other code made it larger.
function Record:has_moved()
   for _, place in ipairs(self.places) do
      if data_of(place.t) ~= place.data then return true end
   end
   return false
end

local function view_of(t) return t.new():set(t) end

-- Kernels cannot write to arguments, but f can change their sizes or memory.
local function need_unchanged(views, inputs, tensors)
   for i, a in ipairs(tensors) do
      if not views[i]:isSetTo(inputs[i]) and (views[i]:nElement() > 0 or inputs[i]:nElement() > 0) then
         recording.refuse(('cutorch.graph: f changes the sizes, strides or memory of %s, which'):format(a.name), -1)
      end
   end
end

function Record:run(f, given, tensors, late)
   local views = {}
   local mine = map_all(given, function()
      views[#views + 1] = view_of(self.inputs[#views + 1])
      return views[#views]
   end)
   lib.collect()                               -- objects that die while a graph is recorded stay allocated as long as the graph
   need.call('graph', G.th_cuda_graph_begin, ffi.cast('th_cuda_graph **', self.handle), late and 1 or 0)
   for i, a in ipairs(tensors) do G.th_cuda_graph_input(self.handle.g, self.inputs[i], a.name) end
   recording.recorder = self
   local results = call(f, mine)
   need_unchanged(views, self.inputs, tensors)
   -- Copies, because the memory of modules moves when their results grow.
   self.places = {}
   self.results = map_all(results, function(t)
      t = t:clone()
      self.places[#self.places + 1] = { t = t, data = data_of(t) }
      return t
   end)
   need.call('graph', G.th_cuda_graph_end, self.handle.g)
   recording.recorder = nil
end

-- Whether the error `what` says that the graph cannot be recorded, and is not an error of f.
local function is_refusal(self, what)
   local why = self.refused or self.handle.g ~= nil and ffi.string(G.th_cuda_graph_why(self.handle.g)) or ''
   return type(what) == 'string' and why ~= '' and what:find(why, 1, true) ~= nil
end

function Record:drop()
   if self.handle.g ~= nil then G.th_cuda_graph_free(self.handle.g) end
   self.handle.g = nil
end

-- Records f(given). Returns the record, or nil, the error, and whether the reason is that it cannot be recorded. If memory is
-- short it records once more, after it has freed the memory of the first recording.
local function record(f, given, tensors, late, again)
   local self = new_record(tensors)
   local ok, what = pcall(self.run, self, f, given, tensors, late)
   if ok then return self end
   recording.recorder = nil
   local refusal, full = is_refusal(self, what), self.handle.g ~= nil and G.th_cuda_graph_full(self.handle.g) ~= 0
   self:drop()
   if full and not refusal and not again then return record(f, given, tensors, late, true) end
   return nil, what, refusal
end

-- Computes the numbers of the next replay, and launches it.
local function launch(self)
   for _, live in ipairs(self.live) do
      for i, v in ipairs { live.f() } do self.here[live.first + i - 1] = v end
   end
   if self.count > 0 then self.there:narrow(1, 1, self.count):copy(self.here:narrow(1, 1, self.count)) end
   need.call('graph', G.th_cuda_graph_launch, self.handle.g)
end

-- Launches a replay, which advances counts of steps; a failed launch restores them.
local function launch_or_undo(self)
   local counts = {}
   for i, live in ipairs(self.live) do counts[i] = live.owner and live.owner[live.name] end
   local ok, why = pcall(launch, self)
   if ok then return end
   for i, live in ipairs(self.live) do
      if live.owner then live.owner[live.name] = counts[i] end
   end
   error(why, 0)
end

function Record:replay(tensors)
   local g = self.handle.g
   need.call('graph', G.th_cuda_graph_prepare, g)
   for i, a in ipairs(tensors) do self.inputs[i]:copy(a.x) end
   need.call('graph', G.th_cuda_graph_look, g)
   launch_or_undo(self)
   return unpack(map_all(self.results, view_of), 1, self.results.n)
end

-- ---- options ------------------------------------------------------------------------------------------------------------

local DEFAULTS = { warm = 1, most = 8, fallback = false, late = true }

local function options_of(given)
   if given ~= nil and not plain_table(given) then arg.refuse('cutorch.graph', 'options', 'a table', given, 4) end
   local options = {}
   for name, default in pairs(DEFAULTS) do options[name] = default end
   for name, v in pairs(given or {}) do
      if DEFAULTS[name] == nil then
         error(("cutorch.graph: options are warm, most, fallback and late, got '%s'"):format(tostring(name)), 4)
      elseif type(v) ~= type(DEFAULTS[name]) or type(v) == 'number' and not (v >= 1 and v <= 1e6 and v % 1 == 0) then
         arg.refuse('cutorch.graph', 'options.' .. name,
            type(DEFAULTS[name]) == 'number' and 'a whole number of at least 1' or 'true or false', v, 4)
      end
      options[name] = v
   end
   return options
end

return function(cutorch)

--- cutorch.Graph(f, options): A function that records itself and is replayed; cutorch.graph makes one. Call it as the function.
local Graph = torch.class('cutorch.Graph', cutorch)

function Graph:__init(f, options)
   if not arg.is_callable(f) then arg.refuse('cutorch.graph', 'f', 'a function', f, 4) end
   self.options = options_of(options)
   need.device 'graph'
   self.f, self.known, self.turn = f, {}, 0
end

-- The entry of arguments of this kind; the entry used least recently makes room.
local function find(self, key)
   self.turn = self.turn + 1
   local known = self.known[key]
   if not known then
      local count, oldest = 0, nil
      for k, other in pairs(self.known) do
         count = count + 1
         if not oldest or other.turn < self.known[oldest].turn then oldest = k end
      end
      if count >= self.options.most then
         if self.known[oldest].record then self.known[oldest].record:drop() end
         self.known[oldest] = nil
      end
      known = { calls = 0 }
      self.known[key] = known
   end
   known.turn = self.turn
   return known
end

function Graph:__call__(...)
   if recording.recorder then return self.f(...) end             -- becomes part of the outer graph
   local given, tensors, device = pack(...), {}, cutorch.getDevice()
   local parts = { tostring(device) }
   for i = 1, given.n do
      local ok, key = pcall(key_of, given[i], 'argument ' .. i, tensors, device, {})
      if not ok then error(key:gsub('^[^:]+:%d+: ', ''), 2) end
      parts[i + 1] = key
   end
   local known = find(self, table.concat(parts, ';'))
   if known.record and known.record:has_moved() then
      known.record:drop()
      known.record = nil
   end
   if known.record then return known.record:replay(tensors) end
   known.calls = known.calls + 1
   if known.plain or known.calls <= self.options.warm then return self.f(...) end
   local why, refusal
   known.record, why, refusal = record(self.f, given, tensors, self.options.late)
   if known.record then return known.record:replay(tensors) end
   if not (self.options.fallback and refusal) then error(why, 0) end
   known.plain, self.why = true, tostring(why)
   return self.f(...)
end

--- Waits for the last replays. Raises an error if one of them found an index, a class or a mask out of range.
function Graph:synchronize()
   for _, known in pairs(self.known) do
      if known.record then need.call('graph', G.th_cuda_graph_wait, known.record.handle.g) end
   end
end

--- Frees all graphs, and their memory except for results that are still in use. The next calls record again.
function Graph:reset()
   for _, known in pairs(self.known) do
      if known.record then known.record:drop() end
   end
   self.known, self.why = {}, nil
end

--- An error: a graph belongs to this process's device. Save the data of f, and make the graph again.
function Graph:write()
   error('cutorch.Graph: a graph cannot be saved; save what its function works on', 2)
end

--- The number of graphs, of their nodes (kernels and copies), and of bytes of their memory.
-- @return graphs, nodes, bytes
function Graph:count()
   local n, nodes, bytes = 0, 0, 0
   for _, known in pairs(self.known) do
      if known.record then
         n = n + 1
         nodes = nodes + G.th_cuda_graph_nodes(known.record.handle.g)
         bytes = bytes + G.th_cuda_graph_bytes(known.record.handle.g)
      end
   end
   return n, nodes, bytes
end

--- A function that does the same as f. Its second call with arguments of the same types and sizes
-- records the work that f gives the device of this thread. From then on a call is one launch of a
-- CUDA graph, without Lua. It is for steps of many small kernels, whose launches take longer than
-- they run. Arguments are tensors of the device, tables of them, and other values, each of which
-- makes a separate graph. Each call copies its tensors to where the graph reads them. Results are
-- copied to memory of the graph, which the next replay overwrites. f must not change its arguments.
-- Numbers, sizes and all decisions of Lua are those of the recording. Random numbers continue from
-- replay to replay, and the steps of optim.sgd, adam, adamw and rmsprop read their learning rate
-- for each. Criterions return a tensor of one element while they are recorded. Operations that need
-- the host (reading elements, copies from or to the CPU, ops that the CPU computes, waiting) are
-- errors that name them. See doc/cuda.md.
-- @param f                 a function
-- @param options.warm      plain calls before a graph is recorded, at least 1 (the default), so
--   that state of the first call exists
-- @param options.most      graphs to keep, one for each kind of arguments; default 8, the one used least recently is freed
-- @param options.fallback  true: calls that cannot be recorded run plainly, and the object's field
--   `why` has the reason; default: an error
-- @param options.late      true (the default): the graph checks indices, classes and masks, and the
--                          next call that waits for the device raises the errors. false: those that
--                          the graph does not compute are checked before each replay. That check
--                          waits for the device, and refuses the call
-- step = cutorch.graph(function(x) return x * 2 end); x = torch.CudaTensor{1, 2}; step(x); step(x) --> {2, 4}
function cutorch.graph(f, options) return cutorch.Graph(f, options) end

end
