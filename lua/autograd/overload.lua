-- lua/autograd/overload.lua - functions with gradients that the user writes, and functions that are not differentiated.
local torch = require 'torch'
local arg = require 'torch.arg'
local tape = require 'autograd.tape'

local is_value, is_tensor, plain = tape.is_value, arg.is_tensor, tape.plain
local overload = {}

local given = { torch = {}, operators = {} } -- gradients of a program for functions of torch and for operators
local wrapped, installed = {}, true          -- { owner, name, before, after } of each replaced function

-- Those in use, by name.
overload._torch, overload._operators = given.torch, given.operators

-- Whether a value is among the arguments or in tables among them.
local function holds(...)
   for i = 1, select('#', ...) do
      local x = select(i, ...)
      if is_value(x) then return true end
      if type(x) == 'table' and not torch.typename(x) then
         for _, v in pairs(x) do if holds(v) then return true end end
      end
   end
   return false
end

local function differentiable(y) return type(y) == 'number' or tape.is_float(y) end

-- A gradient in the form of x: a number fills a tensor, and for a number a tensor is summed.
local function fitted(g, x)
   local want, have = plain(x), plain(g)
   if is_tensor(want) and type(have) == 'number' then
      return is_value(g) and overload._tensor_of(g, want):expandAs(want) or want.new():resizeAs(want):fill(g)
   end
   if type(want) == 'number' and is_tensor(have) then return torch.sum(g) end
   return g
end

--- f(...) with plain arguments, its first result taped.
-- @param gradients  functions gradient(g, result, arguments...), one for each argument; nil means no gradient
function overload._call(name, f, gradients, ...)
   local n, arguments = select('#', ...), { ... }
   local results = { f(unpack(tape.plain_all(arguments), 1, n)) }
   if not differentiable(results[1]) then return unpack(results, 1, table.maxn(results)) end
   local inputs, finders, argument_of = {}, {}, {}
   for i = 1, n do
      tape.values_in(arguments[i], inputs, finders, { i })
      for k = #argument_of + 1, #inputs do argument_of[k] = i end
   end
   results[1] = tape.new(results[1], inputs, function(g, wanted, self)
      local answer = tape.keep and self or self._value
      local inputs_now = tape.keep and arguments or tape.plain_all(arguments)
      local by_argument, parts = {}, {}
      for k, i in ipairs(argument_of) do
         if wanted[k] then
            if not gradients[i] then tape.refuse('autograd: missing gradient for argument %d of %s', i, name) end
            if by_argument[i] == nil then by_argument[i] = gradients[i](g, answer, unpack(inputs_now, 1, n)) end
            local found, part = pcall(finders[k], by_argument)     -- a table may lack a part, which then has no gradient
            if found and part ~= nil then parts[k] = fitted(part, inputs[k]) end
         end
      end
      return parts
   end, name)
   return unpack(results, 1, table.maxn(results))
end

local function replace(owner, name, make)
   local before = owner[name]
   if not arg.is_callable(before) then error(('autograd.overload: there is no function %s'):format(tostring(name)), 4) end
   local after = make(before)
   arg.behind[after] = arg.behind[before] or before
   wrapped[#wrapped + 1] = { owner = owner, name = name, before = before, after = after }
   if installed then owner[name] = after end
end

-- The functions for `describe`: gradient, operator, static, dynamic, initializer.
local function describer(title, owner)
   local module = {}

   function module.gradient(name, gradients)
      if type(gradients) ~= 'table' then arg.refuse('module.gradient', 'gradients', 'a table of functions', gradients) end
      local full = title .. '.' .. tostring(name)
      if owner == torch and require 'torch.op'.forms(name) then given.torch[name] = gradients end
      replace(owner, name, function(before)
         return function(...)
            if not holds(...) then return before(...) end
            return overload._call(full, before, gradients, ...)
         end
      end)
   end

   function module.operator(name, gradients)
      name = tostring(name):gsub('^__', '')
      if not tape.Value['__' .. name] then error(('autograd.overload: there is no operator %s'):format(name), 2) end
      if type(gradients) ~= 'nil' and type(gradients) ~= 'table' then
         arg.refuse('module.operator', 'gradients', 'a table of functions', gradients)
      end
      given.operators[name] = gradients
   end

   -- Functions whose results have no gradient get plain values.
   function module.static(...)
      for _, name in ipairs { ... } do
         replace(owner, name, function(before)
            return function(...)
               if not holds(...) then return before(...) end
               return before(unpack(tape.plain_all { ... }, 1, select('#', ...)))
            end
         end)
      end
   end
   module.dynamic, module.initializer = module.static, module.static
   return module
end

--- Gives functions of a table gradients that you write, which autograd uses instead of differentiating them.
-- @param title     the name of the table, for messages
-- @param functions  the table; its functions are replaced by ones that take taped values too
-- @param describe  describe(module) calls module.gradient(name, {function(g, result, arguments...)
--  ... end, ...}) with one function for each argument. It calls module.static(names...) for
--  functions without gradient; dynamic and initializer do the same. It calls module.operator(name,
--  gradients) for add, sub, mul, div, pow and unm. There no gradients restore the usual ones
-- ops = {double = function(x) return x * 2 end}; autograd.overload.module('ops', ops, function(module) module.gradient('double', {function(g) return g * 2 end}) end); autograd(function(x) return torch.sum(ops.double(x)) end)(torch.ones(2)) --> {2, 2}, 4
function overload.module(title, functions, describe)
   if type(functions) ~= 'table' then arg.refuse('autograd.overload.module', 'functions', 'a table of functions', functions) end
   if not arg.is_callable(describe) then arg.refuse('autograd.overload.module', 'describe', 'a function', describe) end
   describe(describer(tostring(title), functions))
end

--- The same as autograd.overload.module, for the methods of a class.
function overload.class(title, methods, describe)
   if type(methods) == 'string' then methods = torch.getmetatable(methods) end
   return overload.module(title, methods, describe)
end

--- Puts the replaced functions back in place after autograd.overload.uninstall().
function overload.install()
   installed = true
   overload._torch, overload._operators = given.torch, given.operators
   for _, w in ipairs(wrapped) do w.owner[w.name] = w.after end
end

--- Puts the original functions back; autograd.overload.install() undoes it.
function overload.uninstall()
   installed = false
   overload._torch, overload._operators = {}, {}
   for i = #wrapped, 1, -1 do wrapped[i].owner[wrapped[i].name] = wrapped[i].before end
end

return overload
