-- bench/conv.lua - the layers of convnet-benchmarks and long filters in one dimension, in three passes.
--    th bench/conv.lua [-threads 2] [-peer pytorch] [-rounds 3] [-batch 16] [-layers L1,L2,c256] [-errors no]
-- Without a peer the engine gemm stands in for one. The error is that of floats against gemm in double, relative to the
-- result's norm.
package.path = './?.lua;' .. package.path
local torch = require 'torch'
local measure = require 'bench.lib.measure'
local peer = require 'bench.lib.peer'

-- name, side of the image (or length, height 1), planes, results, kernel, least ratio of each pass
local LAYERS = {
   { 'L1', 128, 3, 96, 11, { 2 } }, { 'L2', 64, 64, 128, 9, { 4, 4, 4 } }, { 'L3', 32, 128, 128, 9, { 4, 4, 4 } },
   { 'L4', 16, 128, 128, 7, { 2 } }, { 'L5', 13, 384, 384, 3, {} },
}
local LENGTH = 64000
for k, least in pairs { [16] = 0, [64] = 0, [256] = 20, [1024] = 60, [4096] = 0 } do
   table.insert(LAYERS, { 'c' .. k, LENGTH, 64, 64, k, { least > 0 and least or nil }, line = true })
end
table.sort(LAYERS, function(a, b)
   if a.line ~= b.line then return b.line == true end
   if a.line then return a[5] < b[5] end
   return a[1] < b[1]
end)

local options = measure.options(arg or {}, { batch = 16, layers = 'L1,L2,L3,L4,L5,c16,c64,c256,c1024', errors = 'yes' })
torch.setnumthreads(options.threads)
torch.manualSeed(1)
local other = peer.wanted(options, 'ops', tostring(options.threads))

local function wanted(name) return (',' .. options.layers .. ','):find(',' .. name .. ',', 1, true) end
local function uniform(...) return torch.FloatTensor(...):uniform(-1, 1) end
local function off(a, b) return (a:double() - b):norm() / b:norm() end

local function with(engine, f)
   return function()
      torch.conv.engine = engine
      f()
      torch.conv.engine = nil
   end
end

local PASSES = { 'forward', 'gradInput', 'gradWeight' }
local THEIRS = {
   'F.conv2d(x, w, b)',
   'torch.ops.aten.convolution_backward(g, x, w, [%d], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True, False, False])',
   'torch.ops.aten.convolution_backward(g, x, w, [%d], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [False, True, False])',
}

local function layer(l)
   local name, side, c, o, k, least = unpack(l, 1, 6)
   local n, h, kh = l.line and 1 or options.batch, l.line and 1 or side, l.line and 1 or k
   local x, w, b = uniform(n, c, h, side), uniform(o, c, kh, k), torch.FloatTensor(o):zero()
   local y = torch.conv2d(x, w, b)
   local g = uniform(unpack(y:size():totable()))
   local gx, gw = x:clone(), w:clone():zero()
   local ours = {
      function() torch.conv2d(y, x, w, b) end,
      function() torch.conv2d_grad_input(gx, x, g, w) end,
      function() torch.conv2d_grad_weight(gw, x, g) end,
   }
   if other then
      other.ask 'do import torch.nn.functional as F'
      other.ask(('do x, w, b = torch.rand(%d, %d, %d, %d), torch.rand(%d, %d, %d, %d), torch.zeros(%d)'):format(n, c, h, side, o,
         c, kh, k, o))
      other.ask 'do g = torch.rand_like(F.conv2d(x, w, b))'
   end
   for p, pass in ipairs(PASSES) do
      local functions = { function() return measure.time(ours[p]) end }
      if other then functions[2] = function() return other.time(1, (THEIRS[p]:gsub('%%d', o))) end
      else functions[2] = function() return measure.time(with('gemm', ours[p])) end end
      local medians, ratio = measure.interleaved(options.rounds, functions)
      local limit, kept = other and least[p], nil
      if other then kept = 1 / ratio >= (limit or 0.95) end
      measure.row(('%s, batch %d, %s: %s'):format(name, n, pass, torch.conv.choice(pass, x, w)),
         limit and ('>= %g of PyTorch'):format(limit) or other and '>= 1 of PyTorch' or '(of gemm)',
         ('%.2f ms'):format(medians[1] * 1e3), ('%.2f ms'):format(medians[2] * 1e3), 1 / ratio, kept)
   end
   return function()                          -- the error, apart: it takes long, in double
      gw:zero()
      for p = 1, 3 do ours[p]() end
      local gw2 = w:double():zero()
      local y2, gx2
      with('gemm', function()
         y2 = torch.conv2d(x:double(), w:double(), b:double())
         gx2 = torch.conv2d_grad_input(x:double(), g:double(), w:double())
         torch.conv2d_grad_weight(gw2, x:double(), g:double())
      end)()
      measure.note('%s: off by %.1e, %.1e, %.1e of the norm of result, gradInput, gradWeight', name, off(y, y2), off(gx, gx2),
         off(gw, gw2))
   end
end

local errors = {}
for _, l in ipairs(LAYERS) do if wanted(l[1]) then errors[#errors + 1] = layer(l) end end
if other then
   measure.note('peer: %s', other.version)
   other.close()
end
if options.errors ~= 'no' then for _, f in ipairs(errors) do f() end end
