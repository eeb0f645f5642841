-- nn/criterion/ModuleCriterion.lua - a criterion behind modules.
local torch = require 'torch'

--- A criterion behind modules: of inputModule(input) and targetModule(target).
-- @param castTarget  false: conversions leave targetModule as it is
-- nn.ModuleCriterion(nn.MSECriterion(), nn.Abs()):forward(torch.Tensor{-1, 2}, torch.Tensor{1, 4}) --> 2
local ModuleCriterion, Criterion = torch.class('nn.ModuleCriterion', 'nn.Criterion')

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

return ModuleCriterion
