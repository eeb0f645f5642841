-- bench/launches.lua - counts kernels, waits of the host and blocks of memory of a training step on the emulated CUDA device.
--    TH_CUDA=emu th bench/launches.lua [-only LSTM] [-steps 2] [-kernels yes]
--
-- A row is a steady step: the fifth of its kind and later, after Lua's collector has run. `waits`
-- are calls in which the host waits for the device; the loss that a step returns is a number, whose
-- reading is one. `nodes` and the last columns are of the same step as a CUDA graph: what the host
-- asks of the device in one replay. Counts depend on the net, and hardly on its sizes, which are
-- small here.
-- With -kernels yes the kernels of a step follow each row, the most frequent ones first.
package.path = './?.lua;' .. package.path
local ffi = require 'ffi'
local torch = require 'torch'
local nn = require 'nn'
require 'nn.recurrent'
local optim = require 'optim'
local cutorch = require 'cutorch'
local measure = require 'bench.lib.measure'

local options = measure.options(arg or {}, { only = '', steps = 2, kernels = 'no' })
if cutorch.getDeviceCount() == 0 or not cutorch.getDeviceProperties(1).emulated then
   io.stderr:write('bench: only the emulated device counts: TH_CUDA=emu th bench/launches.lua\n')
   os.exit(1)
end
ffi.cdef [[double th_emu_count(const char *name);
   const char *th_cuda_emu_kernel(int i, double *times);]]
local C = require 'cutorch.backend'.C
local COUNTS = { 'launches', 'copies', 'waits', 'stream waits', 'allocations', 'frees' }

-- ---- nets ---------------------------------------------------------------------------------------------------------------

local function sequential(...)
   local net = nn.Sequential()
   for _, m in ipairs { ... } do net:add(m) end
   return net
end

local function mlp()
   return sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 10), nn.LogSoftMax()), { 16 }, 1
end

local function lenet()
   return sequential(nn.SpatialConvolution(1, 2, 5, 5), nn.SpatialMaxPooling(2, 2), nn.ReLU(), nn.SpatialConvolution(2, 4, 5, 5),
                     nn.SpatialMaxPooling(2, 2), nn.ReLU(), nn.View(-1):setNumInputDims(3), nn.Linear(4, 8), nn.ReLU(),
                     nn.Linear(8, 10), nn.LogSoftMax()), { 1, 16, 16 }, 1
end

local function convolution(from, to, step)
   return nn.SpatialConvolution(from, to, 3, 3, step, step, 1, 1)
end
local function block(from, to, step)
   local way = sequential(convolution(from, to, step), nn.SpatialBatchNormalization(to),
      nn.ReLU(true), convolution(to, to, 1),
                          nn.SpatialBatchNormalization(to))
   local short = from == to and nn.Identity() or nn.SpatialConvolution(from, to, 1, 1, step, step)
   return sequential(nn.ConcatTable():add(way):add(short), nn.CAddTable(true), nn.ReLU(true))
end
local function resnet()
   local net, from = sequential(convolution(3, 2, 1), nn.SpatialBatchNormalization(2),
      nn.ReLU(true)), 2
   for part = 0, 2 do
      for k = 1, 3 do
         net:add(block(from, 2 ^ (part + 1), part > 0 and k == 1 and 2 or 1))
         from = 2 ^ (part + 1)
      end
   end
   return net:add(nn.SpatialAveragePooling(2, 2)):add(nn.View(-1):setNumInputDims(3)):add(nn.Linear(8, 10)):add(nn.LogSoftMax()),
      { 3, 8, 8 }, 1
end

local function residual(size, ...)
   return sequential(nn.ConcatTable():add(nn.Identity()):add(sequential(nn.LayerNormalization(size, 0, 1e-5), ...)), nn.CAddTable())
end
local function transformer(layers, dropout)
   local size, steps = 8, 4
   local net = sequential(nn.LookupTable(10, size))
   for _ = 1, layers do
      net:add(residual(size, nn.MultiHeadAttention(size, 2, dropout, true)))
      net:add(residual(size, nn.Bottle(sequential(nn.Linear(size, 4 * size), nn.GELU(), nn.Linear(4 * size, size)))))
   end
   return net:add(nn.View(-1, size)):add(nn.Linear(size, 10)):add(nn.LogSoftMax()), { steps }, steps, true
end

local function lstm()
   return sequential(nn.LookupTable(10, 8), nn.LSTM(8, 8, 2, true, 0, true), nn.View(-1, 8), nn.Linear(8, 10), nn.LogSoftMax()),
      { 20 }, 20, true
end

-- ---- steps --------------------------------------------------------------------------------------------------------------

local BATCH = 2

-- A training step of the net in a type of numbers, with its input and its classes.
local function training(make, number, method)
   torch.manualSeed(1)
   local net, size, targets, words = make()
   net = net:float()
   if number ~= 'float' then net = nn.MixedPrecision(net, number) end
   net:cuda()
   local criterion = nn.ClassNLLCriterion():cuda()
   local parameters, gradients = net:getParameters()
   local state = { learningRate = 1e-3 }
   local x = words and torch.LongTensor(BATCH, unpack(size)):random(10):cudaLong()
      or torch.CudaTensor(BATCH, unpack(size)):uniform()
   local target = torch.LongTensor(BATCH * targets):random(10):cudaLong()
   local function step(input, classes)
      local loss
      optim[method](function()
         gradients:zero()
         loss = criterion:updateOutput(net:forward(input), classes)
         net:backward(input, criterion:backward(net.output, classes))
         return loss, gradients
      end, parameters, state)
      return loss
   end
   return step, x, target
end

-- The counts of one call of f, the mean of some.
local function counts_of(f)
   local before, after = {}, {}
   for i, name in ipairs(COUNTS) do before[i] = C.th_emu_count(name) end
   for _ = 1, options.steps do f() end
   for i, name in ipairs(COUNTS) do after[name] = (C.th_emu_count(name) - before[i]) / options.steps end
   return after
end

-- Kernel -> how often it was started.
local function kernels()
   local found, times, i = {}, ffi.new 'double[1]', 0
   while true do
      local name = C.th_cuda_emu_kernel(i, times)
      if name == nil then return found end
      name = ffi.string(name)
      found[name], i = (found[name] or 0) + times[0], i + 1
   end
end
local function print_kernels(before, after)
   local list = {}
   for name, n in pairs(after) do
      local more = (n - (before[name] or 0)) / options.steps
      if more > 0 then list[#list + 1] = { name = name, n = more } end
   end
   table.sort(list, function(a, b)
      if a.n ~= b.n then return a.n > b.n end
      return a.name < b.name
   end)
   for _, k in ipairs(list) do print(('   %4g  %s'):format(k.n, k.name)) end
end

local ROW = '| %-31s | %8s | %6s | %6s | %6s | %6s | %6s | %8s | %6s |'
local function row(title, make, number, method)
   if not title:find(options.only) then return end
   local step, x, target = training(make, number, method)
   for _ = 1, 2 do                                  -- the memory of two steps comes back twice
      for _ = 1, options.steps do step(x, target) end
      collectgarbage()
   end
   local before = kernels()
   local eager = counts_of(function() step(x, target) end)
   local after = kernels()
   local ok, graph = pcall(cutorch.graph, step)
   local replay, nodes = {}, 'none'
   if ok then
      for _ = 1, 2 do graph(x, target) end
      nodes = select(2, graph:count())
      replay = counts_of(function() graph(x, target) end)
      graph:synchronize()
      graph:reset()
   end
   local function whole(n) return n and ('%.4g'):format(n) or '' end
   print(ROW:format(title, whole(eager.launches), whole(eager.copies), whole(eager.waits), whole(eager['stream waits']),
                    whole(eager.allocations), whole(nodes), whole(replay.launches and replay.launches + replay.copies),
                    whole(replay.waits)))
   if options.kernels == 'yes' then print_kernels(before, after) end
   io.stdout:flush()
   collectgarbage()
end

print(ROW:format('step', 'launches', 'copies', 'waits', 'joins', 'allocs', 'nodes', 'replay', 'waits'))
print((ROW:format('', '', '', '', '', '', '', '', ''):gsub(' ', '-')))
local bf16 = 'bfloat16'
for _, number in ipairs { 'float', bf16 } do
   row('MLP, sgd, ' .. number, mlp, number, 'sgd')
   row('LeNet, sgd, ' .. number, lenet, number, 'sgd')
   row('ResNet-20, sgd, ' .. number, resnet, number, 'sgd')
   row('transformer 4, adamw, ' .. number, function() return transformer(4) end, number, 'adamw')
   row('transformer 5, adamw, ' .. number, function() return transformer(5) end, number, 'adamw')
   row('transformer 4 dropout, ' .. number, function() return transformer(4, 0.1) end, number,
       'adamw')
   row('LSTM 2 x 20, adam, ' .. number, lstm, number, 'adam')
end
