-- lua/onnx/export/convolution.lua - rules for convolutions, full (transposed) convolutions and padding.
local torch = require 'torch'
local rules = require 'onnx.export.rules'
local leaf = rules.leaf

-- The numbers of a module for the dimensions named by sides, for example {'H', 'W'}.
local function numbers(m, prefix, sides, default)
   local list = {}
   for i, side in ipairs(sides) do list[i] = m[prefix .. side] or default end
   return list
end

local function both(pads, more)
   local list = {}
   for i, p in ipairs(pads) do list[i] = p end
   for i, p in ipairs(pads) do list[#pads + i] = p + (more and more[i] or 0) end
   return list
end

local IMAGE, VOLUME = { 'H', 'W' }, { 'T', 'H', 'W' }

local function bias_of(c, m) return m.bias and c:weight(m, 'bias', 'flat', function(b) return b:contiguous():view(-1) end) end

-- The padding of an image; files of early versions have one field `padding` or only padW.
local function padding(m, sides)
   local pads = numbers(m, 'pad', sides, 0)
   if sides == IMAGE then
      pads[2] = m.padW or m.padding or 0
      pads[1] = m.padH or pads[2]
   end
   return pads
end

local function filters(m, sides)
   return function(w)
      if w:dim() == #sides + 2 then return w end
      local size = numbers(m, 'k', sides)
      return w:contiguous():view(torch.LongStorage { m.nOutputPlane, -1, unpack(size) })
   end
end

local function convolution(sides)
   return function(c, m, x)
      local w = c:weight(m, 'weight', 'filters', filters(m, sides))
      return c:batched(x, #sides + 2, function(name)
         return c:op('Conv', { name, w, bias_of(c, m) }, { kernel_shape = numbers(m, 'k', sides), strides = numbers(m, 'd', sides, 1),
            pads = both(padding(m, sides)), dilations = numbers(m, 'dilation', sides, 1), group = m.groups or 1 })
      end)
   end
end

leaf([[nn.SpatialConvolution nn.SpatialConvolutionMM nn.SpatialDilatedConvolution cudnn.SpatialConvolution
   nn.SpatialConvolutionFFT nn.SpatialConvolutionCuFFT nn.SpatialConvolutionFBFFT nn.SpatialConvolutionFBFFTGemm
   nn.SpatialConvolutionFFTTiled nn.SpatialConvolutionFFTTiledSync nn.SpatialConvolutionFFTTiledAsync
   nn.SpatialConvolutionFFTTiledIterated nn.SpatialConvolutionCUDA fbnn.SpatialConvolution]], convolution(IMAGE))
leaf('nn.VolumetricConvolution nn.VolumetricDilatedConvolution cudnn.VolumetricConvolution', convolution(VOLUME))

local function full(sides)
   return function(c, m, x)
      local adj = numbers(m, 'adj', sides, 0)
      if not x.sizes then
         local like = x[2]
         local k, d, p = numbers(m, 'k', sides), numbers(m, 'd', sides, 1), numbers(m, 'pad', sides, 0)
         for i = 1, #sides do
            adj[i] = (c:fixed(like, like:dim() - #sides + i) + 2 * p[i] - k[i]) % d[i]
         end
         x = x[1]
      end
      local w = c:weight(m, 'weight')
      return c:batched(x, #sides + 2, function(name)
         return c:op('ConvTranspose', { name, w, bias_of(c, m) }, { kernel_shape = numbers(m, 'k', sides), strides = numbers(m, 'd', sides, 1),
            pads = both(numbers(m, 'pad', sides, 0)), output_padding = adj })
      end)
   end
end
leaf('nn.SpatialFullConvolution cudnn.SpatialFullConvolution', full(IMAGE))
leaf('nn.VolumetricFullConvolution cudnn.VolumetricFullConvolution', full(VOLUME))

-- ---- other forms of weights ----------------------------------------------------------------------------------------

leaf('nn.SpatialDepthWiseConvolution', function(c, m, x)
   local planes = m.nInputPlane
   local w = c:weight(m, 'weight', 'depthwise', function(w)
      return w:view(m.nOutputPlane, planes, m.kH, m.kW):transpose(1, 2):contiguous():view(planes * m.nOutputPlane, 1, m.kH, m.kW)
   end)
   local b = m.bias and c:weight(m, 'bias', 'depthwise', function(b) return b:t():contiguous():view(-1) end)
   return c:batched(x, 4, function(name)
      return c:op('Conv', { name, w, b }, { kernel_shape = { m.kH, m.kW }, strides = { m.dH, m.dW }, pads = both { m.padH, m.padW },
         group = planes })
   end)
end)

-- The filters of a table of connections as those of a full convolution.
local function mapped(m, turned)
   local rows, columns = m.nOutputPlane, m.nInputPlane
   if turned then rows, columns = columns, rows end
   local w = m.weight.new(rows, columns, m.kH, m.kW):zero()
   for k = 1, m.connTable:size(1) do
      local from, to = m.connTable[k][1], m.connTable[k][2]
      if turned then w[from][to]:add(m.weight[k]) else w[to][from]:add(m.weight[k]) end
   end
   return w
end
for name, op in pairs { SpatialConvolutionMap = 'Conv', SpatialFullConvolutionMap = 'ConvTranspose' } do
   leaf('nn.' .. name, function(c, m, x)
      local w = c:constant(mapped(m, op == 'ConvTranspose'), 'weight')
      return c:batched(x, 4, function(one)
         return c:op(op, { one, w, bias_of(c, m) }, { kernel_shape = { m.kH, m.kW }, strides = { m.dH, m.dW } })
      end)
   end)
end

-- Each position has separate filters: patches are gathered by a convolution that copies, then multiplied position by position.
leaf('nn.SpatialConvolutionLocal', function(c, m, x)
   local k, places = m.nInputPlane * m.kH * m.kW, m.oH * m.oW
   local picks = torch.zeros(m.kH * m.kW, m.kH * m.kW)
   for i = 1, m.kH * m.kW do picks[i][i] = 1 end
   local copy = c:constant(picks:view(m.kH * m.kW, 1, m.kH, m.kW):repeatTensor(m.nInputPlane, 1, 1, 1), 'patches')
   local w = c:weight(m, 'weight', 'places', function(t)
      return t:contiguous():view(places, m.nOutputPlane, k):transpose(2, 3):contiguous()
   end)
   local b = c:weight(m, 'bias', 'image', function(t) return t:contiguous():view(m.nOutputPlane, m.oH, m.oW) end)
   return c:batched(x, 4, function(name)
      local patches = c:op('Conv', { name, copy }, { kernel_shape = { m.kH, m.kW }, strides = { m.dH, m.dW },
         pads = both { m.padH, m.padW }, group = m.nInputPlane })
      local rows = c:transpose(c:reshape_to(patches, { 0, k, places }), { 2, 0, 1 })
      local y = c:transpose(c:op('MatMul', { rows, w }), { 1, 2, 0 })
      return c:op('Add', { c:reshape_to(y, { 0, m.nOutputPlane, m.oH, m.oW }), b })
   end)
end)

-- ---- sequences -----------------------------------------------------------------------------------------------------

-- f(name) of samples x features x steps for x of samples x steps x features, or without samples.
local function turned(c, x, f, features_first)
   return c:batched(x, 3, function(name)
      if features_first then return f(name) end
      return c:transpose(f(c:transpose(name, { 0, 2, 1 })), { 0, 2, 1 })
   end)
end

local function temporal(c, m, x)
   local w = c:weight(m, 'weight', 'temporal', function(t)
      return t:contiguous():view(m.outputFrameSize, m.kW, m.inputFrameSize):transpose(2, 3):contiguous()
   end)
   local pad = m.padH or 0
   return turned(c, x, function(name)
      return c:op('Conv', { name, w, bias_of(c, m) }, { kernel_shape = { m.kW }, strides = { m.dW }, pads = { pad, pad } })
   end)
end
leaf('nn.TemporalConvolution nn.TemporalConvolutionFB nn.TemporalConvolutionFFT cudnn.TemporalConvolution', temporal)

local function row_convolution(after)
   return function(c, m, x)
      local w = c:weight(m, 'weight', 'rows', function(t) return t:contiguous():view(m.inputFrameSize, 1, m.kW) end)
      return turned(c, x, function(name)
         return c:op('Conv', { name, w, bias_of(c, m) }, { kernel_shape = { m.kW }, strides = { m.dW }, group = m.inputFrameSize,
            pads = { 0, after and m.kW - 1 or 0 } })
      end, m.featFirst)
   end
end
leaf('nn.TemporalRowConvolution', row_convolution(false))
leaf('nn.LookaheadConvolution', row_convolution(true))

leaf('nn.TemporalSubSampling', function(c, m, x)
   local size = m.inputFrameSize
   local w = c:weight(m, 'weight', 'sums', function(t) return t:contiguous():view(size, 1, 1):expand(size, 1, m.kW):contiguous() end)
   return turned(c, x, function(name)
      return c:op('Conv', { name, w, bias_of(c, m) }, { kernel_shape = { m.kW }, strides = { m.dW }, group = size })
   end)
end)

leaf('nn.TemporalMaxPooling', function(c, m, x)
   return turned(c, x, function(name) return c:op('MaxPool', { name }, { kernel_shape = { m.kW }, strides = { m.dW } }) end)
end)

leaf('nn.SpatialSubSampling', function(c, m, x)
   local n = m.nInputPlane
   local w = c:weight(m, 'weight', 'sums', function(t) return t:contiguous():view(n, 1, 1, 1):expand(n, 1, m.kH, m.kW):contiguous() end)
   return c:batched(x, 4, function(name)
      return c:op('Conv', { name, w, bias_of(c, m) }, { kernel_shape = { m.kH, m.kW }, strides = { m.dH, m.dW }, group = n })
   end)
end)

-- ---- padding -------------------------------------------------------------------------------------------------------

-- Negative padding cuts off: Slice takes that part, because the modes 'reflect' and 'edge' of Pad may not.
local function padded(c, x, sides, mode)
   local n, before, after = x:dim(), {}, {}
   local name, cuts = x.name, false
   for d = 1, n do before[d], after[d] = 0, 0 end
   for i, pair in ipairs(sides) do before[n + 1 - i], after[n + 1 - i] = pair[1], pair[2] end
   for d = 1, n do
      local first, last = math.max(0, -before[d]), math.max(0, -after[d])
      if first > 0 or last > 0 then
         name = c:slice(name, d - 1, first, c:fixed(x, d) - last)
         before[d], after[d] = math.max(0, before[d]), math.max(0, after[d])
      end
      cuts = cuts or before[d] > 0 or after[d] > 0
   end
   if not cuts then return name == x.name and x or name end
   for d = 1, n do before[n + d] = after[d] end
   return c:op('Pad', { name, c:ints(before), mode == 'constant' and c:number(0) or nil }, { mode = mode })
end

local function spatial(mode)
   return function(c, m, x) return padded(c, x, { { m.pad_l, m.pad_r }, { m.pad_t, m.pad_b } }, mode) end
end
leaf('nn.SpatialZeroPadding', spatial 'constant')
leaf('nn.SpatialReflectionPadding', spatial 'reflect')
leaf('nn.SpatialReplicationPadding', spatial 'edge')
leaf('nn.VolumetricReplicationPadding', function(c, m, x)
   return padded(c, x, { { m.pleft, m.pright }, { m.ptop, m.pbottom }, { m.pfront, m.pback } }, 'edge')
end)
