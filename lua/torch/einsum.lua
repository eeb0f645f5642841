-- torch.einsum - sums of products in Einstein's notation, and the related tensordot, outer and kron.
--
-- Operands are first reduced alone (diagonals, sums over letters of no other operand), then contracted two at a time as batched
-- products of matrices, the cheapest pair first. A term is { x, labels }: a tensor and a label for each of its dimensions.
local arg = require 'torch.arg'
local lib = require 'torch.lib'
local op = require 'torch.op'
local tensor = require 'torch.tensor'
local C, new = lib.C, lib.new

local einsum = {}
local MAXDIM = tonumber(C.TH_MAXDIM)

-- ---- views ----------------------------------------------------------------------------------------------------------------

-- x with dimensions of these sizes and strides.
local function strided(x, sizes, strides)
   local r = new()
   C.th_tensor_alias(r, x)
   for d = 1, #sizes do r._size[d - 1], r._stride[d - 1] = sizes[d], strides[d] end
   r._ndim = #sizes
   return r
end

local function size_of(x, d) return tonumber(x._size[d - 1]) end

-- x with its dimensions in the order of `dims`, merged into groups of `counts` dimensions each; a copy where strides forbid it.
local function grouped(x, dims, counts)
   local function attempt(from)
      local sizes, strides, at = {}, {}, 0
      for g, count in ipairs(counts) do
         local size, stride
         for i = at + 1, at + count do
            local d = dims[i]
            local n, step = size_of(from, d), tonumber(from._stride[d - 1])
            if n ~= 1 or size == nil then
               if size == nil or size == 1 then size, stride = n, step
               elseif stride == n * step or n * size == 0 then size, stride = size * n, step
               else return nil end
            end
         end
         at = at + count
         sizes[g], strides[g] = size or 1, stride or 0
      end
      for g = #counts, 1, -1 do
         if sizes[g] <= 1 then strides[g] = g < #counts and sizes[g + 1] * strides[g + 1] or 1 end
      end
      return strided(from, sizes, strides)
   end
   local merged = attempt(x)
   if merged then return merged end
   local sizes, strides, order = {}, {}, {}
   for i, d in ipairs(dims) do sizes[i], strides[i], order[i] = size_of(x, d), tonumber(x._stride[d - 1]), i end
   x, dims = strided(x, sizes, strides):clone(), order
   return attempt(x)
end

-- ---- terms ----------------------------------------------------------------------------------------------------------------

local function place(labels, label)
   for i, l in ipairs(labels) do if l == label then return i end end
end

-- Dimensions of one label become their diagonal.
local function diagonal(x, labels)
   local sizes, strides, kept = {}, {}, {}
   for d, label in ipairs(labels) do
      local before = place(kept, label)
      if before then
         strides[before] = strides[before] + tonumber(x._stride[d - 1])
      else
         kept[#kept + 1] = label
         sizes[#kept], strides[#kept] = size_of(x, d), tonumber(x._stride[d - 1])
      end
   end
   if #kept == #labels then return x, labels end
   return strided(x, sizes, strides), kept
end

-- The labels that `keep` does not have are summed over.
local function sum_out(x, labels, keep)
   local kept, sum = {}, op.func 'sum'
   for d = #labels, 1, -1 do
      if not keep[labels[d]] then x = sum(x, d) end
   end
   local sizes, strides = {}, {}
   for d, label in ipairs(labels) do
      if keep[label] then
         kept[#kept + 1] = label
         sizes[#kept], strides[#kept] = size_of(x, d), tonumber(x._stride[d - 1])
      end
   end
   if #kept == #labels then return x, labels end
   return strided(x, sizes, strides), kept
end

-- Drops dimensions of size 1 whose label is larger elsewhere: the remaining dimensions broadcast.
local function drop_ones(x, labels, sizes_of)
   local kept, sizes, strides = {}, {}, {}
   for d, label in ipairs(labels) do
      if size_of(x, d) == sizes_of[label] then
         kept[#kept + 1] = label
         sizes[#kept], strides[#kept] = size_of(x, d), tonumber(x._stride[d - 1])
      end
   end
   if #kept == #labels then return x, labels end
   return strided(x, sizes, strides), kept
end

-- x with a dimension for each of `labels`, those it lacks stretched.
local function spread(x, own, labels, sizes_of)
   local sizes, strides = {}, {}
   for i, label in ipairs(labels) do
      local d = place(own, label)
      sizes[i], strides[i] = sizes_of[label], d and tonumber(x._stride[d - 1]) or 0
   end
   return strided(x, sizes, strides)
end

local function need_few(labels)
   if #labels > MAXDIM then
      error(('torch.einsum: a product on the way would have %d dimensions, at most %d are possible'):format(#labels, MAXDIM), 0)
   end
end

-- The product of two terms, summed over the labels that `keep` does not have.
local function contract(a, b, keep, sizes_of)
   local batch, summed, free_a, free_b = {}, {}, {}, {}
   for _, label in ipairs(a.labels) do
      local list = free_a
      if place(b.labels, label) then list = keep[label] and batch or summed end
      list[#list + 1] = label
   end
   for _, label in ipairs(b.labels) do
      if not place(a.labels, label) then free_b[#free_b + 1] = label end
   end
   local labels = {}
   for _, list in ipairs { batch, free_a, free_b } do for _, label in ipairs(list) do labels[#labels + 1] = label end end
   need_few(labels)
   if #summed == 0 then                                      -- the size of the result: a matrix product would gain nothing
      if #labels == 0 then return { x = op.func 'cmul'(a.x, b.x), labels = labels } end
      local x = op.func 'cmul'(spread(a.x, a.labels, labels, sizes_of), spread(b.x, b.labels, labels, sizes_of))
      return { x = x, labels = labels }
   end
   local function dims(term, ...)
      local list, counts = {}, {}
      for i, part in ipairs { ... } do
         counts[i] = #part
         for _, label in ipairs(part) do list[#list + 1] = place(term.labels, label) end
      end
      return grouped(term.x, list, counts)
   end
   local p, q = dims(a, batch, free_a, summed), dims(b, batch, summed, free_b)
   local x
   if #batch == 0 then
      x = op.func 'mm'(strided(p, { size_of(p, 2), size_of(p, 3) }, { tonumber(p._stride[1]), tonumber(p._stride[2]) }),
         strided(q, { size_of(q, 2), size_of(q, 3) }, { tonumber(q._stride[1]), tonumber(q._stride[2]) }))
   else
      x = op.func 'bmm'(p, q)
   end
   local sizes, strides, step = {}, {}, 1
   for i, label in ipairs(labels) do sizes[i] = sizes_of[label] end
   for i = #labels, 1, -1 do strides[i], step = step, step * sizes[i] end
   return { x = strided(x:contiguous(), sizes, strides), labels = labels }
end

local function cost(a, b, sizes_of)
   local total = 1
   for _, label in ipairs(a.labels) do total = total * sizes_of[label] end
   for _, label in ipairs(b.labels) do if not place(a.labels, label) then total = total * sizes_of[label] end end
   return total
end

-- The labels that occur in the result or in a term other than i and j.
local function wanted(terms, output, i, j)
   local keep = {}
   for _, label in ipairs(output) do keep[label] = true end
   for k, term in ipairs(terms) do
      if k ~= i and k ~= j then for _, label in ipairs(term.labels) do keep[label] = true end end
   end
   return keep
end

-- Contracts all terms to one, whose dimensions are those of `output`; a number if there are none.
local function evaluate(terms, output, sizes_of)
   for i, term in ipairs(terms) do
      local x, labels = diagonal(term.x, term.labels)
      x, labels = drop_ones(x, labels, sizes_of)
      terms[i] = { x = x, labels = labels }
   end
   for i, term in ipairs(terms) do
      local x, labels = sum_out(term.x, term.labels, wanted(terms, output, i))
      terms[i] = { x = x, labels = labels }
   end
   while #terms > 1 do
      local best, bi, bj = math.huge, 1, 2
      for i = 1, #terms do
         for j = i + 1, #terms do
            local c = cost(terms[i], terms[j], sizes_of)
            if c < best then best, bi, bj = c, i, j end
         end
      end
      local product = contract(terms[bi], terms[bj], wanted(terms, output, bi, bj), sizes_of)
      local x, labels = product.x, product.labels
      table.remove(terms, bj)
      terms[bi] = product
      x, labels = sum_out(x, labels, wanted(terms, output, bi))
      terms[bi] = { x = x, labels = labels }
   end
   local last = terms[1]
   if #output == 0 then return op.func 'sum'(last.x) end
   local y = spread(last.x, last.labels, output, sizes_of)
   return y:clone()
end

-- ---- the notation ---------------------------------------------------------------------------------------------------------

-- `level` counts from the function that fails up to torch.einsum's caller, as error's does.
local function fail(level, fmt, ...) error('torch.einsum: ' .. fmt:format(...), level + 1) end

-- 'i...j' gives { 'i', '...', 'j' }.
local function letters_of(text)
   local list, at, ellipsis = {}, 1, false
   while at <= #text do
      local c = text:sub(at, at)
      if text:sub(at, at + 2) == '...' then
         if ellipsis then fail(4, '"%s" has two ellipses', text) end
         ellipsis, c = true, '...'
      elseif not c:match '%a' then
         fail(4, 'a label must be a letter or an ellipsis, got "%s" in "%s"', c, text)
      end
      list[#list + 1] = c
      at = at + #c
   end
   return list
end

-- The labels of an operand. Its ellipsis becomes '...2', '...1', which count from the right.
local function labels_of(text, x, k)
   local letters, labels = letters_of(text), {}
   local hidden = x:dim() - #letters
   local elastic = place(letters, '...') ~= nil
   if elastic then hidden = hidden + 1 end
   if hidden < 0 or (hidden > 0 and not elastic) then
      fail(3, 'operand %d must have %s%d dimensions for "%s", got size %s', k, elastic and 'at least ' or '',
         elastic and #letters - 1 or #letters, text, arg.size_text(x))
   end
   for _, letter in ipairs(letters) do
      if letter == '...' then
         for i = hidden, 1, -1 do labels[#labels + 1] = '...' .. i end
      else
         labels[#labels + 1] = letter
      end
   end
   return labels, elastic and hidden or 0
end

local function sizes_of_labels(terms)
   local sizes = {}
   for _, term in ipairs(terms) do
      for d, label in ipairs(term.labels) do
         local n, known = size_of(term.x, d), sizes[label]
         if known == nil or (known == 1 and label:sub(1, 3) == '...') then
            sizes[label] = n
         elseif n ~= known and not (n == 1 and label:sub(1, 3) == '...') then
            if label:sub(1, 3) == '...' then fail(3, 'the dimensions of ellipses do not fit: sizes %d and %d', known, n) end
            fail(3, '"%s" has the sizes %d and %d', label, known, n)
         end
      end
   end
   return sizes
end

local function implicit_output(terms, hidden)
   local output, count, letters = {}, {}, {}
   for i = hidden, 1, -1 do output[#output + 1] = '...' .. i end
   for _, term in ipairs(terms) do
      for _, label in ipairs(term.labels) do count[label] = (count[label] or 0) + 1 end
   end
   for label, n in pairs(count) do if n == 1 and #label == 1 then letters[#letters + 1] = label end end
   table.sort(letters)
   for _, letter in ipairs(letters) do output[#output + 1] = letter end
   return output
end

local function explicit_output(text, sizes, hidden)
   local output = {}
   for _, letter in ipairs(letters_of(text)) do
      if letter == '...' then
         for i = hidden, 1, -1 do output[#output + 1] = '...' .. i end
      else
         if not sizes[letter] then fail(3, '"%s" occurs after -> but in no operand', letter) end
         if place(output, letter) then fail(3, '"%s" occurs twice after ->', letter) end
         output[#output + 1] = letter
      end
   end
   return output
end

--- Sums of products of tensors in Einstein's notation. Each operand has a letter for each of its dimensions; letters that do
-- not occur after -> are summed over. A letter twice in an operand means its diagonal; an ellipsis means the dimensions
-- without letters, which broadcast. Without -> the result has the letters that occur once, in alphabetical order.
-- Operands may also come in a table. All have one type. A result without dimensions is a number.
-- torch.einsum('ij,jk->ik', torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{{1, 0}, {0, 2}}) --> {{1, 4}, {3, 8}}
-- torch.einsum('ii', torch.Tensor{{1, 2}, {3, 4}}) --> 5
function einsum.einsum(equation, ...)
   if type(equation) ~= 'string' then arg.refuse('torch.einsum', 'equation', 'a string', equation) end
   local operands = { ... }
   local n = select('#', ...)
   if n == 1 and type(operands[1]) == 'table' then operands, n = operands[1], #operands[1] end
   local text = equation:gsub('%s', '')
   local inputs, output_text = text:match '^(.-)%->(.*)$'
   if not inputs then inputs = text end
   local parts = {}
   for part in (inputs .. ','):gmatch '(.-),' do parts[#parts + 1] = part end
   if n == 0 then fail(2, 'at least one operand is needed') end
   if #parts ~= n then fail(2, '"%s" speaks of %d operands, got %d', equation, #parts, n) end
   local terms, hidden = {}, 0
   for k = 1, n do
      local x = operands[k]
      arg.tensor('torch.einsum', 'operand ' .. k, x)
      if x:dim() == 0 then fail(2, 'operand %d is empty: a product needs an element of it', k) end
      if x._dtype ~= operands[1]._dtype then fail(2, 'operand %d must be a %s like the first, got a %s', k, operands[1]:type(), x:type()) end
      local labels, more = labels_of(parts[k], x, k)
      hidden = math.max(hidden, more)
      terms[k] = { x = x, labels = labels }
   end
   local sizes = sizes_of_labels(terms)
   local output = output_text and explicit_output(output_text, sizes, hidden) or implicit_output(terms, hidden)
   if #output > MAXDIM then fail(2, 'the result would have %d dimensions, at most %d are possible', #output, MAXDIM) end
   return evaluate(terms, output, sizes)
end

-- ---- tensordot, outer, kron -----------------------------------------------------------------------------------------------

local function dims_list(who, name, x, dims)
   if type(dims) ~= 'table' then arg.refuse(who, name, 'a table of dimensions', dims, 3) end
   local list = {}
   for i, d in ipairs(dims) do
      d = arg.whole(who, name, d)
      if d < 0 and d >= -x:dim() then d = d + x:dim() + 1 end
      list[i] = d
      if d < 1 or d > x:dim() then error(('%s: %s must lie in 1..%d, got %g'):format(who, name, x:dim(), d), 3) end
      for j = 1, i - 1 do if list[j] == d then error(('%s: %s names dimension %d twice'):format(who, name, d), 3) end end
   end
   return list
end

--- The product of two tensors, summed over the last n dimensions of a and the first n of b
-- (default: 2). Or it is summed over the dimensions of two lists. The other dimensions of a come
-- first in the result.
-- torch.tensordot(torch.ones(2, 3), torch.ones(3, 4), 1):size() --> {2, 4}
function einsum.tensordot(a, b, n, dims_b)
   local who = 'torch.tensordot'
   arg.tensor(who, 'a', a)
   arg.tensor(who, 'b', b)
   if a:dim() == 0 then arg.refuse(who, 'a', 'a tensor with elements', a) end
   if b:dim() == 0 then arg.refuse(who, 'b', 'a tensor with elements', b) end
   if a._dtype ~= b._dtype then arg.refuse(who, 'b', 'a ' .. a:type(), b) end
   local dims_a = n
   if n == nil or arg.number_of(n) then
      n = arg.whole(who, 'n', n or 2)
      if n < 0 or n > math.min(a:dim(), b:dim()) then
         error(('%s: n must lie in 0..%d, got %g'):format(who, math.min(a:dim(), b:dim()), n), 2)
      end
      dims_a, dims_b = {}, {}
      for i = 1, n do dims_a[i], dims_b[i] = a:dim() - n + i, i end
   end
   dims_a, dims_b = dims_list(who, 'dims of a', a, dims_a), dims_list(who, 'dims of b', b, dims_b)
   if #dims_a ~= #dims_b then error(('%s: as many dimensions of a as of b are needed, got %d and %d'):format(who, #dims_a, #dims_b), 2) end
   local sizes, labels_a, labels_b, output = {}, {}, {}, {}
   for d = 1, a:dim() do labels_a[d], sizes['a' .. d] = 'a' .. d, size_of(a, d) end
   for d = 1, b:dim() do labels_b[d], sizes['b' .. d] = 'b' .. d, size_of(b, d) end
   for i, d in ipairs(dims_a) do
      if size_of(a, d) ~= size_of(b, dims_b[i]) then
         error(('%s: dimension %d of a has size %d, dimension %d of b size %d'):format(who, d, size_of(a, d), dims_b[i],
            size_of(b, dims_b[i])), 2)
      end
      labels_b[dims_b[i]] = 'a' .. d
   end
   for d, label in ipairs(labels_a) do if not place(dims_a, d) then output[#output + 1] = label end end
   for d, label in ipairs(labels_b) do if not place(dims_b, d) then output[#output + 1] = label end end
   if #output > MAXDIM then
      error(('%s: the result would have %d dimensions, at most %d are possible'):format(who, #output, MAXDIM), 2)
   end
   return evaluate({ { x = a, labels = labels_a }, { x = b, labels = labels_b } }, output, sizes)
end

local function need_two(who, a, b, ndim, what)
   arg.tensor(who, 'a', a)
   arg.tensor(who, 'b', b)
   if a:dim() ~= ndim then arg.refuse(who, 'a', what, a, 3) end
   if b:dim() ~= ndim then arg.refuse(who, 'b', what, b, 3) end
   if a._dtype ~= b._dtype then arg.refuse(who, 'b', 'a ' .. a:type(), b, 3) end
end

--- The outer product of two vectors, of any one type: y[i][j] = a[i] * b[j].
-- torch.outer(torch.Tensor{1, 2}, torch.Tensor{3, 4}) --> {{3, 4}, {6, 8}}
function einsum.outer(a, b)
   need_two('torch.outer', a, b, 1, 'a vector')
   return einsum.einsum('i,j->ij', a, b)
end

--- The Kronecker product of two matrices: every element of a times all of b.
-- torch.kron(torch.Tensor{{1, 2}}, torch.Tensor{{1, 1}, {0, 1}}) --> {{1, 1, 2, 2}, {0, 1, 0, 2}}
function einsum.kron(a, b)
   need_two('torch.kron', a, b, 2, 'a matrix')
   return einsum.einsum('ij,kl->ikjl', a, b):view(a:size(1) * b:size(1), a:size(2) * b:size(2))
end

function einsum.install(torch)
   for _, name in ipairs { 'einsum', 'tensordot', 'outer', 'kron' } do torch[name] = einsum[name] end
   for _, name in ipairs { 'tensordot', 'outer', 'kron' } do tensor.base[name] = einsum[name] end
end

return einsum
