-- test/cuda/pool_spec.lua - the gradient of maxima over windows: overlapping windows, ties, NaN, windows of padding, any places.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local device = require 'test.support.cuda.device'

if device.missing('maxima over windows', describe, pending) then return end

local KINDS = { Float = 'CudaTensor', Double = 'CudaDoubleTensor', Half = 'CudaHalfTensor', BFloat16 = 'CudaBFloat16Tensor' }
local function there(kind, x) return torch[KINDS[kind]](x:size()):copy(x) end
local function text(t) return table.concat(t:double():contiguous():view(-1):totable(), ' ') end
local function drawn(kind, ...) return torch.DoubleTensor(...):random(-9, 9):div(4):type('torch.' .. kind .. 'Tensor') end

-- The same bits on the device as on the CPU, whose order of sums is that of the windows.
local function same(kind, x, index, g, op)
   local want = torch[op or 'maxpool2d_grad'](x, index, g)
   local got = torch[op or 'maxpool2d_grad'](there(kind, x), index:cudaLong(), there(kind, g)):host()
   assert(text(want) == text(got), kind .. ' ' .. tostring(x:size()))
end

describe('the gradient of maxima', function()
   before_each(function() torch.manualSeed(3) end)

   it('has the bits of the CPU for windows that overlap, gap, dilate and hang over the padding', function()
      for kind in pairs(KINDS) do
         for _, w in ipairs { { 2, 2, 2, 2, 0, 0, 1, 1 }, { 3, 3, 2, 2, 1, 1, 1, 1 }, { 3, 5, 1, 2, 0, 2, 1, 1 }, { 2, 2, 3, 3, 0, 0, 1, 1 },
            { 2, 3, 1, 1, 0, 0, 2, 3 } } do
            local x = drawn(kind, 2, 3, 13, 17)
            local _, index = torch.maxpool2d(x, unpack(w))
            local _, i2 = torch.maxpool2d(there(kind, x), unpack(w))
            assert(text(index) == text(i2:host()))
            same(kind, x, index, drawn(kind, unpack(index:size():totable())))
         end
      end
   end)
   it('takes NaN and gradients that cancel to a signed zero', function()
      local x = drawn('Float', 2, 9, 9)
      x[1][4][4], x[2][1][1] = 0 / 0, 0 / 0
      local _, index = torch.maxpool2d(x, 3, 3, 1, 1)
      local g = drawn('Float', 2, 7, 7)
      g[1][2][2] = -0
      same('Float', x, index, g)
   end)
   it('takes any places, none, and planes of other sizes', function()
      for _, size in ipairs { { 5, 6, 7, 4, 3 }, { 1, 1, 1, 9, 9 }, { 3, 40, 2, 1, 70 }, { 2, 2, 40, 20, 1 } } do
         local planes, h, w, oh, ow = unpack(size)
         local x, index = drawn('Float', planes, h, w), torch.LongTensor(planes, oh, ow):random(0, h * w)
         same('Float', x, index, drawn('Float', planes, oh, ow))
         same('Float', x, index:zero(), drawn('Float', planes, oh, ow))
      end
   end)
   it('takes volumes', function()
      for _, size in ipairs { { 4, 5, 6, 2, 3, 3 }, { 1, 5, 6, 3, 1, 4 } } do
         local d, h, w, od, oh, ow = unpack(size)
         local x, index = drawn('Double', 2, 3, d, h, w), torch.LongTensor(2, 3, od, oh, ow):random(0, d * h * w)
         same('Double', x, index, drawn('Double', 2, 3, od, oh, ow), 'maxpool3d_grad')
      end
   end)
   it('writes to memory with gaps', function()
      local x = drawn('Float', 2, 3, 8, 8)
      local _, index = torch.maxpool2d(x, 3, 3, 2, 2)
      local g = drawn('Float', unpack(index:size():totable()))
      local gx = torch.CudaTensor(8, 8, 3, 2):fill(7):permute(4, 3, 2, 1)
      torch.maxpool2d_grad(gx, there('Float', x), index:cudaLong(), there('Float', g))
      assert(text(torch.maxpool2d_grad(x, index, g)) == text(gx:host()))
   end)
end)
