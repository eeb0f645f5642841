-- lua/distributed/lbfgs.lua - L-BFGS with its vectors in parts on several ranks, which exchange only inner
-- products.
local torch = require 'torch'
local optim = require 'optim'
local need = require 'optim.need'
local quasi = require 'optim.quasi'
local wolfe = require 'optim.wolfe'
local arg = require 'torch.arg'
local dist = require 'distributed.core'
local comm = require 'distributed.lib'
local agree = require 'distributed.collective_check'
local vectors = require 'distributed.vectors'

local WHO = 'dist.lbfgs'

need.declare(WHO, 'learningRate maxIter maxEval tolFun tolX nCorrection c1 c2')

-- ---- products of vectors in parts --------------------------------------------------------------------------------------------

-- All ranks get the same bits, so all decide alike. Parts are contiguous vectors; the last one is
-- padded with zeros.
local function space_of(o)
   local function sum(...) return dist.allreduce(torch.DoubleTensor{ ... }, 'sum', o) end
   local space = {}
   function space.dot(a, b) return sum(a:dot(b))[1] end
   function space.dots(a, b, c, d)
      local both = sum(a:dot(b), c:dot(d))
      return both[1], both[2]
   end
   function space.sum(a) return sum(torch.abs(a):sum())[1] end
   function space.most(a) return dist.allreduce(torch.DoubleTensor{ torch.abs(a):max() }, 'max', o)[1] end
   return space
end

-- Calls the function to be minimised on this rank; an error on one rank is an error on all. Returns
-- the combined value of all ranks, and this rank's gradient as a vector.
local function call(self, opfunc, x)
   local f, g
   local ok, why = pcall(function()
      f, g = need.evaluate(WHO, opfunc, x)
      if type(f) ~= 'number' then arg.refuse(WHO, 'the value of opfunc', 'a number', f, -1) end
      if g:type() ~= x:type() then arg.refuse(WHO, 'the gradient of opfunc', 'a ' .. x:type(), g, -1) end
   end)
   self.told = true
   local values = agree.well(WHO, self.number, ok, why, f)
   self.told = false
   local total = 0
   for _, value in ipairs(values) do total = total + value end
   return self.op == 'mean' and total / #values or total, g:contiguous():view(-1)
end

-- ---- each rank has its own part of x -----------------------------------------------------------------------------------------

local function own_parts(self, opfunc, x, config, state)
   local space = space_of(self.options)
   local function value(at) return call(self, opfunc, at:viewAs(x)) end
   function space.evaluate(_, _, at) return value(at) end
   function space.search(_, _, at, t, d, f, g, slope, options)
      return wolfe(value, at, t, d, f, g, slope, options or {}, space)
   end
   local _, values, evaluations = quasi(WHO, opfunc, x:view(-1), config, state, space)
   return x, values, evaluations
end

-- ---- all ranks have x --------------------------------------------------------------------------------------------------------

local function whole(self, opfunc, x, config, state)
   local group, space, n, flat = agree.group(self.number), space_of(self.options), x:nElement(), x:view(-1)
   local most, shard = vectors.shards(n, group.n)
   local first, count = shard(group.at)
   local function part(v) return vectors.padded(count > 0 and v:narrow(1, first, count) or v.new(), most) end
   -- The whole vector, of which v is this rank's part.
   local function gathered(v) return dist.allgather(v, self.options):view(-1):narrow(1, 1, n) end
   local function evaluate(at)
      flat:copy(gathered(at))
      local f, g = call(self, opfunc, x)
      return f, dist.reducescatter(vectors.padded(g, most * group.n), self.op, self.options)
   end
   -- A user's line search gets whole vectors, the same on all ranks.
   local function foreign(f, at, t, d, value, g, slope, options)
      local start = gathered(at):clone():viewAs(x)
      local function ask(y)
         local v, gradient = call(self, opfunc, y)
         return v, dist.allreduce(gradient:clone(), self.op, self.options):viewAs(x)
      end
      local results
      local ok, why = pcall(function()
         results = { f(ask, start, t, gathered(d):viewAs(x), value, gathered(g):viewAs(x), slope, options) }
         local v, gradient, place, step, used = unpack(results, 1, 5)
         if type(v) ~= 'number' or not torch.isTensor(gradient) or gradient:nElement() ~= n or not torch.isTensor(place)
            or place:nElement() ~= n or type(step) ~= 'number' or type(used) ~= 'number' then
            error(WHO .. ': lineSearch must return value, gradient, place, step and number of evaluations', 0)
         end
      end)
      if not ok and self.told then error(why, 0) end
      agree.well(WHO, self.number, ok, why)
      local v, gradient, place, step, used = unpack(results, 1, 5)
      at:copy(part(place:contiguous():view(-1)))
      return v, part(gradient:contiguous():view(-1)), at, step, used
   end
   function space.evaluate(_, _, at) return evaluate(at) end
   function space.search(f, _, at, t, d, value, g, slope, options)
      if f ~= optim.lswolfe then return foreign(f, at, t, d, value, g, slope, options) end
      return wolfe(evaluate, at, t, d, value, g, slope, options or {}, space)
   end
   dist.broadcast(flat, 0, self.options)
   local mine, values, evaluations = quasi(WHO, opfunc, part(flat):clone(), config, state, space)
   flat:copy(gathered(mine))
   return x, values, evaluations
end

-- ---- the function ------------------------------------------------------------------------------------------------------------

local numbers = { 'maxIter', 'maxEval', 'tolFun', 'tolX', 'nCorrection', 'learningRate' }

local function need_config(config)
   local search = config.lineSearch
   if search ~= nil and not arg.is_callable(search) then arg.refuse(WHO, 'config.lineSearch', 'a function', search, -1) end
   need.options(WHO, 'config.lineSearchOptions', config.lineSearchOptions)
   if config.op ~= nil and config.op ~= 'mean' and config.op ~= 'sum' then
      error(("%s: config.op must be 'mean' or 'sum', got %s"):format(WHO, tostring(config.op)), 0)
   end
   if type(config.sharded) ~= 'nil' and type(config.sharded) ~= 'boolean' then
      arg.refuse(WHO, 'config.sharded', 'true or false', config.sharded, -1)
   end
   if config.sharded and config.op == 'mean' then error(WHO .. ": with sharded = true values are summed: op is 'sum'", 0) end
   if config.sharded and search ~= nil and search ~= optim.lswolfe then
      error(WHO .. ': with sharded = true the line search must be optim.lswolfe, which supports vectors in parts', 0)
   end
end

local function need_x(x)
   if not x:isContiguous() or x:nElement() == 0 or not (x:type() == 'torch.FloatTensor' or x:type() == 'torch.DoubleTensor') then
      arg.refuse(WHO, 'x', 'contiguous floats or doubles on the CPU', x, -1)
   end
end

--- optim.lbfgs on all ranks. The correction pairs, which are the memory of L-BFGS, and the work on
-- them are divided among the ranks. For a direction only inner products are exchanged. All ranks
-- call it with the same options; x begins as that of the first, and ends the same on all. opfunc(x)
-- returns the value and the gradient of this rank's data. Iterates and values are, up to rounding,
-- those of optim.lbfgs on the mean over the ranks, for any number of ranks. An error of opfunc on
-- one rank is an error on all.
-- @param opfunc          value and gradient at x
-- @param config          options as of optim.lbfgs: maxIter, maxEval, tolFun, tolX, nCorrection, lineSearch (optim.lswolfe, or
--    your function, which gets whole vectors), lineSearchOptions, learningRate, verbose
-- @param config.op       'mean' (default) or 'sum' of the ranks' values and gradients
-- @param config.sharded  true: x is this rank's part of a vector that no rank has as a whole, as is
--    the gradient. opfunc, which all ranks call at the same time, may communicate. Its values are
--    summed, so each term must be returned by one rank only
-- @param config.group    of ranks
-- @param state           kept between calls; default: config
-- @return x, {all values}, number of evaluations
-- x = torch.Tensor{1}; dist.init().lbfgs(function(x) return x[1]^2, x * 2 end, x, {maxIter = 5}); x --> {0}
function dist.lbfgs(opfunc, x, config, state)
   config, state = need.all(WHO, opfunc, x, config, state)
   local self = { number = agree.number(WHO, config.group, 3), op = config.sharded and 'sum' or config.op or 'mean' }
   self.options = agree.options(self.number)
   local ok, why = pcall(function()
      need_config(config)
      need_x(x)
   end)
   agree.well(WHO, self.number, ok, why)
   local facts = { { 'sharded', config.sharded and 1 or 0 }, { 'op', self.op }, { 'the type of x', x:type() },
      { 'the size of x', config.sharded and 0 or x:nElement() }, { 'having a line search', config.lineSearch and 1 or 0 },
      { 'the iterations before', state.nIter or 0 } }
   for _, name in ipairs(numbers) do facts[#facts + 1] = { name, tonumber(config[name]) or -1 } end
   local search = {}
   for name, v in pairs(config.lineSearchOptions or {}) do search[#search + 1] = tostring(name) .. tostring(v) end
   table.sort(search)
   facts[#facts + 1] = { 'lineSearchOptions', comm.digest(search) }
   agree.same(WHO, self.number, facts)
   local group = agree.group(self.number)
   local parts = ('%d elements, rank %d of %d%s'):format(x:nElement(), group.at, group.n, config.sharded and ', sharded' or '')
   ok = not state.nIter or state.parts == parts
   agree.well(WHO, self.number, ok, ('%s: state is of %s, wanted %s'):format(WHO, tostring(state.parts), parts))
   state.parts = parts
   return (config.sharded and own_parts or whole)(self, opfunc, x, config, state)
end

return dist
