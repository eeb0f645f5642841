-- examples/digits.lua - a network learns to read handwritten digits.
--    th examples/digits.lua                       the digits that come with the project
--    th examples/digits.lua -data FOLDER          MNIST's IDX files, gzipped or not
local here = debug.getinfo(1, 'S').source:match '^@(.*)/[^/]*$' or '.'
package.path = here .. '/../?.lua;' .. package.path

local torch = require 'torch'
local nn = require 'nn'
local optim = require 'optim'
local digits = require 'examples.lib.digits'
local draw = require 'examples.lib.draw'

local run = require 'examples.lib.trainer' {
   name = 'digits',
   about = 'Trains a network to read handwritten digits.',
   options = {
      { 'model', 'convnet', 'mlp or convnet', { 'mlp', 'convnet' } },
      digits.option,
      digits.download,
      { 'batchSize', 32, 'images per step', { whole = 2 } },             -- batch normalisation needs two
   },
}
local opt, tensorType = run.opt, run.tensorType

-- ---- data ---------------------------------------------------------------------------------------

local train, test, white = digits.load(run)
train.target, test.target = run:place(train.target), run:place(test.target)
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

-- The saved network takes pixels as in the file: its first part centres and scales them. That part has no parameters, so it runs
-- once, over all images; training uses the second part alone.
local function newModel()
   local scale = nn.Sequential()
      :add(nn.AddConstant(-train.input:mean()))
      :add(nn.MulConstant(1 / train.input:std()))
   local net = opt.model == 'mlp' and mlp() or convnet()
   return nn.Sequential():add(scale:type(tensorType)):add(run:model(net))
end
local keep = run.kept or {
   model = newModel(), state = { momentum = opt.momentum, dampening = 0, weightDecay = opt.weightDecay } }
local model = keep.model
local scale, net = model:get(1), model:get(2)
local pixels = test.input:float()             -- kept for drawing
for _, part in ipairs { train, test } do part.input = scale:forward(part.input):clone() end
local criterion = nn.ClassNLLCriterion():type(tensorType)

-- ---- training -----------------------------------------------------------------------------------

local parameters, gradParameters = net:getParameters()

-- The number of images of each step; a last batch of one is added to the previous batch: see -batchSize.
local batches = {}
for first = 1, train.n, opt.batchSize do batches[#batches + 1] = math.min(opt.batchSize, train.n - first + 1) end
if batches[#batches] == 1 and #batches > 1 then
   batches[#batches] = nil
   batches[#batches] = opt.batchSize + 1
end

local function begin(epoch)
   keep.state.learningRate = run:rate(epoch)
   keep.order = torch.randperm(train.n):long()
end

local train_on = run:graph(function(input, target)
   local output, loss
   optim[opt.optim](function()
      gradParameters:zero()
      output = net:forward(input)
      loss = criterion:forward(output, target)
      net:backward(input, criterion:backward(output, target))
      return loss, gradParameters
   end, parameters, keep.state)
   return loss, output
end)

local function step(_, i)
   net:training()
   local batch = run:place(keep.order:narrow(1, (i - 1) * opt.batchSize + 1, batches[i]))
   local input, target = train.input:index(1, batch), train.target:index(1, batch)
   local loss, output = train_on(input, target)
   local _, answer = output:max(2)
   return { loss = run:number(loss) * batches[i], right = answer:view(batches[i]):eq(target):sum() }
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
   return lossSum / test.n, 100 * answers:eq(test.target:long()):sum() / test.n, answers
end

print(('%d training images, %d test images, %d x %d pixels; %d parameters; %d thread%s')
      :format(train.n, test.n, height, width, parameters:nElement(), torch.getnumthreads(),
              torch.getnumthreads() == 1 and '' or 's'))
print(nn.summary(net, { 1, 1, height, width }))

local names = {}
for digit = 0, 9 do names[digit + 1] = tostring(digit) end
local confusion = optim.ConfusionMatrix(names)

local job = {
   keep = keep, steps = #batches, begin = begin, step = step,
   columns = { 'train loss %.4f', 'train accuracy %.2f %%', 'test loss %.4f', 'test accuracy %.2f %%' },
   curve = { 'Reading digits', 'accuracy in %', 'train accuracy', 'test accuracy' },
}
function job.progress(sums, i)
   local seen = i == #batches and train.n or i * opt.batchSize
   return ('loss %.4f, accuracy %.2f %%'):format(sums.loss / seen, 100 * sums.right / seen)
end
function job.finish(_, sums)
   local loss, accuracy = evaluate(confusion)
   return { ['train loss'] = sums.loss / train.n, ['train accuracy'] = 100 * sums.right / train.n,
            ['test loss'] = loss, ['test accuracy'] = accuracy }
end
local history = run:train(job)

-- ---- results ------------------------------------------------------------------------------------

local _, _, answers = evaluate(confusion)
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
   print(draw.row(images, captions, white, run.terminal))
end
show('Read right:', function(said, is) return said == is end)
show('Read wrong:', function(said, is) return said ~= is end)

model:evaluate()
torch.save(run:inSave 'model.t7', model:clearState())

run:files(job)
print(('model          %s   takes N x 1 x %d x %d pixels from 0 to %d; class c is digit c - 1; try')
      :format(run:inSave 'model.t7', height, width, white))
print(("  require 'nn'; net = torch.load('%s'); print(net:forward(torch.%s(1, 1, %d, %d):fill(%d)):exp())")
      :format(run:inSave 'model.t7', tensorType:match '%.(.*)', height, width, white / 2))
print(('test accuracy: %.2f %%'):format(history[#history]['test accuracy']))
