-- train.lua - three ways of loading pictures in threads, as programs for Torch7 had them.
--    th train.lua -data FOLDER [-nThreads N]
require 'torch'
require 'image'
require 'nn'
require 'optim'

local cmd = torch.CmdLine()
cmd:option('-data', 'pictures', 'a folder with a folder for each class; made if there is none')
cmd:option('-nThreads', 2, 'threads that load')
cmd:option('-batchSize', 5, 'pictures of a batch')
cmd:option('-imageSize', 12, 'pixels of a side')
cmd:option('-epochs', 3, 'passes over the pictures')
cmd:option('-manualSeed', 3, 'seed')
local options = cmd:parse(arg)

torch.setdefaulttensortype('torch.FloatTensor')
torch.manualSeed(options.manualSeed)

-- Pictures of two classes: bright below, or bright above.
local function makePictures(root)
   paths.mkdir(root)
   for _, class in ipairs { 'above', 'below' } do
      paths.mkdir(paths.concat(root, class))
      for i = 1, 12 do
         local picture = torch.rand(3, 20 + i % 3, 24):mul(0.3)
         picture:narrow(2, class == 'above' and 1 or 11, 10):add(0.6)
         image.save(paths.concat(root, class, ('%02d.ppm'):format(i)), picture)
      end
   end
end
if not paths.dirp(options.data) then makePictures(options.data) end

-- One pass after the other over batches of a DataLoader, and a network that learns from them.
local FolderDataset = require 'datasets/folder'
local DataLoader = require 'dataloader'
local side = options.imageSize
local net = nn.Sequential():add(nn.View(3 * side * side)):add(nn.Linear(3 * side * side, 2)):add(nn.LogSoftMax())
local criterion = nn.ClassNLLCriterion()
local params, gradParams = net:getParameters()
local loader = DataLoader(FolderDataset(options.data), options)
local loss
for epoch = 1, options.epochs do
   local batches = {}
   for n, sample in loader:run() do
      assert(n <= loader:size())
      batches[sample.place] = sample
   end
   loss = 0
   for place = 1, 24, options.batchSize do                   -- in their order, so that results do not depend on the threads
      local sample = batches[place]
      local function feval()
         gradParams:zero()
         local err = criterion:forward(net:forward(sample.input), sample.target)
         net:backward(sample.input, criterion:backward(net.output, sample.target))
         loss = loss + err * sample.input:size(1) / 24
         return err, gradParams
      end
      optim.sgd(feval, params, { learningRate = 0.05 })
   end
   print(('epoch %d: loss %.9f'):format(epoch, loss))
end
loader.threads:terminate()

-- A batch at a time, from donkeys that always have the next ones under way.
local data = require('data').new(options.nThreads, options)
print('pictures: ' .. data:size())
local right = 0
for _ = 1, 12 do
   local input, target = data:getBatch()
   assert(input:size(1) == options.batchSize and input:min() >= 0 and input:max() <= 1)
   local _, guess = net:forward(input):max(2)
   right = right + guess:long():view(-1):eq(target):sum()
end
print(('right: %.3f'):format(right / (12 * options.batchSize)))

-- Jobs whose second function trains, and one that fails.
local Threads = require 'threads'
local opt = options
local donkeys = Threads(math.max(1, options.nThreads), function() require 'torch' end, function(idx)
   _G.opt = opt
   torch.manualSeed(idx)
   paths.dofile('donkey.lua')
end)
local classes
donkeys:addjob(function() return trainLoader:classes() end, function(c) classes = c end)
donkeys:synchronize()
local inputs, labels = torch.Tensor(), torch.LongTensor()
local count = 0
local function trainBatch(inputsThread, labelsThread)
   inputs:resize(inputsThread:size()):copy(inputsThread)
   labels:resize(labelsThread:size()):copy(labelsThread)
   count = count + inputs:size(1)
end
for i = 1, 20 do
   donkeys:addjob(function() return trainLoader:sample(i % 3 + 1) end, trainBatch)
end
donkeys:synchronize()
print(('classes: %s, samples: %d'):format(table.concat(classes, ' '), count))
donkeys:addjob(function() return image.load(opt.data .. '/missing.ppm') end, trainBatch)
print('error: ' .. tostring(select(2, pcall(donkeys.synchronize, donkeys))):match('%[thread %d+ callback%]'))
donkeys:terminate()
