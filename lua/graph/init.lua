-- lua/graph/init.lua - the package graph: directed graphs of nodes with data, and pictures of them.
require 'torch'

local graph = rawget(_G, 'graph') or {}
_G.graph = graph                       -- torch.class finds the package among the globals, as scripts of Torch7 do
package.loaded.graph = graph           -- for the files below

for _, name in ipairs{'Node', 'Edge', 'Graph', 'dot'} do require('graph.' .. name) end

return graph
