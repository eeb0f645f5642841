-- nn/linear/LinearWeightNorm.lua - nn.Linear whose weight is g * v / |v|, row by row.
local torch = require 'torch'
local directions = require 'nn.support.directions'

local split, gradients = directions.split, directions.gradients

--- nn.Linear whose weight is g * v / |v|, row by row; v, g and the bias are learned.
-- @param eps  added to |v|^2, default 1e-16
-- nn.LinearWeightNorm(4, 3):forward(torch.ones(2, 4)):size() --> {2, 3}
local LinearWeightNorm, Linear = torch.class('nn.LinearWeightNorm', 'nn.Linear')
LinearWeightNorm.__arguments = 'inputSize:size outputSize:size bias eps:number?'
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

--- Sets length and direction from self.weight.
function LinearWeightNorm:initFromWeight()
   self.v:copy(self.weight)
   self.g:norm(self.v, 2, 2)
   return self
end

--- A LinearWeightNorm that computes the same as a nn.Linear.
function LinearWeightNorm.fromLinear(linear)
   local module = require 'nn'.LinearWeightNorm(linear.weight:size(2), linear.weight:size(1), linear.bias ~= nil)
   module.weight:copy(linear.weight)
   module:initFromWeight()
   if linear.bias then module.bias:copy(linear.bias) end
   return module
end

--- A nn.Linear that computes the same as this module.
function LinearWeightNorm:toLinear()
   self:updateWeightMatrix()
   local linear = require 'nn'.Linear(self.v:size(2), self.v:size(1), self.bias ~= nil)
   linear.weight:copy(self.weight)
   if self.bias then linear.bias:copy(self.bias) end
   return linear
end

--- Computes the weight from v and g.
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

-- The step uses the gradients, because a step of the weight cannot be split into length and direction.
function LinearWeightNorm:defaultAccUpdateGradParameters(input, gradOutput, lr)
   self:sharedAccUpdateGradParameters(input, gradOutput, lr)
end

require 'nn.utils'.passOver(LinearWeightNorm, require 'nn'.Module, { 'sharedAccUpdateGradParameters' })

function LinearWeightNorm:clearState()
   self._gradWeight = nil
   return Linear.clearState(self)
end

function LinearWeightNorm:__tostring__()
   return ('%s(%d -> %d)%s'):format(torch.type(self), self.v:size(2), self.v:size(1), self.bias and '' or ' without bias')
end

return LinearWeightNorm
