-- test/support/pools.lua - pools of threads that specs start, which end with the test.
local threads = require 'threads'

local pools = {}

local started = setmetatable({}, { __mode = 'v' })        -- a spec may want to see what the collector does with one

--- A pool that `finish` ends, and what its start functions returned.
function pools.new(...)
   local pool, results = threads.Threads(...)
   started[#started + 1] = pool
   return pool, results
end

--- For after_each: ends the pools.
function pools.finish()
   threads.serialization 'threads.serialize'
   for _, pool in pairs(started) do pcall(pool.terminate, pool) end
   started = setmetatable({}, { __mode = 'v' })
end

--- The results of a job, and their number as `n`.
function pools.result(pool, f, ...)
   local r
   pool:addjob(f, function(...) r = { n = select('#', ...), ... } end, ...)
   pool:synchronize()
   return r
end

return pools
