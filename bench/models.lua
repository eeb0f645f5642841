-- bench/models.lua - training steps (forward, backward, update) of models that people run.
--    th bench/models.lua [-peer pytorch] [-threads 2] [-rounds 9] [-only LSTM] [-profile 1] [-device cuda]
--    -only  a Lua pattern that the names must match     -profile 1  where the time goes, layer by layer, instead
--    -device cuda  on a GPU, PyTorch too
package.path = './?.lua;' .. package.path
local torch = require 'torch'
local nn = require 'nn'
require 'nn.recurrent'
local optim = require 'optim'
local measure = require 'bench.lib.measure'
local nets = require 'bench.lib.nets'
local peer = require 'bench.lib.peer'

local options = measure.options(arg or {}, { only = '', profile = 0, device = 'cpu' })
if options.device ~= 'cpu' and options.device ~= 'cuda' then
   io.stderr:write(('bench: -device is cpu or cuda, got %s\n'):format(options.device))
   os.exit(2)
end
torch.setnumthreads(options.threads)
local cutorch
if options.device == 'cuda' then
   cutorch = require 'cutorch'
   if cutorch.getDeviceCount() == 0 then
      io.stderr:write('bench: there is no CUDA device (TH_CUDA=emu tries this program on an emulated one)\n')
      os.exit(1)
   end
end
torch.manualSeed(1)

-- Float tensors and modules on the device of training; a step ends when the device has finished it.
local function placed(x)
   if type(x) == 'table' and not x.forward then
      local list = {}
      for i, t in ipairs(x) do list[i] = placed(t) end
      return list
   end
   if not cutorch then return x end
   return torch.type(x) == 'torch.LongTensor' and x:cudaLong() or x:cuda()
end
local function seconds_of(step, steps)
   if not cutorch then return measure.time(step, steps) end
   cutorch.synchronize()
   return measure.wall(function()
      for _ = 1, steps do step() end
      cutorch.synchronize()
   end) / steps
end

-- ---- models -------------------------------------------------------------------------------------

local sequential = nets.sequential

-- The model of examples/char.lua.
local function characters()
   return sequential(nn.LookupTable(65, 128), nn.LSTM(128, 128, 2, true, 0, true), nn.View(-1, 128), nn.Linear(128, 65),
                     nn.LogSoftMax())
end

local function residual(size, ...)
   return sequential(nn.ConcatTable():add(nn.Identity()):add(sequential(nn.LayerNormalization(size, 0, 1e-5), ...)),
                     nn.CAddTable(true))
end

-- The model of examples/transformer.lua.
local function transformer()
   local size, steps = 128, 64
   local net = sequential(nn.ParallelTable():add(nn.LookupTable(65, size)):add(nn.LookupTable(steps, size)), nn.CAddTable(true))
   for _ = 1, 4 do
      net:add(residual(size, nn.MultiHeadAttention(size, 4, 0, true)))
      net:add(residual(size, nn.Bottle(sequential(nn.Linear(size, 4 * size), nn.GELU(), nn.Linear(4 * size, size)))))
   end
   return net:add(nn.LayerNormalization(size, 0, 1e-5)):add(nn.View(-1, size)):add(nn.Linear(size, 65)):add(nn.LogSoftMax())
end

-- ---- training -----------------------------------------------------------------------------------

local OPTIMIZERS = {
   sgd = { learningRate = 0.01, momentum = 0.9, dampening = 0, weightDecay = 1e-4 },
   adam = { learningRate = 0.002 },
   adamw = { learningRate = 0.001, weightDecay = 0.01 },
}

-- A function that takes one step; the net is its second value.
local function training(net, input, n, classes, optimizer, clip)
   net, input = placed(net:float()), placed(input)
   net:training()
   local criterion, target = placed(nn.ClassNLLCriterion():float()), placed(torch.LongTensor(n):random(1, classes))
   local parameters, gradParameters = net:getParameters()
   local state, update = {}, optim[optimizer]
   for name, value in pairs(OPTIMIZERS[optimizer]) do state[name] = value end
   local function evaluate()
      gradParameters:zero()
      local y = net:forward(input)
      local loss = criterion:forward(y, target)
      net:backward(input, criterion:backward(y, target))
      if clip then optim.clipGradNorm(gradParameters, clip) end
      return loss, gradParameters
   end
   return function() update(evaluate, parameters, state) end, net
end

local function no_gradient(net)               -- the gradient by images is not needed
   net:get(1).gradInput = nil
   return net
end

local function places(samples, steps)
   return torch.LongTensor():range(1, steps):view(1, steps):expand(samples, steps):contiguous()
end

-- name, description, steps per turn, function
local MODELS = {
   { 'MLP', '784-512-512-10, batch 128, sgd', 20, function()
      return training(no_gradient(nets.mlp()), torch.FloatTensor(128, 784):uniform(), 128, 10, 'sgd')
   end },
   { 'LeNet', '28 x 28, batch 64, sgd', 20, function()
      return training(no_gradient(nets.lenet()), torch.FloatTensor(64, 1, 28, 28):uniform(), 64, 10, 'sgd')
   end },
   { 'AlexNet', '224 x 224, batch 16, sgd', 1, function()
      return training(no_gradient(nets.alexnet()), torch.FloatTensor(16, 3, 224, 224):uniform(), 16, 1000, 'sgd')
   end },
   { 'ResNet-20', '32 x 32, batch 32, sgd', 2, function()
      return training(no_gradient(nets.resnet20()), torch.FloatTensor(32, 3, 32, 32):uniform(), 32, 10, 'sgd')
   end },
   { 'LSTM', 'char model, 2 of 128, 50 x 50, adam', 3, function()
      return training(characters(), torch.LongTensor(50, 50):random(1, 65), 2500, 65, 'adam', 5)
   end },
   { 'transformer', '4 layers of 128, 32 x 64, adamw', 3, function()
      return training(transformer(), { torch.LongTensor(32, 64):random(1, 65), places(32, 64) }, 2048, 65, 'adamw', 1)
   end },
}

-- ---- where the time goes --------------------------------------------------------------------------

-- Prints the share of a step that each kind of leaf layer takes.
local function profile(net, step, steps)
   local spent, order = {}, {}
   net:apply(function(module)
      if module.modules and torch.type(module) ~= 'nn.LayerNormalization' then return end
      for _, name in ipairs { 'updateOutput', 'updateGradInput', 'accGradParameters' } do
         local f, key = module[name], torch.type(module) .. ' ' .. name
         if not spent[key] then order[#order + 1], spent[key] = key, 0 end
         module[name] = function(...)
            local result
            local args, n = { ... }, select('#', ...)
            spent[key] = spent[key] + seconds_of(function() result = f(unpack(args, 1, n)) end, 1)
            return result
         end
      end
   end)
   local all = seconds_of(step, steps)
   table.sort(order, function(a, b) return spent[a] > spent[b] end)
   print(('%10.3f ms  a step'):format(all * 1e3))
   local rest = all
   for _, key in ipairs(order) do
      rest = rest - spent[key] / steps
      print(('%10.3f ms  %s'):format(spent[key] / steps * 1e3, key))
   end
   print(('%10.3f ms  the rest: containers, criterion, update'):format(rest * 1e3))
end

local other = options.profile == 0 and peer.wanted(options, 'models', options.threads .. (cutorch and ' cuda' or ''))
for _, model in ipairs(MODELS) do
   local name, what, steps, make = unpack(model)
   if name:find(options.only) then
      local step, net = make()
      for _ = 1, 3 do step() end
      if options.profile ~= 0 then
         print(name)
         profile(net, step, 10 * steps)
      else
         local functions = { function() return seconds_of(step, steps) end }
         if other then functions[2] = function() return other.ask(('%s %d'):format(name, steps)) / steps end end
         local medians, ratio = measure.interleaved(options.rounds, functions)
         measure.row(('%s, %s'):format(name, what), '<= 1.00 of PyTorch', ('%.2f ms'):format(medians[1] * 1e3),
                     other and ('%.2f ms'):format(medians[2] * 1e3), other and ratio, other and ratio <= 1)
      end
   end
end
if other then
   measure.note('peer: %s', other.version)
   other.close()
end
