-- test/op/conv2d_fused_spec.lua - convolutions with an addend and an activation against the ops
-- that they join.
local refuses = require 'test.support.refuses'
local lib = require 'torch.lib'
local ffi = require 'ffi'
local torch = require 'torch'

-- N x C x H x W with the channels of a pixel side by side, a part of every `step` numbers.
local function last(n, c, h, w, step)
   local t = torch.FloatTensor(n, h, w, step or c):uniform(-1, 1):permute(1, 4, 2, 3)
   return step and t:narrow(2, 2, c) or t
end

local acts = {
   none = function(y) return y end, relu = function(y) return torch.relu(y) end,
      gelu = function(y) return torch.gelu(y) end,
   clip = function(y) return torch.clamp(y, -0.25, 0.5) end,
}

-- n, c, o, h, w, kernel, stride, pad, dilation (default: 1): bands of pixels, also with a shorter
-- last one, of rows and of images, strips of planes, Winograd's tiles, few channels, kernels that
-- are larger than a cache.
local cases = {
   { 1, 64, 64, 16, 12, 1, 1, 0 }, { 2, 16, 256, 7, 7, 1, 1, 0 }, { 1, 32, 48, 14, 14, 3, 1, 1 },
      { 1, 3, 32, 64, 40, 7, 2, 3 },
   { 3, 64, 64, 28, 28, 3, 2, 1 }, { 20, 24, 8, 9, 5, 1, 2, 0 }, { 1, 5, 7, 6, 6, 3, 1, 0 },
      { 1, 256, 64, 1, 30, 1, 1, 0 },
   { 2, 3, 16, 20, 9, 3, 2, 1 }, { 1, 16, 64, 20, 20, 3, 1, 1 }, { 1, 160, 200, 13, 13, 1, 1, 0 },
   { 3, 16, 64, 48, 48, 3, 1, 1 }, { 1, 512, 40, 7, 6, 3, 1, 1 }, { 2, 20, 33, 9, 11, 3, 2, 2, 2 },
   { 1, 4, 17, 9, 8, 3, 1, 2, 2 }, { 1, 24, 100, 5, 5, 5, 1, 2 }, { 1, 40, 528, 3, 4, 1, 1, 0 },
}

local function moves(t, to)
   to:copy(t)
   return to
end

describe('conv2d_fused', function()
   it('gives what conv2d, a sum and an activation give, in any layout of its operands', function()
      for _, c in ipairs(cases) do
         local n, ci, co, h, w, k, s, p, d = unpack(c)
         d = d or 1
         local x = torch.FloatTensor(n, ci, h, w):uniform(-1, 1)
         local weight, bias = torch.FloatTensor(co, ci, k, k):uniform(-0.2, 0.2),
            torch.FloatTensor(co):uniform(-1, 1)
         local plain = torch.conv2d(torch.FloatTensor(), x, weight, bias, s, s, p, p, d, d, 1)
         local oh, ow = plain:size(3), plain:size(4)
         local add = torch.FloatTensor(n, co, oh, ow):uniform(-1, 1)
         for act, f in pairs(acts) do
            local want, with = f(plain:clone()), f(torch.add(plain, add))
            local xs = { x, moves(x, last(n, ci, h, w)), moves(x, last(n, ci, h, w, ci + 3)) }
            for _, from in ipairs(xs) do
               for _, to in ipairs { torch.FloatTensor(), last(n, co, oh, ow),
                  last(n, co, oh, ow, co + 5) } do
                  local function run(more)
                     return torch.conv2d_fused(to, from, weight, bias, s, s, p, p, d, d, 1, more,
                        act, -0.25, 0.5)
                  end
                  local text = table.concat(c, ' ') .. ' ' .. act
                  assert.is_true((run(nil):clone() - want):abs():max() < 1e-4, text)
                  assert.is_true((run(add):clone() - with):abs():max() < 1e-4, text)
                  assert.is_true((run(moves(add,
                     last(n, co, oh, ow))):clone() - with):abs():max() < 1e-4, text)
                  moves(add, to)
                  assert.is_true((run(to):clone() - with):abs():max() < 1e-4,
                     text .. ' over its addend')
               end
            end
         end
      end
   end)

   it('reads what a keeper has of kernels, with the same bits, and then not the kernels', function()
      local sufficed = 0
      for i = 1, 30 do
         local c = 16 * (i % 8 + 3)
         local x, w = last(1, c, 1, 9), torch.FloatTensor(96, c, 1, 1):uniform(-1, 1)
         x:uniform(-1, 1)
         local function run()
            return torch.conv2d_fused(last(1, 96, 1, 9), x, w, nil, 1, 1, 0, 0, 1, 1, 1, nil,
               'none', 0, 0)
         end
         local want, keeper = run(), ffi.gc(lib.C.th_conv_keeper_new(), lib.C.th_conv_keeper_free)
         for turn = 1, 3 do
            local before = lib.C.th_conv_keep(keeper)
            local ok, y = pcall(run)
            lib.C.th_conv_keep(before)
            assert(ok, y)
            assert.is_true(torch.equal(want, y), i .. ' ' .. turn)
            if lib.C.th_conv_keeper_sufficed(keeper) ~= 0 and turn == 1 then
               sufficed = sufficed + 1
               lib.C.th_conv_keeper_gone(keeper, 1)
               w:zero()
            end
         end
      end
      assert.equal(ffi.string(lib.C.th_cpu_level()) ~= 'base' and 30 or 0, sufficed)
   end)

   it('gives the same bits for any number of threads', function()
      local before = torch.getnumthreads()
      for _, c in ipairs(cases) do
         local n, ci, co, h, w, k, s, p, d = unpack(c)
         d = d or 1
         local x, weight, bias = last(n, ci, h, w), torch.FloatTensor(co, ci, k, k):uniform(-1, 1),
            torch.FloatTensor(co):uniform()
         local reach = (k - 1) * d + 1
         local oh = math.floor((h + 2 * p - reach) / s) + 1
         local ow = math.floor((w + 2 * p - reach) / s) + 1
         local results = {}
         for i, threads in ipairs { 1, 2, 5 } do
            torch.setnumthreads(threads)
            results[i] = torch.conv2d_fused(last(n, co, oh, ow), x, weight, bias, s, s, p, p, d, d,
               1, nil, 'relu', 0, 0)
         end
         assert.is_true(torch.equal(results[1], results[2])
            and torch.equal(results[1], results[3]), table.concat(c, ' '))
      end
      torch.setnumthreads(before)
   end)

   it('keeps NaN through relu and clip, in each layout', function()
      local nan = 0 / 0
      for _, y in ipairs { torch.FloatTensor(), last(1, 16, 5, 5) } do
         local x = last(1, 16, 5, 5)
         x[1][3][2][2] = nan
         for _, act in ipairs { 'relu', 'clip' } do
            local r = torch.conv2d_fused(y, x, torch.ones(16, 16, 1, 1):float(), nil, 1, 1, 0, 0,
               1, 1, 1, nil, act, -1, 1)
            assert.is_true(r[1][1][2][2] ~= r[1][1][2][2])
            assert.is_true(r[1][1][1][1] == r[1][1][1][1])
         end
      end
   end)

   it('takes doubles and halves', function()
      for _, kind in ipairs { 'Double', 'Half', 'BFloat16' } do
         local T = torch[kind .. 'Tensor']
         local y = torch.conv2d_fused(T(1, 1, 2, 2):fill(-2), T(1, 1, 1, 1):fill(1), T { 1 }, 1, 1,
            0, 0, 1, 1, 1,
            T(1, 1, 2, 2):fill(0.5), 'clip', -0.25, 1)
         assert.same({ { { { -0.25, -0.25 }, { -0.25, -0.25 } } } }, y:totable())
      end
   end)

   it('refuses wrong arguments', function()
      local x, w, b = torch.FloatTensor(1, 2, 3, 3):zero(), torch.FloatTensor(4, 2, 1, 1):zero(),
         torch.FloatTensor(4):zero()
      local function run(...) return torch.conv2d_fused(x, w, b, 1, 1, 0, 0, 1, 1, 1, ...) end
      refuses('conv2d_fused: act must be "none", "relu", "clip" or "gelu", got "tanh"', run, nil,
         'tanh')
      refuses('conv2d_fused: low must be at most high, got 1 and 0', run, nil, 'clip', 1, 0)
      refuses('conv2d_fused: low must be at most high, got', run, nil, 'clip', 0 / 0, 0)
      refuses("conv2d_fused: add must have the size of the convolution's result, 1x4x3x3, got "
         .. '1x4x3x2', run,
         torch.FloatTensor(1, 4, 3, 2))
      refuses('conv2d_fused: add must', run, torch.DoubleTensor(1, 4, 3, 3))
      refuses('conv2d_fused: bias must have 4 elements, got size 3', torch.conv2d_fused, x, w,
         torch.FloatTensor(3))
   end)
end)
