-- test/torch/prompt_spec.lua - what the prompt shows of large values, its commands, the pager, the history and notes.
-- runs once
local patience = require 'test.support.patience'
local pty = require 'test.support.pty'
local prompt = require 'test.support.run_th'.prompt

local function lines_in(text) return select(2, text:gsub('\n', '')) end

describe('the prompt', function()
   it('shows a package, a class, a function and a large table in ten lines', function()
      local out = prompt "require 'nn'"
      assert.matches('^nn: a package of %d+ names\n', out)
      assert.matches('%? nn lists all', out)
      assert.is_true(lines_in(out) <= 10)
      out = prompt "require 'nn';\nnn.Linear"
      assert.matches('^nn.Linear%(inputSize, outputSize, bias%)\n   a class, derived from nn.Module\n   y = x W', out)
      assert.is_true(lines_in(out) <= 10)
      assert.matches('^torch.ones%(%[result,%] sizes', prompt 'torch.ones')
      assert.matches('^function%(a, %.%.%.%), defined at stdin:1\n$', prompt 'f = function(a, ...) return a end\nf')
      out = prompt 't = {} for i = 1, 1000 do t[i] = { i } end\nt'
      assert.matches('\na table of 1000 entries; print%(_%) shows all\n$', out)
      assert.is_true(lines_in(out) <= 10)
      assert.is_true(lines_in(prompt 'torch') <= 10)
      assert.is_true(lines_in(prompt '_G') <= 10)
      assert.is_true(lines_in(prompt 't = {} t.a = t for i = 1, 50 do t[i] = ("x"):rep(1e5) end\nt') <= 10)
   end)
   it('shows small tables whole, and print shows all of a large one', function()
      assert.equal('{\n  1 : 1\n  2 : \n    {\n      a : "x"\n    }\n}\n', prompt '{ 1, { a = "x" } }')
      assert.is_true(lines_in(prompt 't = {} for i = 1, 100 do t[i] = i end\nprint(t)') > 100)
   end)
   it('shows a class of the program', function()
      assert.matches('^Foo\n   a class\n   1 methods:\n     bar\n$', prompt 'F = torch.class "Foo" function F:bar() end\nFoo')
   end)
   it('keeps the last value in _, unless the program has a _', function()
      assert.equal('3\n7\n14\n', prompt '3\n_ + 4\n_ * 2')
      assert.equal('3\nmine\n', prompt '_ = "mine"\n3\n_')
      assert.equal('nil\n', prompt '_')
   end)
   it('leaves at exit and quit, unless these are variables', function()
      for _, word in ipairs { 'exit', 'quit', 'exit()', 'quit();' } do assert.equal('1\n', prompt('1\n' .. word .. '\n2')) end
      assert.equal('5\n6\n', prompt 'exit = 5\nexit\n6')
   end)
   it('answers help', function()
      assert.matches('^%?  NAME  .*Ctrl%-D, exit or quit leaves%.\n$', prompt 'help')
      assert.matches('torch%.eye', prompt 'help torch.eye')
      assert.matches('torch%.eye', prompt 'help(torch.eye)')
      assert.matches('torch%.ones', prompt '? torch.onse')
      assert.equal('torch.help: nothing is known about "qqqqqq"\n', prompt '? qqqqqq')
   end)
   it('measures code with %time', function()
      assert.matches('^2\n%d+%.%d+ s, processors %d+%.%d+ s\n$', prompt '%time 1 + 1')
      assert.matches('must be complete in one line', prompt '%time for')
      assert.matches('boo', prompt '%time error "boo"')
   end)
   it('measures many runs with %timeit', function()
      local time = '%d+%.?%d* [mn\194\181]*s'
      local line = '^' .. time .. ' ± ' .. time .. ' %(7 rounds of [125]0*,?0*,?0*%)\n$'
      assert.matches(line, prompt '%timeit math.sqrt(2)')
      assert.matches(line, prompt '%timeit local x = 2; x = x * x')
      local slow = prompt "require 'sys';\n%timeit sys.sleep(0.11)"
      assert.matches('^[1-9]%d%d ms ± %d+ ms %(7 rounds of 1%)\n$', slow)
   end)
   it('shows the errors of code that %timeit runs', function()
      assert.equal('stdin:1: boo\n', prompt '%timeit error "boo"')
      assert.equal("stdin:1: '=' expected near 'y'\n", prompt '%timeit x y')
      assert.equal('%timeit: the code must be complete in one line\n', prompt '%timeit for i = 1')
      assert.equal('2\n', (prompt 'n = 0;\n%timeit n = n + 1 if n > 1 then error "two" end\nn')
                          :match '\n?(%d+\n)$')
      assert.matches('the prompt knows %%time CODE and %%timeit CODE', prompt '%timeit')
   end)
   it('warns of a local that is gone after its line', function()
      assert.equal('   (x is local to this line and gone now: leave out `local`)\n', prompt 'local x = 3')
      assert.equal('   (x, y are local to this line and gone now: leave out `local`)\n', prompt 'local x, y = 3, 4')
      assert.matches('f is local', prompt 'local function f() end')
      assert.equal('3\n', prompt 'local x = 3 print(x)')
      assert.equal('3\n', prompt 'do local x = 3\nprint(x) end')
   end)
   it('names the near field of one that is nil', function()
      assert.equal('nil\n   (did you mean torch.ones?)\n', prompt 'torch.onse')
      assert.equal('nil\n   (did you mean torch?)\n', prompt 'tocrh')
      assert.equal('nil\n', prompt 'qqqqqq')
      assert.equal('nil\n', prompt 't = {}\nt.x')
   end)
   it('knows torch.version as a text that compares by numbers', function()
      assert.equal('true\ttrue\tfalse\ttrue\n',
         prompt "torch.version >= '0.1', '0.0.9' < torch.version, torch.version > '0.10', torch.version == tostring(torch.version)")
      assert.matches('^%d+%.%d+%.%d+\n1\n', prompt 'torch.version\ntorch.version(torch.Timer())')
      assert.matches("a version compares with a text such as '[%d.]+', got a number %(3%)", prompt 'torch.version < 3')
      assert.matches("compares with a text such as '[%d.]+', got a table", prompt 'torch.version < {}')
   end)
end)

describe('the prompt on a terminal', function()
   if not pty.there() then return pending 'needs terminals: mount /dev/pts' end
   local TH = os.getenv 'TH' or 'build/bin/th'
   local function start(env, rows, columns)
      env.NO_COLOR = env.NO_COLOR or '1'
      env.TH_HISTORY = env.TH_HISTORY or ''
      local p = pty.start({ TH }, env, rows, columns)
      p:expect 'th> '
      return p
   end
   it('shows what exceeds the screen through the pager', function()
      local p = start({ TH_PAGER = 'sed s/^/paged:/' }, 10, 60)
      p:send 'torch.range(1, 30)\n'
      p:expect 'paged: 30\n'
      p:expect 'th> '
      p:send '"short"\n'
      p:expect '\nshort'
      assert.equal(0, p:leave())
      p = start({ TH_PAGER = 'head -n 2' }, 10, 60)
      p:send '("line\\n"):rep(100000)\n'
      p:expect 'line\nline\n'
      p:expect 'th> '
      p:send '"ali" .. "ve"\n'
      p:expect 'alive'
      assert.equal(0, p:leave())
      p = start({ TH_PAGER = 'no_such_pager 2>/dev/null' }, 10, 60)
      p:send 'torch.range(1, 30)\n'
      p:expect 'th> '
      p:send '"ali" .. "ve"\n'
      p:expect 'alive'
      assert.equal(0, p:leave())
      p = start({ TH_PAGER = '' }, 10, 60)
      p:send 'torch.range(1, 30)\n'
      p:expect '\n 30\n[torch.DoubleTensor of size 30]'
      assert.equal(0, p:leave())
   end)
   it('ends %timeit at Ctrl-C, in the code and between its runs', function()
      local endless = 'io.write("beg", "un\\n") while true do end'
      for _, code in ipairs { endless, 'begun = torch.rand(10)' } do
         local p = start({}, 100, 80)
         p:send('%timeit ' .. code .. '\n')
         p:expect 'begun'
         p:pause(300)                        -- %timeit itself ends after a second
         p:send '\3'
         assert.is_true(p:expect('interrupted', 10000) < patience(2000))
         p:expect 'th> '
         p:send '"ali" .. "ve"\n'
         p:expect 'alive'
         assert.equal(0, p:leave())
      end
   end)
   it('cuts matrices at the width of the terminal, and has the plain style', function()
      local p = start({ TH_PAGER = '' }, 100, 40)
      p:send 'torch.ones(1, 30)\n'
      p:expect 'Columns 1 to 13'
      p:expect 'th> '
      p:send 'torch.Tensor{1e10}\n'
      p:expect ' 10000000000\n'
      p:expect 'th> '
      p:send 'torch.setprintoptions()\ntorch.Tensor{1e10}\n'
      p:expect ' 1.0000e+10\n'
      assert.equal(0, p:leave())
   end)
   it('has types in colour unless NO_COLOR is set', function()
      local p = start { NO_COLOR = '' }
      p:send 'torch.ones(1)\n'
      p:expect '\27[36m[torch.DoubleTensor of size 1]\27[0m'
      assert.equal(0, p:leave())
   end)
   it('remembers a block of several lines as one entry', function()
      local history = os.tmpname()
      local p = start { TH_HISTORY = history }
      p:send 'for i = 1, 2 do\n'
      p:expect '..> '
      p:send 'print("line", i)\n'
      p:expect '..> '
      p:send 'end\n'
      p:expect 'line\t2'
      p:expect 'th> '
      p:send '\27[A'
      p:wait(300)
      p:send '\n'
      p:expect 'line\t2'
      assert.equal(0, p:leave())
      local f = io.open(history)
      local text = f:read '*a'
      f:close()
      os.remove(history)
      assert.equal(2, select(2, text:gsub('\n', '')))            -- the head of the file, and one entry
   end)
end)
