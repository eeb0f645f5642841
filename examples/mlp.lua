-- examples/mlp.lua - a network written as a function reads handwritten digits; autograd finds its gradients.
--    th examples/mlp.lua                          the digits that come with the project
--    th examples/mlp.lua -hidden 0                no hidden layer: logistic regression
--    th examples/mlp.lua -data FOLDER             MNIST's IDX files, gzipped or not
local here = debug.getinfo(1, 'S').source:match '^@(.*)/[^/]*$' or '.'
package.path = here .. '/../?.lua;' .. package.path

local torch = require 'torch'
local autograd = require 'autograd'
local digits = require 'examples.lib.digits'
local util = autograd.util

local run = require 'examples.lib.trainer' {
   name = 'mlp',
   about = 'Trains a network that is a Lua function to read handwritten digits.',
   options = {
      digits.option,
      digits.download,
      { 'hidden', 128, 'units of the hidden layer; 0: logistic regression', { whole = 0 } },
      { 'dropout', 0.2, 'share of hidden units that a training step drops', { between = { 0, 0.99 } } },
   },
   defaults = { epochs = 20, decay = 0.9 },
   rates = { sgd = 0.2 },
}
local opt, tensorType = run.opt, run.tensorType
for _, name in ipairs { 'graph', 'half', 'bfloat16' } do
   if opt[name] then run:stop('-%s is for programs whose model is a module of nn', name) end
end

-- ---- data ---------------------------------------------------------------------------------------

local CLASSES = 10
local train, test, white = digits.load(run)
local pixels = train.input[1]:nElement()
for _, set in ipairs { train, test } do
   set.input = set.input:view(set.n, pixels):div(white)
   set.wanted = util.oneHot(set.target, CLASSES):type(tensorType)    -- a row for each image, 1 at its digit
end

-- ---- network: a table of parameters and a function of them ---------------------------------------

local function layer(from, to)
   return { W = torch.randn(from, to):mul(math.sqrt(2 / from)):type(tensorType), b = torch.zeros(1, to):type(tensorType) }
end

local function newParameters()
   if opt.hidden == 0 then return { layer(pixels, CLASSES) } end
   return { layer(pixels, opt.hidden), layer(opt.hidden, CLASSES) }
end

local function affine(p, x) return x * p.W + torch.expand(p.b, x:size(1), p.b:size(2)) end

-- The log-probabilities of the digits.
local function network(params, x, dropout)
   local h = x
   for i, p in ipairs(params) do
      h = affine(p, h)
      if i < #params then h = util.dropout(torch.relu(h), dropout) end
   end
   return util.logSoftMax(h)
end

local function loss(params, x, wanted, dropout)
   local output = network(params, x, dropout)
   return autograd.loss.logMultinomialLoss(output, wanted) / x:size(1), output
end

local keep = run.kept or { params = newParameters() }
local config = { learningRate = opt.learningRate, momentum = opt.momentum, dampening = 0, weightDecay = opt.weightDecay }
local take_step, states = autograd.optim[opt.optim](autograd(loss), config, keep.params)
for i, state in ipairs(keep.states or {}) do states[i] = state end
keep.states = states                          -- the optimizer's state, for checkpoints

-- ---- training -----------------------------------------------------------------------------------

local function begin(epoch)
   for _, state in ipairs(states) do state.learningRate = run:rate(epoch) end
   keep.order = torch.randperm(train.n):long()
end

local function count_right(output, target)
   local _, answer = output:max(2)
   return answer:view(-1):long():eq(target):sum()
end

local function step(_, i)
   local first = (i - 1) * opt.batchSize + 1
   local rows = keep.order:narrow(1, first, math.min(opt.batchSize, train.n - first + 1))
   local x, wanted = train.input:index(1, run:place(rows)), train.wanted:index(1, run:place(rows))
   local _, l, output = take_step(x, wanted, opt.dropout)
   return { loss = l * rows:nElement(), right = count_right(output, train.target:index(1, rows)) }
end

local total = 0
for _, p in ipairs(util.sortedFlatten(keep.params)) do total = total + p:nElement() end
print(('%d training images, %d test images, %d pixels; %d parameters; %d thread%s'):format(train.n, test.n, pixels, total,
   torch.getnumthreads(), torch.getnumthreads() == 1 and '' or 's'))

local job = {
   keep = keep, steps = math.ceil(train.n / opt.batchSize), begin = begin, step = step,
   columns = { 'train loss %.4f', 'train accuracy %.2f %%', 'test loss %.4f', 'test accuracy %.2f %%' },
   curve = { 'Reading digits with autograd', 'accuracy in %', 'train accuracy', 'test accuracy' },
}
function job.progress(sums, i)
   local seen = math.min(i * opt.batchSize, train.n)
   return ('loss %.4f, accuracy %.2f %%'):format(sums.loss / seen, 100 * sums.right / seen)
end
function job.finish(_, sums)
   local test_loss, output = loss(keep.params, test.input, test.wanted, 0)
   return { ['train loss'] = sums.loss / train.n, ['train accuracy'] = 100 * sums.right / train.n,
      ['test loss'] = test_loss, ['test accuracy'] = 100 * count_right(output, test.target) / test.n }
end
local history = run:train(job)

-- ---- results ------------------------------------------------------------------------------------

torch.save(run:inSave 'model.t7', keep.params)
run:files(job)
print(('model          %s   a list of layers, each with its W and b; pixels from 0 to 1'):format(run:inSave 'model.t7'))
print(('test accuracy: %.2f %%'):format(history[#history]['test accuracy']))
