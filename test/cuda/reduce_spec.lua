-- test/cuda/reduce_spec.lua - folds of tall, wide, narrow and long matrices, which blocks share in stretches.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local device = require 'test.support.cuda.device'

if device.missing('folds that blocks share', describe, pending) then return end

local function there(x)
   local kind = x:type():match 'torch%.(%w+)Tensor'
   return torch[('Cuda%sTensor'):format(kind == 'Float' and '' or kind)](x:size()):copy(x)
end
local function drawn(kind, ...)
   torch.manualSeed(8)
   local whole = kind == 'Long' or kind == 'Byte'
   local x = torch.DoubleTensor(...)
   return (whole and x:random(0, 9) or x:normal()):type('torch.' .. kind .. 'Tensor')
end
local function text(t) return table.concat(t:double():contiguous():view(-1):totable(), ' ') end

local LIMIT = { Float = 2e-6, Double = 1e-13, Half = 2e-3, BFloat16 = 2e-2, Long = 0, Byte = 0 }
local function near(kind, want, got, what)
   got = got:host()
   assert(want:isSameSizeAs(got) and want:type() == got:type(), what)
   local a, b = want:double(), got:double()
   local off = (a - b):abs():max()
   assert(off <= LIMIT[kind] * math.max(1, a:abs():max()), ('%s: %g off'):format(what, off))
end

-- The sizes of each way: rows in stretches, narrow and wide groups of columns, one stretch, a thread for each line.
local SIZES = { { 4200, 140 }, { 3000, 3 }, { 2600, 8 }, { 70, 4100 }, { 63, 40 }, { 64, 33 }, { 9, 1001 }, { 2, 17000 }, { 17000, 1 },
   { 1, 8193 } }

describe('a fold along a dimension', function()
   it('is that of the CPU for each cut', function()
      for _, kind in ipairs { 'Float', 'Double', 'Half', 'BFloat16', 'Long', 'Byte' } do
         for _, size in ipairs(SIZES) do
            local x = drawn(kind, unpack(size))
            local y = there(x)
            for dim = 1, 2 do
               local what = ('%s %dx%d, dim %d'):format(kind, size[1], size[2], dim)
               near(kind, x:sum(dim), y:sum(dim), 'sum of ' .. what)
               if LIMIT[kind] > 0 then
                  near(kind, x:mean(dim), y:mean(dim), 'mean of ' .. what)
                  near(kind, x:norm(1, dim), y:norm(1, dim), 'norm of ' .. what)
                  if size[dim] > 1 then near(kind, x:var(dim), y:var(dim), 'var of ' .. what) end
               end
            end
         end
      end
   end)
   it('has the same bits for a view that vectors cannot load', function()
      for _, kind in ipairs { 'Float', 'Double', 'Half' } do
         for _, size in ipairs { { 1300, 132 }, { 3, 9000 }, { 40, 600 } } do
            local x, n = there(drawn(kind, unpack(size))), size[1] * size[2]
            local odd = x.new(n + 1):narrow(1, 2, n):viewAs(x):copy(x)
            local gaps = x.new(size[1], size[2] + 1):narrow(2, 1, size[2]):copy(x)
            for dim = 1, 2 do
               for _, f in ipairs { 'sum', 'var' } do
                  local want = text(x[f](x, dim):host())
                  assert(want == text(odd[f](odd, dim):host()), kind .. ' ' .. f)
                  assert(want == text(gaps[f](gaps, dim):host()), kind .. ' ' .. f)
               end
            end
         end
      end
   end)
   it('of one line has the bits of the fold of everything', function()
      for _, n in ipairs { 1, 5, 640, 8192, 8193, 70000 } do
         local x = torch.CudaDoubleTensor(n):normal()
         assert.equal(x:sum(), x:sum(1)[1])
         assert.equal(x:norm(3), x:norm(3, 1)[1])
         if n > 1 then assert.equal(x:var(), x:var(1)[1]) end
      end
   end)
   it('takes the middle dimension of three, and one of two numbers', function()
      for _, size in ipairs { { 3, 700, 20 }, { 2, 900, 2 }, { 5, 64, 9 } } do
         local x = drawn('Float', unpack(size))
         near('Float', x:sum(2), there(x):sum(2), 'sum')
         near('Float', x:std(2), there(x):std(2), 'std')
      end
   end)
   it('keeps a NaN in its line', function()
      local x = drawn('Float', 2000, 40)
      x[1999][7] = 0 / 0
      for _, f in ipairs { function(t) return t:sum(1) end, function(t) return t:norm(math.huge, 1) end, function(t) return t:var(1) end } do
         local y = f(there(x)):host():view(-1):totable()
         for j = 1, 40 do assert((y[j] ~= y[j]) == (j == 7)) end
      end
   end)
end)

describe('a product of a matrix and a vector', function()
   it('is that of the CPU for tall, wide and transposed matrices', function()
      for _, kind in ipairs { 'Float', 'Double', 'Half', 'Long' } do
         for _, size in ipairs { { 2100, 130 }, { 130, 2100 }, { 1, 9000 }, { 9000, 1 }, { 65, 12 } } do
            local a, u, v = drawn(kind, unpack(size)), drawn(kind, size[1]), drawn(kind, size[2])
            near(kind, torch.mv(a, v), torch.mv(there(a), there(v)), 'mv')
            near(kind, torch.addmv(2, v, 3, a:t(), u), torch.addmv(2, there(v), 3, there(a):t(), there(u)), 'addmv')
            local ones = torch.ones(size[1]):type(a:type())
            near(kind, v:clone():addmv(a:t(), ones), there(v):addmv(there(a):t(), there(ones)), 'addmv in place')
         end
      end
   end)
end)
