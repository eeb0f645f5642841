-- lua/threads/threads.lua - threads.Threads: a pool of threads with separate Lua states that take jobs from one queue.
--
-- Jobs and results go through queues in C (lib/core/sync.c), so idle threads take the next job while the main thread computes.
-- The number of unfinished jobs follows from the counts of these queues, which Ctrl-C cannot leave wrong.
local ffi = require 'ffi'
local torch = require 'torch'
local lib = require 'torch.lib'
local arg = require 'torch.arg'
local parcel = require 'torch.parcel'
local worker = require 'torch.worker'
local sync = require 'threads.sync'
local transport = require 'threads.transport'
local trail = require 'threads.serve'.trail
local C = lib.C

local SLICE, GRACE = 0.05, 0.1              -- seconds between checks of the threads; for their end when the collector waits
local PATIENCE = 0.2                        -- seconds that addjob waits for room before it calls callbacks
local MOST = 1024                           -- threads of a pool
local home = {}

--- threads.Threads(n, [init...]): A pool of n threads. Each calls the functions `init` with its number,
-- in order. Returns the pool, and for every thread a list of the results of the last function.
-- p = require 'threads'.Threads(1); p:addjob(function() return 6 end, function(v) r = v end); p:terminate(); r --> 6
local new
local Threads = torch.newmetatable('threads.Threads', nil, function(...) return new(...) end, nil, nil, home)
Threads.__stays = true

local serialization = 'threads.serialize'

--- threads.Threads:serialization([name]), threads.serialization([name]): How later pools send values to their
-- threads: 'threads.serialize' copies them; 'threads.sharedserialize' shares tensors,
-- storages and tds objects. Without a name: the current one.
-- threads = require 'threads'; threads.serialization() --> threads.serialize
function Threads.serialization(name)
   if name == nil then return serialization end
   serialization = transport.check('threads.serialization', name)
end

-- ---- the threads and queues of a pool ---------------------------------------------------------------------------------------

local cores = {}                            -- pools that have not been terminated: number of the sentinel -> core
local made = 0

local function drop(message)
   local text = message.size >= 0 and ffi.string(message.bytes, message.size)
   C.th_sync_free(message)
   if text then parcel.drop(text) end
end

local function abandon(queue)
   if not queue then return end
   repeat
      local message = C.th_sync_rest(queue, 0)
      if message ~= nil then drop(message) end
   until message == nil
   C.th_sync_release(queue)
end

-- Ends the threads. Jobs that have not started are dropped.
local function shut(core, patience)
   if not cores[core.number] then return end
   cores[core.number] = nil
   if core.jobs then C.th_sync_close(core.jobs) end
   worker.close(core.workers, patience)
   abandon(core.jobs)
   abandon(core.results)
   core.jobs, core.results = nil, nil
   for _, doing in ipairs(core.doing) do C.th_sync_release(doing) end
end

local function start(n)
   made = made + 1
   local core = { number = made, n = n, workers = {}, doing = {}, callbacks = {}, dead = {}, alive = n, asked = 0, lost = 0,
      name = serialization }
   cores[made] = core
   local ok, why = pcall(function()
      core.jobs = sync.make(C.TH_SYNC_QUEUE)
      core.results = sync.make(C.TH_SYNC_QUEUE)
      for i = 1, n do
         core.doing[i] = sync.make(C.TH_SYNC_COUNTER)
         core.workers[i] = worker.new('threads.serve', 1, core.jobs)
         core.workers[i]:ask('serve', i, core.name, C.th_sync_id(core.jobs), C.th_sync_id(core.results),
            C.th_sync_id(core.doing[i]))
      end
   end)
   if not ok then
      shut(core)
      error(why, 0)
   end
   return core
end

-- The number of jobs whose results have not been taken.
local function underway(core)
   return tonumber(C.th_sync_count(core.jobs, 0) - C.th_sync_count(core.results, 1)) - core.lost
end

local function forget(core, number)
   core.callbacks[number] = nil
   core.lost = core.lost + 1
end

-- Removes jobs from the queue if no thread is left for them.
local function forget_queued(core, to)
   repeat
      local message = C.th_sync_rest(core.jobs, to)
      if message ~= nil then
         forget(core, tonumber(message.tag))
         drop(message)
      end
   until message == nil
end

-- An error text if a thread has ended since the last check.
local function find_dead(core)
   for i, w in ipairs(core.workers) do
      if not core.dead[i] and w:idle() then
         core.dead[i], core.alive = true, core.alive - 1
         local number = tonumber(C.th_sync_add(core.doing[i], 0))
         if number ~= 0 then forget(core, number) end
         local _, why = pcall(w.alive(w) and w.wait or error, w)
         forget_queued(core, core.alive == 0 and 0 or i)
         return ('[thread %d callback] %s'):format(i, type(why) == 'string' and why or 'its thread has ended')
      end
   end
end

-- The number of a job, its thread, and its result as a text, or false if the thread had no memory for the result.
local function take(results)
   local message = C.th_sync_take(results, 0, SLICE)
   if message == nil then return nil end
   local number, id, text = tonumber(message.tag), message.to, message.size >= 0 and ffi.string(message.bytes, message.size)
   C.th_sync_free(message)
   return number, id, text
end

-- Waits for a result. Without one: nil and an error text.
local function receive(core)
   while true do
      local number, id, text = take(core.results)
      if number then return number, id, text end
      local failure = find_dead(core)
      if failure then return nil, failure end
      if C.th_sync_closed(core.results) ~= 0 then return nil, 'the threads of this pool belong to another process' end
      if underway(core) <= 0 then return nil end
   end
end
jit.off(receive)                            -- compiled code would not see Ctrl-C

-- ---- pools ------------------------------------------------------------------------------------------------------------------

local function need_running(self, who)
   if not self.core then error(('threads.Threads:%s: the threads have been terminated'):format(who), 3) end
   return self.core
end

-- Whether there are so many results that addjob calls their callbacks first.
local function overfull(core) return C.th_sync_size(core.results, 0) >= 2 * core.n end

-- A job as the text for a thread, and its number.
local function packed(core, keep, func, callback, ...)
   local text = transport.pack(core.name, keep, func, ...)
   core.asked = core.asked + 1
   core.callbacks[core.asked] = callback
   return text, core.asked
end

local refusals = { [tonumber(C.TH_SYNC_CLOSED)] = 'the threads of this pool belong to another process',
   [tonumber(C.TH_SYNC_FULL_MEMORY)] = 'no memory left' }

-- Puts a job into the queue. Returns false if there was no room in time.
local function put(core, id, text, number, room)
   local state = C.th_sync_put(core.jobs, id, number, text, #text, room, PATIENCE)
   if not refusals[state] then return state == C.TH_SYNC_DONE end
   core.callbacks[number] = nil
   parcel.drop(text)
   error(refusals[state], 0)
end

-- Waits for a result and calls its callback. Returns the text of an error.
local function step(self)
   local core = self.core
   local number, id, text = receive(core)
   if not number then return id end
   local callback = core.callbacks[number]
   core.callbacks[number] = nil
   if not text then return ('[thread %d callback] no memory left for the results of the job'):format(id) end
   local ok, values, n = pcall(transport.unpack, core.name, text)
   if not ok then return ('[thread %d callback] %s'):format(id, values) end
   if not values[1] then return ('[thread %d callback] %s'):format(id, values[2]) end
   if not callback then return end
   self.inside = self.inside + 1
   local why
   ok, why = xpcall(callback, trail, unpack(values, 2, n))
   self.inside = self.inside - 1
   if not ok then return ('[thread %d endcallback] %s'):format(id, why) end
end

local function fail(self, text)
   self.errors = true
   error(text, 0)
end

-- The first error text that synchronize or dojob has yet to raise.
local function pending(self) return table.remove(self.failures, 1) end

-- The number of a thread, in specific mode.
local function need_id(self, who, id)
   if type(id) ~= 'number' or id ~= math.floor(id) or id < 1 or id > self.N then
      arg.refuse('threads.Threads:' .. who, 'id', ('the number of a thread, 1 to %d'):format(self.N), id, 4)
   end
   return id
end

-- Calls the init functions in every thread. Returns the results of the last ones.
local function initialize(self, inits)
   local core, results = self.core, {}
   for i = 1, self.N do
      results[i] = {}
      for k, init in ipairs(inits) do
         local text, number = packed(core, true, init, k == #inits and function(...) results[i] = { ... } end or nil, i)
         put(core, i, text, number, 0)
      end
   end
   local first
   while underway(core) > 0 do
      local failure = step(self)
      first = first or failure
   end
   if first then error((first:gsub('^(%[thread %d+) callback%]', '%1 init]')), 0) end
   return results
end

-- A userdata that frees the contents of a pool's queues when the collector finds it. It may also end the threads; at the end of
-- a script torch.worker has ended them before. No function that it calls has a `pairs` loop: doc/internals/luajit.md.
local function sentinel(number)
   local it = newproxy(true)
   getmetatable(it).__gc = function()
      if cores[number] then shut(cores[number], GRACE) end
   end
   return it
end

function new(n, ...)
   if type(n) ~= 'number' or n ~= math.floor(n) or n < 1 or n > MOST then
      arg.refuse('threads.Threads', 'n', ('a number of threads, 1 to %d'):format(MOST), n, 3)
   end
   local inits = { ... }
   for i = 1, select('#', ...) do
      if type(inits[i]) ~= 'function' then arg.refuse('threads.Threads', 'init ' .. i, 'a function', inits[i], 3) end
   end
   local self = torch.factory 'threads.Threads'()
   self.N, self.core, self.inside, self.failures, self.errors, self.isspecific = n, start(n), 0, {}, false, false
   self.sentinel = sentinel(self.core.number)
   local ok, results = pcall(initialize, self, inits)
   if ok then return self, results end
   shut(self.core)
   self.core = nil
   error(results, 0)
end

-- Keeps the text of an error for the next dojob or synchronize.
local function keep(self, failure)
   if failure then self.failures[#self.failures + 1] = failure end
end

local function need_alive(self, core, id, level)
   if core.alive == 0 then fail(self, pending(self) or 'threads.Threads:addjob: all threads have ended') end
   if id > 0 and core.dead[id] then error(('threads.Threads:addjob: thread %d has ended'):format(id), level) end
end

-- Threads may have ended while addjob waited, and callbacks may have terminated the pool.
local function need_place(self, core, id, text, number)
   local ok, why = pcall(function()
      need_running(self, 'addjob')
      need_alive(self, core, id, 0)
   end)
   if ok then return end
   core.callbacks[number] = nil
   parcel.drop(text)
   error(why, 0)
end

--- Adds a job: a thread calls the function with the arguments. If the pool is full, waits for
-- room. If there are many results, calls their callbacks.
-- @param id        the number of the thread: in specific mode, and only there
-- @param callback  the function that the thread calls
-- @param endcallback  a function that dojob and synchronize call here with the results (optional; arguments follow it)
function Threads:addjob(...)
   local callback, endcallback, third = ...
   local core = need_running(self, 'addjob')
   local id, first = 0, 1
   if self.isspecific then
      id, first = need_id(self, 'addjob', callback), 2
      callback, endcallback = endcallback, third
   end
   if type(callback) ~= 'function' then arg.refuse('threads.Threads:addjob', 'callback', 'a function', callback) end
   if type(endcallback) ~= 'nil' and type(endcallback) ~= 'function' then
      arg.refuse('threads.Threads:addjob', 'endcallback', 'a function', endcallback)
   end
   need_alive(self, core, id, 3)
   local text, number = packed(core, false, callback, endcallback, select(first + 2, ...))
   while self.inside == 0 and overfull(core) do
      keep(self, step(self))
      need_place(self, core, id, text, number)
   end
   -- Callbacks may add any number of jobs: if those waited here, callbacks would nest.
   while not put(core, id, text, number, self.inside == 0 and self.N or 0) do
      local stuck = C.th_sync_size(core.jobs, id) >= self.N and C.th_sync_size(core.results, 0) > 0
      local failure
      if stuck then failure = step(self) else failure = find_dead(core) end
      keep(self, failure)
      need_place(self, core, id, text, number)
   end
end
jit.off(Threads.addjob)                     -- compiled code would not see Ctrl-C

--- Waits for the result of one job and calls its callback. Raises the error of the job or of the callback.
function Threads:dojob()
   need_running(self, 'dojob')
   self.errors = false
   local failure = pending(self) or underway(self.core) > 0 and step(self)
   if failure then fail(self, failure) end
end

--- Waits for the results of all jobs and calls their callbacks. An error is raised immediately; the next call does the rest.
function Threads:synchronize()
   if not self.core then return end
   self.errors = false
   local failure = pending(self)
   while not failure and self.core and underway(self.core) > 0 do failure = step(self) end
   if failure then fail(self, failure) end
end

--- Switches specific mode, in which addjob names the thread, on or off, after a call of synchronize.
-- Without an argument: whether it is on.
function Threads:specific(flag)
   need_running(self, 'specific')
   if flag == nil then return self.isspecific end
   if type(flag) ~= 'boolean' then arg.refuse('threads.Threads:specific', 'flag', 'true or false', flag) end
   self:synchronize()
   self.isspecific = flag
end

--- Whether addjob, for a thread in specific mode, would find room without waiting.
function Threads:acceptsjob(id)
   local core = need_running(self, 'acceptsjob')
   id = self.isspecific and need_id(self, 'acceptsjob', id) or 0
   return C.th_sync_size(core.jobs, id) < core.n and not overfull(core)
end

--- Whether there are jobs whose results have not been taken.
function Threads:hasjob()
   return #self.failures > 0 or underway(need_running(self, 'hasjob')) > 0
end

--- Whether the last dojob or synchronize, or an addjob since, met an error.
function Threads:haserror() return self.errors or #self.failures > 0 end

--- Whether the pool has not been terminated.
function Threads:isrunning() return self.core ~= nil end

--- Waits for all jobs, calls their callbacks, and ends the threads. The first error is raised when the threads have ended.
function Threads:terminate()
   if not self.core then return end
   local first = pending(self)
   while self.core and underway(self.core) > 0 do
      local failure = step(self)
      first = first or failure
   end
   local core = self.core
   self.core, self.failures = nil, {}
   if core then shut(core) end
   if first then fail(self, first) end
end

function Threads:__tostring__()
   return ('threads.Threads <%d threads%s>'):format(self.N, self.core and '' or ', terminated')
end

return home.Threads
