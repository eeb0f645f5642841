-- lua/graph/Node.lua - a node: its data, and its children in order.
local torch = require 'torch'
local arg = require 'torch.arg'
local graph = require 'graph'

--- A node that carries `data`, any value. `children` is the list of the nodes at the ends of its
--- edges, and maps each of them to its index. `id` is the node's number in the graph that it was
--- last added to.
--- @param parent  a node to which this one is added as a child (optional)
local Node = torch.class('graph.Node')

function Node:__init(data, parent)
   arg.object('graph.Node', self)
   self.data = data
   self.id = 0
   self.children = {}
   self.visited = false
   self.marked = false
   if parent ~= nil then parent:add(self) end
end

--- Adds a child, or each of a list of them; existing children are not added again.
function Node:add(child)
   if type(child) == 'table' and not torch.typename(child) then
      for _, one in ipairs(child) do self:add(one) end
      return
   end
   if not torch.isTypeOf(child, 'graph.Node') then
      error(('%s:add: child must be a node, got %s'):format(torch.type(self), torch.type(child)), 2)
   end
   local children = self.children
   if not children[child] then
      children[#children + 1] = child
      children[child] = #children
   end
end

-- Functions that a traversal calls get what they know as their last argument. LuaJIT keeps the
-- functions that compiled code calls: as upvalues the nodes would never be freed.

-- Traverses depth first below `self`, through nodes for which `enter` returns true; `leave` is called after all children. The
-- stack is explicit, so chains of a hundred thousand nodes work. state: a table for both functions.
local function walk(self, enter, leave, state)
   if not enter(self, state) then return end
   local nodes, places, depth = {self}, {0}, 1
   while depth > 0 do
      local node = nodes[depth]
      places[depth] = places[depth] + 1
      local child = node.children[places[depth]]
      if not child then
         depth = depth - 1
         leave(node, state)
      elseif enter(child, state) then
         depth = depth + 1
         nodes[depth], places[depth] = child, 0
      end
   end
end

-- Returns true for a node the first time.
local function once(node, state)
   if state.seen[node] then return false end
   state.seen[node] = true
   return true
end

-- The same with a mark in the node, which stays.
local function unmarked(node)
   if node.visited then return false end
   node.visited = true
   return true
end

-- Calls visit(node, about).
local function breadth(self, enter, visit, about)
   local list, first, state = {}, 1, { seen = {} }
   if enter(self, state) then list[1] = self end
   while list[first] do
      local node = list[first]
      first = first + 1
      visit(node, about)
      for _, child in ipairs(node.children) do
         if enter(child, state) then list[#list + 1] = child end
      end
   end
   return list
end

local function call(node, func) func(node) end

local function call_and_list(node, state)
   state.func(node)
   state.list[#state.list + 1] = node
end
local function depth(self, enter, func)
   local state = { seen = {}, list = {}, func = func }
   walk(self, enter, call_and_list, state)
   return state.list
end

local function need(self, name, func)
   if type(func) ~= 'function' then
      error(('%s:%s: func must be a function, got %s'):format(torch.type(self), name, torch.type(func)), 3)
   end
end

--- Calls func(node) once for each reachable node, breadth first, this one first.
function Node:bfs(func)
   need(self, 'bfs', func)
   breadth(self, once, call, func)
end

--- Calls func(node) once for each reachable node, depth first: children before their parents.
function Node:dfs(func)
   need(self, 'dfs', func)
   depth(self, once, func)
end

--- Node:bfs that skips nodes whose `visited` is true and sets the mark on those it visits; returns these in order.
function Node:bfs_dirty(func)
   need(self, 'bfs_dirty', func)
   return breadth(self, unmarked, call, func)
end

--- Node:dfs that skips nodes whose `visited` is true and sets the mark on those it visits; returns these in order.
function Node:dfs_dirty(func)
   need(self, 'dfs_dirty', func)
   return depth(self, unmarked, func)
end

local function nothing() end

local function enter_once(node, state)
   if not once(node, state) then return false end
   state.before(node)
   return true
end
local function leave_once(node, state) state.after(node) end

--- Calls pre_func(node) before and post_func(node) after the children of each reachable node; either may be
--- nil.
function Node:visit(pre_func, post_func)
   walk(self, enter_once, leave_once,
      { seen = {}, before = pre_func or nothing, after = post_func or nothing })
end

local function open(node, state)
   if state.open[node] then state.found = true end
   if state.open[node] or state.done[node] then return false end
   state.open[node] = true
   return true
end
local function close(node, state) state.open[node], state.done[node] = nil, true end

-- Whether a path from one of the nodes leads back to a node on it.
function graph._cyclic(nodes)
   local state = { open = {}, done = {}, found = false }
   for _, start in ipairs(nodes) do walk(start, open, close, state) end
   return state.found
end

--- Whether a cycle can be reached from here.
function Node:hasCycle() return graph._cyclic{self} end

local function add_edges(node, g)
   for _, child in ipairs(node.children) do g:add(graph.Edge(node, child)) end
end

--- The graph of all reachable nodes, with an edge for every child; breadth first.
function Node:graph()
   local g = graph.Graph()
   g:add(self)
   breadth(self, once, add_edges, g)
   return g
end

--- The text in pictures.
function Node:label() return tostring(self.data) end

return Node
