-- bench/gpu.lua - operations on a CUDA device, compared with PyTorch's on the same device in the same run.
--    th bench/gpu.lua [-peer pytorch] [-rounds 5] [-only gemm] [-part ops|conv|steps|devices] [-size full|small]
--
-- -part measures one part of the table: single operations, layers and optimizers; convolutions; training steps; one step on all
-- devices. PyTorch's convolutions use TF32 by default and its products of matrices do not; each row names what both sides use.
-- `limit` is the resource that bounds a row: memory, or products of a type of numbers. `of limit`: the least possible time of
-- the operation, over ours: its bytes at the rate of a copy on the device, or its operations at the best rate of a matrix
-- product of that type, both measured here. Convolution engines that need fewer operations than the definition may exceed 100
-- %. Training steps have no such limit, because many small kernels wait for their launches. A row that fails says why, and the
-- others continue. -only is a Lua pattern of names. On an emulated device (TH_CUDA=emu) sizes are small, and the times say
-- nothing about GPUs; use it to test this program.
package.path = './?.lua;' .. package.path
local torch = require 'torch'
local nn = require 'nn'
require 'nn.recurrent'
local optim = require 'optim'
local cutorch = require 'cutorch'
local measure = require 'bench.lib.measure'
local peer = require 'bench.lib.peer'
local sets = require 'bench.lib.layers'

local ENOUGH = 0.05                           -- seconds that a measurement takes, at least

local PARTS = { ops = true, conv = true, steps = true, devices = true }
local options = measure.options(arg or {}, { rounds = 5, only = '', size = '', part = '' })
if options.part ~= '' and not PARTS[options.part] then
   io.stderr:write(('bench: -part is ops, conv, steps or devices, got %s\n'):format(options.part))
   os.exit(2)
end
if cutorch.getDeviceCount() == 0 then
   io.stderr:write('bench: there is no CUDA device (TH_CUDA=emu tries this program on an emulated one)\n')
   os.exit(1)
end
local device = cutorch.getDeviceProperties(cutorch.getDevice())
local small = options.size == 'small' or options.size == '' and device.emulated
local other = peer.wanted(options, 'ops', options.threads .. ' cuda')
if other then other.ask 'do import torch.nn.functional as F' end
torch.manualSeed(1)
cutorch.manualSeed(1)

-- Seconds of one call of f until the device has finished, averaged over as many calls as take ENOUGH.
local function seconds_of(f)
   local function turn(n)
      cutorch.synchronize()
      return measure.wall(function()
         for _ = 1, n do f() end
         cutorch.synchronize()
      end) / n
   end
   return small and turn(1) or measure.repeated(turn, ENOUGH)
end
local function peers_seconds(statement)
   return measure.repeated(function(n) return other.ask(('wall %d %s'):format(n, statement)) end, ENOUGH)
end

-- ---- the table ----

local ROW = '| %-30s | %10s | %10s | %6s | %-6s | %8s | %-8s |'
local counts = { ahead = 0, behind = 0 }
local failed = 0
local rates = {}                              -- operations per second of products, by type; bytes per second of a copy

local function say(...)
   print(ROW:format(...))
   io.stdout:flush()
end
local function one_line(why) return (tostring(why):gsub('%s+', ' '):sub(1, 160)) end

-- f(...), or nil if it fails; then the row, or the peer's part of it, is missing.
local function try(name, who, f, ...)
   local ok, result = pcall(f, ...)
   if ok then return true, result end
   if who == 'ours' then failed = failed + 1 end
   say(name, who == 'ours' and 'failed' or '', who == 'peer' and 'failed' or '', '', '', '', one_line(result))
   return false
end

local function measured(name, r)
   if not try(name, 'ours', function()
      r.run()
      cutorch.synchronize()
   end) then return end
   local functions, theirs = { function() return seconds_of(r.run) end }, nil
   if other and r.peer then
      theirs = try(name, 'peer', function()
         if r.setup then other.ask('do ' .. r.setup) end
         other.ask('wall 1 ' .. r.peer)
      end)
      if theirs then functions[2] = function() return peers_seconds(r.peer) end end
   end
   local medians, inverse = measure.interleaved(options.rounds, functions, 0)
   return medians, theirs and 1 / inverse
end

-- A row: name, f, the peer's setup and statement, and the bytes or flops (with their type) that it needs.
local function row(name, r)
   if not name:find(options.only) then return end
   local ok, medians, ratio = pcall(measured, name, r)
   if not ok then
      failed = failed + 1
      return say(name, 'failed', '', '', '', '', one_line(medians))
   elseif not medians then
      return
   end
   local verdict = ratio and (ratio >= 1 and 'ahead' or 'behind') or ''
   if ratio then counts[verdict] = counts[verdict] + 1 end
   if r.measures then rates[r.measures] = math.max(rates[r.measures] or 0, (r.bytes or r.flops) / medians[1]) end
   local rate = rates[r.bytes and 'copy' or r.type or 'float']
   say(name, ('%.4f'):format(medians[1] * 1e3), medians[2] and ('%.4f'):format(medians[2] * 1e3) or '-',
      ratio and ('%.2f'):format(ratio) or '-', verdict,
      rate and (r.bytes or r.flops) and ('%.0f %%'):format(100 * (r.bytes or r.flops) / rate / medians[1]) or '-',
      r.bytes and 'memory' or r.flops and (r.type or 'float') or 'launches')
end

-- Some rows of a part of the table, whose tensors may not fit into memory.
local function rows(which, name, f)
   if options.part ~= '' and options.part ~= which then return end
   local ok, why = pcall(f)
   collectgarbage()
   cutorch.deviceReset()
   if ok then return end
   failed = failed + 1
   say(name, 'failed', '', '', '', '', one_line(why))
end

local TYPES = { { 'float', torch.CudaTensor, 'float32', 4 }, { 'half', torch.CudaHalfTensor, 'float16', 2 },
   { 'bfloat16', torch.CudaBFloat16Tensor, 'bfloat16', 2 } }
local function uniform(make, ...) return torch.FloatTensor(...):uniform(-1, 1):type(torch.type(make())) end

print(('%s, compute capability %d.%d; CUDA %d'):format(device.name, device.major, device.minor, cutorch.getRuntimeVersion()))
print ''
if device.emulated then
   print 'This device is emulated: the host computes, sizes are small, and no time below says anything of a GPU.'
   print ''
end
say('what', 'ours, ms', 'peer, ms', 'ratio', '', 'of limit', 'limit')
print '|---|---:|---:|---:|---|---:|---|'

-- ---- memory ----

local n = small and 2 ^ 12 or 2 ^ 26              -- numbers
rows('ops', 'memory', function()
   local x, y, z = uniform(torch.CudaTensor, n), uniform(torch.CudaTensor, n), torch.CudaTensor(n)
   local setup = ('x, y, z = torch.rand(%d), torch.rand(%d), torch.rand(%d)'):format(n, n, n)
   local function r(name, run, statement, tensors, measures)
      row(name, { run = run, setup = setup, peer = statement, bytes = tensors * 4 * n, measures = measures })
   end
   r('copy', function() z:copy(x) end, 'z.copy_(x)', 2, 'copy')
   r('fill', function() z:fill(1) end, 'z.fill_(1)', 1)
   r('add', function() z:add(x, y) end, 'torch.add(x, y, out=z)', 3)
   r('addcmul', function() z:addcmul(1, x, y) end, 'z.addcmul_(x, y)', 4)
   r('exp', function() z:exp(x) end, 'torch.exp(x, out=z)', 2)
   r('sigmoid', function() z:sigmoid(x) end, 'torch.sigmoid(x, out=z)', 2)
   r('sum', function() x:sum() end, 'x.sum().item()', 1)
   r('max', function() x:max() end, 'x.max().item()', 1)
   r('dot', function() x:dot(y) end, 'x.dot(y).item()', 2)
   local side = math.floor(math.sqrt(n))
   local m, t = x:narrow(1, 1, side * side):view(side, side), torch.CudaTensor(side, side)
   local matrix = setup .. ('; m = x[:%d].view(%d, %d); t = torch.rand(%d, %d)'):format(side * side, side, side, side, side)
   row('transposed copy', { run = function() t:copy(m:t()) end, setup = matrix, peer = 't.copy_(m.t())', bytes = 8 * side * side })
   row('sum of rows', { run = function() m:sum(2) end, setup = matrix, peer = 'm.sum(1)', bytes = 4 * side * side })
   row('sum of columns', { run = function() m:sum(1) end, setup = matrix, peer = 'm.sum(0)', bytes = 4 * side * side })
   local soft = nn.LogSoftMax():cuda()
   row('log softmax of rows', { run = function() soft:forward(m) end, setup = matrix, peer = 'torch.log_softmax(m, 1)',
      bytes = 8 * side * side })
   row('cumsum of rows', { run = function() m:cumsum(2) end, setup = matrix, peer = 'm.cumsum(1)', bytes = 8 * side * side })
   row('sort of rows', { run = function() m:sort(2) end, setup = matrix, peer = 'm.sort(1)', bytes = 16 * side * side })
   local places = torch.randperm(side):cudaLong()
   row('index of rows', { run = function() m:index(1, places) end, setup = matrix .. ('; p = torch.randperm(%d)'):format(side),
      peer = 'm.index_select(0, p)', bytes = 8 * side * side })
end)

-- ---- operations of networks, by type ----

for _, t in ipairs(TYPES) do rows('ops', 'layers ' .. t[1], function()
   local name, make, theirs, bytes = unpack(t)
   local side, wide = small and 16 or 16384, small and 8 or 4096
   local x, y = uniform(make, side, wide), uniform(make, side, wide)
   local all = side * wide
   local typed = ('x, y = [torch.rand(%d, %d).to(torch.%s) for _ in range(2)]; z = torch.empty_like(x)'):format(side, wide, theirs)
   local function r(what, run, statement, tensors, more)
      row(('%s %s'):format(what, name), { run = run, setup = typed .. (more or ''), peer = statement, bytes = tensors * bytes * all })
   end
   local z = make(side, wide)
   if name ~= 'float' then
      r('add', function() z:add(x, y) end, 'torch.add(x, y, out=z)', 3)
      r('exp', function() z:exp(x) end, 'torch.exp(x, out=z)', 2)
   end
   r('relu', function() z:cmax(x, 0) end, 'torch.clamp(x, min=0, out=z)', 2)
   local gelu = nn.GELU():type(torch.type(x))
   r('GELU', function() gelu:forward(x) end, 'F.gelu(x)', 2)
   r('GELU, gradient', function() gelu:updateGradInput(x, y) end, 'torch.ops.aten.gelu_backward(y, x)', 3)
   if name ~= 'float' then r('to float', function() return x:cuda() end, 'x.to(torch.float32)', 1 + 4 / bytes) end
   r('sum of columns', function() return x:sum(1) end, 'x.sum(0)', 1)
   local tall = make(side, wide / 4):copy(x:narrow(2, 1, wide / 4))
   row(('sum of columns %s %dx%d'):format(name, side, wide / 4), { run = function() return tall:sum(1) end,
      setup = typed .. ('; x = x[:, :%d].contiguous()'):format(wide / 4), peer = 'x.sum(0)', bytes = bytes * all / 4 })
   local soft = nn.LogSoftMax():type(torch.type(x))
   r('log softmax', function() soft:forward(x) end, 'torch.log_softmax(x, 1)', 2)
   r('log softmax, gradient', function() soft:updateGradInput(x, y) end,
      'torch.ops.aten._log_softmax_backward_data(y, z, 1, x.dtype)', 3, '; z = torch.log_softmax(x, 1)')
   local norm = nn.LayerNormalization(wide, 0, 1e-5):type(torch.type(x))
   r('layer normalization', function() norm:forward(x) end, ('F.layer_norm(x, (%d,), w, b)'):format(wide), 2,
      ('; w, b = torch.rand(%d).to(x.dtype), torch.rand(%d).to(x.dtype)'):format(wide, wide))
   local drop = nn.Dropout(0.1):type(torch.type(x))
   r('dropout', function() drop:forward(x) end, 'F.dropout(x, 0.1)', 2)
   local mask = torch.CudaByteTensor(side, wide):bernoulli(0.5)
   r('masked fill', function() z:maskedFill(mask, 0) end, 'z.masked_fill_(m, 0)', 1 + 1 / bytes, '; m = torch.rand_like(x) < 0.5')
   local places = torch.LongTensor(side):random(side):cudaLong()
   local table_ = nn.LookupTable(side, wide):type(torch.type(x))
   r('embedding', function() table_:forward(places) end, 'F.embedding(p, x)', 2, ('; p = torch.randint(0, %d, (%d,))'):format(side, side))
end) end

rows('ops', 'selection', function()
   local count, wide = small and 4 or 1024, small and 64 or 65536
   local x = uniform(torch.CudaTensor, count, wide)
   local setup = ('x = torch.rand(%d, %d)'):format(count, wide)
   row('topk of rows, 64', { run = function() return x:topk(math.min(64, wide), 2, true) end, setup = setup,
      peer = ('x.topk(%d, 1)'):format(math.min(64, wide)), bytes = 4 * count * wide })
   row('median of rows', { run = function() return x:median(2) end, setup = setup, peer = 'x.median(1)', bytes = 4 * count * wide })
   local flat = x:view(-1)
   row('sort of one line', { run = function() return flat:sort() end, setup = setup .. '; x = x.view(-1)', peer = 'x.sort()',
      bytes = 16 * count * wide })
end)

-- Calls whose kernels take less time than their launch.
rows('ops', 'launches', function()
   local function r(what, run, setup, statement) row('launch: ' .. what, { run = run, setup = setup, peer = statement }) end
   local a, b = torch.CudaTensor(16):fill(1), torch.CudaTensor(16):fill(1)
   r('add of 16', function() a:add(b) end, 'a, b = torch.ones(16), torch.ones(16)', 'a.add_(b)')
   r('new tensor of 16', function() return torch.CudaTensor(16) end, '', 'torch.empty(16)')
   r('sum of 16 as a number', function() return a:sum() end, 'a = torch.ones(16)', 'a.sum().item()')
   local m, out = uniform(torch.CudaTensor, 16, 16), torch.CudaTensor(16, 16)
   r('mm of 16x16', function() out:mm(m, m) end, 'a, c = torch.rand(16, 16), torch.rand(16, 16)', 'torch.mm(a, a, out=c)')
   local x, w = uniform(torch.CudaTensor, 1, 16, 16, 16), uniform(torch.CudaTensor, 16, 16, 3, 3)
   local bias, y, gx, gw = uniform(torch.CudaTensor, 16), torch.CudaTensor(1, 16, 16, 16), x:clone(), w:clone()
   local images = 'x, w, b = torch.rand(1, 16, 16, 16), torch.rand(16, 16, 3, 3), torch.rand(16)'
   r('conv2d 3x3 of 16x16x16', function() torch.conv2d(y, x, w, bias, 1, 1, 1, 1) end, images, 'F.conv2d(x, w, b, 1, 1)')
   local backward = 'torch.ops.aten.convolution_backward(x, x, w, [16], [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [%s, %s, False])'
   r('its gradient by the input', function() torch.conv2d_grad_input(gx, x, y, w, 1, 1, 1, 1) end, images,
      backward:format('True', 'False'))
   r('its gradient by the weight', function() torch.conv2d_grad_weight(gw, x, y, 1, 1, 1, 1, 1) end, images,
      backward:format('False', 'True'))
   local norm = nn.SpatialBatchNormalization(16):cuda()
   r('batch normalization', function() norm:forward(x) end, images .. '; m, v = torch.zeros(16), torch.ones(16)',
      'F.batch_norm(x, m, v, b, b, True)')
   r('its gradient', function() norm:backward(x, x) end)
   local linear = nn.Linear(16, 16):cuda()
   r('nn.Linear', function() linear:forward(m) end, 'a, w, b = torch.rand(16, 16), torch.rand(16, 16), torch.rand(16)', 'F.linear(a, w, b)')
   r('its gradient', function() linear:backward(m, m) end)
end)

-- ---- products of matrices ----

for _, t in ipairs(TYPES) do rows('ops', 'gemm ' .. t[1], function()
   local name, make, theirs = unpack(t)
   local side = small and 32 or 4096
   local a, b, c = uniform(make, side, side), uniform(make, side, side), make(side, side)
   local setup = ('a, b = [torch.rand(%d, %d).to(torch.%s) for _ in range(2)]; c = torch.empty_like(a)'):format(side, side, theirs)
   local r = { run = function() c:mm(a, b) end, setup = setup, peer = 'torch.mm(a, b, out=c)', flops = 2 * side ^ 3, type = name,
      measures = name }
   row(('gemm %s %d'):format(name, side), r)
   if name == 'float' then
      cutorch.setTF32(true)
      r.setup, r.type, r.measures = setup .. '; torch.backends.cuda.matmul.allow_tf32 = True', 'tf32', 'tf32'
      row(('gemm tf32 %d'):format(side), r)
      cutorch.setTF32(false)
      if other then other.ask 'do torch.backends.cuda.matmul.allow_tf32 = False' end
   end
end) end

-- ---- convolutions ----

local PASSES = { 'forward', 'gradInput', 'gradWeight' }

local function convolution(l, batch, tf32)
   local name, side, c, o, k = unpack(l, 1, 5)
   local step, pad, lines = l.step or 1, l.pad or 0, l.line
   if small then side, c, o = math.min(side, lines and 2 * k or k + 4), math.min(c, 4), math.min(o, 4) end
   local x, w = uniform(torch.CudaTensor, batch, c, lines and 1 or side, side), uniform(torch.CudaTensor, o, c, lines and 1 or k, k)
   local b = uniform(torch.CudaTensor, o)
   local high = lines and 1 or step
   local y = torch.conv2d(x, w, b, high, step, lines and 0 or pad, pad)
   local g, gx, gw = uniform(torch.CudaTensor, unpack(y:size():totable())), x:clone(), w:clone()
   local runs = {
      function() torch.conv2d(y, x, w, b, high, step, lines and 0 or pad, pad) end,
      function() torch.conv2d_grad_input(gx, x, g, w, high, step, lines and 0 or pad, pad) end,
      function() torch.conv2d_grad_weight(gw, x, g, 1, high, step, lines and 0 or pad, pad) end,
   }
   local function sizes(t) return table.concat(t:size():totable(), ', ') end
   local setup = ('x, w, b, g = torch.rand(%s), torch.rand(%s), torch.rand(%d), torch.rand(%s)'):format(sizes(x), sizes(w), o, sizes(y))
   local geometry = ('(%d, %d), (%d, %d)'):format(high, step, lines and 0 or pad, pad)
   local backward = 'torch.ops.aten.convolution_backward(g, x, w, [' .. o .. '], ' ..
      geometry:gsub('%(', '['):gsub('%)', ']') .. ', [1, 1], False, [0, 0], 1, [%s, %s, False])'
   local peers = { ('F.conv2d(x, w, b, %s)'):format(geometry), backward:format('True', 'False'), backward:format('False', 'True') }
   local flops = 2 * y:nElement() * c * w:size(3) * k
   for p, pass in ipairs(PASSES) do
      row(('%s %d %s%s'):format(name, batch, pass, tf32 and ' tf32' or ''), { run = runs[p], setup = setup, peer = peers[p], flops = flops })
   end
end

-- Rows with and without TF32, on both sides.
local function both_ways(l, batch)
   for _, tf32 in ipairs { false, true } do
      cutorch.setTF32(tf32)
      if other then other.ask('do torch.backends.cudnn.allow_tf32 = ' .. (tf32 and 'True' or 'False')) end
      convolution(l, batch, tf32)
   end
   cutorch.setTF32(false)
end

local LONGEST = small and 64 or math.huge         -- taps
local MORE = { long = { { 'k16384', 64000, 64, 64, 16384, line = true } } }           -- too slow for the CPU's table
for _, set in ipairs(sets) do
   for _, l in ipairs(MORE[set.name] or {}) do table.insert(set.list, l) end
   if set.name == 'classic' or set.name == 'resnet' or set.name == 'long' then
      for _, l in ipairs(set.list) do
         if l[5] <= LONGEST then rows('conv', l[1], function() both_ways(l, l.line and 1 or small and 2 or 64) end) end
      end
   end
end

-- ---- layers, losses, optimizers ----

rows('ops', 'LSTM', function()
   local steps, batch, size = small and 4 or 100, small and 2 or 64, small and 8 or 512
   local lstm = nn.LSTM(size, size, 1, false):cuda()
   local x = uniform(torch.CudaTensor, steps, batch, size)
   local g = lstm:forward(x):clone()
   row('LSTM, forward and backward', {
      run = function()
         lstm:forward(x)
         lstm:zeroGradParameters()
         lstm:backward(x, g)
      end,
      setup = ('torch.set_grad_enabled(True); l = torch.nn.LSTM(%d, %d); x = torch.rand(%d, %d, %d, requires_grad=True); g = torch.rand(%d, %d, %d)')
         :format(size, size, steps, batch, size, steps, batch, size),
      peer = '(l.zero_grad(), l(x)[0].backward(g))', flops = 3 * 16 * steps * batch * size * size,
   })
end)

rows('ops', 'CTC', function()
   local steps, batch = small and 4 or 100, small and 2 or 64
   local classes, labels = small and 5 or 30, small and 2 or 20
   local scores, ctc, targets = uniform(torch.CudaTensor, steps, batch, classes), nn.CTCCriterion():cuda(), {}
   for i = 1, batch do
      targets[i] = {}
      for k = 1, labels do targets[i][k] = 1 + (i + k) % (classes - 1) end
   end
   row('CTC, loss and gradient', {
      run = function()
         ctc:forward(scores, targets)
         ctc:backward(scores, targets)
      end,
      setup = ('torch.set_grad_enabled(True); c = torch.rand(%d, %d, %d, requires_grad=True); t = torch.randint(1, %d, (%d, %d)); ' ..
         'n, m = torch.full((%d,), %d), torch.full((%d,), %d)')
         :format(steps, batch, classes, classes, batch, labels, batch, steps, batch, labels),
      peer = 'F.ctc_loss(c.log_softmax(2), t, n, m, reduction="sum").backward()',
   })
end)

rows('ops', 'optimizers', function()
   if other then other.ask 'do torch.set_grad_enabled(False)' end
   local many = small and 1000 or 25e6
   local p, dp = uniform(torch.CudaTensor, many), uniform(torch.CudaTensor, many)
   for _, o in ipairs { { 'sgd', 'SGD([p], lr=0.01, momentum=0.9, fused=True)', { learningRate = 0.01, momentum = 0.9, dampening = 0 }, 5 },
      { 'adam', 'Adam([p], lr=0.01, fused=True)', { learningRate = 0.01 }, 7 },
      { 'adamw', 'AdamW([p], lr=0.01, fused=True)', { learningRate = 0.01 }, 7 } } do
      local name, theirs, state, tensors = unpack(o)
      row(name .. ' step', { run = function() optim[name](function() return 0, dp end, p, state) end,
         setup = ('p = torch.nn.Parameter(torch.rand(%d)); p.grad = torch.rand(%d); s = torch.optim.%s'):format(many, many, theirs),
         peer = 's.step()', bytes = tensors * 4 * many })
   end
end)

-- ---- training steps, without and with a graph ----

local function lenet()
   local side = small and 16 or 28
   local left = ((side - 4) / 2 - 4) / 2
   local channels = small and 4 or 50
   return nn.Sequential()
      :add(nn.SpatialConvolution(1, small and 2 or 20, 5, 5)):add(nn.SpatialMaxPooling(2, 2)):add(nn.ReLU())
      :add(nn.SpatialConvolution(small and 2 or 20, channels, 5, 5)):add(nn.SpatialMaxPooling(2, 2, 2, 2)):add(nn.ReLU())
      :add(nn.View(-1):setNumInputDims(3))
      :add(nn.Linear(channels * left ^ 2, small and 8 or 500)):add(nn.ReLU())
      :add(nn.Linear(small and 8 or 500, 10)):add(nn.LogSoftMax()), { 1, side, side }
end

local function block(from, to, step)
   local way = nn.Sequential()
      :add(nn.SpatialConvolution(from, to, 3, 3, step, step, 1, 1)):add(nn.SpatialBatchNormalization(to)):add(nn.ReLU())
      :add(nn.SpatialConvolution(to, to, 3, 3, 1, 1, 1, 1)):add(nn.SpatialBatchNormalization(to))
   local short = from == to and nn.Identity() or nn.SpatialConvolution(from, to, 1, 1, step, step)
   return nn.Sequential():add(nn.ConcatTable():add(way):add(short)):add(nn.CAddTable()):add(nn.ReLU())
end
local function resnet()
   local side, width, deep = small and 8 or 32, small and 2 or 16, small and 1 or 3
   local net = nn.Sequential():add(nn.SpatialConvolution(3, width, 3, 3, 1, 1, 1, 1))
      :add(nn.SpatialBatchNormalization(width)):add(nn.ReLU())
   local from = width
   for part = 0, small and 1 or 2 do
      for k = 1, deep do
         net:add(block(from, width * 2 ^ part, part > 0 and k == 1 and 2 or 1))
         from = width * 2 ^ part
      end
   end
   local last = side / (small and 2 or 4)
   return net:add(nn.SpatialAveragePooling(last, last)):add(nn.View(-1):setNumInputDims(3)):add(nn.Linear(from, 10))
      :add(nn.LogSoftMax()), { 3, side, side }
end

local function transformer()
   local size, steps = small and 8 or 128, small and 4 or 64
   local net = nn.Sequential()
   local function residual(...)
      local change = nn.Sequential():add(nn.LayerNormalization(size, 0, 1e-5))
      for _, m in ipairs { ... } do change:add(m) end
      net:add(nn.ConcatTable():add(nn.Identity()):add(change)):add(nn.CAddTable())
   end
   for _ = 1, small and 1 or 4 do
      residual(nn.MultiHeadAttention(size, 4, 0, true))
      residual(nn.Bottle(nn.Sequential():add(nn.Linear(size, 4 * size)):add(nn.GELU()):add(nn.Linear(4 * size, size))))
   end
   return net:add(nn.View(-1, size)):add(nn.Linear(size, 10)):add(nn.LogSoftMax()), { steps, size }, steps
end

-- The work of one step: forward, backward, Adam.
local function training_step(net)
   local criterion = nn.ClassNLLCriterion():cuda()
   local parameters, gradients = net:cuda():getParameters()
   local state = { learningRate = 1e-4 }
   return function(x, target)
      local loss
      optim.adam(function()
         gradients:zero()
         loss = criterion:updateOutput(net:forward(x), target)
         net:backward(x, criterion:backward(net.output, target))
         return loss, gradients
      end, parameters, state)
      return loss
   end
end

for _, model in ipairs { { 'LeNet', lenet }, { 'ResNet 20', resnet }, { 'transformer', transformer } } do
   for _, batch in ipairs(small and { 2 } or { 1, 8, 32 }) do
      local name, make = unpack(model)
      local title = ('%s, step of %d'):format(name, batch)
      if title:find(options.only) or (title .. ', graph'):find(options.only) then rows('steps', title, function()
         local net, size, targets = make()
         local x = uniform(torch.CudaTensor, batch, unpack(size))
         local target = torch.LongTensor(batch * (targets or 1)):random(10):cudaLong()
         local step = training_step(net)
         row(title, { run = function() step(x, target) end })
         local graph = cutorch.graph(step, { late = true })
         graph(x, target)                                          -- runs; the first call of a row records
         row(title .. ', graph', { run = function() graph(x, target) end })
         graph:synchronize()
         graph:reset()
      end) end
   end
end

-- ---- one step on one and on all devices ----

rows('devices', 'several devices', function()
   local count = cutorch.getDeviceCount()
   if count == 1 then return measure.note 'there is one device: nothing to compare' end
   for _, devices in ipairs { 1, count } do
      local net, size = resnet()
      local table_ = nn.DataParallelTable(1)
      local gpus = {}
      for i = 1, devices do gpus[i] = i end
      table_:add(net:cuda(), gpus)
      local batch = (small and 2 or 256) * devices
      local x, target = uniform(torch.CudaTensor, batch, unpack(size)), torch.LongTensor(batch):random(10):cudaLong()
      local step = training_step(table_)
      row(('ResNet 20, %d devices, step of %d'):format(devices, batch), { run = function() step(x, target) end })
   end
end)

if other then
   measure.note('peer: %s', other.version)
   measure.note('%d rows ahead or level, %d behind', counts.ahead, counts.behind)
   other.close()
end
if device.emulated then measure.note 'the device was emulated: no speed was measured' end
if failed > 0 then
   measure.note('%d failed', failed)
   os.exit(1)
end
