-- nn/activation/MulConstant.lua - x * constant.
local torch = require 'torch'
local constants = require 'nn.support.constants'

local need = constants.need

--- x * constant; in place when `inplace` is true (backward then gives the input back).
-- nn.MulConstant(5):forward(torch.Tensor{1, 2}) --> {5, 10}
local MulConstant, Module = torch.class('nn.MulConstant', 'nn.Module')

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

return MulConstant
