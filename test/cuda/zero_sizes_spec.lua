-- test/cuda/zero_sizes_spec.lua - every op with each dimension and each integer set to 0 in turn, on a CUDA device.
-- runs once: the device does not depend on the level
local zeros = require 'test.support.zeros'
local dtype = require 'torch.dtype'
local C = require 'torch.lib'.C
local device = require 'test.support.cuda.device'

if device.missing('no elements on a CUDA device', describe, pending) then return end

local function on_device(x)
   local word = dtype.words[x._dtype]
   return x['cuda' .. (word == 'Float' and '' or word)](x)
end

zeros.describe(describe, it, 'no elements on a CUDA device:', on_device, C.TH_CUDA, 0.9)
