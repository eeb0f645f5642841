-- bench/lib/stream.lua - bench/lib/stream.c, compiled for this machine.
local ffi = require 'ffi'

ffi.cdef [[
void bench_copy(float *y, const float *x, size_t n, int threads);
void bench_triad(float *y, const float *a, const float *b, float s, size_t n, int threads);
double bench_sum(const float *x, size_t n, int threads);
double bench_multiply(size_t times, int threads);
int setenv(const char *name, const char *value, int overwrite);
]]
local COMPILE = "cc -Ofast -march=native -fopenmp -shared -fPIC -o '%s' bench/lib/stream.c"

local stream = {}

--- The library; or nil and the reason why it is missing.
function stream.load()
   local library = os.tmpname()
   if os.execute(COMPILE:format(library)) ~= 0 then return nil, 'cc could not compile bench/lib/stream.c' end
   ffi.C.setenv('OMP_WAIT_POLICY', 'passive', 1)   -- its threads shall not spin while ours run
   stream.loaded = ffi.load(library)           -- kept: its threads live as long as the process
   os.remove(library)
   return stream.loaded
end

return stream
