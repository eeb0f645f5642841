-- bench/gemm.lua - torch.mm of 1024 x 1024 floats against OpenBLAS called directly, and of few
-- rows, as layers multiply few samples.
--    th bench/gemm.lua [-threads 2] [-peer pytorch]
--
-- The limit of few rows is the time to read the matrix: the rate is that of its bytes. OpenBLAS
-- packs it first.
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
local ROWMAJOR, NOTRANS, TRANS, N, TIMES = 101, 111, 112, 1024, 10

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

-- Seconds of a call of OpenBLAS. The tensor library limits it to one thread per call; the direct
-- call uses all of them.
local function direct_time(call, times)
   blas.openblas_set_num_threads(options.threads)
   call()
   local seconds = measure.time(call, times)
   blas.openblas_set_num_threads(1)
   return seconds
end

local function withOpenblas()
   return direct_time(function()
      blas.cblas_sgemm(ROWMAJOR, NOTRANS, NOTRANS, N, N, N, 1, pa, N, pb, N, 0, pc, N)
   end, TIMES)
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
end

-- ---- few rows ----------------------------------------------------------------------------------

-- m rows times the transpose of n x k floats, as nn.Linear has it, or times k x n floats.
local function few(m, k, n, transposed)
   local x, w = torch.FloatTensor(m, k):uniform(), torch.FloatTensor(n, k):uniform()
   local y = torch.FloatTensor(m, n)
   local b = transposed and w:t() or w:t():contiguous()
   local times = math.max(2, math.floor(2e8 / (m * n * k)))
   local px, pw, py = x:data(), b:data(), torch.FloatTensor(m, n):data()
   local list = {
      function()
         local function call() torch.mm(y, x, b) end
         call()
         return measure.time(call, times)
      end,
      function()
         return direct_time(function()
            blas.cblas_sgemm(ROWMAJOR, NOTRANS, transposed and TRANS or NOTRANS, m, n, k, 1, px, k,
               pw, transposed and k or n, 0, py, n)
         end, times)
      end }
   if other then
      local rows, columns = transposed and n or k, transposed and k or n
      other.ask(('do a, w, y = torch.rand(%d, %d), torch.rand(%d, %d), torch.empty(%d, %d)')
         :format(m, k, rows, columns, m, n))
      -- OpenBLAS comes last: its threads spin for a while.
      local call = transposed and 'torch.mm(a, w.t(), out=y)' or 'torch.mm(a, w, out=y)'
      table.insert(list, 2, function() return other.time(times, call) end)
   end
   local t = measure.interleaved(options.rounds, list)
   local function bytes(seconds) return ('%.0f GB/s'):format(4 * n * k / seconds / 1e9) end
   what = ('mm %d x %d, %d x %d%s'):format(m, k, k, n, transposed and ', t()' or '')
   local function against(name, seconds)
      local ratio = seconds / t[1]
      measure.row(what, '>= 1 of ' .. name, bytes(t[1]), bytes(seconds), ratio, ratio >= 1)
   end
   against('OpenBLAS', t[#t])
   if other then against('PyTorch', t[2]) end
end

local SIZES = { { 512, 512 }, { 1000, 1000 }, { 2048, 2048 }, { 4096, 1000 }, { 4096, 4096 } }
for _, transposed in ipairs { true, false } do
   for _, size in ipairs(SIZES) do
      for _, m in ipairs { 1, 4, 16 } do few(m, size[1], size[2], transposed) end
   end
end
if other then other.close() end
