-- nn/activation/AddConstant.lua - x + constant.
local torch = require 'torch'
local constants = require 'nn.support.constants'

local need = constants.need

--- x + constant; in place when `inplace` is true (backward then gives the input back).
-- nn.AddConstant(5):forward(torch.Tensor{1, 2}) --> {6, 7}
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
   return self.output:resizeAs(input):copy(input):add(self.constant_scalar)
end

function AddConstant:updateGradInput(input, gradOutput)
   if self.inplace then
      self.gradInput:set(gradOutput)
      input:add(-1 * self.constant_scalar)
      return self.gradInput
   end
   return self.gradInput:resizeAs(gradOutput):copy(gradOutput)
end

return AddConstant
