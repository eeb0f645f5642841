-- nn/criterion/distances.lua - DistKLDiv, L1Cost, DistanceRatio, WeightedMSE, ClassSimplex, SpatialAutoCropMSE.
local torch = require 'torch'
local utils = require 'nn.utils'

--- Kullback-Leibler divergence: the sum of t (log t - x) for log-probabilities x and probabilities t, divided by the
--- number of elements (sizeAverage = false: not divided).
local DistKLDivCriterion, Criterion = torch.class('nn.DistKLDivCriterion', 'nn.Criterion')

function DistKLDivCriterion:__init()
   Criterion.__init(self)
   self.sizeAverage = true
end

local function same(self, input, target)
   self:needTensor(input, target, true)
   if not torch.isTensor(target) or input:nElement() ~= target:nElement() then
      self:refuse('target', 'have as many elements as the input, ' .. utils.shape(input), target)
   end
end

function DistKLDivCriterion:updateOutput(input, target)
   same(self, input, target)
   local z = self:scratch('_z', input:type()):resize(target:size()):copy(target)
   z:maskedFill(target:le(0), 1):log():add(-1, input):cmul(target)
   z:maskedFill(target:le(0), 0)
   local sum = z:sum()
   self.output = self.sizeAverage and sum / input:nElement() or sum
   return self.output
end

function DistKLDivCriterion:updateGradInput(input, target)
   same(self, input, target)
   local g = self.gradInput:resize(input:size()):copy(target):mul(self.sizeAverage and -1 / input:nElement() or -1)
   return g:maskedFill(target:le(0), 0)
end

--- The sum of |x|; there is no target.
local L1Cost = torch.class('nn.L1Cost', 'nn.Criterion')

function L1Cost:__init() Criterion.__init(self) end

function L1Cost:updateOutput(input)
   self:needTensor(input)
   self.output = torch.abs(self:scratch('_z', input:type()), input):sum()
   return self.output
end

function L1Cost:updateGradInput(input) return torch.sign(self.gradInput, input) end

function L1Cost:clearState() return utils.clear(self, 'gradInput', '_z') end

--- -log(exp(-s) / (exp(-s) + exp(-d))) for {s, d}, the distances of similar and of different pairs; averaged.
--- @param sizeAverage  false: summed
local DistanceRatioCriterion = torch.class('nn.DistanceRatioCriterion', 'nn.Criterion')

function DistanceRatioCriterion:__init(sizeAverage)
   Criterion.__init(self)
   self.sizeAverage = sizeAverage ~= false
   self.gradInput = {}
end

-- s - d: the loss is softplus of it.
local function gap(self, input)
   local s, d
   if type(input) == 'table' then s, d = input[1], input[2] end
   if not torch.isTensor(s) or not torch.isTensor(d) or not s:isSameSizeAs(d) then
      self:refuse('input', 'be a table of two tensors of one shape', self.shapes(s, d))
   end
   return torch.csub(self:scratch('_z', s:type()), s, d)
end

function DistanceRatioCriterion:updateOutput(input)
   local z = gap(self, input)
   local sum = -torch.logsigmoid(z, z:mul(-1)):sum()
   self.output = self.sizeAverage and sum / z:nElement() or sum
   return self.output
end

function DistanceRatioCriterion:updateGradInput(input)
   local z = gap(self, input)
   if not torch.isTensor(self.gradInput[1]) or self.gradInput[1]:type() ~= z:type() then
      self.gradInput = {z.new(), z.new()}
   end
   local g = self.gradInput
   torch.sigmoid(g[1], z)
   if self.sizeAverage then g[1]:div(z:nElement()) end
   torch.mul(g[2], g[1], -1)
   return g
end

--- MSECriterion against targets that are multiplied by a weight for each element.
--- @param w  a tensor like one sample, or like the batch
local WeightedMSECriterion, MSECriterion = torch.class('nn.WeightedMSECriterion', 'nn.MSECriterion')

function WeightedMSECriterion:__init(w)
   MSECriterion.__init(self)
   self.weight = w:clone()
end

local function weighted(self, input, target)
   self:needTensor(input, target, true)
   local t = self:scratch('_target', input:type()):resize(target:size()):copy(target)
   local w = self.weight
   if w:dim() < t:dim() then w = w:view(1, unpack(w:size():totable())):expandAs(t) end
   return t:cmul(w)
end

function WeightedMSECriterion:updateOutput(input, target)
   return MSECriterion.updateOutput(self, input, weighted(self, input, target))
end

function WeightedMSECriterion:updateGradInput(input, target)
   return MSECriterion.updateGradInput(self, input, weighted(self, input, target))
end

--- MSECriterion against the corner of a regular simplex that stands for the class. Mroueh et al., "Multiclass learning
--- with simplex coding" (2012). Inputs have nClasses elements, the last always near 0.
local ClassSimplexCriterion = torch.class('nn.ClassSimplexCriterion', 'nn.MSECriterion')

-- n corners in n - 1 dimensions, at distance 1 from their centre 0, all pairs at one angle.
local function simplex(n)
   local corners = torch.zeros(n, n)
   for k = 1, n - 1 do
      -- What is left of a length of 1 after the first k - 1 coordinates, which are those of corner k.
      local rest = 1
      for j = 1, k - 1 do rest = rest - corners[k][j] ^ 2 end
      corners[k][k] = math.sqrt(rest)
      for i = k + 1, n do
         local dot = 0
         for j = 1, k - 1 do dot = dot + corners[i][j] * corners[k][j] end
         corners[i][k] = (-1 / (n - 1) - dot) / corners[k][k]
      end
   end
   return corners
end

function ClassSimplexCriterion:__init(nClasses)
   MSECriterion.__init(self)
   if type(nClasses) ~= 'number' or nClasses < 2 or nClasses % 1 ~= 0 then
      error('nn.ClassSimplexCriterion: nClasses must be a whole number of at least 2, got ' .. tostring(nClasses), 3)
   end
   self.nClasses = nClasses
   self.simplex = simplex(nClasses)
   self._target = torch.Tensor(nClasses)
end

-- The corners of the classes.
local function corners(self, input, target)
   self:needTensor(input)
   local classes = self:classNumbers(target, '_classes'):contiguous():view(-1)
   local t = self.simplex:index(1, classes)
   return input:dim() == 1 and t:view(-1) or t
end

function ClassSimplexCriterion:updateOutput(input, target)
   return MSECriterion.updateOutput(self, input, corners(self, input, target))
end

function ClassSimplexCriterion:updateGradInput(input, target)
   return MSECriterion.updateGradInput(self, input, corners(self, input, target))
end

--- The dot products of inputs with all corners: scores of the classes.
function ClassSimplexCriterion:getPredictions(input)
   if input:dim() == 1 then return torch.mv(self.simplex, input) end
   return torch.mm(input, self.simplex:t())
end

--- The class of the nearest corner, of one input or of each row.
function ClassSimplexCriterion:getTopPrediction(input)
   local scores = self:getPredictions(input)
   local _, at = scores:max(scores:dim())
   return at:view(-1)
end

--- MSECriterion against the middle of a target whose images are larger than the input.
local SpatialAutoCropMSECriterion = torch.class('nn.SpatialAutoCropMSECriterion', 'nn.MSECriterion')

local function cropped(self, input, target)
   self:needTensor(input, target, true)
   local n = input:dim()
   local fits = torch.isTensor(target) and target:dim() == n and n >= 3
   for d = 1, fits and n or 0 do
      fits = fits and (d <= n - 2 and target:size(d) == input:size(d) or d > n - 2 and target:size(d) >= input:size(d))
   end
   if not fits then
      self:refuse('target', 'have the shape of the input, or larger images, ' .. utils.shape(input), target)
   end
   for d = n - 1, n do
      local first = math.floor((target:size(d) - input:size(d)) / 2) + 1
      target = target:narrow(d, first, input:size(d))
   end
   return target:contiguous()
end

function SpatialAutoCropMSECriterion:updateOutput(input, target)
   return MSECriterion.updateOutput(self, input, cropped(self, input, target))
end

function SpatialAutoCropMSECriterion:updateGradInput(input, target)
   return MSECriterion.updateGradInput(self, input, cropped(self, input, target))
end
