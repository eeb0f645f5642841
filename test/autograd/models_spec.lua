-- test/autograd/models_spec.lua - models and layers of autograd, modules of nn as functions, functions as modules of nn.
-- runs once
local torch = require 'torch'
local nn = require 'nn'
local autograd = require 'autograd'
local refuses = require 'test.support.refuses'
local util = autograd.util
local gradcheck = autograd.gradcheck { randomizeInput = false }

setup(function() torch.manualSeed(11) end)

local function randomize(params)
   for _, p in ipairs(util.sortedFlatten(params)) do p:normal(0, 0.5) end
   return params
end

describe('autograd.model.', function()
   for _, name in ipairs { 'RecurrentNetwork', 'RecurrentLSTMNetwork', 'RecurrentGRUNetwork', 'RecurrentFWNetwork' } do
      for _, output in ipairs { 'last', 'all' } do
         it(('%s with the output %s has the gradients of differences, for one sequence, a batch and a state'):format(name, output), function()
            local f, params = autograd.model[name] { inputFeatures = 4, hiddenFeatures = 3, outputType = output }
            local function loss(p, x)
               local first, state = f(p, x)
               return torch.sum(torch.pow(f(p, x, state), 2)) + torch.sum(first)
            end
            randomize(params)
            assert.is_true(gradcheck(loss, params, torch.randn(3, 4)))
            assert.is_true(gradcheck(loss, params, torch.randn(2, 3, 4)))
            assert.same(output == 'all' and { 2, 5, 3 } or { 2, 3 }, f(params, torch.randn(2, 5, 4)):size():totable())
         end)
      end
   end

   it('RecurrentNetwork carries its state from call to call', function()
      local f, params = autograd.model.RecurrentNetwork { inputFeatures = 2, hiddenFeatures = 3 }
      randomize(params)
      local x = torch.randn(1, 6, 2)
      local whole = f(params, x)
      local _, state = f(params, x:narrow(2, 1, 3))
      assert.is_true((whole - f(params, x:narrow(2, 4, 3), state)):abs():max() < 1e-12)
   end)

   it('several models share a list of parameters, each with its own table', function()
      local f, params = autograd.model.RecurrentLSTMNetwork { inputFeatures = 2, hiddenFeatures = 3, outputType = 'all' }
      local h = autograd.model.RecurrentLSTMNetwork({ inputFeatures = 3, hiddenFeatures = 4 }, params)
      local n, same = autograd.model.NeuralNetwork({ inputFeatures = 4, hiddenFeatures = { 3, 2 }, classifier = true }, params)
      assert.equal(params, same)
      assert.equal(4, #params)
      randomize(params)
      local function by_list(p, x) return torch.sum(torch.pow(n(p, (h(p, (f(p, x))))), 2)) end
      local function by_table(p, x) return torch.sum(torch.pow(n({ p[3], p[4] }, (h(p[2], (f(p[1], x))))), 2)) end
      local x = torch.randn(2, 3, 2)
      assert.is_true(gradcheck(by_list, params, x))
      assert.equal(by_list(params, x), by_table(params, x))
   end)

   it('NeuralNetwork takes vectors and batches, and has the gradients of differences', function()
      local f, params = autograd.model.NeuralNetwork { inputFeatures = 6, hiddenFeatures = { 4, 2 }, classifier = true, activations = 'Tanh' }
      local function loss(p, x, t) return (autograd.loss.crossEntropy(f(p, x), t)) end
      assert.is_true(gradcheck(loss, params, torch.randn(6), torch.Tensor { 1, 0 }))
      local x = torch.randn(3, 2, 3)
      assert.same({ 3, 2 }, f(params, x):size():totable())
      assert.is_true((f(params, x)[2] - f(params, x[2]:view(6))):abs():max() < 1e-12)
      assert.same({ 4, 6 }, params[1].W:size():totable())
   end)

   it('NeuralNetwork is what nn computes with the same parameters', function()
      local f, params = autograd.model.NeuralNetwork { inputFeatures = 3, hiddenFeatures = { 4, 2 } }
      local net = nn.Sequential():add(nn.Linear(3, 4)):add(nn.ReLU()):add(nn.Linear(4, 2)):add(nn.ReLU())
      for i, k in ipairs { 1, 3 } do
         net:get(k).weight:copy(params[i].W)
         net:get(k).bias:copy(params[i].b)
      end
      local x = torch.randn(5, 3)
      assert.is_true((net:forward(x) - f(params, x)):abs():max() < 1e-12)
   end)

   it('NeuralNetwork and SpatialNetwork take batch normalisation, dropout and their own activations', function()
      local f, params = autograd.model.NeuralNetwork { inputFeatures = 3, hiddenFeatures = { 4, 2 }, batchNormalization = true,
         dropoutProbs = { 0, 0.5 }, activations = function(x) return torch.tanh(x) end }
      local g = autograd(function(p, x) return torch.sum(torch.pow(f(p, x), 2)) end)(params, torch.randn(5, 3))
      assert.same({ 4 }, g[1].gain:size():totable())
      f, params = autograd.model.SpatialNetwork { inputFeatures = 1, hiddenFeatures = { 2 }, batchNormalization = true, kernelSize = 3,
         dropoutProbs = { 0.5 } }
      g = autograd(function(p, x) return torch.sum(torch.pow(f(p, x), 2)) end)(params, torch.randn(2, 1, 4, 4))
      assert.same({ 2 }, g[1].gain:size():totable())
      refuses("activations must be the name of a module of nn, got a string", autograd.model.NeuralNetwork, { activations = 'Sigmoyd' })
   end)

   it('SpatialNetwork takes images and batches, and has the gradients of differences', function()
      local f, params = autograd.model.SpatialNetwork { inputFeatures = 2, hiddenFeatures = { 3, 4 }, poolings = { 2, 2 },
         activations = 'Sigmoid', kernelSize = 3 }
      local function loss(p, x) return torch.sum(torch.pow(f(p, x), 2)) end
      assert.is_true(gradcheck(loss, params, torch.randn(2, 2, 8, 8)))
      local x = torch.randn(2, 2, 8, 8)
      assert.is_true((f(params, x)[2] - f(params, x[2])):abs():max() < 1e-12)
      assert.same({ 4, 2, 2 }, f(params, x[1]):size():totable())
   end)

   it('AlexNet gives the logarithms of chances, and gradients of all its tables', function()
      local f, params = autograd.model.AlexNet { classes = 5, hiddenFeatures = 8 }
      local y = f(params, torch.randn(3, 224, 224))
      assert.same({ 5 }, y:size():totable())
      assert.near(1, torch.exp(y):sum(), 1e-9)
      local g = autograd(function(p, x) return -f(p, x)[1][2] end)(params, torch.randn(1, 3, 224, 224))
      assert.equal(8, #g)
      assert.is_true(g[1].W:norm() > 0)
   end)
end)

describe('autograd.module.', function()
   it('LayerNormalization has the gradients of differences, of vectors too', function()
      local f, params = autograd.module.LayerNormalization { nOutputs = 4 }
      randomize(params)
      local function loss(p, x) return torch.sum(torch.pow(f(p, x), 3)) end
      assert.is_true(gradcheck(loss, params, torch.randn(3, 4)))
      assert.is_true(gradcheck(function(x) return loss(params, x) end, torch.randn(4)))
   end)
   it('MaskedBatchNormalization ignores the rows that the mask leaves out', function()
      local f, params = autograd.module.MaskedBatchNormalization { nOutputs = 3 }
      randomize(params)
      local x, mask = torch.randn(5, 3), torch.Tensor { 1, 0, 1, 1, 0 }
      local function loss(p) return torch.sum(torch.pow(f(p.own, p.x, mask), 3)) end
      assert.is_true(gradcheck(loss, { own = params, x = x }))
      local y = f(params, x, mask)
      x[2]:fill(100)
      assert.same(y:totable(), f(params, x, mask):totable())
      assert.equal(0, y[2]:abs():sum())
      assert.same(f(params, x):totable(), f(params, x, torch.ones(5)):totable())
   end)
   it('SoftAttention gives means of the items, and has the gradients of differences', function()
      local f, params = autograd.module.SoftAttention { inputFeatures = 3, hiddenFeatures = 2, attentionFeatures = 4 }
      randomize(params)
      local function loss(p, x, h)
         local mean, weights = f(p, x, h)
         return torch.sum(torch.pow(mean, 2)) + torch.sum(torch.pow(weights, 2))
      end
      local x, h = torch.randn(2, 5, 3), torch.randn(2, 2)
      assert.is_true(gradcheck(loss, params, x, h))
      local mean, weights = f(params, x, h)
      assert.near(1, weights[2]:sum(), 1e-12)
      assert.is_true((mean[1] - x[1]:t() * weights[1]):abs():max() < 1e-12)
   end)
end)

describe('modules of nn as functions', function()
   it('without parameters also take an empty table of parameters first', function()
      local f, params = autograd.functionalize(nn.Tanh())
      local x = torch.randn(3)
      assert.same({}, params)
      assert.same(torch.tanh(x):totable(), f(x):totable())
      assert.same(torch.tanh(x):totable(), f({}, x):totable())
   end)
   it('follow the type of their input', function()
      local f, criterion = autograd.nn.Sigmoid(), autograd.nn.MSECriterion()
      local df = autograd(function(x, y) return criterion(f(x), y) end)
      for _, kind in ipairs { 'double', 'float', 'double' } do
         local x = torch.ones(3)[kind](torch.ones(3))
         assert.equal(x:type(), df(x, x):type())
      end
   end)
   it('may give tables, nested ones too', function()
      local split = autograd.nn.SplitTable(1)
      assert.is_true(gradcheck(function(p)
         local rows = split(p.x)
         return torch.sum(torch.cmul(rows[1], rows[3])) + torch.sum(torch.pow(rows[1], 2))
      end, { x = torch.randn(3, 4) }))
      local module = nn.ConcatTable():add(nn.Linear(4, 2)):add(nn.ConcatTable():add(nn.Tanh()):add(nn.Identity()))
      local f, params = autograd.functionalize(module)
      assert.is_true(gradcheck(function(p)
         local y = f(p.own, p.x)
         return torch.sum(torch.pow(y[1], 2)) + torch.sum(torch.cmul(y[2][1], y[2][2]))
      end, { own = params, x = torch.randn(3, 4) }))
   end)
   it('of a package by its name make a table of constructors', function()
      local f, params = autograd.functionalize('nn').Linear(3, 2)
      assert.same({ 4, 2 }, f(params, torch.ones(4, 3)):size():totable())
      refuses('autograd.nn: nn has no module or criterion Nothing', function() return autograd.functionalize('nn').Nothing end)
      refuses('autograd.functionalize: there is no package no_such_package', autograd.functionalize, 'no_such_package')
   end)
   it('serve a convolutional network beside functions of torch', function()
      local conv, act, pool = autograd.nn.SpatialConvolutionMM(1, 2, 3, 3, 1, 1, 1, 1), autograd.nn.Tanh(), autograd.nn.SpatialMaxPooling(2, 2)
      local reshape, linear = autograd.nn.Reshape(8), autograd.nn.Linear(8, 3)
      local chances, loss = autograd.nn.LogSoftMax(), autograd.nn.ClassNLLCriterion()
      local params = { { torch.randn(2, 9), torch.randn(2) }, { torch.randn(3, 8), torch.randn(3) } }
      assert.is_true(gradcheck(function(p, x, y)
         return loss(chances(linear(p[2], reshape(act(pool(conv(p[1], x)))))), y)
      end, params, torch.randn(1, 4, 4), 2))
   end)
end)

describe('functions as modules of nn', function()
   local function affine(x, W, b) return W * x + b end

   it('have classes of their names in autograd.auto', function()
      local m = autograd.nn.AutoModule 'SpecAffine' (affine, torch.randn(2, 3), torch.randn(2))
      assert.equal('autograd.auto.SpecAffine', torch.typename(m))
      assert.is_true(torch.isTypeOf(m, 'nn.Module'))
      assert.is_true(torch.isTypeOf(autograd.auto.SpecAffine(tostring(m), affine, torch.randn(2, 3)), 'autograd.auto.SpecAffine'))
      local again = autograd.nn.AutoModule 'SpecAffine' (affine, torch.randn(2, 3), torch.randn(2))
      assert.equal(torch.typename(m), torch.typename(again))
      local c = autograd.nn.AutoCriterion 'SpecLoss' (function(x, t) return torch.sum(torch.pow(x - t, 2)) end)
      assert.equal('autograd.auto.SpecLoss', torch.typename(c))
      assert.is_true(torch.isTypeOf(c, 'nn.Criterion'))
   end)
   it('are loaded by a program that makes the class first', function()
      local TH, name = os.getenv 'TH' or 'build/bin/th', os.tmpname()
      torch.save(name, autograd.nn.AutoModule 'SpecSaved' (function(x, w) return _G.torch.cmul(x, w) end, torch.Tensor { 2, 3 }))
      local code = "local autograd = require 'autograd'; if %s then autograd.nn.AutoModule 'SpecSaved' end; "
         .. "io.write(torch.load('%s', 'binary', {unsafe = true}):forward(torch.ones(2))[2])"
      local answers = {}
      for i, made in ipairs { 'true', 'false' } do
         local p = io.popen(("'%s' -e \"%s\" 2>&1"):format(TH, code:format(made, name)))
         answers[i] = p:read '*a'
         p:close()
      end
      os.remove(name)
      assert.equal('3', answers[1])
      assert.truthy(answers[2]:find('an object of the class autograd.auto.SpecSaved', 1, true), answers[2])
   end)
   it('train beside modules of nn to the same parameters', function()
      local l1, l2 = nn.Linear(4, 5), nn.Linear(5, 2)
      local net = nn.Sequential():add(l1):add(nn.Tanh()):add(l2)
      local auto = nn.Sequential()
         :add(autograd.nn.AutoModule 'SpecTanh' (function(...) return torch.tanh(affine(...)) end, l1.weight:clone(), l1.bias:clone()))
         :add(autograd.nn.AutoModule 'SpecAffine' (affine, l2.weight:clone(), l2.bias:clone()))
      local mse = nn.MSECriterion()
      local auto_mse = autograd.nn.AutoCriterion 'SpecMSE' (function(x, t) return torch.mean(torch.pow(x - t, 2)) end)
      for _ = 1, 5 do
         local x, t, losses = torch.randn(4), torch.randn(2), {}
         for i, pair in ipairs { { net, mse }, { auto, auto_mse } } do
            local m, c = pair[1], pair[2]
            m:zeroGradParameters()
            losses[i] = c:forward(m:forward(x), t)
            m:backward(x, c:backward(m.output, t))
            m:updateParameters(0.1)
         end
         assert.near(losses[1], losses[2], 1e-12)
      end
      assert.is_true((net:getParameters() - auto:getParameters()):abs():max() < 1e-12)
      local y = auto:float():forward(torch.randn(4):float())
      assert.equal('torch.FloatTensor', y:type())
   end)
end)

describe('the parts of the package', function()
   it('can be required before the package, and work by themselves', function()
      local TH = os.getenv 'TH' or 'build/bin/th'
      local code = "local part = require 'autograd.%s'; local g = require 'autograd.main'.grad(function(x) return torch.norm(x) end)"
         .. "; io.write(type(part), ' ', g(torch.Tensor{3, 4})[1]); assert(require 'autograd'.grad)"
      for _, name in ipairs { 'util', 'optim', 'gradcheck', 'model', 'module', 'loss', 'overload', 'auto', 'auto.AutoModule',
         'auto.AutoCriterion', 'nnwrapper', 'main', 'support', 'module.SoftAttention', 'model.AlexNet' } do
         local p = io.popen(("'%s' -e \"%s\" 2>&1"):format(TH, code:format(name)))
         local text = p:read '*a'
         p:close()
         assert.truthy(text == 'table 0.6' or text == 'function 0.6', name .. ': ' .. text)
      end
   end)
   it('are the fields of the package', function()
      for _, name in ipairs { 'util', 'optim', 'gradcheck', 'model', 'module', 'loss', 'overload', 'auto' } do
         assert.equal(require('autograd.' .. name), autograd[name])
      end
   end)
end)
