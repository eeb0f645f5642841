-- test/support/worker_echo.lua - the code of worker_spec's threads.
local ffi = require 'ffi'
local echo = {}
local sum = 0

pcall(ffi.cdef, 'int th_echo_usleep(unsigned us) __asm__("usleep");')

function echo.echo(...) return ... end
function echo.count(n)
   sum = sum + n
   return sum
end
function echo.sleep(seconds)
   local timer = require 'torch'.Timer()
   while timer:time().real < seconds do             -- a signal ends usleep
      ffi.C.th_echo_usleep(math.max(0, math.min(seconds - timer:time().real, 0.9)) * 1e6)
   end
   return seconds
end
function echo.double(x) return x:mul(2) end
function echo.fail(text) error(text) end
function echo.exec(f)
   ffi.cdef 'void pthread_exit(void *result);'
   return f()
end

return echo
