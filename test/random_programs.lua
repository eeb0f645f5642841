-- test/random_programs.lua - runs random plain Lua programs under th, compiled and interpreted, and compares what they print.
--   th test/random_programs.lua [-n PROGRAMS] [-seed FIRST] [-th LAUNCHER]   prints a summary; status 1 after a difference
--   th test/random_programs.lua -show SEED                                   prints one program
--
-- A program consists of coroutines, tail calls of builtins, metamethods, errors, protected calls, `...`, callbacks of the
-- string and table libraries, and garbage collections. It prints one number that depends on every result. One process runs
-- a batch of programs; when it dies, the program after its last line is the fault.

local program = {}

-- The minimal standard generator of Park and Miller: the same programs on every machine.
local function generator(seed)
   local state = seed % 2147483646 + 1
   return function(n)
      state = state * 16807 % 2147483647
      return state % n + 1
   end
end

-- Expressions that a function may end with: tail calls, most of them of builtins. x is a number.
local tails = {
   'tonumber(x)', 'tostring(x)', 'type(x)', "select('#', x, x)", 'select(2, x, x + 1)', 'rawequal(x, x)', 'math.floor(x / 3)',
   'math.max(x, 3)', "string.byte('abc', x % 3 + 1)", "string.rep('a', x % 4)", 'string.format("%d", x)', 'unpack({ x, x + 1 })',
   'next({ x })', 'rawget({ x }, 1)', 'assert(x)', 'pcall(tonumber, x)', 'pcall(error, x)', 'pcall(leaf, x)', 'leaf(x)',
   'xpcall(function() return tonumber(x) end, tostring)', "('x'):rep(x % 3)", 'table.concat({ x, x })', 'setmetatable({ x }, adder)[1]',
   'object(x)', 'object + x', 'object[x]', '#tostring(x)', 'bit.band(x, 7)', 'rawlen(x)', 'table.remove({ x })', 'coroutine.status(me)',
   'coroutine.isyieldable()', 'pcall(pcall, error, x)', 'pcall(string.rep)', 'math.min()', 'gather(x, x)', '(tonumber(x))',
   'select(x % 3 + 1, x, x, x)', 'coroutine.wrap(tonumber)(x)', 'coroutine.wrap(leaf)(x)', 'pairs({ x })', 'loadstring("return ...")(x)',
   'string.gsub("aab", "a", object)', 'getmetatable("").__index.len(tostring(x))', 'tostring(object):len()', 'setfenv(leaf, _G) and x',
}
-- Statements; s is the sum, i the loop's variable, f and g functions with a random tail.
local statements = {
   's = add(s, coroutine.wrap(function() return f(i) end)())',
   's = add(s, coroutine.wrap(f)(i))',
   's = add(s, coroutine.wrap(function(...) return g(...) end)(i, 2))',
   's = add(s, pcall(f, i))',
   's = add(s, pcall(coroutine.wrap(function() return pcall(f, i) end)))',
   's = add(s, f(i))',
   's = add(s, g(i))',
   'local c = coroutine.create(function(a) local b = coroutine.yield(a) return f(b) end) s = add(s, coroutine.resume(c, i)) '
      .. 's = add(s, coroutine.resume(c, i + 1)) s = add(s, coroutine.resume(c)) s = add(s, coroutine.status(c))',
   'for v in coroutine.wrap(function() for k = 1, 3 do coroutine.yield(k) end return nil end) do s = add(s, v) end',
   's = add(s, xpcall(function() return g(i) end, function(m) return tostring(m) end))',
   's = add(s, pcall(error, { i }))',
   'local a, b = second(i, i + 1, i + 2) s = add(s, a, b)',
   's = add(s, (string.gsub("a1b2c3", "%d", function(d) return f(tonumber(d)) and d end)))',
   'local t = { 5, 3, 1, 4 } table.sort(t, function(a, b) return rawequal(a < b, true) end) s = add(s, unpack(t))',
   's = add(s, object + i, object[i], object(i), #tostring(object))',
   'if i % 97 == 0 then collectgarbage() end',
   'if i % 13 == 0 then collectgarbage "step" end',
   'local p = newproxy(true) getmetatable(p).__gc = function() return pcall(f, i) end',
   's = add(s, pcall(function() for k = 1, 4 do if k == 3 then error(k, 0) end end end))',
   's = add(s, gather(i, f(i)))',
   's = add(s, looped(i, i + 1, i + 2))',
   'local w = coroutine.wrap(function() coroutine.yield(f(i)) error("e" .. i, 0) end) s = add(s, w()) s = add(s, pcall(w))',
   'local t = setmetatable({}, { __index = function(_, k) return f(k) end }) s = add(s, t[i], t[i + 1])',
   'local t = setmetatable({}, { __call = function(_, k) return tostring(k) end }) s = add(s, t(i))',
   'local c c = coroutine.create(function() return coroutine.resume(c) end) s = add(s, coroutine.resume(c))',
   'local function deep(n) if n == 0 then return f(i) end return deep(n - 1) end s = add(s, coroutine.wrap(deep)(5))',
   's = add(s, coroutine.wrap(function() return coroutine.wrap(function() return f(i) end)() end)())',
   's = add(s, select(2, pcall(coroutine.wrap(error), i)))',
   'local n = 0 for _ in pairs { i, i } do n = n + 1 end s = add(s, n)',
}

local head = [[
local me = coroutine.create(function() end)
local function digest(v)
   local kind = type(v)
   if kind == 'number' then return v % 1000003 end
   if kind == 'string' then
      if v:find 'bad argument' or v:find 'attempt to' then return 23 end   -- what a message names may differ
      return #v * 31 + (v:byte(-1) or 0)
   end
   if kind == 'boolean' then return v and 17 or 19 end
   return #kind
end
local function add(s, ...)
   for k = 1, select('#', ...) do s = (s * 31 + digest((select(k, ...)))) % 1000003 end
   return s
end
local function leaf(x) return x end
local function gather(...) return select('#', ...) end
local function second(...) local a, b = ... return b, a end
local function looped(...)
   local t = 0
   for _ = 1, 60 do
      local a, b = ...
      t = t + a * 2 + b
   end
   return t
end
local rawlen = rawlen or function(x) return x end
local adder = { __add = function(_, b) return tonumber(b) end, __call = function(_, x) return tostring(x) end,
   __index = function(_, k) return tonumber(k) end, __tostring = function() return ('object') end }
local object = setmetatable({}, adder)
]]

-- The text of a program.
function program.text(seed)
   local random = generator(seed * 2654435 + 1)
   for _ = 1, 5 do random(2) end
   local function pick(list) return list[random(#list)] end
   local lines = { head,
      ('local function f(x) return %s end'):format(pick(tails)),
      ('local function g(x, ...) if x %% %d == 0 then return %s end return %s end'):format(random(5), pick(tails), pick(tails)),
      'local s = 0' }
   if random(4) == 1 then lines[#lines + 1] = 'local hooked = 0 debug.sethook(function() hooked = hooked + 1 end, "", 1000)' end
   lines[#lines + 1] = ('for i = 1, %d do'):format(60 + random(300))
   for _ = 1, random(4) do lines[#lines + 1] = '   do ' .. pick(statements) .. ' end' end
   lines[#lines + 1] = 'end'
   lines[#lines + 1] = 'debug.sethook()'
   lines[#lines + 1] = 'return s'
   return table.concat(lines, '\n')
end

-- A process that runs programs FIRST to LAST and prints "SEED RESULT" for each.
local function run_here(first, last)
   for seed = first, last do
      local ok, result = pcall(assert(loadstring(program.text(seed), '=program')))
      debug.sethook()
      collectgarbage()                     -- finalizers of one program do not run in the next
      io.stdout:write(seed, ' ', ok and tostring(result) or 'error', '\n')
      io.stdout:flush()
   end
end

-- Runs programs first..last in another process. The lines that it prints for them, by seed, and whether it ended well.
local function run_apart(launcher, first, last, interpreted)
   local command = ("'%s' %s test/random_programs.lua -here %d %d 2>/dev/null; echo status $?"):format(
      launcher, interpreted and "-e 'jit.off()'" or '', first, last)
   local pipe, found, status = assert(io.popen(command)), {}, nil
   for line in pipe:lines() do
      local seed, result = line:match '^(%d+) (.*)$'
      if seed then found[tonumber(seed)] = result end
      status = line:match '^status (%d+)$' or status
   end
   pipe:close()
   return found, tonumber(status)
end

--- Runs programs first..last and compares compiled with interpreted results.
-- @return a list of faults: { seed = .., compiled = .., interpreted = .. }
function program.faults(launcher, first, last)
   local faults, batch = {}, 100
   for from = first, last, batch do
      local to = math.min(from + batch - 1, last)
      local want = run_apart(launcher, from, to, true)
      local start = from
      while start <= to do
         local got, status = run_apart(launcher, start, to, false)
         local seed = start
         while seed <= to and got[seed] do
            if got[seed] ~= want[seed] then
               faults[#faults + 1] = { seed = seed, compiled = got[seed], interpreted = tostring(want[seed]) }
            end
            seed = seed + 1
         end
         if seed <= to or status ~= 0 then
            faults[#faults + 1] = { seed = math.min(seed, to), compiled = 'status ' .. tostring(status),
               interpreted = tostring(want[math.min(seed, to)]) }
            seed = seed + 1
         end
         start = seed
      end
   end
   return faults
end

if not arg or not (arg[0] or ''):find 'random_programs%.lua$' then return program end

local options = { n = 1000, seed = 1, th = arg[-1] }
local i = 1
while arg[i] do
   local name = arg[i]:match '^%-(%a+)$'
   if name == 'here' then return run_here(tonumber(arg[i + 1]), tonumber(arg[i + 2])) end
   if name == 'show' then return print(program.text(tonumber(arg[i + 1]))) end
   if options[name] == nil then error('unknown option ' .. arg[i], 0) end
   options[name] = name == 'th' and arg[i + 1] or assert(tonumber(arg[i + 1]), arg[i] .. ' needs a number')
   i = i + 2
end
local faults = program.faults(options.th, options.seed, options.seed + options.n - 1)
for _, fault in ipairs(faults) do
   print(('program %d: compiled: %s, interpreted: %s'):format(fault.seed, fault.compiled, fault.interpreted))
end
print(('%d programs, %d faults, %s'):format(options.n, #faults, jit.version))
os.exit(#faults == 0 and 0 or 1)
