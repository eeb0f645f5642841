-- test/programs/attention/train.lua - attention that looks up values by keys, in the style of 2016: a graph of nngraph with a
-- node by autograd, trained by optim; then the same graph as a function, trained by autograd's optimizers.
local grad = require 'autograd'
local util = require 'autograd.util'
local lossFuns = require 'autograd.loss'
require 'nngraph'
require 'optim'

cmd = torch.CmdLine()
cmd:option('-keys', 6, 'how many keys')
cmd:option('-values', 5, 'how many values')
cmd:option('-width', 12, 'of the vectors')
cmd:option('-batchSize', 16, 'questions in a batch')
cmd:option('-iterations', 150, 'steps of the first part')
cmd:option('-second', 40, 'steps of the second part')
cmd:option('-learningRate', 0.05, 'of adam')
cmd:option('-seed', 1, 'of the random numbers')
cmd:option('-threads', 1, 'threads of the CPU')
cmd:option('-optimize', false, 'let autograd generate code')
local opt = cmd:parse(arg)

grad.optimize(opt.optimize)
torch.setnumthreads(opt.threads)
torch.manualSeed(opt.seed)

-- {question: B x H, memory: B x T x H} to B x H: the rows of the memory, weighted by how well they fit the question
local function attend(input, W)
   local question, memory = input[1], input[2]
   local B, T, H = torch.size(memory, 1), torch.size(memory, 2), torch.size(memory, 3)
   local scores = torch.view(torch.bmm(memory, torch.view(question * W, B, H, 1)), B, T)
   local weights = torch.exp(util.logSoftMax(scores))
   return torch.view(torch.bmm(torch.view(weights, B, 1, T), memory), B, H)
end

local function build()
   local keys, values, asked = nn.Identity()(), nn.Identity()(), nn.Identity()()
   local embed = nn.LookupTable(opt.keys, opt.width)
   local embedAsked = embed:clone('weight', 'gradWeight')
   local memory = nn.CAddTable()({embed(keys), nn.LookupTable(opt.values, opt.width)(values)})
   local W = torch.eye(opt.width) + torch.randn(opt.width, opt.width) * 0.1
   local found = grad.nn.AutoModule('Attention')(attend, W)({embedAsked(asked), memory}):annotate{name = 'attention'}
   local scores = nn.LogSoftMax()(nn.Linear(opt.width, opt.values)(nn.Tanh()(nn.Linear(opt.width, opt.width)(found))))
   nngraph.annotateNodes()
   return nn.gModule({keys, values, asked}, {scores})
end

-- Keys in random order with random values; the question is one of the keys.
local function batch()
   local B = opt.batchSize
   local keys, values = torch.LongTensor(B, opt.keys), torch.LongTensor(B, opt.keys):random(1, opt.values)
   local asked, targets = torch.LongTensor(B), torch.LongTensor(B)
   for i = 1, B do
      local order = torch.randperm(opt.keys):long()
      local k = torch.random(1, opt.keys)
      keys[i]:copy(order)
      asked[i] = order[k]
      targets[i] = values[i][k]
   end
   return {keys, values, asked}, targets
end

local net = build()
local criterion = grad.nn.AutoCriterion('AutoNLL')(function(logp, target)
   return lossFuns.logMultinomialLoss(logp, target) / opt.batchSize
end)

local function accuracy(logp, targets)
   local _, best = torch.max(logp, 2)
   return best:view(-1):eq(targets):double():mean()
end

print('part 1: modules')
local params, gradParams = net:getParameters()
local state = {learningRate = opt.learningRate}
local first
for i = 1, opt.iterations do
   local inputs, targets = batch()
   local oneHot = util.oneHot(targets:double(), opt.values)
   local right
   local function feval(x)
      if x ~= params then params:copy(x) end
      gradParams:zero()
      local logp = net:forward(inputs)
      local loss = criterion:forward(logp, oneHot)
      net:backward(inputs, criterion:backward(logp, oneHot))
      right = accuracy(logp, targets)
      return loss, gradParams
   end
   local _, loss = optim.adam(feval, params, state)
   first = first or loss[1]
   if i % 50 == 0 then print(string.format('%4d  loss %.4f  right %.2f', i, loss[1], right)) end
end

print('part 2: functions')
local modelf, mparams = grad.functionalize(net)
local function lossf(p, inputs, target)
   local logp = modelf(p.net, inputs) * p.sharpness[1]
   local loss = lossFuns.crossEntropy(logp, target) / opt.batchSize
   return loss, logp
end
local p = {net = mparams, sharpness = torch.ones(1)}
local df = grad(lossf, {optimize = opt.optimize})

-- both ways give the same gradient
do
   local inputs, targets = batch()
   local oneHot = util.oneHot(targets:double(), opt.values)
   gradParams:zero()
   local logp = net:forward(inputs)
   net:backward(inputs, criterion:backward(logp, oneHot))
   local dp, loss = df(p, inputs, oneHot)
   local _, own = net:parameters()
   local worst = math.abs(loss - criterion:forward(logp, oneHot))
   for k, g in ipairs(dp.net) do
      -- the two tables of keys are one in the module: their gradients add up there
      if g:size(1) ~= opt.keys then worst = math.max(worst, (g - own[k]):abs():max()) end
   end
   print(string.format('the gradients differ by %.1e', worst))
end

local step = grad.optim.adam(df, {learningRate = opt.learningRate / 5}, p)
local last, right
for _ = 1, opt.second do
   local inputs, targets = batch()
   local _, loss, logp = step(inputs, util.oneHot(targets:double(), opt.values))
   last, right = loss, accuracy(logp, targets)
end
print(string.format('first loss %.17g, last loss %.17g, right %.17g, sharpness %.17g', first, last, right, p.sharpness[1]))
