-- bench/gemm.lua - torch.mm of 1024 x 1024 floats against OpenBLAS called directly.
--    th bench/gemm.lua [-threads 2] [-peer pytorch]
package.path = './?.lua;' .. package.path
local ffi = require 'ffi'
local torch = require 'torch'
local measure = require 'bench.lib.measure'
local peer = require('bench.lib.peer')

ffi.cdef [[
void cblas_sgemm(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
                 const float *b, int ldb, float beta, float *c, int ldc);
void openblas_set_num_threads(int n);
]]
local ROWMAJOR, NOTRANS, N, TIMES = 101, 111, 1024, 10

local options = measure.options(arg or {})
local found, blas = pcall(ffi.load, 'libopenblas.so.0')
if not found then
   measure.note 'no comparison: libopenblas.so.0 is not installed'
   return
end
torch.setnumthreads(options.threads)
local a, b, c = torch.FloatTensor(N, N):uniform(), torch.FloatTensor(N, N):uniform(), torch.FloatTensor(N, N)
local direct = torch.FloatTensor(N, N)
local pa, pb, pc = a:data(), b:data(), direct:data()

-- The tensor library limits OpenBLAS to one thread per call; the direct call uses all of them.
local function withOpenblas()
   blas.openblas_set_num_threads(options.threads)
   local function call() blas.cblas_sgemm(ROWMAJOR, NOTRANS, NOTRANS, N, N, N, 1, pa, N, pb, N, 0, pc, N) end
   call()
   local seconds = measure.time(call, TIMES)
   blas.openblas_set_num_threads(1)
   return seconds
end
local function withTorch()
   local function call() torch.mm(c, a, b) end
   call()
   return measure.time(call, TIMES)
end

local other = peer.wanted(options, 'ops', tostring(options.threads))
if other then other.ask 'do a, b, c = torch.rand(1024, 1024), torch.rand(1024, 1024), torch.empty(1024, 1024)' end
local functions = { withTorch, withOpenblas }
if other then table.insert(functions, 2, function() return other.time(TIMES, 'torch.mm(a, b, out=c)') end) end
local medians, ratio = measure.interleaved(options.rounds, functions)
assert((c - direct):abs():max() < 1e-2, 'the two products differ')

local function rate(seconds) return ('%.0f GFLOP/s'):format(2 * N ^ 3 / seconds / 1e9) end
local what = ('mm 1024^3 float, %d threads'):format(options.threads)
measure.row(what, '>= 0.90 of OpenBLAS', rate(medians[1]), rate(medians[#medians]), 1 / ratio,
            1 / ratio >= 0.9)
if other then
   measure.row(what, '(PyTorch)', rate(medians[1]), rate(medians[2]), medians[2] / medians[1])
   other.close()
end
