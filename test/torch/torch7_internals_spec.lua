-- test/torch/torch7_internals_spec.lua - names of Torch7's inner workings.
local torch = require 'torch'

local refuses = require 'test.support.refuses'

describe('torch.isequal', function()
   it('knows one object from two that look alike', function()
      local x = torch.Tensor { 1, 2 }
      assert.is_true(torch.isequal(x, x))
      assert.is_false(torch.isequal(x, x:clone()))
      assert.is_true(torch.isequal(x:storage(), x:storage()))
      assert.is_false(torch.isequal(x, x:storage()))
      assert.is_true(torch.isequal(nil, nil))
      assert.is_false(torch.isequal({}, {}))
      assert.is_false(torch.isequal(1, 'a'))
   end)
end)

describe('torch.match', function()
   local a, b = torch.Tensor { { 0, 0 }, { 1, 2 } }, torch.Tensor { { 1, 0 }, { 3, 4 }, { 1, 2 } }
   it('gives squared distances between rows', function()
      assert.same({ { 1, 25, 5 }, { 4, 8, 0 } }, torch.match(a, b):totable())
      assert.same({ { 2, 50, 10 }, { 8, 16, 0 } }, torch.match(a, b, 2):totable())
      for _, kind in ipairs { 'Byte', 'Short', 'Int', 'Long', 'Half', 'Float' } do
         local r = torch.match(a[kind:lower()](a), b[kind:lower()](b))
         assert.equal('torch.' .. kind .. 'Tensor', r:type())
         assert.same({ { 1, 25, 5 }, { 4, 8, 0 } }, r:totable())
      end
   end)
   it('writes into a result, which may be an operand', function()
      local r, c = torch.Tensor(), a:clone()
      assert.equal(r, torch.match(r, a, b))
      assert.same({ 2, 3 }, r:size():totable())
      assert.same({ { 0, 5 }, { 5, 0 } }, c:match(c, c):totable())
      assert.same({ { 1, 25, 5 }, { 4, 8, 0 } }, torch.match(r, a, b:t():clone():t()):totable())
   end)
   it('refuses what cannot be, and leaves the result', function()
      local r = torch.Tensor { 7 }
      refuses('torch.match: a and b must have rows of one length, got 2 and 3', torch.match, r, a, torch.Tensor(2, 3))
      refuses('torch.match: b must be a matrix', torch.match, r, a, torch.Tensor(2))
      refuses('must be a matrix', torch.match, a)
      refuses('argument 1 must be a tensor, got nil', torch.match)
      refuses('must be of one type', torch.match, a, b:float())
      refuses('must be of one type', torch.match, torch.FloatTensor(), a, b)
      refuses('gain must be a number', torch.match, a, b, 'x')
      refuses('too many arguments', torch.match, r, a, b, 1, 2)
      assert.same({ 7 }, r:totable())
   end)
end)

describe('torch.pushudata', function()
   it('gives the object behind its cdata', function()
      local x = torch.FloatTensor { 1, 2 }
      assert.is_true(rawequal(x, torch.pushudata(x:cdata(), 'torch.FloatTensor')))
      assert.equal('cdata', type(x:cdata()))
      assert.is_true(torch.isequal(x:storage(), torch.pushudata(x:storage(), 'torch.FloatStorage')))
   end)
   it('keeps the object of a cdata alive', function()
      local pointer = torch.FloatTensor { 1, 2 }:cdata()
      for _ = 1, 3 do
         collectgarbage()
         torch.FloatTensor(2):fill(9)
      end
      assert.same({ 1, 2 }, torch.pushudata(pointer, 'torch.FloatTensor'):totable())
   end)
   it('refuses addresses, other types and unknown classes', function()
      local x = torch.FloatTensor { 1, 2 }
      refuses('torch.pushudata: pointer must be cdata() of a torch.FloatTensor, got a number', torch.pushudata, torch.pointer(x),
         'torch.FloatTensor')
      refuses('pointer must be cdata() of a torch.LongTensor, got a torch.FloatTensor', torch.pushudata, x, 'torch.LongTensor')
      refuses('pointer must be', torch.pushudata, 5LL, 'torch.LongTensor')
      refuses('typename must be the name of a class, got a string', torch.pushudata, x, 'torch.NoTensor')
      refuses('typename must be the name of a class, got nil', torch.pushudata, x)
   end)
end)

describe('torch.test', function()
   local function quietly(...)
      local write, text, args, n = io.write, {}, { ... }, select('#', ...)
      io.write = function(...) for i = 1, select('#', ...) do text[#text + 1] = tostring((select(i, ...))) end end
      local ok, result = pcall(function() return torch.test(unpack(args, 1, n)) end)
      io.write = write
      return ok, result, table.concat(text)
   end
   it('runs examples of the help texts by name', function()
      local ok, result, text = quietly { 'torch.cumsum$', 'Tensor:isTensor' }
      assert.is_true(ok, result)
      assert.equal(0, result)
      assert.truthy(text:find 'Running 2 tests' and text:find '0 failures')
   end)
   it('refuses other tests', function()
      refuses('torch.test: tests must be a name or a table of names, got a number', torch.test, 5)
      local ok, why = quietly 'torch.nothing'
      assert.is_false(ok)
      assert.truthy(tostring(why):find('there is no test torch.nothing', 1, true), why)
   end)
end)

describe('nn.test', function()
   require 'nn'
   local function quietly(...)
      local write, args, n = io.write, { ... }, select('#', ...)
      io.write = function() end
      local ok, result = pcall(function() return nn.test(unpack(args, 1, n)) end)
      io.write = write
      return ok, result
   end
   it('runs examples of the help texts of nn by name, and returns the tester', function()
      local ok, tester = quietly('^nn.Linear$', 3)
      assert.is_true(ok, tester)
      assert.same({ ['nn.Linear'] = 1 }, tester.assertionPass)
      assert.equal(3, torch.initialSeed())
   end)
   it('refuses other tests', function()
      refuses('nn.test: tests must be a name or a table of names, got a number', nn.test, 5)
      refuses('nn.test: seed must be a number, got a string', nn.test, 'nn.Linear', 'x')
      local ok, why = quietly 'nn.nothing'
      assert.is_false(ok)
      assert.truthy(tostring(why):find('there is no test nn.nothing', 1, true), why)
   end)
end)

describe('the rest', function()
   it('does what little there is to do', function()
      assert.is_nil(torch.updateerrorhandlers())
      assert.is_nil(torch.updatethreadlocals())
      assert.is_true(torch.IntTensor():isTensor())
      local x = torch.Tensor { 1 }
      assert.same({ 3 }, x.torch.add(x, 2):totable())
      local nn = require 'nn'
      assert(rawequal(nn, torch.IntTensor().nn))
   end)
end)
