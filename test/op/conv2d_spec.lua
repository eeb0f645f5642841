-- test/op/conv2d_spec.lua - convolution against the plain sum, its gradients against their definition, and refusals.
local torch = require 'torch'

-- Values whose sums are exact in every order, so that results can be compared with ==.
local function fill(t, seed)
   local s, p = seed, t:storage()
   for i = 1, t:nElement() do
      s = (s * 1103515245 + 12345) % 2147483648
      p[i] = (math.floor(s / 65536) % 17 - 8) / 8
   end
   return t
end

local function tensor(dtype, seed, ...) return fill(torch[dtype .. 'Tensor'](...), seed) end

-- Calls f(n, o, i, j, c, a, b, ih, iw) for every product of the convolution that does not fall on the padding;
-- c counts planes of the group, ic planes of the image.
local function each_product(case, oh, ow, f)
   for n = 1, case.n do for o = 1, case.o do for i = 1, oh do for j = 1, ow do
      local first = math.floor((o - 1) / (case.o / case.groups)) * (case.c / case.groups)
      for c = 1, case.c / case.groups do for a = 1, case.kh do for b = 1, case.kw do
         local ih = (i - 1) * case.sh + (a - 1) * case.dh - case.ph + 1
         local iw = (j - 1) * case.sw + (b - 1) * case.dw - case.pw + 1
         if ih >= 1 and ih <= case.h and iw >= 1 and iw <= case.w then f(n, o, i, j, c, a, b, ih, iw, first + c) end
      end end end
   end end end end
end

local function nested(...)
   local sizes = { ... }
   local function make(d)
      if d > #sizes then return 0 end
      local t = {}
      for i = 1, sizes[d] do t[i] = make(d + 1) end
      return t
   end
   return make(1)
end

local cases = {
   { n = 2, c = 1, o = 3, h = 7, w = 6, kh = 3, kw = 2 },
   { n = 1, c = 3, o = 40, h = 9, w = 11, kh = 3, kw = 3, ph = 1, pw = 1 },
   { n = 3, c = 2, o = 5, h = 10, w = 8, kh = 3, kw = 5, sh = 2, sw = 3, ph = 2, pw = 3 },
   { n = 2, c = 4, o = 6, h = 8, w = 9, kh = 3, kw = 2, dh = 2, dw = 3, groups = 2 },
   { n = 2, c = 6, o = 6, h = 5, w = 5, kh = 3, kw = 3, ph = 1, pw = 1, groups = 6 },
   { n = 1, c = 2, o = 2, h = 4, w = 4, kh = 1, kw = 1, sh = 3, sw = 3 },
   { n = 1, c = 1, o = 1, h = 2, w = 3, kh = 5, kw = 3, ph = 3, pw = 4, sw = 2 },
   { n = 5, c = 3, o = 33, h = 6, w = 6, kh = 5, kw = 5 },
   { n = 2, c = 33, o = 35, h = 20, w = 19, kh = 3, kw = 3, ph = 1, pw = 0, sh = 1, sw = 2, dw = 2 },
}
for _, c in ipairs(cases) do
   for _, k in ipairs { 'sh', 'sw', 'dh', 'dw', 'groups' } do c[k] = c[k] or 1 end
   c.ph, c.pw = c.ph or 0, c.pw or 0
   c.text = ('%dx%dx%dx%d with %d kernels %dx%d, stride %dx%d, padding %dx%d, dilation %dx%d, %d groups'):format(
      c.n, c.c, c.h, c.w, c.o, c.kh, c.kw, c.sh, c.sw, c.ph, c.pw, c.dh, c.dw, c.groups)
end

local function integers(c) return c.sh, c.sw, c.ph, c.pw, c.dh, c.dw, c.groups end

local function operands(c, dtype)
   local x, w = tensor(dtype, 1, c.n, c.c, c.h, c.w), tensor(dtype, 2, c.o, c.c / c.groups, c.kh, c.kw)
   return x, w, tensor(dtype, 3, c.o)
end

for _, dtype in ipairs { 'Double', 'Float' } do
   describe('conv2d of ' .. dtype .. 'Tensors', function()
      for _, c in ipairs(cases) do
         it('is the plain sum: ' .. c.text, function()
            local x, w, bias = operands(c, dtype)
            local y = torch.conv2d(x, w, bias, integers(c))
            local oh, ow = y:size(3), y:size(4)
            assert.same({ c.n, c.o, math.floor((c.h + 2 * c.ph - (c.kh - 1) * c.dh - 1) / c.sh) + 1,
               math.floor((c.w + 2 * c.pw - (c.kw - 1) * c.dw - 1) / c.sw) + 1 }, y:size():totable())
            local X, W, B, Y = x:totable(), w:totable(), bias:totable(), nested(c.n, c.o, oh, ow)
            for n = 1, c.n do for o = 1, c.o do for i = 1, oh do for j = 1, ow do Y[n][o][i][j] = B[o] end end end end
            each_product(c, oh, ow, function(n, o, i, j, k, a, b, ih, iw, ic)
               Y[n][o][i][j] = Y[n][o][i][j] + X[n][ic][ih][iw] * W[o][k][a][b]
            end)
            assert.same(Y, y:totable())
         end)

         it('has the gradients of the plain sum: ' .. c.text, function()
            local x, w = operands(c, dtype)
            local y = torch.conv2d(x, w, nil, integers(c))
            local g = tensor(dtype, 4, c.n, c.o, y:size(3), y:size(4))
            local gx = torch.conv2d_grad_input(x, g, w, integers(c))
            local gw, gb = tensor(dtype, 5, c.o, c.c / c.groups, c.kh, c.kw), tensor(dtype, 6, c.o)
            local GW, GB = gw:totable(), gb:totable()
            torch.conv2d_grad_weight(gw, gb, x, g, 0.5, integers(c))
            local X, W, G, GX = x:totable(), w:totable(), g:totable(), nested(c.n, c.c, c.h, c.w)
            each_product(c, y:size(3), y:size(4), function(n, o, i, j, k, a, b, ih, iw, ic)
               GX[n][ic][ih][iw] = GX[n][ic][ih][iw] + G[n][o][i][j] * W[o][k][a][b]
               GW[o][k][a][b] = GW[o][k][a][b] + 0.5 * G[n][o][i][j] * X[n][ic][ih][iw]
            end)
            for n = 1, c.n do for o = 1, c.o do for i = 1, y:size(3) do for j = 1, y:size(4) do
               GB[o] = GB[o] + 0.5 * G[n][o][i][j]
            end end end end
            assert.same(GX, gx:totable())
            assert.same(GW, gw:totable())
            assert.same(GB, gb:totable())
         end)
      end

      it('takes operands of any strides and writes into results with gaps', function()
         local c = cases[3]
         local x, w, bias = operands(c, dtype)
         local y = torch.conv2d(x, w, bias, integers(c))
         local g = fill(y:clone(), 9)
         local gx = torch.conv2d_grad_input(x, g, w, integers(c))
         local function mixed(t)                                 -- the same values, dimensions stored in reverse
            local m = t:transpose(1, 4):transpose(2, 3):contiguous()
            return m:transpose(2, 3):transpose(1, 4)
         end
         local gap = tensor(dtype, 8, c.n, c.o, y:size(3), 2 * y:size(4)):narrow(4, 1, y:size(4))
         assert.same(y:totable(), torch.conv2d(gap, mixed(x), mixed(w), bias, integers(c)):totable())
         local gaps = tensor(dtype, 8, c.n, c.c, c.h, 2 * c.w):narrow(4, 2, c.w)
         assert.same(gx:totable(), torch.conv2d_grad_input(gaps, mixed(x), mixed(g), mixed(w), integers(c)):totable())
         local gw, gw2 = fill(w:clone(), 1), mixed(fill(w:clone(), 1))
         torch.conv2d_grad_weight(gw, x, g, 1, integers(c))
         torch.conv2d_grad_weight(gw2, mixed(x), mixed(g), 1, integers(c))
         assert.same(gw:totable(), gw2:totable())
      end)

      it('takes one image without a batch', function()
         local c = cases[2]
         local x, w, bias = operands(c, dtype)
         local y = torch.conv2d(x, w, bias, integers(c))
         assert.same(y[1]:totable(), torch.conv2d(x[1], w, bias, integers(c)):totable())
         assert.same(torch.conv2d_grad_input(x, y, w, integers(c))[1]:totable(),
            torch.conv2d_grad_input(x[1], y[1], w, integers(c)):totable())
      end)
   end)
end

describe('conv2d', function()
   it('of halves computes in float and rounds once', function()
      local c = cases[2]
      local x, w, bias = operands(c, 'Float')
      local y = torch.conv2d(x, w, bias, integers(c))
      local h = torch.conv2d(x:half(), w:half(), bias:half(), integers(c))
      assert.same(y:half():totable(), h:totable())
      assert.same(torch.conv2d_grad_input(x, y, w, integers(c)):half():totable(),
         torch.conv2d_grad_input(x:half(), y:half(), w:half(), integers(c)):totable())
   end)

   it('gives the same bits with one thread as with several', function()
      local x, w, bias = torch.FloatTensor(9, 5, 31, 33), torch.FloatTensor(37, 5, 3, 3), torch.FloatTensor(37)
      local g = torch.FloatTensor(9, 37, 31, 33)
      for _, t in ipairs { x, w, bias, g } do t:uniform(-1, 1) end
      local before, results = torch.getnumthreads(), {}
      for _, n in ipairs { 1, 2, 5 } do
         torch.setnumthreads(n)
         local gw, gb = w:clone(), bias:clone()
         torch.conv2d_grad_weight(gw, gb, x, g, 1, 1, 1, 1, 1)
         results[#results + 1] = { torch.conv2d(x, w, bias, 1, 1, 1, 1):totable(),
            torch.conv2d_grad_input(x, g, w, 1, 1, 1, 1):totable(), gw:totable(), gb:totable() }
      end
      torch.setnumthreads(before)
      assert.same(results[1], results[2])
      assert.same(results[1], results[3])
   end)

   it('of no image is empty, and adds nothing to the gradients', function()
      local x = torch.FloatTensor():resize(0, 2, 5, 5)
      local w, gw = torch.FloatTensor(3, 2, 3, 3):fill(1), torch.FloatTensor(3, 2, 3, 3):fill(2)
      local y = torch.conv2d(x, w)
      assert.same({ 0, 3, 3, 3 }, y:size():totable())
      assert.same({ 0, 2, 5, 5 }, torch.conv2d_grad_input(x, y, w):size():totable())
      torch.conv2d_grad_weight(gw, x, y)
      assert.same(2, gw[3][2][3][3])
   end)

   local function refused(message, f, ...)
      local ok, e = pcall(f, ...)
      assert.is_false(ok)
      assert.is_truthy(e:find(message, 1, true), e)
   end

   it('refuses what does not fit, and says why', function()
      local x, w = torch.FloatTensor(2, 3, 5, 5), torch.FloatTensor(4, 3, 3, 3)
      refused('conv2d: x must have 3 planes in 1 group for weight of size 4x3x3x3, got size 2x5x5', torch.conv2d,
         torch.FloatTensor(2, 5, 5), w)
      refused('must be at least as large as the kernel', torch.conv2d, torch.FloatTensor(2, 3, 2, 5), w)
      refused('weight must be a FloatTensor like x, got a DoubleTensor', torch.conv2d, x, w:double())
      refused('x must be a Float, Double, Half or BFloat16 tensor, got a LongTensor', torch.conv2d, x:long(), w:long())
      refused('strideW must lie in 1..2147483647, got 0', torch.conv2d, x, w, nil, 1, 0)
      refused('padH must lie in 0..2147483647, got -1', torch.conv2d, x, w, nil, 1, 1, -1)
      refused('dilationH must lie in 1..2147483647, got 0', torch.conv2d, x, w, nil, 1, 1, 0, 0, 0)
      refused('bias must have 4 elements, got size 3', torch.conv2d, x, w, torch.FloatTensor(3))
      refused('planes in 2 groups', torch.conv2d, x, w, nil, 1, 1, 0, 0, 1, 1, 2)
      refused('would have more pixels than can be counted', torch.conv2d, x, w, nil, 2 ^ 31 - 1, 2 ^ 31 - 1, 2 ^ 31 - 1, 2 ^ 31 - 1)
      refused('weight must have 4 dimensions, got size 3x3', torch.conv2d, x, torch.FloatTensor(3, 3))
      refused('g must have the size of the convolution\'s result, 2x4x3x3, got 2x4x3x4', torch.conv2d_grad_input, x,
         torch.FloatTensor(2, 4, 3, 4), w)
   end)

   it('refuses before it writes', function()
      local gw = torch.FloatTensor(4, 3, 3, 3):fill(7)
      refused('g must have the size', torch.conv2d_grad_weight, gw, torch.FloatTensor(2, 3, 5, 5),
         torch.FloatTensor(2, 4, 3, 4))
      assert.same(7, gw[4][3][3][3])
   end)
end)
