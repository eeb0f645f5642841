-- nn/pooling/VolumetricDilatedMaxPooling.lua - VolumetricMaxPooling whose windows have gaps.
local torch = require 'torch'

--- VolumetricMaxPooling whose windows have gaps.
-- nn.VolumetricDilatedMaxPooling(2, 2, 2, 1, 1, 1, 0, 0, 0, 2, 2, 2):forward(torch.ones(1, 4, 4, 4)):size() --> {1, 2, 2, 2}
local DilatedPooling, MaxPooling = torch.class('nn.VolumetricDilatedMaxPooling', 'nn.VolumetricMaxPooling')
DilatedPooling.__arguments = 'kT:count kW:count kH:count dT:count? dW:count? dH:count? padT:size? padW:size? padH:size? '
   .. 'dilationT:count? dilationW:count? dilationH:count?'

function DilatedPooling:__init(kT, kW, kH, dT, dW, dH, padT, padW, padH, dilationT, dilationW, dilationH)
   MaxPooling.__init(self, kT, kW, kH, dT, dW, dH, padT, padW, padH)
   self.dilationT, self.dilationW, self.dilationH = dilationT or 1, dilationW or 1, dilationH or 1
end

function DilatedPooling:__tostring__()
   return ('%s, %d,%d,%d)'):format(MaxPooling.__tostring__(self):sub(1, -2), self.dilationT, self.dilationW, self.dilationH)
end

return DilatedPooling
