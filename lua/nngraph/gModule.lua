-- lua/nngraph/gModule.lua - a graph of nodes as one module.
local torch = require 'torch'
local nn = require 'nn'
local graph = require 'graph'
local nngraph = require 'nngraph'
local where = require 'nngraph.where'
local utils = nn.utils

--- The module that computes the results of `outputs` from those of `inputs`, two lists of nodes. With one input it
--- takes that (a tensor or table), with several a table; likewise for the outputs. Fields: `fg`,
--- the graph in the order of computing; `bg`, against it; `forwardnodes`, `backwardnodes`, their
--- nodes sorted; `modules`, in forward order. `name` (optional) is what tostring and pictures show.
--- `verbose` (false) prints each node that runs. The `data` of a node keeps two fields from the
--- last calls. `input` is the list of the node's inputs. `gradOutput` is the gradient of its result
--- as a list of one.
--- x = nn.Identity()(); nn.gModule({x}, {nn.CAddTable()({nn.Abs()(x), x})}):forward(torch.Tensor{-1, 2}) --> {0, 4}
local gModule, Container = torch.class('nn.gModule', 'nn.Container')

-- "Node3 (nn.Linear(2 -> 3), [net.lua]:12_)"
local function describe(node)
   local data, parts = node.data, {}
   if data.module then parts[1] = tostring(data.module):match '^[^\n]*' end
   parts[#parts + 1] = where.label(data)
   local name = data.annotations.name or 'node'
   return #parts > 0 and ('%s (%s)'):format(name, table.concat(parts, ', ')) or name
end

local function need_nodes(what, list)
   if type(list) ~= 'table' or torch.typename(list) or where.count(list) == 0 then
      where.refuse('nn.gModule: %s must be a table of nodes, got %s', what, where.describe(list))
   end
   for i = 1, where.count(list) do
      if not torch.isTypeOf(list[i], 'nngraph.Node') then
         where.refuse('nn.gModule: %s', where.not_a_node(what, i, list[i]))
      end
   end
end

-- Whether a node without an input can use a module: one that returns parameters. It gets an empty table.
-- A table of facts about nodes, which does not keep them: compiled code keeps the functions that a
-- traversal calls, and what their upvalues hold.
local function about_nodes() return setmetatable({}, { __mode = 'k' }) end

local function is_source(module) return module and torch.typename(module) ~= 'nn.Identity' end

-- Refuses graphs that cannot run, before any node is changed.
local function check(inputs, outputs)
   need_nodes('inputs', inputs)
   need_nodes('outputs', outputs)
   local place = about_nodes()
   for i, node in ipairs(inputs) do
      if place[node] then
         where.refuse('nn.gModule: inputs must be different nodes, got the same at %d and %d', place[node], i)
      end
      if #node.children > 0 then
         where.refuse('nn.gModule: input %d must be a node without an input, got %s%s', i, describe(node),
            node.data.gModuleInput and ', which another gModule has as an input' or '')
      end
      place[node] = i
   end
   if graph._cyclic(outputs) then where.refuse('nn.gModule: the graph must have no cycle') end
   local reached = about_nodes()
   local function look(node)
      reached[node] = true
      if #node.children == 0 and not place[node] and not is_source(node.data.module) then
         where.refuse('nn.gModule: every node must depend on the inputs, got %s, which has no input and is none',
            describe(node))
      end
   end
   for _, node in ipairs(outputs) do node:dfs(look) end
   for i, node in ipairs(inputs) do
      if not reached[node] then
         where.refuse('nn.gModule: every input must lead to an output, got input %d, %s, which does not', i,
            describe(node))
      end
   end
end

-- Refuses a graph without a node that takes the result of `node`; nodes of split are among them. The nodes remain
-- connected, as in Torch7, whose words these are.
local function need_users(node, has)
   local n, unused = node.data.nSplitOutputs, 0
   for user in pairs(node.data.reverseMap) do
      if not has[user] and not user.data.selectindex then
         where.refuse('nn.gModule: node declared on %s does not connect to gmodule output: %s, which takes the result of %s',
            where.label(user.data), describe(user), describe(node))
      end
      unused = unused + (has[user] and 0 or 1)
   end
   if unused > 0 then
      where.refuse('nn.gModule: %d of split(%d) outputs from the node declared at %s are unused', unused, n,
         where.label(node.data))
   end
end

function gModule:__init(inputs, outputs)
   check(inputs, outputs)
   Container.__init(self)
   local out, start = nngraph.Node{input = {}}, nngraph.Node{input = {}}
   out:add(outputs, true)
   local starts = #inputs > 1 and {start:split(#inputs)} or {start}
   for i, node in ipairs(inputs) do
      node:add(starts[i], true)
      node.data.gModuleInput = true
   end
   self.outnode = out
   self.bg = out:graph()
   local twins
   self.fg, twins = self.bg:reverse()
   self.innode = twins[start]
   self.forwardnodes, self.backwardnodes = self.fg:topsort(), self.bg:topsort()
   self.nInputs = #inputs
   self.verbose = false
   for _, node in ipairs(self.forwardnodes) do
      need_users(node, self.bg.nodes)
      node.data.forwardNodeId = node.id
      self.modules[#self.modules + 1] = node.data.module
   end
end

---------------------------------------------------------------------------------------------------------
-- running

-- Writes NAME.dot and NAME.svg in which one node is red. A failure here does not hide the original error.
local function picture(self, bad)
   local name = self.name or 'nngraph'
   local ok, why = pcall(function()
      local drawing = graph._drawing(self.fg, name, nil, function(node)
         if node.data ~= bad.data then return node:graphNodeAttributes() end
         return {style = 'filled', fillcolor = 'red'}
      end)
      graph._picture('nngraph', drawing, name)
   end)
   if not ok then io.stderr:write('nngraph: no picture of the error: ', tostring(why), '\n') end
end

local function finish(self, node, ok, ...)
   if ok then return ... end
   local err = ...
   if where.debug then picture(self, node) end
   if type(err) == 'string' then
      local about = describe(node):gsub('%%', '%%%%')
      err = err:gsub('^(In %d+ module of [%w_.]+)', '%1, ' .. about, 1)
   end
   error(err, 0)
end

-- func is the name of a method, or a function(module, input).
local function call(self, node, index, func, ...)
   return finish(self, node, pcall(self.rethrowErrors, self, node.data.module, index, func, ...))
end

local function is_table(x) return type(x) == 'table' and not torch.isTensor(x) end
local function got(x) return torch.isTensor(x) and utils.shape(x) or where.describe(x) end

-- Keeps one value in a list under a field of a node's data.
local function keep(data, field, x)
   local list = data[field]
   if list then list[1] = x else data[field] = {x} end
end

-- The input of a node from the results of others: one value, or a list. The node keeps it.
local function gather(data, values)
   local map = data.mapindex
   if #map == 1 then
      local x = values[map[1]]
      keep(data, 'input', x)
      return x
   end
   local list = {}                                             -- a module may keep it
   for k = 1, #map do list[k] = values[map[k]] end
   data.input = list
   return list
end

-- The same for the start of the graph.
local function begin(data, input, n)
   if n == 1 then
      keep(data, 'input', input)
      return input
   end
   data.input = {unpack(input, 1, n)}
   return data.input
end

-- The input of a node in the last forward.
local function taken_in(node)
   local data = node.data
   local list = data.input
   if not is_table(list) or #list < #data.mapindex then
      error(('nn.gModule: call forward before backward, %s keeps no input'):format(describe(node)), 0)
   end
   if #data.mapindex == 1 then return list[1] end
   return list
end

local function need_split(node, x, n)
   if not is_table(x) or #x ~= n then
      error(('nn.gModule: the result of %s must be a table of %d to be split, got %s'):format(describe(node), n, got(x)), 0)
   end
end

local function need_list(what, x, n)
   if x == nil or n > 1 and (not is_table(x) or #x ~= n) then
      error(('nn.gModule: %s must be %s, got %s'):format(what, n > 1 and ('a table of %d'):format(n)
         or 'a tensor or a table', got(x)), 0)
   end
end

--- Runs through the graph with another function instead of updateOutput: the name of a method, or a function
--- (module, input) that returns the result. Returns the output, which becomes self.output.
function gModule:runForwardFunction(func, input)
   if type(func) ~= 'string' and type(func) ~= 'function' then
      where.refuse('nn.gModule:runForwardFunction: func must be a function or the name of a method, got %s',
         torch.type(func))
   end
   need_list('input', input, self.nInputs)
   local values, index, start = {}, 0, self.innode.data
   for _, node in ipairs(self.forwardnodes) do
      local data = node.data
      local x
      if data == start then x = begin(data, input, self.nInputs) else x = gather(data, values) end
      if data.module then
         index = index + 1
         x = call(self, node, index, func, x)
      elseif data.selectindex then
         x = x[data.selectindex]
      end
      if data.nSplitOutputs then need_split(node, x, data.nSplitOutputs) end
      values[data] = x
      if self.verbose then print(' V : ' .. node:label()) end
   end
   self.output = values[self.outnode.data]
   return self.output
end

function gModule:updateOutput(input) return self:runForwardFunction('updateOutput', input) end

-- The result of a node in the last forward, which the first node that takes it has kept.
local function result(node)
   local user = node.children[1]
   local x, map = taken_in(user), user.data.mapindex
   if #map == 1 then return x end
   return x[map[node.data]]
end

local function zeros(buffer, like)
   if torch.isTensor(like) or is_table(like) then
      return utils.recursiveFill((utils.recursiveResizeAs(buffer, like)), 0)
   end
end

local function nothing(g) return g == nil or torch.isTensor(g) and g:nElement() == 0 end

-- The sum of a gradient and one more. Gradients belong to other modules, so the sum is in a buffer of the node.
local function plus(buffers, key, sum, g)
   if nothing(g) then return sum == nil and g or sum end
   if nothing(sum) then return g end
   if sum ~= buffers[key] then
      local buffer = utils.recursiveResizeAs(buffers[key], sum)
      sum = utils.recursiveCopy(buffer, sum)
      buffers[key] = sum
   end
   utils.recursiveAdd(sum, g)
   return sum
end

-- The gradients of the backward pass. whole[data] is for a node's result, parts[data][k] for its element k.
local function give(way, data, g)
   data.gradOutputBuffer = data.gradOutputBuffer or {}
   way.whole[data] = plus(data.gradOutputBuffer, 'whole', way.whole[data], g)
end

local function give_part(way, data, k, g)
   data.gradOutputBuffer = data.gradOutputBuffer or {}
   local parts = way.parts[data] or {}
   way.parts[data] = parts
   parts[k] = plus(data.gradOutputBuffer, k, parts[k], g)
end

-- The sum of a node's gradients, in the form of its result; elements without any get zeros.
local function taken(way, node)
   local data = node.data
   local g, parts = way.whole[data], way.parts[data]
   local buffers = data.gradOutputBuffer or {}
   data.gradOutputBuffer = buffers
   if parts then
      buffers.zeros = buffers.zeros or {}
      local list = {}
      for k, v in pairs(result(node)) do
         local part = parts[k]
         if part == nil then
            buffers.zeros[k] = zeros(buffers.zeros[k], v)
            part = buffers.zeros[k]
         end
         list[k] = part
      end
      return nothing(g) and list or plus(buffers, 'whole', g, list)
   end
   if g == nil then
      buffers.zero = zeros(buffers.zero, result(node))
      g = buffers.zero
   end
   return g
end

-- Passes the gradient of a node's input to the sources of the input. Several of them get the elements of a table, or the rows
-- of a tensor.
local function pass(way, node, g)
   local data = node.data
   local map = data.mapindex
   if data.selectindex then
      give_part(way, map[1], data.selectindex, g)
   elseif #map == 1 then
      give(way, map[1], g)
   elseif #map > 1 then
      local rows = torch.isTensor(g) and g:dim() > 1 and g:size(1) >= #map
      if not rows and not is_table(g) then
         error(('nn.gModule: gradInput of %s must be a table of %d, got %s'):format(describe(node), #map, got(g)), 0)
      end
      for k = 1, #map do give(way, map[k], g[k]) end
   end
end

local function need_forward(self)
   local list = self.innode.data.input
   if not is_table(list) or #list == 0 then error('nn.gModule: call forward before backward, no input is kept', 0) end
end

-- nn.Module.backward that returns the result of updateGradInput, which a module need not keep.
local function both(module, x, g, scale)
   local gradInput = module:updateGradInput(x, g)
   module:accGradParameters(x, g, scale)
   if gradInput == nil then return module.gradInput end
   return gradInput
end

-- How a module computes gradients: by a special backward, or by the two parts of it.
local function way_back(module, method)
   return method == 'backward' and module.backward == nn.Module.backward and both or method
end

-- Runs back through the graph with a method that returns gradInput. The nodes have kept the inputs of forward. Each node
-- keeps its gradOutput.
local function back(self, method, gradOutput, scale)
   need_list('gradOutput', gradOutput, #self.outnode.data.mapindex)
   need_forward(self)
   local way = {whole = {}, parts = {}}
   way.whole[self.outnode.data] = gradOutput
   local index = #self.modules
   for i = #self.forwardnodes, 1, -1 do
      local node = self.forwardnodes[i]
      local data, g = node.data, taken(way, node)
      keep(data, 'gradOutput', g)
      if data.module then
         g = call(self, node, index, way_back(data.module, method), taken_in(node), g, scale)
         index = index - 1
      end
      pass(way, node, g)
      if data == self.innode.data then self.gradInput = g end
      if self.verbose then print(' V : ' .. node:label()) end
   end
   return self.gradInput
end

--- The gradient of the input of the last forward. The argument `input` is ignored, because the nodes have kept forward's input.
function gModule:updateGradInput(_, gradOutput)
   return back(self, 'updateGradInput', gradOutput)
end

function gModule:backward(_, gradOutput, scale)
   return back(self, 'backward', gradOutput, scale or 1)
end

-- Calls a method of every module with the gradOutput of the last run back.
local function accumulate(self, method, factor)
   need_forward(self)
   local index = #self.modules
   for i = #self.forwardnodes, 1, -1 do
      local node = self.forwardnodes[i]
      local data = node.data
      if data.module then
         if data.gradOutput == nil then error(('nn.gModule:%s: call updateGradInput first'):format(method), 0) end
         call(self, node, index, method, taken_in(node), data.gradOutput[1], factor)
         index = index - 1
      end
   end
end

--- Adds lr (default 1), the scale, times the gradients of the parameters; after forward and updateGradInput.
function gModule:accGradParameters(_, _, lr) accumulate(self, 'accGradParameters', lr or 1) end

function gModule:accUpdateGradParameters(_, _, lr) accumulate(self, 'accUpdateGradParameters', lr) end

---------------------------------------------------------------------------------------------------------
-- the whole and its parts

-- Fields that nodes keep between calls.
local KEPT = {'gradOutput', 'gradOutputBuffer', 'zeroBuffer'}

--- Empties the values that the modules and the nodes keep between calls.
function gModule:clearState()
   Container.applyToModules(self, function(module) module:clearState() end)
   for _, node in ipairs(self.forwardnodes) do
      for _, name in ipairs(KEPT) do node.data[name] = nil end
      if node.data.input then node.data.input = {} end
   end
   -- They may be tensors of the caller, so they are dropped, not emptied.
   self.output, self.gradInput = torch.Tensor():type(self._type), torch.Tensor():type(self._type)
   return self
end

local GRAPH = {fg = true, bg = true, innode = true, outnode = true, forwardnodes = true, backwardnodes = true}

--- A copy with separate memory, except for the named fields, which it shares with self.
function gModule:clone(...)
   local copy = require 'torch.serialize'.clone(self)          -- graphs are deep, so no recursion
   if select('#', ...) > 0 then copy:share(self, ...) end
   return copy
end

--- Without an argument the tensor type; with one, converts everything to it. The graph itself is not traversed.
function gModule:type(kind, cache)
   if not kind then return self._type end
   cache = cache or {}
   if cache[self] then return self end
   cache[self] = true
   for _, node in ipairs(self.forwardnodes) do
      local data = node.data
      for _, name in ipairs(KEPT) do data[name] = utils.recursiveType(data[name], kind, cache) end
      data.input = utils.recursiveType(data.input, kind, cache)
   end
   for key, value in pairs(self) do
      if not GRAPH[key] then self[key] = utils.recursiveType(value, kind, cache) end
   end
   self._type = kind
   return self
end

--- Replaces self and every module inside by callback(module), which may return its argument. Modules inside a
--- replacement are not visited. Returns the new module.
function gModule:replace(callback)
   local out = callback(self)
   if out ~= self then return out end
   local index = 0
   for _, node in ipairs(self.forwardnodes) do
      local data = node.data
      if data.module then
         index = index + 1
         data.module = data.module:replace(callback)
         self.modules[index] = data.module
      end
   end
   return self
end

--- Calls func(module, other) for each module of this graph and the one at the same position in the graph gm.
function gModule:map(gm, func)
   if not torch.isTypeOf(gm, 'nn.gModule') or #gm.forwardnodes ~= #self.forwardnodes then
      where.refuse('nn.gModule:map: gm must be an nn.gModule with %d nodes, got %s', #self.forwardnodes,
         torch.isTypeOf(gm, 'nn.gModule') and ('one with %d'):format(#gm.forwardnodes) or torch.type(gm))
   end
   for i, node in ipairs(self.forwardnodes) do
      local mine, other = node.data.module, gm.forwardnodes[i].data.module
      if (mine == nil) ~= (other == nil) then
         where.refuse('nn.gModule:map: gm must have the form of this graph, got another at node %d', i)
      end
      if mine then func(mine, other) end
   end
end

--- Reads a module that torch.save, or Torch7, has written. Skips the positions in source files that Torch7 writes into
--- models, and the values that nodes kept between calls.
function gModule:read(file)
   nn.utils.restore(self, file:readObject())
   local function need(what, v)
      if type(v) == 'table' then return v end
      error(('nn.gModule: %s in the file must be a table, got %s'):format(what, where.describe(v)), 0)
   end
   local modules = {}
   for i, node in ipairs(need('forwardnodes', self.forwardnodes)) do
      local data = need(('node %d'):format(i), need(('node %d'):format(i), node).data)
      if data.mapindex ~= nil then need(('mapindex of node %d'):format(i), data.mapindex) end
      if data.annotations ~= nil then need(('annotations of node %d'):format(i), data.annotations) end
      data.annotations = data.annotations or {}
      data.annotations._debugLabel = nil
      data.mapindex, data.reverseMap = data.mapindex or {}, data.reverseMap or {}
      local places = {}
      for from, at in pairs(data.mapindex) do                   -- files of old versions have only this half
         if type(from) == 'table' and data.mapindex[at] == nil then places[at] = from end
      end
      for at, from in pairs(places) do data.mapindex[at] = from end
      modules[#modules + 1] = data.module
   end
   self.modules = self.modules or modules
   self.nInputs = self.nInputs or math.max(1, #need('innode.children', need('innode', self.innode).children))
end

nn.utils.keepsFields(gModule)

function gModule:__tostring__() return self.name or torch.type(self) end

return gModule
