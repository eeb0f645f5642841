-- bench/lib/nets.lua - models that several benchmarks run.
local nn = require 'nn'

local nets = {}

function nets.sequential(...)
   local net = nn.Sequential()
   for _, module in ipairs { ... } do net:add(module) end
   return net
end
local sequential = nets.sequential

function nets.mlp()
   return sequential(nn.Linear(784, 512), nn.ReLU(true), nn.Linear(512, 512), nn.ReLU(true), nn.Linear(512, 10), nn.LogSoftMax())
end

function nets.lenet()
   return sequential(
      nn.SpatialConvolution(1, 6, 5, 5, 1, 1, 2, 2), nn.ReLU(true), nn.SpatialMaxPooling(2, 2),
      nn.SpatialConvolution(6, 16, 5, 5), nn.ReLU(true), nn.SpatialMaxPooling(2, 2),
      nn.View(400), nn.Linear(400, 120), nn.ReLU(true), nn.Linear(120, 84), nn.ReLU(true), nn.Linear(84, 10), nn.LogSoftMax())
end

-- Its shapes with one tower, as in torchvision, without dropout.
function nets.alexnet()
   return sequential(
      nn.SpatialConvolution(3, 64, 11, 11, 4, 4, 2, 2), nn.ReLU(true), nn.SpatialMaxPooling(3, 3, 2, 2),
      nn.SpatialConvolution(64, 192, 5, 5, 1, 1, 2, 2), nn.ReLU(true), nn.SpatialMaxPooling(3, 3, 2, 2),
      nn.SpatialConvolution(192, 384, 3, 3, 1, 1, 1, 1), nn.ReLU(true),
      nn.SpatialConvolution(384, 256, 3, 3, 1, 1, 1, 1), nn.ReLU(true),
      nn.SpatialConvolution(256, 256, 3, 3, 1, 1, 1, 1), nn.ReLU(true), nn.SpatialMaxPooling(3, 3, 2, 2),
      nn.View(9216), nn.Linear(9216, 4096), nn.ReLU(true), nn.Linear(4096, 4096), nn.ReLU(true), nn.Linear(4096, 1000),
      nn.LogSoftMax())
end

local function convolution(from, to, k, stride)
   return nn.SpatialConvolution(from, to, k, k, stride, stride, (k - 1) / 2, (k - 1) / 2):noBias()
end

local function block(from, to, stride)
   local path = sequential(
      convolution(from, to, 3, stride), nn.SpatialBatchNormalization(to), nn.ReLU(true),
      convolution(to, to, 3, 1), nn.SpatialBatchNormalization(to))
   local short = stride == 1 and nn.Identity() or sequential(convolution(from, to, 1, stride), nn.SpatialBatchNormalization(to))
   return sequential(nn.ConcatTable():add(path):add(short), nn.CAddTable(true), nn.ReLU(true))
end

function nets.resnet20()
   local net, from = sequential(convolution(3, 16, 3, 1), nn.SpatialBatchNormalization(16), nn.ReLU(true)), 16
   for _, to in ipairs { 16, 32, 64 } do
      for k = 1, 3 do
         net:add(block(from, to, k == 1 and to > 16 and 2 or 1))
         from = to
      end
   end
   return net:add(nn.SpatialAveragePooling(8, 8)):add(nn.View(64)):add(nn.Linear(64, 10)):add(nn.LogSoftMax())
end

-- Three convolutions around which the planes are few; the last block of a part has `to` planes.
local function bottleneck(from, to, stride)
   local few = to / 4
   local path = sequential(
      convolution(from, few, 1, 1), nn.SpatialBatchNormalization(few), nn.ReLU(true),
      convolution(few, few, 3, stride), nn.SpatialBatchNormalization(few), nn.ReLU(true),
      convolution(few, to, 1, 1), nn.SpatialBatchNormalization(to))
   local short = nn.Identity()
   if from ~= to then
      short = sequential(convolution(from, to, 1, stride), nn.SpatialBatchNormalization(to))
   end
   return sequential(nn.ConcatTable():add(path):add(short), nn.CAddTable(true), nn.ReLU(true))
end

-- He et al., "Deep residual learning for image recognition" (2016), for images of 224 x 224.
function nets.resnet50()
   local net = sequential(convolution(3, 64, 7, 2), nn.SpatialBatchNormalization(64), nn.ReLU(true),
      nn.SpatialMaxPooling(3, 3, 2, 2, 1, 1))
   local from = 64
   for part, blocks in ipairs { 3, 4, 6, 3 } do
      local to = 128 * 2 ^ part
      for k = 1, blocks do
         net:add(bottleneck(from, to, k == 1 and part > 1 and 2 or 1))
         from = to
      end
   end
   return net:add(nn.SpatialAveragePooling(7, 7)):add(nn.View(2048)):add(nn.Linear(2048, 1000))
      :add(nn.LogSoftMax())
end

return nets
