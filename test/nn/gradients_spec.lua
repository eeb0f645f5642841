-- test/nn/gradients_spec.lua - the gradient of every module and criterion of nn, in double, at twenty drawn shapes each.
-- runs once: the rules of gradients are written in Lua and do not depend on the CPU level
local torch = require 'torch'
local nn = require 'nn'
local check = require 'test.support.gradcheck'
local drawn = require 'test.support.nn.random_cases'

local SHAPES = 20                          -- draws of each case
local MOST = 12                            -- elements of a tensor that change one by one; then all change together

local modules, criterions = require 'test.support.nn.cases', require 'test.support.nn.criterion_cases'
local checks, met = {}, {}                 -- what was compared: how often, and for which classes
local kept

local function count(case, what, n)
   checks[what] = (checks[what] or 0) + n
   met[case.name] = true
end

-- What a module promises where it does not give the derivative of its output.
local function promised(case, m, x)
   for _, way in ipairs{function(t) return t end, check.strided} do
      torch.manualSeed(11)
      local input = way(x)
      local y = m:forward(input)
      local g = torch.isTensor(y) and way(y:clone():uniform(-1, 1)) or 1
      local want, got = case.gradient(m, x, g), m:backward(input, g)
      assert.equal(0, check.dot(want, want) - check.dot(want, got))
      assert.equal(0, check.dot(got, got) - check.dot(want, got))
   end
end

local function verify(case, seed)
   local m, inputs = drawn.make(case, seed)
   for k, form in ipairs(inputs) do
      local what = ('%s with %s, draw %d'):format(case.new, case[k], seed)
      local ok, why = xpcall(function()
         local x = form[1]
         if case.gradient then return promised(case, m, x) end
         local byInput, byParameters = check.module(m, x, {most = MOST, strided = true, still = case.only == 'parameters'})
         local tol = case.tol or 1e-6
         assert(byInput <= tol, ('gradInput is off by %g'):format(byInput))
         assert(byParameters <= tol, ("the parameters' gradient is off by %g"):format(byParameters))
      end, debug.traceback)
      if not ok then error(what .. ': ' .. tostring(why), 0) end
      count(case, 'modules', 2)            -- contiguous and strided
   end
end

describe('the gradient of', function()
   setup(function()
      kept = print
      _G.print = function() end            -- nn.PrintSize and nn.Profile speak
   end)
   teardown(function() _G.print = kept end)

   for _, case in ipairs(modules) do
      if case.none then
         met[case.name] = true             -- a base class, without anything to compute
      else
         it(('%s is right at %d shapes, contiguous and strided'):format(case.new, SHAPES), function()
            for seed = 1, SHAPES do verify(case, seed) end
         end)
      end
   end

   for _, case in ipairs(criterions) do
      if case.none then
         met[case.name] = true
      else
         it(('%s is right at %d shapes, contiguous and strided'):format(case.new, SHAPES), function()
            for seed = 1, SHAPES do
               local c, inputs = drawn.make(case, seed)
               for k, form in ipairs(inputs) do
                  local ok, off = pcall(check.criterion, c, form[1], form[2], {most = MOST, strided = true})
                  local what = ('%s with %s, draw %d'):format(case.new, case[k], seed)
                  assert(ok and off <= (case.tol or 1e-6), ('%s: gradInput is off by %s'):format(what, tostring(off)))
                  count(case, 'criterions', 2)
               end
            end
         end)
      end
   end
end)

describe('the gradient check', function()
   it('meets every module and every criterion of nn', function()
      local missing = {}
      for _, base in ipairs{'nn.Module', 'nn.Criterion'} do
         for _, name in ipairs(check.classes(base)) do
            if not met[name] then missing[#missing + 1] = name end
         end
      end
      assert.same({}, missing)
      print(('%d gradient checks of modules, %d of criterions'):format(checks.modules, checks.criterions))
   end)
   it('sees a gradient that is wrong, in one element, in a parameter, or of a strided input only', function()
      local function off(change, parameter)
         torch.manualSeed(1)
         local m = nn.Linear(3, 2)
         local update, acc = m.updateGradInput, m.accGradParameters
         if parameter then
            function m:accGradParameters(x, g)
               acc(self, x, g)
               change(self.gradWeight, x)
            end
         else
            function m:updateGradInput(x, g)
               change(update(self, x, g), x)
               return self.gradInput
            end
         end
         return math.max(check.module(m, check.tensor{4, 3}, {most = MOST, strided = true}))
      end
      assert.is_true(off(function() end) < 1e-8)
      assert.is_true(off(function(g) g[{1, 1}] = g[{1, 1}] + 1e-4 end) > 1e-6)
      assert.is_true(off(function(g) g[{2, 3}] = g[{2, 3}] * 1.001 end, true) > 1e-6)
      assert.is_true(off(function(g, x) if not x:isContiguous() then g:mul(1.001) end end) > 1e-6)
      assert.is_true(off(function(g) g:fill(0 / 0) end) == math.huge)
   end)
end)
