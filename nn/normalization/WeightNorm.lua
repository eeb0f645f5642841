-- nn/normalization/WeightNorm.lua - a module whose weight is a length times a direction.
local torch = require 'torch'
local directions = require 'nn.support.directions'

local split, gradients = directions.split, directions.gradients

--- Makes the weight of any module g * v / |v|, row by row; v, g and the module's other parameters are learned.
-- Salimans and Kingma, "Weight normalization" (2016).
-- @param outputDim  the dimension of the weight along which lengths differ, default 1
-- nn.WeightNorm(nn.Linear(4, 3)):forward(torch.ones(2, 4)):size() --> {2, 3}
local WeightNorm, Decorator = torch.class('nn.WeightNorm', 'nn.Decorator')
WeightNorm.__arguments = 'module:module outputDim:count?'

local TINY = 1e-4                                   -- keeps a direction of 0 out of the divisor

function WeightNorm:__init(module, outputDim)
   Decorator.__init(self, module)
   self.outputDim = outputDim or 1
   if not module.weight then
      error('nn.WeightNorm: the module must have a weight, got ' .. tostring(module), 3)
   end
   self:resetInit()
end

--- A weight with outputDim first, and back.
function WeightNorm:permuteIn(w) return self.outputDim == 1 and w or w:transpose(1, self.outputDim) end

WeightNorm.permuteOut = WeightNorm.permuteIn

--- Sets length and direction from the module's weight, and sets its bias to zero. The fields weight, bias and gradBias are
-- those of the module.
function WeightNorm:resetInit()
   local w = self:permuteIn(self.modules[1].weight)
   local bias = self.modules[1].bias
   if bias then bias:zero() end
   self.weight, self.bias, self.gradBias = self.modules[1].weight, bias, self.modules[1].gradBias
   self.v = w:clone()
   self.gradV = w:clone():zero()
   self.g = torch.norm(self.v:view(self.v:size(1), -1), 2, 2):clone()
   self.gradG = self.g:clone():zero()
end

function WeightNorm:reset(stdv)
   self.modules[1]:reset(stdv)
   self:resetInit()
end

--- Computes the module's weight from v and g.
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

-- Replaces the weight by v and g.
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

return WeightNorm
