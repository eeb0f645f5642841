-- test/cuda/shapes_spec.lua - inputs of equal element count in other shapes and layouts on a device: as on the CPU.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local shapes = require 'test.support.shapes'
local dtype = require 'torch.dtype'
local C = require 'torch.lib'.C
local device = require 'test.support.cuda.device'

local WHAT = 'on a CUDA device, inputs of any shape and layout give what packed ones give on the CPU:'
if device.missing(WHAT, describe, pending) then return end
device.cutorch.setSynchronous(true)         -- a call that finds a wrong index refuses it at once, as the CPU does

-- The tensor on the device, in memory that is laid out in the same way.
local function move(x)
   local s = x:storage()
   local word = dtype.words[x._dtype + dtype.CUDA]
   if not s then return torch[word .. 'Tensor']() end
   return torch[word .. 'Tensor'](torch[word .. 'Storage'](#s):copy(s), x:storageOffset(), x:size(), x:stride())
end

shapes.describe(describe, it, WHAT, move, C.TH_CUDA)
