-- nn/criterion/CriterionTable.lua - a criterion as a module.
local torch = require 'torch'
local combining = require 'nn.criterion.combining'

local needPair = combining.needPair

--- A criterion as a module: {input, target} to the loss, a number.
-- nn.CriterionTable(nn.MSECriterion()):forward{torch.Tensor{1, 2}, torch.Tensor{1, 4}} --> 2
local CriterionTable, Module = torch.class('nn.CriterionTable', 'nn.Module')
CriterionTable.__arguments = 'criterion:criterion'

function CriterionTable:__init(criterion)
   Module.__init(self)
   self.criterion = criterion
   self.gradInput = {criterion.gradInput}
end

function CriterionTable:updateOutput(input)
   needPair(self, input)
   self.output = self.criterion:updateOutput(input[1], input[2])
   return self.output
end

function CriterionTable:updateGradInput(input)
   self.criterion:updateGradInput(input[1], input[2])
   self.gradInput = {self.criterion.gradInput}
   return self.gradInput
end

return CriterionTable
