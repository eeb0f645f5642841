-- nn/support/sequences.lua - shared code of layers on sequences: frames x features, or samples x frames x features.
local torch = require 'torch'

-- The input as a contiguous batch.
local function batch(self, input, features)
   local n = torch.isTensor(input) and input:dim()
   if (n ~= 2 and n ~= 3) or (features and input:size(n) ~= features) then
      local form = ('frames x %s'):format(features or 'features')
      self:refuse('input', ('be %s or samples x %s'):format(form, form), input)
   end
   return n == 3 and input:contiguous() or input:contiguous():view(1, input:size(1), input:size(2))
end

-- The number of windows of kW frames.
local function steps(self, x, kW, dW)
   if x:size(2) < kW then self:refuse('input', ('have at least %d frames'):format(kW), x) end
   return math.floor((tonumber(x:size(2)) - kW) / dW) + 1
end

-- Converts a result for a batch to the form of the input.
local function like(input, y)
   return input:dim() == 2 and y:resize(y:size(2), y:size(3)) or y
end

-- As images of one row: samples x features x 1 x frames.
local function rows(self, x)
   local n = torch.isTensor(x) and x:dim()
   if n ~= 2 and n ~= 3 then self:refuse('input', 'have 2 or 3 dimensions', x) end
   if not self.featFirst then x = x:transpose(n - 1, n) end
   if x:size(n - 1) ~= self.inputFrameSize then
      self:refuse('input', ('have %d features'):format(self.inputFrameSize), x)
   end
   if x:size(n) < self.kW and x ~= self.output then
      self:refuse('input', ('have at least %d frames'):format(self.kW), x)
   end
   return x:contiguous():view(n == 3 and x:size(1) or 1, x:size(n - 1), 1, x:size(n))
end

local function features(self, input)
   local dim = self.batch_mode and 2 or 1
   if not torch.isTensor(input) or input:dim() < dim or input:size(dim) < self.width then
      self:refuse('input', ('have at least %d features in dimension %d'):format(self.width, dim), input)
   end
   return dim
end

return {
   batch = batch, steps = steps, like = like, rows = rows, features = features,
}
