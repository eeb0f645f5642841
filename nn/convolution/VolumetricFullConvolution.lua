-- nn/convolution/VolumetricFullConvolution.lua - the transpose of a convolution of volumes.
local torch = require 'torch'
local volumes = require 'nn.support.volumes'

local batch, like, forward = volumes.batch, volumes.like, volumes.forward
local backward, gradients, geometry = volumes.backward, volumes.gradients, volumes.geometry
local steps = volumes.steps
local Convolution = require 'torch.class'.ours 'nn.VolumetricConvolution'

--- The transpose of a convolution: each voxel puts a filter into a larger volume.
-- @param adjT,adjW,adjH  extra positions at the far sides, less than the steps. For {input, reference} the sizes of the
--                        reference determine them.
-- nn.VolumetricFullConvolution(2, 3, 2, 2, 2):forward(torch.ones(2, 3, 3, 3)):size() --> {3, 4, 4, 4}
local Full, Module = torch.class('nn.VolumetricFullConvolution', 'nn.Module')
Full.__arguments = 'nInputPlane:size nOutputPlane:size kT:count kW:count kH:count dT:count? dW:count? '
   .. 'dH:count? padT:size? padW:size? padH:size? adjT:size? adjW:size? adjH:size?'
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

-- {volumes, reference}: the last sizes of the reference, a tensor of at least 3 dimensions, determine adjT, adjH and adjW.
local function parts(self, input)
   if type(input) ~= 'table' or torch.isTensor(input) then return input, self.adjT, self.adjH, self.adjW end
   local x, like = input[1], input[2]
   local n = torch.isTensor(like) and like:dim() or 0
   if n < 3 then self:refuse('the reference', 'have at least 3 dimensions', like) end
   local function adj(d, pad, k, step) return (tonumber(like:size(d)) + 2 * pad - k) % step end
   return x, adj(n - 2, self.padT or 0, self.kT, self.dT), adj(n - 1, self.padH or 0, self.kH, self.dH),
      adj(n, self.padW or 0, self.kW, self.dW)
end

function Full:updateOutput(input)
   self:backCompatibility()
   local adjT, adjH, adjW
   input, adjT, adjH, adjW = parts(self, input)
   local x, g = batch(self, input, self.nInputPlane), geometry(self)
   local size = torch.LongStorage{x:size(1), self.nOutputPlane, (x:size(3) - 1) * g.dT - 2 * g.padT + g.kT + adjT,
      (x:size(4) - 1) * g.dH - 2 * g.padH + g.kH + adjH, (x:size(5) - 1) * g.dW - 2 * g.padW + g.kW + adjW}
   if size[3] < 1 or size[4] < 1 or size[5] < 1 then self:refuse('input', 'be large enough for its padding', input) end
   local y = backward(size, x, self.weight, g)
   if self.bias then y:add(self.bias:view(1, -1, 1, 1, 1):expandAs(y)) end
   return like(input, y, self.output)
end

function Full:updateGradInput(input, gradOutput)
   if not self.gradInput then return end
   local x, g = parts(self, input), batch(self, gradOutput, self.nOutputPlane)
   local gx = forward(g, self.weight, nil, geometry(self))
   if x == input then
      if not torch.isTensor(self.gradInput) then self.gradInput = x.new() end
      return like(x, gx, self.gradInput)
   end
   if torch.isTensor(self.gradInput) then self.gradInput = {x.new(), x.new()} end
   like(x, gx, self.gradInput[1])
   self.gradInput[2]:resize(input[2]:size()):zero()
   return self.gradInput
end

function Full:accGradParameters(input, gradOutput, scale)
   local x, g = batch(self, (parts(self, input)), self.nInputPlane), batch(self, gradOutput, self.nOutputPlane)
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
