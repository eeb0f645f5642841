-- test/torch/launch_spec.lua - the environment of programs under th: type, print, require, names of
-- Penlight, hints in errors.
-- runs once
local TH = os.getenv 'TH' or 'build/bin/th'
if TH:sub(1, 1) ~= '/' then TH = require 'paths'.concat(TH) end

local quote, run = require 'test.support.shell'.quote, require 'test.support.shell'.run
local function shell(command) return (run(command)) end

local folder
before_each(function() folder = shell 'mktemp -d':gsub('\n', '') end)
after_each(function() os.execute('rm -rf ' .. quote(folder)) end)

local function file(name, text)
   local under = name:match '^(.*)/'
   if under then os.execute(('mkdir -p %s'):format(quote(folder .. '/' .. under))) end
   local f = assert(io.open(folder .. '/' .. name, 'w'))
   f:write(text)
   f:close()
end

-- What th prints that runs the text in the folder; or the file `main`.
local function th(text, options, main)
   if text then file(main or 'main.lua', text) end
   return shell(('cd %s && %s %s %s </dev/null'):format(quote(folder), quote(TH), options or '', main or 'main.lua'))
end

-- The same in plain LuaJIT, with our files on its path.
local function luajit(text)
   local root = TH:match '^(.*)/build/bin/th$'
   if not root or shell 'command -v luajit' == '' then return nil end
   file('plain.lua', text)
   return shell(("cd %s && TH_LIB=%s/build/libth.so LUA_PATH='%s/lua/?.lua;%s/lua/?/init.lua;%s/?.lua;%s/?/init.lua;;' luajit plain.lua"):format(
      quote(folder), quote(root), root, root, root, root))
end

describe('type of a program that th runs', function()
   it("is 'userdata' for tensors, storages, generators, files and timers, and Lua's for the rest", function()
      assert.equal(('userdata '):rep(7) .. 'nil boolean number string table function thread cdata userdata table\n', th [[
local all = { torch.Tensor(), torch.LongTensor(2), torch.LongStorage(2), torch.Generator(), torch.MemoryFile(), torch.Timer(),
   torch.DiskFile('main.lua') }
for i = 1, #all do io.write(type(all[i]), ' ') end
io.write(type(nil), ' ', type(true), ' ', type(1), ' ', type 'x', ' ', type {}, ' ', type(type), ' ',
   type(coroutine.create(print)), ' ', type(1LL), ' ', type(io.stdout), ' ', type(torch.class 'Thing'), '\n')
]])
   end)

   it("leaves what x:cdata() gives as it is", function()
      assert.equal('cdata\tuserdata\n', th 'local p = torch.Tensor(2):cdata() print(type(p), type(torch.pushudata(p, "torch.DoubleTensor")))')
   end)

   it('is the same in modules, loaded text and compiled loops', function()
      file('module.lua', 'return type(torch.Tensor())')
      assert.equal('userdata\tuserdata\t1000\n', th [[
local n, x = 0, torch.Tensor()
for _ = 1, 1000 do if type(x) == 'userdata' then n = n + 1 end end
print(require 'module', loadstring 'return type(torch.Tensor())'(), n)
]])
   end)

   it('stays as it is in a LuaJIT that requires torch, nn and optim', function()
      local out = luajit [[
local before = { type = type, print = print, require = require, pairs = pairs, ipairs = ipairs }
require 'torch'
require 'nn'
require 'optim'
for name, f in pairs(before) do if _G[name] ~= f then io.write(name, ' was replaced\n') end end
io.write(type(torch.Tensor()), ' ', tostring(getmetatable(_G)), '\n')
]]
      if not out then return pending 'needs luajit and the build tree of a checkout' end
      assert.equal('cdata nil\n', out)
   end)
end)

describe('the files of our packages', function()
   local launch = require 'torch.launch'
   local root = TH:match '^(.*)/[^/]*/bin/th$'
   local there = root and io.open(root .. '/lua/torch/launch.lua')
   if there then there:close() else root = nil end

   it('are those of the packages that launch lists', function()
      if not root then return pending 'needs a checkout' end
      local missing = {}
      for name in shell('ls -d ' .. quote(root) .. '/lua/*/'):gmatch '([^/\n]+)/\n' do
         if name ~= 'bin' and not launch.holds(root .. '/lua/' .. name .. '/init.lua') then missing[#missing + 1] = name end
      end
      assert.same({}, missing)
      assert.is_true(launch.holds(root .. '/nn/Linear.lua'))
      assert.is_false(launch.holds(root .. '/test/launch_spec.lua'))
      assert.is_false(launch.holds '/elsewhere/lua/torch/init.lua')
   end)

   it("have Lua's own type, whenever they are loaded", function()
      assert.equal('cdata\tuserdata\n', th [[
local C, lua_type = require 'torch.complete', require 'torch.original'.type
for _, f in pairs(C) do
   for i = 1, 60 do
      local name, value = debug.getupvalue(f, i)
      if name == 'type' and value ~= lua_type then print 'not of Lua' end
   end
end
print(lua_type(torch.Tensor()), type(torch.Tensor()))
]])
   end)

   it('are loaded with a line in front that does not move their lines', function()
      assert.equal('function parcel.pack(...)\n', th [[
local where, n = debug.getinfo(require 'torch.parcel'.pack, 'S'), 0
for line in io.lines(where.source:sub(2)) do
   n = n + 1
   if n == where.linedefined then print(line) end
end]])
   end)

   it("and LuaJIT's own have Lua's type, which handlers of its events may call", function()
      assert.equal('true\n', th [[
local type_of_lua, found, seen = require 'torch.original'.type, nil, {}
local function look(f)
   for i = 1, seen[f] and 0 or 60 do
      seen[f] = true
      local name, value = debug.getupvalue(f, i)
      if name == 'type' then found = value elseif type(value) == 'function' then look(value) end
   end
end
look(require 'jit.v'.on)
print(found == type_of_lua)]])
   end)

   it("call Lua's type also where they are text that was compiled", function()
      assert.equal('done\n', th [[
local launch, lua_type = require 'torch.launch', require 'torch.original'.type
function type(x)
   local source = debug.getinfo(2, 'S').source
   if source:match '^=torch' or launch.holds(source:match '^@(.*)') then error('type is called by ' .. source, 0) end
   return lua_type(x)
end
jit.off()                                                     -- compiled code has no frames
require 'nn'
local x = torch.rand(3, 4)
x:add(1):cmul(x):sum(2)
x:apply(function(v) return v + 1 end)
x:map(x, function(a, b) return a * b end)
assert(not pcall(x.add, x, {}))
assert(not pcall(torch.cumsum, 'x'))
local net = nn.Sequential():add(nn.Linear(4, 2)):add(nn.Tanh())
net:backward(x, net:forward(x))
torch.deserialize(torch.serialize(net)):forward(x)
assert(tostring(net) and tostring(x) and require 'torch.show'.text { x, net })
print 'done']])
   end)
end)

describe('print of a program that th runs', function()
   it('shows what tables hold, on separate lines', function()
      assert.equal('{\n  rate : 0.5\n}\n{}\n', th 'print { rate = 0.5 } print {}')
      assert.equal('a\t{\n  1 : 1\n}\nb\n', th 'print("a", { 1 }, "b")')
      assert.equal('{\n  opt : \n    {\n      a : "x"\n      b : {...}\n    }\n}\n', th 'print { opt = { a = "x", b = {} } }')
   end)

   it('writes other values as Lua does', function()
      assert.equal('1\tnil\ttrue\tx\n\n', th 'print(1, nil, true, "x") print()')
   end)

   it('shows tables five deep, all of their elements, and tensors in one line', function()
      assert.matches('1 : {...}\n', th 'print {{{{{{1}}}}}}', nil, true)
      local out = th 'local t = {} for i = 1, 500 do t[i] = i end print(t)'
      assert.matches('\n  500 : 500\n', out)
      assert.equal('{\n  s : LongStorage - size: 3\n  x : FloatTensor - size: 2x3\n  y : DoubleTensor - empty\n}\n',
         th 'print { x = torch.FloatTensor(2, 3), y = torch.Tensor(), s = torch.LongStorage(3) }')
   end)

   it("is trepl's, with a tab behind each value, after require 'trepl'", function()
      assert.equal('1\tx\t\n', th 'require "trepl" print(1, "x") print()')
      assert.equal('{\n  a : {...}\n}\ntrue\n', th 'setprintlevel(1) print { a = { 1 } } setprintlevel(0) print(print == print_old)')
      assert.matches('setprintlevel: expected a whole number of at least 0, got %-1', th 'setprintlevel(-1)')
   end)
end)

describe('require of a program that th runs', function()
   it('finds ./x, ../x, . and .. beside the file that says it', function()
      file('a/init.lua', 'return "a"')
      file('a/b/other.lua', 'return require "..": upper()')
      file('a/b/one.lua', 'return require "./other"')          -- a tail call: its file is not on the stack
      file('a/b/two.lua', 'local one = require "./one" return one .. require "../x" .. require("./../b/other")')
      file('a/x.lua', 'return "x"')
      assert.equal('AxA\ta\n', th('print(require "./two", require "..")', nil, 'a/b/main.lua'))
      assert.equal('AxA\n', th 'print(require "./a/b/two")')
      assert.equal('AxA\n', th 'print(require "a.b.two")')
   end)

   it('finds them beside the script that ends with it', function()
      file('src/x.lua', 'print "x of src"')
      assert.equal('x of src\n', th('return require "./x"', nil, 'src/main.lua'))
      assert.equal('x of src\n', th('#!/usr/bin/env th\nreturn require "./x"', nil, 'src/main'))
   end)

   it('finds them beside a file of dofile that ends with it', function()
      file('src/x.lua', 'return "x of src"')
      file('src/do.lua', 'return require "./x"')
      assert.equal('x of src\n', th 'print(dofile "src/do.lua")')
      assert.matches('^th: main.lua:1: cannot open no.lua', th 'dofile "no.lua"')
   end)

   it('finds them in the current folder from the command line', function()
      file('x.lua', 'return 7')
      assert.equal('7\n', shell(('cd %s && %s -e %s'):format(quote(folder), quote(TH), quote 'print(require "./x")')))
   end)

   it('takes names of files, from the current folder or beside the file that says it', function()
      file('lib/net.lua', 'return require "part.lua"')
      file('lib/part.lua', 'return "part"')
      assert.equal('part\n', th 'print(require "lib/net.lua")')
   end)

   it('loads a file once, whatever its name was', function()
      file('count.lua', 'n = (n or 0) + 1 return {}')
      assert.equal('true\t1\n', th 'print(require "./count" == require "./count.lua", n)')
   end)

   it('loads saved objects', function()
      assert.equal('6\t6\n', th 'torch.save("w.th", torch.range(1, 3)) print(require("./w.th"):sum(), require("./w"):sum())')
   end)

   it('says what it has tried, and leaves nothing behind', function()
      assert.matches("main.lua:1: module './nothing' not found:\n\tno file '/.*/nothing.lua'\n", th 'require "./nothing"')
      file('bad.lua', 'error "boo"')
      assert.equal('false\tfalse\ttrue\n', th [[
local function same(a, b) return a == b end
local ok, first = pcall(require, './bad')
local again, second = pcall(require, './bad')
print(ok, again, first == second and first:match 'bad.lua:1: boo' ~= nil)]])
      file('loop.lua', 'return require "./loop"')
      assert.matches("loop or previous error loading module './loop'", th 'require "./loop"')
      file('syntax.lua', 'x = = 1')
      assert.matches("error loading module './syntax' from file '.*syntax.lua':.*unexpected symbol", th 'require "./syntax"')
      assert.matches("bad argument #1 to 'require'", th 'require {}')
   end)

   it('says in one line what brings a package that is not installed', function()
      local hide = "package.path = '" .. folder .. "/?.lua' package.cpath = '' "
      for name, answer in pairs {
         nnx = 'luarocks install nnx (a package for Torch7', ['lfs'] = 'apt-get install lua-filesystem, or luarocks install luafilesystem',
         moses = 'luarocks install moses', ['socket.http'] = 'apt-get install lua-socket, or luarocks install luasocket',
         rnn = "luarocks install rnn, or require 'nn.recurrent'", ['pl.path'] = 'apt-get install lua-penlight',
      } do
         local out = th(('%sprint(pcall(function() local x = require %q return x end))'):format(hide, name))
         assert.is_truthy(out:find(("main.lua:1: module '%s' not found: %s"):format(name, answer), 1, true), out)
         assert.is_nil(out:find 'no file')
      end
      assert.matches("module 'mine' not found:\n\tno field package.preload%['mine'%]\n\tno file", th(hide .. "require 'mine'"))
      file('nnx.lua', 'error "boo"')
      assert.matches('nnx.lua:1: boo', th(hide .. "require 'nnx'"))
      file('display.lua', 'return 3')
      assert.equal('3\n', th(hide .. "print(require 'display')"))
      file('csvigo.lua', "require 'mine'")
      assert.matches("module 'mine' not found", th(hide .. "require 'csvigo'"))
   end)

   it('import makes the fields of a package globals, but replaces none', function()
      file('tools.lua', 'return { double = function(x) return 2 * x end, print = 1 }')
      assert.equal('42\tfunction\tnil\n', th 'import "tools" print(double(21), type(print), _torchimport.tools.print)')
      assert.matches('import: main must return a table', th 'package.loaded.main = 5 import "main"')
   end)
end)

describe("Penlight's names", function()
   local there = package.searchpath('pl.stringx', package.path) ~= nil

   it('come when they are first used, and may be defined by the program', function()
      if not there then return pending 'needs Penlight: apt-get install lua-penlight' end
      assert.equal('nil\tfunction\ttrue\tmine\tnil\n', th [[
local before = rawget(_G, 'stringx')
text = 'mine'
print(before, type(stringx.split), rawget(_G, 'stringx') ~= nil, text, unknown_name)]])
      assert.equal('a/b\t{3,1}\n', th 'print(path.join("a", "b"), tostring(List { 3, 1 }))')
   end)

   it('are nil where Penlight is missing, with a hint in the error', function()
      local out = th [[
package.path = package.path:gsub('/usr/[^;]*;?', '')
print(tablex)
path.join('a', 'b')]]
      assert.matches("^nil\nth: main.lua:3: attempt to index global 'path' %(a nil value%)\n", out)
      assert.matches('pl.path of Penlight, which is not installed: apt%-get install lua%-penlight, or luarocks install penlight%)\n', out)
   end)
end)

describe('getmetatable of a program that th runs', function()
   it("gives the class of tensors, storages and generators, and Lua's metatable for the rest", function()
      assert.equal('torch.DoubleTensor torch.LongStorage torch.Generator torch.Timer nil true ffi ffi nil 1000\n', th [[
for _, x in ipairs { torch.Tensor(), torch.LongStorage(2), torch.Generator(), torch.Timer() } do
   io.write(getmetatable(x).__typename, ' ')
end
local n, x = 0, torch.FloatTensor()
for _ = 1, 1000 do if getmetatable(x) == torch.getmetatable 'torch.FloatTensor' then n = n + 1 end end
print(getmetatable {}, getmetatable 'x'.__index == string, getmetatable(1LL),
   getmetatable(x:cdata()), getmetatable(1), n)]]:gsub('\t', ' '))
   end)

   it('knows its entry in the registry', function()
      assert.equal('torch.ByteTensor\n', th 'print(debug.getregistry()[getmetatable(torch.ByteTensor())])')
   end)

   it("is Lua's in a LuaJIT that requires torch, and in our packages", function()
      local out = luajit "local before = getmetatable require 'torch' print(before == getmetatable)"
      if out then assert.equal('true\n', out) end
      assert.equal('true\n', th [[
local lua = require 'torch.original'.getmetatable
for i = 1, 60 do
   local name, value = debug.getupvalue(require 'torch.class'.class_of, i)
   if name == 'getmetatable' then print(value == lua) end
end]])
   end)
end)

describe('a function that a program saves', function()
   it('runs in a LuaJIT without th, whatever it asks a length of', function()
      th "torch.save('f.t7', function(t) return #t end)"
      local out = luajit [[
require 'torch'
print(torch.load('f.t7', 'binary', { unsafe = true }) { 1, 2 })]]
      if not out then return pending 'needs luajit and the build tree of a checkout' end
      assert.equal('2\n', out)
   end)
end)

describe('an error that ends a program', function()
   it('says what brings a class of ours that nn holds only for programs that ask', function()
      local out = th "require 'nn'\nnn.LSTM(2, 3)"
      assert.matches("field 'LSTM' %(a nil value%)\n   %(nn.LSTM of Cresset is defined by require 'nn.recurrent'; packages", out)
      assert.is_nil(th "nn = { LSTM = false }\nnn.Other()":find('Cresset', 1, true))
   end)

   it('says that there are no windows where qt or qlua is used', function()
      assert.matches("global 'qt'.*\n   %(qt belongs to qlua.*Cresset has none", th 'qt.widget()')
      assert.matches("module 'qtwidget' not found: qtwidget belongs to qlua[^\n]*Cresset has none", th "require 'qtwidget'")
   end)

   it('has no hint about other names', function()
      assert.matches("attempt to index global 'mine' %(a nil value%)\nstack traceback", th 'mine.x = 1')
   end)
end)

describe('th -g', function()
   it('reports globals that are made, or read without a value, with their places', function()
      assert.equal('main.lua:2: the global variable y is read, and has no value\nmain.lua:3: the global variable x is made\n',
         th('require "nn"\nlocal a = y\nx = 1\nx = 2', '-g'))
   end)

   it('-gg makes errors of them', function()
      assert.matches('^th: main.lua:1: the global variable x is made\n', th('x = 1', '-gg'))
   end)
end)

describe("the names of trepl", function()
   it('are there without a require', function()
      assert.equal('function\tfunction\ttable\tfunction\t\n', th 'print(type(who), type(repl), type(_RESULTS), type(noColors), _LAST)')
      assert.matches('== User globals ==\n%[mine%] += 5\n%[x%] += DoubleTensor %- size: 2\n==\n', th 'mine = 5 x = torch.Tensor(2) who()')
   end)

   it('_RESULTS and _LAST hold what the prompt has shown', function()
      file('typed', '1 + 1\n"x"\nnil\n_LAST\n#_RESULTS\n')
      assert.equal('2\nx\nnil\nx\n3\n', shell(('cd %s && %s -i <typed'):format(quote(folder), quote(TH))))
   end)

   it("colorize colours texts until noColors, without require 'trepl'", function()
      assert.equal('\27[0;31mx\27[0m\nx\n', th [[
local c = require 'trepl.colorize'
print(c.red 'x')
noColors()
print(c.red 'x')]])
   end)

   it('env gives them to another LuaJIT that asks', function()
      file('x.lua', 'return 5')
      local out = luajit 'require "env" print { a = require "./x" } print(type(import))'
      if not out then return pending 'needs luajit and the build tree of a checkout' end
      assert.equal('{\n  a : 5\n}\nfunction\t\n', out)
   end)
end)

describe('dok', function()
   it('unpacks named and ordered arguments, and brings help and browse', function()
      assert.equal('3\n5\nfunction\tfunction\n', th [[
require 'dok'
local function f(...)
   local _, size = dok.unpack({ ... }, 'f', 'does a thing', { arg = 'size', type = 'number', help = 'its size', default = 3 })
   return size
end
print(f {}) print(f { size = 5 }) print(type(help), type(browse))]])
   end)
end)

describe('cwrap', function()
   local wrap = require 'cwrap'

   it('writes C that works: numbers, defaults, several results and several forms', function()
      local include
      for _, name in ipairs { '/usr/include/luajit-2.1', '/usr/local/include/luajit-2.1' } do
         local header = io.open(name .. '/lua.h')
         if header then
            header:close()
            include = name
         end
      end
      if not include or shell 'command -v cc' == '' then return pending 'needs a C compiler and the headers of LuaJIT' end
      local i = wrap.CInterface.new()
      i:print [[
#include <lua.h>
#include <lauxlib.h>
static double twice(double x, int times) { return x * times; }
static int both(const char *s, int *n, int up) { *n = s[0] + up; return s[1]; }
static int first(const char *s, int up) { return s[0] + up; }
]]
      i:wrap('twice', 'twice', { { name = 'double' }, { name = 'int', default = 2 }, { name = 'double', creturned = true } },
         'first', { { name = 'string' }, { name = 'boolean' }, { name = 'int', creturned = true } })
      i:wrap('place', 'place', { { name = 'index' }, { name = 'index', returned = true, invisible = true, default = 9 },
         { name = 'index', creturned = true } })
      i:register 'mine__'
      i:print 'int luaopen_mine(lua_State *L) { luaL_register(L, "mine", mine__); return 1; }'
      local text = i:tostring():gsub('static int wrapper_twice', 'static long place(long a, long b) { return a + b; }\n%0', 1)
      file('mine.c', text)
      assert.equal('', shell(('cd %s && ${CC:-cc} -shared -fPIC -I%s mine.c -o mine.so'):format(
         quote(folder), include)))
      assert.equal('6\t9\t66\n9\t11\nexpected arguments: double [int] | string boolean\n', th [[
package.cpath = './?.so'
local mine = require 'mine'
print(mine.twice(3), mine.twice(3, 3), mine.twice('A', true))
print(mine.place(3))
print(select(2, pcall(mine.twice, {})))]])
   end)

   it('refuses types that it does not know', function()
      assert.has_error(function() wrap.CInterface.new():wrap('f', 'f', { { name = 'THTensor' } }) end,
         'cwrap: there is no type of arguments named THTensor')
      assert.has_error(function() wrap.CInterface.new():wrap('f', {}) end,
         'cwrap: wrap takes a name, then names of C functions, each with a table of arguments')
   end)
end)
