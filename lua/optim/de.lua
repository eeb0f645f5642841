-- lua/optim/de.lua - differential evolution, for functions without a gradient.
local torch = require 'torch'
local optim = require 'optim'
local need = require 'optim.need'

need.declare('optim.de', 'popsize scaleFactor crossoverRate maxFEval spread')

--- Minimises with differential evolution (Storn and Price, 1997): candidates of a population are mixed, and replace
-- worse ones.
-- @param config.popsize        default 10 times the number of parameters
-- @param config.scaleFactor    of the difference of two candidates, default 0.8
-- @param config.crossoverRate  the probability that a parameter is mixed, default 0.9
-- @param config.maxFEval       evaluations, default 5000
-- @param config.spread         the population starts within this distance of x, default 5
-- @return x (moved to the best point), {the best value after each round}
function optim.de(opfunc, x, config, state)
   config, state = need.all('optim.de', opfunc, x, config, state)
   local n = x:nElement()
   local size = math.max(4, config.popsize or 10 * n)
   local scale, rate = config.scaleFactor or 0.8, config.crossoverRate or 0.9
   local most, spread = config.maxFEval or 5000, config.spread or 5

   local function value(place)
      state.evalCounter = (state.evalCounter or 0) + 1
      return need.value('optim.de', (opfunc(place)))
   end

   state.evalCounter = 0
   local people, values, best = {x:clone()}, {}, 1
   for i = 2, size do people[i] = x.new(x:size()):uniform(-spread, spread):add(x) end
   for i = 1, size do
      values[i] = value(people[i])
      if values[i] < values[best] then best = i end
   end
   local history = {values[best]}
   local function other(...)
      while true do
         local k = torch.random(1, size)
         local free = true
         for _, taken in ipairs{...} do free = free and k ~= taken end
         if free then return k end
      end
   end
   while state.evalCounter < most do
      for i = 1, size do
         if state.evalCounter >= most then break end
         local a = other(i)
         local b = other(i, a)
         local c = other(i, a, b)
         local mixed = people[a] + (people[b] - people[c]) * scale
         local trial = people[i]:clone()
         local from, to = mixed:view(-1), trial:view(-1)
         local always = torch.random(1, n)
         for k = 1, n do
            if k == always or torch.uniform() < rate then to[k] = from[k] end
         end
         local f = value(trial)
         if f <= values[i] then
            people[i], values[i] = trial, f
            if f < values[best] then best = i end
         end
      end
      history[#history + 1] = values[best]
   end
   x:copy(people[best])
   return x, history
end
