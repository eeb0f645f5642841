-- bench/dist_schemes.lua - the schemes of dist.optim, compared with one process: images per second, and seconds to an accuracy.
--    th bench/dist_schemes.lua [-ranks 1,2,4] [-data FOLDER] [-model mlp] [-epochs 40] [-goal 95] [-turns 3] [-svg FILE]
-- Runs examples/distributed.lua under thrun with one thread per rank. All ranks together have 64 images per step, as the one
-- process has. Medians of the turns. Then it compares synchronous schemes with the big batch of one process, after 20 steps.
local here = debug.getinfo(1, 'S').source:match '^@(.*)/[^/]*$' or '.'
package.path = here .. '/../?.lua;' .. package.path
local torch = require 'torch'

local SCHEMES = { 'allreduce', 'syncps', 'downpour', 'ssp', 'easgd', 'eamsgd' }
local BATCH, STEPS = 64, 20

-- ---- in a rank: equal to the big batch? -------------------------------------------------------------------------------------

local function compare()
   local nn, dist = require 'nn', require 'dist'.init()
   local train = require 'examples.lib.digits'.load { opt = { data = '' }, tensorType = 'torch.FloatTensor' }
   local criterion = nn.ClassNLLCriterion():float()
   local function model()
      torch.manualSeed(1)
      return nn.Sequential():add(nn.SpatialConvolution(1, 8, 3, 3)):add(nn.Tanh()):add(nn.View(-1):setNumInputDims(3))
         :add(nn.Linear(288, 32)):add(nn.Tanh()):add(nn.Linear(32, 10)):add(nn.LogSoftMax()):float()
   end
   local function backward(net, step, first, n)
      local at = (step - 1) * BATCH + first
      local input, target = train.input:narrow(1, at, n) / 16, train.target:narrow(1, at, n)
      net:zeroGradParameters()
      criterion:forward(net:forward(input), target)
      net:backward(input, criterion:backward(net.output, target))
   end
   local whole, each = model(), BATCH / dist.size()
   local want = whole:getParameters()
   for step = 1, STEPS do
      backward(whole, step, 1, BATCH)
      whole:updateParameters(0.1)
   end
   for _, scheme in ipairs { 'allreduce', 'syncps' } do
      local net = model()
      local opt = dist.optim { scheme = scheme, model = net, learningRate = 0.1 }
      for step = 1, STEPS do opt:step(function() backward(net, step, 1 + each * dist.rank(), each) end) end
      opt:finish()
      local most = dist.allreduce(torch.DoubleTensor{ (opt.x - want):abs():max() }, 'max')[1]
      if dist.rank() == 0 then print(('row %s %d %.3g'):format(scheme, opt.x:nElement(), most)) end
   end
end

-- ---- around the ranks --------------------------------------------------------------------------------------------------------

local function lines_of(command)
   local p, lines = io.popen(command), {}
   for line in p:lines() do lines[#lines + 1] = line:gsub('^%[%d+%] ', '') end
   p:close()
   return lines
end

local function median(list)
   table.sort(list)
   return list[math.ceil(#list / 2)]
end

-- Adds to `into`: by schemes, lists of speeds, accuracies and seconds (huge: never).
local function measure(start, arguments, into)
   for _, line in ipairs(lines_of(("%s '%s/../examples/distributed.lua' %s"):format(start, here, arguments))) do
      local scheme, speed, accuracy, seconds = line:match '^(%l+) +%d+ +(%d+) +([%d.]+) +(%S+) +%d+'
      if scheme then
         local m = into[scheme] or { speed = {}, accuracy = {}, seconds = {} }
         into[scheme] = m
         table.insert(m.speed, tonumber(speed))
         table.insert(m.accuracy, tonumber(accuracy))
         table.insert(m.seconds, tonumber(seconds) or math.huge)
      end
   end
   return into
end

local function show(ranks, scheme, m, base)
   local speed, seconds = median(m.speed), median(m.seconds)
   print(('| %-11s | %5d | %8.0f | %7.2f | %8.0f %% | %8.2f | %9s |'):format(scheme, ranks, speed, speed / base,
      100 * speed / base / ranks, median(m.accuracy), seconds < math.huge and ('%.2f'):format(seconds) or '-'))
   return speed / base
end

local function main(opt)
   local th = os.getenv 'TH' or arg[-1] or 'build/bin/th'
   local thrun, counts = th:gsub('th$', 'thrun'), {}
   for n in opt.ranks:gmatch '%d+' do counts[#counts + 1] = tonumber(n) end
   local common = ("-epochs %d -goal %g -model '%s' -data '%s'"):format(opt.epochs, opt.goal, opt.model, opt.data)
   local alone, of = {}, {}
   for _ = 1, opt.turns do                            -- in turns, so that all see the same load
      measure(("TH_NUM_THREADS=1 '%s'"):format(th), ('%s -scheme allreduce -batchSize %d'):format(common, BATCH), alone)
      for _, n in ipairs(counts) do
         local start, arguments = ("'%s' -n %d --threads 1"):format(thrun, n), ('%s -batchSize %d'):format(common, BATCH / n)
         of[n] = measure(start, arguments, of[n] or {})
      end
   end
   if not alone.allreduce then error('the single process has failed', 0) end
   local base = median(alone.allreduce.speed)
   print(('%s, %s, %d epochs, %d images in a step of all ranks, one thread each, %d processors, medians of %d'):format(
      opt.data == '' and "the project's digits" or opt.data:match '([^/]*)/*$', opt.model, opt.epochs, BATCH, torch.getnumcores(),
      opt.turns))
   print(('| scheme      | ranks | images/s | speedup | efficiency | accuracy | s to %2g %% |'):format(opt.goal))
   print '|-------------|------:|---------:|--------:|-----------:|---------:|----------:|'
   show(1, 'one process', alone.allreduce, base)
   local groups, series = {}, {}
   for k, scheme in ipairs(SCHEMES) do
      groups[k] = { scheme }
      for i, n in ipairs(counts) do
         series[i] = n == 1 and '1 rank' or n .. ' ranks'
         groups[k][i + 1] = of[n][scheme] and show(n, scheme, of[n][scheme], base) or 0
      end
   end
   if opt.svg ~= '' then
      require 'bench.lib.bars'.write(opt.svg, 'images a second, over those of one process', series, groups, { 1, 'one' })
   end
   print ''
   for _, n in ipairs(counts) do
      for _, line in ipairs(lines_of(("'%s' -n %d --threads 1 '%s/dist_schemes.lua' -job"):format(thrun, n, here))) do
         local scheme, parameters, most = line:match 'row (%S+) (%d+) (%S+)'
         if scheme then
            print(('%s, %d rank%s: after %d steps none of %s parameters is further than %s from those of the big batch: %s')
               :format(scheme, n, n == 1 and '' or 's', STEPS, parameters, most, tonumber(most) <= 1e-5 and 'right' or 'wrong'))
         end
      end
   end
end

local cmd = torch.CmdLine()
cmd:text 'The schemes of dist.optim beside one process.'
cmd:option('-ranks', '1,2,4', 'numbers of ranks, each a divisor of 64')
cmd:option('-data', '', "a folder with MNIST's files; empty: the project's digits")
cmd:option('-model', 'mlp', 'mlp or convnet')
cmd:option('-epochs', 40, 'of training')
cmd:option('-goal', 95, 'accuracy in percent whose time is measured')
cmd:option('-turns', 3, 'how often everything is measured')
cmd:option('-svg', '', 'a picture of the speedups')
cmd:option('-job', false, 'this process is a rank')
local opt = cmd:parse(arg)
if opt.job then compare() else main(opt) end
