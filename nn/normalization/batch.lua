-- nn/normalization/batch.lua - each feature with mean 0 and variance 1 over the batch, then an affine map.
local torch = require 'torch'
local nn = require 'nn'
local whole = require 'nn.support.constants'.whole
local original = require 'torch.arg'.original

--- Each feature (dimension 2) with mean 0 and variance 1 over the batch, then an affine map:
-- y = (x - mean) / sqrt(variance + eps) * weight + bias. Ioffe and Szegedy, "Batch normalization"
-- (2015). In training mode mean and variance are those of the batch, and running estimates are
-- updated. In evaluation mode the running estimates are used, and one sample may be given without a
-- batch; the output is a batch of one.
-- @param eps       default 1e-5
-- @param momentum  weight of the newest batch in the running estimates (default 0.1)
-- @param affine    false: no weight and bias
-- A module of floats also takes halves: its output and gradInput are halves then, parameters and
-- estimates stay floats.
-- nn.BatchNormalization(3):forward(torch.ones(4, 3)):size() --> {4, 3}
local BatchNormalization, Module = torch.class('nn.BatchNormalization', 'nn.Module')
BatchNormalization.__arguments = 'nOutput:count eps:number? momentum:number?'
BatchNormalization.bufferNames = {'save_mean', 'save_std', 'buffer', 'buffer2', 'centered', 'std', 'normalized',
   '_input', '_gradOutput', '_scratch'}
BatchNormalization.refusesFirst = true
BatchNormalization.nDim = 2                                    -- of a batch

function BatchNormalization:__init(nOutput, eps, momentum, affine)
   Module.__init(self)
   whole(torch.type(self), 'nOutput', nOutput)
   self.affine = affine ~= false
   self.eps = eps or 1e-5
   self.train = true
   self.momentum = momentum or 0.1
   self.running_mean = torch.zeros(nOutput)
   self.running_var = torch.ones(nOutput)
   if self.affine then
      self:parameter('weight', nOutput)
      self:parameter('bias', nOutput)
      self:reset()
   end
end

--- Weights uniformly from [0, 1), biases 0, the running estimates 0 and 1.
function BatchNormalization:reset()
   if self.weight then self.weight:uniform() end
   if self.bias then self.bias:zero() end
   self.running_mean:zero()
   self.running_var:fill(1)
end

local function isBatch(self, x)
   return torch.isTensor(x) and x:dim() == self.nDim and x:size(2) == self.running_mean:nElement()
end

-- One sample, which counts in evaluation mode only.
local function isSample(self, x)
   return self.train == false and torch.isTensor(x) and x:dim() == self.nDim - 1
      and x:size(1) == self.running_mean:nElement()
end

--- Refuses what is not a batch of self.nDim dimensions with the right number of features; in evaluation mode also one
-- sample is right.
function BatchNormalization:checkInputDim(input)
   if not isBatch(self, input) and not isSample(self, input) then
      self:refuse('input', ('have %d dimensions, the second of size %d'):format(self.nDim, self.running_mean:nElement()),
         input)
   end
end

-- One sample as a batch.
local function batched(self, x)
   return isSample(self, x) and torch.unsqueeze(x, 1) or x
end

-- The output; with relu, its negative elements are 0.
local function output(self, input, relu)
   self.output = self:resultFor('output', input)
   torch.batchnorm(self.output, self:scratch 'save_mean', self:scratch 'save_std', input,
      self.weight, self.bias, self.running_mean, self.running_var, self.train ~= false,
      self.momentum, self.eps, relu)
   return self.output
end

function BatchNormalization:updateOutput(input)
   if not isBatch(self, input) then
      self:checkInputDim(input)
      input = batched(self, input)
   end
   return output(self, input, false)
end

-- With y, the output of a ReLU behind it in place, gradOutput becomes 0 where y is not positive.
local function grad(self, gradInput, input, gradOutput, gradWeight, gradBias, scale, y)
   if not self.save_mean or self.save_mean:nElement() == 0 then
      error(tostring(self) .. ': backward needs the forward before it', 4)
   end
   if self.train == false then input, gradOutput = batched(self, input), batched(self, gradOutput) end
   if not torch.isTensor(gradOutput) or not gradOutput:isSameSizeAs(input) then
      self:refuse('gradOutput', 'have the shape of the output', gradOutput)
   end
   torch.batchnorm_grad(gradInput, input, gradOutput, self.weight, self.save_mean, self.save_std, gradWeight, gradBias,
      self.train ~= false, scale, y, y and gradOutput)
   return gradInput
end

-- The gradients of both kinds.
local function grads(self, input, gradOutput, scale, y)
   self.gradInput = self:resultFor('gradInput', input)
   scale = scale or 1
   return grad(self, self.gradInput, input, gradOutput, self.gradWeight, self.gradBias, scale, y)
end

function BatchNormalization:updateGradInput(input, gradOutput)
   self.gradInput = self:resultFor('gradInput', input)
   return grad(self, self.gradInput, input, gradOutput, nil, nil, 1)
end

function BatchNormalization:accGradParameters(input, gradOutput, scale)
   if self.weight then
      grad(self, self:scratch('_scratch', input:type()), input, gradOutput, self.gradWeight,
         self.gradBias, scale or 1)
   end
end

function BatchNormalization:backward(input, gradOutput, scale)
   return grads(self, input, gradOutput, scale)
end

-- One op computes a normalization and an in-place ReLU behind it. All fields are as after the two
-- modules.
local ownOutput, ownBackward = BatchNormalization.updateOutput, BatchNormalization.backward

--- Whether updateOutputWith and backwardWith compute this module and `after`, which follows it in a
-- Sequential: an nn.ReLU in place. Methods that the program has replaced are called instead.
function BatchNormalization:joins(after, input)
   return original(self.updateOutput) == ownOutput and original(self.backward) == ownBackward
      and not self.sharesMemory and after.isReLUInPlace ~= nil and after:isReLUInPlace()
      and isBatch(self, input) and input:type() == after._type
end

--- The output of `after` behind this module.
function BatchNormalization:updateOutputWith(after, input)
   after.output:set(output(self, input, true))
   return after.output
end

--- The gradients of both modules; gradOutput is that of `after`, and is changed in place.
function BatchNormalization:backwardWith(after, input, gradOutput, scale)
   local y = self.output
   local fits = torch.isTensor(gradOutput) and gradOutput:type() == y:type()
      and gradOutput:isContiguous() and gradOutput:isSameSizeAs(y) and y:isSameSizeAs(input)
   if not fits then
      return self:backward(input, after:backward(y, gradOutput, scale), scale)
   end
   grads(self, input, gradOutput, scale, y)
   after.gradInput:set(gradOutput)
   return self.gradInput
end

--- Old files keep running_std = 1 / sqrt(variance + eps).
function BatchNormalization:read(file)
   Module.read(self, file)
   local old = self.running_std
   if self.running_var == nil and torch.isTensor(old) then
      self.running_var = old:pow(-2):add(-self.eps)
      self.running_std = nil
   end
end

nn.utils.keepsFields(BatchNormalization)

function BatchNormalization:__tostring__()
   return ('%s (%dD) (%d)'):format(torch.type(self), self.nDim, self.running_mean:nElement())
end

-- The same for images (samples x planes x height x width) and volumes.
--- nn.SpatialBatchNormalization(nOutput, eps, momentum, affine): nn.BatchNormalization of the planes of
-- samples x planes x height x width.
-- nn.SpatialBatchNormalization(2):forward(torch.ones(3, 2, 4, 4)):size() --> {3, 2, 4, 4}
local Spatial = torch.class('nn.SpatialBatchNormalization', 'nn.BatchNormalization')
Spatial.nDim = 4
--- nn.VolumetricBatchNormalization(nOutput, eps, momentum, affine): nn.BatchNormalization of the planes of
-- samples x planes x time x height x width.
-- nn.VolumetricBatchNormalization(2):forward(torch.ones(3, 2, 4, 4, 4)):size() --> {3, 2, 4, 4, 4}
local Volumetric = torch.class('nn.VolumetricBatchNormalization', 'nn.BatchNormalization')
Volumetric.nDim = 5

return BatchNormalization
