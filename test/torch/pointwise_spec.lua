-- test/torch/pointwise_spec.lua - torch.pointwise(f) has the bits of f, its gradients and its
-- errors.
local torch = require 'torch'
local C = require 'torch.lib'.C
local refuses = require 'test.support.refuses'
local little_memory = require 'test.support.little_memory'
local pointwise = require 'test.support.pointwise'
local program = require 'torch.program'

local FLOATS = { Half = C.TH_F16, BFloat16 = C.TH_BF16, Float = C.TH_F32, Double = C.TH_F64 }
local SPECIAL = { 0, -0, 1 / 0, -1 / 0, 0 / 0, 1, 1e-45, 1e7 }

-- Numbers between -3 and 3; every 7th is special.
local function numbers(kind, ...)
   local x = torch.DoubleTensor(...):uniform(-3, 3)
   local flat = x:view(-1)
   for i = 5, x:nElement(), 7 do flat[i] = SPECIAL[i % #SPECIAL + 1] end
   return x:type(('torch.%sTensor'):format(kind))
end
local function several(n, kind, ...)
   local out = {}
   for i = 1, n do out[i] = numbers(kind, ...) end
   return unpack(out, 1, n)
end

describe('torch.pointwise', function()
   before_each(function() torch.manualSeed(3) end)

   for kind, dtype in pairs(FLOATS) do
      it('has the bits of every pointwise op: ' .. kind, function()
         for _, group in ipairs(pointwise.groups(dtype, 3)) do
            local g = torch.pointwise(group.f)
            for _, n in ipairs { 1, 130, 5000 } do
               assert(pointwise.same(group.f, g, several(3, kind, n)), group.names .. ' of ' .. n)
            end
         end
      end)
   end

   it('takes whole numbers where no op can refuse them, and runs f where one can', function()
      for kind, dtype in pairs { Byte = C.TH_U8, Short = C.TH_I16, Long = C.TH_I64 } do
         for _, group in ipairs(pointwise.groups(dtype, 3)) do
            local x, y, z = several(3, 'Double', 3000)
            x, y, z = x:ne(x):typeAs(x) * 2 + 3, y:ne(y):typeAs(x) + 1, z:ne(z):typeAs(x)
            local name = ('torch.%sTensor'):format(kind)
            assert(pointwise.same(group.f, torch.pointwise(group.f), x:type(name), y:type(name),
               z:type(name)), group.names)
         end
      end
      local divide = torch.pointwise(function(x, y) return torch.cdiv(x, y) + 1 end)
      assert.same({ 3, 1 }, divide(torch.LongTensor { 5, 1 }, torch.LongTensor { 2, 3 }):totable())
      refuses('z must not hold 0 for a LongTensor', divide, torch.LongTensor { 5 },
         torch.LongTensor { 0 })
   end)

   for _, chain in ipairs(pointwise.chains) do
      it('has the bits of ' .. chain[1], function()
         for kind in pairs(FLOATS) do
            local g = torch.pointwise(chain[3])
            for _, n in ipairs { 1, 2, 2047, 2049, 70000 } do
               assert(pointwise.same(chain[3], g, several(chain[2], kind, n)), kind .. n)
            end
         end
      end)
   end

   it('has the same bits at any number of threads', function()
      local before = torch.getnumthreads()
      local x = numbers('Float', 300001)
      local g, seen = torch.pointwise(pointwise.chains[1][3]), {}
      for _, n in ipairs { 1, 2, 5 } do
         torch.setnumthreads(n)
         seen[pointwise.bytes(g(x))] = true
      end
      torch.setnumthreads(before)
      assert.equal(pointwise.bytes(pointwise.chains[1][3](x)), (next(seen)))
      assert.is_nil(next(seen, (next(seen))))
   end)

   it('writes large results past the caches with the same bits', function()
      local x = torch.FloatTensor(1, 1):fill(0.5):expand(3000, 7001)
      local f = function(a, b) return torch.tanh(a) * 2, torch.cmul(a, b) end
      assert(pointwise.same(f, torch.pointwise(f), x, torch.FloatTensor(7001):uniform()))
   end)

   it('takes any strides and broadcasts as ops do', function()
      local f = function(x, b, c)
         local t = torch.cmul(torch.tanh(b), x) + c
         return torch.sigmoid(t), torch.exp(b), c * 2
      end
      local g = torch.pointwise(f)
      local x = numbers('Float', 40, 3, 50)
      for _, view in ipairs { x, x:transpose(1, 3), x:narrow(3, 2, 20), x:select(2, 1), x:narrow(1,
         1, 1), x:unfold(3, 8, 3) } do
         local size = view:size()
         local last = size[#size]
         assert(pointwise.same(f, g, view, numbers('Float', last), numbers('Float', 1)))
         assert(pointwise.same(f, g, view, view, numbers('Float', size[#size - 1], 1)))
         assert(pointwise.same(f, g, numbers('Float', last), view, view:clone()))
      end
      assert(pointwise.same(f, g, torch.Tensor(2, 0), torch.Tensor(2, 0), torch.Tensor(1)))
      local notes = torch.warn
      torch.warn = false
      -- Of equal count.
      assert(pointwise.same(f, g, numbers('Float', 4, 1), numbers('Float', 4), numbers('Float', 1)))
      assert(pointwise.same(f, g, numbers('Float', 2, 3), numbers('Float', 6), numbers('Float', 3,
         2)))
      torch.warn = notes
   end)

   it('gives what f gives beside tensors it has computed', function()
      local g = torch.pointwise(function(x, s, how)
         local y = how == 'twice' and x * 2 or x * s
         return y, x, s, y, nil, how
      end)
      local x = torch.ones(3)
      local y, same, s, again, none, how = g(x, 5, 'twice')
      assert.same({ 2, 2, 2 }, y:totable())
      assert.equal(x, same)
      assert.same({ 5, 'twice' }, { s, how })
      assert.is_nil(none)
      assert.is_true(rawequal(y, again))
      assert.same({ 5, 5, 5 }, (g(x, 5, false)):totable())
   end)

   it('makes a separate tensor of each clone, and works in place on it', function()
      local g = torch.pointwise(function(x)
         local y, copy = x:clone():add(1), x:clone()
         return copy, x, y, y:clone(), y:clone():mul(2)
      end)
      local x = torch.ones(3)
      local results = { g(x) }
      assert.is_true(rawequal(x, results[2]))
      for i, want in ipairs { 1, 1, 2, 2, 4 } do
         assert.same({ want, want, want }, results[i]:totable())
         for j = 1, i - 1 do assert.not_equal(results[i]:storage(), results[j]:storage()) end
      end
   end)

   it('tells arguments apart', function()
      local g = torch.pointwise(function(x, ...)
         local n = select('#', ...)
         for i = 1, n do x = x + (type((select(i, ...))) == 'string' and 10 or 1) end
         return x
      end)
      local x = torch.Tensor { 0 }
      local cases = { [0] = {}, [1] = { 8 }, [2] = { 8, 9 }, [10] = { '8' }, [20] = { '8', '9' } }
      for want, given in pairs(cases) do
         assert.equal(want, g(x, unpack(given))[1])
      end
      assert.equal(10, g(x, '8 1:9')[1])
      assert.equal(11, g(x, '8', false)[1])
      assert.equal(2, g(x, false, true)[1])
   end)

   it('runs f again for other numbers, and only then', function()
      local traces = 0
      local g = torch.pointwise(function(x, s)
         traces = traces + 1
         return s > 1 and x * s or x + s
      end)
      for _ = 1, 3 do
         assert.same({ 4, 8 }, g(torch.Tensor { 2, 4 }, 2):totable())
         assert.same({ 2, 4, 5 }, g(torch.Tensor { 2, 4, 5 }, 0):totable())
      end
      assert.equal(2, traces)
      for s = 1, 200 do g(torch.ones(2), s) end                       -- forgets old plans
      assert.same({ 3 }, g(torch.Tensor { 3 }, 0):totable())
   end)

   it('runs inside of another such function', function()
      local inner = torch.pointwise(function(x) return torch.tanh(x) * 2 end)
      local f = function(x) return inner(x) + torch.exp(inner(x)) end
      assert(pointwise.same(f, torch.pointwise(f), numbers('Float', 100)))
   end)

   it('runs what is too long for one program op by op', function()
      local f = function(x)
         for i = 1, 200 do x = x + i / 7 end
         return x
      end
      assert(pointwise.same(f, torch.pointwise(f), numbers('Float', 100)))
      local many = function(...)
         local y = (...)
         for i = 2, 20 do y = torch.cmul(y, (select(i, ...))) + i end
         return y
      end
      assert(pointwise.same(many, torch.pointwise(many), several(20, 'Double', 100)))
   end)

   it('refuses what is not computed element by element', function()
      local x, own = torch.ones(3), torch.ones(3)
      for what, f in pairs {
         ['sum is not computed element by element'] = function(a) return torch.sum(a) end,
         ['cat is not computed element by element'] = function(a) return torch.cat({ a, a }, 1) end,
         ['mm is not computed element by element'] = function(a) return torch.mm(a, a) + 1 end,
         ['view is not computed element by element'] = function(a) return a:view(1, 3) end,
         ['float is not computed element by element'] = function(a) return a:float() + 1 end,
         ['fill is not computed element by element'] = function(a) return torch.exp(a):fill(1) end,
         ['uniform draws random numbers'] = function(a) return torch.exp(a):uniform() end,
         ['got a tensor that torch.pointwise traces'] = function(a)
            return torch.bernoulli(a) + 1
         end,
         ['x * y of tensors is a product of matrices or vectors; torch.cmul multi'] = function(a)
            return a * a
         end,
         ['the function reads elements of a tensor'] = function(a) return a[1] > 0 and a or -a end,
         ['the function writes elements of a tensor'] = function(a) a[1] = 2 return a end,
         ['the function asks for the size of a tensor'] = function(a) return a + #a end,
         ['size asks for what the function cannot see while it is traced'] = function(a)
            return a / a:size(1)
         end,
         ['nElement asks for what the function cannot see while it is traced'] = function(a)
            return a / a:nElement()
         end,
         ['torch.type asks for what the function cannot see'] = function(a)
            return torch.type(a) == 'x' and a or a + 1
         end,
         ['the function prints a tensor'] = function(a) return a + #tostring(a) end,
         ['add writes to an argument; torch.add without a result makes a new tensor'] = function(a)
            return a:add(1)
         end,
         ['exp writes to a tensor that the function has not made'] = function(a)
            return torch.exp(own, a)
         end,
         ['cmul gets a tensor that is no argument of the function; pass it as an argument'] =
            function(a) return torch.cmul(a, own) end,
         ['where gets a number; it takes three tensors here'] = function(a)
            return torch.where(torch.gt(a, 0), a, 0)
         end,
         ['the function returns a tensor that it has not computed'] = function() return own end,
         ['the function returns a table; it must return tensors'] = function(a)
            return { a + 1 }
         end,
      } do
         refuses(what, torch.pointwise(f), x)
         assert.same({ 1, 1, 1 }, x:totable())
         assert.same({ 1, 1, 1 }, own:totable())
      end
      -- Torch is as before.
      assert.is_true(torch.isTensor(x) and torch.type(x) == 'torch.DoubleTensor')
      refuses('test/torch/pointwise_spec.lua',
         torch.pointwise(function(a) local s = torch.sum(a) return s end), x)
   end)

   it('refuses other arguments', function()
      refuses('torch.pointwise: f must be a function, got a number (3)', torch.pointwise, 3)
      local g = torch.pointwise(function(x) return x + 1 end)
      local wanted = 'must be a tensor, a number, a string or a boolean'
      refuses(('torch.pointwise: argument 1 %s, got a table'):format(wanted), g, {})
      refuses('torch.pointwise: argument 2 must be', g, torch.ones(1), function() end)
      -- Without tensors f runs as it is.
      assert.equal(4, g(3))
   end)

   it('keeps the messages of f', function()
      local g = torch.pointwise(function(x, y)
         if y == 1 then error 'our own words' end
         return torch.cmul(x, y)
      end)
      refuses('our own words', g, torch.ones(2), 1)
      refuses('cmul: z must have the size of x or one that broadcasts to it, got 2 and 3', g,
         torch.ones(2), torch.ones(3))
      refuses('cmul: z must be a DoubleTensor like x', g, torch.ones(2), torch.FloatTensor(2))
      refuses('torch.cmul: argument 2 must be', g, torch.ones(2))
      assert.same({ 1, 1 }, g(torch.ones(2), torch.ones(2)):totable())
   end)

   it('leaves everything as it was where memory lacks, and works afterwards', function()
      local g, x = torch.pointwise(pointwise.chains[1][3]), numbers('Float', 100000)
      g(x)
      local ok, why = little_memory(50000, g, x)
      assert.is_false(ok)
      assert.truthy(why:find('pointwise: ', 1, true) and why:find 'memory', why)
      assert(pointwise.same(pointwise.chains[1][3], g, x))
   end)

   it('ends after Ctrl-C, and works afterwards', function()
      local g, x = torch.pointwise(pointwise.chains[1][3]), numbers('Float', 3000000)
      C.th_interrupt(1)
      refuses('interrupted', g, x)
      assert.equal(0, C.th_interrupted())
      assert(pointwise.same(pointwise.chains[1][3], g, x))
   end)

   it('is saved, cloned and sent to threads as its function', function()
      local chunk = loadstring 'return torch.pointwise(function(x) return torch.exp(x) + 1 end)'
      local g = chunk()
      local x = torch.randn(5)
      local y = g(x)
      assert.equal('torch.Pointwise', torch.type(g))
      local copy = torch.deserialize(torch.serialize(g), 'binary', { unsafe = true })
      assert(torch.equal(y, copy(x)))
      refuses('f must be a function, got nil', torch.Pointwise)
      local pool = require 'threads'.Threads(1, function() require 'torch' end)
      local there
      pool:addjob(function() return g(x) end, function(z) there = z end)
      pool:synchronize()
      pool:terminate()
      assert(torch.equal(y, there))
   end)

   it('has one program for up to 8 results', function()
      local f = function(x)
         return x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7, x + 8
      end
      local p, x = program.new(f), numbers('Float', 100)
      assert(pointwise.same(f, p.call, x))
      local _, plan = next(p.plans)
      assert.is_truthy(plan.stages[1].program)
      local g = function(a) return a - 1, f(a) end
      p = program.new(g)
      assert(pointwise.same(g, p.call, x))
      _, plan = next(p.plans)
      assert.is_falsy(plan.stages[1].program)
   end)

   it('runs one program for a chain', function()
      local p = program.new(pointwise.chains[2][3])
      p.call(several(5, 'Float', 100))
      local _, plan = next(p.plans)
      assert.equal(1, #plan.stages)
      assert.equal(9, plan.stages[1].program.nstep)
   end)
end)

describe('the derivative of torch.pointwise', function()
   local autograd = require 'autograd'
   local inputs = { x = torch.randn(6, 5), y = torch.randn(6, 5), b = torch.randn(5) }
   local function f(x, y, b, s)
      local t = torch.cmul(torch.sigmoid(x + b), torch.tanh(y)) * s
      return torch.cmul(t, torch.exp(x * -0.1)) + torch.square(y)
   end
   local function gradients(h)
      return autograd(function(p) return torch.sum(torch.square(h(p.x, p.y, p.b, 1.5))) end)
   end
   local function same(a, b)
      for k in pairs(a) do assert(torch.equal(a[k], b[k]), k) end
   end

   it('is that of f, bit by bit, and one program where nothing is summed', function()
      same(gradients(f)(inputs), gradients(torch.pointwise(f))(inputs))
      local p = program.new(function(x) return torch.tanh(x * 2) * 3 end)
      autograd(function(x) return torch.sum(p.call(x)) end)(inputs.x)
      local backward = p.gradients['1:1'].one_pass
      local _, plan = next(backward.plans)
      assert.equal(1, #plan.stages)
      assert.is_true(plan.stages[1].program.nstep > 2)
   end)

   it('is one of several results, of results that are arguments, and of an argument given twice',
      function()
      local function two(x, y) return torch.cmul(x, y), torch.tanh(x), x end
      local function loss(h)
         return autograd(function(p)
            local a, b, c = h(p.x, p.y)
            return torch.sum(a) + torch.sum(torch.square(b)) + torch.sum(torch.cmul(c, (h(p.x,
               p.x))))
         end)
      end
      same(loss(two)(inputs), loss(torch.pointwise(two))(inputs))
   end)

   it('has derivatives', function()
      local function second(h)
         local first = gradients(h)
         return autograd(function(p)
            local q = first(p)
            return torch.sum(torch.square(q.x)) + torch.sum(q.b)
         end)
      end
      -- Sums have another order.
      local a, b = second(f)(inputs), second(torch.pointwise(f))(inputs)
      for k in pairs(a) do assert((a[k] - b[k]):abs():max() < 1e-12 * a[k]:abs():max(), k) end
   end)

   it('says what lacks one', function()
      local g = torch.pointwise(function(x) return torch.lshift(x, 1) end)
      refuses('missing gradient: torch.lshift declares no derivative by its argument x',
         autograd(function(x) return torch.sum(g(x)) end), inputs.x)
   end)

   it('knows taped numbers', function()
      local h = function(x, s) return torch.sum(torch.square(x * s)) end
      local g = torch.pointwise(function(x, s) return torch.square(x * s) end)
      local a = autograd(function(p) return h(inputs.x, p) end)(3)
      assert.equal(a, (autograd(function(p) return torch.sum(g(inputs.x, p)) end)(3)))
   end)

   it('is that of a module', function()
      local function gate(x, w) return torch.cmul(torch.sigmoid(x), w) end
      local function outcome(h)
         local m = autograd.nn.AutoModule 'Gate' (h, torch.ones(5):mul(2))
         local y = m:forward(inputs.x)
         assert(torch.equal(y, m:clone():forward(inputs.x)))
         return { y = y, g = m:backward(inputs.x, torch.ones(6, 5)), w = m.gradWeight }
      end
      same(outcome(gate), outcome(torch.pointwise(gate)))
   end)
end)
