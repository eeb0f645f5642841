-- lua/onnx/plan.lua - memory of intermediate results: the first run with some input sizes records it, later runs reuse it.
--
-- While the first run records, node:out() gives new tensors. The plan then finds from when to when each of them is in use, views
-- included, and lets those that never live at the same time share storages. Results of the model always get new memory.
local ffi = require 'ffi'
local construct = require 'torch.construct'
local dtype = require 'torch.dtype'
local inside = require 'onnx.inside'
local layout = require 'onnx.layout'
local static = require 'onnx.static'
local types = require 'onnx.types'

local M = {}

local MOST_PLANS = 4

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

--- Gives the nodes the buffers of a plan; nil takes them away.
function M.attach(graph, plan)
   for _, n in ipairs(graph.nodes) do
      if plan and not plan.buffers[n] then plan.buffers[n] = {} end
      n.buffers = plan and plan.buffers[n]
   end
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

--- A recorder: record(i, n, v) is called behind node i, before its inputs are dropped.
-- It keeps for each storage the last node that uses it, and for each slot the storage and whether the value fills it in order.
function M.recorder(graph)
   local last, forever = {}, #graph.nodes + 1                  -- slot -> number of the node that uses it last
   for i, n in ipairs(graph.nodes) do
      for _, slot in ipairs(n.dropped) do last[slot] = i end
   end
   local r = { stop = {}, storage = {}, plain = {}, sizes = {}, forever = forever }
   local collect
   collect, r.static = static.collector()
   function r.record(_, n, v)
      collect(n, v)
      if n.op == 'Concat' then r.sizes[n] = channels_of(n, v) end
      for _, slot in ipairs(n.results) do
         if slot and v[slot] ~= nil then
            each_tensor(v[slot], function(t)
               local a = address(t)
               if not a then return end
               r.stop[a] = math.max(r.stop[a] or 0, last[slot] or forever)
               r.storage[slot], r.plain[slot] = a,
                  t._offset == 0 and (t:isContiguous() or layout.is_dense(t))
            end, 1)
         end
      end
   end
   return r
end

-- ---- assignment ----------------------------------------------------------------------------------------------------

-- The strides of a tensor that does not lie in order; nil of others.
local function strides_of(t)
   if t:isContiguous() then return nil end
   local list = {}
   for d = 1, t._ndim do list[d] = tonumber(t._stride[d - 1]) end
   return list
end

-- Buffers that may share memory, in the order of their nodes; others get new memory in each run.
local function entries_of(graph, plan, r)
   local list, by_address = {}, {}
   for i, n in ipairs(graph.nodes) do
      local buffers = plan.buffers[n]
      for k, t in pairs(buffers) do
         local a = t and address(t)
         local stop = a and (r.stop[a] or i)
         if not a or stop == r.forever or t._device ~= 0 or by_address[a] then
            buffers[k] = false
         else
            local entry = { node = n, k = k, first = i, stop = stop, size = t:nElement(), dtype = t._dtype,
               shape = types.shape(t), strides = strides_of(t), last = layout.is_dense(t),
                  sizes = r.sizes[n] }
            list[#list + 1], by_address[a], entry.index = entry, entry, #list
         end
      end
   end
   return list, by_address
end

-- The free chunk that fits best: the smallest that is large enough, else the largest, which grows.
local function take(free, entry, chunks)
   local best
   for k, chunk in ipairs(free) do
      local b = best and free[best].size
      if not b or chunk.size >= entry.size and (b < entry.size or chunk.size < b) or b < entry.size
         and chunk.size > b then best = k end
   end
   local chunk = best and table.remove(free, best)
   if not chunk then
      chunk = { size = 0, dtype = entry.dtype }
      chunks[#chunks + 1] = chunk
   end
   chunk.size = math.max(chunk.size, entry.size)
   return chunk
end

-- The entry of an input that ends with node i and has the size of the result, if the op may write over it.
local function over_input(entry, r, by_address)
   local n, found = entry.node, nil
   -- n.over: the only input that may be written over
   local first = n.definition.inplace and 1 or n.over
   if not first then return nil end
   for k = first, n.over or n.count do
      local slot = n.inputs[k]
      local e = slot and r.storage[slot] and by_address[r.storage[slot]]
      if e and e.stop == entry.first and e.first < entry.first and e.chunk and e.size == entry.size
         and e.dtype == entry.dtype then
         if not r.plain[slot] then return nil end
         found = found or e
      end
   end
   return found
end

-- Gives each entry a chunk.
local function assign(list, r, by_address)
   local free, chunks, ends = {}, {}, {}
   for d in ipairs(dtype.names) do free[d] = {} end
   for _, entry in ipairs(list) do
      ends[entry.stop] = ends[entry.stop] or {}
      table.insert(ends[entry.stop], entry)
   end
   local ended = 0
   table.sort(list, function(a, b) return a.first < b.first or a.first == b.first
      and a.index < b.index end)
   for _, entry in ipairs(list) do
      while ended < entry.first - 1 do                        -- free what ended before this node
         ended = ended + 1
         for _, e in ipairs(ends[ended] or {}) do
            if e.chunk then table.insert(free[e.dtype], e.chunk) end
            e.chunk = nil
         end
      end
      if not entry.host then
         local e = over_input(entry, r, by_address)
         entry.chunk = e and e.chunk or take(free[entry.dtype], entry, chunks)
         if e then e.chunk = nil end
         entry.place = entry.chunk
      end
   end
   return chunks
end

--- Completes a plan after its recording run: buffers become views of shared storages.
function M.finish(graph, plan, r)
   local list, by_address = entries_of(graph, plan, r)
   inside.find(graph, list, function(slot) return slot and r.storage[slot]
      and by_address[r.storage[slot]] end)
   local chunks = assign(list, r, by_address)
   plan.ready, plan.bytes, plan.unshared = true, 0, 0
   plan.static, plan.rest = r.static, static.rest(graph)
   for _, chunk in ipairs(chunks) do
      chunk.tensor = types.resize(construct.empty(chunk.dtype), { chunk.size })
      plan.bytes = plan.bytes + chunk.size * dtype.bytes[chunk.dtype]
   end
   for _, entry in ipairs(list) do
      plan.unshared = plan.unshared + entry.size * dtype.bytes[entry.dtype]
      plan.buffers[entry.node][entry.k] = entry.host and inside.view(entry)
         or types.strided(entry.place.tensor, entry.shape, entry.strides, 0)
   end
end

return M
