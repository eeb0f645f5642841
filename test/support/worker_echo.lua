-- test/support/worker_echo.lua - the code of worker_spec's threads.
local echo = {}
local sum = 0

function echo.echo(...) return ... end
function echo.count(n)
   sum = sum + n
   return sum
end
function echo.sleep(seconds)
   local timer = require 'torch'.Timer()
   while timer:time().real < seconds do end
   return seconds
end
function echo.double(x) return x:mul(2) end
function echo.fail(text) error(text) end
function echo.exec(f)
   require 'ffi'.cdef 'void pthread_exit(void *result);'
   return f()
end

return echo
