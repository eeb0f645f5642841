-- nn/criterion/ModuleFromCriterion.lua - a criterion as a module that passes gradients on.
local torch = require 'torch'
local utils = require 'nn.utils'
local combining = require 'nn.criterion.combining'

local needPair = combining.needPair

--- A criterion as a module: {input, target} to a tensor of one element, the loss; gradients pass to the input.
-- nn.ModuleFromCriterion(nn.MSECriterion()):forward{torch.Tensor{1, 2}, torch.Tensor{1, 4}} --> {2}
local ModuleFromCriterion, Module = torch.class('nn.ModuleFromCriterion', 'nn.Module')
ModuleFromCriterion.__arguments = 'criterion:criterion'

function ModuleFromCriterion:__init(criterion)
   Module.__init(self)
   self.criterion = criterion
   self.gradInput = {}
end

function ModuleFromCriterion:updateOutput(input)
   needPair(self, input)
   if not torch.isTensor(self.output) then self.output = torch.Tensor():type(self._type) end
   self.output:resize(1):fill(self.criterion:updateOutput(input[1], input[2]))
   return self.output
end

function ModuleFromCriterion:updateGradInput(input, gradOutput)
   local g = self.criterion:updateGradInput(input[1], input[2])
   local old = type(self.gradInput) == 'table' and self.gradInput or {}
   local scaled = utils.recursiveFill((utils.recursiveResizeAs(old[1], g)), 0)
   utils.recursiveAdd(scaled, gradOutput[1], g)
   self.gradInput = {scaled, utils.recursiveFill((utils.recursiveResizeAs(old[2], input[2])), 0)}
   return self.gradInput
end

return ModuleFromCriterion
