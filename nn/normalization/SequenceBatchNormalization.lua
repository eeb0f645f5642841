-- nn/normalization/SequenceBatchNormalization.lua - batch normalization with statistics over samples and steps.
local torch = require 'torch'

--- nn.BatchNormalization of sequences: mean and variance of each feature, the last dimension, over all samples and steps.
-- Put it between a layer's input and its recurrent part, not on the recurrent part. Inputs are steps x samples x nOutput or
-- samples x steps x nOutput, and matrices like the rows of nn.LSTM:packPaddedSequence, which hold no padding. Amodei et al.,
-- "Deep speech 2" (2015).
-- @param eps       default 1e-5
-- @param momentum  weight of the newest batch in the running estimates (default 0.1)
-- @param affine    false: no weight and bias
-- nn.SequenceBatchNormalization(3):forward(torch.ones(4, 2, 3)):size() --> {4, 2, 3}
local Sequence, Batch = torch.class('nn.SequenceBatchNormalization', 'nn.BatchNormalization')
Sequence.refusesFirst = false

local function rows(self, x, name)
   local n = self.running_mean:nElement()
   local dim = torch.isTensor(x) and x:dim()
   if (dim ~= 2 and dim ~= 3) or x:size(dim) ~= n then
      self:refuse(name, ('have 2 or 3 dimensions, the last of size %d'):format(n), x)
   end
   return x:contiguous():view(-1, n)
end

-- The base class works on rows, so the output becomes one of rows before the base class reads it.
local function as_rows(self, method, input, gradOutput, scale)
   local x, g = rows(self, input, 'input'), rows(self, gradOutput, 'gradOutput')
   if not g:isSameSizeAs(x) then self:refuse('gradOutput', 'have the shape of the output', gradOutput) end
   local result = Batch[method](self, x, g, scale)
   return result and result:resize(input:size())
end

function Sequence:updateOutput(input)
   Batch.updateOutput(self, rows(self, input, 'input'))
   return self.output:resizeAs(input)
end

function Sequence:updateGradInput(input, gradOutput) return as_rows(self, 'updateGradInput', input, gradOutput) end

function Sequence:accGradParameters(input, gradOutput, scale) as_rows(self, 'accGradParameters', input, gradOutput, scale) end

function Sequence:backward(input, gradOutput, scale) return as_rows(self, 'backward', input, gradOutput, scale) end

function Sequence:__tostring__() return ('%s(%d)'):format(torch.type(self), self.running_mean:nElement()) end

return Sequence
