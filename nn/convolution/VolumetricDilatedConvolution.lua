-- nn/convolution/VolumetricDilatedConvolution.lua - VolumetricConvolution whose filters have gaps.
local torch = require 'torch'

--- VolumetricConvolution whose filters have gaps.
-- nn.VolumetricDilatedConvolution(1, 2, 2, 2, 2, 1, 1, 1, 0, 0, 0, 2, 2, 2):forward(torch.ones(1, 4, 4, 4)):size() --> {2, 2, 2, 2}
local Dilated, Convolution = torch.class('nn.VolumetricDilatedConvolution', 'nn.VolumetricConvolution')
Dilated.__arguments = 'nInputPlane:size nOutputPlane:size kT:count kW:count kH:count dT:count? dW:count? '
   .. 'dH:count? padT:size? padW:size? padH:size? dilationT:count? dilationW:count? '
   .. 'dilationH:count?'

function Dilated:__init(nInputPlane, nOutputPlane, kT, kW, kH, dT, dW, dH, padT, padW, padH, dilationT, dilationW, dilationH)
   Convolution.__init(self, nInputPlane, nOutputPlane, kT, kW, kH, dT, dW, dH, padT, padW, padH)
   self.dilationT, self.dilationW, self.dilationH = dilationT or 1, dilationW or 1, dilationH or 1
end

function Dilated:__tostring__()
   return ('%s, %d,%d,%d)'):format(Convolution.__tostring__(self):sub(1, -2), self.dilationT, self.dilationW, self.dilationH)
end

return Dilated
