-- test/nn/fractional_pooling_spec.lua - what the constructors of fractional pooling take, and what its fields hold.
local torch = require 'torch'
require 'nn'

describe('nn.SpatialFractionalMaxPooling', function()
   it('takes numbers as strings, and truncates sizes', function()
      local m = nn.SpatialFractionalMaxPooling('2', 2.9, '3', 4.5)
      assert.same({ 1, 4, 3 }, m:forward(torch.ones(1, 9, 8)):size():totable())
      assert.same({ 2, 2 }, { m.poolSizeW, m.poolSizeH })
   end)

   it('refuses windows and sizes that are no such numbers', function()
      for _, bad in ipairs { 1, -3, 0 / 0, math.huge, 'x', {} } do
         assert.error_matches(function() nn.SpatialFractionalMaxPooling(bad, 2, 3, 3) end,
            'windows must have sizes of at least 2, got', 1)
      end
      for _, bad in ipairs { 0, -3, 0 / 0, math.huge, 'x', {} } do
         assert.error_matches(function() nn.SpatialFractionalMaxPooling(2, 2, 3, bad) end,
            'expected a size or a ratio for each dimension, got', 1)
      end
   end)

   it('keeps the places in the plane in indices, as a LongTensor', function()
      local m = nn.SpatialFractionalMaxPooling(2, 2, 2, 2)
      m:forward(torch.range(1, 16):view(1, 4, 4))
      assert.are.equal('torch.LongTensor', torch.type(m.indices))
      assert.same({ { { 6, 8 }, { 14, 16 } } }, m.indices:totable())
   end)

   it('draws a number for each sample, plane and dimension, the first for the width', function()
      local m = nn.SpatialFractionalMaxPooling(2, 2, 3, 3)
      m:forward(torch.ones(4, 2, 9, 9))
      assert.same({ 4, 2, 2 }, m.randomSamples:size():totable())
      m = nn.SpatialFractionalMaxPooling(2, 2, 3, 2):fixPoolingRegions()
      m:forward(torch.ones(1, 3, 5))
      m.randomSamples:copy(torch.Tensor { 0.5, 0 })
      local x = torch.Tensor { { { 1, 2, 3, 4, 5 }, { 1, 2, 3, 4, 5 }, { 1, 2, 3, 4, 5 } } }
      assert.same({ { { 2, 4, 5 }, { 2, 4, 5 } } }, m:forward(x):totable())
   end)
end)

describe('nn.VolumetricFractionalMaxPooling', function()
   it('has time as the last dimension', function()
      local m = nn.VolumetricFractionalMaxPooling('2', 3, 4, 5, 6, 7)
      local x = torch.rand(2, 1, 10, 11, 12)
      local y = m:forward(x)
      assert.same({ 2, 1, 7, 6, 5 }, y:size():totable())
      assert.same({ 2, 1, 3 }, m.randomSamples:size():totable())
      local at = m.indices[2][1]:view(-1)
      assert.is_true(x[2][1]:view(-1):index(1, at):equal(y[2][1]:view(-1)))
      assert.are.equal(y:nElement(), m:backward(x, y:clone():fill(1)):sum())
   end)
end)
