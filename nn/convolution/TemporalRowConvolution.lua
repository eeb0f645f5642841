-- nn/convolution/TemporalRowConvolution.lua - a separate filter of kW frames for each feature (lookahead convolution).
local torch = require 'torch'
local sequences = require 'nn.support.sequences'

local rows = sequences.rows

--- A separate filter of kW frames for each feature (lookahead convolution). Wang et al., "Lookahead convolution layer
-- for unidirectional recurrent neural networks" (2016).
-- @param dW         step, default 1
-- @param featFirst  true: inputs are (samples x) features x frames
-- nn.TemporalRowConvolution(3, 2):forward(torch.ones(5, 3)):size() --> {4, 3}
local RowConvolution, Module = torch.class('nn.TemporalRowConvolution', 'nn.Module')
RowConvolution.__arguments = 'inputFrameSize:size kW:count dW:count?'
RowConvolution.bufferNames = {'_zeros', '_x', '_g'}

function RowConvolution:__init(inputFrameSize, kW, dW, featFirst)
   Module.__init(self)
   self.inputFrameSize, self.kW, self.dW = inputFrameSize, kW, dW or 1
   self.featFirst = featFirst or false
   self:parameter('weight', inputFrameSize, 1, kW)
   self:parameter('bias', inputFrameSize)
   self:reset()
end

function RowConvolution:reset(stdv)
   local a = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.kW * self.inputFrameSize)
   self.weight:uniform(-a, a)
   if self.bias then self.bias:uniform(-a, a) end
end

--- Removes the bias. Returns self.
function RowConvolution:noBias()
   self.bias, self.gradBias = nil, nil
   return self
end

-- Converts back into the form of the input.
local function back(self, input, y, to)
   y = y:view(y:size(1), y:size(2), y:size(4))
   if not self.featFirst then y = y:transpose(2, 3) end
   to:resizeAs(y):copy(y)
   return input:dim() == 2 and to:resize(to:size(2), to:size(3)) or to
end

local function filters(w) return w:view(w:size(1), 1, 1, w:size(3)) end

function RowConvolution:updateOutput(input)
   local x = rows(self, input)
   local bias = self.bias or self:scratch '_zeros':resize(self.inputFrameSize):zero()
   local y = torch.conv2d(x.new(), x, filters(self.weight), bias, 1, self.dW, 0, 0, 1, 1, self.inputFrameSize)
   return back(self, input, y, self.output)
end

-- gradOutput as images of one row.
local function gradRows(self, g)
   local n = g:dim()
   if not self.featFirst then g = g:transpose(n - 1, n) end
   return g:contiguous():view(n == 3 and g:size(1) or 1, g:size(n - 1), 1, g:size(n))
end

function RowConvolution:updateGradInput(input, gradOutput)
   if not self.gradInput then return end
   local x = rows(self, input)
   local g = torch.conv2d_grad_input(x.new(), x, gradRows(self, gradOutput), filters(self.weight), 1, self.dW, 0, 0, 1, 1,
      self.inputFrameSize)
   return back(self, input, g, self.gradInput)
end

function RowConvolution:accGradParameters(input, gradOutput, scale)
   torch.conv2d_grad_weight(filters(self.gradWeight), self.gradBias, rows(self, input), gradRows(self, gradOutput),
      scale or 1, 1, self.dW, 0, 0, 1, 1, self.inputFrameSize)
end

function RowConvolution:__tostring__()
   local step = self.dW ~= 1 and (', %d'):format(self.dW) or ''
   return ('%s(%d, %d%s)%s'):format(torch.type(self), self.inputFrameSize, self.kW, step,
      self.bias and '' or ' without bias')
end

return RowConvolution
