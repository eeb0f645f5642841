-- test/faults/tour.lua - all steps of the tour, in order.
local torch = require 'torch'
torch.setnumthreads(1)                       -- the order of calls is the same each time
local list = {}
if os.getenv 'TH_FAULTS_WRONG' then
   require 'test.faults.wrong'(list)
else
   require 'test.faults.ops'(list, 0)
   require 'test.faults.modules'(list)
   require 'test.faults.values'(list)
end
for _, step in ipairs(list) do step.name = step.name:gsub('\n%s*', ' ') end          -- the sweep's log has a line for each
return list
