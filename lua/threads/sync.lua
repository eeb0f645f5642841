-- lua/threads/sync.lua - mutexes, conditions and counters that the threads of a process share.
local ffi = require 'ffi'
local torch = require 'torch'
local lib = require 'torch.lib'
local arg = require 'torch.arg'
require 'torch.parcel'                      -- declares th_worker.h
local C = lib.C

local M = {}

local SLICE = 0.2                           -- seconds between checks for Ctrl-C

-- ---- references -------------------------------------------------------------------------------------------------------------

local release = lib.finalizer(function(o) C.th_sync_release(o) end)

--- The object with a reference that the collector releases.
function M.counted(o) return lib.own(ffi.gc(o, release)) end

--- A new C object of a kind. As in Torch7 it lives until free is called, because other threads may have only its number.
function M.make(kind)
   local o = C.th_sync_new(kind)
   if o == nil then error('threads: no memory left', 3) end
   return o
end

--- The C object of a kind with a number, with a reference that the collector releases.
function M.find(who, kind, id)
   if type(id) ~= 'number' then arg.refuse(who, 'id', 'a number', id, 4) end
   local o = C.th_sync_find(kind, id)
   if o == nil then error(('%s: there is none with the number %s, it may have been freed'):format(who, id), 4) end
   return M.counted(o)
end

--- The C object of a handle.
local function open(self, who)
   local o = rawget(self, 'o')
   if o == nil then error(who .. ': it has been freed', 3) end
   return o
end

-- The methods that all these classes have.
local function define(name, kind)
   local class = torch.class('threads.' .. name, M)
   local who = 'threads.' .. name

   function class:__init(id)
      self.o = id == nil and M.make(kind) or M.find(who, kind, id)
      self.owner = id == nil
   end

   --- threads.Mutex:id(), threads.Condition:id(), threads.AtomicCounter:id(): The number with which other threads
   -- open it, as `threads.Mutex(id)`.
   function class:id() return C.th_sync_id(open(self, who .. ':id')) end

   --- threads.Mutex:free(), threads.Condition:free(), threads.AtomicCounter:free(): Releases the reference. The object lives
   -- until all handles are gone.
   function class:free()
      local o = open(self, who .. ':free')
      self.o = nil
      C.th_sync_release(self.owner and o or ffi.gc(o, nil))
   end

   function class:__tostring__()
      local o = rawget(self, 'o')
      return ('%s <%s>'):format(who, o ~= nil and ('%x'):format(C.th_sync_id(o)) or 'freed')
   end

   function class:__eq__(other)
      return torch.typename(other) == who and open(self, who) == open(other, who)
   end

   -- A handle is sent to another thread as its number, with a reference for the receiver.
   function class:__send()
      local o = open(self, who)
      C.th_sync_retain(o)
      return C.th_sync_id(o)
   end

   function class.__receive(id)
      local handle = M[name](id)
      C.th_sync_release(handle.o)
      return handle
   end
   return class, who
end

-- ---- Mutex ------------------------------------------------------------------------------------------------------------------

--- threads.Mutex([id]): A lock that one thread holds at a time: a new one, or the one with a number, made by another thread.
local Mutex = define('Mutex', C.TH_SYNC_MUTEX)

--- Waits until no other thread holds the mutex, and locks it.
function Mutex:lock()
   local o = open(self, 'threads.Mutex:lock')
   local state
   repeat state = C.th_sync_lock(o, SLICE) until state ~= C.TH_SYNC_BUSY
   if state == C.TH_SYNC_MINE then error('threads.Mutex:lock: this thread holds it already', 2) end
   if state == C.TH_SYNC_ORPHAN then
      C.th_sync_unlock(o)
      error('threads.Mutex:lock: the thread that held it has ended', 2)
   end
end
jit.off(Mutex.lock)                         -- compiled code would not see Ctrl-C

--- Unlocks the mutex; this thread must have locked it.
function Mutex:unlock()
   if C.th_sync_unlock(open(self, 'threads.Mutex:unlock')) ~= 0 then
      error('threads.Mutex:unlock: this thread does not hold it', 2)
   end
end

-- ---- Condition --------------------------------------------------------------------------------------------------------------

--- threads.Condition([id]): Threads wait for a condition until another one signals it. A new one, or the one with a number.
local Condition = define('Condition', C.TH_SYNC_CONDITION)

--- Unlocks the mutex, waits for a signal, and locks the mutex again. Wake-ups may be spurious, so test what you wait for.
function Condition:wait(mutex)
   local o = open(self, 'threads.Condition:wait')
   if torch.typename(mutex) ~= 'threads.Mutex' then arg.refuse('threads.Condition:wait', 'mutex', 'a threads.Mutex', mutex) end
   local ticket = C.th_sync_ticket(o)
   mutex:unlock()
   local ok, why = pcall(function()
      while C.th_sync_await(o, ticket, SLICE) == 0 do end
   end)
   if not ok then C.th_sync_signal(o, 1) end                  -- else the ticket would take the signal of another thread
   mutex:lock()
   if not ok then error(why, 0) end
end
jit.off(Condition.wait, true)

--- Wakes one waiting thread.
function Condition:signal() C.th_sync_signal(open(self, 'threads.Condition:signal'), 0) end

--- Wakes all waiting threads.
function Condition:broadcast() C.th_sync_signal(open(self, 'threads.Condition:broadcast'), 1) end

-- ---- AtomicCounter ----------------------------------------------------------------------------------------------------------

--- threads.AtomicCounter([id]): A whole number that threads change atomically: a new one, 0, or the one with a number.
-- threads = require 'threads'; c = threads.AtomicCounter(); c:inc(2); c:get() --> 2
local Counter = define('AtomicCounter', C.TH_SYNC_COUNTER)

local function whole(n, who)
   if type(n) ~= 'number' or n ~= math.floor(n) or math.abs(n) > 2 ^ 53 then arg.refuse(who, 'n', 'a whole number', n, 3) end
   return n
end

--- Adds n, or 1. Returns the old number.
function Counter:inc(n)
   return tonumber(C.th_sync_add(open(self, 'threads.AtomicCounter:inc'), whole(n or 1, 'threads.AtomicCounter:inc')))
end

--- Subtracts n, or 1. Returns the old number.
function Counter:dec(n)
   return tonumber(C.th_sync_add(open(self, 'threads.AtomicCounter:dec'), -whole(n or 1, 'threads.AtomicCounter:dec')))
end

--- The number.
function Counter:get() return tonumber(C.th_sync_add(open(self, 'threads.AtomicCounter:get'), 0)) end

--- Sets the number.
function Counter:set(n) C.th_sync_set(open(self, 'threads.AtomicCounter:set'), whole(n, 'threads.AtomicCounter:set')) end

return M
