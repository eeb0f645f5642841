-- lua/onnx/export/tables.lua - rules for modules that take or give tables.
local rules = require 'onnx.export.rules'
local Value = require 'onnx.export.value'
local leaf = rules.leaf

local function chain(op)
   return function(c, _, x)
      local y = x[1].name
      for i = 2, #x do y = c:op(op, { y, x[i] }) end
      return #x == 1 and x[1] or y
   end
end
leaf('nn.CAddTable', chain 'Add')
leaf('nn.CMulTable', chain 'Mul')
leaf('nn.CSubTable', chain 'Sub')
leaf('nn.CDivTable', chain 'Div')
leaf('nn.CMaxTable', chain 'Max')
leaf('nn.CMinTable', chain 'Min')

leaf('nn.CAddTensorTable', function(c, _, x)
   local y = {}
   for i, part in ipairs(x[2]) do y[i] = c:op('Add', { part, x[1] }) end
   return y
end)

local function dim_of(x, dim, nInputDims)
   local n = x:dim()
   if dim < 0 then return n + dim + 1 end
   if nInputDims and nInputDims > 0 and n == nInputDims + 1 then return dim + 1 end
   return dim
end

leaf('nn.JoinTable', function(c, m, x)
   local dim = dim_of(x[1], m.dimension, m.nInputDims)
   if #x == 1 then return x[1] end
   return c:op('Concat', x, { axis = dim - 1 })
end)

leaf('nn.SplitTable', function(c, m, x)
   local dim = dim_of(x, m.dimension, m.nInputDims)
   local n, ones, y = c:fixed(x, dim), {}, {}
   for i = 1, n do ones[i] = 1 end
   local parts = n == 1 and { x.name } or { c:op('Split', { x, c:ints(ones) }, { axis = dim - 1 }, n) }
   for i = 1, n do y[i] = x:dim() == 1 and parts[i] or c:squeeze(parts[i], { dim - 1 }) end
   return y
end)

-- ---- tables to tables: no node -------------------------------------------------------------------------------------

rules.container('nn.SelectTable', function(c, m, x)
   local index = m.index
   if type(index) == 'number' and index < 0 then index = #x + index + 1 end
   if Value.is(x) or x[index] == nil then c:refuse('its input has no element %s', tostring(m.index)) end
   return x[index]
end)

rules.container('nn.NarrowTable', function(_, m, x)
   local y = {}
   for i = 1, math.max(0, math.min(m.length or 1, #x - m.offset + 1)) do y[i] = x[m.offset + i - 1] end
   return y
end)

rules.container('nn.FlattenTable', function(_, _, x)
   local y = {}
   Value.map(x, function(v)
      y[#y + 1] = v
      return v
   end)
   return y
end)

rules.container('nn.ZipTable', function(_, _, x)
   local y, n = {}, math.huge
   for i = 1, #x do n = math.min(n, #x[i]) end
   for k = 1, n < math.huge and n or 0 do
      y[k] = {}
      for i = 1, #x do y[k][i] = x[i][k] end
   end
   return y
end)

rules.container('nn.ZipTableOneToMany', function(_, _, x)
   local y = {}
   for i, v in ipairs(x[2]) do y[i] = { x[1], v } end
   return y
end)

-- ---- products ------------------------------------------------------------------------------------------------------

local function turned(c, x, on)
   if not on then return x.name end
   local perm = {}
   for d = 1, x:dim() do perm[d] = d - 1 end
   perm[x:dim() - 1], perm[x:dim()] = perm[x:dim()], perm[x:dim() - 1]
   return c:transpose(x, perm)
end

leaf('nn.MM', function(c, m, x)
   return c:op('MatMul', { turned(c, x[1], m.transA), turned(c, x[2], m.transB) })
end)

leaf('nn.MV', function(c, m, x)
   if x[1]:dim() == 2 then return c:op('MatMul', m.trans and { x[2], x[1] } or { x[1], x[2] }) end
   local a = turned(c, x[1], m.trans)
   return c:squeeze(c:op('MatMul', { a, c:unsqueeze(x[2], { 2 }) }), { 2 })
end)

-- ---- parts by positions --------------------------------------------------------------------------------------------

-- Positions that count from 1, as the whole numbers from 0 of ONNX.
local function positions(c, x)
   local index = x.type == 'int64' and x.name or c:cast(x, 'int64')
   return c:op('Sub', { index, c:ints(1) })
end

leaf('nn.Index', function(c, m, x)
   return c:op('Gather', { x[1], positions(c, x[2]) }, { axis = m.dimension - 1 })
end)

leaf('nn.MaskedSelect', function(c, _, x, y)
   local mask = c:cast(x[2], 'bool')
   local flat = c:op('Compress', { c:reshape_to(x[1], { -1 }), c:reshape_to(mask, { -1 }) }, { axis = 0 })
   y.name, y.counted = flat, true                              -- its size depends on the mask
   return y
end)

leaf('nn.MixtureTable', function(c, m, x)
   local gater, experts = x[1], x[2]
   local batch = gater:dim() == 2
   local dim = m.dim or (batch and 2 or 1)
   local n = c:fixed(gater, gater:dim())
   local single = Value.is(experts)
   local rank = single and experts:dim() - 1 or experts[1]:dim()
   local size = {}
   for d = 1, rank do size[d] = 1 end
   if batch then size[1] = -1 end
   local y
   for i = 1, n do
      local expert = single and c:squeeze(c:slice(experts, dim - 1, i - 1, i), { dim - 1 }) or experts[i]
      local share = c:reshape_to(c:slice(gater, gater:dim() - 1, i - 1, i), size)
      local product = c:op('Mul', { expert, share })
      y = y and c:op('Add', { y, product }) or product
   end
   return y
end)
