-- lua/onnx/ops/quantize.lua - quantization: numbers of few bits with scales and zero points.
local torch = require 'torch'
local formats = require 'onnx.formats'
local messages = require 'onnx.messages'
local types = require 'onnx.types'
local registry = require 'onnx.registry'
local products = require 'onnx.ops.product'
local convolution = require 'onnx.ops.convolution'

local ranges = { int8 = { -128, 127 }, uint8 = { 0, 255 }, int16 = { -32768, 32767 }, uint16 = { 0, 65535 }, int32 = { -2 ^ 31,
   2 ^ 31 - 1 },
   int4 = { -8, 7 }, uint4 = { 0, 15 }, int2 = { -2, 1 }, uint2 = { 0, 3 } }

-- Whole numbers: halves become even.
local function rounded(x)
   local half = torch.eq(torch.abs(torch.csub(x, torch.trunc(x))), 0.5)
   return torch.where(half, torch.mul(torch.round(torch.div(x, 2)), 2), torch.round(x))
end

-- A scale or zero point as a tensor that broadcasts to x: one number, one for each index of an axis, or one for each block.
local function spread(t, x, axis, block)
   local shape = types.shape(x)
   if t:nElement() == 1 then return types.view(t, {}) end
   local dim = types.dim(axis, #shape)
   if block > 0 then
      local s = types.shape(t)
      local before, behind = 1, 1
      if #s ~= #shape then error('scales of blocks must have the dimensions of the input', 0) end
      for d = 1, #shape do
         if d < dim then before = before * s[d] elseif d > dim then behind = behind * s[d] end
      end
      local wide = types.expand(types.view(t, { before, s[dim], 1, behind }), { before, s[dim], block, behind })
      s[dim] = s[dim] * block
      wide = types.view(wide, s)
      return s[dim] == shape[dim] and wide or wide:narrow(dim, 1, shape[dim])
   end
   local form = {}
   for d = 1, #shape do form[d] = d == dim and shape[dim] or 1 end
   return types.view(t, form)
end

--- A DoubleTensor of numbers as type `name`: rounded and limited to its range, or rounded to a float of few bits.
local function to_type(x, name, saturate)
   if ranges[name] then
      local r = ranges[name]
      return types.convert(rounded(x):clamp(r[1], r[2]), name)
   end
   if formats.is_small(name) then return types.convert(formats.round(types.convert(x, 'float'):clone(), name, saturate), name) end
   return types.convert(x, name)
end

registry.add('QuantizeLinear', {
   types = function(n)
      local wanted = n.attr.output_dtype
      return { n.types[3] or wanted and wanted ~= 0 and messages.types[wanted] or 'uint8' }
   end,
   run = function(n, x, scale, zero)
      local axis, block, name = n.attr.axis or 1, n.attr.block_size or 0, n.out_types[1]
      -- The quotient has the precision of the input, or of the attribute.
      local precision = n.attr.precision and n.attr.precision ~= 0 and messages.types[n.attr.precision] or n.types[1]
      local wide = types.is_float(precision) and (precision == 'double' and 'double' or 'float') or 'float'
      local y = torch.cdiv(types.convert(x, wide), types.expand(types.convert(spread(scale, x, axis, block), wide),
         types.shape(x)))
      if precision == 'float16' or precision == 'bfloat16' then y = types.convert(types.convert(y, precision), wide) end
      y = types.convert(y, 'double')
      if zero and ranges[name] then
         y = torch.add(rounded(y), types.expand(types.convert(spread(zero, x, axis, block), 'double'), types.shape(x)))
      end
      return to_type(y, name, (n.attr.saturate or 1) ~= 0)
   end,
})

registry.add('DequantizeLinear', {
   types = function(n)
      local wanted = n.attr.output_dtype
      return { wanted and wanted ~= 0 and messages.types[wanted] or n.types[2] }
   end,
   run = function(n, x, scale, zero)
      local axis, block, shape = n.attr.axis or 1, n.attr.block_size or 0, types.shape(x)
      local y = types.convert(x, 'double')
      if zero then y = torch.csub(y, types.expand(types.convert(spread(zero, x, axis, block), 'double'), shape)) end
      y = torch.cmul(y, types.expand(types.convert(spread(scale, x, axis, block), 'double'), shape))
      return types.convert(y, n.out_types[1])
   end,
})

registry.add('DynamicQuantizeLinear', { types = { 'uint8', 'float', 'uint8' }, run = function(_, x)
   if x:nElement() == 0 then error('its input must not be empty', 0) end
   local low, high = math.min(0, x:min()), math.max(0, x:max())
   local scale = types.number(types.scalar('float', (high - low) / 255))
   local zero = scale == 0 and 0 or math.max(0, math.min(255, formats.half_even(-low / scale)))
   local y = scale == 0 and torch.mul(x, 0) or torch.div(x, scale)
   return to_type(torch.add(rounded(types.convert(y, 'double')), zero), 'uint8'), types.scalar('float', scale),
      types.scalar('uint8', zero)
end })

-- ---- integer products ----------------------------------------------------------------------------------------------

-- x - zero in doubles, which hold sums of such products exactly. A zero point may be one for each row (dim) of x.
local function centred(x, zero, dim)
   local y = types.convert(x, 'double')
   if zero == nil then return y end
   zero = types.convert(zero, 'double')
   local shape = types.shape(x)
   if zero:nElement() > 1 and types.rank(zero) == 1 then
      local form = {}
      for d = 1, #shape do form[d] = d == dim and shape[d] or 1 end
      zero = types.view(zero, form)
   elseif zero:nElement() == 1 then
      zero = types.view(zero, {})
   end
   return torch.csub(y, types.expand(zero, shape))
end

local function product(a, b) return products.matmul('double', a, b, types.empty('double', { 0 })) end

registry.add('MatMulInteger', { types = 'int32', run = function(_, a, b, za, zb)
   return types.convert(product(centred(a, za, types.rank(a) - 1), centred(b, zb, types.rank(b))), 'int32')
end })

-- sums scaled to the type of the result.
local function rescaled(y, scale, zero, name)
   y = torch.add(rounded(torch.cmul(y, types.expand(scale, types.shape(y)))), types.number(zero))
   return to_type(y, name)
end

registry.add('QLinearMatMul', {
   types = function(n) return { n.types[8] } end,
   run = function(n, a, sa, za, b, sb, zb, sy, zy)
      local y = product(centred(a, za, types.rank(a) - 1), centred(b, zb, types.rank(b)))
      local function wide(s, t, dim)
         s = types.convert(s, 'double')
         if s:nElement() == 1 then return types.view(s, {}) end
         if types.rank(s) > 1 then return s end
         local form = {}
         for d = 1, types.rank(t) do form[d] = d == dim and s:nElement() or 1 end
         return types.view(s, form)
      end
      local scale = torch.cmul(types.expand(wide(sa, y, types.rank(y) - 1), types.shape(y)), types.expand(wide(sb, y,
         types.rank(y)), types.shape(y)))
      return rescaled(y, torch.div(scale, types.number(sy)), zy, n.out_types[1])
   end,
})

-- A node of type double, for convolutions of centred integers.
local function double_node(n)
   return setmetatable({ types = { 'double', 'double', 'double' }, out_types = { 'double' },
      buffers = false, kept = false }, { __index = n })
end

registry.add('ConvInteger', { types = 'int32', run = function(n, x, w, zx, zw)
   return types.convert(convolution.conv(double_node(n), centred(x, zx), centred(w, zw, 1)), 'int32')
end })

registry.add('QLinearConv', {
   types = function(n) return { n.types[8] } end,
   run = function(n, x, sx, zx, w, sw, zw, sy, zy, b)
      local y = convolution.conv(double_node(n), centred(x, zx), centred(w, zw, 1), b and types.convert(b, 'double'))
      local form = { 1, sw:nElement() }
      for d = 3, types.rank(y) do form[d] = 1 end
      local scale = torch.mul(types.view(types.convert(sw, 'double'), form), types.number(sx) / types.number(sy))
      return rescaled(y, scale, zy, n.out_types[1])
   end,
})
