-- torch.set - the values of a tensor, their counts and positions: unique, bincount, searchsorted, where, isnan and others.
local arg = require 'torch.arg'
local dtype = require 'torch.dtype'
local lib = require 'torch.lib'
local op = require 'torch.op'
local tensor = require 'torch.tensor'
local C = lib.C

local set = {}
local is_tensor = arg.is_tensor
local f = setmetatable({}, { __index = function(_, name) return op.func(name) end })

local function longs(...) return tensor.empty(C.TH_I64):resize(...) end

-- ---- unique -----------------------------------------------------------------------------------------------------------------

-- Bytes, 1 where an element of b differs from its partner in a; NaN is equal to NaN.
local function differs(a, b)
   local y = f.ne(a, b)
   if dtype.is_float(a._dtype) then y = f.where(f.cmul(f.ne(a, a), f.ne(b, b)), y:clone():zero(), y) end
   return y
end

-- From bytes, 1 where a new value begins among n sorted positions: the first position of each value, its number at each
-- position, and the count of its positions.
local function runs(begins, n)
   local first = f.nonzero(begins):view(-1)
   local number = f.cumsum(begins:long(), 1)
   local counts = longs(first:size(1)):fill(n + 1)
   if first:size(1) > 1 then counts:narrow(1, 1, first:size(1) - 1):copy(first:narrow(1, 2, first:size(1) - 1)) end
   return first, number, op.method 'add'(counts, -1, first)
end

-- The positions of the rows of m in lexicographic order: sorted by the last column, ..., by the first, each time stably.
local function row_order(m)
   local order = f.range(longs(1), 1, m:size(1))
   for c = m:size(2), 1, -1 do
      local _, places = f.sort(f.index(m, 1, order):select(2, c), 1)
      order = f.index(order, 1, places)
   end
   return order
end

local function ones(n) return tensor.empty(C.TH_U8):resize(n):fill(1) end

local function unique_rows(x, dim)
   local n = x:size(dim)
   local slices = dim == 1 and x or x:transpose(1, dim)
   if n == 0 then return x:clone(), longs(), longs() end
   if x:nElement() == 0 then return tensor.base.narrow(x, dim, 1, 1):clone(), longs(n):fill(1), longs(1):fill(n) end
   local m = slices:contiguous():view(n, x:nElement() / n)
   local order, begins = row_order(m), ones(n)
   if n > 1 then
      local sorted = f.index(m, 1, order)
      local rest = begins:narrow(1, 2, n - 1)
      rest:copy((f.max(differs(sorted:narrow(1, 1, n - 1), sorted:narrow(1, 2, n - 1)), 2)))
   end
   local first, number, counts = runs(begins, n)
   local inverse = op.method 'indexCopy'(longs(n), 1, order, number)
   return f.index(x, dim, f.index(order, 1, first)), inverse, counts
end

--- The different values of x in ascending order, NaN last. The second result has for each element
-- of x the position of its value (a LongTensor of x's size). The third is how often each value
-- occurs. With dim: the different slices of x along dim.
-- torch.unique(torch.Tensor{3, 1, 3}) --> {1, 3}, {2, 1, 2}, {1, 2}
-- torch.unique(torch.Tensor{{1, 2}, {0, 5}, {1, 2}}, 1) --> {{0, 5}, {1, 2}}, {2, 1, 2}, {1, 2}
function set.unique(x, dim)
   arg.tensor('torch.unique', 'x', x)
   if dim ~= nil then
      dim = arg.whole('torch.unique', 'dim', dim)
      if dim < 0 and dim >= -x:dim() then dim = dim + x:dim() + 1 end
      if dim < 1 or dim > x:dim() then error(('torch.unique: dim must lie in 1..%d, got %g'):format(x:dim(), dim), 2) end
      return unique_rows(x, dim)
   end
   local n = x:nElement()
   if n == 0 then return tensor.empty(x._dtype), longs(), longs() end
   local sorted, places = f.sort(x:contiguous():view(n), 1)
   local begins = ones(n)
   if n > 1 then begins:narrow(1, 2, n - 1):copy(differs(sorted:narrow(1, 1, n - 1), sorted:narrow(1, 2, n - 1))) end
   local first, number, counts = runs(begins, n)
   local inverse = op.method 'indexCopy'(longs(n), 1, places, number)
   return f.index(sorted, 1, first), x._ndim == 0 and inverse or inverse:viewAs(x), counts
end

-- ---- bincount -----------------------------------------------------------------------------------------------------------------

--- How often each whole number from 1 on occurs in x, which must hold no others. y[i] is the number of elements equal to i, or
-- the sum of their weights, a tensor of x's size. y has at least minlength elements (default: as many as the largest number).
-- torch.bincount(torch.LongTensor{1, 3, 3}) --> {1, 0, 2}
-- torch.bincount(torch.LongTensor{1, 3, 3}, torch.Tensor{0.5, 1, 2}, 4) --> {0.5, 0, 3, 0}
function set.bincount(x, weights, minlength)
   local who = 'torch.bincount'
   arg.tensor(who, 'x', x)
   if arg.number_of(weights) and minlength == nil then weights, minlength = nil, weights end
   if dtype.is_float(x._dtype) then arg.refuse(who, 'x', 'a tensor of whole numbers', x) end
   if not arg.absent(weights) and (not is_tensor(weights) or weights:nElement() ~= x:nElement()) then
      arg.refuse(who, 'weights', ('a tensor of %d elements'):format(x:nElement()), weights)
   end
   minlength = minlength == nil and 0 or arg.whole(who, 'minlength', minlength)
   if minlength < 0 then error(('%s: minlength must not be negative, got %g'):format(who, minlength), 2) end
   local n, most = x:nElement(), minlength
   if n > 0 then
      local least = f.min(x)
      if least < 1 then error(('%s: x must hold whole numbers from 1 on, got %g'):format(who, least), 2) end
      most = math.max(most, f.max(x))
   end
   local y = tensor.empty(weights and weights._dtype or C.TH_I64)
   if most == 0 then return y end
   lib.call(who, C.th_tensor_resize, y, y._dtype, 1, arg.sizes(who, most), nil)
   y:zero()
   if n == 0 then return y end
   local each = weights and weights:contiguous():view(n) or longs(n):fill(1)
   return op.method 'indexAdd'(y, 1, x:long():contiguous():view(n), each)
end

-- ---- where --------------------------------------------------------------------------------------------------------------------

local function is_value(v) return type(v) == 'number' or is_tensor(v) end

local function where(a, b, c, ...)
   if is_tensor(a) and b == nil and c == nil and select('#', ...) == 0 then return f.nonzero(a) end
   if is_tensor(a) and select('#', ...) == 0 and is_value(b) and is_value(c) and not (is_tensor(b) and is_tensor(c)) then
      local like = is_tensor(b) and b or is_tensor(c) and c or tensor.empty(tensor.default())
      if type(b) == 'number' then b = like.new(1):fill(b):expandAs(is_tensor(c) and c or a) end
      if type(c) == 'number' then c = like.new(1):fill(c):expandAs(b) end
   end
   return op.func 'where'(a, b, c, ...)
end

-- ---- not a number, infinite ---------------------------------------------------------------------------------------------------

--- Bytes: 1 where x is NaN.
-- torch.isnan(torch.Tensor{1, 0/0}) --> {0, 1}
function set.isnan(x)
   arg.tensor('torch.isnan', 'x', x)
   return f.ne(x, x)
end

--- Bytes: 1 where x is infinite.
-- torch.isinf(torch.Tensor{1, -1/0, 0/0}) --> {0, 1, 0}
function set.isinf(x)
   arg.tensor('torch.isinf', 'x', x)
   return f.eq(f.abs(x), math.huge)
end

--- Bytes: 1 where x is neither infinite nor NaN.
-- torch.isfinite(torch.Tensor{1, -1/0, 0/0}) --> {1, 0, 0}
function set.isfinite(x)
   arg.tensor('torch.isfinite', 'x', x)
   return f.lt(f.abs(x), math.huge)
end

--- The sum without NaNs: of all elements a number, along dim a tensor.
-- torch.nansum(torch.Tensor{1, 0/0, 2}) --> 3
function set.nansum(x, dim)
   arg.tensor('torch.nansum', 'x', x)
   local kept = x:clone()
   if x:nElement() > 0 then op.method 'maskedFill'(kept, f.ne(x, x), 0) end
   if dim == nil then return f.sum(kept) end
   dim = arg.whole('torch.nansum', 'dim', dim)
   if dim < 1 or dim > math.max(1, x:dim()) then
      error(('torch.nansum: dim must lie in 1..%d, got %g'):format(math.max(1, x:dim()), dim), 2)
   end
   return f.sum(kept, dim)
end

function set.install(torch)
   for _, name in ipairs { 'unique', 'bincount', 'isnan', 'isinf', 'isfinite', 'nansum' } do
      torch[name], tensor.base[name] = set[name], set[name]
   end
   --- torch.where(condition), torch.where(condition, x, z): with one argument the positions of nonzero elements, as nonzero
   -- gives them; x and z may be numbers.
   -- torch.where(torch.ByteTensor{1, 0}, torch.Tensor{1, 2}, -1) --> {1, -1}
   torch.where, tensor.base.where = where, where
end

return set
