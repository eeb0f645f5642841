-- test/attack/jobs.lua - distributed jobs whose ranks are killed or stopped (test/support/comm/faults.lua): the survivors end with the
-- bits of an undisturbed job, or name the lost rank.
package.path = './?.lua;' .. package.path
local child = require 'test.attack.child'

child.run(function(number)
   local wanted = child.pick { '-kills 2 -stops 0', '-kills 0 -stops 1', '-kills 1 -stops 1' }
   local log = child.folder .. '/jobs'
   local status = os.execute(('%s test/support/comm/faults.lua %s -cuts 0 -moments 0 -ranks %d -seed %d >%s 2>&1'):format(
      child.quote(child.launcher), wanted, child.pick { 2, 3 }, number, child.quote(log)))
   if status == 0 then return nil end
   local text = assert(io.open(log)):read '*a'                 -- what was wrong, then a table
   return 'what was wrong: ' .. (text:match '^(.-)%d+ ranks; undisturbed' or text):sub(1, 2000)
end)
