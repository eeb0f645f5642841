-- test/support/launcher.lua - runs programs of a spec under th or a plain LuaJIT; returns their output and status.
local patience = require 'test.support.patience'
local shell = require 'test.support.shell'
local temporary = require 'test.support.temporary'

local plain = {}

-- Runs a text, for a minute of a usual machine at most.
local function run(variables, program, text)
   local file = temporary.put(text, '.lua')
   return shell.run(('%s timeout %d %s %s'):format(variables, patience(60), program, file))
end

local TH = os.getenv 'TH' or 'build/bin/th'

function plain.th(text) return run('', ("'%s'"):format(TH), text) end

--- With our files on its path. nil: there is no luajit, or th does not run in a checkout.
function plain.luajit(text)
   local root = TH:match '^(.*)build/bin/th$'
   if not root or os.execute 'command -v luajit > /dev/null' ~= 0 then return nil end
   root = root == '' and '.' or root:sub(1, -2)
   return run(("TH_LIB='%s/build/libth.so' LUA_PATH='%s/lua/?.lua;%s/lua/?/init.lua;%s/?.lua;%s/?/init.lua;;'"):format(
      root, root, root, root, root), 'luajit', text)
end

plain.PENDING = 'needs luajit and the build tree of a checkout'

return plain
