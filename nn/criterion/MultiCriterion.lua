-- nn/criterion/MultiCriterion.lua - the weighted sum of several criterions of one input and target.
local torch = require 'torch'
local utils = require 'nn.utils'
local combining = require 'nn.criterion.combining'

local add = combining.add

--- The weighted sum of several criterions of one input and target.
-- nn.MultiCriterion():add(nn.MSECriterion(), 2):add(nn.AbsCriterion()):forward(torch.Tensor{1, 2}, torch.Tensor{3, -1}) --> 15.5
local MultiCriterion, Criterion = torch.class('nn.MultiCriterion', 'nn.Criterion')

function MultiCriterion:__init()
   Criterion.__init(self)
   self.criterions = {}
   self.weights = torch.DoubleStorage()
end

--- Adds a criterion with a weight (default 1). Returns self.
function MultiCriterion:add(criterion, weight) return add(self, criterion, weight) end

function MultiCriterion:updateOutput(input, target)
   self.output = 0
   for i, criterion in ipairs(self.criterions) do
      self.output = self.output + self.weights[i] * criterion:updateOutput(input, target)
   end
   return self.output
end

function MultiCriterion:updateGradInput(input, target)
   self.gradInput = utils.recursiveFill((utils.recursiveResizeAs(self.gradInput, input)), 0)
   for i, criterion in ipairs(self.criterions) do
      utils.recursiveAdd(self.gradInput, self.weights[i], criterion:updateGradInput(input, target))
   end
   return self.gradInput
end

return MultiCriterion
