-- nn/parallel/placing.lua - containers with modules on several devices: self.gpus[i] is the device of self.modules[i].
local torch = require 'torch'
local nn = require 'nn'
local devices = require 'nn.parallel.devices'

local M = {}

--- The device of module i; 0 on the CPU.
function M.device(self, i) return self._type:find '^torch%.Cuda' and self.gpus[i] or 0 end

-- nn.Module:refuse with the name of the class alone, because the modules inside would take many lines.
function M.refuse(self, what, wish, got) nn.utils.refuse(torch.typename(self), what, wish, got) end

--- Refuses a value that is no number of a device.
function M.needDevice(self, device)
   if type(device) ~= 'number' or device < 1 or device % 1 ~= 0 then
      self:refuse('device', 'be a whole number of at least 1', tostring(device))
   end
end

-- Raises an error if this machine lacks one of the devices.
function M.needDevices(self, gpus)
   local count = require 'cutorch'.getDeviceCount()
   for _, device in ipairs(gpus or self.gpus) do
      if device > count then self:refuse('device', ('be one of the %d CUDA devices here'):format(count), tostring(device)) end
   end
end

-- Whether x is the module or within it.
local function holds(module, x)
   if rawequal(module, x) then return true end
   for _, inner in ipairs(type(module) == 'table' and type(module.modules) == 'table' and module.modules or {}) do
      if holds(inner, x) then return true end
   end
   return false
end

--- add(self, module), and moves the module to the first of some devices if it holds CUDA tensors; self takes its type.
function M.adopt(self, add, module, gpus)
   if holds(module, self) then self:refuse('module', 'be another than the container', 'one that holds it') end
   for i, other in ipairs(self.modules) do
      if rawequal(other, module) then
         self:refuse('module ' .. #self.modules + 1, 'be a separate copy', 'module ' .. i .. ' itself')
      end
   end
   if torch.isTypeOf(module, 'nn.Module') and module:type():find '^torch%.Cuda' then M.needDevices(self, gpus) end
   add(self, module)
   self._type = module:type()
   if self._type:find '^torch%.Cuda' then devices.move(module, gpus[1]) end
end

-- nn.Module:type for such a container: each module is converted on its device.
function M.type(self, kind, cache)
   if not kind then return self._type end
   kind = nn.utils.needTensors(self, kind, cache ~= nil)
   cache = cache or {}
   local modules = self.modules
   self.modules = {}
   local ok, why = pcall(nn.Module.type, self, kind, cache)
   self.modules = modules
   if not ok then error(why, 0) end
   for i, module in ipairs(modules) do
      local device = M.device(self, i)
      devices.on(device, module.type, module, kind, cache)
      if device > 0 then devices.move(module, device) end
   end
   return self
end

return M
