-- cutorch.nccl - NCCL: sums over tensors on several devices, and copies of one to all, in the stream of this thread.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local G = require 'cutorch.backend'.C

local M = {}

local tensors_t = ffi.typeof 'th_tensor *[?]'

local function pointers(tensors)
   local list = tensors_t(#tensors)
   for i, t in ipairs(tensors) do list[i - 1] = t end
   return #tensors, list
end

--- The sum of contiguous tensors, each on a different device, in the first of them or in all.
function M.sum(tensors, all)
   local n, list = pointers(tensors)
   lib.call('cutorch.nccl', G.th_cuda_nccl_sum, n, list, all and 1 or 0)
end

--- Copies the first tensor to all others.
function M.broadcast(tensors)
   local n, list = pointers(tensors)
   lib.call('cutorch.nccl', G.th_cuda_nccl_broadcast, n, list)
end

--- Whether NCCL is found and takes such tensors.
function M.takes(tensors)
   if G.th_cuda_nccl()[0] == 0 then return false end
   local seen = {}
   for _, t in ipairs(tensors) do
      if seen[t._device] or not t:isContiguous() or t:type():find 'Short' then return false end
      seen[t._device] = true
   end
   return true
end

return M
