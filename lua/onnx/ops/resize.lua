-- lua/onnx/ops/resize.lua - Resize and Upsample: interpolation of one dimension after the other.
local ffi = require 'ffi'
local torch = require 'torch'
local types = require 'onnx.types'
local registry = require 'onnx.registry'

local floor, ceil, min, max, abs = math.floor, math.ceil, math.min, math.max, math.abs

local MOST = 2 ^ 24                         -- positions times taps along a dimension

-- ---- coordinates ---------------------------------------------------------------------------------------------------

-- Each takes position i (from 0) of the result and a dimension { size, out, scale, width, first, last }, where width = size scale
-- before it is cut off, and first and last are the region of interest.
local coordinates = {
   half_pixel = function(i, d) return (i + 0.5) / d.scale - 0.5 end,
   half_pixel_symmetric = function(i, d)
      return d.size / 2 * (1 - d.out / d.width) + (i + 0.5) / d.scale - 0.5
   end,
   pytorch_half_pixel = function(i, d) return d.out > 1 and (i + 0.5) / d.scale - 0.5 or 0 end,
   align_corners = function(i, d) return d.out > 1 and i * (d.size - 1) / (d.width - 1) or 0 end,
   asymmetric = function(i, d) return i / d.scale end,
   tf_half_pixel_for_nn = function(i, d) return (i + 0.5) / d.scale end,
   tf_crop_and_resize = function(i, d)
      if d.out > 1 then return (d.first + i * (d.last - d.first) / (d.out - 1)) * (d.size - 1) end
      return 0.5 * (d.first + d.last) * (d.size - 1)
   end,
}

local nearest = {
   round_prefer_floor = function(x) return ceil(x - 0.5) end,
   round_prefer_ceil = function(x) return floor(x + 0.5) end,
   floor = floor, ceil = ceil,
   version_10 = function(x, d) return d.scale < 1 and ceil(x) or floor(x) end,
}

-- ---- weights -------------------------------------------------------------------------------------------------------

local function triangle(x) return max(0, 1 - abs(x)) end

-- The cubic kernel of R. G. Keys, Cubic convolution interpolation for digital image processing, 1981.
local function cubic(a)
   return function(x)
      x = abs(x)
      if x <= 1 then return ((a + 2) * x - (a + 3)) * x * x + 1 end
      if x < 2 then return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a end
      return 0
   end
end

-- A kernel of some radius as taps { { index, weight } per position }: lists of indices and weights per tap, in order of positions.
local function kernel_taps(at, d, kernel, radius, antialias, exclude)
   local stretch = antialias and max(1, 1 / d.scale) or 1
   local count = 2 * ceil(radius * stretch)
   if count * d.out > MOST then error('its kernel is too large', 0) end
   local taps = {}
   for k = 1, count do taps[k] = { index = {}, weight = {} } end
   local row = {}
   for i = 1, d.out do
      local x, sum = at[i], 0
      local first = floor(x) - count / 2 + 1
      for k = 0, count - 1 do
         local w = kernel((first + k - x) / stretch)
         if exclude and (first + k < 0 or first + k >= d.size) then w = 0 end
         row[k], sum = w, sum + w
      end
      local divisor = (antialias or exclude) and sum ~= 0 and sum or 1
      for k = 0, count - 1 do
         taps[k + 1].index[i], taps[k + 1].weight[i] = min(d.size - 1, max(0, first + k)) + 1, row[k] / divisor
      end
   end
   return taps
end

-- ---- one dimension -------------------------------------------------------------------------------------------------

-- x (before x size x behind) to before x out x behind.
local function apply(x, taps, name, out)
   local y
   for _, tap in ipairs(taps) do
      local part = torch.index(x, 2, types.of_numbers('int64', tap.index))
      if not tap.weight then return part end
      part:cmul(types.expand(types.of_numbers(name, tap.weight, { 1, out, 1 }), types.shape(part)))
      y = y and y:add(part) or part
   end
   return y
end

-- Coordinates are rounded to floats, so that the noise of a scale such as 2.3 decides no tie between neighbours.
local function coordinate(x)
   if x ~= x or abs(x) >= 2 ^ 52 then return 0 end
   return abs(x) < 2 ^ 20 and tonumber(ffi.cast('float', x)) or x
end

local function positions(d, way)
   if d.out > MOST then error(('a size of %.0f is too large'):format(d.out), 0) end
   local at = {}
   for i = 1, d.out do at[i] = coordinate(way(i - 1, d)) end
   return at
end

local function resize_dim(x, k, d, at, s)
   local shape, before, behind = types.shape(x), 1, 1
   for i = 1, k - 1 do before = before * shape[i] end
   for i = k + 1, #shape do behind = behind * shape[i] end
   local taps
   if s.mode == 'nearest' then
      local index = {}
      for i = 1, d.out do index[i] = min(d.size - 1, max(0, s.nearest(at[i], d))) + 1 end
      taps = { { index = index } }
   elseif s.mode == 'linear' then taps = kernel_taps(at, d, triangle, 1, s.antialias, s.exclude)
   else taps = kernel_taps(at, d, cubic(s.a), 2, s.antialias, s.exclude) end
   shape[k] = d.out
   return types.view(apply(types.view(x, { before, d.size, behind }), taps, s.wide, d.out), shape)
end

-- Positions outside of the input get the value for extrapolation.
local function extrapolate(y, dims, ats, value)
   for k, d in pairs(dims) do
      for i, x in ipairs(ats[k]) do
         if x < 0 or x > d.size - 1 then y:narrow(k, i, 1):fill(value) end
      end
   end
end

local function resize(x, name, dims, s)
   local shape = types.shape(x)
   for k, d in pairs(dims) do shape[k] = d.out end
   if types.count(shape) == 0 then return types.empty(name, shape) end
   if x:nElement() == 0 then error('its input is empty, its result is not', 0) end
   s.wide = s.mode == 'nearest' and name or name == 'double' and 'double' or 'float'
   local y, ats, order = types.convert(x, s.wide), {}, {}
   for k in pairs(dims) do order[#order + 1] = k end
   table.sort(order, function(a, b)                           -- first the dimensions that shrink most
      local p, q = dims[a].out / dims[a].size, dims[b].out / dims[b].size
      if p ~= q then return p < q end
      return a < b
   end)
   for _, k in ipairs(order) do
      local d = dims[k]
      ats[k] = positions(d, s.way)
      if d.out ~= d.size or d.scale ~= 1 or s.crop then y = resize_dim(y, k, d, ats[k], s) end
   end
   if s.crop then extrapolate(y, dims, ats, s.value) end
   return types.convert(y, name)
end

-- ---- attributes and inputs -----------------------------------------------------------------------------------------

-- Scale and size of the result for each axis.
local function set_sizes(n, dims, list, scales, sizes)
   local policy = n.attr.keep_aspect_ratio_policy or 'stretch'
   local common
   if sizes and policy ~= 'stretch' then
      for i, k in ipairs(list) do
         local scale = sizes[i] / dims[k].size
         common = common and (policy == 'not_larger' and min or max)(common, scale) or scale
      end
   end
   for i, k in ipairs(list) do
      local d = dims[k]
      if scales then
         d.scale = scales[i]
         if d.scale ~= d.scale or d.scale <= 0 then error(('scales must be positive, got %s'):format(tostring(d.scale)), 0) end
         d.width = d.size * d.scale
         d.out = floor((d.last - d.first) * d.width + 1e-6)
      else
         d.scale = common or sizes[i] / d.size
         d.out = common and floor(common * d.size + 0.5) or sizes[i]
         d.width = common and common * d.size or d.out
      end
      if d.out ~= d.out or d.out < 0 then error(('size %d of the result must not be negative, got %s'):format(k, tostring(d.out)), 0) end
   end
end

local function pick(list, name, what)
   return list[name] or error(("there is no %s '%s'"):format(what, tostring(name)), 0)
end

registry.add('Resize', function(n, x, roi, scales, sizes)
   if n.version < 11 then roi, scales, sizes = nil, roi, nil end
   local rank, list, dims = types.rank(x), {}, {}
   for i = 1, n.attr.axes and #n.attr.axes or rank do
      list[i] = types.dim(n.attr.axes and n.attr.axes[i] or i - 1, rank, 'an axis')
   end
   scales, sizes = scales and types.numbers(scales), sizes and types.numbers(sizes)
   if scales and #scales == 0 and sizes then scales = nil end
   if sizes and #sizes == 0 and scales then sizes = nil end
   local given = scales or sizes
   if not given or scales and sizes then error('either scales or sizes must be given', 0) end
   if #given ~= #list then error(('%d scales or sizes are needed, got %d'):format(#list, #given), 0) end
   local mode = n.attr.coordinate_transformation_mode or n.version < 11 and 'asymmetric' or 'half_pixel'
   local crop, region = mode == 'tf_crop_and_resize', roi and types.numbers(roi)
   if crop and (not region or #region ~= 2 * #list) then error(('a roi of %d numbers is needed'):format(2 * #list), 0) end
   for i, k in ipairs(list) do
      dims[k] = { size = types.size(x, k), first = crop and region[i] or 0, last = crop and region[#list + i] or 1 }
   end
   set_sizes(n, dims, list, scales, sizes)
   local kind = n.attr.mode or 'nearest'
   if kind ~= 'nearest' and kind ~= 'linear' and kind ~= 'cubic' then error(("there is no mode '%s'"):format(kind), 0) end
   return resize(x, n.types[1], dims, { mode = kind, way = pick(coordinates, mode, 'coordinate_transformation_mode'),
      nearest = pick(nearest, n.attr.nearest_mode or n.version < 11 and 'version_10' or 'round_prefer_floor', 'nearest_mode'),
      a = n.attr.cubic_coeff_a or -0.75, exclude = (n.attr.exclude_outside or 0) ~= 0, antialias = (n.attr.antialias or 0) ~= 0,
      crop = crop, value = n.attr.extrapolation_value or 0 })
end)

registry.add('Upsample', function(n, x, scales)
   local dims, list, rank = {}, {}, types.rank(x)
   local factors = scales and types.numbers(scales) or n.attr.scales
      or { 1, 1, n.attr.height_scale or error('scales are missing', 0), n.attr.width_scale or error('scales are missing', 0) }
   if #factors ~= rank then error(('%d scales are needed, got %d'):format(rank, #factors), 0) end
   for k = 1, rank do dims[k], list[k] = { size = types.size(x, k), first = 0, last = 1 }, k end
   set_sizes({ attr = {} }, dims, list, factors)
   local mode = n.attr.mode or 'nearest'
   mode = mode == 'bilinear' and 'linear' or mode
   if mode ~= 'nearest' and mode ~= 'linear' then error(("there is no mode '%s'"):format(mode), 0) end
   return resize(x, n.types[1], dims, { mode = mode, way = coordinates.asymmetric, nearest = floor })
end)
