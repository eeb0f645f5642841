-- lua/threads/safe.lua - functions that only one thread at a time runs.
local torch = require 'torch'
local arg = require 'torch.arg'
local Mutex = require 'threads.sync'.Mutex

--- threads.safe(func, [mutex]): A function that locks a mutex, calls func, and unlocks. It unlocks after an error of func, too.
-- Copies in other threads use the same mutex.
-- @param mutex  a threads.Mutex (default: a new one)
-- threads = require 'threads'; threads.safe(math.max)(2, 5) --> 5
local function safe(func, mutex)
   if type(func) ~= 'function' then arg.refuse('threads.safe', 'func', 'a function', func) end
   if mutex ~= nil and torch.typename(mutex) ~= 'threads.Mutex' then
      arg.refuse('threads.safe', 'mutex', 'a threads.Mutex', mutex)
   end
   mutex = mutex or Mutex()
   local function finish(ok, ...)
      local why = ...                       -- before any call: torch.varargs
      mutex:unlock()
      if not ok then error(why, 0) end
      return ...
   end
   return function(...)
      mutex:lock()
      return finish(pcall(func, ...))
   end
end

return safe
