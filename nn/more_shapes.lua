-- nn/more_shapes.lua - Bottle, Collapse, Convert, Index, OneHot, PixelShuffle, Constant.
local torch = require 'torch'
local utils = require 'nn.utils'

--- Merges leading dimensions, so that a module for batches works on more of them: samples x time x features becomes
--- (samples * time) x features and back.
--- @param nInputDim   dimensions that the module expects, its batch included (default 2)
--- @param nOutputDim  dimensions that it gives (default: as many)
local Bottle, Decorator = torch.class('nn.Bottle', 'nn.Decorator')
Bottle.bufferNames = {'_input', '_gradOutput'}

function Bottle:__init(module, nInputDim, nOutputDim)
   Decorator.__init(self, module)
   self.nInputDim = nInputDim or 2
   self.nOutputDim = nOutputDim or self.nInputDim
   self.dimDelta = self.nInputDim - self.nOutputDim
end

-- x with its leading dimensions merged until `dims` are left, and the sizes of those.
local function merged(x, dims)
   local lead, size = {}, {1}
   for d = 1, x:dim() do
      if d <= x:dim() - dims + 1 then
         lead[d] = tonumber(x:size(d))
         size[1] = size[1] * lead[d]
      else
         size[#size + 1] = tonumber(x:size(d))
      end
   end
   return x:contiguous():view(torch.LongStorage(size)), lead
end

function Bottle:updateOutput(input)
   if not torch.isTensor(input) or input:dim() < self.nInputDim then
      self:refuse('input', ('have at least %d dimensions'):format(self.nInputDim), input)
   end
   local x, lead = merged(input, self.nInputDim)
   local y = self.modules[1]:updateOutput(x)
   if #lead < 2 then
      self.output:set(y)
      return self.output
   end
   for d = 2, y:dim() do lead[#lead + 1] = tonumber(y:size(d)) end
   self.output:set(y:contiguous():view(torch.LongStorage(lead)))
   return self.output
end

-- What the module sees of input and gradOutput.
local function inner(self, input, gradOutput)
   local x, lead = merged(input, self.nInputDim)
   return x, (merged(gradOutput, gradOutput:dim() - #lead + 1))
end

function Bottle:updateGradInput(input, gradOutput)
   local x, g = inner(self, input, gradOutput)
   self.gradInput:set(self.modules[1]:updateGradInput(x, g):contiguous():view(input:size()))
   return self.gradInput
end

function Bottle:accGradParameters(input, gradOutput, scale)
   local x, g = inner(self, input, gradOutput)
   self.modules[1]:accGradParameters(x, g, scale)
end

--- Merges the dimensions of a sample into one.
--- @param nInputDim  dimensions of one sample: an input of more is a batch
local Collapse, Module = torch.class('nn.Collapse', 'nn.Module')
Collapse.bufferNames = {'_input', '_gradOutput'}

function Collapse:__init(nInputDim)
   Module.__init(self)
   self.nInputDim = nInputDim
end

function Collapse:updateOutput(input)
   local n = torch.isTensor(input) and input:dim() or 0
   if n < self.nInputDim then self:refuse('input', ('have at least %d dimensions'):format(self.nInputDim), input) end
   local size = {}
   for d = 1, n - self.nInputDim do size[d] = tonumber(input:size(d)) end
   size[#size + 1] = -1
   self.output:view(input:contiguous(), unpack(size))
   return self.output
end

function Collapse:updateGradInput(input, gradOutput)
   self.gradInput:view(gradOutput:contiguous(), input:size())
   return self.gradInput
end

--- Rearranges a batch: shapes are letters, b batch, c channel, h height, w width, f feature, t time.
--- @param inputShape,outputShape  the same letters in another order; or `bf`: everything but the batch merged; or `b`:
--- one element for each sample
local Convert, Container = torch.class('nn.Convert', 'nn.Container')

function Convert:__init(inputShape, outputShape)
   Container.__init(self)
   if not inputShape:find 'b' or not outputShape:find 'b' then
      error(('nn.Convert: shapes must have a batch dimension b, got %s and %s'):format(inputShape, outputShape), 3)
   end
   self.inputShape, self.outputShape = inputShape, outputShape
   self.inputBatchDim, self.outputBatchDim = self:findAxis('b', inputShape), self:findAxis('b', outputShape)
end

--- The place of a letter in a shape (default: the input's).
function Convert:findAxis(axis, shape) return (shape or self.inputShape):find(axis, 1, true) end

-- For each letter of `to` its place in `from`; nil when they are not the same letters.
local function order(from, to)
   local places = {}
   if #from ~= #to then return nil end
   for i = 1, #to do
      places[i] = from:find(to:sub(i, i), 1, true)
      if not places[i] then return nil end
   end
   return places
end

function Convert:updateOutput(input)
   if not torch.isTensor(input) or input:dim() ~= #self.inputShape then
      self:refuse('input', ('have the dimensions %s'):format(self.inputShape), input)
   end
   local places = order(self.inputShape, self.outputShape)
   local y
   if places then
      y = input:permute(unpack(places))
   else
      local b = self:findAxis 'b'
      y = (b == 1 and input or input:transpose(1, b)):contiguous():view(input:size(b), -1)
      if self.outputShape == 'b' then
         if y:size(2) ~= 1 then self:refuse('input', 'have one element for each sample', input) end
         y = y:select(2, 1)
      elseif self.outputShape ~= 'bf' then
         error(('nn.Convert: cannot make %s of %s'):format(self.outputShape, self.inputShape), 3)
      end
   end
   return self.output:resize(y:size()):copy(y)
end

function Convert:updateGradInput(input, gradOutput)
   local places = order(self.outputShape, self.inputShape)
   local g
   if places then
      g = gradOutput:permute(unpack(places))
   else
      local b, size = self:findAxis 'b', input:size()
      size[1], size[b] = size[b], size[1]
      g = gradOutput:contiguous():view(size)
      if b ~= 1 then g = g:transpose(1, b) end
   end
   return self.gradInput:resize(input:size()):copy(g)
end

function Convert:__tostring__() return torch.type(self) end

--- {tensor, LongTensor} to tensor:index(dimension, indices).
local Index = torch.class('nn.Index', 'nn.Module')

function Index:__init(dimension)
   Module.__init(self)
   self.dimension = dimension
   self.gradInput = {self.gradInput, self.gradInput.new()}
end

function Index:updateOutput(input)
   if type(input) ~= 'table' or not torch.isTensor(input[1]) or not torch.isTensor(input[2]) then
      self:refuse('input', 'be a tensor and its indices', input)
   end
   local y = input[1]:index(self.dimension, input[2])
   self.output:set(y)
   return self.output
end

function Index:updateGradInput(input, gradOutput)
   local g = self.gradInput
   if #g < 2 then
      g = {input[1].new(), input[1].new()}
      self.gradInput = g
   end
   g[1]:resize(input[1]:size()):zero():indexAdd(self.dimension, input[2], gradOutput)
   g[2]:resize(input[2]:size()):zero()
   return g
end

--- Vectors with a 1 at the place that the input names, and 0 elsewhere; in a new last dimension.
local OneHot = torch.class('nn.OneHot', 'nn.Module')

function OneHot:__init(outputSize)
   Module.__init(self)
   self.outputSize = outputSize
end

function OneHot:updateOutput(input)
   local size = {}
   local long = self:scratch('_long', 'torch.LongTensor')
   if type(input) == 'number' then
      long:resize(1, 1):fill(input)
   elseif torch.isTensor(input) then
      for d = 1, input:dim() do size[d] = input:size(d) end
      long:resize(input:size()):copy(input)
      long = long:view(-1, 1)
   else
      self:refuse('input', 'be a number or a tensor of numbers', input)
   end
   if long:nElement() > 0 and (long:min() < 1 or long:max() > self.outputSize) then
      self:refuse('input', ('hold numbers of 1..%d'):format(self.outputSize), ('%d..%d'):format(long:min(), long:max()))
   end
   size[#size + 1] = self.outputSize
   self.output:resize(long:size(1), self.outputSize):zero():scatter(2, long, 1)
   return self.output:resize(torch.LongStorage(size))
end

function OneHot:updateGradInput(input)
   if type(input) == 'number' then return 0 end
   return self.gradInput:resize(input:size()):zero()
end

--- r^2 planes become one that is r times as high and wide. Shi et al., "Real-time single image and video
--- super-resolution using an efficient sub-pixel convolutional neural network" (2016).
local PixelShuffle = torch.class('nn.PixelShuffle', 'nn.Module')
PixelShuffle.bufferNames = {'_intermediateShape', '_shuffleIn', '_shuffleOut'}

function PixelShuffle:__init(upscaleFactor)
   Module.__init(self)
   self.upscaleFactor = upscaleFactor
end

function PixelShuffle:updateOutput(input)
   local n, r = torch.isTensor(input) and input:dim() or 0, self.upscaleFactor
   if (n ~= 3 and n ~= 4) or input:size(n - 2) % (r * r) ~= 0 then
      self:refuse('input', ('have a multiple of %d planes'):format(r * r), input)
   end
   local c, h, w = input:size(n - 2) / (r * r), input:size(n - 1), input:size(n)
   local x = input:contiguous():view(-1, c, r, r, h, w):permute(1, 2, 5, 3, 6, 4)
   self.output:resize(x:size()):copy(x)
   if n == 3 then return self.output:resize(c, h * r, w * r) end
   return self.output:resize(input:size(1), c, h * r, w * r)
end

function PixelShuffle:updateGradInput(input, gradOutput)
   local n, r = input:dim(), self.upscaleFactor
   local c, h, w = input:size(n - 2) / (r * r), input:size(n - 1), input:size(n)
   local g = gradOutput:contiguous():view(-1, c, h, r, w, r):permute(1, 2, 4, 6, 3, 5)
   self.gradInput:resize(g:size()):copy(g)
   return self.gradInput:resize(input:size())
end

--- The same tensor whatever the input, once for each sample of a batch.
--- @param value      a tensor or a number
--- @param nInputDim  dimensions of one sample: an input of more is a batch; nil: it never is
local Constant = torch.class('nn.Constant', 'nn.Module')

function Constant:__init(value, nInputDim)
   Module.__init(self)
   self.value = type(value) == 'number' and torch.Tensor{value} or value
   self.nInputDim = nInputDim
   if not torch.isTensor(self.value) then
      error('nn.Constant: expected a tensor or a number, got ' .. utils.shape(value), 3)
   end
end

function Constant:updateOutput(input)
   self:needTensor(input)
   local v = self.value
   if self.nInputDim and input:dim() > self.nInputDim then
      local size = v:size():totable()
      v = v:contiguous():view(1, unpack(size)):expand(input:size(1), unpack(size))
   end
   return self.output:resize(v:size()):copy(v)
end

function Constant:updateGradInput(input) return self.gradInput:resize(input:size()):zero() end
