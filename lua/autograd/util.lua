-- lua/autograd/util.lua - helpers for differentiated functions: one-hot rows, stable logarithms, copies of tables.
local torch = require 'torch'
local arg = require 'torch.arg'
local tape = require 'autograd.tape'

local is_value, is_tensor, plain = tape.is_value, arg.is_tensor, tape.plain
local util = {}

-- A plain table, not an object and not a taped value.
local function is_table(x) return type(x) == 'table' and not is_value(x) and not torch.typename(x) end

-- ---- comparisons that also take taped numbers ----------------------------------------------------------------------

local orders = {
   lt = function(a, b) return a < b end,
   le = function(a, b) return a <= b end,
   gt = function(a, b) return a > b end,
   ge = function(a, b) return a >= b end,
   eq = function(a, b) return a == b end,
}

--- autograd.util.lt(a, b), autograd.util.le(a, b), autograd.util.gt(a, b), autograd.util.ge(a, b), autograd.util.eq(a, b): a < b,
-- a <= b, a > b, a >= b, a == b of numbers; of tensors a ByteTensor. Of taped numbers the result is
-- a taped boolean, which counts as true in every branch, as on Torch7. With the option `optimize`
-- it is a boolean. Write autograd.value(a) < b.
-- autograd.util.lt(1, 2), autograd.util.eq(1, 2) --> true, false
for name, compare in pairs(orders) do
   util[name] = function(x, y)
      local a, b = plain(x), plain(y)
      if is_tensor(a) then return torch[name](a, b) end
      local result = compare(a, b)
      if tape.optimize or not (is_value(x) or is_value(y)) then return result end
      return tape.new(result, {}, function() return {} end, name)
   end
end

-- ---- functions of tensors ---------------------------------------------------------------------------------------------

--- autograd.util.oneHot(labels, n): a row of zeros for each label, with 1 in the column of the label, in the type of the labels.
-- @param n  the number of columns (default: the largest label)
-- autograd.util.oneHot(torch.LongTensor{2, 1}, 3) --> {{0, 1, 0}, {1, 0, 0}}
function util.oneHot(labels, n)
   labels = arg.tensor('autograd.util.oneHot', 'labels', plain(labels))
   n = plain(n) or labels:max()
   local column = labels:contiguous():view(-1, 1):long()
   return labels.new(column:size(1), n):zero():scatter(2, column, 1)
end

-- The largest element of a vector, or of each row of a matrix: constants that keep exp from an overflow.
local function largest(x)
   if x:dim() == 1 then return x:max() end
   return torch.max(x, x:dim())
end

--- autograd.util.logSumExp(x): log(sum(exp(x))) without overflow: a number for a vector, a column for the rows of a matrix.
-- autograd.util.logSumExp(torch.zeros(2)) --> 0.69315
function util.logSumExp(x)
   local shift = largest(plain(x))
   if type(shift) == 'number' then return torch.log(torch.sum(torch.exp(x - shift))) + shift end
   return torch.log(torch.sum(torch.exp(x - shift:expandAs(plain(x))), plain(x):dim())) + shift
end

--- autograd.util.logSoftMax(x): the logarithm of softmax of a vector, or of each row of a matrix.
-- torch.exp(autograd.util.logSoftMax(torch.Tensor{0, 0})) --> {0.5, 0.5}
function util.logSoftMax(x)
   local sum = util.logSumExp(x)
   if type(plain(sum)) == 'number' then return x - sum end
   return x - torch.expandAs(sum, x)
end

--- autograd.util.sigmoid(x): 1 / (1 + exp(-x)) of a tensor or a number.
-- autograd.util.sigmoid(torch.zeros(2)) --> {0.5, 0.5}
function util.sigmoid(x) return torch.sigmoid(x) end

--- autograd.util.lookup(table, index): the rows of a matrix at these indices, in the shape of the indices.
-- autograd.util.lookup(torch.Tensor{{1, 2}, {3, 4}}, torch.LongTensor{{2, 1}}) --> {{{3, 4}, {1, 2}}}
function util.lookup(weight, index)
   index = plain(index)
   local size = index:size():totable()
   size[#size + 1] = torch.size(weight, 2)
   return torch.view(torch.index(weight, 1, index:contiguous():view(-1):long()), unpack(size))
end

--- autograd.util.dropout(x, p): x with a share p of its elements set to 0 and the others divided by 1 - p.
-- autograd.util.dropout(torch.ones(2), 0) --> {1, 1}
function util.dropout(x, p)
   p = plain(p) or 0
   if not (type(p) == 'number' and p >= 0 and p < 1) then
      arg.refuse('autograd.util.dropout', 'p', 'a number from 0 up to 1', p)
   end
   if p == 0 then return x end
   local keep = plain(x).new():resizeAs(plain(x)):bernoulli(1 - p):div(1 - p)
   return torch.cmul(x, keep)
end

--- autograd.util.fill(like, v): a tensor of the size and type of `like`, filled with v.
-- autograd.util.fill(torch.zeros(2), 3) --> {3, 3}
function util.fill(like, v) return torch.fill(plain(like).new():resizeAs(plain(like)):zero(), v) end

--- autograd.util.zerosLike(a, b): zeros of the size of b (default a) and the type of a.
-- autograd.util.zerosLike(torch.ones(2)) --> {0, 0}
function util.zerosLike(a, b)
   b = plain(b == nil and a or b)
   return plain(a).new():resize(b:size()):zero()
end

--- autograd.util.cat(x, y, dim), autograd.util.cat(list, dim): the same as torch.cat; numbers in the list count as tensors
-- of one element. Vectors are joined where dim is left out.
-- autograd.util.cat({torch.Tensor{1}, 2}) --> {1, 2}
function util.cat(x, y, dim)
   local list = x
   if is_table(x) then dim = y else list = { x, y } end
   local like, all = nil, {}
   for i, v in ipairs(list) do
      if is_tensor(plain(v)) then like = like or plain(v) end
      all[i] = v
   end
   like = like or torch.Tensor()
   for i, v in ipairs(all) do if type(v) == 'number' then all[i] = like.new(1):fill(v) end end
   return torch.cat(all, dim or like:dim() > 0 and like:dim() or 1)
end

--- autograd.util.makeContiguous(x): x, or a copy of it whose elements lie in order.
-- autograd.util.makeContiguous(torch.ones(2, 3):t()):isContiguous() --> true
function util.makeContiguous(x) return torch.contiguous(x) end

--- autograd.util.setNotEqual(a, b, c, v): c, with v where elements of a and b differ.
-- autograd.util.setNotEqual(torch.Tensor{1, 2}, torch.Tensor{1, 3}, torch.Tensor{5, 6}, 0) --> {5, 0}
function util.setNotEqual(a, b, c, v) return torch.maskedFill(torch.clone(c), torch.ne(plain(a), plain(b)), v) end

--- autograd.util.setEqual(a, b, c, v): c, with v where elements of a and b are equal.
-- autograd.util.setEqual(torch.Tensor{1, 2}, torch.Tensor{1, 3}, torch.Tensor{5, 6}, 0) --> {0, 6}
function util.setEqual(a, b, c, v) return torch.maskedFill(torch.clone(c), torch.eq(plain(a), plain(b)), v) end

-- Zeros like x with `piece` at one index.
local function placed(x, piece, dim, first, size)
   local like = plain(x)
   local before, after = like:size():totable(), like:size():totable()
   before[dim], after[dim] = first - 1, like:size(dim) - first - size + 1
   local parts = { piece }
   if before[dim] > 0 then table.insert(parts, 1, like.new(unpack(before)):zero()) end
   if after[dim] > 0 then parts[#parts + 1] = like.new(unpack(after)):zero() end
   return torch.cat(parts, dim)
end

--- autograd.util.narrowCopy(x, dim, first, n): a copy of n indices of dimension dim.
-- autograd.util.narrowCopy(torch.Tensor{1, 2, 3}, 1, 2, 2) --> {2, 3}
function util.narrowCopy(x, dim, first, n) return torch.clone(torch.narrow(x, dim, first, n)) end

--- autograd.util.selectCopy(x, dim, i): a copy of one index of dimension dim; of a vector a number.
-- autograd.util.selectCopy(torch.Tensor{{1, 2}, {3, 4}}, 1, 2) --> {3, 4}
function util.selectCopy(x, dim, i)
   local part = torch.select(x, dim, i)
   return is_tensor(plain(part)) and torch.clone(part) or part
end

--- autograd.util.narrowSliceCopy(x, piece, dim, first, n): zeros of the size of x with `piece` at n indices of dimension dim.
-- autograd.util.narrowSliceCopy(torch.ones(3), torch.Tensor{5, 6}, 1, 2, 2) --> {0, 5, 6}
function util.narrowSliceCopy(x, piece, dim, first, n) return placed(x, piece, dim, first, n) end

--- autograd.util.selectSliceCopy(x, piece, dim, i): zeros of the size of x with `piece` at one index of dimension dim.
-- autograd.util.selectSliceCopy(torch.ones(2, 2), torch.Tensor{5, 6}, 1, 2) --> {{0, 0}, {5, 6}}
function util.selectSliceCopy(x, piece, dim, i)
   local size = plain(x):size():totable()
   size[dim] = 1
   return placed(x, torch.view(torch.contiguous(piece), unpack(size)), dim, i, 1)
end

--- autograd.util.indexAdd(x, piece, dim, index): zeros of the size of x, to which the slices of `piece` along dimension dim are
-- added at the indices `index`.
-- autograd.util.indexAdd(torch.ones(3), torch.Tensor{5, 6}, 1, torch.LongTensor{2, 2}) --> {0, 11, 0}
function util.indexAdd(x, piece, dim, index) return torch.indexAdd(util.zerosLike(x), dim, plain(index), piece) end

-- ---- tables of parameters ----------------------------------------------------------------------------------------------

--- autograd.util.cast(tables, kind): nested tables with all tensors in another type: 'float', 'double', 'half', 'cuda' or the
-- name of a tensor type. Other values stay.
-- autograd.util.cast({w = torch.ones(2), n = 3}, 'float').w:type() --> torch.FloatTensor
function util.cast(x, kind)
   if is_tensor(plain(x)) then
      if kind:find 'Tensor$' then return torch.type(x) == kind and x or x:type(kind) end
      return x[kind](x)
   end
   if not is_table(x) then return x end
   local y = {}
   for k, v in pairs(x) do y[k] = util.cast(v, kind) end
   return y
end

-- Keys in an order that does not change from run to run: numbers first, then the others by name.
local function sorted_keys(t)
   local keys = {}
   for k in pairs(t) do keys[#keys + 1] = k end
   table.sort(keys, function(a, b)
      if type(a) == type(b) and (type(a) == 'number' or type(a) == 'string') then return a < b end
      if type(a) == 'number' or type(b) == 'number' then return type(a) == 'number' end
      return tostring(a) < tostring(b)
   end)
   return keys
end

local function flatten(x, flat, keys, path)
   if not is_table(x) then
      flat[#flat + 1], keys[#keys + 1] = x, path
      return
   end
   for _, k in ipairs(sorted_keys(x)) do
      local further = { unpack(path) }
      further[#further + 1] = k
      flatten(x[k], flat, keys, further)
   end
end

--- autograd.util.sortedFlatten(tables): the values in nested tables, as one list, in the order of the sorted keys.
-- autograd.util.sortedFlatten{b = 2, a = {10, 20}} --> {10, 20, 2}
function util.sortedFlatten(x, flat)
   flat = flat or {}
   flatten(x, flat, {}, {})
   return flat
end

--- autograd.util.sortedFlattenKeys(tables): the same list, and for each value the list of keys that leads to it.
-- autograd.util.sortedFlattenKeys{b = 2, a = {10}} --> {10, 2}, {{a, 1}, {b}}
function util.sortedFlattenKeys(x)
   local flat, keys = {}, {}
   flatten(x, flat, keys, {})
   return flat, keys
end

--- autograd.util.nestedGet(tables, keys): the value at a list of keys.
-- autograd.util.nestedGet({x = {y = 5}}, {'x', 'y'}) --> 5
function util.nestedGet(t, keys)
   for _, k in ipairs(keys) do t = t[k] end
   return t
end

--- autograd.util.nestedSet(tables, keys, value): stores a value there; missing tables are made.
-- t = {}; autograd.util.nestedSet(t, {'x', 'y'}, 5); t.x.y --> 5
function util.nestedSet(t, keys, value)
   for i = 1, #keys - 1 do
      t[keys[i]] = t[keys[i]] == nil and {} or t[keys[i]]
      t = t[keys[i]]
   end
   t[keys[#keys]] = value
end

--- autograd.util.deepCopy(tables): a copy of nested tables and of the tensors in them.
-- autograd.util.deepCopy{a = {1, 2}}.a --> {1, 2}
function util.deepCopy(x)
   if is_tensor(x) or is_value(x) and is_tensor(x._value) then return torch.clone(x) end
   if not is_table(x) then return x end
   local y = {}
   for k, v in pairs(x) do y[k] = util.deepCopy(v) end
   return y
end

--- autograd.util.shallowCopy(table): a copy of a table with the same values.
-- autograd.util.shallowCopy{a = {1, 2}}.a --> {1, 2}
function util.shallowCopy(x)
   if not is_table(x) then return x end
   local y = {}
   for k, v in pairs(x) do y[k] = v end
   return y
end

--- autograd.util.defaultBool(b, default): b, or the default where b is nil.
-- autograd.util.defaultBool(nil, true) --> true
function util.defaultBool(b, default)
   if b == nil then return default end
   return b
end

return util
