-- torch.tensor - tensors: construction, views, shape, and the metatype that makes x[i], x:add(y) and x * y work.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local class = require 'torch.class'
local dtype = require 'torch.dtype'
local arg = require 'torch.arg'
local op = require 'torch.op'
local storage = require 'torch.storage'
local index = require 'torch.index'
local C, new, check, tensor_t = lib.C, lib.new, lib.check, lib.tensor_t

local tensor = { methods = {} }
local Tensor = {}                           -- methods of all nine types
local functions = {}                        -- those that torch.<name> offers too

local default_dtype = dtype.id.Double
local no_size = ffi.new('int64_t[1]')

local constructor_names = {}
for d, name in ipairs(dtype.names) do constructor_names[d] = 'torch.' .. name .. 'Tensor' end

-- ---- construction ---------------------------------------------------------------------------------------------------

--- An empty tensor of a dtype: one dimension of size 0 inside.
local function empty(d)
   local t = new()
   t._dtype, t._ndim, t._stride[0] = d, 1, 1
   return t
end
tensor.empty = empty
op.set_default_tensor(function() return empty(default_dtype) end)

--- A packed tensor of these sizes (an int64_t array of n); its elements are 0.
-- @param who  for the error message (optional: the constructor)
function tensor.zeros(d, n, sizes, who)
   local t = new()
   lib.call(who or constructor_names[d], C.th_tensor_resize, t, d, n, sizes, nil)
   local count = tonumber(C.th_tensor_numel(t))
   if count > 0 then ffi.fill(t._storage.data, count * dtype.bytes[d]) end
   return t
end

-- The sizes of a nested table; every level must be even.
local function shape_of_table(t, who)
   local sizes = {}
   local level = t
   while type(level) == 'table' do
      sizes[#sizes + 1] = #level
      level = level[1]
   end
   if #sizes > C.TH_MAXDIM then error(('%s: a tensor has at most %d dimensions'):format(who, C.TH_MAXDIM), 4) end
   return sizes
end

local function write_table(who, d, p, t, sizes, depth, at)
   if type(t) ~= 'table' or #t ~= sizes[depth] then
      error(('%s: the table must have %d elements at every place of level %d, got %s'):format(who, sizes[depth], depth,
         type(t) == 'table' and #t or arg.describe(t)), 5)
   end
   for i = 1, #t do
      if depth < #sizes then
         at = write_table(who, d, p, t[i], sizes, depth + 1, at)
      else
         local v = t[i]
         if type(v) ~= 'number' then
            v = type(v) == 'cdata' and tonumber(v) or error(('%s: element %d must be a number, got %s'):format(who, i,
               arg.describe(v)), 5)
         end
         dtype.write(d, p, at, v)
         at = at + 1
      end
   end
   return at
end

local function from_table(d, t, who)
   local sizes = shape_of_table(t, who)
   if sizes[1] == 0 then return empty(d) end
   local n, total = #sizes, 1
   for i = 1, n do total = total * sizes[i] end
   local r = tensor.zeros(d, n, ffi.new('int64_t[?]', n, sizes))
   if total > 0 then write_table(who, d, r._storage.data, t, sizes, 1, 0) end
   return r
end

local function is_long_storage(v) return arg.is_storage(v) and v.s.dtype == C.TH_I64 end

-- (storage, offset, sizes [, strides]) with storages, or (storage, offset, size1, stride1, size2, stride2, ...)
local function set_from_storage(t, d, who, s, offset, sizes, strides, ...)
   if s.s.dtype ~= d then
      error(('%s: the storage must be a torch.%sStorage, got %s'):format(who, dtype.names[d], arg.describe(s)), 4)
   end
   if offset == nil then
      local n = ffi.new('int64_t[1]', s.s.size)
      check(C.th_tensor_set(t, d, s.s, 0, 1, n, nil), 4)
      return t
   end
   arg.whole(who, 'offset', offset)
   if sizes == nil then
      check(C.th_tensor_set(t, d, s.s, offset - 1, 1, no_size, nil), 4)
   elseif arg.is_storage(sizes) or type(sizes) == 'table' then
      local size, n = arg.sizes(who, sizes)
      local stride, m
      if strides ~= nil then
         stride, m = arg.sizes(who, strides)
         if m ~= n then error(('%s: as many strides as sizes are needed: %d, got %d'):format(who, n, m), 4) end
      end
      check(C.th_tensor_set(t, d, s.s, offset - 1, n, size, stride), 4)
   else
      local given = { sizes, strides, ... }
      local n = math.ceil((select('#', ...) + 2) / 2)
      if n > C.TH_MAXDIM then error(('%s: a tensor has at most %d dimensions, got %d'):format(who, C.TH_MAXDIM, n), 4) end
      local size, stride = ffi.new('int64_t[16]'), ffi.new('int64_t[16]')
      for i = 1, n do size[i - 1] = arg.whole(who, 'size ' .. i, given[2 * i - 1]) end
      local step = 1
      for i = n, 1, -1 do
         local given_stride = given[2 * i]
         stride[i - 1] = given_stride == nil and step or arg.whole(who, 'stride ' .. i, given_stride)
         step = step * tonumber(size[i - 1])
      end
      check(C.th_tensor_set(t, d, s.s, offset - 1, n, size, stride), 4)
   end
   return t
end

-- torch.FloatTensor(...): nothing, sizes, a table of numbers, a tensor to view, or a storage with offset, sizes, strides.
-- A LongStorage alone means sizes, but a LongTensor views it, as in Torch7.
local function construct(d, first, ...)
   local who = 'torch.' .. dtype.names[d] .. 'Tensor'
   if first == nil then
      if select('#', ...) > 0 then arg.refuse(who, 'argument 1', 'a size, a table, a tensor or a storage', nil, 3) end
      return empty(d)
   end
   if type(first) == 'number' then
      local sizes, n = arg.sizes(who, first, ...)
      return tensor.zeros(d, n, sizes)
   elseif type(first) == 'table' then
      return from_table(d, first, who)
   elseif arg.is_tensor(first) then
      if first._dtype ~= d then arg.refuse(who, 'argument 1', 'a ' .. who, first, 3) end
      local t = new()
      C.th_tensor_alias(t, first)
      return t
   elseif is_long_storage(first) and (d ~= C.TH_I64 or is_long_storage((...))) and type((...)) ~= 'number' then
      local sizes, n = arg.sizes(who, first)
      local strides = ...
      if strides == nil then return tensor.zeros(d, n, sizes) end
      local t, stride, m = new(), arg.sizes(who, strides)
      if m ~= n then error(('%s: as many strides as sizes are needed: %d, got %d'):format(who, n, m), 3) end
      lib.call(who, C.th_tensor_resize, t, d, n, sizes, stride)
      return t
   elseif arg.is_storage(first) then
      return set_from_storage(new(), d, who, first, ...)
   end
   arg.refuse(who, 'argument 1', 'a size, a table, a tensor or a storage', first, 3)
end

--- A tensor with the elements of a (nested) table. @param name  'float', 'torch.FloatTensor', ... (default: torch.Tensor's)
function tensor.tensor(values, name)
   local d = default_dtype
   if name ~= nil then d = tensor.dtype_of(name, 'torch.tensor') end
   if type(values) == 'number' then
      local t = new()
      lib.call('torch.tensor', C.th_tensor_resize, t, d, 0, no_size, nil)
      dtype.write(d, t._storage.data, 0, values)
      return t
   end
   if type(values) ~= 'table' then arg.refuse('torch.tensor', 'values', 'a number or a table', values) end
   return from_table(d, values, 'torch.tensor')
end

--- The dtype named 'float', 'Float' or 'torch.FloatTensor'.
function tensor.dtype_of(name, who)
   if type(name) == 'string' then
      local short = name:match '^torch%.(%w+)Tensor$' or name
      for i, n in ipairs(dtype.names) do if n:lower() == short:lower() then return i end end
   end
   arg.refuse(who, 'type', 'the name of a tensor type', name, 3)
end

-- ---- asking -----------------------------------------------------------------------------------------------------------

-- Torch7's empty tensor has no dimension; inside it has one of size 0.
local function dims(t)
   local n = t._ndim
   if n == 1 and t._size[0] == 0 then return 0 end
   return n
end

--- Number of dimensions; 0 for an empty tensor and for a single number.
function Tensor:dim() return dims(self) end
Tensor.nDimension = Tensor.dim

local function need_dim(who, self, d)
   local n = dims(self)
   if type(d) ~= 'number' or not (d >= 1 and d <= n and d % 1 == 0) then
      if type(d) ~= 'number' then arg.refuse(who, 'dimension', 'a number', d, 3) end
      error(('%s: dimension must lie in 1..%d, got %s'):format(who, n, tostring(d)), 3)
   end
   return d - 1
end

local function long_storage(p, n)
   local s = storage.new(C.TH_I64, n, false)
   if n > 0 then ffi.copy(s.s.data, p, n * 8) end
   return s
end

--- x:size() is a LongStorage, x:size(d) a number.
function Tensor:size(d)
   if d == nil then return long_storage(self._size, dims(self)) end
   return tonumber(self._size[need_dim('size', self, d)])
end

--- x:stride() is a LongStorage, x:stride(d) a number of elements.
function Tensor:stride(d)
   if d == nil then return long_storage(self._stride, dims(self)) end
   return tonumber(self._stride[need_dim('stride', self, d)])
end

function Tensor:nElement() return tonumber(C.th_tensor_numel(self)) end
Tensor.numel = Tensor.nElement

--- The storage that x views; nil when it has none. Two tensors that share memory have equal storages.
function Tensor:storage()
   if self._storage == nil then return nil end
   return storage.of(self._storage)
end

--- Place of the first element in the storage, from 1.
function Tensor:storageOffset() return tonumber(self._offset) + 1 end
function Tensor:elementSize() return dtype.bytes[self._dtype] end

--- Bytes that the elements take.
function Tensor:bytes() return self:nElement() * dtype.bytes[self._dtype] end

function Tensor:isContiguous() return C.th_tensor_is_contiguous(self) ~= 0 end

local function same_shape(a, b)
   if a._ndim ~= b._ndim then return false end
   for d = 0, a._ndim - 1 do if a._size[d] ~= b._size[d] then return false end end
   return true
end

function Tensor:isSameSizeAs(other) return same_shape(self, arg.tensor('isSameSizeAs', 'tensor', other)) end

--- Whether the sizes are those of a LongStorage.
function Tensor:isSize(sizes)
   if not arg.is_storage(sizes) then arg.refuse('isSize', 'sizes', 'a LongStorage', sizes) end
   if #sizes ~= dims(self) then return false end
   for d = 1, #sizes do if self._size[d - 1] ~= sizes[d] then return false end end
   return true
end

--- Whether x and other are the same view of the same storage.
function Tensor:isSetTo(other)
   arg.tensor('isSetTo', 'tensor', other)
   if self._storage == nil or self._storage ~= other._storage or self._offset ~= other._offset
      or not same_shape(self, other) then return false end
   for d = 0, self._ndim - 1 do if self._stride[d] ~= other._stride[d] then return false end end
   return true
end

--- The elements as a pointer of their C type; NULL for an empty tensor. Valid as long as the storage lives and does not grow.
function Tensor:data()
   local p = dtype.pointer[self._dtype]
   if self._storage == nil then return ffi.cast(p, nil) end
   return ffi.cast(p, self._storage.data) + self._offset
end
function Tensor:cdata() return self end
function Tensor:retain() return self end

--- Releases the memory now instead of when the collector comes; x is empty afterwards.
function Tensor:free()
   local d = self._dtype
   C.th_tensor_release(self)
   self._dtype, self._ndim, self._stride[0] = d, 1, 1
   return self
end

--- The elements as nested tables.
function Tensor:totable()
   if self._ndim == 0 then return index.element(self, self._offset) end
   local function level(d, at)
      local t, n, step = {}, tonumber(self._size[d]), self._stride[d]
      for i = 1, n do
         t[i] = d == self._ndim - 1 and index.element(self, at) or level(d + 1, at)
         at = at + step
      end
      return t
   end
   return level(0, self._offset)
end

--- The only element, as a number.
function Tensor:item()
   if self:nElement() ~= 1 then
      error(('item: the tensor must have one element, got size %s'):format(arg.size_text(self)), 2)
   end
   return index.element(self, self._offset)
end

-- ---- types ------------------------------------------------------------------------------------------------------------

function Tensor:clone()
   local t = new()
   lib.call('clone', C.th_tensor_clone, t, self)
   return t
end

--- x itself if its elements lie one after the other, else a packed copy.
function Tensor:contiguous()
   if C.th_tensor_is_contiguous(self) ~= 0 then return self end
   return self:clone()
end

local function convert(self, d)
   if d == self._dtype then return self end
   local t = new()
   lib.call('convert', C.th_tensor_resize, t, d, self._ndim, self._size, nil)
   return op.method 'copy' (t, self)
end

--- x:type() is the type's name; x:type(name) is x in that type: itself if it has it already, else a copy.
function Tensor:type(name)
   if name == nil then return 'torch.' .. dtype.names[self._dtype] .. 'Tensor' end
   return convert(self, tensor.dtype_of(name, 'type'))
end

function Tensor:typeAs(other) return convert(self, arg.tensor('typeAs', 'tensor', other)._dtype) end

for d, name in ipairs(dtype.names) do
   Tensor[name:lower()] = function(self) return convert(self, d) end
end

--- x in the type of torch.Tensor: itself if it has it already, else a copy.
function Tensor:real() return convert(self, default_dtype) end

--- A tensor of the same type: x:new(), x:new(2, 3), ... as the type's constructor takes them.
function Tensor:new(...) return construct(self._dtype, ...) end

-- ---- shape ----------------------------------------------------------------------------------------------------------------

--- Changes the sizes; elements keep their order in memory, and new memory comes as it is.
function Tensor:resize(first, ...)
   if arg.is_tensor(first) then first = first:size() end
   local sizes, n = arg.sizes('resize', first, ...)
   local stride
   if arg.is_storage(first) and select('#', ...) > 0 then
      local strides, m = arg.sizes('resize', (...))
      if m ~= n then error(('resize: as many strides as sizes are needed: %d, got %d'):format(n, m), 2) end
      stride = strides
   end
   lib.call('resize', C.th_tensor_resize, self, self._dtype, n, sizes, stride)
   return self
end

--- Takes the size of another tensor. Nothing happens when it has it already.
function Tensor:resizeAs(other)
   arg.tensor('resizeAs', 'tensor', other)
   if not same_shape(self, other) then
      lib.call('resizeAs', C.th_tensor_resize, self, self._dtype, other._ndim, other._size, nil)
   end
   return self
end

--- Makes x view something else: x:set(tensor), x:set(storage [, offset, sizes, strides]), x:set() empties it.
function Tensor:set(first, ...)
   if first == nil then
      return self:free()
   elseif arg.is_tensor(first) then
      if first._dtype ~= self._dtype then arg.refuse('set', 'tensor', 'a ' .. self:type(), first) end
      C.th_tensor_alias(self, first)
      return self
   elseif arg.is_storage(first) then
      return set_from_storage(self, self._dtype, 'set', first, ...)
   end
   arg.refuse('set', 'source', 'a tensor or a storage', first)
end

-- Views come as methods of the source, and as torch.<name>([result,] source, ...).
local function view(name, f)
   Tensor[name] = function(self, ...)
      return f(new(), self, ...)
   end
   functions[name] = function(first, second, ...)
      arg.tensor(name, 'argument 1', first)
      if arg.is_tensor(second) and (name ~= 'viewAs' and name ~= 'expandAs' or arg.is_tensor((...))) then
         return f(first, second, ...)
      end
      return f(new(), first, second, ...)
   end
end

--- Part of a dimension: n places from `first` on.
view('narrow', function(r, self, d, first, n)
   arg.whole('narrow', 'first', first)
   arg.whole('narrow', 'size', n)
   check(C.th_tensor_narrow(r, self, need_dim('narrow', self, d), first - 1, n), 2)
   return r
end)

--- One place of a dimension, which disappears; of a vector: the element itself.
view('select', function(r, self, d, i)
   arg.whole('select', 'index', i)
   d = need_dim('select', self, d)
   if self._ndim == 1 then
      if i < 1 or i > tonumber(self._size[0]) then
         error(('select: index must lie in 1..%d, got %d'):format(tonumber(self._size[0]), i), 2)
      end
      return index.element(self, self._offset + (i - 1) * self._stride[0])
   end
   check(C.th_tensor_select(r, self, d, i - 1), 2)
   return r
end)

--- Ranges of up to four dimensions, ends included; negative places count from the end.
view('sub', function(r, self, ...)
   local n = select('#', ...)
   if n < 2 or n % 2 ~= 0 then error('sub: pairs of first and last place are needed', 2) end
   if n / 2 > dims(self) then error(('sub: %d ranges are too many for size %s'):format(n / 2, arg.size_text(self)), 2) end
   C.th_tensor_alias(r, self)
   for d = 0, n / 2 - 1 do
      local a, b = select(2 * d + 1, ...)
      index.narrow('sub', r, d, a, b)
   end
   return r
end)

--- Exchanges two dimensions.
view('transpose', function(r, self, a, b)
   check(C.th_tensor_transpose(r, self, need_dim('transpose', self, a), need_dim('transpose', self, b)), 2)
   return r
end)

--- The transposed matrix.
view('t', function(r, self)
   if self._ndim ~= 2 then error(('t: the tensor must be a matrix, got size %s'):format(arg.size_text(self)), 2) end
   check(C.th_tensor_transpose(r, self, 0, 1), 2)
   return r
end)

--- Orders the dimensions anew: x:permute(3, 1, 2).
view('permute', function(r, self, ...)
   local n = select('#', ...)
   if n ~= dims(self) then
      error(('permute: %d dimensions are needed, got %d'):format(dims(self), n), 2)
   end
   local size, stride, seen = ffi.new 'int64_t[16]', ffi.new 'int64_t[16]', {}
   for i = 1, n do
      local d = need_dim('permute', self, (select(i, ...)))
      if seen[d] then error(('permute: dimension %d is named twice'):format(d + 1), 2) end
      seen[d] = true
      size[i - 1], stride[i - 1] = self._size[d], self._stride[d]
   end
   C.th_tensor_alias(r, self)
   ffi.copy(r._size, size, 8 * n)
   ffi.copy(r._stride, stride, 8 * n)
   return r
end)

--- Windows of `size` along a dimension, `step` apart, in a new last dimension.
view('unfold', function(r, self, d, size, step)
   arg.whole('unfold', 'size', size)
   arg.whole('unfold', 'step', step)
   check(C.th_tensor_unfold(r, self, need_dim('unfold', self, d), size, step), 2)
   return r
end)

--- Repeats dimensions of size 1 without copying.
view('expand', function(r, self, ...)
   local sizes, n = arg.sizes('expand', ...)
   check(C.th_tensor_expand(r, self, n, sizes), 2)
   return r
end)

view('expandAs', function(r, self, other)
   arg.tensor('expandAs', 'tensor', other)
   check(C.th_tensor_expand(r, self, other._ndim, other._size), 2)
   return r
end)

--- Drops dimensions of size 1, all or the one named; if one element is all that remains, it is a number.
view('squeeze', function(r, self, d)
   check(C.th_tensor_squeeze(r, self, d == nil and -1 or need_dim('squeeze', self, d)), 2)
   if r._ndim == 1 and r._size[0] == 1 and self._ndim >= 1 and (d == nil or self._ndim == 1) then
      return index.element(r, r._offset)
   end
   return r
end)

--- Adds a dimension of size 1 at place d.
view('unsqueeze', function(r, self, d)
   local n = dims(self)
   if type(d) ~= 'number' or not (d >= 1 and d <= n + 1 and d % 1 == 0) then
      error(('unsqueeze: dimension must lie in 1..%d, got %s'):format(n + 1, tostring(d)), 2)
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
   check(C.th_tensor_set(r, from._dtype, from._storage, from._offset, n, sizes, nil), 2)
   return r
end

--- The same elements in another shape; one size may be -1. The tensor must be contiguous.
-- x:view(2, -1), or result:view(x, 2, -1).
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
   arg.tensor('viewAs', 'tensor', other)
   local sizes = ffi.new 'int64_t[16]'
   ffi.copy(sizes, other._size, 8 * other._ndim)
   return reshape_view('viewAs', r, self, other._ndim, sizes)
end
function Tensor:viewAs(first, second)
   if second ~= nil then return view_as(self, first, second) end
   return view_as(new(), self, first)
end
functions.viewAs = Tensor.viewAs

-- ---- shapes that copy --------------------------------------------------------------------------------------------------------

--- A copy in another shape with the same number of elements: torch.reshape([result,] x, sizes).
local function reshape(r, self, ...)
   local sizes, n = arg.sizes('reshape', ...)
   local total = 1
   for d = 0, n - 1 do total = total * tonumber(sizes[d]) end
   if total ~= self:nElement() then
      error(('reshape: the new size must have %d elements, got %d'):format(self:nElement(), total), 3)
   end
   local source = self:clone()
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

-- Repeats x so often along each dimension; more counts than dimensions add dimensions in front.
local function repeat_tensor(r, self, ...)
   local counts, n = arg.sizes('repeatTensor', ...)
   local m = dims(self)
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

-- Views of consecutive parts; `result` is a table to fill (optional).
local function parts(who, result, self, size, d)
   d = d or 1
   local n = tonumber(self._size[need_dim(who, self, d)])
   if size < 1 then error(('%s: the size of a part must be at least 1, got %d'):format(who, size), 3) end
   for i = #result, 1, -1 do result[i] = nil end
   for first = 1, n, size do
      result[#result + 1] = self:narrow(d, first, math.min(size, n - first + 1))
   end
   return result
end

--- Parts of `size` places along dimension d (1), the last one maybe shorter: a table of views.
function Tensor:split(size, d) return parts('split', {}, self, arg.whole('split', 'size', size), d) end

--- n parts of equal size along dimension d (1), the last one maybe shorter.
function Tensor:chunk(n, d)
   arg.whole('chunk', 'count', n)
   if n < 1 then error(('chunk: count must be at least 1, got %d'):format(n), 2) end
   local size = tonumber(self._size[need_dim('chunk', self, d or 1)])
   return parts('chunk', {}, self, math.max(1, math.ceil(size / n)), d)
end

function functions.split(first, ...)
   if type(first) == 'table' then
      local self, size, d = ...
      return parts('split', first, arg.tensor('split', 'tensor', self), arg.whole('split', 'size', size), d)
   end
   return arg.tensor('split', 'tensor', first):split(...)
end

function functions.chunk(first, ...)
   if type(first) == 'table' then
      local got = arg.tensor('chunk', 'tensor', (...)):chunk(select(2, ...))
      for i = 1, math.max(#first, #got) do first[i] = got[i] end
      return first
   end
   return arg.tensor('chunk', 'tensor', first):chunk(...)
end

for _, name in ipairs { 'isSameSizeAs', 'isSize', 'isSetTo', 'nElement', 'numel', 'isContiguous', 'nDimension', 'data',
   'cdata' } do
   functions[name] = Tensor[name]
end

-- ---- operators -----------------------------------------------------------------------------------------------------------------

local is_tensor = arg.is_tensor

local operators = {}

function operators.add(a, b)
   if type(a) == 'number' then a, b = b, a end
   return op.func 'add' (a, b)
end

function operators.sub(a, b)
   if type(a) == 'number' then return op.method 'add' (op.func 'mul' (b, -1), a) end
   if type(b) == 'number' then return op.func 'add' (a, -b) end
   return op.func 'add' (a, -1, b)
end

--- number * tensor, matrix * vector, matrix * matrix, vector * vector (their dot product).
function operators.mul(a, b)
   if type(a) == 'number' then return op.func 'mul' (b, a) end
   if type(b) == 'number' then return op.func 'mul' (a, b) end
   if is_tensor(a) and is_tensor(b) then
      if a._ndim == 1 and b._ndim == 1 then return op.func 'dot' (a, b) end
      if a._ndim == 2 and b._ndim == 1 then return op.func 'mv' (a, b) end
      if a._ndim == 2 and b._ndim == 2 then return op.func 'mm' (a, b) end
      error(('cannot multiply sizes %s and %s: vectors and matrices can; for products of elements use torch.cmul')
         :format(arg.size_text(a), arg.size_text(b)), 3)
   end
   arg.refuse('*', 'operand', 'a tensor or a number', is_tensor(a) and b or a, 3)
end

function operators.div(a, b)
   if type(a) == 'number' then return op.method 'mul' (op.func 'pow' (b, -1), a) end
   if type(b) == 'number' then return op.func 'div' (a, b) end
   return op.func 'cdiv' (a, b)
end

function operators.mod(a, b)
   if type(b) ~= 'number' then return op.func 'cremainder' (a, b) end
   return op.func 'remainder' (a, b)
end

function operators.unm(a) return op.func 'mul' (a, -1) end

-- ---- the types --------------------------------------------------------------------------------------------------------------------

local methods = tensor.methods              -- dtype -> the table that users may extend
local get, set = index.get, index.set

-- An op becomes a method when it is first asked for.
setmetatable(Tensor, { __index = function(t, name)
   local f = type(name) == 'string' and op.method(name) or nil
   if f then rawset(t, name, f) end
   return f
end })

ffi.metatype(tensor_t, {
   __gc = function(self) C.th_tensor_release(self) end,
   __len = function(self) return self:size() end,
   __eq = function(a, b) return rawequal(a, b) end,
   __index = function(self, k)
      if type(k) == 'string' then return methods[self._dtype][k] end
      return get(self, k)
   end,
   __newindex = function(self, k, v) return set(self, k, v) end,
   __tostring = function(self) return methods[self._dtype].__tostring__(self) end,
   __add = function(a, b) return operators.add(a, b) end,
   __sub = function(a, b) return operators.sub(a, b) end,
   __mul = function(a, b) return operators.mul(a, b) end,
   __div = function(a, b) return operators.div(a, b) end,
   __mod = function(a, b) return operators.mod(a, b) end,
   __unm = function(a) return operators.unm(a) end,
})

function Tensor:__tostring__() return require 'torch.print'.tensor(self) end
Tensor.string = Tensor.__tostring__

class.ctype(tensor_t, function(t) return 'torch.' .. (dtype.names[t._dtype] or 'Undefined') .. 'Tensor' end)

--- Fills `torch` with the constructors FloatTensor, ..., torch.Tensor and the functions of this file.
function tensor.install(torch)
   for d, name in ipairs(dtype.names) do
      local full = 'torch.' .. name .. 'Tensor'
      local mt = setmetatable({}, { __index = Tensor })
      methods[d] = mt
      mt.new = function(first, ...)                          -- x.new(2, 3) and x:new(2, 3) both work
         if is_tensor(first) and first._dtype == d then return construct(d, ...) end
         return construct(d, first, ...)
      end
      local constructor = setmetatable({}, { __index = mt, __newindex = mt,
         __call = function(_, ...) return construct(d, ...) end })
      mt.__constructor = constructor
      torch[name .. 'Tensor'] = constructor
      class.register(full, mt, nil, { constructor = constructor, factory = function() return empty(d) end })
   end
   for name, f in pairs(functions) do torch[name] = f end

   local default = setmetatable({}, {
      __index = function(_, k) return methods[default_dtype][k] end,
      __newindex = function(_, k, v) for d = 1, #dtype.names do methods[d][k] = v end end,
      __call = function(_, ...) return construct(default_dtype, ...) end,
   })
   torch.Tensor = default
   torch.Storage = setmetatable({}, {
      __index = function(_, k) return storage.methods[default_dtype][k] end,
      __call = function(_, ...) return torch[dtype.names[default_dtype] .. 'Storage'](...) end,
   })

   --- Sets the type that torch.Tensor, torch.zeros, ... make: 'torch.FloatTensor'. At the start it is 'torch.DoubleTensor'.
   function torch.setdefaulttensortype(name) default_dtype = tensor.dtype_of(name, 'torch.setdefaulttensortype') end
   function torch.getdefaulttensortype() return 'torch.' .. dtype.names[default_dtype] .. 'Tensor' end

   torch.isTensor, torch.isStorage = is_tensor, arg.is_storage
   torch.tensor = tensor.tensor
   function torch.totable(x) return x:totable() end
end

--- The dtype that torch.Tensor makes.
function tensor.default() return default_dtype end

tensor.base = Tensor
return tensor
