-- lua/autograd/gradcheck.lua - compares gradients with central differences.
local torch = require 'torch'
local arg = require 'torch.arg'
local tape = require 'autograd.tape'
local main = require 'autograd.main'
local util = require 'autograd.util'

local STEP, TOLERANCE = 1e-5, 1e-4

-- The slope of value() where set(x) changes one number around x; float32 needs wider steps.
local function slope(value, set, x, step)
   set(x + step)
   local up = value()
   set(x - step)
   local down = value()
   set(x)
   return (up - down) / (2 * step)
end

-- Compares the gradients of one tensor; returns the largest error and the largest slope.
local function compare(value, x, g)
   local single = x:type() ~= 'torch.DoubleTensor' and not x:type():find 'CudaDouble'
   local flat, gflat = x:contiguous():view(-1), g:contiguous():view(-1)
   local same, worst, scale = x:isContiguous(), 0, 0
   for i = 1, flat:nElement() do
      local function set(v)
         flat[i] = v
         if not same then x:copy(flat:viewAs(x)) end
      end
      local s = slope(value, set, flat[i], single and 1e-2 or STEP)
      local d = math.abs(s - gflat[i])
      if d ~= d or d == math.huge then return math.huge, 1 end
      worst, scale = math.max(worst, d), math.max(scale, math.abs(s), math.abs(gflat[i]))
   end
   return worst, scale, single
end

local function check(opts, f, params, ...)
   if not arg.is_callable(f) then arg.refuse('autograd.gradcheck', 'argument 1', 'a function', f, 3) end
   local before, more, n = torch.getRNGState(), { ... }, select('#', ...)
   params = util.deepCopy(params)                              -- the caller's tensors do not change
   local flat, keys = util.sortedFlattenKeys(params)
   if opts.randomizeInput then
      for _, x in ipairs(flat) do if tape.is_float(x) then x:normal(0, 1) end end
   end
   local state = torch.getRNGState()
   local function evaluate()
      torch.setRNGState(state)                                 -- dropout draws the same numbers each time
      local y = main._value(f, params, unpack(more, 1, n))
      return torch.isTensor(y) and y:sum() or y
   end
   torch.setRNGState(state)
   local grads = main.grad(f)(params, unpack(more, 1, n))
   local ok = true
   for i, x in ipairs(flat) do
      local place = keys[i]
      local g = util.nestedGet(grads, place)
      local worst, scale, single
      if tape.is_float(x) then
         worst, scale, single = compare(evaluate, x, g)
      elseif type(x) == 'number' then
         local s = slope(evaluate, function(v)
            if #place == 0 then params = v else util.nestedSet(params, place, v) end
         end, x, STEP)
         worst, scale = math.abs(s - g), math.max(math.abs(s), math.abs(g))
      end
      local limit = (single and 1e-2 or opts.tolerance) * math.max(scale or 0, 1e-2)
      if worst and (worst ~= worst or worst > limit) then
         ok = false
         local name = {}
         for k, key in ipairs(place) do name[k] = tostring(key) end
         print(('autograd.gradcheck: the gradient by %s is wrong by %g where the slope is %g')
            :format(#name > 0 and table.concat(name, '.') or 'the argument', worst, scale))
      end
   end
   torch.setRNGState(before)
   return ok
end

--- autograd.gradcheck(options): a function check(f, params, ...) that compares the gradients of f(params, ...) by params with
-- differences of f, and returns whether they agree. It prints those that do not.
-- autograd.gradcheck(f, params, ...) checks with the defaults.
-- @param options  randomizeInput: false checks at params; true (default) at random numbers instead. tolerance: the
--  largest error relative to the slope (default 1e-4)
-- autograd.gradcheck{randomizeInput = false}(function(x) return torch.sum(torch.exp(x)) end, torch.ones(2)) --> true
return function(options, ...)
   local opts = { randomizeInput = true, tolerance = TOLERANCE }
   if arg.is_callable(options) then return check(opts, options, ...) end
   if type(options) ~= 'nil' and type(options) ~= 'table' then
      arg.refuse('autograd.gradcheck', 'options', 'a table or a function', options)
   end
   for k, v in pairs(options or {}) do opts[k] = v end
   return function(...) return check(opts, ...) end
end
