-- nn/container/GPU.lua - a module that is meant for one device among several.
local torch = require 'torch'
local nn = require 'nn'

local Decorator = nn.Decorator

--- A module that is meant for one GPU; a model made of several such parts is spread over several GPUs. The output is
-- wanted on outdevice, gradInput where the input came from. On the CPU there is one device: the module runs as it is, and
-- the numbers are kept, also in files. :cuda() without CUDA tensors is an error. Numbers are not checked against the
-- devices of this machine, so a model may be made on another one.
-- @param device     number of the GPU for the module and its parameters, from 1
-- @param outdevice  number of the GPU for the output; default: device
-- nn.GPU(nn.Linear(3, 2), 1):forward(torch.ones(4, 3)):size() --> {4, 2}
local GPU, Container = torch.class('nn.GPU', 'nn.Container')

function GPU:__init(module, device, outdevice)
   Container.__init(self)
   self.modules[1] = module
   self.device = device
   self.outdevice = outdevice or device
   self._type = module:type()
end

for _, name in ipairs{'updateOutput', 'updateGradInput', 'accGradParameters', 'accUpdateGradParameters',
   'sharedAccUpdateGradParameters'} do
   GPU[name] = Decorator[name]
end

--- Means the module for another GPU. Returns self.
-- nn.GPU(nn.Abs(), 1):setDevice(2).device --> 2
function GPU:setDevice(device)
   if type(device) ~= 'number' or device < 1 or device % 1 ~= 0 then
      self:refuse('device', 'be a whole number of at least 1', tostring(device))
   end
   self.device = device
   return self
end

function GPU:__tostring__()
   return ('%s(%d) @ %s'):format(torch.type(self), self.device, tostring(self.modules[1]))
end

return GPU
