-- lua/threads/init.lua - the package threads: pools of threads with separate Lua states, and objects that they share.
local torch = require 'torch'
local arg = require 'torch.arg'
local worker = require 'torch.worker'
local sync = require 'threads.sync'

local threads = { Mutex = sync.Mutex, Condition = sync.Condition, AtomicCounter = sync.AtomicCounter }

threads.Threads = require 'threads.threads'
threads.Queue = require 'threads.queue'
threads.safe = require 'threads.safe'
threads.serialization = threads.Threads.serialization

-- ---- Thread -----------------------------------------------------------------------------------------------------------------


--- threads.Thread(code): A thread that runs the text `code` in a separate Lua state.
local Thread = torch.class('threads.Thread', threads)
Thread.__stays = true
Thread.running = {}

function Thread:__init(code)
   if type(code) ~= 'string' then arg.refuse('threads.Thread', 'code', 'a string', code, 3) end
   self.worker = worker.new 'threads.serve'
   self.worker:ask('run', code)
   Thread.running[self.worker] = true                         -- keeps it from the collector
end

--- threads.Thread:free(): Waits for the end of the thread. An error of its code is raised here.
function Thread:free()
   local w = self.worker
   if not w then return end
   local ok, why = pcall(w.wait, w)
   if not ok and tostring(why):find 'interrupted' then error(why, 0) end
   self.worker, Thread.running[w] = nil, nil
   w:close()
   if not ok then error(why, 0) end
end

function Thread:__tostring__() return 'threads.Thread' .. (self.worker and '' or ' <freed>') end

--- threads(n, [init...]): The same as threads.Threads.
return setmetatable(threads, { __call = function(_, ...) return threads.Threads(...) end })
