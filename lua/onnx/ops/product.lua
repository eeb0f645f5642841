-- lua/onnx/ops/product.lua - products of matrices, sums of products, determinants.
local torch = require 'torch'
local types = require 'onnx.types'
local after = require 'onnx.after'
local kept = require 'onnx.kept'
local layout = require 'onnx.layout'
local registry = require 'onnx.registry'
local weights = require 'onnx.weights'

local function head(shape, n)
   local r = {}
   for d = 1, n do r[d] = shape[d] end
   return r
end

--- The product of matrices, with broadcasting of the dimensions before the last two, as numpy.matmul.
-- @param to  an empty tensor for the result (optional)
local function matmul(name, a, b, to)
   local sa, sb = types.shape(a), types.shape(b)
   if #sa == 0 or #sb == 0 then error('a single number is no matrix', 0) end
   local left, right = #sa == 1, #sb == 1
   if left then sa = { 1, sa[1] } end
   if right then sb = { sb[1], 1 } end
   local m, k, n = sa[#sa - 1], sa[#sa], sb[#sb]
   if k ~= sb[#sb - 1] then
      error(('the inner sizes differ: %s and %s'):format(types.shape_text(types.shape(a)), types.shape_text(types.shape(b))), 0)
   end
   local many = types.broadcast(head(sa, #sa - 2), head(sb, #sb - 2))
   if not many then
      error(('shapes %s and %s do not broadcast'):format(types.shape_text(sa), types.shape_text(sb)), 0)
   end
   local count, result = types.count(many), head(many, #many)
   if not left then result[#result + 1] = m end
   if not right then result[#result + 1] = n end
   if count * m * n == 0 then return types.empty(name, result) end
   if k == 0 then return types.full(name, result, 0) end
   local y
   if right and #sa == 2 and not left then
      y = torch.mv(to, a, b)
   elseif #sb == 2 then                                      -- one matrix on the right: one product
      local rows = types.count(sa) / k
      y = torch.mm(to, types.view(a, { rows, k }), types.view(b, { k, n }))
   else
      local function batch(t, shape)
         t = types.view(t, shape)
         local full = head(many, #many)
         full[#full + 1], full[#full + 2] = shape[#shape - 1], shape[#shape]
         return types.view(types.expand(t, full), { count, shape[#shape - 1], shape[#shape] })
      end
      y = torch.bmm(to, batch(a, sa), batch(b, sb))
   end
   return types.view(y, result)
end

-- ---- constant matrices on the right
-- -------------------------------------------------------------------------------

-- A matrix is packed once, as the kernels of a convolution of one pixel, whose images are the rows
-- on the left.
local FEW_ROWS, SMALL, LARGE = 4, 2 ^ 12, 2 ^ 24

-- Whether rows x b is computed that way: b is a matrix that is neither tiny nor too large to be
-- kept twice.
local function is_suitable(b, rows)
   local count = b:nElement()
   return rows >= FEW_ROWS and rows <= 2 ^ 20 and count >= SMALL and count <= LARGE
      and layout.is_quick()
end

local function is_packed(n, b, rows)
   return n.fixed and n.fixed[2] and n.types[1] == 'float' and types.rank(b) == 2
      and (not n.inputs[3] or n.fixed[3]) and is_suitable(b, rows)
end

-- The kernels of a matrix, k x columns or its transpose.
local function kernels_of(n, b, transposed)
   local kept = n.kernels
   if kept and kept.of == b then return kept.view, kept.columns end
   local rows, columns = types.size(b, 1), types.size(b, 2)
   b = b:contiguous()
   local view = transposed and types.view(b, { rows, columns, 1, 1 })
      or types.strided(b, { columns, rows, 1, 1 }, { 1, columns, 1, 1 }, tonumber(b._offset))
   n.kernels = { of = b, view = view, columns = transposed and rows or columns }
   return view, n.kernels.columns
end

-- A matrix as one image with a pixel for each row.
local function image_of(t, rows, columns)
   return types.strided(t, { 1, columns, 1, rows }, { rows * columns, 1, rows * columns, columns },
      tonumber(t._offset))
end

-- act(a b + bias + add) on the images of a call.
local function run_call(c)
   local f = c.f
   return torch.conv2d_fused(c.y, c.a, c.w, c.bias, 1, 1, 0, 0, 1, 1, 1, c.add, f.act, f.low,
      f.high)
end

-- w never changes, and is packed once.
local function run_images(n, call)
   return n.weights and n.weights:run(run_call, call, n) or run_call(call)
end

-- The result by images of an earlier run, or nil.
local function kept_product(n, a, add)
   local call = kept.call_of(n, a, add)
   if not call then return nil end
   run_images(n, call)
   return call.result
end

-- act(a b + bias + add), of the given shape.
local function packed_product(n, a, b, transposed, bias, add, shape)
   local f, w, columns, rest = after.of(n), kernels_of(n, b, transposed)
   local y, rows = n:out(), types.count(shape) / columns
   if add ~= nil and not types.same_shape(types.shape(add), shape) then f, add, rest = after.of {},
      nil, after.kept(n, add) end
   if not types.same_shape(types.shape(y), shape) then types.resize(y, shape) end
   local is_kept = rest == nil and a:isContiguous() and (add == nil or add:isContiguous())
   a, add = a:contiguous(), add and add:contiguous()
   local images = { y = image_of(y, rows, columns), a = image_of(a, rows, types.size(w, 2)), w = w,
      bias = bias, add = add and image_of(add, rows, columns), f = f }
   run_images(n, images)
   if is_kept then kept.keep_call(n, images, y, a, add) end
   return rest == nil and y or after.apply(n, y, rest)
end

registry.add('MatMul', { weighs = true, run = function(n, a, b, bias, add)
   local early = kept_product(n, a, add)
   if early then return early end
   local rank = types.rank(a)
   if rank >= 2 and types.rank(b) == 2 and types.size(a, rank) == types.size(b, 1) then
      local shape = types.shape(a)
      shape[rank] = types.size(b, 2)
      if is_packed(n, b, types.count(shape) / math.max(1, shape[rank])) then
         return packed_product(n, a, b, false, bias, add, shape)
      end
   end
   add = after.kept(n, add)
   if n.weights then n.weights:restore() end
   local y = types.wrap(matmul(n.types[1], a, b, n:out()), n.types[1])
   if bias ~= nil then y = torch.add(types.pair(y, bias)) end
   return n.fused and after.apply(n, y, add) or y
end })

local function gemm(n, a, b, c)
   local alpha, beta = n.attr.alpha or 1, n.attr.beta or 1
   if (n.attr.transA or 0) ~= 0 then a = types.permute(a, { 2, 1 }) end
   if (n.attr.transB or 0) ~= 0 then b = types.permute(b, { 2, 1 }) end
   if types.rank(a) ~= 2 or types.rank(b) ~= 2 then error('A and B must be matrices', 0) end
   local shape = { types.size(a, 1), types.size(b, 2) }
   if types.count(shape) == 0 then return types.empty(n.types[1], shape) end
   if c == nil or beta == 0 then
      local y = torch.mm(n:out(), a, b)
      return alpha == 1 and y or y:mul(alpha)
   end
   return torch.addmm(n:out(), beta, types.expand(c, shape), alpha, a, b)
end

registry.add('Gemm', { weighs = true, run = function(n, a, b, c, add)
   local early = kept_product(n, a, add)
   if early then return early end
   local transposed = (n.attr.transB or 0) ~= 0
   if types.rank(a) == 2 and types.rank(b) == 2 and (n.attr.transA or 0) == 0
      and (n.attr.alpha or 1) == 1
      and (c == nil or (n.attr.beta or 1) == 1 and types.rank(c) == 1) and types.size(a, 2)
         == types.size(b, transposed and 2 or 1)
      and (c == nil or types.size(c, 1) == types.size(b, transposed and 1 or 2))
         and is_packed(n, b, types.size(a, 1)) then
      return packed_product(n, a, b, transposed, c, add,
         { types.size(a, 1), types.size(b, transposed and 1 or 2) })
   end
   add = after.kept(n, add)
   if n.weights then n.weights:restore() end
   local y = gemm(n, a, b, c)
   return n.fused and after.apply(n, y, add) or y
end })

-- Single numbers have no letters: they become factors.
registry.add('Einsum', function(n, ...)
   local equation = (n.attr.equation or error("attribute 'equation' is missing", 0)):gsub('%s', '')
   local terms, operands, factor, at = {}, {}, 1, 0
   local left, right = equation:match '^(.-)(%->.*)$'
   for term in ((left or equation) .. ','):gmatch '([^,]*),' do
      at = at + 1
      local x = select(at, ...)
      if x and types.rank(x) == 0 then
         factor = factor * types.number(x)
      else
         terms[#terms + 1], operands[#operands + 1] = term, x
      end
   end
   if at ~= n.count then error(('its equation has %d terms for %d inputs'):format(at, n.count), 0) end
   if #operands == 0 then return types.scalar(n.types[1], factor) end
   local y = torch.einsum(table.concat(terms, ',') .. (right or ''), unpack(operands))
   if type(y) == 'number' then return types.scalar(n.types[1], y * factor) end
   return factor == 1 and y or torch.mul(y, factor)
end)

-- The determinant by elimination with pivots, in doubles.
local function determinant(list, first, size)
   local m, sign, det = {}, 1, 1
   for i = 1, size do
      m[i] = {}
      for j = 1, size do m[i][j] = list[first + (i - 1) * size + j] end
   end
   for c = 1, size do
      local best = c
      for r = c + 1, size do if math.abs(m[r][c]) > math.abs(m[best][c]) then best = r end end
      if m[best][c] == 0 then return 0 end
      if best ~= c then m[best], m[c], sign = m[c], m[best], -sign end
      det = det * m[c][c]
      for r = c + 1, size do
         local factor = m[r][c] / m[c][c]
         for j = c, size do m[r][j] = m[r][j] - factor * m[c][j] end
      end
   end
   return sign * det
end

registry.add('Det', function(n, x)
   local shape, list = types.shape(x), types.numbers(x)
   local size, results = shape[#shape], {}
   if #shape < 2 or size ~= shape[#shape - 1] then error('its input must hold square matrices', 0) end
   local result = head(shape, #shape - 2)
   for i = 1, types.count(result) do results[i] = determinant(list, (i - 1) * size * size, size) end
   return types.of_numbers(n.types[1], results, result)
end)

-- ---- several constant matrices on the right (joined.lua) ----------------------------------------

-- The matrices of a node side by side, and their biases one after the other or nil.
local function side_by_side(n)
   if not n.columns then
      local matrices, biases = {}, {}
      for i, m in ipairs(n.members) do
         matrices[i], biases[i] = m.weight, m.bias
         if m.weights then m.weights:restore() end
      end
      n.columns = torch.cat(torch.FloatTensor(), matrices, 2)
      n.biases = #biases > 0 and torch.cat(torch.FloatTensor(), biases, 1) or nil
      n.weights = weights.joined(n.columns, n.members)
   end
   return n.columns, n.biases
end

-- The columns of y that belong to each matrix.
local function results_of(n, y)
   local views, first, rank = {}, 1, types.rank(y)
   for i, m in ipairs(n.members) do
      local count, shape = types.size(m.weight, 2), types.shape(y)
      shape[rank] = count
      views[i] = types.count(shape) == 0 and types.empty('float', shape)
         or y:narrow(rank, first, count)
      first = first + count
   end
   return views
end

local joined = { run = function(n, a)
   local early = kept_product(n, a)
   if early then return unpack(n.kept.call.views) end
   local w, bias = side_by_side(n)
   local shape = types.shape(a)
   local rank, y = #shape
   if rank < 2 or shape[rank] ~= types.size(w, 1) then
      error(('the inner sizes differ: %s and %s'):format(types.shape_text(shape),
         types.shape_text(types.shape(n.members[1].weight))), 0)
   end
   shape[rank] = types.size(w, 2)
   local rows = types.count(shape) / shape[rank]
   if is_suitable(w, rows) then
      y = packed_product(n, a, w, false, bias, nil, shape)
   else
      n.weights:restore()
      y = matmul('float', a, w, n:out())
      if bias and y:nElement() > 0 then y = torch.add(types.pair(y, bias)) end
   end
   local views = results_of(n, y)
   local call = n.kept and n.kept.call
   if call and rawequal(call.result, y) then call.views = views end
   return unpack(views)
end }

return { matmul = matmul, joined = joined }
