-- bench/conv.lua - convolutions of well-known networks and long filters in one dimension, in three passes.
--    th bench/conv.lua [-threads 2] [-peer pytorch] [-rounds 3] [-batch 1,16] [-layers classic,alex2] [-passes forward]
--       [-engine NAME] [-engines yes] [-keep yes] [-errors no] [-heat FILE.svg]
--
-- `of limit`: the least possible time of the chosen algorithm, over ours: its operations at the rate of a matrix product, or
-- its tensors at the rate of a copy, both measured here. -engine forces one for all rows that it supports; -engines times each
-- one next to its prediction; -keep keeps transforms of kernels, as in inference. The error of each engine is that of floats
-- against gemm in double, relative to the result's norm. Long filters have batch 1 only. The timed calls follow others without
-- a pause.
package.path = './?.lua;' .. package.path
local torch = require 'torch'
local measure = require 'bench.lib.measure'
local peer = require 'bench.lib.peer'
local sets = require 'bench.lib.layers'
local heat = require 'bench.lib.heat'

local PASSES = { 'forward', 'gradInput', 'gradWeight' }
local LARGE, ENOUGH = 0.05, 0.02                -- seconds: longer calls are not repeated; the total of repeated ones
local MORE = 12                                 -- rounds that are added to calls below LARGE while their ratios scatter
local SHORT = 8                                 -- planes of long filters whose error is measured; doubles are slow

local options = measure.options(arg or {}, { rounds = 3, batch = '1,16', layers = 'classic,long,alexnet,overfeat,vgg,resnet',
   passes = table.concat(PASSES, ','), engine = '', engines = 'no', keep = 'no', errors = 'yes', heat = '' })
torch.setnumthreads(options.threads)
if options.keep == 'no' then torch.conv.keep = 0 end            -- as for kernels in training
torch.manualSeed(1)
local other = peer.wanted(options, 'ops', tostring(options.threads))
if other then other.ask 'do import torch.nn.functional as F' end

local function listed(list, name) return (',' .. list .. ','):find(',' .. name .. ',', 1, true) end
local function uniform(...) return torch.FloatTensor(...):uniform(-1, 1) end

-- f with this engine; nil if the engine does not support it.
local function with(engine, f)
   local before = torch.conv.engine
   torch.conv.engine = engine
   local ok, result = pcall(f)
   torch.conv.engine = before
   return ok and (result or true) or nil
end

-- ---- rates of the machine ----

local rate, bandwidth
do
   local n, most = 1024, 1e7
   local a, b, c, x, y = uniform(n, n), uniform(n, n), torch.FloatTensor(n, n), uniform(most), torch.FloatTensor(most)
   local seconds = measure.interleaved(5, { function() return measure.time(function() torch.mm(c, a, b) end, 3) end,
      function() return measure.time(function() y:copy(x) end, 3) end })
   rate, bandwidth = 2 * n ^ 3 / seconds[1], 8 * most / seconds[2]
   measure.note('%d threads: a product of 1024 x 1024 at %.0f Gflop/s, a copy at %.1f GB/s', options.threads, rate / 1e9,
      bandwidth / 1e9)
end

-- ---- a layer ----

local function layer_of(l, n, planes)
   local name, side, c, o, k = unpack(l, 1, 5)
   local step, pad, f = l.step or 1, l.pad or 0, {}
   if planes then c, o = planes, planes end
   local x = uniform(n, c, l.line and 1 or side, side)
   local w, b = uniform(o, c, l.line and 1 or k, k), uniform(o)
   local geometry = { step, step, pad, pad }
   local y = torch.conv2d(x, w, b, unpack(geometry))
   local g = uniform(unpack(y:size():totable()))
   local gx, gw = x:clone(), w:clone():zero()
   f.forward = function() torch.conv2d(y, x, w, b, unpack(geometry)) end
   f.gradInput = function() torch.conv2d_grad_input(gx, x, g, w, unpack(geometry)) end
   f.gradWeight = function() torch.conv2d_grad_weight(gw, x, g, 1, unpack(geometry)) end
   local floats = x:nElement() + w:nElement() + y:nElement()
   return { name = name, run = f, x = x, w = w, b = b, g = g, y = y, gx = gx, gw = gw, geometry = geometry, bytes = 4 * floats,
      result = { forward = y, gradInput = gx, gradWeight = gw } }
end

local function ask_peer(l)
   local function sizes(t) return table.concat(t:size():totable(), ', ') end
   other.ask(('do x, w, b, g = torch.rand(%s), torch.rand(%s), torch.rand(%d), torch.rand(%s)'):format(sizes(l.x), sizes(l.w),
      l.b:nElement(), sizes(l.y)))
end

local function theirs(l, pass)
   local step, pad = l.geometry[1], l.geometry[3]
   local high = l.x:size(3) == 1 and 1 or step
   if pass == 'forward' then return ('F.conv2d(x, w, b, (%d, %d), %d)'):format(high, step, pad) end
   return ('torch.ops.aten.convolution_backward(g, x, w, [%d], [%d, %d], [%d, %d], [1, 1], False, [0, 0], 1, [%s, %s, False])')
      :format(l.b:nElement(), high, step, pad, pad, pass == 'gradInput' and 'True' or 'False',
      pass == 'gradInput' and 'False' or 'True')
end

-- The predictions of the engines for a pass: by name { milliseconds, flops }.
local function predicted(l, pass)
   local found, here = {}, false
   for line in torch.conv.explain(l.x, l.w, unpack(l.geometry)):gmatch '[^\n]+' do
      here = (line:match '^(%w+): ' or here and pass) == pass
      local name, ms, gflop = line:match '^ +(%w+) +([%d.]+) ms predicted, +([%d.]+) Gflop'
      if here and name then found[name] = { tonumber(ms), tonumber(gflop) * 1e9 } end
   end
   return found
end

-- ---- the table ----

local ROW = '| %-8s | %5s | %-10s | %-8s | %9s | %9s | %6s | %-6s | %-6s | %8s |'
local sums, behind = { gemm = 0, ours = 0 }, {}

-- Seconds of a call that follows others without a pause. The first one after a pause wakes threads, which may take ten times as
-- long as a small layer; this does not matter for large ones.
local function repeated(once)
   local first = once(1)
   return first > LARGE and first or once(math.ceil(ENOUGH / first))
end

local function ours(engine, run)
   return with(engine, function() return repeated(function(times) return measure.time(run, times) end) end)
end

local function peers(statement) return repeated(function(times) return other.time(times, statement) end) end

local function engines_of(l, pass, found)
   local parts, names, functions = {}, {}, {}
   for _, name in ipairs(torch.conv.engines()) do
      if found[name] then
         names[#names + 1] = name
         functions[#names] = function() return ours(name, l.run[pass]) end
      end
   end
   for i, seconds in ipairs(measure.interleaved(options.rounds, functions)) do
      parts[i] = ('%s %.3f (%.3f)'):format(names[i], seconds * 1e3, found[names[i]][1])
   end
   measure.note('%s, batch %d, %s: ms (predicted): %s', l.name, l.x:size(1), pass, table.concat(parts, ', '))
end

local function row(l, pass, least, classic)
   local run = l.run[pass]
   if options.engine ~= '' and not with(options.engine, run) then return end
   local engine = options.engine ~= '' and options.engine or torch.conv.choice(pass, l.x, l.w, unpack(l.geometry))
   local functions = { function() return ours(engine, run) end }
   if other then functions[2] = function() return peers(theirs(l, pass)) end end
   local short = other and measure.time(run) < LARGE
   local medians, inverse = measure.interleaved(options.rounds, functions, nil, short and MORE or nil)
   local found = predicted(l, pass)
   local best = math.max(found[engine][2] / rate, l.bytes / bandwidth)
   local ratio, verdict = nil, ''
   if other then
      ratio = 1 / inverse
      verdict = ratio >= (least or 0.95) and 'PASS' or 'behind'
      if verdict ~= 'PASS' then behind[#behind + 1] = ('%s %d %s (%.2f)'):format(l.name, l.x:size(1), pass, ratio) end
   end
   print(ROW:format(l.name, l.x:size(1), pass, engine, ('%.2f'):format(medians[1] * 1e3),
      medians[2] and ('%.2f'):format(medians[2] * 1e3) or '-', ratio and ('%.2f'):format(ratio) or '-',
      other and '>= ' .. (least or 1) or '', verdict, ('%.0f %%'):format(100 * best / medians[1])))
   io.stdout:flush()
   if classic and l.x:size(1) > 1 then
      with('gemm', function() sums.gemm = sums.gemm + measure.time(run) end)
      sums.ours = sums.ours + medians[1]
   end
   if options.engines ~= 'no' then engines_of(l, pass, found) end
end

local function errors(given)
   local l = layer_of(given, 1, given.line and SHORT)
   local x, w, b, g = l.x:double(), l.w:double(), l.b:double(), l.g:double()
   local exact = { gradWeight = w:clone():zero() }
   with('gemm', function()
      exact.forward = torch.conv2d(x, w, b, unpack(l.geometry))
      exact.gradInput = torch.conv2d_grad_input(x, g, w, unpack(l.geometry))
      torch.conv2d_grad_weight(exact.gradWeight, x, g, 1, unpack(l.geometry))
   end)
   for _, name in ipairs(torch.conv.engines()) do
      local parts = {}
      for _, pass in ipairs(PASSES) do
         l.gw:zero()
         if with(name, l.run[pass]) then
            local off = (l.result[pass]:double() - exact[pass]):norm() / exact[pass]:norm()
            parts[#parts + 1] = ('%s %.1e'):format(pass, off)
         end
      end
      if #parts > 0 then print(('| %-8s | %-8s | %s |'):format(l.name, name, table.concat(parts, ', '))) end
   end
   io.stdout:flush()
end

-- ---- the picture ----

local function picture(file)
   local columns, rows, ratios = { name = 'planes, and as many results' }, { name = 'kernel' }, {}
   local beside = listed(table.concat(torch.conv.engines(), ','), 'direct') and 'direct' or 'gemm'
   for r, k in ipairs { 1, 3, 5, 7, 9, 11, 13 } do
      rows[r], ratios[r] = ('%d x %d'):format(k, k), {}
      for c, planes in ipairs { 4, 8, 16, 32, 64, 128, 256 } do
         columns[c] = tostring(planes)
         local l = layer_of({ '', 32, planes, planes, k, pad = (k - 1) / 2 }, 16)
         local _, inverse = measure.interleaved(options.rounds, { function() return ours(nil, l.run.forward) end,
            function() return ours(beside, l.run.forward) end })
         ratios[r][c] = 1 / inverse
      end
   end
   heat.write(file, ('speed over %s: 16 images of 32 x 32, forward, %d threads'):format(beside, options.threads), columns, rows,
      ratios)
   measure.note('%s is written', file)
end

-- ---- the run ----

local chosen = {}
for _, set in ipairs(sets) do
   for _, l in ipairs(set.list) do
      if listed(options.layers, set.name) or listed(options.layers, l[1]) then chosen[#chosen + 1] = { l, set.name } end
   end
end
print(ROW:format('layer', 'batch', 'pass', 'engine', 'ours, ms', 'peer, ms', 'ratio', 'wanted', '', 'of limit'))
print((ROW:format('---', '---:', '---', '---', '---:', '---:', '---:', '---', '---', '---:')))
for _, c in ipairs(chosen) do
   local first = true
   for n in tostring(options.batch):gmatch '%d+' do
      if first or not c[1].line then
         local l = layer_of(c[1], c[1].line and 1 or tonumber(n))
         if other then ask_peer(l) end
         for p, pass in ipairs(PASSES) do
            local least = (c[1].line or tonumber(n) >= 16) and c[1].least and c[1].least[p]
            if listed(options.passes, pass) then row(l, pass, least, c[2] == 'classic') end
         end
      end
      first = false
   end
end
if sums.ours > 0 then
   measure.note('L1 to L5, all passes above: %.1f times the speed of gemm (>= 6 wanted)', sums.gemm / sums.ours)
end
if other then
   measure.note('peer: %s', other.version)
   measure.note(#behind > 0 and 'behind: %s' or 'no row is behind%s', table.concat(behind, ', '))
   other.close()
end
if options.errors ~= 'no' then
   print '\n| layer | engine | error of floats against double, of the norm |\n|---|---|---|'
   for _, c in ipairs(chosen) do errors(c[1]) end
end
if options.heat ~= '' then picture(options.heat) end
