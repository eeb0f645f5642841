-- lua/onnx/run.lua - executes a graph: its nodes in order, and values that are dropped after their last use.
local graph_module = require 'onnx.graph'
local interpret = require 'torch.interpret'
local kept = require 'onnx.kept'
local types = require 'onnx.types'

local M = {}

local unpack = unpack

-- ---- preparation ---------------------------------------------------------------------------------------------------

-- For each node: the slots that no later node uses.
local function find_last_uses(graph)
   local last = {}
   for i, n in ipairs(graph.nodes) do
      for _, slot in ipairs(n.results) do if slot then last[slot] = i end end
      for k = 1, n.count do if n.inputs[k] then last[n.inputs[k]] = i end end
      for _, entry in ipairs(n.graphs or {}) do
         for _, c in ipairs(entry.graph.captures) do last[c.outer] = i end
      end
   end
   for _, o in ipairs(graph.outputs) do last[o.slot] = nil end
   for _, n in ipairs(graph.nodes) do                          -- what a plan keeps stays
      for _, slot in ipairs(n.static and n.results or {}) do if slot then last[slot] = nil end end
   end
   for slot in pairs(graph.constants) do
      if not graph.changeable[slot] then last[slot] = nil end
   end
   for _, n in ipairs(graph.nodes) do n.dropped = {} end
   for slot, i in pairs(last) do
      local list = graph.nodes[i].dropped
      list[#list + 1] = slot
   end
end

-- Whether a node gives the same view of its first input in each run of a plan.
local function is_view(n)
   if not n.definition.view or not n.steady then return false end
   for k = 2, n.count do if not n.steady[k] then return false end end
   return #n.results == 1
end

--- Prepares a graph and its subgraphs for execution.
function M.prepare(graph)
   for _, n in ipairs(graph.nodes) do
      n.run, n.fixed = n.definition.run, {}
      if is_view(n) then n.run = kept.view_of(n.run) end
      for k = 1, n.count do
         local slot = n.inputs[k]
         n.fixed[k] = slot and graph.constants[slot] ~= nil and not graph.changeable[slot] or false
      end
      for _, entry in ipairs(n.graphs or {}) do M.prepare(entry.graph) end
   end
   find_last_uses(graph)
   return graph
end

-- ---- execution -----------------------------------------------------------------------------------------------------

local function shape_of(v)
   if v == nil then return 'nothing' end
   if type(v) == 'table' and not v.shape then return ('a list of %d'):format(#v) end
   return types.shape_text(types.shape(v))
end

-- Errors of Lua itself: an op has met shapes that it does not expect.
local internal = { 'attempt to ', 'bad argument #', 'cannot convert', 'table index', 'wrong number of', 'invalid value ' }

--- The text of an error without the line of code that raised it.
function M.reason(why)
   why = tostring(why)
   for _, text in ipairs(internal) do
      if why:find(text, 1, true) then return 'the op does not take these shapes or attributes' end
   end
   return (why:gsub('^%S+%.lua:%d+: ', ''))
end

--- The error of a node: its name, its op, the reason and the shapes of its inputs.
local function explain(n, v, why)
   local shapes = {}
   for k = 1, n.count do shapes[k] = n.inputs[k] and shape_of(v[n.inputs[k]]) or 'nothing' end
   return ("node '%s' (%s): %s; its inputs have the shapes %s"):format(n.name, n.op, M.reason(why),
      #shapes == 0 and 'of nothing' or table.concat(shapes, ', '))
end

local function call(n, v)
   local count, inputs = n.count, n.inputs
   if count == 1 then return n.run(n, v[inputs[1]])
   elseif count == 2 then return n.run(n, v[inputs[1]], v[inputs[2]])
   elseif count == 3 then return n.run(n, v[inputs[1]], v[inputs[2]], v[inputs[3]])
   elseif count == 4 then
      return n.run(n, v[inputs[1]], v[inputs[2]], v[inputs[3]], v[inputs[4]])
   elseif count == 5 then
      return n.run(n, v[inputs[1]], v[inputs[2]], v[inputs[3]], v[inputs[4]], v[inputs[5]])
   end
   local list = {}
   for k = 1, count do list[k] = inputs[k] and v[inputs[k]] or nil end
   return n.run(n, unpack(list, 1, count))
end

local function step(n, v)
   if n.graphs then
      for _, entry in ipairs(n.graphs) do entry.graph.around = v end
   end
   local results = n.results
   if #results == 1 then
      v[results[1]] = call(n, v)
   else
      local list = { call(n, v) }
      for i = 1, #results do
         if results[i] then v[results[i]] = list[i] end
      end
   end
end

-- The same in the interpreter. Loops over elements are compiled.
local function step_once(n, v)
   if n.definition.whole and #n.results == 1 then step(n, v) else interpret.compile(step, n, v) end
end

-- Runs nodes; frame.at is the node that runs, for the message of an error.
local function steps(nodes, v, frame, watch, take)
   for i = 1, #nodes do
      local n = nodes[i]
      frame.at = n
      take(n, v)
      if watch then watch(i, n, v) end
      local dropped = n.dropped
      for k = 1, #dropped do v[dropped[k]] = nil end
   end
end
M.step, M.error_of = step, explain

-- Passes on the error of the node at which a run has ended.
local function finish(frame, v, ok, why)
   if not ok then error(explain(frame.at, v, why), 0) end
end

--- Runs the nodes of a graph on values by slot.
-- @param watch  function(i, n, v), called behind each node (optional)
-- @param nodes  (default: all nodes of the graph)
function M.nodes(graph, v, watch, nodes)
   local frame = {}
   finish(frame, v, pcall(steps, nodes or graph.nodes, v, frame, watch, step))
end

--- The same for the first of several runs: it is interpreted, because LuaJIT would compile for
-- longer than it runs.
function M.first(graph, v, watch)
   local frame = {}
   finish(frame, v, pcall(interpret.run, steps, graph.nodes, v, frame, watch, step_once))
end

local Graph = graph_module.class.__index

-- graph:run(inputs): runs a subgraph on a list of inputs, with the values of the graph around it; returns a list of outputs.
function Graph:run(inputs)
   local v = {}
   for slot, value in pairs(self.constants) do v[slot] = value end
   for _, c in ipairs(self.captures) do v[c.slot] = self.around[c.outer] end
   for i, input in ipairs(self.inputs) do v[input.slot] = inputs[i] end
   M.nodes(self, v)
   local results = {}
   for i, o in ipairs(self.outputs) do results[i] = v[o.slot] end
   return results
end

return M
