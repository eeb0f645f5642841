-- test/soak/train.lua - trains a small network by one optimizer after the other, with 1 to 3 threads. The same optimizer gives
-- the same bits in every round.
local torch = require 'torch'
local nn = require 'nn'
local optim = require 'optim'

local METHODS = { 'sgd', 'adam', 'rmsprop', 'adagrad', 'adadelta', 'lbfgs' }
local digests = {}

local function network()
   return nn.Sequential()
      :add(nn.SpatialConvolution(1, 6, 5, 5, 1, 1, 2, 2)):add(nn.SpatialBatchNormalization(6)):add(nn.ReLU())
      :add(nn.SpatialMaxPooling(2, 2, 2, 2)):add(nn.View(-1):setNumInputDims(3)):add(nn.Dropout(0.3))
      :add(nn.Linear(6 * 8 * 8, 20)):add(nn.Tanh()):add(nn.Linear(20, 5)):add(nn.LogSoftMax())
end

return function(soak)
   local method = METHODS[soak.round % #METHODS + 1]
   local before = torch.getnumthreads()
   torch.setnumthreads(soak.round % 3 + 1)
   torch.manualSeed(7)
   local net, criterion = network():float(), nn.ClassNLLCriterion():float()
   local x, labels = torch.FloatTensor(32, 1, 16, 16):uniform(), torch.LongTensor(32):random(5)
   local params, grads = net:getParameters()
   local config = { learningRate = 0.01, maxIter = 2 }
   for _ = 1, 6 do
      optim[method](function()
         grads:zero()
         local loss = criterion:forward(net:forward(x), labels)
         net:backward(x, criterion:backward(net.output, labels))
         return loss, grads
      end, params, config)
   end
   torch.setnumthreads(before)
   local digest = torch.serialize(params)
   digests[method] = digests[method] or digest
   assert(digest == digests[method], method .. ' gives other bits than in its first round')
end
