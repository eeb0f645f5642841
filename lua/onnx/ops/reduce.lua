-- lua/onnx/ops/reduce.lua - ops that reduce dimensions, and running sums.
local torch = require 'torch'
local types = require 'onnx.types'
local registry = require 'onnx.registry'
local unsigned = require 'onnx.unsigned'

-- ---- the form that kernels take ------------------------------------------------------------------------------------

--- x as three dimensions (before, reduced, behind) and the shape of the result. dims: set of dimensions from 1.
local function grouped(x, dims, keep)
   local shape, result, order, first, last = types.shape(x), {}, {}, nil, nil
   local kept, reduced = {}, {}
   for d = 1, #shape do
      if dims[d] then
         reduced[#reduced + 1], first, last = d, first or d, d
         if keep then result[#result + 1] = 1 end
      else
         kept[#kept + 1] = d
         result[#result + 1] = shape[d]
      end
   end
   local before, n, behind = 1, 1, 1
   for _, d in ipairs(reduced) do n = n * shape[d] end
   if #reduced > 0 and last - first + 1 == #reduced then
      for d = 1, first - 1 do before = before * shape[d] end
      for d = last + 1, #shape do behind = behind * shape[d] end
   elseif #reduced > 0 then
      for _, d in ipairs(kept) do order[#order + 1], before = d, before * shape[d] end
      for _, d in ipairs(reduced) do order[#order + 1] = d end
      x = types.permute(x, order)
   else
      before = types.count(shape)
   end
   return types.view(x, { before, n, behind }), result
end

-- The dimensions that a node reduces, or nil for none.
local function dims_of(n, x, axes, since)
   local list
   if n.version >= since then list = axes and types.numbers(axes) else list = n.attr.axes end
   local dims, rank = {}, types.rank(x)
   if not list or #list == 0 then
      if (n.attr.noop_with_empty_axes or 0) ~= 0 then return nil end
      for d = 1, rank do dims[d] = true end
      return dims
   end
   for _, axis in ipairs(list) do dims[types.dim(axis, rank, 'an axis')] = true end
   return dims
end

-- ---- reductions ----------------------------------------------------------------------------------------------------

local lowest = { int8 = -128, int16 = -32768, int32 = -2 ^ 31 }
local highest = { int8 = 127, int16 = 32767, int32 = 2 ^ 31 - 1, uint8 = 255, uint16 = 65535,
   uint32 = 2 ^ 32 - 1 }

-- No number of Lua is 2^63 - 1. uint64 is flipped here: unsigned.ordered.
function highest.int64(shape) return unsigned.flip(types.full('int64', shape, -1)) end
function lowest.int64(shape) return unsigned.flip(types.full('int64', shape, 0)) end
highest.uint64, lowest.uint64 = highest.int64, lowest.int64

local function sum(x) return torch.sum(x, 2) end

local function mean(x, name)
   if name ~= 'uint64' then return torch.mean(x, 2) end
   return unsigned.divide(sum(x), types.full(name, {}, types.size(x, 2)))
end

-- Before and after a reduction in wide floats, for types of whole numbers.
local function in_double(f)
   return function(x, name)
      if types.is_float(name) then return f(x) end
      if name == 'uint64' then return unsigned.from(f(unsigned.to_double(x))) end
      return types.convert(f(types.convert(x, 'double')), name)
   end
end

local function log_sum_exp(x)
   local most = torch.max(x, 2)
   local shift = torch.where(torch.eq(torch.abs(most), math.huge), torch.mul(most, 0):fill(0), most)
   return torch.log(torch.sum(torch.exp(torch.csub(x, shift)), 2)):add(shift)
end

-- name -> { reduction of x (before x n x behind) along 2, the result without elements, what no reduction does }
local reductions = {
   ReduceSum = { sum, 0 },
   ReduceMean = { mean, 0 / 0 },
   ReduceProd = { function(x) return torch.prod(x, 2) end, 1 },
   ReduceMax = { function(x) return (torch.max(x, 2)) end, lowest, -math.huge },
   ReduceMin = { function(x) return (torch.min(x, 2)) end, highest, math.huge },
   ReduceL1 = { function(x) return sum(torch.abs(x)) end, 0 },
   ReduceL2 = { in_double(function(x) return torch.sqrt(sum(torch.cmul(x, x))) end), 0 },
   ReduceSumSquare = { function(x) return sum(torch.cmul(x, x)) end, 0 },
   ReduceLogSum = { in_double(function(x) return torch.log(sum(x)) end), -math.huge },
   ReduceLogSumExp = { in_double(log_sum_exp), -math.huge },
}
local no_reduction = { ReduceSumSquare = true, ReduceL1 = true, ReduceL2 = true, ReduceLogSum = true, ReduceLogSumExp = true }

local function reduce(name, entry)
   local since = name == 'ReduceSum' and 13 or 18
   return { run = function(n, x, axes)
      local dims = dims_of(n, x, axes, since)
      if not dims and not no_reduction[name] then return types.alias(x) end
      local x3, shape = grouped(x, dims or {}, (n.attr.keepdims or 1) ~= 0)
      if types.size(x3, 2) == 0 then
         local none = entry[2]
         if type(none) == 'table' then none = none[n.types[1]] or types.is_float(n.types[1]) and entry[3] or 0 end
         if type(none) == 'function' then return none(shape) end
         return types.full(n.types[1], shape, none)
      elseif types.size(x3, 1) * types.size(x3, 3) == 0 then
         return types.empty(n.types[1], shape)
      end
      return types.wrap(types.view(entry[1](x3, n.types[1]), shape), n.types[1])
   end }
end
registry.each(reductions, reduce)

unsigned.ordered('ReduceMax', 'ReduceMin')

-- ---- places --------------------------------------------------------------------------------------------------------

local function extreme(way)
   return { types = 'int64', run = function(n, x)
      local rank = types.rank(x)
      local dim = rank == 0 and 1 or types.dim(n.attr.axis or 0, rank)
      local x3, shape = grouped(x, { [dim] = true }, (n.attr.keepdims or 1) ~= 0)
      local count = types.size(x3, 2)
      if count == 0 then error('the dimension that it reduces must not be empty', 0) end
      local last = (n.attr.select_last_index or 0) ~= 0
      local _, at = torch[way](last and torch.flip(x3, 2) or x3, 2)
      at = last and torch.neg(at):add(count) or at:add(-1)
      return types.view(at, shape)
   end }
end
registry.each({ ArgMax = 'max', ArgMin = 'min' }, function(_, way) return extreme(way) end)
unsigned.ordered('ArgMax', 'ArgMin')

-- ---- running sums and products ---------------------------------------------------------------------------------------

local function running(way, start)
   return { run = function(n, x, axis)
      local dim = types.dim(types.number(axis), types.rank(x))
      local backward, exclusive = (n.attr.reverse or 0) ~= 0, (n.attr.exclusive or 0) ~= 0
      local count = types.size(x, dim)
      if x:nElement() == 0 then return types.alias(x) end
      if backward then x = torch.flip(x, dim) end
      local y = torch[way](x, dim)
      if exclusive then
         local shifted = torch.mul(y, 0):fill(start)
         if count > 1 then shifted:narrow(dim, 2, count - 1):copy(y:narrow(dim, 1, count - 1)) end
         y = shifted
      end
      return backward and torch.flip(y, dim) or y
   end }
end
registry.add('CumSum', running('cumsum', 0))
registry.add('CumProd', running('cumprod', 1))
