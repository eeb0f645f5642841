-- test/attack/lua.lua - random Lua programs (test/random_programs.lua): compiled, they print what they print interpreted.
package.path = './?.lua;' .. package.path
local child = require 'test.attack.child'
local program = require 'test.random_programs'

local BATCH = 40                                  -- programs of a process

child.run(function(number)
   local faults = program.faults(child.launcher, number * BATCH + 1, (number + 1) * BATCH)
   if #faults == 0 then return nil end
   return ('program %d: compiled %s, interpreted %s'):format(faults[1].seed, faults[1].compiled, faults[1].interpreted)
end)
