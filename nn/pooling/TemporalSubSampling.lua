-- nn/pooling/TemporalSubSampling.lua - weight * (sum over each window of kW frames) + bias.
local torch = require 'torch'
local sequences = require 'nn.support.sequences'

local batch, steps, like = sequences.batch, sequences.steps, sequences.like

--- weight * (sum over each window of kW frames) + bias, a weight and bias for each feature.
-- @param dW  step, default 1
-- nn.TemporalSubSampling(2, 3, 2):forward(torch.ones(7, 2)):size() --> {3, 2}
local SubSampling, Module = torch.class('nn.TemporalSubSampling', 'nn.Module')
SubSampling.__arguments = 'inputFrameSize:size kW:count dW:count?'

function SubSampling:__init(inputFrameSize, kW, dW)
   Module.__init(self)
   self.inputFrameSize, self.kW, self.dW = inputFrameSize, kW, dW or 1
   self:parameter('weight', inputFrameSize)
   self:parameter('bias', inputFrameSize)
   self:reset()
end

function SubSampling:reset(stdv)
   local a = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.kW)
   self.weight:uniform(-a, a)
   self.bias:uniform(-a, a)
end

local function sums(self, input)
   local x = batch(self, input, self.inputFrameSize)
   steps(self, x, self.kW, self.dW)
   return x:unfold(2, self.kW, self.dW):sum(4):select(4, 1), x
end

local function stretch(v, x) return v:view(1, 1, -1):expandAs(x) end

function SubSampling:updateOutput(input)
   local s = sums(self, input)
   self.output:resizeAs(s):copy(s)
   self.output:cmul(stretch(self.weight, s)):add(stretch(self.bias, s))
   return like(input, self.output)
end

function SubSampling:updateGradInput(input, gradOutput)
   if not self.gradInput then return end
   local x, g = batch(self, input, self.inputFrameSize), batch(self, gradOutput, self.inputFrameSize)
   self.gradInput:resizeAs(x):zero()
   local view = self.gradInput:unfold(2, self.kW, self.dW)
   local part = torch.cmul(g, stretch(self.weight, g))
   for k = 1, self.kW do view:select(4, k):add(part) end
   return like(input, self.gradInput)
end

function SubSampling:accGradParameters(input, gradOutput, scale)
   local g = batch(self, gradOutput, self.inputFrameSize)
   self.gradWeight:add(scale or 1, torch.cmul(sums(self, input), g):sum(1):sum(2):view(-1))
   self.gradBias:add(scale or 1, g:sum(1):sum(2):view(-1))
end

return SubSampling
