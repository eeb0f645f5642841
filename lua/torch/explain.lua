-- torch.explain - adds a hint to an error message: what is missing, and how to get it.
local launch = require 'torch.launch'
local class = require 'torch.class'
local windows = require 'torch.missing'.windows

local M = {}

local penlight_hint = "%s is %s of Penlight, which is not installed: apt-get install lua-penlight, or luarocks install penlight"
local lua52_hint = 'this LuaJIT was built without the extensions of Lua 5.2 (LUAJIT_ENABLE_LUA52COMPAT), with which a call '
   .. 'may begin on a new line: put its parenthesis on the line of the function'

local function of_global(name)
   local module = launch.penlight(name)
   if module and not launch.installed(module) then return penlight_hint:format(name, module) end
   return windows[name]
end

-- Names of nn that need a further require.
local function of_field(name)
   local asked = package.loaded.nn and class.asked_by('nn.' .. name)
   return asked and ("nn.%s of Cresset is defined by require '%s'; packages for Torch7 define others"):format(name, asked)
end

local function hint_of(line)
   local name = line:match "attempt to [%w ]+ global '([%w_]+)' %(a nil value%)"
   if name then return of_global(name) end
   name = line:match "attempt to [%w ]+ field '([%w_]+)' %(a nil value%)"
   if name then return of_field(name) end
   if line:find('ambiguous syntax (function call x new statement)', 1, true) then return lua52_hint end
end

--- The message, with a line of explanation behind the first one where we know more than Lua.
function M.message(message)
   if type(message) ~= 'string' then return message end
   local first, rest = message:match '^([^\n]*)(.*)$'
   local hint = hint_of(first)
   return hint and ('%s\n   (%s)%s'):format(first, hint, rest) or message
end

return M
