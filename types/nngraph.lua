---@meta nngraph
-- types/nngraph.lua - written by ./dev docs from the sources; do not edit.

---@class nngraph
nngraph = {}

do
--- Wraps a value in a table of one element, and unwraps it
---@class nngraph.JustElement: nn.Module
---@operator call(any): any
---@field gradInput table
---@field output any
local JustElement = {}

end

--- Wraps a value in a table of one element, and unwraps it
---@class nngraph.JustElement.class: nngraph.JustElement
---@overload fun(): nngraph.JustElement
nngraph.JustElement = {}

do
--- Returns a table with its input as the only element.
---@class nngraph.JustTable: nn.Module
---@operator call(any): any
---@field output table
local JustTable = {}

end

--- Returns a table with its input as the only element.
---@class nngraph.JustTable.class: nngraph.JustTable
---@overload fun(): nngraph.JustTable
nngraph.JustTable = {}

do
--- a node that applies a module to its parents' results.
---@class nngraph.Node: graph.Node
---@field data any
local Node = {}

--- Adds a child, or each of a list; with domap, this node also takes its next input from it.
---@param child any
---@param domap? any
---@return any
function Node:add(child, domap) end

--- Records annotations for pictures and messages: name, description, graphAttributes (a table, for Graphviz).
---@param annotations any
---@return self
function Node:annotate(annotations) end

--- The attributes for Graphviz: the annotated ones, and as tooltip the line that made it.
---@return any
function Node:graphNodeAttributes() end

--- Its name, with its number in brackets, or 'Node' with its number.
---@return string
function Node:graphNodeName() end

--- The text in pictures under the name: the description, the module, and its last input and gradient.
---@return string
function Node:label() end

--- The elements of the table that this node returns, as `noutput` nodes.
---
---     x = nn.Identity()(); a, b = nn.SplitTable(1)(x):split(2); torch.type(b)   --> nngraph.Node
---@param noutput any
---@return any
---@return any ...
function Node:split(noutput) end

end

--- a node that applies a module to its parents' results.
---@class nngraph.Node.class: nngraph.Node
---@overload fun(data?: any): nngraph.Node
nngraph.Node = {}

--- Names nodes after the local variables that hold them, in the caller (stackLevel 1, the default) or its caller (2, ...).
---@param stackLevel? any
---@return any
function nngraph.annotateNodes(stackLevel) end

--- Writes a picture of a module's graph into the folder for temporary files, and prints its path.
---@param gmodule any
---@return string # the name of the file, which ends in .svg
function nngraph.display(gmodule) end

--- One node for a nested table of nodes: nngraph.nest(a, {b, c}) returns the table {a, {b, c}} when the graph runs.
---@param ... any
---@return any
---@return any ...
function nngraph.nest(...) end

--- After nngraph.setDebug(true), an error in a node of a graph writes a picture in which that node is red.
---@param enable? any
---@return any
function nngraph.setDebug(enable) end

--- Pictures of graphs with few details: todot and dot.
---@class nngraph.simple_print
nngraph.simple_print = {}

--- As graph.dot, with short labels: the text, or with fname the files fname.dot and fname.svg.
---@param g any
---@param title any
---@param fname? any
---@return string # the text, and whether a picture was made
---@return any ...
function nngraph.simple_print.dot(g, title, fname) end

--- The text for Graphviz, with one short line a node and no attributes.
---@param g any
---@param title any
---@return string
function nngraph.simple_print.todot(g, title) end

return nngraph
