-- lua/onnx/windows.lua - the geometry of windows over N x C x ...: padding, sizes of results, views of windows.
local types = require 'onnx.types'

local M = {}

local MOST = 2 ^ 26                         -- windows times taps along a dimension

local function each(list, n, default)
   local r = {}
   for d = 1, n do r[d] = list and list[d] or default end
   return r
end

--- The geometry of a node: { n, kernel, strides, dilations, before, behind, sizes, out }, lists by spatial dimension.
-- @param kernel  its sizes
-- @param ceil    whether a last window may hang over the end
function M.geometry(n, x, kernel, ceil)
   local shape = types.shape(x)
   local count = #shape - 2
   if count < 1 then error(('its input must have 3 dimensions at least, got shape %s'):format(types.shape_text(shape)), 0) end
   if #kernel ~= count then
      error(('a kernel of %d sizes does not fit shape %s'):format(#kernel, types.shape_text(shape)), 0)
   end
   local g = { n = count, kernel = kernel, strides = each(n.attr.strides, count, 1), dilations = each(n.attr.dilations, count, 1),
      before = each(n.attr.pads, count, 0), behind = {}, sizes = {}, out = {} }
   local auto = n.attr.auto_pad or 'NOTSET'
   for d = 1, count do
      local stride, reach = g.strides[d], (kernel[d] - 1) * g.dilations[d] + 1
      local size = shape[d + 2]
      if stride < 1 or kernel[d] < 1 or g.dilations[d] < 1 then error('kernels, strides and dilations must be positive', 0) end
      g.sizes[d], g.behind[d] = size, n.attr.pads and n.attr.pads[count + d] or 0
      if auto == 'SAME_UPPER' or auto == 'SAME_LOWER' then
         local total = math.max(0, (math.ceil(size / stride) - 1) * stride + reach - size)
         local half = math.floor(total / 2)
         g.before[d], g.behind[d] = auto == 'SAME_UPPER' and half or total - half, auto == 'SAME_UPPER' and total - half or half
      elseif auto == 'VALID' then
         g.before[d], g.behind[d] = 0, 0
      end
      local room = size + g.before[d] + g.behind[d] - reach
      local out = (ceil and math.ceil or math.floor)(room / stride) + 1
      if ceil and (out - 1) * stride >= size + g.before[d] then out = out - 1 end       -- a window must begin inside
      if out * kernel[d] > MOST or math.abs(g.before[d]) > MOST or math.abs(g.behind[d]) > MOST then
         error('its windows or pads are too large', 0)
      end
      if out < 1 then
         error(('a kernel of %s does not fit shape %s'):format(types.shape_text(kernel), types.shape_text(shape)), 0)
      end
      g.out[d] = out
   end
   return g
end

--- x with `value` around it, large enough for all windows.
function M.padded(name, x, g, value)
   local shape, needed = types.shape(x), false
   local inner = {}
   for d = 1, g.n do
      local want = math.max(g.sizes[d] + g.before[d], (g.out[d] - 1) * g.strides[d] + (g.kernel[d] - 1) * g.dilations[d] + 1)
      if g.before[d] ~= 0 or want > g.sizes[d] then needed = true end
      inner[d] = math.max(want, g.sizes[d] + g.before[d] + math.max(g.behind[d], 0))
   end
   if not needed then return x end
   for d = 1, g.n do shape[d + 2] = inner[d] end
   local y = types.full(name, shape, value)
   local to, from = y, x
   for d = 1, g.n do
      local cut = math.max(0, -g.before[d])
      from = from:narrow(d + 2, cut + 1, g.sizes[d] - cut)
      to = to:narrow(d + 2, math.max(0, g.before[d]) + 1, g.sizes[d] - cut)
   end
   to:copy(from)
   return y
end

--- A view of all windows of a padded x: N x C x out... x kernel...
function M.view(x, g)
   local shape, strides = { types.size(x, 1), types.size(x, 2) }, { tonumber(x._stride[0]), tonumber(x._stride[1]) }
   for d = 1, g.n do
      local step = tonumber(x._stride[d + 1])
      shape[2 + d], strides[2 + d] = g.out[d], step * g.strides[d]
      shape[2 + g.n + d], strides[2 + g.n + d] = g.kernel[d], step * g.dilations[d]
   end
   return types.strided(x, shape, strides, tonumber(x._offset))
end

--- The shape N x C x out...
function M.result(x, g, channels)
   local shape = { types.size(x, 1), channels or types.size(x, 2) }
   for d = 1, g.n do shape[2 + d] = g.out[d] end
   return shape
end

--- All windows as rows: (N C out...) x (kernel...).
function M.rows(x, g)
   local n, k = types.count(M.result(x, g)), types.count(g.kernel)
   return types.view(M.view(x, g), { n, k })
end


return M
