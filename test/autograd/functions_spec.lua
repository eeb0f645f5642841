-- test/autograd/functions_spec.lua - gradients of torch's functions, checked against differences, in both modes.
-- runs once
local torch = require 'torch'
local autograd = require 'autograd'
local refuses = require 'test.support.refuses'
local util = autograd.util
local gradcheck = autograd.gradcheck { randomizeInput = false }

local function tensor(...)
   local x = torch.Tensor(...)
   local k = 0
   x:apply(function()
      k = k + 1
      return 0.15 + 0.7 * ((k * 37) % 53) / 53                -- no two elements are equal, none is 0
   end)
   return x
end

-- The gradient of f by p in both modes, by differences, and that both modes agree.
local function check(f, p, ...)
   assert.is_true(gradcheck(f, p, ...))
   local direct = autograd(f)(p, ...)
   local optimized = autograd(f, { optimize = true })(p, ...)
   local a, b = util.sortedFlatten(direct), util.sortedFlatten(optimized)
   assert.equal(#a, #b)
   for i = 1, #a do
      if torch.isTensor(a[i]) then assert.equal(0, (a[i] - b[i]):abs():max()) else assert.equal(a[i], b[i]) end
   end
end

-- A number of a result whose elements differ in weight.
local function weighed(y)
   if torch.isTensor(y) then
      local w = torch.typeAs(torch.range(1, torch.nElement(y)):mul(0.3):sin():add(1.5), y)
      return torch.sum(torch.cmul(y, torch.viewAs(w, y)))
   end
   return y * 1.5
end

local index = torch.LongTensor { 3, 1, 3 }
local places = torch.LongTensor { { 1, 3, 2, 1 }, { 2, 2, 1, 3 } }
local mask = torch.ByteTensor { { 1, 0, 1, 1 }, { 0, 0, 1, 0 }, { 1, 1, 0, 1 } }

describe('the gradient of torch.', function()
   for name, f in pairs {
      ['max of all'] = function(x) return torch.max(x) * 2 end,
      ['min of all'] = function(x) return torch.min(x) * 2 end,
      ['max along a dimension'] = function(x) return (torch.max(x, 2)) end,
      ['min along a dimension'] = function(x) return (torch.min(x, 1)) end,
      ['sum of all'] = function(x) return torch.sum(x) end,
      ['sum along a dimension'] = function(x) return torch.sum(x, 2) end,
      ['mean of all'] = function(x) return torch.mean(x) end,
      ['mean along a dimension'] = function(x) return torch.mean(x, 1) end,
      ['std of all'] = function(x) return torch.std(x) end,
      ['std along a dimension'] = function(x) return torch.std(x, 1) end,
      ['var of all'] = function(x) return torch.var(x) end,
      ['var of all, biased'] = function(x) return torch.var(x, true) end,
      ['var along a dimension'] = function(x) return torch.var(x, 2) end,
      ['prod of all'] = function(x) return torch.prod(x * 3) end,
      ['prod along a dimension'] = function(x) return torch.prod(x, 2) end,
      ['norm of all'] = function(x) return torch.norm(x) end,
      ['norm of all, p = 1'] = function(x) return torch.norm(x - 0.5, 1) end,
      ['norm of all, p = 3'] = function(x) return torch.norm(x - 0.5, 3) end,
      ['norm along a dimension'] = function(x) return torch.norm(x, 2, 1) end,
      ['dist'] = function(x) return torch.dist(x, torch.ones(3, 4)) + torch.dist(torch.ones(3, 4), x, 3) end,
      ['trace'] = function(x) return torch.trace(x) end,
      ['diag of a matrix'] = function(x) return torch.diag(x) end,
      ['diag of a matrix, above'] = function(x) return torch.diag(x, 2) end,
      ['diag of a matrix, below'] = function(x) return torch.diag(x, -1) end,
      ['diag of a vector'] = function(x) return torch.diag(torch.select(x, 1, 2), 1) end,
      ['cumsum'] = function(x) return torch.cumsum(x, 2) end,
      ['cumprod'] = function(x) return torch.cumprod(x, 2) end,
      ['sort'] = function(x) return (torch.sort(x, 2, true)) end,
      ['topk'] = function(x) return (torch.topk(x, 2)) end,
      ['clamp'] = function(x) return torch.clamp(x, 0.3, 0.7) end,
      ['cmax and cmin of a number'] = function(x) return torch.cmax(x, 0.5) + torch.cmin(x, 0.4) end,
      ['pow'] = function(x) return torch.pow(x, 3) + torch.pow(2, x) end,
      ['exp, log, sqrt, abs, neg'] = function(x) return torch.exp(x) + torch.log(x) + torch.sqrt(x) + torch.abs(x) + torch.neg(x) end,
      ['sin, cos, tan, tanh, sigmoid'] = function(x)
         return torch.sin(x) + torch.cos(x) + torch.tan(x) + torch.tanh(x) + torch.sigmoid(x)
      end,
      ['sinh, cosh, asin, acos, atan, log1p'] = function(x)
         return torch.sinh(x) + torch.cosh(x) + torch.asin(x) + torch.acos(x) + torch.atan(x) + torch.log1p(x)
      end,
      ['floor, ceil, round, sign'] = function(x) return torch.floor(x) + torch.ceil(x) + torch.round(x) + torch.sign(x) + x end,
      ['add, mul, div, csub, cmul, cdiv'] = function(x)
         return torch.cdiv(torch.cmul(torch.add(torch.mul(x, 2), 1), x), torch.csub(torch.div(x, 2), 3))
      end,
      ['select'] = function(x) return torch.select(x, 2, 3) + x:select(2, 1) + x[{ {}, 2 }] end,
      ['select to a number'] = function(x) return torch.select(torch.select(x, 2, 3), 1, 2) * x[1][2] * x[{ 3, 3 }] end,
      ['narrow'] = function(x) return torch.narrow(x, 2, 2, 2) + x:narrow(2, 1, 2) + x[{ {}, { 3, 4 } }] end,
      ['sub'] = function(x) return x:sub(1, 2, 2, 4) end,
      ['index'] = function(x) return torch.index(x, 1, index) + x:index(1, index) end,
      ['gather'] = function(x) return torch.gather(x, 1, places) end,
      ['maskedSelect'] = function(x) return torch.maskedSelect(x, mask) + x[mask] end,
      ['scatter, by the source'] = function(x) return torch.scatter(torch.ones(4, 4), 1, places, x:narrow(1, 1, 2)) end,
      ['scatter, by the destination'] = function(x) return torch.scatter(x, 2, torch.LongTensor { { 1 }, { 3 }, { 2 } }, 5) end,
      ['scatterAdd'] = function(x) return torch.scatterAdd(x, 1, places, x:narrow(1, 1, 2)) end,
      ['indexAdd'] = function(x) return torch.indexAdd(x, 1, torch.LongTensor { 2, 2 }, x:narrow(1, 1, 2)) end,
      ['indexCopy'] = function(x) return torch.indexCopy(x, 1, torch.LongTensor { 3, 1 }, x:narrow(1, 2, 2)) end,
      ['indexFill'] = function(x) return torch.indexFill(x, 2, torch.LongTensor { 1, 3 }, 2) end,
      ['maskedFill'] = function(x) return torch.maskedFill(x, mask, 2) end,
      ['maskedFill by a taped number'] = function(x) return torch.maskedFill(x, mask, torch.sum(x)) end,
      ['maskedCopy'] = function(x) return torch.maskedCopy(x, mask, torch.contiguous(x * 2)) end,
      ['copy'] = function(x) return torch.copy(torch.FloatTensor(4, 3):double(), torch.t(x)) end,
      ['fill by a taped number'] = function(x) return torch.fill(torch.zeros(2, 2), torch.mean(x)) + torch.sum(x) end,
      ['repeatTensor'] = function(x) return torch.repeatTensor(x, 2, 3) + x:repeatTensor(2, 3) end,
      ['repeatTensor with more dimensions'] = function(x) return torch.repeatTensor(torch.select(x, 1, 1), 3, 1, 2) end,
      ['expand and expandAs'] = function(x)
         return torch.expand(torch.narrow(x, 1, 1, 1), 3, 4) + torch.expandAs(torch.narrow(x, 2, 1, 1), x) + x
      end,
      ['expand to a LongStorage'] = function(x) return torch.expand(torch.view(x, 3, 1, 4), torch.LongStorage { 3, 2, 4 }) end,
      ['view, viewAs, reshape'] = function(x)
         return torch.viewAs(x, torch.ones(2, 6)) + torch.view(x, torch.LongStorage { 2, 6 }) + torch.reshape(x, 2, 6)
      end,
      ['squeeze and unsqueeze'] = function(x) return torch.squeeze(torch.view(x, 3, 1, 4)) + torch.unsqueeze(x, 1) end,
      ['transpose, t, permute'] = function(x) return torch.transpose(x, 1, 2) + torch.t(x) + x:permute(2, 1) end,
      ['contiguous, clone, type'] = function(x)
         return torch.typeAs(torch.contiguous(torch.clone(x)), torch.DoubleTensor()) + x:type 'torch.DoubleTensor' + torch.double(x)
      end,
      ['cat of two'] = function(x) return torch.cat(x, x * 2, 1) end,
      ['cat of a list'] = function(x) return torch.cat({ x, torch.ones(3, 2), torch.narrow(x, 2, 1, 1) }, 2) end,
      ['cat of numbers'] = function(x) return torch.cat({ torch.sum(x), x[1][1], 3 }, 1) end,
      ['split and chunk'] = function(x) return torch.split(x, 2, 2)[2] + torch.chunk(x, 2, 2)[1] end,
      ['tril, triu, flip'] = function(x) return torch.tril(x) + torch.triu(x) + torch.flip(x, 2) end,
      ['elementwise functions of numbers'] = function(x)
         local s = torch.mean(x)
         return torch.exp(s) + torch.log(s) + torch.sqrt(s) + torch.tanh(s) + torch.sigmoid(s) + torch.sin(s) + torch.abs(-s)
            + torch.pow(s, 3) + torch.clamp(s, 0, 1) + torch.cmax(s, 0.1) + torch.mul(s, s) + torch.add(s, 2) + torch.cdiv(s, s + 1)
      end,
      ['cmax and cmin of a taped number'] = function(x) return torch.cmax(x, torch.mean(x)) + torch.cmin(x, torch.mean(x)) end,
      ['operators of numbers and tensors'] = function(x)
         local s = torch.sum(x)
         return (x + s) / (s + 1) - s * x + (2 - x) * 3 + (1 / x) ^ 2 - (-x) + x / x + s / x
      end,
   } do
      it(name .. ' is that of differences', function()
         check(function(p) return weighed(f(p.x)) end, { x = tensor(3, 4) })
      end)
   end

   for name, f in pairs {
      mm = function(p) return torch.mm(p.a, p.b) + p.a * p.b end,
      mv = function(p) return torch.mv(p.a, p.v) + p.a * p.v end,
      dot = function(p) return torch.dot(p.v, p.v) * (p.v * p.v) end,
      ger = function(p) return torch.ger(p.v, p.u) end,
      addmm = function(p) return torch.addmm(p.c, p.a, p.b) + torch.addmm(2, p.c, 3, p.a, p.b) end,
      addmv = function(p) return torch.addmv(p.u, p.a, p.v) end,
      addr = function(p) return torch.addr(torch.t(p.a), p.v, p.u) end,
      bmm = function(p) return torch.bmm(p.x, torch.transpose(p.x, 2, 3)) end,
      baddbmm = function(p) return torch.baddbmm(torch.bmm(p.x, torch.transpose(p.x, 2, 3)), p.x, torch.transpose(p.x, 2, 3)) end,
      addbmm = function(p) return torch.addbmm(2, torch.narrow(p.x, 1, 1, 1):select(1, 1):narrow(2, 1, 3), 3, p.x, torch.transpose(p.x, 2, 3)) end,
      inverse = function(p) return torch.inverse(torch.narrow(p.a, 2, 1, 3) + torch.eye(3) * 3) end,
      cross = function(p) return torch.cross(p.u, torch.cumsum(p.u, 1)) end,
      ['cmul, cdiv and cpow of two'] = function(p) return torch.cdiv(torch.cmul(p.a, p.a), p.a + 1) + torch.cpow(p.a, p.a) end,
      ['addcmul and addcdiv'] = function(p) return torch.addcmul(p.a, 2, p.a, p.a) + torch.addcdiv(p.a, 2, p.a, p.a) end,
   } do
      it(name .. ' is that of differences, by each argument', function()
         check(function(p) return weighed(f(p)) end,
            { a = tensor(3, 4), b = tensor(4, 2), c = tensor(3, 2), v = tensor(4), u = tensor(3), x = tensor(2, 3, 4) })
      end)
   end

   it('prod is right where one element or two are 0', function()
      local df = autograd(function(x) return torch.prod(x) end)
      assert.same({ 6, 0, 0 }, df(torch.Tensor { 0, 2, 3 }):totable())
      assert.same({ 0, 0, 0 }, df(torch.Tensor { 0, 0, 3 }):totable())
   end)

   it('max of all reaches every element that is the largest', function()
      assert.same({ 1, 0, 1 }, autograd(function(x) return torch.max(x) end)(torch.Tensor { 5, 2, 5 }):totable())
   end)

   it('norm is 0 at 0', function()
      assert.same({ 0, 0 }, autograd(function(x) return torch.norm(x) end)(torch.zeros(2)):totable())
   end)
end)

describe('second derivatives', function()
   for name, f in pairs {
      max = function(x) return torch.max(x) ^ 3 end,
      var = function(x) return torch.var(x) ^ 2 end,
      std = function(x) return torch.std(x) end,
      norm = function(x) return torch.norm(x) end,
      prod = function(x) return torch.prod(x) end,
      ['scatter'] = function(x) return torch.norm(torch.scatter(torch.ones(4, 4), 1, places, torch.pow(x:narrow(1, 1, 2), 3))) end,
      ['fill by a number'] = function(x) return torch.sum(torch.pow(torch.fill(torch.zeros(2), torch.sum(x)), 3)) end,
      ['sigmoid of a number'] = function(x) return torch.sigmoid(torch.sum(x)) end,
      ['tanh of a number'] = function(x) return torch.exp(torch.tanh(torch.mean(x))) end,
      ['numbers as parameters'] = function(x) return torch.sum(x) ^ 3 end,
   } do
      it('of ' .. name .. ' are those of differences', function()
         check(function(p) return weighed(autograd(function(q) return f(q) end)(p.x)) end, { x = tensor(3, 4) })
      end)
   end
   it('of a derivative of a derivative are the third', function()
      local function f(x) return x ^ 4 end
      local third = autograd(function(x) return (autograd(function(y) return (autograd(f)(y)) end)(x)) end)
      assert.near(24 * 2, (third(2)), 1e-9)
   end)
   it('with the option optimize for one of the two are the same', function()
      local function f(p) return torch.sum(torch.pow(p.x, 3)) end
      for _, inner in ipairs { true, false } do
         local df = autograd(f, { optimize = inner })
         local ddf = autograd(function(p) return torch.sum(df(p).x) end, { optimize = not inner })
         assert.same({ 6, 12 }, ddf({ x = torch.Tensor { 1, 2 } }).x:totable())
      end
   end)
end)

describe('functions that write into their first argument', function()
   it('leave it as it is when a value is among their arguments', function()
      local zeros = torch.zeros(3)
      local g = autograd(function(x) return torch.sum(torch.scatter(zeros, 1, torch.LongTensor { 2, 3 }, x)) end)(torch.ones(2))
      assert.same({ 1, 1 }, g:totable())
      assert.equal(0, zeros:sum())
   end)
   it('stay refused as methods of taped tensors', function()
      local x = torch.ones(3)
      refuses('autograd: x:scatter(...) would change a taped tensor in place', autograd(function(p)
         return torch.sum(p:scatter(1, torch.LongTensor { 1 }, 0))
      end), x)
      refuses('autograd: x:fill(...) would change a taped tensor in place', autograd(function(p) return torch.sum(p:fill(1)) end), x)
      refuses('autograd: copy cannot write a taped result', autograd(function(p) return torch.sum(torch.zeros(3):copy(p)) end), x)
   end)
end)

describe('questions about taped values', function()
   local x = tensor(2, 3)
   local function inside(f)
      local answer
      autograd(function(p)
         answer = { f(p) }
         return torch.sum(p)
      end)(x)
      return unpack(answer)
   end

   it('about type and size have the answers of the tensor behind', function()
      assert.same({ true, 'torch.DoubleTensor', 'torch.DoubleTensor', 'torch.DoubleTensor' }, { inside(function(p)
         return torch.isTensor(p), torch.type(p), torch.typename(p), p:type()
      end) })
      assert.same({ 2, 3, 2, 6, 2, 6 }, { inside(function(p)
         return torch.size(p, 1), p:size(2), torch.nDimension(p), torch.nElement(p), p:dim(), p:nElement()
      end) })
      assert.same({ 'number', false }, { inside(function(p)
         return torch.type(torch.sum(p)), torch.isTensor(torch.sum(p))
      end) })
   end)
   it('take values as examples of size and type', function()
      assert.same({ { 2, 3 }, 'torch.DoubleTensor', { 2, 3 } }, { inside(function(p)
         return torch.ones(6):viewAs(p):size():totable(), torch.ones(2):float():typeAs(p):type(),
            torch.expandAs(torch.ones(2, 1), p):size():totable()
      end) })
   end)
   it('give new tensors by x.new', function()
      assert.same({ 4, 'torch.FloatTensor' }, { (function()
         local n, kind
         autograd(function(p)
            local y = p.new(4)
            n, kind = y:nElement(), y:type()
            return torch.sum(p)
         end)(x:float())
         return n, kind
      end)() })
   end)
   it('compare elements into plain ByteTensors', function()
      local n_small = x:lt(0.4):sum()
      for name, n in pairs { lt = n_small, le = n_small, gt = 6 - n_small, ge = 6 - n_small, ne = 6, eq = 0 } do
         local y = inside(function(p) return torch[name](p, 0.4) end)
         assert.equal('torch.ByteTensor', y:type())
         assert.equal(n, y:sum())
      end
      assert.equal(6, (inside(function(p) return p:gt(torch.zeros(2, 3)) end)):sum())
   end)
   it('order taped numbers', function()
      assert.is_true(inside(function(p) return torch.sum(p) < torch.sum(p) * 2 end))
      assert.is_false(inside(function(p) return torch.sum(p) >= torch.sum(p) * 2 end))
      refuses('autograd: only taped numbers have an order', autograd(function(p) return p < p end), x)
   end)
   it('count sizes and places that are taped numbers as what is behind them', function()
      local g = autograd(function(p)
         return torch.sum(torch.narrow(p.x, p.dim, p.first, 2)) + torch.sum(p.x:view(p.n, 2):select(1, p.first))
      end)({ x = torch.ones(2, 3), dim = 2, first = 2, n = 3 })
      assert.same({ { 0, 1, 2 }, { 1, 1, 1 } }, g.x:totable())
      assert.equal(0, g.dim)
   end)
   it('name the method of a package that is not loaded', function()
      if package.loaded.cutorch then return pending 'cutorch is loaded' end
      refuses('autograd: a tensor has no method cudaHalf', autograd(function(p) return torch.sum(p:cudaHalf()) end), x)
   end)
   it('refuse a result that a taped tensor should be written into', function()
      refuses('argument 1 must be the taped tensor; a result cannot be given', autograd(function(p)
         return torch.sum(torch.transpose(torch.Tensor(), p, 1, 2))
      end), x)
   end)
end)
