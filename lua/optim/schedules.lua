-- lua/optim/schedules.lua - learning rates that depend on the step.
local optim = require 'optim'
local arg = require 'torch.arg'

local function number(who, name, v)
   if type(v) ~= 'number' then arg.refuse(who, name, 'a number', v, 3) end
   return v
end

local function positive(who, name, v)
   if type(v) ~= 'number' or v <= 0 or v ~= v then arg.refuse(who, name, 'a positive number', v, 3) end
   return v
end

--- A schedule: a function that returns the learning rate of step t, t = 0, 1, ...; here rate * factor^floor(t / every). Set
-- config.learningRate to it before each step.
-- s = optim.stepDecay(1, 10, 0.5); s(0), s(9), s(20) --> 1, 1, 0.25
function optim.stepDecay(rate, every, factor)
   number('optim.stepDecay', 'rate', rate)
   positive('optim.stepDecay', 'every', every)
   number('optim.stepDecay', 'factor', factor)
   return function(t) return rate * factor ^ math.floor(t / every) end
end

--- A schedule as of optim.stepDecay: rate * factor^t.
-- optim.exponentialDecay(1, 0.5)(2) --> 0.25
function optim.exponentialDecay(rate, factor)
   number('optim.exponentialDecay', 'rate', rate)
   number('optim.exponentialDecay', 'factor', factor)
   return function(t) return rate * factor ^ t end
end

--- A schedule as of optim.stepDecay: from rate in a straight line to last (default 0), which it reaches at step `steps` and keeps.
-- optim.linearDecay(1, 10)(5) --> 0.5
function optim.linearDecay(rate, steps, last)
   number('optim.linearDecay', 'rate', rate)
   positive('optim.linearDecay', 'steps', steps)
   last = number('optim.linearDecay', 'last', last == nil and 0 or last)
   return function(t) return rate + (last - rate) * math.min(t / steps, 1) end
end

--- A schedule as of optim.stepDecay: from rate along half a cosine to last (default 0) at step `steps`, then last. Loshchilov and
-- Hutter, "SGDR: stochastic gradient descent with warm restarts" (2017), without restarts.
-- optim.cosineDecay(1, 10)(5) --> 0.5
function optim.cosineDecay(rate, steps, last)
   number('optim.cosineDecay', 'rate', rate)
   positive('optim.cosineDecay', 'steps', steps)
   last = number('optim.cosineDecay', 'last', last == nil and 0 or last)
   return function(t) return last + (rate - last) * (1 + math.cos(math.pi * math.min(t / steps, 1))) / 2 end
end

--- A schedule that rises for `steps` steps, in a straight line to the first rate of another schedule, and then follows it.
-- s = optim.warmup(4, optim.cosineDecay(1, 10)); s(0), s(3), s(9) --> 0.25, 1, 0.5
function optim.warmup(steps, schedule)
   positive('optim.warmup', 'steps', steps)
   if not arg.is_callable(schedule) then arg.refuse('optim.warmup', 'schedule', 'a function', schedule) end
   return function(t)
      if t < steps then return schedule(0) * math.min((t + 1) / steps, 1) end
      return schedule(t - steps)
   end
end
