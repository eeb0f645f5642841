---@meta threads
-- types/threads.lua - written by ./dev docs from the sources; do not edit.

---@class threads
---@overload fun(...): any
local threads = {}

do
--- A whole number that threads change atomically: a new one, 0, or the one with a number.
---
---     threads = require 'threads'; c = threads.AtomicCounter(); c:inc(2); c:get()   --> 2
---@class threads.AtomicCounter
---@field o boolean
---@field owner boolean
local AtomicCounter = {}

--- Subtracts n, or 1.
---@param n? any
---@return any
---@return any ...
function AtomicCounter:dec(n) end

--- Releases the reference.
---@return any
function AtomicCounter:free() end

--- The number.
---@return any
---@return any ...
function AtomicCounter:get() end

--- The number with which other threads open it, as `threads.Mutex(id)`.
---@return any
---@return any ...
function AtomicCounter:id() end

--- Adds n, or 1.
---@param n? any
---@return any
---@return any ...
function AtomicCounter:inc(n) end

--- Sets the number.
---@param n any
---@return any
function AtomicCounter:set(n) end

end

--- A whole number that threads change atomically: a new one, 0, or the one with a number.
---
---     threads = require 'threads'; c = threads.AtomicCounter(); c:inc(2); c:get()   --> 2
---@class threads.AtomicCounter.class: threads.AtomicCounter
---@overload fun(id?: any): threads.AtomicCounter
threads.AtomicCounter = {}

do
--- Threads wait for a condition until another one signals it.
---@class threads.Condition
---@field o boolean
---@field owner boolean
local Condition = {}

--- Wakes all waiting threads.
---@return any
function Condition:broadcast() end

--- Releases the reference.
---@return any
function Condition:free() end

--- The number with which other threads open it, as `threads.Mutex(id)`.
---@return any
---@return any ...
function Condition:id() end

--- Wakes one waiting thread.
---@return any
function Condition:signal() end

--- Unlocks the mutex, waits for a signal, and locks the mutex again.
---@param mutex threads.Mutex
---@return any
function Condition:wait(mutex) end

end

--- Threads wait for a condition until another one signals it.
---@class threads.Condition.class: threads.Condition
---@overload fun(id?: any): threads.Condition
threads.Condition = {}

do
--- A lock that one thread holds at a time: a new one, or the one with a number, made by another thread.
---@class threads.Mutex
---@field o boolean
---@field owner boolean
local Mutex = {}

--- Releases the reference.
---@return any
function Mutex:free() end

--- The number with which other threads open it, as `threads.Mutex(id)`.
---@return any
---@return any ...
function Mutex:id() end

--- Waits until no other thread holds the mutex, and locks it.
---@return any
function Mutex:lock() end

--- Unlocks the mutex; this thread must have locked it.
---@return any
function Mutex:unlock() end

end

--- A lock that one thread holds at a time: a new one, or the one with a number, made by another thread.
---@class threads.Mutex.class: threads.Mutex
---@overload fun(id?: any): threads.Mutex
threads.Mutex = {}

do
--- A queue with room for `size` jobs, or the queue with that number, made by another thread. `queue.isempty` and `queue.isfull` are 1 or 0, `queue.size` is the ...
---
---     Queue = require 'threads.queue'; q = Queue(2, 'threads.serialize'); q:addjob(math.max, 3, 4); q:dojob()   --> 4
---@class threads.Queue
local Queue = {}

--- Adds a call of a function.
---@param func any
---@param ... any
---@return any
function Queue:addjob(func, ...) end

--- Takes the oldest call, makes it, and returns its results.
---@return any
---@return any ...
function Queue:dojob() end

--- Accepted for old programs: the queue lives until no thread has a handle.
---@return any
function Queue:free() end

--- The number with which other threads open the queue.
---@return any
---@return any ...
function Queue:id() end

--- Accepted for old programs: the queue lives until no thread has a handle.
---@return any
function Queue:retain() end

end

--- A queue with room for `size` jobs, or the queue with that number, made by another thread. `queue.isempty` and `queue.isfull` are 1 or 0, `queue.size` is the ...
---
---     Queue = require 'threads.queue'; q = Queue(2, 'threads.serialize'); q:addjob(math.max, 3, 4); q:dojob()   --> 4
---@class threads.Queue.class: threads.Queue
---@overload fun(size: any, serialization: string): threads.Queue
---@overload fun(id: any): threads.Queue
threads.Queue = {}

do
--- A thread that runs the text `code` in a separate Lua state.
---@class threads.Thread
---@field worker any
local Thread = {}

--- Waits for the end of the thread.
---@return any
function Thread:free() end

end

--- A thread that runs the text `code` in a separate Lua state.
---@class threads.Thread.class: threads.Thread
---@overload fun(code: any): threads.Thread
threads.Thread = {}

do
--- A pool of n threads.
---
---     p = require 'threads'.Threads(1); p:addjob(function() return 6 end, function(v) r = v end); p:terminate(); r   --> 6
---@class threads.Threads
local Threads = {}

--- Whether addjob, for a thread in specific mode, would find room without waiting.
---@param id any
---@return boolean
function Threads:acceptsjob(id) end

--- Adds a job: a thread calls the function with the arguments.
---@param ... any
---@return any
function Threads:addjob(...) end

--- Waits for the result of one job and calls its callback.
---@return any
function Threads:dojob() end

--- Whether the last dojob or synchronize, or an addjob since, met an error.
---@return boolean
function Threads:haserror() end

--- Whether there are jobs whose results have not been taken.
---@return boolean
function Threads:hasjob() end

--- Whether the pool has not been terminated.
---@return boolean
function Threads:isrunning() end

--- How later pools send values to their threads: 'threads.serialize' copies them; 'threads.sharedserialize' shares tensors, storages and tds objects.
---
---     threads = require 'threads'; threads.serialization()   --> threads.serialize
---@return any
function Threads:serialization() end

--- Switches specific mode, in which addjob names the thread, on or off, after a call of synchronize.
---@param flag? any
---@return any
function Threads:specific(flag) end

--- Waits for the results of all jobs and calls their callbacks.
---@return any
function Threads:synchronize() end

--- Waits for all jobs, calls their callbacks, and ends the threads.
---@return any
function Threads:terminate() end

end

--- A pool of n threads.
---
---     p = require 'threads'.Threads(1); p:addjob(function() return 6 end, function(v) r = v end); p:terminate(); r   --> 6
---@class threads.Threads.class: threads.Threads
---@overload fun(n: any, ...: any): threads.Threads
threads.Threads = {}

--- A function that locks a mutex, calls func, and unlocks.
---
---     threads = require 'threads'; threads.safe(math.max)(2, 5)   --> 5
---@param func any
---@param mutex? threads.Mutex a threads.Mutex (default: a new one)
---@return function
function threads.safe(func, mutex) end

--- How later pools send values to their threads: 'threads.serialize' copies them; 'threads.sharedserialize' shares tensors, storages and tds objects.
---
---     threads = require 'threads'; threads.serialization()   --> threads.serialize
---@param name? any
---@return any
function threads.serialization(name) end

return threads
