-- test/torch/cmdline_spec.lua - torch.CmdLine, torch.Timer and the small functions around packages.
local torch = require 'torch'

-- What f prints or writes, and how it ends: os.exit becomes an error.
local function captured(f, ...)
   local parts, print0, write0, exit0, err0 = {}, print, io.write, os.exit, io.stderr
   local function write(...)
      for i = 1, select('#', ...) do parts[#parts + 1] = tostring((select(i, ...))) end
   end
   rawset(_G, 'print', function(...) write(...) write '\n' end)
   rawset(io, 'write', write)
   rawset(io, 'stderr', { write = function(_, ...) write(...) end })
   rawset(os, 'exit', function(code) error('exit ' .. tostring(code), 0) end)
   local ok, r = pcall(f, ...)
   rawset(_G, 'print', print0)
   rawset(io, 'write', write0)
   rawset(io, 'stderr', err0)
   rawset(os, 'exit', exit0)
   return table.concat(parts), ok, r
end

local function example()
   local c = torch.CmdLine()
   c:text 'Trains a network'
   c:argument('-file', 'where the data is')
   c:option('-rate', 0.1, 'learning rate')
   c:option('-name', 'none', 'a name')
   c:option('-quick', false, 'less of everything')
   c:option('-shuffle', true, 'in a new order')
   return c
end

describe('torch.CmdLine', function()
   it('reads values of the type of the default; booleans stand alone', function()
      assert.same({ file = 'f', rate = 3, name = '7', quick = true, shuffle = false },
                  example():parse { '-rate', '3', 'f', '-quick', '-name', '7', '-shuffle' })
      assert.same({ file = '-2', rate = 0.1, name = 'none', quick = false, shuffle = true }, example():parse { '-2' })
   end)

   it('prints what is wrong, then the help, and ends the script with status 1', function()
      for _, case in ipairs { { { 'f', '-speed', '3' }, 'unknown option %-speed' },
                              { { 'f', '-rate' }, 'missing argument for option %-rate' },
                              { { 'f', '-rate', 'fast' }, 'option %-rate must be a number, got fast' },
                              { {}, 'not enough arguments: %-file is missing' },
                              { { 'f', 'g' }, 'invalid argument: g' } } do
         local c = example()
         local text, ok, why = captured(c.parse, c, case[1])
         assert.is_false(ok)
         assert.equal('exit 1', why)
         assert.truthy(text:find(case[2]), text)
         assert.truthy(text:find 'Usage: ')
      end
   end)

   it('prints its help for -h and ends with status 0', function()
      local c = example()
      local text, _, why = captured(c.parse, c, { '-h', [0] = 'train.lua' })
      assert.equal('exit 0', why)
      assert.truthy(text:find('Usage: train.lua [options] <file>', 1, true))
      assert.truthy(text:find('  -rate    learning rate [0.1]', 1, true))
      assert.truthy(text:find('  <file>   where the data is', 1, true))
   end)

   it('names a run by what differs from the defaults', function()
      local c = example()
      local p = c:parse { 'f', '-rate', '0.5', '-quick' }
      assert.equal('run,file=f,quick=t,rate=0.5', c:string('run', p, {}))
      assert.equal('run,quick=t', c:string('run', p, { rate = true, file = true }))
      assert.equal('run', c:string('run', c:default(), {}))
      p.later = 3
      assert.equal('file=f,quick=t,rate=0.5', c:string(nil, p))
   end)

   it('keeps what a program declared where programs look for it', function()
      local c = example()
      assert.same({ '-file', '-rate', '-name', '-quick', '-shuffle' },
                  { c.arguments[1].key, c.options['-rate'].key, c.options['-name'].key, c.options['-quick'].key,
                    c.options['-shuffle'].key })
      assert.equal('number', c.options['-rate'].type)
      assert.equal('boolean', c.options['-quick'].type)
      assert.same({ key = '-file', help = 'where the data is' }, c.arguments[1])
      assert.equal('Trains a network', c.helplines[1])
      assert.equal(c.arguments[1], c.helplines[2])
      assert.equal(c.options['-rate'], c.helplines[3])
      c.options['-rate'].default = 7
      assert.equal(7, c:parse({ 'f' }).rate)
   end)

   it('takes a default of any type, which the command line cannot set', function()
      local c, sizes = torch.CmdLine(), { 1, 2 }
      c:option('-sizes', sizes, 'sizes')
      c:option('-n', 3, 'count')
      assert.equal(sizes, c:parse({ '-n', 4 }).sizes)
      local text, _, why = captured(c.parse, c, { '-sizes', '3' })
      assert.equal('exit 1', why)
      assert.truthy(text:find 'option %-sizes is a table, which the command line cannot set')
   end)

   it('takes a word that is no option as the next argument, and -h as the value of an option', function()
      assert.equal('-x', example():parse({ '-x' }).file)
      assert.equal('-h', example():parse({ '-name', '-h', 'f' }).name)
   end)

   it('lets a derived class read options and arguments', function()
      local home = {}
      local Lists, parent = torch.class('spec.Lists', 'torch.CmdLine', home)
      function Lists:__init() parent.__init(self) end
      function Lists:__readOption__(params, arg, i)
         if self.options[arg[i]].type ~= 'table' then return parent.__readOption__(self, params, arg, i) end
         params.list = {}
         for word in arg[i + 1]:gmatch '[^,]+' do table.insert(params.list, word) end
         return 2
      end
      function Lists.__readArgument__(_, params, arg, i, n)
         params[n] = arg[i]
         return 1
      end
      local c = home.Lists()
      c:option('-list', {}, 'a list')
      c:option('-n', 1, 'a number')
      assert.same({ list = { 'a', 'b' }, n = 5, 'x', 'y' }, c:parse { 'x', '-list', 'a,b', 'y', '-n', '5' })
   end)

   it('writes a log of what is printed, parameters first', function()
      local name, old = os.tmpname(), print
      local c = example()
      c:silent()
      c:addTime('spec', '%H')
      c:log(name, { rate = 0.5, file = 'x' })
      print('loss', 3)
      c.dateformat = nil
      print 'no time'
      rawset(_G, 'print', old)
      local f = io.open(name)
      local text = f:read '*a'
      f:close()
      os.remove(name)
      assert.truthy(text:find '\n%d%d%[spec%]:  file x \n%d%d%[spec%]:  rate 0.5 \n')
      assert.truthy(text:find '\n%d%d%[spec%]:  loss 3 \nno time \n$')
   end)

   it('shows the log on the screen, and the newest log only', function()
      local first, second, old = os.tmpname(), os.tmpname(), print
      local c = example()
      local screen = captured(function()
         c:log(first, { rate = 1 })
         print 'one'
         c:log(second)
         print 'two'
      end)
      rawset(_G, 'print', old)
      local texts = {}
      for i, name in ipairs { first, second } do
         local f = io.open(name)
         texts[i] = f:read '*a'
         f:close()
         os.remove(name)
      end
      assert.truthy(texts[1]:find 'one \n$')
      assert.falsy(texts[2]:find 'one')
      assert.truthy(texts[2]:find 'two \n$')
      assert.truthy(screen:find 'one\n.*two\n$')
      assert.truthy(screen:find 'rate')
   end)

   it('refuses options that it cannot read', function()
      local c = torch.CmdLine()
      assert.error_matches(function() c:option('-x') end, 'CmdLine:option: %-x has no default, so its type must be given')
      assert.error_matches(function() c:option('-x', 1, 'help', {}) end, 'type must be a string, got a table')
      assert.error_matches(function() c:option('-x', 1, 'help', 'string') end,
                           'CmdLine:option: the default of %-x must be a string, its type, got a number')
      assert.error_matches(function() c:option(3, 1) end, 'key must be a string')
      assert.error_matches(function() c:parse() end, 'arg must be a table of strings, got nil')
      assert.error_matches(function() c:log '/no/such/log' end, 'CmdLine:log: /no/such/log')
   end)
end)

describe('torch.Timer', function()
   local function spend(seconds)
      local t = torch.tic()
      while torch.toc(t) < seconds do math.sin(1) end
   end

   it('counts wall, user and system time, but not while it is stopped', function()
      local t = torch.Timer()
      spend(0.02)
      local a = t:time()
      assert.is_true(a.real >= 0.02 and a.user + a.sys > 0)
      t:stop()
      local b = t:time()
      spend(0.01)
      assert.equal(b.real, t:time().real)
      t:resume()
      spend(0.01)
      local c = t:time().real
      assert.is_true(c >= b.real + 0.01)
      t:reset()
      assert.is_true(t:time().real < c)
   end)

   it('comes back from a file as a new one', function()
      local t = torch.Timer():stop()
      local r = torch.deserialize(torch.serialize(t))
      assert.equal('torch.Timer [status: running]', tostring(r))
      assert.is_true(r:time().real >= 0)
   end)
end)

describe('around packages', function()
   it('finds the folder of a package', function()
      local f = io.open(torch.packageLuaPath 'torch' .. '/init.lua')
      assert.truthy(f)
      f:close()
      assert.is_nil((torch.packageLuaPath 'no-such-package'))
      assert.error_matches(function() torch.packageLuaPath(1) end, 'name must be a string')
   end)

   it('runs files of a package, and files beside the caller', function()
      local dir = os.tmpname()
      os.remove(dir)
      os.execute('mkdir -p ' .. dir .. '/spec_pkg')
      for name, text in pairs { init = "local x = torch.include 'part.lua' return x", part = 'return 5' } do
         local f = io.open(('%s/spec_pkg/%s.lua'):format(dir, name), 'w')
         f:write(text)
         f:close()
      end
      local old = package.path
      package.path = dir .. '/?/init.lua;' .. old
      assert.equal(5, require 'spec_pkg')
      assert.equal(5, torch.include('spec_pkg', 'part.lua'))
      package.path = old
      os.execute('rm -r ' .. dir)
      assert.error_matches(function() torch.include('no-such-package', 'x.lua') end,
                           'there is no package no%-such%-package')
   end)

   it('knows terminals', function()
      local f = io.tmpfile()
      assert.is_false(torch.isatty(f))
      f:close()
      assert.error_matches(function() torch.isatty 'x' end, 'file must be an open file')
   end)

   it('attaches tables to objects, and environments to functions', function()
      local f = torch.MemoryFile()
      torch.getenv(f).note = 1
      assert.equal(1, torch.getenv(f).note)
      torch.setenv(f, { note = 2 })
      assert.equal(2, torch.getenv(f).note)
      local function g() return hidden end                               -- luacheck: ignore
      torch.setenv(g, { hidden = 3 })
      assert.equal(3, g())
      assert.error_matches(function() torch.setenv(g, 1) end, 'environment must be a table')
      assert.error_matches(function() torch.getenv(1) end, 'expected a function or an object')
   end)
end)
