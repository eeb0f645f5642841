-- bench/resize.lua - what it costs that resize sets new elements to 0 (torch.setzerofill): fresh buffers, and training steps.
--    th bench/resize.lua [-rounds 7]
-- The figures are seconds of the processor, the least of the rounds, so that other programs of the machine disturb them little.
package.path = './?.lua;' .. package.path
local torch = require 'torch'
require 'nn'

local rounds = 7
for i = 1, #(arg or {}) do if arg[i] == '-rounds' then rounds = tonumber(arg[i + 1]) end end
torch.setnumthreads(1)

-- Seconds of one call of f, with and without zeros, in turn.
local function compare(f, times)
   local best = { [true] = math.huge, [false] = math.huge }
   for _ = 1, rounds do
      for _, zeros in ipairs { true, false } do
         torch.setzerofill(zeros)
         local start = os.clock()
         for _ = 1, times do f() end
         best[zeros] = math.min(best[zeros], (os.clock() - start) / times)
      end
   end
   torch.setzerofill(true)
   return best[true], best[false]
end

local function net()
   return nn.Sequential():add(nn.SpatialConvolution(1, 16, 5, 5)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2))
      :add(nn.View(-1):setNumInputDims(3)):add(nn.Linear(16 * 12 * 12, 64)):add(nn.Tanh()):add(nn.Linear(64, 10))
      :add(nn.LogSoftMax()):float()
end

-- A training step over a batch of n images.
local function stepper(sizes)
   local m, c, at = net(), nn.ClassNLLCriterion():float(), 0
   local batches = {}
   for i, n in ipairs(sizes) do batches[i] = { torch.FloatTensor(n, 1, 28, 28):uniform(), torch.FloatTensor(n):random(1, 10) } end
   return function()
      at = at % #batches + 1
      local x, y = unpack(batches[at])
      m:zeroGradParameters()
      c:forward(m:forward(x), y)
      m:backward(x, c:backward(m.output, y))
      m:updateParameters(0.01)
   end, m
end

local rows = {}
for _, n in ipairs { 10, 1000, 1e5, 1e6, 1e7 } do
   local source = torch.FloatTensor(n):fill(1)
   local times = math.max(2, math.min(20000, math.floor(4e6 / n)))
   local function fresh() torch.FloatTensor():resize(n):copy(source) end
   rows[#rows + 1] = { ('FloatTensor():resize(%d):copy(x)'):format(n), times, fresh }
end
rows[#rows + 1] = { 'training step, batches of 32', 10, (stepper { 32 }) }
rows[#rows + 1] = { 'training step, batches of 8 to 64', 10, (stepper { 8, 64, 16, 32, 48 }) }
local step, m = stepper { 32 }
rows[#rows + 1] = { 'training step and clearState, batches of 32', 10, function()
   step()
   m:clearState()
end }

print(('%-44s %14s %14s %8s'):format('', 'zeros, us', 'as it is, us', 'ratio'))
for _, row in ipairs(rows) do
   row[3]()
   local zeros, plain = compare(row[3], row[2])
   print(('%-44s %14.2f %14.2f %8.3f'):format(row[1], zeros * 1e6, plain * 1e6, zeros / plain))
end
