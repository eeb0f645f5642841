-- cudnn.normalisation - batch normalisation, normalisation over neighbours, and losses of pixels, under cudnn's names.
local torch = require 'torch'
local nn = require 'nn'
local images = require 'nn.support.images'
local constants = require 'nn.support.constants'
local accepted = require 'cudnn.accepted'

local whole, finite = constants.whole, constants.finite

--- cudnn.BatchNormalization(nFeature, eps, momentum, affine): nn.BatchNormalization under cudnn's name.
-- cudnn.BatchNormalization(3):forward(torch.ones(4, 3)):size() --> {4, 3}

--- cudnn.SpatialBatchNormalization(nFeature, eps, momentum, affine): nn.SpatialBatchNormalization under cudnn's name.
-- cudnn.SpatialBatchNormalization(2):forward(torch.ones(3, 2, 4, 4)):size() --> {3, 2, 4, 4}

--- cudnn.VolumetricBatchNormalization(nFeature, eps, momentum, affine): nn.VolumetricBatchNormalization under cudnn's name.
-- cudnn.VolumetricBatchNormalization(2):forward(torch.ones(3, 2, 4, 4, 4)):size() --> {3, 2, 4, 4, 4}
for _, name in ipairs { 'BatchNormalization', 'SpatialBatchNormalization', 'VolumetricBatchNormalization' } do
   local Class = torch.class('cudnn.' .. name, 'nn.' .. name)
   Class.clearDesc = accepted.clearDesc
end

--- nn.SpatialCrossMapLRN under cudnn's name, and with the size 5 where none is given.
-- cudnn.SpatialCrossMapLRN():forward(torch.ones(4, 2, 3)):size() --> {4, 2, 3}
local LRN, CrossMapLRN = torch.class('cudnn.SpatialCrossMapLRN', 'nn.SpatialCrossMapLRN')
LRN.clearDesc = accepted.clearDesc

function LRN:__init(size, alpha, beta, k)
   CrossMapLRN.__init(self, whole('cudnn.SpatialCrossMapLRN', 'size', size or 5), alpha, beta, k)
end

function LRN:read(file)
   CrossMapLRN.read(self, file)
   self.k = self.k or self.K or 1
end

require 'nn'.utils.keepsFields(LRN)

--- x / (K + alpha / size^2 * sum of x^2 over the size x size pixels around, zeros beyond the border)^beta, in each plane.
-- @param size    odd (default 5)
-- @param alpha,beta,K  default 1e-4, 0.75 and 2
-- cudnn.SpatialDivisiveNormalization(1, 3, 1, 1):forward(torch.ones(1, 1, 2)) --> {{{0.25, 0.25}}}
local Divisive, Module = torch.class('cudnn.SpatialDivisiveNormalization', 'nn.Module')
Divisive.bufferNames = { '_square', '_mean', '_ratio', '_sums' }
Divisive.clearDesc = accepted.clearDesc

function Divisive:__init(size, alpha, beta, K)
   Module.__init(self)
   self.size = whole('cudnn.SpatialDivisiveNormalization', 'size', size or 5)
   if self.size % 2 == 0 then error(('cudnn.SpatialDivisiveNormalization: size must be odd, got %d'):format(self.size), 3) end
   local class = torch.type(self)
   self.alpha, self.beta = finite(class, 'alpha', alpha, 1e-4), finite(class, 'beta', beta, 0.75)
   self.K = finite(class, 'K', K, 2)
end

-- K + alpha * the mean of x^2 around each pixel, in self._mean.
local function denominators(self, input)
   local half = (self.size - 1) / 2
   local square = torch.cmul(self:scratch('_square', input:type()), input, input)
   return torch.avgpool2d(self:scratch('_mean', input:type()), square, self.size, self.size, 1, 1, half, half)
      :mul(self.alpha):add(self.K)
end

function Divisive:updateOutput(input)
   images.check(self, input)
   return torch.pow(self.output, denominators(self, input), -self.beta):cmul(input)
end

-- y = x d^-b: gx = g d^-b - 2 alpha b x * (the mean's transpose of g x d^(-b - 1))
function Divisive:updateGradInput(input, gradOutput)
   images.like(self, input, gradOutput)
   local half, d = (self.size - 1) / 2, denominators(self, input)
   local ratio = torch.pow(self:scratch('_ratio', input:type()), d, -self.beta - 1):cmul(gradOutput):cmul(input)
   local sums = torch.avgpool2d_grad(self:scratch('_sums', input:type()), input, ratio, self.size, self.size, 1, 1, half, half)
   torch.pow(self.gradInput, d, -self.beta):cmul(gradOutput)
   return self.gradInput:add(-2 * self.alpha * self.beta, sums:cmul(input))
end

-- ---- losses -----------------------------------------------------------------------------------------------------------

--- Cross-entropy of the scores of classes of each pixel. Scores are samples x classes x height x
-- width, against the numbers of the classes from 1, samples x height x width. The mean over all
-- pixels.
-- @param weights  one for each class (optional)
-- cudnn.SpatialCrossEntropyCriterion():forward(torch.zeros(1, 2, 1, 1), torch.ones(1, 1, 1):long()) --> 0.69315
local Spatial, Criterion = torch.class('cudnn.SpatialCrossEntropyCriterion', 'nn.Criterion')

function Spatial:__init(weights)
   Criterion.__init(self)
   self.slsm, self.nll = nn.SpatialLogSoftMax(), nn.SpatialClassNLLCriterion(weights)
end

function Spatial:updateOutput(input, target)
   self.slsm:updateOutput(input)
   self.output = self.nll:updateOutput(self.slsm.output, target)
   return self.output
end

function Spatial:updateGradInput(input, target)
   self.gradInput = self.slsm:updateGradInput(input, self.nll:updateGradInput(self.slsm.output, target))
   return self.gradInput
end

--- The same for volumes: samples x classes x time x height x width against samples x time x height x width.
-- @param weights  one for each class (optional)
-- cudnn.VolumetricCrossEntropyCriterion():forward(torch.zeros(1, 2, 1, 1, 1), torch.ones(1, 1, 1, 1):long()) --> 0.69315
local Volumetric, parent = torch.class('cudnn.VolumetricCrossEntropyCriterion', 'cudnn.SpatialCrossEntropyCriterion')

-- Volumes as images whose rows are those of all times.
local function flat(self, input, target)
   local fits = torch.isTensor(input) and torch.isTensor(target) and input:dim() == 5 and target:dim() == 4
      and input:size(1) == target:size(1)
   for d = 3, fits and 5 or 2 do fits = fits and input:size(d) == target:size(d - 1) end
   if not fits then
      self:refuse('input and target', 'be samples x classes x time x height x width and samples x time x height x width',
         self.shapes(input, target))
   end
   local n, c, rows, w = input:size(1), input:size(2), input:size(3) * input:size(4), input:size(5)
   return input:contiguous():view(n, c, rows, w), target:contiguous():view(n, rows, w)
end

function Volumetric:updateOutput(input, target) return parent.updateOutput(self, flat(self, input, target)) end

function Volumetric:updateGradInput(input, target)
   parent.updateGradInput(self, flat(self, input, target))
   self.gradInput = self.gradInput:viewAs(input)
   return self.gradInput
end
