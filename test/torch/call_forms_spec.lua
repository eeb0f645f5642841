-- test/torch/call_forms_spec.lua - how the functions written from signatures take their arguments.
local torch = require 'torch'
local op = require 'torch.op'

local refuses = require 'test.support.refuses'

describe('a function written from its signature', function()
   it('makes its result, or writes into the one given first', function()
      local x, r = torch.Tensor { 1, 2 }, torch.Tensor()
      assert.same({ 3, 4 }, torch.add(x, 2):totable())
      assert.equal(r, torch.add(r, x, 2))
      assert.same({ 3, 4 }, r:totable())
      assert.same({ 1, 2 }, x:totable())
   end)
   it('as a method works on its object', function()
      local x = torch.Tensor { 1, 2 }
      assert.equal(x, x:add(2))
      assert.same({ 3, 4 }, x:totable())
      assert.same({ 13, 24 }, x:add(torch.Tensor { 10, 20 }):totable())
      assert.same({ 15, 28 }, x:add(2, torch.Tensor { 1, 2 }):totable())
      assert.same({ 7, 9 }, x:add(torch.Tensor { 1, 1 }, 2, torch.Tensor { 3, 4 }):totable())
   end)
   it('tells its forms apart by number and kind', function()
      local x = torch.Tensor { { 1, 2 }, { 3, 4 } }
      assert.equal(10, x:sum())
      assert.same({ { 4, 6 } }, x:sum(1):totable())
      assert.equal(4, x:max())
      local values, places = x:max(2)
      assert.same({ { 2 }, { 4 } }, values:totable())
      assert.same({ { 2 }, { 2 } }, places:totable())
   end)
   it('resizes a result of another size', function()
      local r = torch.Tensor(7)
      assert.same({ 3, 4 }, torch.add(r, torch.Tensor { 1, 2 }, 2):totable())
   end)
   it('may have its result among its inputs, overlapping or not', function()
      local x = torch.Tensor { 1, 2, 3, 4, 5 }
      x:narrow(1, 2, 4):add(x:narrow(1, 1, 4))
      assert.same({ 1, 3, 5, 7, 9 }, x:totable())
      local m = torch.Tensor { { 1, 2 }, { 3, 4 } }
      torch.mm(m, m, m)
      assert.same({ { 7, 10 }, { 15, 22 } }, m:totable())
      local t = torch.Tensor { { 1, 2 }, { 3, 4 } }
      t:copy(t:t())
      assert.same({ { 1, 3 }, { 2, 4 } }, t:totable())
   end)
   it('does not let a growing result run over its neighbours in one storage', function()
      local s = torch.Tensor { 1, 2, 3, 4 }
      local r = s:narrow(1, 1, 1)
      torch.add(r, torch.Tensor { 10, 20, 30 }, 1)
      assert.same({ 11, 21, 31 }, r:totable())
      assert.same({ 1, 2, 3, 4 }, s:totable())
   end)
   it('compiles: a loop of small calls becomes a trace that loops, or continues in another one', function()
      local util, loops = require 'jit.util', 0
      local function watch(what, trace)
         local link = what == 'stop' and util.traceinfo(trace).linktype
         if link == 'loop' or link == 'root' then loops = loops + 1 end
      end
      local x, y = torch.FloatTensor(10), torch.FloatTensor(10)
      x:add(y)
      jit.attach(watch, 'trace')
      for _ = 1, 1000 do x:add(y) end
      jit.attach(watch)
      assert.is_true(loops >= 1)
   end)
end)

describe('a call that fits no form', function()
   local x = torch.Tensor { 1, 2 }
   it('is answered with function, argument, expected and got', function()
      refuses('torch.add: argument 1 must be', torch.add, nil, 2)
      refuses('torch.add: argument 2 must be', torch.add, x, 'two')
      refuses('got a string', torch.add, x, 'two')
      refuses('torch.add: argument 2 must be', torch.add, x)
      refuses('got nothing', torch.add, x)
      refuses('Tensor:add: argument 2 must be', x.add, x, {})
      refuses('too many arguments', torch.add, x, x, 1, x, 5)
      refuses('use torch.add([y], x, value)', torch.add, x, true)
   end)
   it('is refused for NaN or 2^60 where a whole number is needed', function()
      for _, d in ipairs { 0 / 0, 2 ^ 60, math.huge } do
         refuses('must be a whole number, got', torch.sum, x, d)
      end
      refuses('dim must lie in 1..1, got 2', torch.sum, x, 2)
      refuses('dim must lie in 1..1, got 0', torch.sum, x, 0)
      refuses('dim must lie in 1..1, got -2', torch.sum, x, -2)
   end)
   it('leaves everything as it was', function()
      local y, r = torch.Tensor { 5, 6, 7 }, torch.Tensor { 9 }
      pcall(torch.add, r, x, y)
      pcall(torch.add, r, x, torch.FloatTensor(2))
      pcall(torch.add, torch.FloatTensor(2), x, 1)
      assert.same({ 9 }, r:totable())
      assert.same({ 1, 2 }, x:totable())
      assert.same({ 2, 4 }, torch.add(x, x):totable())
   end)
   it('names the types that do not fit', function()
      refuses('FloatTensor', torch.add, x, torch.FloatTensor(2))
      refuses('result y must be a DoubleTensor, got a FloatTensor', torch.add, torch.FloatTensor(2), x, 1)
   end)
   it('writes an expanded result in row-major order, so that the last value stays', function()
      assert.same({ 3, 3 }, torch.add(torch.Tensor(1):expand(2), torch.Tensor { 1, 2 }, 1):totable())
   end)
end)

describe('the registry', function()
   it('documents every op: a sentence for each', function()
      local n = 0
      for _, name in ipairs(op.names()) do
         for _, form in ipairs(op.forms(name)) do
            n = n + 1
            assert.matches('^.+%.', require 'ffi'.string(form.op.doc), name)
         end
      end
      assert.is_true(n > 0)
   end)
   it('can write every function and every method', function()
      for _, name in ipairs(op.names()) do
         assert.equal('function', type(op.func(name)))
         assert.equal('function', type(op.method(name)))
      end
   end)
end)
