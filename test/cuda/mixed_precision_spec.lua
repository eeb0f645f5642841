-- test/cuda/mixed_precision_spec.lua - nn.MixedPrecision on a device: CudaHalfTensor inside, CudaTensor outside.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local nn = require 'nn'
require 'nn.recurrent'
local device = require 'test.support.cuda.device'

if device.missing('nn.MixedPrecision on a device', describe, pending) then return end

local function net()
   torch.manualSeed(1)
   return nn.Sequential():add(nn.SpatialConvolution(1, 4, 3, 3, 1, 1, 1, 1)):add(nn.SpatialBatchNormalization(4)):add(nn.ReLU())
      :add(nn.SpatialMaxPooling(2, 2)):add(nn.View(64)):add(nn.Linear(64, 3)):add(nn.LogSoftMax()):float()
end

local function step(m, criterion, x, t)
   m:zeroGradParameters()
   criterion:forward(m:forward(x), t)
   return m:backward(x, criterion:backward(m.output, t))
end
local function off(a, b) return (a:float() - b):norm() / b:norm() end

describe('nn.MixedPrecision on a device', function()
   for kind, near in pairs { half = 5e-3, bfloat16 = 4e-2 } do
      it(('gives in %s nearly what floats give on the CPU, in all passes'):format(kind), function()
         local exact, m = net(), nn.MixedPrecision(net():cuda(), kind)
         local x, t = torch.FloatTensor(16, 1, 8, 8):uniform(), torch.LongTensor(16):random(1, 3)
         local gx = step(exact, nn.ClassNLLCriterion():float(), x, t)
         local g = step(m, nn.ClassNLLCriterion():cuda(), x:cuda(), t:cudaLong())
         assert.equal('torch.CudaTensor', m.output:type())
         assert.equal('torch.CudaTensor', g:type())
         assert.is_true(off(m.output, exact.output) < near)
         assert.is_true(off(g, gx) < near)
         local _, wanted = exact:parameters()
         for i, grad in ipairs(select(2, m:parameters())) do
            assert.equal('torch.CudaTensor', grad:type())
            assert.is_true((grad:float() - wanted[i]):norm() < near * math.max(wanted[i]:norm(), 0.1), i)
         end
      end)
   end

   it('computes with CudaHalfTensors, and normalises in CudaTensors', function()
      local m = nn.MixedPrecision(net():cuda())
      m:forward(torch.CudaTensor(2, 1, 8, 8):fill(1))
      assert.equal('torch.CudaHalfTensor', m:get(1):get(1).weight:type())
      assert.equal('torch.CudaHalfTensor', m:get(1):get(3).output:type())
      assert.equal('torch.CudaTensor', m:get(1):get(2):get(1).weight:type())
   end)

   it('runs an LSTM', function()
      local lstm = nn.LSTM(4, 5):float()
      local m, x = nn.MixedPrecision(lstm:clone():cuda()), torch.FloatTensor(3, 2, 4):uniform()
      assert.is_true(off(m:forward(x:cuda()), lstm:forward(x)) < 5e-3)
      assert.is_true(off(m:backward(x:cuda(), m.output:clone()), lstm:backward(x, lstm.output:clone())) < 2e-2)
   end)
end)
