-- lua/onnx/net.lua - a model as a module of nn: a Sequential for a chain, else a gModule of nngraph.
--
-- nn and nngraph are loaded when they are first needed.
local run = require 'onnx.run'
local types = require 'onnx.types'

local M = {}

-- The nodes that depend on an input, in order.
local function live(graph)
   local list = {}
   for _, n in ipairs(graph.nodes) do
      local all = true
      for _, slot in ipairs(n.results) do if slot and graph.constants[slot] == nil then all = false end end
      if not all then list[#list + 1] = n end
   end
   return list
end

-- Shapes of all values in a run on the inputs v.
local function shapes_of(nodes, v)
   local shapes, samples = {}, {}
   for slot, value in pairs(v) do if types.is_tensor(value) then shapes[slot], samples[slot] = types.shape(value), value end end
   for _, n in ipairs(nodes) do
      n.run = n.definition.run
      local ok, why = pcall(run.step, n, v)
      if not ok then error(run.error_of(n, v, why), 0) end
      for _, slot in ipairs(n.results) do
         if slot and types.is_tensor(v[slot]) then shapes[slot], samples[slot] = types.shape(v[slot]), v[slot] end
      end
   end
   return shapes, samples
end

-- The module of a node, and the slots of its inputs that are no constants.
local function module_of(graph, n, shapes, samples, uses)
   local function constant(k) return n.inputs[k] and graph.constants[n.inputs[k]] or nil end
   local f = { constant = constant, result = shapes[n.results[1]], input = samples[n.inputs[1]],
      shape = function(k) return shapes[n.inputs[k]] end, uses = function(i) return uses[n.results[i]] or 0 end }
   local make = n.domain == '' and not n.graphs and require 'onnx.modules'[n.op]
   if not make then return nil, 'it has no module' end
   local m, why = make(n, f)
   if not m then return nil, why end
   local from = {}
   for k = 1, n.count do
      if n.inputs[k] and graph.constants[n.inputs[k]] == nil then from[#from + 1] = n.inputs[k] end
   end
   return m:float(), from
end

local function refuse(failures)
   local lines = {}
   for i = 1, math.min(8, #failures) do
      local n = failures[i]
      lines[i] = ("'%s' (%s): %s"):format(n.node.name, n.node.op, n.why)
   end
   error(('net: %d node%s cannot become modules: %s%s'):format(#failures, #failures == 1 and '' or 's', table.concat(lines, '; '),
      #failures > 8 and '; ...' or ''), 0)
end

local function count_uses(graph, nodes)
   local uses = {}
   for _, n in ipairs(nodes) do
      for k = 1, n.count do if n.inputs[k] then uses[n.inputs[k]] = (uses[n.inputs[k]] or 0) + 1 end end
   end
   for _, o in ipairs(graph.outputs) do uses[o.slot] = (uses[o.slot] or 0) + 1 end
   return uses
end

-- Whether each part reads the result of the part before it alone.
local function is_chain(graph, parts, uses)
   if #graph.inputs ~= 1 or #graph.outputs ~= 1 then return false end
   local slot = graph.inputs[1].slot
   for _, part in ipairs(parts) do
      if #part.from ~= 1 or part.from[1] ~= slot or uses[slot] ~= 1 then return false end
      slot = part.to
   end
   return slot == graph.outputs[1].slot
end

local function graph_of(graph, parts)
   local nn = require 'nn'
   require 'nngraph'
   local at, inputs, outputs = {}, {}, {}
   for i, input in ipairs(graph.inputs) do
      inputs[i] = nn.Identity()()
      at[input.slot] = inputs[i]
   end
   for _, part in ipairs(parts) do
      local from = {}
      for i, slot in ipairs(part.from) do from[i] = at[slot] end
      at[part.to] = part.module(#from == 1 and from[1] or from)
      if part.name ~= '' then at[part.to]:annotate { name = part.name } end
   end
   for i, o in ipairs(graph.outputs) do
      outputs[i] = at[o.slot] or error(("net: output '%s' is a constant"):format(o.name), 0)
   end
   return nn.gModule(inputs, outputs)
end

--- The module of a graph as its file has it, but for computed constants.
-- @param v  values by slot, with inputs of some size
function M.make(graph, v)
   local nodes = live(graph)
   local shapes, samples = shapes_of(nodes, v)
   local uses, parts, failures = count_uses(graph, nodes), {}, {}
   for _, n in ipairs(nodes) do
      local m, from = module_of(graph, n, shapes, samples, uses)
      if m then
         parts[#parts + 1] = { module = m, from = from, to = n.results[1], name = n.name }
      else
         failures[#failures + 1] = { node = n, why = from }
      end
   end
   if #failures > 0 then refuse(failures) end
   if #parts == 0 then error('net: the model computes nothing from its inputs', 0) end
   if not is_chain(graph, parts, uses) then return graph_of(graph, parts):evaluate() end
   local s = require 'nn'.Sequential()
   for _, part in ipairs(parts) do s:add(part.module) end
   return s:evaluate()
end

return M
