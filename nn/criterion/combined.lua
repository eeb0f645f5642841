-- nn/criterion/combined.lua - criterions made of others, and criterions as modules.
local torch = require 'torch'
local utils = require 'nn.utils'

--- The weighted sum of several criterions of one input and target.
local MultiCriterion, Criterion = torch.class('nn.MultiCriterion', 'nn.Criterion')

function MultiCriterion:__init()
   Criterion.__init(self)
   self.criterions = {}
   self.weights = torch.DoubleStorage()
end

local function add(self, criterion, weight)
   if not torch.isTypeOf(criterion, 'nn.Criterion') then
      error(('%s:add: expected a criterion, got %s'):format(torch.type(self), utils.shape(criterion)), 3)
   end
   local n = #self.criterions + 1
   self.criterions[n] = criterion
   if torch.isStorage(self.weights) then self.weights:resize(n) end
   self.weights[n] = weight or 1
   return self
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

--- The weighted sum of criterions of the elements of a table: criterion i of input[i] and target[i].
--- @param repeatTarget  true: the whole target goes to each
local ParallelCriterion = torch.class('nn.ParallelCriterion', 'nn.Criterion')

function ParallelCriterion:__init(repeatTarget)
   Criterion.__init(self)
   self.criterions = {}
   self.weights = {}
   self.gradInput = {}
   self.repeatTarget = repeatTarget
end

--- Adds a criterion with a weight (default 1). Returns self.
function ParallelCriterion:add(criterion, weight) return add(self, criterion, weight) end

function ParallelCriterion:updateOutput(input, target)
   if type(input) ~= 'table' or (type(target) ~= 'table' and not self.repeatTarget) then
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
   if type(self.gradInput) ~= 'table' then self.gradInput = {} end
   for i, criterion in ipairs(self.criterions) do
      local t = target
      if not self.repeatTarget then t = target[i] end
      local g = utils.recursiveFill((utils.recursiveResizeAs(self.gradInput[i], input[i])), 0)
      self.gradInput[i] = utils.recursiveAdd(g, self.weights[i], criterion:updateGradInput(input[i], t))
   end
   return self.gradInput
end

--- A criterion behind modules: of inputModule(input) and targetModule(target).
--- @param castTarget  false: conversions leave targetModule as it is
local ModuleCriterion = torch.class('nn.ModuleCriterion', 'nn.Criterion')

function ModuleCriterion:__init(criterion, inputModule, targetModule, castTarget)
   Criterion.__init(self)
   self.inputModule = inputModule
   self.targetModule = targetModule
   self.castTarget = castTarget == nil or castTarget
   for name, module in pairs{inputModule = inputModule, targetModule = targetModule} do
      if not torch.isTypeOf(module, 'nn.Module') then
         error(('nn.ModuleCriterion: %s must be a module, got %s'):format(name, torch.type(module)), 3)
      end
   end
   if not torch.isTypeOf(criterion, 'nn.Criterion') then
      error('nn.ModuleCriterion: the first argument must be a criterion, got ' .. torch.type(criterion), 3)
   end
   self.criterion = criterion
end

function ModuleCriterion:updateOutput(input, target)
   self.input = self.inputModule and self.inputModule:forward(input) or input
   self.target = self.targetModule and self.targetModule:forward(target) or target
   self.output = self.criterion:forward(self.input, self.target)
   return self.output
end

function ModuleCriterion:updateGradInput(input)
   local g = self.criterion:backward(self.input, self.target)
   self.gradInput = self.inputModule and self.inputModule:backward(input, g) or g
   return self.gradInput
end

function ModuleCriterion:type(kind, cache)
   if not kind then return Criterion.type(self) end
   local kept = self.targetModule
   if not self.castTarget then self.targetModule = nil end
   Criterion.type(self, kind, cache)
   self.targetModule = kept
   return self
end

--- A criterion as a module: {input, target} to the loss, a number.
local CriterionTable, Module = torch.class('nn.CriterionTable', 'nn.Module')

function CriterionTable:__init(criterion)
   Module.__init(self)
   self.criterion = criterion
   self.gradInput = {criterion.gradInput}
end

-- An input and its target.
local function needPair(self, input)
   if type(input) ~= 'table' then self:refuse('input', 'be a table of an input and its target', input) end
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

--- A criterion as a module: {input, target} to a tensor of one element, the loss; gradients pass to the input.
local ModuleFromCriterion = torch.class('nn.ModuleFromCriterion', 'nn.Module')

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
