-- lua/onnx/node.lua - the methods of a node, which ops get as their first argument.
local construct = require 'torch.construct'
local layout = require 'onnx.layout'
local types = require 'onnx.types'

local Node = {}
Node.__index = Node

local M = {}

M.class = Node

function M.new(fields) return setmetatable(fields, Node) end

--- An empty tensor of the type of output i (default: 1), for ops that write to a result. A planned run gives memory that is free.
function Node:out(i)
   i = i or 1
   local buffers = self.buffers
   local t = buffers and buffers[i]
   if t then return t end
   t = construct.empty(types.dtypes[self.out_types[i]])
   if buffers and t ~= false then buffers[i] = t end
   return t
end

--- As out, of the sizes N x C x H x W, with the channels of a pixel side by side.
function Node:out_last(n, c, h, w)
   local buffers = self.buffers
   local t = buffers and buffers[1]
   if t and layout.fits(t, n, c, h, w) then return t end
   local made = layout.new(types.dtypes[self.out_types[1]], n, c, h, w)
   if buffers and t == nil then buffers[1] = made end
   return made
end

local function has_shape(t, shape)
   if t._ndim ~= #shape then return false end
   for d = 1, #shape do if t._size[d - 1] ~= shape[d] then return false end end
   return true
end

--- As out, of a shape whose dimensions lie in memory in an order, from 1: { 1, 3, 2, 4 } puts the
-- heads of attention behind its steps.
function Node:out_ordered(shape, order)
   local buffers = self.buffers
   local t = buffers and buffers[1]
   if t and has_shape(t, shape) then return t end
   local lying, back = {}, {}
   for i, d in ipairs(order) do lying[i], back[d] = shape[d], i end
   local made = construct.empty(types.dtypes[self.out_types[1]])
   made = types.permute(types.resize(made, lying), back)
   if buffers and t == nil then buffers[1] = made end
   return made
end

--- As out, for a result of the sizes of x, which gets the order of x in memory.
function Node:out_like(x)
   if not layout.is_last(x) then return self:out() end
   local s = x._size
   return self:out_last(tonumber(s[0]), tonumber(s[1]), tonumber(s[2]), tonumber(s[3]))
end

--- As out_like, of two inputs that broadcast: the order of a larger one whose channels lie side by
-- side.
function Node:out_of(a, b)
   if layout.is_last(a) and a:nElement() >= b:nElement() then return self:out_like(a) end
   if layout.is_last(b) and b:nElement() >= a:nElement() then return self:out_like(b) end
   return self:out()
end

--- A list of whole numbers: attribute `name`, or from opset `since` on input `index`, or nil. Models of all versions work that
-- way.
function Node:list(name, value)
   if value ~= nil then return types.numbers(value) end
   return self.attr[name]
end

--- Takes nodes out of a graph.
-- @param gone  the set of these nodes
-- @param instead  from a node to the one in its place (optional)
function M.replace(graph, gone, instead)
   local kept = {}
   for _, n in ipairs(graph.nodes) do
      local other = instead and instead[n]
      if other or not gone[n] then kept[#kept + 1] = other or n end
   end
   graph.nodes = kept
end

return M
