-- lua/onnx/graph.lua - a graph of ops from a GraphProto: values have slots, nodes are in order, types are known.
--
-- A graph has these fields:
--    nodes       in an order in which each follows its inputs
--    names       slot -> name of the value;  types: slot -> its type
--    constants   slot -> value, for initializers and folded nodes
--    origins     address of a storage -> where its file has the floats of an initializer; `pending`
--                is their tensor as long as they are not read
--    inputs, outputs    lists of { name, slot, type, shape, optional }
--    captures    of a subgraph: a list of { outer = slot of the graph around it, slot = slot here }
local source = require 'feed.source'
local check = require 'onnx.check'
local decode = require 'onnx.decode'
local inline = require 'onnx.inline'
local messages = require 'onnx.messages'
local node_class = require 'onnx.node'
local plan = require 'onnx.plan'
local registry = require 'onnx.registry'
local protobuf = require 'torch.protobuf'

local M = {}
local Graph = {}
M.class = { __index = Graph }

local MOST_GRAPHS_DEEP = 32

-- ---- slots ---------------------------------------------------------------------------------------------------------

local function define(graph, name, type, shape)
   if graph.slots[name] then error(("graph '%s': value '%s' has two definitions"):format(graph.name, name), 0) end
   local slot = #graph.names + 1
   graph.names[slot], graph.slots[name], graph.types[slot] = name, slot, type or false
   graph.shapes[slot] = shape
   return slot
end

-- The slot of a name, which may come from a graph around this one; nil if there is none.
local function lookup(graph, name)
   local slot = graph.slots[name]
   if slot or not graph.parent then return slot end
   local outer = lookup(graph.parent, name)
   if not outer then return nil end
   slot = define(graph, name, graph.parent.types[outer], graph.parent.shapes[outer])
   local value = graph.parent.constants[outer]
   if value ~= nil and not graph.parent.changeable[outer] then
      graph.constants[slot] = value
      return slot
   end
   graph.captures[#graph.captures + 1] = { outer = outer, slot = slot }
   return slot
end

-- ---- order ---------------------------------------------------------------------------------------------------------

-- Calls f(name, state) with each name that a node uses, also inside of its subgraphs.
local function each_name(node, f, state)
   for _, name in ipairs(node.input or {}) do if name ~= '' then f(name, state) end end
   for _, a in ipairs(node.attribute or {}) do
      for _, g in ipairs(a.g and { a.g } or a.graphs or {}) do
         for _, inner in ipairs(g.node or {}) do each_name(inner, f, state) end
         for _, v in ipairs(g.output or {}) do f(v.name or '', state) end
      end
   end
end

local function describe(node) return ("'%s' (%s)"):format(node.name or '', node.op_type or '') end

-- The number of the node of a list that makes a name, or nil.
local function maker_of(name, state)
   local from = state.maker[name]
   return from and not state.graph.slots[name] and from or nil
end

local function note_order(name, state)
   local from = maker_of(name, state)
   if from and from >= state.at then state.sorted = false end
end

local function note_follower(name, state)
   local from, at = maker_of(name, state), state.at
   if not from or state.seen[from] then return end
   state.seen[from] = true
   state.waits[at] = state.waits[at] + 1
   table.insert(state.followers[from], at)
end

-- The nodes in an order in which each follows the nodes that it depends on; the order of the file where it has this property.
local function sorted(graph, nodes)
   local maker = {}
   for i, node in ipairs(nodes) do
      for _, name in ipairs(node.output or {}) do if name ~= '' then maker[name] = i end end
   end
   local state = { graph = graph, maker = maker, sorted = true }
   for i, node in ipairs(nodes) do
      state.at = i
      each_name(node, note_order, state)
   end
   if state.sorted then return nodes end
   local waits, followers = {}, {}
   state.waits, state.followers = waits, followers
   for i in ipairs(nodes) do waits[i], followers[i] = 0, {} end
   for i, node in ipairs(nodes) do
      state.at, state.seen = i, {}
      each_name(node, note_follower, state)
   end
   local order, ready, first = {}, {}, 1
   for i in ipairs(nodes) do if waits[i] == 0 then ready[#ready + 1] = i end end
   while ready[first] do
      local i = ready[first]
      first = first + 1
      order[#order + 1] = nodes[i]
      for _, k in ipairs(followers[i]) do
         waits[k] = waits[k] - 1
         if waits[k] == 0 then ready[#ready + 1] = k end
      end
   end
   if #order < #nodes then
      local stuck = {}
      for i, node in ipairs(nodes) do if waits[i] > 0 and #stuck < 5 then stuck[#stuck + 1] = describe(node) end end
      error(("graph '%s': nodes depend on each other in a circle: %s"):format(graph.name, table.concat(stuck, ', ')), 0)
   end
   return order
end

-- ---- nodes ---------------------------------------------------------------------------------------------------------

local build

local scalars = { f = 0, i = 0, s = '' }

local function attribute(context, n, a)
   local name = a.name or ''
   local field = messages.attributes[a.type or 0]
   if not field then                                        -- files of the first versions leave the type out
      for _, candidate in ipairs(messages.attributes) do if a[candidate] ~= nil then field = candidate end end
   end
   local v = field and a[field]
   if v == nil then v = scalars[field] or {} end
   if field == 's' then v = protobuf.text(v, context.fetch)
   elseif field == 'strings' then
      local list = {}
      for i, s in ipairs(v) do list[i] = protobuf.text(s, context.fetch) end
      v = list
   elseif field == 't' then
      v, n.attr_types[name] = decode.tensor(v, context.fetch, context.external)
   elseif field == 'tensors' then
      local list = {}
      for i, t in ipairs(v) do list[i] = decode.tensor(t, context.fetch, context.external) end
      v = list
   elseif field == 'sparse_tensor' then
      v, n.attr_types[name] = decode.sparse(v, context.fetch, context.external)
   elseif field == 'tp' then v = decode.type_of(v, name)
   elseif field == 'g' then
      v = { message = v }
      n.graphs = n.graphs or {}
      n.graphs[#n.graphs + 1] = { name = name }
   elseif field == 'graphs' or field == 'sparse_tensors' or field == 'type_protos' then
      error(("attribute '%s' has a type that is not read: %s"):format(name, field), 0)
   end
   if n.attr[name] ~= nil then error(("attribute '%s' is given twice"):format(name), 0) end
   n.attr[name], n.attr_kinds[name] = v, check.kinds[field]
end

local function versions_of(context, node) return node.versions or context.versions end

local function connect(graph, n, node)
   n.inputs, n.types = {}, {}
   for i, name in ipairs(node.input or {}) do
      n.inputs[i] = false
      if name ~= '' then
         local slot = lookup(graph, name) or error(("input '%s' is defined nowhere"):format(name), 0)
         n.inputs[i], n.types[i] = slot, graph.types[slot] or nil
      end
   end
   n.count = #n.inputs
   n.wanted, n.outputs = {}, #(node.output or {})
   for i, name in ipairs(node.output or {}) do n.wanted[i] = name ~= '' end
end

local function subgraphs(context, graph, n, definition, node)
   for _, entry in ipairs(n.graphs or {}) do
      local given = definition.graph_types and definition.graph_types(n, entry.name)
      local saved = context.versions
      context.versions = versions_of(context, node)
      entry.graph = build(context, n.attr[entry.name].message, graph, given)
      context.versions = saved
      n.attr[entry.name] = entry.graph
   end
end

-- Output types by the rule of the definition.
local ordinals = { first = 1, second = 2, third = 3, fourth = 4 }
local function output_types(n, rule)
   if type(rule) == 'function' then return rule(n) end
   local list = {}
   for i = 1, n.outputs do
      local word = rule or 'first'
      if type(word) == 'table' then word = word[i] or word[#word] end
      if ordinals[word] then word = n.types[ordinals[word]] end
      list[i] = word
   end
   return list
end

local function missing(context, node, graph)
   local domain = node.domain or ''
   local name = domain == '' and node.op_type or domain .. '.' .. tostring(node.op_type)
   local list = context.missing[name]
   if not list then
      list = {}
      context.missing[name], context.missing[#context.missing + 1] = list, name
   end
   list[#list + 1] = node.name ~= '' and node.name or (node.output or {})[1] or graph.name
end

local function make_node(context, graph, node)
   local domain = node.domain == 'ai.onnx' and '' or node.domain or ''
   local definition = registry.find(node.op_type or '', domain)
   if not definition then
      missing(context, node, graph)
      definition = {}
   end
   local n = node_class.new { op = node.op_type or '', name = node.name or '', domain = domain, attr = {}, attr_types = {},
      attr_kinds = {},
      version = versions_of(context, node)[domain] or context.versions[domain] or 1, definition = definition }
   local ok, why = pcall(function()
      for _, a in ipairs(node.attribute or {}) do attribute(context, n, a) end
      connect(graph, n, node)
      if definition.run then check.node(n) end
      subgraphs(context, graph, n, definition, node)
      n.out_types = definition.run and output_types(n, definition.types) or {}
      n.results = {}
      for i, name in ipairs(node.output or {}) do
         n.results[i] = name ~= '' and define(graph, name, n.out_types[i]) or false
      end
   end)
   if not ok then error(('node %s: %s'):format(describe(node), tostring(why)), 0) end
   return n
end

-- ---- graphs --------------------------------------------------------------------------------------------------------

local function note_use(name, uses) uses[name] = (uses[name] or 0) + 1 end

-- The names of a graph that are the weights of one node and nothing else.
local function weights_of(m)
   local uses, found = {}, {}
   for _, node in ipairs(m.node or {}) do each_name(node, note_use, uses) end
   for _, v in ipairs(m.output or {}) do note_use(v.name or '', uses) end
   for _, v in ipairs(m.input or {}) do note_use(v.name or '', uses) end
   for _, node in ipairs(m.node or {}) do
      local name = (node.input or {})[2]
      local definition = name and uses[name] == 1
         and registry.find(node.op_type or '', node.domain or '')
      if definition and definition.weighs then found[name] = true end
   end
   return found
end

local function initializers(context, graph, m)
   local later = graph.parent and {} or weights_of(m)
   for _, t in ipairs(m.initializer or {}) do
      local value, type, origin = decode.tensor(t, context.fetch, context.external, later[t.name])
      graph.constants[define(graph, t.name or '', type)] = value
      if origin then graph.origins[plan.address(value) or 0] = origin end
   end
   for _, t in ipairs(m.sparse_initializer or {}) do
      local value, type = decode.sparse(t, context.fetch, context.external)
      graph.constants[define(graph, t.values.name or '', type)] = value
   end
end

-- Inputs; one with an initializer of the same name has a default. Before version 4 of the format all initializers were inputs,
-- which meant constants.
local function inputs(context, graph, m, given)
   for i, v in ipairs(m.input or {}) do
      local name = v.name or ''
      local what = ("input '%s'"):format(name)
      local type, shape = decode.type_of(v.type, what)
      local slot = graph.slots[name]
      if slot then
         if context.ir >= 4 or graph.parent then
            graph.defaults[#graph.defaults + 1] = { name = name, slot = slot, type = type, shape = shape }
            graph.changeable[slot] = true
         end
      else
         type = type or given and given[i] or nil
         if not type and not graph.parent then error(what .. ' has no type', 0) end
         slot = define(graph, name, type, shape)
         graph.inputs[#graph.inputs + 1] = { name = name, slot = slot, type = type, shape = shape }
      end
   end
end

local function outputs(graph, m)
   for i, v in ipairs(m.output or {}) do
      local name = v.name or ''
      local slot = lookup(graph, name) or error(("graph '%s': output '%s' is defined nowhere"):format(graph.name, name), 0)
      local type, shape = decode.type_of(v.type, ("output '%s'"):format(name))
      graph.outputs[i] = { name = name, slot = slot, type = graph.types[slot] or type, shape = shape }
   end
end

--- A graph from a message.
-- @param context  { fetch, external, versions = { domain -> number }, functions = state of inline.nodes, missing = {} }
-- @param parent   the graph around it, or nil;  given: types of inputs that leave them out
function build(context, m, parent, given)
   local graph = setmetatable({ name = m.name or '', parent = parent, depth = parent and parent.depth + 1 or 1, names = {},
      slots = {}, origins = {},
      types = {}, shapes = {}, constants = {}, captures = {}, nodes = {}, inputs = {}, outputs = {}, defaults = {},
         changeable = {} }, M.class)
   if graph.depth > MOST_GRAPHS_DEEP then error(('graphs are nested more than %d deep'):format(MOST_GRAPHS_DEEP), 0) end
   initializers(context, graph, m)
   inputs(context, graph, m, given)
   local nodes = sorted(graph, inline.nodes(context.functions, m.node or {}))
   for i, node in ipairs(nodes) do graph.nodes[i] = make_node(context, graph, node) end
   outputs(graph, m)
   return graph
end
M.build = build

--- Reads the floats of an origin, if that was left for later.
function M.read(origin)
   local t = origin and origin.pending
   if not t then return end
   source.unchanged(origin.source)
   source.read(origin.source, t:data(), t:bytes(), origin.place)
   origin.pending = nil
end

--- Reads all floats of a graph that were left for later.
function M.read_all(graph)
   for _, origin in pairs(graph.origins) do M.read(origin) end
end

--- Raises an error that names all ops that are not here, if there are any.
function M.refuse_missing(context)
   if #context.missing == 0 then return end
   local lines = {}
   for _, name in ipairs(context.missing) do
      local nodes = context.missing[name]
      local some = {}
      for i = 1, math.min(3, #nodes) do some[i] = "'" .. nodes[i] .. "'" end
      lines[#lines + 1] = ('%s (%d node%s: %s%s)'):format(name, #nodes, #nodes == 1 and '' or 's', table.concat(some, ', '),
         #nodes > 3 and ', ...' or '')
   end
   table.sort(lines)
   error('these ops are not here: ' .. table.concat(lines, '; '), 0)
end

return M
