-- test/programs/cifar/models/small.lua - two blocks of convolutions with batch normalisation, and a classifier with dropout.
require 'nn'

local net = nn.Sequential()

local function ConvBNReLU(nInputPlane, nOutputPlane)
   net:add(nn.SpatialConvolution(nInputPlane, nOutputPlane, 3, 3, 1, 1, 1, 1))
   net:add(nn.SpatialBatchNormalization(nOutputPlane, 1e-3))
   net:add(nn.ReLU(true))
   return net
end

local MaxPooling = nn.SpatialMaxPooling

ConvBNReLU(3, 8):add(nn.Dropout(0.1))
ConvBNReLU(8, 8)
net:add(MaxPooling(2, 2, 2, 2):ceil())
ConvBNReLU(8, 16)
net:add(MaxPooling(2, 2, 2, 2):ceil())
net:add(nn.View(16 * 4 * 4))

local classifier = nn.Sequential()
classifier:add(nn.Dropout(0.3))
classifier:add(nn.Linear(16 * 4 * 4, 32))
classifier:add(nn.BatchNormalization(32))
classifier:add(nn.ReLU(true))
classifier:add(nn.Dropout(0.3))
classifier:add(nn.Linear(32, 4))
net:add(classifier)

-- initialization from MSR
local function MSRinit(net)
   local function init(name)
      for _, v in pairs(net:findModules(name)) do
         local n = v.kW * v.kH * v.nOutputPlane
         v.weight:normal(0, math.sqrt(2 / n))
         v.bias:zero()
      end
   end
   init'nn.SpatialConvolution'
end

MSRinit(net)

return net
