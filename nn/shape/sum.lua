-- nn/shape/sum.lua - the sum, and the mean, along one dimension.
local torch = require 'torch'
local dims = require 'nn.support.dims'

--- Sums over a dimension (default 1; negative: from the end).
-- @param nInputDims   dimensions of one sample: with one more, `dimension` counts after the batch's
-- @param sizeAverage  true: the mean
-- @param squeeze      false: the dimension stays, with size 1
-- nn.Sum(1):forward(torch.Tensor{{1, 2}, {3, 4}}) --> {4, 6}
local Sum, Module = torch.class('nn.Sum', 'nn.Module')
Sum.__arguments = 'dimension:place? nInputDims:whole?'
Sum.bufferNames = {'_gradOutput'}

function Sum:__init(dimension, nInputDims, sizeAverage, squeeze)
   Module.__init(self)
   self.dimension = dimension or 1
   self.nInputDims = nInputDims
   self.sizeAverage = sizeAverage or false
   self.squeeze = squeeze == nil or squeeze
end

function Sum:_getPositiveDimension(input) return dims.of(self, input, self.dimension, self.nInputDims) end

-- The sizes with dimension dim of size 1.
local function kept(input, dim)
   local size = input:size()
   size[dim] = 1
   return size
end

function Sum:updateOutput(input)
   local dim = self:_getPositiveDimension(input)
   torch.sum(self.output, input, dim)
   if self.sizeAverage then self.output:div(input:size(dim)) end
   if self.squeeze == false then
      self.output:resize(kept(input, dim))
   elseif self.output:dim() == input:dim() and input:dim() > 1 then
      self.output:set(self.output:select(dim, 1))
   end
   return self.output
end

function Sum:updateGradInput(input, gradOutput)
   local dim = self:_getPositiveDimension(input)
   gradOutput = self:packed('_gradOutput', gradOutput)
   local g = gradOutput:view(kept(input, dim)):expandAs(input)
   self.gradInput:resizeAs(input):copy(g)
   if self.sizeAverage then self.gradInput:div(input:size(dim)) end
   return self.gradInput
end

--- The mean over a dimension.
-- nn.Mean(1):forward(torch.Tensor{{1, 2}, {3, 4}}) --> {2, 3}
local Mean = torch.class('nn.Mean', 'nn.Sum')
Mean.__arguments = 'dimension:place? nInputDims:whole?'

function Mean:__init(dimension, nInputDims) Sum.__init(self, dimension, nInputDims, true) end

return Sum
