-- test/cuda/pointwise_spec.lua - torch.pointwise(f) on devices: one kernel with the bits of f,
-- compiled once, kept in a file.
-- runs once: the device does not depend on the level
local ffi = require 'ffi'
local torch = require 'torch'
local lib = require 'torch.lib'
local C = lib.C
local pointwise = require 'test.support.pointwise'
local run_th = require 'test.support.run_th'
local shell = require 'test.support.shell'
local refuses = require 'test.support.refuses'
local device = require 'test.support.cuda.device'

if device.missing('torch.pointwise on devices', describe, pending) then return end
local cutorch = device.cutorch
local backend = require 'cutorch.backend'.C

local SPECIAL = { 0, -0, 1 / 0, -1 / 0, 1, 1e-45, 1e7 }

local function kind_of(kind) return kind == 'Float' and 'torch.CudaTensor'
   or ('torch.Cuda%sTensor'):format(kind) end
-- Numbers between -3 and 3; every 7th is special. No NaN, whose bits depend on the device.
local function numbers(kind, ...)
   local x = torch.DoubleTensor(...):uniform(-3, 3)
   local flat = x:view(-1)
   for i = 5, x:nElement(), 7 do flat[i] = SPECIAL[i % #SPECIAL + 1] end
   return x:type(kind_of(kind))
end
local function several(n, kind, ...)
   local out = {}
   for i = 1, n do out[i] = numbers(kind, ...) end
   return unpack(out, 1, n)
end
-- NaN of any bits becomes 0 in both.
local function without_nan(...)
   local out = { ... }
   for i = 1, #out do
      out[i] = torch.where(torch.eq(out[i], out[i]), out[i], torch.eq(out[i],
         out[i]):typeAs(out[i]))
   end
   return unpack(out)
end
local function same(f, g, ...)
   return pointwise.same(function(...) return without_nan(f(...)) end,
      function(...) return without_nan(g(...)) end, ...)
end
local function compiled() return tonumber(backend.th_cuda_programs_compiled()) end

local emulator
if device.name == 'libthcuda-emu.so' then
   ffi.cdef 'uint64_t th_cuda_emu_launches(const char *part_of_name);'
   emulator = ffi.load((lib.path:gsub('[^/]*$', '')) .. device.name)
end
-- The result of f(...), and how many kernels of vectors, of elements, and in all it has started.
local function watched(f, ...)
   local function count(name) return emulator and tonumber(emulator.th_cuda_emu_launches(name))
      or 0 end
   local vectors, elements, all = count 'program_vectors', count 'program_elements', count ''
   local y = f(...)
   return y, count 'program_vectors' - vectors, count 'program_elements' - elements, count '' - all
end

local can, why = cutorch.hasPointwise()
if not can then
   describe('torch.pointwise on devices', function()
      it('runs f where nothing can be compiled', function()
         for _, chain in ipairs(pointwise.chains) do
            assert(same(chain[3], torch.pointwise(chain[3]), several(chain[2], 'Float', 1000)),
               chain[1])
         end
      end)
      it('is one kernel', function() pending(why) end)
   end)
   return
end

describe('torch.pointwise on devices', function()
   local folder
   setup(function()
      torch.manualSeed(4)
      folder = os.tmpname()
      os.remove(folder)
      backend.th_cuda_program_folder(folder)
   end)
   teardown(function()
      backend.th_cuda_program_folder(require 'torch.cache'.folder())
      os.execute('rm -rf ' .. shell.quote(folder))
   end)

   for kind, dtype in pairs { Half = C.TH_F16, Float = C.TH_F32 } do
      it('has the bits of every pointwise op: ' .. kind, function()
         for _, group in ipairs(pointwise.groups(dtype, 4)) do
            local g, x, y, z = torch.pointwise(group.f), several(3, kind, 1003)
            assert(same(group.f, g, x, y, z), group.names)
            assert(same(group.f, g, x:narrow(1, 2, 37), y:narrow(1, 1, 37), z:narrow(1, 5, 37)),
               group.names)
         end
      end)
   end

   it('has the bits of chains of all floats', function()
      for _, chain in ipairs(pointwise.chains) do
         for _, kind in ipairs { 'Half', 'BFloat16', 'Float', 'Double' } do
            local g = torch.pointwise(chain[3])
            assert(same(chain[3], g, several(chain[2], kind, 1003)), chain[1] .. ', ' .. kind)
         end
      end
   end)

   it('has the bits of ops of whole numbers', function()
      for kind, dtype in pairs { Byte = C.TH_U8, Long = C.TH_I64 } do
         for _, group in ipairs(pointwise.groups(dtype, 4)) do
            local x, y, z = torch.range(1, 200), torch.range(200, 1, -1), torch.range(1,
               200):fmod(7)
            local name = kind_of(kind)
            assert(same(group.f, torch.pointwise(group.f), x:type(name), y:type(name),
               z:type(name)), group.names)
         end
      end
   end)

   it('is one kernel, by vectors where operands are contiguous and aligned', function()
      for _, chain in ipairs(pointwise.chains) do
         local g = torch.pointwise(chain[3])
         local given = { several(chain[2], 'Float', 2050) }
         assert(same(chain[3], g, unpack(given)), chain[1])
         local _, vectors, elements, all = watched(g, unpack(given))
         if emulator then assert.same({ 1, 0, 1 }, { vectors, elements, all }, chain[1]) end
         for i, x in ipairs(given) do given[i] = x:narrow(1, 2, 2049) end
         assert(same(chain[3], g, unpack(given)), chain[1])
         _, vectors, elements, all = watched(g, unpack(given))
         if emulator then assert.same({ 0, 1, 1 }, { vectors, elements, all }, chain[1]) end
      end
   end)

   it('takes any strides and broadcasts', function()
      local f = function(x, b, c) return torch.sigmoid(torch.cmul(torch.tanh(b), x) + c), c * 2 end
      local g = torch.pointwise(f)
      local x = numbers('Float', 6, 3, 50)
      for _, view in ipairs { x, x:transpose(1, 3), x:narrow(3, 2, 20), x:select(2, 1), x:narrow(1,
         1, 1) } do
         local size = view:size()
         assert(same(f, g, view, numbers('Float', size[#size]), numbers('Float', 1)))
         assert(same(f, g, view, view, numbers('Float', size[#size - 1], 1)))
      end
   end)

   it('compiles once for all numbers, sizes and functions of the same ops', function()
      local function maker(by) return torch.pointwise(function(x,
         s) return torch.exp(x * s) - by end) end
      local g, before = maker(1), compiled()
      for n = 1, 5 do g(numbers('Float', 10 * n), n) end
      maker(7)(numbers('Float', 3), 0.5)
      assert.equal(before + 1, compiled())
      g(numbers('Double', 3), 0.5)
      assert.equal(before + 2, compiled())
   end)

   it('keeps what it has compiled in a file, and ignores a damaged one', function()
      local script = ([[
         require 'cutorch'
         local B = require 'cutorch.backend'.C
         local x = torch.range(1, 5):cuda()
         local y = torch.pointwise(function(x) return torch.sqrt(x) * 3 + 0.125 end)(x)
         assert(torch.equal(y, torch.sqrt(x) * 3 + 0.125))
         print('compiled ' .. tonumber(B.th_cuda_programs_compiled()))
      ]])
      local own = folder .. '/other/place'
      local env = ('TH_CUDA=%s TH_CACHE_DIR=%s'):format(os.getenv 'TH_CUDA' or 'emu',
         shell.quote(own))
      local function times() return (run_th.script(script, env):match 'compiled (%d+)') end
      assert.equal('1', times())
      assert.equal('0', times())
      local name = io.popen('ls ' .. shell.quote(own)):read '*a':match '%S+'
      local f = assert(io.open(own .. '/' .. name, 'rb'))
      local text = f:read '*a'
      f:close()
      for _, damaged in ipairs { '', text:sub(1, 30), text:sub(1, -2), text .. '\0', text:sub(1, -2)
         .. 'x', 'x' .. text:sub(2) } do
         f = assert(io.open(own .. '/' .. name, 'wb'))
         f:write(damaged)
         f:close()
         assert.equal('1', times())
         assert.equal('0', times())
      end
      assert.equal('1', (run_th.script(script, env:gsub('TH_CACHE_DIR=.*',
         'TH_CACHE_DIR=')):match 'compiled (%d+)'))
   end)

   it('keeps the 1000 files that were used last, and no older ones', function()
      local own = folder .. '/many'
      local env = ('TH_CUDA=%s TH_CACHE_DIR=%s'):format(os.getenv 'TH_CUDA' or 'emu',
         shell.quote(own))
      local function compiled_with(operator)
         return run_th.script(([[
            require 'cutorch'
            local x = torch.range(1, 5):cuda()
            torch.pointwise(function(x) return torch.sqrt(x) + torch.exp(x * 2) end)(x)
            torch.pointwise(function(x) return torch.sqrt(x) %s x end)(x)
            print('compiled ' .. tonumber(require 'cutorch.backend'.C.th_cuda_programs_compiled()))
         ]]):format(operator), env):match 'compiled (%d+)'
      end
      assert.equal('2', compiled_with '+')
      assert(os.execute(([[cd %s && touch -d 2001-01-01 kernel-* && touch -d 2000-01-01 other &&
         for i in $(seq 1003); do touch -d 2002-02-02 kernel-$i; done]]):format(shell.quote(own))))
      assert.equal('1', compiled_with '/')            -- reads the first file, writes a third one
      local left = {}
      for name in io.popen('ls ' .. shell.quote(own)):read '*a':gmatch '%S+' do
         left[#left + 1] = #name > #'kernel-0000' and 'kernel' or name
         if name == 'other' then left.other = true end
      end
      assert.equal(1001, #left)
      assert.is_true(left.other)
      assert.equal('0', compiled_with '/')
   end)

   it('runs f where there is no NVRTC, or no compiler', function()
      local script = [[
         require 'cutorch'
         local x = torch.range(1, 5):cuda()
         local f = function(x) return torch.sqrt(x) * 3 + 0.125, torch.gt(x, 2) end
         local y, z = torch.pointwise(f)(x)
         local a, b = f(x)
         assert(torch.equal(y, a) and torch.equal(z, b))
         print(cutorch.hasPointwise())
      ]]
      local cuda = 'TH_CUDA=' .. (os.getenv 'TH_CUDA' or 'emu')
      assert.truthy(run_th.script(script, cuda .. ' TH_NVRTC=none'):find('false\tTH_NVRTC=none', 1,
         true))
      if emulator then
         assert.truthy(run_th.script(script, cuda .. ' PATH='):find('does not work', 1, true))
      end
   end)

   it('is recorded by a graph when it has run before, and else as it is', function()
      local f = function(x) return torch.tanh(x * 2) + 1 end
      local g, x = torch.pointwise(f), numbers('Float', 100)
      for round = 1, 2 do
         local y
         local graph = cutorch.graph(function(t)
            y = g(t)
            return y
         end)
         for _ = 1, 3 do assert.truthy(torch.equal(f(x), graph(x)), 'round ' .. round) end
         g(x)
      end
   end)

   it('refuses tensors of several devices as f does', function()
      if device.count < 2 then return pending 'this needs two devices' end
      local x = numbers('Float', 3)
      local y = cutorch.withDevice(2, function() return numbers('Float', 3) end)
      refuses('on CUDA device', torch.pointwise(function(a, b) return torch.cmul(a, b) end), x, y)
   end)

   it('has the derivative of f', function()
      local autograd = require 'autograd'
      local f = function(x, b) return torch.cmul(torch.sigmoid(x + b), torch.tanh(x)) end
      local function gradients(h)
         return autograd(function(p) return torch.sum(torch.square(h(p.x, p.b))) end)
      end
      local p = { x = numbers('Double', 5, 4):clamp(-3, 3), b = numbers('Double', 4):clamp(-3, 3) }
      local want, got = gradients(f)(p), gradients(torch.pointwise(f))(p)
      for k in pairs(want) do assert(torch.equal(want[k], got[k]), k) end
   end)
end)
