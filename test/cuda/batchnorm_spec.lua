-- test/cuda/batchnorm_spec.lua - batch and layer normalization on a device: sizes, alignment, a
-- ReLU, floats beside halves.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local device = require 'test.support.cuda.device'

if device.missing('batch normalization on a device', describe, pending) then return end
local cudnn = require 'cudnn'
require 'cunn'

local NEAR = { Double = 1e-12, Float = 1e-5, Half = 4e-3, BFloat16 = 3e-2 }
local SIZES = { { 3, 5, 16, 8 }, { 4, 3, 2, 6 }, { 3, 4, 7, 7 }, { 40, 37 }, { 3, 40, 1, 1 },
   { 6, 2, 64, 64 } }

local function there(t) return t and t['cuda'
   .. (t:type():match '^torch%.(%w+)Tensor'):gsub('^Float$', '')](t) end

-- Arguments of a call on the CPU.
local function drawn(kind, size, wide)
   torch.manualSeed(5)
   local function draw(...)
      local t = torch.FloatTensor(...):uniform(-1, 1)
      return t:type(('torch.%sTensor'):format(kind))
   end
   local function vector(lo, hi)
      local t = torch.FloatTensor(size[2]):uniform(lo, hi)
      return wide and t or t:type(('torch.%sTensor'):format(kind))
   end
   return { x = draw(unpack(size)):add(3), g = draw(unpack(size)), weight = vector(-1, 1), bias =
      vector(-1, 1), rm = vector(-1, 1),
      rv = vector(1, 2), gw = vector(-1, 1), gb = vector(-1, 1) }
end

-- All results; with relu, the gradient is masked in place.
local function results(a, train, relu)
   local r = { rm = a.rm:clone(), rv = a.rv:clone(), gw = a.gw:clone(), gb = a.gb:clone(), gy =
      a.g:clone() }
   r.y, r.mean, r.invstd = torch.batchnorm(a.x, a.weight, a.bias, r.rm, r.rv, train, 0.1, 1e-3,
      relu)
   r.gx = torch.batchnorm_grad(a.x, r.gy, a.weight, r.mean, r.invstd, r.gw, r.gb, train, 0.5, relu
      and r.y or nil, relu and r.gy or nil)
   return r
end

local function mapped(a, f)
   local t = {}
   for name, v in pairs(a) do t[name] = f(v) end
   return t
end

-- A copy whose elements begin an element behind a multiple of 16 bytes.
local function shifted(t)
   local room = t.new(t:nElement() + 1)
   return room:narrow(1, 2, t:nElement()):view(t:size()):copy(t)
end

describe('batch normalization on a device, by our kernels', function()
   local kept
   setup(function() kept, cudnn.enabled = cudnn.enabled, false end)
   teardown(function() cudnn.enabled = kept end)

   for kind, near in pairs(NEAR) do
      for _, wide in ipairs { false, true } do
         if not wide or kind == 'Half' or kind == 'BFloat16' then
            it(('gives what the CPU gives, in %s%s'):format(kind, wide and ' beside floats' or ''),
               function()
               for _, size in ipairs(SIZES) do
                  for _, how in ipairs { { true, true }, { true, false }, { false, true } } do
                     local a = drawn(kind, size, wide)
                     local want, got = results(a, unpack(how)),
                        results(mapped(a, there), unpack(how))
                     for name, w in pairs(want) do
                        local what = ('%s of %s, train = %s'):format(name,
                           table.concat(size, ' x '), tostring(how[1]))
                        assert.equal(w:type(), got[name]:host():type(), what)
                        local d, v = got[name]:host():double(), w:double()
                        assert.is_true((d - v):norm() <= near * math.max(1, v:norm()), what)
                     end
                  end
               end
            end)
         end
      end

      it('has the same bits at any address, and for views with gaps, in ' .. kind, function()
         for _, size in ipairs(SIZES) do
            local a = mapped(drawn(kind, size, false), there)
            local want = mapped(results(a, true, true), function(t) return t:host():totable() end)
            local moved = mapped(a, shifted)
            assert.same(want, mapped(results(moved, true, true),
               function(t) return t:host():totable() end))
            if #size == 4 then
               for _, name in ipairs { 'x', 'g' } do moved[name] =
                  a[name]:transpose(2, 4):contiguous():transpose(2, 4) end
               assert.is_false(moved.x:isContiguous() and size[3] * size[4] > 1)
               assert.same(want, mapped(results(moved, true, true),
                  function(t) return t:host():totable() end))
            end
         end
      end)
   end

   it('gives the gradient in the memory of gradOutput', function()
      local a = mapped(drawn('Float', { 4, 3, 8, 8 }, false), there)
      local want = results(a, true, false)
      for _, prefer in ipairs { false, true } do
         local enabled, preferred = cudnn.enabled, cudnn.prefer
         cudnn.enabled, cudnn.prefer = prefer, prefer
         local g = a.g:clone()
         local ok, why = pcall(torch.batchnorm_grad, g, a.x, g, a.weight, want.mean, want.invstd,
            nil, nil, true)
         cudnn.enabled, cudnn.prefer = enabled, preferred
         assert(ok, why)
         assert.same(want.gx:host():totable(), g:host():totable())
      end
   end)

   it('keeps a small variance beside a large mean', function()
      local x = torch.FloatTensor(64, 3, 16, 16):uniform(-1, 1):add(4096)
      local _, mean, invstd = torch.batchnorm(x, nil, nil, nil, nil, true)
      local _, m, i = torch.batchnorm(x:cuda(), nil, nil, nil, nil, true)
      assert.is_true((m:float() - mean):abs():max() < 1e-3)
      assert.is_true((i:float():cdiv(invstd) - 1):abs():max() < 1e-5)
   end)

   it('of equal elements has no variance', function()
      local y, mean, invstd = torch.batchnorm(torch.CudaTensor(4, 2, 3, 3):fill(0.1), nil, nil, nil,
         nil, true, 0.1, 1e-4)
      assert.equal(0, y:abs():max())
      assert.near(0.1, mean[1], 1e-7)
      assert.near(100, invstd[2], 1e-3)
   end)
end)

describe('batch normalization with a ReLU', function()
   it('never goes to cuDNN, which has none for this layout', function()
      local kept = cudnn.prefer
      local a = mapped(drawn('Float', { 4, 3, 8, 8 }), there)
      local want = mapped(results(a, true, true), function(t) return t:host():totable() end)
      cudnn.prefer = true
      local ok, got = pcall(results, a, true, true)
      cudnn.prefer = kept
      assert(ok, got)
      assert.same(want, mapped(got, function(t) return t:host():totable() end))
   end)

   it('is one op in an nn.Sequential on a device', function()
      local net = nn.Sequential():add(nn.SpatialBatchNormalization(3)):add(nn.ReLU(true)):float()
      local x, g = torch.FloatTensor(4, 3, 5, 4):uniform(-1, 1),
         torch.FloatTensor(4, 3, 5, 4):uniform(-1, 1)
      local y, gx = net:forward(x):clone(), net:backward(x, g:clone()):clone()
      net:cuda()
      local there_g = g:cuda()
      assert.is_true((net:forward(x:cuda()):float() - y):abs():max() < 1e-5)
      assert.is_true((net:backward(x:cuda(), there_g):float() - gx):abs():max() < 1e-5)
      assert.same(torch.threshold_grad(y, y, g, 0, 0):totable(), there_g:float():totable())
      assert.same(there_g:float():totable(), net:get(2).gradInput:float():totable())
   end)
end)

describe('layer normalization on a device', function()
   it('adds its gradient to that of another branch, with the bits of two calls', function()
      for kind in pairs(NEAR) do
         for _, n in ipairs { 8, 33, 512, 1030, 8300 } do
            local function draw(...)
               local t = torch.FloatTensor(...):uniform(-1, 1)
               return there(t:type(('torch.%sTensor'):format(kind)))
            end
            local x, g, w, base = draw(5, n), draw(5, n), draw(n), draw(5, n)
            local _, mean, invstd = torch.layernorm(x, 1e-5, w)
            local want = torch.layernorm_grad(x, g, w, mean, invstd)
            local total = (base + want):host():totable()
            for _, b in ipairs { base, shifted(base) } do
               local gx, sum = torch.layernorm_grad_sum(x, g, w, mean, invstd, b)
               assert.same(want:host():totable(), gx:host():totable())
               assert.same(total, sum:host():totable())
               torch.layernorm_grad_sum(gx, b, x, g, w, mean, invstd, b)
               assert.same(sum:host():totable(), b:host():totable())
            end
         end
      end
   end)

   for _, kind in ipairs { 'Half', 'BFloat16' } do
      it(('takes floats beside %s, as the CPU does'):format(kind), function()
         for _, n in ipairs { 8, 33, 512, 1030, 8300 } do
            local function draw(...) return torch.FloatTensor(...):uniform(-1, 1) end
            local short = ('torch.%sTensor'):format(kind)
            local x, g = draw(5, n):type(short), draw(5, n):type(short)
            local w, b = draw(n), draw(n)
            local function all(f)
               local X, G, W, B, gw, gb = f(x), f(g), f(w), f(b), f(draw(n):fill(1)),
                  f(draw(n):fill(1))
               local y, mean, invstd = torch.layernorm(X, 1e-5, W, B)
               torch.layernorm_grad_weight(gw, gb, X, G, mean, invstd, 0.5)
               return { y, mean, invstd, torch.layernorm_grad(X, G, W, mean, invstd), gw, gb }
            end
            local got = all(there)
            for i, want in ipairs(all(function(t) return t end)) do
               assert.equal(want:type(), got[i]:host():type())
               local near = want:type() == short and NEAR[kind] or 1e-5
               assert.is_true((got[i]:host():double() - want:double()):norm() <= near * math.max(1,
                  want:double():norm()), ('%d of %d'):format(i, n))
            end
         end
      end)
   end
end)
