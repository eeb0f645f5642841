-- lua/autograd/init.lua - the package autograd: autograd(f) gives the gradients of a Lua function.
--
-- While f runs, its parameters are taped values: what torch, operators, indexing and modules of nn compute from them is
-- noted, and the way back uses the rules that ops declare. Loops, branches and recursion are Lua's own.
local torch = require 'torch'
local op = require 'torch.op'
local arg = require 'torch.arg'

local autograd = rawget(_G, 'autograd') or {}
_G.autograd = autograd                 -- as scripts of Torch7 expect of a package
package.loaded.autograd = autograd     -- for the files below

local tape = require 'autograd.tape'
local ops = require 'autograd.ops'
local number = require 'autograd.number'
op.taped = { holds = ops.holds, call = ops.call, multiply = function(a, b) return number.operate('mul', a, b) end }
require 'autograd.view'.install()

local is_value, is_tensor, plain = tape.is_value, arg.is_tensor, tape.plain

--- What is behind a taped value, a tensor or a number, for branches, prints and what has no derivative; tables are gone
--- through; anything else is given back as it is.
-- autograd.value(3) --> 3
-- g, y = autograd(function(x) if autograd.value(x) > 2 then return x * x end return x end)(3); g, y --> 6, 9
function autograd.value(x) return tape.plain_all(x) end

-- The gradient for one place of the parameters: zeros where nothing depends on it; memory of its own.
local function own(grad, leaf, taken)
   local x = plain(leaf)
   if grad == nil then return is_tensor(x) and x.new():resizeAs(x):zero() or 0 end
   if is_value(grad) then return grad end
   if not is_tensor(grad) then return is_tensor(x) and x.new():resizeAs(x):fill(grad) or grad end
   local storage = tonumber(require 'ffi'.cast('intptr_t', grad:storage():data()))
   if taken[storage] or not grad:isContiguous() then grad = grad:clone() end
   taken[storage] = true
   return grad
end

local function shaped(leaves, gradient, taken)
   if is_value(leaves) then return own(gradient[leaves], leaves, taken) end
   if type(leaves) ~= 'table' or torch.typename(leaves) then return nil end
   local y = {}
   for k, v in pairs(leaves) do y[k] = shaped(v, gradient, taken) end
   return y
end

local options = { optimize = true, gradFn = true }           -- of old scripts; without effect

local function with_gradient(f, opts, params, ...)
   local nested = tape.depth > 0
   local leaves, list
   if type(params) == 'number' or is_value(params) then
      leaves = tape.leaf(params)
      list = { leaves }
   else
      leaves, list = tape.leaves(params)
   end
   if #list == 0 then
      tape.refuse('autograd: argument 1 must be a tensor of floats, a number, or a table with such tensors in it, got %s',
         type(params) == 'table' and 'a table without any' or arg.describe(params))
   end
   local results = { tape.run(f, false, leaves, ...) }
   local n = select('#', unpack(results, 1, table.maxn(results)))
   local loss = results[1]
   local y = plain(loss)
   if is_tensor(y) and y:nElement() ~= 1 or not is_tensor(y) and type(y) ~= 'number' then
      tape.refuse('autograd: the function must return a number or a tensor of one element first, got %s', arg.describe(y))
   end
   local gradient = {}
   if is_value(loss) then
      local g = opts.gradArg or 1
      if is_tensor(y) then g = y.new():resizeAs(y):fill(g) end
      gradient = tape.run(tape.backward, nested, loss, g, list)
   end
   local grads = shaped(leaves, gradient, {})
   if not nested then for i = 1, n do results[i] = tape.plain_all(results[i]) end end
   return grads, unpack(results, 1, n)
end

setmetatable(autograd, {
   __call = function(_, f, opts)
      if not arg.is_callable(f) then
         error(('autograd: argument 1 must be a function, got %s'):format(arg.describe(f)), 2)
      end
      if opts ~= nil and type(opts) ~= 'table' then
         error(('autograd: argument 2 must be a table of options, got %s'):format(arg.describe(opts)), 2)
      end
      opts = opts or {}
      for k, v in pairs(opts) do
         if k == 'gradArg' then
            if type(v) ~= 'number' then error(('autograd: gradArg must be a number, got %s'):format(arg.describe(v)), 2) end
         elseif not options[k] then
            error(('autograd: there is no option %s; gradArg is one'):format(tostring(k)), 2)
         end
      end
      return function(params, ...) return with_gradient(f, opts, params, ...) end
   end,
})

require 'autograd.nn'

return autograd
