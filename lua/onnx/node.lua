-- lua/onnx/node.lua - the methods of a node, which ops get as their first argument.
local construct = require 'torch.construct'
local types = require 'onnx.types'

local Node = {}
Node.__index = Node

local M = {}

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

--- A list of whole numbers: attribute `name`, or from opset `since` on input `index`, or nil. Models of all versions work that
-- way.
function Node:list(name, value)
   if value ~= nil then return types.numbers(value) end
   return self.attr[name]
end

return M
