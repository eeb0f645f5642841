-- lua/onnx/export/distance.lua - rules for products and distances of vectors.
local rules = require 'onnx.export.rules'
local leaf = rules.leaf

-- Sums over the last dimension; the result of vectors has one element.
local function sums(c, x, name, op)
   return c:reduce(op or 'ReduceSum', name, { x:dim() - 1 }, x:dim() == 1)
end

leaf('nn.DotProduct', function(c, _, x) return sums(c, x[1], c:op('Mul', { x[1], x[2] })) end)

leaf('nn.CosineDistance', function(c, _, x)
   local tiny = c:number(1e-12)
   local a = c:op('Add', { sums(c, x[1], c:op('Mul', { x[1], x[1] })), tiny })
   local b = c:op('Add', { sums(c, x[1], c:op('Mul', { x[2], x[2] })), tiny })
   local product = sums(c, x[1], c:op('Mul', { x[1], x[2] }))
   return c:op('Div', { product, c:op('Sqrt', { c:op('Mul', { a, b }) }) })
end)

leaf('nn.PairwiseDistance', function(c, m, x)
   local difference = c:op('Sub', { x[1], x[2] })
   if m.norm == 1 then return sums(c, x[1], difference, 'ReduceL1') end
   if m.norm == 2 then return sums(c, x[1], difference, 'ReduceL2') end
   local power = c:op('Pow', { c:op('Abs', { difference }), c:number(m.norm) })
   return c:op('Pow', { sums(c, x[1], power), c:number(1 / m.norm) })
end)

leaf('nn.Cosine', function(c, m, x)
   local tiny = c:number(1e-12)
   local rows = x:dim() == 2 and x.name or c:unsqueeze(x, { 0 })
   local norm = c:op('Add', { c:reduce('ReduceL2', rows, { 1 }, true), tiny })
   local norms = c:constant(m.weight:norm(2, 2):add(1e-12):t():contiguous(), 'norms')
   local y = c:op('Gemm', { rows, c:weight(m, 'weight') }, { transB = 1 })
   y = c:op('Div', { c:op('Div', { y, norm }), norms })
   return x:dim() == 2 and y or c:squeeze(y, { 0 })
end)

leaf('nn.Euclidean nn.WeightedEuclidean', function(c, m, x)
   local difference = c:op('Sub', { c:unsqueeze(x, { x:dim() }), c:weight(m, 'weight') })
   if m.diagCov then difference = c:op('Mul', { difference, c:weight(m, 'diagCov') }) end
   return c:reduce('ReduceL2', difference, { x:dim() - 1 }, false)
end)

-- The number of the nearest centroid, from 1.
leaf('nn.Kmeans', function(c, m, x)
   local rows = x:dim() == 2 and x.name or c:unsqueeze(x, { 0 })
   local difference = c:op('Sub', { c:unsqueeze(rows, { 1 }), c:weight(m, 'weight') })
   local square = c:reduce('ReduceSum', c:op('Mul', { difference, difference }), { 2 }, false)
   local nearest = c:op('ArgMin', { square }, { axis = 1, keepdims = 0 })
   return c:cast(c:op('Add', { nearest, c:ints(1) }), c.float)
end)
