-- lua/torch/tester.lua - torch.Tester and torch.TestSuite: test functions, assertions, and a report at the end.
--
-- An assertion that fails is noted and the test goes on; an error ends the test. run() raises an error when anything
-- went wrong, so that a script's exit status tells.
local ffi = require 'ffi'
local class = require 'torch.class'
local arg_check = require 'torch.arg'

local M = {}
local Tester = {}
local suites = setmetatable({}, { __mode = 'k' })           -- TestSuite -> { tests =, order = }

local RULE = ('-'):rep(80)

--- A table of tests that refuses a second test of the same name, which a plain table would silently drop.
function M.TestSuite()
   local tests, order = {}, {}
   local suite = setmetatable({}, {
      __index = tests,
      __newindex = function(_, name, f)
         if tests[name] ~= nil then error(('TestSuite: there is a test %s already'):format(tostring(name)), 2) end
         tests[name] = f
         order[#order + 1] = name
      end,
   })
   suites[suite] = { tests = tests, order = order }
   return suite
end

function Tester:__init()
   self.errors, self.tests, self.disabledTests = {}, {}, {}
   self.warnings, self.order, self.hooks = {}, {}, {}
   self.countasserts = 0
   self.earlyAbort, self.rethrowErrors, self.summaryOnly = false, false, false
end

function Tester:setEarlyAbort(yes) self.earlyAbort = not not yes end         --- stop after the first test that fails
function Tester:setRethrowErrors(yes) self.rethrowErrors = not not yes end   --- let errors of tests through
function Tester:setSummaryOnly(yes) self.summaryOnly = not not yes end       --- print no details

---------------------------------------------------------------------------------------------------------
-- what is noted

-- The line of the test that asserts: the first frame outside of this file.
local here = debug.getinfo(1, 'S').source

function Tester._addDebugInfo(_, message)
   local level = 2
   while true do
      local info = debug.getinfo(level, 'Sl')
      if not info then return message end
      if info.source ~= here and info.what ~= 'C' then
         return ('%s\n%s:%d'):format(message, info.short_src, info.currentline)
      end
      level = level + 1
   end
end

local function note(self, list, message)
   list[#list + 1] = { name = self._current, message = message }
end

function Tester:_success()
   self.countasserts = self.countasserts + 1
   return true
end

function Tester:_failure(message)
   self.countasserts = self.countasserts + 1
   self._failed = true
   note(self, self.errors, self:_addDebugInfo(message))
   return false
end

function Tester:_warning(message) note(self, self.warnings, self:_addDebugInfo(message)) end

function Tester:_assert_sub(condition, message)
   if condition then return self:_success() end
   return self:_failure(message)
end

local function with(message, text)
   if message == nil then return text end
   return tostring(message) .. '\n' .. text
end

local function short(v)
   local text = type(v) == 'string' and ('%q'):format(v) or tostring(v)
   return #text > 300 and text:sub(1, 300) .. ' ...' or text
end

---------------------------------------------------------------------------------------------------------
-- assertions; each takes a message as last argument and returns whether it held

--- condition must be true. Anything but true and false is let through with a warning.
function Tester:assert(condition, message)
   if type(condition) ~= 'boolean' then
      self:_warning(('assert got a %s, not true or false'):format(type(condition)))
   end
   return self:_assert_sub(condition, with(message, 'BOOL violation: ' .. short(condition)))
end

local function define(name, word, sign, holds)
   Tester[name] = function(self, a, b, message)
      local ok, r = pcall(holds, a, b)
      return self:_assert_sub(ok and r, with(message, ('%s failed: %s %s %s'):format(word, short(a), sign, short(b))))
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

-- (tolerance, message) or (message): what comes after the two values
local function tolerance_of(who, default, tolerance, message)
   if type(tolerance) == 'string' and message == nil then return default, tolerance end
   if tolerance ~= nil and type(tolerance) ~= 'number' then
      arg_check.refuse(who, 'tolerance', 'a number', tolerance, 4)
   end
   return tolerance or default, message
end

local function need_kind(who, test, what, a, b)
   if not test(a) then arg_check.refuse(who, 'argument 1', what, a, 4) end
   if not test(b) then arg_check.refuse(who, 'argument 2', what, b, 4) end
end

local function is_number(v) return type(v) == 'number' end
local function is_table(v) return type(v) == 'table' end

--- |a - b| must be at most the tolerance (default 1e-16).
function Tester:assertalmosteq(a, b, tolerance, message)
   need_kind('assertalmosteq', is_number, 'a number', a, b)
   tolerance, message = tolerance_of('assertalmosteq', 1e-16, tolerance, message)
   local gap = math.abs(a - b)
   return self:_assert_sub(gap <= tolerance, with(message, ('ALMOST_EQ failed: %s ~= %s with tolerance %s'):format(
      short(a), short(b), tostring(tolerance))))
end

-- ---- equality of any two values: nil, or why they differ

local differ

local function elements_differ(n, at_a, at_b, tolerance)
   for i = 1, n do
      local x, y = at_a(i), at_b(i)
      -- equal infinities have no distance; nan equals nothing
      if not (x == y or math.abs(x - y) <= tolerance) then
         return ('element %d: %s ~= %s with tolerance %s'):format(i, tostring(x), tostring(y), tostring(tolerance))
      end
   end
end

local function tensors_differ(a, b, tolerance)
   if a:dim() ~= b:dim() then return ('%d dimensions ~= %d'):format(a:dim(), b:dim()) end
   for d = 1, a:dim() do
      if a:size(d) ~= b:size(d) then
         return ('size %s ~= %s'):format(arg_check.size_text(a), arg_check.size_text(b))
      end
   end
   if a:nElement() == 0 then return nil end
   local p, q = a:contiguous(), b:contiguous()
   local s, t = p:storage(), q:storage()
   local i, k = p:storageOffset() - 1, q:storageOffset() - 1
   return elements_differ(a:nElement(), function(n) return s[i + n] end, function(n) return t[k + n] end, tolerance)
end

local function storages_differ(a, b, tolerance)
   if #a ~= #b then return ('%d elements ~= %d'):format(#a, #b) end
   return elements_differ(#a, function(n) return a[n] end, function(n) return b[n] end, tolerance)
end

local function tables_differ(a, b, tolerance)
   for k, v in pairs(a) do
      local why = differ(v, b[k], tolerance)
      if why then return ('[%s] %s'):format(tostring(k), why) end
   end
   for k in pairs(b) do
      if a[k] == nil then return ('[%s] is missing'):format(tostring(k)) end
   end
end

function differ(a, b, tolerance)
   if type(a) ~= type(b) then return ('type %s ~= %s'):format(type(a), type(b)) end
   if rawequal(a, b) and a == a then return nil end
   if type(a) == 'number' then
      if a == b or math.abs(a - b) <= tolerance then return nil end
      return ('%s ~= %s with tolerance %s'):format(tostring(a), tostring(b), tostring(tolerance))
   end
   if arg_check.is_tensor(a) or arg_check.is_storage(a) then
      if class.typename(a) ~= class.typename(b) then
         return ('type %s ~= %s'):format(class.typename(a), tostring(class.typename(b)))
      end
      return arg_check.is_tensor(a) and tensors_differ(a, b, tolerance) or
             arg_check.is_storage(a) and storages_differ(a, b, tolerance) or nil
   end
   if type(a) == 'table' then
      local mt = getmetatable(a)
      if mt and (rawget(mt, '__eq') and not class.typename(a) or mt.__eq__) then
         if a == b then return nil end
         return 'they are not equal'
      end
      return tables_differ(a, b, tolerance)
   end
   if type(a) == 'cdata' and ffi.typeof(a) == ffi.typeof(b) and a == b then return nil end
   if a == b then return nil end
   return ('%s ~= %s'):format(short(a), short(b))
end

function Tester:_eqOrNeq(a, b, negate, tolerance, message)
   tolerance, message = tolerance_of(negate and 'ne' or 'eq', 0, tolerance, message)
   local why = differ(a, b, tolerance)
   if negate then
      return self:_assert_sub(why ~= nil, with(message, ('NE failed: both are %s'):format(short(a))))
   end
   return self:_assert_sub(why == nil, with(message, 'EQ failed: ' .. tostring(why)))
end

--- Equal values of any type: numbers and elements within the tolerance (default 0), tables by what they contain.
function Tester:eq(got, expected, tolerance, message) return self:_eqOrNeq(got, expected, false, tolerance, message) end
--- torch.Tester:ne(a, b, [tolerance], [message]), torch.Tester:assertGeneralNe(a, b, [tolerance], [message]): a and b must differ.
function Tester:ne(got, other, tolerance, message) return self:_eqOrNeq(got, other, true, tolerance, message) end
Tester.assertGeneralEq, Tester.assertGeneralNe = Tester.eq, Tester.ne

function Tester:_assertTensorEqOrNeq(a, b, negate, tolerance, message)
   local who = negate and 'assertTensorNe' or 'assertTensorEq'
   need_kind(who, arg_check.is_tensor, 'a tensor', a, b)
   tolerance, message = tolerance_of(who, 0, tolerance, message)
   local why = tensors_differ(a, b, tolerance)
   if negate then
      return self:_assert_sub(why ~= nil, with(message, ('TensorNE failed: no element differs by more than %s'):format(
         tolerance)))
   end
   return self:_assert_sub(why == nil, with(message, 'TensorEQ failed: ' .. tostring(why)))
end

--- Tensors of one size whose elements differ by at most the tolerance (default 0); types may differ.
function Tester:assertTensorEq(a, b, ...) return self:_assertTensorEqOrNeq(a, b, false, ...) end
--- Two tensors of one size must differ by more than the tolerance (0) somewhere.
function Tester:assertTensorNe(a, b, ...) return self:_assertTensorEqOrNeq(a, b, true, ...) end

function Tester:_assertTableEqOrNeq(a, b, negate, ...)
   need_kind(negate and 'assertTableNe' or 'assertTableEq', is_table, 'a table', a, b)
   return self:_eqOrNeq(a, b, negate, ...)
end
--- Two tables must hold equal values, at all levels.
function Tester:assertTableEq(a, b, ...) return self:_assertTableEqOrNeq(a, b, false, ...) end
--- Two tables must differ somewhere.
function Tester:assertTableNe(a, b, ...) return self:_assertTableEqOrNeq(a, b, true, ...) end

-- ---- errors

--- The call of f must raise an error for which compare(error) is true.
function Tester:assertErrorObj(f, compare, message)
   need_kind('assertErrorObj', arg_check.is_callable, 'a function', f, compare)
   local ok, err = pcall(f)
   if ok then return self:_failure(with(message, 'ERROR failed: no error was raised')) end
   return self:_assert_sub(compare(err), with(message, 'ERROR failed: the error is ' .. short(err)))
end
--- Calling f must raise an error.
function Tester:assertError(f, message) return self:assertErrorObj(f, function() return true end, message) end
--- The error must be this message exactly.
function Tester:assertErrorMsg(f, expected, message)
   return self:assertErrorObj(f, function(err) return err == expected end, message)
end
--- The error must contain the Lua pattern.
function Tester:assertErrorPattern(f, pattern, message)
   if type(pattern) ~= 'string' then arg_check.refuse('assertErrorPattern', 'pattern', 'a string', pattern) end
   return self:assertErrorObj(f, function(err) return tostring(err):find(pattern) ~= nil end, message)
end
--- Calling f must raise no error.
function Tester:assertNoError(f, message)
   local ok, err = pcall(f)
   return self:_assert_sub(ok, with(message, 'ERROR found: ' .. short(err)))
end

---------------------------------------------------------------------------------------------------------
-- tests

local function add_test(self, f, name, hooks)
   if type(name) ~= 'string' then arg_check.refuse('Tester:add', 'the name of a test', 'a string', name, 4) end
   if type(f) ~= 'function' then arg_check.refuse('Tester:add', 'test ' .. name, 'a function', f, 4) end
   if self.tests[name] then error(('Tester:add: there is a test %s already'):format(name), 4) end
   self.tests[name], self.hooks[name] = f, hooks
   self.order[#self.order + 1] = name
end

--- Adds a test, or all tests of a table or TestSuite. `_setUp(name)` and `_tearDown(name)` of a suite run around each.
-- @return the tester
function Tester:add(f, name)
   if type(f) == 'function' then
      add_test(self, f, name, {})
      return self
   end
   if type(f) ~= 'table' then arg_check.refuse('Tester:add', 'tests', 'a function, a table or a TestSuite', f) end
   local suite = suites[f]
   local tests, order = suite and suite.tests or f, suite and suite.order
   if not order then
      order = {}
      for k in pairs(tests) do order[#order + 1] = k end
      table.sort(order, function(a, b) return tostring(a) < tostring(b) end)
   end
   local hooks = { setUp = tests._setUp, tearDown = tests._tearDown }
   for _, k in ipairs(order) do
      if k ~= '_setUp' and k ~= '_tearDown' then add_test(self, tests[k], k, hooks) end
   end
   return self
end

-- Names, or patterns that begin a name; a table of them; nil: all.
function Tester:_getTests(names, who)
   if names == nil then return self.order end
   if type(names) == 'string' then names = { names } end
   if type(names) ~= 'table' then arg_check.refuse('Tester:' .. who, 'tests', 'a name or a table of names', names, 3) end
   local found, chosen = {}, {}
   for _, wanted in ipairs(names) do
      if type(wanted) ~= 'string' then arg_check.refuse('Tester:' .. who, 'the name of a test', 'a string', wanted, 3) end
      local any = false
      for _, name in ipairs(self.order) do
         if name == wanted or name:match('^' .. wanted) then
            any = true
            if not chosen[name] then found[#found + 1], chosen[name] = name, true end
         end
      end
      if not any then error(('Tester:%s: there is no test %s'):format(who, tostring(wanted)), 3) end
   end
   return found
end

--- Leaves tests out of the next runs; returns the tester.
function Tester:disable(names)
   for _, name in ipairs(self:_getTests(names, 'disable')) do self.disabledTests[name] = true end
   return self
end

-- Calls f; an error is noted with its traceback.
function Tester:_pcall(f, ...)
   if self.rethrowErrors then
      f(...)
      return true
   end
   local args, n = { ... }, select('#', ...)
   local ok, err = xpcall(function() f(unpack(args, 1, n)) end, function(e)
      return type(e) == 'string' and debug.traceback(e, 2) or e
   end)
   if ok then return true end
   self._errored = true
   note(self, self.errors, 'Function call failed\n' .. tostring(err))
   return false
end

local function plural(n, word) return ('%d %s%s'):format(n, word, n == 1 and '' or 's') end

local function terminal()
   return io.type(io.stdout) == 'file' and require 'torch.package'.isatty(io.stdout)
end

function Tester:_run(names)
   local colored = terminal()
   local function color(c, s) return colored and ('\27[%dm%s\27[0m'):format(c, s) or s end
   local count = { tests = #names, failures = 0, errors = 0, disabled = 0 }
   for i, name in ipairs(names) do
      self._current, self._failed, self._errored = name, false, false
      local word
      if self.disabledTests[name] then
         count.disabled = count.disabled + 1
         word = color(33, 'SKIP')
      else
         local hooks = self.hooks[name]
         if not hooks.setUp or self:_pcall(hooks.setUp, name) then self:_pcall(self.tests[name]) end
         if hooks.tearDown then self:_pcall(hooks.tearDown, name) end
         if self._failed then count.failures = count.failures + 1 end
         if self._errored then count.errors = count.errors + 1 end
         word = self._errored and color(35, 'ERROR') or self._failed and color(31, 'FAIL') or color(32, 'PASS')
      end
      if not self.summaryOnly then
         io.write(('%3d/%d %s %s [%s]\n'):format(i, #names, name, ('.'):rep(math.max(3, 60 - #name)), word))
      end
      if self.earlyAbort and (self._failed or self._errored) then
         count.tests = i
         io.write 'Aborting on first error, not all tests have been executed\n'
         break
      end
   end
   return count
end

function Tester:_report(count)
   io.write(('Completed %s in %s with %s and %s'):format(plural(self.countasserts, 'assert'),
      plural(count.tests, 'test'), plural(count.failures, 'failure'), plural(count.errors, 'error')))
   if #self.warnings > 0 then io.write(' and ', plural(#self.warnings, 'warning')) end
   if count.disabled > 0 then io.write((' and %d disabled'):format(count.disabled)) end
   io.write '\n'
   if self.summaryOnly then return end
   local first = true
   for _, list in ipairs { self.errors, self.warnings } do
      for _, e in ipairs(list) do
         if first then io.write(RULE, '\n') end
         first = false
         io.write(e.name, list == self.warnings and ' (warning)' or '', '\n', e.message, '\n', RULE, '\n')
      end
   end
end

--- Runs all tests, or those of these names (or beginnings of names), and prints a report.
-- @return 0; raises an error when an assertion did not hold or a test had an error
function Tester:run(names)
   local chosen = self:_getTests(names, 'run')
   self.countasserts, self.errors, self.warnings = 0, {}, {}
   io.write('Running ', plural(#chosen, 'test'), '\n')
   local count = self:_run(chosen)
   self:_report(count)
   if #self.errors > 0 then error(('%s in tests'):format(plural(#self.errors, 'failure or error')), 2) end
   return 0
end

-- The examples of torch's help texts as tests.
local function examples()
   local doc, tester = require 'torch.doc', package.loaded.torch.Tester()
   for _, key in ipairs(doc.names()) do
      local entry = (key:match '^torch' or key:match '^Tensor' or key:match '^Storage') and doc.entry(key)
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

function M.install(torch)
   local mt = class.class('torch.Tester', torch)
   for k, f in pairs(Tester) do mt[k] = f end
   arg_check.guard_class(mt, 'a torch.Tester')
   torch.TestSuite = M.TestSuite

   --- Tests this installation: runs the examples in torch's help texts and prints a report.
   -- @param tests  a name such as 'torch.cumsum' or 'Tensor:view', or its beginning; a table of them (default: all)
   -- @return 0; raises an error when an example does not give what its text says
   function torch.test(tests)
      if tests ~= nil and type(tests) ~= 'string' and type(tests) ~= 'table' then
         arg_check.refuse('torch.test', 'tests', 'a name or a table of names', tests)
      end
      return examples():run(tests)
   end
end

return M
