-- bench/lstm.lua - forward and backward of a recurrent layer over 50 steps of 50 samples.
--    th bench/lstm.lua [-threads 2] [-peer pytorch] [-rounds 5]
package.path = './?.lua;' .. package.path
local torch = require 'torch'
local nn = require 'nn'
require 'nn.recurrent'
local measure = require 'bench.lib.measure'
local peer = require 'bench.lib.peer'

local STEPS, BATCH, UNITS, LAYERS, PASSES = 50, 50, 128, 2, 10
local options = measure.options(arg or {})
torch.setnumthreads(options.threads)
torch.manualSeed(1)

local input = torch.FloatTensor(STEPS, BATCH, UNITS):uniform(-1, 1)
local other = peer.wanted(options, 'lstm', tostring(options.threads))
for _, name in ipairs { 'LSTM', 'GRU', 'RNN' } do
   local net = nn[name](UNITS, UNITS, LAYERS):float()
   local function passes()
      for _ = 1, PASSES do
         net:zeroGradParameters()
         net:backward(input, net:forward(input))
      end
   end
   passes()
   local functions = { function() return measure.time(passes) end }
   if other then functions[2] = function() return other.ask(name) end end
   local medians, ratio = measure.interleaved(options.rounds, functions)
   local what = ('%s, %d layers of %d, %d steps of %d, %d threads'):format(name, LAYERS, UNITS, STEPS, BATCH, options.threads)
   measure.row(what, '<= 1.00 of PyTorch', ('%.1f ms'):format(medians[1] / PASSES * 1e3),
               other and ('%.1f ms'):format(medians[2] / PASSES * 1e3), other and ratio, other and ratio <= 1)
end
if other then
   measure.note('peer: %s', other.version)
   other.close()
end
