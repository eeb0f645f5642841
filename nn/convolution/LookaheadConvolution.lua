-- nn/convolution/LookaheadConvolution.lua - each feature gets a weighted sum of its next few steps.
local torch = require 'torch'
local whole = require 'nn.support.constants'.whole

--- y[t][i] = sum of weight[i][j] x[t + j - 1][i] for j = 1 .. context + 1, with zeros behind the end. It shows a recurrent
-- layer of one direction a little of the future. Inputs are (samples x) steps x features; the output is as long. There is
-- no bias. Wang et al., "Lookahead convolution layer for unidirectional recurrent neural networks" (2016). Without the zeros it
-- is nn.TemporalRowConvolution.
-- @param context    how many steps ahead (80 in "Deep speech 2"), at least 0
-- @param featFirst  true: inputs are (samples x) features x steps
-- nn.LookaheadConvolution(3, 2):forward(torch.ones(5, 3)):size() --> {5, 3}
local Lookahead, Row = torch.class('nn.LookaheadConvolution', 'nn.TemporalRowConvolution')
Lookahead.bufferNames = {'_zeros', '_padded', '_grad'}

function Lookahead:__init(inputFrameSize, context, featFirst)
   whole('nn.LookaheadConvolution', 'inputFrameSize', inputFrameSize)
   Row.__init(self, inputFrameSize, whole('nn.LookaheadConvolution', 'context', context, 0) + 1, 1, featFirst)
   self:noBias()
end

-- The input with zeros behind its end, and the dimension of the steps.
local function padded(self, input)
   local n = torch.isTensor(input) and input:dim()
   if (n ~= 2 and n ~= 3) or input:nElement() == 0 then
      self:refuse('input', 'have steps and features, with or without samples', input)
   end
   local dim = self.featFirst and n or n - 1
   local size, steps = input:size(), input:size(dim)
   size[dim] = steps + self.kW - 1
   local x = self:scratch('_padded', input:type()):resize(size):zero()
   x:narrow(dim, 1, steps):copy(input)
   return x, dim, steps
end

function Lookahead:updateOutput(input)
   return Row.updateOutput(self, (padded(self, input)))
end

function Lookahead:updateGradInput(input, gradOutput)
   local x, dim, steps = padded(self, input)
   local kept = self.gradInput
   self.gradInput = self:scratch('_grad', input:type())
   local g = Row.updateGradInput(self, x, gradOutput)
   self.gradInput = kept
   return kept:resize(input:size()):copy(g:narrow(dim, 1, steps))
end

function Lookahead:accGradParameters(input, gradOutput, scale)
   Row.accGradParameters(self, (padded(self, input)), gradOutput, scale)
end

function Lookahead:__tostring__()
   return ('%s(%d, %d)'):format(torch.type(self), self.inputFrameSize, self.kW - 1)
end

return Lookahead
