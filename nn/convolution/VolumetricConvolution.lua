-- nn/convolution/VolumetricConvolution.lua - slides nOutputPlane filters of kT x kW x kH over volumes.
local torch = require 'torch'
local volumes = require 'nn.support.volumes'

local batch, like, fits = volumes.batch, volumes.like, volumes.fits
local forward, backward, gradients = volumes.forward, volumes.backward, volumes.gradients
local geometry, steps = volumes.geometry, volumes.steps

--- Slides nOutputPlane filters of kT x kW x kH over volumes.
-- @param dT,dW,dH        steps, default 1
-- @param padT,padW,padH  zeros around the volume, default 0
-- nn.VolumetricConvolution(2, 3, 2, 2, 2):forward(torch.ones(2, 3, 4, 5)):size() --> {3, 2, 3, 4}
local Convolution, Module = torch.class('nn.VolumetricConvolution', 'nn.Module')
Convolution.__arguments = 'nInputPlane:size nOutputPlane:size kT:count kW:count kH:count dT:count? dW:count? '
   .. 'dH:count? padT:size? padW:size? padH:size?'
Convolution.bufferNames = {'finput', 'fgradInput', '_gradOutput', '_input'}

function Convolution:__init(nInputPlane, nOutputPlane, kT, kW, kH, dT, dW, dH, padT, padW, padH)
   Module.__init(self)
   self.nInputPlane, self.nOutputPlane = nInputPlane, nOutputPlane
   self.kT, self.kW, self.kH = kT, kW, kH
   self.dT, self.dW, self.dH = dT or 1, dW or 1, dH or 1
   self.padT = padT or 0
   self.padW = padW or self.padT
   self.padH = padH or self.padW
   self:parameter('weight', nOutputPlane, nInputPlane, kT, kH, kW)
   self:parameter('bias', nOutputPlane)
   self:reset()
end

function Convolution:reset(stdv)
   local a = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.kT * self.kW * self.kH * self.nInputPlane)
   self.weight:uniform(-a, a)
   if self.bias then self.bias:uniform(-a, a) end
end

--- Removes the bias. Returns self.
function Convolution:noBias()
   self.bias, self.gradBias = nil, nil
   return self
end

function Convolution:updateOutput(input)
   local x, g = batch(self, input, self.nInputPlane), geometry(self)
   fits(self, x, g)
   return like(input, forward(x, self.weight, self.bias, g), self.output)
end

function Convolution:updateGradInput(input, gradOutput)
   if not self.gradInput then return end
   local x, g = batch(self, input, self.nInputPlane), batch(self, gradOutput, self.nOutputPlane)
   return like(input, backward(x:size(), g, self.weight, geometry(self)), self.gradInput)
end

function Convolution:accGradParameters(input, gradOutput, scale)
   local x, g = batch(self, input, self.nInputPlane), batch(self, gradOutput, self.nOutputPlane)
   gradients(self.gradWeight, self.gradBias, x, g, scale or 1, geometry(self))
end

function Convolution:__tostring__()
   return ('%s(%d -> %d, %dx%dx%d%s)'):format(torch.type(self), self.nInputPlane, self.nOutputPlane, self.kT, self.kW,
      self.kH, steps(self))
end

return Convolution
