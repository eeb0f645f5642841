-- torch.rebuild - the names that a file of PyTorch may use, and what each becomes.
--
-- A storage of the file is a storage here. `vm.info[storage]` says what Lua's storage cannot: {boolean =, complex =, offset =, n =}.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local dtype = require 'torch.dtype'
local arg = require 'torch.arg'
local storage = require 'torch.storage'
local format = require 'torch.format'
local keys = require 'torch.keys'
local pickle = require 'torch.pickle'
local C, about, NONE = lib.C, keys.about, pickle.NONE

local rebuild = { names = {} }
local names = rebuild.names
local MAXDIM = tonumber(C.TH_MAXDIM)

-- PyTorch's element types -> the name here, and what is special.
local kinds = {
   float32 = { 'Float', 'Float' }, float64 = { 'Double', 'Double' }, float16 = { 'Half', 'Half' }, bfloat16 = { 'BFloat16', 'BFloat16' },
   uint8 = { 'Byte', 'Byte' }, int8 = { 'Char', 'Char' }, int16 = { 'Short', 'Short' }, int32 = { 'Int', 'Int' },
   int64 = { 'Long', 'Long' }, bool = { 'Byte', 'Bool', boolean = true }, complex64 = { 'Float', 'ComplexFloat', complex = true },
   complex128 = { 'Double', 'ComplexDouble', complex = true }, complex32 = { 'Half', 'ComplexHalf', complex = true },
}
local aliases = { float = 'float32', double = 'float64', half = 'float16', short = 'int16', int = 'int32', long = 'int64',
   cfloat = 'complex64', cdouble = 'complex128', chalf = 'complex32' }

--- Names of storage classes ('torch.FloatStorage') -> {dtype =, boolean =, complex =, untyped =}.
rebuild.storages = {}
local by_name = {}                          -- the value of a dtype -> what a storage of it has
for name, kind in pairs(kinds) do
   local its = { dtype = dtype.id[kind[1]], boolean = kind.boolean, complex = kind.complex, name = name }
   rebuild.storages['torch.' .. kind[2] .. 'Storage'] = its
   rebuild.storages['torch.cuda.' .. kind[2] .. 'Storage'] = its
   local value = kind.complex and 'torch.' .. name or 'torch.' .. kind[1] .. 'Tensor'
   if not kind.boolean then by_name[value] = its end
   names['torch.' .. name] = value
end
for name, full in pairs(aliases) do names['torch.' .. name] = names['torch.' .. full] end
for _, name in ipairs { 'torch.storage.UntypedStorage', 'torch.UntypedStorage' } do
   rebuild.storages[name] = { dtype = dtype.id.Byte, untyped = true, name = 'untyped' }
end
for name in pairs(rebuild.storages) do names[name] = true end

-- A whole number from 0.
local function count_of(v, what)
   if type(v) ~= 'number' or v < 0 or v % 1 ~= 0 or v > 2 ^ 53 then
      error(('%s must be a whole number from 0, the file has %s'):format(what, type(v) == 'number' and tostring(v)
         or ffi.istype('int64_t', v) and tostring(v) or pickle.describe(v)), 0)
   end
   return v
end
rebuild.count_of = count_of

local function dims_of(t, what)
   local its = type(t) == 'table' and about[t]
   if arg.is_storage(t) and t.s.dtype == dtype.id.Long then return #t, t end      -- torch.Size
   if not its or its.kind ~= 'tuple' then error(('the %s of a tensor must be a tuple, the file has %s'):format(what,
      pickle.describe(t)), 0) end
   return its.n, t
end

local size, stride = ffi.new('int64_t[?]', MAXDIM), ffi.new('int64_t[?]', MAXDIM)

--- A tensor that views a storage of the file. What does not fit the storage is refused.
function rebuild.tensor(vm, s, offset, sizes, strides)
   local info = (arg.is_storage(s) or type(s) == 'table') and vm.info[s]
   if not info then error(('a tensor needs a storage, the file has %s'):format(pickle.describe(s)), 0) end
   local n, list = dims_of(sizes, 'size')
   local k, steps = dims_of(strides, 'stride')
   if n ~= k then error(('a tensor has %d sizes and %d strides'):format(n, k), 0) end
   local two = info.complex and 1 or 0
   if n + two > MAXDIM then error(('a tensor has at most %d dimensions here, the file has one of %d'):format(MAXDIM, n + two), 0) end
   for i = 1, n do
      size[i - 1] = count_of(list[i], 'a size of a tensor')
      stride[i - 1] = count_of(steps[i], 'a stride of a tensor') * (1 + two)
   end
   if two == 1 then size[n], stride[n] = 2, 1 end
   local first = count_of(offset, 'the offset of a tensor')
   local limit = info.n * (1 + two)                          -- a part of a storage ends before the storage does
   first = first * (1 + two)
   local last, some = first, true
   for i = 0, n + two - 1 do
      some = some and size[i] > 0
      last = last + math.max(tonumber(size[i]) - 1, 0) * tonumber(stride[i])
   end
   if first > limit or some and last >= limit then
      error(('a tensor of %d dimensions reaches element %.0f of a storage of %.0f'):format(n, (some and last or first) / (1 + two) + 1,
         info.n), 0)
   end
   local whole = info.whole or s
   local t = lib.new()
   local status = C.th_tensor_set(t, whole.s.dtype, whole.s, first + (info.offset or 0), n + two, size, stride)
   if status ~= lib.OK then
      error('a tensor of the file is impossible: ' .. ffi.string(C.th_error()):gsub('^[%w_.]+: ', ''), 0)
   end
   return t
end

local function is_tensor(v, who)
   if not arg.is_tensor(v) then error(('%s needs a tensor, the file has %s'):format(who, pickle.describe(v)), 0) end
   return v
end

-- (storage, offset, size, stride, requires_grad, hooks, what else its view does)
local function rebuild_tensor(vm, a)
   local view = a[7]
   if type(view) == 'table' and (view.conj or view.neg) then
      error('a tensor is a view with another sign; save x.resolve_conj().resolve_neg() instead', 0)
   end
   return rebuild.tensor(vm, a[1], a[2], a[3], a[4])
end
names['torch._utils._rebuild_tensor'] = rebuild_tensor
names['torch._utils._rebuild_tensor_v2'] = rebuild_tensor

-- (storage without a type, offset, size, stride, requires_grad, hooks, dtype)
names['torch._utils._rebuild_tensor_v3'] = function(vm, a)
   local kind, s = by_name[a[7]], a[1]
   if not kind then
      error(("a tensor has the type '%s', which has no type here; convert it in Python"):format(tostring(a[7]):sub(1, 60)), 0)
   end
   local info = arg.is_storage(s) and vm.info[s]
   if vm.late or not info or not info.untyped then error('a tensor of _rebuild_tensor_v3 needs a storage without a type', 0) end
   local typed = info.typed and info.typed[kind]
   if not typed then
      local es = dtype.bytes[kind.dtype]
      typed = storage.new(kind.dtype, math.floor(info.n / es), false)
      ffi.copy(typed.s.data, s.s.data, #typed * es)
      info.typed = info.typed or {}
      info.typed[kind] = typed
      vm.info[typed] = { n = kind.complex and math.floor(#typed / 2) or #typed, complex = kind.complex }
   end
   return rebuild.tensor(vm, typed, a[2], a[3], a[4])
end

local function first_tensor(_, a, _, name) return is_tensor(a[1], name) end
names['torch._utils._rebuild_parameter'] = first_tensor
names['torch._utils._rebuild_parameter_with_state'] = first_tensor
names['torch.nn.parameter.Parameter'] = first_tensor
names['torch.nn.parameter.Buffer'] = first_tensor
names['torch.Tensor'], names['torch._tensor.Tensor'] = true, true

-- (function, class, its arguments, attributes): a tensor with attributes, which have no place here.
names['torch._tensor._rebuild_from_type_v2'] = function(vm, a)
   local f, class = pickle.name_of(a[1]), pickle.name_of(a[2])
   local known = f and f:find '^torch%._utils%._rebuild_' and names[f]
   local args = a[3]
   local its = type(args) == 'table' and about[args]
   if type(known) ~= 'function' or not class or not its or its.kind ~= 'tuple' then
      error('the file has a tensor of a class that is not known', 0)
   end
   return known(vm, args, its.n, f)
end

local unsupported = {
   _rebuild_qtensor = 'a quantized tensor; save x.dequantize()', _rebuild_sparse_tensor = 'a sparse tensor; save x.to_dense()',
   _rebuild_sparse_csr_tensor = 'a sparse tensor; save x.to_dense()', _rebuild_nested_tensor = 'a nested tensor; save x.to_padded_tensor(0)',
   _rebuild_meta_tensor_no_storage = 'a tensor of the device meta, which has no numbers; save a tensor of another device',
   _rebuild_wrapper_subclass = 'a tensor of a class with code; save a plain tensor',
   _rebuild_device_tensor_from_numpy = 'a tensor of a device without storages; save x.cpu()',
   _rebuild_device_tensor_from_cpu_tensor = 'a tensor of a device without storages; save x.cpu()',
}
for name, what in pairs(unsupported) do
   names['torch._utils.' .. name] = function() error(('the file has %s instead'):format(what), 0) end
end
for _, name in ipairs { 'QInt8', 'QUInt8', 'QInt32', 'QUInt4x2', 'QUInt2x4' } do
   rebuild.storages['torch.' .. name .. 'Storage'] = { refused = 'a quantized tensor; save x.dequantize() instead' }
   names['torch.' .. name .. 'Storage'] = true
end
for _, name in ipairs { 'uint16', 'uint32', 'uint64', 'float8_e4m3fn', 'float8_e5m2', 'float8_e4m3fnuz', 'float8_e5m2fnuz',
   'float8_e8m0fnu', 'float4_e2m1fn_x2', 'qint8', 'quint8', 'qint32', 'quint4x2', 'quint2x4' } do
   names['torch.' .. name] = 'torch.' .. name               -- a value; a tensor of it is refused by that name
end
for _, name in ipairs { 'per_tensor_affine', 'per_channel_affine', 'strided', 'sparse_coo', 'contiguous_format', 'channels_last',
   'preserve_format' } do
   names['torch.' .. name] = 'torch.' .. name
end
names['torch.serialization._get_layout'] = function(_, a) return type(a[1]) == 'string' and a[1] or '?' end

-- ---- Python's own classes -----------------------------------------------------------------------------------------

-- A dict from pairs in a list, or from another dict.
local function dict_of(vm, a, n, name)
   local t = pickle.container(vm, 'dict')
   local from = a[n]
   if n == 0 or from == nil then return t end
   local its = type(from) == 'table' and about[from]
   if not its then error(('%s needs pairs, the file has %s'):format(name, pickle.describe(from)), 0) end
   if its.kind == 'dict' then
      for _, k in ipairs(its.order) do pickle.set_item(vm, t, k, from[k] == nil and NONE or from[k]) end
      return t
   end
   for i = 1, its.n do
      local pair = from[i]
      local two = type(pair) == 'table' and about[pair]
      if not two or two.n ~= 2 then error(('%s needs pairs'):format(name), 0) end
      pickle.set_item(vm, t, pair[1] == nil and NONE or pair[1], pair[2] == nil and NONE or pair[2])
   end
   return t
end
names['collections.OrderedDict'] = dict_of
names['collections.Counter'] = dict_of
names['builtins.dict'] = dict_of
names['collections.defaultdict'] = function(vm, a, n, name) return dict_of(vm, n > 1 and { a[2] } or {}, n > 1 and 1 or 0, name) end

local function copy_as(kind)
   return function(vm, a, n, name)
      local t = pickle.container(vm, kind)
      local its = type(a[1]) == 'table' and about[a[1]]
      if n == 0 then return t end
      if n > 1 or not its then error(('%s needs a list'):format(name), 0) end
      for i = 1, its.n do t[i] = a[1][i] end
      about[t].n, about[t].holes = its.n, its.holes
      if its.holes then t.n = its.n end
      return t
   end
end
names['builtins.set'], names['builtins.frozenset'], names['builtins.list'] = copy_as 'set', copy_as 'set', copy_as 'list'
for _, name in ipairs { 'int', 'float', 'str', 'bool' } do names['builtins.' .. name] = true end      -- of a defaultdict

names['builtins.complex'] = function(_, a)
   if type(a[1]) ~= 'number' or type(a[2]) ~= 'number' then error('a complex number needs two numbers', 0) end
   return { a[1], a[2] }
end

-- The bytes of a text of characters up to 255, which protocol 2 writes for bytes.
local function latin1(s)
   local out, at = {}, 1
   while at <= #s do
      local c = s:byte(at)
      if c < 128 then
         local last = s:find('[\128-\255]', at) or #s + 1
         out[#out + 1] = s:sub(at, last - 1)
         at = last
      else
         local d = s:byte(at + 1)
         if c ~= 0xc2 and c ~= 0xc3 or not d or d < 128 or d > 191 then error('the bytes in the file are damaged', 0) end
         out[#out + 1] = string.char((c - 0xc0) * 64 + d - 128)
         at = at + 2
      end
   end
   return table.concat(out)
end
names['_codecs.encode'] = function(_, a)
   if type(a[1]) ~= 'string' or a[2] ~= 'latin1' and a[2] ~= 'latin-1' then error('_codecs.encode needs a text and latin1', 0) end
   return latin1(a[1])
end
names['builtins.bytearray'] = function(_, a, n)
   if n == 0 then return '' end
   if type(a[1]) ~= 'string' then error('a bytearray needs bytes', 0) end
   return a[2] ~= nil and latin1(a[1]) or a[1]
end
names['builtins.bytes'] = names['builtins.bytearray']

names['torch.Size'] = function(_, a)
   local its = type(a[1]) == 'table' and about[a[1]]
   if not its then error('a torch.Size needs a tuple', 0) end
   local s = storage.new(dtype.id.Long, its.n)
   for i = 1, its.n do dtype.write(dtype.id.Long, s.s.data, i - 1, count_of(a[1][i], 'a size')) end
   return s
end
names['torch.device'] = function(_, a, n)
   if type(a[1]) ~= 'string' or n > 1 and type(a[2]) ~= 'number' then error('a torch.device needs a name', 0) end
   return n > 1 and ('%s:%d'):format(a[1], a[2]) or a[1]
end

local function object(vm, _, n, name)
   if n ~= 0 then error(('%s needs no arguments'):format(name), 0) end
   return pickle.container(vm, 'object')
end
names['argparse.Namespace'], names['types.SimpleNamespace'] = object, object
rebuild.object = object

-- ---- numbers and arrays of NumPy ----------------------------------------------------------------------------------

local npy = ffi.new 'th_npy'
local codes = { b1 = 'Byte', u1 = 'Byte', i1 = 'Char', i2 = 'Short', i4 = 'Int', i8 = 'Long', f2 = 'Half', f4 = 'Float', f8 = 'Double' }

names['numpy.dtype'] = function(vm, a)
   local t = pickle.container(vm, 'object')
   if type(a[1]) ~= 'string' or not codes[a[1]] then
      error(("an array of NumPy has the type '%s', which has no type here"):format(tostring(a[1]):sub(1, 60)), 0)
   end
   t.code = a[1]
   about[t].build = function(_, its, state)
      if type(state) ~= 'table' then error('a type of NumPy is damaged', 0) end
      its.big = state[2] == '>'
   end
   return t
end

local function elements(t, code, big, bytes)
   npy.dtype, npy.swapped, npy.boolean, npy.bytes = t._dtype, big and ffi.abi 'le' and 1 or 0, code == 'b1' and 1 or 0, #bytes
   if #bytes == 0 then return t end
   ffi.copy(t._storage.data, bytes, #bytes)
   C.th_npy_native(npy, t._storage.data)
   return t
end

local function code_of(v)
   if type(v) ~= 'table' or type(v.code) ~= 'string' or not codes[v.code] then error('an array of NumPy has no type', 0) end
   return v.code, dtype.id[codes[v.code]]
end

local function scalar(_, a)
   local code, d = code_of(a[1])
   if type(a[2]) ~= 'string' or #a[2] ~= dtype.bytes[d] then error('a number of NumPy is damaged', 0) end
   local t = elements(format.room(d, 0, size, nil), code, a[1].big, a[2])
   return dtype.read(d, t._storage.data, 0)
end

-- The state of an array: (version, shape, type, columns first, bytes)
local function array(vm)
   local t = pickle.container(vm, 'object')
   about[t].build = function(_, its, state)
      if type(state) ~= 'table' or type(state[5]) ~= 'string' then error('an array of NumPy is damaged', 0) end
      local n, shape = dims_of(state[2], 'shape')
      local code, d = code_of(state[3])
      if n > MAXDIM then error(('a tensor has at most %d dimensions here, the file has %d'):format(MAXDIM, n), 0) end
      local total = dtype.bytes[d]
      for i = 1, n do
         size[i - 1] = count_of(shape[i], 'a size of an array')
         total = total * shape[i]
      end
      if total ~= #state[5] then error(('an array of NumPy needs %.0f bytes, the file has %d'):format(total, #state[5]), 0) end
      local step = 1
      for i = 1, n do
         local k = state[4] == true and i or n + 1 - i
         stride[k - 1] = step
         step = step * math.max(shape[k], 1)
      end
      its.array = elements(format.room(d, n, size, stride), code, state[3].big, state[5])
   end
   return t
end

for _, module in ipairs { 'numpy.core.multiarray', 'numpy._core.multiarray' } do
   names[module .. '.scalar'], names[module .. '._reconstruct'] = scalar, array
end
names['numpy.ndarray'] = true

--- What a table becomes when it is put into a list or is the result.
function rebuild.settle(v)
   local its = about[v]
   if not its then return v end
   if its.kind == 'storage' then error('the file has a part of a storage as a value; only tensors can be such parts', 0) end
   if its.build and v.array then return v.array end
   if its.build then error('an array of NumPy has no numbers', 0) end
   return v
end

return rebuild
