-- lua/onnx/ops/shape.lua - ops that change shapes, or copy parts of tensors.
local torch = require 'torch'
local types = require 'onnx.types'
local inside = require 'onnx.inside'
local layout = require 'onnx.layout'
local registry = require 'onnx.registry'

registry.add('Identity', function(_, x) return types.alias(x) end)

-- ---- other shapes of the same elements -----------------------------------------------------------------------------

-- Ops whose results may be views of their first input.
local function view(name, run) registry.add(name, { view = true, run = run }) end

view('Reshape', function(n, x, wanted)
   local list = n.version >= 5 and types.numbers(wanted) or n.attr.shape
   local from, shape, free, known = types.shape(x), {}, nil, 1
   for d, size in ipairs(list) do
      if size == 0 and (n.attr.allowzero or 0) == 0 then
         size = from[d] or error(('size %d is 0, but the input has %d dimensions'):format(d, #from), 0)
      end
      if size == -1 then
         if free then error('one size at most may be -1', 0) end
         free = d
      else
         known = known * size
      end
      shape[d] = size
   end
   if free then
      local count = types.count(from)
      if known == 0 or count % known ~= 0 then
         error(('%d elements do not divide into shape %s'):format(count, types.shape_text(list)), 0)
      end
      shape[free] = count / known
   end
   if types.count(shape) ~= types.count(from) then
      error(('shape %s does not fit shape %s'):format(types.shape_text(shape), types.shape_text(from)), 0)
   end
   return types.reshaped(x, shape) or types.view(x, shape)
end)

view('Flatten', function(n, x)
   local shape, rank = types.shape(x), types.rank(x)
   local axis = n.attr.axis or 1
   if axis < 0 then axis = axis + rank end
   if axis < 0 or axis > rank then error(('axis must lie in %d..%d, got %d'):format(-rank, rank, n.attr.axis), 0) end
   local rows, columns = 1, 1
   for d = 1, rank do
      if d <= axis then rows = rows * shape[d] else columns = columns * shape[d] end
   end
   return types.view(x, { rows, columns })
end)

view('Squeeze', function(n, x, axes)
   local list, shape, dropped, result = n.version >= 13 and axes and types.numbers(axes) or n.attr.axes, types.shape(x), {}, {}
   for _, axis in ipairs(list or {}) do
      local d = types.dim(axis, #shape, 'an axis')
      if shape[d] ~= 1 then error(('dimension %d of shape %s has not the size 1'):format(d, types.shape_text(shape)), 0) end
      dropped[d] = true
   end
   for d, size in ipairs(shape) do
      if not (list and dropped[d] or not list and size == 1) then result[#result + 1] = size end
   end
   return types.view(x, result)
end)

view('Unsqueeze', function(n, x, axes)
   local list, shape, added, result = n.version >= 13 and types.numbers(axes) or n.attr.axes or {}, types.shape(x), {}, {}
   for _, axis in ipairs(list) do
      local d = types.dim(axis, #shape + #list, 'an axis')
      if added[d] then error(('axis %d is named twice'):format(axis), 0) end
      added[d] = true
   end
   local from = 1
   for d = 1, #shape + #list do
      if added[d] then result[d] = 1
      else
         result[d] = shape[from]
         from = from + 1
      end
   end
   return types.view(x, result)
end)

view('Transpose', function(n, x)
   local rank, order, seen = types.rank(x), {}, {}
   for d = 1, rank do order[d] = n.attr.perm and (n.attr.perm[d] or -1) + 1 or rank + 1 - d end
   for _, d in ipairs(order) do
      if d < 1 or d > rank or seen[d] then error('perm must name each dimension once', 0) end
      seen[d] = true
   end
   if n.attr.perm and #n.attr.perm ~= rank then error(('perm names %d dimensions'):format(#n.attr.perm), 0) end
   return types.permute(x, order)
end)

view('Expand', function(_, x, wanted)
   local from, list = types.shape(x), types.numbers(wanted)
   local shape = types.broadcast(from, list)
   if not shape then error(('shape %s does not broadcast to %s'):format(types.shape_text(from), types.shape_text(list)), 0) end
   return types.expand(x, shape)
end)

registry.add('Tile', function(n, x, repeats)
   local times, shape = types.numbers(repeats), types.shape(x)
   if n.version < 6 then error('version 1 of it is not here', 0) end
   if #times ~= #shape then error(('%d repeats are needed, got %d'):format(#shape, #times), 0) end
   local result = {}
   for d = 1, #shape do result[d] = shape[d] * times[d] end
   if types.count(result) == 0 then return types.empty(n.types[1], result) end
   for d = 1, #shape do                                       -- rows before, copies, rows from this dimension on
      if times[d] > 1 then
         local before, behind, now = 1, 1, types.shape(x)
         for i = 1, #shape do
            if i < d then before = before * now[i] else behind = behind * now[i] end
         end
         now[d] = now[d] * times[d]
         x = types.view(types.expand(types.view(x, { before, 1, behind }), { before, times[d], behind }), now)
      end
   end
   return types.alias(x)
end)

-- ---- concatenation and parts ---------------------------------------------------------------------------------------

local function concat_strings(list, dim, shape)
   -- Rows of `inner` strings: each outer index takes the rows of all inputs in turn.
   local outer, y = 1, { shape = shape }
   for d = 1, dim - 1 do outer = outer * shape[d] end
   for o = 0, outer - 1 do
      for _, t in ipairs(list) do
         local inner = #t / math.max(outer, 1)
         for i = 1, inner do y[#y + 1] = t[o * inner + i] end
      end
   end
   return y
end

-- The shape of part i, which may differ from that of the first one in dimension dim alone.
local function check_parts(list, i, dim)
   local shape, s = types.shape(list[1]), types.shape(list[i])
   for d = 1, math.max(#s, #shape) do
      if d ~= dim and s[d] ~= shape[d] then
         error(('input %d of shape %s does not fit shape %s'):format(i, types.shape_text(s),
            types.shape_text(shape)), 0)
      end
   end
   return s
end

--- Tensors of equal shapes but for dimension dim, one behind the other.
local function concat(name, list, dim, to)
   local shape, full = types.shape(list[1]), {}
   local total = 0
   for i, t in ipairs(list) do
      local s = check_parts(list, i, dim)
      total = total + s[dim]
      if s[dim] > 0 then full[#full + 1] = t end
   end
   shape[dim] = total
   if name == 'string' then return concat_strings(list, dim, shape) end
   if types.count(shape) == 0 then return types.empty(name, shape) end
   return torch.cat(to, full, dim)
end

registry.add('Concat', function(n, ...)
   local list = { ... }
   local axis = n.attr.axis or n.version < 4 and 1 or error("attribute 'axis' is missing", 0)
   local first = list[1]
   if axis == 1 and types.is_tensor(first) and layout.is_last(first) then
      local channels = 0
      for i in ipairs(list) do channels = channels + check_parts(list, i, 2)[2] end
      local s = types.shape(first)
      return inside.join(n:out_last(s[1], channels, s[3], s[4]), list)
   end
   return concat(n.types[1], list, types.dim(axis, types.rank(list[1])), n.types[1] ~= 'string' and n:out() or nil)
end)

-- Sizes of the parts of a dimension of `size` elements.
local function part_sizes(n, sizes, size)
   local list = n.version >= 13 and sizes and types.numbers(sizes) or n.version < 13 and n.attr.split
   if list then return list end
   local count = n.attr.num_outputs or n.outputs
   local each = math.ceil(size / count)
   list = {}
   for i = 1, count do list[i] = math.max(0, math.min(each, size - (i - 1) * each)) end
   return list
end

registry.add('Split', { types = 'first', run = function(n, x, sizes)
   local dim = types.dim(n.attr.axis or 0, types.rank(x))
   local list, parts, at = part_sizes(n, sizes, types.size(x, dim)), {}, 1
   if #list ~= n.outputs then error(('%d parts are given for %d outputs'):format(#list, n.outputs), 0) end
   for i, size in ipairs(list) do
      if size < 0 or at + size - 1 > types.size(x, dim) then
         error(('parts of sizes %s do not fit size %d'):format(table.concat(list, ', '), types.size(x, dim)), 0)
      end
      if size == 0 then
         local shape = types.shape(x)
         shape[dim] = 0
         parts[i] = types.empty(n.types[1], shape)
      else
         parts[i] = x:narrow(dim, at, size)
      end
      at = at + size
   end
   if at ~= types.size(x, dim) + 1 then
      error(('parts of sizes %s do not fill size %d'):format(table.concat(list, ', '), types.size(x, dim)), 0)
   end
   return unpack(parts)
end })

-- ---- slices --------------------------------------------------------------------------------------------------------

-- One dimension of a slice: first index from 0, number of indices, step.
local function range_of(start, stop, step, size)
   if step == 0 then error('a step must not be 0', 0) end
   if start < 0 then start = start + size end
   if stop < 0 then stop = stop + size end
   if step > 0 then
      start, stop = math.max(0, math.min(size, start)), math.max(0, math.min(size, stop))
   else
      start, stop = math.max(-1, math.min(size - 1, start)), math.max(-1, math.min(size - 1, stop))
   end
   return start, math.max(0, math.ceil((stop - start) / step)), step
end

-- A view of a slice; dimensions with negative steps are flipped afterwards.
local function slice(name, x, starts, stops, axes, steps)
   local shape, strides, offset, flips, rank = types.shape(x), {}, tonumber(x._offset), {}, types.rank(x)
   for d = 1, rank do strides[d] = tonumber(x._stride[d - 1]) end
   for i = 1, #starts do
      local d = types.dim(axes and axes[i] or i - 1, rank, 'an axis')
      local first, count, step = range_of(starts[i], stops[i] or error('a stop is missing', 0), steps and steps[i] or 1, shape[d])
      if step < 0 and count > 1 then
         first, step, flips[#flips + 1] = first + (count - 1) * step, -step, d
      end
      if count > 0 then offset = offset + first * strides[d] end
      shape[d], strides[d] = count, strides[d] * math.max(step, 1)
   end
   if types.count(shape) == 0 then return types.empty(name, shape) end
   for d = 1, rank do if shape[d] == 1 then strides[d] = 1 end end
   local y = types.strided(x, shape, strides, offset)
   for _, d in ipairs(flips) do y = torch.flip(y, d) end
   return y
end

local function slice_strings(x, starts, stops, axes, steps)
   local list = {}
   for i = 1, #x do list[i] = i end
   local at = slice('int64', types.of_numbers('int64', list, x.shape), starts, stops, axes, steps)
   local y = { shape = types.shape(at) }
   for i, k in ipairs(types.numbers(at)) do y[i] = x[k] end
   return y
end

view('Slice', function(n, x, starts, stops, axes, steps)
   if n.version < 10 then return slice(n.types[1], x, n.attr.starts, n.attr.ends, n.attr.axes) end
   starts, stops = types.numbers(starts), types.numbers(stops)
   axes, steps = axes and types.numbers(axes), steps and types.numbers(steps)
   if n.types[1] == 'string' then return slice_strings(x, starts, stops, axes, steps) end
   return slice(n.types[1], x, starts, stops, axes, steps)
end)

-- ---- padding -------------------------------------------------------------------------------------------------------

-- Indices from 0 of a padded dimension, for modes that repeat elements.
local MOST_REPEATED = 2 ^ 24
local function sources(size, before, behind, mode)
   if before + size + behind > MOST_REPEATED then error(('a padded size of %.0f is too large'):format(before + size + behind),
      0) end
   if before + size + behind <= 0 then return types.empty('int64', { 0 }) end
   local k = torch.range(-before, size + behind - 1)
   if mode == 'edge' then k:clamp(0, size - 1)
   elseif mode == 'wrap' then k:remainder(size)
   else                                                       -- reflect: a saw of up and down
      k:remainder(math.max(1, 2 * (size - 1))):add(-(size - 1)):abs():mul(-1):add(size - 1)
   end
   return k:add(1):long()
end

-- x with `before` and `behind` elements more in each dimension; negative numbers cut elements off.
local function pad(name, x, before, behind, mode, value)
   local shape, rank = types.shape(x), types.rank(x)
   if mode ~= 'constant' then
      for d = 1, rank do
         if before[d] ~= 0 or behind[d] ~= 0 then
            if shape[d] == 0 then error('an empty dimension has no elements to repeat', 0) end
            x = torch.index(x, d, sources(shape[d], before[d], behind[d], mode))
         end
      end
      return types.alias(x)
   end
   local result = {}
   for d = 1, rank do
      result[d] = shape[d] + before[d] + behind[d]
      if result[d] < 0 then error(('padding leaves dimension %d of shape %s no size'):format(d, types.shape_text(shape)), 0) end
   end
   local y = types.full(name, result, value)
   if y:nElement() == 0 or x:nElement() == 0 then return y end
   local to, from = y, x
   for d = 1, rank do
      local skipped = math.max(0, -before[d])
      local count = math.min(shape[d] - skipped, shape[d] - skipped + math.min(0, behind[d]))
      if count <= 0 then return y end
      from = from:narrow(d, skipped + 1, count)
      to = to:narrow(d, math.max(0, before[d]) + 1, count)
   end
   to:copy(from)
   return y
end

registry.add('Pad', function(n, x, pads, value, axes)
   local rank = types.rank(x)
   local list = n.version >= 11 and types.numbers(pads) or n.attr.pads or n.attr.paddings
   local dims, before, behind = {}, {}, {}
   for d = 1, rank do before[d], behind[d], dims[d] = 0, 0, d end
   if axes then
      dims = {}
      for i, axis in ipairs(types.numbers(axes)) do dims[i] = types.dim(axis, rank, 'an axis') end
   end
   if #list ~= 2 * #dims then error(('%d pads are needed, got %d'):format(2 * #dims, #list), 0) end
   for i, d in ipairs(dims) do before[d], behind[d] = list[i], list[#dims + i] end
   local number = n.version >= 11 and value and types.number(value) or n.attr.value or 0
   return pad(n.types[1], x, before, behind, n.attr.mode or 'constant', number)
end)

registry.add('CenterCropPad', function(n, x, wanted)
   local rank, sizes, before, behind = types.rank(x), types.numbers(wanted), {}, {}
   for d = 1, rank do before[d], behind[d] = 0, 0 end
   for i, size in ipairs(sizes) do
      local d = types.dim(n.attr.axes and n.attr.axes[i] or i - 1, rank, 'an axis')
      local more = size - types.size(x, d)
      if more >= 0 then before[d] = math.floor(more / 2) else before[d] = -math.floor(-more / 2) end
      behind[d] = more - before[d]
   end
   return pad(n.types[1], x, before, behind, 'constant', 0)
end)

-- ---- blocks, triangles, sequences ----------------------------------------------------------------------------------

registry.add('DepthToSpace', function(n, x)
   local b, s = n.attr.blocksize, types.shape(x)
   local c = s[2] / (b * b)
   if #s ~= 4 or c ~= math.floor(c) then error(('blocks of %s do not fit'):format(tostring(b)), 0) end
   local y
   if n.attr.mode == 'CRD' then
      y = types.permute(types.view(x, { s[1], c, b, b, s[3], s[4] }), { 1, 2, 5, 3, 6, 4 })
   else
      y = types.permute(types.view(x, { s[1], b, b, c, s[3], s[4] }), { 1, 4, 5, 2, 6, 3 })
   end
   return types.view(y, { s[1], c, s[3] * b, s[4] * b })
end)

registry.add('SpaceToDepth', function(n, x)
   local b, s = n.attr.blocksize, types.shape(x)
   local h, w = s[3] / b, s[4] / b
   if #s ~= 4 or h ~= math.floor(h) or w ~= math.floor(w) then error(('blocks of %s do not fit'):format(tostring(b)), 0) end
   local y = types.permute(types.view(x, { s[1], s[2], h, b, w, b }), { 1, 4, 6, 2, 3, 5 })
   return types.view(y, { s[1], s[2] * b * b, h, w })
end)

registry.add('Trilu', function(n, x, k)
   local shape = types.shape(x)
   local rows, columns = shape[#shape - 1], shape[#shape]
   if not rows then error('its input must have two dimensions at least', 0) end
   if x:nElement() == 0 then return types.alias(x) end
   k = k and types.number(k) or 0
   local row = torch.range(1, rows):view(rows, 1):expand(rows, columns)
   local column = torch.range(1, columns):view(1, columns):expand(rows, columns)
   local off = torch.csub(column, row)
   local kept = (n.attr.upper or 1) ~= 0 and torch.ge(off, k) or torch.le(off, k)
   return torch.where(kept, x, types.full(n.types[1], {}, 0))
end)

registry.add('ReverseSequence', function(n, x, lengths)
   local batch, time = (n.attr.batch_axis or 1) + 1, (n.attr.time_axis or 0) + 1
   local y = x:clone()
   for i, length in ipairs(types.numbers(lengths)) do
      if length > 1 then
         local from = x:narrow(batch, i, 1):narrow(time, 1, length)
         y:narrow(batch, i, 1):narrow(time, 1, length):copy(torch.flip(from, time))
      end
   end
   return y
end)

return { concat = concat, pad = pad, slice = slice }
