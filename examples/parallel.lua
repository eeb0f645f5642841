-- examples/parallel.lua - one network on several ranks learns to read handwritten digits. Its layers are distributed over the
-- ranks of a pipeline, several pipelines run in parallel, and each holds a shard of the optimizer's state.
--    thrun -n 4 examples/parallel.lua                 2 pipelines of 2 stages
--    thrun -n 4 examples/parallel.lua -stages 4       1 pipeline of 4
--    th examples/parallel.lua -stages 1               one process, for comparison: the same up to rounding
local here = debug.getinfo(1, 'S').source:match '^@(.*)/[^/]*$' or '.'
package.path = here .. '/../?.lua;' .. package.path

local torch = require 'torch'
local nn = require 'nn'
local optim = require 'optim'
local dist = require 'dist'.init()
local digits = require 'examples.lib.digits'

local function stop(_, ...)
   io.stderr:write('parallel: ', (...):format(select(2, ...)), '\n')
   os.exit(1)
end

-- ---- options ------------------------------------------------------------------------------------

local methods = { sgd = { learningRate = 0.05, momentum = 0.9 }, adam = { learningRate = 0.002 } }

local cmd = torch.CmdLine()
cmd:text()
cmd:text 'Trains a network to read handwritten digits that lies on several ranks: start it with thrun.'
cmd:text()
cmd:text 'Options:'
cmd:option('-stages', 2, 'ranks of a pipeline; the ranks of the job must be a multiple')
cmd:option('-micro', 8, 'micro-batches of a batch')
cmd:option('-schedule', '1f1b', '1f1b or gpipe')
cmd:option('-method', 'adam', 'sgd or adam')
cmd:option('-' .. digits.option[1], digits.option[2], digits.option[3])
cmd:option('-epochs', 10, 'times that the whole training set is seen')
cmd:option('-batchSize', 64, 'images of a step, of all pipelines together')
cmd:option('-save', '', 'a file for the whole, plain model')
cmd:option('-seed', 1, 'of the random numbers')
cmd:text()
local opt = cmd:parse(arg or {})

for _, name in ipairs { 'stages', 'micro', 'epochs', 'batchSize' } do
   local v = opt[name]
   if type(v) ~= 'number' or v % 1 ~= 0 or v < 1 then
      stop(nil, '-%s must be a whole number from 1, got %s', name, tostring(v))
   end
end
if not methods[opt.method] then stop(nil, '-method must be sgd or adam, got %s', tostring(opt.method)) end
if opt.schedule ~= '1f1b' and opt.schedule ~= 'gpipe' then stop(nil, '-schedule must be 1f1b or gpipe, got %s', opt.schedule) end
if dist.size() % opt.stages ~= 0 then stop(nil, '%d ranks are no pipelines of %d stages', dist.size(), opt.stages) end

-- ---- data and network ---------------------------------------------------------------------------

local copies = dist.size() / opt.stages
local data, stages = dist.mesh(copies, opt.stages)
if opt.batchSize % copies ~= 0 then stop(nil, '-batchSize %d is no multiple of %d pipelines', opt.batchSize, copies) end

local train, test = digits.load { opt = opt, tensorType = 'torch.FloatTensor', stop = stop }
local mean, deviation = train.input:mean(), train.input:std()
for _, part in ipairs { train, test } do part.input:add(-mean):div(deviation) end
local height, width = train.input:size(3), train.input:size(4)
local features = 32 * math.floor(height / 4) * math.floor(width / 4)

torch.manualSeed(opt.seed)                                       -- the same model on all ranks
local net = nn.Sequential()
   :add(nn.SpatialConvolution(1, 16, 3, 3, 1, 1, 1, 1)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2))
   :add(nn.SpatialConvolution(16, 32, 3, 3, 1, 1, 1, 1)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2))
   :add(nn.View(-1):setNumInputDims(3)):add(nn.Linear(features, 128)):add(nn.ReLU())
   :add(nn.Linear(128, 10)):add(nn.LogSoftMax()):float()

-- ---- training -----------------------------------------------------------------------------------

local pipe = dist.Pipeline(net, { criterion = nn.ClassNLLCriterion():float(), micro = opt.micro, schedule = opt.schedule,
   group = stages, data = data, average = false, sample = train.input:narrow(1, 1, 16) })
local trainer = dist.ShardedOptim { model = pipe, method = optim[opt.method], config = methods[opt.method], group = data }

-- The accuracy on the test set in percent; the last ranks of pipelines have the outputs.
local function accuracy()
   pipe:evaluate()
   local output = pipe:forward(test.input)
   pipe:training()
   if not output then return nil end
   local _, answer = output:max(2)
   return 100 * answer:view(-1):eq(test.target):sum() / test.n
end

if dist.rank() == 0 then
   print(('%d training images, %d test images; %d pipeline%s of %d stage%s, layers %s'):format(train.n, test.n, copies,
      copies == 1 and '' or 's', opt.stages, opt.stages == 1 and '' or 's', table.concat(pipe.stages, ' + ')))
end
local share = opt.batchSize / copies
for epoch = 1, opt.epochs do
   torch.manualSeed(opt.seed + epoch)                            -- all ranks draw the same order
   local order, watch = torch.randperm(train.n):long(), torch.Timer()
   local loss, idle, steps = 0, 0, 0
   for first = 1, train.n - opt.batchSize + 1, opt.batchSize do
      local batch = order:narrow(1, first + share * data:rank(), share)
      loss = loss + trainer:step(function()
         pipe:zeroGradParameters()
         return pipe:forwardBackward(train.input:index(1, batch), train.target:index(1, batch))
      end)
      idle, steps = idle + pipe:bubble(), steps + 1
   end
   local seconds, percent = watch:time().real, accuracy()
   loss = dist.allreduce(torch.Tensor{ loss }, 'mean', { group = data })[1]
   if percent and data:rank() == 0 and steps > 0 then
      print(('epoch %d: loss %.4f, accuracy %.2f %%, %.0f images/s, %.0f %% of the last stage\'s time idle'):format(epoch,
         loss / steps, percent, steps * opt.batchSize / seconds, 100 * idle / steps))
   end
end

if opt.save ~= '' then
   local whole = pipe:collect()                                  -- on all ranks
   if dist.rank() == 0 then torch.save(opt.save, whole) end
end
