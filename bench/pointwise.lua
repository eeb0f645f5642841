-- bench/pointwise.lua - chains of pointwise ops: by torch.pointwise, op by op, and in PyTorch,
-- eager and by torch.compile.
-- th bench/pointwise.lua [-device cpu|cuda] [-peer pytorch] [-threads 2] [-rounds 9] [-only gelu]
-- [-elements 16777216]
--
-- The limit of a row is the time that its inputs and results take through memory, each once, at
-- the speed of a copy of floats in the same run. -only is a Lua pattern of names. On an emulated
-- device (TH_CUDA=emu) the times say nothing about GPUs.
package.path = './?.lua;' .. package.path
local torch = require 'torch'
local measure = require 'bench.lib.measure'
local peer = require 'bench.lib.peer'

local options = measure.options(arg or {}, { only = '', device = 'cpu', elements = 2 ^ 24 })
local cutorch = options.device == 'cuda' and require 'cutorch'
torch.setnumthreads(options.threads)
torch.manualSeed(1)
local other = peer.wanted(options, 'pointwise', ('%d %s %d'):format(options.threads, cutorch
   and 'cuda' or '', options.elements))

-- name, what it is, results, the function of its inputs
local CHAINS = {
   { 'four', '4 ops: relu(x * y + 1) * 2', 1, 2, function(x, y)
      return torch.relu(torch.cmul(x, y) + 1) * 2
   end },
   { 'gelu', '8 ops: GELU by hand', 1, 1, function(x)
      return torch.cmul(x, torch.tanh((x + torch.pow(x, 3) * 0.044715) * 0.7978845608) + 1) * 0.5
   end },
   { 'lstm', '9 ops: the elements of an LSTM cell', 2, 5, function(i, f, g, o, c)
      local cell = torch.cmul(torch.sigmoid(f), c) + torch.cmul(torch.sigmoid(i), torch.tanh(g))
      return torch.cmul(torch.sigmoid(o), torch.tanh(cell)), cell
   end },
   { 'loss', '18 ops: a loss', 1, 2, function(x, target)
      local d = x - target
      local a = torch.abs(d)
      local near = torch.cmin(a, 1)
      local inner = torch.cmul(near, a - near * 0.5) * 0.7 + torch.square(d) * 0.01
      return torch.log1p(torch.exp(-inner)) + torch.sigmoid(x) * 0.1 - torch.clamp(target, -0.5,
         0.5) * 0.2
   end },
}

local function finish() if cutorch then cutorch.synchronize() end end
local function timer(f, given)
   return function()
      finish()
      local seconds = measure.time(function()
         f(unpack(given))
         finish()
      end, 1)
      collectgarbage()
      return seconds
   end
end

local inputs, target = {}, torch.FloatTensor(options.elements)
for i = 1, 5 do inputs[i] = torch.FloatTensor(options.elements):uniform(-2, 2) end
if cutorch then
   target = target:cuda()
   for i = 1, 5 do inputs[i] = inputs[i]:cuda() end
end

for _, chain in ipairs(CHAINS) do
   local name, what, results, count, f = unpack(chain)
   if name:find(options.only) then
      local given, fused = { unpack(inputs, 1, count) }, torch.pointwise(f)
      local times = { timer(fused, given), timer(f, given), timer(function(x) target:copy(x) end,
         { inputs[1] }) }
      for _, how in ipairs(other and { 'eager', 'compiled' } or {}) do
         other.ask(how .. ' ' .. name)
         times[#times + 1] = function() return other.ask(how .. ' ' .. name) end
      end
      local medians = measure.interleaved(options.rounds, times)
      local limit = medians[3] * (count + results) / 2
      local function text(seconds) return ('%.2f ms'):format(seconds * 1e3) end
      measure.row(what .. ', op by op', '< 1.00 of the ops one by one', text(medians[1]),
         text(medians[2]), medians[1] / medians[2],
         medians[1] < medians[2])
      measure.row(what .. ', memory', 'the least time of memory', text(medians[1]), text(limit),
         medians[1] / limit)
      if other then
         measure.row(what .. ', eager', '< 1.00 of PyTorch', text(medians[1]), text(medians[4]),
            medians[1] / medians[4],
            medians[1] < medians[4])
         measure.row(what .. ', torch.compile', '< 1.00 of torch.compile', text(medians[1]),
            text(medians[5]),
            medians[1] / medians[5], medians[1] < medians[5])
      end
   end
end
if other then
   measure.note('peer: %s', other.version)
   other.close()
end
