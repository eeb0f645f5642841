-- torch - tensors for LuaJIT. This file puts the parts together; `torch` becomes a global, as scripts of Torch7 expect.
require 'torch.varargs'                     -- first: code compiled from here on is right
require 'torch.fuse'
local lib = require 'torch.lib'
local class = require 'torch.class'
local arg = require 'torch.arg'
local op = require 'torch.op'
local warn = require 'torch.warn'
local C = lib.C

local torch = {}
for name, f in pairs(class) do torch[name] = f end
op.set_describe(arg.describe)
op.noted = warn.noted

require 'torch.storage'.install(torch)
require 'torch.tensor'.install(torch)

-- Parts that add functions to torch, loaded immediately or when one of their names is first used.
local parts = {
   'create', 'random', 'map', 'fft', 'conv', 'einsum', 'set', 'arrange', 'file', 'serialize',
   'package', 'timer', 'cmdline', 'tester', 'plugin', 'print', 'config', 'version',
   'legacy', 'pointwise',
}
for _, part in ipairs(parts) do
   require('torch.' .. part).install(torch)
end

arg.guard(require 'torch.tensor'.base, arg.is_tensor, 'a tensor', torch, { type = true, split = true, chunk = true })

--- Sets the number of threads that one operation may use. Results do not depend on it.
function torch.setnumthreads(n)
   n = arg.whole('torch.setnumthreads', 'number', n)
   lib.check(C.th_set_threads(math.max(-1, math.min(n, 2 ^ 30))))
end
--- The number of threads that one operation may use.
function torch.getnumthreads() return C.th_threads() end
--- The number of processors that this process may use.
function torch.getnumcores() return C.th_cores() end

--- Stores the flag in torch._heaptracking, where programs of Torch7 read it. It has no other effect, because the collector
-- always counts tensor memory.
function torch.setheaptracking(enabled)
   if type(enabled) ~= 'boolean' then arg.refuse('torch.setheaptracking', 'enabled', 'a boolean', enabled) end
   torch._heaptracking = enabled
end
torch._heaptracking = true

--- The help of a name, a function, a class or an object, as text: torch.help 'nn.Linear', torch.help(torch.cumsum).
-- For an unknown name: the names that contain it or resemble it.
-- @example torch.help('cumsum'):match '[^\n]*'   --> torch.cumsum([y], x, [dim])
function torch.help(topic) return require 'torch.help'.text(topic == nil and '' or topic) end

-- An op becomes torch.<name> when it is first used.
setmetatable(torch, { __index = function(t, name)
   local f = type(name) == 'string' and op.func(name) or nil
   if f then rawset(t, name, f) end
   if name == 'warn' then return warn.get() end
   return f
end, __newindex = function(t, name, value)
   if name == 'warn' then return warn.set(value) end
   rawset(t, name, value)
end })

_G.torch = torch
package.loaded.torch = torch
return torch
