-- lua/onnx/ops/convolution.lua - convolutions of one, two and more dimensions, and their relatives.
--
-- Two dimensions use conv2d. One dimension is an image of height 1. More are sums of convolutions with one dimension less.
local torch = require 'torch'
local types = require 'onnx.types'
local after = require 'onnx.after'
local kept = require 'onnx.kept'
local layout = require 'onnx.layout'
local registry = require 'onnx.registry'
local windows = require 'onnx.windows'

local function rest(list, first)
   local r = {}
   for d = first, #list do r[#r + 1] = list[d] end
   return r
end

-- ---- convolution ---------------------------------------------------------------------------------------------------

-- Channels side by side pay where vectors are filled.
local LEAST_CHANNELS = 8

-- Runs conv2d_fused on the fields of a call.
local function run_call(c)
   local g, f = c.g, c.f
   return torch.conv2d_fused(c.y, c.x, c.w, c.b, g.strides[1], g.strides[2], g.before[1],
      g.before[2], g.dilations[1], g.dilations[2], c.groups, c.add, f.act, f.low, f.high)
end

-- Weights of a model never change, so that their layout for an engine is made once.
local function run_kept(n, call)
   return n.weights and n.weights:run(run_call, call, n) or run_call(call)
end

-- A convolution of images with what the node has taken over.
local function conv_fused(n, x, w, b, add, g, groups)
   local batch, planes, h, v = types.size(x, 1), types.size(w, 1), g.out[1], g.out[2]
   local f, rest_of = after.of(n), nil
   if add ~= nil and not types.same_shape(types.shape(add), { batch, planes, h, v }) then
      add, f, rest_of = nil, after.of {}, after.kept(n, add)
   end
   local last = groups == 1 and planes >= LEAST_CHANNELS and layout.is_quick()
   local call = { x = x, w = w, b = b, add = add, g = g, groups = groups, f = f,
      y = last and n:out_last(batch, planes, h, v) or n:out() }
   local y = run_kept(n, call)
   if rest_of ~= nil then return after.apply(n, y, rest_of) end
   if not b or n.fixed[3] then kept.keep_call(n, call, y, x, add) end
   return y
end

local function conv2(to, x, w, b, g, pads, groups)
   to = to or types.empty(x:type() == 'torch.DoubleTensor' and 'double' or 'float', { 0 })
   return torch.conv2d(to, x, w, b, g.strides[1], g.strides[2], pads[1], pads[2], g.dilations[1], g.dilations[2], groups)
end

-- g of the dimensions from `first` on.
local function inner(g, first)
   local r = { n = g.n - first + 1 }
   for _, key in ipairs { 'kernel', 'strides', 'dilations', 'sizes', 'out' } do r[key] = rest(g[key], first) end
   return r
end

-- Convolution of a padded x.
local function convolve(to, x, w, b, g, groups)
   local xs, ws = types.shape(x), types.shape(w)
   if g.n == 1 then
      local flat = { strides = { 1, g.strides[1] }, dilations = { 1, g.dilations[1] } }
      local y = conv2(to, types.view(x, { xs[1], xs[2], 1, xs[3] }), types.view(w, { ws[1], ws[2], 1, ws[3] }), b, flat, { 0,
         0 }, groups)
      return types.view(y, { xs[1], ws[1], types.size(y, 4) })
   elseif g.n == 2 then
      return conv2(to, x, w, b, g, { 0, 0 }, groups)
   end
   -- The positions of the first spatial dimension join the samples.
   local below, count = inner(g, 2), g.out[1]
   local order, sum = { 1, 3, 2 }, nil
   for d = 4, #xs do order[d] = d end
   for k = 1, g.kernel[1] do
      local first = (k - 1) * g.dilations[1]
      local from = types.permute(x, order)
      from = from:narrow(2, first + 1, (count - 1) * g.strides[1] + 1)
      local strides = {}
      local shape = types.shape(from)
      for d = 1, #shape do strides[d] = tonumber(from._stride[d - 1]) end
      shape[2], strides[2] = count, strides[2] * g.strides[1]
      from = types.strided(from, shape, strides, tonumber(from._offset)):contiguous()
      shape[1] = shape[1] * shape[2]
      table.remove(shape, 2)
      local part = convolve(nil, types.view(from, shape), w:select(3, k):contiguous(), k == 1 and b or nil, below, groups)
      sum = sum and sum:add(part) or part
   end
   local shape = types.shape(sum)
   table.remove(shape, 1)
   table.insert(shape, 1, count)
   table.insert(shape, 1, xs[1])
   return types.permute(types.view(sum, shape), order):contiguous()
end

local function kernel_of(n, w)
   return n.attr.kernel_shape or rest(types.shape(w), 3)
end

-- Other types are computed as floats.
local function is_direct(name) return name == 'float' or name == 'double' end

local function conv(n, x, w, b, add)
   local call = kept.call_of(n, x, add)
   if call then return run_kept(n, call) end
   local g, groups = windows.geometry(n, x, kernel_of(n, w), false), n.attr.group or 1
   local name = n.types[1]
   if not is_direct(name) then
      x, w, b = types.convert(x, 'float'), types.convert(w, 'float'), b and types.convert(b, 'float')
   end
   local y
   if g.n == 2 and g.before[1] == g.behind[1] and g.before[2] == g.behind[2] and g.before[1] >= 0 and g.before[2] >= 0 then
      if n.fixed and n.fixed[2] and is_direct(name) then
         return conv_fused(n, x, w, b, add, g, groups)
      end
      add = after.kept(n, add)
      if n.weights then n.weights:restore() end
      y = conv2(is_direct(name) and n:out() or nil, x, w, b, g, g.before, groups)
   else
      add = after.kept(n, add)
      if n.weights then n.weights:restore() end
      y = convolve(is_direct(name) and n:out() or nil, windows.padded(is_direct(name) and name or 'float', x, g, 0), w, b, g,
         groups)
   end
   y = is_direct(name) and y or types.convert(y, n.out_types[1])
   return n.fused and after.apply(n, y, add) or y
end
registry.add('Conv', { run = conv, weighs = true })

-- The positions of past_state precede the input; each channel has a kernel.
registry.add('CausalConvWithState', { types = 'first', run = function(n, x, w, b, past)
   local name, s, k = n.types[1], types.shape(x), types.size(w, 3)
   local wide = is_direct(name) and name or 'float'
   local whole = types.full(wide, { s[1], s[2], s[3] + k - 1 }, 0)
   if past and k > 1 then whole:narrow(3, 1, k - 1):copy(past) end
   if s[3] > 0 then whole:narrow(3, k, s[3]):copy(x) end
   local state = k > 1 and types.convert(whole:narrow(3, s[3] + 1, k - 1), name) or types.empty(name, { s[1], s[2], 0 })
   local g = { n = 1, kernel = { k }, strides = { 1 }, dilations = { 1 }, sizes = { s[3] + k - 1 }, out = { s[3] } }
   local y = convolve(nil, whole, types.convert(w, wide), b and types.convert(b, wide), g, s[2])
   local activation = n.attr.activation or 'none'
   if activation == 'silu' or activation == 'swish' then y = torch.swish(y)
   elseif activation ~= 'none' then error(("there is no activation '%s'"):format(activation), 0) end
   return types.convert(y, name), state
end })

-- ---- transposed convolution ----------------------------------------------------------------------------------------

-- Pads by dimension from the attributes of a ConvTranspose, and the sizes of the result.
local function transposed_geometry(n, x, kernel)
   local count, g = types.rank(x) - 2, { kernel = kernel, strides = {}, dilations = {}, before = {}, out = {}, full = {} }
   local auto, wanted = n.attr.auto_pad or 'NOTSET', n.attr.output_shape
   for d = 1, count do
      local stride, dilation = n.attr.strides and n.attr.strides[d] or 1, n.attr.dilations and n.attr.dilations[d] or 1
      local more = n.attr.output_padding and n.attr.output_padding[d] or 0
      local size = types.size(x, d + 2)
      local full = stride * (size - 1) + more + (kernel[d] - 1) * dilation + 1
      local before, behind = n.attr.pads and n.attr.pads[d] or 0, n.attr.pads and n.attr.pads[count + d] or 0
      local want = wanted and wanted[#wanted - count + d]
      if not want and (auto == 'SAME_UPPER' or auto == 'SAME_LOWER') then want = size * stride end
      if want then
         local total = full - want
         local half = math.floor(total / 2)
         if auto == 'SAME_UPPER' then before, behind = half, total - half else before, behind = total - half, half end
      elseif auto == 'VALID' then before, behind = 0, 0 end
      g.strides[d], g.dilations[d], g.before[d], g.full[d] = stride, dilation, before, full
      g.out[d] = full - before - behind
      if g.out[d] < 1 then error('its pads leave no result', 0) end
   end
   return g, count
end

-- The full result (before it is cut) of a transposed convolution.
local function spread(x, w, g, groups, count)
   local xs, ws = types.shape(x), types.shape(w)
   local name = x:type() == 'torch.DoubleTensor' and 'double' or 'float'
   if count == 1 then
      local flat = { strides = { 1, g.strides[1] }, dilations = { 1, g.dilations[1] }, full = { 1, g.full[1] } }
      local y = spread(types.view(x, { xs[1], xs[2], 1, xs[3] }), types.view(w, { ws[1], ws[2], 1, ws[3] }), flat, groups, 2)
      return types.view(y, { xs[1], types.size(y, 2), g.full[1] })
   elseif count == 2 then
      -- conv2d_grad_input wants sizes that its convolution reaches; the rest stays 0.
      local reach, like = {}, { xs[1], ws[2] * groups }
      for d = 1, 2 do reach[d] = g.strides[d] * (xs[d + 2] - 1) + (ws[d + 2] - 1) * g.dilations[d] + 1 end
      like[3], like[4] = reach[1], reach[2]
      local y = torch.conv2d_grad_input(types.empty(name, like), x, w, g.strides[1], g.strides[2], 0, 0, g.dilations[1],
         g.dilations[2],
         groups)
      if reach[1] == g.full[1] and reach[2] == g.full[2] then return y end
      local full = types.full(name, { like[1], like[2], g.full[1], g.full[2] }, 0)
      local h, v = math.min(reach[1], g.full[1]), math.min(reach[2], g.full[2])
      full:narrow(3, 1, h):narrow(4, 1, v):copy(y:narrow(3, 1, h):narrow(4, 1, v))
      return full
   end
   local below = { strides = rest(g.strides, 2), dilations = rest(g.dilations, 2), full = rest(g.full, 2) }
   local shape = { xs[1], ws[2] * groups, unpack(g.full) }
   local y = types.full(name, shape, 0)
   for i = 1, xs[3] do
      local slice = x:select(3, i):contiguous()
      for k = 1, ws[3] do
         local at = (i - 1) * g.strides[1] + (k - 1) * g.dilations[1] + 1
         local part = spread(slice, w:select(3, k):contiguous(), below, groups, count - 1)
         y:select(3, at):add(part)
      end
   end
   return y
end

registry.add('ConvTranspose', function(n, x, w, b)
   local name = n.types[1]
   if not is_direct(name) then x, w, b = types.convert(x, 'float'), types.convert(w, 'float'), b and types.convert(b, 'float') end
   local g, count = transposed_geometry(n, x, kernel_of(n, w))
   local y = spread(x:contiguous(), w:contiguous(), g, n.attr.group or 1, count)
   local shape, bounded = { types.size(y, 1), types.size(y, 2) }, true
   for d = 1, count do
      shape[2 + d] = g.out[d]
      if g.before[d] < 0 or g.before[d] + g.out[d] > g.full[d] then bounded = false end
   end
   if not bounded then
      local wide = types.full(is_direct(name) and name or 'float', shape, 0)
      local to, from = wide, y
      for d = 1, count do
         local first = math.max(0, g.before[d])
         local shift = math.max(0, -g.before[d])
         local size = math.min(g.full[d] - first, g.out[d] - shift)
         from, to = from:narrow(d + 2, first + 1, size), to:narrow(d + 2, shift + 1, size)
      end
      to:copy(from)
      y = wide
   else
      for d = 1, count do y = y:narrow(d + 2, g.before[d] + 1, g.out[d]) end
   end
   if b then
      local form = { 1, types.size(b, 1) }
      for d = 1, count do form[2 + d] = 1 end
      y = torch.add(y, types.view(b, form))
   end
   return is_direct(name) and y:contiguous() or types.convert(y, name)
end)

-- ---- columns to image ----------------------------------------------------------------------------------------------

registry.add('Col2Im', function(n, x, image, block)
   local sizes, kernel = types.numbers(image), types.numbers(block)
   local count, taps = #sizes, types.count(kernel)
   local s = types.shape(x)
   local channels, blocks, full = s[2] / taps, {}, {}
   local before = n.attr.pads or {}
   for d = 1, count do
      local behind = before[count + d] or 0
      full[d] = sizes[d] + (before[d] or 0) + behind
      local reach = ((n.attr.dilations or {})[d] or 1) * (kernel[d] - 1) + 1
      blocks[d] = math.floor((full[d] - reach) / ((n.attr.strides or {})[d] or 1)) + 1
   end
   if channels ~= math.floor(channels) or types.count(blocks) ~= s[3] then error('its columns do not fit the image', 0) end
   local shape = { s[1], channels, unpack(full) }
   local y, columns = types.full(n.types[1], shape, 0), types.view(x, { s[1], channels, taps, unpack(blocks) })
   for tap = 0, taps - 1 do
      local left, form, strides, offset = tap, { s[1], channels }, { tonumber(y._stride[0]), tonumber(y._stride[1]) }, 0
      for d = count, 1, -1 do
         local k = left % kernel[d]
         left = math.floor(left / kernel[d])
         local step = tonumber(y._stride[d + 1])
         form[2 + d], strides[2 + d] = blocks[d], step * ((n.attr.strides or {})[d] or 1)
         offset = offset + k * ((n.attr.dilations or {})[d] or 1) * step
      end
      local to = types.strided(y, form, strides, offset)
      to:add(columns:select(3, tap + 1))
   end
   for d = 1, count do y = y:narrow(d + 2, (before[d] or 0) + 1, sizes[d]) end
   return y:contiguous()
end)

-- ---- deformable convolution ----------------------------------------------------------------------------------------

-- Bilinear values of a plane (h x w, at p) with zeros outside of it.
local function sample(p, h, w, y, x)
   if y <= -1 or y >= h or x <= -1 or x >= w then return 0 end
   local y0, x0 = math.floor(y), math.floor(x)
   local fy, fx = y - y0, x - x0
   local function at(i, j) return i >= 0 and i < h and j >= 0 and j < w and p[i * w + j] or 0 end
   return (1 - fy) * ((1 - fx) * at(y0, x0) + fx * at(y0, x0 + 1)) + fy * ((1 - fx) * at(y0 + 1, x0) + fx * at(y0 + 1, x0 + 1))
end

-- The sampled windows of one sample: (C kh kw) x (oh ow).
local function sampled(columns, x, offset, mask, g, b, offset_groups)
   local c, h, w = types.size(x, 2), g.sizes[1], g.sizes[2]
   local kh, kw, oh, ow = g.kernel[1], g.kernel[2], g.out[1], g.out[2]
   local xp, op, mp, cp, area = x:data() + b * c * h * w, offset:data(), mask and mask:data(), columns:data(), oh * ow
   local taps = kh * kw
   for channel = 0, c - 1 do
      local group = math.floor(channel * offset_groups / c)
      for tap = 0, taps - 1 do
         local i, j = math.floor(tap / kw), tap % kw
         local at = ((b * offset_groups + group) * taps + tap)
         for place = 0, area - 1 do
            local row, column = math.floor(place / ow), place % ow
            local dy, dx = op[2 * at * area + place], op[(2 * at + 1) * area + place]
            local v = sample(xp + channel * h * w, h, w, row * g.strides[1] - g.before[1] + i * g.dilations[1] + dy,
               column * g.strides[2] - g.before[2] + j * g.dilations[2] + dx)
            if mp then v = v * mp[at * area + place] end
            cp[(channel * taps + tap) * area + place] = v
         end
      end
   end
end

registry.add('DeformConv', function(n, x, w, offset, bias, mask)
   local g, groups, offset_groups = windows.geometry(n, x, kernel_of(n, w), false), n.attr.group or 1, n.attr.offset_group or 1
   if g.n ~= 2 then error('only images are deformed here', 0) end
   local name, ws, c = n.types[1], types.shape(w), types.size(x, 2)
   local wide = is_direct(name) and name or 'float'
   x, w, offset = types.readable(types.convert(x, wide)), types.convert(w, wide), types.readable(types.convert(offset, wide))
   mask, bias = mask and types.readable(types.convert(mask, wide)), bias and types.convert(bias, wide)
   local taps, area = types.count(g.kernel), g.out[1] * g.out[2]
   if not types.same_shape(types.shape(offset), { types.size(x, 1), offset_groups * taps * 2, g.out[1], g.out[2] }) then
      error('the offsets do not fit the kernel and the result', 0)
   end
   local y, columns = types.empty(wide, windows.result(x, g, ws[1])), types.empty(wide, { c * taps, area })
   local per, rows = ws[1] / groups, c / groups * taps
   if per ~= math.floor(per) or ws[2] * taps ~= rows then error('its groups do not fit the weights', 0) end
   for b = 0, types.size(x, 1) - 1 do
      sampled(columns, x, offset, mask, g, b, offset_groups)
      for k = 0, groups - 1 do
         local to = y:narrow(1, b + 1, 1):narrow(2, k * per + 1, per)
         local product = torch.mm(types.view(w:narrow(1, k * per + 1, per), { per, rows }), columns:narrow(1, k * rows + 1, rows))
         to:copy(types.view(product, types.shape(to)))
      end
   end
   if bias then y:add(types.view(bias, { 1, ws[1], 1, 1 })) end
   return is_direct(name) and y or types.convert(y, name)
end)

return { conv = conv, kernel_of = kernel_of }
