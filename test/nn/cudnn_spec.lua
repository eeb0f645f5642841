-- test/nn/cudnn_spec.lua - the package cudnn: layers of nn under its names, what they have more, convert, files, bad arguments.
-- runs once
local torch = require 'torch'
local nn = require 'nn'
require 'nn.recurrent'
local cudnn = require 'cudnn'
local check = require 'test.support.gradcheck'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'

before_each(function() torch.manualSeed(4) end)
teardown(temporary.remove)

-- Arguments and an input of each class whose work is that of the class of nn.
local ALIKE = {
   { 'SpatialConvolution', { 2, 3, 3, 3, 2, 1, 1, 0 }, { 2, 2, 6, 5 } }, { 'SpatialFullConvolution', { 2, 3, 3, 3, 2, 2, 1, 1, 1, 1 }, { 2, 2, 4, 3 } },
   { 'VolumetricConvolution', { 1, 2, 2, 2, 2 }, { 2, 1, 3, 4, 3 } }, { 'VolumetricFullConvolution', { 1, 2, 2, 2, 2, 2, 2, 2 }, { 2, 1, 2, 2, 3 } },
   { 'TemporalConvolution', { 3, 4, 2, 2 }, { 2, 6, 3 } }, { 'SpatialMaxPooling', { 2, 2, 1, 2 }, { 2, 2, 5, 4 } },
   { 'SpatialAveragePooling', { 2, 2, 2, 2, 1, 1 }, { 2, 2, 4, 4 } }, { 'VolumetricMaxPooling', { 2, 2, 2 }, { 2, 1, 4, 4, 4 } },
   { 'VolumetricAveragePooling', { 2, 2, 2, 1, 1, 1 }, { 2, 1, 3, 3, 4 } }, { 'ReLU', {}, { 3, 4 } }, { 'Tanh', {}, { 3, 4 } },
   { 'Sigmoid', {}, { 3, 4 } }, { 'ClippedReLU', { 0.5 }, { 3, 4 } }, { 'SoftMax', {}, { 3, 4 } }, { 'LogSoftMax', {}, { 3, 4 } },
   { 'SpatialSoftMax', {}, { 2, 3, 2, 2 } }, { 'SpatialLogSoftMax', {}, { 2, 3, 2, 2 } }, { 'BatchNormalization', { 3 }, { 5, 3 } },
   { 'SpatialBatchNormalization', { 3, 1e-3, 0.2 }, { 3, 3, 2, 2 } }, { 'VolumetricBatchNormalization', { 2 }, { 3, 2, 2, 2, 2 } },
   { 'SpatialCrossMapLRN', { 3, 0.1, 0.5, 2 }, { 2, 4, 2, 2 } }, { 'RNNReLU', { 3, 4 }, { 5, 2, 3 } }, { 'LSTM', { 3, 4, 2 }, { 5, 2, 3 } },
   { 'GRU', { 3, 4, 1, true }, { 2, 5, 3 } }, { 'BLSTM', { 3, 4 }, { 5, 2, 3 } }, { 'BGRU', { 3, 4 }, { 5, 2, 3 } },
}

local function passes(m, x)
   m:zeroGradParameters()
   local list = { m:forward(x):clone(), nil }
   list[2] = m:backward(x, list[1]):clone()
   local _, grads = m:parameters()
   for _, g in ipairs(grads or {}) do list[#list + 1] = g:clone() end
   return list
end

describe('a layer of cudnn', function()
   for _, row in ipairs(ALIKE) do
      local name = row[1]
      it(name .. ' computes as that of nn, and comes back from files as itself', function()
         local m, like, x = cudnn[name](unpack(row[2])), nn[name](unpack(row[2])), check.tensor(row[3])
         for i, p in ipairs(m:parameters() or {}) do like:parameters()[i]:copy(p) end
         assert.equal('cudnn.' .. name, torch.type(m))
         assert.is_true(torch.isTypeOf(m, 'nn.' .. name))
         local want, back = passes(like, x), torch.deserialize(torch.serialize(m))
         for i, t in ipairs(passes(m, x)) do assert.is_true(torch.equal(want[i], t)) end
         assert.equal('cudnn.' .. name, torch.type(back))
         for i, t in ipairs(passes(back, x)) do assert.is_true(torch.equal(want[i], t)) end
         assert.is_nil(m:clearDesc())
      end)
   end

   it('of plain units has two names', function()
      local x = check.tensor { 5, 2, 3 }
      local m = nn.RNN(3, 4)
      for _, name in ipairs { 'RNN', 'RNNTanh' } do
         local other = cudnn[name](3, 4, 1)
         other.weight:copy(m.weight)
         assert.is_true(torch.equal(m:forward(x), other:forward(x)))
         other:setSync(true)
      end
   end)

   it('of convolutions takes the settings of cuDNN, and returns itself', function()
      for _, name in ipairs { 'SpatialConvolution', 'SpatialFullConvolution', 'VolumetricConvolution', 'VolumetricFullConvolution', 'TemporalConvolution' } do
         local m = cudnn[name](2, 2, 1, 1, 1)
         assert.is_true(rawequal(m, m:fastest()) and rawequal(m, m:setMode(1, 2, 3)))
         assert.same({ true, 1, 2, 3 }, { m.fastest_mode, m.fmode, m.bdmode, m.bwmode })
         assert.is_nil(m:resetMode().fmode)
         if m.noBias then assert.is_nil(m:noBias().bias) end
      end
   end)
end)

describe('cudnn.SpatialConvolution with groups', function()
   it('is as many convolutions side by side', function()
      local m, x = cudnn.SpatialConvolution(4, 6, 3, 3, 1, 1, 1, 1, 2), check.tensor { 2, 4, 5, 5 }
      local y = m:forward(x)
      for g = 1, 2 do
         local part = nn.SpatialConvolution(2, 3, 3, 3, 1, 1, 1, 1)
         part.weight:copy(m.weight:narrow(1, 3 * g - 2, 3))
         part.bias:copy(m.bias:narrow(1, 3 * g - 2, 3))
         assert.is_true((part:forward(x:narrow(2, 2 * g - 1, 2)) - y:narrow(2, 3 * g - 2, 3)):abs():max() < 1e-12)
      end
      local byInput, byParameters = check.module(m, x)
      assert.is_true(byInput < 1e-6 and byParameters < 1e-6)
   end)
   it('refuses groups that do not divide the planes', function()
      refuses('cudnn.SpatialConvolution: nInputPlane must be a multiple of groups, 2, got 3', cudnn.SpatialConvolution, 3, 4, 1, 1, 1, 1, 0, 0, 2)
      refuses('cudnn.SpatialConvolution: nOutputPlane must be a multiple of groups, 2, got 3', cudnn.SpatialConvolution, 4, 3, 1, 1, 1, 1, 0, 0, 2)
      refuses('cudnn.SpatialConvolution: groups must be a whole number of at least 1, got 0', cudnn.SpatialConvolution, 4, 4, 1, 1, 1, 1, 0, 0, 0)
      refuses('cudnn.SpatialConvolution: nInputPlane must be a whole number of at least 1, got x', cudnn.SpatialConvolution, 'x', 4, 1, 1)
   end)
end)

describe('cudnn.TemporalConvolution with padding', function()
   it('sees zeros before and behind the sequence', function()
      local m, like, x = cudnn.TemporalConvolution(3, 4, 3, 2, 1), nn.TemporalConvolution(3, 4, 3, 2), check.tensor { 2, 6, 3 }
      like.weight:copy(m.weight)
      like.bias:copy(m.bias)
      local padded = torch.zeros(2, 8, 3)
      padded:narrow(2, 2, 6):copy(x)
      assert.is_true(torch.equal(like:forward(padded), m:forward(x)))
      local second = m:forward(x)[2]:clone()
      assert.is_true((second - m:forward(x[2])):abs():max() < 1e-12)
      local byInput, byParameters = check.module(m, x)
      assert.is_true(byInput < 1e-6 and byParameters < 1e-6)
   end)
   it('reads weights as cuDNN lays them', function()
      local m = cudnn.TemporalConvolution(3, 4, 2)
      local kept = m.weight:clone()
      m.weight, m.gradWeight, m.kW, m.dW, m.kH, m.dH = m.weight:view(4, 1, 2, 3), m.gradWeight:view(4, 1, 2, 3), nil, nil, 2, 1
      local back = torch.deserialize(torch.serialize(m))
      assert.is_true(torch.equal(kept, back.weight))
      assert.same({ 4, 4 }, back:forward(check.tensor { 5, 3 }):size():totable())
   end)
   it('refuses padding that is none, and inputs that are no sequences', function()
      refuses('cudnn.TemporalConvolution: padH must be a whole number of at least 0, got -1', cudnn.TemporalConvolution, 3, 4, 2, 1, -1)
      refuses('cudnn.TemporalConvolution: kH must be a whole number of at least 1, got nil', cudnn.TemporalConvolution, 3, 4)
      local m = cudnn.TemporalConvolution(3, 4, 2, 1, 1)
      refuses('input must be frames x 3 or samples x frames x 3, got 4x2', m.forward, m, torch.ones(4, 2))
      refuses('input must be frames x 3 or samples x frames x 3, got 3', m.forward, m, torch.ones(3))
   end)
end)

describe('poolings of cudnn', function()
   it('have steps as large as the window where none are given', function()
      assert.same({ { { 2.5, 4.5 } } }, cudnn.SpatialAveragePooling(2, 2):forward(torch.Tensor { { { 1, 2, 3, 4 }, { 3, 4, 5, 6 } } }):totable())
   end)
   it('of volumes count the zeros around them in a mean', function()
      local m, x = cudnn.VolumetricAveragePooling(2, 2, 2, 1, 1, 1, 1, 1, 1), torch.ones(1, 2, 2, 2)
      local y = m:forward(x)
      assert.same({ 1, 3, 3, 3 }, y:size():totable())
      assert.same({ 1 / 8, 1 / 4, 1 / 2, 1 }, { y[1][1][1][1], y[1][1][1][2], y[1][1][2][2], y[1][2][2][2] })
      assert.is_true(check.module(cudnn.VolumetricAveragePooling(2, 3, 2, 1, 2, 1, 1, 1, 0), check.tensor { 2, 2, 3, 4, 5 }) < 1e-6)
   end)
   it('refuse more padding than half a window', function()
      refuses('cudnn.VolumetricAveragePooling: padW must be at most half of the window, got 2', cudnn.VolumetricAveragePooling, 2, 2, 2, 1, 1, 1, 1, 2, 1)
      refuses('cudnn.VolumetricAveragePooling: padT must be a whole number of at least 0, got -1', cudnn.VolumetricAveragePooling, 2, 2, 2, 1, 1, 1, -1)
      local m = cudnn.VolumetricAveragePooling(2, 2, 2, 1, 1, 1, 1, 1, 1)
      refuses('input must be planes x time x height x width', m.forward, m, torch.ones(3))
      m.ceil_mode = true                                     -- as a file may say
      refuses('ceil_mode must be false: windows that stick out are always dropped, got true', m.forward, m, torch.ones(1, 2, 2, 2))
   end)
end)

describe('activations and softmax of cudnn', function()
   it('work in place on request', function()
      for name, f in pairs { Tanh = torch.tanh, Sigmoid = torch.sigmoid } do
         local x, g = check.tensor { 3, 4 }, check.tensor { 3, 4 }
         local plain = nn[name]()
         local y, gx = f(x), plain:forward(x) and plain:backward(x, g):clone()
         local m = cudnn[name](true)
         assert.is_true(torch.equal(y, m:forward(x)) and torch.equal(y, x))
         assert.is_true(torch.equal(gx, m:backward(x, g)) and torch.equal(gx, g))
         refuses('input must be a torch.DoubleTensor, got a torch.FloatTensor', m.forward, m, torch.FloatTensor(2))
      end
      local x = torch.Tensor { -1, 0.5, 8 }
      assert.same({ 0, 0.5, 2 }, cudnn.ClippedReLU(2, true):forward(x):totable())
      assert.equal(2, x[3])
   end)
   it('of volumes work over the planes', function()
      local x = check.tensor { 2, 3, 2, 2, 2 }
      local flat = x:view(2, 3, 4, 2)
      for name, like in pairs { VolumetricSoftMax = nn.SpatialSoftMax(), VolumetricLogSoftMax = nn.SpatialLogSoftMax() } do
         local m = cudnn[name]()
         assert.is_true((m:forward(x):view(2, 3, 4, 2) - like:forward(flat)):abs():max() < 1e-12)
         local one = m:forward(x[2]):clone()
         assert.is_true((one - m:forward(x)[2]):abs():max() < 1e-12)
         assert.is_true(check.module(m, x) < 1e-6)
         refuses('input must be planes x time x height x width or samples x planes', m.forward, m, torch.ones(2, 3))
      end
   end)
   it('refuse a ceiling that is none', function()
      refuses('cudnn.ClippedReLU: ceiling must be a number, got nil', cudnn.ClippedReLU)
      refuses('clip must be positive, got -1', cudnn.ClippedReLU, -1)
   end)
end)

describe('cudnn.SpatialDivisiveNormalization', function()
   it('divides by the neighbourhood, with zeros beyond the border', function()
      local m, x = cudnn.SpatialDivisiveNormalization(3, 0.5, 0.75, 2), check.tensor { 1, 3, 4 }
      local y = m:forward(x)
      for i = 1, 3 do
         for j = 1, 4 do
            local sum = 0
            for a = math.max(1, i - 1), math.min(3, i + 1) do
               for b = math.max(1, j - 1), math.min(4, j + 1) do sum = sum + x[1][a][b] ^ 2 end
            end
            assert.near(x[1][i][j] / (2 + 0.5 / 9 * sum) ^ 0.75, y[1][i][j], 1e-12)
         end
      end
      assert.is_true(check.module(m, check.tensor { 2, 2, 4, 5 }) < 1e-6)
   end)
   it('refuses even sizes and other inputs', function()
      refuses('cudnn.SpatialDivisiveNormalization: size must be odd, got 4', cudnn.SpatialDivisiveNormalization, 4)
      refuses('cudnn.SpatialDivisiveNormalization: size must be a whole number of at least 1, got 0', cudnn.SpatialDivisiveNormalization, 0)
      local m = cudnn.SpatialDivisiveNormalization(3)
      refuses('input must be planes x height x width or samples x planes x height x width, got 3', m.forward, m, torch.ones(3))
   end)
   it('refuses parameters that are no finite numbers, and a gradient of another size', function()
      for _, name in ipairs { 'SpatialDivisiveNormalization', 'SpatialCrossMapLRN' } do
         local make = cudnn[name]
         refuses(('cudnn.%s: alpha must be a '):format(name), make, 3, 'x')
         refuses(('cudnn.%s: alpha must be a finite number, got -inf'):format(name), make, 3, -1 / 0)
         refuses(('cudnn.%s: beta must be a finite number, got nan'):format(name), make, 3, 1, 0 / 0)
         refuses(('cudnn.%s: %s must be a finite number, got inf'):format(name, name:find 'Div' and 'K' or 'k'), make, 3, 1, 1, 1 / 0)
         local m, x = make(3), torch.ones(2, 3, 4)
         m:forward(x)
         for _, g in ipairs { torch.ones(2, 3, 5), torch.ones(24), torch.Tensor() } do
            refuses('gradOutput must be of size 2x3x4', m.backward, m, x, g)
         end
         refuses('gradOutput must be of size 2x3x4', m.backward, m, x)
         assert.same({ 2, 3, 4 }, m:backward(x, x):size():totable())
      end
      refuses('nn.SpatialCrossMapLRN: size must be a whole number of at least 1, got nil', nn.SpatialCrossMapLRN)
      refuses('nn.SpatialCrossMapLRN: size must be a whole number of at least 1, got ', nn.SpatialCrossMapLRN, 0.5)
   end)
end)

describe('losses of cudnn', function()
   it('are the mean over all pixels', function()
      local x, target = check.tensor { 2, 3, 2, 4 }, torch.LongTensor(2, 2, 4):random(3)
      local c = cudnn.SpatialCrossEntropyCriterion()
      local rows = x:permute(1, 3, 4, 2):contiguous():view(-1, 3)
      assert.near(nn.CrossEntropyCriterion():forward(rows, target:view(-1)), c:forward(x, target), 1e-12)
      assert.is_true(check.criterion(c, x, target) < 1e-6)
      local v = cudnn.VolumetricCrossEntropyCriterion(torch.Tensor { 1, 2, 3 })
      local weighted = cudnn.SpatialCrossEntropyCriterion(torch.Tensor { 1, 2, 3 })
      assert.near(weighted:forward(x, target), v:forward(x:view(2, 3, 2, 2, 2), target:view(2, 2, 2, 2)), 1e-12)
      assert.is_true(check.criterion(v, x:view(2, 3, 2, 2, 2), target:view(2, 2, 2, 2)) < 1e-6)
      assert.same({ 2, 3, 2, 2, 2 }, v:backward(x:view(2, 3, 2, 2, 2), target:view(2, 2, 2, 2)):size():totable())
   end)
   it('refuse inputs and targets that do not fit', function()
      local c = cudnn.VolumetricCrossEntropyCriterion()
      refuses('input and target must be samples x classes x time x height x width', c.forward, c, torch.ones(1, 2, 1, 1, 1), torch.ones(1, 1, 1, 2))
      refuses('input and target must be samples x classes x time x height x width', c.forward, c, torch.ones(1, 2), torch.ones(1))
      c = cudnn.SpatialCrossEntropyCriterion()
      refuses('must lie in 1..2, got 3', c.forward, c, torch.ones(1, 2, 1, 1), torch.LongTensor(1, 1, 1):fill(3))
   end)
end)

describe('cudnn.convert', function()
   local function model()
      return nn.Sequential():add(nn.SpatialConvolution(1, 2, 3, 3)):add(nn.ReLU(true))
         :add(nn.ConcatTable():add(nn.SpatialMaxPooling(2, 2)):add(nn.SpatialAveragePooling(2, 2, 2, 2)))
         :add(nn.JoinTable(2)):add(nn.View(16)):add(nn.Linear(16, 3)):add(nn.LogSoftMax())
   end
   local function names(m)
      local list = {}
      for _, x in ipairs(m:listModules()) do list[#list + 1] = torch.type(x) end
      return table.concat(list, ' ')
   end
   it('turns layers in place, there and back, and they compute the same', function()
      local m, x = model(), check.tensor { 2, 1, 6, 6 }
      local before, text, weight = m:forward(x:clone()):clone(), names(m), m:get(1).weight
      assert.is_true(rawequal(m, cudnn.convert(m, cudnn)))
      assert.equal('nn.Sequential cudnn.SpatialConvolution cudnn.ReLU nn.ConcatTable cudnn.SpatialMaxPooling cudnn.SpatialAveragePooling '
         .. 'nn.JoinTable nn.View nn.Linear cudnn.LogSoftMax', names(m))
      assert.is_true(torch.equal(before, m:forward(x:clone())))
      assert.is_true(rawequal(weight, m:get(1).weight))
      assert.is_true(torch.equal(before, torch.deserialize(torch.serialize(m)):forward(x:clone())))
      assert.equal(text, names(cudnn.convert(m, nn)))
      assert.is_true(torch.equal(before, m:forward(x:clone())))
   end)
   it('leaves layers that a function excludes, and those that nn cannot be', function()
      local m = cudnn.convert(model(), cudnn, function(x) return torch.type(x):find 'Pooling' ~= nil end)
      assert.truthy(names(m):find('cudnn.SpatialConvolution cudnn.ReLU nn.ConcatTable nn.SpatialMaxPooling', 1, true))
      local net = nn.Sequential():add(cudnn.SpatialConvolution(2, 2, 1, 1, 1, 1, 0, 0, 2)):add(cudnn.Tanh(true)):add(cudnn.ReLU())
         :add(cudnn.TemporalConvolution(2, 2, 2, 1, 1)):add(cudnn.VolumetricAveragePooling(2, 2, 2, 1, 1, 1, 1)):add(cudnn.ClippedReLU(3))
      assert.equal('nn.Sequential cudnn.SpatialConvolution nn.Tanh nn.ReLU cudnn.TemporalConvolution cudnn.VolumetricAveragePooling '
         .. 'nn.ClippedReLU', names(cudnn.convert(net, nn)))
   end)
   it('refuses what is no model, no package or no function, and changes nothing', function()
      local m = model()
      refuses('cudnn.convert: net must be an nn.Module, got a number (3)', cudnn.convert, 3, nn)
      refuses('cudnn.convert: dst must be the package cudnn or nn, got a string', cudnn.convert, m, 'cudnn')
      refuses('cudnn.convert: exclusion_fn must be a function, got a number (1)', cudnn.convert, m, cudnn, 1)
      assert.is_nil(names(m):find('cudnn', 1, true))
   end)
end)

describe('the package cudnn', function()
   it('has the switches of scripts', function()
      assert.is_true(cudnn.version > 4000)
      assert.is_false(cudnn.benchmark)
      cudnn.fastest, cudnn.verbose = true, true
      refuses('cudnn.benchmark must be true or false, got a number (1)', function() cudnn.benchmark = 1 end)
      assert.equal(torch.conv.benchmark, cudnn.benchmark)
   end)
   it('reads a recurrent layer that cuDNN has written, and refuses one with other weights', function()
      local m, x = cudnn.LSTM(3, 4, 2), check.tensor { 5, 2, 3 }
      local y = m:forward(x):clone()
      m.mode, m.bidirectional, m.numDirections, m.inputMode, m.gradWeight = 'CUDNN_LSTM', 'CUDNN_UNIDIRECTIONAL', 1, 'CUDNN_LINEAR_INPUT', nil
      local back = torch.deserialize(torch.serialize(m))
      assert.is_true(torch.equal(y, back:forward(x)))
      assert.is_nil(rawget(back, 'bidirectional'))
      m.weight = torch.Tensor(7)
      refuses('weight in the file must have 304 numbers, got 7', torch.deserialize, torch.serialize(m))
   end)
   it('refuses damaged fields of layers with an error that names the layer', function()
      local function load(m, name, v)
         m[name] = v
         return torch.deserialize(torch.serialize(m))
      end
      refuses('cudnn.LSTM: hiddenSize in the file must be a number, got a table', load, cudnn.LSTM(3, 4), 'hiddenSize', {})
      refuses('weight in the file must be a tensor with a row for each output', load, cudnn.TemporalConvolution(2, 2, 1), 'outputFrameSize', 3)
      refuses('weight in the file must be a tensor with a row for each output', load, cudnn.TemporalConvolution(2, 2, 1), 'weight', 3)
   end)
   it('must be asked for before files that hold its layers, and says so', function()
      local name = temporary.put(torch.serialize(cudnn.ReLU()), '.t7')
      local f = io.popen(("'%s' -e \"require 'nn'; print(pcall(torch.load, '%s')); require 'cudnn'; print(torch.type(torch.load('%s')))\" 2>&1")
         :format(os.getenv 'TH' or 'build/bin/th', name, name))
      local text = f:read '*a'
      f:close()
      assert.truthy(text:find("an object of the unknown class cudnn.ReLU: call require 'cudnn' first", 1, true), text)
      assert.truthy(text:find('\ncudnn.ReLU\n', 1, true), text)
   end)
   it('loads models of CUDA tensors where there is no GPU, and they compute there', function()
      local device = require 'test.support.cuda.device'
      if not device.cutorch then return pending('there is no ' .. device.name .. ' here') end
      local net = nn.Sequential():add(cudnn.SpatialConvolution(1, 2, 3, 3)):add(cudnn.SpatialBatchNormalization(2)):add(cudnn.ReLU())
         :add(cudnn.SpatialMaxPooling(2, 2)):add(nn.View(8)):add(nn.Linear(8, 2)):add(cudnn.LogSoftMax()):cuda():evaluate()
      local x = torch.range(1, 36):view(1, 1, 6, 6):div(36)
      local want = net:forward(x:cuda()):double()
      local name = temporary.name '.t7'
      torch.save(name, net)
      local f = io.popen(("TH_CUDA= '%s' -e \"require 'cudnn'; local m = torch.load('%s'); print(torch.type(m:get(1)), m:type()); "
         .. "print(m:forward(torch.range(1, 36):view(1, 1, 6, 6):div(36):float())[2])\" 2>&1"):format(os.getenv 'TH' or 'build/bin/th', name))
      local text = f:read '*a'
      f:close()
      local y = text:match '^cudnn%.SpatialConvolution%s+torch%.FloatTensor%s+(%S+)'
      assert.near(want[2], tonumber(y), 1e-4)
   end)
end)
