-- bench/threads.lua - microseconds for the round trip of a job of threads.Threads and its callback, and for a message alone.
--    th bench/threads.lua
--
-- A round has few jobs, so that it fits between two time slices of other processes. Its minimum is therefore that of an idle
-- machine.
local torch = require 'torch'
local threads = require 'threads'
local sync = require 'threads.sync'
local C = require 'torch.lib'.C

local JOBS, ROUNDS = 50, 400

-- The minimum and the median of the rounds, in microseconds per job.
local function measure(round, ...)
   local all = {}
   for k = 1, ROUNDS do
      local timer = torch.Timer()
      round(...)
      all[k] = timer:time().real / JOBS * 1e6
   end
   table.sort(all)
   return ('%5.1f (%5.1f)'):format(all[1], all[ROUNDS / 2])
end

local function stream(pool)
   local n = 0
   for i = 1, JOBS do
      pool:addjob(function() return i end, function(r) n = n + r end)
   end
   pool:synchronize()
   assert(n == JOBS * (JOBS + 1) / 2)
end

local function one_by_one(pool)
   local n = 0
   for i = 1, JOBS do
      pool:addjob(function() return i end, function(r) n = n + r end)
      pool:synchronize()
   end
   assert(n == JOBS * (JOBS + 1) / 2)
end

local x = torch.FloatTensor(3, 32, 32)
local function tensors(pool)
   for _ = 1, JOBS do
      pool:addjob(function(t) return t end, function(_) end, x)
   end
   pool:synchronize()
end

-- The limit: a byte is sent to a thread and back, which takes a futex wake and a context switch each way.
local function messages(there, back)
   for _ = 1, JOBS do
      C.th_sync_put(there, 0, 0, 'x', 1, 0, 0)
      local message
      repeat message = C.th_sync_take(back, 0, 1) until message ~= nil
      C.th_sync_free(message)
   end
end

print(('least, and in brackets median, of %d rounds of %d jobs, in microseconds for one job'):format(ROUNDS, JOBS))
local there, back = sync.make(C.TH_SYNC_QUEUE), sync.make(C.TH_SYNC_QUEUE)
local echo = threads.Thread(([[
   local sync, C = require 'threads.sync', require 'torch.lib'.C
   local there, back = sync.find('bench', C.TH_SYNC_QUEUE, %d), sync.find('bench', C.TH_SYNC_QUEUE, %d)
   while C.th_sync_closed(there) == 0 do
      local message = C.th_sync_take(there, 0, 1)
      if message ~= nil then
         C.th_sync_free(message)
         C.th_sync_put(back, 0, 0, 'x', 1, 0, 0)
      end
   end
]]):format(C.th_sync_id(there), C.th_sync_id(back)))
print(('a byte there and back: %s'):format(measure(messages, there, back)))
C.th_sync_close(there)
echo:free()

for _, name in ipairs { 'threads.serialize', 'threads.sharedserialize' } do
   threads.serialization(name)
   for _, n in ipairs { 1, 2, 4, 8 } do
      local pool = threads.Threads(n, function() require 'torch' end)
      print(('%-24s %d threads: in a stream %s, one by one %s, with a tensor of 3x32x32 %s'):format(
         name, n, measure(stream, pool), measure(one_by_one, pool), measure(tensors, pool)))
      pool:terminate()
   end
end
