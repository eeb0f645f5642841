-- test/autograd/interface_spec.lua - what programs for torch-autograd call: options, switches, overload, optim, util, loss.
-- runs once
local torch = require 'torch'
require 'nn'
local autograd = require 'autograd'
local refuses = require 'test.support.refuses'
local util = require 'autograd.util'
local gradcheck = require 'autograd.gradcheck' { randomizeInput = false }

local function square(x) return torch.sum(torch.cmul(x, x)) end

-- What f writes to the standard output.
local function written(f)
   local text, before = {}, io.write
   io.write = function(...) for _, part in ipairs { ... } do text[#text + 1] = part end end
   local ok, why = pcall(f)
   io.write = before
   assert(ok, why)
   return table.concat(text)
end

describe('autograd.grad', function()
   it('is what calling the package is', function()
      assert.same({ 2, 4 }, (autograd.grad(square)(torch.Tensor { 1, 2 })):totable())
      assert.same({ 2, 4 }, (require 'autograd.main'.grad(square)(torch.Tensor { 1, 2 })):totable())
   end)
   it('passes all arguments on, nil among them', function()
      local df = autograd(function(x, ...) return torch.sum(x) * select('#', ...) end)
      assert.same({ 3, 3 }, (df(torch.ones(2), nil, nil, 1)):totable())
      assert.same({ 2 }, (df(torch.ones(1), 1, nil)):totable())
   end)
   it('ignores options that it does not know, as Torch7 did', function()
      assert.same({ 2 }, (autograd(square, { reduceFootprint = true, whatever = 3 })(torch.ones(1))):totable())
   end)
   it('leaves strings, booleans, functions and whole-number tensors of the parameters without gradients', function()
      local p = { x = torch.ones(2), name = 'a', flag = true, f = print, i = torch.LongTensor { 1 } }
      local g = autograd(function(q) return q.flag and square(q.x) end)(p)
      assert.same({ 'x' }, (function()
         local keys = {}
         for k in pairs(g) do keys[#keys + 1] = k end
         return keys
      end)())
   end)
   it('blames errors on the line of the program', function()
      local _, why = pcall(autograd(function(x) return torch.sum(x:zero()) end), torch.ones(1))
      assert.truthy(why:find '^[^\n]*interface_spec%.lua:%d+: autograd: x:zero')
   end)
   it('gives numbers the gradients of numbers, in tables too', function()
      local g, y = autograd(function(p) return p.a * p.a + 3 * p.deep.b / p.a end)({ a = 2, deep = { b = 4 } })
      assert.same({ a = 1, deep = { b = 1.5 } }, g)
      assert.equal(10, y)
   end)
end)

describe('the option', function()
   it('gradArg names the argument to take the gradient by', function()
      for _, optimize in ipairs { true, false } do
         local df = autograd(function(x, p) return torch.sum(torch.cmul(x, p.w)) end, { gradArg = 2, optimize = optimize })
         local g, y = df(torch.Tensor { 1, 2 }, { w = torch.Tensor { 3, 4 } })
         assert.same({ 1, 2 }, g.w:totable())
         assert.equal(11, y)
      end
      refuses('autograd: argument 3 must be a tensor of floats', autograd(square, { gradArg = 3 }), torch.ones(2))
   end)
   it('partialGrad takes the gradient of the output as last argument, which f does not see', function()
      local n
      local df = autograd(function(p, x, ...)
         n = select('#', ...)
         return p.W * x
      end, { partialGrad = true })
      local W, x = torch.Tensor { { 1, 2 }, { 3, 4 } }, torch.Tensor { 5, 6 }
      local outer = torch.Tensor { 1, 10 }
      local g, y = df({ W = W }, x, outer)
      assert.same({ { 5, 6 }, { 50, 60 } }, g.W:totable())
      assert.same({ 17, 39 }, y:totable())
      assert.equal(0, n)
      g.W:zero()
      assert.same({ 1, 10 }, outer:totable())
      assert.equal(12, (autograd(function(s) return s * s end, { partialGrad = true })(2, 3)))
      refuses('with partialGrad the last argument must be the gradient of the output, of size 2, got a torch.DoubleTensor of size 3', df,
         { W = W }, x, torch.ones(3))
      refuses('with partialGrad the last argument must be the gradient of the output, of size 2, got nil', df, { W = W }, x, nil)
   end)
   it('stableGradients writes each gradient into the same tensors', function()
      local df = autograd(function(p) return square(p.a) + square(p.b[1]) + p.s * p.s end, { stableGradients = true })
      local g = df { a = torch.ones(2), b = { torch.ones(3) }, s = 2 }
      local a, b = torch.pointer(g.a), torch.pointer(g.b[1])
      local h = df { a = torch.Tensor { 5, 6 }, b = { torch.zeros(3) }, s = 3 }
      assert.equal(a, torch.pointer(h.a))
      assert.equal(b, torch.pointer(h.b[1]))
      assert.same({ 10, 12 }, h.a:totable())
      assert.equal(6, h.s)
      assert.same({ 2 }, (df { a = torch.ones(1), b = { torch.ones(3) }, s = 1 }).a:totable())
   end)
   it('withForward and withGradients leave out results where optimize is on', function()
      local x = torch.Tensor { 1, 2 }
      local grads = { autograd(square, { optimize = true, withForward = false })(x) }
      assert.equal(1, #grads)
      assert.same({ 2, 4 }, grads[1]:totable())
      assert.same({ 5 }, { autograd(square, { optimize = true, withGradients = false })(x) })
      assert.equal(2, select('#', autograd(square, { withForward = false, withGradients = false })(x)))
   end)
   it('showCode prints the operations', function()
      local text = written(function() autograd(square, { showCode = true })(torch.ones(2)) end)
      assert.truthy(text:find('torch.cmul(v', 1, true), text)
      assert.truthy(text:find('torch.sum(v', 1, true), text)
   end)
   it('debugHook is called with a debugger, a message and the line where an infinity appears', function()
      local messages, lines, dot = {}, {}, nil
      local function f(p) return torch.sum(torch.div(p * 2, 0)) end
      local df = autograd(f, { debugHook = function(debugger, message, generated)
         messages[#messages + 1] = message
         local k = 0
         for line in generated.source:gmatch '[^\n]+' do
            k = k + 1
            if k == generated.line then lines[#lines + 1] = line end
         end
         dot = debugger.generateDot()
      end })
      df(torch.ones(2))
      assert.equal('autograd: torch.div gives a nan or an infinity', messages[1])
      assert.truthy(lines[1]:find('torch.div(v', 1, true), lines[1])
      assert.truthy(dot:find '^digraph')
   end)
   it('debugHook writes the graph into a file, and sees gradients', function()
      local name, message = os.tmpname(), nil
      autograd(function(x) return torch.sum(torch.sqrt(x)) end, { debugHook = function(debugger, text)
         message = text
         debugger.generateDot(name)
      end })(torch.zeros(2))
      local file = io.open(name)
      local text = file:read '*a'
      file:close()
      os.remove(name)
      assert.equal('autograd: the gradient of torch.sqrt gives a nan or an infinity', message)
      assert.truthy(text:find('label="torch.sqrt', 1, true), text)
   end)
   it('debugHook is not called for a function that stays finite, and may raise an error', function()
      local called = false
      autograd(square, { debugHook = function() called = true end })(torch.ones(2) * 1e160)
      assert.is_true(called)
      called = false
      autograd(square, { debugHook = function() called = true end })(torch.ones(2))
      assert.is_false(called)
      refuses('stop here', autograd(function(x) return torch.sum(x / 0) end, { debugHook = function() error 'stop here' end }), torch.ones(1))
      assert.same({ 2 }, (autograd(square)(torch.ones(1))):totable())
   end)
end)

describe('the switch', function()
   teardown(function()
      autograd.optimize(false)
      autograd.protected(false)
   end)
   it('optimize reports its state, and is the default of the option', function()
      assert.is_false(autograd.optimizing())
      autograd.optimize(true)
      assert.is_true(autograd.optimizing())
      local grads = { autograd(square, { withForward = false })(torch.ones(2)) }
      autograd.optimize(false)
      assert.equal(1, #grads)
      assert.is_false(autograd.optimizing())
   end)
   it('protected is accepted; an error in a function never harms the next call', function()
      for _, on in ipairs { true, false } do
         autograd.protected(on)
         assert.equal(on, autograd.protected())
         refuses('mine', autograd(function() error 'mine' end), torch.ones(1))
         assert.same({ 2 }, (autograd(square)(torch.ones(1))):totable())
      end
   end)
end)

describe('functions with branches and loops', function()
   it('may loop as often as a value says', function()
      local function f(p, x, n)
         local h = x
         for _ = 1, n do h = torch.tanh(p.W * h) end
         return torch.sum(h)
      end
      for n = 1, 3 do assert.is_true(gradcheck(f, { W = torch.randn(3, 3) }, torch.randn(3), n)) end
   end)
   it('may branch and loop on values by autograd.value', function()
      local function f(p)
         local s, n = torch.sum(p.x), 0
         while autograd.value(s) < 100 and n < 50 do
            s, n = s * 2, n + 1
         end
         return s
      end
      assert.is_true(gradcheck(f, { x = torch.Tensor { 1, 2, 4 } }))
      assert.same({ 16, 16, 16 }, (autograd(f) { x = torch.Tensor { 1, 2, 4 } }).x:totable())
   end)
   it('branch by util.lt and its like as the numbers say with the option optimize', function()
      local function f(x)
         local s = torch.sum(x)
         if util.gt(s, 1) and util.ge(s, 1) and not util.lt(s, 1) then s = s * 2 end
         if util.le(s, 0) or util.eq(s, 100) then s = s * s end
         return s
      end
      assert.equal(2, (autograd(f, { optimize = true })(torch.ones(3)))[1])
      assert.equal(-2, (autograd(f, { optimize = true })(torch.Tensor { -1 }))[1])
   end)
   it('take util.lt and its like of taped numbers for true in the default mode, as on Torch7', function()
      local taped
      local g = autograd(function(x)
         taped = util.lt(torch.sum(x), 0)
         return taped and torch.sum(x) * 3 or torch.sum(x)
      end)(torch.ones(1))
      assert.equal(3, g[1])
      assert.is_false(autograd.value(taped))
      assert.is_false(util.lt(2, 1))
   end)
   it('may be suspended in a coroutine while others run', function()
      local df = autograd(function(x)
         coroutine.yield()
         return square(x)
      end)
      local co = coroutine.create(function() return (df(torch.ones(2))) end)
      coroutine.resume(co)
      assert.same({ 2 }, (autograd(square)(torch.ones(1))):totable())
      local ok, g = coroutine.resume(co)
      assert.is_true(ok)
      assert.same({ 2, 2 }, g:totable())
   end)
   it('may ask for the length of lists of parameters', function()
      local n
      autograd(function(p)
         n = #p
         return torch.sum(p[1] + p[#p])
      end) { torch.ones(2), torch.ones(2) }
      assert.equal(2, n)
   end)
end)

describe('autograd.overload', function()
   local ops = { affine = function(x, y) return x * 10 + y end, join = function(list) return torch.cat(list, 1) end,
      count = function(x) return torch.isTensor(x) and x:nElement() or 0 end, half = function(x) return x / 2 end,
      bad = function(x) return x * 2 end, gives = function() return 'text' end }
   autograd.overload.module('ops', ops, function(module)
      module.gradient('affine', { function(g) return g * 10 end, function(g) return torch.sum(g) end })
      module.gradient('join', { function(g, _, list)
         local parts, first = {}, 1
         for i, x in ipairs(list) do
            parts[i] = torch.narrow(g, 1, first, torch.size(x, 1))
            first = first + torch.size(x, 1)
         end
         return parts
      end })
      module.gradient('half', { function(g, ans, x) return torch.cmul(g, torch.cdiv(ans, x)) end })
      module.gradient('bad', {})
      module.gradient('gives', { function() end })
      module.static 'count'
   end)

   it('differentiates by the functions that are given, also by numbers', function()
      assert.is_true(gradcheck(function(p) return square(ops.affine(p.x, p.y)) end, { x = torch.randn(3), y = 2 }))
   end)
   it('leaves calls with plain arguments as they were', function()
      assert.same({ 12, 12 }, ops.affine(torch.ones(2), 2):totable())
   end)
   it('takes tables with values in them, and gradients as tables', function()
      assert.is_true(gradcheck(function(p) return square(ops.join { p.a, torch.ones(1), p.b }) end,
         { a = torch.randn(2), b = torch.randn(3) }))
   end)
   it('gives static functions what is behind values', function()
      assert.same({ 6, 6 }, (autograd(function(x) return torch.sum(x) * ops.count(x) * 3 end)(torch.ones(2))):totable())
   end)
   it('serves second derivatives too', function()
      assert.is_true(gradcheck(function(p) return torch.sum((autograd(function(x) return square(ops.half(x)) end)(p.x))) end,
         { x = torch.Tensor { 1, 2 } }))
   end)
   it('says which gradient is missing', function()
      refuses('missing gradient for argument 1 of ops.bad', autograd(function(x) return torch.sum(ops.bad(x)) end), torch.ones(2))
   end)
   it('gives results that have no derivative as they are', function()
      assert.same({ 1 }, (autograd(function(x) return ops.gives(x) == 'text' and torch.sum(x) end)(torch.ones(1))):totable())
   end)
   it('replaces gradients of torch and of operators until it is uninstalled', function()
      local before = torch.histc
      autograd.overload.module('torch', torch, function(module)
         module.gradient('histc', { function(_, _, x) return util.fill(x, 7) end })
         module.operator('unm', { function(g) return g * 5 end })
      end)
      local df = autograd(function(x) return torch.sum(torch.histc(x, 2)) end)
      assert.same({ 7, 7 }, (df(torch.Tensor { 1, 2 })):totable())
      assert.same({ 7, 7 }, (autograd(function(x) return torch.sum(x:histc(2)) end)(torch.Tensor { 1, 2 })):totable())
      assert.same({ 5 }, (autograd(function(x) return torch.sum(-x) end)(torch.ones(1))):totable())
      autograd.overload.uninstall()
      assert.equal(before, torch.histc)
      assert.same({ -1 }, (autograd(function(x) return torch.sum(-x) end)(torch.ones(1))):totable())
      refuses('missing gradient: torch.histc', df, torch.Tensor { 1, 2 })
      autograd.overload.install()
      assert.same({ 7, 7 }, (df(torch.Tensor { 1, 2 })):totable())
      autograd.overload.module('torch', torch, function(module) module.operator 'unm' end)
      assert.same({ -1 }, (autograd(function(x) return torch.sum(-x) end)(torch.ones(1))):totable())
   end)
   it('takes the methods of a class, the object being the first argument', function()
      local Scale = torch.class('SpecScale')
      function Scale:__init(k) self.k = k end
      function Scale:by(x) return x * self.k end
      local function describe(module)
         module.gradient('by', { function() end, function(g, _, self) return g * self.k end })
      end
      autograd.overload.class('SpecScale', Scale, describe)
      local object = rawget(_G, 'SpecScale')(3)
      assert.same({ 3, 3 }, (autograd(function(x) return torch.sum(object:by(x)) end)(torch.ones(2))):totable())
   end)
   it('refuses what does not fit', function()
      refuses('autograd.overload.module: functions must be a table of functions, got nil', autograd.overload.module, 'a')
      refuses('autograd.overload.module: describe must be a function, got nil', autograd.overload.module, 'a', {})
      local function describing(f) return function() autograd.overload.module('a', { f = print }, f) end end
      refuses('autograd.overload: there is no function g', describing(function(m) m.gradient('g', {}) end))
      refuses('module.gradient: gradients must be a table of functions, got nil', describing(function(m) m.gradient 'f' end))
      refuses('module.operator: gradients must be a table of functions, got a number (1)', describing(function(m) m.operator('add', 1) end))
      refuses('autograd.overload: there is no operator call', describing(function(m) m.operator('call', {}) end))
   end)
end)

describe('autograd.optim', function()
   local function loss(p, x, y) return square(x * p.W - y) + (p.deep.s - 1) ^ 2, 'more' end
   for _, name in ipairs { 'sgd', 'adam', 'adamw', 'adamax', 'adagrad', 'rmsprop', 'adadelta', 'nag', 'asgd', 'rprop', 'lbfgs', 'cg' } do
      it(name .. ' lowers a loss over nested parameters, numbers among them, and passes on what the function returns', function()
         torch.manualSeed(3)
         local x, y = torch.randn(5, 3), torch.randn(5, 2)
         local p = { W = torch.randn(3, 2), deep = { s = 3 } }
         local W = p.W
         local step, states = autograd.optim[name](autograd(loss), { learningRate = 0.02, eta0 = 0.02, eps = name == 'adadelta' and 1e-2 or nil }, p)
         local first, last
         for _ = 1, 30 do
            local grads, l, more = step(x, y)
            assert.same({ 3, 2 }, grads.W:size():totable())
            assert.equal('more', more)
            first, last = first or l, l
         end
         assert.is_true(last < 0.9 * first, ('%g, then %g'):format(first, last))
         assert.is_true(p.deep.s < 3)
         assert.equal(W, p.W)                                  -- changed in place
         assert.equal('table', type(states[1]))
      end)
   end
   it('takes the steps of optim itself', function()
      local p, x = { w = torch.Tensor { 1, 2 } }, torch.Tensor { 1, 2 }
      local step = autograd.optim.sgd(autograd(function(q) return square(q.w) end), { learningRate = 0.1, momentum = 0.9 }, p)
      local state = { learningRate = 0.1, momentum = 0.9 }
      for _ = 1, 5 do
         step()
         require 'optim'.sgd(function(v) return 0, v * 2 end, x, state)
      end
      assert.same(x:totable(), p.w:totable())
   end)
   it('leaves whole-number tensors, strings and functions of the parameters alone', function()
      local p = { w = torch.ones(1), rows = torch.LongTensor { 3 }, name = 'a', f = print }
      autograd.optim.sgd(autograd(function(q) return torch.sum(q.w) end), { learningRate = 0.5 }, p)()
      assert.same({ 0.5, 3, 'a', print }, { p.w[1], p.rows[1], p.name, p.f })
   end)
   it('takes a tensor in place of a table', function()
      local x = torch.ones(2)
      autograd.optim.sgd(autograd(square), { learningRate = 0.25 }, x)()
      assert.same({ 0.5, 0.5 }, x:totable())
   end)
   it('refuses what does not fit', function()
      refuses('autograd.optim.sgd: argument 1 must be a function made by autograd, got nil', autograd.optim.sgd)
      refuses('autograd.optim.sgd: argument 2 must be a table of options, got a number (3)', autograd.optim.sgd, print, 3)
      refuses('autograd.optim.cg: argument 3 must be a table of parameters, got nil', autograd.optim.cg, print, {})
   end)
end)

describe('autograd.gradcheck', function()
   it('leaves the parameters and the random numbers as they were', function()
      local p = { x = torch.ones(2), n = 3 }
      torch.manualSeed(4)
      local want = torch.uniform()
      torch.manualSeed(4)
      assert.is_true(autograd.gradcheck()(function(q) return square(util.dropout(q.x, 0.5)) * q.n end, p))
      assert.equal(want, torch.uniform())
      assert.same({ 1, 1 }, p.x:totable())
   end)
   it('finds wrong gradients, of numbers and of float tensors too', function()
      local ops = { double = function(x) return x * 2 end }
      autograd.overload.module('wrong', ops, function(module) module.gradient('double', { function(g) return g end }) end)
      local print_before = print
      _G.print = function() end
      local ok, results = pcall(function()
         return { gradcheck(function(p) return torch.sum(ops.double(p.x)) end, { x = torch.ones(2):float() }),
            gradcheck(function(x) return ops.double(x) end, 3), gradcheck(function(x) return torch.sum(x) end, torch.ones(2):float()) }
      end)
      _G.print = print_before
      assert(ok, results)
      assert.same({ false, false, true }, results)
   end)
   it('takes a function directly', function()
      assert.is_true(autograd.gradcheck(square, torch.randn(3)))
      refuses('autograd.gradcheck: options must be a table or a function, got a number (3)', autograd.gradcheck, 3)
      refuses('autograd.gradcheck: argument 1 must be a function, got nil', autograd.gradcheck())
   end)
end)

describe('autograd.loss', function()
   local x, target = torch.Tensor { { 0.3, -0.6, 0.8 }, { 1, 2, -1 } }, torch.Tensor { { 0, 1, 0 }, { 1, 0, 0 } }
   for name, f in pairs(autograd.loss) do
      it(name .. ' has the gradient of differences', function()
         local input = name == 'logBCELoss' and torch.sigmoid(x) or x
         assert.is_true(gradcheck(function(p) return (f(p.x, target)) end, { x = input }))
      end)
   end
   it('crossEntropy is the criterion of nn, summed', function()
      local want = 0
      for i, class in ipairs { 2, 1 } do want = want + nn.CrossEntropyCriterion():forward(x[i], class) end
      assert.near(want, (autograd.loss.crossEntropy(x, target)), 1e-12)
      assert.near(1, torch.exp(select(2, autograd.loss.crossEntropy(x, target)))[1]:sum(), 1e-12)
   end)
end)

describe('autograd.util', function()
   it('oneHot finds the number of columns, and takes tensors of any type', function()
      assert.same({ { 0, 1 }, { 1, 0 } }, util.oneHot(torch.Tensor { 2, 1 }):totable())
      assert.equal('torch.FloatTensor', util.oneHot(torch.FloatTensor { 2, 1 }, 3):type())
      assert.equal('torch.LongTensor', util.oneHot(torch.LongTensor { 2, 1 }, 3):type())
      assert.same({ 2, 4 }, util.oneHot(torch.LongTensor { { 1 }, { 3 } }, 4):size():totable())
   end)
   for name, f in pairs {
      logSumExp = function(p) return torch.sum(util.logSumExp(p.x)) * util.logSumExp(p.x[2]) end,
      logSoftMax = function(p) return square(util.logSoftMax(p.x)) * square(util.logSoftMax(p.x[1])) end,
      sigmoid = function(p) return square(util.sigmoid(p.x)) * util.sigmoid(p.s) end,
      lookup = function(p) return square(util.lookup(p.x, torch.LongTensor { { 1, 2 }, { 2, 2 } })) end,
      fill = function(p) return square(util.fill(p.x, p.s)) end,
      cat = function(p) return square(util.cat({ p.s, 3, p.x[1] })) + square(util.cat(p.x, p.x, 1)) end,
      narrowCopy = function(p) return square(util.narrowCopy(p.x, 2, 2, 2)) end,
      selectCopy = function(p) return square(util.selectCopy(p.x, 2, 2)) * util.selectCopy(p.x[1], 1, 1) end,
      narrowSliceCopy = function(p) return square(util.narrowSliceCopy(p.x, torch.narrow(p.x, 2, 1, 2), 2, 2, 2)) end,
      selectSliceCopy = function(p) return square(util.selectSliceCopy(p.x, p.x[2], 1, 1)) end,
      indexAdd = function(p) return square(util.indexAdd(p.x, p.x, 1, torch.LongTensor { 2, 2 })) end,
      setNotEqual = function(p) return square(util.setNotEqual(p.x, util.zerosLike(p.x), p.x, p.s)) end,
      ['setEqual and makeContiguous'] = function(p) return square(util.setEqual(p.x, p.x, util.makeContiguous(p.x), p.s)) end,
      deepCopy = function(p) return square(util.deepCopy(p).x) end,
      cast = function(p) return square(util.cast(p, 'torch.DoubleTensor').x) end,
   } do
      it(name .. ' can be differentiated', function()
         assert.is_true(gradcheck(f, { x = torch.Tensor { { 0.3, -0.6, 0.8 }, { 1, 2, -1 } }, s = 0.7 }))
      end)
   end
   it('dropout drops the given share, and divides by the rest', function()
      torch.manualSeed(1)
      local y = util.dropout(torch.ones(10000), 0.25)
      assert.near(2500, torch.eq(y, 0):sum(), 150)
      assert.near(1 / 0.75, y:max(), 1e-12)
      refuses('autograd.util.dropout: p must be a number from 0 up to 1, got a number (1)', util.dropout, torch.ones(1), 1)
   end)
   it('sortedFlatten has one order for keys of all kinds', function()
      assert.same({ 1, 2, 3, 4, 5 }, util.sortedFlatten { z = 5, [1] = 1, [2] = 2, a = { y = 4, x = 3 } })
      assert.same({ 7 }, util.sortedFlatten(7))
   end)
   it('nestedSet makes the tables on the way', function()
      local t = {}
      util.nestedSet(t, { 'a', 1, 'b' }, 3)
      assert.equal(3, util.nestedGet(t, { 'a', 1, 'b' }))
   end)
end)
