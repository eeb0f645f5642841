-- lua/onnx/export/embedding.lua - rules for tables of vectors. Numbers of classes count from 1, positions of ONNX from 0.
local rules = require 'onnx.export.rules'
local leaf = rules.leaf

local function positions(c, x)
   local index = x.type == 'int64' and x.name or c:cast(x, 'int64')
   return c:op('Sub', { index, c:ints(1) })
end

-- The rows as a forward leaves them: those longer than maxNorm are shortened when they are used.
local function rows(c, m)
   if not m.maxNorm then return c:weight(m, 'weight') end
   return c:weight(m, 'weight', ('norm %g %g'):format(m.maxNorm, m.normType or 2), function(w)
      w = w:clone()
      for i = 1, w:size(1) do
         local norm = w[i]:norm(m.normType or 2)
         if norm > m.maxNorm then w[i]:mul(m.maxNorm / (norm + 1e-7)) end
      end
      return w
   end)
end

leaf('nn.LookupTable dist.RowLookupTable dist.ColumnLookupTable', function(c, m, x)
   return c:op('Gather', { rows(c, m), positions(c, x) }, { axis = 0 })
end)

leaf('nn.LookupTableGPU', function(c, m, x)
   local y = c:op('Gather', { rows(c, m), positions(c, x) }, { axis = 0 })
   if m.unk_index then
      local index = x.type == 'int64' and x.name or c:cast(x, 'int64')
      local known = c:cast(c:op('Not', { c:op('Equal', { index, c:ints(m.unk_index) }) }), c.float)
      y = c:op('Mul', { y, c:unsqueeze(known, { x:dim() }) })
   end
   return m.featuresInDim2 and x:dim() == 2 and c:transpose(y, { 0, 2, 1 }) or y
end)

leaf('nn.WeightedLookupTable', function(c, m, x)
   local last = x:dim() - 1
   local number = c:squeeze(c:slice(x, last, 0, 1), { last })
   local y = c:op('Gather', { rows(c, m), c:op('Sub', { c:cast(number, 'int64'), c:ints(1) }) }, { axis = 0 })
   return c:op('Mul', { y, c:slice(x, last, 1, 2) })
end)

leaf('nn.OneHot', function(c, m, x)
   local on_off = c:op('Concat', { c:number(0, 1), c:number(1, 1) }, { axis = 0 })
   return c:op('OneHot', { positions(c, x), c:ints(m.outputSize), on_off }, { axis = -1 })
end)
