-- test/faults/modules.lua - steps of the tour through nn: forward and backward of every module and criterion.
local torch = require 'torch'
local nn = require 'nn'
local drawn = require 'test.support.nn.random_cases'

-- The numbers of parameters: a module may give them another shape or another storage at its first use.
local function numbers(weights)
   local list = {}
   for i, w in ipairs(weights or {}) do list[i] = w:clone():view(-1) end
   return list
end

local function module(case, form)
   return {
      name = ('module %s with %s'):format(case.new, case[form]),
      rounds = case.new:find 'FFT' ~= nil,             -- another engine does the work, and rounds otherwise
      make = function()
         local m, inputs = drawn.make(case)
         local given = { m = m, x = inputs[form][1] }
         local ok, y = pcall(m.forward, m, given.x)
         given.g = ok and drawn.ones(y) or nil
         given.m = drawn.make(case)                       -- one that has not run yet: its buffers are made in the step
         given.weights = given.m:parameters()
         return given
      end,
      run = function(given)
         local m = given.m
         m:zeroGradParameters()
         torch.manualSeed(11)
         local y = m:forward(given.x)
         if case.none then return y end
         local g = m:backward(given.x, given.g)
         local _, grads = m:parameters()
         return y, g, grads
      end,
      state = function(given) return { given.x, given.g, numbers(given.weights) } end,
   }
end

local function criterion(case, form)
   return {
      name = ('criterion %s with %s'):format(case.new, case[form]),
      make = function()
         local m, inputs = drawn.make(case)
         return { m = m, x = inputs[form][1], target = inputs[form][2] }
      end,
      run = function(given)
         local loss = given.m:forward(given.x, given.target)
         if case.none then return loss end
         return loss, given.m:backward(given.x, given.target)
      end,
      state = function(given) return { given.x, given.target } end,
   }
end

-- Written by hand: what the cases do not have.
local function by_hand(list)
   local function linear() return nn.Sequential():add(nn.Linear(40, 30)):add(nn.Tanh()):add(nn.Linear(30,
      5)):add(nn.LogSoftMax()) end
   list[#list + 1] = {
      name = 'module a network of 40, 30 and 5, flat parameters and a step of gradient descent',
      make = function()
         torch.manualSeed(3)
         local m = linear()
         return { m = m, x = torch.randn(20, 40), t = torch.LongTensor(20):random(5), weights = m:parameters() }
      end,
      run = function(given)
         local _, g = given.m:getParameters()
         local c = nn.ClassNLLCriterion()
         g:zero()
         local loss = c:forward(given.m:forward(given.x), given.t)
         given.m:backward(given.x, c:backward(given.m.output, given.t))
         return loss, g
      end,
      state = function(given) return { given.x, given.t, numbers(given.weights) } end,
   }
   list[#list + 1] = {
      name = 'module copies: clone, type and sharing',
      make = function()
         torch.manualSeed(3)
         return { m = linear() }
      end,
      run = function(given)
         local copy = given.m:clone('weight', 'bias')
         local single = given.m:clone():float()
         return copy:parameters(), single:parameters()
      end,
      state = function(given) return { (given.m:parameters()) } end,
   }
end

return function(list)
   for _, case in ipairs(require 'test.support.nn.cases') do
      local ok = not case.new:find 'Parallel%(' and not case.new:find 'GPU' or case.new:find 'nn.Parallel%('
      if ok then for k = 1, #case do list[#list + 1] = module(case, k) end end
   end
   for _, case in ipairs(require 'test.support.nn.criterion_cases') do
      for k = 1, #case do list[#list + 1] = criterion(case, k) end
   end
   by_hand(list)
end
