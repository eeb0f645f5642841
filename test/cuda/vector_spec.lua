-- test/cuda/vector_spec.lua - pointwise ops load 16 bytes at a time where they can, and give the same bits where they cannot.
-- runs once: the device does not depend on the level
local ffi = require 'ffi'
local torch = require 'torch'
local refuses = require 'test.support.refuses'
local lib = require 'torch.lib'
local device = require 'test.support.cuda.device'

if device.missing('pointwise ops by vectors', describe, pending) then return end

local FLOATS = { 'Half', 'BFloat16', 'Float', 'Double' }
local EACH = { Half = 8, BFloat16 = 8, Float = 4, Double = 2 }          -- elements of 16 bytes

-- The number of launches of a kernel so far; nil on a GPU, where only results are compared.
local emulator
if device.name == 'libthcuda-emu.so' then
   ffi.cdef 'uint64_t th_cuda_emu_launches(const char *part_of_name);'
   emulator = ffi.load((lib.path:gsub('[^/]*$', '')) .. device.name)
end
local function launches(name) return emulator and tonumber(emulator.th_cuda_emu_launches(name)) end

-- What f returns, and the kernels that it started.
local function watched(f)
   local vectors, elements = launches 'by_vectors', launches 'by_elements'
   local result = f()
   if emulator then vectors, elements = launches 'by_vectors' - vectors, launches 'by_elements' - elements end
   return result, vectors, elements
end

local function on_device(kind) return kind == 'Float' and 'torch.CudaTensor' or ('torch.Cuda%sTensor'):format(kind) end
-- n numbers between -2 and 2, and every 5th one of both zeros, infinities, NaN, 1 and the smallest subnormal number of a float.
local SPECIAL = { 0, -0, 1 / 0, -1 / 0, 0 / 0, 1, 1e-45 }
local function numbers(kind, n, seed)
   torch.manualSeed(seed)
   local x = torch.DoubleTensor(n):uniform(-2, 2)
   for i = 3, n, 5 do x[i] = SPECIAL[(i + seed) % #SPECIAL + 1] end
   return x:type(('torch.%sTensor'):format(kind))
end
-- The numbers on the device, `offset` elements behind an address that 256 divides.
local function placed(x, kind, offset)
   local memory = torch.Tensor():type(on_device(kind)):resize(x:nElement() + offset)
   return memory:narrow(1, 1 + offset, x:nElement()):copy(x)
end
local function text(t) return table.concat(t:host():double():totable(), ' ') end

-- f(x, z, w) of aligned operands, the results of which are compared with those of operands one element further.
local function same_bits(kind, n, f, what)
   local function results(offset)
      local x = {}
      for seed = 1, 3 do x[seed] = placed(numbers(kind, n, seed), kind, offset) end
      return watched(function() return f(x[1], x[2], x[3], offset) end)
   end
   local want, vectors, elements = results(1)
   if emulator then
      assert(vectors == 0 and elements > 0, ('%s, %s, %d: %s launches by vectors'):format(what, kind, n, vectors))
   end
   local got
   got, vectors, elements = results(0)
   if emulator then
      assert(vectors > 0 and elements == 0, ('%s, %s, %d: %s launches by elements'):format(what, kind, n, elements))
   end
   assert(text(want) == text(got), ('%s, %s, %d elements'):format(what, kind, n))
end

-- Results go where x lies, `offset` elements further, too.
local function like(x, offset, kind)
   local t = torch.Tensor():type(kind or x:type()):resize(x:nElement() + offset)
   return t:narrow(1, 1 + offset, x:nElement())
end
local OPS = {
   relu = function(x, _, _, o) return torch.relu(like(x, o), x) end,
   exp = function(x, _, _, o) return torch.exp(like(x, o), x) end,
   sin = function(x, _, _, o) return torch.sin(like(x, o), x) end,
   clamp = function(x, _, _, o) return torch.clamp(like(x, o), x, -1, 0.5) end,
   ['add in place'] = function(x, z) return x:add(0.3, z) end,
   ['add itself'] = function(x) return x:add(0.3, x) end,
   add = function(x, z, _, o) return torch.add(like(x, o), x, 0.3, z) end,
   cpow = function(x, z, _, o) return torch.cpow(like(x, o), x, z) end,
   addcmul = function(x, z, w, o) return torch.addcmul(like(x, o), x, 0.3, z, w) end,
   addcdiv = function(x, z, w) return x:addcdiv(0.3, z, w) end,
   ['gelu gradient'] = function(x, z, w, o) return torch.gelu_grad(like(x, o), x, z, w) end,
   ['compared with a number'] = function(x, _, _, o) return torch.gt(like(x, o, 'torch.CudaByteTensor'), x, 0.25) end,
   ['compared with a tensor'] = function(x, z, _, o) return torch.le(like(x, o, 'torch.CudaByteTensor'), x, z) end,
   ['compared, of its type'] = function(x, z, _, o) return torch.ne(like(x, o), x, z) end,
   fill = function(x) return x:fill(0.7) end,
}
-- x, m, v and g, all with one of the rates.
local STEPS = {
   adam = function(x, z, w, o) x:adam_step(z, w:abs(), like(x, o):fill(0.3), 0.1, 0.9, 0.99, 1e-8, 0.9) return x end,
   ['adam, denominator'] = function(x, z, w, o)
      local denom = like(x, o):fill(1)
      x:adam_step(z, w:abs(), like(x, o):fill(0.3), 0.1, 0.9, 0.99, 1e-8, 0.9, denom)
      return torch.cat(torch.cat(x, denom), torch.cat(z, w))
   end,
   rmsprop = function(x, z, w) x:rmsprop_step(z:abs(), w, 0.1, 0.9, 1e-8) return torch.cat(x, z) end,
   momentum = function(x, z, w) x:momentum_step(z, w, 0.1, 0.9, 0.1, 0.01, true) return torch.cat(torch.cat(x, z), w) end,
}

describe('a pointwise op on a device', function()
   for name, f in pairs(OPS) do
      it('has the same bits by vectors and by elements: ' .. name, function()
         for _, kind in ipairs(FLOATS) do
            local each = EACH[kind]
            for _, n in ipairs { 1, each - 1, each, each + 1, 256 * each * 2 - 1, 256 * each * 2, 256 * each * 2 + 1 } do
               same_bits(kind, n, f, name)
            end
         end
      end)
   end
   for name, f in pairs(STEPS) do
      it('has the same bits by vectors and by elements: step of ' .. name, function()
         for _, kind in ipairs(FLOATS) do
            for _, n in ipairs { 1, EACH[kind] * 256 + 1 } do same_bits(kind, n, f, name) end
         end
      end)
   end
   it('converts with the same bits by vectors and by elements', function()
      for _, from in ipairs { 'Half', 'BFloat16', 'Float', 'Double', 'Long', 'Byte', 'Int' } do
         for _, to in ipairs { 'Half', 'BFloat16', 'Float', 'Double', 'Long', 'Byte', 'Short', 'Char' } do
            if from ~= to then
               local each = EACH[to] or 4
               for _, n in ipairs { 1, 512 * each + 1 } do
                  same_bits(from, n, function(x, _, _, o) return like(x, o, on_device(to)):copy(x) end, 'copy to ' .. to)
               end
            end
         end
      end
   end)
   it('computes whole numbers by vectors, too', function()
      for _, kind in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long' } do
         same_bits(kind, 4099, function(x, z, _, o) return torch.add(like(x, o), x, 3, z) end, 'add')
         same_bits(kind, 4099, function(x, _, _, o) return torch.ge(like(x, o, 'torch.CudaByteTensor'), x, 1) end, 'ge')
      end
   end)
   it('does nothing for no elements', function()
      for _, kind in ipairs(FLOATS) do
         local x = torch.Tensor():type(on_device(kind))
         local y, vectors, elements = watched(function() return x:clone():add(1):relu() end)
         assert.equal(0, y:nElement())
         if emulator then assert.equal(0, vectors + elements) end
      end
   end)
   it('keeps NaN and infinity', function()
      for _, kind in ipairs(FLOATS) do
         local x = placed(torch.DoubleTensor { 0 / 0, 1 / 0, -1 / 0, 2 }:repeatTensor(600), kind, 0)
         local y = torch.relu(x):double():host()
         for i = 1, 2400, 4 do assert(y[i] ~= y[i] and y[i + 1] == 1 / 0 and y[i + 2] == 0 and y[i + 3] == 2) end
      end
   end)
end)

describe('operands that are not contiguous on a device', function()
   -- f of tensors on the CPU and of the same on the device.
   local function same_as_cpu(f, ...)
      local here, there = {}, {}
      for i, x in ipairs { ... } do here[i], there[i] = x, x:cuda() end
      local want = f(unpack(here))
      local got = f(unpack(there))
      assert.same(want:totable(), got:float():totable())
   end
   local x, row = torch.range(1, 35):float():view(5, 7), torch.range(1, 7):float()
   it('are broadcast, transposed, narrowed and reversed as on the CPU', function()
      same_as_cpu(function(a, b) return torch.add(a, 2, b:view(1, 7):expandAs(a)) end, x, row)
      same_as_cpu(function(a, b) return torch.cmul(a:t(), b:view(7, 1):expand(7, 5)) end, x, row)
      same_as_cpu(function(a) return a:narrow(2, 2, 4):t():contiguous() end, x)
      same_as_cpu(function(a) return torch.gt(a:t(), 9):type(a:type()) end, x)
      same_as_cpu(function(a) return a.new(7, 5):fill(0):t():copy(a) end, x)
      same_as_cpu(function(a) return torch.flip(a:view(5, 7, 1):expand(5, 7, 3):contiguous(), 2) end, x)
   end)
   it('are divided among dimensions of every size', function()
      for _, n in ipairs { 2, 3, 4, 5, 6, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 255, 256, 257, 641, 1023 } do
         local a = torch.range(1, 12 * n):float():view(4, n, 3)
         same_as_cpu(function(t) return t:transpose(1, 3):contiguous() end, a)
         same_as_cpu(function(t) return t:transpose(2, 3):contiguous() end, a)
      end
   end)
end)

describe('a copy on a device between different orders of dimensions', function()
   it('passes tiles through shared memory, for elements of every size', function()
      for _, kind in ipairs { 'Byte', 'Half', 'Float', 'Double' } do
         for _, size in ipairs { { 8, 8 }, { 9, 33 }, { 32, 64 }, { 65, 31 }, { 100, 8 } } do
            local here = torch.range(1, size[1] * size[2]):remainder(251):view(size[1], size[2])
            here = here:type(('torch.%sTensor'):format(kind))
            local there = here:type(on_device(kind))
            local before = launches '(transpose<T>)'
            local packed, filled = there:t():contiguous(), there.new(size[2], size[1])
            filled:t():copy(there)
            if emulator then assert.equal(2, launches '(transpose<T>)' - before) end
            assert.same(here:t():totable(), packed:host():totable())
            assert.same(here:t():totable(), filled:host():totable())
         end
      end
   end)
   it('does so for many matrices, parts of others and repeated ones', function()
      local here = torch.range(1, 3 * 10 * 4 * 12):float():view(3, 10, 4, 12)
      local there = here:cuda()
      local function same(f) assert.same(f(here):contiguous():totable(), f(there):contiguous():float():totable()) end
      for a = 1, 4 do
         for b = a + 1, 4 do same(function(t) return t:transpose(a, b) end) end
      end
      same(function(t) return t:permute(4, 1, 3, 2) end)
      same(function(t) return t:permute(3, 4, 2, 1) end)
      same(function(t) return t:narrow(2, 2, 9):narrow(4, 3, 9):transpose(2, 4) end)
      same(function(t) return t:narrow(3, 2, 1):transpose(2, 4):expand(3, 12, 2, 10) end)
      same(function(t) local y = t.new(12, 4, 10, 3):zero() y:transpose(1, 4):copy(t) return y end)
   end)
end)

describe('a result on a device that shares memory with an operand', function()
   it('is that of the CPU where they overlap in part', function()
      local here, there = torch.range(1, 9000):float(), torch.range(1, 9000):float():cuda()
      torch.add(here:narrow(1, 5, 8996), here:narrow(1, 1, 8996), 1)
      torch.add(there:narrow(1, 5, 8996), there:narrow(1, 1, 8996), 1)
      assert.same(here:totable(), there:float():totable())
   end)
   it('is refused where its own elements share a place', function()
      local y, z = torch.CudaTensor(2):zero():view(1, 2):expand(3, 2), torch.CudaTensor(3, 2):zero()
      refuses('x is expanded: several elements share one place; clone it first', y.rmsprop_step, y, z, z, 1)
   end)
end)

describe('maskedFill on a CUDA device', function()
   it('fills the elements of the mask alone, for all sizes, types and addresses', function()
      torch.manualSeed(4)
      for _, word in ipairs { 'Byte', 'Half', '', 'Double', 'Long' } do
         for _, n in ipairs { 1, 7, 8, 9, 255, 256, 2049 } do
            local host = torch[word == '' and 'FloatTensor' or word .. 'Tensor'](n + 1):fill(3)
            local mask = torch.ByteTensor(n + 1):bernoulli(0.4)
            local x, m = host['cuda' .. word](host), mask:cudaByte()
            for _, from in ipairs { { 1, 1 }, { 2, 1 }, { 1, 2 }, { 2, 2 } } do
               local want, got = host:clone(), x:clone()
               want:narrow(1, from[1], n):maskedFill(mask:narrow(1, from[2], n), 7)
               got:narrow(1, from[1], n):maskedFill(m:narrow(1, from[2], n), 7)
               assert.same(want:totable(), got:host():totable(), ('%s %d from %d and %d'):format(word, n, from[1], from[2]))
            end
         end
      end
   end)
end)
