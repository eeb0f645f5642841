-- torch.interpret - runs code without LuaJIT's compiler. For code that runs once, recording traces
-- takes longer than the code does.
local M = {}

local is_off = false                         -- run() has turned the compiler off

-- torch.varargs has the reason why the first value has a name.
local function finish(ok, first, ...)
   is_off = false
   jit.on()
   if not ok then error(first, 0) end
   return first, ...
end

--- Calls f(...) in the interpreter, and returns its results. An error keeps its text.
function M.run(f, ...)
   if not jit.status() then return f(...) end
   is_off = true
   jit.off()
   return finish(pcall(f, ...))
end

--- Turns the compiler on for the rest of a call of run(), which has turned out to be long.
function M.resume()
   if not is_off then return end
   is_off = false
   jit.on()
end

local function turn_off(ok, first, ...)
   is_off = true
   jit.off()
   if not ok then error(first, 0) end
   return first, ...
end

--- Calls f(...) with the compiler below a call of run(): for loops over many numbers.
function M.compile(f, ...)
   if not is_off then return f(...) end
   is_off = false
   jit.on()
   return turn_off(pcall(f, ...))
end

return M
