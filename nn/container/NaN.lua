-- nn/container/NaN.lua - raises an error when a module's result has a NaN.
local torch = require 'torch'

local numbered = 0

--- Raises an error when a result of a module has a NaN, forward or backward.
-- @param id  shown in the error; default: a running number
-- nn.NaN(nn.Linear(3, 2)):forward(torch.ones(4, 3)):size() --> {4, 2}
local NaN, Decorator = torch.class('nn.NaN', 'nn.Decorator')
NaN.__arguments = 'module:module'

function NaN:__init(module, id)
   Decorator.__init(self, module)
   self.id = id or self:newId()
end

--- A number that is unique among nn.NaN modules.
function NaN:newId()
   numbered = numbered + 1
   return numbered
end

--- Whether a tensor, or a nested table of them, holds a NaN.
function NaN:recursiveIsNaN(x)
   if torch.isTensor(x) then return x:nElement() > 0 and x:ne(x):max() > 0 end
   for _, v in pairs(type(x) == 'table' and x or {}) do
      if self:recursiveIsNaN(v) then return true end
   end
   return type(x) == 'number' and x ~= x
end

local function refuse(self, what, input, gradOutput)
   local cause = ''
   if self:recursiveIsNaN(input) then cause = cause .. '; its input has one too' end
   if gradOutput and self:recursiveIsNaN(gradOutput) then cause = cause .. '; so has its gradOutput' end
   error(('%s: there is a NaN in %s%s'):format(tostring(self), what, cause), 3)
end

function NaN:updateOutput(input)
   Decorator.updateOutput(self, input)
   if self:recursiveIsNaN(self.output) then refuse(self, 'the output', input) end
   return self.output
end

function NaN:updateGradInput(input, gradOutput)
   Decorator.updateGradInput(self, input, gradOutput)
   if self:recursiveIsNaN(self.gradInput) then refuse(self, 'gradInput', input, gradOutput) end
   return self.gradInput
end

function NaN:accGradParameters(input, gradOutput, scale)
   Decorator.accGradParameters(self, input, gradOutput, scale)
   local _, grads = self:parameters()
   if self:recursiveIsNaN(grads) then refuse(self, 'the gradient of the parameters', input, gradOutput) end
end

function NaN:__tostring__() return ('%s(%s) @ %s'):format(torch.type(self), self.id, tostring(self.modules[1])) end

return NaN
