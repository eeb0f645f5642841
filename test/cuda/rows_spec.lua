-- test/cuda/rows_spec.lua - softmax and layer normalisation for rows that a warp or a block holds, and for longer ones.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local device = require 'test.support.cuda.device'

if device.missing('rows', describe, pending) then return end

local KINDS = { Float = 'CudaTensor', Double = 'CudaDoubleTensor', Half = 'CudaHalfTensor', BFloat16 = 'CudaBFloat16Tensor' }
local LIMIT = { Float = 3e-6, Double = 1e-13, Half = 2e-3, BFloat16 = 2e-2 }
local function drawn(kind, ...)
   local x = torch.DoubleTensor(...):normal():type('torch.' .. kind .. 'Tensor')
   return x, torch[KINDS[kind]](x:size()):copy(x)
end
local function text(t) return table.concat(t:double():contiguous():view(-1):totable(), ' ') end
local function near(kind, want, got, what)
   local a, b = want:double(), got:host():double()
   local off = (a - b):abs():max()
   assert(off <= LIMIT[kind] * math.max(1, a:abs():max()), ('%s %s: %g off'):format(kind, what, off))
end

-- The longest row of each way, one more, and rows that vectors of four cannot load.
local WIDTHS = { 1, 16, 17, 60, 256, 512, 513, 1000, 1024, 1025, 2048, 2049, 4096, 4097, 8192, 8193 }

-- Memory that vectors cannot load, with the same elements: it begins late, and it has gaps between rows.
local function shifted(x)
   local rows, n = x:size(1), x:size(2)
   return x.new(rows * n + 1):narrow(1, 2, rows * n):view(rows, n):copy(x), x.new(rows, n + 1):narrow(2, 1, n):copy(x)
end

describe('softmax of rows', function()
   before_each(function() torch.manualSeed(6) end)

   it('is that of the CPU for each width', function()
      for kind in pairs(KINDS) do
         for _, n in ipairs(WIDTHS) do
            local x, there = drawn(kind, 3, n)
            local g, g_there = drawn(kind, 3, n)
            for _, f in ipairs { 'softmax', 'logsoftmax' } do
               local y, y_there = torch[f](x, 2), torch[f](there, 2)
               near(kind, y, y_there, f .. n)
               near(kind, torch[f .. '_grad'](y, g, 2), torch[f .. '_grad'](there:copy(y), g_there, 2), f .. '_grad' .. n)
               there:copy(x)
            end
         end
      end
   end)
   it('has the same bits for a view that vectors cannot load', function()
      for _, kind in ipairs { 'Float', 'Half' } do
         for _, n in ipairs { 64, 1000, 2000, 4000, 8192 } do
            local _, x = drawn(kind, 3, n)
            local late, gaps = shifted(x)
            for _, f in ipairs { 'softmax', 'logsoftmax' } do
               local y = torch[f](x, 2)
               local want, back = text(y:host()), text(torch[f .. '_grad'](y, x, 2):host())
               local y_late, y_gaps = shifted(y)
               assert(want == text(torch[f](late, 2):host()) and want == text(torch[f](gaps, 2):host()))
               assert(back == text(torch[f .. '_grad'](y_late, late, 2):host()))
               assert(back == text(torch[f .. '_grad'](y_gaps, gaps, 2):host()))
            end
         end
      end
   end)
   it('takes columns, NaN, infinities and rows of one value', function()
      local x, there = drawn('Float', 70, 90)
      near('Float', torch.softmax(x, 1), torch.softmax(there, 1), 'columns')
      x:fill(-0)
      x[1][70], x[2][3], x[3][4], x[4][5] = 0 / 0, -math.huge, -1e38, 1e38
      there:copy(x)
      for _, f in ipairs { 'softmax', 'logsoftmax' } do
         local first, first_there = torch[f](x, 2)[1]:totable(), torch[f](there, 2):host()[1]:totable()
         for j = 1, 90 do assert(first[j] ~= first[j] and first_there[j] ~= first_there[j]) end
         for row = 2, 5 do
            local a, b = torch[f](x, 2)[row], torch[f](there, 2):host()[row]
            for j = 1, 90 do assert(a[j] == b[j] or math.abs(a[j] - b[j]) < 1e-5 * math.max(1, math.abs(a[j]))) end
         end
      end
   end)
end)

describe('layer normalisation', function()
   before_each(function() torch.manualSeed(7) end)

   it('and its gradients are those of the CPU for each width', function()
      for kind in pairs(KINDS) do
         for _, n in ipairs(WIDTHS) do
            local x, x2 = drawn(kind, 3, n)
            local g, g2 = drawn(kind, 3, n)
            local w, w2 = drawn(kind, n)
            local b, b2 = drawn(kind, n)
            local y, mean, invstd = torch.layernorm(x, 1e-5, w, b)
            local y2, mean2, invstd2 = torch.layernorm(x2, 1e-5, w2, b2)
            near(kind, y, y2, 'y' .. n)
            near(kind, mean, mean2, 'mean' .. n)
            near(kind, invstd, invstd2, 'invstd' .. n)
            mean2:copy(mean)
            invstd2:copy(invstd)
            near(kind, torch.layernorm_grad(x, g, w, mean, invstd), torch.layernorm_grad(x2, g2, w2, mean2, invstd2), 'gx' .. n)
         end
      end
   end)
   it('has the same bits for a view that vectors cannot load', function()
      for _, kind in ipairs { 'Float', 'Half' } do
         for _, n in ipairs { 64, 1000, 2000, 4000, 8192 } do
            local _, x = drawn(kind, 3, n)
            local _, w = drawn(kind, n)
            local late, gaps = shifted(x)
            local w_late = w.new(n + 1):narrow(1, 2, n):copy(w)
            local y, mean, invstd = torch.layernorm(x, 1e-5, w, w)
            local gx = text(torch.layernorm_grad(x, y, w, mean, invstd):host())
            local y_late, y_gaps = shifted(y)
            assert(text(y:host()) == text((torch.layernorm(late, 1e-5, w_late, w)):host()))
            assert(text(y:host()) == text((torch.layernorm(gaps, 1e-5, w, w_late)):host()))
            assert(gx == text(torch.layernorm_grad(late, y_late, w_late, mean, invstd):host()))
            assert(gx == text(torch.layernorm_grad(gaps, y_gaps, w, mean, invstd):host()))
         end
      end
   end)
   it('sums the gradients of weight and bias over many rows', function()
      for _, size in ipairs { { 700, 40 }, { 4100, 5 }, { 129, 33 } } do
         local x, x2 = drawn('Float', unpack(size))
         local g, g2 = drawn('Float', unpack(size))
         local _, mean, invstd = torch.layernorm(x, 1e-5)
         local gw, gb = torch.FloatTensor(size[2]):zero(), torch.FloatTensor(size[2]):zero()
         local gw2, gb2 = gw:cuda(), gb:cuda()
         torch.layernorm_grad_weight(gw, gb, x, g, mean, invstd, 0.5)
         torch.layernorm_grad_weight(gw2, gb2, x2, g2, mean:cuda(), invstd:cuda(), 0.5)
         near('Float', gw, gw2, 'gw')
         near('Float', gb, gb2, 'gb')
      end
   end)
end)
