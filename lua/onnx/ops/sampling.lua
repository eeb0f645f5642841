-- lua/onnx/ops/sampling.lua - values of images between their elements: grids, regions of interest.
local ffi = require 'ffi'
local torch = require 'torch'
local types = require 'onnx.types'
local registry = require 'onnx.registry'

local floor, ceil, min, max = math.floor, math.ceil, math.min, math.max

local function wide_of(name) return name == 'double' and 'double' or 'float' end

-- ---- GridSample ----------------------------------------------------------------------------------------------------

-- x reflected at low and high until it lies between them.
local function reflected(x, low, high)
   local range = high - low
   if range <= 0 then return low end
   local off = (x - low) % (2 * range)
   return low + (off > range and 2 * range - off or off)
end

local function half_even(x)
   local r = floor(x + 0.5)
   if r - x == 0.5 and r % 2 == 1 then r = r - 1 end
   return r
end

-- Weights of 4 neighbours at a distance of f from the second, by the kernel of R. G. Keys with a = -0.75.
local function cubic(f, w)
   local a = -0.75
   local function near(x) return ((a + 2) * x - (a + 3)) * x * x + 1 end
   local function far(x) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a end
   w[0], w[1], w[2], w[3] = far(f + 1), near(f), near(1 - f), far(2 - f)
end

-- The taps of one dimension: how many, their indices (-1: outside) and weights, written to at and w.
local function taps_of(x, size, s, at, w)
   local low, high = s.align and 0 or -0.5, s.align and size - 1 or size - 0.5
   x = s.align and (x + 1) / 2 * (size - 1) or ((x + 1) * size - 1) / 2
   if x ~= x or x == math.huge or x == -math.huge then x = s.padding == 'border' and x == math.huge and size - 1 or -2 end
   if s.mode == 'nearest' then x = half_even(x) end
   if x < low or x > high then
      if s.padding == 'border' and s.mode ~= 'cubic' then x = max(0, min(size - 1, x))
      elseif s.padding == 'reflection' then x = reflected(x, low, high) end
   end
   local count, first
   if s.mode == 'nearest' then
      count, first = 1, half_even(x)
      w[0] = 1
   elseif s.mode == 'linear' then
      count, first = 2, floor(x)
      w[0], w[1] = first + 1 - x, x - first
   else
      count, first = 4, floor(x) - 1
      cubic(x - floor(x), w)
   end
   for k = 0, count - 1 do
      local i = first + k
      if i < 0 or i >= size then
         if s.padding == 'zeros' then i = -1
         elseif s.padding == 'reflection' then i = max(0, min(size - 1, floor(reflected(i, low, high))))
         else i = max(0, min(size - 1, i)) end
      end
      at[k] = i
   end
   return count
end

local ints, reals = ffi.typeof 'int64_t[4]', ffi.typeof 'double[4]'

-- All combinations of the taps of all dimensions: offsets and weights; returns their number.
local function combine(counts, ats, ws, rank, strides, offsets, weights)
   local total = 0
   local function visit(d, offset, weight)
      if d > rank then
         offsets[total], weights[total], total = offset, weight, total + 1
         return
      end
      for k = 0, counts[d] - 1 do
         local i = ats[d][k]
         if i >= 0 then visit(d + 1, offset + tonumber(i) * strides[d], weight * ws[d][k]) end
      end
   end
   visit(1, 0, 1)
   return total
end

local function sample_positions(xp, gp, yp, shape, area, s)
   local rank, channels, plane, strides = #shape - 2, shape[2], 1, {}
   for d = rank, 1, -1 do strides[d], plane = plane, plane * shape[2 + d] end
   local counts, ats, ws = {}, {}, {}
   for d = 1, rank do ats[d], ws[d] = ints(), reals() end
   local most = 4 ^ rank
   local offsets, weights = ffi.new('double[?]', most), ffi.new('double[?]', most)
   for b = 0, shape[1] - 1 do
      for place = 0, area - 1 do
         local from = gp + (b * area + place) * rank
         for d = 1, rank do counts[d] = taps_of(tonumber(from[rank - d]), shape[2 + d], s, ats[d], ws[d]) end
         local total = combine(counts, ats, ws, rank, strides, offsets, weights)
         for c = 0, channels - 1 do
            local base, sum = xp + (b * channels + c) * plane, 0
            for k = 0, total - 1 do sum = sum + weights[k] * base[offsets[k]] end
            yp[(b * channels + c) * area + place] = sum
         end
      end
   end
end

local modes = { linear = 'linear', bilinear = 'linear', nearest = 'nearest', cubic = 'cubic', bicubic = 'cubic' }
local paddings = { zeros = true, border = true, reflection = true }

registry.add('GridSample', function(n, x, grid)
   local shape, form, name = types.shape(x), types.shape(grid), n.types[1]
   local rank = #shape - 2
   if rank < 1 or rank > 6 or #form ~= #shape or form[#form] ~= rank or form[1] ~= shape[1] then
      error('its grid does not fit its input', 0)
   end
   local mode, padding = n.attr.mode or 'linear', n.attr.padding_mode or 'zeros'
   if not modes[mode] then error(("there is no mode '%s'"):format(mode), 0) end
   if not paddings[padding] then error(("there is no padding_mode '%s'"):format(padding), 0) end
   local result, area = { shape[1], shape[2] }, 1
   for d = 1, rank do result[2 + d], area = form[1 + d], area * form[1 + d] end
   local wide = wide_of(name)
   local y = types.empty(wide, result)
   if y:nElement() == 0 then return types.convert(y, name) end
   if x:nElement() == 0 then error('its input must not be empty', 0) end
   x, grid = types.readable(types.convert(x, wide)), types.readable(types.convert(grid, wide_of(n.types[2])))
   sample_positions(x:data(), grid:data(), y:data(), shape, area, { mode = modes[mode], padding = padding,
      align = (n.attr.align_corners or 0) ~= 0 })
   return name == wide and y or types.convert(y, name)
end)

-- ---- AffineGrid ----------------------------------------------------------------------------------------------------

registry.add('AffineGrid', function(n, theta, size)
   local sizes, form, name = types.numbers(size), types.shape(theta), n.types[1]
   local rank = #sizes - 2
   if (rank ~= 2 and rank ~= 3) or #form ~= 3 or form[1] ~= sizes[1] or form[2] ~= rank or form[3] ~= rank + 1 then
      error('theta and size do not fit', 0)
   end
   local align, area, out = (n.attr.align_corners or 0) ~= 0, 1, { sizes[1] }
   for d = 1, rank do area, out[1 + d] = area * sizes[2 + d], sizes[2 + d] end
   out[#out + 1] = rank
   if types.count(out) <= 0 then return types.empty(name, out) end
   local wide = wide_of(name)
   local space = {}
   for d = 1, rank do space[d] = sizes[2 + d] end
   local base = types.full(wide, { area, rank + 1 }, 1)
   for d = 1, rank do                                         -- the first coordinate is that of the last dimension
      local count = sizes[2 + d]
      local line = torch.range(0, count - 1)
      if align then line = count > 1 and line:mul(2 / (count - 1)):add(-1) or line:fill(0)
      else line:mul(2):add(1):div(count):add(-1) end
      local ladder = {}
      for i = 1, rank do ladder[i] = i == d and count or 1 end
      local all = types.expand(types.view(types.convert(line, wide), ladder), space)
      base:narrow(2, rank - d + 1, 1):copy(types.view(all, { area, 1 }))
   end
   local y = types.empty(wide, { sizes[1], area, rank })
   theta = types.convert(theta, wide)
   for b = 1, sizes[1] do y:select(1, b):copy(torch.mm(base, types.permute(theta:select(1, b), { 2, 1 }):contiguous())) end
   return types.convert(types.view(y, out), name)
end)

-- ---- regions of interest -------------------------------------------------------------------------------------------

local function check_regions(x, rois, width)
   local form = types.shape(rois)
   if types.rank(x) ~= 4 or #form ~= 2 or form[2] ~= width then
      error(('an image of 4 dimensions and regions of %d numbers are needed'):format(width), 0)
   end
   return form[1]
end

local function sample_of(list, i, samples)
   local b = list[i]
   if not (b >= 0 and b < samples) then error(('sample %s is outside of 0..%d'):format(tostring(b), samples - 1), 0) end
   return b
end

-- A bilinear value as 4 offsets and weights, written at k; positions far outside have weight 0.
local function corners(y, x, h, w, offsets, weights, k)
   if not (y >= -1 and y <= h and x >= -1 and x <= w) then
      for i = k, k + 3 do offsets[i], weights[i] = 0, 0 end
      return
   end
   y, x = max(y, 0), max(x, 0)
   local y0, x0 = min(floor(y), h - 1), min(floor(x), w - 1)
   local y1, x1 = min(y0 + 1, h - 1), min(x0 + 1, w - 1)
   local fy, fx = y0 == h - 1 and 0 or y - y0, x0 == w - 1 and 0 or x - x0
   offsets[k], weights[k] = y0 * w + x0, (1 - fy) * (1 - fx)
   offsets[k + 1], weights[k + 1] = y0 * w + x1, (1 - fy) * fx
   offsets[k + 2], weights[k + 2] = y1 * w + x0, fy * (1 - fx)
   offsets[k + 3], weights[k + 3] = y1 * w + x1, fy * fx
end

local MOST_SAMPLES = 2 ^ 20

-- A number rounded to a float. Regions are computed as floats: the number of their samples is a ceiling, which noise changes.
local function single(v) return tonumber(ffi.cast('float', v)) end

-- Pools one bin of `count` samples over a plane.
local function pool_bin(p, offsets, weights, count, largest)
   local sum, most = 0, -math.huge
   for k = 0, 4 * count - 1, 4 do
      local a, b = p[offsets[k]] * weights[k], p[offsets[k + 1]] * weights[k + 1]
      local c, d = p[offsets[k + 2]] * weights[k + 2], p[offsets[k + 3]] * weights[k + 3]
      if largest then most = max(most, a, b, c, d) else sum = sum + (a + b + c + d) end
   end
   return largest and most or sum / count
end

registry.add('RoiAlign', function(n, x, rois, batch)
   local count, s, name = check_regions(x, rois, 4), types.shape(x), n.types[1]
   local oh, ow, ratio = n.attr.output_height or 1, n.attr.output_width or 1, n.attr.sampling_ratio or 0
   local scale, largest = n.attr.spatial_scale or 1, n.attr.mode == 'max'
   local half = (n.attr.coordinate_transformation_mode or (n.version < 16 and 'output_half_pixel' or 'half_pixel')) == 'half_pixel'
   local samples, wide = types.numbers(batch), wide_of(name)
   if #samples ~= count then error(('%d regions have %d batch indices'):format(count, #samples), 0) end
   local y = types.empty(wide, { count, s[2], oh, ow })
   if y:nElement() == 0 then return types.convert(y, name) end
   if x:nElement() == 0 then error('its input must not be empty', 0) end
   x = types.readable(types.convert(x, wide))
   local list, h, w, yp = types.numbers(rois), s[3], s[4], y:data()
   local shift = half and 0.5 or 0
   for r = 0, count - 1 do
      local function edge(k) return single(single(list[4 * r + k] * scale) - shift) end
      local x1, y1 = edge(1), edge(2)
      local rw, rh = single(edge(3) - x1), single(edge(4) - y1)
      if not half then rw, rh = max(rw, 1), max(rh, 1) end
      local gh, gw = ratio > 0 and ratio or ceil(single(rh / oh)), ratio > 0 and ratio or ceil(single(rw / ow))
      if gh ~= gh or gw ~= gw or gh * gw > MOST_SAMPLES then error('a region has too many samples', 0) end
      gh, gw = max(gh, 0), max(gw, 0)
      local total = gh * gw
      local offsets, weights = ffi.new('double[?]', 4 * total + 4), ffi.new('double[?]', 4 * total + 4)
      local plane = x:data() + sample_of(samples, r + 1, s[1]) * s[2] * h * w
      for i = 0, oh - 1 do
         for j = 0, ow - 1 do
            local k = 0
            for a = 0, gh - 1 do
               for b = 0, gw - 1 do
                  corners(y1 + rh / oh * (i + (a + 0.5) / gh), x1 + rw / ow * (j + (b + 0.5) / gw), h, w, offsets, weights, k)
                  k = k + 4
               end
            end
            for c = 0, s[2] - 1 do
               yp[((r * s[2] + c) * oh + i) * ow + j] = total > 0 and pool_bin(plane + c * h * w, offsets, weights, total, largest) or 0
            end
         end
      end
   end
   return types.convert(y, name)
end)

registry.add('MaxRoiPool', function(n, x, rois)
   local count, s, name, scale = check_regions(x, rois, 5), types.shape(x), n.types[1], n.attr.spatial_scale or 1
   local oh, ow = n.attr.pooled_shape[1] or 0, n.attr.pooled_shape[2] or 0
   local wide = wide_of(name)
   local y, list, h, w = types.full(wide, { count, s[2], oh, ow }, 0), types.numbers(rois), s[3], s[4]
   if y:nElement() == 0 or x:nElement() == 0 then return types.convert(y, name) end
   x = types.convert(x, wide)
   local function round(v) return floor(max(-2 ^ 31, min(2 ^ 31, v * scale)) + 0.5) end
   for r = 0, count - 1 do
      local sample = x:select(1, sample_of(list, 5 * r + 1, s[1]) + 1)
      local x1, y1 = round(list[5 * r + 2]), round(list[5 * r + 3])
      local rw, rh = max(round(list[5 * r + 4]) - x1 + 1, 1), max(round(list[5 * r + 5]) - y1 + 1, 1)
      for i = 0, oh - 1 do
         local top, bottom = max(0, floor(i * rh / oh) + y1), min(h, ceil((i + 1) * rh / oh) + y1)
         for j = 0, ow - 1 do
            local left, right = max(0, floor(j * rw / ow) + x1), min(w, ceil((j + 1) * rw / ow) + x1)
            if bottom > top and right > left then
               local part = sample:narrow(2, top + 1, bottom - top):narrow(3, left + 1, right - left)
               local flat = types.view(part, { s[2], (bottom - top) * (right - left) })
               y:select(1, r + 1):narrow(2, i + 1, 1):narrow(3, j + 1, 1):copy(types.view((torch.max(flat, 2)), { s[2], 1, 1 }))
            end
         end
      end
   end
   return types.convert(y, name)
end)
