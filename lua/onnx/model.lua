-- lua/onnx/model.lua - a loaded model: its inputs and outputs, and forward.
local explain = require 'onnx.explain'
local fuse = require 'onnx.fuse'
local graph_module = require 'onnx.graph'
local inline = require 'onnx.inline'
local lib = require 'torch.lib'
local joined = require 'onnx.joined'
local net = require 'onnx.net'
local optimise = require 'onnx.optimise'
local original = require 'onnx.original'
local run = require 'onnx.run'
local plan = require 'onnx.plan'
local static = require 'onnx.static'
local types = require 'onnx.types'
local weights = require 'onnx.weights'
local arg = require 'torch.arg'
local interpret = require 'torch.interpret'

local Model = {}
Model.__index = Model

local M = {}

local MANY, MOST = 400, 2 ^ 16                                 -- nodes; KB of Lua

-- Collects what a step of loading many nodes has left, where all memory of Lua is little.
local function collect(is_many)
   if not is_many or collectgarbage 'count' > MOST then return end
   collectgarbage()
   lib.trim()
end

-- The graph of a model as its file has it, the model's versions and producer, and whether its nodes
-- are many.
local function graph_of(message, fetch, external)
   local m = message()
   local context = { fetch = fetch, external = external, versions = inline.versions(m.opset_import), missing = {},
      ir = m.ir_version or 0,
      functions = { functions = inline.functions(m.functions), calls = 0, nodes = 0 } }
   if not m.graph then error('it has no graph', 0) end
   local is_many = #(m.graph.node or {}) > MANY
   collect(is_many)
   local graph = graph_module.build(context, m.graph)
   graph_module.refuse_missing(context)
   return graph, context.versions, m.producer_name, is_many
end

--- A model.
-- @param message  function(): reads the message ModelProto; net() calls it again
function M.new(message, fetch, external)
   local graph, versions, producer, is_many = graph_of(message, fetch, external)
   collect(is_many)
   optimise.graph(graph)
   fuse.graph(graph)
   joined.graph(graph)
   optimise.forget(graph)
   static.mark(graph)
   run.prepare(graph)
   weights.prepare(graph)
   collect(is_many)
   local model = setmetatable({ graph = graph, plans = {}, inputs = {}, outputs = {},
      versions = versions, producer = producer,
      again = function() return (interpret.run(graph_of, message, fetch, external)) end,
      original = function() return interpret.run(original.read, message(), fetch, external) end },
      Model)
   for i, v in ipairs(graph.inputs) do model.inputs[i] = { name = v.name, type = v.type, shape = v.shape } end
   for i, v in ipairs(graph.outputs) do model.outputs[i] = { name = v.name, type = v.type, shape = v.shape } end
   return model
end

-- ---- inputs --------------------------------------------------------------------------------------------------------

local function names(list)
   local r = {}
   for i, v in ipairs(list) do r[i] = "'" .. v.name .. "'" end
   return table.concat(r, ', ')
end

local function refuse(input, what, got)
   error(("forward: input '%s' must be %s, got %s"):format(input.name, what, got), 0)
end

-- A value for an input: tensors must have the type and a shape that fits; symbolic sizes must agree.
local function check(input, value, known)
   local is_tensor = types.is_tensor(value)
   if not types.is(value, input.type) then
      refuse(input, ('%s, for type %s'):format(types.class(input.type), input.type), is_tensor and value:type()
         or arg.describe(value))
   end
   if not input.shape or not (is_tensor or type(value) == 'table' and value.shape) then return value end
   local shape = types.shape(value)
   local fits = #shape == #input.shape
   for d = 1, fits and #shape or 0 do
      local want = input.shape[d]
      if type(want) == 'string' and want ~= '?' then
         known[want] = known[want] or shape[d]
         want = known[want]
      end
      if want ~= '?' and want ~= shape[d] then fits = false end
   end
   if not fits then
      local wanted = {}
      for d, size in ipairs(input.shape) do wanted[d] = known[size] and ('%s=%d'):format(size, known[size]) or tostring(size) end
      refuse(input, 'of shape ' .. types.shape_text(wanted), types.shape_text(shape))
   end
   return value
end

-- Whether a table is the value of the single input: strings or a sequence, not a table of inputs by name.
local function is_value(x, input)
   if x[input.name] ~= nil then return false end
   return x.shape ~= nil or input.type:sub(1, 4) == 'seq(' or #x > 0
end

-- The values that the argument of forward gives, by slot.
local function given(graph, x)
   local known = {}
   local v = {}
   local inputs = graph.inputs
   if types.is_tensor(x) or x == nil or #inputs == 1 and type(x) == 'table' and is_value(x, inputs[1]) then
      if #inputs ~= 1 then
         if x == nil and #inputs == 0 then return v end
         error(('forward: the model has %d inputs; give them by name: %s'):format(#inputs, names(inputs)), 0)
      end
      x = { [inputs[1].name] = x }
   elseif type(x) ~= 'table' then
      error(('forward: the argument must be a tensor or a table of inputs by name, got %s'):format(arg.describe(x)), 0)
   end
   local left = {}
   for name, value in pairs(x) do left[name] = value end
   for _, input in ipairs(inputs) do
      local value = x[input.name]
      if value == nil and input.type:sub(1, 9) ~= 'optional(' then
         error(("forward: input '%s' is missing; the model needs %s"):format(input.name, names(inputs)), 0)
      end
      if value ~= nil then v[input.slot] = check(input, value, known) end
      left[input.name] = nil
   end
   for _, input in ipairs(graph.defaults) do
      if x[input.name] ~= nil then v[input.slot] = check(input, x[input.name], known) end
      left[input.name] = nil
   end
   local extra = next(left)
   if extra ~= nil then error(("forward: the model has no input '%s'; it has %s"):format(tostring(extra), names(inputs)), 0) end
   return v
end

-- ---- forward -------------------------------------------------------------------------------------------------------

-- The storages of values, as a set. A result must not share those of inputs, of constants and of
-- values of sizes.
local function storages(values)
   local set = {}
   for _, value in pairs(values) do
      if types.is_tensor(value) then set[plan.address(value) or 0] = true end
   end
   return set
end

local function owned(value, foreign)
   local a = types.is_tensor(value) and plan.address(value)
   if not a then return value end
   local is_foreign = foreign[1][a] or foreign[2][a] or foreign[3][a]
   return (is_foreign or not value:isContiguous()) and value:clone() or value
end

-- The result of forward, and the plan.
local function execute(model, x, watch)
   local graph = model.graph
   if graph.scales then optimise.finish(graph) end
   local inputs = given(graph, x)
   local p = plan.find(model.plans, plan.key(graph, inputs))
   if not p.ready then p.buffers = {} end                     -- an earlier run may have failed
   plan.place(graph, p)
   plan.attach(graph, p)
   local recorder = not p.ready and plan.recorder(graph, p)
   local v = plan.take_values(graph, p, inputs)
   local ok, why
   if recorder then
      ok, why = pcall(run.first, graph, v, recorder.record)
      if ok then plan.finish(graph, p, recorder) end
   else
      ok, why = pcall(run.nodes, graph, v, watch, not watch and p.rest or nil)
   end
   if not ok then error(why, 0) end
   graph.foreign = graph.foreign or storages(graph.constants)
   p.foreign = p.foreign or storages(p.static)
   local foreign = { storages(inputs), graph.foreign, p.foreign }
   local results = {}
   for _, o in ipairs(graph.outputs) do
      local whole, value = pcall(owned, v[o.slot], foreign)
      if not whole then error(("forward: output '%s': %s"):format(o.name, run.reason(value)), 0) end
      results[o.name] = value
   end
   if not watch then plan.give_values(graph, p, v, inputs) end
   if #graph.outputs == 1 then results = results[graph.outputs[1].name] end
   return results, p
end

-- onnx.Model:forward(x): Runs the model. The result is the output, or of several outputs a table by name; the caller owns it.
-- @param x  the input, or a table of inputs by name
function Model:forward(x) return (execute(self, x)) end

-- A tensor for an input without data: ones, with size 1 where the size has a name.
local function example(input, who)
   local shape = {}
   if not input.shape or not types.words[input.type] then
      error(("%s: input '%s' needs a value: give the inputs as for forward"):format(who, input.name), 0)
   end
   for d, size in ipairs(input.shape) do shape[d] = type(size) == 'number' and size or 1 end
   return types.full(input.type, shape, 1)
end

local function examples(model, x, who)
   if x ~= nil then return x end
   x = {}
   for _, input in ipairs(model.inputs) do x[input.name] = example(input, who) end
   return x
end

-- onnx.Model:net([x]): The model as a module of nn with the same weights: the net that onnx.save
-- wrote, where the file has it. Else it is an nn.Sequential if the model is a chain, or a gModule
-- of nngraph. It is in evaluation mode, can be trained, printed and saved. The file is read again.
-- An error names all nodes that have no module.
-- @param x  as for forward: sizes that the module is made for, but for the batch (default: ones)
function Model:net(x)
   if x ~= nil then given(self.graph, x) end
   local saved = self.original()
   if saved then return saved end
   x = examples(self, x, 'net')
   local graph = self.again()
   optimise.constants(graph)
   graph_module.read_all(graph)
   local v = given(graph, x)
   for slot, value in pairs(graph.constants) do
      if v[slot] == nil then v[slot] = value end
   end
   return net.make(graph, v)
end

-- onnx.Model:explain([x]): Runs the model twice and reports the second run, which reuses memory. The result is a list with a
-- row for each node that is left
-- after constants are computed: node, op, engine, ms, bytes (of new results), shape. It prints as a table.
-- @param x  as for forward (default: ones)
function Model:explain(x)
   x = examples(self, x, 'explain')
   self:forward(x)
   local rows = {}
   local _, p = execute(self, x, explain.watcher(rows))
   return explain.report(rows, p)
end

function Model:__tostring()
   local lines = { ('onnx.Model: %d nodes'):format(#self.graph.nodes) }
   for _, way in ipairs { 'inputs', 'outputs' } do
      for _, v in ipairs(self[way]) do
         local shape = v.shape and types.shape_text(v.shape) or 'any shape'
         lines[#lines + 1] = ('  %s %s: %s, %s'):format(way:sub(1, -2), v.name, v.type, shape)
      end
   end
   return table.concat(lines, '\n')
end

M.class = Model

return M
