-- test/nn/layers_spec.lua - layers of fbcunn, fbnn and of speech: what they compute, and what they refuse.
local torch = require 'torch'
local nn = require 'nn'

local checks = require 'test.nn.near'
local draw, near = checks.draw, checks.near
local refuses = require 'test.refuses'

before_each(function() torch.manualSeed(9) end)

describe('nn.NestedDropout', function()
   it('keeps the first units of each row: all but the first with probability 1 - p each', function()
      local n = 20000
      local y = nn.NestedDropout(0.25):forward(torch.ones(n, 4))
      for k = 1, 4 do assert.near(0.75 ^ (k - 1), y:select(2, k):mean(), 0.02) end
      assert.equal(0, y:narrow(2, 2, 3):csub(y:narrow(2, 1, 3)):max())
   end)
   it('leaves all in evaluation mode, forwards and backwards', function()
      local m, x = nn.NestedDropout(0.5), draw(3, 4)
      m:evaluate()
      near(m:forward(x), x, 0)
      near(m:backward(x, x), x, 0)
   end)
   it('refuses what is no probability, and planes', function()
      for _, p in ipairs { 0, 1, 'x', 0 / 0 } do refuses('nn.NestedDropout: p must lie in 0 < p < 1, got', nn.NestedDropout, p) end
      refuses('input must be a vector or a matrix, got 2x2x2', nn.NestedDropout().forward, nn.NestedDropout(), draw(2, 2, 2))
   end)
end)

describe('nn.HalfPrecision', function()
   it('rounds inputs and gradients', function()
      local m, x = nn.HalfPrecision(), torch.Tensor { 0.1, 1 + 2 ^ -11, 2 ^ -26, -70000 }
      assert.same({ 0.0999755859375, 1, 0, -math.huge }, m:forward(x):totable())
      assert.same({ 0.0999755859375, 1, 0, -math.huge }, m:backward(x, x):totable())
      assert.same({ 0.0999755859375 }, m:float():forward(torch.FloatTensor { 0.1 }):totable())
   end)
   it('refuses other types', function()
      local m = nn.HalfPrecision()
      refuses('input must be a torch.DoubleTensor, got a torch.FloatTensor', m.forward, m, torch.FloatTensor(2))
   end)
end)

describe('nn.L2Normalize', function()
   it('gives every row the length 1', function()
      near(nn.L2Normalize():forward(draw(5, 3)):norm(2, 2), torch.ones(5, 1), 1e-9)
      refuses('nn.L2Normalize: eps must be a number that is not negative, got -1', nn.L2Normalize, -1)
   end)
end)

describe('nn.TemporalKMaxPooling', function()
   it('takes max(k, ceil(k_dynamic T)) frames', function()
      assert.same({ 3, 2 }, nn.TemporalKMaxPooling(3):forward(draw(7, 2)):size():totable())
      assert.same({ 4, 2 }, nn.TemporalKMaxPooling(3, 0.5):forward(draw(7, 2)):size():totable())
      local m = nn.TemporalKMaxPooling(3)
      refuses('input must have at least 3 frames, got 2x2', m.forward, m, draw(2, 2))
      refuses('k must be a whole number of at least 1, got 0', nn.TemporalKMaxPooling, 0)
      refuses('k_dynamic must be a number, got x', nn.TemporalKMaxPooling, 1, 'x')
   end)
end)

describe('nn.TemporalConvolutionFB', function()
   it('is nn.TemporalConvolution with a weight of three dimensions', function()
      local m, plain, x = nn.TemporalConvolutionFB(3, 4, 2, 2), nn.TemporalConvolution(3, 4, 2, 2), draw(2, 7, 3)
      plain.weight:copy(m.weight)
      plain.bias:copy(m.bias)
      near(m:forward(x), plain:forward(x))
      assert.same({ 4, 2, 3 }, m.gradWeight:size():totable())
      refuses('nn.TemporalConvolutionFB: kW must be a whole number of at least 1, got nil', nn.TemporalConvolutionFB, 3, 4)
   end)
end)

describe('nn.SequenceBatchNormalization', function()
   it('is nn.BatchNormalization of all steps of all samples', function()
      local m, plain, x, g = nn.SequenceBatchNormalization(3), nn.BatchNormalization(3), draw(5, 2, 3), draw(5, 2, 3)
      plain.weight:copy(m.weight)
      for _ = 1, 2 do near(m:forward(x), plain:forward(x:view(10, 3)):view(5, 2, 3)) end
      near(m:backward(x, g), plain:backward(x:view(10, 3), g:view(10, 3)):view(5, 2, 3))
      near(m.gradWeight, plain.gradWeight)
      near(m.running_var, plain.running_var)
      m:evaluate()
      plain:evaluate()
      near(m:forward(x), plain:forward(x:view(10, 3)):view(5, 2, 3))
   end)
   it('refuses other features', function()
      local m = nn.SequenceBatchNormalization(3)
      refuses('nn.SequenceBatchNormalization(3): input must have 2 or 3 dimensions, the last of size 3, got 4x2', m.forward, m, draw(4, 2))
      refuses('nOutput must be a whole number of at least 1, got a number (0.5)', nn.SequenceBatchNormalization, 0.5)
   end)
end)

describe('nn.LookaheadConvolution', function()
   it('sums the steps ahead', function()
      local m, x = nn.LookaheadConvolution(3, 2), draw(2, 5, 3)
      local y = m:forward(x)
      for b = 1, 2 do
         for t = 1, 5 do
            for i = 1, 3 do
               local sum = 0
               for j = 1, math.min(3, 6 - t) do sum = sum + m.weight[i][1][j] * x[b][t + j - 1][i] end
               assert.near(sum, y[b][t][i], 1e-12)
            end
         end
      end
      assert.is_nil(m.bias)
   end)
   it('refuses what does not fit', function()
      local m = nn.LookaheadConvolution(3, 2)
      refuses('input must have 3 features, got', m.forward, m, draw(5, 4))
      refuses('context must be a whole number of at least 0, got -1', nn.LookaheadConvolution, 3, -1)
   end)
end)

describe('nn.WeightedLookupTable', function()
   it('gives rows times weights, and gradients for both', function()
      local m, x = nn.WeightedLookupTable(5, 3), torch.Tensor { { 2, 0.5 }, { 5, -1 }, { 2, 2 } }
      local y, g = m:forward(x), draw(3, 3)
      near(y[1], m.weight[2] * 0.5)
      near(y[2], -m.weight[5])
      local gx = m:backward(x, g)
      assert.equal(0, gx:select(2, 1):norm())
      assert.near(g[3]:dot(m.weight[2]), gx[3][2], 1e-12)
      near(m.gradWeight[2], g[1] * 0.5 + g[3] * 2)
      near(m:forward(x:view(1, 3, 2)), y:clone():view(1, 3, 3))
   end)
   it('refuses what is no number of a row', function()
      local m = nn.WeightedLookupTable(5, 3)
      refuses('the first column of input must hold whole numbers', m.forward, m, torch.Tensor { { 1.5, 1 } })
      refuses('input must be n x 2 or samples x n x 2: numbers and weights, got 2', m.forward, m, torch.Tensor { 1, 1 })
      refuses('6', m.forward, m, torch.Tensor { { 6, 1 } })
   end)
end)
