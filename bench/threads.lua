-- bench/threads.lua - microseconds for a job of threads.Threads and its callback, there and back.
--    th bench/threads.lua
local torch = require 'torch'
local threads = require 'threads'

local JOBS, ROUNDS = 2000, 7

-- The best of several rounds, in microseconds for one job.
local function best(pool, round)
   local least = math.huge
   for _ = 1, ROUNDS do
      local timer = torch.Timer()
      round(pool)
      least = math.min(least, timer:time().real / JOBS * 1e6)
   end
   return least
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

local function tensors(pool)
   local x = torch.FloatTensor(3, 32, 32)
   for _ = 1, JOBS do
      pool:addjob(function(t) return t end, function(_) end, x)
   end
   pool:synchronize()
end

for _, name in ipairs { 'threads.serialize', 'threads.sharedserialize' } do
   threads.serialization(name)
   for _, n in ipairs { 1, 2, 4 } do
      local pool = threads.Threads(n, function() require 'torch' end)
      print(('%-24s %d threads: %5.1f us a job in a stream, %5.1f us one by one, %5.1f us with a tensor of 3x32x32'):format(
         name, n, best(pool, stream), best(pool, one_by_one), best(pool, tensors)))
      pool:terminate()
   end
end
