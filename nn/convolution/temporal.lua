-- nn/convolution/temporal.lua - slides outputFrameSize filters over kW frames of all features.
local torch = require 'torch'
local sequences = require 'nn.support.sequences'

local whole = require 'nn.support.constants'.whole
local batch, steps, like = sequences.batch, sequences.steps, sequences.like

--- Slides outputFrameSize filters over kW frames of all features. Long filters are computed by Fourier transforms
-- (see torch.conv.explain).
-- @param dW  step, default 1
-- nn.TemporalConvolution(3, 4, 2):forward(torch.ones(5, 3)):size() --> {4, 4}
local Convolution, Module = torch.class('nn.TemporalConvolution', 'nn.Module')
Convolution.__arguments = 'inputFrameSize:size outputFrameSize:size kW:count dW:count?'

function Convolution:__init(inputFrameSize, outputFrameSize, kW, dW)
   Module.__init(self)
   self.inputFrameSize, self.outputFrameSize = inputFrameSize, outputFrameSize
   self.kW, self.dW = kW, dW or 1
   self:parameter('weight', outputFrameSize, inputFrameSize * kW)
   self:parameter('bias', outputFrameSize)
   self:reset()
end

function Convolution:reset(stdv)
   local a = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.kW * self.inputFrameSize)
   self.weight:uniform(-a, a)
   self.bias:uniform(-a, a)
end

-- A row for each output, the frames of a window one after the other.
local function matrix(w) return w:view(w:size(1), -1) end

-- The windows of all samples as rows, samples x n x (kW * inputFrameSize); they overlap in memory and are only read.
local function windows(self, x, n)
   local size = self.inputFrameSize
   return x.new():set(x:storage(), x:storageOffset(), torch.LongStorage{x:size(1), n, self.kW * size},
      torch.LongStorage{x:size(2) * size, self.dW * size, 1})
end

-- For each of n samples the transposed matrix.
local function turned(m, n)
   return m.new():set(m:storage(), m:storageOffset(), torch.LongStorage{n, m:size(2), m:size(1)},
      torch.LongStorage{0, m:stride(2), m:stride(1)})
end

-- Frames x features as images of one row whose planes are the features; a view.
local function image(x) return x:view(x:size(1), 1, x:size(2), x:size(3)):permute(1, 4, 2, 3) end
local function kernels(self, w) return w:view(self.outputFrameSize, 1, self.kW, self.inputFrameSize):permute(1, 4, 2, 3) end

-- Whether torch.conv2d computes this pass. If it has no better engine than gemm, products of the windows with the weights are
-- as fast, and need no copies of the frames. torch.conv.benchmark measures in torch.conv2d.
local function byImages(self, pass, x)
   if self.dW ~= 1 then return false end
   if torch.conv.benchmark then return true end
   local engine = torch.conv.engine or torch.conv.choice(pass, image(x), kernels(self, self.weight))
   return engine ~= 'gemm'
end

function Convolution:updateOutput(input)
   self:needType(input)
   local x = batch(self, input, self.inputFrameSize)
   local n = steps(self, x, self.kW, self.dW)
   self.output:resize(x:size(1), n, self.outputFrameSize)
   if x:size(1) == 0 then return self.output end
   if byImages(self, 'forward', x) then
      torch.conv2d(image(self.output), image(x), kernels(self, self.weight), self.bias)
      return like(input, self.output)
   end
   self.output:copy(self.bias:view(1, 1, -1):expandAs(self.output))
   self.output:baddbmm(windows(self, x, n), turned(matrix(self.weight), x:size(1)))
   return like(input, self.output)
end

function Convolution:updateGradInput(input, gradOutput)
   if not self.gradInput then return end
   local x, g = batch(self, input, self.inputFrameSize), batch(self, gradOutput, self.outputFrameSize)
   local n, size, w = g:size(2), self.inputFrameSize, matrix(self.weight)
   self.gradInput:resizeAs(x):zero()
   if x:size(1) == 0 then return self.gradInput end
   if byImages(self, 'gradInput', x) then
      torch.conv2d_grad_input(image(self.gradInput), image(x), image(g), kernels(self, self.weight))
      return like(input, self.gradInput)
   end
   local rows, part = g:view(-1, self.outputFrameSize), x.new()
   for k = 1, self.kW do                             -- for one frame of the windows nothing overlaps
      torch.mm(part, rows, w:narrow(2, (k - 1) * size + 1, size))
      x.new():set(self.gradInput:storage(), self.gradInput:storageOffset() + (k - 1) * size, torch.LongStorage{x:size(1), n, size},
         torch.LongStorage{x:size(2) * size, self.dW * size, 1}):add(part:view(x:size(1), n, size))
   end
   return like(input, self.gradInput)
end

function Convolution:accGradParameters(input, gradOutput, scale)
   scale = scale or 1
   local x, g = batch(self, input, self.inputFrameSize), batch(self, gradOutput, self.outputFrameSize)
   if x:size(1) == 0 then return end
   if byImages(self, 'gradWeight', x) then
      torch.conv2d_grad_weight(kernels(self, self.gradWeight), self.gradBias, image(x), image(g), scale)
      return
   end
   matrix(self.gradWeight):addbmm(scale, g:transpose(2, 3), windows(self, x, g:size(2)))
   self.gradBias:add(scale, g:view(-1, self.outputFrameSize):sum(1):view(-1))
end

Convolution.sharedAccUpdateGradParameters = Module.defaultAccUpdateGradParameters

--- nn.TemporalConvolutionFB(inputFrameSize, outputFrameSize, kW, [dW]): nn.TemporalConvolution with fbcunn's name and its weight
-- of three dimensions, outputFrameSize x kW x inputFrameSize.
-- nn.TemporalConvolutionFB(3, 4, 2).weight:size() --> {4, 2, 3}
local FB = torch.class('nn.TemporalConvolutionFB', 'nn.TemporalConvolution')

function FB:__init(inputFrameSize, outputFrameSize, kW, dW)
   whole('nn.TemporalConvolutionFB', 'inputFrameSize', inputFrameSize)
   whole('nn.TemporalConvolutionFB', 'outputFrameSize', outputFrameSize)
   whole('nn.TemporalConvolutionFB', 'kW', kW)
   whole('nn.TemporalConvolutionFB', 'dW', dW or 1)
   Convolution.__init(self, inputFrameSize, outputFrameSize, kW, dW)
   self.weight:resize(outputFrameSize, kW, inputFrameSize)
   self.gradWeight:resize(outputFrameSize, kW, inputFrameSize)
end

return Convolution
