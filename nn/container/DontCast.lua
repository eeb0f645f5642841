-- nn/container/DontCast.lua - keeps the type of a module when the network around it is converted.
local torch = require 'torch'
local utils = require 'nn.utils'

--- Keeps the type of a module when the network around it is converted.
-- @param castin,castout  whether inputs and outputs are converted; castout defaults to castin
-- @param moduleType      default: the module's type
-- nn.DontCast(nn.Identity(), true):float():forward(torch.FloatTensor{1}):type() --> torch.FloatTensor
local DontCast, Decorator = torch.class('nn.DontCast', 'nn.Decorator')
DontCast.__arguments = 'module:module castin castout moduleType:string?'

function DontCast:__init(module, castin, castout, moduleType)
   Decorator.__init(self, module)
   self.castin = castin
   self.castout = castout
   if castout == nil then self.castout = castin end
   self.moduleType = moduleType or module:type()
   module:type(self.moduleType)
end

-- A copy of x in the given type.
local function as(kind, x)
   return utils.map(x, function(t) return t:type() == kind and t or t:type(kind) end)
end

function DontCast:updateOutput(input)
   if self.castin then input = as(self.moduleType, input) end
   local y = self.modules[1]:updateOutput(input)
   self.output = self.castout and as(self._type, y) or y
   return self.output
end

function DontCast:updateGradInput(input, gradOutput)
   local outer = torch.isTensor(input) and input:type() or self._type
   if self.castin then input = as(self.moduleType, input) end
   if self.castout then gradOutput = as(self.moduleType, gradOutput) end
   local g = self.modules[1]:updateGradInput(input, gradOutput)
   self.gradInput = self.castin and as(outer, g) or g
   return self.gradInput
end

function DontCast:accGradParameters(input, gradOutput, scale)
   if self.castin then input = as(self.moduleType, input) end
   if self.castout then gradOutput = as(self.moduleType, gradOutput) end
   self.modules[1]:accGradParameters(input, gradOutput, scale)
end

function DontCast:accUpdateGradParameters(input, gradOutput, lr)
   if self.castin then input = as(self.moduleType, input) end
   if self.castout then gradOutput = as(self.moduleType, gradOutput) end
   self.modules[1]:accUpdateGradParameters(input, gradOutput, lr)
end

function DontCast:type(kind, cache)
   if not kind then return self._type end
   local kept = self.modules
   self.modules = nil
   Decorator.type(self, kind, cache)
   self.modules = kept
   return self
end

return DontCast
