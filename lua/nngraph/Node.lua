-- lua/nngraph/Node.lua - a node that applies a module to its parents' results.
--
-- In the graph that users build, edges lead from a node to the sources of its input: `children` are the nodes whose
-- results it takes. Its `data` has
--    module        the module; without one the node passes its input on
--    mapindex      the data of the nodes whose results are its inputs, in order (and from each to its first index)
--    reverseMap    the nodes that take its result, as keys
--    selectindex   for the nodes that split makes: the index of their element in the table
--    nSplitOutputs how many nodes split has made
--    annotations   name, description, graphAttributes; _debugLabel, the line that made it
--    input         in a graph: the list of its inputs in the last forward
--    gradOutput    in a graph: the gradient of its result in the last backward, in a list
--    forwardNodeId in a graph: its number in gModule.fg
local torch = require 'torch'
local nngraph = require 'nngraph'
local where = require 'nngraph.where'

--- A node; nn.Linear(2, 3)(input) and the like make them.
local Node, parent = torch.class('nngraph.Node', 'graph.Node')

function Node:__init(data)
   parent.__init(self, data or {})
   self.data.annotations = self.data.annotations or {}
   self.data.mapindex = self.data.mapindex or {}
   self.data.reverseMap = self.data.reverseMap or {}
   if not where.label(self.data) then self:_makeDebugLabel(where.caller()) end
end

--- Records the line that made a node, for messages: dinfo is a result of debug.getinfo. Only the name of the file is
--- stored, not its folder, and files written by torch.save do not have it.
function Node:_makeDebugLabel(dinfo)
   if dinfo then
      local file = dinfo.short_src:match '[^/\\]*$'
      where.label(self.data, ('[%s]:%d_%s'):format(file, dinfo.currentline or 0, dinfo.name or ''))
   end
   return where.label(self.data)
end

--- Adds a child, or each of a list; with domap, this node also takes its next input from it.
function Node:add(child, domap)
   if type(child) == 'table' and not torch.typename(child) then
      for _, one in ipairs(child) do self:add(one, domap) end
      return
   end
   parent.add(self, child)
   if domap then
      local map = self.data.mapindex
      map[#map + 1] = child.data
      map[child.data] = map[child.data] or #map
      child.data.reverseMap[self] = true
   end
end

--- The elements of the table that this node returns, as `noutput` nodes. The table must have that many, and all must be used.
--- x = nn.Identity()(); a, b = nn.SplitTable(1)(x):split(2); torch.type(b) --> nngraph.Node
function Node:split(noutput)
   if type(noutput) ~= 'number' or noutput < 1 or noutput % 1 ~= 0 then
      where.refuse('nngraph.Node:split: noutput must be a whole number from 1 on, got %s', tostring(noutput))
   end
   if noutput == 1 then return nngraph.JustElement()(self) end
   self.data.nSplitOutputs = noutput
   local nodes = {}
   for i = 1, noutput do
      local node = nngraph.Node{selectindex = i, input = {}}
      where.label(node.data, (where.label(node.data) or '') .. '-' .. i)
      node:add(self, true)
      nodes[i] = node
   end
   return unpack(nodes)
end

--- Records annotations for pictures and messages: name, description, graphAttributes (a table, for Graphviz). Returns self.
function Node:annotate(annotations)
   if type(annotations) ~= 'table' then
      where.refuse('nngraph.Node:annotate: annotations must be a table, got %s', torch.type(annotations))
   end
   local attributes = annotations.graphAttributes
   if type(attributes) ~= 'nil' and type(attributes) ~= 'table' then
      where.refuse('nngraph.Node:annotate: graphAttributes must be a table, got %s', torch.type(attributes))
   end
   for k, v in pairs(annotations) do self.data.annotations[k] = v end
   return self
end

--- Its name, with its number in brackets, or 'Node' with its number.
function Node:graphNodeName()
   local name = self.data.annotations.name
   return name and ('%s (%s)'):format(name, self.id) or 'Node' .. self.id
end

--- The attributes for Graphviz: the annotated ones, and as tooltip the line that made it.
function Node:graphNodeAttributes()
   local attributes = {tooltip = where.label(self.data)}
   for k, v in pairs(self.data.annotations.graphAttributes or {}) do attributes[k] = v end
   return attributes
end

-- The kind of a node's input or gradient: "Tensor[2x3]", "{Tensor[2],FloatTensor[1]}".
local function shape(x)
   if torch.isTensor(x) then
      local kind = torch.type(x) == torch.getdefaulttensortype() and 'Tensor' or torch.type(x):gsub('^torch%.', '')
      return ('%s[%s]'):format(kind, table.concat(x:size():totable(), 'x'))
   end
   if type(x) ~= 'table' or torch.typename(x) then return tostring(x) end
   local parts = {}
   for i, part in ipairs(x) do parts[i] = shape(part) end
   return '{' .. table.concat(parts, ',') .. '}'
end

local function places(mapindex)
   local names = {}
   for i, data in ipairs(mapindex) do names[i] = 'Node' .. (data.forwardNodeId or '') end
   return '{' .. table.concat(names, ',') .. '}'
end

--- The text in pictures under the name: the description, the module, and its last input and gradient.
function Node:label()
   local data, lines = self.data, {}
   local function line(name, text)
      if text ~= nil then lines[#lines + 1] = ('%s = %s'):format(name, tostring(text)) end
   end
   line('desc', data.annotations.description)
   line('module', data.module)
   line('selectindex', data.selectindex)
   if not data.module and not data.selectindex then
      lines[#lines + 1] = #data.mapindex == 0 and 'input' or next(data.reverseMap) and 'pass' or 'output'
   end
   if #data.mapindex > 1 then line('mapindex', places(data.mapindex)) end
   for _, name in ipairs{'input', 'gradOutput'} do
      if data[name] and #data[name] > 0 then line(name, shape(data[name])) end
   end
   return table.concat(lines, '\n')
end

--- node - module is module(node); {a, b} - module is module({a, b}).
function Node.__sub__(prev, following)
   if not torch.isTypeOf(following, 'nn.Module') then
      where.refuse('nngraph: after - there must be a module, got %s', where.describe(following))
   end
   return following(prev)
end

return Node
