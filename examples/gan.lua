-- examples/gan.lua - two networks: one draws handwritten digits, the other distinguishes them from real ones; both improve.
--    th examples/gan.lua                          learns from the digits that come with the project
--    th examples/gan.lua -data FOLDER             from MNIST's IDX files, gzipped or not
--    th examples/gan.lua -sample out/model.t7     draws digits with a trained network
-- Goodfellow et al., "Generative adversarial networks" (2014).
local here = debug.getinfo(1, 'S').source:match '^@(.*)/[^/]*$' or '.'
package.path = here .. '/../?.lua;' .. package.path

local torch = require 'torch'
local nn = require 'nn'
local optim = require 'optim'
local digits = require 'examples.lib.digits'
local draw = require 'examples.lib.draw'
local picture = require 'examples.lib.picture'

local run = require 'examples.lib.trainer' {
   name = 'gan',
   about = 'Trains a network to draw handwritten digits, against one that tells them from real ones.',
   options = {
      digits.option,
      digits.download,
      { 'noise', 16, 'random numbers that a drawing is made of', { whole = 1 } },
      { 'hidden', 256, 'units of each hidden layer', { whole = 1 } },
      { 'dropout', 0.4, "part of the judge's units left out in training", { between = { 0, 0.99 } } },
      { 'smooth', 0.9, 'how sure the judge shall be of real digits', { between = { 0.5, 1 } } },
      { 'batchSize', 32, 'images per step', { whole = 2 } },             -- batch normalisation needs two
      { 'sample', '', 'model that shall draw digits; no training', fresh = true },
   },
   defaults = { optim = 'adam', epochs = 150, learningRate = 0.001, decay = 0.985, weightDecay = 0 },
}
local opt, tensorType = run.opt, run.tensorType

-- ---- pictures -----------------------------------------------------------------------------------

-- Images N x H x W as text, and as a picture in the folder -save.
local function show(images)
   local n, width = images:size(1), images:size(3)
   local list, texts, captions = {}, {}, {}
   for i = 1, n do list[i] = images[i] end
   for i = 1, math.min(n, 2 * math.floor(80 / (width * (width < 16 and 2 or 1) + 2))) do texts[i], captions[i] = images[i], '' end
   print(draw.row(texts, captions, 1, run.terminal))
   local ok, why = pcall(picture.write, run:inSave 'drawn.png', list, 10, 1, 4)
   if not ok then run:stop('%s', why) end
   print(('drawings       %s'):format(run:inSave 'drawn.png'))
end

local function drawings(model, n)
   model.net:evaluate()
   local z = torch.Tensor(n, model.noise):type(model.net:type()):normal()
   return model.net:forward(z):view(n, model.height, model.width)
end

if opt.sample ~= '' then
   local ok, model = pcall(torch.load, opt.sample)
   if not ok then run:stop('cannot load the model: %s', model) end
   if type(model) ~= 'table' or model.kind ~= 'gan' then run:stop('%s holds no model of this program', opt.sample) end
   pcall(require 'paths'.mkdir, opt.save)
   show(drawings(model, 100))
   os.exit(0)
end

-- ---- networks -----------------------------------------------------------------------------------

local train, test, white = digits.load(run)
train.target = run:place(train.target)
local height, width = tonumber(train.input:size(3)), tonumber(train.input:size(4))
local pixels = height * width
for _, set in ipairs { train, test } do set.input = set.input:view(set.n, pixels):div(white) end

local function newArtist()
   local net, from = nn.Sequential(), opt.noise
   for _ = 1, 2 do
      net:add(nn.Linear(from, opt.hidden)):add(nn.BatchNormalization(opt.hidden)):add(nn.ReLU())
      from = opt.hidden
   end
   return net:add(nn.Linear(from, pixels)):add(nn.Sigmoid()):type(tensorType)
end

local function newJudge()
   local net, from = nn.Sequential(), pixels
   for _ = 1, 2 do
      net:add(nn.Linear(from, opt.hidden)):add(nn.LeakyReLU(0.2)):add(nn.Dropout(opt.dropout))
      from = opt.hidden
   end
   return net:add(nn.Linear(from, 1)):add(nn.Sigmoid()):type(tensorType)
end

local function newState() return { beta1 = 0.5, momentum = opt.momentum, dampening = 0, weightDecay = opt.weightDecay } end
local keep = run.kept or { artist = newArtist(), judge = newJudge(), artistState = newState(), judgeState = newState() }
local artist, judge, criterion = keep.artist, keep.judge, nn.BCECriterion():type(tensorType)
local artistParameters, artistGradients = artist:getParameters()
local judgeParameters, judgeGradients = judge:getParameters()

-- ---- training -----------------------------------------------------------------------------------

local n = opt.batchSize
local batches = math.floor(train.n / n)                          -- the rest of the samples waits for another epoch
if batches == 0 then run:stop('-batchSize must be at most %d, the training images, got %d', train.n, n) end

local function tensor(...) return torch.Tensor(...):type(tensorType) end
local noise, real, fake = tensor(n, opt.noise), tensor(n, 1):fill(opt.smooth), tensor(n, 1):zero()
local yes = tensor(n, 1):fill(1)

local function begin(epoch)
   keep.artistState.learningRate, keep.judgeState.learningRate = run:rate(epoch), run:rate(epoch)
   keep.order = torch.randperm(train.n):long()
end

-- The judge learns to answer 1 for real digits and 0 for drawings.
local function teachJudge(digitsOfBatch)
   local loss
   optim[opt.optim](function()
      judgeGradients:zero()
      loss = 0
      for _, part in ipairs { { digitsOfBatch, real }, { artist:forward(noise:normal()), fake } } do
         local answers = judge:forward(part[1])
         loss = loss + criterion:forward(answers, part[2])
         judge:backward(part[1], criterion:backward(answers, part[2]))
      end
      return loss, judgeGradients
   end, judgeParameters, keep.judgeState)
   return loss
end

-- The artist learns to draw what the judge takes for real.
local function teachArtist()
   local loss
   optim[opt.optim](function()
      artistGradients:zero()
      local drawn = artist:forward(noise:normal())
      local answers = judge:forward(drawn)
      loss = criterion:forward(answers, yes)
      artist:backward(noise, judge:updateGradInput(drawn, criterion:backward(answers, yes)))
      return loss, artistGradients
   end, artistParameters, keep.artistState)
   return loss
end

local function step(_, i)
   artist:training()
   judge:training()
   local batch = train.input:index(1, run:place(keep.order:narrow(1, (i - 1) * n + 1, n)))
   return { judge = teachJudge(batch), artist = teachArtist() }
end

-- ---- how good the drawings are ------------------------------------------------------------------

-- Squared distances of the rows of a to those of b.
local function distances(a, b)
   local d = torch.mm(a, b:t()):mul(-2)
   return d:add(a:clone():pow(2):sum(2):expandAs(d)):add(b:clone():pow(2):sum(2):t():expandAs(d))
end

-- Among test digits and as many drawings, the percentage whose nearest neighbour is of the same kind: 50 if they cannot be
-- distinguished, 100 if they always can. Lopez-Paz and Oquab, "Revisiting classifier two-sample tests" (2017).
local function toldApart(a, b)
   local both, m = torch.cat(a, b, 1), a:size(1)
   local d = distances(both, both)
   for i = 1, 2 * m do d[i][i] = math.huge end
   local _, nearest = d:min(2)
   local first = nearest:view(-1):le(m)
   return 100 * (first:narrow(1, 1, m):sum() + m - first:narrow(1, m + 1, m):sum()) / (2 * m)
end

-- The effective number of digits that are drawn: exp of the entropy of the nearest training digits' classes.
local function kinds(drawn)
   local _, nearest = distances(drawn, train.input):min(2)
   local names = train.target:index(1, nearest:view(-1))
   local entropy = 0
   for name = 1, 10 do
      local p = names:eq(name):sum() / names:nElement()
      if p > 0 then entropy = entropy - p * math.log(p) end
   end
   return math.exp(entropy)
end

local function model() return { kind = 'gan', net = artist, noise = opt.noise, height = height, width = width } end

-- The same noise for every epoch, from a generator separate from that of training.
local own = torch.Generator()
torch.manualSeed(own, 1)
local seen = math.min(test.n, 1000)
local fixed = torch.randn(own, seen, opt.noise):type(tensorType)

local job = {
   keep = keep, steps = batches, begin = begin, step = step,
   columns = { 'judge loss %.4f', 'artist loss %.4f', 'told apart %.2f %%', 'kinds %.2f' },
   curve = { 'Drawing digits', 'drawings told from digits by neighbours, in %', 'told apart' },
}
function job.progress(sums, i)
   return ('judge %.4f, artist %.4f'):format(sums.judge / i, sums.artist / i)
end
function job.finish(_, sums)
   artist:evaluate()
   local drawn = artist:forward(fixed)
   return { ['judge loss'] = sums.judge / batches, ['artist loss'] = sums.artist / batches,
            ['told apart'] = toldApart(test.input:narrow(1, 1, seen), drawn), kinds = kinds(drawn) }
end

print(('%d training images, %d test images, %d x %d pixels; %d and %d parameters; %d thread%s')
      :format(train.n, test.n, height, width, artistParameters:nElement(), judgeParameters:nElement(), torch.getnumthreads(),
              torch.getnumthreads() == 1 and '' or 's'))
print(nn.summary(artist, { 1, opt.noise }))
print(nn.summary(judge, { 1, pixels }))
local history = run:train(job)

-- ---- results ------------------------------------------------------------------------------------

artist:evaluate()
print 'Drawings:'
print()
show(artist:forward(fixed):narrow(1, 1, math.min(seen, 100)):view(-1, height, width))
artist:clearState()
torch.save(run:inSave 'model.t7', model())
run:files(job)
print(('model          %s   draws with -sample'):format(run:inSave 'model.t7'))
print(('told apart: %.2f %%, kinds: %.2f of 10'):format(history[#history]['told apart'], history[#history].kinds))
