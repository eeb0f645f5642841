-- test/cuda/order_spec.lua - sorts, selections, scans and counts of lines that many blocks share.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local refuses = require 'test.support.refuses'
local device = require 'test.support.cuda.device'

if device.missing('lines that blocks share', describe, pending) then return end

-- Many equal numbers, of both signs, two NaN and both zeros.
local function numbers(kind, ...)
   torch.manualSeed(5)
   local x = torch[kind .. 'Tensor'](...):random(0, 99)
   if kind == 'Byte' then return x end
   x:add(-50)
   if kind == 'Long' or kind == 'Int' or kind == 'Short' or kind == 'Char' then return x end
   local flat = x:view(-1)
   flat[7], flat[700], flat[8], flat[9] = 0 / 0, 0 / 0, -0, 0
   return x
end
local function text(t) return table.concat(t:double():contiguous():view(-1):totable(), ' ') end

-- Results on the device, and those on the CPU.
local function same(x, f)
   local kind = x:type():match 'torch%.(%w+)Tensor'
   local there = torch[('Cuda%sTensor'):format(kind == 'Float' and '' or kind)](x:size()):copy(x)
   local want, got = { f(x) }, { f(there) }
   for i = 1, #want do assert(text(want[i]) == text(got[i]:host()), x:type() .. ', result ' .. i) end
end

describe('torch.sort of a long line', function()
   it('is stable, NaN last, in both directions', function()
      for _, kind in ipairs { 'Float', 'Double', 'Half', 'Long', 'Byte' } do
         local x = numbers(kind, 7000)
         same(x, torch.sort)
         same(x, function(t) return torch.sort(t, 1, true) end)
      end
   end)
   it('sorts lines of many tiles by digits', function()
      for _, case in ipairs { { 'Float', 1, 70000 }, { 'Float', 2, 65537 }, { 'Byte', 3, 5000 }, { 'Half', 2, 9001 }, { 'Short', 2, 8193 },
         { 'Int', 1, 131072 } } do
         local kind, lines, n = unpack(case)
         torch.manualSeed(6)
         local x = torch.DoubleTensor(lines, n):random(-2 ^ 31, 2 ^ 31 - 1)
         if kind == 'Float' or kind == 'Half' then x:div(2 ^ 24) end
         x = x:type('torch.' .. kind .. 'Tensor')
         if kind == 'Float' or kind == 'Half' then x[1][17], x[1][4000], x[1][30], x[1][31] = 0 / 0, 0 / 0, -0, 0 end
         x:narrow(2, 100, 700):copy(x:narrow(2, 3000, 700))
         same(x, torch.sort)
         same(x, function(t) return torch.sort(t, 2, true) end)
      end
   end)
   it('keeps lines apart, whatever their length', function()
      for _, n in ipairs { 2, 3, 31, 1023, 1024, 1025, 3000 } do
         same(numbers('Float', 5, n + 700):narrow(2, 1, n), torch.sort)
         same(numbers('Float', n + 700, 3):narrow(1, 1, n), function(t) return torch.sort(t, 1) end)
      end
   end)
end)

describe('a selection from a long line', function()
   it('is that of the CPU', function()
      for _, kind in ipairs { 'Float', 'Long' } do
         local x = numbers(kind, 3, 2500)
         same(x, function(t) return torch.topk(t, 40, 2, true, true) end)
         same(x, function(t) return torch.topk(t, 1100, 2, false, false) end)
         same(x, function(t) return torch.kthvalue(t, 1234) end)
         same(x, torch.median)
         same(x, torch.mode)
         same(x, function(t) return torch.max(t, 2) end)
      end
   end)
   it('is that of the CPU for every type, for lines of one block and lines that blocks share', function()
      for _, kind in ipairs { 'Float', 'Double', 'Half', 'BFloat16', 'Long', 'Int', 'Short', 'Char', 'Byte' } do
         for _, size in ipairs { { 2, 1024 }, { 2, 1025 }, { 3, 8192 }, { 2, 8193 }, { 1, 20001 } } do
            local lines, n = unpack(size)
            local x = numbers(kind == 'BFloat16' and 'Float' or kind, lines, n):type('torch.' .. kind .. 'Tensor')
            for _, k in ipairs { 1, 2, 257, math.floor(n / 4), n } do
               same(x, function(t) return torch.topk(t, k, 2, true, true) end)
               same(x, function(t) return torch.topk(t, k, 2, false, false) end)
               same(x, function(t) return torch.kthvalue(t, k) end)
            end
            same(x, torch.median)
            same(x:t():contiguous(), function(t) return torch.topk(t, 30, 1, false, true) end)
         end
      end
   end)
   it('takes the first of equal elements, also of a constant line, of NaN and of zeros of both signs', function()
      for _, value in ipairs { 3, 0 / 0, -math.huge } do
         local x = torch.FloatTensor(2, 17000):fill(value)
         same(x, function(t) return torch.topk(t, 9000, 2, true, false) end)
         same(x, function(t) return torch.topk(t, 5, 2, false, true) end)
         same(x, function(t) return torch.kthvalue(t, 16999) end)
      end
      local x = torch.FloatTensor(1, 17000):fill(0)
      for i = 1, 17000, 3 do x[1][i] = -0 end
      x[1][1], x[1][16000], x[1][2] = 0 / 0, -1, 1
      for _, k in ipairs { 1, 2, 9000, 16998, 16999, 17000 } do
         same(x, function(t) return torch.kthvalue(t, k) end)
         same(x, function(t) return torch.topk(t, k, 2, true, false) end)
         same(x, function(t) return torch.topk(t, math.ceil(k / 5), 2, false, true) end)
      end
   end)
   it('takes many lines at a time', function()
      local x = torch.IntTensor(1100, 1030):random(-2 ^ 31, 2 ^ 31 - 1)
      same(x, function(t) return torch.topk(t, 3, 2, true, true) end)
      same(x, torch.median)
   end)
   it('refuses a k that is not there', function()
      local y, index, x = torch.CudaTensor{ 7 }, torch.CudaLongTensor(), torch.CudaTensor(3)
      refuses('k must lie in 1..3, the size along dimension 1, got 4', torch.kthvalue, y, index, x, 4)
      assert.same({ 7 }, y:totable())
   end)
end)

describe('a running sum of a long line', function()
   it('is exact for whole numbers, and in place', function()
      for _, n in ipairs { 65, 4096, 4097, 30000 } do
         same(numbers('Long', 2, n), function(t) return torch.cumsum(t, 2) end)
         same(numbers('Long', 2, n), function(t) return t:clone():cumsum(2) end)
         same(numbers('Long', n, 2), function(t) return torch.cumprod(t, 1) end)
      end
   end)
   it('walks lines of several tiles where there are many', function()
      for _, n in ipairs { 65, 4095, 9000 } do
         same(numbers('Long', 600, n), function(t) return torch.cumsum(t, 2) end)
         same(numbers('Long', 600, n), function(t) return t:clone():cumsum(2) end)
         same(numbers('Long', 600, n), function(t) return torch.cumprod(t, 2) end)
      end
   end)
   it('has the same bits on every run', function()
      local x = torch.CudaTensor(20000):uniform()
      assert.equal(text(x:cumsum(1):float()), text(x:cumsum(1):float()))
   end)
end)

describe('counts', function()
   it('are those of the CPU for few bins and for many', function()
      torch.manualSeed(2)
      local x = torch.FloatTensor(5, 3000):normal()
      for _, bins in ipairs { 10, 1024, 3000 } do
         same(x, function(t) return torch.histc(t, bins, -2, 2) end)
         same(x, function(t) return torch.bhistc(t, bins) end)
      end
   end)
end)
