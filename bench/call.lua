-- bench/call.lua - the cost of the smallest calls in a compiled loop.
--    th bench/call.lua [-peer pytorch]
package.path = './?.lua;' .. package.path
local torch = require 'torch'
local measure = require 'bench.lib.measure'
local peer = require('bench.lib.peer')

local options = measure.options(arg or {})
local N = 1e6

local x, y = torch.FloatTensor(10):fill(1), torch.FloatTensor(10):fill(1e-7)
local long = torch.FloatTensor(1000):fill(1)
local sink = 0

local function add()
   for _ = 1, N do x:add(y) end
end
local function read()
   local sum = 0
   for _ = 1, N / 1000 do
      for i = 1, 1000 do sum = sum + long[i] end
   end
   sink = sink + sum
end
local function write()
   for _ = 1, N / 1000 do
      for i = 1, 1000 do long[i] = i end
   end
end
local function perCall(f)
   return function() return measure.work(f) / N end
end

local other = peer.wanted(options, 'ops', tostring(options.threads))
local functions = { perCall(add), perCall(read), perCall(write) }
if other then
   other.ask 'do x, y = torch.ones(10), torch.ones(10)'
   functions[4] = function() return other.work(1e5, 'x.add_(y)') end
end
local medians = measure.interleaved(options.rounds, functions)
local theirs = other and ('%.0f ns'):format(medians[4] * 1e9)
measure.row('x:add(y), 10 floats', 'at most 50 ns', ('%.1f ns'):format(medians[1] * 1e9), theirs,
            other and medians[1] / medians[4], medians[1] <= 50e-9)
measure.row('x[i]', 'at most 5 ns', ('%.2f ns'):format(medians[2] * 1e9), nil, nil, medians[2] <= 5e-9)
measure.row('x[i] = v', 'at most 5 ns', ('%.2f ns'):format(medians[3] * 1e9), nil, nil, medians[3] <= 5e-9)
if other then other.close() end
