-- lua/autograd/optim.lua - the optimizers of optim over nested tables of parameters.
local optim = require 'optim'
local torch = require 'torch'
local arg = require 'torch.arg'
local tape = require 'autograd.tape'
local util = require 'autograd.util'

local is_tensor = arg.is_tensor
local wrapped = {}

-- The tensors of parameters in a fixed order; for a number, a tensor of one element and a function that writes it back.
local function places_of(params)
   if is_tensor(params) then return { { tensor = params, gradient = function(grads) return grads end } } end
   local flat, keys = util.sortedFlattenKeys(params)
   local places = {}
   for i, x in ipairs(flat) do
      local path = keys[i]
      if tape.is_float(x) or type(x) == 'number' then
         local place = { tensor = is_tensor(x) and x or torch.Tensor { x } }
         function place.gradient(grads)
            local g = util.nestedGet(grads, path)
            return type(g) == 'number' and torch.Tensor { g } or g
         end
         if type(x) == 'number' then
            function place.put() util.nestedSet(params, path, place.tensor[1]) end
         end
         places[#places + 1] = place
      end
   end
   return places
end

local function check(who, gradient, state, params)
   if not arg.is_callable(gradient) then arg.refuse(who, 'argument 1', 'a function made by autograd', gradient, 3) end
   if type(state) ~= 'nil' and type(state) ~= 'table' then arg.refuse(who, 'argument 2', 'a table of options', state, 3) end
   if not is_tensor(params) and type(params) ~= 'table' then arg.refuse(who, 'argument 3', 'a table of parameters', params, 3) end
end

-- Each tensor takes a step with a separate state.
local function each(name)
   return function(gradient, state, params)
      check('autograd.optim.' .. name, gradient, state, params)
      local places, states = places_of(params), {}
      for i = 1, #places do states[i] = util.deepCopy(state or {}) end
      local function step(grads, loss, ...)
         for i, place in ipairs(places) do
            local g = place.gradient(grads)
            optim[name](function() return loss, g end, place.tensor, states[i])
            if place.put then place.put() end
         end
         return grads, loss, ...
      end
      return function(...) return step(gradient(params, ...)) end, states
   end
end

-- One step over all parameters as one vector, because these methods evaluate the function several times.
local function all(name)
   return function(gradient, state, params)
      check('autograd.optim.' .. name, gradient, state, params)
      local places, states, n = places_of(params), { util.deepCopy(state or {}) }, 0
      for _, place in ipairs(places) do n = n + place.tensor:nElement() end
      local function over(vector, f)
         local first = 1
         for _, place in ipairs(places) do
            local size = place.tensor:nElement()
            f(place, vector:narrow(1, first, size))
            first = first + size
         end
         return vector
      end
      return function(...)
         local count, given = select('#', ...), { ... }
         if not places[1] then return gradient(params, unpack(given, 1, count)) end
         local like = places[1].tensor
         local function put(place, part)
            place.tensor:copy(part:viewAs(place.tensor))
            if place.put then place.put() end
         end
         local first
         local function evaluate(x)
            over(x, put)
            local results = { gradient(params, unpack(given, 1, count)) }
            first = first or results
            return results[2], over(like.new(n), function(place, part)
               part:copy(place.gradient(results[1]):contiguous():view(-1))
            end)
         end
         local start = over(like.new(n), function(place, part) part:copy(place.tensor:contiguous():view(-1)) end)
         over(optim[name](evaluate, start, states[1]), put)
         return unpack(first, 1, table.maxn(first))
      end, states
   end
end

--- autograd.optim.sgd(df, state, params), autograd.optim.adam(df, state, params), autograd.optim.adamw(df, state, params), autograd.optim.adamax(df, state, params), autograd.optim.adagrad(df, state, params), autograd.optim.adadelta(df, state, params), autograd.optim.rmsprop(df, state, params), autograd.optim.nag(df, state, params), autograd.optim.asgd(df, state, params), autograd.optim.rprop(df, state, params): a function that takes one step: it calls df(params, ...) with its own
-- arguments, changes the parameters in place and returns the results of df. Each tensor of params has a copy of the state.
-- @param df  a function made by autograd(f)
-- p = {w = torch.ones(2)}; step = autograd.optim.sgd(autograd(function(p) return torch.sum(p.w) end), {learningRate = 0.5}, p); step(); p.w --> {0.5, 0.5}
for _, name in ipairs { 'sgd', 'adam', 'adamw', 'adamax', 'adagrad', 'adadelta', 'rmsprop', 'nag', 'asgd', 'rprop' } do
   wrapped[name] = each(name)
end

--- autograd.optim.lbfgs(df, state, params), autograd.optim.cg(df, state, params): the same for methods that search along a
-- line: all parameters are one vector, and df is called several times in a step. Returns the results of the first call of df.
for _, name in ipairs { 'lbfgs', 'cg' } do wrapped[name] = all(name) end

return wrapped
