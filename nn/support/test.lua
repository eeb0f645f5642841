-- nn/support/test.lua - nn.test: the examples in the help texts of nn as tests.
local torch = require 'torch'
local nn = require 'nn'
local arg = require 'torch.arg'

--- Tests nn: runs the examples of its help texts and prints a report.
-- @param tests  a name such as 'nn.Linear', or a Lua pattern in it; a table of them (default: all)
-- @param seed   for torch.manualSeed and math.randomseed (optional)
-- @return the tester; raises an error when an example does not have the result in its text
function nn.test(tests, seed)
   if type(tests) ~= 'nil' and type(tests) ~= 'string' and type(tests) ~= 'table' then
      arg.refuse('nn.test', 'tests', 'a name or a table of names', tests)
   end
   if seed ~= nil then
      seed = tonumber(seed) or arg.refuse('nn.test', 'seed', 'a number', seed)
      torch.manualSeed(seed)
      math.randomseed(seed)
   end
   local tester = require 'torch.tester'.examples(function(key) return key:find '^nn%.' end)
   tester:run(tests)
   return tester
end
