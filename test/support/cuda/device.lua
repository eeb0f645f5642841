-- test/support/cuda/device.lua - cutorch for specs: on the emulated device, with two of them, unless TH_CUDA says otherwise; nil where
-- this build has none.
local ffi = require 'ffi'
local lib = require 'torch.lib'
ffi.cdef 'int setenv(const char *name, const char *value, int overwrite);'

if not os.getenv 'TH_CUDA' then ffi.C.setenv('TH_CUDA', 'emu', 1) end
ffi.C.setenv('TH_CUDA_EMU_DEVICES', '2', 0)

local name = os.getenv 'TH_CUDA' == 'emu' and 'libthcuda-emu.so' or 'libthcuda.so'
local f = io.open((lib.path:gsub('[^/]*$', '')) .. name)
local device = { name = name, cutorch = f and require 'cutorch' }
if f then f:close() end

--- A call that the device refuses, at once or at the next wait; gives the message.
function device.refuses(text, f, ...)
   local args, n = { ... }, select('#', ...)
   return require 'test.support.refuses'(text, function()
      f(unpack(args, 1, n))
      device.cutorch.synchronize()
   end)
end

--- How many devices there are.
device.count = device.cutorch and device.cutorch.getDeviceCount() or 0

--- What refusals say of a device that is not there.
device.range = 'device must lie in 1..' .. device.count

--- `it` for a promise that needs two devices; it is pending where there is one. Arguments: those of
--- the spec.
function device.on_two(it, pending)
   if device.count > 1 then return it end
   return function(title) it(title, function() pending 'this needs two devices' end) end
end

--- Is there no device for the specs of what the title names? Then they are pending. describe, pending: the spec's own.
function device.missing(title, describe, pending)
   if device.cutorch then return false end
   describe(title, function() pending('there is no ' .. name .. ' here') end)
   return true
end

return device
