-- lua/onnx/ops/gather.lua - ops that select and replace elements by their indices.
local torch = require 'torch'
local types = require 'onnx.types'
local registry = require 'onnx.registry'
local unsigned = require 'onnx.unsigned'

-- ---- indices -------------------------------------------------------------------------------------------------------

--- Indices from 0, possibly negative, as a LongTensor from 1 that has been compared with the size of a dimension.
local function places(index, size)
   local at = types.convert(index, 'int64')
   if at:nElement() == 0 then return at end
   local flat = types.view(at, { at:nElement() })
   local low, high = flat:min(), flat:max()
   if low < -size or high >= size then
      error(('an index must lie in %d..%d, got %d'):format(-size, size - 1, low < -size and low or high), 0)
   end
   if low < 0 then at = torch.where(torch.lt(at, 0), torch.add(at, size), at) end
   return torch.add(at, 1)
end

local function product(shape, first, last)
   local n = 1
   for d = first, last do n = n * shape[d] end
   return n
end

local function slices(list, first, last)
   local r = {}
   for d = first, last do r[#r + 1] = list[d] end
   return r
end

local function joined(...)
   local r = {}
   for _, list in ipairs { ... } do
      for _, v in ipairs(list) do r[#r + 1] = v end
   end
   return r
end

-- ---- gather --------------------------------------------------------------------------------------------------------

local function gather_strings(x, at, shape, before, size, behind)
   local y, list = { shape = shape }, types.numbers(at)
   for b = 0, before - 1 do
      for _, k in ipairs(list) do
         for i = 1, behind do y[#y + 1] = x[(b * size + k - 1) * behind + i] end
      end
   end
   return y
end

registry.add('Gather', function(n, x, index)
   local shape, rank = types.shape(x), types.rank(x)
   local dim = types.dim(n.attr.axis or 0, rank)
   local result = joined(slices(shape, 1, dim - 1), types.shape(index), slices(shape, dim + 1, rank))
   local at = places(index, shape[dim])
   local before, behind = product(shape, 1, dim - 1), product(shape, dim + 1, rank)
   if n.types[1] == 'string' then return gather_strings(x, at, result, before, shape[dim], behind) end
   if types.count(result) == 0 then return types.empty(n.types[1], result) end
   local y = torch.index(types.view(x, { before, shape[dim], behind }), 2, types.view(at, { at:nElement() }))
   return types.view(y, result)
end)

-- x without the elements that indices of a smaller shape cannot reach.
local function reachable(x, index, dim)
   for d = 1, types.rank(index) do
      if d ~= dim and types.size(index, d) < types.size(x, d) then x = x:narrow(d, 1, types.size(index, d)) end
   end
   return x
end

local function need_same_rank(x, index)
   if types.rank(x) ~= types.rank(index) then error('data and indices must have the same number of dimensions', 0) end
end

registry.add('GatherElements', function(n, x, index)
   need_same_rank(x, index)
   local dim = types.dim(n.attr.axis or 0, types.rank(x))
   local at = places(index, types.size(x, dim))
   if at:nElement() == 0 then return types.empty(n.types[1], types.shape(index)) end
   return torch.gather(reachable(x, index, dim), dim, at:contiguous())
end)

-- Rows of an index tensor (.. x k) as places from 1 among the first k dimensions of `shape`, from `from` on.
local function linear(index, shape, from)
   local s = types.shape(index)
   local k = s[#s]
   if #s == 0 or from + k - 1 > #shape then error(('%s indices do not fit shape %s'):format(tostring(k),
      types.shape_text(shape)), 0) end
   local count = types.count(s) / math.max(k, 1)
   local rows = types.view(index, { count, k })
   local at = types.full('int64', { count }, 1)
   for i = 1, k do
      local size = shape[from + i - 1]
      local here = places(rows:narrow(2, i, 1), size):add(-1)
      at = torch.add(torch.mul(at:add(-1), size), types.view(here, { count })):add(1)
   end
   return at, count, k
end

registry.add('GatherND', function(n, x, index)
   local batch = n.attr.batch_dims or 0
   local shape, s = types.shape(x), types.shape(index)
   if batch < 0 or batch >= #s or batch > #shape then error(('batch_dims %d does not fit'):format(batch), 0) end
   local k = s[#s]
   local result = joined(slices(s, 1, #s - 1), slices(shape, batch + k + 1, #shape))
   if types.count(result) == 0 then return types.empty(n.types[1], result) end
   local at, count = linear(index, shape, batch + 1)
   local many = product(shape, 1, batch)
   local each, behind = product(shape, batch + 1, batch + k), product(shape, batch + k + 1, #shape)
   if many > 1 then
      local first = torch.range(0, many - 1):long():mul(each):view(many, 1):expand(many, count / many)
      at = torch.add(types.view(at, { many, count / many }), first)
   end
   local y = torch.index(types.view(x, { many * each, behind }), 1, types.view(at, { count }))
   return types.view(y, result)
end)

registry.add('Compress', function(n, x, condition)
   local axis, list = n.attr.axis, {}
   if not axis then x = types.view(x, { types.count(types.shape(x)) }) end
   local dim = types.dim(axis or 0, types.rank(x))
   for i, v in ipairs(types.numbers(condition)) do
      if v ~= 0 and i <= types.size(x, dim) then list[#list + 1] = i end
   end
   local shape = types.shape(x)
   shape[dim] = #list
   if types.count(shape) == 0 then return types.empty(n.types[1], shape) end
   return torch.index(x, dim, types.of_numbers('int64', list))
end)

-- ---- scatter -------------------------------------------------------------------------------------------------------

local combine = {
   mul = function(a, b) return a * b end,
   max = function(a, b) return (b > a or b ~= b) and b or a end,
   min = function(a, b) return (b < a or b ~= b) and b or a end,
   add = function(a, b) return a + b end,
}

-- Element by element, for the reductions that no op of torch has.
local function scatter_each(y, dim, at, updates, way)
   local shape = types.shape(at)
   local list, values, place = types.numbers(at), types.numbers(updates), {}
   local stride, size = {}, {}
   for d = 1, #shape do stride[d], size[d], place[d] = tonumber(y._stride[d - 1]), shape[d], 0 end
   local p = types.plain(y):data()
   for i = 1, #list do
      local offset = 0
      for d = 1, #shape do offset = offset + (d == dim and list[i] - 1 or place[d]) * stride[d] end
      p[offset] = way(tonumber(p[offset]), values[i])
      for d = #shape, 1, -1 do
         place[d] = place[d] + 1
         if place[d] < size[d] then break end
         place[d] = 0
      end
   end
end

-- Halves are computed as floats.
local function is_half(name) return name == 'float16' or name == 'bfloat16' end

local function scatter_elements(n, x, index, updates)
   need_same_rank(x, index)
   local dim = types.dim(n.attr.axis or 0, types.rank(x))
   local at, y = places(index, types.size(x, dim)):contiguous(), x:clone()
   if at:nElement() == 0 then return y end
   local reduction = n.attr.reduction or 'none'
   if reduction == 'none' then
      reachable(y, index, dim):scatter(dim, at, updates:contiguous())
   elseif reduction == 'add' then
      reachable(y, index, dim):scatterAdd(dim, at, updates:contiguous())
   else
      local way = combine[reduction] or error(("there is no reduction '%s'"):format(reduction), 0)
      if is_half(n.types[1]) then
         local wide = types.convert(y, 'float')
         scatter_each(wide, dim, at, updates, way)
         return types.convert(wide, n.types[1])
      end
      scatter_each(y, dim, at, updates, way)
   end
   return y
end
registry.add('ScatterElements', scatter_elements)
registry.add('Scatter', scatter_elements)

registry.add('ScatterND', function(n, x, index, updates)
   local shape, y = types.shape(x), x:clone()
   local at, count, k = linear(index, shape, 1)
   local each = product(shape, k + 1, #shape)
   if count == 0 or each == 0 then return y end
   if updates:nElement() ~= count * each then error('updates do not fit the indices', 0) end
   local rows, values = types.view(y, { product(shape, 1, k), each }), types.view(updates, { count, each })
   local reduction = n.attr.reduction or 'none'
   if reduction == 'none' then rows:indexCopy(1, at, values)
   elseif reduction == 'add' then rows:indexAdd(1, at, values)
   else
      local op = ({ mul = 'cmul', max = 'cmax', min = 'cmin' })[reduction]
         or error(("there is no reduction '%s'"):format(reduction), 0)
      for i, place in ipairs(types.numbers(at)) do
         local row = rows:narrow(1, place, 1)
         row[op](row, values:narrow(1, i, 1))
      end
   end
   return y
end)

registry.add('TensorScatter', function(n, past, update, indices)
   local y, rank = past:clone(), types.rank(past)
   local dim, circular = types.dim(n.attr.axis or -2, rank), n.attr.mode == 'circular'
   if dim == 1 then error('axis must not be the batch', 0) end
   local count, size = types.size(update, dim), types.size(past, dim)
   local starts = indices and types.numbers(indices) or {}
   for b = 1, types.size(past, 1) do
      local start = starts[b] or 0
      for i = 0, count - 1 do
         local to = circular and (start + i) % size or start + i
         if to < 0 or to >= size then error(('position %d is outside of dimension %d'):format(to, dim), 0) end
         y:narrow(1, b, 1):narrow(dim, to + 1, 1):copy(update:narrow(1, b, 1):narrow(dim, i + 1, 1))
      end
   end
   return y
end)

-- ---- searches ------------------------------------------------------------------------------------------------------

registry.add('NonZero', { types = 'int64', run = function(_, x)
   local rank = types.rank(x)
   if rank == 0 then
      return types.number(x) ~= 0 and types.empty('int64', { 0, 1 }) or types.empty('int64', { 0, 0 })
   end
   if x:nElement() == 0 then return types.empty('int64', { rank, 0 }) end
   local at = torch.nonzero(x)
   if at:nElement() == 0 then return types.empty('int64', { rank, 0 }) end
   return types.permute(torch.add(at, -1), { 2, 1 }):contiguous()
end })

registry.add('TopK', { types = { 'first', 'int64' }, run = function(n, x, k)
   local dim = types.dim(n.attr.axis or -1, types.rank(x))
   local count = n.version >= 10 and types.number(k) or n.attr.k
   if count < 0 or count > types.size(x, dim) then
      error(('k must lie in 0..%d, got %s'):format(types.size(x, dim), tostring(count)), 0)
   end
   local shape = types.shape(x)
   shape[dim] = count
   if types.count(shape) == 0 then return types.empty(n.types[1], shape), types.empty('int64', shape) end
   local largest = (n.attr.largest or 1) ~= 0
   local y, at
   if largest and not types.is_float(n.types[1]) then        -- equal elements in the order of the input
      y, at = torch.sort(x, dim, true)
      y, at = y:narrow(dim, 1, count), at:narrow(dim, 1, count)
   else
      y, at = torch.topk(x, count, dim, largest, true)
   end
   return y, torch.add(at, -1)
end })

registry.add('OneHot', { types = 'third', run = function(n, index, depth, values)
   local classes, rank = types.number(depth), types.rank(index)
   local dim = types.dim(n.attr.axis or -1, rank + 1)
   local shape, name = types.shape(index), n.types[3]
   table.insert(shape, dim, classes)
   local pair = types.numbers(values)
   local y = types.full(name, shape, pair[1])
   if y:nElement() == 0 then return y end
   local wide = types.shape(index)
   table.insert(wide, dim, 1)
   local at = types.view(types.convert(index, 'int64'), wide)
   at = torch.where(torch.lt(at, 0), torch.add(at, classes), at)
   local ladder = {}
   for d = 1, rank + 1 do ladder[d] = d == dim and classes or 1 end
   local hit = torch.eq(types.pair(at, types.view(torch.range(0, classes - 1):long(), ladder)))
   return torch.where(hit, types.full(name, {}, pair[2]), y)
end })

unsigned.ordered 'TopK'

-- ---- unique --------------------------------------------------------------------------------------------------------

local function text_of(v)
   if type(v) ~= 'number' then return tostring(v) end
   return ('%.17g'):format(v + 0)                             -- -0 is 0
end

-- Rows of numbers or strings that differ: for each its first row, and for each row its number among
-- them.
local function distinct(rows, sorted)
   local seen, first, of_row, counts = {}, {}, {}, {}
   for i, row in ipairs(rows) do
      local parts = {}
      for c, v in ipairs(row) do parts[c] = text_of(v) end
      local key = table.concat(parts, ' ')
      local k = seen[key]
      if not k then
         k = #first + 1
         seen[key], first[k], counts[k] = k, i, 0
      end
      of_row[i], counts[k] = k, counts[k] + 1
   end
   if not sorted then return first, of_row, counts end
   local order = {}
   for k in ipairs(first) do order[k] = k end
   table.sort(order, function(a, b)
      local x, y = rows[first[a]], rows[first[b]]
      for i = 1, #x do if x[i] ~= y[i] then return x[i] < y[i] end end
      return a < b
   end)
   local rank, f, c = {}, {}, {}
   for place, k in ipairs(order) do rank[k], f[place], c[place] = place, first[k], counts[k] end
   for i, k in ipairs(of_row) do of_row[i] = rank[k] end
   return f, of_row, c
end

local function minus_one(list)
   local r = {}
   for i, v in ipairs(list) do r[i] = v - 1 end
   return types.of_numbers('int64', r)
end

registry.add('Unique', { types = { 'first', 'int64', 'int64', 'int64' }, run = function(n, x)
   local axis = n.attr.axis
   if not axis then x = types.view(x, { types.count(types.shape(x)) }) end
   local dim, rows, name = types.dim(axis or 0, types.rank(x)), {}, n.types[1]
   local is_long = name == 'int64' or name == 'uint64'
   for i = 1, types.size(x, dim) do
      if type(x) == 'table' then rows[i] = { x[i] }
      else
         local row = x:narrow(dim, i, 1)
         rows[i] = is_long and unsigned.exact(row, name) or types.numbers(row)
      end
   end
   local first, of_row, counts = distinct(rows, (n.attr.sorted or 1) ~= 0)
   local y
   if type(x) == 'table' then
      y = { shape = { #first } }
      for i, k in ipairs(first) do y[i] = x[k] end
   elseif #first == 0 then y = types.alias(x)
   else y = torch.index(x, dim, types.of_numbers('int64', first)) end
   return y, minus_one(first), minus_one(of_row), types.of_numbers('int64', counts)
end })
