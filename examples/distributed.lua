-- examples/distributed.lua - several processes train one network on handwritten digits, by every scheme of dist.optim.
--    thrun -n 4 examples/distributed.lua                       all schemes, one after the other
--    thrun -n 4 examples/distributed.lua -scheme easgd         one of them
--    thrun -n 4 examples/distributed.lua -compress onebit      allreduce, gradients in one bit each; all: by every compressor
--    thrun -n 4 examples/distributed.lua -data FOLDER          MNIST's IDX files, gzipped or not
--    th examples/distributed.lua -scheme allreduce             one process, for comparison
local here = debug.getinfo(1, 'S').source:match '^@(.*)/[^/]*$' or '.'
package.path = here .. '/../?.lua;' .. package.path

local torch = require 'torch'
local nn = require 'nn'
local dist = require 'dist'.init()
local digits = require 'examples.lib.digits'

local function stop(_, ...)
   io.stderr:write('distributed: ', (...):format(select(2, ...)), '\n')
   os.exit(1)
end

-- ---- options ------------------------------------------------------------------------------------

-- Good settings for each scheme: its update, its rate, and its other options.
local suits = {
   allreduce = { update = 'momentum', learningRate = 0.05 },
   syncps = { update = 'momentum', learningRate = 0.05 },
   downpour = { update = 'sgd', learningRate = 0.1 },
   ssp = { update = 'sgd', learningRate = 0.1, staleness = 2 },
   easgd = { update = 'momentum', learningRate = 0.02, tau = 4 },
   eamsgd = { learningRate = 0.02, tau = 4 },
}
local names = { 'allreduce', 'syncps', 'downpour', 'ssp', 'easgd', 'eamsgd' }

local compressors = { 'half', 'bfloat16', 'int8', 'onebit', 'topk' }

local cmd = torch.CmdLine()
cmd:text()
cmd:text 'Trains a network to read handwritten digits, on all ranks of a job: start it with thrun.'
cmd:text()
cmd:text 'Options:'
cmd:option('-scheme', 'all', table.concat(names, ', ') .. ' or all')
cmd:option('-model', 'mlp', 'mlp or convnet')
cmd:option('-' .. digits.option[1], digits.option[2], digits.option[3])
cmd:option('-epochs', 20, 'times that the whole training set is seen')
cmd:option('-batchSize', 16, 'images of a worker in one step')
cmd:option('-learningRate', 0, '0: what suits the scheme')
cmd:option('-servers', 0, 'ranks that only update, of all schemes but allreduce')
cmd:option('-backup', 0, 'workers of syncps whose gradients a round does not wait for')
cmd:option('-compress', 'none', 'of allreduce: ' .. table.concat(compressors, ', ') .. ', all or none')
cmd:option('-goal', 95, 'accuracy in percent whose time is measured')
cmd:option('-seed', 1, 'of the random numbers')
cmd:text()
local opt = cmd:parse(arg or {})

local list = opt.scheme == 'all' and (opt.compress == 'none' and names or { 'allreduce' }) or { opt.scheme }
if not suits[list[1]] then stop(nil, '-scheme must be %s or all, got %s', table.concat(names, ', '), opt.scheme) end
local packings = { all = compressors, none = { 'none' } }
for _, name in ipairs(compressors) do packings[name] = { name } end
if not packings[opt.compress] then
   stop(nil, '-compress must be %s, all or none, got %s', table.concat(compressors, ', '), tostring(opt.compress))
end
if opt.compress ~= 'none' and list[1] ~= 'allreduce' then stop(nil, '-compress is an option of allreduce, not of %s', list[1]) end
if opt.model ~= 'mlp' and opt.model ~= 'convnet' then stop(nil, '-model must be mlp or convnet, got %s', tostring(opt.model)) end
for name, least in pairs { epochs = 1, batchSize = 1, servers = 0, backup = 0 } do
   local v = opt[name]
   if type(v) ~= 'number' or v % 1 ~= 0 or v < least then
      stop(nil, '-%s must be a whole number from %d, got %s', name, least, tostring(v))
   end
end

-- ---- data and network ---------------------------------------------------------------------------

local train, test = digits.load { opt = opt, tensorType = 'torch.FloatTensor', stop = stop }
local mean, deviation = train.input:mean(), train.input:std()
for _, part in ipairs { train, test } do part.input:add(-mean):div(deviation) end
local height, width = train.input:size(3), train.input:size(4)

local function new_model()
   torch.manualSeed(opt.seed)
   local net, features = nn.Sequential(), height * width
   if opt.model == 'convnet' then
      features = 16 * math.floor(height / 2) * math.floor(width / 2)
      net:add(nn.SpatialConvolution(1, 16, 3, 3, 1, 1, 1, 1)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2))
   end
   return net:add(nn.View(-1):setNumInputDims(3)):add(nn.Linear(features, 128)):add(nn.ReLU())
      :add(nn.Linear(128, 10)):add(nn.LogSoftMax()):float()
end

-- The accuracy on the test set in percent, with other parameters.
local function accuracy(net, parameters, values)
   local kept = parameters:clone()
   parameters:copy(values)
   local _, answer = net:forward(test.input):max(2)
   parameters:copy(kept)
   return 100 * answer:view(-1):eq(test.target):sum() / test.n
end

-- ---- training -----------------------------------------------------------------------------------

local criterion = nn.ClassNLLCriterion():float()

-- The images of a worker in an epoch: every rank draws the same order, and takes its share.
local function share_of(epoch, worker, workers)
   torch.manualSeed(opt.seed + epoch)
   local order = torch.randperm(train.n):long()
   local n = math.floor(train.n / workers)
   return order:narrow(1, worker * n + 1, n)
end

local function options_of(scheme, model, compress)
   local o = { scheme = scheme, model = model }
   if compress ~= 'none' then o.compress = compress end
   for name, v in pairs(suits[scheme]) do o[name] = v end
   if opt.learningRate > 0 then o.learningRate = opt.learningRate end
   if scheme ~= 'allreduce' then o.servers = opt.servers end
   if scheme == 'syncps' and opt.backup > 0 then o.workers = dist.size() - opt.servers - opt.backup end
   return o
end

local function learn(scheme, compress)
   local net = new_model()
   local trainer = dist.optim(options_of(scheme, net, compress))
   local parameters, gradParameters = trainer.x, trainer.g
   if trainer:isServer() then return trainer:serve() end
   local workers, values = dist.size() - (scheme == 'allreduce' and 0 or opt.servers), parameters:clone()
   local watch, looking, reached = torch.Timer(), 0, nil
   for epoch = 1, opt.epochs do
      local mine = share_of(epoch, dist.rank(), workers)
      for first = 1, mine:size(1) - opt.batchSize + 1, opt.batchSize do
         local batch = mine:narrow(1, first, opt.batchSize)
         local input, target = train.input:index(1, batch), train.target:index(1, batch)
         trainer:step(function()
            gradParameters:zero()
            criterion:forward(net:forward(input), target)
            net:backward(input, criterion:backward(net.output, target))
         end)
      end
      if dist.rank() == 0 and not reached then                     -- the test is not part of the time
         local now = watch:time().real
         if accuracy(net, parameters, trainer:fetch(values)) >= opt.goal then reached = now - looking end
         looking = looking + watch:time().real - now
      end
   end
   local seconds = watch:time().real - looking
   trainer:finish()
   if dist.rank() ~= 0 then return end
   local images = opt.epochs * workers * math.floor(math.floor(train.n / workers) / opt.batchSize) * opt.batchSize
   local name = compress == 'none' and scheme or scheme .. ', ' .. compress
   print(('%-19s %7d %12.0f %14.2f %16s %9d'):format(name, workers, images / seconds, accuracy(net, parameters, parameters),
      reached and ('%.2f'):format(reached) or '-', trainer.dropped))
end

if dist.rank() == 0 then
   print(('%d training images, %d test images; %d epochs'):format(train.n, test.n, opt.epochs))
   local goal = ('s to %g %%'):format(opt.goal)
   print(('%-19s %7s %12s %14s %16s %9s'):format('scheme', 'workers', 'images/s', 'accuracy in %', goal, 'dropped'))
end
for _, scheme in ipairs(list) do
   for _, compress in ipairs(packings[opt.compress]) do learn(scheme, compress) end
end
