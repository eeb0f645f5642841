-- lua/onnx/ops/constant.lua - ops that make tensors from attributes, sizes and numbers.
local torch = require 'torch'
local messages = require 'onnx.messages'
local types = require 'onnx.types'
local registry = require 'onnx.registry'

-- The type that a number of an attribute names.
local function named(number) return messages.types[number] or error(('there is no element type %s'):format(tostring(number)), 0) end

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

-- ---- random numbers ------------------------------------------------------------------------------------------------

-- A generator for the attribute seed, or none for that of torch.
local function generator(n)
   if not n.attr.seed then return nil end
   n.generator = n.generator or torch.Generator()
   torch.manualSeed(n.generator, math.floor(math.abs(n.attr.seed)))
   return n.generator
end

local function drawn(n, name, shape, way, a, b)
   local y, gen = types.empty('float', shape), generator(n)
   if y:nElement() > 0 then
      if gen then y[way](y, gen, a, b) else y[way](y, a, b) end
   end
   return name == 'float' and y or types.convert(y, name)
end

local function random(way, a, first, b, second)
   registry.add('Random' .. way, { pure = false, types = function(n) return { named(n.attr.dtype or 1) } end,
      run = function(n)
         return drawn(n, n.out_types[1], n.attr.shape or {}, way:lower(), n.attr[a] or first, n.attr[b] or second)
      end })
   registry.add('Random' .. way .. 'Like', { pure = false,
      types = function(n) return { n.attr.dtype and named(n.attr.dtype) or n.types[1] } end,
      run = function(n, x)
         return drawn(n, n.out_types[1], types.shape(x), way:lower(), n.attr[a] or first, n.attr[b] or second)
      end })
end
random('Normal', 'mean', 0, 'scale', 1)
random('Uniform', 'low', 0, 'high', 1)

registry.add('Bernoulli', { pure = false,
   types = function(n) return { n.attr.dtype and named(n.attr.dtype) or n.types[1] } end,
   run = function(n, p)
      local u = drawn(n, 'float', types.shape(p), 'uniform', 0, 1)
      return types.convert(torch.lt(u, types.convert(p, 'float')), n.out_types[1])
   end })

registry.add('Multinomial', { pure = false, types = function(n) return { named(n.attr.dtype or 6) } end,
   run = function(n, x)
      local p = torch.softmax(types.convert(x, 'float'), 2)
      local gen, count = generator(n), n.attr.sample_size or 1
      local y = gen and torch.multinomial(gen, p, count, true) or torch.multinomial(p, count, true)
      return types.convert(y:add(-1), n.out_types[1])
   end })

registry.add('Dropout', { pure = false, types = { 'first', 'bool' }, run = function(n, x, ratio, training)
   local train = training ~= nil and types.number(training) ~= 0
   local p = ratio ~= nil and types.number(ratio) or ratio == nil and n.version >= 12 and 0.5 or 0
   if n.version < 7 then train = (n.attr.is_test or 0) == 0 and false end
   if not train or p == 0 then
      return types.alias(x), n.wanted[2] and types.full('bool', types.shape(x), 1) or nil
   end
   local u = drawn(n, 'float', types.shape(x), 'uniform', 0, 1)
   local kept = torch.ge(u, p)
   return torch.cmul(x, types.convert(kept, n.types[1])):mul(1 / (1 - p)), kept
end })
