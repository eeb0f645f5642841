-- nn/convolution/SpatialDepthWiseConvolution.lua - separate filters for every input plane.
local torch = require 'torch'
local images = require 'nn.support.images'

--- nOutputPlane separate filters for every input plane; plane (i - 1) * nOutputPlane + o is filter o of input plane i.
-- @param dW,dH,padW,padH  as of nn.SpatialConvolution
-- nn.SpatialDepthWiseConvolution(2, 3, 2, 2):forward(torch.ones(2, 3, 3)):size() --> {6, 2, 2}
local DepthWise = torch.class('nn.SpatialDepthWiseConvolution', 'nn.SpatialConvolution')

--- Makes weight and bias. Torch7 makes matrices, and reshapes them on first use.
function DepthWise:makeParameters()
   self:parameter('weight', self.nOutputPlane, self.nInputPlane * self.kH * self.kW)
   self:parameter('bias', self.nOutputPlane, self.nInputPlane)
end

local function shape(self)
   for _, w in ipairs{self.weight, self.gradWeight} do
      if w:dim() == 2 then w:resize(self.nOutputPlane, self.nInputPlane, self.kH, self.kW) end
   end
end

-- Filters and bias in the order of the output planes.
local function ordered(t)
   t = t:transpose(1, 2):contiguous()
   if t:dim() == 2 then return t:view(-1) end
   return t:view(t:size(1) * t:size(2), 1, t:size(3), t:size(4))
end

local function numbers(self)
   return self.dH, self.dW, self.padH, self.padW, 1, 1, self.nInputPlane
end

local function bias(self, input)
   if self.bias then return ordered(self.bias) end
   return input.new(self.nInputPlane * self.nOutputPlane):zero()
end

function DepthWise:updateOutput(input)
   images.check(self, input, self.nInputPlane)
   images.fits(self, input, self.kH, self.kW, self.padH, self.padW)
   shape(self)
   return torch.conv2d(self.output, input, ordered(self.weight), bias(self, input), numbers(self))
end

function DepthWise:updateGradInput(input, gradOutput)
   if not self.gradInput then return end
   shape(self)
   return torch.conv2d_grad_input(self.gradInput, input, gradOutput, ordered(self.weight), numbers(self))
end

function DepthWise:accGradParameters(input, gradOutput, scale)
   shape(self)
   local gw = ordered(self.gradWeight:clone():zero())
   local gb = self.gradBias and ordered(self.gradBias:clone():zero())
   torch.conv2d_grad_weight(gw, gb, input, gradOutput, scale or 1, numbers(self))
   self.gradWeight:add(gw:view(self.nInputPlane, self.nOutputPlane, self.kH, self.kW):transpose(1, 2))
   if gb then self.gradBias:add(gb:view(self.nInputPlane, self.nOutputPlane):t()) end
end

return DepthWise
