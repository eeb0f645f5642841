-- test/cuda/gemm_spec.lua - products of matrices on the device: every layout, by cuBLAS and by our own tiles.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local refuses = require 'test.support.refuses'
local device = require 'test.support.cuda.device'
local cutorch = device.cutorch

if device.missing('products on a CUDA device', describe, pending) then return end
local th = os.getenv 'TH' or 'build/bin/th'
local emulator = nil
if cutorch.getDeviceProperties(1).emulated then
   require 'ffi'.cdef 'double th_emu_count(const char *name);'
   emulator = require 'cutorch.backend'.C
end

-- Numbers that products and sums of this size keep to the last bit, of which bfloat16 has eight.
local function numbers(kind, ...)
   local x = torch[kind .. 'Tensor'](...)
   local flat = x:view(-1)
   local most, low = kind == 'BFloat16' and 3 or 13, kind == 'BFloat16' and 1 or 4
   for i = 1, flat:size(1) do flat[i] = (i * 7) % most - low end
   return x
end

-- x as it lies in memory by rows, by columns, with gaps, or with both.
local LAYOUTS = {
   rows = function(x) return x:clone() end,
   columns = function(x) return x:transpose(x:dim() - 1, x:dim()):clone():transpose(x:dim() - 1, x:dim()) end,
   gaps = function(x)
      local size = x:size():totable()
      size[#size], size[#size - 1] = 2 * size[#size], size[#size - 1] + 3
      local y = x.new():resize(torch.LongStorage(size)):fill(99):unfold(#size, 1, 2):select(#size + 1, 1)
      return y:narrow(#size - 1, 2, x:size(#size - 1)):copy(x)
   end,
   wide = function(x)
      local size = x:size():totable()
      size[#size] = size[#size] + 5
      return x.new():resize(torch.LongStorage(size)):fill(99):narrow(#size, 3, x:size(#size)):copy(x)
   end,
}

local function there(x)
   local kind = x:type():match 'torch%.(%w+)Tensor'
   local s = x:storage()
   local word = kind == 'Float' and '' or kind
   return torch['Cuda' .. word .. 'Tensor'](torch['Cuda' .. word .. 'Storage'](#s):copy(s), x:storageOffset(), x:size(), x:stride())
end

local SIZES = { { 1, 1, 1 }, { 5, 7, 3 }, { 1, 70, 9 }, { 66, 1, 17 }, { 65, 130, 33 }, { 64, 64, 16 } }

describe('the product of matrices on a CUDA device', function()
   for _, kind in ipairs{ 'Double', 'Float', 'Long' } do
      it(('is that of the CPU for a %sTensor in every layout'):format(kind), function()
         for _, size in ipairs(SIZES) do
            local m, n, k = unpack(size)
            local a, b, c = numbers(kind, m, k), numbers(kind, k, n), numbers(kind, m, n)
            local want = torch.addmm(2, c, 3, a, b)
            for la, fa in pairs(LAYOUTS) do
               for lb, fb in pairs(LAYOUTS) do
                  for lc, fc in pairs(LAYOUTS) do
                     local y = there(fc(c))
                     y:addmm(2, y, 3, there(fa(a)), there(fb(b)))
                     assert(torch.equal(want, y:host()), ('%dx%dx%d: %s, %s, %s'):format(m, n, k, la, lb, lc))
                  end
               end
            end
         end
      end)
   end
   it('of a batch, and its sum, are those of the CPU in every layout', function()
      local a, b, c, s = numbers('Double', 4, 5, 9), numbers('Double', 4, 9, 6), numbers('Double', 4, 5, 6), numbers('Double', 5, 6)
      for _, fa in pairs(LAYOUTS) do
         for _, fb in pairs(LAYOUTS) do
            local x, z = there(fa(a)), there(fb(b))
            assert(torch.equal(torch.baddbmm(c, a, b), torch.baddbmm(there(c), x, z):host()))
            assert(torch.equal(torch.addbmm(2, s, 3, a, b), torch.addbmm(2, there(s), 3, x, z):host()))
         end
      end
      local one = numbers('Double', 1, 9, 6):expand(4, 9, 6)
      assert(torch.equal(torch.bmm(a, one), torch.bmm(there(a), there(one)):host()))
   end)
   it('reads nothing that beta 0 hides, and scales where there is nothing to sum', function()
      local y = torch.CudaTensor(2, 2):fill(0 / 0)
      y:addmm(0, y, 1, torch.CudaTensor(2, 3):fill(1), torch.CudaTensor(3, 2):fill(1))
      assert.same({ { 3, 3 }, { 3, 3 } }, y:totable())
      y:addmm(2, y, 1, torch.CudaTensor(2, 0), torch.CudaTensor(0, 2))
      assert.same({ { 6, 6 }, { 6, 6 } }, y:totable())
   end)
   for _, kind in ipairs { 'Float', 'Half', 'BFloat16', 'Double', 'Int' } do
      it(('and a row that repeats is that of the CPU for a %sTensor'):format(kind), function()
         for _, size in ipairs(SIZES) do
            local m, n, k = unpack(size)
            local a, b = numbers(kind, m, k), numbers(kind, n, k)
            for _, first in ipairs { 1, 2 } do                  -- at a multiple of 16 bytes, or not
               local row = numbers(kind, n + 1):narrow(1, first, n)
               local c = there(row):view(1, n):expand(m, n)
               local want = torch.addmm(row:view(1, n):expand(m, n), a, b:t())
               local y = torch.addmm(c, there(a), there(b):t())
               assert(torch.equal(want, y:host()), ('%dx%dx%d'):format(m, n, k))
               y = torch.addmm(c, 2, there(a), there(b:t():clone()))
               want = torch.addmm(row:view(1, n):expand(m, n), 2, a, b:t())
               assert(torch.equal(want, y:host()), ('%dx%dx%d'):format(m, n, k))
            end
         end
      end)
   end
   it('and a row that repeats is one kernel for operands at multiples of 16 bytes', function()
      local without = os.getenv 'TH_CUBLAS' == 'none' or os.getenv 'TH_CUBLASLT' == 'none'
      if not emulator or without then return end
      local function launches(first)
         local a, b = torch.CudaTensor(6, 8):fill(1), torch.CudaTensor(12, 8):fill(1)
         local row = torch.CudaTensor(16):fill(1):narrow(1, first, 12):view(1, 12):expand(6, 12)
         local y = torch.CudaTensor(6, 12)
         local before = emulator.th_emu_count 'launches'
         torch.addmm(y, row, a, b:t())
         return emulator.th_emu_count 'launches' - before
      end
      assert.equal(1, launches(1))
      assert.equal(2, launches(2))
   end)
   it('sums halves in float to the end', function()
      local a, b = torch.CudaHalfTensor(1, 3000):fill(1), torch.CudaHalfTensor(3000, 1):fill(1)
      assert.equal(3000, torch.mm(a, b)[1][1])
   end)
   it('is right in another stream, and on another device', function()
      local a, b = numbers('Double', 5, 6), numbers('Double', 6, 7)
      cutorch.reserveStreams(1)
      cutorch.setStream(1)
      local y = torch.mm(a:cudaDouble(), b:cudaDouble())
      cutorch.setDefaultStream()
      cutorch.synchronizeAll()
      assert(torch.equal(torch.mm(a, b), y:host()))
      if cutorch.getDeviceCount() < 2 then return end
      local x, z = cutorch.withDevice(2, function() return a:cudaDouble(), b:cudaDouble() end)
      y = torch.mm(x, z)
      assert.equal(2, y:getDevice())
      assert(torch.equal(torch.mm(a, b), y:host()))
   end)
   for name, setting in pairs { cuBLAS = 'TH_CUBLAS', cublasLt = 'TH_CUBLASLT' } do
      it('is the same without ' .. name, function()
         if os.getenv 'TH_CUBLAS' == 'none' or os.getenv 'TH_CUBLASLT' == 'none' then return end
         local f = io.popen(('%s=none %s test/run.lua test/cuda/gemm_spec.lua 2>&1')
            :format(setting, th))
         local text = f:read '*a'
         f:close()
         assert(text:find '%d+ passed, 0 failed', text)
      end)
   end
end)

describe('cutorch.getBlas', function()
   local function say(environment)
      local f = io.popen(('env %s %s -e "require \'cutorch\'; print(cutorch.getBlas())" 2>&1'):format(environment, th))
      local text = f:read '*a'
      f:close()
      return text
   end
   it('names the library, or says why there is none', function()
      assert.truthy(say 'TH_CUDA=emu TH_CUBLAS=':find '^libcublas%.so')
      assert.truthy(say 'TH_CUDA=emu TH_CUBLAS=none':find 'nil%s+TH_CUBLAS=none')
   end)
end)

describe('cutorch.setTF32', function()
   after_each(function() cutorch.setTF32(false) end)
   it('is off at first, and is switched by a boolean alone', function()
      assert.is_false(cutorch.getTF32())
      cutorch.setTF32(true)
      assert.is_true(cutorch.getTF32())
      refuses('cutorch.setTF32: on must be true or false, got a number (1)', cutorch.setTF32, 1)
      assert.is_true(cutorch.getTF32())
   end)
end)
