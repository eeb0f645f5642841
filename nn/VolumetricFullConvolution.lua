-- nn/VolumetricFullConvolution.lua - the transpose of a convolution of volumes.
local torch = require 'torch'
local volumes = require 'nn.volumes'

local batch, like, forward = volumes.batch, volumes.like, volumes.forward
local backward, gradients, geometry = volumes.backward, volumes.gradients, volumes.geometry
local steps = volumes.steps
local Convolution = torch.getmetatable 'nn.VolumetricConvolution'

--- The transpose of a convolution: each voxel puts a filter into a larger volume.
-- @param adjT,adjW,adjH  places more at the far sides, less than the steps
-- nn.VolumetricFullConvolution(2, 3, 2, 2, 2):forward(torch.ones(2, 3, 3, 3)):size() --> {3, 4, 4, 4}
local Full, Module = torch.class('nn.VolumetricFullConvolution', 'nn.Module')
Full.bufferNames = {'finput', 'fgradInput', '_gradOutput', '_input'}

function Full:__init(nInputPlane, nOutputPlane, kT, kW, kH, dT, dW, dH, padT, padW, padH, adjT, adjW, adjH)
   Module.__init(self)
   self.nInputPlane, self.nOutputPlane = nInputPlane, nOutputPlane
   self.kT, self.kW, self.kH = kT, kW, kH
   self.dT, self.dW, self.dH = dT or 1, dW or 1, dH or 1
   self.padT, self.padW, self.padH = padT or 0, padW or 0, padH or 0
   self.adjT, self.adjW, self.adjH = adjT or 0, adjW or 0, adjH or 0
   if self.adjT > self.dT - 1 or self.adjW > self.dW - 1 or self.adjH > self.dH - 1 then
      error('nn.VolumetricFullConvolution: adjT, adjW and adjH must be less than the steps', 3)
   end
   self:parameter('weight', nInputPlane, nOutputPlane, kT, kH, kW)
   self:parameter('bias', nOutputPlane)
   self:reset()
end

function Full:reset(stdv)
   local a = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.nInputPlane * self.kT * self.kH * self.kW)
   self.weight:uniform(-a, a)
   if self.bias then self.bias:uniform(-a, a) end
end

Full.noBias = Convolution.noBias

--- Files of early versions have fewer fields.
function Full:backCompatibility()
   self.adjT, self.adjW, self.adjH = self.adjT or 0, self.adjW or 0, self.adjH or 0
end

function Full:updateOutput(input)
   self:backCompatibility()
   local x, g = batch(self, input, self.nInputPlane), geometry(self)
   local size = torch.LongStorage{x:size(1), self.nOutputPlane, (x:size(3) - 1) * g.dT - 2 * g.padT + g.kT + self.adjT,
      (x:size(4) - 1) * g.dH - 2 * g.padH + g.kH + self.adjH, (x:size(5) - 1) * g.dW - 2 * g.padW + g.kW + self.adjW}
   if size[3] < 1 or size[4] < 1 or size[5] < 1 then self:refuse('input', 'be large enough for its padding', input) end
   local y = backward(size, x, self.weight, g)
   if self.bias then y:add(self.bias:view(1, -1, 1, 1, 1):expandAs(y)) end
   return like(input, y, self.output)
end

function Full:updateGradInput(input, gradOutput)
   local g = batch(self, gradOutput, self.nOutputPlane)
   return like(input, forward(g, self.weight, nil, geometry(self)), self.gradInput)
end

function Full:accGradParameters(input, gradOutput, scale)
   local x, g = batch(self, input, self.nInputPlane), batch(self, gradOutput, self.nOutputPlane)
   gradients(self.gradWeight, nil, g, x, scale or 1, geometry(self))
   if self.gradBias then self.gradBias:add(scale or 1, g:sum(1):sum(3):sum(4):sum(5):view(-1)) end
end

function Full:__tostring__()
   self:backCompatibility()
   local adj = self.adjT ~= 0 or self.adjW ~= 0 or self.adjH ~= 0
   return ('%s(%d -> %d, %dx%dx%d%s%s)'):format(torch.type(self), self.nInputPlane, self.nOutputPlane, self.kT, self.kW,
      self.kH, steps(self), adj and (', %d,%d,%d'):format(self.adjT, self.adjW, self.adjH) or '')
end

return Full
