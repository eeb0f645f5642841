-- main.lua - a network learns from pictures that donkeys load: the jobs' second functions train.
--    th main.lua -data FOLDER -cache FOLDER [-nDonkeys N]
require 'torch'
require 'paths'
require 'xlua'
require 'optim'
require 'nn'
require 'image'

local cmd = torch.CmdLine()
cmd:option('-data', 'pictures', 'a folder with a folder of JPEG files for each class; made if there is none')
cmd:option('-cache', '.', 'where mean and std are kept')
cmd:option('-nDonkeys', 2, 'threads that load; 0: the main one')
cmd:option('-manualSeed', 2, 'seed')
cmd:option('-epochSize', 15, 'batches of an epoch')
cmd:option('-batchSize', 6, 'pictures of a batch')
cmd:option('-loadSize', 24, 'pixels of the shorter side')
cmd:option('-sampleSize', 20, 'pixels of a side')
opt = cmd:parse(arg)

torch.setdefaulttensortype('torch.FloatTensor')
torch.manualSeed(opt.manualSeed)

-- Bright below, or bright above.
if not paths.dirp(opt.data) then
   paths.mkdir(opt.data)
   for _, class in ipairs { 'above', 'below' } do
      paths.mkdir(paths.concat(opt.data, class))
      for i = 1, 10 do
         local picture = torch.rand(i == 4 and 1 or 3, 30 + i, 48 - 2 * i):mul(0.3)
         picture:narrow(2, class == 'above' and 1 or 16 + math.floor(i / 2), 15 + math.floor(i / 2)):add(0.6)
         image.save(paths.concat(opt.data, class, i .. '.JPG'), picture)
      end
   end
end

-- The threads, or something that looks like them.
do
   local Threads = require 'threads'
   local options = opt
   if opt.nDonkeys > 0 then
      donkeys = Threads(opt.nDonkeys,
         function() require 'torch' end,
         function(idx)
            opt = options
            tid = idx
            torch.setdefaulttensortype('torch.FloatTensor')
            local seed = opt.manualSeed + idx
            torch.manualSeed(seed)
            print(string.format('Starting donkey with id: %d seed: %d', tid, seed))
            if tid == 1 then paths.dofile('donkey.lua') end
         end)
      -- The others start when the first has written the cache.
      donkeys:specific(true)
      for idx = 2, opt.nDonkeys do donkeys:addjob(idx, function() paths.dofile('donkey.lua') end) end
      donkeys:synchronize()
      donkeys:specific(false)
   else
      tid = 1
      paths.dofile('donkey.lua')
      donkeys = {}
      function donkeys:addjob(f1, f2) f2(f1()) end
      function donkeys:synchronize() end
      function donkeys:terminate() end
   end
end

local nTest = 0
donkeys:addjob(function() return trainLoader.classes end, function(c) classes = c end)
donkeys:synchronize()
local nClasses = #classes
donkeys:addjob(function() return testLoader:size() end, function(c) nTest = c end)
donkeys:synchronize()
print(('nClasses: %d, nTest: %d'):format(nClasses, nTest))

local model = nn.Sequential()
model:add(nn.SpatialConvolution(3, 4, 5, 5)):add(nn.ReLU()):add(nn.SpatialMaxPooling(4, 4))
model:add(nn.View(64)):add(nn.Linear(64, nClasses)):add(nn.LogSoftMax())
local criterion = nn.ClassNLLCriterion()
local parameters, gradParameters = model:getParameters()
local inputs, labels = torch.Tensor(), torch.LongTensor()
local batchNumber, loss_epoch = 0, 0

local function trainBatch(inputsCPU, labelsCPU)
   inputs:resize(inputsCPU:size()):copy(inputsCPU)
   labels:resize(labelsCPU:size()):copy(labelsCPU)
   local function feval()
      model:zeroGradParameters()
      local err = criterion:forward(model:forward(inputs), labels)
      model:backward(inputs, criterion:backward(model.output, labels))
      loss_epoch = loss_epoch + err
      return err, gradParameters
   end
   optim.sgd(feval, parameters, { learningRate = 0.02 })
   batchNumber = batchNumber + 1
end

for epoch = 1, 3 do
   batchNumber, loss_epoch = 0, 0
   model:training()
   for _ = 1, opt.epochSize do
      donkeys:addjob(
         function()
            local inputsThread, labelsThread = trainLoader:sample(opt.batchSize)
            return inputsThread, labelsThread
         end,
         trainBatch)
   end
   donkeys:synchronize()
   print(('Epoch: [%d] batches %d, loss %.3f'):format(epoch, batchNumber, loss_epoch / opt.epochSize))
end

model:evaluate()
local right, seen = 0, torch.Tensor(nTest)
for i = 1, nTest / 4 do
   local indexStart = (i - 1) * 4 + 1
   local indexEnd = indexStart + 3
   donkeys:addjob(
      function()
         local inputsThread, labelsThread = testLoader:get(indexStart, indexEnd)
         return inputsThread, labelsThread, indexStart
      end,
      function(inputsCPU, labelsCPU, start)
         local _, guess = model:forward(inputsCPU):max(2)
         right = right + guess:long():view(-1):eq(labelsCPU):sum()
         for k = 1, 4 do seen[start + k - 1] = inputsCPU[k]:sum() end
      end)
end
donkeys:synchronize()
donkeys:terminate()
print(('right: %d of %d'):format(right, nTest))
print(('test pictures: %.9g %.9g'):format(seen:sum(), seen:std()))
