-- lua/onnx/export/shape.lua - rules for views, parts, sums and copies of one tensor.
local torch = require 'torch'
local rules = require 'onnx.export.rules'
local leaf = rules.leaf

-- The elements keep their order: only the sizes change.
leaf('nn.View nn.Reshape nn.Squeeze nn.Unsqueeze nn.Collapse', function(c, _, x, y)
   local same = x:dim() == y:dim()
   for d = 1, same and y:dim() or 0 do
      same = same and x.sizes[d] == y.sizes[d] and x.varies[d] == y.varies[d]
   end
   return same and x or c:reshape(x, y)
end)

leaf('nn.Transpose', function(c, m, x)
   local perm = {}
   for d = 1, x:dim() do perm[d] = d - 1 end
   local shift = m.numInputDims and x:dim() > m.numInputDims and 1 or 0
   for _, pair in ipairs(m.permutations) do
      local a, b = pair[1] + shift, pair[2] + shift
      perm[a], perm[b] = perm[b], perm[a]
   end
   return c:transpose(x, perm)
end)

-- A dimension that may count from the end, or from that behind the samples.
local function dim_of(x, dim, nInputDims)
   local n = x:dim()
   if dim < 0 then return n + dim + 1 end
   if nInputDims and nInputDims > 0 and n == nInputDims + 1 then return dim + 1 end
   return dim
end

local LAST = 2 ^ 53                          -- behind the last element of any dimension

leaf('nn.Narrow', function(c, m, x)
   local dim = dim_of(x, m.dimension)
   local first, length = m.index, m.length
   if first > 0 and length > 0 then return c:slice(x, dim - 1, first - 1, first - 1 + length) end
   if first > 0 then return c:slice(x, dim - 1, first - 1, length == -1 and LAST or length + 1) end
   local size = c:fixed(x, dim)
   length = length < 0 and size - first + length + 2 or length
   return c:slice(x, dim - 1, 0, size - length)
end)

leaf('nn.Select', function(c, m, x)
   local dim = dim_of(x, m.dimension)
   local first = m.index < 0 and m.index or m.index - 1
   local part = c:slice(x, dim - 1, first, first == -1 and LAST or first + 1)
   return x:dim() == 1 and part or c:squeeze(part, { dim - 1 })
end)

leaf('nn.Replicate', function(c, m, x, y)
   local dim = m.dim + (m.ndim and x:dim() > m.ndim and 1 or 0)
   if m.dim < 0 then dim = x:dim() + m.dim + 2 end
   local size = {}
   for d = 1, y:dim() do size[d] = d == dim and m.nfeatures or 1 end
   return c:op('Expand', { c:unsqueeze(x, { dim - 1 }), c:ints(size) })
end)

leaf('nn.Padding', function(c, m, x)
   local dim = m.dim + (m.nInputDim and x:dim() ~= m.nInputDim and 1 or 0)
   local pad, n = math.abs(m.pad), x:dim()
   local at = m.index or 1
   if at == 1 or m.pad == 0 then
      local pads = {}
      for d = 1, 2 * n do pads[d] = 0 end
      pads[m.pad > 0 and n + dim or dim] = pad
      return c:op('Pad', { x, c:ints(pads), c:number(m.value or 0) }, { mode = 'constant' })
   end
   local size = c:fixed(x, dim)
   local before = m.pad > 0 and size - at + 1 or at - 1
   local fill = {}
   for d = 1, n do fill[d] = d == dim and pad or c:fixed(x, d) end
   local value = c:op('Expand', { c:number(m.value or 0), c:ints(fill) })
   return c:op('Concat', { c:slice(x, dim - 1, 0, before), value, c:slice(x, dim - 1, before, LAST) }, { axis = dim - 1 })
end)

-- ---- sums and extremes ---------------------------------------------------------------------------------------------

local function reduction(op, mean)
   return function(c, m, x)
      local dim = dim_of(x, m.dimension, m.nInputDims)
      local keep = m.squeeze == false or x:dim() == 1
      return c:reduce(m.sizeAverage and mean or op, x, { dim - 1 }, keep)
   end
end
leaf('nn.Sum nn.Mean', reduction('ReduceSum', 'ReduceMean'))
leaf('nn.Max', reduction 'ReduceMax')
leaf('nn.Min', reduction 'ReduceMin')

-- ---- constants -----------------------------------------------------------------------------------------------------

leaf('nn.Constant', function(c, m, x, y)
   local value = c:constant(m.value, 'value')
   if not (m.nInputDim and x:dim() > m.nInputDim) then return c:op('Identity', { value }) end
   local first = c:slice(c:shape(x), 0, 0, 1)
   local size = {}
   for d = 2, y:dim() do size[d - 1] = 1 end
   return c:op('Expand', { c:unsqueeze(value, { 0 }), c:op('Concat', { first, c:ints(size) }, { axis = 0 }) })
end)

-- ---- axes by letters -----------------------------------------------------------------------------------------------

rules.container('nn.Convert', function(c, m, x)
   if not m.inputShape then
      local y = c:run(m, x)
      return y:named(x.type == y.type and x.name or c:cast(x, y.type))
   end
   local y = c:run(m, x)                                       -- builds the converter
   local whole = x:dim() == #m.inputShape
   if not whole then c:refuse 'its input has no dimension of samples; give the example a batch' end
   if torch.typename(m.converter) == nil then c:refuse 'it has no converter' end
   local given = x.type == c.float and x or x:named(c:cast(x, c.float), c.float)
   local z = c:convert(m.converter, given, 'converter')
   return z.sizes and y:named(z.name) or z
end)
