-- test/soak.lua - runs one process for a long time, and checks its results, memory, descriptors and threads.
--    th test/soak.lua [-minutes 60] [-every 60] [-warm 20] [-only train,save,...] [-folder test/soak]
--    th test/soak.lua -rounds 2 [-only ...]     a number of rounds, with checks of results only: test/leaks.lua
--    th test/soak.lua -list                     the activities
--
-- An activity is a file of the folder that returns a function. A round calls each of them once: it trains, saves, restores,
-- raises errors, or starts and ends threads, loaders and jobs. An activity raises an error when a result is wrong. After each
-- round the soak collects garbage and measures. A line a minute shows the last measurement.
--
-- The first quarter of the rounds is the warm-up, but at least -warm of them: programs are compiled and caches fill. Behind it,
-- these must hold, or the status is 1:
--   - No activity failed.
--   - Resident memory grows by at most 4 MiB and 2 % of it, and allocated memory, which is what malloc and Lua hold, by at most
--     1 MiB and 1 %. Before it measures, the soak drops the cache of freed blocks, and malloc gives back what is free between
--     allocated blocks: its heap else stays as large as the largest round has made it. test/support/steady.lua defines growth.
--   - The number of descriptors, of threads and of child processes does not climb, and no file of an activity is left.
local here = debug.getinfo(1, 'S').source:match '^@(.*)/[^/]*$' or '.'
package.path = here .. '/../?.lua;' .. package.path
local ffi = require 'ffi'
local torch = require 'torch'
local paths = require 'paths'
local runs = require 'test.runs'
local steady = require 'test.support.steady'
local worker = require 'torch.worker'
local C = require 'torch.lib'.C

ffi.cdef [[
   typedef struct { size_t arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost; } soak_heap;
   soak_heap mallinfo2(void);
   int64_t th_block_drop(void);
   int malloc_trim(size_t kept);
   int getpagesize(void);
   int setenv(const char *name, const char *value, int overwrite);
]]

local MB = 2 ^ 20
local ACTIVITIES = { 'train', 'save', 'errors', 'memory', 'tables', 'files', 'threads', 'workers', 'loaders', 'ranks' }
local options = { minutes = 60, every = 60, rounds = 0, warm = 20, only = '', folder = here .. '/soak' }

-- ---- options ---------------------------------------------------------------------------------------------------------

local function usage()
   print 'usage: th test/soak.lua [-minutes 60] [-every 60] [-rounds N] [-warm 20] [-only NAME,NAME] [-folder DIR] | -list'
end

local i = 1
while arg[i] do
   local name, value = arg[i]:match '^%-(%a+)$', arg[i + 1]
   if name == 'list' then
      for _, activity in ipairs(ACTIVITIES) do print(activity) end
      os.exit(0)
   elseif name == 'help' then
      usage()
      os.exit(0)
   elseif options[name] == nil or value == nil then
      usage()
      error(('soak: unknown option or missing value: %s'):format(arg[i]), 0)
   end
   if type(options[name]) == 'number' then
      value = tonumber(value)
      if not value or value ~= value or value <= 0 then error(('soak: %s must be a number above 0'):format(arg[i]), 0) end
   end
   options[name] = value
   i = i + 2
end

local names = ACTIVITIES
if options.only ~= '' then
   names = {}
   for name in options.only:gmatch '[^,]+' do names[#names + 1] = name end
end

-- ---- measurement -----------------------------------------------------------------------------------------------------

local function first_line(path)
   local f = io.open(path)
   local line = f and f:read '*l' or ''
   if f then f:close() end
   return line or ''
end

-- The descriptor that lists /proc/self/fd is in it, each time.
local function entries(folder)
   local n = 0
   for _ in paths.files(folder) do n = n + 1 end
   return n - 2                                -- without . and ..
end

local function children()
   local n = 0
   for task in paths.files '/proc/self/task' do
      for _ in first_line('/proc/self/task/' .. task .. '/children'):gmatch '%d+' do n = n + 1 end
   end
   return n
end

-- What is not freed yet is no growth: threads that were asked to end, and what waits for the collector.
local function settle()
   for _ = 1, 50 do
      collectgarbage()
      collectgarbage()
      if worker.late() == 0 then return end
      os.execute 'sleep 0.1'
   end
end

local function resident()
   return tonumber(first_line '/proc/self/statm':match '^%d+ (%d+)') * ffi.C.getpagesize()
end

local function measure()
   settle()
   local m = { before = resident() }
   C.th_block_drop()
   ffi.C.malloc_trim(0)
   m.resident = resident()
   local heap = ffi.C.mallinfo2()
   m.allocated = tonumber(heap.uordblks) + tonumber(heap.hblkhd) + collectgarbage 'count' * 1024
   m.descriptors, m.threads, m.children = entries '/proc/self/fd', entries '/proc/self/task', children()
   return m
end

-- ---- rounds ----------------------------------------------------------------------------------------------------------

local scratch = os.tmpname()
os.remove(scratch)
assert(paths.mkdir(scratch), 'soak: cannot make a temporary folder')
ffi.C.setenv('TMPDIR', scratch, 1)

local soak = { scratch = scratch, th = arg[-1] or 'th', round = 0, folder = options.folder }
soak.thrun = soak.th:gsub('th$', 'thrun')

--- A name for a file of an activity.
function soak:file(name) return self.scratch .. '/' .. name end

--- The error of f(...), which must fail; its text must hold `pattern`.
function soak.fails(pattern, f, ...)
   local ok, why = pcall(f, ...)
   if ok then error('nothing failed where "' .. pattern .. '" was expected', 2) end
   if not tostring(why):find(pattern) then error(('expected "%s", got: %s'):format(pattern, tostring(why)), 2) end
   return why
end

local activities = {}
for k, name in ipairs(names) do
   local load = assert(loadfile(('%s/%s.lua'):format(options.folder, name)))
   activities[k] = { name = name, run = load(), seconds = 0 }
end

local timer = torch.Timer()
local function now() return timer:time().real end

local faults = 0
local function fault(name, why)
   faults = faults + 1
   print(('round %d, %s: %s'):format(soak.round, name, why))
   io.flush()
end

local series = { resident = {}, allocated = {}, descriptors = {}, threads = {}, children = {} }

local function round()
   soak.round = soak.round + 1
   for _, activity in ipairs(activities) do
      local start = now()
      local ok, why = xpcall(function() return activity.run(soak) end, debug.traceback)
      activity.seconds = activity.seconds + now() - start
      if not ok then fault(activity.name, tostring(why)) end
      local left = entries(scratch)
      if left > 0 then
         fault(activity.name, ('%d files are left in its folder'):format(left))
         os.execute(("rm -rf '%s' && mkdir '%s'"):format(scratch, scratch))
      end
   end
   local m = measure()
   for what, list in pairs(series) do list[soak.round] = m[what] end
   return m
end

local function show(m)
   local line = '%5.1f min %6d rounds %7.1f MB resident, %6.1f without free blocks, %6.1f MB allocated %4d descriptors'
      .. ' %3d threads'
   print(line:format(now() / 60, soak.round, m.before / MB, m.resident / MB, m.allocated / MB, m.descriptors, m.threads))
   io.flush()
end

local in_rounds = options.rounds > 0
print(('soak: %s of %s'):format(in_rounds and options.rounds .. ' rounds' or ('%g minutes'):format(options.minutes),
   table.concat(names, ', ')))
io.flush()
local limit, shown, last = options.minutes * 60, 0
repeat
   last = round()
   if now() - shown >= options.every then
      shown = now()
      show(last)
   end
until in_rounds and soak.round >= options.rounds or not in_rounds and now() >= limit
if shown == 0 or now() - shown > 1 then show(last) end
os.execute(("rm -rf '%s'"):format(scratch))

-- ---- judgement -------------------------------------------------------------------------------------------------------

for _, activity in ipairs(activities) do
   print(('%-10s %8.1f ms a round'):format(activity.name, activity.seconds / soak.round * 1000))
end

local warm = math.max(options.warm, math.floor(soak.round / 4))
local enough = soak.round >= 1.5 * warm
if not enough then warm = math.floor(soak.round / 4) end
local function measured(what)
   local list = {}
   for k = warm + 1, soak.round do list[#list + 1] = series[what][k] end
   return list
end

local wrong = faults > 0
if in_rounds then
   print(('soak: %d rounds, %d faults: %s'):format(soak.round, faults, wrong and 'FAILED' or 'passed'))
   io.stdout:flush()
   os.exit(wrong and 1 or 0)
end
print(('rounds %d to %d are judged, behind a warm-up of %d'):format(warm + 1, soak.round, warm))
for _, rule in ipairs { { 'resident', 4 * MB, 0.02 }, { 'allocated', 1 * MB, 0.01 } } do
   local list = measured(rule[1])
   local growth, middle = steady.growth(list), steady.median(list)
   local most = rule[2] + rule[3] * middle
   local flat = growth <= most
   wrong = wrong or enough and not flat
   print(('%s memory: median %.1f MB, growth %.2f MB, at most %.2f MB: %s'):format(rule[1], middle / MB, growth / MB, most / MB,
      not enough and 'too few rounds to judge it' or flat and 'flat' or 'NOT FLAT'))
end
for _, what in ipairs { 'descriptors', 'threads', 'children' } do
   local list = measured(what)
   local grows = steady.climbs(list)
   wrong = wrong or grows
   print(('%s: %d to %d: %s'):format(what, math.min(unpack(list, 1, math.min(#list, 5000))),
      math.max(unpack(list, 1, math.min(#list, 5000))), grows and 'GROWING' or 'steady'))
end
local sum = ('%g minutes, %d rounds, %d faults, resident memory grew by %.1f MB: %s'):format(options.minutes, soak.round, faults,
   steady.growth(measured 'resident') / MB, wrong and 'FAILED' or 'passed')
if options.only == '' then runs.note('soak', options.minutes, sum) end
print('soak: ' .. sum)
io.stdout:flush()
os.exit(wrong and 1 or 0)
