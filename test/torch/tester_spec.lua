-- test/torch/tester_spec.lua - torch.Tester and torch.TestSuite.
local torch = require 'torch'

-- Runs a tester; returns what it printed, whether it ended well, and its result or error.
local function run(t, ...)
   local parts, write = {}, io.write
   rawset(io, 'write', function(...)
      for i = 1, select('#', ...) do parts[#parts + 1] = tostring((select(i, ...))) end
   end)
   local ok, r = pcall(t.run, t, ...)
   rawset(io, 'write', write)
   return table.concat(parts), ok, r
end

-- Whether an assertion holds: the only one of a fresh tester.
local function holds(name, ...)
   local args, n, result = { ... }, select('#', ...), nil
   local t = torch.Tester()
   t:add(function() result = t[name](t, unpack(args, 1, n)) end, 'it')
   local _, ok = run(t)
   assert.equal(result, ok)
   return result
end

describe('torch.Tester', function()
   it('reports what failed and where, and raises an error at the end', function()
      local t, s = torch.Tester(), torch.TestSuite()
      function s.fine() t:eq({ 1, { 2 } }, { 1, { 2 } }) end
      function s.wrong() t:asserteq(1, 2, 'a message') end
      function s.broken() error 'boom' end
      t:add(s)
      local text, ok, why = run(t)
      assert.is_false(ok)
      assert.truthy(why:find('An error was found while running tests! (2 failure or errors)', 1, true))
      assert.truthy(text:find '\nCompleted 2 asserts in 3 tests with 1 failure and 1 error\n')
      assert.truthy(text:find 'wrong\na message\nEQ failed: 1 ~= 2\n[^\n]*tester_spec.lua:%d+\n')
      assert.truthy(text:find 'broken\nFunction call failed\n[^\n]*boom\n')
      assert.falsy(text:find '\27')
   end)

   it('compares numbers, strings, tables, tensors and storages', function()
      assert.is_true(holds('eq', 1, 1.05, 0.1))
      assert.is_false(holds('eq', 1, 1.2, 0.1))
      assert.is_false(holds('eq', 0 / 0, 0 / 0))
      assert.is_true(holds('eq', 1 / 0, 1 / 0))
      assert.is_false(holds('eq', 1, '1'))
      assert.is_false(holds('eq', { 1 }, { 1, 2 }))
      assert.is_false(holds('eq', { a = { 1 } }, { a = { 2 } }))
      assert.is_true(holds('ne', { a = { 1 } }, { a = { 2 } }))
      local x = torch.Tensor { 1, 2 }
      assert.is_true(holds('eq', { x }, { x:clone() }))
      assert.is_false(holds('eq', x, torch.FloatTensor { 1, 2 }))
      assert.is_true(holds('assertTensorEq', x, torch.Tensor { 1, 2.25 }, 0.25))
      assert.is_false(holds('assertTensorEq', x, torch.FloatTensor { 1, 2 }, 0.25))
      assert.is_false(holds('assertTensorEq', x, torch.Tensor { 1, 2, 3 }))
      assert.is_false(holds('assertTensorEq', x, torch.Tensor { 1, 0 / 0 }, 10))
      assert.is_true(holds('assertTensorNe', x, torch.Tensor { 1, 3 }))
      assert.is_true(holds('eq', torch.LongStorage { 1 }, torch.LongStorage { 1 }))
      assert.is_false(holds('assertlt', 1, 'x'))
      assert.is_true(holds('assertalmosteq', 1, 1 + 1e-17))
      assert.is_false(holds('assertalmosteq', 1, 1.1, 0.01, 'message'))
   end)

   it('looks at errors', function()
      local function fails() error('some text', 0) end
      assert.is_true(holds('assertError', fails))
      assert.is_false(holds('assertError', function() end))
      assert.is_true(holds('assertErrorMsg', fails, 'some text'))
      assert.is_false(holds('assertErrorMsg', fails, 'some'))
      assert.is_true(holds('assertErrorPattern', fails, 'te.t'))
      assert.is_false(holds('assertNoError', fails))
      assert.is_true(holds('assertErrorObj', function() error { 5 } end, function(e) return e[1] == 5 end))
   end)

   it('calls _setUp and _tearDown around each test, also around one that fails', function()
      local t, s, log = torch.Tester(), torch.TestSuite(), {}
      function s._setUp(name) log[#log + 1] = 'up ' .. name end
      function s._tearDown(name) log[#log + 1] = 'down ' .. name end
      function s.a() log[#log + 1] = 'a' end
      function s.b() error 'x' end
      t:add(s)
      run(t)
      assert.same({ 'up a', 'a', 'down a', 'up b', 'down b' }, log)
   end)

   it('begins anew with every run', function()
      local t, wrong = torch.Tester(), true
      t:add(function() t:assert(not wrong) end, 'it')
      local _, ok = run(t)
      assert.is_false(ok)
      wrong = false
      local text
      text, ok = run(t)
      assert.is_true(ok)
      assert.truthy(text:find 'Completed 1 assert in 1 test with 0 failures and 0 errors\n')
   end)

   it('runs the tests whose names contain a pattern, anywhere', function()
      local t, ran = torch.Tester(), nil
      for _, name in ipairs { 'Linear', 'LinearNoBias', 'BiLinear', 'a-b' } do
         t:add(function() ran[#ran + 1] = name end, name)
      end
      local function runs(names, pattern)
         ran = {}
         local _, ok = run(t, pattern)
         assert.is_true(ok)
         assert.same(names, ran)
      end
      runs({ 'Linear', 'LinearNoBias', 'BiLinear' }, 'Linear')
      runs({ 'Linear' }, '^Linear$')
      runs({ 'Linear', 'BiLinear' }, { 'Linear$' })
      runs({ 'LinearNoBias', 'BiLinear' }, { 'Bias', 'Bi' })
      runs({ 'a-b' }, 'a-b')
      runs({}, {})
      runs({ 'Linear', 'LinearNoBias', 'BiLinear', 'a-b' })
   end)

   it('takes tolerance and message in either order, in every assertion that has both', function()
      local x, y = torch.Tensor { 1 }, torch.Tensor { 1.25 }
      for _, order in ipairs { { 0.5, 'message' }, { 'message', 0.5 }, { 0.5 } } do
         assert.is_true(holds('eq', 1, 1.25, unpack(order)))
         assert.is_true(holds('assertGeneralEq', { 1 }, { 1.25 }, unpack(order)))
         assert.is_true(holds('assertTableEq', { x }, { y }, unpack(order)))
         assert.is_true(holds('assertTensorEq', x, y, unpack(order)))
         assert.is_true(holds('assertalmosteq', 1, 1.25, unpack(order)))
         assert.is_false(holds('ne', 1, 1.25, unpack(order)))
         assert.is_false(holds('assertGeneralNe', 1, 1.25, unpack(order)))
         assert.is_false(holds('assertTableNe', { x }, { y }, unpack(order)))
         assert.is_false(holds('assertTensorNe', x, y, unpack(order)))
      end
      local t = torch.Tester()
      for _, case in ipairs { { 'eq', 1, 1, 'a', 'b' }, { 'eq', 1, 1, 1, 2 }, { 'eq', 1, 1, {} }, { 'ne', 1, 2, -1 },
                              { 'assertTensorEq', x, x, true }, { 'asserteq', 1, 1, 'a', 'b' }, { 'assertlt', 1, 2, {} },
                              { 'assertError', error, 'a', 1 }, { 'assert', true, 'a', 'b' } } do
         assert.has_error(function() t[case[1]](t, unpack(case, 2)) end)
      end
      assert.error_matches(function() t:eq(1, 1, {}) end, 'eq: argument 3 must be a tolerance or a message, got a table')
      assert.error_matches(function() t:ne(1, 2, 0 / 0) end, 'ne: tolerance must be a number from 0')
      assert.error_matches(function() t:assert(true, '', 1) end, 'assert: Unexpected arguments passed to test function')
   end)

   it('keeps counts by test, and errors and warnings as texts', function()
      local t, s = torch.Tester(), torch.TestSuite()
      function s.good() t:eq(1, 1) t:assert(1) end
      function s.bad() t:eq(1, 2, 'they differ') t:eq(1, 1) end
      function s.broken() error 'boom' end
      t:add(s)
      run(t)
      assert.same({ good = 2, bad = 1, broken = 0 }, t.assertionPass)
      assert.same({ good = 0, bad = 1, broken = 0 }, t.assertionFail)
      assert.same({ good = 0, bad = 0, broken = 1 }, t.testError)
      assert.equal(4, t.countasserts)
      assert.equal(2, #t.errors)
      assert.truthy(t.errors[1]:find '^bad\nthey differ\nEQ failed')
      assert.truthy(t.errors[2]:find '^broken\n.*boom.*stack traceback')
      assert.equal(1, #t.warnings)
      assert.truthy(t.warnings[1]:find '^good\nassert got a number')
   end)

   it('warns of a plain table of tests, and compares rows with vectors with a warning', function()
      local t = torch.Tester()
      t:add { a = function() t:assertTensorEq(torch.ones(3), torch.ones(1, 3)) end }
      assert.equal(1, #t.warnings)
      for _ = 1, 2 do
         local text, ok = run(t)
         assert.is_true(ok)
         assert.truthy(text:find 'with 0 failures and 0 errors and 2 warnings\n')
      end
      assert.truthy(t.warnings[1]:find 'torch.TestSuite')
      assert.truthy(t.warnings[2]:find '^a\nassertTensorEq ignores that the sizes differ: 3 and 1x3')
      t._assertTensorEqIgnoresDims = false
      local _, ok = run(t)
      assert.is_false(ok)
   end)

   it('lets failures and errors of tests through on request', function()
      local t = torch.Tester()
      t:add(function() t:eq(1, 2, 'they differ') end, 'a')
      t:setRethrowErrors(true)
      local _, ok, why = run(t)
      assert.is_false(ok)
      assert.truthy(why:find 'they differ\nEQ failed')
   end)

   it('lets a derived tester replace what counts and what runs', function()
      local home = {}
      local Mine, parent = torch.class('spec.OwnTester', 'torch.Tester', home)
      function Mine:__init() parent.__init(self) self.log = {} end
      function Mine:_success(message)
         self.log[#self.log + 1] = message:match '^[^\n]*'
         return true, 'fine'
      end
      function Mine:_failure(message) return false, message end
      function Mine:_run(tests)
         for name, f in pairs(tests) do
            self._currentTestName = name
            self.log[#self.log + 1] = name
            self:_pcall(f)
         end
      end
      local t = home.OwnTester()
      local results
      t:add(function() results = { { t:eq(1, 1, 'equal') }, { t:assertlt(2, 1, 'a message') } } error 'x' end, 'one')
      local _, ok = run(t)
      assert.is_false(ok)
      assert.same({ 'one', 'equal' }, t.log)
      assert.same({ true, 'fine' }, results[1])
      assert.is_false(results[2][1])
      assert.truthy(results[2][2]:find '^a message\nLT failed')
      assert.same({ one = 1 }, t.testError)
   end)

   it('compares tables that contain themselves', function()
      local a, b = { 1 }, { 1 }
      a.self, b.self = a, b
      assert.is_true(holds('eq', a, b))
      b[1] = 2
      assert.is_false(holds('eq', a, b))
   end)

   it('refuses tests that are none, twice there or unknown', function()
      local t = torch.Tester()
      t:add(function() end, 'a')
      assert.error_matches(function() t:add(function() end, 'a') end, 'Test with name a already exists!')
      assert.error_matches(function() t:add(function() end, {}) end, 'the name of a test must be a string, got a table')
      assert.error_matches(function() t:add { b = {} } end, 'Nested tables of tests are not supported: test b must be a function')
      assert.error_matches(function() t:add(3) end, 'tests must be a function, a table or a TestSuite')
      local _, ok, why = run(t, 'zzz')
      assert.is_false(ok)
      assert.truthy(why:find 'there is no test zzz')
      local s = torch.TestSuite()
      s.x = print
      assert.error_matches(function() s.x = print end, 'TestSuite: Test x is already defined.')
      assert.error_matches(function() s.y = {} end, 'TestSuite: Nested tables of tests are not supported')
      assert.error_matches(function() s.y = 3 end, 'TestSuite: test y must be a function, got a number')
      assert.error_matches(function() t:add(s, 'name') end, 'the tests of a table have their names')
      assert.error_matches(function() t:disable 'b' end, 'Tester:disable: there is no test b')
   end)
end)

describe('torch.TestSuite', function()
   it('keeps its tests in __tests, which programs read and change', function()
      local s, log = torch.TestSuite(), {}
      function s.b() log[#log + 1] = 'b' end
      function s.a() log[#log + 1] = 'a' end
      assert.equal(s.b, s.__tests.b)
      assert.is_true(s.__isTestSuite)
      s.__tests.b = nil
      s.__tests.c = function() log[#log + 1] = 'c' end
      local t = torch.Tester():add(s)
      run(t)
      assert.same({ 'a', 'c' }, log)
   end)
end)

describe('a test file of 2015', function()
   -- a file as packages had it: a global tester, a function that adds the suite and runs the requested tests
   local source = [[
      local precision = 1e-8
      local spectest = torch.TestSuite()
      local function maxdiff(x, y)
         local d = x - y
         if x:type() == 'torch.DoubleTensor' or x:type() == 'torch.FloatTensor' then return d:abs():max() end
         local dd = torch.Tensor():resize(d:size()):copy(d)
         return dd:abs():max()
      end
      function spectest.abs()
         local size = math.random(10, 20)
         local original = torch.rand(size)
         local switch = torch.rand(size):mul(2):floor():mul(2):add(-1)
         local result = torch.cmul(original, switch):abs()
         mytester:assertlt((result - original):abs():max(), 1e-16, 'error in torch.abs - value')
      end
      function spectest.max()
         local x = torch.rand(7, 8)
         local mx, ix = torch.max(x, 1)
         local mxx, ixx = torch.Tensor(), torch.LongTensor()
         torch.max(mxx, ixx, x, 1)
         mytester:asserteq(maxdiff(mx, mxx), 0, 'torch.max value')
         mytester:asserteq(maxdiff(ix, ixx), 0, 'torch.max index')
      end
      function spectest.add()
         local a, b = torch.randn(3, 4), torch.randn(3, 4)
         mytester:assertTensorEq(a + b, b + a, 1e-16, 'addition commutes')
         mytester:assertTensorEq(a + b, b + a, 'addition commutes', 1e-16)
         mytester:assert(maxdiff(a, a:clone()) < precision)
      end
      function spectest.errors()
         mytester:assertError(function() torch.add() end)
         mytester:assertErrorPattern(function() error 'bad size' end, 'bad .i')
         mytester:assertNoError(function() torch.add(torch.ones(2), 1) end)
         mytester:eq({ 1, { 2 } }, { 1, { 2 } }, 'tables')
         mytester:assertne('a', 'b')
         mytester:assertalmosteq(0.1 + 0.2, 0.3, 1e-12)
      end
      function test(tests)
         mytester = torch.Tester()
         mytester:add(spectest)
         mytester:run(tests)
         return mytester
      end
   ]]

   it('loads and runs, whole and by names', function()
      local file = setmetatable({}, { __index = function(_, k) return k == 'torch' and torch or _G[k] end })
      setfenv(assert(loadstring(source)), file)()
      local t
      local quiet = { run = function(_, tests) t = file.test(tests) end }
      local text, ok, why = run(quiet)
      assert.is_true(ok, why)
      assert.truthy(text:find 'Completed 12 asserts in 4 tests with 0 failures and 0 errors\n')
      text = run(quiet, { 'abs', 'ma' })
      assert.truthy(text:find 'Completed 3 asserts in 2 tests')
      assert.same({ abs = 1, max = 2 }, t.assertionPass)
   end)
end)
