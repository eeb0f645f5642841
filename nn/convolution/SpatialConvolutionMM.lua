-- nn/convolution/SpatialConvolutionMM.lua - SpatialConvolution with its weights in a matrix, one row for each filter.
local torch = require 'torch'

--- The same as nn.SpatialConvolution; the weight is nOutputPlane x (nInputPlane * kH * kW).
-- nn.SpatialConvolutionMM(2, 3, 3, 2):forward(torch.ones(2, 4, 5)):size() --> {3, 3, 3}
local SpatialConvolutionMM, _ = torch.class('nn.SpatialConvolutionMM', 'nn.SpatialConvolution')

--- Makes the weight as a matrix, and the bias.
function SpatialConvolutionMM:makeParameters()
   self:parameter('weight', self.nOutputPlane, self.nInputPlane * self.kH * self.kW)
   self:parameter('bias', self.nOutputPlane)
end

return SpatialConvolutionMM
