-- nn/convolution/SpatialConvolution.lua - 2-D convolution (cross-correlation) of images.
local torch = require 'torch'
local images = require 'nn.support.images'

--- Slides nOutputPlane filters of kW x kH over planes x height x width, or a batch of those. An output has
-- floor((size + 2 * pad - k) / d) + 1 rows and columns.
-- @param dW,dH      steps (default 1)
-- @param padW,padH  zeros around the image (default 0; padH defaults to padW)
-- @example nn.SpatialConvolution(1, 8, 5, 5):forward(torch.ones(1, 28, 28)):size()   --> {8, 24, 24}
local SpatialConvolution, Module = torch.class('nn.SpatialConvolution', 'nn.Module')
SpatialConvolution.__arguments = 'nInputPlane:size nOutputPlane:size kW:count kH:count dW:count? dH:count? padW:whole? '
   .. 'padH:whole?'
SpatialConvolution.bufferNames = {'finput', 'fgradInput', '_input', '_gradOutput', '_zeros'}
SpatialConvolution.refusesFirst = true

function SpatialConvolution:__init(nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH)
   Module.__init(self)
   self.nInputPlane, self.nOutputPlane = nInputPlane, nOutputPlane
   self.kW, self.kH = kW, kH
   self.dW, self.dH = dW or 1, dH or 1
   self.padW = padW or 0
   self.padH = padH or self.padW
   self:makeParameters()
   self:reset()
end

--- Makes weight and bias; subclasses give them other shapes. A subclass that sets the field groups has nInputPlane / groups
-- planes in each filter.
function SpatialConvolution:makeParameters()
   self:parameter('weight', self.nOutputPlane, self.nInputPlane, self.kH, self.kW)
   self:parameter('bias', self.nOutputPlane)
end

--- Draws the parameters uniformly from [-a, a], a = stdv * sqrt(3), or 1 / sqrt(kW * kH * nInputPlane).
function SpatialConvolution:reset(stdv)
   local a = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.kW * self.kH * self.nInputPlane)
   self.weight:uniform(-a, a)
   if self.bias then self.bias:uniform(-a, a) end
end

--- Removes the bias. Returns self.
function SpatialConvolution:noBias()
   self.bias, self.gradBias = nil, nil
   return self
end

-- Models of early Torch7 have a matrix of weights, and one `padding`.
local function filters(self, weight)
   if weight:dim() == 4 then return weight end
   return weight:view(self.nOutputPlane, -1, self.kH, self.kW)
end

local function numbers(self)
   local padW = self.padW or self.padding or 0
   return self.dH, self.dW, self.padH or padW, padW, self.dilationH or 1, self.dilationW or 1, self.groups or 1
end

function SpatialConvolution:updateOutput(input)
   images.check(self, input, self.nInputPlane)
   local dH, dW, padH, padW, dilationH, dilationW, groups = numbers(self)
   images.fits(self, input, dilationH * (self.kH - 1) + 1, dilationW * (self.kW - 1) + 1, padH, padW)
   local bias = self.bias
   if not bias then
      bias = self:scratch '_zeros'
      if bias:nElement() ~= self.nOutputPlane then bias:resize(self.nOutputPlane):zero() end
   end
   return torch.conv2d(self.output, input, filters(self, self.weight), bias, dH, dW, padH, padW, dilationH, dilationW, groups)
end

function SpatialConvolution:updateGradInput(input, gradOutput)
   if not self.gradInput then return end
   return torch.conv2d_grad_input(self.gradInput, input, gradOutput, filters(self, self.weight), numbers(self))
end

function SpatialConvolution:accGradParameters(input, gradOutput, scale)
   torch.conv2d_grad_weight(filters(self, self.gradWeight), self.gradBias, input, gradOutput, scale or 1, numbers(self))
end

function SpatialConvolution:__tostring__()
   local _, _, padH, padW = numbers(self)
   return ('%s(%d -> %d, %dx%d%s)%s'):format(torch.type(self), self.nInputPlane, self.nOutputPlane, self.kW, self.kH,
      images.steps(self.dW, self.dH, padW, padH), self.bias and '' or ' without bias')
end

return SpatialConvolution
