-- torch.varargs - keeps some versions of LuaJIT from compiling `local a, b = ...` wrongly.
--
-- The versions are those in GC64 mode that call themselves 2.1.0 or 2.1.0-beta; Debian 12 has one. (Some of them are correct,
-- since LuaJIT fixed it in 2022, before its versions became like 2.1.1700000000. Checking those, too, costs little.)
--
-- Where a trace reads `...` of a function that was called before the trace began, it takes the values from the next position:
-- b is what c should be. The same happens in a loop that reads `...`, and in a side trace that returns into a function that
-- then reads `...`. Only reads of a fixed number of values are wrong. select('#', ...) and select(k, ...) are right, {...} and
-- f(...) are not compiled there, and where the call is part of the trace everything is right.
--
-- LuaJIT calls us before it records an instruction. If that is such a read, the recording ends, as at any instruction that
-- LuaJIT cannot compile, and the code stays in the interpreter: "error thrown or hook called during recording" in `-jv`.
local ffi = require 'ffi'
local bit = require 'bit'
local jit = require 'jit'
local util = require 'jit.util'
local band, rshift, funcbc, flush = bit.band, bit.rshift, util.funcbc, jit.flush

if not ffi.abi 'gc64' or jit.version_num > 20100 then return true end

local VARG = band(funcbc(function(...) local a = ... return a end, 1), 0xff)
local other                                 -- the handler of jit.dump for the same event: LuaJIT knows one function for each

-- `depth` counts the calls that are part of the trace. The instruction's highest byte is how many values it reads, and 1, or
-- 0 for all of them.
local function watch(trace, f, pc, depth)
   if depth == 0 and pc > 0 then
      local instruction = funcbc(f, pc)
      if band(instruction, 0xff) == VARG and rshift(instruction, 24) > 1 then
         flush(0)                           -- no trace has number 0; every call of it ends a recording
      end
   end
   if other then return other(trace, f, pc, depth) end
end
jit.off(watch)

local attach = jit.attach
local handlers = debug.getregistry()._VMEVENTS or {}
local before = {}
for event, f in pairs(handlers) do before[event] = f end
attach(watch, 'record')
for event, f in pairs(handlers) do
   if f == watch then other = before[event] end
end

-- Our handler stays attached when jit.dump attaches its own.
function jit.attach(f, event)
   if event == 'record' and type(f) == 'function' then
      other = f
   else
      if event == nil and f == other then other = nil end
      attach(f, event)
   end
end

pcall(jit.flush)                            -- code compiled before may be wrong already
