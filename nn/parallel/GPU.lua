-- nn/parallel/GPU.lua - places a module on one of several devices.
local torch = require 'torch'
local nn = require 'nn'

local utils, devices = nn.utils, require 'nn.parallel.devices'
local on, placed, device_of = devices.on, devices.placed, devices.of

--- Places a module on one GPU; a model made of several such parts uses several GPUs. Inputs on other devices are copied to
-- it, the output to outdevice, gradInput to the device of the input. Device numbers count when the
-- module holds CUDA tensors. On the CPU it runs unchanged and stores the numbers, also in files. So
-- a model may be made on a machine that has other devices. :cuda() without the device is an error.
-- @param device     number of the GPU for the module and its parameters, from 1
-- @param outdevice  number of the GPU for the output; default: device
-- nn.GPU(nn.Linear(3, 2), 1):forward(torch.ones(4, 3)):size() --> {4, 2}
local GPU, Container = torch.class('nn.GPU', 'nn.Container')
GPU.__arguments = 'module:module device:count outdevice:count?'

--- Moves all CUDA tensors within an object (a module, a table, a tensor) to a
-- device; shared memory stays shared. Tensors on the CPU stay there, and an nn.GPU within keeps its device.
-- Returns obj.
-- nn.GPU.recursiveModuleDevice({torch.ones(2)}, 1)[1]:sum() --> 2
function GPU.recursiveModuleDevice(obj, device)
   if type(device) ~= 'number' or device < 1 or device % 1 ~= 0 then
      utils.fail(('nn.GPU.recursiveModuleDevice: device must be a whole number of at least 1, got %s'):format(tostring(device)))
   end
   devices.move(obj, device)
   return obj
end

--- The tensors of src, a tensor or a nested table, on the devices of those of proto. Tensors there
-- or on the CPU are taken as they are. Others are copied into the tensors of dst, which are made
-- where they are missing. proto is one tensor for all, or a table like src.
-- nn.GPU.recursiveSetDevice(nil, torch.ones(2), torch.ones(1)):sum() --> 2
function GPU.recursiveSetDevice(dst, src, proto)
   if type(src) ~= 'table' or type(proto) ~= 'table' then return placed({dst}, 1, src, device_of(proto)) end
   local t = {}
   for k, v in pairs(src) do t[k] = GPU.recursiveSetDevice(type(dst) == 'table' and dst[k] or nil, v, proto[k] or v) end
   return t
end

function GPU:__init(module, device, outdevice)
   Container.__init(self)
   self.modules[1] = module
   self.device = device
   self.outdevice = outdevice or device
   self._type = module:type()
end

-- The device on which the module runs; 0 on the CPU.
local function active(self) return self._type:find '^torch%.Cuda' and self.device or 0 end

-- x on a device; if it is elsewhere, in a copy kept under this name.
local function brought(self, name, x, device)
   self._own = self._own or {}
   return placed(self._own, name, x, device)
end

-- Calls a method of the module on its device, with the tensor arguments moved there.
local function call(self, method, input, gradOutput, ...)
   local device, module = active(self), self.modules[1]
   return on(device, module[method], module, brought(self, 'input', input, device),
      brought(self, 'gradOutput', gradOutput, device), ...)
end

function GPU:updateOutput(input)
   self.output = brought(self, 'output', call(self, 'updateOutput', input), active(self) > 0 and self.outdevice or 0)
   return self.output
end

function GPU:updateGradInput(input, gradOutput)
   self.gradInput = brought(self, 'gradInput', call(self, 'updateGradInput', input, gradOutput), device_of(input))
   return self.gradInput
end

for _, name in ipairs{'accGradParameters', 'accUpdateGradParameters', 'sharedAccUpdateGradParameters'} do
   GPU[name] = function(self, input, gradOutput, x) call(self, name, input, gradOutput, x) end
end

--- Raises an error if this machine lacks the module's devices.
function GPU:needDevices()
   local count = require 'cutorch'.getDeviceCount()
   for _, name in ipairs{'device', 'outdevice'} do
      if self[name] > count then self:refuse(name, ('be one of the %d CUDA devices here'):format(count), tostring(self[name])) end
   end
end

--- Converts the module's tensors to a type; those of a CUDA type are made on its device.
function GPU:type(kind, cache)
   if not kind then return self._type end
   local first = cache == nil
   cache = cache or {}
   kind = utils.needTensors(self, kind, not first)
   on(first and kind:find '^torch%.Cuda' and self.device or 0, Container.type, self, kind, cache)
   if active(self) > 0 then self:setDevice(self.device) end
   return self
end

-- As in Torch7's files, the type and the device precede the fields.
function GPU:write(file)
   file:writeObject{self._type, self.device}
   Container.write(self, file)
end

function GPU:read(file)
   local fields = file:readObject()
   if type(fields) == 'table' and not fields.modules then fields = file:readObject() end
   utils.restore(self, fields)
   if active(self) > 0 and self.device <= require 'cutorch'.getDeviceCount() then self:setDevice(self.device) end
end

utils.keepsFields(GPU)

--- Assigns the module to another GPU, and moves it there if it is on one. Returns self.
-- nn.GPU(nn.Abs(), 1):setDevice(2).device --> 2
function GPU:setDevice(device)
   if type(device) ~= 'number' or device < 1 or device % 1 ~= 0 then
      self:refuse('device', 'be a whole number of at least 1', tostring(device))
   end
   if active(self) > 0 then GPU.recursiveModuleDevice(self.modules[1], device) end
   self.device = device
   return self
end

function GPU:clearState()
   self._own = nil
   return Container.clearState(self)
end

function GPU:__tostring__()
   return ('%s(%d) @ %s'):format(torch.type(self), self.device, tostring(self.modules[1]))
end

return GPU
