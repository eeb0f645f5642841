-- lua/onnx/export/linear.lua - rules for linear maps and parameters for each element.
local torch = require 'torch'
local rules = require 'onnx.export.rules'
local leaf = rules.leaf

leaf('nn.Linear nn.LinearWeightNorm', function(c, m, x)
   local w, b = c:weight(m, 'weight'), m.bias and c:weight(m, 'bias', 'flat', function(b) return b:contiguous():view(-1) end)
   if x:dim() == 2 then return c:op('Gemm', { x, w, b }, { transB = 1 }) end
   local y = c:op('MatMul', { w, x })
   return b and c:op('Add', { y, b }) or y
end)

-- The flat parameter m[field] over the last dimensions of x, which have as many elements: op(x, parameter).
local function over_samples(c, op, m, field, x, y)
   local p = m[field]
   local n, size = tonumber(p:nElement()), {}
   local count = 1
   for d = x:dim(), 1, -1 do
      if count == n then break end
      if x.varies[d] then break end
      table.insert(size, 1, x.sizes[d])
      count = count * x.sizes[d]
   end
   if count == n then
      if #size == 0 then size[1] = 1 end
      return c:op(op, { x, c:weight(m, field, table.concat(size, 'x'), function(t)
         return t:contiguous():view(torch.LongStorage(size))
      end) })
   end
   local flat = c:weight(m, field, 'flat', function(t) return t:contiguous():view(-1) end)
   local rows = c:op(op, { c:reshape_to(x, { -1, n }), flat })
   if y:count_varying() == 0 then return c:reshape_to(rows, y.sizes) end
   return c:op('Reshape', { rows, c:shape(x) })
end

leaf('nn.Add', function(c, m, x, y)
   if m.scalar then return c:op('Add', { x, c:weight(m, 'bias', 'first', function(b) return b:contiguous():view(-1):narrow(1, 1, 1) end) }) end
   return over_samples(c, 'Add', m, 'bias', x, y)
end)

leaf('nn.Mul', function(c, m, x) return c:op('Mul', { x, c:weight(m, 'weight') }) end)

for name, row in pairs { CMul = { 'Mul', 'weight' }, CAdd = { 'Add', 'bias' } } do
   local op, field = row[1], row[2]
   leaf('nn.' .. name, function(c, m, x, y)
      local p = m[field]
      local fits = x:dim() >= p:dim()
      for i = 1, fits and p:dim() or 0 do
         local d = x:dim() - p:dim() + i
         fits = fits and (p:size(i) == 1 or p:size(i) == x.sizes[d] and not x.varies[d])
      end
      if fits then return c:op(op, { x, c:weight(m, field) }) end
      return over_samples(c, op, m, field, x, y)
   end)
end

leaf('nn.Bilinear', function(c, m, x)
   local k, i, j = m.weight:size(1), m.weight:size(2), m.weight:size(3)
   local w = c:weight(m, 'weight', 'columns', function(t) return t:transpose(1, 2):contiguous():view(i, k * j) end)
   local parts = c:reshape_to(c:op('MatMul', { x[1], w }), { -1, k, j })
   local y = c:reduce('ReduceSum', c:op('Mul', { parts, c:unsqueeze(x[2], { 1 }) }), { 2 }, false)
   return m.bias and c:op('Add', { y, c:weight(m, 'bias') }) or y
end)

leaf('nn.PartialLinear', function(c, m, x)
   local owner = m.network and m.network:get(1):get(2) or m
   local w, b = owner.weight, m.bias
   if m.partition then
      w = w:index(1, m.partition)
      b = b and b:index(2, m.partition)
   end
   w = c:constant(w:contiguous(), 'weight')
   b = b and c:constant(b:contiguous():view(-1), 'bias')
   if x:dim() == 2 then return c:op('Gemm', { x, w, b }, { transB = 1 }) end
   local y = c:op('MatMul', { w, x })
   return b and c:op('Add', { y, b }) or y
end)

-- The sum of rows of w, each times its value; index 0, of an entry that does not count, gets the value 0.
local function sum_of_rows(c, w, index, values)
   local rows = c:op('Gather', { w, index }, { axis = 0 })
   return c:reduce('ReduceSum', c:op('Mul', { rows, c:unsqueeze(values, { 1 }) }), { 0 }, true)
end

leaf('nn.SparseLinear', function(c, m, x)
   local w = c:weight(m, 'weight', 'turned', function(t) return t:t():contiguous() end)
   local b = c:weight(m, 'bias')
   local list = x
   if x.sizes then
      list = {}
      if x:dim() == 2 then
         list[1] = x.name
      else
         for i = 1, c:fixed(x, 1) do list[i] = c:squeeze(c:slice(x, 0, i - 1, i), { 0 }) end
      end
   end
   local sums = {}
   for i, pairs in ipairs(list) do
      local index = c:squeeze(c:slice(pairs, 1, 0, 1), { 1 })
      local value = c:squeeze(c:slice(pairs, 1, 1, 2), { 1 })
      local counts = c:cast(c:op('Greater', { index, c:number(0) }), c.float)
      local place = c:op('Max', { c:op('Sub', { c:cast(index, 'int64'), c:ints(1) }), c:ints(0) })
      sums[i] = sum_of_rows(c, w, place, c:op('Mul', { value, counts }))
   end
   local all = #sums > 1 and c:op('Concat', sums, { axis = 0 }) or sums[1]
   return c:op('Add', { all, b })
end)

leaf('nn.IndexLinear', function(c, m, x)
   local keys, values = x[1], x[2]
   if m.normalize then c:refuse 'its normalization changes with each input' end
   if x[3] then c:refuse 'keys of several samples in one vector' end
   local single = keys.sizes ~= nil
   if single then keys, values = { keys }, { values } end
   local w, sums = c:weight(m, 'weight'), {}
   for i, key in ipairs(keys) do
      local index = key.type == 'int64' and key.name or c:cast(key, 'int64')
      sums[i] = sum_of_rows(c, w, c:op('Add', { index, c:ints((m.offset or 0) - 1) }), values[i].name)
   end
   local all = #sums > 1 and c:op('Concat', sums, { axis = 0 }) or sums[1]
   local y = c:op('Add', { all, c:weight(m, 'bias') })
   return single and c:squeeze(y, { 0 }) or y
end)
