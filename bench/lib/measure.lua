-- bench/lib/measure.lua - a clock, interleaved medians, and the one form in which results are printed.
local ffi = require 'ffi'

ffi.cdef [[
typedef struct bench_timespec { long seconds, nanoseconds; } bench_timespec;
int clock_gettime(int clock, bench_timespec *t);
int poll(void *none, unsigned long n, int milliseconds);
]]

local measure = {}

local MONOTONIC, PROCESS = 1, 2
local PAUSE = 50                              -- milliseconds; OpenBLAS spins for about half of that
local DOUBT = 0.05                            -- of a ratio's median: above it, more rounds are worth their time
local stamp = ffi.new 'bench_timespec'
local usual = MONOTONIC

-- Seconds of a clock: MONOTONIC, which is never set, or PROCESS, the processor time of this process.
local function now(clock)
   ffi.C.clock_gettime(clock, stamp)
   return tonumber(stamp.seconds) + tonumber(stamp.nanoseconds) * 1e-9
end

local function timed(clock, f, times)
   local from = now(clock)
   for _ = 1, times or 1 do f() end
   return (now(clock) - from) / (times or 1)
end

--- Seconds of one call of f, over `times` calls; with -threads 1 the processor time of this process, which other processes
-- disturb little.
function measure.time(f, times) return timed(usual, f, times) end

--- Wall time in seconds, for work in other processes.
function measure.wall(f, times) return timed(MONOTONIC, f, times) end

--- Processor time of this process in seconds, for work on one thread whatever -threads says.
function measure.work(f, times) return timed(PROCESS, f, times) end

--- Seconds of one call, from a function that measures n calls at once and returns the mean: of the first call if it takes `least`
-- seconds, else of as many calls as take them.
function measure.repeated(seconds_of_calls, least)
   local first = seconds_of_calls(1)
   return first > least and first or seconds_of_calls(math.ceil(least / first))
end

--- Whether measure.time counts the processor time of this process.
function measure.alone() return usual == PROCESS end

function measure.median(list)
   local sorted = {}
   for i, v in ipairs(list) do sorted[i] = v end
   table.sort(sorted)
   local n = #sorted
   return n % 2 == 1 and sorted[(n + 1) / 2] or (sorted[n / 2] + sorted[n / 2 + 1]) / 2
end

-- The relative uncertainty of a median: the interquartile range over the root of the count.
local function doubt(list)
   local sorted = {}
   for i, v in ipairs(list) do sorted[i] = v end
   table.sort(sorted)
   local n = #sorted
   return (sorted[math.ceil(0.75 * n)] - sorted[math.ceil(0.25 * n)]) / (measure.median(sorted) * math.sqrt(n))
end

--- Runs the functions in turn, so that other load affects all of them equally. Each returns the seconds
--- it took. The first round does not count; a pause before each run lets threads of the previous one
--- fall asleep.
--- @param rounds   how often each one runs
--- @param pause    milliseconds (default: 50; 0 where nothing used threads)
--- @param most     rounds that may be added while the ratios scatter, by more than DOUBT (default: none)
--- @return per function the median of its seconds, and the median over the rounds of (first / last)
function measure.interleaved(rounds, functions, pause, most)
   local times, ratios = {}, {}
   for k = 1, #functions do times[k] = {} end
   local round = 0
   while round <= rounds or most and round <= rounds + most and doubt(ratios) > DOUBT do
      for k, f in ipairs(functions) do
         if pause ~= 0 then ffi.C.poll(nil, 0, pause or PAUSE) end
         times[k][round] = f()
      end
      ratios[round] = times[1][round] / times[#functions][round]
      round = round + 1
   end
   local medians = {}
   for k = 1, #functions do medians[k] = measure.median(times[k]) end
   return medians, measure.median(ratios)
end

local ROW = '| %-34s | %-23s | %14s | %14s | %8s | %-7s |'

--- The head of the table.
measure.HEADER = ROW:format('what', 'limit', 'ours', 'peer', 'ratio', '') .. '\n'
   .. '|' .. ('-'):rep(36) .. '|' .. ('-'):rep(25) .. '|' .. ('-'):rep(15) .. ':|' .. ('-'):rep(15) .. ':|'
   .. ('-'):rep(9) .. ':|' .. ('-'):rep(9) .. '|'

--- Prints one result as a row of a table.
-- @param what   what was measured
-- @param limit  the limit, in words
-- @param ours   our figure with its unit
-- @param peer   the peer's figure with its unit, or nil
-- @param ratio  the ratio that `limit` refers to, or nil
-- @param ok     whether the limit is kept; nil without a limit or a peer
function measure.row(what, limit, ours, peer, ratio, ok)
   local verdict = ok == nil and (peer and '' or 'no peer') or ok and 'PASS' or 'behind'
   print(ROW:format(what, limit, ours, peer or '-', ratio and ('%.2f'):format(ratio) or '-', verdict))
   io.stdout:flush()
end

--- A remark below the rows.
function measure.note(...) print('note: ' .. (...):format(select(2, ...))) end

--- Options that every benchmark takes: -peer NAME, -threads N, -rounds N.
-- @param more  others that this one takes, with their defaults (optional)
function measure.options(arguments, more)
   local options, i = { peer = '', threads = 2, rounds = 9 }, 1
   for name, value in pairs(more or {}) do options[name] = value end
   while arguments[i] do
      local name, value = arguments[i]:match '^%-%-?(%a+)$', arguments[i + 1]
      if options[name] == nil or value == nil then
         io.stderr:write('bench: no option ', arguments[i], '; there are -peer NAME, -threads N, -rounds N\n')
         os.exit(2)
      end
      options[name] = type(options[name]) == 'number' and tonumber(value) or value
      i = i + 2
   end
   usual = options.threads == 1 and PROCESS or MONOTONIC
   return options
end

--- The launcher that runs this script, for benchmarks that start processes.
function measure.launcher()
   local i = 0
   while arg and arg[i - 1] do i = i - 1 end
   return arg and i < 0 and arg[i] or 'build/bin/th'
end

return measure
