-- test/packages/totem_spec.lua - the package totem: checks, the tester with its command line, checks of modules.
local torch = require 'torch'
local totem = require 'totem'
local nn = require 'nn'

-- Runs a tester with these words on the command line; returns what it printed, whether it ended well, its result or error.
local function run(t, words, ...)
   local parts, write, print0, arg0 = {}, io.write, print, rawget(_G, 'arg')
   rawset(io, 'write', function(...)
      for i = 1, select('#', ...) do parts[#parts + 1] = tostring((select(i, ...))) end
   end)
   rawset(_G, 'print', function(...) io.write(table.concat({ ... }, '\t'), '\n') end)
   words = words or {}
   words[0] = 'test.lua'
   rawset(_G, 'arg', words)
   local ok, r = pcall(t.run, t, ...)
   rawset(_G, 'arg', arg0)
   rawset(_G, 'print', print0)
   rawset(io, 'write', write)
   return table.concat(parts), ok, r
end

-- Whether a check of totem.nn holds, and the errors of the tester.
local function holds(name, ...)
   local args, n = { ... }, select('#', ...)
   local t = totem.Tester()
   local result
   t:add(function() result = totem.nn[name](t, unpack(args, 1, n)) end, 'it')
   local _, ok = run(t, { '--no-colour', '--full-tracebacks' })
   assert.equal(ok, result)
   return ok, t.errors
end

describe('totem', function()
   it('says whether values are equal, and why not', function()
      local ok, why = totem.areTensorsEq(torch.Tensor { 1, 2 }, torch.Tensor { 1, 2.5 }, 0.25)
      assert.is_false(ok)
      assert.truthy(why:find 'element 2')
      assert.is_true(totem.areTensorsNe(torch.Tensor { 1 }, torch.FloatTensor { 1 }))
      assert.is_true(totem.areStoragesEq(torch.IntStorage { 1 }, torch.IntStorage { 1 }))
      assert.is_true(totem.areTablesEq({ a = { torch.ones(2) } }, { a = { torch.ones(2) } }))
      assert.is_true(totem.areEq('a', 'b', 0, true))
      assert.is_true(totem.areNe(1, 2))
      assert.is_false(totem.areNe(1, 2, 1))
   end)

   it('raises an error where an assertion does not hold', function()
      assert.is_true(totem.assertTableNe({ 1 }, { 2 }))
      assert.error_matches(function() totem.assertStorageEq(torch.IntStorage { 1 }, torch.IntStorage { 2 }) end,
                           'totem.assertStorageEq: element 1: 1 ~= 2')
      assert.error_matches(function() totem.assertTensorEq({}, torch.ones(1)) end,
                           'totem.areTensorsEq: argument 1 must be a tensor, got a table')
      assert.error_matches(function() totem.areEq(1, 1, -1) end, 'totem.areEq: tolerance must be a number from 0')
   end)
end)

describe('totem.Tester', function()
   local t
   before_each(function()
      t = totem.Tester()
      local s = totem.TestSuite()
      function s.good() t:eq(1, 1) t:assertStorageNe(torch.IntStorage { 1 }, torch.IntStorage { 2 }) end
      function s.bad() t:eq(1, 1.5, 'a message', 0.25) t:eq(1, 1) end
      function s.broken() error 'boom' end
      t:add(s)
   end)

   it('is a torch.Tester', function()
      assert.equal('totem.Tester', torch.type(t))
      assert.is_true(torch.isTypeOf(t, 'torch.Tester'))
      local text, ok = run(t)
      assert.is_false(ok)
      assert.truthy(text:find 'Completed 4 asserts in 3 tests with 1 failure and 1 error\n')
   end)

   it('takes the names of tests from the command line, unless run gets them', function()
      local text, ok = run(t, { 'goo' })
      assert.is_true(ok)
      assert.truthy(text:find 'Completed 2 asserts in 1 test')
      text = run(t, { 'goo' }, { 'bad' })
      assert.truthy(text:find 'with 1 failure')
   end)

   it('lists its tests', function()
      local text, ok, r = run(t, { '--list' })
      assert.is_true(ok)
      assert.equal(0, r)
      assert.equal('bad\nbroken\ngood\n', text)
   end)

   it('writes the counts of each test', function()
      local name = os.tmpname()
      run(t, { '--log-output', name })
      local f = io.open(name)
      local text = f:read '*a'
      f:close()
      os.remove(name)
      assert.equal('[total] 3 1 1\nbad 1 1 0\nbroken 0 0 1\ngood 2 0 0\n', text)
      local _, ok, why = run(t, { '--log-output', '/no/such/file' })
      assert.is_false(ok)
      assert.truthy(why:find 'totem.Tester: cannot write /no/such/file')
   end)

   it('prints no details, stops early and lets errors through as the command line says', function()
      assert.truthy(run(t):find 'a message')
      assert.falsy(run(t, { '--summary' }):find 'a message')
      t:setSummaryOnly(false)
      assert.truthy(run(t, { '--early-abort', 'b' }):find 'Aborting on first error')
      local _, _, why = run(t, { '--rethrow', 'broken' })
      assert.truthy(why:find 'boom')
   end)

   it('only returns the result of eq and ne on request', function()
      local results
      t:add(function() results = { t:eq(1, 2, 'm', 0, true), (t:ne(1, 2, true)) } end, 'last')
      run(t, {}, 'last')
      assert.is_false(results[1])
      assert.is_true(results[#results])
      assert.equal(0, t.countasserts)
   end)
end)

describe('totem.nn', function()
   local home = {}
   local Wrong = torch.class('spec.WrongGradient', 'nn.Module', home)
   function Wrong:updateOutput(x) return self.output:resizeAs(x):copy(x):mul(x:dim()) end
   function Wrong:updateGradInput(x, g) return self.gradInput:resizeAs(x):copy(g):mul(3) end

   local function net() return nn.Sequential():add(nn.Linear(3, 4)):add(nn.Tanh()):add(nn.Linear(4, 2)) end

   it('compares gradients with differences', function()
      assert.is_true(holds('checkGradients', net(), torch.randn(3), 1e-6))
      assert.is_true(holds('checkGradients', nn.CMulTable(), { torch.randn(2, 3):t(), torch.randn(3, 2) }, 1e-6))
      assert.is_true(holds('checkGradients', nn.Identity(), { { torch.randn(2) }, torch.randn(2, 2), 3 }))
      local ok, errors = holds('checkGradients', home.WrongGradient(), torch.randn(3), 1e-5)
      assert.is_false(ok)
      assert.truthy(errors[1]:find 'the gradient by the input')
   end)

   it('compares a batch with its samples', function()
      assert.is_true(holds('checkMinibatch', net(), torch.randn(4, 3)))
      assert.is_true(holds('checkMinibatch', nn.CAddTable(), { torch.randn(4, 3), torch.randn(4, 3) }))
      assert.is_false(holds('checkMinibatch', home.WrongGradient(), torch.randn(4, 3)))
   end)

   it('compares types, files and shared parameters', function()
      assert.is_true(holds('checkTypeCastable', net(), torch.randn(3), 'torch.FloatTensor', 1e-5))
      assert.is_false(holds('checkTypeCastable', net(), torch.randn(3), 'torch.FloatTensor', 0))
      assert.is_true(holds('checkSerializable', net(), torch.randn(3)))
      assert.is_true(holds('checkTypePreservesSharing', net()))
      local loose = net()
      function loose:clone()                                    -- a module whose clones forget what they share
         local c = nn.Sequential.clone(self)
         function c:type(kind)
            for _, m in ipairs(self.modules) do m:type(kind) end
            return self
         end
         return c
      end
      local ok, errors = holds('checkTypePreservesSharing', loose)
      assert.is_false(ok)
      assert.truthy(errors[1]:find 'is no longer shared')
   end)

   it('refuses what is no tester and no module', function()
      assert.error_matches(function() totem.nn.checkGradients(1, net(), torch.ones(3)) end,
                           'totem.nn.checkGradients: tester must be a torch.Tester, got a number')
      assert.error_matches(function() totem.nn.checkSerializable(totem.Tester(), {}, torch.ones(3)) end,
                           'totem.nn.checkSerializable: module must be an nn.Module, got a table')
   end)
end)
