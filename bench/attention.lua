-- bench/attention.lua - attention of several heads, forward and backward, compared with PyTorch's
-- torch.nn.functional.scaled_dot_product_attention on the same device in the same run.
--    th bench/attention.lua [-device cpu|cuda] [-peer pytorch] [-threads 2] [-rounds 5]
--       [-only causal] [-size full|small] [-cudnn no|yes]
--
-- A row is 16384 steps of one layer (4096 on the CPU), as samples x heads x steps x d. `tera/s` counts the products of the
-- definition, 4 samples heads steps^2 d forward and 10 backward, in units of 10^12 additions and multiplications; half of
-- that if causal. The backward pass computes the weights again, and its extra products are not
-- counted. The peer chooses its kernel. Rows with dropout drop a tenth of the weights, and their
-- forward draws which, on both sides. -only is a Lua pattern of names. With -cudnn yes cuDNN
-- computes what it can, which is never the default. On an emulated device (TH_CUDA=emu) the times
-- say nothing about GPUs.
package.path = './?.lua;' .. package.path
local torch = require 'torch'
local measure = require 'bench.lib.measure'
local peer = require 'bench.lib.peer'

local ENOUGH = 0.05                           -- seconds that a measurement takes, at least

local options = measure.options(arg or {}, { rounds = 5, only = '', size = '', device = 'cpu',
   cudnn = 'no' })
if options.device ~= 'cpu' and options.device ~= 'cuda' then
   io.stderr:write(('bench: -device is cpu or cuda, got %s\n'):format(options.device))
   os.exit(2)
end
local cutorch, small = nil, options.size == 'small'
if options.device == 'cuda' then
   cutorch = require 'cutorch'
   if cutorch.getDeviceCount() == 0 then
      io.stderr:write('bench: there is no CUDA device (TH_CUDA=emu tries this program on an emulated one)\n')
      os.exit(1)
   end
   small = small or options.size == '' and cutorch.getDeviceProperties(cutorch.getDevice()).emulated
end
if options.cudnn == 'yes' then require 'cudnn'.prefer = true end
torch.setnumthreads(options.threads)
torch.manualSeed(1)
local other = peer.wanted(options, 'ops', options.threads .. (cutorch and ' cuda' or ''))

local function finish() if cutorch then cutorch.synchronize() end end

-- Seconds of one call of f, averaged over as many calls as take ENOUGH.
local function seconds_of(f)
   local function turn(n)
      finish()
      return measure.wall(function()
         for _ = 1, n do f() end
         finish()
      end) / n
   end
   return small and turn(1) or measure.repeated(turn, ENOUGH)
end
local function peers_seconds(statement)
   return measure.repeated(function(n) return other.ask(('wall %d %s'):format(n, statement)) end, ENOUGH)
end

local ROW = '| %-44s | %10s | %10s | %6s | %8s | %8s |'
local failed = 0
local function say(...)
   print(ROW:format(...))
   io.stdout:flush()
end

local function row(name, run, statement, flops)
   local functions = { function() return seconds_of(run) end }
   local ok, why = pcall(run)
   finish()
   if not ok then
      failed = failed + 1
      return say(name, 'failed', '', '', '', (tostring(why):gsub('%s+', ' '):sub(1, 100)))
   end
   if other then functions[2] = function() return peers_seconds(statement) end end
   local medians, ratio = measure.interleaved(options.rounds, functions, 0)
   local function rate(seconds) return seconds and ('%.2f'):format(flops / seconds / 1e12) or '-' end
   say(name, ('%.4f'):format(medians[1] * 1e3), other and ('%.4f'):format(medians[2] * 1e3) or '-',
      other and ('%.2f'):format(1 / ratio) or '-', rate(medians[1]), rate(medians[2]))
end

-- The rows of a type, here 'Half' and for the peer 'float16'.
local function rows(kind, theirs, heads, d, steps, causal, all, dropout)
   local samples = math.max(1, all / steps)
   local title = ('%s, %dx%dx%dx%d%s%s'):format(theirs, samples, heads, steps, d,
      causal and ', causal' or '', dropout and ', dropout' or '')
   if not (title .. ' forward backward'):find(options.only) then return end
   local place = cutorch and 'torch.Cuda' .. (kind == 'Float' and '' or kind) .. 'Tensor' or 'torch.' .. kind .. 'Tensor'
   local function draw() return torch.FloatTensor(samples, heads, steps, d):normal():type(place) end
   local q, k, v, g = draw(), draw(), draw(), draw()
   local seed = dropout and (cutorch and torch.CudaLongTensor or torch.LongTensor)(2):random()
   local function forward(...)
      if dropout then seed:random() end
      return torch.attention(...)
   end
   local y, lse = forward(q, k, v, 0, causal, nil, dropout, seed)
   local gq, gk, gv = torch.attention_grad(q, k, v, y, lse, g, 0, causal, nil, dropout, seed)
   local size = ('%d, %d, %d, %d'):format(samples, heads, steps, d)
   if other then
      other.ask 'do import torch.nn.functional as F'
      other.ask(('do q, k, v, g = [torch.randn(%s).to(torch.%s) for _ in range(4)]'):format(size, theirs))
   end
   local flops = 4 * samples * heads * steps ^ 2 * d * (causal and 0.5 or 1)
   local call = ('F.scaled_dot_product_attention(q, k, v, is_causal=%s, dropout_p=%g)'):format(
      causal and 'True' or 'False', dropout or 0)
   row(title .. ' forward',
      function() forward(y, lse, q, k, v, 0, causal, nil, dropout, seed) end, call, flops)
   if other then
      other.ask('do torch.set_grad_enabled(True); [t.requires_grad_() for t in (q, k, v)]')
      other.ask('do y = ' .. call)
   end
   row(title .. ' backward', function()
      torch.attention_grad(gq, gk, gv, q, k, v, y, lse, g, 0, causal, nil, dropout, seed)
   end, 'torch.autograd.grad(y, (q, k, v), g, retain_graph=True)', 2.5 * flops)
   if other then other.ask 'do torch.set_grad_enabled(False); del y' end
end

local place = cutorch and cutorch.getDeviceProperties(cutorch.getDevice()).name or options.threads .. ' threads'
print('attention on ' .. place)
print ''
say('what', 'ours, ms', 'peer, ms', 'ratio', 'tera/s', 'peer')
print '|---|---:|---:|---:|---:|---:|'

local all = small and 64 or cutorch and 16384 or 4096
for _, type in ipairs(cutorch and { { 'BFloat16', 'bfloat16' }, { 'Half', 'float16' }, { 'Float', 'float32' } }
   or { { 'Float', 'float32' }, { 'BFloat16', 'bfloat16' } }) do
   local kind, theirs = unpack(type)
   for _, size in ipairs(small and { { 2, 16 } } or { { 16, 64 }, { 8, 128 } }) do
      for _, steps in ipairs(small and { 32 } or cutorch and { 512, 1024, 4096, 8192 } or { 64, 512, 2048 }) do
         for _, causal in ipairs { false, true } do rows(kind, theirs, size[1], size[2], steps, causal, all) end
      end
      collectgarbage()
   end
   for _, steps in ipairs(small and { 32 } or cutorch and { 1024, 4096 } or { 64, 512, 2048 }) do
      for _, causal in ipairs { false, true } do
         rows(kind, theirs, small and 2 or 16, small and 16 or 64, steps, causal, all, 0.1)
      end
      collectgarbage()
   end
end
-- Lengths that only fit because memory grows with the length.
if not small then
   rows(cutorch and 'BFloat16' or 'Float', cutorch and 'bfloat16' or 'float32', 1, 64, cutorch and 65536 or 16384, true, 0)
end

if other then
   measure.note('peer: %s', other.version)
   other.close()
end
if failed > 0 then os.exit(1) end
