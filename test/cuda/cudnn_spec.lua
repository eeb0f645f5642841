-- test/cuda/cudnn_spec.lua - what cuDNN computes beside convolutions gives what our own kernels and the CPU give, and is chosen
-- as the settings say.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'
local device = require 'test.support.cuda.device'

if device.missing('cuDNN on a CUDA device', describe, pending) then return end

local cudnn = require 'cudnn'
local TH = os.getenv 'TH' or 'build/bin/th'
local EMULATED = device.cutorch.getDeviceProperties(1).emulated
local why = torch.conv.missing('cudnn', 1)
if why then
   describe('cuDNN on a CUDA device', function() pending('there is none: ' .. why) end)
   return
end

local KINDS = { 'Float', 'Double', 'Half', 'BFloat16' }
-- How far a result of cuDNN may lie from the CPU's in double, as a part of its norm.
local TOLERANCE = { Float = 5e-6, Double = 1e-13, Half = 2e-3, BFloat16 = 1.6e-2 }

local function there(x)
   local kind = x:type():match 'torch%.(%w+)Tensor'
   return x:type(('torch.Cuda%sTensor'):format(kind == 'Float' and '' or kind))
end
local function near(kind, got, want, what)
   local apart = (got:host():double() - want):norm() / math.max(want:norm(), 1e-30)
   assert(apart <= TOLERANCE[kind], ('%s, %s: %g apart'):format(what, kind, apart))
end

-- What a script prints in a separate process, with its errors.
local function child(script, environment)
   local name = temporary.put("require 'cutorch'\nrequire 'cudnn'\n" .. script, '.lua')
   local p = io.popen(("TH_CACHE_DIR= %s '%s' '%s' 2>&1 </dev/null; echo \"status $?\""):format(environment or '', TH, name))
   local text = p:read '*a'
   p:close()
   return (text:gsub('status 0\n$', ''))
end

before_each(function()
   torch.manualSeed(7)
   cudnn.prefer = true
end)
after_each(function()
   cudnn.enabled = true
   temporary.remove()
end)

describe('cuDNN', function()
   it('averages windows, and gives their gradient, as the CPU does in double', function()
      for i, s in ipairs { { { 2, 3, 9, 8 }, 2, 2, 2, 2, 0, 0 }, { { 3, 9, 11 }, 3, 2, 1, 3, 1, 1 },
         { { 1, 2, 7, 7 }, 5, 4, 2, 1, 2, 2 }, { { 2, 1, 10, 5 }, 3, 5, 3, 1, 0, 2 } } do
         for _, kind in ipairs(KINDS) do
            for _, count_pad in ipairs { true, false } do
               local x = torch[kind .. 'Tensor'](unpack(s[1])):uniform(-1, 1)
               local numbers = { s[2], s[3], s[4], s[5], s[6], s[7], false, count_pad }
               local want = torch.avgpool2d(x:double(), unpack(numbers))
               local g = want:clone():uniform(-1, 1):type(x:type())
               local what = ('means %d%s'):format(i, count_pad and ', padding counts' or '')
               near(kind, torch.avgpool2d(there(x), unpack(numbers)), want, what)
               near(kind, torch.avgpool2d_grad(there(x), there(g), unpack(numbers)),
                  torch.avgpool2d_grad(x:double(), g:double(), unpack(numbers)), what .. ', gradient')
            end
         end
      end
   end)

   it('averages images that have gaps or lie the other way round, and into results that do', function()
      local x = torch.FloatTensor(3, 12, 2, 14):uniform(-1, 1):transpose(2, 3)
      local want = torch.avgpool2d(x:double(), 3, 3, 2, 2, 1, 1)
      local y = torch.CudaTensor(3, 2, 7, 6):zero():transpose(3, 4)
      torch.avgpool2d(y, there(x:contiguous()):transpose(3, 4):contiguous():transpose(3, 4), 3, 3, 2, 2, 1, 1)
      near('Float', y, want, 'means')
   end)

   it('leaves windows that hang over the padding, and maxima, to our own kernels', function()
      local x = torch.CudaTensor(2, 3, 8, 8):uniform(-1, 1)
      local function results()
         local y, index = torch.maxpool2d(x, 3, 3, 2, 2, 1, 1)
         return { torch.avgpool2d(x, 3, 3, 2, 2, 0, 0, true), y, index, torch.maxpool2d_grad(x, index, y) }
      end
      local got = results()
      cudnn.enabled = false
      for i, want in ipairs(results()) do assert.is_true(torch.equal(want, got[i]), i) end
   end)

   -- batchnorm and its gradient: y, mean, invstd, the running ones, gx, gradWeight, gradBias.
   local function norm(x, g, p, train)
      local t = {}
      for name, v in pairs(p) do t[name] = v:clone() end
      local y, mean, invstd = torch.batchnorm(x, t.weight, t.bias, t.rm, t.rv, train, 0.2, 1e-3)
      local gw, gb = t.gw, t.gb
      local gx = torch.batchnorm_grad(x, g, t.weight, mean, invstd, gw, gb, train, 0.5)
      return { y = y, mean = mean, invstd = invstd, rm = t.rm, rv = t.rv, gx = gx, gw = gw, gb = gb }
   end
   local function mapped(p, f)
      local t = {}
      for name, v in pairs(p) do t[name] = f(v) end
      return t
   end

   it('normalises batches of images, volumes and rows, trains them and gives gradients, as the CPU does in double', function()
      for _, size in ipairs { { 4, 3, 5, 6 }, { 3, 2, 2, 3, 4 }, { 9, 5 }, { 2, 4, 3 } } do
         for _, kind in ipairs(KINDS) do
            for _, affine in ipairs { true, false } do
               for _, train in ipairs { true, false } do
                  local function vector(lo, hi) return torch[kind .. 'Tensor'](size[2]):uniform(lo, hi) end
                  local x = torch[kind .. 'Tensor'](unpack(size)):uniform(-1, 2)
                  local g = x:clone():uniform(-1, 1)
                  local p = { rm = vector(-1, 1), rv = vector(0.5, 2) }
                  if affine then p.weight, p.bias, p.gw, p.gb = vector(-1, 1), vector(-1, 1), vector(-1, 1), vector(-1, 1) end
                  local want = norm(x:double(), g:double(), mapped(p, function(t) return t:double() end), train)
                  local got = norm(there(x), there(g), mapped(p, there), train)
                  for name, w in pairs(want) do
                     local what = ('%s of %s%s'):format(name, table.concat(size, ' x '), train and ', in training' or '')
                     near(kind, got[name], w, what)
                  end
               end
            end
         end
      end
   end)

   it('leaves a batch of one number to our own kernels, and factors that it does not take', function()
      local x = torch.CudaTensor{{ 1, 2 }}
      local function variance(momentum, v)
         local rm, rv = torch.CudaTensor(2):zero(), torch.CudaTensor(2):fill(1)
         torch.batchnorm(v, nil, nil, rm, rv, true, momentum)
         return rv
      end
      assert.same({ 0.5, 0.5 }, variance(0.5, x):host():totable())
      local more = torch.CudaTensor{{ 1, 2 }, { 3, 6 }}
      assert.same({ 3, 15 }, variance(2, more):host():totable())
   end)

   it('gives nn the same losses as our own kernels, up to rounding', function()
      require 'cunn'
      local function losses()
         torch.manualSeed(3)
         local net = nn.Sequential():add(nn.SpatialConvolution(1, 4, 3, 3)):add(nn.SpatialBatchNormalization(4)):add(nn.ReLU())
            :add(nn.SpatialAveragePooling(2, 2, 2, 2)):add(nn.View(4 * 3 * 3)):add(nn.Linear(36, 3)):add(nn.LogSoftMax()):cuda()
         local x, target = torch.FloatTensor(6, 1, 8, 8):uniform(-1, 1):cuda(), torch.LongTensor{ 1, 2, 3, 1, 2, 3 }:cudaLong()
         local criterion, list = nn.ClassNLLCriterion():cuda(), {}
         for step = 1, 5 do
            list[step] = criterion:forward(net:forward(x), target)
            net:zeroGradParameters()
            net:backward(x, criterion:backward(net.output, target))
            net:updateParameters(0.5)
         end
         return list
      end
      local by_cudnn = losses()
      cudnn.enabled = false
      for i, loss in ipairs(losses()) do assert.near(loss, by_cudnn[i], 1e-4) end
   end)

   it('is recorded by a graph', function()
      local m = nn.Sequential():add(nn.SpatialBatchNormalization(3)):add(nn.SpatialAveragePooling(2, 2, 2, 2)):cuda()
      local like = m:clone()
      local step = device.cutorch.graph(function(x) return m:forward(x) end)
      for _ = 1, 4 do
         local x = torch.CudaTensor(4, 3, 6, 6):uniform(-1, 1)
         assert((step(x) - like:forward(x)):norm() < 1e-5)
      end
      assert((m:get(1).running_var - like:get(1).running_var):norm() < 1e-6)
   end)
end)

describe('a first call of cuDNN', function()
   it('is not recorded by a graph, which says so, and not waited for where cuDNN has nothing to do', function()
      local text = child [[
         local cudnn, x = require 'cudnn', torch.CudaTensor(4, 2, 3, 3):uniform(-1, 1)
         cudnn.enabled = false
         local f = cutorch.graph(function(v) return torch.batchnorm(v, nil, nil, nil, nil, true) end)
         local plain = cutorch.graph(function(v) return v * 2 end)
         f(x)
         cudnn.prefer = true
         print((select(2, pcall(f, x))))
         for _ = 1, 2 do plain(x) end
         torch.batchnorm(x, nil, nil, nil, nil, true)
         for _ = 1, 2 do f(x) end
         print(f:count(), plain:count())
      ]]
      assert.truthy(text:find('cuDNN has not worked yet: one call before the recording makes it ready', 1, true), text)
      assert.truthy(text:find('\n1\t1', 1, true), text)
   end)
end)

describe('recurrent layers by cuDNN', function()
   require 'cunn'
   require 'nn.recurrent'
   local kinds = { 'RNN', 'RNNReLU', 'LSTM', 'GRU', 'BRNN', 'BLSTM', 'BGRU' }
   local buffers = os.getenv 'CUBLAS_WORKSPACE_CONFIG'
   local taken = EMULATED or buffers == ':16:8' or buffers == ':4096:8' or buffers == ':4096:2'
   local function given(name, layers, batch_first, kind)
      local m = nn[name](3, 4, layers, batch_first):type(('torch.%sTensor'):format(kind))
      local walks = layers * m.directions
      local function some(...) return torch[kind .. 'Tensor'](...):uniform(-1, 1) end
      m.hiddenInput, m.gradHiddenOutput = some(walks, 2, 4), some(walks, 2, 4)
      if m.mode == 'lstm' then m.cellInput, m.gradCellOutput = some(walks, 2, 4), some(walks, 2, 4) end
      m.gradWeight:uniform(-1, 1)
      return m, some(batch_first and 2 or 5, batch_first and 5 or 2, 3)
   end
   local RESULTS = { 'output', 'hiddenOutput', 'cellOutput', 'gradInput', 'gradHiddenInput', 'gradCellInput', 'gradWeight' }
   local STATES = { 'hiddenInput', 'cellInput', 'gradHiddenOutput', 'gradCellOutput' }
   local function on(m, change)
      local copy = m:clone()
      local states = {}
      for _, name in ipairs(STATES) do states[name], copy[name] = m[name], nil end
      copy:type(change(m.weight):type())
      for name, t in pairs(states) do copy[name] = change(t) end
      return copy
   end

   it('give what the CPU gives in double: outputs, states, and all gradients', function()
      if not taken then return pending 'its bits may differ from run to run here' end
      for i, name in ipairs(kinds) do
         for layers = 1, 2 do
            for _, kind in ipairs(KINDS) do
               local m, x = given(name, layers, i % 2 == 0, kind)
               local cpu, gpu = on(m, function(t) return t:double() end), on(m, there)
               local g = cpu:forward(x:double()):clone():uniform(-1, 1):type(x:type())
               gpu:forward(there(x))
               assert.truthy(gpu._cudnn)
               cpu:backward(x:double(), g:double(), 0.5)
               gpu:backward(there(x), there(g), 0.5)
               for _, result in ipairs(RESULTS) do
                  local what = ('%s of %s, %d layers'):format(result, name, layers)
                  if cpu[result] then near(kind, gpu[result], cpu[result], what) end
               end
            end
         end
      end
   end)

   it('give gradients again and again, also after an evaluation', function()
      if not taken then return pending 'its bits may differ from run to run here' end
      local m, x = given('BLSTM', 2, false, 'Float')
      local gpu = on(m, there)
      x = there(x)
      local g = gpu:forward(x):clone():uniform(-1, 1)
      local gx = gpu:updateGradInput(x, g):clone()
      assert.is_true(torch.equal(gx, gpu:updateGradInput(x, g)))
      gpu:zeroGradParameters()
      gpu:accGradParameters(x, g)
      local gw = gpu.gradWeight:clone()
      gpu:accGradParameters(x, g)
      assert((gpu.gradWeight - gw * 2):norm() < 1e-5 * gw:norm())
      gpu:evaluate()
      gpu:forward(x)
      assert.is_true(torch.equal(gx, gpu:updateGradInput(x, g)))
      gpu:clearState()
      refuses('backward needs the forward before it', gpu.updateGradInput, gpu, x, g)
   end)

   it('are not recorded by a graph: a gradient whose forward was cuDNN\'s is refused, or runs plainly with fallback', function()
      if not taken then return pending 'its bits may differ from run to run here' end
      local m, x = nn.LSTM(3, 4):cuda(), torch.CudaTensor(5, 2, 3):uniform(-1, 1)
      local g = m:forward(x):clone():uniform(-1, 1)
      local passes = { updateGradInput = function(v) return m:updateGradInput(x, v) end,
         accGradParameters = function(v) m:accGradParameters(x, v) end }
      for _, name in ipairs { 'updateGradInput', 'accGradParameters' } do
         local step = device.cutorch.graph(passes[name])
         step(g)
         refuses('nn.LSTM: a CUDA graph cannot record this: cuDNN computes a recurrent layer', step, g)
         assert.equal(0, (step:count()))
      end
      local want = passes.updateGradInput(g):clone()
      local step = device.cutorch.graph(passes.updateGradInput, { fallback = true })
      for _ = 1, 3 do assert.is_true(torch.equal(want, step(g))) end
      assert.truthy(step.why:find('cuDNN computes a recurrent layer', 1, true))
   end)

   it('tell errors that are no reasons to do without cuDNN', function()
      if not taken then return pending 'its bits may differ from run to run here' end
      local by_cudnn = require 'cutorch.rnn'
      local m, x = nn.GRU(3, 4):cuda(), torch.CudaTensor(5, 2, 3):uniform(-1, 1)
      local rows = x:view(10, 3)
      refuses("cuDNN's operands must lie on one device", by_cudnn.forward, m, rows, torch.CudaTensor(1),
         { rows = 10, samples = 2 }, {}, false)
      m.hiddenInput = torch.CudaDoubleTensor(1, 2, 4):zero()
      assert.is_false(pcall(m.forward, m, x))
      m.hiddenInput = nil
      local g = m:forward(x):clone()
      m:updateGradInput(x, g)
      m.hiddenInput = torch.CudaDoubleTensor(1, 2, 4):zero()
      refuses('hiddenInput is of another type', m.updateGradInput, m, x, g)
   end)

   it('are left to our own kernels where lengths differ, and where dropout is drawn', function()
      local m = nn.LSTM(3, 4, 2, true, 0.5):cuda()
      local x = torch.CudaTensor(2, 5, 3):uniform(-1, 1)
      m:forward(x)
      assert.is_nil(m._cudnn)
      m:evaluate()
      m:forward(x)
      assert.equal(taken, m._cudnn ~= nil)
      m:forward{ x, torch.CudaLongTensor{ 5, 3 } }
      assert.is_nil(m._cudnn)
      cudnn.enabled = false
      m:forward(x)
      assert.is_nil(m._cudnn)
   end)

   it('remember states, and refuse those of another size', function()
      if not taken then return pending 'its bits may differ from run to run here' end
      local m = nn.GRU(3, 4, 1, false, 0, true):cuda()
      local like, x = m:clone():double(), torch.CudaTensor(3, 2, 3):uniform(-1, 1)
      for _ = 1, 3 do near('Float', m:forward(x), like:forward(x:host():double()), 'remembered states') end
      m = nn.GRU(3, 4):cuda()
      m.hiddenInput = torch.CudaTensor(1, 5, 4):zero()
      refuses('hiddenInput must be 1 x 2 x 4', m.forward, m, x)
   end)
end)

describe("cudnn's settings", function()
   it('choose: enabled, prefer', function()
      assert.is_true(cudnn.enabled)
      assert.is_true(cudnn.prefer)
      cudnn.prefer = false
      assert.is_true(cudnn.enabled)
      assert.is_false(cudnn.prefer)
      cudnn.enabled = false
      assert.is_false(cudnn.prefer)
      assert.equal('cudnn.enabled is false', torch.conv.missing('cudnn', 1))
      refuses('torch.conv.engine cannot be cudnn: cudnn.enabled is false', function() torch.conv.engine = 'cudnn' end)
      cudnn.prefer = true
      assert.is_true(cudnn.enabled)
      assert.is_nil(torch.conv.missing('cudnn', 1))
   end)

   it('are true or false', function()
      for _, name in ipairs { 'enabled', 'prefer', 'benchmark' } do
         for _, bad in ipairs { 1, 'yes', {} } do
            refuses(('cudnn.%s must be true or false, got '):format(name), function() cudnn[name] = bad end)
         end
         refuses(('cudnn.%s must be true or false, got nil'):format(name), function() cudnn[name] = nil end)
      end
   end)

   it('end cudnn as an engine that was chosen before', function()
      local x, w = torch.CudaTensor(2, 4, 14, 14):uniform(-1, 1), torch.CudaTensor(8, 4, 5, 5):uniform(-1, 1)
      torch.conv.prefer = 'cudnn'
      assert.equal('cudnn', torch.conv.choice('forward', x, w))
      cudnn.enabled = false
      assert.not_equal('cudnn', torch.conv.choice('forward', x, w))
      torch.conv.prefer = nil
   end)

   it('leave the emulated device to our own kernels unless they ask, or cuDNN was measured to be faster', function()
      if not EMULATED then return pending 'on a GPU cuDNN may be chosen' end
      local x = torch.CudaTensor(8, 4, 32, 32):uniform(-1, 1)
      local function run() return torch.batchnorm(x, nil, nil, nil, nil, true) end
      local preferred = run()
      cudnn.prefer = false
      local usual = run()
      cudnn.enabled = false
      assert.is_true(torch.equal(run(), usual))
      assert.is_false(torch.equal(preferred, usual))
   end)

   it('measure both ways where torch.conv.benchmark is on, change nothing while they do, and keep the times', function()
      local cache = temporary.name ''
      os.remove(cache)
      local script = [[
         torch.manualSeed(5)
         local x = torch.CudaTensor(8, 4, 32, 32):uniform(-1, 1)
         local rm, gw = torch.CudaTensor(4):zero(), torch.CudaTensor(4):zero()
         cudnn.benchmark = true
         local y, mean, invstd = torch.batchnorm(x, nil, nil, rm, nil, true, 1)
         torch.batchnorm_grad(x, x, nil, mean, invstd, gw, nil, true, 1)
         print((rm - mean):norm() < 1e-6, (gw - x:clone():cmul(y):sum(4):sum(3):sum(1):view(4)):norm() / gw:norm() < 1e-4)
         torch.avgpool2d(x, 3, 3, 1, 1)
         torch.avgpool2d(torch.CudaTensor(1, 1, 4, 4):zero(), 2, 2, 2, 2)         -- too few elements to be measured
         print(torch.conv.file ~= nil)
      ]]
      local where = ("TH_CACHE_DIR='%s'"):format(cache)
      assert.equal('true\ttrue\ntrue\n', child(script, where))
      local p = io.popen(("cat '%s'/*.txt"):format(cache))
      local text = p:read '*a'
      p:close()
      for _, pass in ipairs { 3, 5, 7 } do
         assert.equal(1, select(2, text:gsub(('" %d 8 [%%d ]+ : gemm %%d+ cudnn %%d+\n'):format(pass), '')), text)
      end
      assert.equal('true\ttrue\ntrue\n', child(script, where))
      local again = io.popen(("cat '%s'/*.txt"):format(cache))
      assert.equal(text, again:read '*a')
      again:close()
      os.execute(("rm -r '%s'"):format(cache))
   end)

   it('do without cuDNN where TH_CUDNN is none', function()
      assert.equal('true\n', child([[
         cudnn.prefer = true
         local x = torch.CudaTensor(2, 2, 4, 4):uniform(-1, 1)
         local y = torch.avgpool2d(x, 2, 2, 2, 2)
         print((y:host() - torch.avgpool2d(x:host(), 2, 2, 2, 2)):norm() < 1e-6)
      ]], 'TH_CUDNN=none'))
   end)
end)
