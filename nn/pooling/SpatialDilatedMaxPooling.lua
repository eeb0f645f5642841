-- nn/pooling/SpatialDilatedMaxPooling.lua - SpatialMaxPooling whose windows have gaps.
local torch = require 'torch'

--- Windows whose elements are dilationW, dilationH pixels apart.
-- nn.SpatialDilatedMaxPooling(2, 2, 1, 1, 0, 0, 2, 2):forward(torch.ones(1, 4, 5)):size() --> {1, 2, 3}
local SpatialDilatedMaxPooling, SpatialMaxPooling = torch.class('nn.SpatialDilatedMaxPooling', 'nn.SpatialMaxPooling')
SpatialDilatedMaxPooling.__arguments = 'kW:count kH:count dW:count? dH:count? padW:size? padH:size? dilationW:count? '
   .. 'dilationH:count?'

function SpatialDilatedMaxPooling:__init(kW, kH, dW, dH, padW, padH, dilationW, dilationH)
   SpatialMaxPooling.__init(self, kW, kH, dW, dH, padW, padH)
   self.dilationW, self.dilationH = dilationW or 1, dilationH or 1
end

function SpatialDilatedMaxPooling:__tostring__()
   local text = SpatialMaxPooling.__tostring__(self)
   return ('%s, %d,%d)'):format(text:sub(1, -2), self.dilationW, self.dilationH)
end

return SpatialDilatedMaxPooling
