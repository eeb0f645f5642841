-- lua/totem/init.lua - totem: torch.Tester with a command line, and checks that also work outside of a test.
--
--    local tester, tests = totem.Tester(), totem.TestSuite()
--    function tests.sum() tester:eq(1 + 1, 2) end
--    tester:add(tests):run()                   -- th test.lua --list; th test.lua sum --early-abort
local torch = require 'torch'
local differ = require 'torch.differ'
local arg_check = require 'torch.arg'

local totem = {}

---------------------------------------------------------------------------------------------------------
-- checks: totem.areXEq returns whether it holds and the reason; totem.assertXEq raises an error

local function tolerance_of(who, tolerance)
   if tolerance == nil then return 0 end
   if type(tolerance) ~= 'number' or tolerance ~= tolerance or tolerance < 0 then
      arg_check.refuse(who, 'tolerance', 'a number from 0', tolerance, 4)
   end
   return tolerance
end

-- Whether two values compare as wanted, else the reason. `find` finds their first difference.
local function verdict(find, a, b, tolerance, negate)
   local why = find(a, b, tolerance)
   if negate then
      if why then return true end
      return false, 'no difference above ' .. tostring(tolerance)
   end
   if why then return false, why end
   return true
end

local function is_table(v) return type(v) == 'table' end

local kinds = {
   Tensor = { find = differ.tensors, is = arg_check.is_tensor, what = 'a tensor', plural = 'Tensors' },
   Storage = { find = differ.storages, is = arg_check.is_storage, what = 'a storage', plural = 'Storages' },
   Table = { find = differ.tables, is = is_table, what = 'a table', plural = 'Tables' },
}

for name, kind in pairs(kinds) do
   for word, negate in pairs { Eq = false, Ne = true } do
      local who = ('totem.are%s%s'):format(kind.plural, word)
      local function check(a, b, tolerance)
         if not kind.is(a) then arg_check.refuse(who, 'argument 1', kind.what, a) end
         if not kind.is(b) then arg_check.refuse(who, 'argument 2', kind.what, b) end
         return verdict(kind.find, a, b, tolerance_of(who, tolerance), negate)
      end
      totem[('are%s%s'):format(kind.plural, word)] = check
      totem[('assert%s%s'):format(name, word)] = function(a, b, tolerance)
         local ok, why = check(a, b, tolerance)
         if not ok then error(('totem.assert%s%s: %s'):format(name, word, why), 2) end
         return true
      end
   end
end
--- totem.areTensorsEq(a, b, [tolerance]), totem.areTensorsNe(a, b, [tolerance]): Whether two
-- tensors agree (differ) in type, size and elements.
-- @return whether it holds, else the reason

--- totem.areStoragesEq(a, b, [tolerance]), totem.areStoragesNe(a, b, [tolerance]): The same for
-- storages.

--- totem.areTablesEq(a, b, [tolerance]), totem.areTablesNe(a, b, [tolerance]): The same for the contents
-- of tables, at all levels.

--- totem.assertTensorEq(a, b, [tolerance]), totem.assertTensorNe(a, b, [tolerance]): Raise an error
-- if the check does not hold.

--- totem.assertStorageEq(a, b, [tolerance]), totem.assertStorageNe(a, b, [tolerance]): The same for
-- storages.

--- totem.assertTableEq(a, b, [tolerance]), totem.assertTableNe(a, b, [tolerance]): The same for
-- tables.

--- Whether two values of any kind are equal. @param negate  true: whether they differ
-- @return whether it holds, else the reason
function totem.areEq(a, b, tolerance, negate)
   return verdict(differ.values, a, b, tolerance_of('totem.areEq', tolerance), negate)
end

--- Whether two values of any kind differ. @return whether it holds, else the reason
function totem.areNe(a, b, tolerance)
   return verdict(differ.values, a, b, tolerance_of('totem.areNe', tolerance), true)
end

---------------------------------------------------------------------------------------------------------
-- the tester

--- totem.TestSuite(): A table of tests, as torch.TestSuite.
totem.TestSuite = torch.TestSuite

--- totem.Tester(): A torch.Tester that reads the command line of the script.
-- Words choose tests. Options: --list prints the names of the tests. --log-output FILE writes a
-- line NAME PASSED FAILED ERRORS for each. --summary prints no details. --early-abort stops at the
-- first failure. --rethrow does not catch errors. --no-colour prints plain text. Tracebacks are
-- always full; --full-tracebacks has no further effect.
local Tester, parent = torch.class('totem.Tester', 'torch.Tester', totem)

-- tolerance and message in any order, and true: only return whether it holds, count nothing
function Tester:_eqOrNeq(a, b, negate, ...)
   local rest, only_return = {}, false
   for i = 1, select('#', ...) do
      local v = select(i, ...)
      if type(v) == 'boolean' then only_return = v elseif v ~= nil then rest[#rest + 1] = v end
   end
   if not only_return then return parent._eqOrNeq(self, a, b, negate, unpack(rest)) end
   local tolerance
   for _, v in ipairs(rest) do tolerance = type(v) == 'number' and v or tolerance end
   return totem.areEq(a, b, tolerance, negate)
end

function Tester:_assertStorageEqOrNeq(a, b, negate, ...)
   local who = negate and 'assertStorageNe' or 'assertStorageEq'
   if not arg_check.is_storage(a) then arg_check.refuse(who, 'argument 1', 'a storage', a, 3) end
   if not arg_check.is_storage(b) then arg_check.refuse(who, 'argument 2', 'a storage', b, 3) end
   return self:_eqOrNeq(a, b, negate, ...)
end
--- totem.Tester:assertStorageEq(a, b, [tolerance], [message]): Two storages must be equal.
function Tester:assertStorageEq(a, b, ...) return self:_assertStorageEqOrNeq(a, b, false, ...) end
--- totem.Tester:assertStorageNe(a, b, [tolerance], [message]): Two storages must differ.
function Tester:assertStorageNe(a, b, ...) return self:_assertStorageEqOrNeq(a, b, true, ...) end

-- A command line of options and any number of names.
local inner = {}
local Line = torch.class('totem.CmdLine', 'torch.CmdLine', inner)
function Line.__readArgument__(_, params, arg, i)
   params.names = params.names or {}
   params.names[#params.names + 1] = arg[i]
   return 1
end

local function command_line()
   local line = inner.CmdLine()
   line:text 'Runs tests: those whose names contain one of the patterns given, or all.'
   line:option('--list', false, 'print the names of the tests')
   line:option('--log-output', '', 'a file to write the counts of each test to')
   line:option('--summary', false, 'print no details')
   line:option('--early-abort', false, 'stop at the first failure')
   line:option('--rethrow', false, 'let errors of tests through')
   line:option('--no-colour', false, 'print plain text')
   line:option('--full-tracebacks', false, 'print whole tracebacks, as always')
   return line:parse(rawget(_G, 'arg') or {})
end

local function print_names(tests)
   local names = {}
   for name in pairs(tests) do names[#names + 1] = name end
   table.sort(names)
   for _, name in ipairs(names) do print(name) end
end

-- One line for each test and one for all: the name, assertions that held, assertions that did not,
-- errors.
local function write_counts(self, tests, file)
   local f, why = io.open(file, 'w')
   if not f then error('totem.Tester: cannot write ' .. tostring(why), 0) end
   local lines, total = {}, { 0, 0, 0 }
   for name in pairs(tests) do
      local counts = { self.assertionPass[name] or 0, self.assertionFail[name] or 0, self.testError[name] or 0 }
      for i, n in ipairs(counts) do total[i] = total[i] + n end
      lines[#lines + 1] = ('%s %d %d %d\n'):format(name, unpack(counts))
   end
   table.sort(lines)
   f:write(('[total] %d %d %d\n'):format(unpack(total)), table.concat(lines))
   f:close()
end

function Tester:_report(tests)
   parent._report(self, tests)
   if self._logOutput then write_counts(self, tests, self._logOutput) end
end

--- Runs the tests as torch.Tester:run does, with the options of the command line. Its words choose
-- tests when `patterns` does not.
function Tester:run(patterns)
   local options = command_line()
   if options.list then
      print_names(self:_getTests(patterns or options.names))
      return 0
   end
   if options.summary then self:setSummaryOnly(true) end
   if options['early-abort'] then self:setEarlyAbort(true) end
   if options.rethrow then self:setRethrowErrors(true) end
   if options['no-colour'] then self.noColour = true end
   self._logOutput = options['log-output'] ~= '' and arg_check.path('totem.Tester', '--log-output', options['log-output']) or nil
   return parent.run(self, patterns or options.names)
end

-- totem.nn needs nn, which other tests do not load.
setmetatable(totem, { __index = function(t, name)
   if name ~= 'nn' then return nil end
   t.nn = require 'totem.nn'
   return t.nn
end })

rawset(_G, 'totem', totem)
return totem
