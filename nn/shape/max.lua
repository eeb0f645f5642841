-- nn/shape/max.lua - the largest and the smallest element along one dimension.
local torch = require 'torch'
local dims = require 'nn.support.dims'

--- nn.Max([dimension], [nInputDims]): The largest elements along a dimension (default 1; negative: from the end).
-- @param nInputDims  dimensions of one sample: with one more, `dimension` counts after the batch's
-- nn.Max(1):forward(torch.Tensor{{1, 4}, {3, 2}}) --> {3, 4}

--- nn.Min([dimension], [nInputDims]): The smallest elements along a dimension; arguments as of nn.Max.
-- nn.Min(1):forward(torch.Tensor{{1, 4}, {3, 2}}) --> {1, 2}
for op, Class in pairs{max = torch.class('nn.Max', 'nn.Module'), min = torch.class('nn.Min', 'nn.Module')} do
   local Module = getmetatable(Class)
   Class.__arguments = 'dimension:place? nInputDims:whole?'
   Class.bufferNames = {'_output', '_indices', '_gradOutput'}

   function Class:__init(dimension, nInputDims)
      Module.__init(self)
      self.dimension = dimension or 1
      self.nInputDims = nInputDims
   end

   function Class:_getPositiveDimension(input) return dims.of(self, input, self.dimension, self.nInputDims) end

   -- Makes the buffers of the values and of their positions.
   function Class:_lazyInit()
      self:scratch('_output')
      self:scratch('_indices', 'torch.LongTensor')
   end

   function Class:updateOutput(input)
      local dim = self:_getPositiveDimension(input)
      self:_lazyInit()
      local largest = self._output
      torch[op](largest, self._indices, input, dim)
      self.output:set(input:dim() > 1 and largest:select(dim, 1) or largest)
      return self.output
   end

   function Class:updateGradInput(input, gradOutput)
      local dim = self:_getPositiveDimension(input)
      gradOutput = self:packed('_gradOutput', gradOutput)
      self.gradInput:resizeAs(input):zero()
      self.gradInput:scatter(dim, self._indices, gradOutput:view(self._indices:size()))
      return self.gradInput
   end
end
