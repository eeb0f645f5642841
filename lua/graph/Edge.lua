-- lua/graph/Edge.lua - an edge: from one node to another.
local torch = require 'torch'
local arg = require 'torch.arg'

local function need(name, node)
   if not torch.isTypeOf(node, 'graph.Node') then
      error(('graph.Edge: %s must be a node, got %s'):format(name, torch.type(node)), 4)
   end
end

--- An edge with a weight (default 0).
local Edge = torch.class('graph.Edge')

function Edge:__init(from, to, weight)
   arg.object('graph.Edge', self)
   need('from', from)
   need('to', to)
   self.from, self.to, self.weight = from, to, weight or 0
end

return Edge
