-- torch.construct - how a tensor comes to be: from sizes, tables, numbers, other tensors and storages.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local dtype = require 'torch.dtype'
local arg = require 'torch.arg'
local op = require 'torch.op'
local C, new, check = lib.C, lib.new, lib.check

local construct = {}

local default_dtype = dtype.id.Double
local no_size = ffi.new('int64_t[1]')

local constructor_names = {}
for d, name in ipairs(dtype.names) do constructor_names[d] = 'torch.' .. name .. 'Tensor' end

--- An empty tensor of a dtype: one dimension of size 0 inside.
local function empty(d)
   local t = new()
   t._dtype, t._ndim, t._stride[0] = d, 1, 1
   return t
end
construct.empty = empty
op.set_default_tensor(function() return empty(default_dtype) end)

--- A packed tensor of these sizes (an int64_t array of n); its elements are 0.
-- @param who  for the error message (optional: the constructor)
function construct.zeros(d, n, sizes, who)
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
   local r = construct.zeros(d, n, ffi.new('int64_t[?]', n, sizes))
   if total > 0 then write_table(who, d, r._storage.data, t, sizes, 1, 0) end
   return r
end

local function is_long_storage(v) return arg.is_storage(v) and v.s.dtype == C.TH_I64 end

-- (storage, offset, sizes [, strides]) with storages, or (storage, offset, size1, stride1, size2, stride2, ...)
function construct.view_storage(t, d, who, s, offset, sizes, strides, ...)
   if s.s.dtype ~= d then
      error(('%s: the storage must be a torch.%sStorage, got %s'):format(who, dtype.names[d], arg.describe(s)), 4)
   end
   if offset == nil then
      local n = ffi.new('int64_t[1]', s.s.size)
      check(C.th_tensor_set(t, d, s.s, 0, 1, n, nil), 4, who)
      return t
   end
   arg.whole(who, 'offset', offset)
   if sizes == nil then
      check(C.th_tensor_set(t, d, s.s, offset - 1, 1, no_size, nil), 4, who)
   elseif arg.is_storage(sizes) or type(sizes) == 'table' then
      local size, n = arg.sizes(who, sizes)
      local stride, m
      if strides ~= nil then
         stride, m = arg.sizes(who, strides)
         if m ~= n then error(('%s: as many strides as sizes are needed: %d, got %d'):format(who, n, m), 4) end
      end
      check(C.th_tensor_set(t, d, s.s, offset - 1, n, size, stride), 4, who)
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
      check(C.th_tensor_set(t, d, s.s, offset - 1, n, size, stride), 4, who)
   end
   return t
end

-- torch.FloatTensor(...): nothing, sizes, a table of numbers, a tensor to view, or a storage with offset, sizes, strides.
-- A LongStorage alone means sizes, but a LongTensor views it, as in Torch7.
function construct.of(d, first, ...)
   local who = 'torch.' .. dtype.names[d] .. 'Tensor'
   if first == nil then
      if select('#', ...) > 0 then arg.refuse(who, 'argument 1', 'a size, a table, a tensor or a storage', nil, 3) end
      return empty(d)
   end
   if type(first) == 'number' then
      local sizes, n = arg.sizes(who, first, ...)
      return construct.zeros(d, n, sizes)
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
      if strides == nil then return construct.zeros(d, n, sizes) end
      local t, stride, m = new(), arg.sizes(who, strides)
      if m ~= n then error(('%s: as many strides as sizes are needed: %d, got %d'):format(who, n, m), 3) end
      lib.call(who, C.th_tensor_resize, t, d, n, sizes, stride)
      return t
   elseif arg.is_storage(first) then
      return construct.view_storage(new(), d, who, first, ...)
   end
   arg.refuse(who, 'argument 1', 'a size, a table, a tensor or a storage', first, 3)
end

--- A tensor with the elements of a (nested) table. @param name  'float', 'torch.FloatTensor', ... (default: torch.Tensor's)
-- torch.tensor({1, 2}, 'int'):type() --> torch.IntTensor
function construct.tensor(values, name)
   local d = default_dtype
   if name ~= nil then d = construct.dtype_of(name, 'torch.tensor') end
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
function construct.dtype_of(name, who)
   if type(name) == 'string' then
      local short = name:match '^torch%.(%w+)Tensor$' or name
      for i, n in ipairs(dtype.names) do if n:lower() == short:lower() then return i end end
   end
   arg.refuse(who, 'type', 'the name of a tensor type', name, 3)
end

--- The dtype that torch.Tensor makes.
function construct.default() return default_dtype end
function construct.set_default(d) default_dtype = d end

return construct
