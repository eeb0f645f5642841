-- torch.timeit - how long a function takes: rounds of many runs, their mean and standard deviation.
local ffi = require 'ffi'
local columns = require 'torch.columns'
local C = require 'torch.lib'.C

local M = {}

local ROUNDS, FEW = 7, 3                     -- FEW where a single run takes over SLOW seconds
local SLOW, ROUND = 1, 0.1                   -- ROUND: the least seconds of a round

local clock = ffi.new 'double[3]'
local function now()
   C.th_clock(clock)
   return clock[0]
end

-- Waits for a device's kernels, which run beside the program.
local function wait()
   local cutorch = package.loaded.cutorch
   if cutorch and cutorch.getDeviceCount() > 0 then cutorch.synchronize() end
end

-- Seconds of n runs.
local function round(f, n)
   wait()
   local start = now()
   for _ = 1, n do f() end
   wait()
   return now() - start
end

-- The number of runs of a round, 1, 2 or 5 times a power of ten, and the seconds of the last try.
local function runs_of(f)
   local power = 1
   while true do
      for _, k in ipairs { 1, 2, 5 } do
         local took = round(f, k * power)
         if took >= ROUND or power >= 1e9 then return k * power, took end
      end
      power = power * 10
   end
end

--- Runs f many times.
-- @return a table: mean and deviation (seconds of a run; the deviation is that of the means of
--         the rounds), rounds, runs (of a round)
function M.measure(f)
   f()                                        -- loads and allocates what later runs find
   local runs, first = runs_of(f)
   local rounds = runs == 1 and first > SLOW and FEW or ROUNDS
   local sum, squares = 0, 0
   local means = { first / runs }
   for k = 2, rounds do means[k] = round(f, runs) / runs end
   for _, t in ipairs(means) do sum = sum + t end
   local mean = sum / rounds
   for _, t in ipairs(means) do squares = squares + (t - mean) ^ 2 end
   local deviation = math.sqrt(squares / (rounds - 1))
   return { mean = mean, deviation = deviation, rounds = rounds, runs = runs }
end

local UNITS = { { 1, 's' }, { 1e-3, 'ms' }, { 1e-6, 'µs' }, { 1e-9, 'ns' } }

--- The times of a torch.Timer that has run once: '0.012345 s, processors 0.024001 s'
function M.once(timer)
   local took = timer:time()
   return ('%.6f s, processors %.6f s'):format(took.real, took.user + took.sys)
end

--- '12.3 µs ± 0.4 µs (7 rounds of 10,000)'
function M.text(result)
   local unit = UNITS[#UNITS]
   for k = #UNITS, 1, -1 do
      if result.mean >= UNITS[k][1] * 0.9995 then unit = UNITS[k] end
   end
   local mean = result.mean / unit[1]
   local form = mean >= 99.95 and '%.0f %s' or mean >= 9.995 and '%.1f %s' or '%.2f %s'
   return ('%s ± %s (%d rounds of %s)'):format(form:format(mean, unit[2]),
      form:format(result.deviation / unit[1], unit[2]), result.rounds,
      columns.grouped(result.runs))
end

return M
