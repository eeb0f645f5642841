-- lua/graph/Graph.lua - a directed graph: edges and the nodes that they join, both in the order of insertion.
local torch = require 'torch'
local arg = require 'torch.arg'
local graph = require 'graph'

--- An empty graph. `nodes` and `edges` are lists, and map each element to its index.
local Graph = torch.class('graph.Graph')

function Graph:__init()
   arg.object('graph.Graph', self)
   self.nodes, self.edges = {}, {}
end

local function add_node(self, node)
   local nodes = self.nodes
   if nodes[node] then return end
   nodes[#nodes + 1] = node
   nodes[node] = #nodes
   node.id = #nodes
end

--- Adds an edge with its nodes, a node, or each of a list of them. The edge's end becomes a child of its start.
function Graph:add(edge)
   if torch.isTypeOf(edge, 'graph.Edge') then
      local edges = self.edges
      if edges[edge] then return end
      edges[#edges + 1] = edge
      edges[edge] = #edges
      add_node(self, edge.from)
      add_node(self, edge.to)
      edge.from:add(edge.to)
   elseif torch.isTypeOf(edge, 'graph.Node') then
      add_node(self, edge)
   elseif type(edge) == 'table' and not torch.typename(edge) then
      for _, one in ipairs(edge) do self:add(one) end
   else
      error('graph.Graph:add: edge must be an edge or a node, got ' .. torch.type(edge), 2)
   end
end

-- The nodes that no edge has as its `side` ('to': the roots).
local function ends(self, side)
   local met, list = {}, {}
   for _, edge in ipairs(self.edges) do met[edge[side]] = true end
   for _, node in ipairs(self.nodes) do
      if not met[node] then list[#list + 1] = node end
   end
   return list
end

--- The nodes that no edge leads to.
function Graph:roots() return ends(self, 'to') end

--- The nodes that no edge leaves.
function Graph:leaves() return ends(self, 'from') end

--- Whether following children from some node of the graph leads back to it.
function Graph:hasCycle() return graph._cyclic(self.nodes) end

-- The new node of an old one. LuaJIT keeps the functions that compiled code calls, and what their
-- upvalues hold, so it gets the table as an argument.
local function twin(of, node)
   of[node] = of[node] or node.new(node.data)
   return of[node]
end

-- A graph of new nodes, which share their data with the old ones. Returns it, and old node -> new node.
local function copy(self, flip)
   local new, of = graph.Graph(), {}
   for _, edge in ipairs(self.edges) do
      local from, to = edge.from, edge.to
      if flip then
         local first, second = twin(of, to), twin(of, from)
         new:add(graph.Edge(first, second, edge.weight))
      else
         new:add(graph.Edge(twin(of, from), twin(of, to), edge.weight))
      end
   end
   for _, node in ipairs(self.nodes) do new:add(twin(of, node)) end          -- those without edges
   return new, of
end

--- A graph of new nodes with the same data and reversed edges. Returns it, and a table from old to new nodes.
function Graph:reverse() return copy(self, true) end

--- A graph of new nodes with the same data and the same edges. Returns it, and a table from old to new nodes.
function Graph:clone() return copy(self, false) end

--- The nodes in such an order that every edge goes forward. An error for a graph with a cycle.
function Graph:topsort()
   local before, done, open, order = {}, {}, {}, {}
   for _, node in ipairs(self.nodes) do before[node] = {} end
   for _, edge in ipairs(self.edges) do table.insert(before[edge.to], edge.from) end
   for _, start in ipairs(self:leaves()) do                              -- depth first, against the edges
      local stack, at, depth = {start}, {0}, done[start] and 0 or 1
      open[start] = true
      while depth > 0 do
         local node = stack[depth]
         at[depth] = at[depth] + 1
         local from = before[node][at[depth]]
         if not from then
            open[node], done[node] = nil, true
            order[#order + 1] = node
            depth = depth - 1
         elseif open[from] then
            error('graph.Graph:topsort: the graph must have no cycle, got one through node ' .. from.id, 2)
         elseif not done[from] then
            depth = depth + 1
            stack[depth], at[depth], open[from] = from, 0, true
         end
      end
   end
   if #order < #self.nodes then
      error('graph.Graph:topsort: the graph must have no cycle, got one without a way out of it', 2)
   end
   return order
end

--- The graph as text in the language of Graphviz: nodes by number, with the quoted text of node:label().
--- Nodes may add attributes: node:graphNodeAttributes() returns a table of them.
function Graph:todot(title) return graph._todot(graph._drawing(self, title)) end

return Graph
