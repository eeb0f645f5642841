-- lua/onnx/after.lua - what a node computes behind its own result: an addend and an activation
-- (fuse.lua).
local torch = require 'torch'
local types = require 'onnx.types'

local M = {}

local none = { act = 'none', low = 0, high = 0 }

--- What a node has taken over; never nil.
function M.of(n) return n.fused or none end

--- The addend of a node that writes its own result first: a copy, where a plan gives the result the
-- memory of the addend.
function M.kept(n, add)
   local to = n.buffers and n.buffers[1]
   local shared = add ~= nil and to and to._storage ~= nil and to._storage == add._storage
   return shared and add:clone() or add
end

--- y + add, then the activation of a node, where its own op has not done so. It may change y.
-- @param add  (optional) a tensor that broadcasts with y
function M.apply(n, y, add)
   local f = n.fused or none
   if add ~= nil then
      if types.same_shape(types.shape(y), types.shape(add)) then torch.add(y, y, add)
      else y = torch.add(types.pair(y, add)) end
   end
   if f.act == 'relu' then return torch.relu(y, y)
   elseif f.act == 'gelu' then return torch.gelu(y, y)
   elseif f.act == 'clip' then return torch.clamp(y, y, f.low, f.high) end
   return y
end

return M
