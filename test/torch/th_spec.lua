-- test/torch/th_spec.lua - the launcher and its prompt: options, results, help, completion, Ctrl-C.
-- runs once
local torch, paths, pty = require 'torch', require 'paths', require 'test.support.pty'
local patience = require 'test.support.patience'
local TH = os.getenv 'TH' or 'build/bin/th'

local quote, th = require 'test.support.shell'.quote, require 'test.support.run_th'.th

local function script(text)
   local name = os.tmpname()
   local f = assert(io.open(name, 'w'))
   f:write(text)
   f:close()
   return name
end

describe('th', function()
   it('runs a script with its arguments in arg and ...', function()
      local name = script 'print(arg[0] ~= nil, #arg, arg[-1] ~= nil, arg[1], arg[2], ...)'
      assert.same({ 'true\t2\ttrue\ta b\t-x\ta b\t-x\n', 0 }, { th(name .. " 'a b' -x") })
      os.remove(name)
   end)

   it('runs -e and -l in their order, before the script', function()
      local name = script 'print(x, torch ~= nil)'
      assert.same({ 'true\n1\ttrue\n', 0 }, { th("-e 'x = 1 print(ffi == nil)' -lffi " .. name) })
      assert.same({ '3\n', 0 }, { th "-e 'print(1 + 2)'" })
      os.remove(name)
   end)

   it('runs a script from standard input', function()
      assert.same({ '7\n', 0 }, { th('', 'print(3 + 4)\n') })
      assert.same({ '7\tx\n', 0 }, { th('- x', 'print(3 + 4, ...)\n') })
   end)

   it('ends with status 1 and a traceback after an error', function()
      local name = script 'local function f() error "boo" end\nf()'
      local out, status = th(name)
      assert.equal(1, status)
      assert.matches(':1: boo\nstack traceback:', out)
      assert.equal(1, (select(2, th '/nonexistent.lua')))
      assert.equal(1, (select(2, th "-e 'error({})'")))
      assert.matches('unexpected symbol', (th "-e '1+'"))
      os.remove(name)
   end)

   it('says how it is used when options are wrong', function()
      local out, status = th '-x'
      assert.equal(2, status)
      assert.matches('th: %-x: unknown option\nusage:', out)
      assert.matches('an argument must follow', (th '-e'))
      assert.equal(0, (select(2, th '-h')))
      assert.matches('^Cresset %d+%.%d+%.%d+, LuaJIT 2%.1.*BLAS', (th '-v'))
   end)

   it('finds its tree from any directory, without environment', function()
      local p = io.popen(('th=$(readlink -f %s) && cd / && env -i "$th" -e %s 2>&1'):format(quote(TH),
         quote "print(require 'torch' == torch, torch.typename(torch.Tensor()))"))
      assert.equal('true\ttorch.DoubleTensor\n', p:read '*a')
      p:close()
   end)

   it('runs finalizers when the script calls os.exit', function()
      local code = "g = newproxy(true) getmetatable(g).__gc = function() print 'gone' end os.exit(%s)"
      assert.same({ 'gone\n', 3 }, { th('-e ' .. quote(code:format '3')) })
      assert.same({ 'gone\n', 0 }, { th('-e ' .. quote(code:format '')) })
      assert.same({ 'gone\n', 1 }, { th('-e ' .. quote(code:format 'false')) })
   end)
end)

describe('the prompt without a terminal', function()
   local function prompt(input, env) return (th('-i', input, env)) end

   it('shows the values of expressions and keeps quiet after a semicolon', function()
      assert.equal('2\n3\tabc\n9\n', prompt '1 + 1\nx = 3\nx, "abc"\nx;\n= x * x\nx = 4;\n')
      assert.equal('nil\n', prompt 'nil\n')
      assert.equal('', prompt 'print;\n(function() end)()\n')
   end)

   it('reads on until an input is complete', function()
      assert.equal('1\n2\n', prompt 'for i = 1, 2 do\nprint(i)\nend\n')
      assert.equal('3\n', prompt 'f = function(a,\nb) return a + b end\nf(1, -- one\n2)\n')
      assert.equal('a\nb\n', prompt '[[a\nb]]\n')
   end)

   it('shows nested tables by key, cycles and huge ones in bounded size', function()
      assert.equal('{\n  1 : true\n  b : \n    {\n      1 : "x"\n    }\n}\n', prompt '{ true, b = { "x" } }\n')
      assert.equal('{\n  t : <cycle: the table 1 levels up>\n}\n', prompt 't = {} t.t = t\nt\n')
      local big = prompt 't = {} for i = 1, 1e5 do t[i] = i end\nt\n'
      assert.matches('99994 more', big)
      assert.is_true(#big < 10000)
      assert.is_true(#prompt 't = {} for i = 1, 199 do t[i] = {} for j = 1, 199 do t[i][j] = {i, j} end end\nt\n' < 1e5)
   end)

   it('prints tables with what they hold, other values as print does', function()
      assert.equal('{\n  1 : 1\n  a : "x"\n}\n', prompt 'print { 1, a = "x" }\n')
      assert.equal('1\tnil\ttext\n', prompt 'print(1, nil, "text")\n')
   end)

   it('shows tensors as tostring has them, and in one line inside a table', function()
      assert.equal(' 0  0\n[torch.DoubleTensor of size 1x2]\n\n', prompt 'torch.zeros(1, 2)\n')
      assert.equal('{\n  1 : FloatTensor - size: 1x2\n}\n', prompt '{ torch.FloatTensor(1, 2) }\n')
   end)

   it('survives errors and says where they came from', function()
      local out = prompt 'error("boo")\nlocal function f() g() end f()\n)\nerror({ code = 7 })\n"alive"\n'
      assert.matches('^stdin:1: boo\n', out)
      assert.matches("stdin:1: attempt to call global 'g'", out)
      assert.matches("unexpected symbol near '%)'", out)
      assert.matches('code : 7', out)
      assert.matches('alive\n$', out)
      assert.is_nil(out:find 'repl.lua')
   end)

   it('survives values whose __tostring fails', function()
      assert.matches('__tostring fails.*bad>\n2\n$', prompt 'setmetatable({}, { __tostring = function() error "bad" end })\n1+1\n')
   end)

   it('says what is missing when the input ends too early', function()
      assert.matches("near '<eof>'", prompt 'f(\n')
   end)

   it('explains ops, functions, packages and unknown names', function()
      local out = prompt '? eye\n'
      assert.matches('torch%.eye%(%[y%], n%)', out)
      assert.matches('ones on the diagonal', out)
      assert.matches('torch%.class%(name', prompt '? torch.class\n')
      assert.matches('torch: %d+ names', prompt '? torch\n')
      assert.matches('Tab completes', prompt '?\n')
      assert.matches('nothing is known about "qqq"', prompt '? qqq\n')
   end)

   it('runs commands of the shell after a dollar sign', function()
      assert.equal('1\nfrom the shell\n2\n', prompt '1\n$ echo from the shell\n2\n')
   end)

   it('uses no colours', function()
      assert.is_nil(prompt 'error "x"\n':find '\27')
   end)

   it('continues at the prompt after -i and a script, even one that failed', function()
      local name = script 'x = 5 error "boo"'
      local out = th('-i ' .. name, 'x + 1\n')
      assert.matches('boo', out)
      assert.matches('6\n$', out)
      os.remove(name)
   end)
end)

describe('completion', function()
   local complete = require 'torch.complete'.complete
   local function found(line, globals)
      local n, list = complete(line, globals)
      local set = {}
      for _, s in ipairs(list) do set[s] = true end
      return set, n, list
   end

   it('knows globals, fields, methods and keywords', function()
      assert.is_true(found('x = tor', { torch = torch })['torch'])
      assert.is_true(found('torch.ey', { torch = torch })['torch.eye'])
      assert.is_true(found 'print(string.form'['string.format'])
      assert.is_true(found 'whi'['while'])
      assert.is_true(found 'io.stdout:wri'['io.stdout:write'])
      local some = { t = torch.Tensor(2), box = { x = 1, _hidden = 2 } }
      assert.is_true(found('t:narr', some)['t:narrow'])
      assert.is_true(found('t:unif', some)['t:uniform'])
      assert.same({ ['box.x'] = true }, (found('box.', some)))
      assert.same({ ['box._hidden'] = true }, (found('box._', some)))
      local _, n = found('x = torch.ey', { torch = torch })
      assert.equal(8, n)
   end)

   it('lists methods only after a colon', function()
      assert.is_true(found 'string:re'['string:rep'])
      assert.is_nil(found 'math:p'['math:pi'])
      assert.is_true(found 'math.p'['math.pi'])
   end)

   it('completes file names inside quotes', function()
      local folder = os.tmpname() .. '.d'
      paths.mkdir(folder)
      paths.mkdir(folder .. '/inner')
      io.open(folder .. '/inner/file.t7', 'w'):close()
      assert.is_true(found('dofile("' .. folder .. '/in')[folder .. '/inner/'])
      assert.is_true(found("x = 'a' .. '" .. folder .. '/inner/fi')[folder .. '/inner/file.t7'])
      assert.same({}, (found('"done" ' .. folder .. '/inne')))
      paths.rmall(folder, 'yes')
   end)

   it('offers nothing for what does not exist', function()
      assert.same({}, (found 'no_such_thing.x'))
      assert.same({}, (found 'torch.no_such_op_at_all'))
      assert.same({}, (found '3.'))
   end)
end)

describe('the prompt on a terminal', function()
   if not pty.there() then return pending 'needs terminals: mount /dev/pts' end
   local history
   local function start(env)
      env = env or {}
      env.TH_HISTORY, env.NO_COLOR = env.TH_HISTORY or history, env.NO_COLOR or '1'
      local p = pty.start({ TH }, env)
      p:expect 'th> '
      return p
   end
   before_each(function() history = os.tmpname() end)
   after_each(function() os.remove(history) end)

   it('edits lines, completes with Tab and remembers them in the history file', function()
      local p = start()
      p:send 'torch.ey\t(1)\n'
      p:expect 'torch.DoubleTensor of size 1x1'
      p:expect 'th> '
      assert.equal(0, p:leave())
      local f = io.open(history)
      assert.matches('torch%.eye%(1%)', (f:read '*a'))
      f:close()
   end)

   it('shows errors in red unless NO_COLOR is set', function()
      local p = start { NO_COLOR = '' }
      p:send 'error "boo"\n'
      p:expect '\27[31mstdin:1: boo'
      p:expect 'th> '
      assert.equal(0, p:leave())
   end)

   it('drops the line after Ctrl-C and continues', function()
      local p = start()
      p:send 'abc def'
      p:expect 'abc def'
      p:send '\3'
      p:expect 'th> '
      p:send 'f(\n'
      p:expect '..> '
      p:send '\3'
      p:expect 'th> '
      p:send '"ali" .. "ve"\n'
      p:expect 'alive'
      p:expect 'th> '
      assert.equal(0, p:leave())
   end)

   -- Programs that never end: interpreted, compiled without a guard, with one, in side traces, in C, in coroutines.
   local endless = {
      ['an empty loop'] = 'while true do end',
      ['a loop without guards'] = 'x = 0 local y = 0 while true do y = y + 1 end',
      ['a long counting loop'] = 'for i = 1, 1e18 do x = i * 2 end',
      ['nested loops'] = 'for i = 1, 1e9 do for j = 1, 1e9 do x = j end end',
      ['branches in a loop'] = 'local s = 0 while true do for i = 1, 100 do if i % 3 == 0 then s = s + 1 elseif i % 7 == 1 then s = s - 1 end end end',
      ['string building'] = 'local s = "" while true do s = (s .. "x"):sub(-100) end',
      ['allocation'] = 'local t = {} for i = 1, 1e18 do t[i % 1000 + 1] = { i } end',
      ['recursion'] = 'local function f(n) if n < 2 then return n end return f(n - 1) + f(n - 2) end f(70)',
      ['tail calls'] = 'local function f() return f() end f()',
      ['coroutines'] = 'local c = coroutine.wrap(function() while true do coroutine.yield(1) end end) while true do c() end',
      ['interpreted code'] = 'jit.off(true, true) while true do end',
      ['tensor ops'] = 'local x = torch.Tensor(10) while true do x:uniform() end',
   }
   for name, code in pairs(endless) do
      it('interrupts ' .. name, function()
         local p = start()
         p:send('io.write("beg", "un\\n") io.flush() ' .. code .. '\n')
         p:expect 'begun'
         p:wait(150)
         p:send '\3'
         assert.is_true(p:expect('interrupted', 10000) < patience(2000))
         p:expect 'th> '
         p:send '"ali" .. "ve"\n'
         p:expect 'alive'
         p:expect 'th> '
         assert.equal(0, p:leave())
      end)
   end

   it('interrupts one long C operation', function()
      local p = start()
      p:send 'x = torch.DoubleTensor(1e7)\n'
      p:expect 'th> '
      p:send 'io.write("beg", "un\\n") io.flush() while true do x:normal() end\n'
      p:expect 'begun'
      p:wait(150)
      p:send '\3'
      assert.is_true(p:expect('interrupted', 10000) < patience(2000))
      p:expect 'th> '
      assert.equal(0, p:leave())
   end)

   it('says at once that it waits for LAPACK, and ends at a second Ctrl-C within a second', function()
      if torch.config().lapack == 'none' then return pending 'needs LAPACK' end
      local p = start()
      p:send 'x = torch.rand(2500, 2500) io.write("beg", "un\\n") io.flush() torch.svd(x)\n'
      p:expect 'begun'
      p:wait(300)
      p:send '\3'
      local ms = p:expect('waits for svd of LAPACK, which cannot be stopped', 10000)
      assert.is_true(ms < patience(2000))
      p:pause(200)
      p:send '\3'
      p:expect 'interrupted again: goodbye'
      assert.equal(-2, p:finish(5000))
   end)

   it('continues at the prompt when LAPACK has ended', function()
      if torch.config().lapack == 'none' then return pending 'needs LAPACK' end
      local p = start()
      p:send 'x = torch.rand(600, 600) io.write("beg", "un\\n") io.flush() for i = 1, 1e9 do torch.svd(x) end\n'
      p:expect 'begun'
      p:wait(300)
      p:send '\3'
      p:expect('interrupted', 60000)
      p:expect 'th> '
      assert.equal(0, p:leave())
   end)

   it('lets pcall catch an interrupt', function()
      local p = start()
      p:send 'print(pcall(function() io.write("beg", "un\\n") io.flush() while true do end end))\n'
      p:expect 'begun'
      p:wait(100)
      p:send '\3'
      p:expect 'false\tinterrupted'
      p:expect 'th> '
      assert.equal(0, p:leave())
   end)
end)

describe('a script', function()
   if not pty.there() then return pending 'needs terminals: mount /dev/pts' end
   it('ends with a traceback and of SIGINT after Ctrl-C, as a loop of the shell must see', function()
      local name = script 'print "begun" while true do end'
      local p = pty.start { TH, name }
      p:expect 'begun'
      p:wait(100)
      p:send '\3'
      p:expect 'interrupted'
      p:expect 'stack traceback'
      assert.equal(-2, p:finish())
      os.remove(name)
   end)

   local endless = {
      ['whose pcall takes each interrupt'] = 'local function f() while true do end end print "begun" while true do pcall(f) end',
      ['in C code that hears of no interrupt'] = 'print "begun"; (("a"):rep(60000)):find(("a-"):rep(30) .. "b")',
   }
   for what, code in pairs(endless) do
      it(what .. ' ends at the second Ctrl-C', function()
         local name = script(code)
         local p = pty.start { TH, name }
         p:expect 'begun'
         p:wait(200)
         p:send '\3'
         p:pause(300)                     -- the second one within a second
         p:send '\3'
         p:expect 'interrupted again: goodbye'
         assert.equal(-2, p:finish(3000))
         os.remove(name)
      end)
   end

   it('that caught an interrupt and ends later ends as it wants', function()
      local name = script 'print "begun" pcall(function() while true do end end) print "saved" os.exit(3)'
      local p = pty.start { TH, name }
      p:expect 'begun'
      p:wait(100)
      p:send '\3'
      p:expect 'saved'
      assert.equal(3, p:finish())
      os.remove(name)
   end)
end)
