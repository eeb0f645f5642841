-- bench/mnist.lua - one epoch of a small convnet over 8,000 images of MNIST's shape.
--    th bench/mnist.lua [-threads 2] [-peer pytorch] [-rounds 5]
package.path = './?.lua;' .. package.path
local torch = require 'torch'
local nn = require 'nn'
local optim = require 'optim'
local measure = require 'bench.lib.measure'
local peer = require('bench.lib.peer')

local IMAGES, BATCH = 8000, 64
local options = measure.options(arg or {})
torch.setnumthreads(options.threads)
torch.manualSeed(1)

local input = torch.FloatTensor(IMAGES, 1, 28, 28):uniform()
local target = torch.LongTensor(IMAGES):random(1, 10)
local net = nn.Sequential()
   :add(nn.SpatialConvolution(1, 32, 5, 5)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2))
   :add(nn.SpatialConvolution(32, 64, 5, 5)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2))
   :add(nn.View(64 * 4 * 4)):add(nn.Linear(64 * 4 * 4, 10)):add(nn.LogSoftMax())
   :float()
net:get(1).gradInput = nil                    -- the gradient of the images is not needed
local criterion = nn.ClassNLLCriterion():float()
local parameters, gradParameters = net:getParameters()
local state = { learningRate = 0.01 }

local function epoch()
   local order = torch.randperm(IMAGES):long()
   for first = 1, IMAGES, BATCH do
      local rows = order:narrow(1, first, math.min(BATCH, IMAGES - first + 1))
      local x, t = input:index(1, rows), target:index(1, rows)
      optim.sgd(function()
         gradParameters:zero()
         local output = net:forward(x)
         local loss = criterion:forward(output, t)
         net:backward(x, criterion:backward(output, t))
         return loss, gradParameters
      end, parameters, state)
   end
end

local other = peer.wanted(options, 'mnist', tostring(options.threads))
local functions = { function() return measure.time(epoch) end }
if other then functions[2] = function() return other.ask 'epoch' end end
local medians, ratio = measure.interleaved(math.min(options.rounds, 5), functions)
local what = ('convnet epoch, %d threads'):format(options.threads)
measure.row(what, '<= 1.50 of PyTorch', ('%.2f s'):format(medians[1]),
            other and ('%.2f s'):format(medians[2]), other and ratio, other and ratio <= 1.5)
if other then
   measure.note('peer: %s', other.version)
   other.close()
end
