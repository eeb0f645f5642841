-- test/nn/fbcunn_spec.lua - names of fbcunn and fbnn that need no GPU: LookupTableGPU, OneBitQuantization, the package fbnn.
-- runs once
local torch = require 'torch'
local nn = require 'nn'
local check = require 'test.support.gradcheck'
local refuses = require 'test.support.refuses'

before_each(function() torch.manualSeed(9) end)

describe('nn.LookupTableGPU', function()
   it('gives rows, and features before positions on request', function()
      local plain, turned = nn.LookupTableGPU(5, 3), nn.LookupTableGPU(5, 3, true)
      turned.weight:copy(plain.weight)
      local x = torch.LongTensor { { 2, 5 }, { 1, 2 } }
      local y = plain:forward(x)
      assert.same({ 2, 2, 3 }, y:size():totable())
      assert.same(plain.weight[5]:totable(), y[1][2]:totable())
      assert.same(y:transpose(2, 3):totable(), turned:forward(x):totable())
      assert.same(plain:forward(x[1]):totable(), turned:forward(x[1]):totable())
      local g = torch.randn(2, 2, 3)
      plain:zeroGradParameters()
      plain:forward(x)
      plain:backward(x, g)
      turned:zeroGradParameters()
      turned:forward(x)
      turned:backward(x, g:transpose(2, 3))
      assert.same(plain.gradWeight:totable(), turned.gradWeight:totable())
   end)

   it('gives zeros for unk_index, whose row has no gradient', function()
      local m, x = nn.LookupTableGPU(5, 3), torch.LongTensor { 2, 4, 2 }
      m.unk_index = 2
      assert.same({ 0, 0, 0 }, m:forward(x)[1]:totable())
      assert.same(m.weight[4]:totable(), m.output[2]:totable())
      m:zeroGradParameters()
      m:backward(x, torch.ones(3, 3))
      assert.equal(0, m.gradWeight[2]:norm())
      assert.same({ 1, 1, 1 }, m.gradWeight[4]:totable())
   end)

   it('refuses numbers beyond the table and gradients of another shape, and continues', function()
      local m, x = nn.LookupTableGPU(5, 3, true), torch.LongTensor { { 2, 5 } }
      local y = m:forward(x):clone()
      refuses('must lie in 1..5, got 6', m.forward, m, torch.LongTensor { 6 })
      assert.same(y:totable(), m:forward(x):totable())
      refuses('nn.LookupTableGPU: gradOutput must have the shape of the output, got 1x2x3', m.backward, m, x, torch.ones(1, 2, 3))
      refuses('nn.LookupTableGPU: nInput must be a whole number', nn.LookupTableGPU, 'x', 3)
   end)
end)

describe('nn.OneBitQuantization', function()
   it('keeps a bit of each number, and two means of each row', function()
      local q = nn.OneBitQuantization()
      local bits, err, up, down = q:quantize(torch.Tensor { { 1, 3, -2, 0 }, { -1, -3, -5, -7 } })
      assert.same({ { 1 + 2 + 8 }, { 0 } }, bits:totable())
      assert.same({ 4 / 3, 0 }, up:totable())
      assert.same({ -2, -4 }, down:totable())
      local y = q:dequantize(bits, up, down, 4)
      assert.same({ { 4 / 3, 4 / 3, -2, 4 / 3 }, { -4, -4, -4, -4 } }, y:totable())
      assert.near(0, (torch.Tensor { { 1, 3, -2, 0 }, { -1, -3, -5, -7 } } - y - err):norm(), 1e-14)
   end)

   it('packs 32 numbers into an int, whatever the number of columns', function()
      for _, columns in ipairs { 1, 31, 32, 33, 64, 100 } do
         for _, kind in ipairs { 'torch.FloatTensor', 'torch.DoubleTensor' } do
            local q, x = nn.OneBitQuantization(), torch.Tensor(7, columns):normal():type(kind)
            local bits, err, up, down = q:quantize(x)
            assert.same({ 7, math.ceil(columns / 32) }, bits:size():totable())
            local y = q:dequantize(bits, up, down, columns)
            assert.equal(kind, y:type())
            assert.is_true(y:ge(0):eq(x:ge(0)):all())
            assert.is_true((y + err - x):abs():max() < 1e-6)
         end
      end
   end)

   it('adds what was lost to the next, once: the sum of thousands stays right', function()
      local q, wanted, sum = nn.OneBitQuantization(), torch.zeros(2, 256), torch.zeros(2, 256)
      local most = 0
      for _ = 1, 2000 do
         local x = torch.randn(2, 256)
         local bits, err, up, down = q:quantize(x)
         wanted:add(x)
         sum:add(q:dequantize(bits, up, down, 256))
         most = math.max(most, torch.abs(err):max())
      end
      assert.is_true(most < 10, most)
      assert.near(0, (sum + q.quantization_error - wanted):abs():max(), 1e-9)
      q:reset()
      assert.is_nil(q.quantization_error)
   end)

   it('refuses what it cannot take, and keeps what it had', function()
      local q = nn.OneBitQuantization()
      local bits, err, up, down = q:quantize(torch.randn(2, 3))
      local name = 'nn.OneBitQuantization:quantize: non_quantized_input must '
      refuses(name .. 'be a matrix of floats or doubles, got 3', q.quantize, q, torch.ones(3))
      refuses(name .. 'be a matrix of floats or doubles, got torch.IntTensor', q.quantize, q, torch.IntTensor(2, 3))
      refuses(name .. 'be a matrix of floats or doubles, got nil', q.quantize, q)
      refuses(name .. 'be a torch.DoubleTensor of size 2x3 as before (reset forgets that), got a torch.DoubleTensor of size 2x4',
         q.quantize, q, torch.randn(2, 4))
      refuses(name .. 'hold finite numbers, got nan or inf', q.quantize, q, torch.Tensor(2, 3):fill(0 / 0))
      assert.is_true(q.quantization_error == err)
      name = 'nn.OneBitQuantization:dequantize: '
      refuses(name .. 'quantized_input must be a matrix of ints, got torch.DoubleTensor',
         q.dequantize, q, torch.ones(2, 1), up, down, 3)
      refuses(name .. 'avg_pos must have a number for each of 2 rows, got 3', q.dequantize, q, bits, torch.ones(3), down, 3)
      refuses(name .. 'avg_neg must have a number for each of 2 rows, got nothing', q.dequantize, q, bits, up, nil, 3)
      refuses(name .. 'num_orig_cols must be a whole number of 1 to 32, got 33', q.dequantize, q, bits, up, down, 33)
   end)

   it('comes back from a file with what was lost', function()
      local q, x = nn.OneBitQuantization(), torch.randn(2, 40)
      q:quantize(x)
      local copy = torch.deserialize(torch.serialize(q))
      assert.same(q:quantize(x):totable(), copy:quantize(x):totable())
      assert.same(q.quantization_error:totable(), copy.quantization_error:totable())
   end)
end)

describe('nn.SpatialConvolutionFFT and related layers', function()
   local NAMES = { 'FFT', 'CuFFT', 'FBFFT', 'FBFFTGemm', 'FFTTiled', 'FFTTiledSync', 'FFTTiledAsync', 'FFTTiledIterated' }
   local function passes(m, x)
      m:zeroGradParameters()
      local y = m:forward(x)
      m:backward(x, y)
      return { y, m.gradInput, m.gradWeight, m.gradBias }
   end

   it('compute by the engine fft, whatever would be chosen', function()
      local x = torch.FloatTensor(2, 3, 12, 12):uniform(-1, 1)
      local plain = nn.SpatialConvolution(3, 4, 3, 3, 1, 1, 1, 1):float()
      torch.conv.engine = 'fft'
      local expected = passes(plain, x)
      for i, t in ipairs(expected) do expected[i] = t:clone() end
      torch.conv.engine = nil
      for _, name in ipairs(NAMES) do
         local m = nn['SpatialConvolution' .. name](3, 4, 3, 3, 1, 1, 1, 1):float()
         m.weight:copy(plain.weight)
         m.bias:copy(plain.bias)
         for i, t in ipairs(passes(m, x)) do assert.is_true(torch.equal(expected[i], t), name) end
         assert.is_false(torch.equal(expected[1], plain:forward(x)))
         assert.is_nil(torch.conv.prefer)
      end
   end)

   it('compute steps as nn.SpatialConvolution does', function()
      local x, m = torch.randn(2, 9, 9), nn.SpatialConvolutionFFT(2, 3, 3, 3, 2, 2)
      local plain = nn.SpatialConvolution(2, 3, 3, 3, 2, 2)
      plain.weight:copy(m.weight)
      plain.bias:copy(m.bias)
      for i, t in ipairs(passes(plain, x)) do assert.is_true(torch.equal(t, passes(m, x)[i])) end
   end)

   it('take the arguments of fbcunn, and are saved and loaded', function()
      local m = nn.SpatialConvolutionFFTTiled(2, 3, 5, 5, 1, 1, 2, 1, 16, 8, 'none', 4)
      assert.same({ 2, 1, 16, 8, 'none' }, { m.padW, m.padH, m.tileSizeW, m.tileSizeH, m.memoryReusePolicy })
      local x = torch.randn(2, 9, 9)
      local y = torch.deserialize(torch.serialize(m)):forward(x)
      assert.is_true(torch.equal(m:forward(x), y))
      assert.equal(0, m:cleanupBuffers().output:nElement())
      for _, name in ipairs { 'setReuseInputs', 'setReuseOutputs', 'setReuseWeights' } do assert.is_true(rawequal(m, m[name](m, true))) end
   end)

   it('refuse bad arguments and inputs by their own names, and prefer nothing afterwards', function()
      for _, name in ipairs(NAMES) do
         name = 'SpatialConvolution' .. name
         refuses(('nn.%s: kH must be a whole number of at least 1, got a number (0)'):format(name), nn[name], 2, 3, 3, 0)
         refuses(('nn.%s: padUp must be a whole number that is not negative, got a number (-1)'):format(name), nn[name], 2, 3, 3, 3, 1, 1, 0, -1)
         refuses('input must be 2 x height x width or samples x 2 x height x width, got 3x4x4',
            nn[name](2, 3, 3, 3).forward, nn[name](2, 3, 3, 3), torch.ones(3, 4, 4))
         assert.is_nil(torch.conv.prefer)
      end
      refuses('nn.SpatialConvolutionFFTTiled: tileSizeW must be a whole number of at least 1', nn.SpatialConvolutionFFTTiled, 2, 3, 3,
         3, 1, 1, 0, 0, 0)
   end)
end)

describe('nn.TemporalConvolutionFFT', function()
   it('computes by the engine fft1d, whatever would be chosen', function()
      local m, plain = nn.TemporalConvolutionFFT(3, 4, 5), nn.TemporalConvolution(3, 4, 5)
      plain.weight:copy(m.weight)
      plain.bias:copy(m.bias)
      local x = torch.randn(2, 40, 3)
      torch.conv.engine = 'fft1d'
      local expected = plain:forward(x):clone()
      torch.conv.engine = nil
      assert.is_true(torch.equal(expected, m:forward(x)))
      assert.is_false(torch.equal(expected, plain:forward(x)))
      assert.is_true((expected - plain:forward(x)):abs():max() < 1e-12)
   end)

   it('has filters as long as the sequence', function()
      local m, x = nn.TemporalConvolutionFFT(1, 2, 3000), torch.randn(3000, 1)
      local y = m:forward(x)
      assert.same({ 1, 2 }, y:size():totable())
      for o = 1, 2 do assert.near(m.weight[o]:dot(x:view(-1)) + m.bias[o], y[1][o], 1e-11) end
   end)

   it('refuses bad arguments and sequences that are too short', function()
      refuses('nn.TemporalConvolutionFFT: kW must be a whole number of at least 1, got a number (0)', nn.TemporalConvolutionFFT, 2, 3, 0)
      local m = nn.TemporalConvolutionFFT(2, 3, 5)
      refuses('input must have at least 5 frames, got 1x4x2', m.forward, m, torch.ones(1, 4, 2))
   end)
end)

describe('the package fbnn', function()
   it('has SpatialConvolution with the arguments of fbnn', function()
      local fbnn = require 'fbnn'
      local m = fbnn.SpatialConvolution(2, 3, 5, 3, 1, 1, 2, 1, 1e6, true)
      assert.same({ 2, 1, 1e6, true }, { m.padW, m.padH, m.maximalMemoryOverhead, m.inferenceOnly })
      local like, x = nn.SpatialConvolution(2, 3, 5, 3, 1, 1, 2, 1), torch.randn(2, 6, 6)
      like.weight:copy(m.weight)
      like.bias:copy(m.bias)
      assert.is_true(torch.equal(like:forward(x), torch.deserialize(torch.serialize(m)):forward(x)))
      assert.is_true(rawequal(m, m:setReuseWeights(true)) and not m:setInferenceOnly(false).inferenceOnly)
      assert.equal(0, m:cleanupBuffers().output:nElement())
      refuses('fbnn.SpatialConvolution: kW must be a whole number of at least 1, got a number (0)', fbnn.SpatialConvolution, 2, 3, 0, 3)
   end)

   it('has batch normalisations that compute as those of nn', function()
      local fbnn = require 'fbnn'
      for name, sizes in pairs { BatchNormalization = { 5, 3 }, SpatialBatchNormalization = { 3, 3, 2, 2 } } do
         local m, like, x = fbnn[name](3, 1e-3, 0.2), nn[name](3, 1e-3, 0.2), check.tensor(sizes)
         assert.equal('fbnn.' .. name, torch.type(m))
         like.weight:copy(m.weight)
         assert.same(like:forward(x):totable(), m:forward(x):totable())
         local byInput, byParameters = check.module(m, x)
         assert.is_true(byInput < 1e-5 and byParameters < 1e-5)
         assert.equal('fbnn.' .. name, torch.type(torch.deserialize(torch.serialize(m))))
         refuses('fbnn.' .. name .. ': nOutput must be a whole number of at least 1, got', fbnn[name], 0)
         assert.is_nil(fbnn[name](3, nil, nil, false).weight)
      end
   end)
end)
