-- test/cuda/autograd_spec.lua - gradients of functions of CUDA tensors, checked against differences.
-- runs once: the device does not depend on the level
local torch = require 'torch'
require 'nn'
local device = require 'test.support.cuda.device'

if device.missing('autograd of CUDA tensors', describe, pending) then return end
local autograd = require 'autograd'
local util = autograd.util
local gradcheck = autograd.gradcheck { randomizeInput = false }

local function square(x) return torch.sum(torch.cmul(x, x)) end

describe('the gradient of a CUDA tensor', function()
   local mask = torch.ByteTensor { { 1, 0, 1, 1 }, { 0, 0, 1, 0 }, { 1, 1, 0, 1 } }:cudaByte()
   local place = torch.LongTensor { { 1, 2, 3, 1 } }:cudaLong()
   local target = torch.Tensor { 1, 0, 0, 1 }:cudaDouble()
   for name, f in pairs {
      max = function(x) return torch.max(x) end,
      min = function(x) return torch.min(x) end,
      var = function(x) return torch.var(x) end,
      std = function(x) return torch.std(x) end,
      norm = function(x) return torch.norm(x) + torch.norm(x, 3) end,
      prod = function(x) return torch.prod(x) end,
      trace = function(x) return torch.trace(x) end,
      diag = function(x) return square(torch.diag(x, 1)) end,
      scatter = function(x) return square(torch.scatter(torch.ones(3, 4):cudaDouble(), 1, place, x:narrow(1, 1, 1))) end,
      maskedFill = function(x) return square(torch.maskedFill(x, mask, 3)) end,
      ['x[mask]'] = function(x) return square(x[torch.gt(x, 0.5)]) end,
      ['x[i][j]'] = function(x) return x[1][2] * x[2][3] end,
      ['a taped number'] = function(x) return torch.sigmoid(torch.sum(x)) * torch.sum(torch.cmax(x, torch.mean(x))) end,
      cat = function(x) return square(torch.cat({ x, x * 2 }, 1)) end,
      repeatTensor = function(x) return square(torch.repeatTensor(x, 2, 2)) end,
      ['a change of type'] = function(x) return square(x:double():cudaDouble()) end,
      ['autograd.loss.margin'] = function(x) return (autograd.loss.margin(x[1], target, 0.5)) end,
      ['autograd.util.logSoftMax'] = function(x) return square(util.logSoftMax(x)) end,
   } do
      it('through ' .. name .. ' is that of differences', function()
         torch.manualSeed(8)
         assert.is_true(gradcheck(f, torch.rand(3, 4):cudaDouble()))
      end)
   end

   it('through a model whose parameters util.cast has moved is that of differences', function()
      local f, params = autograd.model.RecurrentLSTMNetwork { inputFeatures = 3, hiddenFeatures = 2 }
      params = util.cast(params, 'cudaDouble')
      for _, p in ipairs(util.sortedFlatten(params)) do p:normal() end
      assert.is_true(gradcheck(function(p, x) return square((f(p, x))) end, params, torch.randn(2, 3, 3):cudaDouble()))
   end)
   it('through modules of nn as functions is that of the host', function()
      torch.manualSeed(9)
      local linear, params = autograd.nn.Linear(3, 2)
      local act, mse = autograd.nn.Tanh(), autograd.nn.MSECriterion()
      local x, y = torch.randn(4, 3), torch.randn(4, 2)
      local df = autograd(function(p, a, b) return mse(act(linear(p, a)), b) end)
      local want = df(params, x, y)[1]
      local got = df(util.cast(params, 'cudaDouble'), x:cudaDouble(), y:cudaDouble())[1]
      assert.equal('torch.CudaDoubleTensor', got:type())
      assert.is_true((got:double() - want):abs():max() < 1e-12)
   end)
end)
