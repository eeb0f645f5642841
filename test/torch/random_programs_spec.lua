-- test/torch/random_programs_spec.lua - plain Lua programs give under th what the interpreter gives, and end (torch.coroutines, torch.varargs).
-- runs once: nothing here computes
local program = require 'test.random_programs'
local th = os.getenv 'TH'

local function output(code)
   local pipe = io.popen(("'%s' -e '%s' 2>&1; echo status $?"):format(th, code))
   local text = pipe:read '*a'
   pipe:close()
   return text
end

describe('th', function()
   it('survives coroutines that end with a tail call of a builtin', function()
      assert.equal('status 0\n', output [[local function f(x) return tonumber(x) end
         for i = 1, 1000 do coroutine.wrap(function() return f(2) end)() end]])
   end)
   it('survives them inside of pcall, and where the builtin is the coroutine', function()
      assert.equal('status 0\n', output [[local function f(x) return pcall(tonumber, x) end
         for i = 1, 1000 do coroutine.wrap(f)(i) coroutine.wrap(tonumber)(i) end]])
   end)
   it('gives the results of the interpreter for 400 random programs', function()
      local faults = {}
      for i, fault in ipairs(program.faults(th, 1, 400)) do
         faults[i] = ('program %d: %s, not %s'):format(fault.seed, fault.compiled, fault.interpreted)
      end
      assert.equal('', table.concat(faults, '\n'))
   end)
   it('refuses in coroutine.create and wrap what is no function, in the words of Lua', function()
      assert.error_matches(function() coroutine.create(2) end, "bad argument #1 to 'create' %(function expected, got number%)")
      assert.error_matches(function() coroutine.wrap() end, "bad argument #1 to 'wrap' %(function expected, got no value%)")
   end)
   it('passes arguments, results, yields and errors through coroutines', function()
      local c = coroutine.create(function(...)
         local got = { coroutine.yield(select('#', ...), ...) }
         error { got[1], #got }
      end)
      assert.same({ true, 2, nil, 4 }, { coroutine.resume(c, nil, 4) })
      local ok, what = coroutine.resume(c, 'a', 'b', 'c')
      assert.is_false(ok)
      assert.same({ 'a', 3 }, what)
      assert.equal('dead', coroutine.status(c))
      assert.equal(0, select('#', coroutine.wrap(function() end)()))
   end)
   it('shows in a traceback the frames of the script alone', function()
      local text = output 'local function g() error "x" end local function f() g() end f()'
      assert.equal("th: (command line):1: x\nstack traceback:\n"
         .. "\t(command line):1: in function 'g'\n\t(command line):1: in function 'f'\n\t(command line):1: in main chunk\nstatus 1\n", text)
   end)
end)
