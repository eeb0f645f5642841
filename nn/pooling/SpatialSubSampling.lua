-- nn/pooling/SpatialSubSampling.lua - weight * (sum over each window) + bias.
local torch = require 'torch'
local images = require 'nn.support.images'

--- weight * (sum over each window) + bias, a weight and bias for each plane.
-- @param dW,dH  steps, default 1
-- nn.SpatialSubSampling(2, 2, 2, 2, 2):forward(torch.ones(2, 4, 6)):size() --> {2, 2, 3}
local SubSampling, Module = torch.class('nn.SpatialSubSampling', 'nn.Module')
SubSampling.__arguments = 'nInputPlane:size kW:count kH:count dW:count? dH:count?'
SubSampling.bufferNames = {'_sums', '_grad'}

function SubSampling:__init(nInputPlane, kW, kH, dW, dH)
   Module.__init(self)
   self.nInputPlane, self.kW, self.kH, self.dW, self.dH = nInputPlane, kW, kH, dW or 1, dH or 1
   self:parameter('weight', nInputPlane)
   self:parameter('bias', nInputPlane)
   self:reset()
end

function SubSampling:reset(stdv)
   local a = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.kW * self.kH)
   self.weight:uniform(-a, a)
   self.bias:uniform(-a, a)
end

-- A vector with a number for each plane, broadcast over x.
local function planes(v, x) return v:view(-1, 1, 1):expandAs(x) end

local function sums(self, input)
   images.check(self, input, self.nInputPlane)
   images.fits(self, input, self.kH, self.kW, 0, 0)
   return torch.avgpool2d(self:scratch('_sums', input:type()), input, self.kH, self.kW, self.dH, self.dW)
      :mul(self.kW * self.kH)
end

function SubSampling:updateOutput(input)
   local s = sums(self, input)
   torch.cmul(self.output, s, planes(self.weight, s))
   return self.output:add(planes(self.bias, s))
end

function SubSampling:updateGradInput(input, gradOutput)
   if not self.gradInput then return end
   local g = torch.cmul(self:scratch('_grad', input:type()), gradOutput, planes(self.weight, gradOutput))
   torch.avgpool2d_grad(self.gradInput, input, g, self.kH, self.kW, self.dH, self.dW)
   return self.gradInput:mul(self.kW * self.kH)
end

-- The sum over everything but the planes.
local function byPlane(x)
   local n = x:dim()
   local s = x:sum(n):sum(n - 1)
   return (n == 4 and s:sum(1) or s):contiguous():view(-1)
end

function SubSampling:accGradParameters(input, gradOutput, scale)
   self.gradWeight:add(scale or 1, byPlane(torch.cmul(sums(self, input), gradOutput)))
   self.gradBias:add(scale or 1, byPlane(gradOutput))
end

return SubSampling
