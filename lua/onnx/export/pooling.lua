-- lua/onnx/export/pooling.lua - rules for pooling and for upsampling.
--
-- Padding is written so that a window never sticks out: the sizes of the result are those of the module, whatever a
-- runtime makes of ceil_mode.
local torch = require 'torch'
local rules = require 'onnx.export.rules'
local Value = require 'onnx.export.value'
local leaf = rules.leaf

local IMAGE, VOLUME = { 'H', 'W' }, { 'T', 'H', 'W' }

-- Windows of a module on x, whose results have the sizes of y: kernel, steps, dilations, padding before, and padding
-- after, which may be negative where the last elements are in no window.
local function windows(c, m, x, y, sides)
   local g = { k = {}, d = {}, a = {}, before = {}, after = {}, n = {}, o = {} }
   for i, side in ipairs(sides) do
      local at, to = x:dim() - #sides + i, y:dim() - #sides + i
      g.k[i], g.d[i], g.a[i] = m['k' .. side], m['d' .. side] or 1, m['dilation' .. side] or 1
      g.before[i] = m['pad' .. side] or 0
      g.n[i], g.o[i] = c:fixed(x, at), c:fixed(y, to)
      g.after[i] = (g.o[i] - 1) * g.d[i] + (g.k[i] - 1) * g.a[i] + 1 - g.n[i] - g.before[i]
   end
   return g
end

local function pads_of(g)
   local list = {}
   for i = 1, #g.k do list[i], list[#g.k + i] = g.before[i], math.max(0, g.after[i]) end
   return list
end

local function is_one(list)
   for _, v in ipairs(list) do if v ~= 1 then return false end end
   return true
end

local function max_attributes(g)
   return { kernel_shape = g.k, strides = g.d, pads = pads_of(g), dilations = not is_one(g.a) and g.a or nil }
end

local function max_pooling(sides)
   return function(c, m, x, y)
      local g = windows(c, m, x, y, sides)
      c.pooled = c.pooled or {}
      c.pooled[m] = { x = x, g = g }                           -- an unpooling looks here
      return c:batched(x, #sides + 2, function(name) return c:op('MaxPool', { name }, max_attributes(g)) end)
   end
end
leaf('nn.SpatialMaxPooling nn.SpatialDilatedMaxPooling cudnn.SpatialMaxPooling', max_pooling(IMAGE))
leaf('nn.VolumetricMaxPooling nn.VolumetricDilatedMaxPooling cudnn.VolumetricMaxPooling', max_pooling(VOLUME))

local function unpooling(sides)
   return function(c, m, x)
      local seen = c.pooled and c.pooled[m.pooling]
      if not seen then c:refuse 'its pooling does not come before it in the net' end
      local y = {}
      for _, field in ipairs { 't', c.pairs and 'u' or nil } do
         m.pooling:updateOutput(seen.x[field])
         y[field] = m:updateOutput(x[field]):clone()
      end
      y = Value.new(nil, y.t, y.u, c.float)
      if not is_one(seen.g.a) then c:refuse 'MaxUnpool of ONNX has no dilation' end
      local batch = #sides + 2
      local big = seen.x:dim() == batch and seen.x.name or c:unsqueeze(seen.x, { 0 })
      local _, places = c:op('MaxPool', { big }, max_attributes(seen.g), 2)
      return y:named(c:batched(x, batch, function(name)
         return c:op('MaxUnpool', { name, places, c:shape(big) }, { kernel_shape = seen.g.k, strides = seen.g.d, pads = pads_of(seen.g) })
      end))
   end
end
rules.container('nn.SpatialMaxUnpooling', unpooling(IMAGE))
rules.container('nn.VolumetricMaxUnpooling', unpooling(VOLUME))

-- ---- averages ------------------------------------------------------------------------------------------------------

-- How many elements the windows count along a dimension: a list.
local function counts(g, i, with_padding)
   local list = {}
   for o = 1, g.o[i] do
      local first = (o - 1) * g.d[i] - g.before[i]
      local last = math.min(first + g.k[i], g.n[i] + g.before[i])
      if not with_padding then first, last = math.max(first, 0), math.min(last, g.n[i]) end
      list[o] = last - first
   end
   return list
end

local function average(c, x, g, with_padding, divide)
   local dims, area = #g.k, 1
   for _, k in ipairs(g.k) do area = area * k end
   local sticks_out = false
   for i = 1, dims do sticks_out = sticks_out or g.after[i] > g.before[i] end
   return c:batched(x, dims + 2, function(name)
      local exclude = not with_padding and divide
      local y = c:op('AveragePool', { name }, { kernel_shape = g.k, strides = g.d, pads = pads_of(g), count_include_pad = exclude and 0 or 1 })
      if not divide then
         -- The module gives the mean times the whole area; behind the edge windows are smaller.
         if with_padding and not sticks_out then return c:op('Mul', { y, c:number(area) }) end
      elseif exclude or not sticks_out then
         return y
      end
      local size, factors = {}, nil
      for i = 1, dims do
         local list = torch.DoubleTensor(counts(g, i, with_padding))
         factors = factors and torch.ger(factors:view(-1), list) or list
         size[i] = g.o[i]
      end
      factors = factors:contiguous():view(torch.LongStorage(size)):pow(-1):mul(divide and area or area * area)
      return c:op('Mul', { y, c:constant(factors, 'factors') })
   end)
end

leaf('nn.SpatialAveragePooling cudnn.SpatialAveragePooling', function(c, m, x, y)
   return average(c, x, windows(c, m, x, y, IMAGE), m.count_include_pad ~= false, m.divide ~= false)
end)
leaf('nn.VolumetricAveragePooling cudnn.VolumetricAveragePooling', function(c, m, x, y)
   return average(c, x, windows(c, m, x, y, VOLUME), true, true)
end)

leaf('nn.FeatureLPPooling', function(c, m, x)
   local dim = m.batch_mode and 2 or 1
   local n, before, behind = c:fixed(x, dim), 1, 1
   for d = 1, x:dim() do
      if d < dim then before = x.varies[d] and -1 or before * x.sizes[d] end
      if d > dim then behind = behind * c:fixed(x, d) end
   end
   local power = m.power == 1 and x.name or c:op('Pow', { c:op('Abs', { x }), c:number(m.power) })
   local rows = c:reshape_to(power, { before, 1, n, behind })
   local sums = c:op('Mul', { c:op('AveragePool', { rows }, { kernel_shape = { m.width, 1 }, strides = { m.stride, 1 } }), c:number(m.width) })
   local size = {}
   for d = 1, x:dim() do size[d] = d == dim and math.floor((n - m.width) / m.stride) + 1 or x.varies[d] and -1 or x.sizes[d] end
   local y = c:reshape_to(sums, size)
   return m.power == 1 and y or c:op('Pow', { y, c:number(1 / m.power) })
end)

-- ---- adaptive windows ----------------------------------------------------------------------------------------------

-- Window i of `to` over n elements: the first (from 0), and the one behind the last.
local function part(n, to, i) return math.floor((i - 1) * n / to), math.ceil(i * n / to) end

leaf('nn.SpatialAdaptiveMaxPooling', function(c, m, x)
   local y = x.name
   for i, to in ipairs { m.H or false, m.W or false } do
      local axis = x:dim() - 3 + i
      local n, pieces = c:fixed(x, axis + 1), {}
      for o = 1, to or 0 do
         local first, last = part(n, to, o)
         pieces[o] = c:reduce('ReduceMax', c:slice(y, axis, first, last), { axis }, true)
      end
      if to then y = #pieces > 1 and c:op('Concat', pieces, { axis = axis }) or pieces[1] end
   end
   return y == x.name and x or y
end)

-- The mean of a window is that of its rows' means: a product with a matrix for each of the two dimensions.
local function means(n, to)
   local w = torch.DoubleTensor(to, n):zero()
   for o = 1, to do
      local first, last = part(n, to, o)
      w[o]:narrow(1, first + 1, last - first):fill(1 / (last - first))
   end
   return w
end

leaf('nn.SpatialAdaptiveAveragePooling', function(c, m, x)
   local n = x:dim()
   local h, w = c:fixed(x, n - 1), c:fixed(x, n)
   if m.H == 1 and m.W == 1 then
      return c:batched(x, 4, function(name) return c:op('GlobalAveragePool', { name }) end)
   end
   local y = x.name
   if m.W then y = c:op('MatMul', { y, c:constant(means(w, m.W):t():contiguous(), 'columns') }) end
   if m.H then y = c:op('MatMul', { c:constant(means(h, m.H), 'rows'), y }) end
   return y == x.name and x or y
end)

-- ---- the k largest frames, in their order --------------------------------------------------------------------------

leaf('nn.TemporalDynamicKMaxPooling nn.TemporalKMaxPooling', function(c, _, x, y)
   local axis = x:dim() - 2
   local k = c:fixed(y, y:dim() - 1)
   c:fixed(x, x:dim() - 1)
   local _, places = c:op('TopK', { x, c:ints { k } }, { axis = axis, largest = 1, sorted = 1 }, 2)
   local sorted = c:op('TopK', { places, c:ints { k } }, { axis = axis, largest = 0, sorted = 1 }, 2)
   return c:op('GatherElements', { x, sorted }, { axis = axis })
end)

-- ---- upsampling ----------------------------------------------------------------------------------------------------

local function upsampling(c, m, x, y)
   local dims = m.dims or (x:dim() == 5 and 3 or 2)
   local mode = m.mode or m.defaultMode
   local n = x:dim()
   if mode == 'nearest' then
      local name = x.name
      for d = n - dims + 1, n do
         local from, to = c:fixed(x, d), c:fixed(y, d)
         if from ~= to then
            local places = {}
            for o = 1, to do places[o] = math.floor((o - 1) * from / to) end
            name = c:op('Gather', { name, c:ints(places) }, { axis = d - 1 })
         end
      end
      return name == x.name and x or name
   end
   -- A scale a millionth above the quotient gives the size after it was rounded to a float. More would move the corners in
   -- readers that compute them from the size before it is cut.
   local scales = {}
   for d = 1, dims + 2 do scales[d] = 1 end
   for i = 1, dims do
      local d = n - dims + i
      scales[2 + i] = c:fixed(y, d) / c:fixed(x, d) * (1 + 1e-6)
   end
   local scale = c:constant(torch.DoubleTensor(scales), 'scales', 'float')
   return c:batched(x, dims + 2, function(name)
      return c:op('Resize', { name, '', scale }, { mode = 'linear', coordinate_transformation_mode = 'align_corners' })
   end)
end
leaf('nn.UpSampling nn.SpatialUpSamplingNearest nn.SpatialUpSamplingBilinear', upsampling)

leaf('nn.PixelShuffle', function(c, m, x)
   return c:batched(x, 4, function(name) return c:op('DepthToSpace', { name }, { blocksize = m.upscaleFactor, mode = 'CRD' }) end)
end)
