-- lua/torch/timer.lua - torch.Timer: wall, user and system seconds since its start, without stopped times.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local class = require 'torch.class'
local arg = require 'torch.arg'
local C = lib.C

local M = {}
local seconds = ffi.new 'double[3]'

local function now()
   C.th_clock(seconds)
   return seconds[0], seconds[1], seconds[2]
end

function M.install(torch)
   local Timer = class.class('torch.Timer', torch)

   --- A stopwatch that runs from now on.
   -- torch.Timer():stop():time().real < 1 --> true
   function Timer:__init() self:reset() end

   --- Starts again from zero. A stopped timer stays stopped.
   function Timer:reset()
      self._real, self._user, self._sys = now()
      self._gone = { real = 0, user = 0, sys = 0 }
      self._stopped = self._stopped or false
      return self
   end

   --- {real =, user =, sys =} in seconds; user and sys are the processor time of the whole process.
   function Timer:time()
      local gone = self._gone
      if self._stopped then return { real = gone.real, user = gone.user, sys = gone.sys } end
      local real, user, sys = now()
      return { real = gone.real + real - self._real, user = gone.user + user - self._user,
               sys = gone.sys + sys - self._sys }
   end

   --- Stops; time() stays as it is until resume(). Returns the timer.
   function Timer:stop()
      if not self._stopped then self._gone, self._stopped = self:time(), true end
      return self
   end

   --- Continues after stop(). Returns the timer.
   function Timer:resume()
      if self._stopped then
         self._stopped = false
         self._real, self._user, self._sys = now()
      end
      return self
   end

   function Timer:__tostring__()
      return ('torch.Timer [status: %s]'):format(self._stopped and 'stopped' or 'running')
   end

   -- A time of this process means nothing in another, so a timer in a file is loaded as a new one.
   function Timer.write() end
   function Timer:read()
      self._stopped = false
      self:reset()
   end
   arg.guard_class(Timer, 'a torch.Timer')
end

return M
