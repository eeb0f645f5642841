-- test/optim/optim_spec.lua - optimizers reach minima, the confusion matrix counts, the logger writes.
local torch = require 'torch'
local optim = require 'optim'

-- A bowl: value and gradient of (x1 - 1)^2 + 10 (x2 + 2)^2.
local function bowl(x)
   local a, b = x[1] - 1, x[2] + 2
   return a * a + 10 * b * b, x.new{2 * a, 20 * b}
end

local function descend(name, config, steps, state)
   local x = torch.Tensor{3, 1}
   local f
   for _ = 1, steps do
      local _, fs = optim[name](bowl, x, config, state)
      f = fs[1]
   end
   return x, f
end

describe('every optimizer', function()
   for name, row in pairs{
      sgd = {{learningRate = 0.04, momentum = 0.5}, 200},
      adam = {{learningRate = 0.1}, 400},
      adamw = {{learningRate = 0.1, weightDecay = 1e-4}, 400},
      adamax = {{learningRate = 0.1}, 400},
      rmsprop = {{learningRate = 0.01}, 1000},
      adagrad = {{learningRate = 0.5}, 800},
      adadelta = {{eps = 1e-2}, 2000},
      nag = {{learningRate = 0.02, momentum = 0.5}, 200},
      asgd = {{eta0 = 0.02, lambda = 0}, 400},
      rprop = {{}, 100},
   } do
      it(name .. ' finds the minimum of a bowl, with its state in config or apart', function()
         local x = descend(name, row[1], row[2])
         assert.near(1, x[1], 0.02)
         assert.near(-2, x[2], 0.02)
         local state = {}
         descend(name, {learningRate = 0.01}, 2, state)
         assert(row.stateless or next(state))
      end)
      it(name .. ' works on float vectors, and returns the vector it was given', function()
         local x = torch.FloatTensor{3, 1}
         local y, fs = optim[name](bowl, x, {})
         assert.equal(x, y)
         assert.near(94, fs[1], 1e-6)
      end)
   end
   it('continues from a saved state as if it had not stopped', function()
      local config, state = {learningRate = 0.1}, {}
      local x = torch.Tensor{3, 1}
      for _ = 1, 3 do optim.adam(bowl, x, config, state) end
      local x2, state2 = x:clone(), torch.deserialize(torch.serialize(state))
      for _ = 1, 3 do
         optim.adam(bowl, x, config, state)
         optim.adam(bowl, x2, config, state2)
      end
      assert.same(x:totable(), x2:totable())
   end)
end)

describe('optim.sgd', function()
   it('decays the rate, the weights, and scales single rates', function()
      local function flat(x) return 0, x.new{1, 1} end
      local x, config = torch.Tensor{0, 0}, {learningRate = 1, learningRateDecay = 1, learningRates = torch.Tensor{1, 2}}
      optim.sgd(flat, x, config)
      optim.sgd(flat, x, config)
      assert.same({-1.5, -3}, x:totable())
      x = optim.sgd(function(z) return 0, z * 0 end, torch.Tensor{1, 2}, {learningRate = 0.5, weightDecay = 1})
      assert.same({0.5, 1}, x:totable())
   end)
   it('refuses nesterov without momentum', function()
      local ok, err = pcall(optim.sgd, bowl, torch.Tensor{1, 1}, {nesterov = true})
      assert.is_false(ok)
      assert(err:find('nesterov needs momentum > 0 and dampening = 0', 1, true), err)
   end)
end)

local refuses = require 'test.support.refuses'

describe('optim.adamw', function()
   it('decays x and not the gradient: without a gradient x only shrinks', function()
      local x = torch.Tensor{1, -2}
      for _ = 1, 2 do optim.adamw(function(z) return 0, z * 0 end, x, {learningRate = 0.5, weightDecay = 1}, {}) end
      assert.same({0.25, -0.5}, x:totable())
   end)
end)

describe('optim.clipGradNorm', function()
   it('shortens all together, and leaves short and infinite gradients', function()
      local a, b = torch.Tensor{3}, torch.Tensor{{0, 4}}
      assert.equal(5, optim.clipGradNorm({a, b}, 10))
      assert.same({3}, a:totable())
      assert.equal(5, optim.clipGradNorm({a, b}, 1))
      assert.near(0.6, a[1], 1e-15)
      assert.near(0.8, b[1][2], 1e-15)
      assert.equal(7, optim.clipGradNorm(torch.Tensor{3, 4}, 1, 1))
      assert.equal(math.huge, optim.clipGradNorm(torch.Tensor{math.huge, 1}, 1))
      assert.equal(0, optim.clipGradNorm({}, 1))
   end)
   it('refuses what is no gradient and no norm', function()
      refuses('optim.clipGradNorm: grads must be a tensor or a list of them, got nil', optim.clipGradNorm)
      refuses('optim.clipGradNorm: grads[1] must be a tensor', optim.clipGradNorm, {1}, 1)
      refuses('optim.clipGradNorm: maxNorm must be a positive number', optim.clipGradNorm, torch.ones(2), 0)
      refuses('optim.clipGradNorm: p must be a positive number', optim.clipGradNorm, torch.ones(2), 1, -1)
   end)
end)

describe('schedules', function()
   it('start at the rate and end at the last', function()
      for _, s in ipairs{optim.linearDecay(2, 10, 0.5), optim.cosineDecay(2, 10, 0.5)} do
         assert.equal(2, s(0))
         assert.near(1.25, s(5), 1e-12)
         assert.near(0.5, s(10), 1e-12)
         assert.near(0.5, s(1000), 1e-12)
      end
   end)
   it('refuse what is no number', function()
      refuses('optim.stepDecay: every must be a positive number', optim.stepDecay, 1, 0, 1)
      refuses('optim.cosineDecay: rate must be a number, got nil', optim.cosineDecay)
      refuses('optim.warmup: schedule must be a function, got a number', optim.warmup, 3, 1)
   end)
end)

describe('optim.LossScaler', function()
   it('halves where gradients are not finite, doubles after good steps', function()
      local s = optim.LossScaler{scale = 8, interval = 2}
      assert.is_false(s:unscale{torch.Tensor{1, math.huge}})
      assert.equal(4, s.scale)
      for _ = 1, 2 do assert.is_true(s:unscale(s:scaleGradient(torch.ones(2)))) end
      assert.equal(8, s.scale)
   end)
   it('refuses scales and gradients that are none', function()
      refuses('optim.LossScaler: config.scale must be a positive number', optim.LossScaler, {scale = 0})
      refuses('optim.LossScaler:unscale: the gradient must be a tensor or a table of them, got nil', function()
         optim.LossScaler():unscale()
      end)
   end)
end)

describe('nn.Optim', function()
   local nn = require 'nn'
   local function model()
      torch.manualSeed(2)
      return nn.Sequential():add(nn.Linear(3, 4)):add(nn.Tanh()):add(nn.Linear(4, 1))
   end
   local x, y = torch.ones(5, 3):cumsum(1):div(5), torch.ones(5, 1):cumsum(1):div(5)
   it('steps as the optimizer does on the flat vector, and continues from a checkpoint', function()
      local a, b, criterion = model(), model(), nn.MSECriterion()
      local o = nn.Optim(a, {learningRate = 0.05})
      local p, g = b:getParameters()
      local config = {learningRate = 0.05}
      for step = 1, 6 do
         if step == 4 then o = nn.Optim(a, nil, torch.deserialize(torch.serialize(o:save()))) end
         local err, output = o:optimize(optim.adam, x, y, criterion)
         assert.near(criterion:forward(output, y), err, 1e-12)
         g:zero()
         b:backward(x, criterion:backward(b:forward(x), y))
         optim.adam(function() return 0, g end, p, config)
      end
      assert((a:get(1).weight - b:get(1).weight):abs():max() < 1e-14)
      assert((a:get(3).bias - b:get(3).bias):abs():max() < 1e-14)
   end)
   it('never decays biases, and sets options', function()
      local m = nn.Linear(2, 1)
      m.weight:fill(1)
      m.bias:fill(1)
      m:zeroGradParameters()
      local o = nn.Optim(m, {learningRate = 9})
      o:setParameters{learningRate = 0.5, weightDecay = 1}
      o:updateParameters(optim.sgd, 0)
      assert.same({{0.5, 0.5}}, m.weight:totable())
      assert.same({1}, m.bias:totable())
      assert.equal('torch.FloatTensor', o:type 'torch.FloatTensor':type())
   end)
   it('refuses what is no model, criterion or method', function()
      refuses('nn.Optim: model must be an nn.Module, got nil', nn.Optim)
      refuses('nn.Optim: optState must be a table, got number', nn.Optim, nn.Identity(), 3)
      local o = nn.Optim(model(), {})
      refuses('criterion must be an nn.Criterion, got nil', o.optimize, o, optim.sgd, x, y)
      refuses('optimMethod must be a function, got nil', o.updateParameters, o)
   end)
end)

describe('methods for whole functions', function()
   it('lbfgs continues after a function has failed, or no step was made, as if it had not been called', function()
      local fails, calls
      local function valley(x)
         calls = calls + 1
         if calls == fails then error 'no value' end
         local a, b = x[1], x[2]
         return (1 - a) ^ 2 + 100 * (b - a * a) ^ 2, torch.Tensor { -2 * (1 - a) - 400 * a * (b - a * a), 200 * (b - a * a) }
      end
      for _, search in ipairs { false, optim.lswolfe } do
         local config = { maxIter = 100, maxEval = 1000, lineSearch = search or nil }
         fails, calls = 0, 0
         local want = torch.Tensor { -1, 1 }
         optim.lbfgs(valley, want, config, {})
         for k = 2, 10, 4 do
            local x, state = torch.Tensor { -1, 1 }, {}
            fails, calls = k, 0
            refuses('no value', optim.lbfgs, valley, x, config, state)
            assert.equal(state.nIter or 0, #(state.old_dirs or {}) + (state.d and 1 or 0))
            optim.lbfgs(valley, x, config, state)
            assert.truthy((x - want):abs():max() < (search and 1e-4 or 1e-15), k)
         end
      end
      local x, state = torch.Tensor { 1e-5 }, {}
      for _ = 1, 2 do optim.lbfgs(function(y) return y:dot(y), y * 2 end, x, { maxIter = 5 }, state) end
      assert.same({ 0, 1e-5 }, { state.nIter, x[1] })
      state = {}
      optim.lbfgs(valley, torch.Tensor { -1, 1 }, { maxIter = 9, nCorrection = 3 }, state)
      assert.equal(3, #state.old_dirs)
      refuses('optim.lbfgs: config.nCorrection must be a number from 1, got 0', optim.lbfgs, valley, x, { nCorrection = 0 })
   end)

   it('lbfgs and cg find the minimum of a bowl in a few evaluations', function()
      for _, row in ipairs{{'lbfgs', {maxIter = 30, lineSearch = optim.lswolfe}}, {'cg', {maxIter = 30}}} do
         local x = torch.Tensor{3, 1}
         local _, fs, n = optim[row[1]](bowl, x, row[2])
         assert.near(1, x[1], 1e-3)
         assert.near(-2, x[2], 1e-3)
         assert(fs[#fs] < 1e-4 and n < 70, n)
      end
   end)
   it('de and cmaes find it without a gradient', function()
      torch.manualSeed(4)
      for _, row in ipairs{{'de', {maxFEval = 2000}}, {'cmaes', {sigma = 1, maxEval = 1000}}} do
         local x, fs = optim[row[1]](bowl, torch.Tensor{3, 1}, row[2])
         assert.near(1, x[1], 0.05)
         assert.near(-2, x[2], 0.05)
         assert(fs[#fs] <= fs[1])
      end
      local ok, err = pcall(optim.cmaes, bowl, torch.Tensor{3, 1}, {})
      assert(not ok and err:find('config.sigma must be a positive number, got nil', 1, true), err)
   end)
   it('FistaLS shrinks: the minimum of (x - 3)^2 / 2 + |x| is 2', function()
      for _, momentum in ipairs{false, true} do
         local x, history = optim.FistaLS(function(x) return 0.5 * (x[1] - 3) ^ 2, torch.Tensor{x[1] - 3} end,
            function(x) return math.abs(x[1]) end,
            function(x, L) x[1] = math.max(0, math.abs(x[1]) - 1 / L) * (x[1] < 0 and -1 or 1) end,
            torch.zeros(1), {errthres = 1e-10, maxiter = 200, doFistaUpdate = momentum})
         assert.near(2, x[1], 1e-3)
         assert.near(2.5, history[#history].F, 1e-6)
      end
   end)
   it('refuse a function whose value is no number, and take one element for a number', function()
      local function nothing(_) end
      local function no_value(x) return nil, x:clone() end
      local x = torch.ones(3)
      local value = 'the value of opfunc must be a number, got nil'
      assert.has_error(function() optim.de(nothing, x) end, 'optim.de: ' .. value)
      assert.has_error(function() optim.cmaes(nothing, x, { sigma = 1 }) end, 'optim.cmaes: ' .. value)
      assert.has_error(function() optim.cg(no_value, x) end, 'optim.cg: ' .. value)
      assert.has_error(function() optim.lbfgs(no_value, x) end, 'optim.lbfgs: ' .. value)
      assert.has_error(function() optim.lswolfe(no_value, x, 1, -x, 3, x, -3) end, 'optim.lswolfe: ' .. value)
      assert.has_error(function() optim.lswolfe(nothing, x, 1, -x, 3, x, -3) end,
         'optim.lswolfe: opfunc must return the value and the gradient, a tensor of size 3; got nil as gradient')
      local function none(_) end
      assert.has_error(function() optim.FistaLS(none, none, none, x) end, 'optim.FistaLS: the value of f must be a number, got nil')
      local function bowl(p) return torch.Tensor{ p:dot(p) }, p * 2 end
      for _, name in ipairs { 'cg', 'lbfgs', 'de' } do
         local at, values = optim[name](bowl, torch.ones(2), {})
         assert.is_true(at:norm() < 1e-2, name)
         assert.equal('number', type(values[1]), name)
      end
   end)

   it('cmaes takes NaN for the worst value', function()
      torch.manualSeed(1)
      local function bowl(p) return p[1] > 0.5 and 0 / 0 or p:dot(p) end
      local at = optim.cmaes(bowl, torch.Tensor{ -1, 1 }, { sigma = 0.5, maxEval = 2000 })
      assert.is_true(at:norm() < 1e-3)
   end)

   it('polyinterp finds minima inside of bounds', function()
      assert.near(2 / 3, optim.polyinterp(torch.Tensor{{0, 1, -2}, {1, 0.5, 1}}), 1e-12)
      assert.near(0.4, optim.polyinterp(torch.Tensor{{0, 1, -2}, {1, 0.5, 1}}, 0.2, 0.4), 1e-12)
      assert.near(1, optim.polyinterp{{0, 1, 0 / 0}, {2, 1, 0 / 0}, {3, 4, 0 / 0}}, 1e-9)
   end)
   it('lswolfe stops where the slope is small, and moves x there', function()
      local x, d = torch.Tensor{0}, torch.Tensor{6}
      local function f(z) return (z[1] - 3) ^ 2, torch.Tensor{2 * (z[1] - 3)} end
      local f0, g0 = f(x)
      local fn, gn, place, t, n = optim.lswolfe(f, x, 1, d, f0, g0, g0:dot(d))
      assert.near(0, fn, 1e-12)
      assert.near(0, gn[1], 1e-6)
      assert.equal(x, place)
      assert.near(0.5, t, 1e-9)
      assert.equal(2, n)
   end)
   it('checkgrad tells right gradients from wrong ones, and leaves x alone', function()
      local x = torch.Tensor{1, -2, 3}
      assert(optim.checkgrad(function(z) return z:dot(z), z * 2 end, x, 1e-6) < 1e-6)
      assert(optim.checkgrad(function(z) return z:dot(z), z * 3 end, x) > 0.1)
      assert.same({1, -2, 3}, x:totable())
   end)
end)

describe('options of optimizers', function()
   local options = {
      sgd = {learningRate = 0.01, learningRateDecay = 0.1, weightDecay = 0.01, momentum = 0.9, dampening = 0.1},
      adam = {learningRate = 0.1, learningRateDecay = 0.1, beta1 = 0.8, beta2 = 0.99, epsilon = 1e-6, weightDecay = 0.1},
      adamax = {learningRate = 0.1, beta1 = 0.8, beta2 = 0.99, epsilon = 1e-6},
      rmsprop = {learningRate = 0.1, alpha = 0.9, epsilon = 1e-6, weightDecay = 0.1, initialMean = 0.1},
      adagrad = {learningRate = 0.1, learningRateDecay = 0.1, weightDecay = 0.1},
      adadelta = {rho = 0.8, eps = 1e-3, weightDecay = 0.1},
      nag = {learningRate = 0.01, learningRateDecay = 0.1, weightDecay = 0.1, momentum = 0.8},
      asgd = {eta0 = 0.1, lambda = 0.1, alpha = 0.5, t0 = 1},
      rprop = {stepsize = 0.1, etaplus = 1.3, etaminus = 0.4, stepsizemax = 1, stepsizemin = 1e-3, niter = 2},
      cg = {maxIter = 5, maxEval = 10, rho = 0.02, sig = 0.4, int = 0.2, ext = 2, ratio = 50},
      lbfgs = {maxIter = 5, maxEval = 10, tolFun = 1e-6, tolX = 1e-6, nCorrection = 3, learningRate = 0.1},
      de = {popsize = 8, scaleFactor = 0.7, crossoverRate = 0.8, maxFEval = 100, spread = 3},
      cmaes = {sigma = 0.5, maxEval = 50, popsize = 6, ftol = 1e-8, xtol = 1e-8, ftarget = 1e-3, verb_disp = 0},
   }
   local function place_after(name, config, state)
      torch.manualSeed(1)
      return (descend(name, config, 4, state)):totable()
   end
   for name, config in pairs(options) do
      it('are numbers or texts of numbers for ' .. name .. ', and a table of them can be the state', function()
         local texts, more = {}, {}
         for k, v in pairs(config) do texts[k], more[k] = tostring(v), v end
         local expected = place_after(name, config, {})
         assert.same(expected, place_after(name, texts, {}))
         assert.same(expected, place_after(name, texts))
         -- options of others, and of the program
         more.name, more.save, more.nothing = 'run', {}, false
         if name ~= 'cg' then more.ext = '.png' end
         if name ~= 'rmsprop' and name ~= 'asgd' then more.alpha = 'none' end
         assert.same(expected, place_after(name, more, {}))
      end)
   end
   it('may be false, which stands for the default', function()
      assert.same(place_after('sgd', {}, {}), place_after('sgd', {weightDecay = false, momentum = false}, {}))
   end)
   it('are refused when they are no numbers', function()
      assert.error_matches(function() place_after('sgd', {learningRate = 'fast'}) end,
                           'optim.sgd: config.learningRate must be a number, got a string')
      assert.error_matches(function() place_after('rprop', {stepsize = {}}) end,
                           'optim.rprop: config.stepsize must be a number, got a table')
   end)
   it('take factors of the parameters as tensors of any type and shape', function()
      for _, name in ipairs{'sgd', 'nag'} do
         local expected = place_after(name, {learningRates = torch.Tensor{0.5, 2}, learningRate = 0.01})
         assert.same(expected, place_after(name, {learningRates = torch.FloatTensor{{0.5}, {2}}, learningRate = 0.01}))
         assert.error_matches(function() place_after(name, {learningRates = torch.ones(3)}) end,
                              'config.learningRates must be a tensor of 2 elements')
      end
      local expected = place_after('sgd', {weightDecays = torch.Tensor{0.5, 2}})
      assert.same(expected, place_after('sgd', {weightDecays = torch.FloatTensor{{0.5, 2}}}))
      assert.same(place_after('sgd', {weightDecay = 1}),
                  place_after('sgd', {weightDecay = 1, weightDecays = torch.Tensor{0.5, 2}}))
   end)
   it('continue from a state of rprop that Torch7 has saved', function()
      local function after(state)
         local x = torch.Tensor{3, 1}
         optim.rprop(bowl, x, {}, state)
         return x:totable()
      end
      local ours = {}
      after(ours)
      local theirs = {delta = torch.Tensor{4, 60}, stepsize = ours.stepsize:clone(), sign = torch.Tensor(2),
                      psign = torch.ByteTensor(2), nsign = torch.ByteTensor(2), bytesign = torch.ByteTensor(2)}
      assert.same(after(ours), after(theirs))
   end)
end)

describe('optim.checkgrad', function()
   it('changes x itself, where the function of a training script reads its parameters', function()
      local x = torch.Tensor{1, -2, 3}
      local difference, gradient = optim.checkgrad(function() return x:dot(x), x * 2 end, x)
      assert(difference < 1e-6)
      assert.same({2, -4, 6}, gradient:totable())
      assert.same({1, -2, 3}, x:totable())
   end)
   it('takes a value in a tensor, and parameters that are no block', function()
      local x = torch.Tensor{{1, 9}, {2, 9}}:select(2, 1)
      assert(optim.checkgrad(function(at) return torch.Tensor{at:dot(at)}, at * 2 end, x, '1e-6') < 1e-6)
      assert.same({1, 2}, x:totable())
   end)
   it('leaves x as it was when the function fails', function()
      local x, calls = torch.Tensor{1, 2}, 0
      assert.error_matches(function()
         optim.checkgrad(function()
            calls = calls + 1
            return calls < 3 and 1 or {}, x
         end, x)
      end, 'the value of opfunc must be a number, got a table')
      assert.same({1, 2}, x:totable())
   end)
end)

describe('optim.ConfusionMatrix', function()
   local function filled()
      local c = optim.ConfusionMatrix{'cat', 'dog', 'cow'}
      c:batchAdd(torch.LongTensor{1, 2, 3, 3}, torch.LongTensor{1, 2, 2, 3})
      return c
   end
   it('counts numbers, vectors of scores, and batches of both', function()
      local c = optim.ConfusionMatrix(3)
      c:add(2, 1)
      c:add(torch.Tensor{0.1, 0.7, 0.2}, 2)
      c:add(torch.Tensor{0.1, 0.7, 0.2}, torch.Tensor{0, 0, 1})
      c:batchAdd(torch.Tensor{{5, 1, 1}, {1, 1, 5}}, torch.LongTensor{1, 3})
      assert.same({{1, 1, 0}, {0, 1, 0}, {0, 1, 1}}, c.mat:totable())
   end)
   it('knows the shares', function()
      local c = filled()
      c:updateValids()
      assert.equal(0.75, c.totalValid)
      assert.near((1 + 0.5 + 1) / 3, c.averageValid, 1e-12)
      assert.near((1 + 0.5 + 0.5) / 3, c.averageUnionValid, 1e-12)
   end)
   it('prints as Torch7 does', function()
      assert.equal('ConfusionMatrix:\n'
         .. '[[       1       0       0]   100.000% \t[class: cat]\n'
         .. ' [       0       1       1]   50.000% \t[class: dog]\n'
         .. ' [       0       0       1]]  100.000% \t[class: cow]\n'
         .. ' + average row correct: 83.333333333333% \n'
         .. ' + average rowUcol correct (VOC measure): 66.666666666667% \n'
         .. ' + global correct: 75%', tostring(filled()))
   end)
   it('leaves out classes that never came', function()
      local c = optim.ConfusionMatrix(2)
      c:add(1, 1)
      c:updateValids()
      assert.equal(1, c.averageValid)
      assert(c.valids[2] ~= c.valids[2])
   end)
   it('forgets with zero', function()
      local c = filled()
      c:zero()
      assert.equal(0, c.mat:sum())
   end)
   it('draws', function()
      local picture = filled():render('score', false, 4, 2)
      assert.same({3, 12, 14}, picture:size():totable())
      assert(picture:sum() > 0)
   end)
   it('refuses what is no class', function()
      for _, bad in ipairs{0, 4, 0 / 0, 'x', torch.Tensor()} do
         assert.is_false(pcall(function() optim.ConfusionMatrix(3):add(bad, 1) end))
      end
      local ok, err = pcall(function() optim.ConfusionMatrix(3):add(4, 1) end)
      assert(not ok and err:find('the prediction must be a class of 1..3, got 4', 1, true), err)
      ok, err = pcall(function() optim.ConfusionMatrix(3):batchAdd(torch.LongTensor{1, 2}, torch.LongTensor{1}) end)
      assert(not ok and err:find('got 1 and 2', 1, true), err)
   end)
   it('has -1 in the place of the shares of a class that never came', function()
      local c = optim.ConfusionMatrix(3)
      c:batchAdd(torch.LongTensor{1, 1, 1, 2, 3}, torch.LongTensor{1, 3, 3, 3, 3})
      local class_frrs, class_fars, frrs, fars = c:farFrr()
      assert.same({0, -1, 0.75}, class_frrs:totable())
      assert.same({0.5, -1, 0}, class_fars:totable())
      assert.same({0, 0.75}, frrs:totable())
      assert.same({0.5, 0}, fars:totable())
   end)
   it('counts nothing for targets below 1, whatever the prediction', function()
      local c = optim.ConfusionMatrix(3)
      c:add(torch.Tensor{0.1, 0.7, 0.2}, 0)
      c:add(1, -1)
      c:add(torch.Tensor{0.1, 0.7, 0.2}, torch.Tensor{0})
      c:batchAdd(torch.LongTensor{9, 2, 3}, torch.LongTensor{0, 2, -3})
      c:batchAdd(torch.FloatTensor{{1}, {3}}, torch.ByteTensor{{0}, {3}})
      assert.same({{0, 0, 0}, {0, 1, 0}, {0, 0, 1}}, c.mat:totable())
   end)
   it('takes scores with fewer columns than classes, and cuts fractions off', function()
      local c = optim.ConfusionMatrix(3.9)
      c:batchAdd(torch.Tensor{{1, 2}, {2, 1}}, torch.Tensor{3.5, 1})
      c:add(2.7, 2)
      assert.same({{1, 0, 0}, {0, 1, 0}, {0, 1, 0}}, c.mat:totable())
   end)
   it('takes the means of the shares as floats, without classes that never came', function()
      local c = optim.ConfusionMatrix(3)
      c:batchAdd(torch.LongTensor{1, 2, 2, 3}, torch.LongTensor{1, 1, 1, 1})
      c:batchAdd(torch.LongTensor{2, 1, 1}, torch.LongTensor{2, 2, 2})
      c:updateValids()
      local third = torch.FloatTensor{1 / 3}[1]
      assert.equal((0.25 + third) / 2, c.averageValid)
      assert.equal((c.unionvalids[1] + c.unionvalids[2]) / 2, c.averageUnionValid)
      assert.equal(0, c.unionvalids[3])
   end)
   it('counts nothing of a batch that is refused', function()
      local c = optim.ConfusionMatrix(2)
      pcall(function() c:batchAdd(torch.LongTensor{1, 3}, torch.LongTensor{1, 1}) end)
      assert.equal(0, c.mat:sum())
   end)
end)

describe('optim.Logger', function()
   local function read(name)
      local file = assert(io.open(name))
      local text = file:read '*a'
      file:close()
      return text
   end
   local name
   before_each(function() name = os.tmpname() end)
   after_each(function()
      for _, ending in ipairs{'', '.eps', '.png'} do os.remove(name .. ending) end
   end)
   it('writes names and rows as they come', function()
      local l = optim.Logger(name)
      l:setNames{'loss', 'accuracy'}
      l:add{1, 0.5}
      l:add{loss = 2, accuracy = 0.25}
      assert.equal('loss\taccuracy\t\n 1.0000e+00\t 5.0000e-01\t\n 2.0000e+00\t 2.5000e-01\t\n', read(name))
   end)
   it('refuses columns that are not there, and files that cannot be written', function()
      local l = optim.Logger(name)
      l:setNames{'loss'}
      local ok, err = pcall(function() l:add{other = 1} end)
      assert(not ok and err:find('there is no column other', 1, true), err)
      ok, err = pcall(optim.Logger, name .. '/at/all')
      assert(not ok and err:find('optim.Logger: cannot write ' .. name .. '/at/all', 1, true), err)
      assert.error_matches(function() l:add{true} end, 'column 1 must be a number or a string, got a boolean')
      assert.same({{}}, l.symbols)
      assert.error_matches(function() l:style(3) end, 'optim.Logger:style: style must be a string or a table')
      assert.error_matches(function() l:style{3} end, 'optim.Logger:style: a style must be a string or a table of strings')
      assert.error_matches(function() l:plot 'other' end, 'optim.Logger:plot: there is no column other')
   end)
   it('plots PNG where gnuplot is installed and SVG where it is not, whatever the names of columns', function()
      local l = optim.Logger(name)
      l:setNames{"it's `touch " .. name .. ".eps.bad` $(false) \"x\""}
      l:display(false)
      l:add{1}
      l:add{0 / 0}
      l:add{2}
      l:style '+-'
      local drawn = l:plot()
      assert.is_nil(io.open(name .. '.eps.bad'))
      assert.is_true(drawn)
      assert(#read(name .. (require 'gnuplot.process'.find() and '.png' or '.svg')) > 100)
   end)
   it('writes an SVG file where gnuplot is missing', function()
      local ffi = require 'ffi'
      ffi.cdef 'int setenv(const char *name, const char *value, int overwrite);'
      local l, old, path = optim.Logger(name), print, os.getenv 'PATH'
      l:add{1, 2}
      ffi.C.setenv('PATH', '/nowhere', 1)
      rawset(_G, 'print', function() end)                -- the note of gnuplot
      local ok, drawn = pcall(l.plot, l)
      rawset(_G, 'print', old)
      ffi.C.setenv('PATH', path, 1)
      assert.is_true(ok and drawn)
      assert.matches('<svg', read(name .. '.svg'))
      assert.matches('&lt;Logger::', read(name .. '.svg'))
      os.remove(name .. '.svg')
   end)
   it('makes the folders of its file', function()
      os.remove(name)
      local l = optim.Logger(name .. '/a/b/test.log')
      l:add{['% error'] = 1.25}
      assert.equal('% error\t\n 1.2500e+00\t\n', read(name .. '/a/b/test.log'))
      assert.is_true(require 'paths'.rmall(name, 'yes'))
   end)
   it('keeps texts beside numbers, and what came by name under the name', function()
      local l = optim.Logger(name):setNames{'epoch', 'note'}
      l:add{1, 'first'}
      l:add{2}
      assert.same({{1, 2}, {'first'}}, l.symbols)
      assert.equal('epoch\tnote\t\n 1.0000e+00\tfirst\t\n 2.0000e+00\t\n', read(name))
      l = optim.Logger(name)
      l:add{loss = 3, accuracy = 0.5}
      l:add{loss = 2, accuracy = 0.75}
      assert.same({loss = {3, 2}, accuracy = {0.5, 0.75}}, l.symbols)
      assert.same({loss = 'loss', accuracy = 'accuracy'}, l.names)
      l = optim.Logger(name)
      l:add{4, 5}
      assert.equal('1\t2\t\n 4.0000e+00\t 5.0000e+00\t\n', read(name))
   end)
   it('takes styles by number, by name, and one for all', function()
      local l = optim.Logger(name):setNames{'loss', 'accuracy'}
      assert.equal(l, l:style{'-', {'+', '~'}})
      assert.same({{'-'}, {'+', '~'}}, l.styles)
      assert.same({{'+-'}, {'|'}}, l:style '+-':style{accuracy = '|'}.styles)
   end)
   it('writes to standard output without a name, and says so', function()
      local said = {}
      local old = print
      rawset(_G, 'print', function(text) said[#said + 1] = text end)
      local l = optim.Logger()
      rawset(_G, 'print', old)
      assert.equal(io.stdout, l.file)
      assert.truthy(said[1]:find 'logging to std out')
      assert.is_false(l:plot())
   end)
end)
