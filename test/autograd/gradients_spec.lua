-- test/autograd/gradients_spec.lua - gradients of Lua functions: ops, shapes, numbers, modules, second derivatives, training, messages.
-- runs once
local torch = require 'torch'
local nn = require 'nn'
local autograd = require 'autograd'
local gradcheck = require 'test.support.gradcheck'

local refuses = require 'test.support.refuses'

local H = 1e-5

-- The largest error of the gradients of f by the tensors of p against central differences, relative to the largest slope.
local function wrong(f, p, ...)
   local grads, worst, scale = autograd(f)(p, ...), 0, 1e-3
   local function walk(x, g, ...)
      if torch.isTensor(x) then
         assert(g:isSameSizeAs(x), 'a gradient has another size')
         local flat, gflat = x:view(-1), g:contiguous():view(-1)
         for i = 1, x:nElement() do
            local kept = flat[i]
            flat[i] = kept + H
            local up = autograd.value((f(p, ...)))
            flat[i] = kept - H
            local down = autograd.value((f(p, ...)))
            flat[i] = kept
            local slope = (up - down) / (2 * H)
            worst, scale = math.max(worst, math.abs(slope - gflat[i])), math.max(scale, math.abs(slope))
         end
      elseif type(x) == 'table' then
         for k, v in pairs(x) do walk(v, g[k], ...) end
      end
   end
   walk(p, grads, ...)
   return worst / scale
end

local function weights(y)
   if type(y) == 'number' then return 1.5 end
   local w = torch.range(1, y:nElement()):mul(0.37):add(0.2)
   return torch.sin(w):viewAs(y)
end

-- A number for any result: the sum of its elements, each with a different weight.
local function weighed(y)
   local plain = autograd.value(y)
   if type(plain) == 'number' then return y * 1.5 end
   return torch.sum(torch.cmul(y, weights(plain)))
end

local function check(name, f, p)
   local error_of = wrong(function(q) return weighed(f(q)) end, p)
   assert(error_of < 1e-6, ('%s: the gradient is wrong by %g'):format(name, error_of))
end

-- a, b: 3 x 4 in (0.1, 0.9); m: 4 x 2, v: 4, u: 3, s: 3 x 3, x: 2 x 3 x 4, z: 2 x 4 x 3, img: 2 x 2 x 5 x 5, k: 3 x 2 x 3 x 3
local function parameters(...)
   torch.manualSeed(5)
   local sizes = { a = { 3, 4 }, b = { 3, 4 }, m = { 4, 2 }, v = { 4 }, u = { 3 }, s = { 3, 3 }, x = { 2, 3, 4 }, z = { 2, 4, 3 },
      img = { 2, 2, 5, 5 }, k = { 3, 2, 3, 3 }, c = { 3 }, w = { 4 } }
   local p = {}
   for _, name in ipairs { ... } do p[name] = gradcheck.tensor(sizes[name], 0.1, 0.9) end
   return p
end

describe('gradients of ops', function()
   it('hold for every op of one tensor that declares a rule', function()
      local op, ffi = require 'torch.op', require 'ffi'
      local n = 0
      for _, name in ipairs(op.names()) do
         for _, form in ipairs(op.forms(name)) do
            if form.op.grad ~= nil and form.text:find '^y:self x:tensor=y$' then
               check(name, function(p) return torch[name](p.a) end, parameters 'a')
               n = n + 1
            end
         end
      end
      assert.is_true(n >= 30)
      assert(ffi)
   end)

   local place, rows = torch.LongTensor { { 1, 3, 2, 1 } }, torch.LongTensor { 3, 1, 3 }
   local mask = torch.ByteTensor { { 1, 0, 1, 1 }, { 0, 0, 1, 0 }, { 1, 1, 0, 1 } }
   for text, row in pairs {
      ['with numbers'] = { 'a', function(p)
         local a = torch.add(torch.mul(torch.div(p.a, 3), 2), 0.5)
         return torch.pow(torch.csub(a, 0.1), 3) + torch.pow(2, a) + torch.clamp(p.a, 0.3, 0.6) + torch.cmax(p.a, 0.5)
            + torch.cmin(p.a, 0.4) + torch.fmod(p.a, 0.25) + torch.elu(-p.a, 2) + torch.softplus(p.a, 3) + torch.leakyrelu(-p.a, 0.3)
      end },
      ['of two tensors'] = { 'a', 'b', function(p)
         return torch.cmul(p.a, p.b) + torch.cdiv(p.a, p.b) + torch.cpow(p.a, p.b) + torch.atan2(p.a, p.b)
            + torch.cmax(p.a, p.b) + torch.cmin(p.a, p.b) + torch.lerp(p.a, p.b, 0.3) + torch.add(p.a, 3, p.b)
            + torch.csub(p.a, 2, p.b) + torch.where(mask, p.a, p.b)
            + torch.addcmul(p.a, 2, p.b, p.a) + torch.addcdiv(p.a, 2, p.b, p.a)
      end },
      ['that broadcast'] = { 'a', 'v', function(p) return torch.cmul(p.a, p.v:view(1, 4)) + torch.view(p.v, 1, 4) end },
      ['of sums'] = { 'a', 'b', function(p)
         return torch.sum(p.a, 1) + p.a:mean(1) + torch.prod(p.b, 1) + torch.var(p.a, 1) + torch.std(p.b, 1) + torch.norm(p.a, 2, 1)
            + p.a:cumsum(1):narrow(1, 2, 1) + torch.max(p.b, 1) + torch.min(p.a, 1) + (torch.sort(p.a, 1))[2]:view(1, 4)
            + torch.logsumexp(p.a, 1)
      end },
      ['of all elements'] = { 'a', 'v', function(p)
         return torch.sum(p.a) * torch.mean(p.a) / p.a:sum() + torch.dot(p.v, p.v) - p.v * torch.pow(p.v, 2) + 3 / torch.mean(p.v)
            + torch.logsumexp(p.a) + 2 ^ torch.mean(p.v) + torch.sum(p.a) ^ 2 - (-torch.sum(p.v)) - (1 - torch.mean(p.a))
      end },
      ['of matrices'] = { 'a', 'm', 'v', 'u', function(p)
         return torch.mm(p.a, p.m) + p.a * p.m + torch.addmm(2, torch.mm(p.a, p.m), 3, p.a, p.m)
            + torch.ger(p.a * p.v, p.m:t() * p.v) + torch.addmv(p.u, p.a, p.v):view(3, 1):expand(3, 2)
            + torch.addr(0.5, p.a * p.m, 2, p.u, p.m[1])
      end },
      ['of batches'] = { 'x', 'z', function(p) return torch.bmm(p.x, p.z) + torch.baddbmm(torch.bmm(p.x, p.z), p.x, p.z) end },
      ['inverse, tril, triu, cross, roll, flip'] = { 's', function(p)
         local s = torch.inverse(p.s + torch.eye(3) * 3)
         return torch.tril(s) + torch.triu(p.s, 1) + torch.cross(p.s, s, 1) + torch.roll(s, 1, 2) + torch.flip(p.s, 1)
      end },
      ['that pick'] = { 'a', function(p)
         return torch.index(p.a, 1, rows):sum(1) + torch.gather(p.a, 1, place) + torch.sum(torch.maskedSelect(p.a, mask))
            * torch.ones(1, 4) + torch.sum(p.a[mask]) * torch.ones(1, 4) + p.a[rows]:sum(1) + torch.sum((torch.topk(p.a, 2))) * torch.ones(1, 4)
      end },
      ['fft'] = { 'a', function(p) return torch.rfft(p.a) end },
      ['softmax and losses'] = { 'a', 'b', function(p)
         local y = torch.softmax(p.a, 2) + torch.logsoftmax(p.b, 2)
         return torch.cmul(y, y) * torch.mse_loss(p.a, torch.ones(3, 4)) * torch.smoothl1_loss(p.b, torch.zeros(3, 4), false)
      end },
      ['of images'] = { 'img', 'k', 'c', function(p)
         return torch.avgpool2d(torch.conv2d(p.img, p.k, p.c, 1, 1, 1, 1), 2, 2, 2, 2)
      end },
      ['attention, with and without dropout'] = { 'img', function(p)
         local k, v, seed = torch.cos(p.img), p.img * 2, torch.LongTensor { 3, 4 }
         return torch.attention(p.img, k, v, 0, true)
            + (torch.attention(p.img, k, v, 0, false, nil, 0.4, seed))
      end },
   } do
      it('hold for ops ' .. text, function()
         local f = table.remove(row)
         check(text, f, parameters(unpack(row)))
      end)
   end

   it('hold for views, shapes and parts', function()
      check('shapes', function(p)
         local t = p.x:transpose(1, 3):contiguous():view(12, 2):t():reshape(2, 3, 4) + torch.permute(p.z, 1, 3, 2)
         local parts = t:split(2, 3)
         local joined = torch.cat({ parts[2], parts[1], p.x:narrow(3, 1, 1) }, 3)
         return joined:select(1, 2):sub(1, 2, 2, 4):unsqueeze(1):squeeze():clone() * p.m:chunk(2, 1)[1][{ 1, 2 }]
            + torch.repeatTensor(p.m[{ { 1, 2 }, { 1 } }], 1, 3) + p.m[1][2] + torch.stack({ p.v, p.v }, 1)[{ {}, { 1, 3 } }]
            + p.m:view(-1)[3] * p.v[4] + p.v:viewAs(torch.ones(2, 2))[1][1] + torch.diff(p.v)[1]
            + p.v:view(1, 4):expandAs(torch.ones(2, 4)):narrow(2, 1, 3) + torch.cat(p.v, p.v)[6] + p.v:narrow(1, 2, 1):item()
      end, parameters('x', 'z', 'm', 'v'))
   end)

   it('hold in float, and across a change of type', function()
      local g = autograd(function(x) return torch.sum(torch.square(x:double())) end)(torch.FloatTensor { 1, -2 })
      assert.equal('torch.FloatTensor', g:type())
      assert.same({ 2, -4 }, g:totable())
   end)
end)

describe('autograd(f)', function()
   local function f(p, x, y)
      local h = x
      for _, layer in ipairs(p.layers) do h = torch.tanh(h * layer.W + layer.b:view(1, -1):expand(x:size(1), layer.W:size(2))) end
      if autograd.value(torch.sum(h)) > 1e6 then h = h * 0 end
      return torch.mean(torch.square(h - y)), h
   end
   local function network()
      return { layers = { { W = gradcheck.tensor { 3, 4 }, b = gradcheck.tensor { 4 } }, { W = gradcheck.tensor { 4, 2 },
         b = gradcheck.tensor { 2 } } }, name = 'mlp', n = 2 }
   end

   it('gives gradients in the form of the parameters, and what f gives', function()
      torch.manualSeed(2)
      local p, x, y = network(), torch.randn(5, 3), torch.randn(5, 2)
      local grads, loss, h = autograd(f)(p, x, y)
      assert.is_nil(grads.name)
      assert.equal(0, grads.n)                             -- a number is a parameter, too
      assert.equal('number', type(loss))
      assert.is_true(torch.isTensor(h))
      assert.same({ 4, 2 }, grads.layers[2].W:size():totable())
      assert.is_true(wrong(f, p, x, y) < 1e-6)
   end)

   it('takes a tensor, a number, and functions that give a tensor of one element', function()
      assert.equal(12, (autograd(function(x) return x ^ 3 end)(2)))
      assert.same({ 2, 4 }, autograd(function(x) return x * x end)(torch.Tensor { 1, 2 }):totable())
      assert.same({ 2, 4 }, autograd(function(x) return torch.sum(torch.square(x), 1) end)(torch.Tensor { 1, 2 }):totable())
   end)

   it('gives zeros for independent parameters, a separate tensor for each', function()
      local g, loss = autograd(function(p) return torch.sum(p.a + p.b) end)({ a = torch.ones(2), b = torch.ones(2), c = torch.ones(3) })
      assert.same({ 0, 0, 0 }, g.c:totable())
      g.a:zero()
      assert.same({ 1, 1 }, g.b:totable())
      assert.equal(4, loss)
      local x = torch.ones(2)
      g = autograd(function() return 5 end)(x)
      assert.same({ 0, 0 }, g:totable())
   end)

   it('leaves parameters and tensors that f reads as they were, and tensors used with taped ones may change later', function()
      local buffer, x = torch.Tensor(2), torch.Tensor { 1, 2 }
      local g = autograd(function(p)
         local sum = 0
         for i = 1, 3 do
            buffer:fill(i)
            sum = sum + torch.sum(torch.cmul(p, buffer))
         end
         return sum
      end)(x)
      assert.same({ 6, 6 }, g:totable())
      assert.same({ 1, 2 }, x:totable())
   end)

   it('works on after an error in f', function()
      refuses('mine', autograd(function() error 'mine' end), torch.ones(1))
      local g = autograd(function(x) return torch.sum(x) end)(torch.ones(1))
      assert.is_true(torch.isTensor(g))
   end)

   it('goes back along ten thousand steps', function()
      local g = autograd(function(x)
         local h = x
         for _ = 1, 10000 do h = h + x end
         return torch.sum(h)
      end)(torch.ones(2))
      assert.same({ 10001, 10001 }, g:totable())
   end)
end)

describe('second derivatives', function()
   local function second(name, inner, p)
      local function f(q)
         local g = autograd(inner)(q)
         return weighed(g)
      end
      local error_of = wrong(f, p)
      assert(error_of < 1e-5, name .. ': wrong by ' .. error_of)
   end
   for name, f in pairs {
      tanh = function(x) return torch.sum(torch.tanh(x)) end,
      sigmoid = function(x) return torch.mean(torch.sigmoid(x)) end,
      ['exp and log'] = function(x) return torch.sum(torch.cmul(torch.exp(x), torch.log(x))) end,
      ['mm'] = function(x) return torch.sum(torch.square(x * x:t())) end,
      ['dot and powers'] = function(x) return torch.dot(x[1], x[2]) ^ 2 / torch.sum(x) end,
      ['softmax'] = function(x) return torch.sum(torch.cmul(torch.softmax(x, 2), torch.logsoftmax(x, 2))) end,
      ['sums and parts'] = function(x)
         local m = torch.square(x:mean(1)) + torch.square((torch.max(x, 1))) + torch.square(x[2]):view(1, 4)
         return torch.sum(torch.cat(m, torch.square(x:sum(1)), 2):narrow(2, 2, 5))
      end,
      relu = function(x) return torch.sum(torch.square(torch.relu(x - 0.5))) end,
   } do
      it('hold for ' .. name, function() second(name, f, parameters 'a'.a) end)
   end
   it('are refused where none is declared', function()
      refuses('torch.gelu_grad declares no derivative by its argument', autograd(function(x)
         return torch.sum((autograd(function(z) return torch.sum(torch.gelu(z)) end)(x)))
      end), torch.ones(2))
      local linear, p = autograd.nn.Linear(2, 2)
      refuses('nn.Linear declares no second derivative', autograd(function(x)
         return torch.sum((autograd(function(z) return torch.sum(torch.square(linear(p, z))) end)(x)))
      end), torch.ones(2))
   end)
end)

describe('modules as functions', function()
   it('have the gradients of the modules, called several times too', function()
      torch.manualSeed(3)
      local linear, p = autograd.nn.Linear(3, 3)
      local act, loss = autograd.nn.Tanh(), autograd.nn.MSECriterion()
      local x, y = gradcheck.tensor { 2, 3 }, gradcheck.tensor { 2, 3 }
      local function f(q) return loss(act(linear(q.w, act(linear(q.w, q.x)))), y) end
      assert.is_true(wrong(f, { w = p, x = x }) < 1e-6)
   end)
   it('take tables, and follow training and evaluate', function()
      local add = autograd.nn.CAddTable()
      assert.is_true(wrong(function(p) return weighed(add { p.a, p.b, p.a }) end, parameters('a', 'b')) < 1e-6)
      local module = nn.Dropout(0.5)
      local drop = autograd.functionalize(module)
      module:evaluate()
      local g = autograd(function(x) return torch.sum(drop(x)) end)(torch.ones(100))
      assert.equal(100, g:sum())
      module:training()
      g = autograd(function(x) return torch.sum(drop(x)) end)(torch.ones(100))
      assert.equal(0, g:min())
   end)
   it('refuse what does not fit', function()
      refuses('autograd.functionalize: module must be a module or criterion of nn, got a number (3)', autograd.functionalize, 3)
      refuses('nn has no module or criterion Lineal', function() return autograd.nn.Lineal(2, 3) end)
      local linear = autograd.nn.Linear(2, 3)
      refuses('nn.Linear: params must be a table of 2 tensors, got a table of 1', linear, { torch.ones(3, 2) }, torch.ones(2))
      refuses('nn.Linear: params must be a table of 2 tensors, got nil', linear)
      refuses('nn.Linear: params[2] must be a tensor of size 3, got a torch.DoubleTensor of size 2', linear,
         { torch.ones(3, 2), torch.ones(2) }, torch.ones(2))
   end)
end)

describe('functions as modules', function()
   local function affine(x, w, b) return x * w + b:view(1, -1):expand(x:size(1), b:size(1)) end
   local function make() return autograd.nn.AutoModule 'Affine' (affine, gradcheck.tensor { 3, 2 }, gradcheck.tensor { 2 }) end
   it('pass the gradient check, alone and in containers', function()
      for _, m in ipairs { make(), nn.Sequential():add(nn.Linear(3, 3)):add(make()):add(nn.Tanh()) } do
         local by_input, by_parameters = gradcheck.module(m, gradcheck.tensor { 4, 3 })
         assert.is_true(by_input < 1e-6)
         assert.is_true(by_parameters < 1e-6)
      end
      assert.equal('Affine', tostring(make()))
   end)
   it('are saved and cloned after forward, without the tape', function()
      local m, x = make(), torch.ones(1, 3)
      local y = m:forward(x):totable()
      assert.same(y, m:clone():forward(x):totable())
      assert.same(m.weight:totable(), torch.deserialize(torch.serialize(m)).weight:totable())
      refuses('forward must come before backward', function() m:clearState():backward(x, torch.ones(1, 2)) end)
   end)
   it('can be criterions', function()
      local c = autograd.nn.AutoCriterion 'MSE' (function(x, t) return torch.mean(torch.square(x - t)) end)
      assert.is_true(gradcheck.criterion(c, gradcheck.tensor { 3, 2 }, torch.ones(3, 2)) < 1e-6)
      assert.equal('MSE', tostring(c))
   end)
   it('refuse what does not fit', function()
      refuses('autograd.nn.AutoModule: name must be a string, got nil', autograd.nn.AutoModule)
      refuses('autograd.nn.AutoCriterion: name must be a string, got a number (3)', autograd.nn.AutoCriterion, 3)
      refuses('M: argument 1 must be a function, got nil', autograd.nn.AutoModule 'M')
      refuses('C: argument 1 must be a function, got nil', autograd.nn.AutoCriterion 'C')
      refuses('M: parameter 1 must be a tensor of floats, got a number (2)', autograd.nn.AutoModule 'M', affine, 2)
      refuses('Affine: forward must come before backward', function() make():backward(torch.ones(1, 3), torch.ones(1, 2)) end)
      refuses('Affine: gradOutput must be a tensor of size 1x2, got a torch.DoubleTensor of size 3', function()
         local m = make()
         m:forward(torch.ones(1, 3))
         m:backward(torch.ones(1, 3), torch.ones(3))
      end)
      refuses('M: the function must return a tensor, got a number', function()
         autograd.nn.AutoModule 'M' (function() return 3 end):forward(torch.ones(1))
      end)
      refuses('C: the function must return a number, got a torch.DoubleTensor', function()
         autograd.nn.AutoCriterion 'C' (function(x) return x end):forward(torch.ones(2), torch.ones(2))
      end)
   end)
end)

describe('training through autograd', function()
   it('teaches a small network the exclusive or', function()
      torch.manualSeed(4)
      local x, y = torch.Tensor { { 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 1 } }, torch.Tensor { { 0 }, { 1 }, { 1 }, { 0 } }
      local p = { torch.randn(2, 8), torch.zeros(8), torch.randn(8, 1) }
      local gradient = autograd(function(q)
         local h = torch.tanh(x * q[1] + q[2]:view(1, 8):expand(4, 8))
         return torch.mean(torch.square(torch.sigmoid(h * q[3]) - y))
      end)
      local loss
      for _ = 1, 1500 do
         local g
         g, loss = gradient(p)
         for i = 1, 3 do p[i]:add(-2, g[i]) end
      end
      assert.is_true(loss < 0.02)
   end)
   it('teaches a small convnet to tell bars that lie from bars that stand', function()
      torch.manualSeed(6)
      local images, classes = torch.randn(24, 1, 6, 6):mul(0.1), torch.LongTensor(24)
      for i = 1, 24 do
         classes[i] = i % 2 + 1
         images[i][1]:select(classes[i], i % 6 + 1):add(1)
      end
      local conv, pc = autograd.nn.SpatialConvolution(1, 4, 3, 3)
      local linear, pl = autograd.nn.Linear(4 * 2 * 2, 2)
      local pool, loss_of = autograd.nn.SpatialMaxPooling(2, 2), autograd.nn.ClassNLLCriterion()
      local p = { conv = pc, linear = pl }
      local gradient = autograd(function(q)
         local h = pool(torch.relu(conv(q.conv, images))):view(24, 16)
         local out = torch.logsoftmax(linear(q.linear, h), 2)
         return loss_of(out, classes), out
      end)
      local loss, out
      for _ = 1, 60 do
         local g
         g, loss, out = gradient(p)
         for _, name in ipairs { 'conv', 'linear' } do
            for i, t in ipairs(p[name]) do t:add(-0.3, g[name][i]) end
         end
      end
      local _, best = out:max(2)
      assert.is_true(loss < 0.1)
      assert.same(classes:totable(), best:view(-1):totable())
   end)
end)

describe('messages', function()
   local function with(f) return autograd(function(x) return torch.sum(f(x)) end) end
   local x = torch.ones(2, 2)
   it('tell of changes in place', function()
      refuses('autograd: x:add(...) would change a taped tensor in place; use torch.add(x, ...)', with(function(p) return p:add(1) end), x)
      refuses('would change a taped tensor in place', with(function(p) return p:zero() end), x)
      refuses('would change a taped tensor in place', with(function(p) p[1] = 3 return p end), x)
      refuses('would change a taped tensor in place', with(function(p) return p:copy(x) end), x)
      refuses('autograd: cmul cannot write a taped result into a tensor', with(function(p) return torch.cmul(torch.Tensor(), p, p) end), x)
      refuses('autograd: cmul cannot write a taped result into a tensor', with(function(p) return torch.ones(2, 2):cmul(p) end), x)
      assert.equal(4, x:sum())
   end)
   it('tell of bad arguments', function()
      refuses('autograd: argument 1 must be a function, got nil', autograd)
      refuses('autograd: argument 2 must be a table of options, got a number (2)', autograd, print, 2)
      refuses('autograd: gradArg must be the place of an argument, got a boolean (true)', autograd, print, { gradArg = true })
      refuses('autograd: gradArg must be the place of an argument, got a number (0)', autograd, print, { gradArg = 0 })
      refuses('autograd: debugHook must be a function, got a number (1)', autograd, print, { debugHook = 1 })
      refuses('got nil', with(torch.exp))
      refuses('got a table without any', with(torch.exp), { torch.LongTensor(2) })
      refuses('got a torch.LongTensor of size 2', with(torch.exp), torch.LongTensor(2))
      refuses('autograd: the function must return a number or a tensor of one element first, got a torch.DoubleTensor of size 2x2',
         autograd(function(p) return p end), x)
      refuses('must return a number or a tensor of one element first, got nil', autograd(function() end), x)
   end)
   it('tell of what has no derivative', function()
      refuses('torch.histc declares no derivative by its argument x', with(function(p) return torch.histc(p) end), x)
      refuses('autograd: a tensor has no method foo', with(function(p) return p:foo() end), x)
      refuses('autograd: missing gradient: apply of taped tensors has no derivative', with(function(p) return p:apply(math.abs) end), x)
      refuses('autograd: a taped number has no method exp', with(function(p) return torch.sum(p):exp() end), x)
      refuses('declares no derivative by a number', with(function(p) return torch.clamp(p, torch.sum(p), 3) end), x)
      refuses('cannot multiply sizes 2x2 and 2x2x1', with(function(p) return p * torch.ones(2, 2, 1) end), x)
      refuses('operand 2 of + must be a tensor or a number, got nil', with(function(p) return p + nil end), x)
      refuses('operand 2 of * must be a tensor or a number, got a string', with(function(p) return p * 'a' end), x)
   end)
   it('are those of the ops', function()
      refuses('mm: ', with(function(p) return torch.mm(p, torch.ones(3, 3)) end), x)
      refuses('torch.cmul: argument 2', with(function(p) return torch.cmul(p, 'a') end), x)
   end)
   it('plain tensors are not concerned', function()
      refuses('torch.cmul: argument 2', torch.cmul, x, 'a')
      assert.same({ 2, 1 }, torch.transpose(torch.ones(1, 2), 1, 2):size():totable())
   end)
   it('values print', function()
      with(function(p)
         assert.truthy(tostring(p):find('taped tensor', 1, true))
         return p
      end)(x)
   end)
end)

describe('autograd of sequences', function()
   -- Samples of 3, 2 and 1 steps; row 7 is none of theirs.
   local places = torch.LongTensor { { 4, 1, 6 }, { 2, 5, 0 }, { 3, 0, 0 } }
   local GATES = { lstm = 4, gru = 3, rnn = 1 }

   for _, cell in ipairs { 'lstm', 'gru', 'rnn' } do
      for _, reverse in ipairs { false, true } do
         it(('goes through torch.%s%s: input, weight, bias and the states at the start'):format(cell, reverse and ' backwards' or ''), function()
            torch.manualSeed(6)
            local n = GATES[cell] * 2
            local p = { x = gradcheck.tensor { 7, n }, weight = gradcheck.tensor { n, 2 },
               bias = gradcheck.tensor { cell == 'gru' and 8 or n }, h0 = gradcheck.tensor { 3, 2 } }
            if cell == 'lstm' then p.c0 = gradcheck.tensor { 3, 2 } end
            local r = gradcheck.tensor { 7, 2 }
            local function f(q)
               local h
               if cell == 'lstm' then
                  h = torch.lstm(q.x, places, q.weight, reverse, q.bias, q.h0, q.c0)
               elseif cell == 'gru' then
                  h = torch.gru(q.x, places, q.weight, reverse, q.bias, q.h0)
               else
                  h = torch.rnn(q.x, places, q.weight, false, reverse, q.bias, q.h0)
               end
               return torch.sum(torch.cmul(h, r))
            end
            local g = autograd(f)(p)
            for name, t in pairs(p) do
               local flat, got = t:view(-1), g[name]:contiguous():view(-1)
               assert.is_true(g[name]:isSameSizeAs(t), name)
               for i = 1, flat:size(1) do
                  local kept = flat[i]
                  flat[i] = kept + 1e-5
                  local up = f(p)
                  flat[i] = kept - 1e-5
                  local down = f(p)
                  flat[i] = kept
                  assert.near((up - down) / 2e-5, got[i], 1e-8)
               end
            end
            refuses(('autograd: torch.%s declares no second derivative'):format(cell), autograd(function(q)
               return torch.sum(autograd(f)(q).x)
            end), p)
         end)
      end
   end

   it('goes through a small model of rows of a table, a recurrent layer, and the likelihood of classes', function()
      torch.manualSeed(7)
      local p = { table = gradcheck.tensor { 5, 8 }, weight = gradcheck.tensor { 8, 2 }, out = gradcheck.tensor { 2, 5 } }
      local letters, next_letters = torch.LongTensor { 1, 3, 5, 2, 2, 4 }, torch.LongTensor { 3, 5, 2, 2, 4, 1 }
      local line = torch.LongTensor { { 1 }, { 2 }, { 3 }, { 4 }, { 5 }, { 6 } }
      local function loss(q)
         local h = torch.lstm(torch.embedding(q.table, letters), line, q.weight, false)
         return torch.sum((torch.nll_loss(torch.logsoftmax(torch.mm(h, q.out), 2), next_letters)))
      end
      local first, last = loss(p), nil
      for _ = 1, 500 do
         local g, l = autograd(loss)(p)
         for name, t in pairs(p) do t:add(-1, g[name]) end
         last = l
      end
      assert.is_true(first > 1.2 and last < 0.2, ('%g, then %g'):format(first, last))
   end)
end)
