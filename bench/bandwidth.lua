-- bench/bandwidth.lua - copy, add and sum of 1e7 floats against memcpy and STREAM-like loops.
--    th bench/bandwidth.lua [-threads 2] [-peer pytorch]
package.path = './?.lua;' .. package.path
local ffi = require 'ffi'
local torch = require 'torch'
local measure = require 'bench.lib.measure'
local peer = require('bench.lib.peer')

ffi.cdef [[
void bench_copy(float *y, const float *x, size_t n, int threads);
void bench_triad(float *y, const float *a, const float *b, float s, size_t n, int threads);
double bench_sum(const float *x, size_t n, int threads);
int setenv(const char *name, const char *value, int overwrite);
]]
local N, TIMES = 1e7, 5

local options = measure.options(arg or {})
local library = os.tmpname()
local compiler = "cc -Ofast -march=native -fopenmp -shared -fPIC -o '%s' bench/lib/stream.c"
local compiled = os.execute(compiler:format(library))
if compiled ~= 0 then
   measure.note 'no comparison: cc could not compile bench/lib/stream.c'
   return
end
ffi.C.setenv('OMP_WAIT_POLICY', 'passive', 1)   -- its threads shall not spin while ours run
local stream = ffi.load(library)
os.remove(library)

torch.setnumthreads(options.threads)
local threads = options.threads
local x, y, z = torch.FloatTensor(N):fill(1), torch.FloatTensor(N):fill(2), torch.FloatTensor(N):fill(3)
local px, py, pz = x:data(), y:data(), z:data()
local total

local function timed(f) return function() return measure.time(f, TIMES) end end
local cases = {                               -- name, bytes an element, ours, theirs, what theirs is
   { 'copy', 8, function() y:copy(x) end,
     function() stream.bench_copy(py, px, N, threads) end, 'memcpy' },
   { 'add', 12, function() torch.add(z, x, y) end,
     function() stream.bench_triad(pz, px, py, 0.5, N, threads) end, 'STREAM triad' },
   { 'sum', 4, function() total = x:sum() end,
     function() total = stream.bench_sum(px, N, threads) end, 'STREAM sum' },
}
local other = peer.wanted(options, 'ops', tostring(threads))
for _, case in ipairs(cases) do
   local name, bytes, ours, theirs, reference = unpack(case)
   local functions = { timed(ours), timed(theirs) }
   if other then table.insert(functions, 2, function() return other.ask(name .. ' ' .. TIMES) end) end
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
