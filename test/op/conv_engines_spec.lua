-- test/op/conv_engines_spec.lua - every engine of convolution against sums in double, on shapes drawn at random; the choice.
local torch = require 'torch'
local refuses = require 'test.support.refuses'
local share = require 'test.support.share'

local CASES = 200
local PASSES = { 'forward', 'gradInput', 'gradWeight' }

-- Runs f with this engine forced; with columns where it can: gradInput has few steps.
local function forced(engine, f, ...)
   local setting = engine == 'columns' and 'prefer' or 'engine'
   torch.conv[setting] = engine
   local ok, a, b, c = pcall(f, ...)
   torch.conv[setting] = nil
   if not ok then error(a, 0) end
   return a, b, c
end

local function distance(a, b) return (a:double() - b):norm() / (b:norm() + 1e-300) end

local function integers(s) return s.sh, s.sw, s.ph, s.pw, s.dh, s.dw, s.groups end

-- Result and gradients; the gradient of the kernels is added to them.
local function passes(s, x, w, b, g)
   local gw, gb = w:clone(), b:clone()
   torch.conv2d_grad_weight(gw, gb, x, g, 0.5, integers(s))
   return torch.conv2d(x, w, b, integers(s)), torch.conv2d_grad_input(x, g, w, integers(s)), gw
end

local function draw(generator)
   local function upto(n) return math.floor(torch.uniform(generator, 0, n)) + 1 end
   return upto
end

local STEPS = { gemm = true, columns = true, direct = true, depthwise = true }           -- that do steps other than 1
local FLOAT = { direct = true }                                         -- that do FloatTensors only

-- A shape that the engine does.
local function shape(upto, engine)
   local s = { n = upto(3), groups = upto(4) == 1 and upto(3) or 1, c = upto(upto(20)), o = upto(upto(40)), dh = 1, dw = 1,
      sh = STEPS[engine] and upto(3) or 1, sw = STEPS[engine] and upto(2) or 1 }
   s.kh, s.kw = upto(9), upto(9)
   if upto(4) == 1 then s.dh, s.dw = upto(2), upto(3) end
   if engine == 'fft1d' then
      if upto(3) == 1 then s.kw = 1
      else s.kh, s.kw = 1, upto(upto(150)) end
   end
   local pixel = engine == 'columns' and upto(2) == 1
   if pixel then s.kh, s.kw = 1, 1 end
   if engine == 'winograd' then s.kh, s.kw, s.dh, s.dw = 3, 3, 1, 1 end
   if engine == 'depthwise' then s.groups, s.c, s.o = upto(20), 1, upto(3) end
   s.ph, s.pw = pixel and 0 or upto(s.kh + 1) - 1, pixel and 0 or upto(s.kw + 1) - 1
   s.h = math.max(1, (s.kh - 1) * s.dh + 1 - 2 * s.ph) + upto(20) - 1
   s.w = math.max(1, (s.kw - 1) * s.dw + 1 - 2 * s.pw) + upto(engine == 'fft1d' and 300 or 30) - 1
   s.text = ('%d x %d x %d x %d, %d kernels %d x %d in %d groups, steps %d x %d, padding %d x %d, dilation %d x %d'):format(
      s.n, s.c * s.groups, s.h, s.w, s.o * s.groups, s.kh, s.kw, s.groups, s.sh, s.sw, s.ph, s.pw, s.dh, s.dw)
   return s
end

local function operands(s, generator)
   local x = torch.DoubleTensor(s.n, s.c * s.groups, s.h, s.w):uniform(generator, -1, 1)
   local w = torch.DoubleTensor(s.o * s.groups, s.c, s.kh, s.kw):uniform(generator, -1, 1)
   local b = torch.DoubleTensor(s.o * s.groups):uniform(generator, -1, 1)
   local function places(size, kernel, padding, step, dilation)
      return math.floor((size + 2 * padding - (kernel - 1) * dilation - 1) / step) + 1
   end
   local g = torch.DoubleTensor(s.n, s.o * s.groups, places(s.h, s.kh, s.ph, s.sh, s.dh), places(s.w, s.kw, s.pw, s.sw, s.dw))
   return x, w, b, g:uniform(generator, -1, 1)
end

for _, engine in ipairs(torch.conv.engines()) do
   local describe = torch.conv.missing(engine) and function() end or describe        -- luacheck: ignore 431
   local c = engine == 'depthwise' and 1 or nil
   describe('the engine ' .. engine, function()
      -- conv2d_spec compares gemm of doubles with the plain sums bit by bit.
      it(('is within 5e-6 (float) and 5e-14 (double) of sums in double, on %d shapes in three passes'):format(
         share.of(CASES)), function()
         local generator = torch.Generator()
         torch.manualSeed(generator, 20)
         local upto = draw(generator)
         for i = 1, CASES do
            local s = shape(upto, engine)
            local x, w, b, g = operands(s, generator)
            local expected = share.has(i) and { forced('gemm', passes, s, x, w, b, g) }
            local function near(dtype, most, ...)
               local got = { forced(engine, passes, s, ...) }
               for p = 1, 3 do
                  local d = distance(got[p], expected[p])
                  assert.is_true(d <= most, ('%s, %s, %s: off by %g'):format(dtype, PASSES[p], s.text, d))
               end
            end
            if share.has(i) and not FLOAT[engine] and engine ~= 'gemm' then near('double', 5e-14, x, w, b, g) end
            -- To round the operands changes 1e-7 of a result.
            if share.has(i) then near('float', 5e-6, x:float(), w:float(), b:float(), g:float()) end
         end
      end)

      local halves = FLOAT[engine] and function() end or it
      halves(('computes halves as floats: results are those of their floats, rounded, on %d shapes in three passes'):format(
         share.of(CASES)), function()
         local generator = torch.Generator()
         torch.manualSeed(generator, 21)
         local upto = draw(generator)
         for i = 1, CASES do
            local s, T, unit = shape(upto, engine), 'torch.HalfTensor', 2 ^ -11
            if i % 2 == 0 then T, unit = 'torch.BFloat16Tensor', 2 ^ -8 end
            local function short(t) return t:type(T) end
            local x, w, b, g = operands(s, generator)
            x, w, b, g = short(x), short(w), short(b), short(g)
            local got = share.has(i) and { forced(engine, passes, s, x, w, b, g) }
            local expected = got and { forced('gemm', passes, s, x:double(), w:double(), b:double(), g:double()) }
            for p = 1, got and 3 or 0 do
               local d = distance(got[p], expected[p])
               assert.is_true(d <= unit, ('%s, %s, %s: off by %g'):format(T, PASSES[p], s.text, d))
            end
         end
      end)

      it('gives the same bits for 1 to 8 threads', function()
         local generator = torch.Generator()
         torch.manualSeed(generator, 5)
         local s = { n = 5, groups = 2, c = c or 9, o = 21, h = 40, w = 61, kh = engine == 'fft1d' and 1 or 3,
            kw = engine == 'winograd' and 3 or 7, ph = 1, pw = 2, sh = 1, sw = 1, dh = 1, dw = 1 }
         local x, w, b, g = operands(s, generator)
         x, w, b, g = x:float(), w:float(), b:float(), g:float()
         local before, first = torch.getnumthreads(), nil
         for threads = 1, 8 do
            torch.setnumthreads(threads)
            local got = { forced(engine, passes, s, x, w, b, g) }
            first = first or got
            for p = 1, 3 do assert.is_true(torch.equal(first[p], got[p]), PASSES[p] .. ', ' .. threads .. ' threads') end
         end
         torch.setnumthreads(before)
      end)

      it('takes operands and results of any strides, and one image without a batch', function()
         local generator = torch.Generator()
         torch.manualSeed(generator, 6)
         local s = { n = 2, groups = 1, c = c or 5, o = 6, h = 8, w = 30, kh = 1, kw = 6, ph = 0, pw = 2, sh = 1, sw = 1, dh = 1,
            dw = 1 }
         if engine == 'winograd' then s.kh, s.kw = 3, 3 end
         local x, w, b, g = operands(s, generator)
         if FLOAT[engine] then x, w, b, g = x:float(), w:float(), b:float(), g:float() end
         local near = FLOAT[engine] and 1e-6 or 1e-14
         local function mixed(t) return t:permute(3, 1, 4, 2):contiguous():permute(2, 4, 1, 3) end
         local y, gx, gw = forced(engine, passes, s, x, w, b, g)
         local y2, gx2 = mixed(y:clone()):zero(), mixed(gx:clone()):zero()
         forced(engine, function()
            torch.conv2d(y2, mixed(x), mixed(w), b, integers(s))
            torch.conv2d_grad_input(gx2, mixed(x), mixed(g), mixed(w), integers(s))
            local gw2 = mixed(w:clone())
            torch.conv2d_grad_weight(gw2, mixed(x), mixed(g), 0.5, integers(s))
            assert.is_true(distance(gw2, gw:double()) < near)
            assert.is_true(distance(torch.conv2d(x[1], w, b, integers(s)), y[1]:double()) < near)
         end)
         assert.is_false(y2:isContiguous())
         assert.is_true(distance(y2, y:double()) < near)
         assert.is_true(distance(gx2, gx:double()) < near)
      end)

      it('leaves nan and infinity where they belong, and not in other images', function()
         local x = torch.FloatTensor(2, c or 3, 12, 12):fill(1)
         x[1][1][6][6] = 0 / 0
         local w, b = torch.FloatTensor(4, c or 3, engine == 'fft1d' and 1 or 3, 3):fill(1), torch.FloatTensor(4):fill(0)
         local y = forced(engine, torch.conv2d, x, w, b)
         assert.is_true(y[1][1]:ne(y[1][1]):any())
         assert.is_false(y[2]:ne(y[2]):any())
      end)
   end)
end

describe('the engine columns', function()
   it('is within 2e-5 of sums in double in gradients of kernels of one pixel, where all products are alike', function()
      for _, l in ipairs { { n = 512, c = 8, o = 5, size = 16 }, { n = 40, c = 3, o = 2, size = 60 } } do
         local x, g = torch.FloatTensor(l.n, l.c, l.size, l.size):fill(1), torch.FloatTensor(l.n, l.o, l.size, l.size):fill(0.1)
         local w, b = torch.FloatTensor(l.o, l.c, 1, 1):zero(), torch.FloatTensor(l.o):zero()
         forced('columns', torch.conv2d_grad_weight, w, b, x, g)
         local expected = l.n * l.size ^ 2 * g[1][1][1][1]
         local off = (w:double() - expected):abs():max() / expected
         assert.is_true(off <= 2e-5, ('%d images: off by %g'):format(l.n, off))
      end
   end)
end)

describe('the engine fft1d', function()
   it('is within 2e-6 of sums in double where the filter has 4096 taps, or as many as the signal', function()
      local generator = torch.Generator()
      torch.manualSeed(generator, 22)
      for _, s in ipairs { { w = 9000, kw = 4096, pw = 0, c = 3, o = 2 }, { w = 4000, kw = 4000, pw = 3999, c = 1, o = 2 } } do
         s.n, s.groups, s.h, s.kh, s.ph, s.sh, s.sw, s.dh, s.dw = 1, 1, 1, 1, 0, 1, 1, 1, 1
         local x, w, b, g = operands(s, generator)
         x, w, b, g = x:float(), w:float(), b:float(), g:float()
         local got = { forced('fft1d', passes, s, x, w, b, g) }
         local expected = { forced('gemm', passes, s, x:double(), w:double(), b:double(), g:double()) }
         for p = 1, 3 do
            local d = distance(got[p], expected[p])
            assert.is_true(d <= 2e-6, ('%s, %d taps: off by %g'):format(PASSES[p], s.kw, d))
         end
      end
   end)
end)

describe('torch.conv', function()
   it('chooses spectra for large kernels and long filters, products for small ones, depthwise for planes apart', function()
      local small, large = { gemm = true, direct = true }, { columns = true, direct = true }
      for _, pass in ipairs(PASSES) do
         assert.equal('fft', torch.conv.choice(pass, { 16, 64, 64, 64 }, { 128, 64, 9, 9 }))
         assert.equal('fft1d', torch.conv.choice(pass, { 1, 64, 1, 64000 }, { 64, 64, 1, 1024 }))
         assert.equal('fft1d', torch.conv.choice(pass, { 1, 64, 64000, 1 }, { 64, 64, 1024, 1 }))
         assert.truthy(small[torch.conv.choice(pass, { 16, 3, 224, 224 }, { 64, 3, 11, 11 }, 4, 4, 2, 2)])
         assert.truthy(large[torch.conv.choice(pass, { 1, 2048, 7, 7 }, { 512, 2048, 1, 1 })])
         assert.equal('depthwise', torch.conv.choice(pass, { 16, 32, 112, 112 }, { 32, 1, 3, 3 }, 1, 1, 1, 1, 1, 1, 32))
         assert.equal('fft', torch.conv.choice(pass, torch.HalfTensor(16, 64, 64, 64), { 128, 64, 9, 9 }))
      end
   end)

   it('does what is chosen: the result has the bits of that engine', function()
      local x, w = torch.FloatTensor(2, 16, 40, 40):uniform(-1, 1), torch.FloatTensor(32, 16, 9, 9):uniform(-1, 1)
      local b = torch.FloatTensor(32):zero()
      local chosen = torch.conv.choice('forward', x, w)
      assert.equal('fft', chosen)
      assert.is_true(torch.equal(torch.conv2d(x, w, b), forced(chosen, torch.conv2d, x, w, b)))
      assert.is_false(torch.equal(torch.conv2d(x, w, b), forced('gemm', torch.conv2d, x, w, b)))
   end)

   it('falls back to gemm when memory does not suffice for spectra', function()
      local x, w = torch.FloatTensor(4, 16, 40, 40):uniform(-1, 1), torch.FloatTensor(32, 16, 9, 9):uniform(-1, 1)
      local b = torch.FloatTensor(32):zero()
      local y, expected = torch.FloatTensor(4, 32, 32, 32), forced('gemm', torch.conv2d, x, w, b)
      local C = require 'torch.lib'.C
      local memory = C.th_memory_of(C.TH_CPU)
      local before = memory.most
      collectgarbage()
      memory.most = memory.bytes + 1200000                    -- gemm's kernels fit, spectra do not
      local ok, why = pcall(forced, 'fft', torch.conv2d, y, x, w, b)
      memory.most = before
      assert.is_true(ok, why)
      assert.is_true(torch.equal(expected, y))
   end)

   it('tells what it weighs', function()
      local text = torch.conv.explain({ 16, 64, 64, 64 }, { 128, 64, 9, 9 })
      assert.truthy(text:find '^16 x 64 x 64 x 64, 128 kernels of 9 x 9, %d+ threads\nforward: fft\n')
      assert.truthy(text:find '\ngradInput: fft\n')
      assert.truthy(text:find '\ngradWeight: fft\n')
      assert.truthy(text:find '\n   gemm +%d+%.%d+ ms predicted, +66%.589 Gflop')
      assert.truthy(text:find '\n   fft1d +cannot do it\n')
      assert.truthy(text:find 'tiles of %d+ x %d+')
      assert.truthy(forced('gemm', torch.conv.explain, { 64, 64, 64 }, { 128, 64, 9, 9 }):find 'forward: gemm, forced')
   end)

   it('has nothing to weigh where something is empty', function()
      local shapes = {
         { { 0, 3, 8, 8 }, { 4, 3, 3, 3 } }, { { 2, 0, 8, 8 }, { 4, 0, 3, 3 } }, { { 2, 3, 8, 8 }, { 0, 3, 3, 3 } },
         { { 0, 3, 8, 8 }, { 4, 3, 1, 1 } }, { { 1, 0, 1, 8 }, { 0, 0, 1, 3 } },
         { torch.DoubleTensor(0, 3, 8, 8), { 4, 3, 3, 3 } }, { { 0, 6, 8, 8 }, { 6, 1, 3, 3 }, 1, 1, 1, 1, 1, 1, 6 },
      }
      for _, s in ipairs(shapes) do
         local text = torch.conv.explain(unpack(s))
         assert.truthy(text:find '\n   gemm +0%.000 ms predicted, +0%.000 Gflop')
         assert.truthy(text:find '\n   columns +0%.000 ms predicted, +0%.000 Gflop')
         for _, pass in ipairs(PASSES) do assert.equal('gemm', torch.conv.choice(pass, unpack(s))) end
         for _, engine in ipairs(torch.conv.engines()) do
            if not torch.conv.missing(engine) then assert.truthy(forced(engine, torch.conv.explain, unpack(s))) end
         end
      end
   end)

   it('refuses engines that do not exist, or cannot do it, and shapes that do not fit', function()
      refuses('torch.conv.engine must be nil or one of ' .. table.concat(torch.conv.engines(), ', ') .. ', got cudnn', function()
         torch.conv.engine = 'cudnn'
      end)
      assert.is_nil(torch.conv.engine)
      local x, w, b = torch.FloatTensor(1, 3, 9, 9):fill(1), torch.FloatTensor(2, 3, 3, 3):fill(1), torch.FloatTensor(2):fill(0)
      refuses('conv2d: the engine fft, which torch.conv.engine asks for, does not do this convolution', forced, 'fft',
         torch.conv2d, x, w, b, 2, 2)
      refuses('the engine fft1d', forced, 'fft1d', torch.conv2d, x, w, b)
      refuses('the engine depthwise', forced, 'depthwise', torch.conv2d, x, w, b)
      refuses("torch.conv.missing: engine must be one of gemm, fft1d, fft, winograd, columns, direct, depthwise, got cudnn",
         torch.conv.missing, 'cudnn')
      refuses('torch.conv.explain: x must be a tensor or a table of sizes, got a number (3)', torch.conv.explain, 3)
      refuses('torch.conv.explain: weight must have 4 dimensions, got 1', torch.conv.explain, x, { 3 })
      refuses('torch.conv.explain: x must have 3 or 4 dimensions, got 2', torch.conv.explain, { 3, 3 }, w)
      refuses('x must have 3 planes in 1 group for this weight, got 4', torch.conv.explain, { 4, 9, 9 }, w)
      refuses('weight must have a multiple of 3 results, one for each group, got 2', torch.conv.explain, { 9, 9, 9 }, w,
         1, 1, 0, 0, 1, 1, 3)
      refuses('strideW must be a whole number from 1 to 2147483647, got 0', torch.conv.explain, x, w, 1, 0)
      refuses('padH must be a whole number from 0 to 2147483647, got -1', torch.conv.explain, x, w, 1, 1, -1)
      refuses('x must be at least as large as the kernel, 3 with its padding, got 2', torch.conv.explain, { 3, 2, 9 }, w)
      refuses('x must have sizes from 0 to 2147483647, got -1', torch.conv.explain, { 3, -1, 9 }, w)
      refuses('x must be a Float, Double, Half or BFloat16 tensor', torch.conv.explain, x:long(), w)
      refuses("torch.conv.choice: pass must be 'forward', 'gradInput' or 'gradWeight'", torch.conv.choice, 'back', x, w)
   end)
end)

-- What a separate process prints, with this in its environment.
local function child(environment, code)
   local script = os.tmpname()
   local f = assert(io.open(script, 'w'))
   f:write("local torch = require 'torch'\n", code)
   f:close()
   local p = assert(io.popen(("%s '%s' %s 2>&1"):format(environment, os.getenv 'TH' or 'build/bin/th', script)))
   local text = p:read '*a'
   p:close()
   os.remove(script)
   return text
end

describe('the engine direct without oneDNN', function()
   it('is not chosen, cannot be forced, and torch.conv.explain and torch.config say why', function()
      local said = child('TH_ONEDNN=none', [[
         print(torch.conv.choice('forward', { 16, 64, 56, 56 }, { 64, 64, 1, 1 }), torch.config().onednn)
         print(pcall(function() torch.conv.engine = 'direct' end))
         print(torch.conv.engine, torch.conv.missing 'direct')
         print(torch.conv.explain({ 16, 64, 56, 56 }, { 64, 64, 1, 1 }):match '   direct[^\n]*')]])
      local why = 'oneDNN is not used: TH_ONEDNN is none'
      assert.truthy(said:find '^%w+\tnone\n')
      assert.is_nil(said:find '^direct')
      assert.truthy(said:find('\nfalse\t[^\n]*torch%.conv%.engine cannot be direct: ' .. why))
      assert.truthy(said:find('\nnil\t' .. why))
      assert.truthy(said:find('\n   direct     is not there: ' .. why))
   end)

   it('leaves the work to the others also where a library was named that is none', function()
      local said = child('TH_ONEDNN=libm.so.6', [[
         print(torch.conv.missing 'direct')
         print(torch.conv2d(torch.FloatTensor(4, 32, 30, 30):fill(1), torch.FloatTensor(32, 32, 1, 1):fill(1)):sum())]])
      assert.equal('what was opened as oneDNN has no dnnl_version\n3686400\n', said)
   end)
end)

local onednn = torch.conv.missing 'direct' and pending or it

describe('the engine direct', function()
   onednn('does not depend on which shapes came before, nor on how many there were', function()
      local function result()
         local x, w = torch.FloatTensor(3, 20, 15, 17):fill(0.1):cumsum(4), torch.FloatTensor(40, 20, 3, 3):fill(0.3):cumsum(1)
         return forced('direct', torch.conv2d, x, w, torch.FloatTensor(40):fill(0.7))
      end
      local first = result()
      for i = 1, 300 do                                       -- more than are kept
         forced('direct', torch.conv2d, torch.FloatTensor(1, 1, 1, i):fill(1), torch.FloatTensor(1, 1, 1, 1):fill(1))
      end
      assert.is_true(torch.equal(first, result()))
   end)

   onednn('refuses DoubleTensors', function()
      refuses('the engine direct', forced, 'direct', torch.conv2d, torch.ones(1, 3, 9, 9), torch.ones(2, 3, 3, 3))
   end)

   onednn('starts no threads', function()
      local said = child('TH_NUM_THREADS=2', [[
         local function threads()
            for line in io.lines '/proc/self/status' do if line:match '^Threads' then return line:match '%d+' end end
         end
         torch.conv.engine = 'direct'
         for _ = 1, 3 do torch.conv2d(torch.FloatTensor(8, 64, 40, 40):fill(1), torch.FloatTensor(64, 64, 3, 3):fill(1)) end
         print(threads())]])
      assert.equal('2\n', said)
   end)
end)

describe('nn.SpatialDepthWiseConvolution', function()
   it('is computed by the engine depthwise', function()
      require 'nn'
      local net, x = nn.SpatialDepthWiseConvolution(6, 2, 3, 3):float(), torch.FloatTensor(2, 6, 40, 40):uniform(-1, 1)
      local y = net:forward(x):clone()
      local gx = net:backward(x, y):clone()
      assert.is_true(torch.equal(y, forced('depthwise', net.forward, net, x)))
      assert.is_true(torch.equal(gx, forced('depthwise', net.updateGradInput, net, x, y)))
      assert.is_false(torch.equal(y, forced('gemm', net.forward, net, x)))
   end)
end)

describe('nn.TemporalConvolution', function()
   it('gives what products of its windows give, by spectra of lines, in three passes', function()
      require 'nn'
      for _, dtype in ipairs { 'Float', 'Double' } do
         local net = nn.TemporalConvolution(5, 7, 40):type(('torch.%sTensor'):format(dtype))
         local T = torch[dtype .. 'Tensor']
         for _, x in ipairs { T(300, 5):uniform(-1, 1), T(3, 300, 5):uniform(-1, 1) } do
            local function passes_of(engine)
               return forced(engine, function()
                  net:zeroGradParameters()
                  local y = net:forward(x):clone()
                  local gx = net:backward(x, y):clone()
                  return y, gx, net.gradWeight:clone(), net.gradBias:clone()
               end)
            end
            local a, b = { passes_of 'gemm' }, { passes_of 'fft1d' }
            for p = 1, 3 do
               local d = distance(b[p], a[p]:double())
               assert.is_true(d > 0 and d < (dtype == 'Float' and 2e-6 or 1e-14), ('%s: off by %g'):format(PASSES[p], d))
            end
         end
      end
   end)

   it('keeps products of windows for steps other than 1, whatever is forced', function()
      local net, x = nn.TemporalConvolution(3, 4, 5, 2):float(), torch.FloatTensor(50, 3):uniform(-1, 1)
      local y = net:forward(x):clone()
      assert.is_true(torch.equal(y, forced('fft1d', net.forward, net, x)))
   end)
end)
