-- nn/parallel/AbstractParallel.lua - a container with a module for each of several devices, as fbcunn has them.
local torch = require 'torch'
local placing = require 'nn.parallel.placing'

--- The base of nn.DataParallel and nn.ModelParallel: modules, each with the number of a device. On the CPU the numbers are
-- stored, but not used.
-- @param dimension  of the batch, or of the outputs that are joined (default 1)
-- nn.AbstractParallel(1):add(nn.Abs(), 2):nextGPU() --> 2
local Parallel, Container = torch.class('nn.AbstractParallel', 'nn.Container')
Parallel.__arguments = 'dimension:count?'

function Parallel:__init(dimension)
   Container.__init(self)
   self.dimension = dimension or 1
   self.gpus = {}
end

--- Appends a module, and moves it to its device if it holds CUDA tensors. Returns self.
-- @param gpuid  number of the device, from 1; default: the next one, see nextGPU
function Parallel:add(module, gpuid)
   gpuid = gpuid or self:nextGPU()
   placing.needDevice(self, gpuid)
   placing.adopt(self, Container.add, module, { gpuid })
   self.gpus[#self.modules] = gpuid
   return self
end

--- The device of the next module: all devices in turn.
function Parallel:nextGPU()
   local cutorch = package.loaded.cutorch
   local count = cutorch and cutorch.getDeviceCount() or 0
   return count > 0 and #self.gpus % count + 1 or #self.gpus + 1
end

--- Copies tensor source into dest, which may be on another device. Returns dest.
function Parallel:gpuSend(dest, source) return dest:copy(source) end

--- nn.AbstractParallel:needDevices(), nn.DataParallel:needDevices(), nn.DataParallelTable:needDevices(): Raises an error if
-- this machine lacks one of the devices.
Parallel.type, Parallel.needDevices, Parallel.refuse = placing.type, placing.needDevices, placing.refuse

function Parallel:__tostring__()
   local lines = {}
   for i, module in ipairs(self.modules) do
      lines[i] = ('  (%d) on device %d: %s\n'):format(i, self.gpus[i], (tostring(module):gsub('\n', '\n  ')))
   end
   return ('%s(%d) {\n%s}'):format(torch.type(self), self.dimension, table.concat(lines))
end

return Parallel
