-- torch.view - views of tensors, and shapes that copy: methods of all types and functions of torch.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local arg = require 'torch.arg'
local op = require 'torch.op'
local index = require 'torch.index'
local C, new, check = lib.C, lib.new, lib.check

local Tensor, functions = {}, {}            -- the methods, and those that torch.<name> offers too

-- Views are methods of the source, and functions torch.<name>([result,] source, ...).
-- @param method  'with result': as result:<name>(source, ...), too, as in Torch7
local function view(name, f, method)
   functions[name] = function(first, second, ...)
      local third = ...
      arg.tensor(name, 'argument 1', first)
      if arg.is_tensor(second) and (name ~= 'expandAs' or arg.is_tensor(third)) then
         if first._dtype ~= second._dtype then arg.refuse(name, 'result', 'a ' .. second:type(), first) end
         local made = new()                                   -- apart: an error leaves the result as it was
         local y = f(made, second, ...)
         if made._dtype ~= 0 then C.th_tensor_alias(first, made) end       -- select of a vector makes no view
         return y == made and first or y
      end
      return f(new(), first, second, ...)
   end
   Tensor[name] = method and functions[name] or function(self, ...)
      return f(new(), self, ...)
   end
end

--- Tensor:narrow(dim, first, n), torch.narrow([result,] x, dim, first, n): A view of n positions of
-- dimension dim, from `first` on. n may be 0.
-- torch.range(1, 5):narrow(1, 2, 3) --> {2, 3, 4}
view('narrow', function(r, self, d, first, n)
   first, n = arg.whole('narrow', 'first', first), arg.whole('narrow', 'size', n)
   check(C.th_tensor_narrow(r, self, arg.dim('narrow', self, d), first - 1, n), 2)
   return r
end)

--- Tensor:select(dim, index), torch.select([result,] x, dim, index): A view of one index of dimension dim,
-- which disappears; of a vector the element itself, a number, whatever dim is.
-- torch.Tensor{{1, 2}, {3, 4}}:select(2, 1) --> {1, 3}
view('select', function(r, self, d, i)
   i = arg.whole('select', 'index', i)
   if arg.dims(self) ~= 1 then d = arg.dim('select', self, d) else arg.whole('select', 'dimension', d) end
   if self._ndim == 1 then
      if i < 1 or i > tonumber(self._size[0]) then
         error(('select: index must lie in 1..%d, got %d'):format(tonumber(self._size[0]), i), 2)
      end
      return index.element(self, self._offset + (i - 1) * self._stride[0])
   end
   check(C.th_tensor_select(r, self, d, i - 1), 2)
   return r
end)

--- Tensor:sub(first1, last1, ...), torch.sub([result,] x, first1, last1, ...): A view of ranges of the first
-- dimensions, ends included; negative positions count from the end.
-- torch.range(1, 5):sub(2, -2) --> {2, 3, 4}
view('sub', function(r, self, ...)
   local n = select('#', ...)
   if n < 2 or n % 2 ~= 0 then error('sub: pairs of first and last place are needed', 2) end
   if n / 2 > arg.dims(self) then error(('sub: %d ranges are too many for size %s'):format(n / 2, arg.size_text(self)), 2) end
   C.th_tensor_alias(r, self)
   for d = 0, n / 2 - 1 do
      local a, b = select(2 * d + 1, ...)
      index.narrow('sub', r, d, a, b)
   end
   return r
end)

--- Tensor:transpose(dim1, dim2), torch.transpose([result,] x, dim1, dim2): A view with two dimensions exchanged.
-- torch.Tensor(2, 3, 4):transpose(1, 3):size() --> {4, 3, 2}
view('transpose', function(r, self, a, b)
   check(C.th_tensor_transpose(r, self, arg.dim('transpose', self, a), arg.dim('transpose', self, b)), 2)
   return r
end)

--- Tensor:t(), torch.t([result,] x): A view of a matrix with rows and columns exchanged.
-- torch.Tensor{{1, 2}, {3, 4}}:t() --> {{1, 3}, {2, 4}}
view('t', function(r, self)
   if self._ndim ~= 2 then error(('t: the tensor must be a matrix, got size %s'):format(arg.size_text(self)), 2) end
   check(C.th_tensor_transpose(r, self, 0, 1), 2)
   return r
end)

--- Tensor:permute(dim1, dim2, ...), torch.permute([result,] x, dim1, ...): A view with the dimensions in another
-- order; all of them must be named.
-- torch.Tensor(2, 3, 4):permute(3, 1, 2):size() --> {4, 2, 3}
view('permute', function(r, self, ...)
   local n = select('#', ...)
   if n ~= arg.dims(self) then
      error(('permute: %d dimensions are needed, got %d'):format(arg.dims(self), n), 2)
   end
   local size, stride, seen = ffi.new 'int64_t[16]', ffi.new 'int64_t[16]', {}
   for i = 1, n do
      local d = arg.dim('permute', self, (select(i, ...)))
      if seen[d] then error(('permute: dimension %d is named twice'):format(d + 1), 2) end
      seen[d] = true
      size[i - 1], stride[i - 1] = self._size[d], self._stride[d]
   end
   C.th_tensor_alias(r, self)
   ffi.copy(r._size, size, 8 * n)
   ffi.copy(r._stride, stride, 8 * n)
   return r
end)

--- Tensor:unfold(dim, size, step), torch.unfold([result,] x, dim, size, step): A view of the windows of `size` elements
-- along dim, `step` apart, which lie in a new last dimension. Ops write into windows that overlap element after element, in
-- row-major order: x:unfold(1, 4, 2):add(frames) adds frames to a signal.
-- torch.range(1, 5):unfold(1, 3, 2) --> {{1, 2, 3}, {3, 4, 5}}
view('unfold', function(r, self, d, size, step)
   size, step = arg.whole('unfold', 'size', size), arg.whole('unfold', 'step', step)
   check(C.th_tensor_unfold(r, self, arg.dim('unfold', self, d), size, step), 2)
   return r
end)

--- Tensor:expand(sizes...), torch.expand([result,] x, sizes...): A view in which dimensions of size 1 are repeated without
-- copying; further dimensions may be added in front. Ops write into it element after element, in row-major order, so the last
-- value for an element stays. Written r:expand(x, sizes...), too.
-- torch.Tensor{{1}, {2}}:expand(2, 3) --> {{1, 1, 1}, {2, 2, 2}}
view('expand', function(r, self, ...)
   local sizes, n = arg.sizes('expand', ...)
   check(C.th_tensor_expand(r, self, n, sizes), 2, 'expand')
   return r
end, 'with result')

--- Tensor:expandAs(other), torch.expandAs([result,] x, other): x expanded to the size of another tensor. Written
-- r:expandAs(x, other), too.
-- torch.Tensor{{1}, {2}}:expandAs(torch.zeros(2, 2)) --> {{1, 1}, {2, 2}}
view('expandAs', function(r, self, other)
   other = arg.tensor('expandAs', 'tensor', other)
   check(C.th_tensor_expand(r, self, other._ndim, other._size), 2, 'expandAs')
   return r
end, 'with result')

--- Tensor:squeeze([dim]), torch.squeeze([result,] x, [dim]): A view without the dimensions of size 1, all or the
-- one named; if one element is all that remains, it is a number. Written r:squeeze(x, [dim]), too.
-- torch.Tensor(1, 2, 1, 3):squeeze():size() --> {2, 3}
view('squeeze', function(r, self, d)
   check(C.th_tensor_squeeze(r, self, d == nil and -1 or arg.dim('squeeze', self, d)), 2)
   if r._ndim == 1 and r._size[0] == 1 and self._ndim >= 1 and (d == nil or self._ndim == 1) then
      return index.element(r, r._offset)
   end
   return r
end, 'with result')

--- Tensor:unsqueeze(dim), torch.unsqueeze([result,] x, dim): A view with a further dimension of size 1 in position dim.
-- torch.Tensor(2, 3):unsqueeze(2):size() --> {2, 1, 3}
view('unsqueeze', function(r, self, d)
   local n, given = arg.dims(self), d
   if n ~= self._ndim then error('unsqueeze: the tensor must not be empty', 2) end       -- a size of 1 would claim an element
   d = arg.whole_of(d)
   if not d or d < 1 or d > n + 1 then
      error(('unsqueeze: dimension must lie in 1..%d, got %s'):format(n + 1, tostring(given)), 2)
   end
   if n == C.TH_MAXDIM then error(('unsqueeze: a tensor has at most %d dimensions'):format(n), 2) end
   C.th_tensor_alias(r, self)
   for i = n, d, -1 do r._size[i], r._stride[i] = r._size[i - 1], r._stride[i - 1] end
   r._stride[d - 1] = d <= n and r._size[d] * r._stride[d] or 1
   r._size[d - 1] = 1
   r._ndim = n + 1
   return r
end)

local function reshape_view(who, r, self, n, sizes)
   local known, free = 1, nil
   for d = 0, n - 1 do
      if sizes[d] == -1 then
         if free then error(who .. ': one size at most may be -1', 2) end
         free = d
      else
         known = known * tonumber(sizes[d])
      end
   end
   local count = self:nElement()
   if free then
      if known == 0 or count % known ~= 0 then
         error(('%s: %d elements do not divide into the other sizes'):format(who, count), 2)
      end
      sizes[free] = count / known
      known = count
   end
   if known ~= count then
      error(('%s: the new size must have %d elements, got %d'):format(who, count, known), 2)
   end
   if C.th_tensor_is_contiguous(self) == 0 then
      error(who .. ': the tensor must be contiguous; call :contiguous() first', 2)
   end
   local from = self                                          -- r may be self
   if r == self then from = new(); C.th_tensor_alias(from, self) end
   check(C.th_tensor_set(r, from._dtype, from._storage, from._offset, n, sizes, nil), 2, who)
   return r
end

--- Tensor:view(sizes...), torch.view(x, sizes...): The same elements in another shape, without copying; one size may be -1. The
-- tensor must be contiguous. result:view(x, sizes...) makes `result` the view.
-- torch.range(1, 6):view(2, -1) --> {{1, 2, 3}, {4, 5, 6}}
function Tensor:view(first, ...)
   if arg.is_tensor(first) then
      local sizes, n = arg.sizes('view', ...)
      return reshape_view('view', self, first, n, sizes)
   end
   local sizes, n = arg.sizes('view', first, ...)
   return reshape_view('view', new(), self, n, sizes)
end
functions.view = Tensor.view

local function view_as(r, self, other)
   other = arg.tensor('viewAs', 'tensor', other)
   local sizes = ffi.new 'int64_t[16]'
   ffi.copy(sizes, other._size, 8 * other._ndim)
   return reshape_view('viewAs', r, self, other._ndim, sizes)
end
--- Tensor:viewAs(other), torch.viewAs(x, other): x in the shape of another tensor, without copying.
-- torch.range(1, 4):viewAs(torch.zeros(2, 2)) --> {{1, 2}, {3, 4}}
function Tensor:viewAs(first, second)
   if second ~= nil then return view_as(self, arg.tensor('viewAs', 'argument 2', first), second) end
   return view_as(new(), self, first)
end
functions.viewAs = Tensor.viewAs

-- ---- shapes that copy --------------------------------------------------------------------------------------------------------

--- Tensor:reshape(sizes...), torch.reshape([result,] x, sizes...): A copy in another shape with the same number of elements. One
-- size may be -1: it follows from the others.
-- torch.range(1, 4):reshape(2, 2) --> {{1, 2}, {3, 4}}
local function reshape(r, self, ...)
   local sizes, n = arg.sizes('reshape', ...)
   local total, open = 1, nil
   for d = 0, n - 1 do
      if sizes[d] == -1 and not open then open = d else total = total * tonumber(sizes[d]) end
   end
   if open and total > 0 and self:nElement() % total == 0 then
      sizes[open] = self:nElement() / total
      total = self:nElement()
   elseif open then
      total = -total
   end
   if total ~= self:nElement() then
      error(('reshape: the new size must have %d elements, got %d'):format(self:nElement(), total), 3)
   end
   local source = new()
   lib.call('reshape', C.th_tensor_clone, source, self)
   if r then
      if r._dtype ~= self._dtype then arg.refuse('reshape', 'result', 'a ' .. self:type(), r, 3) end
      lib.call('reshape', C.th_tensor_resize, r, self._dtype, n, sizes, nil)
      return op.method 'copy' (r, reshape_view('reshape', new(), source, n, sizes))
   end
   return reshape_view('reshape', new(), source, n, sizes)
end
function Tensor:reshape(first, ...)
   if arg.is_tensor(first) then return reshape(self, first, ...) end
   return reshape(nil, self, first, ...)
end
functions.reshape = Tensor.reshape

--- Tensor:repeatTensor(counts...), torch.repeatTensor([result,] x, counts...): Copies of x, so many along each dimension; extra
-- counts add dimensions in front.
-- torch.Tensor{1, 2}:repeatTensor(2, 2) --> {{1, 2, 1, 2}, {1, 2, 1, 2}}
local function repeat_tensor(r, self, ...)
   local counts, n = arg.sizes('repeatTensor', ...)
   local m = arg.dims(self)
   if n < m or m == 0 then
      error(('repeatTensor: at least %d counts are needed, got %d'):format(math.max(m, 1), n), 3)
   end
   local size = ffi.new 'int64_t[16]'
   for d = 0, n - 1 do
      if counts[d] < 0 then error(('repeatTensor: count %d must not be negative'):format(d + 1), 3) end
      size[d] = d < n - m and 1 or self._size[d - (n - m)]
   end
   local result = new()
   local full = ffi.new 'int64_t[16]'
   for d = 0, n - 1 do full[d] = size[d] * counts[d] end
   lib.call('repeatTensor', C.th_tensor_resize, result, self._dtype, n, full, nil)
   -- The result as blocks: dimension d splits into counts[d] times size[d]; the source repeats along the first of each pair.
   if 2 * n > C.TH_MAXDIM then error('repeatTensor: too many dimensions', 3) end
   local to_size, from_stride, to_stride = ffi.new 'int64_t[16]', ffi.new 'int64_t[16]', ffi.new 'int64_t[16]'
   for d = 0, n - 1 do
      to_size[2 * d], to_size[2 * d + 1] = counts[d], size[d]
      to_stride[2 * d], to_stride[2 * d + 1] = size[d] * result._stride[d], result._stride[d]
      from_stride[2 * d + 1] = d < n - m and 0 or self._stride[d - (n - m)]
   end
   if result:nElement() > 0 then
      local to, from = new(), new()
      check(C.th_tensor_set(to, self._dtype, result._storage, 0, 2 * n, to_size, to_stride), 3)
      check(C.th_tensor_set(from, self._dtype, self._storage, self._offset, 2 * n, to_size, from_stride), 3)
      op.method 'copy' (to, from)
   end
   if not r then return result end
   if r._dtype ~= self._dtype then arg.refuse('repeatTensor', 'result', 'a ' .. self:type(), r, 3) end
   C.th_tensor_alias(r, result)
   return r
end
function Tensor:repeatTensor(first, ...)
   if arg.is_tensor(first) then return repeat_tensor(self, first, ...) end
   return repeat_tensor(nil, self, first, ...)
end
functions.repeatTensor = Tensor.repeatTensor

-- The number of parts, or of indices in each. It may have a fraction.
local function need_part(who, what, v)
   v = arg.number(who, what, v)
   if v >= 1 and v <= 2 ^ 53 then return v end
   error(('%s: %s must be at least 1, got %s'):format(who, what, tostring(v)), 3)
end

-- Views of consecutive parts. Each begins `size` after the one before; Torch7 cut the fraction off after that addition.
-- @param result  a table to fill
local function parts(who, result, self, size, d)
   d = d or 1
   local n = tonumber(self._size[arg.dim(who, self, d)])
   for i = #result, 1, -1 do result[i] = nil end
   for first = 1, n, size do
      result[#result + 1] = self:narrow(d, first, math.min(size, n - first + 1))
   end
   return result
end

--- Parts of `size` indices along dimension d (1), the last one maybe shorter: a table of views.
-- torch.range(1, 5):split(2) --> {{1, 2}, {3, 4}, {5}}
function Tensor:split(size, d) return parts('split', {}, self, need_part('split', 'size', size), d) end

--- n parts of equal size along dimension d (1), the last one maybe shorter.
-- torch.range(1, 5):chunk(2) --> {{1, 2, 3}, {4, 5}}
function Tensor:chunk(n, d)
   n = need_part('chunk', 'count', n)
   local size = tonumber(self._size[arg.dim('chunk', self, d or 1)])
   return parts('chunk', {}, self, math.max(1, math.ceil(size / n)), d)
end

function functions.split(first, ...)
   local self, size, d = ...
   if type(first) == 'table' then
      return parts('split', first, arg.tensor('split', 'tensor', self), need_part('split', 'size', size), d)
   end
   return arg.tensor('split', 'tensor', first):split(...)
end

function functions.chunk(first, ...)
   local self = ...
   if type(first) == 'table' then
      local got = arg.tensor('chunk', 'tensor', self):chunk(select(2, ...))
      for i = 1, math.max(#first, #got) do first[i] = got[i] end
      return first
   end
   return arg.tensor('chunk', 'tensor', first):chunk(...)
end

-- As methods they also take the table to fill in front: x.split(parts, x, 2).
for _, name in ipairs { 'split', 'chunk' } do
   local own, fill = Tensor[name], functions[name]
   Tensor[name] = function(self, a, b, c)
      if type(self) == 'table' then return fill(self, a, b, c) end
      return own(arg.tensor(name, 'argument 1', self), a, b)
   end
   arg.behind[Tensor[name]] = own
end

return { methods = Tensor, functions = functions }
