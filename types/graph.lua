---@meta graph
-- types/graph.lua - written by ./dev docs from the sources; do not edit.

---@class graph
graph = {}

do
--- An edge: from one node to another.
---@class graph.Edge
---@field from any
---@field to any
---@field weight any
local Edge = {}

end

--- An edge: from one node to another.
---@class graph.Edge.class: graph.Edge
---@overload fun(from: any, to: any, weight?: any): graph.Edge
graph.Edge = {}

do
--- a directed graph: edges and the nodes that they join, both in the order of insertion.
---@class graph.Graph
---@field edges any
---@field nodes any
local Graph = {}

--- Adds an edge with its nodes, a node, or each of a list of them.
---@param edge? any
---@return any
function Graph:add(edge) end

--- A graph of new nodes with the same data and the same edges.
---@return any
---@return any ...
function Graph:clone() end

--- Whether following children from some node of the graph leads back to it.
---@return boolean
function Graph:hasCycle() end

--- The nodes that no edge leaves.
---@return any
---@return any ...
function Graph:leaves() end

--- A graph of new nodes with the same data and reversed edges.
---@return any
---@return any ...
function Graph:reverse() end

--- The nodes that no edge leads to.
---@return any
---@return any ...
function Graph:roots() end

--- The graph as text in the language of Graphviz: nodes by number, with the quoted text of node:label().
---@param title any
---@return any
---@return any ...
function Graph:todot(title) end

--- The nodes in such an order that every edge goes forward.
---@return any
function Graph:topsort() end

end

--- a directed graph: edges and the nodes that they join, both in the order of insertion.
---@class graph.Graph.class: graph.Graph
---@overload fun(): graph.Graph
graph.Graph = {}

do
--- a node: its data, and its children in order.
---@class graph.Node
---@field children table
---@field data any
---@field id number
---@field marked boolean
---@field visited boolean
local Node = {}

--- Adds a child, or each of a list of them; existing children are not added again.
---@param child any
---@return any
function Node:add(child) end

--- Calls func(node) once for each reachable node, breadth first, this one first.
---@param func any
---@return any
function Node:bfs(func) end

--- Node:bfs that skips nodes whose `visited` is true and sets the mark on those it visits; returns these in order.
---@param func any
---@return any
---@return any ...
function Node:bfs_dirty(func) end

--- Calls func(node) once for each reachable node, depth first: children before their parents.
---@param func any
---@return any
function Node:dfs(func) end

--- Node:dfs that skips nodes whose `visited` is true and sets the mark on those it visits; returns these in order.
---@param func any
---@return any
---@return any ...
function Node:dfs_dirty(func) end

--- The graph of all reachable nodes, with an edge for every child; breadth first.
---@return any
function Node:graph() end

--- Whether a cycle can be reached from here.
---@return boolean
function Node:hasCycle() end

--- The text in pictures.
---@return string
function Node:label() end

--- Calls pre_func(node) before and post_func(node) after the children of each reachable node; either may be nil.
---@param pre_func? any
---@param post_func? any
---@return any
function Node:visit(pre_func, post_func) end

end

--- a node: its data, and its children in order.
---@class graph.Node.class: graph.Node
---@overload fun(data: any, parent?: any): graph.Node
graph.Node = {}

--- The graph as text for Graphviz.
---@param g any
---@param title any
---@param fname? any
---@return string # the text, and whether a picture was made
---@return any ...
function graph.dot(g, title, fname) end

--- Draws a graph into a file; its extension is the format (svg, png, pdf, ...).
---@param g any
---@param algorithm? string 'dot' (default), 'neato', 'fdp', 'sfdp', 'twopi', 'circo', 'osage', 'patchwork'
---@param fname? any
---@return any
function graph.graphvizFile(g, algorithm, fname) end

--- The positions that Graphviz computes, as a DoubleTensor of #g.nodes rows x, y, in inches from the lower left corner.
---@param g any
---@param algorithm? any
---@return any
---@return any ...
function graph.graphvizLayout(g, algorithm) end

return graph
