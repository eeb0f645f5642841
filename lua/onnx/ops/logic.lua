-- lua/onnx/ops/logic.lua - comparisons, logic and bits.
local torch = require 'torch'
local types = require 'onnx.types'
local registry = require 'onnx.registry'
local unsigned = require 'onnx.unsigned'

-- ---- comparisons ---------------------------------------------------------------------------------------------------

local function equal_strings(a, b)
   local shape = types.broadcast(a.shape, b.shape) or error('the shapes do not broadcast', 0)
   local function places(s)
      local t = types.of_numbers('int64', {}, nil)
      if #s > 0 then
         local list = {}
         for i = 1, #s do list[i] = i end
         t = types.of_numbers('int64', list, s.shape)
      end
      return types.numbers(types.expand(t, shape))
   end
   local at, bt, list = places(a), places(b), {}
   for i = 1, #at do list[i] = a[at[i]] == b[bt[i]] and 1 or 0 end
   return types.of_numbers('bool', list, shape)
end

local function compare(name)
   return { types = 'bool', run = function(n, a, b)
      if n.types[1] == 'string' then return equal_strings(a, b) end
      if n.version < 7 and n.attr.axis and (n.attr.broadcast or 0) ~= 0 then
         local shape, rank = types.shape(b), types.rank(a)
         for _ = types.dim(n.attr.axis, rank) + #shape, rank do shape[#shape + 1] = 1 end
         b = types.view(b, shape)
      end
      if n.types[1] == 'uint64' then a, b = unsigned.flip(a), unsigned.flip(b) end
      return torch[name](n:out(), types.pair(a, b))
   end }
end
registry.each({ Equal = 'eq', Less = 'lt', LessOrEqual = 'le', Greater = 'gt', GreaterOrEqual = 'ge' }, function(_, name)
   return compare(name)
end)

registry.add('IsNaN', { types = 'bool', run = function(n, x) return torch.ne(n:out(), x, x) end })

registry.add('IsInf', { types = 'bool', run = function(n, x)
   local positive, negative = (n.attr.detect_positive or 1) ~= 0, (n.attr.detect_negative or 1) ~= 0
   if positive and negative then return torch.eq(n:out(), torch.abs(x), math.huge) end
   if not positive and not negative then return torch.ne(n:out(), x, x):fill(0) end
   return torch.eq(n:out(), x, positive and math.huge or -math.huge)
end })

-- ---- logic ---------------------------------------------------------------------------------------------------------

local function bits(name, result)
   return { types = result, run = function(n, a, b) return torch[name](n:out(), types.pair(a, b)) end }
end
registry.each({ And = 'cbitand', Or = 'cbitor', Xor = 'cbitxor' }, function(_, name) return bits(name, 'bool') end)
registry.add('Not', { types = 'bool', run = function(n, x) return torch.eq(n:out(), x, 0) end })

registry.add('Where', { types = 'second', run = function(n, condition, a, b)
   if type(a) ~= 'table' then
      local shape = types.broadcast(types.shape(condition), types.broadcast(types.shape(a), types.shape(b)) or {})
      if not shape then error('the shapes do not broadcast', 0) end
      return torch.where(n:out(), types.expand(condition, shape), types.expand(a, shape), types.expand(b, shape))
   end
   local shape = types.broadcast(types.shape(condition), types.broadcast(a.shape, b.shape) or {})
   if not shape then error('the shapes do not broadcast', 0) end
   local function spread(s)
      local list = {}
      for i = 1, #s do list[i] = i end
      return types.numbers(types.expand(types.of_numbers('int64', list, s.shape), shape))
   end
   local c, at, bt, y = types.numbers(types.expand(condition, shape)), spread(a), spread(b), { shape = shape }
   for i = 1, #c do
      if c[i] ~= 0 then y[i] = a[at[i]] else y[i] = b[bt[i]] end
   end
   return y
end })

-- ---- bits ----------------------------------------------------------------------------------------------------------

registry.each({ BitwiseAnd = 'cbitand', BitwiseOr = 'cbitor', BitwiseXor = 'cbitxor' }, function(_, name) return bits(name) end)

local all_bits = { uint8 = 255, uint16 = 65535, uint32 = 4294967295 }
registry.add('BitwiseNot', function(n, x) return torch.bitxor(n:out(), x, all_bits[n.types[1]] or -1) end)

registry.add('BitShift', function(n, x, by)
   local way = n.attr.direction
   if way ~= 'LEFT' and way ~= 'RIGHT' then error(("attribute 'direction' must be LEFT or RIGHT, got %s"):format(tostring(way)),
      0) end
   return types.wrap(torch[way == 'LEFT' and 'clshift' or 'crshift'](n:out(), types.pair(x, by)), n.out_types[1])
end)
