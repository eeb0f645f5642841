-- test/cuda/cudnn_graph_spec.lua - convolutions by cuDNN's graph interface, and by the older one
-- where that refuses.
-- runs once: the device does not depend on the level
local ffi = require 'ffi'
local torch = require 'torch'
local device = require 'test.support.cuda.device'

if device.missing("cuDNN's graph interface on a CUDA device", describe, pending) then return end

local cutorch = device.cutorch
local EMULATED = cutorch.getDeviceProperties(1).emulated
local why = torch.conv.missing('cudnn', 1)
if why then
   describe("cuDNN's graph interface", function() pending('there is no cuDNN: ' .. why) end)
   return
end

pcall(ffi.cdef, 'double th_emu_count(const char *name);')
local KINDS = { 'Float', 'Double', 'Half', 'BFloat16' }
local TOLERANCE = { Float = 5e-6, Double = 1e-13, Half = 1e-3, BFloat16 = 8e-3 }

local function there(x)
   local kind = x:type():match 'torch%.(%w+)Tensor'
   return x:type(('torch.Cuda%sTensor'):format(kind == 'Float' and '' or kind))
end
local function near(kind, got, want, what)
   local apart = (got:host():double() - want):norm() / want:norm()
   assert(apart <= TOLERANCE[kind], ('%s, %s: %g apart'):format(what, kind, apart))
end
local function launches(f)
   local C = require 'cutorch.backend'.C
   f()                                                       -- plans are made
   local before = C.th_emu_count 'launches'
   f()
   return C.th_emu_count 'launches' - before
end

-- Operands of a convolution of this kind, on the CPU.
local function draw(kind, kernel, groups)
   local kh, kw = unpack(kernel)
   local new = torch[kind .. 'Tensor']
   local x, w = new(3, 4, 13, 14):uniform(-1, 1), new(6, 4 / groups, kh, kw):uniform(-1, 1)
   local b, numbers = new(6):uniform(-1, 1), { 1, 2, 1, 1, 1, 1, groups }
   local y = torch.conv2d(x:double(), w:double(), b:double(), unpack(numbers))
   return x, w, b, y:clone():uniform(-1, 1):type(x:type()), numbers
end

before_each(function()
   torch.manualSeed(11)
   torch.conv.engine = 'cudnn'
end)
after_each(function()
   torch.conv.engine = nil
   cutorch.setTF32(false)
end)

-- All passes against the CPU in double.
local function compare(kind, kernel, groups, scale)
   local x, w, b, g, n = draw(kind, kernel, groups)
   local what = ('%d x %d, %d groups'):format(kernel[1], kernel[2], groups)
   torch.conv.engine = nil
   local gw = w:double():clone():fill(0.5)
   local want = { torch.conv2d(x:double(), w:double(), b:double(), unpack(n)),
      torch.conv2d(x:double(), w:double(), nil, unpack(n)),
      torch.conv2d_grad_input(x:double(), g:double(), w:double(), unpack(n)), gw }
   torch.conv2d_grad_weight(gw, nil, x:double(), g:double(), scale, unpack(n))
   torch.conv.engine = 'cudnn'
   local X, W, G, GW = there(x), there(w), there(g), there(w):clone():fill(0.5)
   local got = { torch.conv2d(X, W, there(b), unpack(n)), torch.conv2d(X, W, nil, unpack(n)),
      torch.conv2d_grad_input(X, G, W, unpack(n)), GW }
   torch.conv2d_grad_weight(GW, nil, X, G, scale, unpack(n))
   for i, pass in ipairs { 'forward with a bias', 'forward', 'gradInput', 'gradWeight' } do
      near(kind, got[i], want[i], what .. ', ' .. pass)
   end
end

describe("a convolution by cuDNN's graph interface", function()
   it('gives what the CPU gives in double, for each pass, type and number of groups', function()
      for _, kind in ipairs(KINDS) do
         for _, groups in ipairs { 1, 2 } do
            for _, kernel in ipairs { { 3, 3 }, { 1, 5 } } do compare(kind, kernel, groups, 1) end
         end
      end
   end)

   it('adds a scaled gradient to the weights', function()
      for _, kind in ipairs(KINDS) do compare(kind, { 3, 2 }, 1, -0.25) end
   end)

   it('is computed by a fallback engine or the older interface where others refuse', function()
      for _, kind in ipairs(KINDS) do
         for _, kernel in ipairs { { 10, 10 }, { 11, 11 } } do compare(kind, kernel, 1, 1) end
      end
   end)

   it('is computed by the older interface after a plan has failed', function()
      for _ = 1, 2 do compare('Float', { 9, 8 }, 1, 1) end
   end)

   it('adds the bias in the same kernel, unless tensor cores are lost by that', function()
      if not EMULATED then return pending 'launches are counted on the emulated device' end
      for groups, count in pairs { [1] = 1, [2] = 2 } do
         local x, w, b, _, n = draw('Half', { 3, 3 }, groups)
         x, w, b = there(x), there(w), there(b)
         assert.equal(count, launches(function() torch.conv2d(x, w, b, unpack(n)) end))
      end
      local x, w, b, _, n = draw('Double', { 3, 3 }, 1)
      x, w, b = there(x), there(w), there(b)
      assert.equal(2, launches(function() torch.conv2d(x, w, b, unpack(n)) end))
   end)

   it('rounds floats to TF32 only after cutorch.setTF32(true)', function()
      local x, w, b, _, n = draw('Float', { 3, 3 }, 1)
      torch.conv.engine = nil
      local want = torch.conv2d(x:double(), w:double(), b:double(), unpack(n))
      torch.conv.engine = 'cudnn'
      local function apart()
         local got = torch.conv2d(there(x), there(w), there(b), unpack(n)):host():double()
         return (got - want):norm() / want:norm()
      end
      assert(apart() < 5e-6)
      cutorch.setTF32(true)
      local rounded = apart()
      assert(rounded < 2e-3)
      if EMULATED then assert(rounded > 5e-5, rounded) end
      cutorch.setTF32(false)
      assert(apart() < 5e-6)
   end)

   it('gives the same bits in every run and in the replay of a graph', function()
      local x, w, b, g, n = draw('BFloat16', { 3, 3 }, 1)
      x, w, b, g = there(x), there(w), there(b), there(g)
      local y, gx, gw = x.new(), x.new(), w:clone()
      local function step()
         torch.conv2d(y, x, w, b, unpack(n))
         torch.conv2d_grad_input(gx, x, g, w, unpack(n))
         gw:zero()
         torch.conv2d_grad_weight(gw, nil, x, g, 1, unpack(n))
      end
      step()
      local want = { y:clone(), gx:clone(), gw:clone() }
      local replay = cutorch.graph(step)
      replay()                                               -- records
      for _, t in ipairs { y, gx, gw } do t:fill(7) end
      replay()
      for i, t in ipairs { y, gx, gw } do assert.is_true(torch.equal(want[i], t), i) end
      step()
      for i, t in ipairs { y, gx, gw } do assert.is_true(torch.equal(want[i], t), i) end
   end)
end)
