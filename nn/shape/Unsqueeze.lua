-- nn/shape/Unsqueeze.lua - inserts a dimension of size 1.
local torch = require 'torch'
local utils = require 'nn.utils'

--- Inserts a dimension of size 1 before dimension `pos` (negative: from the end).
-- @param numInputDims  dimensions of one sample: with one more, `pos` counts after the batch's
-- nn.Unsqueeze(2):forward(torch.ones(3, 2)):size() --> {3, 1, 2}
local Unsqueeze, Module = torch.class('nn.Unsqueeze', 'nn.Module')
Unsqueeze.__arguments = 'pos:place numInputDims:whole?'
Unsqueeze.bufferNames = {'_gradOutput'}

function Unsqueeze:__init(pos, numInputDims)
   Module.__init(self)
   self.pos = pos
   self:setNumInputDims(numInputDims)
end

--- How many dimensions one sample has: an input with one more is a batch. Returns self.
function Unsqueeze:setNumInputDims(n)
   self.numInputDims = n
   return self
end

function Unsqueeze:_getActualPosition(input)
   self:needTensor(input)
   local n, pos = input:dim(), self.pos
   local dims = self.numInputDims or n
   if pos < 0 then pos = dims + pos + 2 end
   pos = pos + n - dims
   if pos < 1 or pos > n + 1 then
      self:refuse('input', ('have a place for a dimension %d'):format(self.pos), input)
   end
   return pos
end

function Unsqueeze:updateOutput(input)
   return utils.addSingletonDimension(self.output, input, self:_getActualPosition(input))
end

function Unsqueeze:updateGradInput(input, gradOutput)
   return self.gradInput:view(self:packed('_gradOutput', gradOutput), input:size())
end

function Unsqueeze:__tostring__() return ('%s(dim %d)'):format(torch.type(self), self.pos) end

return Unsqueeze
