-- lua/torch/tester.lua - torch.Tester and torch.TestSuite: test functions, assertions, and a report at the end.
--
-- A failed assertion is recorded and the test continues; an error ends the test. run() raises an error if anything
-- went wrong, so that the script's exit status shows it.
local class = require 'torch.class'
local arg_check = require 'torch.arg'
local differ = require 'torch.differ'

local M = {}
local Tester = {}
local suite_orders = setmetatable({}, { __mode = 'k' })     -- TestSuite -> the names of its tests in the order of definition

local RULE = ('-'):rep(80)
local HOOK = { _setUp = true, _tearDown = true }

local Suite = {}

function Suite.__index(suite, name) return rawget(suite, '__tests')[name] end

function Suite.__newindex(suite, name, f)
   local tests = rawget(suite, '__tests')
   if tests[name] ~= nil then
      error(('TestSuite: Test %s is already defined.'):format(tostring(name)), 2)
   end
   if type(f) == 'table' then
      error(('TestSuite: Nested tables of tests are not supported, but %s is a table'):format(
            tostring(name)), 2)
   end
   if type(f) ~= 'function' then arg_check.refuse('TestSuite', 'test ' .. tostring(name), 'a function', f) end
   tests[name] = f
   local order = suite_orders[suite]
   order[#order + 1] = name
end

--- A table of tests that refuses a second test of the same name, which a plain table would silently replace.
-- The field `__tests` holds its tests.
function M.TestSuite()
   local suite = setmetatable({ __tests = {}, __isTestSuite = true }, Suite)
   suite_orders[suite] = {}
   return suite
end

function Tester:__init()
   self.errors, self.warnings, self.tests, self.disabledTests = {}, {}, {}, {}
   self._order, self._addWarnings, self._currentTestName = {}, {}, ''
   self.assertionPass, self.assertionFail, self.testError = {}, {}, {}
   self.countasserts = 0
   self._assertTensorEqIgnoresDims = true
   self.earlyAbort, self.rethrow, self.summaryOnly = false, false, false
end

function Tester:setEarlyAbort(yes) self.earlyAbort = not not yes end         --- stop after the first test that fails
function Tester:setRethrowErrors(yes) self.rethrow = not not yes end         --- let failures and errors through
function Tester:setSummaryOnly(yes) self.summaryOnly = not not yes end       --- print no details

---------------------------------------------------------------------------------------------------------
-- the records: `errors` and `warnings` are lists of texts, the counters are tables by the name of
-- the test

-- The line of the test that asserts: the first frame outside of this file.
local here = debug.getinfo(1, 'S').source

function Tester:_addDebugInfo(message)
   local name = self._currentTestName
   local text = name == '' and message or name .. '\n' .. message
   local level = 2
   while true do
      local info = debug.getinfo(level, 'Sl')
      if not info then return text end
      if info.source ~= here and info.what ~= 'C' then
         return ('%s\n%s:%d'):format(text, info.short_src, info.currentline)
      end
      level = level + 1
   end
end

local function count(counter, name) counter[name] = (counter[name] or 0) + 1 end

--- Counts an assertion that held. A derived tester may replace it, and _failure; both get the message.
function Tester:_success()
   self.countasserts = self.countasserts + 1
   count(self.assertionPass, self._currentTestName)
   return true
end

--- Counts and records an assertion that did not hold.
function Tester:_failure(message)
   if self.rethrow then error(message, 2) end
   self.countasserts = self.countasserts + 1
   count(self.assertionFail, self._currentTestName)
   self.errors[#self.errors + 1] = self:_addDebugInfo(message)
   return false
end

function Tester:_warning(message) self.warnings[#self.warnings + 1] = self:_addDebugInfo(message) end

function Tester:_assert_sub(condition, message)
   if condition then return self:_success(message) end
   return self:_failure(message)
end

local short = differ.short

local function with(message, text)
   if message == nil or message == '' then return text end
   return message .. '\n' .. text
end

-- The message of an assertion, its only optional argument. The level is the one of its caller's
-- caller.
local function message_of(who, level, message, ...)
   if select('#', ...) > 0 and next { ... } ~= nil then
      error(('%s: Unexpected arguments passed to test function after the message'):format(who),
            level + 1)
   end
   if message == nil or message == false then return nil end
   if type(message) ~= 'string' and type(message) ~= 'number' then
      arg_check.refuse(who, 'message', 'a string', message, level)
   end
   return tostring(message)
end

-- Tolerance and message, in either order.
local function tolerance_of(who, level, default, ...)
   local tolerance, message
   for i = 1, select('#', ...) do
      local v = select(i, ...)
      local kind = type(v)
      if kind == 'number' and tolerance == nil then
         if v ~= v or v < 0 then arg_check.refuse(who, 'tolerance', 'a number from 0', v, level) end
         tolerance = v
      elseif kind == 'string' and message == nil then
         message = v
      elseif v ~= nil then
         arg_check.refuse(who, 'argument ' .. i + 2, 'a tolerance or a message', v, level)
      end
   end
   return tolerance or default, message
end

---------------------------------------------------------------------------------------------------------
-- assertions; each takes a message as last argument and returns whether it held

--- torch.Tester:assert(condition, [message]): condition must be true.
-- Values other than true and false pass with a warning.
function Tester:assert(condition, ...)
   local message = message_of('assert', 3, ...)
   if type(condition) ~= 'boolean' then
      self:_warning(('assert got a %s, not true or false'):format(type(condition)))
   end
   return self:_assert_sub(condition, with(message, 'BOOL violation: ' .. short(condition)))
end

local function define(name, word, sign, holds)
   Tester[name] = function(self, a, b, ...)
      local message = message_of(name, 3, ...)
      local ok, r = pcall(holds, a, b)
      return self:_assert_sub(ok and r, with(message, ('%s failed: %s %s %s'):format(word, short(a), sign,
                                                                                    short(b))))
   end
end
--- torch.Tester:asserteq(a, b, [message]), torch.Tester:assertne(a, b, [message]): a == b, a ~= b must hold.

--- torch.Tester:assertlt(a, b, [message]), torch.Tester:assertle(a, b, [message]): a < b, a <= b must hold.

--- torch.Tester:assertgt(a, b, [message]), torch.Tester:assertge(a, b, [message]): a > b, a >= b must hold.
--

--- torch.Tester: Runs test functions and reports what failed. tester:add(suite):run(), where suite is a torch.TestSuite.
-- t = torch.Tester(); t:asserteq(1, 1) --> true
define('asserteq', 'EQ', '~=', function(a, b) return a == b end)
define('assertne', 'NE', '==', function(a, b) return a ~= b end)
define('assertlt', 'LT', '>=', function(a, b) return a < b end)
define('assertgt', 'GT', '<=', function(a, b) return a > b end)
define('assertle', 'LE', '>', function(a, b) return a <= b end)
define('assertge', 'GE', '<', function(a, b) return a >= b end)

local function need_kind(who, test, what, a, b)
   if not test(a) then arg_check.refuse(who, 'argument 1', what, a, 4) end
   if not test(b) then arg_check.refuse(who, 'argument 2', what, b, 4) end
end

local function is_table(v) return type(v) == 'table' end
local function has_distance(v) return tonumber(v) ~= nil end

--- torch.Tester:assertalmosteq(a, b, [tolerance], [message]): |a - b| must be at most the tolerance
-- (default 1e-16). Tolerance and message may be exchanged, here and below.
function Tester:assertalmosteq(a, b, ...)
   need_kind('assertalmosteq', has_distance, 'a number', a, b)
   local tolerance, message = tolerance_of('assertalmosteq', 3, 1e-16, ...)
   local gap = math.abs(tonumber(a) - tonumber(b))
   return self:_assert_sub(gap <= tolerance, with(message, ('ALMOST_EQ failed: %s ~= %s with tolerance %s'):format(
      short(a), short(b), tostring(tolerance))))
end

function Tester:_eqOrNeq(a, b, negate, ...)
   local tolerance, message = tolerance_of(negate and 'ne' or 'eq', 4, 0, ...)
   local why = differ.values(a, b, tolerance)
   if negate then
      return self:_assert_sub(why ~= nil, with(message, ('NE failed: both are %s'):format(short(a))))
   end
   return self:_assert_sub(why == nil, with(message, 'EQ failed: ' .. tostring(why)))
end

--- torch.Tester:eq(a, b, [tolerance], [message]), torch.Tester:assertGeneralEq(a, b, [tolerance], [message]): Equal values of any
-- type: numbers and elements within the tolerance (default 0), tables by what they contain.
function Tester:eq(got, expected, ...) return self:_eqOrNeq(got, expected, false, ...) end
--- torch.Tester:ne(a, b, [tolerance], [message]), torch.Tester:assertGeneralNe(a, b, [tolerance], [message]): a and b must differ.
function Tester:ne(got, other, ...) return self:_eqOrNeq(got, other, true, ...) end
function Tester:assertGeneralEq(got, expected, ...) return self:_eqOrNeq(got, expected, false, ...) end
function Tester:assertGeneralNe(got, other, ...) return self:_eqOrNeq(got, other, true, ...) end

function Tester:_assertTensorEqOrNeq(a, b, negate, ...)
   local who = negate and 'assertTensorNe' or 'assertTensorEq'
   need_kind(who, arg_check.is_tensor, 'a tensor', a, b)
   local tolerance, message = tolerance_of(who, 4, 0, ...)
   local any_shape = self._assertTensorEqIgnoresDims
   local why = differ.tensors(a, b, tolerance, any_shape)
   if any_shape and not why and not arg_check.same_shape(a, b) then
      self:_warning(('%s ignores that the sizes differ: %s and %s'):format(who, arg_check.size_text(a),
                                                                          arg_check.size_text(b)))
   end
   if negate then
      return self:_assert_sub(why ~= nil, with(message, ('TensorNE failed: no element differs by more than %s'):format(
         tolerance)))
   end
   return self:_assert_sub(why == nil, with(message, 'TensorEQ failed: ' .. tostring(why)))
end

--- torch.Tester:assertTensorEq(a, b, [tolerance], [message]): Tensors of one type whose
-- elements differ by at most the tolerance (default 0).
-- A 1x3 tensor may equal one of 3 elements, with a warning; `tester._assertTensorEqIgnoresDims =
-- false` turns that off.
function Tester:assertTensorEq(a, b, ...) return self:_assertTensorEqOrNeq(a, b, false, ...) end
--- torch.Tester:assertTensorNe(a, b, [tolerance], [message]): Two tensors must differ in
-- type, in size, or by more than the tolerance (0) somewhere.
function Tester:assertTensorNe(a, b, ...) return self:_assertTensorEqOrNeq(a, b, true, ...) end

function Tester:_assertTableEqOrNeq(a, b, negate, ...)
   need_kind(negate and 'assertTableNe' or 'assertTableEq', is_table, 'a table', a, b)
   return self:_eqOrNeq(a, b, negate, ...)
end
--- torch.Tester:assertTableEq(a, b, [tolerance], [message]): Two tables must hold equal values, at
-- all levels.
function Tester:assertTableEq(a, b, ...) return self:_assertTableEqOrNeq(a, b, false, ...) end
--- torch.Tester:assertTableNe(a, b, [tolerance], [message]): Two tables must differ somewhere.
function Tester:assertTableNe(a, b, ...) return self:_assertTableEqOrNeq(a, b, true, ...) end

-- ---- errors

--- torch.Tester:assertErrorObj(f, compare, [message]): The call of f must raise an
-- error for which compare(error) is true.
function Tester:assertErrorObj(f, compare, ...)
   need_kind('assertErrorObj', arg_check.is_callable, 'a function', f, compare)
   local message = message_of('assertErrorObj', 3, ...)
   local ok, err = pcall(f)
   if ok then return self:_failure(with(message, 'ERROR failed: no error was raised')) end
   return self:_assert_sub(compare(err), with(message, 'ERROR failed: the error is ' .. short(err)))
end
--- torch.Tester:assertError(f, [message]): Calling f must raise an error.
function Tester:assertError(f, ...) return self:assertErrorObj(f, function() return true end, ...) end
--- torch.Tester:assertErrorMsg(f, expected, [message]): The error must be this message exactly.
function Tester:assertErrorMsg(f, expected, ...)
   return self:assertErrorObj(f, function(err) return err == expected end, ...)
end
--- torch.Tester:assertErrorPattern(f, pattern, [message]): The error must contain the Lua pattern.
function Tester:assertErrorPattern(f, pattern, ...)
   if type(pattern) ~= 'string' then arg_check.refuse('assertErrorPattern', 'pattern', 'a string', pattern) end
   return self:assertErrorObj(f, function(err) return tostring(err):find(pattern) ~= nil end, ...)
end
--- torch.Tester:assertNoError(f, [message]): Calling f must raise no error.
function Tester:assertNoError(f, ...)
   local message = message_of('assertNoError', 3, ...)
   local ok, err = pcall(f)
   return self:_assert_sub(ok, with(message, 'ERROR found: ' .. short(err)))
end

---------------------------------------------------------------------------------------------------------
-- tests

-- The text of an error with the stack where it was raised; an error that is no string stays
-- unchanged.
local function traced(err)
   if type(err) ~= 'string' or err:find('\nstack traceback:\n', 1, true) then return err end
   return debug.traceback(err, 2)
end

-- f between the hooks of its suite. tearDown also follows a test that fails.
local function between(setUp, f, tearDown, name)
   if not setUp and not tearDown then return f end
   return function()
      if setUp then setUp(name) end
      local ok, err = xpcall(f, traced)
      if tearDown then tearDown(name) end
      if not ok then error(err, 0) end
   end
end

local function add_test(self, f, name, setUp, tearDown)
   if type(name) == 'number' then name = tostring(name) end
   if type(name) ~= 'string' then arg_check.refuse('Tester:add', 'the name of a test', 'a string', name, 4) end
   if type(f) == 'table' then
      error(('Tester:add: Nested tables of tests are not supported: test %s must be a function, got a table'):format(
            name), 4)
   end
   if type(f) ~= 'function' then arg_check.refuse('Tester:add', 'test ' .. name, 'a function', f, 4) end
   if self.tests[name] then error(('Tester:add: Test with name %s already exists!'):format(name), 4) end
   self.tests[name] = between(setUp, f, tearDown, name)
   self._order[#self._order + 1] = name
end

-- The keys of a table of tests: first those of `order`, then the others by name.
local function in_order(tests, order)
   local names, taken, others = {}, {}, {}
   for _, name in ipairs(order or {}) do
      if tests[name] ~= nil and not taken[name] then names[#names + 1], taken[name] = name, true end
   end
   for name in pairs(tests) do
      if not taken[name] then others[#others + 1] = name end
   end
   table.sort(others, function(a, b) return tostring(a) < tostring(b) end)
   for _, name in ipairs(others) do names[#names + 1] = name end
   return names
end

--- Adds a test, called 'unknown' without a name, or all tests of a TestSuite or a plain table.
-- `_setUp(name)` and `_tearDown(name)` of a suite run around each of its tests.
-- @return the tester
function Tester:add(f, name)
   if type(f) == 'function' then
      add_test(self, f, name == nil and 'unknown' or name)
      return self
   end
   if type(f) ~= 'table' then arg_check.refuse('Tester:add', 'tests', 'a function, a table or a TestSuite', f) end
   if name ~= nil then
      error('Tester:add: the tests of a table have their names, so none can be given', 2)
   end
   local tests = f
   if f.__isTestSuite then
      tests = f.__tests
   else
      self:_warning('Tester:add got a plain table, where a second test of one name replaces the first: ' ..
                    'use torch.TestSuite')
      self._addWarnings[#self._addWarnings + 1] = self.warnings[#self.warnings]
   end
   for _, k in ipairs(in_order(tests, suite_orders[f])) do
      if not HOOK[k] then add_test(self, tests[k], k, tests._setUp, tests._tearDown) end
   end
   return self
end

local function matches(name, wanted)
   if name == wanted then return true end
   local ok, found = pcall(string.find, name, wanted)
   return ok and found ~= nil
end

--- The tests {name = function} whose names contain the Lua pattern, or one of a table of patterns;
-- nil: all.
function Tester:_getTests(patterns)
   if patterns == nil then return self.tests end
   if type(patterns) == 'string' then patterns = { patterns } end
   if type(patterns) ~= 'table' then
      arg_check.refuse('Tester:run', 'tests', 'a name or a table of names', patterns, 3)
   end
   local found = {}
   for _, wanted in ipairs(patterns) do
      if type(wanted) ~= 'string' then
         arg_check.refuse('Tester:run', 'the name of a test', 'a string', wanted, 3)
      end
      local any = false
      for name, f in pairs(self.tests) do
         if matches(name, wanted) then found[name], any = f, true end
      end
      if not any then error(('Tester:run: there is no test %s'):format(wanted), 3) end
   end
   return found
end

--- Leaves the tests of these names out of the next runs; returns the tester.
function Tester:disable(names)
   if type(names) == 'string' then names = { names } end
   if type(names) ~= 'table' then
      arg_check.refuse('Tester:disable', 'tests', 'a name or a table of names', names)
   end
   for _, name in ipairs(names) do
      if not self.tests[name] then error(('Tester:disable: there is no test %s'):format(tostring(name)), 2) end
   end
   for _, name in ipairs(names) do self.disabledTests[name] = true end
   return self
end

--- Calls f and records its error, with the traceback.
-- @return whether f ended, its result or error, whether it ended without a failed assertion, too
function Tester:_pcall(f)
   local before = #self.errors
   local ok, result = xpcall(f, traced)
   if not ok then
      count(self.testError, self._currentTestName)
      self.errors[#self.errors + 1] = ('%s\nFunction call failed\n%s'):format(self._currentTestName,
                                                                              tostring(result))
   end
   return ok, result, ok and #self.errors == before
end

local function plural(n, word) return ('%d %s%s'):format(n, word, n == 1 and '' or 's') end

local function terminal()
   return io.type(io.stdout) == 'file' and require 'torch.package'.isatty(io.stdout)
end

local COLOR = { SKIP = 33, ERROR = 35, FAIL = 31, PASS = 32 }

-- Runs one test. Returns whether it passed, and the word for the report.
function Tester:_runOne(name, f)
   if self.disabledTests[name] then return true, 'SKIP' end
   if self.rethrow then
      f()
      return true, 'PASS'
   end
   local ok, _, pass = self:_pcall(f)
   return pass, not ok and 'ERROR' or pass and 'PASS' or 'FAIL'
end

--- Runs the tests {name = function}. A derived tester may replace it; it sets _currentTestName for
-- each test.
function Tester:_run(tests)
   local names = in_order(tests, self._order)
   local colored = not self.noColour and terminal()
   for i, name in ipairs(names) do
      self._currentTestName = name
      local fine, word = self:_runOne(name, tests[name])
      if not self.summaryOnly then
         if colored then word = ('\27[%dm%s\27[0m'):format(COLOR[word], word) end
         io.write(('%3d/%d %s %s [%s]\n'):format(i, #names, name, ('.'):rep(math.max(3, 60 - #name)), word))
      end
      if self.earlyAbort and not fine then
         io.write 'Aborting on first error, not all tests have been executed\n'
         break
      end
   end
   self._currentTestName = ''
end

-- How many of the tests have a count above zero.
local function counted(tests, counter)
   local n = 0
   for name in pairs(tests) do
      if (tonumber(counter[name]) or (counter[name] and 1) or 0) > 0 then n = n + 1 end
   end
   return n
end

--- Prints the results of the tests {name = function}.
function Tester:_report(tests)
   local n, disabled = 0, counted(tests, self.disabledTests)
   for _ in pairs(tests) do n = n + 1 end
   io.write(('Completed %s in %s with %s and %s'):format(plural(self.countasserts, 'assert'),
      plural(n, 'test'), plural(counted(tests, self.assertionFail), 'failure'),
      plural(counted(tests, self.testError), 'error')))
   if #self.warnings > 0 then io.write(' and ', plural(#self.warnings, 'warning')) end
   if disabled > 0 then io.write((' and %d disabled'):format(disabled)) end
   io.write '\n'
   if self.summaryOnly or #self.errors + #self.warnings == 0 then return end
   io.write(RULE, '\n')
   for _, text in ipairs(self.errors) do io.write(tostring(text), '\n', RULE, '\n') end
   for _, text in ipairs(self.warnings) do io.write('warning: ', tostring(text), '\n', RULE, '\n') end
end

-- Begins a run: no counts, no errors, and only the warnings of `add`.
local function begin(self, tests)
   self.countasserts, self.errors, self.warnings = 0, {}, { unpack(self._addWarnings) }
   self.assertionPass, self.assertionFail, self.testError = {}, {}, {}
   for name in pairs(tests) do
      self.assertionPass[name], self.assertionFail[name], self.testError[name] = 0, 0, 0
   end
end

--- Runs all tests, or those whose names contain this Lua pattern or one of a table of patterns, and
-- prints a report.
-- @return 0; raises an error when an assertion did not hold or a test had an error
function Tester:run(patterns)
   local tests = self:_getTests(patterns)
   begin(self, tests)
   local n = 0
   for _ in pairs(tests) do n = n + 1 end
   io.write('Running ', plural(n, 'test'), '\n')
   self:_run(tests)
   self:_report(tests)
   if counted(tests, self.assertionFail) + counted(tests, self.testError) > 0 then
      error(('An error was found while running tests! (%s)'):format(
            plural(#self.errors, 'failure or error')), 2)
   end
   return 0
end

--- A tester with the examples of the help texts as tests.
-- @param wanted  a function of a name: whether to test the examples of that name
function M.examples(wanted)
   local doc, tester = require 'torch.doc', package.loaded.torch.Tester()
   for _, key in ipairs(doc.names()) do
      local entry = wanted(key) and doc.entry(key)
      if entry and #entry.examples > 0 then
         tester:add(function()
            for _, e in ipairs(entry.examples) do
               local got, why = doc.run(e.code)
               tester:assert(got == e.result, ('%s gives %s, not %s'):format(e.code, tostring(got or why), e.result))
            end
         end, key)
      end
   end
   return tester
end

local function of_torch(key) return key:match '^torch' or key:match '^Tensor' or key:match '^Storage' end

function M.install(torch)
   local mt = class.class('torch.Tester', torch)
   for k, f in pairs(Tester) do mt[k] = f end
   arg_check.guard_class(mt, 'a torch.Tester')
   torch.TestSuite = M.TestSuite

   --- Tests this installation: runs the examples in torch's help texts and prints a report.
   -- @param tests  a name such as 'torch.cumsum' or 'Tensor:view', or a Lua pattern in it; a table of them (default: all)
   -- @return 0; raises an error when an example does not have the result in its text
   function torch.test(tests)
      if type(tests) ~= 'nil' and type(tests) ~= 'string' and type(tests) ~= 'table' then
         arg_check.refuse('torch.test', 'tests', 'a name or a table of names', tests)
      end
      return M.examples(of_torch):run(tests)
   end
end

return M
