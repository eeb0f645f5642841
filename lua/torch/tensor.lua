-- torch.tensor - queries of a tensor, its type and its size, and the metatype that makes x[i], x:add(y) and x * y
-- work.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local class = require 'torch.class'
local dtype = require 'torch.dtype'
local arg = require 'torch.arg'
local op = require 'torch.op'
local storage = require 'torch.storage'
local index = require 'torch.index'
local construct = require 'torch.construct'
local view = require 'torch.view'
local operators = require 'torch.operator'
local C, new, check, tensor_t = lib.C, lib.new, lib.check, lib.tensor_t
local istype = ffi.istype
local dims, need_dim, same_shape, is_tensor = arg.dims, arg.dim, arg.same_shape, arg.is_tensor
local empty = construct.empty

local Tensor, functions = view.methods, view.functions      -- of all nine types, and those that torch.<name> offers too
local tensor = {
   methods = {},                            -- dtype -> the table that users may extend
   base = Tensor, empty = empty, zeros = construct.zeros, dtype_of = construct.dtype_of, default = construct.default,
}

-- ---- queries ----------------------------------------------------------------------------------------------------------

--- Number of dimensions; 0 for an empty tensor and for a single number.
-- torch.Tensor(2, 3):dim() --> 2
function Tensor:dim() return dims(self) end
Tensor.nDimension = Tensor.dim

local function long_storage(p, n)
   local s = storage.new(C.TH_I64, n, false)
   if n > 0 then ffi.copy(s.s.data, p, n * 8) end
   return s
end

--- x:size() is a LongStorage, x:size(d) a number.
-- torch.Tensor(2, 3):size() --> {2, 3}
function Tensor:size(d)
   if d == nil then return long_storage(self._size, dims(self)) end
   return tonumber(self._size[need_dim('size', self, d)])
end

--- x:stride() is a LongStorage, x:stride(d) a number of elements.
-- torch.Tensor(2, 3):stride() --> {3, 1}
function Tensor:stride(d)
   if d == nil then return long_storage(self._stride, dims(self)) end
   return tonumber(self._stride[need_dim('stride', self, d)])
end

--- Tensor:nElement(), Tensor:numel(), torch.nElement(x), torch.numel(x): How many elements x has.
-- torch.Tensor(2, 3):nElement() --> 6
function Tensor:nElement() return tonumber(C.th_tensor_numel(self)) end
Tensor.numel = Tensor.nElement

--- The storage that x views; nil when it has none. Two tensors that share memory have equal storages.
-- torch.Tensor{1, 2}:storage() --> {1, 2}
function Tensor:storage()
   if self._storage == nil then return nil end
   return storage.of(self._storage)
end

--- Position of the first element in the storage, from 1.
-- torch.range(1, 5):narrow(1, 3, 2):storageOffset() --> 3
function Tensor:storageOffset() return tonumber(self._offset) + 1 end
--- Bytes that one element takes, also of a class: torch.FloatTensor.elementSize().
-- torch.FloatTensor():elementSize() --> 4
function Tensor:elementSize() return dtype.bytes[self._dtype] end

--- Bytes that the elements take.
-- torch.FloatTensor(2, 3):bytes() --> 24
function Tensor:bytes() return self:nElement() * dtype.bytes[self._dtype] end

--- Tensor:isContiguous(), torch.isContiguous(x): Whether the elements lie one after the other in memory, row by row.
-- torch.Tensor(2, 3):t():isContiguous() --> false
function Tensor:isContiguous() return C.th_tensor_is_contiguous(self) ~= 0 end

--- Tensor:isSameSizeAs(other), torch.isSameSizeAs(x, other): Whether both have the same sizes; their types may differ.
-- torch.Tensor(2, 3):isSameSizeAs(torch.IntTensor(3, 2)) --> false
function Tensor:isSameSizeAs(other) return same_shape(self, arg.tensor('isSameSizeAs', 'tensor', other)) end

--- Whether the sizes are those of a LongStorage.
-- torch.Tensor(2, 3):isSize(torch.LongStorage{2, 3}) --> true
function Tensor:isSize(sizes)
   if not arg.is_storage(sizes) then arg.refuse('isSize', 'sizes', 'a LongStorage', sizes) end
   if #sizes ~= dims(self) then return false end
   for d = 1, #sizes do if self._size[d - 1] ~= sizes[d] then return false end end
   return true
end

--- Whether x and other are the same view of the same storage.
-- x = torch.Tensor(2); x:isSetTo(torch.Tensor(2)) --> false
function Tensor:isSetTo(other)
   arg.tensor('isSetTo', 'tensor', other)
   if self._storage == nil or self._storage ~= other._storage or self._offset ~= other._offset
      or not same_shape(self, other) then return false end
   for d = 0, self._ndim - 1 do if self._stride[d] ~= other._stride[d] then return false end end
   return true
end

--- Tensor:data([asnumber]), torch.data(x, [asnumber]): The elements of a tensor, or of a storage,
-- as a pointer of their C type, or as its address, a number. NULL for an empty tensor. Valid as
-- long as the storage lives and does not grow.
function Tensor:data(asnumber)
   local kind = dtype.pointer[self._dtype]
   local p = self._storage == nil and ffi.cast(kind, nil) or ffi.cast(kind, self._storage.data) + self._offset
   return asnumber and arg.address(p) or p
end

--- x itself if it is on the CPU, else a copy there, of the same element type.
-- torch.Tensor{1, 2}:host() --> {1, 2}
function Tensor:host()
   if self._device == 0 then return self end
   return tensor.convert(self, self._dtype)
end
local behind = setmetatable({}, { __mode = 'k' })               -- a pointer to a tensor -> the tensor, which lives as long
local pointer_t = ffi.typeof('$ *', tensor_t)

--- Tensor:cdata([asnumber]), torch.cdata(x, [asnumber]): A pointer to the struct behind x, for functions of C. x lives as long as
-- the pointer. With true its address, a number. x may be a storage.
function Tensor:cdata(asnumber)
   local pointer = ffi.cast(pointer_t, self)
   if asnumber then return arg.address(pointer) end
   behind[pointer] = self
   return pointer
end

--- The tensor of a pointer from cdata(); any other value is returned unchanged.
function tensor.behind(pointer) return behind[pointer] or pointer end

--- The C type of the result of cdata().
tensor.pointer_t = pointer_t
--- Does nothing, because the collector counts references. Returns x.
function Tensor:retain() return self end

--- Frees the memory now instead of at garbage collection; x is empty afterwards.
function Tensor:free()
   local d, device = self._dtype, self._device
   C.th_tensor_release(self)
   self._dtype, self._device, self._ndim, self._stride[0] = d, device, 1, 1
   return self
end

--- The elements as nested tables.
-- torch.Tensor{{1, 2}, {3, 4}}:totable() --> {{1, 2}, {3, 4}}
function Tensor:totable()
   if self._device ~= 0 then return self:host():totable() end
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
-- torch.Tensor{{7}}:item() --> 7
function Tensor:item()
   if self:nElement() ~= 1 then
      error(('item: the tensor must have one element, got size %s'):format(arg.size_text(self)), 2)
   end
   return index.element(self, self._offset)
end

-- ---- types ------------------------------------------------------------------------------------------------------------

--- A contiguous copy of the same type and sizes, with separate memory.
-- x = torch.ones(2); y = x:clone():fill(5); x --> {1, 1}
function Tensor:clone()
   local t = new()
   lib.call('clone', C.th_tensor_clone, t, self)
   return t
end

--- x itself if its elements lie one after the other, else a contiguous copy.
-- torch.Tensor(2, 3):t():contiguous():isContiguous() --> true
function Tensor:contiguous()
   if C.th_tensor_is_contiguous(self) ~= 0 then return self end
   return self:clone()
end

local function convert(self, ty)
   if ty == dtype.of(self) then return self end
   local t = empty(ty)
   lib.call('convert', C.th_tensor_resize, t, t._dtype, self._ndim, self._size, nil)
   return op.method 'copy' (t, self)
end
tensor.convert = convert

--- x:type() is the type's name; x:type(name) is x in that type: itself if it has it already, else a copy.
-- torch.Tensor.type(v) takes anything, and gives the class of v, or nil.
-- torch.Tensor{1.5}:type('torch.IntTensor') --> {1}
function Tensor:type(name)
   if name == nil and not arg.is_tensor(self) then return class.typename(self) end
   local x = arg.tensor('type', 'argument 1', self)
   if name == nil then return 'torch.' .. dtype.words[dtype.of(x)] .. 'Tensor' end
   return convert(x, construct.dtype_of(name, 'type'))
end

--- x in the type of another tensor: itself if it has it already, else a copy.
-- torch.Tensor{1.7}:typeAs(torch.IntTensor()) --> {1}
function Tensor:typeAs(other) return convert(self, dtype.of(arg.tensor('typeAs', 'tensor', other))) end

--- Tensor:byte(), Tensor:char(), Tensor:short(), Tensor:int(), Tensor:long(): x as whole numbers of 8 bits (byte: 0 to 255;
-- char: -128 to 127), 16, 32 and 64 bits. Fractions are cut off; x itself if it has the type already, else a copy.
-- torch.Tensor{1.7, -1.7}:int() --> {1, -1}

--- Tensor:half(), Tensor:bfloat16(), Tensor:float(), Tensor:double(): x as floats of 16 bits (half:
-- 11 bits of precision; bfloat16: 8 bits, and the range of float), 32 and 64 bits. x itself if it
-- has the type already, else a copy.
-- torch.Tensor{0.1}:half():double()[1] --> 0.099976
for d, name in ipairs(dtype.names) do
   Tensor[name:lower()] = function(self) return convert(self, d) end
end

--- x in the type of torch.Tensor: itself if it has it already, else a copy.
-- torch.IntTensor{1}:real():type() --> torch.DoubleTensor
function Tensor:real() return convert(self, construct.default()) end

--- A tensor of the same type: x:new(2, 3), ... as the type's constructor takes them; x:new() alone is a second view of x.
-- torch.IntTensor():new{1, 2}:type() --> torch.IntTensor
function Tensor:new(...)
   arg.tensor('new', 'argument 1', self)
   if select('#', ...) == 0 then return construct.of(dtype.of(self), self) end
   return construct.of(dtype.of(self), ...)
end

-- ---- shape ----------------------------------------------------------------------------------------------------------------

-- The number of elements in the memory of a tensor.
local function room_of(t) return t._storage == nil and 0LL or t._storage.size end

-- Elements on a device are set to 0 by an op.
function storage.clear_device(s, had, added)
   local t = new()
   t._device = s.device
   check(C.th_tensor_set(t, s.dtype, s, had, 1, ffi.new('int64_t[1]', added), nil))
   op.method 'zero' (t)
end

--- Changes the sizes; elements keep their order in memory, and those behind the old memory are 0 (torch.setzerofill).
-- torch.range(1, 4):resize(2, 2) --> {{1, 2}, {3, 4}}
function Tensor:resize(first, ...)
   local second = ...
   if arg.is_tensor(first) then first = first:size() end
   local sizes, n = arg.sizes('resize', first, ...)
   local stride
   if arg.is_storage(first) and select('#', ...) > 0 then
      local strides, m = arg.sizes('resize', second)
      if m ~= n then error(('resize: as many strides as sizes are needed: %d, got %d'):format(n, m), 2) end
      stride = construct.complete(strides, n, sizes)
   end
   local had = room_of(self)
   lib.call('resize', C.th_tensor_resize, self, self._dtype, n, sizes, stride)
   if room_of(self) > had then storage.clear_behind(self._storage, had) end
   return self
end

--- Takes the size of another tensor; no effect if the sizes are equal.
-- torch.range(1, 4):resizeAs(torch.Tensor(2, 2)) --> {{1, 2}, {3, 4}}
function Tensor:resizeAs(other)
   arg.tensor('resizeAs', 'tensor', other)
   if not same_shape(self, other) then
      local had = room_of(self)
      lib.call('resizeAs', C.th_tensor_resize, self, self._dtype, other._ndim, other._size, nil)
      if room_of(self) > had then storage.clear_behind(self._storage, had) end
   end
   return self
end

--- Makes x a view of something else: x:set(tensor), x:set(storage [, offset, sizes, strides]), x:set() empties it.
-- x = torch.Tensor{1, 2}; y = torch.Tensor():set(x); y[1] = 9; x --> {9, 2}
function Tensor:set(first, ...)
   if first == nil then
      return self:free()
   elseif arg.is_tensor(first) then
      if dtype.of(first) ~= dtype.of(self) then arg.refuse('set', 'tensor', 'a ' .. self:type(), first) end
      C.th_tensor_alias(self, first)
      return self
   elseif arg.is_storage(first) then
      return construct.view_storage(self, dtype.of(self), 'set', first, ...)
   end
   arg.refuse('set', 'source', 'a tensor or a storage', first)
end

for _, name in ipairs { 'isSameSizeAs', 'isSize', 'isSetTo', 'nElement', 'numel', 'isContiguous', 'nDimension' } do
   functions[name] = Tensor[name]
end
for _, name in ipairs { 'data', 'cdata' } do
   functions[name] = function(x, asnumber)
      if arg.is_storage(x) then return x[name](x, asnumber) end
      return Tensor[name](arg.tensor(name, 'argument 1', x), asnumber)
   end
end

-- ---- the types --------------------------------------------------------------------------------------------------------------------

local methods = tensor.methods
local get, set = index.get, index.set

-- An op becomes a method when it is first used.
setmetatable(Tensor, { __index = function(t, name)
   local f = type(name) == 'string' and op.method(name) or nil
   if f then rawset(t, name, f) end
   return f
end })

-- Methods take a pointer to a tensor, too.
local function need_tensor(self)
   if not is_tensor(self) then error('a tensor must not be a NULL pointer', 3) end
end

ffi.metatype(tensor_t, {
   __len = function(self) return self:size() end,
   __eq = function(a, b) return rawequal(a, b) end,
   __index = function(self, k)
      if istype(pointer_t, self) then need_tensor(self) end
      if type(k) ~= 'string' then return get(self, k) end
      local method = methods[dtype.of(self)][k]
      if method ~= nil then return method end
      if k == 'shape' then return self:size() end           -- the name of NumPy and PyTorch
      return index.get_text(self, k)
   end,
   __newindex = function(self, k, v)
      if istype(pointer_t, self) then need_tensor(self) end
      return set(self, k, v)
   end,
   __tostring = function(self)
      if not is_tensor(self) then return 'NULL' end
      return methods[dtype.of(self)].__tostring__(self)
   end,
   __add = function(a, b) return operators.add(a, b) end,
   __sub = function(a, b) return operators.sub(a, b) end,
   __mul = function(a, b) return operators.mul(a, b) end,
   __div = function(a, b) return operators.div(a, b) end,
   __mod = function(a, b) return operators.mod(a, b) end,
   __unm = function(a) return operators.unm(a) end,
   __lt = function(a, b) return operators.lt(a, b) end,
   __le = function(a, b) return operators.le(a, b) end,
   __pow = function(a, b) return operators.pow(a, b) end,
   __concat = function(a, b) return operators.concat(a, b) end,
})

function Tensor:__tostring__() return require 'torch.print'.tensor(self) end
--- Tensor:string(): The text that print shows for x.
Tensor.string = Tensor.__tostring__

class.ctype(tensor_t, function(t) return 'torch.' .. dtype.words[dtype.of(t)] .. 'Tensor' end)

--- Gives `torch` the type torch.<word>Tensor: its constructor, its method table, its class.
function tensor.add_type(torch, ty)
   local word = dtype.words[ty]
   local full = 'torch.' .. word .. 'Tensor'
   local mt = setmetatable({}, { __index = Tensor })
   methods[ty] = mt
   mt.new = function(first, ...)                             -- x.new(2, 3) and x:new(2, 3) both work
      if is_tensor(first) and dtype.of(first) == ty and select('#', ...) > 0 then return construct.of(ty, ...) end
      return construct.of(ty, first, ...)                     -- x:new() alone is x.new(x)
   end
   function mt.elementSize() return dtype.bytes[ty % dtype.CUDA] end      -- of the class, too
   local constructor = setmetatable({}, { __index = mt, __newindex = mt, __metatable = mt,
      __call = function(_, ...) return construct.of(ty, ...) end })
   mt.__constructor = constructor
   torch[word .. 'Tensor'] = constructor
   class.register(full, mt, nil, { constructor = constructor, factory = function() return empty(ty) end })
end

--- Fills `torch` with the constructors FloatTensor, ..., torch.Tensor and the functions of this file.
function tensor.install(torch)
   --- torch.ByteTensor(...), torch.CharTensor(...), torch.ShortTensor(...), torch.IntTensor(...), torch.LongTensor(...): A tensor
   -- of whole numbers of 8 (Byte: without a sign), 16, 32 or 64 bits; the arguments are those of torch.Tensor.
   -- torch.IntTensor{1, 2.7} --> {1, 2}

   --- torch.HalfTensor(...), torch.BFloat16Tensor(...), torch.FloatTensor(...), torch.DoubleTensor(...): A tensor of floats of 16, 32 or
   -- 64 bits; the arguments are those of torch.Tensor. Halves and BFloat16 compute in 32 bits.
   -- torch.FloatTensor(2, 2):zero() --> {{0, 0}, {0, 0}}

   --- torch.Tensor(sizes...), torch.Tensor(table), torch.Tensor(tensor), torch.Tensor(storage, offset, sizes, strides): A tensor of the
   -- default type, Double unless torch.setdefaulttensortype says otherwise.
   -- @param sizes    up to 16 numbers or a LongStorage; the elements are 0. Without arguments the tensor is empty
   -- @param table    a table of numbers, or nested tables, all of one length at each level
   -- @param tensor   of the same type: a second view of its memory
   -- @param storage  of the same type; offset counts from 1, sizes and strides are LongStorages, or numbers in pairs
   -- torch.Tensor{{1, 2}, {3, 4}} --> {{1, 2}, {3, 4}}
   -- torch.Tensor(torch.Tensor{1, 2, 3, 4}:storage(), 2, torch.LongStorage{3}) --> {2, 3, 4}

   --- torch.Storage(...): A storage of the default type; the arguments are those of torch.DoubleStorage.
   for d in ipairs(dtype.names) do tensor.add_type(torch, d) end
   for name, f in pairs(functions) do torch[name] = f end

   local default = setmetatable({}, {
      __index = function(_, k) return methods[construct.default()][k] end,
      __newindex = function(_, k, v) for _, mt in pairs(methods) do mt[k] = v end end,
      __call = function(_, ...) return construct.of(construct.default(), ...) end,
   })
   torch.Tensor = default
   torch.Storage = setmetatable({}, {
      __index = function(_, k) return storage.methods[construct.default()][k] end,
      __call = function(_, ...) return torch[dtype.words[construct.default()] .. 'Storage'](...) end,
   })

   --- Sets the type that torch.Tensor, torch.zeros, ... make: 'torch.FloatTensor'. At the start it is 'torch.DoubleTensor'.
   function torch.setdefaulttensortype(name) construct.set_default(construct.dtype_of(name, 'torch.setdefaulttensortype')) end
   --- The name of the type that torch.Tensor makes.
   -- torch.getdefaulttensortype() --> torch.DoubleTensor
   function torch.getdefaulttensortype() return 'torch.' .. dtype.words[construct.default()] .. 'Tensor' end

   --- torch.isTensor(x), torch.isStorage(x): Whether x is a tensor, or a storage, of any type.
   -- torch.isTensor(torch.Tensor()) --> true
   torch.isTensor, torch.isStorage = is_tensor, arg.is_storage
   torch.tensor = construct.tensor
   --- The elements of a tensor as nested tables, those of a storage as a list.
   -- torch.totable(torch.Tensor{{1, 2}, {3, 4}}) --> {{1, 2}, {3, 4}}
   function torch.totable(x)
      if arg.is_storage(x) then return x:totable() end
      return Tensor.totable(x)
   end
end

return tensor
