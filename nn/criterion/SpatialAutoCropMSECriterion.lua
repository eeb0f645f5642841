-- nn/criterion/SpatialAutoCropMSECriterion.lua - MSECriterion against the middle of a larger target.
local torch = require 'torch'
local utils = require 'nn.utils'

--- MSECriterion against the middle of a target whose images are larger than the input.
-- nn.SpatialAutoCropMSECriterion():forward(torch.zeros(1, 2, 2), torch.ones(1, 4, 4)) --> 1
local SpatialAutoCropMSECriterion, MSECriterion = torch.class('nn.SpatialAutoCropMSECriterion', 'nn.MSECriterion')

local function cropped(self, input, target)
   self:needTensor(input, target, true)
   local n = input:dim()
   local fits = torch.isTensor(target) and target:dim() == n and n >= 3
   for d = 1, fits and n or 0 do
      fits = fits and (d <= n - 2 and target:size(d) == input:size(d) or d > n - 2 and target:size(d) >= input:size(d))
   end
   if not fits then
      self:refuse('target', 'have the shape of the input, or larger images, ' .. utils.shape(input), target)
   end
   for d = n - 1, n do
      local first = math.floor((target:size(d) - input:size(d)) / 2) + 1
      target = target:narrow(d, first, input:size(d))
   end
   return target:contiguous()
end

function SpatialAutoCropMSECriterion:updateOutput(input, target)
   return MSECriterion.updateOutput(self, input, cropped(self, input, target))
end

function SpatialAutoCropMSECriterion:updateGradInput(input, target)
   return MSECriterion.updateGradInput(self, input, cropped(self, input, target))
end

return SpatialAutoCropMSECriterion
