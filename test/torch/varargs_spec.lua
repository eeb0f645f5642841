-- test/torch/varargs_spec.lua - `...` gives the same in compiled code as in the interpreter (torch.varargs), and ours stays compiled.
-- runs once: nothing here computes
local ffi = require 'ffi'
local original = require 'torch.original'      -- whose loadfile leaves the text as it is
local bit = require 'bit'
local util = require 'jit.util'
local worker = require 'torch.worker'

-- The result of a text in a separate Lua state, in which nothing of ours is loaded.
local function in_state(text)
   local L = ffi.C.th_lua_new()
   ffi.C.th_lua_open(L)
   text = ('package.path = %q '):format(package.path) .. text
   local status = ffi.C.th_lua_load(L, text, #text, '=state')
   if status == 0 then status = ffi.C.th_lua_call(L, 0, 1, 0) end
   local out = ffi.string(ffi.C.th_lua_text(L, -1, nil))
   ffi.C.th_lua_close(L)
   assert.equal(0, status, out)
   return out
end

-- Ways to read `...`: each makes a number v; i changes from call to call.
local reads = {
   'local a = ... v = a',
   'v = 3 * (...)',
   'local a, b = ... v = a * 10 + b',
   'local a, b, c, d = ... v = a * 100 + b * 10 + c + (d == nil and 1000 or 0)',
   'local t = {} t.x, t.y = ... v = t.x * 10 + t.y',
   "v = select('#', ...)",
   'v = (select(2, ...))',
   'local a, b = select(2, ...) v = a * 10 + b',
   'v = (select(i % 3 + 1, ...))',
   "v = 0 for k = 1, select('#', ...) do v = v * 10 + (select(k, ...)) end",
   'local t = { ... } v = t[1] * 100 + t[2] * 10 + t[3] + 1000 * #t',
   'v = mix(...)',
   'v = mix(i, ...)',
   'local _, b = pass(...) v = b',
   'local _, a, b = pcall(pass, ...) v = a * 10 + b local c, d = ... v = v * 100 + c * 10 + d',
}
-- Functions that read: in a loop, so that the trace begins in the midst of them, and where a trace comes back to them.
local loop = [[
local function f(%s...)
   local sum = 0
   for i = 1, 300 do
      local v
      %s
      sum = (sum * 31 + v) %% 1000003
   end
   return sum
end
]]
local back = [[
local n = 0
local function f(%s...)
   local sum, v = 0
   for _ = 1, 1 do sum = sum + fact(20) end
   n = n + 1
   local i = fact(20) + n
   %s
   return sum + v
end
]]
local frame = [[
local function fact(n) if n <= 0 then return 1 else return n * fact(n - 1) %% 1009 end end
local function mix(a, b, c) return a + b * 31 + (c or 5) * 977 end
local function pass(...) return ... end
%s
local sum = 0
for _ = 1, 400 do sum = (sum * 7 + f(%s)) %% 1000003 end
return tostring(sum)]]

-- All programs of a kind: a list of { text, what reads }.
local function programs(kind)
   local all = {}
   for _, read in ipairs(reads) do
      for fixed, given in pairs { [''] = '1, 2, 3', ['p, '] = '7, 1, 2, 3', ['p, q, '] = '7, 8, 1, 2, 3' } do
         all[#all + 1] = { frame:format(kind:format(fixed, read), given), ('function f(%s...): %s'):format(fixed, read) }
      end
   end
   return all
end

-- The programs whose results under `run` are not the interpreter's.
local function wrong(kind, run)
   local bad = {}
   for _, it in ipairs(programs(kind)) do
      local want, got = in_state('jit.off() ' .. it[1]), run(it[1])
      if want ~= got then bad[#bad + 1] = ('%s gives %s, not %s'):format(it[2], got, want) end
   end
   return table.concat(bad, '\n')
end

local function guarded(text) return in_state("require 'torch.varargs' " .. text) end
local function here(text) return assert(loadstring(text))() end

-- How many traces that loop come of f.
local function loops(f)
   local n = 0
   local function watch(what, trace)
      if what == 'stop' and util.traceinfo(trace).linktype == 'loop' then n = n + 1 end
   end
   jit.attach(watch, 'trace')
   f()
   jit.attach(watch)
   return n
end

describe('...', function()
   it('gives what the interpreter gives, in a loop', function() assert.equal('', wrong(loop, guarded)) end)
   it('gives it where compiled calls return', function() assert.equal('', wrong(back, guarded)) end)
   it('gives it in a process that has loaded torch', function()
      assert.equal('', wrong(loop, here))
      assert.equal('', wrong(back, here))
   end)
   it('gives it in the thread of a worker', function()
      local w = worker.new 'test.support.worker_echo'
      local function there(text)
         w:ask('exec', function() return assert(loadstring(text))() end)
         return w:wait()
      end
      local bad = wrong(loop, there) .. wrong(back, there)
      w:close()
      assert.equal('', bad)
   end)
   it('gives it from loops that were compiled before torch was loaded', function()
      assert.equal('second', in_state [[
         local function f(...)
            local b
            for _ = 1, 300 do _, b = ... end
            return b
         end
         f('first', 'second', 'third')
         require 'torch.varargs'
         return f('first', 'second', 'third')]])
   end)
   it('stays compiled where the call is part of the trace', function()
      local function second(...)
         local _, b = ...
         return b
      end
      local sum = 0
      assert.is_true(loops(function() for i = 1, 1000 do sum = sum + second(1, i, 3) end end) >= 1)
      assert.equal(500500, sum)
   end)
end)

describe('jit.attach', function()
   it('tells of what is recorded, whether it was called before torch was loaded or after it', function()
      assert.equal('true false true true', in_state([[
         local n = 0
         local function count() n = n + 1 end
         local function told()                                -- of a new loop
            n = 0
            loadstring 'for i = 1, 300 do end' ()
            return n > 0
         end
         jit.attach(count, 'record')
         require 'torch.varargs'
         local before = told()
         jit.attach(count)
         local detached = told()
         jit.attach(count, 'record')
         local after = told()
         local function right(...)
            local b
            for _ = 1, 300 do _, b = ... end
            return b == 2
         end
         return ('%s %s %s %s'):format(before, detached, after, right(1, 2, 3))]]))
   end)
end)

-- ---- our own functions --------------------------------------------------------------------------------------------------

local VARG = bit.band(util.funcbc(function(...) local a = ... return a end, 1), 0xff)
local CALL = VARG - 6                        -- the first of six instructions that call, which stand before it
local JUMP = 13 * 128                        -- in an instruction's mode: its operand is a jump target

-- The lines at which f and the functions in it take single values of `...` behind a call or in a loop.
local function late(f, file, found)
   local called, last = false, {}            -- where loops begin: the last instruction that goes back there
   for pc = 1, util.funcinfo(f).bytecodes - 1 do
      local instruction, mode = util.funcbc(f, pc)
      local to = pc + 1 + bit.rshift(instruction, 16) - 0x8000
      if bit.band(mode, 15 * 128) == JUMP and to <= pc then last[to] = pc end
   end
   local looping = 0
   for pc = 1, util.funcinfo(f).bytecodes - 1 do
      local instruction = util.funcbc(f, pc)
      local op = bit.band(instruction, 0xff)
      looping = math.max(looping, last[pc] or 0)
      if op == VARG and bit.rshift(instruction, 24) > 1 and (called or pc <= looping) then
         found[#found + 1] = ('%s:%d'):format(file, util.funcinfo(f, pc).currentline)
      end
      if op >= CALL and op < VARG then called = true end
   end
   for k = -1, -math.huge, -1 do
      local constant = util.funck(f, k)
      if constant == nil then return found end
      if type(constant) == 'proto' then late(constant, file, found) end
   end
end

describe('a function of ours', function()
   it('takes values of ... before it calls anything and outside of loops, so that it can be compiled', function()
      local root = debug.getinfo(1, 'S').source:match '^@(.*)test/torch/[^/]*$'
      local files = assert(io.popen(("cd '%s' && find lua nn cunn -name '*.lua' | sort"):format(root == '' and '.' or root)))
      local found, n = {}, 0
      for file in files:lines() do
         late(assert(original.loadfile(root .. file)), file, found)
         n = n + 1
      end
      files:close()
      assert.is_true(n > 200)
      assert.equal('', table.concat(found, '\n'))
   end)
   it('is found if it does not', function()
      local function lines(text) return table.concat(late(assert(loadstring(text)), 'x', {}), ' ') end
      assert.equal('x:2', lines 'f()\nlocal a, b = ...')
      assert.equal('x:2', lines 'for i = 1, 2 do\nlocal a = ...\nend')
      assert.equal('x:3', lines 'while true do\nif x then break end\nlocal a = ...\nend')
      assert.equal('x:2', lines 'return function(...)\nreturn x() + (...) end')
      assert.equal('', lines 'local a, b = ... f() while a do a = g(...) end return {...}, select(2, ...)')
   end)
end)
