-- nn/convolution/SpatialDilatedConvolution.lua - SpatialConvolution whose filters have gaps.
local torch = require 'torch'
local images = require 'nn.support.images'

--- Filters whose elements are dilationW, dilationH pixels apart (1: an ordinary convolution).
-- nn.SpatialDilatedConvolution(1, 1, 3, 3, 1, 1, 0, 0, 2, 2):forward(torch.ones(1, 7, 7)):size() --> {1, 3, 3}
local SpatialDilatedConvolution, SpatialConvolution =
   torch.class('nn.SpatialDilatedConvolution', 'nn.SpatialConvolution')
SpatialDilatedConvolution.__arguments = 'nInputPlane:size nOutputPlane:size kW:count kH:count dW:count? dH:count? padW:whole? '
   .. 'padH:whole? dilationW:count? dilationH:count?'

function SpatialDilatedConvolution:__init(nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH, dilationW, dilationH)
   self.dilationW, self.dilationH = dilationW or 1, dilationH or 1
   SpatialConvolution.__init(self, nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH)
end

function SpatialDilatedConvolution:__tostring__()
   return ('%s(%d -> %d, %dx%d%s, %d,%d)%s'):format(torch.type(self), self.nInputPlane, self.nOutputPlane, self.kW,
      self.kH, images.steps(self.dW, self.dH, self.padW, self.padH), self.dilationW, self.dilationH,
      self.bias and '' or ' without bias')
end

return SpatialDilatedConvolution
