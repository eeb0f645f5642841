-- lua/xlua/Profiler.lua - named stopwatches.
--
--    p = xlua.Profiler()
--    p:start 'forward'   ...   p:lap 'forward'
--    p:printAll()
local ffi = require 'ffi'
local C = require 'torch.lib'.C

local Profiler = {}
Profiler.__index = Profiler

local seconds = ffi.new 'double[3]'

local function now()
   C.th_clock(seconds)
   return { real = seconds[0], cpu = seconds[1] + seconds[2] }
end

local function entry(self, name, who)
   if type(name) ~= 'string' then error(('Profiler:%s: name must be a string, got %s'):format(who, type(name)), 3) end
   local e = self.entries[name]
   if not e then
      e = { real = 0, cpu = 0, laps = 0 }
      self.entries[name] = e
      self.order[#self.order + 1] = name
   end
   return e
end

--- Starts a stopwatch, or starts it again.
function Profiler:start(name) entry(self, name, 'start').started = now() end

--- Adds the time since start() and stops. @return the times of this lap
function Profiler:lap(name)
   local e = entry(self, name, 'lap')
   if not e.started then error(('Profiler:lap: %s was not started'):format(name), 2) end
   local t = now()
   local lap = { real = t.real - e.started.real, cpu = t.cpu - e.started.cpu }
   e.real, e.cpu, e.laps, e.started = e.real + lap.real, e.cpu + lap.cpu, e.laps + 1, nil
   if self.verbose then self:print(name) end
   return lap
end

function Profiler:reset(name)
   local e = entry(self, name, 'reset')
   e.real, e.cpu, e.laps, e.started = 0, 0, 0, nil
end

function Profiler:cpu(name) return entry(self, name, 'cpu').cpu end       --- processor seconds
function Profiler:real(name) return entry(self, name, 'real').real end    --- seconds of the clock on the wall

function Profiler:print(name)
   local e = entry(self, name, 'print')
   print(('$ %-20s %10.6f s real, %10.6f s processor, %d laps'):format(name, e.real, e.cpu, e.laps))
end

function Profiler:printAll()
   for _, name in ipairs(self.order) do self:print(name) end
end

--- @param mode     accepted for old scripts: real and processor time are both measured
--- @param verbose  true: every lap is printed
return function(mode, verbose)
   return setmetatable({ mode = mode, verbose = verbose, entries = {}, order = {} }, Profiler)
end
