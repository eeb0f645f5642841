-- test/torch/lua52_spec.lua - programs that th runs have the extensions of Lua 5.2, also where
-- LuaJIT was built without them.
-- runs once
local torch = require 'torch'
local nn = require 'nn'
local run_th = require 'test.support.run_th'
local original = require 'torch.original'

-- What the text prints; an error, too.
local function printed(text) return (run_th.script(text)) end

describe('#', function()
   local net = nn.Sequential():add(nn.Linear(2, 3)):add(nn.Tanh())

   it('asks __len of a table', function()
      assert.equal(2, #net)
      assert.equal(0, #nn.BCECriterion())
      assert.equal(7, #setmetatable({}, { __len = function() return 7, 8 end }))
      local module = {}
      local Counted = torch.class('lua52_spec.Counted', module)
      function Counted:__len__() return 5 end
      assert.equal(5, #module.Counted())
   end)

   it('is as before for other values', function()
      assert.equal(3, #'abc')
      assert.equal(2, #{ 1, 2 })
      assert.equal(1, #setmetatable({ 4 }, {}))
      assert.equal(1, #setmetatable({ 4 }, { __metatable = false }))
      assert.same({ 2, 3 }, (#torch.ones(2, 3)):totable())
      assert.equal(4, #torch.LongStorage(4))
   end)

   it('takes any variable and any call', function()
      local x = { net = net, list = { net, net, net }, f = function() return net, 1 end }
      function x:method(a) return self == x and a or net end
      local function both(...) return { #net, n = select('#', ...) }, #... end
      assert.same({ 2, 3, 2, 2, 2, 2, 2, 2, 2 }, { #x.net, #x.list, #x.list[#x.list], #x.f(),
         #(x.f()),
         #x:method(), #x:method { 1, 2 }, #x['net'], #((net)) })
      assert.equal(2, #x:method 'ab')
      assert.same({ 2, n = 2 }, (both(net, 1)))
      assert.equal(2, select(2, both(net)))
      assert.same({ -2, false, '2x', 4, true, 1.5, 4 },
         { -#net, not #net, #net .. 'x', #net * 2, #net == 2,
         #net - 0.5, 2 ^ #net })
      assert.equal(2, # -- a comment, #net
         net)
      assert.equal(4, #--[[ of #net ]] x . list + 1)
      net.modules[#net.modules + 1] = nn.Tanh()
      assert.equal(3, #net)
      net.modules[#net] = nil
      assert.equal(2, #net)
      assert.equal(3, #(setmetatable({}, { __pow = function() return { 1, 2, 3 } end }) ^ 2))
      local pow = setmetatable({}, { __pow = function() return 'four' end })
      assert.equal(4, #pow ^ 2)                -- ^ comes first
   end)

   it('in strings, comments and numbers is text', function()
      assert.same({ '#x', '#x', '\\#x', '#x"\'', ']#x' },
         { '#x', [[#x]], '\\#x', "#x\"'", [==[]#x]==] })
      assert.equal('a\nb#c', 'a\
b#c')
      assert.same({ 0xAp1, 1e-2, .5, 3, 1e+2, 12LL, 0x1fULL },
         { 20, 0.01, 0.5, 0x3, 100, 12LL, 31ULL })
      --[==[ ]] #x ]==]
      assert.equal(1, select('#', '--[[', 2) - 1)
   end)

   for way, text in pairs {
      ['a script with a first line for the shell'] = '#!/usr/bin/env th #net\nprint(%s)',
      loadstring = 'loadstring [==[print(%s)]==] ()',
      load = 'assert(load([==[print(%s)]==], "=it", "t", _G))()',
      ['load of pieces'] = [=[local n = 0
local pieces = { 'print', '(%s', ')' }
load(function() n = n + 1 return pieces[n] end)()]=],
      ['another environment'] = 'setfenv(1, { net = net, print = print }) print(%s)',
      ['a dumped function'] = 'loadstring(string.dump(function() print(%s) end))()',
      ['a thread'] = [[local pool = require 'threads'.Threads(1, function() require 'nn' end)
local text = torch.serialize(net)
pool:addjob(function() local net = torch.deserialize(text) return %s end, print)
pool:synchronize()
pool:terminate()]],
      ['a compiled loop'] = 'local n = 0 for i = 1, 1000 do n = n + %s end print(n / 1000)',
      ['a coroutine'] = [[print(coroutine.wrap(function()
   local t = setmetatable({}, { __len = function() return coroutine.yield(#net) end })
   return #t
end)())]],
   } do
      it('works in ' .. way, function()
         local begin = "require 'nn' net = nn.Sequential():add(nn.Tanh()):add(nn.Tanh()) "
         local shebang, rest = text:match '^(#[^\n]*\n)(.*)'
         assert.equal('2\n', printed((shebang or '') .. begin
            .. (rest or text):gsub('%%s', '#net')))
      end)
   end

   it('works in files, on the command line, in standard input and at the prompt', function()
      local name = os.tmpname()
      local f = assert(io.open(name, 'w'))
      f:write "require 'nn' print(#nn.Sequential():add(nn.Tanh()))"
      f:close()
      finally(function() os.remove(name) end)
      for _, how in ipairs { 'dofile(%q)', 'loadfile(%q)()',
         "package.path = package.path .. ';' .. %q require 'any'" } do
         assert.equal('1\n', printed(how:format(name)))
      end
      local code = "require 'nn' print(#nn.Sequential():add(nn.Tanh()))"
      assert.equal('1\n', (run_th.th('-e ' .. require 'test.support.shell'.quote(code))))
      assert.equal('1\n', (run_th.th('', code)))
      assert.equal('1\n', (run_th.th('-', code)))
      assert.equal('1\n', run_th.prompt "require 'nn';\n#nn.Sequential():add(nn.Tanh())")
   end)

   it('of what has no length is the error of LuaJIT, at its line', function()
      for text, wrong in pairs {
         ['local x\nreturn #x'] = "2: attempt to get length of local 'x' (a nil value)",
         ['local x = {}\nlocal n = #x.field'] =
            "2: attempt to get length of field 'field' (a nil value)",
         ['\n\nreturn #nowhere'] = "3: attempt to get length of global 'nowhere' (a nil value)",
         ['local x = 1\nlocal function f() return #x end\nf()'] =
            "2: attempt to get length of upvalue 'x' (a number value)",
         ['return #(true)'] = '1: attempt to get length of a boolean value',
         ['return #\nprint()'] = ': attempt to get length of a nil value',
         ['local x = {}\nreturn #x.y.z'] = "2: attempt to index field 'y' (a nil value)",
      } do
         for _, compile in ipairs { loadstring, original.loadstring } do
            local ok, why = pcall(assert(compile(text, '=text')))
            assert.is_false(ok)
            assert(why:find(wrong, 1, true), why)
         end
      end
   end)

   it('leaves the messages of wrong texts as they are', function()
      for _, text in ipairs { 'x = #', 'x = #)', 'x = #(1', 'x = #x y', 'x = "#y', 'x = [[#y',
         '--[[ #x', 'x = #x[', 'x = y#z', 'x = #...[[y]]', 'return {}#x',
         'local x = #f{', 'x = #x.1', 'for i = 1, #x do', 'x = #x:y', '\n\nx = = #x' } do
         local _, want = original.loadstring(text, '=text')
         local f, why = loadstring(text, '=text')
         assert.equal(want, why)
         assert.is_nil(f)
      end
   end)
end)

describe('a call', function()
   it('may begin on a new line', function()
      assert.equal('2\n', printed 'local f = print\nf\n(2)')
      assert.equal('3\tmain.lua:4: here\n', printed [[
local function f(x) return function(y) return x + y end end
local n = f
   (1) -- a comment (
   (2) local _, why = pcall(function() error 'here' end)
print(n, why)]])
      assert.equal('2\n', printed [[
require 'nn'
local n = nn.Sequential():add(nn.Tanh())
print
(#n:add
(nn.Tanh()))]])
   end)

   it('is as it was on one line, and wrong texts keep their messages', function()
      assert.equal(5, loadstring 'local f = function(x) return x end\n;(f)(1) return (f)(5)'())
      assert.is_nil((loadstring 'f\n(1'))
      assert.matches("'%)' expected", (select(2, loadstring('f\n(1', '=text'))))
   end)
end)

describe('a statement', function()
   it('may stand behind break, and be a semicolon', function()
      for text, want in pairs {
         ['for i = 1, 3 do n = n + i break n = 9 end'] = 1,
         ['while true do if n > 4 then break; n = 9 end n = n + 2 end'] = 6,
         ['repeat ; n = n + 1;; until n > 2;'] = 3,
         [';if n == 0 then ; n = 2; else ;;; end ; ;'] = 2,
         ['for i = 1, 3 do ; break\nerror() end n = #"break; ;;"'] = 9,
         ['do ; local function f() return 4; end n = f();; end return n;'] = 4,
      } do
         assert.equal(want, assert(loadstring('local n = 0 ' .. text
            .. (text:find 'return n' and '' or ' return n')))())
      end
      assert.equal('main.lua:3: here\n', printed [[
for i = 1, 2 do break
print 'never' end;;
print(select(2, pcall(function() error 'here' end)))]])
   end)

   it('is refused where Lua 5.2 refuses it', function()
      for _, text in ipairs { 'break', 'do break x = 1 end', 'return;;', 'x = {;}', 'f(;)',
         'return 1 x = 1',
         'while true do break 1 end', 'x = ;' } do
         local _, want = original.loadstring(text, '=text')
         assert.same({ nil, want }, { loadstring(text, '=text') })
      end
   end)
end)

describe('functions that compile text', function()
   it('refuse what Lua refuses', function()
      for _, name in ipairs { 'loadstring', 'load' } do
         for _, wrong in ipairs { false, {}, true } do
            assert.equal((pcall(original[name], wrong)), (pcall(_G[name], wrong)))
         end
      end
      assert.same({ original.loadfile '/nowhere/x.lua' }, { loadfile '/nowhere/x.lua' })
      assert.same({ nil, 'reader function must return a string' },
         { load(function() return {} end) })
      assert.same({ nil, 'mine' }, { load(function() error('mine', 0) end) })
      assert.same({ original.load('x', '=it', 'b') }, { load('x', '=it', 'b') })
      assert.is_false((pcall(loadfile, {})))
   end)

   it('name their chunks as Lua does', function()
      local function source(f) return debug.getinfo(f, 'S').source end
      assert.equal('return #...', source(loadstring 'return #...'))
      assert.equal('=name', source(loadstring('return #...', '=name')))
      local all = { 'return ', '#...' }
      assert.equal(source(original.load(function() return nil end)), source(load(function()
         return table.remove(all, 1)
      end)))
   end)
end)

describe('names of Lua 5.2', function()
   it('leaves os.execute and io.write as they are', function()
      assert.equal('C\tC\n', printed [[
print(debug.getinfo(os.execute, 'S').what, debug.getinfo(io.write, 'S').what)]])
   end)

   it('table.pack, table.unpack, rawlen and package.searchers are there', function()
      assert.equal('3\tnil\t1\t2\t2\ttrue\n', printed [[
local t = table.pack(1, nil, 3)
print(t.n, t[2], table.unpack({ 1, 2 }, 1, 1), #table.pack(4, 5), rawlen { 1, 2 },
   package.searchers == package.loaders)]])
   end)

   it('pairs and ipairs ask __pairs and __ipairs', function()
      assert.equal('k\tv\n1\tone\n', printed [[
local t = setmetatable({}, {
   __pairs = function() return next, { k = 'v' } end,
   __ipairs = function() return function(_, i) if i == 0 then return 1, 'one' end end, nil, 0 end,
})
for k, v in pairs(t) do print(k, v) end
for i, v in ipairs(t) do print(i, v) end]])
   end)

   it('pairs and next are functions of Lua where LuaJIT compiles loops over its own next wrongly',
      function()
      local out = printed [[
local original = require 'torch.original'
local faulty = require 'ffi'.abi 'gc64' and require 'jit'.version_num <= 20100
   and not pcall(require, 'table.isempty')
local step, t, first = pairs { x = 1 }
print((step ~= original.next) == faulty, (next ~= original.next) == faulty, step(t, first), next {},
   next { 7 })
local sum = 0
for i = 1, 1000 do for _, v in next, { i, a = i } do sum = sum + v end end
print(sum, pcall(next, {}, 'no key'))
]]
      assert.matches("^true\ttrue\tx\tnil\t1\t7\t?\n1001000\tfalse\tinvalid key to 'next'", out)
   end)

   it('pairs and ipairs of other values are as they were', function()
      assert.equal('1\ta\nx\tb\n1\ta\n', printed [[
for k, v in pairs { 'a', x = 'b' } do print(k, v) end
for k, v in ipairs(setmetatable({ 'a' }, { __metatable = 'locked' })) do print(k, v) end]])
      assert.matches("main.lua:2: bad argument #1 to 'pairs' %(table expected, got nil%)",
         printed '\nfor k in pairs(nil) do end')
   end)
end)
