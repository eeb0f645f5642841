-- lua/nngraph/call.lua - module(node), module{node, node}, -module and node - module make nodes.
local torch = require 'torch'
local nn = require 'nn'
local nngraph = require 'nngraph'
local where = require 'nngraph.where'

local function is_node(x) return torch.isTypeOf(x, 'nngraph.Node') end
local function is_list(x) return type(x) == 'table' and not torch.typename(x) end

-- Whether an argument is meant for a graph: a node, a list with one in it, or modules instead of nodes.
local function meant(x)
   if is_node(x) then return true end
   for _, one in pairs(is_list(x) and x or {}) do
      if is_node(one) or torch.isTypeOf(one, 'nn.Module') then return true end
   end
   return false
end

-- The parents from the arguments: one node, several, or a list. nil if the arguments are tensors.
local function parents(self, ...)
   local first = ...
   local n = select('#', ...)
   if n == 0 then return {} end
   local some = false
   for i = 1, n do some = some or meant((select(i, ...))) end
   if not some and first ~= nil and (torch.isTensor(first) or is_list(first) and where.count(first) > 0) then return nil end
   local list = n == 1 and is_list(first) and first or {...}
   if n == 1 and list == first then n = where.count(list) end
   if n == 0 then
      where.refuse('%s: cannot pass an empty table of inputs. To indicate no inputs, leave the second pair of parens blank.',
         torch.type(self))
   end
   for i = 1, n do
      if not is_node(list[i]) then
         where.refuse('%s: %s', torch.type(self), where.not_a_node('inputs', i, list[i]))
      end
   end
   return list, n
end

local function node_of(module, list)
   local node = nngraph.Node{module = module}
   for i = 1, #list do node:add(list[i], true) end
   return node
end

local run_module, run_criterion = nn.Module.__call__, nn.Criterion.__call__

--- module() is a node without input, to start a graph from; module(node), module{a, b} and module(a, b) are nodes that
--- apply it. module(tensor) computes, as without nngraph.
function nn.Module:__call__(...)
   local list = parents(self, ...)
   if not list then return run_module(self, ...) end
   return node_of(self, list)
end

--- criterion{input, target}, of two nodes or of one that returns such a table, is a node whose
-- result is the loss, a tensor of one element. criterion(input, target), of tensors, computes, as
-- without nngraph.
function nn.Criterion:__call__(...)
   local list = parents(self, ...)
   if not list then return run_criterion(self, ...) end
   if #list > 2 then where.refuse('%s: input must be two nodes, input and target, got %d', torch.type(self), #list) end
   return node_of(nn.ModuleFromCriterion(self), list)
end

--- -module is module(): the start of a graph.
function nn.Module:__unm__() return self() end

--- node - module is module(node).
nn.Module.__sub__ = nngraph.Node.__sub__
