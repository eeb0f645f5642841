-- torch.coroutines - keeps th alive on LuaJIT 2.1.0-beta3, which crashes when a recording ends in a coroutine of builtins only.
--
-- th listens to LuaJIT's 'trace' event (lua/bin/interrupt.c). When LuaJIT aborts a recording, it looks for the nearest Lua
-- function on the stack, to name it in that event. Versions before September 2022 do not stop at the end of the stack. The
-- stack has no Lua function if the coroutine's function ended with a tail call of a builtin: `return tonumber(x)`. Without a
-- listener LuaJIT does not look.
--
-- So every coroutine gets a Lua function below its first one. The cost is a closure and a table per coroutine, and one line of
-- its traceback.
local coroutine = require 'coroutine'
local jit = require 'jit'

local function pass(...) return ... end

--- Calls a function with a Lua function below it on the stack, whatever tail calls it makes.
-- A table holds the function, so that a traceback shows no name for it.
-- @param ...  the function and its arguments
-- @return     its results
local function call(...)
   local boxed = { (...) }
   return pass(boxed[1](select(2, ...)))
end

if jit.version_num > 20100 then return { call = call } end

-- Gives `make` such a function instead of f. A value that is no function is passed on, for its error message.
local function with_base(make)
   return function(...)
      local f = ...
      if type(f) ~= 'function' then return make(...) end
      local boxed = { f }
      return make(function(...) return pass(boxed[1](...)) end)
   end
end

coroutine.create, coroutine.wrap = with_base(coroutine.create), with_base(coroutine.wrap)

return { call = call }
