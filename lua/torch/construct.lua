-- torch.construct - makes tensors from sizes, tables, numbers, other tensors and storages.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local dtype = require 'torch.dtype'
local arg = require 'torch.arg'
local op = require 'torch.op'
local storage = require 'torch.storage'
local C, new, check = lib.C, lib.new, lib.check

local construct = {}

local default_dtype = dtype.id.Double
local no_size = ffi.new('int64_t[1]')

local constructor_names = {}
for ty, word in pairs(dtype.words) do constructor_names[ty] = 'torch.' .. word .. 'Tensor' end

-- Set by cutorch: the device that new CUDA tensors are made on.
local current_device = function() error('there are no CUDA tensors here: they come with the package cutorch', 3) end
function construct.set_device(f) current_device = f end

-- The dtype of a type, and the device that a new tensor of it lies on.
local function place_of(ty)
   if ty < dtype.CUDA then return ty, 0 end
   return ty - dtype.CUDA, current_device()
end
construct.place_of = place_of

--- An empty tensor of a type: one dimension of size 0 inside.
local function empty(ty)
   local t = new()
   t._dtype, t._device = place_of(ty)
   t._ndim, t._stride[0] = 1, 1
   return t
end
construct.empty = empty
op.set_default_tensor(function() return empty(default_dtype) end)

--- A packed tensor of these sizes (an int64_t array of n); its elements are 0.
-- @param who  for the error message (optional: the constructor)
function construct.zeros(ty, n, sizes, who)
   local t = new()
   local d, device = place_of(ty)
   t._device = device
   lib.call(who or constructor_names[ty], C.th_tensor_resize, t, d, n, sizes, nil)
   if device ~= 0 then return op.method 'zero' (t) end
   local count = tonumber(C.th_tensor_numel(t))
   if count > 0 then ffi.fill(t._storage.data, count * dtype.bytes[d]) end
   return t
end

-- The sizes of a nested table; at each level all tables must have one length.
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
            v = tonumber(v) or error(('%s: element %d must be a number, got %s'):format(who, i, arg.describe(v)), 5)
         end
         dtype.write(d, p, at, v)
         at = at + 1
      end
   end
   return at
end

local from_table
function from_table(ty, t, who)
   if ty > dtype.CUDA then
      local r, host = empty(ty), from_table(ty - dtype.CUDA, t, who)
      lib.call(who, C.th_tensor_resize, r, r._dtype, host._ndim, host._size, nil)
      return op.method 'copy' (r, host)
   end
   local d = ty
   local sizes = shape_of_table(t, who)
   if sizes[1] == 0 then return empty(d) end
   local n, total = #sizes, 1
   for i = 1, n do total = total * sizes[i] end
   local r = construct.zeros(d, n, ffi.new('int64_t[?]', n, sizes))
   if total > 0 then write_table(who, d, r._storage.data, t, sizes, 1, 0) end
   return r
end

local function is_long_storage(v) return arg.is_storage(v) and v.s.dtype == C.TH_I64 and v.s.device == 0 end

--- Replaces negative ones among n strides, as in Torch7, by those of contiguous memory; returns the strides.
function construct.complete(stride, n, size)
   for d = n - 1, 0, -1 do
      if stride[d] < 0 then stride[d] = d == n - 1 and 1 or size[d + 1] * stride[d + 1] end
   end
   return stride
end

-- (storage, offset, sizes [, strides]) with storages, or (storage, offset, size1, stride1, size2, stride2, ...)
function construct.view_storage(t, ty, who, s, offset, sizes, strides, ...)
   if dtype.of_storage(s.s) ~= ty then
      error(('%s: the storage must be a torch.%sStorage, got %s'):format(who, dtype.words[ty], arg.describe(s)), 4)
   end
   local d = s.s.dtype
   if offset == nil then
      local n = ffi.new('int64_t[1]', s.s.size)
      check(C.th_tensor_set(t, d, s.s, 0, 1, n, nil), 4, who)
      return t
   end
   offset = arg.whole(who, 'offset', offset)
   if sizes == nil then
      check(C.th_tensor_set(t, d, s.s, offset - 1, 1, no_size, nil), 4, who)
   elseif arg.is_storage(sizes) or type(sizes) == 'table' then
      local size, n = arg.sizes(who, sizes)
      local stride, m
      if strides ~= nil then
         stride, m = arg.sizes(who, strides)
         if m ~= n then error(('%s: as many strides as sizes are needed: %d, got %d'):format(who, n, m), 4) end
         construct.complete(stride, n, size)
      end
      check(C.th_tensor_set(t, d, s.s, offset - 1, n, size, stride), 4, who)
   else
      local given = { sizes, strides, ... }
      local n = math.ceil((select('#', ...) + 2) / 2)
      if n > C.TH_MAXDIM then error(('%s: a tensor has at most %d dimensions, got %d'):format(who, C.TH_MAXDIM, n), 4) end
      local size, stride = ffi.new('int64_t[16]'), ffi.new('int64_t[16]')
      for i = 1, n do size[i - 1] = arg.whole(who, 'size ' .. i, given[2 * i - 1]) end
      for i = 1, n do
         local step = given[2 * i]
         stride[i - 1] = step == nil and -1 or arg.whole(who, 'stride ' .. i, step)
      end
      construct.complete(stride, n, size)
      check(C.th_tensor_set(t, d, s.s, offset - 1, n, size, stride), 4, who)
   end
   return t
end

-- torch.FloatTensor(...): nothing, sizes, a table of numbers, a tensor to view, or a storage with offset, sizes, strides.
-- A LongStorage alone means sizes, but a LongTensor views it, as in Torch7.
function construct.of(d, first, ...)
   local strides = ...
   local who = constructor_names[d]
   if first == nil then
      if select('#', ...) > 0 then arg.refuse(who, 'argument 1', 'a size, a table, a tensor or a storage', nil, 3) end
      return empty(d)
   end
   if type(first) == 'number' or arg.number_of(first) then
      local sizes, n = arg.sizes(who, first, ...)
      return construct.zeros(d, n, sizes)
   elseif type(first) == 'table' then
      return from_table(d, first, who)
   elseif arg.is_tensor(first) then
      if dtype.of(first) ~= d then arg.refuse(who, 'argument 1', 'a ' .. who, first, 3) end
      local t = new()
      C.th_tensor_alias(t, first)
      return t
   elseif is_long_storage(first) and (d ~= C.TH_I64 or is_long_storage(strides)) and type(strides) ~= 'number' then
      local sizes, n = arg.sizes(who, first)
      if strides == nil then return construct.zeros(d, n, sizes) end
      local t, stride, m = empty(d), arg.sizes(who, strides)
      if m ~= n then error(('%s: as many strides as sizes are needed: %d, got %d'):format(who, n, m), 3) end
      construct.complete(stride, n, sizes)
      lib.call(who, C.th_tensor_resize, t, t._dtype, n, sizes, stride)
      if t._storage ~= nil then storage.clear_behind(t._storage, 0) end
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
   if arg.number_of(values) then
      local t = empty(d)
      lib.call('torch.tensor', C.th_tensor_resize, t, t._dtype, 0, no_size, nil)
      dtype.poke(t._storage, 0, tonumber(values))
      return t
   end
   if type(values) ~= 'table' then arg.refuse('torch.tensor', 'values', 'a number or a table', values) end
   return from_table(d, values, 'torch.tensor')
end

--- The type named 'float', 'Float' or 'torch.FloatTensor'; 'cuda', 'CudaLong' or 'torch.CudaTensor'.
function construct.dtype_of(name, who)
   if type(name) == 'string' then
      local short = (name:match '^torch%.(%w+)Tensor$' or name):lower()
      for i in ipairs(dtype.names) do
         if dtype.words[i]:lower() == short then return i end
         if dtype.words[i + dtype.CUDA]:lower() == short then
            if C.th_device_count() > 0 then return i + dtype.CUDA end
            error(('%s: there are no torch.%sTensors here: they come with the package cutorch and a CUDA device'):format(who,
               dtype.words[i + dtype.CUDA]), 3)
         end
      end
   end
   arg.refuse(who, 'type', 'the name of a tensor type', name, 3)
end

--- 'torch.FloatTensor' of 'float', 'Float' or that name itself, whether or not the type is available; nil if it names no type.
function construct.full_name(name)
   local short = type(name) == 'string' and (name:match '^torch%.(%w+)Tensor$' or name):lower()
   for ty, word in pairs(dtype.words) do
      if ty ~= 0 and word:lower() == short then return constructor_names[ty] end
   end
end

--- The type that torch.Tensor makes.
function construct.default() return default_dtype end
function construct.set_default(d) default_dtype = d end

return construct
