-- bench/memory_growth.lua [-steps N] - trains small networks for very many steps, without calls
-- of the collector; memory must not grow.
--   th bench/memory_growth.lua     -- 100,000 steps of an MLP by sgd and adam, 10,000 of an LSTM
--   th bench/memory_growth.lua -steps 2000
-- For each network one line: resident and tensor bytes in MiB at a tenth, in the middle and at the end of the run, the most
-- that tensors held, steps each second, and the last loss. Exit status 1 when the process grew by more than 16 MiB after the
-- first tenth, by when the compiler and the collector are warm.
local torch = require 'torch'
local nn = require 'nn'
require 'nn.recurrent'
local optim = require 'optim'

local growth = {GROWTH = 16 * 2 ^ 20}

-- Resident bytes of this process.
function growth.resident()
   local f = assert(io.open '/proc/self/statm')
   local pages = f:read '*l':match '^%d+ (%d+)'
   f:close()
   return tonumber(pages) * 4096
end

-- A step of training: a fresh batch, forward, loss, backward, update.
local function trained(model, criterion, method, state, batch)
   local parameters, gradients = model:getParameters()
   return function()
      local loss
      method(function()
         local x, t = batch()
         gradients:zero()
         local y = model:forward(x)
         loss = criterion:forward(y, t)
         model:backward(x, criterion:backward(y, t))
         return loss, gradients
      end, parameters, state)
      return loss
   end
end

local function mlp(method, state)
   local model = nn.Sequential():add(nn.Linear(10, 20)):add(nn.BatchNormalization(20)):add(nn.ReLU()):add(nn.Dropout(0.1))
      :add(nn.Linear(20, 4)):add(nn.LogSoftMax())
   return trained(model, nn.ClassNLLCriterion(), method, state, function()
      local x = torch.randn(8, 10)
      local _, t = x:narrow(2, 1, 4):max(2)
      return x, t:view(-1)
   end)
end

-- The networks: name, share of the steps, and a function that makes a step.
growth.networks = {
   {'mlp, sgd', 1, function() return mlp(optim.sgd, {learningRate = 0.05, momentum = 0.9}) end},
   {'mlp, adam', 1, function() return mlp(optim.adam, {learningRate = 0.01}) end},
   {'lstm, adam', 0.1, function()
      local model = nn.Sequential():add(nn.LSTM(4, 8, 2)):add(nn.Select(1, -1)):add(nn.Linear(8, 4)):add(nn.LogSoftMax())
      return trained(model, nn.ClassNLLCriterion(), optim.adam, {learningRate = 0.01}, function()
         local x = torch.randn(torch.random(4, 10), 8, 4)
         local _, t = x[x:size(1)]:max(2)
         return x, t:view(-1)
      end)
   end},
}

--- Trains for `steps` steps. Returns {at a tenth, in the middle, at the end}, each {resident, tensor bytes}, and the last loss.
function growth.run(make, steps)
   torch.manualSeed(1)
   local step, loss, seen = make(), 0, {}
   for i = 1, steps do
      loss = step()
      if i == math.floor(steps / 10) or i == math.floor(steps / 2) or i == steps then
         seen[#seen + 1] = {growth.resident(), torch.memory().bytes}
      end
   end
   return seen, loss
end

if not (arg and arg[0] and arg[0]:find 'memory_growth%.lua$') then return growth end

local cmd = torch.CmdLine()
cmd:option('-steps', 1e5, 'how many steps of training')
local steps = cmd:parse(arg).steps
local failed = false
local MiB = 2 ^ 20
print(('%-12s %9s %26s %26s %12s %9s %9s'):format('network', 'steps', 'resident MiB: 1/10 1/2 end', 'tensors MiB: 1/10 1/2 end',
   'most tensors', 'steps/s', 'loss'))
for _, network in ipairs(growth.networks) do
   local n = math.floor(steps * network[2])
   local timer = torch.Timer()
   local seen, loss = growth.run(network[3], n)
   local figures = {}
   for kind = 1, 2 do
      for at = 1, 3 do figures[#figures + 1] = seen[at][kind] / MiB end
   end
   print(('%-12s %9d'):format(network[1], n) .. (' %9.1f %7.1f %8.1f %9.1f %7.1f %8.1f'):format(unpack(figures))
      .. (' %12.1f %9.0f %9.4f'):format(torch.memory().peak / MiB, n / timer:time().real, loss))
   io.stdout:flush()
   failed = failed or seen[3][1] - seen[1][1] > growth.GROWTH
end
os.exit(failed and 1 or 0)
