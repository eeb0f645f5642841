-- nn/temporal.lua - layers on sequences: frames x features, or samples x frames x features.
local torch = require 'torch'

-- The input as a contiguous batch.
local function batch(self, input, features)
   local n = torch.isTensor(input) and input:dim()
   if (n ~= 2 and n ~= 3) or (features and input:size(n) ~= features) then
      local form = ('frames x %s'):format(features or 'features')
      self:refuse('input', ('be %s or samples x %s'):format(form, form), input)
   end
   return n == 3 and input:contiguous() or input:contiguous():view(1, input:size(1), input:size(2))
end

-- How many windows of kW frames there are.
local function steps(self, x, kW, dW)
   if x:size(2) < kW then self:refuse('input', ('have at least %d frames'):format(kW), x) end
   return math.floor((tonumber(x:size(2)) - kW) / dW) + 1
end

-- A result for a batch in the form of the input.
local function like(input, y)
   return input:dim() == 2 and y:resize(y:size(2), y:size(3)) or y
end

--- Slides outputFrameSize filters over kW frames of all features.
--- @param dW  step, default 1
local Convolution, Module = torch.class('nn.TemporalConvolution', 'nn.Module')

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

-- The windows of sample s as rows; they overlap in memory and are only read.
local function windows(self, x, s, n)
   local from = x[s]
   return x.new():set(from:storage(), from:storageOffset(), torch.LongStorage{n, self.kW * self.inputFrameSize},
      torch.LongStorage{self.dW * self.inputFrameSize, 1})
end

function Convolution:updateOutput(input)
   local x = batch(self, input, self.inputFrameSize)
   local n = steps(self, x, self.kW, self.dW)
   self.output:resize(x:size(1), n, self.outputFrameSize)
   local wT = self.weight:t()
   for s = 1, x:size(1) do
      local y = self.output[s]
      y:copy(self.bias:view(1, -1):expandAs(y))
      y:addmm(windows(self, x, s, n), wT)
   end
   return like(input, self.output)
end

function Convolution:updateGradInput(input, gradOutput)
   local x, g = batch(self, input, self.inputFrameSize), batch(self, gradOutput, self.outputFrameSize)
   local n, size = g:size(2), self.inputFrameSize
   self.gradInput:resize(x:size()):zero()
   for s = 1, x:size(1) do
      local to = self.gradInput[s]
      for k = 1, self.kW do                          -- frame k of every window: these do not overlap
         local rows = x.new():set(to:storage(), to:storageOffset() + (k - 1) * size, torch.LongStorage{n, size},
            torch.LongStorage{self.dW * size, 1})
         rows:add(torch.mm(g[s], self.weight:narrow(2, (k - 1) * size + 1, size)))
      end
   end
   return like(input, self.gradInput)
end

function Convolution:accGradParameters(input, gradOutput, scale)
   scale = scale or 1
   local x, g = batch(self, input, self.inputFrameSize), batch(self, gradOutput, self.outputFrameSize)
   for s = 1, x:size(1) do
      self.gradWeight:addmm(scale, g[s]:t(), windows(self, x, s, g:size(2)))
      self.gradBias:add(scale, g[s]:sum(1):view(-1))
   end
end

Convolution.sharedAccUpdateGradParameters = Module.defaultAccUpdateGradParameters

--- The largest value of each feature in windows of kW frames.
--- @param dW  step, default kW
local MaxPooling = torch.class('nn.TemporalMaxPooling', 'nn.Module')
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
   self.output:resize(self.indices:size()):copy(largest:select(4, 1))
   return like(input, self.output)
end

function MaxPooling:updateGradInput(input, gradOutput)
   local x, g = batch(self, input), batch(self, gradOutput)
   self.gradInput:resize(x:size()):zero()
   local view = self.gradInput:unfold(2, self.kW, self.dW)
   for k = 1, self.kW do view:select(4, k):add(g:clone():maskedFill(self.indices:ne(k), 0)) end
   return like(input, self.gradInput)
end

function MaxPooling:empty() self:clearState() end

--- weight * (sum over each window of kW frames) + bias, a weight and bias for each feature.
--- @param dW  step, default 1
local SubSampling = torch.class('nn.TemporalSubSampling', 'nn.Module')

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
   self.output:resize(s:size()):copy(s)
   self.output:cmul(stretch(self.weight, s)):add(stretch(self.bias, s))
   return like(input, self.output)
end

function SubSampling:updateGradInput(input, gradOutput)
   local x, g = batch(self, input, self.inputFrameSize), batch(self, gradOutput, self.inputFrameSize)
   self.gradInput:resize(x:size()):zero()
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

--- The k largest values of each feature, in the order in which they come. Kalchbrenner et al., "A convolutional neural
--- network for modelling sentences" (2014).
--- @param minK    the least k
--- @param factor  k is at least this share of the frames, default 0
local KMaxPooling = torch.class('nn.TemporalDynamicKMaxPooling', 'nn.Module')
KMaxPooling.bufferNames = {'indices'}

function KMaxPooling:__init(minK, factor)
   Module.__init(self)
   self.minK, self.factor = minK, factor or 0
end

function KMaxPooling:updateOutput(input)
   local x = batch(self, input)
   local k = math.max(self.minK, math.ceil(self.factor * tonumber(x:size(2))))
   if k > x:size(2) then self:refuse('input', ('have at least %d frames'):format(k), input) end
   local _, at = x:topk(k, 2, true)
   self.indices = at:sort(2)
   local y = x:gather(2, self.indices)
   self.output:resize(y:size()):copy(y)
   return like(input, self.output)
end

function KMaxPooling:updateGradInput(input, gradOutput)
   local x, g = batch(self, input), batch(self, gradOutput)
   self.gradInput:resize(x:size()):zero():scatter(2, self.indices, g)
   return like(input, self.gradInput)
end

--- Each feature has a filter of kW frames of its own (lookahead convolution). Wang et al., "Lookahead convolution layer
--- for unidirectional recurrent neural networks" (2016).
--- @param dW         step, default 1
--- @param featFirst  true: inputs are (samples x) features x frames
local RowConvolution = torch.class('nn.TemporalRowConvolution', 'nn.Module')
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

-- As images of one row: samples x features x 1 x frames.
local function rows(self, x)
   local n = torch.isTensor(x) and x:dim()
   if n ~= 2 and n ~= 3 then self:refuse('input', 'have 2 or 3 dimensions', x) end
   if not self.featFirst then x = x:transpose(n - 1, n) end
   if x:size(n - 1) ~= self.inputFrameSize then
      self:refuse('input', ('have %d features'):format(self.inputFrameSize), x)
   end
   if x:size(n) < self.kW and x ~= self.output then
      self:refuse('input', ('have at least %d frames'):format(self.kW), x)
   end
   return x:contiguous():view(n == 3 and x:size(1) or 1, x:size(n - 1), 1, x:size(n))
end

-- Back into the form of the input.
local function back(self, input, y, to)
   y = y:view(y:size(1), y:size(2), y:size(4))
   if not self.featFirst then y = y:transpose(2, 3) end
   to:resize(y:size()):copy(y)
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

--- (sum of |x|^power over each window of features)^(1/power). An input is features (x height x width), in batch mode
--- with samples in front.
--- @param width,stride  of the windows
--- @param power         default 2
--- @param batch_mode    true: the features are dimension 2
local FeatureLPPooling = torch.class('nn.FeatureLPPooling', 'nn.Module')

function FeatureLPPooling:__init(width, stride, power, batch_mode)
   Module.__init(self)
   self.width, self.stride, self.power = width, stride, power or 2
   self.batch_mode = batch_mode or false
   if width < 2 or stride < 1 then
      error(('nn.FeatureLPPooling: width must be at least 2 and stride at least 1, got %s and %s'):format(width, stride), 3)
   end
end

local function features(self, input)
   local dim = self.batch_mode and 2 or 1
   if not torch.isTensor(input) or input:dim() < dim or input:size(dim) < self.width then
      self:refuse('input', ('have at least %d features in dimension %d'):format(self.width, dim), input)
   end
   return dim
end

function FeatureLPPooling:updateOutput(input)
   local dim, n = features(self, input), input:dim()
   local y = torch.abs(input):pow(self.power):unfold(dim, self.width, self.stride):sum(n + 1):select(n + 1, 1)
   self.output:resize(y:size()):copy(y)
   return self.output:pow(1 / self.power)
end

-- dy/dx = sign(x) |x|^(p-1) y^(1-p), 0 where y is
function FeatureLPPooling:updateGradInput(input, gradOutput)
   local dim, n = features(self, input), input:dim()
   local part = torch.pow(self.output, 1 - self.power):maskedFill(self.output:eq(0), 0):cmul(gradOutput)
   self.gradInput:resize(input:size()):zero()
   local view = self.gradInput:unfold(dim, self.width, self.stride)
   for k = 1, self.width do view:select(n + 1, k):add(part) end
   return self.gradInput:cmul(torch.abs(input):pow(self.power - 1)):cmul(torch.sign(input))
end

function FeatureLPPooling:__tostring__()
   return ('%s(w %d, s %d, p %g)'):format(torch.type(self), self.width, self.stride, self.power)
end
