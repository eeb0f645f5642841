-- bench/fft_plan.lua - what a plan of a Fourier transform costs: the time of a first call less that
-- of the next ones, over theirs.
--    th bench/fft_plan.lua [-repeat 30] [-sizes 16,64,... | -sizes 128-1100]
-- Before each first call the plans of 70 other sizes, of the same type and transform, take its
-- place in the cache: both calls find the code of their type in the processor's caches. One thread;
-- the least of several calls. What plans share is there already: the roots of sizes up to 256 and
-- the waves of primes up to 127, which the first plan of a process makes. Of a range of sizes, rows
-- with a cost of 1.8 or more are printed, and the largest cost. What is 2 or more is measured twice
-- more, and the one in the middle counts.
package.path = './?.lua;' .. package.path
local torch = require 'torch'
local measure = require 'bench.lib.measure'

local SIZES = '16,64,100,127,128,251,256,360,509,1000,1021,1024,1080,1155,1920,4093,4096,10000,' ..
   '16384,65521,65536,100000,1000000,1048573,1048576'
local options = measure.options(arg or {}, { ['repeat'] = 30, sizes = SIZES })
torch.setnumthreads(1)
torch.manualSeed(1)

-- 70 lines of other sizes than `size`.
local function others_of(kind, form, size)
   local list = {}
   for i = 1, 70 do
      local n = 300 + 2 * i
      if n == size then n = 300 end
      list[i] = torch[kind .. 'Tensor'](unpack(form == 'fft' and { n, 2 } or { n })):uniform(-1, 1)
   end
   return list
end

-- Seconds of a first call less those of a next one, and those of a next one.
local function cost(kind, form, n)
   local x = torch[kind .. 'Tensor'](unpack(form == 'fft' and { n, 2 } or { n })):uniform(-1, 1)
   local y, f, others, result = x.new(), torch[form], others_of(kind, form, n), x.new()
   local function call() f(y, x) end
   -- Processor time, but of short calls, which take less than its steps.
   local clock = n > 1e4 and measure.work or measure.wall
   call()
   -- The second call is measured as the first one is: alone.
   local first, second, next_ = math.huge, math.huge, math.huge
   for _ = 1, n > 1e5 and math.max(3, options['repeat'] / 10) or options['repeat'] do
      for i = 1, #others do f(result, others[i]) end
      first = math.min(first, clock(call))
      second = math.min(second, clock(call))
      for _ = 1, 3 do next_ = math.min(next_, clock(call, n > 1e5 and 1 or 5)) end
   end
   return first - second, next_
end

local function transforms(...)
   local plan, call = cost(...)
   return plan / call
end
local function middle_of_three(first, ...)
   local list = { first, transforms(...), transforms(...) }
   table.sort(list)
   return list[2]
end

local from, to = options.sizes:match '^(%d+)%-(%d+)$'
local sizes = {}
if from then for n = tonumber(from), tonumber(to) do sizes[#sizes + 1] = n end
else for n in options.sizes:gmatch '%d+' do sizes[#sizes + 1] = tonumber(n) end end

print '| size | fft, float | rfft, float | fft, double | rfft, double |'
print '|---:|---:|---:|---:|---:|'
local largest, where = 0, ''
for _, n in ipairs(sizes) do
   local row, most = { n }, 0
   for _, kind in ipairs { 'Float', 'Double' } do
      for _, form in ipairs { 'fft', 'rfft' } do
         local plans = transforms(kind, form, n)
         if plans >= 2 then plans = middle_of_three(plans, kind, form, n) end
         if plans > largest then largest, where = plans, ('%s of %d, %s'):format(form, n, kind) end
         most = math.max(most, plans)
         row[#row + 1] = ('%.2f'):format(plans)
      end
      collectgarbage()
   end
   if not from or most >= 1.8 then print('| ' .. table.concat(row, ' | ') .. ' |') end
   io.stdout:flush()
end
print(('\n%d sizes, the largest cost: %.2f (%s)'):format(#sizes, largest, where))
