-- lua/autograd/main.lua - grad(f, options), which makes a function that computes gradients, and the package's settings.
local torch = require 'torch'
local arg = require 'torch.arg'
local tape = require 'autograd.tape'
local debugger = require 'autograd.debugger'
require 'autograd.engine'

local is_value, is_tensor, plain = tape.is_value, arg.is_tensor, tape.plain
local main = {}

local switches = { optimize = false, protected = false }

--- autograd.optimize(on): the default of the option `optimize`. Both ways compute the same numbers; it is for
-- programs that were written for Torch7, where it chose between two implementations.
-- autograd.optimize(true); on = autograd.optimizing(); autograd.optimize(false); on, autograd.optimizing() --> true, false
function main.optimize(on) switches.optimize = on and true or false end

--- autograd.optimizing(): whether autograd.optimize(true) is set.
function main.optimizing() return switches.optimize end

--- autograd.protected(on): accepted for programs that were written for Torch7. An error in a
-- function never leaves autograd in a bad state, so there is nothing to switch. Returns the
-- setting.
function main.protected(on)
   if on ~= nil then switches.protected = on and true or false end
   return switches.protected
end

-- f or tape.backward in a call with these options.
local function run(f, keep, opts, watch, ...)
   local function inside(...)
      tape.watch, tape.optimize = watch or tape.watch, opts.optimize
      return f(...)
   end
   return tape.run(inside, keep, ...)
end

-- The first result of f(params, ...) while its parameters are taped, as a plain value. Only for files of this package.
function main._value(f, params, ...)
   return tape.plain_all((run(f, false, switches, nil, (tape.leaves(params)), ...)))
end

-- The gradient for one parameter: zeros if the result does not depend on it, in memory that no other gradient shares.
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

-- Copies the tensors of `fresh` into those of the last call if type and size agree.
local function stable(kept, fresh)
   if is_tensor(fresh) then
      if is_tensor(kept) and kept:type() == fresh:type() and kept:isSameSizeAs(fresh) then return kept:copy(fresh) end
      return fresh
   end
   if type(fresh) ~= 'table' or is_value(fresh) then return fresh end
   kept = type(kept) == 'table' and kept or {}
   for k in pairs(kept) do if fresh[k] == nil then kept[k] = nil end end
   for k, v in pairs(fresh) do kept[k] = stable(kept[k], v) end
   return kept
end

local function leaves_of(params, k)
   if is_value(params) then
      local leaf = tape.leaf(params)
      return leaf, { leaf }
   end
   local leaves, list = tape.leaves(params)
   if #list == 0 then
      tape.refuse('autograd: argument %d must be a tensor of floats, a number, or a table with such tensors in it, got %s', k,
         type(params) == 'table' and 'a table without any' or arg.describe(params))
   end
   return leaves, list
end

-- The gradient at the start of the backward pass: 1, or the argument of the caller for partialGrad.
local function start(y, opts, given)
   if opts.partialGrad then
      local g = plain(given)
      if is_tensor(y) and not (is_tensor(g) and g:nElement() == y:nElement()) or type(y) == 'number' and type(g) ~= 'number' then
         tape.refuse('autograd: with partialGrad the last argument must be the gradient of the output, %s, got %s',
            is_tensor(y) and 'of size ' .. arg.size_text(y) or 'a number', arg.describe(g))
      end
      if not is_tensor(y) then return given end
      if is_value(given) then return torch.viewAs(torch.contiguous(given), y) end
      return y.new():resizeAs(y):copy(given)                  -- a copy: gradients may share its memory
   end
   if is_tensor(y) and y:nElement() ~= 1 or not is_tensor(y) and type(y) ~= 'number' then
      tape.refuse('autograd: the function must return a number or a tensor of one element first, got %s', arg.describe(y))
   end
   return is_tensor(y) and y.new():resizeAs(y):fill(1) or 1
end

local function count(...) return select('#', ...), { ... } end

-- The gradients by the leaves, from the first result of f.
local function pull(loss, opts, watch, leaves, list, partial)
   local g = start(plain(loss), opts, partial)
   if not is_value(loss) then return shaped(leaves, {}, {}) end
   return shaped(leaves, run(tape.backward, tape.depth > 0, opts, watch, loss, g, list), {})
end

-- One call of a function of grad. `state` holds values that live from call to call.
local function with_gradient(f, opts, state, ...)
   local n, given = count(...)
   local partial
   if opts.partialGrad then
      partial, given[n] = given[n], nil
      n = n - 1
   end
   if opts.optimize and opts.withGradients == false then return f(unpack(given, 1, n)) end
   local k = opts.gradArg or 1
   local leaves, list = leaves_of(given[k], k)
   given[k] = leaves
   local watch = debugger.watch(opts)
   local found, results = count(run(f, false, opts, watch, unpack(given, 1, math.max(n, k))))
   local grads = pull(results[1], opts, watch, leaves, list, partial)
   if watch then watch.finish() end
   if tape.depth == 0 then
      for i = 1, found do results[i] = tape.plain_all(results[i]) end
      if opts.stableGradients then
         state.grads = stable(state.grads, grads)
         grads = state.grads
      end
   end
   if opts.optimize and opts.withForward == false then return grads end
   return grads, unpack(results, 1, found)
end

--- autograd(f, options), autograd.grad(f, options): a function that calls f. It returns first the
-- gradients of f's first result by f's first argument (a tensor, a number, or nested tables of
-- such), then f's results.
-- @param options  a table, all of it optional. gradArg: the position of the argument to take the
--  gradient by. partialGrad: true if f may return a tensor of any size and the last argument of a
--  call is its gradient. stableGradients: true to write the gradients of each call into the same
--  tensors. debugHook: a function that autograd calls when a nan or an infinity appears. showCode:
--  true to print the operations. optimize: with it withForward = false leaves out f's results and
--  withGradients = false the gradients
-- autograd(function(x) return torch.sum(torch.cmul(x, x)) end)(torch.Tensor{1, 2}) --> {2, 4}, 5
function main.grad(f, options)
   if not arg.is_callable(f) then
      error(('autograd: argument 1 must be a function, got %s'):format(arg.describe(f)), 2)
   end
   if type(options) ~= 'nil' and type(options) ~= 'table' then
      error(('autograd: argument 2 must be a table of options, got %s'):format(arg.describe(options)), 2)
   end
   local opts = {}
   for k, v in pairs(options or {}) do opts[k] = v end
   if opts.optimize == nil then opts.optimize = switches.optimize end
   local place = opts.gradArg
   if type(place) ~= 'nil' and (type(place) ~= 'number' or place < 1 or place % 1 ~= 0 or place > 200) then
      error(('autograd: gradArg must be the place of an argument, got %s'):format(arg.describe(place)), 2)
   end
   if opts.debugHook ~= nil and not arg.is_callable(opts.debugHook) then
      error(('autograd: debugHook must be a function, got %s'):format(arg.describe(opts.debugHook)), 2)
   end
   local state = {}
   return function(...) return with_gradient(f, opts, state, ...) end
end

return main
