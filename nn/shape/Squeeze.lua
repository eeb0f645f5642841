-- nn/shape/Squeeze.lua - drops dimensions of size 1.
local torch = require 'torch'

--- Drops all dimensions of size 1, or the one named, if its size is 1.
-- @param numInputDims  dimensions of one sample: with one more, `dim` counts after the batch's
-- nn.Squeeze():forward(torch.ones(1, 3, 1, 2)):size() --> {3, 2}
local Squeeze, Module = torch.class('nn.Squeeze', 'nn.Module')
Squeeze.__arguments = 'dim:place? numInputDims:whole?'
Squeeze.bufferNames = {'_gradOutput'}

function Squeeze:__init(dim, numInputDims)
   Module.__init(self)
   self.dim = dim
   self:setNumInputDims(numInputDims)
end

--- How many dimensions one sample has: an input with one more is a batch. Returns self.
function Squeeze:setNumInputDims(n)
   self.numInputDims = n
   return self
end

function Squeeze:updateOutput(input)
   self:needTensor(input)
   local dim = self.dim
   if dim and self.numInputDims and input:dim() == self.numInputDims + 1 then dim = dim + 1 end
   if dim and (dim < 1 or dim > input:dim()) then
      self:refuse('input', ('have a dimension %d'):format(self.dim), input)
   end
   self.output:set(dim and input:squeeze(dim) or input)
   if not dim then
      -- A tensor of one element stays a tensor: all but one dimension are dropped. The dimension of the batch stays, even with
      -- size 1.
      local samples = self.numInputDims and input:dim() == self.numInputDims + 1
      local size, stride = {}, {}
      for i = 1, input:dim() do
         if input:size(i) ~= 1 or (samples and i == 1) then size[#size + 1], stride[#stride + 1] = input:size(i), input:stride(i) end
      end
      if #size == 0 then size[1], stride[1] = 1, 1 end
      self.output:set(input:storage(), input:storageOffset(), torch.LongStorage(size), torch.LongStorage(stride))
   end
   return self.output
end

function Squeeze:updateGradInput(input, gradOutput)
   return self.gradInput:view(self:packed('_gradOutput', gradOutput), input:size())
end

return Squeeze
