-- cunn - loads nn and cutorch, for old scripts; modules of nn run on CUDA devices after m:cuda() without this package.
local torch = require 'torch'
local nn = require 'nn'
local arg = require 'torch.arg'
local ok, cutorch = pcall(require, 'cutorch')
if not ok then
   package.loaded.cunn = nil                 -- so that a second require gives the reason again
   error(cutorch, 0)
end

-- Containers whose examples use two devices.
local SEVERAL = { ['nn.AbstractParallel'] = true, ['nn.DataParallel'] = true, ['nn.DataParallelTable'] = true,
   ['nn.ModelParallel'] = true, ['nn.OneBitDataParallel'] = true }

local cunn = {}
package.loaded.cunn = cunn

--- Tests nn on the device of this thread: runs the examples of the help texts of nn with torch.Tensor making CudaDoubleTensors.
-- Prints a report. Containers for several devices need two of them.
-- @param tests  a name such as 'nn.Linear', or a Lua pattern in it; a table of them (default: all)
-- @return 0; raises an error when an example does not have the result in its text
function cunn.test(tests)
   if type(tests) ~= 'nil' and type(tests) ~= 'string' and type(tests) ~= 'table' then
      arg.refuse('cunn.test', 'tests', 'a name or a table of names', tests)
   end
   local tester, test = torch.Tester(), require 'cutorch.test'
   local several = cutorch.getDeviceCount() > 1
   for _, key in ipairs(require 'torch.doc'.names()) do
      if key:find '^nn%.%u%w+$' and (several or not SEVERAL[key]) then test.add(tester, key, true) end
   end
   return tester:run(tests)
end

--- nn.testcuda(tests, [print_timing], [n_loop], [seed]): cunn.test under its name in Torch7. The seed is for
-- torch.manualSeed; it measures no times.
function nn.testcuda(tests, _, _, seed)
   if seed ~= nil then torch.manualSeed(seed) end
   return cunn.test(tests)
end

return cunn
