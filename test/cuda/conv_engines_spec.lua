-- test/cuda/conv_engines_spec.lua - the engines of convolution on a device give what the CPU gives in double, and one chooser
-- serves both.
-- runs once: the device does not depend on the level
local ffi = require 'ffi'
local torch = require 'torch'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'
local device = require 'test.support.cuda.device'

if device.missing('engines of convolution on a CUDA device', describe, pending) then return end

local TH = os.getenv 'TH' or 'build/bin/th'
local COUNT, EMULATED = device.cutorch.getDeviceCount(), device.cutorch.getDeviceProperties(1).emulated

-- What a script prints in a separate process, with its errors.
local function child(script, environment)
   local name = temporary.put("require 'cutorch'\n" .. script, '.lua')
   local p = io.popen(("TH_CACHE_DIR= %s '%s' '%s' 2>&1 </dev/null; echo \"status $?\""):format(environment or '', TH, name))
   local text = p:read '*a'
   p:close()
   return (text:gsub('status 0\n$', ''))
end

after_each(function()
   torch.conv.engine, torch.conv.prefer = nil, nil
   temporary.remove()
end)

local function forced(engine, f, ...)
   torch.conv.engine = engine
   local ok, y = pcall(f, ...)
   torch.conv.engine = nil
   return (assert(ok and y, y))
end

-- The engines that devices have and that are there.
local function engines()
   local list = {}
   for _, name in ipairs(torch.conv.engines()) do
      if not torch.conv.missing(name, 1) then list[#list + 1] = name end
   end
   return list
end

-- Would this engine do it?
local function does(engine, pass, ...) return torch.conv.with(engine, torch.conv.choice, pass, ...) == engine end

local KINDS = { 'Float', 'Half', 'Float', 'BFloat16', 'Float', 'Double' }
-- How far a result may lie from the one in double, as a part of its norm.
local TOLERANCE = { Float = 5e-6, Half = 1e-3, BFloat16 = 8e-3, Double = 1e-13 }
local LOOSER = { cudnn = 4 }                        -- it may take Winograd's transforms of larger tiles

local function there(x)
   local kind = x:type():match 'torch%.(%w+)Tensor'
   return x:type(('torch.Cuda%sTensor'):format(kind == 'Float' and '' or kind))
end

-- A random convolution: tensors of the CPU, every other one with rows and columns that changed places, and its numbers.
local function draw(i, kernels, plain)
   local function whole(lo, hi) return math.floor(torch.uniform(lo, hi + 1 - 1e-9)) end
   local function step() return (plain or torch.uniform() < 0.5) and 1 or whole(1, 3) end
   local kind, groups, n, c, o = KINDS[i % #KINDS + 1], whole(1, 3), whole(1, 2), whole(1, 3), whole(1, 3)
   local kh, kw, sh, sw, dh, dw = kernels(i), kernels(i + 1), step(), step(), step(), step()
   local ph, pw = whole(0, math.min(kh, 6)), whole(0, math.min(kw, 6))
   local h = math.max(1, dh * (kh - 1) + 1 - 2 * ph) + whole(0, 9)
   local w = math.max(1, dw * (kw - 1) + 1 - 2 * pw) + whole(0, 15)
   local function some(...)
      local size = { ... }
      if i % 2 == 1 and #size == 4 then size[3], size[4] = size[4], size[3] end
      local t = torch[kind .. 'Tensor'](unpack(size)):uniform(-1, 1)
      return i % 2 == 1 and #size == 4 and t:transpose(3, 4) or t
   end
   local t = { x = some(n, c * groups, h, w), w = some(o * groups, c, kh, kw), b = some(o * groups),
      numbers = { sh, sw, ph, pw, dh, dw, groups }, kind = kind }
   t.g = torch.conv2d(t.x:double(), t.w:double(), nil, unpack(t.numbers)):uniform(-1, 1):type(t.x:type())
   if i % 7 == 0 then t.x, t.g = t.x[1], t.g[1] end
   t.text = ('%s %s, kernels %s, numbers %s'):format(kind, table.concat(t.x:size():totable(), ' x '),
      table.concat(t.w:size():totable(), ' x '), table.concat(t.numbers, ' '))
   return t
end

-- The three passes; the last one adds to what there is.
local RUN = {
   forward = function(x, w, b, _, v) return torch.conv2d(x, w, b, unpack(v)) end,
   gradInput = function(x, w, _, g, v) return torch.conv2d_grad_input(x, g, w, unpack(v)) end,
   gradWeight = function(x, w, b, g, v)
      local gw, gb = w:clone(), b:clone()
      torch.conv2d_grad_weight(gw, gb, x, g, 0.5, unpack(v))
      return torch.cat(gw:view(-1), gb)
   end,
}

-- Every pass of a convolution by every engine that does it, against the CPU in double; counts them.
local function try(t, count)
   local x, w, b, g = there(t.x), there(t.w), there(t.b), there(t.g)
   for pass, run in pairs(RUN) do
      local want = run(t.x:double(), t.w:double(), t.b:double(), t.g:double(), t.numbers)
      for _, engine in ipairs(engines()) do
         if does(engine, pass, x, w, unpack(t.numbers)) then
            local got = forced(engine, run, x, w, b, g, t.numbers):host():double()
            local apart = (got - want):norm() / math.max(want:norm(), 1e-30)
            assert(apart <= TOLERANCE[t.kind] * (LOOSER[engine] or 1),
               ('%s, %s: %g apart for %s'):format(engine, pass, apart, t.text))
            count[engine] = (count[engine] or 0) + 1
         end
      end
   end
end

describe('every engine of a CUDA device', function()
   it('gives in each pass and type what the CPU gives in double', function()
      torch.manualSeed(11)
      local count = {}
      for i = 1, 150 do try(draw(i, function() return math.floor(torch.uniform(1, 6)) end), count) end
      for i = 1, 60 do try(draw(i, function(k) return math.floor(torch.uniform(1, k % 4 == 0 and 33 or 12)) end, true), count) end
      for _, engine in ipairs(engines()) do
         assert((count[engine] or 0) >= 100, ('%s: tried %d times'):format(engine, count[engine] or 0))
      end
      assert.equal(630, count.gemm)
   end)

   it('gives it on another device, in a stream, and without cuBLAS', function()
      local script = [[
         torch.manualSeed(2)
         local x, w = torch.FloatTensor(2, 3, 20, 21):uniform(-1, 1), torch.FloatTensor(4, 3, 7, 5):uniform(-1, 1)
         local y = torch.conv2d(x:double(), w:double())
         cutorch.reserveStreams(1)
         cutorch.setDevice(cutorch.getDeviceCount())
         for stream = 0, 1 do
            cutorch.setStream(stream)
            for _, engine in ipairs(torch.conv.engines()) do
               if not torch.conv.missing(engine, 1) then
                  torch.conv.engine = engine
                  local got = torch.conv2d(x:cuda(), w:cuda())
                  assert(got:getDevice() == cutorch.getDeviceCount())
                  cutorch.synchronizeAll()
                  assert((got:host():double() - y):norm() < 2e-5 * y:norm(), engine)
               end
            end
         end
         print 'fine'
      ]]
      assert.equal('fine\n', child(script, 'TH_CUDA_EMU_DEVICES=2'))
      assert.equal('fine\n', child(script, 'TH_CUDA_EMU_DEVICES=2 TH_CUBLAS=none'))
   end)

   it('gives the same bits in whatever order blocks and threads run', function()
      local script = [[
         torch.manualSeed(7)
         local x, w = torch.FloatTensor(3, 4, 30, 33):uniform(-1, 1):cuda(), torch.FloatTensor(6, 2, 7, 9):uniform(-1, 1):cuda()
         local g = torch.FloatTensor(3, 6, 24, 25):uniform(-1, 1):cuda()
         for _, engine in ipairs(torch.conv.engines()) do
            if not torch.conv.missing(engine, 1) then
               torch.conv.engine = engine
               local gw = w:clone()
               torch.conv2d_grad_weight(gw, nil, x, g, 1, 1, 1, 0, 0, 1, 1, 2)
               local y = torch.conv2d(x, w, nil, 1, 1, 0, 0, 1, 1, 2)
               for _, t in ipairs { y, torch.conv2d_grad_input(x, g, w, 1, 1, 0, 0, 1, 1, 2), gw } do
                  local sum = 0
                  for i, v in ipairs(t:host():view(-1):totable()) do sum = sum + v * (i % 1000) end
                  print(engine, ('%.17g'):format(sum))
               end
            end
         end
      ]]
      local first, expected = child(script), 0
      for _, engine in ipairs(engines()) do
         expected = expected + 3
         assert.equal(3, select(2, first:gsub('%f[%w]' .. engine .. '\t%-?[%d%.e+-]+\n', '')), first)
      end
      assert.equal(expected, select(2, first:gsub('\n', '')), first)
      for seed = 1, 2 do assert.equal(first, child(script, 'TH_CUDA_EMU_RANDOM=' .. seed)) end
   end)

   it('keeps images, planes and kernels apart: what is huge or NaN in one does nothing to the others', function()
      torch.manualSeed(6)
      local function some(...) return torch.FloatTensor(...):uniform(-1, 1) end
      local function forward(x, k) return torch.conv2d(x, k) end
      for _, s in ipairs { { 8, 8, 5, 5 }, { 20, 13, 9, 6 }, { 32, 32, 9, 9 }, { 40, 11, 17, 3 } } do
         local h, w, kh, kw = unpack(s)
         local x, k, g = some(3, 3, h, w), some(4, 3, kh, kw), some(3, 4, h - kh + 1, w - kw + 1)
         local function to_input(gradient, kernels) return torch.conv2d_grad_input(kernels.new(x:size()), gradient, kernels) end
         local function to_weight(images, gradient)
            local gw = images.new(k:size()):zero()
            torch.conv2d_grad_weight(gw, nil, images, gradient)
            return gw
         end
         -- What goes wrong at number 1 along a dimension of an operand stays at number 1 along one of the result.
         for i, case in ipairs { { forward, x, k, 1, 1, 1 }, { forward, x, k, 2, 1, 2 }, { to_input, g, k, 1, 1, 1 },
            { to_input, g, k, 2, 2, 2 }, { to_weight, x, g, 1, 2, 2 }, { to_weight, x, g, 2, 2, 1 } } do
            local run, operands, operand, along, to = case[1], { case[2]:clone(), case[3]:clone() }, unpack(case, 4)
            for _, wrong in ipairs { 1e6, 0 / 0 } do
               operands[operand]:select(along, 1):mul(wrong)
               local want = run(operands[1]:double(), operands[2]:double())
               for _, engine in ipairs(engines()) do
                  local got = forced(engine, run, there(operands[1]), there(operands[2])):host():double()
                  for n = 2, want:size(to) do
                     local apart = (got:select(to, n) - want:select(to, n)):norm() / want:select(to, n):norm()
                     assert(apart < TOLERANCE.Float, ('%s, case %d of %d x %d times %g: number %d is %g apart'):format(engine, i,
                        h, w, wrong, n, apart))
                  end
               end
            end
         end
      end
   end)

   it('leaves the work to gemm where memory does not suffice', function()
      if not EMULATED then return pending 'only the memory of an emulated device is as small as one likes' end
      assert.equal('fine\n', child([[
         torch.manualSeed(7)
         local x, w = torch.CudaTensor(1, 64, 12, 12):uniform(-1, 1), torch.CudaTensor(64, 64, 3, 3):uniform(-1, 1)
         local g = torch.CudaTensor(1, 64, 10, 10):uniform(-1, 1)
         local function passes()
            local gw = w:clone()
            torch.conv2d_grad_weight(gw, nil, x, g)
            return { torch.conv2d(x, w), torch.conv2d_grad_input(x, g, w), gw }
         end
         torch.conv.engine = 'gemm'
         local want = passes()
         for _, engine in ipairs(torch.conv.engines()) do
            if not torch.conv.missing(engine, 1) then
               torch.conv.engine = engine
               for i, y in ipairs(passes()) do assert(torch.equal(y, want[i]), engine .. i) end
            end
         end
         print 'fine'
      ]], 'TH_CUDA_EMU_MEMORY=1800000'))
   end)

   it('adds gradients once, also where memory was full of garbage', function()
      if not EMULATED then return pending 'only the memory of an emulated device is as small as one likes' end
      local script = [[
         local planes = 100000
         local x = torch.CudaTensor(1, 1, 1, 1):fill(1):expand(1, 1, 2, 2)
         local g = torch.CudaTensor(1, 1, 1, 1):fill(1):expand(1, planes, 2, 2)
         local gw, gb = torch.CudaTensor(planes, 1, 1, 1):zero(), torch.CudaTensor(planes):zero()
         collectgarbage() collectgarbage() collectgarbage 'stop'
         do local garbage = torch.CudaTensor(350000):fill(1) end          -- luacheck: ignore
         torch.conv2d_grad_weight(gw, gb, x, g)
         print(gw:min(), gw:max(), gb:min(), gb:max())
      ]]
      assert.equal('4\t4\t4\t4\n', child(script, 'TH_CUDA_EMU_MEMORY=2900000'))
   end)

   it('goes through many tiles a few at a time', function()
      if not EMULATED then return pending 'only the memory of an emulated device is as small as one likes' end
      local script = [[
         torch.manualSeed(7)
         local x, w = torch.FloatTensor(6, 8, 40, 60):uniform(-1, 1), torch.FloatTensor(8, 4, 7, 7):uniform(-1, 1)
         local g = torch.FloatTensor(6, 8, 34, 54):uniform(-1, 1)
         local function passes(x, w, g)
            local gw = w:clone()
            torch.conv2d_grad_weight(gw, nil, x, g, 1, 1, 1, 0, 0, 1, 1, 2)
            return { torch.conv2d(x, w, nil, 1, 1, 0, 0, 1, 1, 2), torch.conv2d_grad_input(x, g, w, 1, 1, 0, 0, 1, 1, 2), gw }
         end
         local want, dx, dw, dg = passes(x:double(), w:double(), g:double()), x:cuda(), w:cuda(), g:cuda()
         torch.conv.engine = 'gemm'
         local plain = passes(dx, dw, dg)
         for _, engine in ipairs { 'fft', 'cufft' } do
            torch.conv.engine = engine
            for i, y in ipairs(passes(dx, dw, dg)) do
               assert(not torch.equal(y, plain[i]), engine .. ' has left it to gemm')
               local apart = (y:host():double() - want[i]):norm() / want[i]:norm()
               assert(apart < 5e-6, engine .. i .. ' ' .. apart)
            end
            print(torch.conv.explain(dx, dw, 1, 1, 0, 0, 1, 1, 2):match('\n   ' .. engine .. ' [^\n]* ([%d%.]+) MB workspace'))
         end
      ]]
      local few, all = child(script, 'TH_CUDA_EMU_MEMORY=6000000'), child(script)
      for i = 1, 2 do
         local a, b = few:match(('%S+\n'):rep(i - 1) .. '([%d%.]+)\n'), all:match(('%S+\n'):rep(i - 1) .. '([%d%.]+)\n')
         assert(a and b and tonumber(b) > 1.5 * tonumber(a), few .. all)
      end
   end)

   it('computes long lines, also by filters as long as they are', function()
      torch.manualSeed(4)
      for i, s in ipairs { { 2, 3, 4, 3000, 64 }, { 1, 2, 2, 5000, 1024 }, { 1, 1, 2, 20000, 16384 }, { 1, 2, 1, 700, 700 } } do
         local n, c, o, length, k = unpack(s)
         local t = { x = torch.FloatTensor(n, c, 1, length):uniform(-1, 1), w = torch.FloatTensor(o, c, 1, k):uniform(-1, 1),
            b = torch.FloatTensor(o):uniform(-1, 1), numbers = { 1, 1, 0, i == 3 and 100 or 0, 1, 1, 1 }, kind = 'Float' }
         if i == 2 then t.x, t.w = t.x:transpose(3, 4), t.w:transpose(3, 4) end            -- lines that stand
         t.text = ('%d taps of %d'):format(k, length)
         t.g = torch.conv2d(t.x, t.w, nil, unpack(t.numbers)):uniform(-1, 1)
         for pass, run in pairs(RUN) do
            local want = run(t.x:double(), t.w:double(), t.b:double(), t.g:double(), t.numbers)
            local got = forced('cufft', run, there(t.x), there(t.w), there(t.b), there(t.g), t.numbers):host():double()
            local apart = (got - want):norm() / want:norm()
            assert(apart <= TOLERANCE.Float, ('%s: %g apart for %s'):format(pass, apart, t.text))
         end
         if EMULATED and i < 4 then                              -- a GPU may have a faster cuDNN
            assert.equal('cufft', torch.conv.choice('forward', there(t.x), there(t.w)), t.text)
         end
      end
   end)

   it('takes tiles of any size where kernels are larger than tiles of 32', function()
      local x, w = torch.CudaTensor(2, 16, 200, 200):zero(), torch.CudaTensor(16, 16, 40, 35):zero()
      assert.equal('cufft', torch.conv.choice('forward', x, w))
      local h, w1 = torch.conv.explain(x, w):match 'cufft[^\n]*tiles of (%d+) x (%d+)'
      assert(tonumber(h) >= 40 and tonumber(w1) >= 35)
   end)

   it('says why cuDNN, cuFFT and cuBLAS are not there, and continues without them', function()
      if not EMULATED then return pending 'what is there depends on the machine' end
      local script = [[
         print(torch.conv.missing('cudnn', 1), torch.conv.missing('cufft', 1), cutorch.getBlas())
         print(pcall(function() torch.conv.engine = 'cudnn' end))
         print(torch.conv.explain({ 1, 1, 9, 9, device = 1 }, { 1, 1, 3, 3 }):match 'cudnn [^\n]*')
         torch.conv.engine = nil
         local x, w = torch.FloatTensor(1, 2, 1, 3000):uniform(-1, 1), torch.FloatTensor(2, 2, 1, 500):uniform(-1, 1)
         local y = torch.conv2d(x:double(), w:double())
         print((torch.conv2d(x:cuda(), w:cuda()):host():double() - y):norm() < 5e-6 * y:norm())
      ]]
      local text = child(script, 'TH_CUDNN=none')
      assert.truthy(text:find('^TH_CUDNN=none\tnil\tlibcublas'), text)
      assert.truthy(text:find('torch.conv.engine cannot be cudnn: TH_CUDNN=none', 1, true), text)
      assert.truthy(text:find('\ncudnn +is not there: TH_CUDNN=none\n'), text)
      assert.truthy(text:find 'true\n$', text)
      text = child(script, 'TH_CUFFT=none TH_CUBLAS=none TH_CUDNN=none')
      assert.truthy(text:find('^TH_CUDNN=none\tTH_CUFFT=none\tnil'), text)
      assert.truthy(text:find 'true\n$', text)
   end)

   it('uses the emulated cuDNN if it is requested, or was measured to be faster, and otherwise never', function()
      if not EMULATED then return pending 'on a GPU cuDNN may be chosen' end
      for _, s in ipairs { { { 1, 1, 9, 9, device = 1 }, { 1, 1, 3, 3 } },
         { { 8, 64, 64, 64, device = 1 }, { 64, 64, 3, 3 } } } do
         for _, pass in ipairs { 'forward', 'gradInput', 'gradWeight' } do
            assert.not_equal('cudnn', torch.conv.choice(pass, unpack(s)))
            assert.equal('cudnn', torch.conv.with('cudnn', torch.conv.choice, pass, unpack(s)))
         end
      end
   end)

   it('by cuDNN goes through parts of a large batch, in order, with the results of the whole', function()
      if not EMULATED then return pending 'the emulated device has small parts' end
      finally(function() torch.conv.engine = nil end)
      local x, w = torch.CudaTensor(20, 8, 20, 20):uniform(-1, 1), torch.CudaTensor(4, 8, 3, 3):uniform(-1, 1)
      local b = torch.CudaTensor(4):uniform(-1, 1)
      local results = {}
      for _, engine in ipairs { 'gemm', 'cudnn' } do
         torch.conv.engine = engine
         local y = torch.conv2d(x, w, b, 1, 1, 1, 1)
         local gx, gw = torch.CudaTensor(), w:clone():fill(1)
         torch.conv2d_grad_input(gx, x, y, w, 1, 1, 1, 1)
         torch.conv2d_grad_weight(gw, nil, x, y, 0.5, 1, 1, 1, 1)
         results[engine] = { y:float(), gx:float(), gw:float() }
      end
      for i, want in ipairs(results.gemm) do
         assert.is_true((want - results.cudnn[i]):abs():max() <= 1e-5 * want:abs():max(), i)
      end
   end)
   it('by cuDNN reads operands that do not begin at a multiple of 16 bytes from a copy', function()
      finally(function() torch.conv.engine = nil end)
      local all = torch.CudaTensor(1 + 2 * 3 * 8 * 8):uniform(-1, 1)
      local x, w = all:narrow(1, 2, 2 * 3 * 8 * 8):view(2, 3, 8, 8), torch.CudaTensor(4, 3, 3, 3):uniform(-1, 1)
      torch.conv.engine = 'cudnn'
      local aligned = x:clone()
      local want = torch.conv2d(aligned, w)
      assert.is_true(torch.equal(want, torch.conv2d(x, w)))
      if not EMULATED then return end
      pcall(ffi.cdef, 'double th_emu_count(const char *name);')
      local C = require 'cutorch.backend'.C
      local function allocations(input)
         collectgarbage()
         cutorch.deviceReset()                                 -- what is idle would be used again
         local before = C.th_emu_count 'allocations'
         torch.conv2d(input, w)
         return C.th_emu_count 'allocations' - before
      end
      assert.equal(allocations(aligned) + 1, allocations(x))
   end)

   it('by cuDNN takes no algorithm whose bits may change, and is refused where there is no other', function()
      if not EMULATED then return pending 'which algorithms there are depends on the machine' end
      local x, w = torch.CudaTensor(1, 2, 15, 15):uniform(-1, 1), torch.CudaTensor(2, 2, 13, 13):uniform(-1, 1)
      local y = torch.conv2d(x, w)
      local gw = w:clone()
      torch.conv.engine = 'cudnn'
      local text = 'conv2d: the engine cudnn, which torch.conv.engine asks for, does not do this convolution'
      refuses(text, torch.conv2d, x, w)
      refuses('does not do this convolution', torch.conv2d_grad_input, x, y, w)
      refuses('does not do this convolution', torch.conv2d_grad_weight, gw, nil, x, y)
      assert.is_true(torch.equal(gw, w))
      assert.truthy(torch.conv.explain(x, w):find '\n   cudnn +cannot do it\n')
      torch.conv.engine, torch.conv.prefer = nil, 'cudnn'
      assert.is_true(torch.equal(y, torch.conv2d(x, w)))
   end)

   it("is preferred by fbcunn's names as on the CPU", function()
      require 'cunn'
      local x = torch.FloatTensor(2, 3, 20, 20):uniform(-1, 1)
      local long = torch.FloatTensor(40, 3):uniform(-1, 1)
      for name, engine in pairs { SpatialConvolutionFFT = 'fft', SpatialConvolutionFBFFT = 'fft',
         SpatialConvolutionFFTTiled = 'fft', SpatialConvolutionCuFFT = 'cufft', TemporalConvolutionFFT = 'cufft' } do
         local m = engine == 'cufft' and name:find 'Temporal' and nn[name](3, 4, 9) or nn[name](3, 4, 5, 5)
         local input = name:find 'Temporal' and long or x
         m:float()
         m:zeroGradParameters()
         local want = m:forward(input):clone()
         local g = want:clone():uniform(-1, 1)
         local gx = m:backward(input, g):clone()
         local gw = m.gradWeight:clone()
         m:zeroGradParameters()
         m:cuda()
         local seen, conv2d = {}, torch.conv2d
         torch.conv2d = function(...)                                  -- luacheck: ignore 122
            seen[torch.conv.prefer] = true
            return conv2d(...)
         end
         local ok, got = pcall(m.forward, m, input:cuda())
         torch.conv2d = conv2d                                         -- luacheck: ignore 122
         assert(ok, got)
         assert.same({ [engine] = true }, seen)
         assert((got:host() - want):norm() < 1e-5 * want:norm(), name)
         assert((m:backward(input:cuda(), g:cuda()):host() - gx):norm() < 1e-5 * gx:norm(), name)
         assert((m.gradWeight:host() - gw):norm() < 1e-5 * gw:norm(), name)
      end
   end)

   it('refuses by force what it cannot do, and says where to look', function()
      local x, w = torch.CudaTensor(1, 2, 40, 40):zero(), torch.CudaTensor(2, 2, 3, 3):zero()
      torch.conv.engine = 'fft'
      refuses('the engine fft, which torch.conv.engine asks for, does not do this convolution: torch.conv.explain lists',
         torch.conv2d, x, w, nil, 2, 2)
      refuses('does not do this convolution', torch.conv2d, x, torch.CudaTensor(2, 2, 33, 3):zero())
      refuses('does not do this convolution', torch.conv2d, x:cudaDouble(), w:cudaDouble())
      assert.equal(0, torch.conv2d(x, w):host():norm())
   end)
end)

describe('torch.conv on a CUDA device', function()
   local x, w
   before_each(function()
      torch.manualSeed(3)
      x, w = torch.CudaTensor(2, 4, 14, 14):uniform(-1, 1), torch.CudaTensor(8, 4, 5, 5):uniform(-1, 1)
   end)

   it('knows the engines of both, and what the other one has not', function()
      local list = table.concat(torch.conv.engines(), ' ')
      assert.truthy(list:find 'gemm .*winograd')
      assert.is_nil(torch.conv.missing('gemm', 1))
      assert.is_nil(torch.conv.missing('gemm', 0))
      assert.equal('CUDA devices have no such engine', torch.conv.missing('winograd', 1))
      assert.is_nil(torch.conv.missing 'winograd')
   end)

   it('leaves the choice to the model where an engine is only of the other', function()
      local usual = torch.conv.choice('forward', x, w)
      assert.equal(usual, forced('winograd', torch.conv.choice, 'forward', x, w))
      assert.is_true(torch.equal(torch.conv2d(x, w), forced('winograd', torch.conv2d, x, w)))
      assert.equal(usual, torch.conv.with('winograd', torch.conv.choice, 'forward', x, w))
   end)

   it('refuses names that no engine has', function()
      refuses('torch.conv.engine must be nil or one of gemm, ', function() torch.conv.engine = 'cuda' end)
      refuses(', got cuda', function() torch.conv.engine = 'cuda' end)
      refuses('torch.conv.missing: engine must be one of gemm, ', torch.conv.missing, 'cuda')
      for _, d in ipairs { COUNT + 1, 0.5, -1, 'one', 0 / 0 } do
         refuses(('torch.conv.missing: device must be a whole number from 0 to %d, got '):format(COUNT), torch.conv.missing,
            'gemm', d)
      end
   end)

   it('explains for tensors there, and for sizes with a device', function()
      local text = torch.conv.explain(x, w)
      assert.truthy(text:find(require 'cutorch'.getDeviceProperties(1).name, 1, true), text)
      assert.truthy(text:find '\n   gemm +[%d%.]+ ms predicted', text)
      assert.is_nil(text:find 'winograd')
      assert.equal(text, torch.conv.explain({ 2, 4, 14, 14, device = 1 }, { 8, 4, 5, 5 }))
      assert.truthy(torch.conv.explain({ 2, 4, 14, 14, device = 0 }, { 8, 4, 5, 5 }):find 'threads\n')
      assert.truthy(forced('gemm', torch.conv.explain, x, w):find 'forward: gemm, forced\n')
      for _, d in ipairs { COUNT + 1, -1, 0.5, 'one', 0 / 0 } do
         refuses(('torch.conv.explain: x.device must be a whole number from 0 to %d, got '):format(COUNT), torch.conv.explain,
            { 2, 4, 14, 14, device = d }, { 8, 4, 5, 5 })
      end
   end)

   it('refuses sizes that no tensor has', function()
      for _, s in ipairs { { { 256, 1, 2 ^ 30 + 4, 2 ^ 30 + 4, device = 1 }, { 1, 1, 5, 5 }, 'x' },
         { { 1, 1, 1, 1, device = 1 }, { 1, 1, 2 ^ 30, 2 ^ 30 }, 'weight', 2 ^ 30, 2 ^ 30 },
         { { 1, 1, 1, 1, device = 1 }, { 1, 1, 1, 1 }, 'the result', 2 ^ 30, 2 ^ 30 } } do
         for _, f in ipairs { torch.conv.explain, function(...) return torch.conv.choice('forward', ...) end } do
            refuses(s[3] .. ' must have at most 2^59 elements, got ', f, s[1], s[2], 1, 1, s[4], s[5])
         end
      end
   end)

   it('predicts every engine for huge images, and nothing for empty ones', function()
      for _, s in ipairs { { { 1, 1, 1, 2 ^ 30, device = 1 }, { 1, 1, 1, 5 } },
         { { 2 ^ 20, 1, 2 ^ 20, 2 ^ 19, device = 1 }, { 1, 1, 5, 5 } },
         { { 64, 512, 512, 512, device = 1 }, { 512, 512, 9, 9 } }, { { 0, 4, 9, 9, device = 1 }, { 8, 4, 5, 5 } } } do
         local text, count = torch.conv.explain(unpack(s)), 0
         for seconds, flops in text:gmatch '([^ ]+) ms predicted, +([^ ]+) Gflop' do
            local empty = s[1][1] == 0
            for _, v in ipairs { tonumber(seconds), tonumber(flops) } do
               assert(empty and v == 0 or not empty and v > 0 and v < math.huge, text)
               count = count + 1
            end
         end
         for _ in text:gmatch 'cudnn +cannot do it' do count = count + 2 end         -- whose steps have 32 bits
         assert.equal(6 * #engines(), count, text)
      end
   end)

   it('measures each model of device by itself, keeps that in the file, and has the fastest compute', function()
      local cache = temporary.name ''
      os.remove(cache)
      local script = [[
         torch.manualSeed(5)
         local x, w = torch.CudaTensor(1, 8, 20, 20):uniform(-1, 1), torch.CudaTensor(16, 8, 5, 5):uniform(-1, 1)
         local before = { x:clone(), w:clone() }
         torch.conv.benchmark = true
         local g = torch.CudaTensor(1, 16, 16, 16):uniform(-1, 1)
         local y, gx, gw = torch.conv2d(x, w), torch.conv2d_grad_input(x, g, w), w:clone():zero()
         torch.conv2d_grad_weight(gw, nil, x, g)
         torch.conv2d(x:expand(4, 8, 20, 20), torch.CudaTensor(16, 8, 13, 13):zero())    -- no algorithm of the emulated cuDNN
         assert(torch.equal(x, before[1]) and torch.equal(w, before[2]))
         local text, n = torch.conv.explain(x, w), 0
         for _ in text:gmatch 'ms measured' do n = n + 1 end
         local chosen = torch.conv.choice('forward', x, w)
         assert(text:find('forward: ' .. chosen .. ', measured', 1, true), text)
         torch.conv.benchmark = false
         torch.conv.engine = chosen
         assert(torch.equal(y, torch.conv2d(x, w)))
         print(n, chosen)
      ]]
      local first = child(script, ("TH_CACHE_DIR='%s'"):format(cache))
      local n = tonumber(first:match '^%d+')
      assert(n and n >= 3 and not first:find 'status', first)
      local p = io.popen(("cat '%s'/*.txt"):format(cache))
      local text = p:read '*a'
      p:close()
      assert.truthy(text:find '\n"[^"\n]+" 0 %d+ ', text)
      if EMULATED then
         assert.truthy(text:find '\n"[^"\n]+, cuBLAS 0.0.0, cuFFT 0.0.0, cuDNN 9.1.0" 0 [^\n]* cudnn %d+\n', text)
      end
      assert.truthy(text:find ' 13 13 [^\n]*: gemm %d+ ', text)
      -- Without a device the file stays as it is but for what is added, with it nothing is measured again.
      local other = temporary.put([[
         torch.conv.benchmark = true
         torch.conv2d(torch.FloatTensor(1, 8, 20, 20):zero(), torch.FloatTensor(16, 8, 5, 5):zero())
      ]], '.lua')
      assert.equal(0, os.execute(("TH_CACHE_DIR='%s' '%s' '%s'"):format(cache, TH, other)))
      local second = io.popen(("cat '%s'/*.txt"):format(cache))
      local now = second:read '*a'
      second:close()
      for line in text:gmatch '"[^\n]+' do assert(now:find(line, 1, true), now) end
      assert.equal(first, child(script, ("TH_CACHE_DIR='%s'"):format(cache)))
      os.execute(("rm -r '%s'"):format(cache))
   end)
end)
