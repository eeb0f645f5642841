-- examples/autoencoder.lua - a network learns to keep handwritten digits in a few numbers, and to draw them again.
--    th examples/autoencoder.lua                  the digits that come with the project, in 8 numbers each
--    th examples/autoencoder.lua -code 2          in 2
--    th examples/autoencoder.lua -data FOLDER     MNIST's IDX files, gzipped or not
local here = debug.getinfo(1, 'S').source:match '^@(.*)/[^/]*$' or '.'
package.path = here .. '/../?.lua;' .. package.path

local torch = require 'torch'
local nn = require 'nn'
local optim = require 'optim'
local digits = require 'examples.lib.digits'
local draw = require 'examples.lib.draw'
local picture = require 'examples.lib.picture'

local run = require 'examples.lib.trainer' {
   name = 'autoencoder',
   about = 'Trains a network to keep handwritten digits in a few numbers, and to draw them again.',
   options = {
      digits.option,
      digits.download,
      { 'code', 8, 'numbers that stand for an image', { whole = 1 } },
      { 'hidden', 256, 'units between image and code', { whole = 1 } },
      { 'noise', 0, 'standard deviation of noise added to training images, whose white is 1', { least = 0 } },
      { 'batchSize', 32, 'images per step', { whole = 2 } },             -- batch normalisation needs two
   },
   defaults = { optim = 'adam', epochs = 40, learningRate = 0.003, decay = 0.93, weightDecay = 0 },
}
local opt, tensorType = run.opt, run.tensorType
local train, test, white = digits.load(run)
local height, width = tonumber(train.input:size(3)), tonumber(train.input:size(4))
local pixels = height * width
for _, set in ipairs { train, test } do set.input = set.input:view(set.n, pixels):div(white) end

-- ---- network ------------------------------------------------------------------------------------

-- Two parts: image to code, code to image.
local function newModel()
   local function half(from, to)
      return nn.Sequential():add(nn.Linear(from, opt.hidden)):add(nn.BatchNormalization(opt.hidden)):add(nn.ReLU())
         :add(nn.Linear(opt.hidden, to))
   end
   return nn.Sequential():add(run:model(half(pixels, opt.code))):add(run:model(half(opt.code, pixels):add(nn.Sigmoid())))
end

local keep = run.kept or { model = newModel(), state = { weightDecay = opt.weightDecay, momentum = opt.momentum, dampening = 0 } }
local model, criterion = keep.model, nn.MSECriterion():type(tensorType)
local encoder, decoder = model:get(1), model:get(2)
local parameters, gradParameters = model:getParameters()

-- ---- training -----------------------------------------------------------------------------------

local batches = math.floor(train.n / opt.batchSize)              -- the rest of the samples waits for another epoch
if batches == 0 then run:stop('-batchSize must be at most %d, the training images, got %d', train.n, opt.batchSize) end

local function begin(epoch)
   keep.state.learningRate = run:rate(epoch)
   keep.order = torch.randperm(train.n):long()
end

local train_on = run:graph(function(input, target)
   local loss
   optim[opt.optim](function()
      gradParameters:zero()
      local output = model:forward(input)
      loss = criterion:forward(output, target)
      model:backward(input, criterion:backward(output, target))
      return loss, gradParameters
   end, parameters, keep.state)
   return loss
end)

local function step(_, i)
   model:training()
   local target = train.input:index(1, run:place(keep.order:narrow(1, (i - 1) * opt.batchSize + 1, opt.batchSize)))
   local input = target
   if opt.noise > 0 then input = target + target.new(target:size()):normal(0, opt.noise) end
   return { loss = run:number(train_on(input, target)) }
end

-- The remaining error, in percent of the images' variance around the mean training image.
local mean = train.input:mean(1)
local function left(images, drawn) return 100 * (images - drawn):pow(2):sum() / (images - mean:expandAs(images)):pow(2):sum() end

local function redrawn(images)
   model:evaluate()
   return model:forward(images)
end

-- The error of the same number of optimal linear features: principal components.
local function components()
   local x = (train.input - mean:expandAs(train.input)):double()
   local _, vectors = torch.symeig(torch.mm(x:t(), x), 'V')       -- the largest are last
   local n = math.min(opt.code, pixels)
   local basis = vectors:narrow(2, pixels - n + 1, n)
   local y = (test.input - mean:expandAs(test.input)):double()
   return left(test.input, torch.mm(torch.mm(y, basis), basis:t()):type(tensorType) + mean:expandAs(test.input))
end

print(('%d training images, %d test images, %d x %d pixels in %d numbers; %d parameters; %d thread%s')
      :format(train.n, test.n, height, width, opt.code, parameters:nElement(), torch.getnumthreads(),
              torch.getnumthreads() == 1 and '' or 's'))
print(nn.summary(model, { 1, pixels }))

local job = {
   keep = keep, steps = batches, begin = begin, step = step,
   columns = { 'train loss %.5f', 'train error %.2f %%', 'test error %.2f %%' },
   curve = { ('Digits in %d numbers'):format(opt.code), 'error in % of the variance', 'train error', 'test error' },
}
function job.finish(_, sums)
   return { ['train loss'] = sums.loss / batches, ['train error'] = left(train.input, redrawn(train.input)),
            ['test error'] = left(test.input, redrawn(test.input)) }
end
local history = run:train(job)

-- ---- results ------------------------------------------------------------------------------------

local drawn = redrawn(test.input):clone()
local function image(t) return t:view(height, width) end

local room = math.floor(80 / (width * (width < 16 and 2 or 1) + 2))
for _, part in ipairs { { 'Digits of the test:', test.input }, { ('Drawn again, from %d numbers:'):format(opt.code), drawn } } do
   local images, captions = {}, {}
   for i = 1, math.min(room, test.n) do
      images[i], captions[i] = image(part[2][i]), tostring(test.target[i] - 1)
   end
   print(part[1])
   print()
   print(draw.row(images, captions, 1, run.terminal))
end

-- Rows of digits, with their reconstructions below.
local function pairs_of_rows(columns, rows)
   local images = {}
   for row = 1, rows do
      for _, set in ipairs { test.input, drawn } do
         for k = 1, columns do
            local i = (row - 1) * columns + k
            if i <= test.n then images[#images + 1] = image(set[i]) end
         end
      end
   end
   return images
end

-- Each row interpolates between the codes of two test digits.
local function ways(columns, rows)
   local codes, images = encoder:forward(test.input):clone(), {}
   for row = 1, math.min(rows, math.floor(test.n / 2)) do
      local from, to = codes[2 * row - 1], codes[2 * row]
      for k = 0, columns - 1 do
         local code = from * (1 - k / (columns - 1)) + to * (k / (columns - 1))
         images[#images + 1] = image(decoder:forward(code:view(1, -1))[1]):clone()
      end
   end
   return images
end

local ok, why = pcall(function()
   picture.write(run:inSave 'drawn.png', pairs_of_rows(16, 5), 16, 1, 4)
   picture.write(run:inSave 'between.png', ways(12, 10), 12, 1, 4)
end)
if not ok then run:stop('%s', why) end

model:evaluate()
torch.save(run:inSave 'model.t7', model:clearState())

run:files(job)
print(('pictures       %s   digits of the test, and below each row what was drawn'):format(run:inSave 'drawn.png'))
print(('               %s   ways from the code of one digit to that of another'):format(run:inSave 'between.png'))
print(('model          %s   get(1) takes N x %d pixels from 0 to 1 and gives codes, get(2) draws them')
      :format(run:inSave 'model.t7', pixels))
print(('test error: %.2f %% of the variance; of as many principal components: %.2f %%')
      :format(history[#history]['test error'], components()))
