-- nn/pooling/TemporalMaxPooling.lua - the largest value of each feature in windows of kW frames.
local torch = require 'torch'
local sequences = require 'nn.support.sequences'

local batch, steps, like = sequences.batch, sequences.steps, sequences.like

--- The largest value of each feature in windows of kW frames.
-- @param dW  step, default kW
-- nn.TemporalMaxPooling(2, 2):forward(torch.range(1, 4):view(4, 1)) --> {{2}, {4}}
local MaxPooling, Module = torch.class('nn.TemporalMaxPooling', 'nn.Module')
MaxPooling.__arguments = 'kW:count dW:count?'
MaxPooling.bufferNames = {'indices'}

function MaxPooling:__init(kW, dW)
   Module.__init(self)
   self.kW, self.dW = kW, dW or kW
end

function MaxPooling:updateOutput(input)
   local x = batch(self, input)
   steps(self, x, self.kW, self.dW)
   local largest, at = x:unfold(2, self.kW, self.dW):max(4)                    -- samples x windows x features x kW
   self.indices = at:select(4, 1)
   self.output:resizeAs(self.indices):copy(largest:select(4, 1))
   return like(input, self.output)
end

function MaxPooling:updateGradInput(input, gradOutput)
   local x, g = batch(self, input), batch(self, gradOutput)
   self.gradInput:resizeAs(x):zero()
   local view = self.gradInput:unfold(2, self.kW, self.dW)
   for k = 1, self.kW do view:select(4, k):add(g:clone():maskedFill(self.indices:ne(k), 0)) end
   return like(input, self.gradInput)
end

--- clearState under an older name.
function MaxPooling:empty() self:clearState() end

return MaxPooling
