-- nn/embedding/OneHot.lua - vectors with a 1 at the index in the input, 0 elsewhere.
local torch = require 'torch'

--- Vectors with a 1 at the index in the input, and 0 elsewhere; in a new last dimension.
-- nn.OneHot(3):forward(torch.LongTensor{2, 1}) --> {{0, 1, 0}, {1, 0, 0}}
local OneHot, Module = torch.class('nn.OneHot', 'nn.Module')
OneHot.__arguments = 'outputSize:count'

function OneHot:__init(outputSize)
   Module.__init(self)
   self.outputSize = outputSize
end

function OneHot:updateOutput(input)
   local size = {}
   local long = self:scratch('_long', 'torch.LongTensor')
   if type(input) == 'number' then
      long:resize(1, 1):fill(input)
   elseif torch.isTensor(input) then
      for d = 1, input:dim() do size[d] = input:size(d) end
      long:resizeAs(input):copy(input)
      long = long:view(-1, 1)
   else
      self:refuse('input', 'be a number or a tensor of numbers', input)
   end
   if long:nElement() > 0 and (long:min() < 1 or long:max() > self.outputSize) then
      self:refuse('input', ('hold numbers of 1..%d'):format(self.outputSize), ('%d..%d'):format(long:min(), long:max()))
   end
   size[#size + 1] = self.outputSize
   self.output:resize(long:size(1), self.outputSize):zero():scatter(2, long, 1)
   return self.output:resize(torch.LongStorage(size))
end

function OneHot:updateGradInput(input)
   if type(input) == 'number' then return 0 end
   return self.gradInput:resizeAs(input):zero()
end

return OneHot
