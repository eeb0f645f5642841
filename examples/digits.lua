-- examples/digits.lua - a network learns to read handwritten digits.
--    th examples/digits.lua                       the digits that come with the project
--    th examples/digits.lua -data FOLDER          MNIST's IDX files, gzipped or not
local here = debug.getinfo(1, 'S').source:match '^@(.*)/[^/]*$' or '.'
package.path = here .. '/../?.lua;' .. package.path

local torch = require 'torch'
local nn = require 'nn'
local optim = require 'optim'
local paths = require 'paths'
local xlua = require 'xlua'
local idx = require 'examples.lib.idx'
local draw = require 'examples.lib.draw'

-- ---- options ------------------------------------------------------------------------------------

local RATES = { sgd = 0.05, adam = 0.002, rmsprop = 0.001, adagrad = 0.02 }
local TYPES = { float = 'torch.FloatTensor', double = 'torch.DoubleTensor' }

local cmd = torch.CmdLine()
cmd:text()
cmd:text 'Trains a network to read handwritten digits.'
cmd:text()
cmd:text 'Options:'
cmd:option('-model', 'convnet', 'mlp or convnet')
cmd:option('-data', '', "folder with MNIST's IDX files, gzipped or not; empty: the project's own digits")
cmd:option('-epochs', 10, 'times that the whole training set is seen')
cmd:option('-batchSize', 32, 'images per step')
cmd:option('-optim', 'sgd', 'sgd, adam, rmsprop or adagrad')
cmd:option('-learningRate', 0, "of the first epoch; 0: what suits the optimizer")
cmd:option('-decay', 0.75, 'learning rate of an epoch divided by that of the epoch before')
cmd:option('-momentum', 0.9, 'of sgd')
cmd:option('-weightDecay', 1e-4, 'pull of the weights towards zero')
cmd:option('-type', 'float', 'float or double')
cmd:option('-threads', 0, 'threads to use; 0: all processors. The result does not depend on it')
cmd:option('-seed', 1, 'of the random numbers; the same seed gives the same model, bit by bit')
cmd:option('-save', 'out', 'folder for the log, the model, the checkpoint and the learning curve')
cmd:option('-resume', '', 'checkpoint to go on from; its options hold, except -epochs, -threads and -save')
cmd:option('-gpu', false, 'train on a CUDA device')
cmd:text()

local function stop(...)
   io.stderr:write('digits: ', (...):format(select(2, ...)), '\n')
   os.exit(1)
end

local opt = cmd:parse(arg or {})

local checkpoint
if opt.resume ~= '' then
   local ok, loaded = pcall(torch.load, opt.resume)
   if not ok then stop('cannot resume: %s', loaded) end
   if type(loaded) ~= 'table' or loaded.kind ~= 'digits checkpoint' then
      stop('cannot resume: %s is no checkpoint of this program', opt.resume)
   end
   checkpoint = loaded
   local given = { epochs = true, threads = true, save = true, resume = true }
   for name, value in pairs(checkpoint.opt) do
      if not given[name] then opt[name] = value end
   end
end

local function needWhole(name, lowest)
   local value = opt[name]
   if type(value) ~= 'number' or value % 1 ~= 0 or value < lowest then
      stop('-%s must be a whole number of at least %d, got %s', name, lowest, tostring(value))
   end
end
needWhole('epochs', 1)
needWhole('batchSize', 2)                     -- batch normalisation needs two
needWhole('threads', 0)
needWhole('seed', 0)
local function needOneOf(name, known, words)
   if not known[opt[name]] then stop('-%s must be %s, got %s', name, words, tostring(opt[name])) end
end
needOneOf('model', { mlp = true, convnet = true }, 'mlp or convnet')
needOneOf('optim', RATES, 'sgd, adam, rmsprop or adagrad')
needOneOf('type', TYPES, 'float or double')
for _, name in ipairs { 'learningRate', 'decay', 'momentum', 'weightDecay' } do
   local value = opt[name]
   if type(value) ~= 'number' or value < 0 or value == math.huge or value ~= value then
      stop('-%s must be a number of at least 0, got %s', name, tostring(value))
   end
end
if opt.learningRate == 0 then opt.learningRate = RATES[opt.optim] end
if opt.gpu and not pcall(require, 'cunn') then
   stop('-gpu: no CUDA backend is installed (the packages cutorch and cunn); run without -gpu')
end

local tensorType = opt.gpu and 'torch.CudaTensor' or TYPES[opt.type]
if opt.threads > 0 then torch.setnumthreads(opt.threads) end
torch.manualSeed(opt.seed)

-- ---- data ---------------------------------------------------------------------------------------

-- A set: input N x 1 x H x W, the pixels as they are in the file; target N classes from 1 (digit + 1).
local function set(images, labels)
   local n, height, width = images:size(1), images:size(2), images:size(3)
   local input = images:view(n, 1, height, width):type(tensorType)
   return { n = n, input = input, target = labels:long():add(1) }
end

local function pick(images, labels, wanted)
   local rows = {}
   for i = 1, images:size(1) do
      if wanted(i) then rows[#rows + 1] = i end
   end
   local index = torch.LongTensor(rows)
   return set(images:index(1, index), labels:index(1, index))
end

-- The training set, the test set and the value of a white pixel.
local function loadData()
   if opt.data == '' then
      local dir = here .. '/../data/'
      local images, labels = idx.readPair(dir .. 'digits-images-idx3-ubyte',
                                          dir .. 'digits-labels-idx1-ubyte')
      local function isTest(i) return i % 5 == 0 end
      local function isTrain(i) return not isTest(i) end
      return pick(images, labels, isTrain), pick(images, labels, isTest), 16
   end
   local images, labels = idx.readHalf(opt.data, 't10k')
   if not images then error(opt.data .. ' has no t10k-images-idx3-ubyte[.gz]', 0) end
   local trainImages, trainLabels = idx.readHalf(opt.data, 'train')
   if trainImages then return set(trainImages, trainLabels), set(images, labels), 255 end
   if images:size(1) < 10 then error(opt.data .. ' has fewer than 10 images', 0) end
   local n = math.floor(images:size(1) * 0.8) -- only the test half: its first 8,000 images train
   local function isTrain(i) return i <= n end
   local function isTest(i) return i > n end
   return pick(images, labels, isTrain), pick(images, labels, isTest), 255
end

local ok, train, test, white = pcall(loadData)
if not ok then stop('%s', train) end
local height, width = train.input:size(3), train.input:size(4)

-- ---- network ------------------------------------------------------------------------------------

local function mlp()
   return nn.Sequential()
      :add(nn.View(-1):setNumInputDims(3))
      :add(nn.Linear(height * width, 256))
      :add(nn.BatchNormalization(256))
      :add(nn.ReLU())
      :add(nn.Linear(256, 128))
      :add(nn.BatchNormalization(128))
      :add(nn.ReLU())
      :add(nn.Linear(128, 10))
      :add(nn.LogSoftMax())
end

local function convnet()
   local large = math.min(height, width) >= 16
   local k = large and 5 or 3
   local net = nn.Sequential()
   local function layer(from, to)
      net:add(nn.SpatialConvolution(from, to, k, k, 1, 1, (k - 1) / 2, (k - 1) / 2))
         :add(nn.SpatialBatchNormalization(to))
         :add(nn.ReLU())
   end
   layer(1, 16)
   if not large then layer(16, 32) end
   net:add(nn.SpatialMaxPooling(2, 2))
   layer(large and 16 or 32, 32)
   net:add(nn.SpatialMaxPooling(2, 2))
   local features = 32 * math.floor(height / 4) * math.floor(width / 4)
   return net
      :add(nn.View(features):setNumInputDims(3))
      :add(nn.Linear(features, 10))
      :add(nn.LogSoftMax())
end

-- What is saved takes pixels as they are in the file: its first part centres and scales them. That
-- part has nothing to learn, so it runs once, over all images; training works on the second alone.
local model
if checkpoint then
   model = checkpoint.model
else
   local scale = nn.Sequential()
      :add(nn.AddConstant(-train.input:mean()))
      :add(nn.MulConstant(1 / train.input:std()))
   local net = opt.model == 'mlp' and mlp() or convnet()
   model = nn.Sequential():add(scale):add(net):type(tensorType)
end
local scale, net = model:get(1), model:get(2)
local pixels = test.input                     -- kept for drawing
for _, part in ipairs { train, test } do part.input = scale:forward(part.input):clone() end
local criterion = nn.ClassNLLCriterion():type(tensorType)

-- ---- training -----------------------------------------------------------------------------------

local parameters, gradParameters = net:getParameters()
local history = checkpoint and checkpoint.history or {}
local state = checkpoint and checkpoint.state
   or { momentum = opt.momentum, dampening = 0, weightDecay = opt.weightDecay }
if checkpoint then torch.setRNGState(checkpoint.rng) end

local terminal = draw.terminal()
local function progress(done, all)
   if terminal then xlua.progress(done, all) end
end

local function trainEpoch()
   net:training()
   local order = torch.randperm(train.n):long()
   local lossSum, right, seen = 0, 0, 0
   local first = 1
   while first <= train.n do
      local n = math.min(opt.batchSize, train.n - first + 1)
      if train.n - first + 1 - n == 1 then n = n + 1 end   -- no batch of one image: see -batchSize
      local batch = order:narrow(1, first, n)
      local input, target = train.input:index(1, batch), train.target:index(1, batch)
      local output
      optim[opt.optim](function()
         gradParameters:zero()
         output = net:forward(input)
         local loss = criterion:forward(output, target)
         net:backward(input, criterion:backward(output, target))
         lossSum = lossSum + loss * n
         return loss, gradParameters
      end, parameters, state)
      local _, answer = output:max(2)
      right = right + answer:long():view(n):eq(target):sum()
      seen, first = seen + n, first + n
      progress(seen, train.n)
   end
   return lossSum / train.n, 100 * right / train.n
end

-- Fills the confusion matrix; returns loss, accuracy in percent and the answers (classes from 1).
local function evaluate(confusion)
   net:evaluate()
   confusion:zero()
   local answers, lossSum, batch = torch.LongTensor(test.n), 0, 256
   for first = 1, test.n, batch do
      local n = math.min(batch, test.n - first + 1)
      local output = net:forward(test.input:narrow(1, first, n))
      local target = test.target:narrow(1, first, n)
      lossSum = lossSum + criterion:forward(output, target) * n
      local _, answer = output:max(2)
      answers:narrow(1, first, n):copy(answer)
      confusion:batchAdd(output, target)
   end
   return lossSum / test.n, 100 * answers:eq(test.target):sum() / test.n, answers
end

pcall(paths.mkdir, opt.save)
if not paths.dirp(opt.save) then stop('cannot make the folder %s', opt.save) end
local function inSave(name) return paths.concat(opt.save, name) end

local logger = optim.Logger(inSave 'train.log')
logger:setNames { 'epoch', 'train loss', 'train accuracy', 'test loss', 'test accuracy' }
local function log(entry)
   logger:add { entry.epoch, entry.trainLoss, entry.trainAccuracy, entry.testLoss,
                entry.testAccuracy }
end
for _, entry in ipairs(history) do log(entry) end

print(('%d training images, %d test images, %d x %d pixels; %d parameters; %d thread%s')
      :format(train.n, test.n, height, width, parameters:nElement(), torch.getnumthreads(),
              torch.getnumthreads() == 1 and '' or 's'))
print(net)

local names = {}
for digit = 0, 9 do names[digit + 1] = tostring(digit) end
local confusion = optim.ConfusionMatrix(names)
local total = torch.Timer()
local answers

for epoch = #history + 1, opt.epochs do
   local timer = torch.Timer()
   state.learningRate = opt.learningRate * opt.decay ^ (epoch - 1)
   local entry = { epoch = epoch }
   entry.trainLoss, entry.trainAccuracy = trainEpoch()
   entry.testLoss, entry.testAccuracy, answers = evaluate(confusion)
   history[epoch] = entry
   log(entry)
   print(('epoch %2d of %d  rate %.4f  train: loss %.4f accuracy %6.2f %%  '
          .. 'test: loss %.4f accuracy %6.2f %%  %.2f s')
         :format(epoch, opt.epochs, state.learningRate, entry.trainLoss, entry.trainAccuracy,
                 entry.testLoss, entry.testAccuracy, timer:time().real))
   torch.save(inSave 'checkpoint.t7', {
      kind = 'digits checkpoint', opt = opt, model = model:clearState(), state = state,
      history = history, rng = torch.getRNGState() })
end
if not answers then
   local _
   _, _, answers = evaluate(confusion)
end
print(('trained for %.1f s'):format(total:time().real))

-- ---- results ------------------------------------------------------------------------------------

print(confusion)

local function show(title, wanted)
   local images, captions = {}, {}
   local room = math.floor(80 / (width * (width < 16 and 2 or 1) + 2))
   for i = 1, test.n do
      local said, is = answers[i] - 1, test.target[i] - 1
      if #images < room and wanted(said, is) then
         images[#images + 1] = pixels[i][1]
         captions[#captions + 1] = (said == is and '%d' or '%d, is %d'):format(said, is)
      end
   end
   if #images == 0 then return print(title .. ' none') end
   print(title)
   print()
   print(draw.row(images, captions, white, terminal))
end
show('Read right:', function(said, is) return said == is end)
show('Read wrong:', function(said, is) return said ~= is end)

model:evaluate()
torch.save(inSave 'model.t7', model:clearState())

local accuracy = { train = {}, test = {} }
for i, entry in ipairs(history) do
   accuracy.train[i], accuracy.test[i] = entry.trainAccuracy, entry.testAccuracy
end
local picture, whyNot = draw.curves(inSave 'curve.svg', 'Reading digits', 'epoch', 'accuracy in %', {
   { title = 'training', points = accuracy.train },
   { title = 'test', points = accuracy.test } })

print(('log            %s'):format(inSave 'train.log'))
print(('learning curve %s'):format(picture and inSave 'curve.svg' or 'none, ' .. whyNot))
print(('checkpoint     %s   goes on with -resume and more -epochs'):format(inSave 'checkpoint.t7'))
print(('model          %s   takes N x 1 x %d x %d pixels from 0 to %d; class c is digit c - 1; try')
      :format(inSave 'model.t7', height, width, white))
print(("  require 'nn'; net = torch.load('%s'); print(net:forward(torch.%s(1, 1, %d, %d):fill(%d)):exp())")
      :format(inSave 'model.t7', tensorType:match '%.(.*)', height, width, white / 2))
print(('test accuracy: %.2f %%'):format(history[#history].testAccuracy))
