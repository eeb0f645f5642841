-- lua/autograd/auto/AutoCriterion.lua - functions as criterions of nn.
local torch = require 'torch'
require 'nn'
local arg = require 'torch.arg'
local tape = require 'autograd.tape'
local main = require 'autograd.main'
local make_class = require 'autograd.auto.factory'.make

local is_tensor = arg.is_tensor

--- A criterion made of a function; autograd.nn.AutoCriterion makes them.
-- torch.isTypeOf(autograd.nn.AutoCriterion 'MSE' (function(x, t) return torch.sum(torch.square(x - t)) end), 'autograd.Criterion') --> true
local Criterion, CriterionBase = torch.class('autograd.Criterion', 'nn.Criterion')

--- @param name  what print shows
-- @param f      f(input, target) gives a number
function Criterion:__init(name, f)
   CriterionBase.__init(self)
   self.name, self.f = name, f
   self.gradient = main.grad(f)
end

function Criterion:updateOutput(input, target)
   self.output = tape.plain_all(self.f(input, target))
   if is_tensor(self.output) and self.output:nElement() == 1 then self.output = self.output:item() end
   if type(self.output) ~= 'number' then
      error(('%s: the function must return a number, got %s'):format(self.name, arg.describe(self.output)), 2)
   end
   return self.output
end

function Criterion:updateGradInput(input, target)
   self.gradInput = self.gradient(input, target)
   return self.gradInput
end

function Criterion:__tostring__() return self.name end

--- A function as a criterion: autograd.nn.AutoCriterion(name)(f) is a criterion whose loss is f(input, target), a number.
-- c = autograd.nn.AutoCriterion 'MSE' (function(x, t) return torch.sum(torch.square(x - t)) end); c:forward(torch.ones(2), torch.zeros(2)) --> 2
local function AutoCriterion(name)
   local class = make_class('autograd.nn.AutoCriterion', name, 'autograd.Criterion')
   return function(f)
      if not arg.is_callable(f) then arg.refuse(name, 'argument 1', 'a function', f) end
      return class(name, f)
   end
end

return AutoCriterion
