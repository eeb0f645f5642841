-- lua/autograd/nnwrapper.lua - modules and criterions of nn as functions of parameters and input.
local torch = require 'torch'
require 'nn'
local arg = require 'torch.arg'
local tape = require 'autograd.tape'

local is_value, is_tensor, plain, new = tape.is_value, arg.is_tensor, tape.plain, tape.new

-- Copies of a module that no pending gradient uses. A module keeps the data for its gradient until its next call, so each
-- call within a taped function has a separate copy.
local function pool_of(module)
   local free = {}
   return {
      take = function()
         local m = table.remove(free) or module:clone('running_mean', 'running_var')
         if m.train ~= module.train and m.training then
            if module.train == false then m:evaluate() else m:training() end
         end
         return m
      end,
      give = function(m) free[#free + 1] = m end,
   }
end

local function load_parameters(module, who, params)
   local own = module:parameters()
   if type(params) ~= 'table' or torch.typename(params) or #params ~= #own then
      tape.refuse('%s: params must be a table of %d tensors, got %s', who, #own,
         type(params) == 'table' and not torch.typename(params) and not is_value(params) and ('a table of %d'):format(#params)
         or arg.describe(plain(params)))
   end
   for i, p in ipairs(params) do
      if not is_tensor(p) or not p:isSameSizeAs(own[i]) then
         tape.refuse('%s: params[%d] must be a tensor of size %s, got %s', who, i, arg.size_text(own[i]), arg.describe(p))
      end
   end
   local kind = params[1]:type()
   if own[1]:type() ~= kind then
      module:type(kind)
      own = module:parameters()
   end
   for i, p in ipairs(params) do own[i]:set(p) end
end

local function first_order_only(g, who)
   if is_value(g) then tape.refuse('autograd: %s declares no second derivative', who) end
end

-- The first tensor in nested tables.
local function first_tensor(x)
   if is_tensor(x) then return x end
   for _, v in pairs(type(x) == 'table' and x or {}) do
      local t = first_tensor(v)
      if t then return t end
   end
end

-- A module without parameters computes in the type of its input.
local function follow_type(m, x)
   local first = first_tensor(x)
   if tape.is_float(first) and m:type() ~= first:type() then m:type(first:type()) end
end

local function copy_of_tensors(x)
   if is_tensor(x) then return x:clone() end
   if type(x) ~= 'table' or torch.typename(x) then return x end
   local y = {}
   for k, v in pairs(x) do y[k] = copy_of_tensors(v) end
   return y
end

-- Gradients of the parts of a table as output; missing ones count as zeros. They add up part by part.
local Parts = {}
Parts.__index = Parts
function Parts.__add(a, b)
   local sum = setmetatable({}, Parts)
   for i, g in pairs(a) do sum[i] = g end
   for i, g in pairs(b) do sum[i] = sum[i] and sum[i] + g or g end
   return sum
end

local function completed(parts, like, at)
   at = at or { 0 }
   if is_tensor(like) then
      at[1] = at[1] + 1
      return parts[at[1]] or like.new():resizeAs(like):zero()
   end
   local y = {}
   for i, v in ipairs(like) do y[i] = completed(parts, v, at) end
   return y
end

-- The values of a table as output: each passes its gradient to `whole` under its number.
local function parts_of(whole, like, at)
   at = at or { 0 }
   if is_tensor(like) then
      at[1] = at[1] + 1
      local i = at[1]
      return new(like, { whole }, function(g) return { setmetatable({ [i] = g }, Parts) } end, 'part', { i })
   end
   local y = {}
   for i, v in ipairs(like) do y[i] = parts_of(whole, v, at) end
   return y
end

local function module_function(module)
   local who, pool = torch.typename(module), pool_of(module)
   local own = module:parameters() or {}
   local function run(params, input)
      local inputs, finders = {}, {}
      tape.values_in({ params, input }, inputs, finders, {})
      local plain_params, x = tape.plain_all(params), tape.plain_all(input)
      local m = pool.take()
      if #own > 0 then load_parameters(m, who, plain_params) else follow_type(m, x) end
      if #inputs == 0 then
         local y = copy_of_tensors(m:forward(x))
         pool.give(m)
         return y
      end
      if not tape.is_float(x) or not is_value(input) then x = copy_of_tensors(x) end
      local y = copy_of_tensors(m:forward(x))
      local function pull(g)
         first_order_only(getmetatable(g) == Parts and select(2, next(g)) or g, who)
         if not is_tensor(y) then g = completed(g, y) end
         m:zeroGradParameters()
         local gx = copy_of_tensors(m:backward(x, g))
         local _, grads = m:parameters()
         local all, parts = { copy_of_tensors(grads or {}), gx }, {}
         for i, find in ipairs(finders) do parts[i] = find(all) end
         return parts
      end
      local node = new(y, inputs, pull, who, { module = m, params = params, input = input, output = y })
      if is_tensor(y) then return node end
      return parts_of(node, y)
   end
   if #own == 0 then
      return function(...)
         local first, second = ...
         if select('#', ...) > 1 then return run({}, second) end -- f({}, x), as of a module with parameters
         return run({}, first)
      end, {}
   end
   local params = {}
   for i, p in ipairs(own) do params[i] = p:clone() end
   return run, params
end

local function criterion_function(criterion)
   local who, pool = torch.typename(criterion), pool_of(criterion)
   return function(input, target)
      local c, inputs, finders = pool.take(), {}, {}
      tape.values_in(input, inputs, finders, {})
      local x, t = tape.plain_all(input), copy_of_tensors(tape.plain_all(target))
      follow_type(c, x)
      local loss = c:forward(x, t)
      if is_tensor(loss) and loss:nElement() == 1 then loss = loss:item() end
      if #inputs == 0 then
         pool.give(c)
         return loss
      end
      return new(loss, inputs, function(g)
         first_order_only(g, who)
         local gx, parts = copy_of_tensors(c:backward(x, t)), {}
         for i, find in ipairs(finders) do parts[i] = torch.mul(find(gx), g) end
         return parts
      end, who)
   end, {}
end

local wrapper = {}

-- The constructors of a package as functions: nn.Linear(3, 2) becomes a function and its parameters.
local function package_of(name)
   local ok, package = pcall(require, name)
   if not ok then error(('autograd.functionalize: there is no package %s'):format(name), 3) end
   return setmetatable({}, { __index = function(_, k)
      local class = package[k] ~= nil and torch.getmetatable(name .. '.' .. tostring(k))
      if not class then tape.refuse('autograd.%s: %s has no module or criterion %s', name, name, tostring(k)) end
      return function(...) return wrapper.functionalize(package[k](...)) end
   end })
end

--- A module or criterion of nn as a function. It is f(params, x) for a module with parameters, f(x)
--- for one without, and f(input, target) for a criterion. It may be called any number of times in a
--- taped function; of `module` only running means change. module:evaluate() and module:training()
--- apply to f too. For the name of a package, such as 'nn', the result is a table of constructors
--- of such functions.
--- @return f, and a list of copies of the module's parameters, {} if it has none
-- f, params = autograd.functionalize(nn.Linear(3, 2)); f(params, torch.ones(4, 3)):size() --> {4, 2}
function wrapper.functionalize(module)
   if torch.isTypeOf(module, 'nn.Module') then return module_function(module) end
   if torch.isTypeOf(module, 'nn.Criterion') then return criterion_function(module) end
   if type(module) == 'string' then return package_of(module) end
   arg.refuse('autograd.functionalize', 'module', 'a module or criterion of nn', module)
end

--- autograd.nn: Modules of nn by name as functions: autograd.nn.Linear(3, 2) is autograd.functionalize(nn.Linear(3, 2)).
-- f, params = autograd.nn.Linear(3, 2); params[1]:size(), params[2]:size() --> {2, 3}, {2}
wrapper.nn = package_of 'nn'

return wrapper
