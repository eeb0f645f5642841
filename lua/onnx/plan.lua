-- lua/onnx/plan.lua - memory of intermediate results: the first run with some input sizes records it, later runs reuse it.
--
-- While the first run records, node:out() gives new tensors, whose memory is freed behind the last
-- node that uses it. The plan then finds from when to when each of them is in use, views included,
-- and lets those that never live at the same time share storages.
-- Results of the model always get new memory.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local dtype = require 'torch.dtype'
local inside = require 'onnx.inside'
local layout = require 'onnx.layout'
local shared = require 'onnx.shared'
local static = require 'onnx.static'
local types = require 'onnx.types'

local header = assert(io.open(lib.include .. '/th_memory.h'))
ffi.cdef((assert(header:read '*a':match '/%* FFI BEGIN %*/(.-)/%* FFI END %*/',
   'th_memory.h has lost its FFI part')))
header:close()

local M = {}

local MOST_PLANS = 4
local FLOAT = dtype.id.Float
local FEW = 2 ^ 16                                             -- KB of Lua, collected in some ms

--- The address of a tensor's storage, as a key; nil without memory.
local function address(t)
   if t._storage == nil then return nil end
   return tonumber(ffi.cast('intptr_t', t._storage))
end
M.address = address

-- Calls f with each tensor in a value, which may be a sequence.
local function each_tensor(v, f, depth)
   if types.is_tensor(v) then f(v)
   elseif type(v) == 'table' and depth < 8 then
      for _, inner in pairs(v) do
         if type(inner) ~= 'string' then each_tensor(inner, f, depth + 1) end
      end
   end
end

-- ---- the plan of a model for its input sizes -----------------------------------------------------------------------

--- A text that is equal for equal input sizes.
function M.key(graph, v)
   local parts = {}
   for i, input in ipairs(graph.inputs) do
      local value = v[input.slot]
      parts[i] = types.is_tensor(value) and types.shape_text(types.shape(value)) or tostring(value ~= nil)
   end
   return table.concat(parts, ',')
end

--- The plan for a key: { buffers = node -> list, ready = whether it is complete }. The oldest plan is dropped.
function M.find(plans, key)
   local plan = plans[key]
   if plan then return plan end
   if #plans == MOST_PLANS then plans[table.remove(plans, 1)] = nil end
   plan = { buffers = {}, ready = false }
   plans[key], plans[#plans + 1] = plan, key
   return plan
end

--- Gives the nodes the buffers of a plan, and in a complete plan what they have kept (kept.lua).
function M.attach(graph, plan)
   if graph.attached == plan and plan.ready then return end
   graph.attached = plan
   for _, n in ipairs(graph.nodes) do
      local buffers = plan.buffers[n]
      if not buffers then
         buffers = {}
         plan.buffers[n] = buffers
      end
      n.buffers, n.kept = buffers, false
      if plan.ready then
         plan.kept[n] = plan.kept[n] or { memory = plan.memory }
         n.kept = plan.kept[n]
      end
   end
end

--- The values that a run begins with, by slot: constants, what is given, and in a complete plan the
-- values of sizes.
function M.take_values(graph, plan, given)
   local v = plan.values
   plan.values = nil                                          -- a run inside of this one has others
   if not v then
      v = {}
      for slot, value in pairs(graph.constants) do v[slot] = value end
      for slot, value in pairs(plan.static or {}) do v[slot] = value end
   end
   for slot, value in pairs(given) do v[slot] = value end
   return v
end

--- Keeps the values of a run for the next one, without what was given and computed.
function M.give_values(graph, plan, v, given)
   for slot in pairs(given) do v[slot] = graph.constants[slot] end
   for _, o in ipairs(graph.outputs) do
      v[o.slot] = graph.constants[o.slot] or plan.static[o.slot]
   end
   plan.values = v
end

-- ---- recording -----------------------------------------------------------------------------------------------------

-- The channels of the inputs of a Concat along the channels of images; nil of others.
local function channels_of(n, v)
   local list = {}
   for k = 1, n.count do
      local t = v[n.inputs[k]]
      if not types.is_tensor(t) or t._ndim ~= 4 or n.attr.axis ~= 1 then return nil end
      list[k] = types.size(t, 2)
   end
   return list
end

-- The strides of a tensor that does not lie in order; nil of others.
local function strides_of(t)
   if t:isContiguous() then return nil end
   local list = {}
   for d = 1, t._ndim do list[d] = tonumber(t._stride[d - 1]) end
   return list
end

local nothing = ffi.new('int64_t[1]', 0)

-- Frees the memory of a storage with no more uses, unless a view of it is not collected yet.
local function free(r, id)
   for _, t in ipairs(r.tensors[id]) do
      lib.C.th_tensor_set(t, t._dtype, nil, 0, 1, nothing, nil)
   end
   r.numbers[r.addresses[id]] = nil
end

-- A number for a storage at this address, or for memory that is not there yet.
local function new_number(r, a)
   local id = #r.addresses + 1
   r.addresses[id] = a or false
   return id
end

-- The number of a tensor's storage; nil without memory. Addresses are reused, numbers are not.
local function number_of(r, t)
   local a = address(t)
   if not a then return nil end
   local id = r.numbers[a]
   if not id then
      id = new_number(r, a)
      r.numbers[a] = id
   end
   return id
end

-- Notes that a storage is in use until node i.
local function extend(r, id, i)
   if i <= (r.stop[id] or 0) then return end
   r.stop[id] = i
   r.ends[i] = r.ends[i] or {}
   table.insert(r.ends[i], id)
end

-- Describes the buffers of node i.
local function describe(r, i, n)
   for k, t in pairs(r.buffers[n]) do
      local id = t and number_of(r, t)
      if id then
         local found = r.tensors[id]
         if not found then
            found = {}
            r.tensors[id] = found
            r.entries[#r.entries + 1] = { node = n, k = k, id = id, first = i, size = t:nElement(),
               dtype = t._dtype, shape = types.shape(t), strides = strides_of(t),
               last = layout.is_dense(t), sizes = r.sizes[n] }
         end
         found[#found + 1] = t
         if t._device ~= 0 or n.static then r.held[id] = true end
         extend(r, id, i)
      end
   end
end

-- Describes the workspace of node i, which is in use while the node runs.
local function describe_workspace(r, i, n)
   local size = math.ceil((n.workspace or 0) / dtype.bytes[FLOAT])
   if size == 0 then return end
   local id = new_number(r)
   r.stop[id] = i
   r.entries[#r.entries + 1] = { node = n, k = 'workspace', id = id, first = i, size = size,
      dtype = FLOAT, shape = { size }, apart = true }
end

--- A recorder: record(i, n, v) is called behind node i, before its inputs are dropped.
-- It numbers storages and keeps for each the last node that uses it, and for each slot the storage
-- and whether the value fills it in order. It frees the memory of buffers that no later node uses.
function M.recorder(graph, plan)
   local last, forever = {}, #graph.nodes + 1                  -- slot -> number of the node that uses it last
   for i, n in ipairs(graph.nodes) do
      for _, slot in ipairs(n.dropped) do last[slot] = i end
   end
   local r = { stop = {}, storage = {}, plain = {}, sizes = {}, forever = forever,
      buffers = plan.buffers, numbers = {}, addresses = {}, ends = {}, tensors = {},
      entries = {}, held = {} }
   local collect
   collect, r.static = static.collector()
   function r.record(i, n, v)
      collect(n, v)
      if n.op == 'Concat' then r.sizes[n] = channels_of(n, v) end
      for _, slot in ipairs(n.results) do
         if slot and v[slot] ~= nil then
            each_tensor(v[slot], function(t)
               local id = number_of(r, t)
               if not id then return end
               extend(r, id, last[slot] or forever)
               if n.static then r.held[id] = true end
               r.storage[slot], r.plain[slot] = id,
                  t._offset == 0 and (t:isContiguous() or layout.is_dense(t))
            end, 1)
         end
      end
      describe(r, i, n)
      describe_workspace(r, i, n)
      for _, id in ipairs(r.ends[i] or {}) do
         if r.stop[id] == i and r.tensors[id] and not r.held[id] then free(r, id) end
      end
   end
   return r
end

-- ---- the second run ----------------------------------------------------------------------------

local function add_storage(set, t)
   if types.is_tensor(t) and address(t) then set[address(t)] = true end
end

-- The storages that stay where they are while a plan is in use, by address.
local function lasting(graph, plan, blocks)
   local memory = {}
   for _, block in ipairs(blocks) do add_storage(memory, block.tensor) end
   for _, value in pairs(plan.static) do add_storage(memory, value) end
   for slot, value in pairs(graph.constants) do
      if not graph.changeable[slot] then add_storage(memory, value) end
   end
   return memory
end

-- The entries whose memory values have, by slot.
local function entries_by_slot(r, by_number)
   local entries = {}
   for slot, number in pairs(r.storage) do entries[slot] = by_number[number] end
   return entries
end

--- Completes a plan after its recording run. Buffers of results, of devices and those that are used
-- twice get new memory in each run.
function M.finish(graph, plan, r)
   plan.ready, plan.static, plan.rest, plan.record = true, r.static, static.rest(graph), r
   for _, entry in ipairs(r.entries) do
      entry.stop = r.stop[entry.id]
      entry.shared = entry.stop ~= r.forever and not r.held[entry.id]
   end
   for _, buffers in pairs(plan.buffers) do for k in pairs(buffers) do buffers[k] = false end end
   r.tensors, r.numbers = nil, nil
end

-- The most bytes of results that are in use at the same time.
local function most_live(list)
   local change, most, live = {}, 0, 0
   local last = 0
   for _, e in ipairs(list) do
      local bytes = e.apart and 0 or e.size * dtype.bytes[e.dtype]
      change[e.first] = (change[e.first] or 0) + bytes
      change[e.stop + 1] = (change[e.stop + 1] or 0) - bytes
      last = math.max(last, e.stop)
   end
   for i = 1, last do
      live = live + (change[i] or 0)
      most = math.max(most, live)
   end
   return most
end

-- Frees what loading and the first run have left. The first collection ends tensors, the second one
-- their storages.
local function tidy()
   if collectgarbage 'count' < FEW then
      collectgarbage()
      collectgarbage()
   end
   lib.trim()
   lib.C.th_memory_trim()
   lib.C.th_conv_keepers_trim()
end

--- Gives the buffers of a plan their memory, before its second run: views of shared storages.
function M.place(graph, plan)
   local r = plan.record
   if not r then return end
   local list, by_number = shared.entries_of(r)
   plan.live = most_live(r.entries)
   inside.find(graph, list, entries_by_slot(r, by_number))
   local blocks, unshared = shared.blocks_of(list, r, by_number), 0
   tidy()
   local bytes = shared.place(blocks)
   for _, entry in ipairs(list) do
      unshared = unshared + entry.size * dtype.bytes[entry.dtype]
      plan.buffers[entry.node][entry.k] = entry.host and inside.view(entry)
         or types.strided(entry.place.tensor, entry.shape, entry.strides, 0)
   end
   plan.record, plan.bytes, plan.unshared = nil, bytes, unshared
   plan.kept, plan.memory = {}, lasting(graph, plan, blocks)
   graph.attached = nil
end

return M
