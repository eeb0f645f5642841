-- nn/Convert.lua - a batch with its dimensions in another order, named by letters.
local torch = require 'torch'

--- Rearranges a batch: shapes are letters, b batch, c channel, h height, w width, f feature, t time.
-- @param inputShape,outputShape  the same letters in another order; or `bf`: everything but the batch merged; or `b`:
-- one element for each sample
-- nn.Convert('bchw', 'bhwc'):forward(torch.ones(2, 3, 2, 4)):size() --> {2, 2, 4, 3}
local Convert, Container = torch.class('nn.Convert', 'nn.Container')

function Convert:__init(inputShape, outputShape)
   Container.__init(self)
   if not inputShape:find 'b' or not outputShape:find 'b' then
      error(('nn.Convert: shapes must have a batch dimension b, got %s and %s'):format(inputShape, outputShape), 3)
   end
   self.inputShape, self.outputShape = inputShape, outputShape
   self.inputBatchDim, self.outputBatchDim = self:findAxis('b', inputShape), self:findAxis('b', outputShape)
end

--- The place of a letter in a shape (default: the input's).
function Convert:findAxis(axis, shape) return (shape or self.inputShape):find(axis, 1, true) end

-- For each letter of `to` its place in `from`; nil when they are not the same letters.
local function order(from, to)
   local places = {}
   if #from ~= #to then return nil end
   for i = 1, #to do
      places[i] = from:find(to:sub(i, i), 1, true)
      if not places[i] then return nil end
   end
   return places
end

function Convert:updateOutput(input)
   if not torch.isTensor(input) or input:dim() ~= #self.inputShape then
      self:refuse('input', ('have the dimensions %s'):format(self.inputShape), input)
   end
   local places = order(self.inputShape, self.outputShape)
   local y
   if places then
      y = input:permute(unpack(places))
   else
      local b = self:findAxis 'b'
      y = (b == 1 and input or input:transpose(1, b)):contiguous():view(input:size(b), -1)
      if self.outputShape == 'b' then
         if y:size(2) ~= 1 then self:refuse('input', 'have one element for each sample', input) end
         y = y:select(2, 1)
      elseif self.outputShape ~= 'bf' then
         error(('nn.Convert: cannot make %s of %s'):format(self.outputShape, self.inputShape), 3)
      end
   end
   return self.output:resize(y:size()):copy(y)
end

function Convert:updateGradInput(input, gradOutput)
   local places = order(self.outputShape, self.inputShape)
   local g
   if places then
      g = gradOutput:permute(unpack(places))
   else
      local b, size = self:findAxis 'b', input:size()
      size[1], size[b] = size[b], size[1]
      g = gradOutput:contiguous():view(size)
      if b ~= 1 then g = g:transpose(1, b) end
   end
   return self.gradInput:resize(input:size()):copy(g)
end

function Convert:__tostring__() return torch.type(self) end

return Convert
