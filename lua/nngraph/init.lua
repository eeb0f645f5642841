-- lua/nngraph/init.lua - the package nngraph: modules as nodes of a graph, and nn.gModule, which makes it one module.
require 'torch'
local nn = require 'nn'
local graph = require 'graph'

local nngraph = rawget(_G, 'nngraph') or {}
_G.nngraph = nngraph                   -- torch.class finds the package among the globals, as scripts of Torch7 do
package.loaded.nngraph = nngraph       -- for the files below

local where = require 'nngraph.where'
for _, name in ipairs{'nesting', 'Node', 'gModule', 'JustElement', 'simple_print', 'call'} do require('nngraph.' .. name) end

--- Names nodes after the local variables that hold them, in the caller (stackLevel 1, the default)
--- or its caller (2, ...). Pictures and messages show the names. A node with a name keeps it.
function nngraph.annotateNodes(stackLevel)
   local level = (stackLevel or 1) + 1
   if not debug.getinfo(level, 'S') then
      error(('nngraph.annotateNodes: stackLevel must be that of a function, got %s'):format(tostring(stackLevel)), 2)
   end
   for i = 1, math.huge do
      local name, value = debug.getlocal(level, i)
      if not name then return end
      if torch.isTypeOf(value, 'nngraph.Node') and not value.data.annotations.name then value:annotate{name = name} end
   end
end

local function nested(what, x)
   if torch.isTypeOf(x, 'nngraph.Node') then return x end
   if type(x) ~= 'table' or torch.typename(x) or #x == 0 then
      where.refuse('nngraph.nest: %s must be a node or a table of them, got %s', what, where.describe(x))
   end
   local nodes = {}
   for i = 1, #x do nodes[i] = nested(what .. '[' .. i .. ']', x[i]) end
   -- One node alone also needs a table, because its Identity would pass it on unchanged.
   if #nodes == 1 then return nngraph.JustTable()(nodes) end
   return nn.Identity()(nodes)
end

--- One node for a nested table of nodes: nngraph.nest(a, {b, c}) returns the table {a, {b, c}} when the graph runs.
function nngraph.nest(...)
   local first = ...
   local n = select('#', ...)
   if n == 1 then return nested('argument 1', first) end
   local list = {...}
   for i = 1, n do list[i] = nested('argument ' .. i, list[i]) end
   return nested('the arguments', list)
end

--- Writes a picture of a module's graph into the folder for temporary files, and prints its path.
--- @return the name of the file, which ends in .svg
function nngraph.display(gmodule)
   if not torch.isTypeOf(gmodule, 'nn.gModule') then
      where.refuse('nngraph.display: gmodule must be an nn.gModule, got %s', torch.type(gmodule))
   end
   local base = os.tmpname()
   graph.dot(gmodule.fg, gmodule.name or 'nn.gModule', base)
   os.remove(base)
   os.remove(base .. '.dot')
   local file = base .. '.svg'
   print(file)
   return file
end

--- After nngraph.setDebug(true), an error in a node of a graph writes a picture in which that node
--- is red. It writes NAME.dot and NAME.svg into the working folder, where NAME is the `name` of the
--- gModule (default 'nngraph').
function nngraph.setDebug(enable) where.debug = enable and true or false end

return nngraph
