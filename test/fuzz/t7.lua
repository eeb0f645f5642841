-- test/fuzz/t7.lua - takes a .t7 file: read in the mode it seems to be in, looked at, written and read again.
local torch = require 'torch'
package.path = package.path .. ';./?.lua'
local judge = require 'test.fuzz.judge'
require 'test.fuzz.classes'

-- LuaJIT trusts bytecode, so none from a file may run here: a Lua function replaces each.
function _G.load()
   local a, b = 1, 2
   return function() return a, b end
end

local function try(text, mode, unsafe)
   local ok, x = pcall(torch.deserialize, text, mode, { unsafe = unsafe })
   if not ok then return judge.refusal('torch.deserialize', x) end
   judge.touch(x)
   if unsafe then return end
   local again
   ok, again = pcall(torch.serialize, x, mode)
   if not ok then return judge.refusal('torch.serialize', again) end
   judge.touch(torch.deserialize(again, mode))
end

return function(text)
   judge.read_numbers(torch.MemoryFile(torch.CharStorage():string(text .. '\0'), 'r'))
   if text:find '^%s*%d' then return try(text, 'ascii') end
   try(text, 'binary', text:find('\27LJ', 1, true) ~= nil)
   try(text, 'b32')
end
