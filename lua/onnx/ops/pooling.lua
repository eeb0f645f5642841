-- lua/onnx/ops/pooling.lua - pooling over windows and whole planes.
local torch = require 'torch'
local types = require 'onnx.types'
local layout = require 'onnx.layout'
local registry = require 'onnx.registry'
local windows = require 'onnx.windows'

local function geometry(n, x)
   local kernel = n.attr.kernel_shape or error("attribute 'kernel_shape' is missing", 0)
   return windows.geometry(n, x, kernel, (n.attr.ceil_mode or 0) ~= 0)
end

-- Whether the ops of torch for images compute it: no dilation, equal padding of at most half a kernel.
local function is_plain(n, g)
   if g.n ~= 2 or n.types[1] ~= 'float' and n.types[1] ~= 'double' then return false end
   for d = 1, 2 do
      local room = (g.out[d] - 1) * g.strides[d] + g.kernel[d]
      if g.dilations[d] ~= 1 or g.before[d] < 0 or g.before[d] * 2 > g.kernel[d] or g.before[d] ~= g.behind[d]
         or room > g.sizes[d] + 2 * g.before[d] then return false end
   end
   return true
end

-- Windows of images whose channels lie side by side, and so do those of the result.
local function pooled_last(n, x, kind, g, with_pads)
   local y = n:out_last(types.size(x, 1), types.size(x, 2), g.out[1], g.out[2])
   return torch.pool2d(y, x, kind, g.kernel[1], g.kernel[2], g.strides[1], g.strides[2],
      g.before[1], g.before[2], 1, 1, false,
      with_pads)
end

-- ---- largest elements ----------------------------------------------------------------------------------------------

local least = { int8 = -128, uint8 = 0, int16 = -32768, int32 = -2 ^ 31, int64 = -2 ^ 63 }

-- Indices in the whole input, from places in the windows.
local function input_indices(at, x, g, column_major)
   local shape = windows.result(x, g)
   local outs, sizes = types.numbers(at), g.sizes
   local place, list, planes = {}, {}, types.count(sizes)
   for d = 1, g.n do place[d] = 0 end
   local plane, per = 0, types.count(g.out)
   for i = 1, #outs do
      local tap, index = outs[i], 0
      local coordinates = {}
      for d = g.n, 1, -1 do
         local k = tap % g.kernel[d]
         tap = math.floor(tap / g.kernel[d])
         coordinates[d] = place[d] * g.strides[d] - g.before[d] + k * g.dilations[d]
      end
      if column_major then for d = g.n, 1, -1 do index = index * sizes[d] + coordinates[d] end
      else for d = 1, g.n do index = index * sizes[d] + coordinates[d] end end
      list[i] = plane * planes + index
      for d = g.n, 1, -1 do
         place[d] = place[d] + 1
         if place[d] < g.out[d] then break end
         place[d] = 0
      end
      if i % per == 0 then plane = plane + 1 end
   end
   return types.of_numbers('int64', list, shape)
end

registry.add('MaxPool', { types = { 'first', 'int64' }, run = function(n, x)
   local g = geometry(n, x)
   if is_plain(n, g) and not n.wanted[2] and layout.is_last(x) then return pooled_last(n, x, 'max',
      g, false)
   elseif is_plain(n, g) and not n.wanted[2] then
      n.places = n.places or torch.LongTensor()
      local y = n:out()
      torch.maxpool2d(y, n.places, x, g.kernel[1], g.kernel[2], g.strides[1], g.strides[2], g.before[1], g.before[2])
      return y
   end
   local outside = types.is_float(n.types[1]) and -math.huge or least[n.types[1]] or 0
   local y, at = torch.max(windows.rows(windows.padded(n.types[1], x, g, outside), g), 2)
   y = types.view(y, windows.result(x, g))
   if not n.wanted[2] then return y end
   return y, input_indices(at:add(-1), x, g, (n.attr.storage_order or 0) ~= 0)
end })

registry.add('MaxUnpool', function(n, x, index, wanted)
   local shape, kernel = types.shape(x), n.attr.kernel_shape
   local inner = { shape[1], shape[2] }
   for d = 1, #kernel do
      local pads, count = n.attr.pads or {}, #kernel
      inner[2 + d] = (shape[2 + d] - 1) * ((n.attr.strides or {})[d] or 1) + kernel[d] - (pads[d] or 0) - (pads[count + d] or 0)
   end
   local result = wanted and types.numbers(wanted) or inner
   local y = types.full(n.types[1], result, 0)
   local flat = types.view(y, { y:nElement() })
   local list, planes, wide = types.numbers(index), types.count(inner), types.count(result)
   -- Indices count in the sizes that the attributes give; a wanted larger shape keeps the coordinates.
   local at = {}
   for i, k in ipairs(list) do
      if k < 0 or k >= planes then error(('index %d is outside of the result'):format(k), 0) end
      local to, factor = 0, 1
      if wanted and wide ~= planes then
         for d = #inner, 1, -1 do
            to = to + k % inner[d] * factor
            k, factor = math.floor(k / inner[d]), factor * result[d]
         end
      else
         to = k
      end
      if to >= wide then error(('index %d is outside of the result'):format(to), 0) end
      at[i] = to + 1
   end
   if #at > 0 then flat:scatter(1, types.of_numbers('int64', at), types.view(x, { #at })) end
   return y
end)

-- ---- means ---------------------------------------------------------------------------------------------------------

-- How many elements inside of the input (or its padding) each window has, along one dimension.
local function counts(g, d, with_pads)
   local list = {}
   local low = with_pads and -g.before[d] or 0
   local high = with_pads and g.sizes[d] + g.behind[d] or g.sizes[d]
   for i = 0, g.out[d] - 1 do
      local first, c = i * g.strides[d] - g.before[d], 0
      for k = 0, g.kernel[d] - 1 do
         local place = first + k * g.dilations[d]
         if place >= low and place < high then c = c + 1 end
      end
      list[i + 1] = c
   end
   return list
end

registry.add('AveragePool', function(n, x)
   local g, with_pads = geometry(n, x), (n.attr.count_include_pad or 0) ~= 0
   if is_plain(n, g) and layout.is_last(x) then return pooled_last(n, x, 'mean', g, with_pads) end
   if is_plain(n, g) then
      return torch.avgpool2d(n:out(), x, g.kernel[1], g.kernel[2], g.strides[1], g.strides[2], g.before[1], g.before[2], false,
         with_pads)
   end
   local y = types.view(torch.sum(windows.rows(windows.padded(n.types[1], x, g, 0), g), 2), windows.result(x, g))
   for d = 1, g.n do
      local form = {}
      for i = 1, g.n + 2 do form[i] = i == d + 2 and g.out[d] or 1 end
      y = torch.cdiv(y, types.of_numbers(n.types[1], counts(g, d, with_pads), form))
   end
   return y
end)

registry.add('LpPool', function(n, x)
   local p = n.attr.p or 2
   local g = geometry(n, x)
   local powers = torch.pow(torch.abs(windows.rows(windows.padded(n.types[1], x, g, 0), g)), p)
   return types.view(torch.pow(torch.sum(powers, 2), 1 / p), windows.result(x, g))
end)

-- ---- whole planes --------------------------------------------------------------------------------------------------

local function global(f)
   return { run = function(n, x)
      local shape, result = types.shape(x), {}
      if #shape < 3 then error('its input must have 3 dimensions at least', 0) end
      for d = 1, #shape do result[d] = d <= 2 and shape[d] or 1 end
      local planes = shape[1] * shape[2]
      local size = types.count(shape) / planes
      if planes == 0 or size < 1 then error('its input must not be empty', 0) end
      return types.view(f(n:out(), types.view(x, { planes, size }), n), result)
   end }
end

local mean_of_planes = global(function(y, x) return torch.mean(y, x, 2) end).run
registry.add('GlobalAveragePool', function(n, x)
   if not layout.is_last(x) or x:nElement() == 0 then return mean_of_planes(n, x) end
   local h, w = types.size(x, 3), types.size(x, 4)
   return torch.pool2d(n:out(), x, 'mean', h, w, 1, 1, 0, 0, 1, 1, false, false)
end)
registry.add('GlobalMaxPool', global(function(_, x) return (torch.max(x, 2)) end))
registry.add('GlobalLpPool', global(function(_, x, n) return torch.norm(x, n.attr.p or 2, 2) end))
