-- lua/onnx/ops/constant.lua - ops that make tensors from attributes, sizes and numbers.
local torch = require 'torch'
local messages = require 'onnx.messages'
local types = require 'onnx.types'
local registry = require 'onnx.registry'

-- The type that a number of an attribute names.
local function named(number) return messages.types[number] or error(('there is no element type %s'):format(tostring(number)),
   0) end

-- ---- constants -----------------------------------------------------------------------------------------------------

local constants = {
   value_float = { 'float', function(v) return types.scalar('float', v) end },
   value_floats = { 'float', function(v) return types.of_numbers('float', v) end },
   value_int = { 'int64', function(v) return types.scalar('int64', v) end },
   value_ints = { 'int64', function(v) return types.of_numbers('int64', v) end },
   value_string = { 'string', function(v) return { shape = {}, v } end },
   value_strings = { 'string', function(v)
      local t = { shape = { #v } }
      for i = 1, #v do t[i] = v[i] end
      return t
   end },
}

registry.add('Constant', {
   types = function(n)
      for name, entry in pairs(constants) do if n.attr[name] ~= nil then return { entry[1] } end end
      return { n.attr_types.value or n.attr_types.sparse_value }
   end,
   run = function(n)
      for name, entry in pairs(constants) do if n.attr[name] ~= nil then return entry[2](n.attr[name]) end end
      local value = n.attr.value or n.attr.sparse_value
      if value == nil then error('it has no value', 0) end
      return types.alias(value)
   end,
})

registry.add('ConstantOfShape', {
   types = function(n) return { n.attr_types.value or 'float' } end,
   run = function(n, shape)
      return types.full(n.out_types[1], types.numbers(shape), n.attr.value and types.number(n.attr.value) or 0)
   end,
})

registry.add('EyeLike', {
   types = function(n) return { n.attr.dtype and named(n.attr.dtype) or n.types[1] } end,
   run = function(n, x)
      local shape = types.shape(x)
      if #shape ~= 2 then error('its input must be a matrix', 0) end
      local y, k = types.full(n.out_types[1], shape, 0), n.attr.k or 0
      for i = 1, shape[1] do
         local j = i + k
         if j >= 1 and j <= shape[2] then y:narrow(1, i, 1):narrow(2, j, 1):fill(1) end
      end
      return y
   end,
})

registry.add('Range', function(n, first, limit, step)
   local a, b, s = types.number(first), types.number(limit), types.number(step)
   if s == 0 then error('its step must not be 0', 0) end
   local count = math.max(0, math.ceil((b - a) / s))
   if count ~= count or count > 2 ^ 31 then error(('a range of %s elements is too large'):format(tostring(count)), 0) end
   local name = n.types[1]
   if count == 0 then return types.empty(name, { 0 }) end
   local wide = types.is_float(name) and 'double' or 'int64'
   local y = torch.range(0, count - 1):type(types.class(wide)):mul(s):add(a)
   return types.convert(y, name)
end)

-- ---- shapes as numbers ---------------------------------------------------------------------------------------------

registry.add('Shape', { types = 'int64', run = function(n, x)
   local shape, list = types.shape(x), {}
   if n.out_types[1] ~= 'int64' then return nil end
   local rank = #shape
   local function place(v) return math.max(0, math.min(rank, v < 0 and v + rank or v)) end
   for d = place(n.attr.start or 0) + 1, place(n.attr['end'] or rank) do list[#list + 1] = shape[d] end
   return types.of_numbers('int64', list)
end })

registry.add('Size', { types = 'int64', run = function(_, x) return types.scalar('int64', types.count(types.shape(x))) end })

