-- bench/ops.lua - the tensor functions at 10 elements and more, compared with PyTorch's and with the limits of the machine.
--    th bench/ops.lua [-peer pytorch] [-only 'sum dim'] [-sizes 10,1e6] [-group result,new,interpreted] [-rounds 5]
--    -only  a Lua pattern that the names must match     -group  the forms to run
package.path = './?.lua;' .. package.path
local ffi = require 'ffi'
local jit = require 'jit'
local torch = require 'torch'
local measure = require 'bench.lib.measure'
local peer = require 'bench.lib.peer'
local rows = require 'bench.lib.rows'
local stream = require 'bench.lib.stream'

local SMALL = 1e4                             -- elements; up to here neither side uses a second thread
local TURN = { [true] = 2e-3, [false] = 4e-3 } -- seconds that a turn should take, small and large
local LONG = 0.05                             -- seconds; longer calls are measured in 3 rounds
local OFTEN = 6                               -- times as many rounds for few elements, which are fast
local MORE = 40                               -- rounds added while the figures scatter
local PAUSE = 20                              -- milliseconds before a turn, for threads that spin after their work
local FILL = 2 ^ 28                          -- bytes
local ENOUGH, TINY = 0.95, 10                -- ratios wanted: of every row, of 10 elements

local options = measure.options(arg or {}, { only = '', sizes = '', group = 'result,new,interpreted', rounds = 5 })
torch.setnumthreads(options.threads)
torch.manualSeed(1)
local other = peer.wanted(options, 'ops', tostring(options.threads))

-- ---- limits of the machine ---------------------------------------------------------------------------------------

local limits = {}                             -- { bytes, bytes per second } by size; limits.peak: operations per second

local function measure_limits()
   local C, why = stream.load()
   if not C then
      measure.note('no limits: %s', why)
      return
   end
   local from, to = torch.FloatTensor(1e7):fill(1), torch.FloatTensor(1e7):fill(1)
   local x, y = from:data(), to:data()
   for _, n in ipairs { 10, 100, 1e3, 1e4, 1e5, 3e5, 1e6, 3e6, 1e7 } do
      local times, best = math.max(math.floor(1e7 / n), 4), math.huge
      local function copy()
         if n <= SMALL then ffi.copy(y, x, 4 * n) else C.bench_copy(y, x, n, options.threads) end
      end
      for _ = 1, 3 do best = math.min(best, measure.time(copy, times)) end
      limits[#limits + 1] = { bytes = 8 * n, rate = 8 * n / best }
   end
   for _, threads in ipairs { 1, options.threads } do
      local done
      local seconds = measure.time(function() done = C.bench_multiply(1e6, threads) end, 3)
      limits[threads == 1 and 'one' or 'peak'] = done / seconds
   end
   limits.peak = limits.peak or limits.one
end

-- The lower bound in seconds: of the memory, or of the arithmetic.
local function limit(row, n)
   if not limits.peak then return nil end
   local bytes, near = row.bytes * n, limits[1]
   for _, l in ipairs(limits) do
      if math.abs(math.log(l.bytes / bytes)) < math.abs(math.log(near.bytes / bytes)) then near = l end
   end
   return math.max(bytes / near.rate, row.operations * n / (n <= SMALL and limits.one or limits.peak))
end

-- ---- our side -----------------------------------------------------------------------------------------------------

local operands = setmetatable({}, { __index = { torch = torch, math = math } })

local function our_loop(statement)
   local names, known = {}, {}
   for name in statement:gmatch '[%a_][%w_]*' do
      if operands[name] ~= nil and not known[name] then
         known[name] = true
         names[#names + 1] = name
      end
   end
   local list = table.concat(names, ', ')
   if not statement:find '%)$' then error('no call: ' .. statement) end
   local text = ('local %s = %s\nreturn function(n_)\n   for _ = 1, n_ do local _ = %s end\nend')
      :format(list, list, statement)
   return setfenv(assert(loadstring(text, '=' .. statement)), operands)()
end

local function prepare(n)
   for name in pairs(operands) do operands[name] = nil end
   collectgarbage()
   collectgarbage()
   operands.n = n
   operands.rows, operands.cols = rows.shape(n)
   setfenv(assert(loadstring(rows.OURS)), operands)()
   if other then
      local lines = { ('n, rows, cols = %d, %d, %d'):format(n, operands.rows, operands.cols) }
      for line in rows.THEIRS:gmatch '[^\n]+' do lines[#lines + 1] = line end
      other.ask('do ' .. table.concat(lines, '; '))
   end
end

-- The number of repetitions for a turn that is long enough.
local function repetitions(seconds, turn) return math.max(1, math.min(math.floor(turn / seconds), 1e5)) end

-- ---- rows ---------------------------------------------------------------------------------------------------------

local function amount(seconds)
   if seconds < 1e-6 then return ('%.0f ns'):format(seconds * 1e9) end
   if seconds < 1e-3 then return ('%.2f us'):format(seconds * 1e6) end
   return ('%.2f ms'):format(seconds * 1e3)
end

local behind, groups = {}, {}                 -- groups: form -> its rows, and form at 10 elements

-- Runs one statement of ours against those of the peer, and prints the row.
local function run(label, row, n, ours, theirs, form)
   local small = n <= SMALL
   local clock, turn = small and measure.work or measure.time, TURN[small]
   local loop = our_loop(ours)
   loop(small and 2000 or 1)                    -- until LuaJIT has compiled side traces, too
   local once = clock(function() loop(small and 100 or 1) end) / (small and 100 or 1)
   local times = repetitions(once, turn)
   local functions = { function() return clock(function() loop(times) end) / times end }
   if other then
      local ask = small and other.work or other.time
      local best, fastest = math.huge, nil
      for _, statement in ipairs(theirs) do
         ask(1, statement)
         for _ = 1, 2 do                       -- its first calls may be slow
            local seconds = ask(small and 100 or 1, statement)
            if seconds < best then best, fastest = seconds, statement end
         end
      end
      local their_times = repetitions(best, turn)
      functions[2] = function() return ask(their_times, fastest) end
   end
   local rounds = small and OFTEN * options.rounds or once > LONG and math.min(options.rounds, 3) or options.rounds
   local medians, ratio = measure.interleaved(rounds, functions, small and 0 or PAUSE, once > LONG and 0 or MORE)
   local least = limit(row, n)
   local what = ('%s %g'):format(label, n)
   local kept = nil
   if other then
      ratio = 1 / ratio
      kept = ratio >= (n == 10 and form ~= 'interpreted' and TINY or ENOUGH)
   else
      ratio = nil
   end
   measure.row(what, least and ('%s, %.0f %% of it'):format(amount(least), 100 * least / medians[1]) or '-',
               amount(medians[1]), other and amount(medians[2]), ratio, kept)
   if not other then return end
   if ratio < ENOUGH then behind[#behind + 1] = ('%s (%.2f)'):format(what, ratio) end
   for _, name in ipairs { form, n == 10 and form ~= 'interpreted' and form .. ', 10 elements' or nil } do
      groups[name] = groups[name] or {}
      table.insert(groups[name], { what = what, ratio = ratio })
   end
end

local wanted_sizes, wanted_groups = {}, {}
for word in options.sizes:gmatch '[^,]+' do wanted_sizes[assert(tonumber(word), 'a size must be a number')] = true end
for word in options.group:gmatch '[^,]+' do wanted_groups[word] = true end

local function wanted(row, n) return row.name:find(options.only) and (next(wanted_sizes) == nil or wanted_sizes[n]) end

-- All rows of one form and size.
local function group(name, n, statements)
   if not wanted_groups[name] then return end
   local ready = false
   for _, row in ipairs(rows.list) do
      local ours, theirs = statements(row)
      if ours and wanted(row, n) then
         if not ready then prepare(n) end
         if not ready and name == 'new' then     -- fills memory with garbage as later calls find it, for reuse
            for _ = 1, math.min(FILL / (4 * n), 1e5) do torch.FloatTensor(n) end
         end
         ready = true
         jit.flush()
         run(name == 'result' and row.name or name .. ' ' .. row.name, row, n, ours, theirs, name)
      end
   end
end

measure_limits()
for _, n in ipairs { 10, 1e3, 1e5, 1e6, 1e7 } do
   group('result', n, function(row)
      for _, size in ipairs(row.sizes) do if size == n then return row.ours, row.theirs end end
   end)
   if n == 10 or n == 1e6 then
      group('new', n, function(row) if row.new then return row.new[1], row.new[2] end end)
   end
end
jit.off()
group('interpreted', 10, function(row) return row.ours, row.theirs end)

-- ---- summary ------------------------------------------------------------------------------------------------------

local function geometric_mean(list)
   local sum = 0
   for _, entry in ipairs(list) do sum = sum + math.log(entry.ratio) end
   return math.exp(sum / #list)
end

if other then
   local all = {}
   for _, form in ipairs { 'result', 'new' } do
      for _, entry in ipairs(groups[form] or {}) do all[#all + 1] = entry end
   end
   groups['result and new'] = all
   measure.note('%d rows below %.2f of PyTorch%s%s', #behind, ENOUGH, #behind > 0 and ': ' or '', table.concat(behind, ', '))
   for _, name in ipairs { 'result and new', 'result', 'result, 10 elements', 'new', 'new, 10 elements', 'interpreted' } do
      local list = groups[name] or {}
      local least, short = list[1], 0
      for _, entry in ipairs(list) do
         if entry.ratio < least.ratio then least = entry end
         if entry.ratio < TINY then short = short + 1 end
      end
      if least then
         measure.note('%s: %d rows, geometric mean %.2f, least %.2f (%s), %d below %d', name, #list, geometric_mean(list),
                      least.ratio, least.what, short, TINY)
      end
   end
   other.close()
end
