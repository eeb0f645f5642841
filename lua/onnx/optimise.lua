-- lua/onnx/optimise.lua - rewrites a graph for inference: constants are computed once, scales join the op before them.
local torch = require 'torch'
local interpret = require 'torch.interpret'
local graph_module = require 'onnx.graph'
local node_class = require 'onnx.node'
local patterns = require 'onnx.patterns'
local plan = require 'onnx.plan'
local run = require 'onnx.run'
local types = require 'onnx.types'
local weights = require 'onnx.weights'

local M = {}

-- ---- facts about a graph -------------------------------------------------------------------------------------------

-- How often each slot is used, and by which node it is made.
local function survey(graph)
   local uses, maker = {}, {}
   local function use(slot) uses[slot] = (uses[slot] or 0) + 1 end
   for _, n in ipairs(graph.nodes) do
      for k = 1, n.count do if n.inputs[k] then use(n.inputs[k]) end end
      for _, entry in ipairs(n.graphs or {}) do
         for _, c in ipairs(entry.graph.captures) do use(c.outer) end
      end
      for _, slot in ipairs(n.results) do if slot then maker[slot] = n end end
   end
   for _, o in ipairs(graph.outputs) do use(o.slot) end
   return uses, maker
end

local function is_output(graph, slot)
   for _, o in ipairs(graph.outputs) do if o.slot == slot then return true end end
   return false
end

M.survey, M.is_output = survey, is_output

local function constant(graph, slot) return slot and not graph.changeable[slot] and graph.constants[slot] or nil end

-- A new slot with a constant.
local function add_constant(graph, name, type, value)
   local slot = #graph.names + 1
   graph.names[slot], graph.types[slot], graph.constants[slot] = name, type, value
   return slot
end

-- ---- constants -----------------------------------------------------------------------------------------------------

-- Runs a node. Ops may have loops over the elements of tensors, which are compiled if these are
-- many.
local MANY = 4096
local function step(n, v)
   local count = 0
   for _, t in pairs(v) do if types.is_tensor(t) then count = count + t:nElement() end end
   if count > MANY then interpret.compile(run.step, n, v) else run.step(n, v) end
end

-- Computes the nodes whose inputs are constants. One that fails is left to fail at run time, where its error has a context.
local function fold_constants(graph)
   local kept = {}
   for _, n in ipairs(graph.nodes) do
      local all = n.definition.pure ~= false and not n.graphs
      for k = 1, n.count do
         if n.inputs[k] and graph.constants[n.inputs[k]] == nil or graph.changeable[n.inputs[k]] then all = false end
      end
      if all then
         local v = {}
         for k = 1, n.count do
            local value = n.inputs[k] and graph.constants[n.inputs[k]]
            local a = types.is_tensor(value) and plan.address(value)
            if a then graph_module.read(graph.origins[a]) end
            if n.inputs[k] then v[n.inputs[k]] = value end
         end
         n.run = n.definition.run
         all = pcall(step, n, v)
         for _, slot in ipairs(n.results) do
            if slot and all then graph.constants[slot] = v[slot] end
         end
      end
      if not all then kept[#kept + 1] = n end
   end
   graph.nodes = kept
end

-- ---- nodes without effect ------------------------------------------------------------------------------------------

-- Whether a node gives its first input unchanged.
local function is_idle(n, graph, uses)
   if n.op == 'Identity' then return true end
   if n.op ~= 'Dropout' or n.wanted[2] and (uses[n.results[2]] or 0) > 0 then return false end
   local training = n.inputs[3]
   local flag = constant(graph, training)
   return not training or flag ~= nil and types.number(flag) == 0
end

local function drop_idle(graph)
   local instead, kept, uses = {}, {}, survey(graph)
   for _, n in ipairs(graph.nodes) do
      for k = 1, n.count do n.inputs[k] = instead[n.inputs[k]] or n.inputs[k] end
      for _, entry in ipairs(n.graphs or {}) do
         for _, c in ipairs(entry.graph.captures) do c.outer = instead[c.outer] or c.outer end
      end
      local plain = n.domain == '' and n.inputs[1] and is_idle(n, graph, uses) and not is_output(graph, n.results[1])
      if plain then instead[n.results[1]] = n.inputs[1] else kept[#kept + 1] = n end
   end
   graph.nodes = kept
end

-- Nodes whose results have no use, from the last one on.
local function drop_unused(graph)
   local uses = survey(graph)
   for i = #graph.nodes, 1, -1 do
      local n, used = graph.nodes[i], false
      for _, slot in ipairs(n.results) do used = used or slot and (uses[slot] or 0) > 0 end
      if not used then
         for k = 1, n.count do if n.inputs[k] then uses[n.inputs[k]] = uses[n.inputs[k]] - 1 end end
         for _, entry in ipairs(n.graphs or {}) do
            for _, c in ipairs(entry.graph.captures) do uses[c.outer] = uses[c.outer] - 1 end
         end
         table.remove(graph.nodes, i)
      end
   end
end

-- ---- scales and biases of channels ---------------------------------------------------------------------------------

local function is_float(name) return name == 'float' or name == 'double' end

-- A constant with one number for each of `channels`, dimension 2 of `rank`, as a DoubleTensor; nil if it is something else.
local function per_channel(graph, slot, channels, rank)
   local t = constant(graph, slot)
   if t == nil or not types.is_tensor(t) then return nil end
   local shape = types.shape(t)
   if types.count(shape) == 1 then return types.full('double', { channels }, types.number(t)) end
   local place = #shape - (rank - 2)                          -- where dimension 2 lies in it
   for d, size in ipairs(shape) do
      if size ~= 1 and (d ~= place or size ~= channels) then return nil end
   end
   if place < 1 or shape[place] ~= channels then return nil end
   return types.view(types.convert(t, 'double'), { channels })
end

-- What a node does to each channel of its input: factor and bias, DoubleTensors or nil, and the slot of that input.
local function channel_map(graph, n, channels, rank)
   if n.op == 'BatchNormalization' then
      if n.wanted[2] or (n.attr.training_mode or 0) ~= 0 or n.version < 9 and n.attr.spatial == 0 then return nil end
      local t = {}
      for k = 2, 5 do
         local c = constant(graph, n.inputs[k])
         if c == nil or c:nElement() ~= channels then return nil end
         t[k] = types.view(types.convert(c, 'double'), { channels })
      end
      local factor = torch.cdiv(t[2], torch.sqrt(torch.add(t[5], n.attr.epsilon or 1e-5)))
      return n.inputs[1], factor, torch.csub(t[3], torch.cmul(t[4], factor))
   elseif (n.op == 'Mul' or n.op == 'Add') and n.version >= 7 then
      for k = 1, 2 do
         local values = per_channel(graph, n.inputs[3 - k], channels, rank)
         if values and n.op == 'Mul' then return n.inputs[k], values, nil end
         if values then return n.inputs[k], nil, values end
      end
   end
end

-- Lets the first run scale the weights of a Conv by channel, which costs several times as much as
-- reading them: graph.scales has their slot and factor by node.
local function scale_later(graph, conv, factor)
   graph.scales = graph.scales or {}
   local entry = graph.scales[conv]
   if entry then
      entry.factor = torch.cmul(entry.factor, factor)
      return
   end
   local slot = conv.inputs[2]
   local name = graph.names[slot] .. '#scaled'
   conv.inputs[2] = add_constant(graph, name, conv.types[1], graph.constants[slot])
   graph.scales[conv] = { slot = conv.inputs[2], factor = factor }
end

--- Computes the constants that graph() has left to the first run.
function M.finish(graph)
   for conv, entry in pairs(graph.scales or {}) do
      local w = graph.constants[entry.slot]
      local before = graph.weights[plan.address(w)]
      if before then before:restore() end
      local form = types.shape(w)
      for d = 2, #form do form[d] = 1 end
      local factor = types.convert(types.view(entry.factor, form), conv.types[1])
      local scaled = torch.cmul(w, factor)
      graph.constants[entry.slot], graph.scales[conv] = scaled, nil
      weights.scaled(graph, entry.slot, scaled, w, factor)
   end
   graph.scales = nil
end

-- Changes a Conv so that its result has a factor and a bias for each channel.
local function into_conv(graph, conv, factor, bias)
   local name = conv.types[1]
   local channels = types.size(graph.constants[conv.inputs[2]], 1)
   local old = conv.inputs[3] and graph.constants[conv.inputs[3]]
   local b = old and types.convert(old, 'double') or types.full('double', { channels }, 0)
   if factor then
      scale_later(graph, conv, factor)
      b = torch.cmul(b, factor)
   end
   if bias then b = torch.add(b, bias) end
   conv.inputs[3] = add_constant(graph, conv.name .. '#bias', name, types.convert(b, name))
   conv.types[3], conv.count = name, 3
end

-- Changes a BatchNormalization in the same way.
local function into_norm(graph, norm, factor, bias)
   local name = norm.types[2]
   local scale, b = types.convert(graph.constants[norm.inputs[2]], 'double'), types.convert(graph.constants[norm.inputs[3]],
      'double')
   if factor then scale, b = torch.cmul(scale, factor), torch.cmul(b, factor) end
   if bias then b = torch.add(b, bias) end
   norm.inputs[2] = add_constant(graph, norm.name .. '#scale', name, types.convert(scale, name))
   norm.inputs[3] = add_constant(graph, norm.name .. '#bias', name, types.convert(b, name))
end

-- Channels and rank of the result of a node that can take factors and biases; nil of others.
local function takes_channels(graph, n)
   if n.domain ~= '' or not is_float(n.types[1]) then return nil end
   local w = n.inputs[2] and constant(graph, n.inputs[2])
   if n.op == 'Conv' and w ~= nil and (not n.inputs[3] or constant(graph, n.inputs[3]) ~= nil) then
      return types.size(w, 1), types.rank(w)
   elseif n.op == 'BatchNormalization' and w ~= nil and constant(graph, n.inputs[3]) ~= nil and not n.wanted[2]
      and n.types[2] == n.types[1] and (n.attr.training_mode or 0) == 0 and not (n.version < 9 and n.attr.spatial == 0) then
      return w:nElement(), n.rank                             -- the rank is unknown unless a Conv precedes it
   end
end

local function merge_channels(graph)
   local uses, maker = survey(graph)
   local gone = {}
   for _, n in ipairs(graph.nodes) do
      for k = 1, math.min(2, n.count) do
         local before = n.domain == '' and n.inputs[k] and not gone[n] and maker[n.inputs[k]]
         local channels, rank
         if before and uses[n.inputs[k]] == 1 and not is_output(graph, n.inputs[k]) then channels, rank = takes_channels(graph,
            before) end
         rank = rank or channels and M.rank_of(graph, n.inputs[k], maker)
         if channels and rank then
            local from, factor, bias = channel_map(graph, n, channels, rank)
            if from and from == n.inputs[k] then
               if before.op == 'Conv' then into_conv(graph, before, factor, bias) else into_norm(graph, before, factor, bias) end
               before.results[1], maker[n.results[1]], gone[n] = n.results[1], before, true
               before.merged = (before.merged or '') .. '+' .. n.op
            end
         end
      end
   end
   node_class.replace(graph, gone)
end

-- The number of dimensions of a value where the graph tells it: of inputs, convolutions, and what keeps the rank.
local keeps_rank = { BatchNormalization = true, Relu = true, MaxPool = true, AveragePool = true, LRN = true, Concat = true,
   Sum = true,
   Sigmoid = true, Tanh = true, LeakyRelu = true, Clip = true }
function M.rank_of(graph, slot, maker)
   for _ = 1, 1000 do
      local n = maker[slot]
      if not n then
         local t = graph.constants[slot]
         if t ~= nil then return types.rank(t) end
         return graph.shapes[slot] and #graph.shapes[slot]
      end
      if n.op == 'Conv' and n.domain == '' then
         local w = graph.constants[n.inputs[2]]
         return w and types.rank(w)
      end
      if n.domain ~= '' or not keeps_rank[n.op] then return nil end
      slot = n.inputs[1]
   end
end

-- ---- all of them ---------------------------------------------------------------------------------------------------

--- Computes the constants of a graph and of its subgraphs.
function M.constants(graph)
   fold_constants(graph)
   for _, n in ipairs(graph.nodes) do
      for _, entry in ipairs(n.graphs or {}) do M.constants(entry.graph) end
   end
end

--- Rewrites a graph in place.
function M.graph(graph)
   M.constants(graph)
   drop_idle(graph)
   drop_unused(graph)
   merge_channels(graph)
   patterns.apply(graph, survey)
end

--- Frees the constants that no node and no output uses, and the names that were needed to build
-- the graph.
function M.forget(graph)
   local uses = survey(graph)
   for _, n in ipairs(graph.nodes) do
      for _, m in ipairs(n.members or {}) do uses[m.slot] = 1 end
   end
   local origins = {}                                         -- freed addresses get other tensors
   for a, origin in pairs(graph.origins) do origins[a] = origin.pending and origin or nil end
   for slot, value in pairs(graph.constants) do
      local a = types.is_tensor(value) and plan.address(value)
      if not uses[slot] and not graph.changeable[slot] then graph.constants[slot] = nil
      elseif a then origins[a] = graph.origins[a] end
   end
   graph.origins, graph.slots = origins, nil
end

return M
