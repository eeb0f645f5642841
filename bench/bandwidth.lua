-- bench/bandwidth.lua - copy, add and sum of 1e7 floats against memcpy and STREAM-like loops.
--    th bench/bandwidth.lua [-threads 2] [-peer pytorch]
package.path = './?.lua;' .. package.path
local torch = require 'torch'
local measure = require 'bench.lib.measure'
local peer = require('bench.lib.peer')

local N, TIMES = 1e7, 5

local options = measure.options(arg or {})
local stream, why = require 'bench.lib.stream'.load()
if not stream then
   measure.note('no comparison: %s', why)
   return
end

torch.setnumthreads(options.threads)
local threads = options.threads
local x, y, z = torch.FloatTensor(N):fill(1), torch.FloatTensor(N):fill(2), torch.FloatTensor(N):fill(3)
local px, py, pz = x:data(), y:data(), z:data()
local total

local function timed(f) return function() return measure.time(f, TIMES) end end
local cases = {                               -- name, bytes per element, ours, the reference and its name, PyTorch's
   { 'copy', 8, function() y:copy(x) end,
     function() stream.bench_copy(py, px, N, threads) end, 'memcpy',
     'y.copy_(x)' },
   { 'add', 12, function() torch.add(z, x, y) end,
     function() stream.bench_triad(pz, px, py, 0.5, N, threads) end, 'STREAM triad',
     'torch.add(x, y, out=z)' },
   { 'sum', 4, function() total = x:sum() end,
     function() total = stream.bench_sum(px, N, threads) end, 'STREAM sum',
     'x.sum().item()' },
}
local other = peer.wanted(options, 'ops', tostring(threads))
if other then other.ask 'do x, y, z = torch.rand(10**7), torch.rand(10**7), torch.rand(10**7)' end
for _, case in ipairs(cases) do
   local name, bytes, ours, theirs, reference, statement = unpack(case)
   local functions = { timed(ours), timed(theirs) }
   if other then table.insert(functions, 2, function() return other.time(TIMES, statement) end) end
   local medians, ratio = measure.interleaved(options.rounds, functions)
   local function rate(seconds, b) return ('%.1f GB/s'):format((b or bytes) * N / seconds / 1e9) end
   local what = ('%s of 1e7 floats, %d threads'):format(name, threads)
   measure.row(what, '>= 0.80 of ' .. reference, rate(medians[1]), rate(medians[#medians]), 1 / ratio,
               1 / ratio >= 0.8)
   if other then
      measure.row(what, '(PyTorch)', rate(medians[1]), rate(medians[2]), medians[2] / medians[1])
   end
end
assert(total == N, 'the sum is wrong')
if other then other.close() end
