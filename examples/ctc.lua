-- examples/ctc.lua - a recurrent network reads lines of handwritten digits without knowing where each digit is.
--    th examples/ctc.lua                       lines of the digits that come with the project
--    th examples/ctc.lua -data FOLDER          of MNIST's IDX files, gzipped or not
--
-- A line is a random sequence of digits with random gaps. The network sees its columns of pixels, one per step, and learns only
-- from the classes of the digits, in order, through nn.CTCCriterion; it never gets the position of a digit.
local here = debug.getinfo(1, 'S').source:match '^@(.*)/[^/]*$' or '.'
package.path = here .. '/../?.lua;' .. package.path

local torch = require 'torch'
local nn = require 'nn'
require 'nn.recurrent'
local optim = require 'optim'
local digits = require 'examples.lib.digits'
local draw = require 'examples.lib.draw'
local picture = require 'examples.lib.picture'

local run = require 'examples.lib.trainer' {
   name = 'ctc',
   about = 'Trains a recurrent network to read lines of handwritten digits.',
   options = {
      { 'model', 'gru', 'gru or lstm, in both directions', { 'gru', 'lstm' } },
      digits.option,
      digits.download,
      { 'digits', 6, 'most digits of a line; the fewest is 1', { whole = 1 } },
      { 'gap', 3, 'most empty columns before a digit', { whole = 0 } },
      { 'lines', 3200, 'new lines of an epoch', { whole = 1 } },
      { 'testLines', 400, 'lines of the test, made of digits that training never sees', { whole = 1 } },
      { 'hidden', 64, 'units of each direction', { whole = 1 } },
      { 'beam', 8, 'prefixes that the search for the best line keeps', { whole = 1 } },
      { 'clip', 5, 'largest norm of a gradient', { least = 0.001 } },
   },
   defaults = { optim = 'adam', epochs = 8, learningRate = 0.004, weightDecay = 0, decay = 0.8 },
}
local opt, tensorType = run.opt, run.tensorType
local train, test, white = digits.load(run)
local height, width = tonumber(train.input:size(3)), tonumber(train.input:size(4))

-- ---- lines --------------------------------------------------------------------------------------

-- n lines: columns (steps x n x height, zeros after the end), the number of columns of each, and its digits. random(a, b) draws
-- an integer.
local function newLines(set, n, random)
   local names, places, lengths, most = {}, {}, torch.LongTensor(n), 0
   for b = 1, n do
      local at = 0
      names[b], places[b] = {}, {}
      for k = 1, random(1, opt.digits) do
         local i = random(1, set.n)
         at = at + random(0, opt.gap)
         names[b][k] = set.target[i]
         places[b][k] = { image = i, at = at }
         at = at + width
      end
      lengths[b] = at + random(0, opt.gap)
      most = math.max(most, lengths[b])
   end
   local columns = torch.zeros(most, n, height):type(tensorType)
   for b = 1, n do
      for _, place in ipairs(places[b]) do
         columns:select(2, b):narrow(1, place.at + 1, width):copy(set.input[place.image][1]:t())
      end
   end
   return { columns = columns, lengths = lengths, names = names }
end

local own = torch.Generator()                 -- the test is the same for every -seed
torch.manualSeed(own, 1)
local tests = newLines(test, opt.testLines, function(a, b) return torch.random(own, a, b) end)

-- ---- network ------------------------------------------------------------------------------------

-- Takes {columns, lengths}; gives scores of the blank and of ten digits at every step.
local function newModel()
   local both = opt.model == 'gru' and nn.BGRU or nn.BLSTM
   return nn.Sequential()
      :add(nn.ParallelTable():add(nn.MulConstant(1 / white)):add(nn.Identity()))
      :add(both(height, opt.hidden, 1))
      :add(nn.Bottle(nn.Linear(2 * opt.hidden, 11)))
      :type(tensorType)
end

local keep = run.kept or { model = newModel(), state = {} }
local model, criterion = keep.model, nn.CTCCriterion(false, true):type(tensorType)
local parameters, gradParameters = model:getParameters()

-- ---- training -----------------------------------------------------------------------------------

local function begin(epoch) keep.state.learningRate = run:rate(epoch) end

local batches = math.ceil(opt.lines / opt.batchSize)
local function step()
   model:training()
   local lines = newLines(train, opt.batchSize, torch.random)
   local loss
   optim[opt.optim](function()
      gradParameters:zero()
      local scores = model:forward { lines.columns, lines.lengths }
      loss = criterion:forward(scores, lines.names, lines.lengths)
      model:backward({ lines.columns, lines.lengths }, criterion:backward(scores, lines.names, lines.lengths))
      optim.clipGradNorm(gradParameters, opt.clip)
      return loss, gradParameters
   end, parameters, keep.state)
   return { loss = loss }
end

-- The number of digits to insert, delete or replace to turn `is` into `said` (Levenshtein 1965).
local function errors(said, is)
   local row = {}
   for j = 0, #is do row[j] = j end
   for i = 1, #said do
      local corner = row[0]
      row[0] = i
      for j = 1, #is do
         local replaced = corner + (said[i] == is[j] and 0 or 1)
         corner = row[j]
         row[j] = math.min(replaced, row[j] + 1, row[j - 1] + 1)
      end
   end
   return row[#is]
end

-- Loss, wrong digits and wrong lines in percent, and the output for each line.
local function evaluate(beam)
   model:evaluate()
   local scores = model:forward { tests.columns, tests.lengths }
   local loss = criterion:forward(scores, tests.names, tests.lengths)
   local said = criterion:decode(scores, tests.lengths, beam)
   local wrong, all, lines = 0, 0, 0
   for b, is in ipairs(tests.names) do
      local n = errors(said[b], is)
      wrong, all, lines = wrong + n, all + #is, lines + (n > 0 and 1 or 0)
   end
   return loss, 100 * wrong / all, 100 * lines / #tests.names, said
end

print(('%d training digits, %d test digits of %d x %d pixels; lines of 1 to %d; %d parameters; %d thread%s')
      :format(train.n, test.n, height, width, opt.digits, parameters:nElement(), torch.getnumthreads(),
              torch.getnumthreads() == 1 and '' or 's'))
print(nn.summary(model, { { width, 1, height }, torch.LongTensor { width } }))

local job = {
   keep = keep, steps = batches, begin = begin, step = step,
   columns = { 'train loss %.4f', 'test loss %.4f', 'wrong digits %.2f %%', 'wrong lines %.2f %%' },
   curve = { 'Reading lines of digits', 'in %', 'wrong digits', 'wrong lines' },
}
function job.finish(_, sums)
   local loss, digit, line = evaluate()
   return { ['train loss'] = sums.loss / batches, ['test loss'] = loss, ['wrong digits'] = digit, ['wrong lines'] = line }
end
run:train(job)

-- ---- results ------------------------------------------------------------------------------------

local _, digit, line, said = evaluate(opt.beam)

local function written(names)
   local out = {}
   for k, name in ipairs(names) do out[k] = tostring(name - 1) end
   return table.concat(out, ' ')
end

-- The line as an image, height x length.
local function image(b) return tests.columns:select(2, b):narrow(1, 1, tests.lengths[b]):t() end

local function show(title, wanted)
   local images, captions = {}, {}
   for b, is in ipairs(tests.names) do
      if #images < 4 and wanted(said[b], is) then
         images[#images + 1] = image(b)
         captions[#captions + 1] = ('%s (is %s)'):format(written(said[b]), written(is))
      end
   end
   if #images == 0 then return print(title .. ' none') end
   print(title)
   print()
   print(draw.row(images, captions, white, run.terminal, 1))
end
show('Read right:', function(a, b) return errors(a, b) == 0 end)
show('Read wrong:', function(a, b) return errors(a, b) > 0 end)

local strips, longest = {}, tests.columns:size(1)
for b = 1, math.min(12, #tests.names) do strips[b] = tests.columns:select(2, b):narrow(1, 1, longest):t() end
local ok, why = pcall(picture.write, run:inSave 'lines.png', strips, 1, white, 4)
if not ok then run:stop('%s', why) end

model:evaluate()
torch.save(run:inSave 'model.t7', model:clearState())

run:files(job)
print(('lines          %s   the first lines of the test'):format(run:inSave 'lines.png'))
print(('model          %s   takes {columns, lengths}: steps x lines x %d pixels from 0 to %d, and a LongTensor')
      :format(run:inSave 'model.t7', height, white))
print(('with a beam of %d: wrong lines: %.2f %%, wrong digits: %.2f %%'):format(opt.beam, line, digit))
