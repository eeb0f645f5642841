-- test/tester_spec.lua - torch.Tester and torch.TestSuite.
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
      assert.truthy(why:find '2 failure or errors in tests')
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
      assert.is_true(holds('assertTensorEq', x, torch.FloatTensor { 1, 2.25 }, 0.25))
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

   it('refuses tests that are none, twice there or unknown', function()
      local t = torch.Tester()
      t:add(function() end, 'a')
      assert.error_matches(function() t:add(function() end, 'a') end, 'there is a test a already')
      assert.error_matches(function() t:add(function() end) end, 'the name of a test must be a string, got nil')
      assert.error_matches(function() t:add { b = {} } end, 'test b must be a function, got a table')
      assert.error_matches(function() t:add(3) end, 'tests must be a function, a table or a TestSuite')
      local _, ok, why = run(t, 'zzz')
      assert.is_false(ok)
      assert.truthy(why:find 'there is no test zzz')
      local s = torch.TestSuite()
      s.x = print
      assert.error_matches(function() s.x = print end, 'TestSuite: there is a test x already')
   end)
end)
