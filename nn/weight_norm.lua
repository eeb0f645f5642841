-- nn/weight_norm.lua - weights as a length times a direction: LinearWeightNorm and WeightNorm. Salimans and Kingma,
-- "Weight normalization" (2016).
local torch = require 'torch'

-- Directions as rows, and their norms as a column.
local function split(v, eps)
   local rows = v:view(v:size(1), -1)
   return rows, torch.cmul(rows, rows):sum(2):add(eps):sqrt()
end

-- Gradients by length and direction from the gradient by the weight, all as rows:
-- dL/dg = gw . v / |v|, dL/dv = g / |v| (gw - v (v . gw) / |v|^2)
local function gradients(gw, v, g, eps)
   local rows, norms = split(v, eps)
   local gg = torch.cmul(gw, rows):sum(2):cdiv(norms)
   local gv = torch.cdiv(g, norms):expandAs(gw):clone():cmul(gw)
   local along = torch.cmul(g, gg):cdiv(norms):cdiv(norms)
   return gg, gv:add(-1, torch.cmul(rows, along:expandAs(rows)))
end

--- nn.Linear whose weight is g * v / |v|, row by row; v, g and the bias are learned.
--- @param eps  added to |v|^2, default 1e-16
local LinearWeightNorm, Linear = torch.class('nn.LinearWeightNorm', 'nn.Linear')
LinearWeightNorm.parameterNames = {'v', 'g', 'bias'}

function LinearWeightNorm:__init(inputSize, outputSize, bias, eps)
   require 'nn'.Module.__init(self)
   self.eps = eps or 1e-16
   self.outputSize, self.inputSize = outputSize, inputSize
   self:parameter('v', outputSize, inputSize)
   self:parameter('g', outputSize, 1)
   if bias ~= false then self:parameter('bias', outputSize) end
   self.weight = torch.Tensor(outputSize, inputSize)
   self:reset()
end

function LinearWeightNorm:reset(stdv)
   self.weight = self.weight or self.v.new(self.v:size())
   Linear.reset(self, stdv)
   self:initFromWeight()
end

--- Takes length and direction from self.weight.
function LinearWeightNorm:initFromWeight()
   self.v:copy(self.weight)
   self.g:norm(self.v, 2, 2)
   return self
end

--- A LinearWeightNorm that computes what a nn.Linear does.
function LinearWeightNorm.fromLinear(linear)
   local module = require 'nn'.LinearWeightNorm(linear.weight:size(2), linear.weight:size(1), linear.bias ~= nil)
   module.weight:copy(linear.weight)
   module:initFromWeight()
   if linear.bias then module.bias:copy(linear.bias) end
   return module
end

--- A nn.Linear that computes what this does.
function LinearWeightNorm:toLinear()
   self:updateWeightMatrix()
   local linear = require 'nn'.Linear(self.v:size(2), self.v:size(1), self.bias ~= nil)
   linear.weight:copy(self.weight)
   if self.bias then linear.bias:copy(self.bias) end
   return linear
end

function LinearWeightNorm:updateWeightMatrix()
   local rows, norms = split(self.v, self.eps)
   self.weight:resize(self.v:size()):copy(rows):cmul(torch.cdiv(self.g, norms):expandAs(rows))
end

function LinearWeightNorm:updateOutput(input)
   if self.train ~= false or not self.weight or self.weight:nElement() == 0 then
      self.weight = self.weight or self.v.new()
      self:updateWeightMatrix()
   end
   return Linear.updateOutput(self, input)
end

function LinearWeightNorm:evaluate()
   if self.train ~= false then self:updateWeightMatrix() end
   return require 'nn'.Module.evaluate(self)
end

function LinearWeightNorm:accGradParameters(input, gradOutput, scale)
   local kept = self.gradWeight
   self.gradWeight = self:scratch '_gradWeight':resize(self.weight:size()):zero()
   Linear.accGradParameters(self, input, gradOutput, scale)
   local gg, gv = gradients(self.gradWeight, self.v, self.g, self.eps)
   self.gradWeight = kept
   self.gradG:add(gg)
   self.gradV:add(gv)
end

-- The step goes through the gradients: length and direction cannot take the weight's.
function LinearWeightNorm:defaultAccUpdateGradParameters(input, gradOutput, lr)
   self:sharedAccUpdateGradParameters(input, gradOutput, lr)
end

LinearWeightNorm.sharedAccUpdateGradParameters = require 'nn'.Module.sharedAccUpdateGradParameters

function LinearWeightNorm:clearState()
   self._gradWeight = nil
   return Linear.clearState(self)
end

function LinearWeightNorm:__tostring__()
   return ('%s(%d -> %d)%s'):format(torch.type(self), self.v:size(2), self.v:size(1), self.bias and '' or ' without bias')
end

--- The same around any module with a weight.
--- @param outputDim  the dimension of the weight along which lengths differ, default 1
local WeightNorm, Decorator = torch.class('nn.WeightNorm', 'nn.Decorator')

local TINY = 1e-4                                   -- keeps a direction of 0 out of the divisor

function WeightNorm:__init(module, outputDim)
   Decorator.__init(self, module)
   self.outputDim = outputDim or 1
   if not module.weight then
      error('nn.WeightNorm: the module must have a weight, got ' .. tostring(module), 3)
   end
   self:resetInit()
end

-- A weight with outputDim first, and back.
function WeightNorm:permuteIn(w) return self.outputDim == 1 and w or w:transpose(1, self.outputDim) end
WeightNorm.permuteOut = WeightNorm.permuteIn

--- Takes length and direction from the module's weight.
function WeightNorm:resetInit()
   local w = self:permuteIn(self.modules[1].weight)
   self.v = w:clone()
   self.gradV = w:clone():zero()
   self.g = torch.norm(self.v:view(self.v:size(1), -1), 2, 2):clone()
   self.gradG = self.g:clone():zero()
end

function WeightNorm:reset(stdv)
   self.modules[1]:reset(stdv)
   self:resetInit()
end

--- Writes the module's weight anew.
function WeightNorm:updateWeight()
   local rows, norms = split(self.v, TINY)
   local w = torch.cdiv(self.g, norms):expandAs(rows):clone():cmul(rows):viewAs(self.v)
   self.modules[1].weight:copy(self:permuteOut(w))
end

function WeightNorm:updateOutput(input)
   if self.train ~= false then self:updateWeight() end
   self.output = self.modules[1]:updateOutput(input)
   return self.output
end

function WeightNorm:evaluate()
   if self.train ~= false then self:updateWeight() end
   return Decorator.evaluate(self)
end

function WeightNorm:accGradParameters(input, gradOutput, scale)
   local module = self.modules[1]
   local kept = module.gradWeight
   module.gradWeight = kept:clone():zero()
   module:accGradParameters(input, gradOutput, scale)
   local gw = self:permuteIn(module.gradWeight):contiguous()
   module.gradWeight = kept
   local gg, gv = gradients(gw:view(gw:size(1), -1), self.v, self.g, TINY)
   self.gradG:add(gg)
   self.gradV:add(gv:viewAs(self.gradV))
end

function WeightNorm:accUpdateGradParameters(input, gradOutput, lr)
   self:zeroGradParameters()
   self:accGradParameters(input, gradOutput, 1)
   self:updateParameters(lr)
end

WeightNorm.sharedAccUpdateGradParameters = WeightNorm.accUpdateGradParameters

-- v and g in the place of the weight.
function WeightNorm:parameters()
   local module = self.modules[1]
   local p, g = {self.v, self.g}, {self.gradV, self.gradG}
   local inner, innerGrads = module:parameters()
   for i, parameter in ipairs(inner) do
      if parameter ~= module.weight then
         p[#p + 1], g[#p + 1] = parameter, innerGrads[i]
      end
   end
   return p, g
end

function WeightNorm:updateParameters(learningRate)
   return require 'nn'.Module.updateParameters(self, learningRate)
end

function WeightNorm:zeroGradParameters() return require 'nn'.Module.zeroGradParameters(self) end
