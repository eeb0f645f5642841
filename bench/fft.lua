-- bench/fft.lua - Fourier transforms of lines and pictures, compared with PyTorch, pyFFTW, and another build of this project.
--    th bench/fft.lua [-peer pytorch] [-old CHECKOUT] [-threads 2] [-rounds 5] [-only TEXT]
-- The limit of a row: 5 n log2 n operations at the rate of a product of matrices, or the bytes of input and result at the speed
-- of a copy, whichever takes longer. `-old` names a checkout with a build, which answers as this program with -serve 1.
package.path = './?.lua;' .. package.path
local torch = require 'torch'
local measure = require 'bench.lib.measure'
local peer = require 'bench.lib.peer'

local options = measure.options(arg or {}, { old = '', serve = 0, only = '', rounds = 5 })
torch.setnumthreads(options.threads)
torch.manualSeed(1)
local SLICE = 0.004                           -- seconds of calls behind a figure, at least
local PAUSE = 50                 -- milliseconds before a turn: the peer's threads spin after theirs

-- A function for the transform that `work` describes: TYPE KIND LINES SIZE, or TYPE KIND image HEIGHT WIDTH.
local function transform_of(work)
   local kind, form, a, b, c = work:match '^(%a+) (%a+) (%w+) (%d+) ?(%d*)$'
   local sizes = a == 'image' and { tonumber(b), tonumber(c) } or a == '1' and { tonumber(b) } or { tonumber(a), tonumber(b) }
   if form == 'complex' then sizes[#sizes + 1] = 2 end
   local x = torch[kind == 'float' and 'FloatTensor' or 'DoubleTensor'](unpack(sizes)):uniform(-1, 1)
   local y = x.new()
   local f = torch[(form == 'complex' and 'fft' or 'rfft') .. (a == 'image' and '2' or '')]
   return function() f(y, x) end, x, y
end

-- Seconds of a call: the least of three slices.
local function seconds_of(f)
   f()
   local times = math.max(1, math.ceil(SLICE / measure.time(f)))
   local least = math.huge
   for _ = 1, 3 do least = math.min(least, measure.time(f, times)) end
   return least
end

if options.serve == 1 then
   print 'ready another build'
   io.stdout:flush()
   local known, f
   for line in io.lines() do
      if line ~= known then
         known, f = line, transform_of(line)
         collectgarbage()
      end
      print(('%.9f'):format(seconds_of(f)))
      io.stdout:flush()
   end
   return
end

local pytorch = peer.wanted(options, 'fft', tostring(options.threads))
local old, why
if options.old ~= '' then
   local command = ('B="$PWD/bench/fft.lua"; cd %s && ' ..
      'exec env -i PATH="$PATH" HOME="$HOME" build/bin/th "$B" -serve 1 -threads %d')
   old, why = peer.program(command:format(options.old, options.threads))
   if not old then print('note: no comparison with the old build: ' .. why) end
end

-- Operations per second of a matrix product, bytes per second of a copy.
local rate = {}
for _, kind in ipairs { 'Float', 'Double' } do
   local a = torch[kind .. 'Tensor'](1024, 1024):uniform()
   local b, c = a:clone(), a.new(1024, 1024)
   rate[kind:lower()] = 2 * 1024 ^ 3 / seconds_of(function() torch.mm(c, a, b) end)
end
local from = torch.FloatTensor(2 ^ 24):zero()
local to = from:clone()
local speed = 2 * 2 ^ 26 / seconds_of(function() to:copy(from) end)

local function limit_of(work, x, y)
   local kind, form = work:match '^(%a+) (%a+)'
   local size = kind == 'float' and 4 or 8
   local points = x:nElement() / (form == 'complex' and 2 or 1)
   local a, b, c = work:match '^%a+ %a+ (%w+) (%d+) ?(%d*)$'
   local n = a == 'image' and tonumber(b) * tonumber(c) or tonumber(b)
   local operations = 5 * points * math.log(n) / math.log(2) / (form == 'complex' and 1 or 2)
   local bytes = (x:nElement() + y:nElement()) * size
   return math.max(operations / rate[kind], bytes > 2 ^ 22 and bytes / speed or 0)
end

local LINES = { 16, 64, 128, 256, 1024, 4096, 16384, 65536, 2 ^ 20, 2 ^ 22, 60, 100, 360, 1000, 1080, 1155, 1920, 10000, 100000,
   1000000, 17, 61, 101, 127, 251, 509, 1021, 4093, 65521, 1048573 }
local BATCHED = { 16, 64, 128, 256, 1024, 4096, 16384, 65536, 60, 100, 360, 1000, 1080, 1155, 1920, 10000, 17, 61, 127, 251, 509,
   1021, 4093 }
local IMAGES = { '256 256', '1024 1024', '1080 1920' }
local works = {}
for _, kind in ipairs { 'float', 'double' } do
   for _, form in ipairs { 'complex', 'real' } do
      for _, n in ipairs(LINES) do works[#works + 1] = ('%s %s 1 %d'):format(kind, form, n) end
      for _, n in ipairs(BATCHED) do works[#works + 1] = ('%s %s 64 %d'):format(kind, form, n) end
      for _, size in ipairs(IMAGES) do works[#works + 1] = ('%s %s image %s'):format(kind, form, size) end
   end
end

local ROW = '| %-28s | %11s | %11s | %11s | %11s | %8s | %8s |'
print(ROW:format('work', 'limit', 'ours', 'peer', 'old', 'to peer', 'to old'))
print('|' .. ('-'):rep(30) .. ('|' .. ('-'):rep(12) .. ':'):rep(4) .. ('|' .. ('-'):rep(9) .. ':'):rep(2) .. '|')
local sums = { peer = { 0, 0, math.huge }, old = { 0, 0, math.huge } }
local function ratio(sum, theirs, ours, work)
   if not theirs then return '-' end
   local r = theirs / ours
   sum[1], sum[2] = sum[1] + math.log(r), sum[2] + 1
   if r < sum[3] then sum[3], sum[4] = r, work end
   return ('%.2f'):format(r)
end
local function time(seconds) return seconds and ('%.2f us'):format(seconds * 1e6) or '-' end

for _, work in ipairs(works) do
   if work:find(options.only, 1, true) then
      local f, x, y = transform_of(work)
      local list, theirs, before = { function() return seconds_of(f) end }, nil, nil
      if pytorch then list[#list + 1] = function() return pytorch.ask(work) end end
      if old then list[#list + 1] = function() return old.ask(work) end end
      local medians = measure.interleaved(options.rounds, list, PAUSE)
      if pytorch then theirs = medians[2] end
      if old then before = medians[#medians] end
      print(ROW:format(work, time(limit_of(work, x, y)), time(medians[1]), time(theirs), time(before),
         ratio(sums.peer, theirs, medians[1], work), ratio(sums.old, before, medians[1], work)))
      io.stdout:flush()
      collectgarbage()
   end
end
for _, name in ipairs { 'peer', 'old' } do
   local sum = sums[name]
   if sum[2] > 0 then
      measure.note('%s: geometric mean %.2f over %d rows, least %.2f (%s)', name, math.exp(sum[1] / sum[2]), sum[2], sum[3],
         sum[4])
   end
end
measure.note('%d threads; multiply rate %.0f (float), %.0f (double) GFLOP/s; copy %.1f GB/s', options.threads, rate.float / 1e9,
   rate.double / 1e9, speed / 1e9)
if old then old.close() end                   -- first, because it has inherited the pipe whose end the peer waits for
if pytorch then
   measure.note('peer: %s, or pyFFTW where that is faster', pytorch.version)
   pytorch.close()
end
