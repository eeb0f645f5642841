-- nn/container/MapTable.lua - one module for every element of the input table.
local torch = require 'torch'

--- Applies copies of a module to the elements of a table; the copies share parameters.
-- @param shared  false: the copies are independent once they are made; a list of field names: share
--                those (default: weight, bias and their gradients)
-- nn.MapTable(nn.Abs()):forward{torch.Tensor{-1}, torch.Tensor{-2}} --> {{1}, {2}}
local MapTable, Container = torch.class('nn.MapTable', 'nn.Container')
MapTable.__arguments = 'module:module?'

function MapTable:__init(module, shared)
   Container.__init(self)
   self.shared = shared == nil and true or shared
   self.sharedparams = type(shared) == 'table' and shared or {'weight', 'bias', 'gradWeight', 'gradBias'}
   self.output, self.gradInput = {}, {}
   if module then self:add(module) end
end

-- Makes copies until there are n modules.
function MapTable:_extend(n)
   self.modules[1] = self.module
   for i = #self.modules + 1, n do
      self.modules[i] = self.shared and self.module:clone(unpack(self.sharedparams)) or self.module:clone()
   end
end

--- Makes or drops copies until there are exactly n.
function MapTable:resize(n)
   self:_extend(n)
   for i = #self.modules, math.max(n, 1) + 1, -1 do self.modules[i] = nil end
end

--- Sets the module; there can be only one. Returns self.
function MapTable:add(module)
   if self.module then error('nn.MapTable:add: it holds one module only, and has one already', 2) end
   self.module = module
   self.modules[1] = module
   return self
end

-- Calls `name` of each copy with its elements; after all have succeeded, writes the results into the table `into`, if given.
local function each(self, into, name, input, gradOutput, arg)
   local results = {}
   for i = 1, #input do
      results[i] = self:rethrowErrors(self.modules[i], i, name, input[i], gradOutput and gradOutput[i], arg)
   end
   if into then
      for i = 1, math.max(#into, #input) do into[i] = results[i] end
   end
   return into
end

function MapTable:updateOutput(input)
   if type(input) ~= 'table' or torch.isTensor(input) then self:refuse('input', 'be a table', input) end
   self:_extend(#input)
   if type(self.output) ~= 'table' then self.output = {} end
   return each(self, self.output, 'updateOutput', input)
end

function MapTable:updateGradInput(input, gradOutput)
   if type(self.gradInput) ~= 'table' then self.gradInput = {} end
   return each(self, self.gradInput, 'updateGradInput', input, gradOutput)
end

function MapTable:accGradParameters(input, gradOutput, scale)
   each(self, nil, 'accGradParameters', input, gradOutput, scale or 1)
end

function MapTable:accUpdateGradParameters(input, gradOutput, lr)
   each(self, nil, 'accUpdateGradParameters', input, gradOutput, lr)
end

function MapTable:zeroGradParameters()
   if not self.shared then return Container.zeroGradParameters(self) end
   if self.module then self.module:zeroGradParameters() end
end

function MapTable:updateParameters(learningRate)
   if not self.shared then return Container.updateParameters(self, learningRate) end
   if self.module then self.module:updateParameters(learningRate) end
end

function MapTable:clearState()
   for i = #self.modules, 2, -1 do self.modules[i] = nil end
   return Container.clearState(self)
end

function MapTable:__tostring__()
   return ('%s {\n  %s\n}'):format(torch.type(self), (tostring(self.module):gsub('\n', '\n  ')))
end

return MapTable
