-- lua/threads/queue.lua - threads.Queue: a queue of functions and their arguments between threads.
local ffi = require 'ffi'
local torch = require 'torch'
local lib = require 'torch.lib'
local arg = require 'torch.arg'
local parcel = require 'torch.parcel'
local sync = require 'threads.sync'
local transport = require 'threads.transport'
local C = lib.C

local SLICE = 0.2                           -- seconds between checks for Ctrl-C
local home = {}

--- threads.Queue(size, serialization), threads.Queue(id): A queue with room for `size` jobs, or the queue with that
-- number, made by another thread. `queue.isempty` and `queue.isfull` are 1 or 0, `queue.size` is the room.
-- @param serialization  'threads.serialize' or 'threads.sharedserialize'
-- Queue = require 'threads.queue'; q = Queue(2, 'threads.serialize'); q:addjob(math.max, 3, 4); q:dojob() --> 4
local Queue = torch.class('threads.Queue', home)

local names = { [0] = 'threads.serialize', 'threads.sharedserialize' }

function Queue:__init(size, serialization)
   local room
   if serialization == nil then
      rawset(self, 'o', sync.find('threads.Queue', C.TH_SYNC_QUEUE, size))
      local number = tonumber(C.th_sync_add(self.o, 0))       -- set by the maker, below
      room, serialization = math.floor(number / 2), names[number % 2]
   else
      room = arg.whole('threads.Queue', 'size', size)
      if size < 1 or size > 2 ^ 31 then arg.refuse('threads.Queue', 'size', 'a positive number', size) end
      if serialization ~= names[0] and serialization ~= names[1] then
         arg.refuse('threads.Queue', 'serialization', "'threads.serialize' or 'threads.sharedserialize'", serialization)
      end
      rawset(self, 'o', sync.counted(sync.make(C.TH_SYNC_QUEUE)))
      C.th_sync_set(self.o, 2 * room + (serialization == names[1] and 1 or 0))
   end
   rawset(self, 'size', room)
   rawset(self, 'serialize', serialization)
end

function Queue:__index__(key)
   local o = rawget(self, 'o')
   if key == 'isempty' then return C.th_sync_size(o, 0) == 0 and 1 or 0, true end
   if key == 'isfull' then return C.th_sync_size(o, 0) >= self.size and 1 or 0, true end
end

--- threads.Queue:id(): The number with which other threads open the queue.
function Queue:id() return C.th_sync_id(self.o) end

--- threads.Queue:addjob(func, ...): Adds a call of a function. Waits while the queue is full.
function Queue:addjob(func, ...)
   if type(func) ~= 'function' then arg.refuse('threads.Queue:addjob', 'func', 'a function', func) end
   local text = transport.pack(self.serialize, func, ...)
   local state
   repeat state = C.th_sync_put(self.o, 0, 0, text, #text, self.size, SLICE) until state ~= C.TH_SYNC_LATE
   if state ~= C.TH_SYNC_DONE then
      parcel.drop(text)
      error('threads.Queue:addjob: ' .. (state == C.TH_SYNC_CLOSED and 'the queue is closed' or 'no memory left'), 2)
   end
end
jit.off(Queue.addjob)                       -- compiled code would not see Ctrl-C

--- threads.Queue:dojob(): Takes the oldest call, makes it, and returns its results. Waits while the queue is empty.
function Queue:dojob()
   local message
   repeat
      message = C.th_sync_take(self.o, 0, SLICE)
      if message == nil and C.th_sync_closed(self.o) ~= 0 then error('threads.Queue:dojob: the queue is closed', 2) end
   until message ~= nil
   local text = ffi.string(message.bytes, message.size)
   C.th_sync_free(message)
   local values, n = transport.unpack(self.serialize, text)
   return values[1](unpack(values, 2, n))
end
jit.off(Queue.dojob)

--- threads.Queue:retain(), threads.Queue:free(): Accepted for old programs: the queue lives until no thread has a handle.
function Queue.retain() end
function Queue.free() end

function Queue:__send()
   C.th_sync_retain(self.o)
   return C.th_sync_id(self.o)
end

function Queue.__receive(id)
   local queue = home.Queue(id)
   C.th_sync_release(queue.o)
   return queue
end

return home.Queue
