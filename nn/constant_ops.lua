-- nn/constant_ops.lua - AddConstant, MulConstant, Power and Sqrt: a function of each element and one fixed number.
local torch = require 'torch'

local function need(class, number)
   if type(number) ~= 'number' then
      error(('nn.%s: the constant must be a number, got %s'):format(class, type(number)), 4)
   end
   return number
end

--- x + constant; in place when `inplace` is true (backward then gives the input back).
local AddConstant, Module = torch.class('nn.AddConstant', 'nn.Module')

function AddConstant:__init(constant, inplace)
   Module.__init(self)
   self.constant_scalar = torch.isTensor(constant) and constant or need('AddConstant', constant)
   self.inplace = inplace or false
end

function AddConstant:updateOutput(input)
   self:needTensor(input)
   if self.inplace then
      self.output:set(input:add(self.constant_scalar))
      return self.output
   end
   return self.output:resize(input:size()):copy(input):add(self.constant_scalar)
end

function AddConstant:updateGradInput(input, gradOutput)
   if self.inplace then
      self.gradInput:set(gradOutput)
      input:add(-1 * self.constant_scalar)
      return self.gradInput
   end
   return self.gradInput:resize(gradOutput:size()):copy(gradOutput)
end

--- x * constant; in place when `inplace` is true (backward then gives the input back).
local MulConstant = torch.class('nn.MulConstant', 'nn.Module')

function MulConstant:__init(constant, inplace)
   Module.__init(self)
   self.constant_scalar = need('MulConstant', constant)
   self.inplace = inplace or false
end

function MulConstant:updateOutput(input)
   self:needTensor(input)
   if self.inplace then
      self.output:set(input:mul(self.constant_scalar))
      return self.output
   end
   return torch.mul(self.output, input, self.constant_scalar)
end

function MulConstant:updateGradInput(input, gradOutput)
   if self.inplace then
      self.gradInput:set(gradOutput:mul(self.constant_scalar))
      input:div(self.constant_scalar)
      return self.gradInput
   end
   return torch.mul(self.gradInput, gradOutput, self.constant_scalar)
end

--- x ^ p.
local Power = torch.class('nn.Power', 'nn.Module')

function Power:__init(p)
   Module.__init(self)
   self.pow = need('Power', p)
end

function Power:updateOutput(input) return torch.pow(self.output, input, self.pow) end

function Power:updateGradInput(input, gradOutput)
   return torch.pow(self.gradInput, input, self.pow - 1):cmul(gradOutput):mul(self.pow)
end

--- sqrt(x); the gradient at 0 is 0. The argument of Torch7's constructor is kept, and has no effect as there.
local Sqrt = torch.class('nn.Sqrt', 'nn.Module')

function Sqrt:__init(eps)
   Module.__init(self)
   self.eps = eps or 0
end

function Sqrt:updateOutput(input)
   return torch.sqrt(self.output, input)
end

function Sqrt:updateGradInput(_, gradOutput)
   torch.cdiv(self.gradInput, gradOutput, self.output):mul(0.5)
   self.gradInput:maskedFill(self.output:eq(0), 0)
   return self.gradInput
end
