-- lua/torch/derivative.lua - evaluates the gradient rules of ops: "a: mm(g, b') b: mm(a', g)".
--
-- A rule lists, for each differentiable argument, an expression in the op's own arguments, its results, `g` (the gradient of
-- the first result), numbers, functions of the torch table, `+` and `-`. `'` transposes a matrix; `name?` is an argument that may be
-- absent. A gradient that is larger than its argument, because the argument was broadcast, is summed down to the argument's size.
local torch = require 'torch'
local derivative = {}

-- The expression at `at`: a function of the environment, and the position after it.
local expression

-- a + b or a - b, from the left.
local function sum(text, at)
   local f, after = expression(text, at)
   while true do
      local mark, next_at = text:match('^%s*([+-])()', after)
      if not mark then return f, after end
      local a, b = f, nil
      b, after = expression(text, next_at)
      if mark == '+' then f = function(env) return a(env) + b(env) end
      else f = function(env) return a(env) - b(env) end end
   end
end

local function arguments(text, at, list)
   at = text:match('^%s*()', at)
   if text:sub(at, at) == ')' then return at + 1 end
   while true do
      list[#list + 1], at = sum(text, at)
      local mark, next_at = text:match('^%s*([,)])()', at)
      if not mark then error(('a gradient rule lacks ) at "%s"'):format(text:sub(at))) end
      at = next_at
      if mark == ')' then return at end
   end
end

local function transposed(f) return function(env) return f(env):t() end end

function expression(text, at)
   at = text:match('^%s*()', at)
   local number, after = text:match('^(%-?%d[%d.e]*)()', at)
   if number then
      local value = assert(tonumber(number), 'a gradient rule has the number ' .. number)
      return function() return value end, after
   end
   local name
   name, after = text:match('^([%a_][%w_]*)()', at)
   if not name then error(('a gradient rule cannot be read at "%s"'):format(text:sub(at))) end
   local f
   if text:sub(after, after) == '(' then
      local list = {}
      after = arguments(text, after + 1, list)
      f = function(env)
         local values = {}
         for i = 1, #list do values[i] = list[i](env) end
         local call = torch[name] or error(('a gradient rule calls %s, which torch does not have'):format(name))
         return call(unpack(values, 1, #list))
      end
   elseif text:sub(after, after) == '?' then
      f, after = function(env) return env[name] end, after + 1
   else
      f = function(env)
         local value = env[name]
         if value == nil then error(('a gradient rule speaks of %s, which the op does not have'):format(name)) end
         return value
      end
   end
   while text:sub(after, after) == "'" do f, after = transposed(f), after + 1 end
   return f, after
end

local parsed = {}                            -- rule text -> list of { name, function of the environment }

function derivative.parse(rule)
   if parsed[rule] then return parsed[rule] end
   local list, at = {}, 1
   while rule:find('%S', at) do
      local name, after = rule:match('^%s*([%a_][%w_]*):()', at)
      if not name then error(('a gradient rule cannot be read at "%s"'):format(rule:sub(at))) end
      local f
      f, at = sum(rule, after)
      list[#list + 1] = { name = name, value = f }
   end
   parsed[rule] = list
   return list
end

-- The sum of a gradient over the dimensions that were broadcast from these sizes.
local function sum_over(grad, ndim, size)
   local extra = grad:dim() - ndim
   for d = 1, grad:dim() do
      if d <= extra or (size(d - extra) == 1 and grad:size(d) > 1) then grad = grad:sum(d) end
   end
   return grad:contiguous()
end

--- Sums a gradient over the dimensions that were broadcast, down to the size of its argument.
function derivative.sum_to(grad, x)
   if grad:isSameSizeAs(x) then return grad end
   if grad:nElement() == x:nElement() then return grad:contiguous():viewAs(x) end
   return sum_over(grad, x:dim(), function(d) return x:size(d) end):viewAs(x)
end

--- The same, down to a list of sizes.
function derivative.sum_to_size(grad, size)
   return sum_over(grad, #size, function(d) return size[d] end):view(torch.LongStorage(size))
end

--- The gradients of one call.
-- @param rule  th_op.grad
-- @param env   the arguments and results by name, and `g`
-- @return a table from argument name to gradient
function derivative.gradients(rule, env)
   local out = {}
   for _, entry in ipairs(derivative.parse(rule)) do
      local x = env[entry.name]
      if torch.isTensor(x) then
         local grad = entry.value(env)
         if type(grad) == 'number' then grad = x:clone():fill(grad) end
         out[entry.name] = derivative.sum_to(grad, x)
      end
   end
   return out
end

return derivative
