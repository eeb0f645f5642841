-- test/programs/cifar/train.lua - trains a network on small colour images the way programs of 2015 did: options and progress by
-- xlua, optim.Logger and optim.ConfusionMatrix, a layer that flips images, sgd with momentum. The images are made here.
require 'xlua'
require 'optim'
require 'nn'
dofile 'provider.lua'
local c = require 'trepl.colorize'

local op = xlua.OptionParser('%prog [options]')
op:option{'-s', '--save', action='store', dest='save', default='logs', help='folder for the log and the model'}
op:option{'-b', '--batchSize', action='store', dest='batchSize', default=32, help='images in a batch'}
op:option{'-r', '--learningRate', action='store', dest='learningRate', default=0.2, help='learning rate'}
op:option{'-d', '--learningRateDecay', action='store', dest='learningRateDecay', default=1e-7, help='its decay'}
op:option{'-w', '--weightDecay', action='store', dest='weightDecay', default=5e-4, help='decay of weights'}
op:option{'-m', '--momentum', action='store', dest='momentum', default=0.9, help='momentum'}
op:option{'-e', '--epoch_step', action='store', dest='epoch_step', default=6, help='epochs for which a rate holds'}
op:option{'-n', '--max_epoch', action='store', dest='max_epoch', default=12, help='epochs'}
op:option{'-l', '--model', action='store', dest='model', default='small', help='file of models/'}
op:option{'-t', '--type', action='store', dest='type', default='float', help='float or cuda'}
op:option{'-j', '--threads', action='store', dest='threads', default=1, help='threads of the CPU'}
opt = op:parse()
for k, v in pairs(opt) do opt[k] = tonumber(v) or v end
print(opt)

torch.setnumthreads(opt.threads)
torch.manualSeed(1)
torch.setdefaulttensortype('torch.FloatTensor')

local function cast(t)
   if opt.type == 'cuda' then
      require 'cunn'
      return t:cuda()
   end
   return t:float()
end

do -- flips half of the images of a batch, in training only
   local BatchFlip, parent = torch.class('nn.BatchFlip', 'nn.Module')

   function BatchFlip:__init()
      parent.__init(self)
      self.train = true
   end

   function BatchFlip:updateOutput(input)
      self.output:resizeAs(input):copy(input)
      if self.train then
         local bs = input:size(1)
         local flip_mask = torch.randperm(bs):le(bs / 2)
         local columns = torch.range(input:size(4), 1, -1):long()
         for i = 1, bs do
            if flip_mask[i] == 1 then self.output[i]:copy(input[i]:index(3, columns)) end
         end
      end
      return self.output
   end
end

print(c.blue '==>' .. ' configuring model')
local model = nn.Sequential()
model:add(nn.BatchFlip():float())
model:add(nn.Copy('torch.FloatTensor', torch.type(cast(torch.Tensor()))))
model:add(cast(dofile('models/' .. opt.model .. '.lua')))
model:get(2).updateGradInput = function() return end
print(model)

print(c.blue '==>' .. ' making data')
trainData = Provider(480, 1)
testData = Provider(160, 2)
local mean, std = trainData:normalize()
testData:normalize(mean, std)

confusion = optim.ConfusionMatrix(Provider.classes)

print('Will save at ' .. opt.save)
paths.mkdir(opt.save)
testLogger = optim.Logger(paths.concat(opt.save, 'test.log'))
testLogger:setNames{'% mean class accuracy (train set)', '% mean class accuracy (test set)'}
testLogger.showPlot = false

parameters, gradParameters = model:getParameters()
criterion = cast(nn.CrossEntropyCriterion())
optimState = {
   learningRate = opt.learningRate,
   weightDecay = opt.weightDecay,
   momentum = opt.momentum,
   learningRateDecay = opt.learningRateDecay,
}

function train()
   model:training()
   epoch = epoch or 1

   -- smaller steps from time to time
   if epoch % opt.epoch_step == 0 then optimState.learningRate = optimState.learningRate / 2 end
   print('==> online epoch # ' .. epoch .. ' [batchSize = ' .. opt.batchSize .. ']')

   local targets = cast(torch.FloatTensor(opt.batchSize))
   local indices = torch.randperm(trainData.data:size(1)):long():split(opt.batchSize)
   -- only whole batches
   indices[#indices] = indices[#indices]:size(1) == opt.batchSize and indices[#indices] or nil

   local tic = torch.tic()
   local sum = 0
   for t, v in ipairs(indices) do
      xlua.progress(t, #indices)
      local inputs = trainData.data:index(1, v)
      targets:copy(trainData.labels:index(1, v))

      local feval = function(x)
         if x ~= parameters then parameters:copy(x) end
         gradParameters:zero()
         local outputs = model:forward(inputs)
         local f = criterion:forward(outputs, targets)
         local df_do = criterion:backward(outputs, targets)
         model:backward(inputs, df_do)
         confusion:batchAdd(outputs, targets)
         sum = sum + f
         return f, gradParameters
      end
      optim.sgd(feval, parameters, optimState)
   end

   confusion:updateValids()
   print(('Train accuracy: ' .. c.cyan '%.2f' .. ' %%\t time: %.2f s'):format(confusion.totalValid * 100, torch.toc(tic)))
   train_acc, train_loss = confusion.totalValid * 100, sum / #indices
   confusion:zero()
   epoch = epoch + 1
end

function test()
   model:evaluate()
   print('==> testing')
   local bs = 40
   for i = 1, testData.data:size(1), bs do
      local outputs = model:forward(testData.data:narrow(1, i, bs))
      confusion:batchAdd(outputs, testData.labels:narrow(1, i, bs))
   end
   confusion:updateValids()
   print('Test accuracy:', confusion.totalValid * 100)

   if testLogger then
      testLogger:add{train_acc, confusion.totalValid * 100}
      testLogger:style{'-', '-'}
   end
   print(confusion)

   -- a table of the results beside the log
   local file = io.open(paths.concat(opt.save, 'report.txt'), 'w')
   file:write(tostring(confusion) .. '\n')
   for k, v in pairs(optimState) do
      if torch.type(v) == 'number' then file:write(k .. ' = ' .. v .. '\n') end
   end
   file:close()

   -- the model without what it computed
   if epoch > opt.max_epoch then
      local filename = paths.concat(opt.save, 'model.net')
      print('==> saving model to ' .. filename)
      torch.save(filename, model:get(3):clearState())
   end
   test_acc = confusion.totalValid * 100
   confusion:zero()
end

for _ = 1, opt.max_epoch do
   train()
   test()
end
print(string.format('training loss %.9g, test accuracy %.9g', train_loss, test_acc))
