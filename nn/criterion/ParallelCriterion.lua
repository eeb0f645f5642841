-- nn/criterion/ParallelCriterion.lua - the weighted sum of criterions of the elements of a table.
local torch = require 'torch'
local utils = require 'nn.utils'
local combining = require 'nn.criterion.combining'

local add = combining.add

--- The weighted sum of criterions of the elements of a table, or of the slices of a tensor: criterion i of input[i] and target[i].
-- @param repeatTarget  true: the whole target goes to each
-- nn.ParallelCriterion():add(nn.MSECriterion(), 2):add(nn.AbsCriterion()):forward({torch.zeros(2), torch.zeros(1)}, {torch.ones(2), torch.ones(1)}) --> 3
local ParallelCriterion, Criterion = torch.class('nn.ParallelCriterion', 'nn.Criterion')

function ParallelCriterion:__init(repeatTarget)
   Criterion.__init(self)
   self.criterions = {}
   self.weights = {}
   self.gradInput = {}
   self.repeatTarget = repeatTarget
end

--- Adds a criterion with a weight (default 1). Returns self.
function ParallelCriterion:add(criterion, weight) return add(self, criterion, weight) end

-- A table, or a tensor, whose slices are the elements.
local function holdsElements(x) return type(x) == 'table' or torch.isTensor(x) end

function ParallelCriterion:updateOutput(input, target)
   if not holdsElements(input) or not (self.repeatTarget or holdsElements(target)) then
      self:refuse('input and target', 'be tables', self.shapes(input, target))
   end
   self.output = 0
   for i, criterion in ipairs(self.criterions) do
      local t = target
      if not self.repeatTarget then t = target[i] end
      self.output = self.output + self.weights[i] * criterion:updateOutput(input[i], t)
   end
   return self.output
end

function ParallelCriterion:updateGradInput(input, target)
   if torch.isTensor(input) then
      self.gradInput = (utils.recursiveResizeAs(self.gradInput, input))
   elseif type(self.gradInput) ~= 'table' or torch.isTensor(self.gradInput) then
      self.gradInput = {}
   end
   for i, criterion in ipairs(self.criterions) do
      local t = target
      if not self.repeatTarget then t = target[i] end
      local g = utils.recursiveFill((utils.recursiveResizeAs(self.gradInput[i], input[i])), 0)
      utils.recursiveAdd(g, self.weights[i], criterion:updateGradInput(input[i], t))
      if not torch.isTensor(self.gradInput) then self.gradInput[i] = g end
   end
   return self.gradInput
end

return ParallelCriterion
