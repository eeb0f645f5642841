-- nn/criterion/combining.lua - shared code of criterions that combine others, or that take pairs of input and target.
local torch = require 'torch'
local utils = require 'nn.utils'

local function add(self, criterion, weight)
   if not utils.worksAs(criterion, 'nn.Criterion') then
      error(('%s:add: expected a criterion, got %s'):format(torch.type(self), utils.shape(criterion)), 3)
   end
   local n = #self.criterions + 1
   self.criterions[n] = criterion
   if torch.isStorage(self.weights) then self.weights:resize(n) end
   self.weights[n] = weight or 1
   return self
end

-- An input and its target.
local function needPair(self, input)
   if type(input) ~= 'table' then self:refuse('input', 'be a table of an input and its target', input) end
end

return { add = add, needPair = needPair }
