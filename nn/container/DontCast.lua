-- nn/container/DontCast.lua - keeps the type of a module when the network around it is converted.
local torch = require 'torch'

--- Keeps the type of a module when the network around it is converted.
-- @param castin,castout  whether inputs and outputs are converted; castout defaults to castin
-- @param moduleType      default: the module's type
-- nn.DontCast(nn.Identity(), true):float():forward(torch.FloatTensor{1}):type() --> torch.FloatTensor
local DontCast, Decorator = torch.class('nn.DontCast', 'nn.Decorator')
DontCast.__arguments = 'module:module castin castout moduleType:string?'
DontCast.bufferNames = { '_casts' }

function DontCast:__init(module, castin, castout, moduleType)
   Decorator.__init(self, module)
   self.castin = castin
   self.castout = castout
   if castout == nil then self.castout = castin end
   self.moduleType = moduleType or module:type()
   module:type(self.moduleType)
end

-- x in the given type. Tensors of another type become copies, which own[key] keeps for the next
-- call.
local function as(own, key, kind, x)
   if torch.isTensor(x) then
      if x:type() == kind then return x end
      local to = own[key]
      if not torch.isTensor(to) or to:type() ~= kind or to._device ~= x._device then
         to = x.new():type(kind)
         own[key] = to
      end
      return to:resizeAs(x):copy(x)
   elseif type(x) ~= 'table' then
      return x
   end
   if type(own[key]) ~= 'table' or torch.isTensor(own[key]) then own[key] = {} end
   local t = {}
   for k, v in pairs(x) do t[k] = as(own[key], k, kind, v) end
   return t
end

-- The tensor that a module's forward has converted last, which its backward need not convert again.
local converted = setmetatable({}, { __mode = 'k' })
local WEAK = { __mode = 'v' }

local function inner_input(self, input, backward)
   self._casts = self._casts or {}
   if not self.castin then return input end
   local last = converted[self]
   local known = backward and last and last[1] == input and last[2] == self._casts.input
   if known then return last[2] end
   local x = as(self._casts, 'input', self.moduleType, input)
   local keeps = torch.isTensor(input) and x ~= input
   converted[self] = keeps and setmetatable({ input, x }, WEAK) or nil
   return x
end

-- The input and gradOutput of a backward pass as the module inside takes them.
local function inner(self, input, gradOutput)
   local x = inner_input(self, input, true)
   if not self.castout then return x, gradOutput end
   return x, as(self._casts, 'gradOutput', self.moduleType, gradOutput)
end

-- The gradient g by the input in the type of the input.
local function outer(self, input, g)
   local kind = torch.isTensor(input) and input:type() or self._type
   self.gradInput = self.castin and as(self._casts, 'gradInput', kind, g) or g
   return self.gradInput
end

function DontCast:updateOutput(input)
   local y = self.modules[1]:updateOutput(inner_input(self, input))
   self.output = self.castout and as(self._casts, 'output', self._type, y) or y
   return self.output
end

--- Whether the module inside joins `after`, as nn.BatchNormalization:joins says. Conversions
-- prevent it.
function DontCast:joins(after, input)
   local inside = self.modules[1]
   return not self.castin and not self.castout and inside.joins ~= nil
      and inside:joins(after, input)
end

--- The output of `after` behind the module inside.
function DontCast:updateOutputWith(after, input)
   local y = self.modules[1]:updateOutputWith(after, input)
   self.output = self.modules[1].output
   return y
end

--- The gradients of both modules; gradOutput is that of `after`, and is changed in place.
function DontCast:backwardWith(after, input, gradOutput, scale)
   return outer(self, input, self.modules[1]:backwardWith(after, input, gradOutput, scale))
end

--- backward, which also writes base plus gradInput to sum; nil if the module inside cannot, and
-- where there are conversions. See nn.Sequential:backwardOnto.
function DontCast:backwardOnto(input, gradOutput, scale, base, sum)
   local inside = self.modules[1]
   if self.castin or self.castout or not inside.backwardOnto then return nil end
   local g = inside:backwardOnto(input, gradOutput, scale, base, sum)
   return g and outer(self, input, g)
end

function DontCast:updateGradInput(input, gradOutput)
   return outer(self, input, self.modules[1]:updateGradInput(inner(self, input, gradOutput)))
end

-- Converts once for both passes.
function DontCast:backward(input, gradOutput, scale)
   local x, g = inner(self, input, gradOutput)
   return outer(self, input, self.modules[1]:backward(x, g, scale))
end

function DontCast:accGradParameters(input, gradOutput, scale)
   input, gradOutput = inner(self, input, gradOutput)
   self.modules[1]:accGradParameters(input, gradOutput, scale)
end

function DontCast:accUpdateGradParameters(input, gradOutput, lr)
   input, gradOutput = inner(self, input, gradOutput)
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
