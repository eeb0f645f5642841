-- torch.coroutines - keeps th alive on LuaJIT 2.1.0-beta3, which crashes when a recording ends in a coroutine of builtins only.
--
-- th listens to LuaJIT's 'trace' event (lua/bin/interrupt.c). When a recording is given up, LuaJIT looks for the nearest Lua
-- function on the stack, to name it in that event. Versions before September 2022 do not stop at the end of the stack. It
-- holds no Lua function if the coroutine's function has ended with a tail call of a builtin: `return tonumber(x)`. Without a
-- listener LuaJIT does not look.
--
-- So every coroutine gets a Lua function below its own. It costs a closure and a table a coroutine, and one line of its traceback.
local coroutine = require 'coroutine'
local jit = require 'jit'

local function pass(...) return ... end

--- Calls a function with a Lua function below it on the stack, whatever tail calls it makes.
-- The function stands in a table, so that a traceback does not show a name for it.
-- @param ...  the function and its arguments
-- @return     its results
local function call(...)
   local boxed = { (...) }
   return pass(boxed[1](select(2, ...)))
end

if jit.version_num > 20100 then return { call = call } end

-- Gives `make` such a function instead of f; what is no function keeps its error message.
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
