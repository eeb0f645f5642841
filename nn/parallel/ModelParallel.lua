-- nn/parallel/ModelParallel.lua - parts of a model side by side on several devices.
local torch = require 'torch'
local nn = require 'nn'
local shards = require 'nn.parallel.shards'
local devices = require 'nn.parallel.devices'
local placing = require 'nn.parallel.placing'

--- Gives the whole input to each of its modules, each on a separate device, and joins their outputs along a dimension. So a
-- layer that is too large for one device can be several, each with a part of the outputs. Input, outputs and gradInput may be
-- nested tables. Output and gradInput, the sum of those of the modules, are on the device of the first. torch.save writes an
-- nn.Concat of the modules.
-- @param dimension  along which outputs are joined (default 1)
-- nn.ModelParallel(2):add(nn.Linear(3, 2), 1):add(nn.Linear(3, 4), 2):forward(torch.ones(5, 3)):size() --> {5, 6}
local Model, Parallel = torch.class('nn.ModelParallel', 'nn.AbstractParallel')
Model.__arguments = 'dimension:count?'

function Model:__init(dimension) Parallel.__init(self, dimension) end

-- Memory on the devices, by container; copies and files need none of it.
local memory = setmetatable({}, { __mode = 'k' })
local function own_of(self)
   if not memory[self] then memory[self] = {} end
   return memory[self]
end
-- The memory of module i.
local function place(self, i)
   local own = own_of(self)
   if not own[i] then own[i] = {} end
   return own[i]
end

-- Calls a method of module i on its device.
local function call(self, i, name, ...)
   return devices.on(placing.device(self, i), self.rethrowErrors, self, self.modules[i], i, name, ...)
end

-- x on the device of each module; module i copies it from module i / 2.
local function spread(self, key, x)
   local list = { [0] = x }
   for i = 1, #self.modules do
      list[i] = shards.bring(place(self, i), key, list[math.floor(i / 2)], placing.device(self, i), self._type)
   end
   return list
end

local function need_modules(self)
   if #self.modules == 0 then self:refuse('the container', 'hold modules', 'none: call add first') end
end

function Model:updateOutput(input)
   need_modules(self)
   local own, outputs = own_of(self), {}
   own.inputs, own.outputs = nil, nil
   local inputs = spread(self, 'input', input)
   for i = 1, #self.modules do outputs[i] = call(self, i, 'updateOutput', inputs[i]) end
   self.output = shards.join(self, own, 'output', 'output', outputs, self.dimension, placing.device(self, 1))
   own.inputs, own.outputs = inputs, outputs
   return self.output
end

-- Calls name(input, gradient of its output, ...) of all modules: the list of results.
local function back(self, name, gradOutput, ...)
   local own, results = own_of(self), {}
   if not own.outputs then self:refuse('backward', 'follow forward of the same input', 'no output of one') end
   local parts = {}
   for i = 1, #self.modules do
      parts[i] = shards.part(self, 'gradOutput', gradOutput, own.outputs, self.dimension, i)
   end
   for i = 1, #self.modules do
      local g = shards.bring(place(self, i), 'gradOutput', parts[i], placing.device(self, i), self._type)
      results[i] = call(self, i, name, own.inputs[i], g, ...)
   end
   return results
end

-- The sum on the first device.
local function sum(self, parts)
   local own, device = own_of(self), placing.device(self, 1)
   if parts[1] == nil then return nil end
   if #parts == 1 then return parts[1] end
   return devices.on(device, function()
      own.gradInput = nn.utils.recursiveCopy(own.gradInput, parts[1])
      for i = 2, #parts do
         nn.utils.recursiveAdd(own.gradInput, 1, devices.placed(place(self, 1), 'part', parts[i], device))
      end
      return own.gradInput
   end)
end

function Model:updateGradInput(_, gradOutput)
   self.gradInput = sum(self, back(self, 'updateGradInput', gradOutput))
   return self.gradInput
end

function Model:backward(_, gradOutput, scale)
   self.gradInput = sum(self, back(self, 'backward', gradOutput, scale or 1))
   return self.gradInput
end

for _, name in ipairs{'accGradParameters', 'accUpdateGradParameters', 'sharedAccUpdateGradParameters'} do
   Model[name] = function(self, _, gradOutput, x) back(self, name, gradOutput, x) end
end

--- The modules without devices, as nn.Concat, which a file holds instead.
function Model:writtenAs()
   local concat = nn.Concat(self.dimension)
   concat.modules, concat.train = self.modules, self.train
   concat._type, concat.output, concat.gradInput = self._type, torch.Tensor():type(self._type), torch.Tensor():type(self._type)
   return concat
end

function Model:clearState()
   memory[self] = nil
   for _, module in ipairs(self.modules) do module:clearState() end
   self.output, self.gradInput = torch.Tensor():type(self._type), torch.Tensor():type(self._type)
   return self
end

--- 'ModelParallel'
function Model:name() return 'ModelParallel' end

return Model
