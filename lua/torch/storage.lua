-- torch.storage - blocks of elements of one type, shared by the tensors that view them.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local class = require 'torch.class'
local dtype = require 'torch.dtype'
local arg = require 'torch.arg'
local absent = arg.absent
local C, storage_t = lib.C, lib.storage_t

local Storage = {}                          -- methods of all types
local storage = { methods = {}, base = Storage }
local methods = storage.methods             -- type -> the table that users may extend

ffi.cdef 'void th_storage_drop(th_storage_ref *ref);'
local out = ffi.new 'th_storage *[1]'

--- The Lua object of a reference that C has made.
function storage.owned(s)
   local ref = lib.own(storage_t())
   ref.s = s
   return ref
end

-- Takes over the reference in out[0].
local function adopt() return storage.owned(out[0]) end

-- Set by cutorch: the device of new CUDA storages.
local current_device
function storage.set_device(f) current_device = f end

--- A storage of a type with n elements.
-- @param zeroed  false leaves the memory uninitialized
-- @param device  of a CUDA type: its number; the current one if it is not given
function storage.new(ty, n, zeroed, device)
   device = ty < dtype.CUDA and 0 or device or current_device()
   lib.call('torch.' .. dtype.words[ty] .. 'Storage', C.th_storage_new, out, device, ty % dtype.CUDA, n, zeroed ~= false and 1 or 0)
   return adopt()
end

--- The storage itself if it is on the CPU, else a copy there.
function storage.host(ref)
   if ref.s.device == 0 then return ref end
   local r = storage.new(ref.s.dtype, tonumber(ref.s.size), false)
   lib.check(C.th_storage_get(ref.s, 0, ref.s.size, r.s.data))
   return r
end

--- The storage that a tensor views, with another reference.
function storage.of(s)
   C.th_storage_retain(s)
   return storage.owned(s)
end

local function fill_from_table(ref, t, first)
   for i = 1, #t do
      local v = tonumber(t[i])
      if not v then
         error(('torch.%sStorage: element %d must be a number, got %s'):format(dtype.words[dtype.of_storage(ref.s)], i,
            arg.describe(t[i])), 4)
      end
      dtype.poke(ref.s, first + i - 1, v)
   end
end

-- (path [, shared [, size [, sharedMem or offset]]])
local function map(d, who, path, shared, size, last, extra)
   arg.path(who, 'the name of a file', path, 4)
   if path == '' then error(('%s: the name of a file must not be empty'):format(who), 4) end
   if not absent(shared) and type(shared) ~= 'boolean' then arg.refuse(who, 'shared', 'true or false', shared, 4) end
   if not absent(size) then size = arg.whole(who, 'size', size) end
   if not absent(extra) then error(('%s: too many arguments, got %s in the end'):format(who, arg.describe(extra)), 4) end
   local offset, kind = 1, shared and C.TH_MAP_SHARED or C.TH_MAP_PRIVATE
   if type(last) == 'boolean' then kind = last and shared and C.TH_MAP_MEMORY or kind
   elseif not absent(last) then offset = arg.whole(who, 'offset', last) end
   if offset < 1 then error(('%s: offset must be at least 1, got %d'):format(who, offset), 4) end
   if kind == C.TH_MAP_MEMORY and path:sub(1, 1) ~= '/' then path = '/' .. path end
   lib.call(who, C.th_storage_map, out, d, path, offset - 1, size or 0, kind)
   return adopt()
end

local shared_allocator = 'shared'           -- memory that forked processes share

--- Other kinds of torch.Allocator -> function(who, dtype, n) that makes a storage; cutorch has some.
storage.allocators = {}

-- (allocator, size or table)
local function allocate(d, who, allocator, first, extra)
   if not absent(extra) then error(('%s: too many arguments, got %s in the end'):format(who, arg.describe(extra)), 4) end
   local n = type(first) == 'table' and #first or arg.whole(who, 'size', first or 0)
   local ref
   local special = storage.allocators[allocator.kind]
   if special then
      ref = special(who, d, n)
   elseif allocator.kind == shared_allocator then
      lib.call(who, C.th_storage_map, out, d, nil, 0, n, C.TH_MAP_MEMORY)
      ref = adopt()
   else
      ref = storage.new(d, n)
   end
   if type(first) == 'table' then fill_from_table(ref, first, 0) end
   return ref
end

local function construct(d, first, second, third, fourth, extra)
   local who = 'torch.' .. dtype.words[d] .. 'Storage'
   if first == nil then return storage.new(d, 0) end
   if type(first) == 'number' then
      return storage.new(d, arg.whole(who, 'size', first))
   elseif class.typename(first) == 'torch.Allocator' then
      if d >= dtype.CUDA then arg.refuse(who, 'argument 1', 'a size, a table or a storage', first, 3) end
      return allocate(d, who, first, second, third)
   elseif type(first) == 'table' then
      local ref = storage.new(d, #first)
      fill_from_table(ref, first, 0)
      return ref
   elseif type(first) == 'string' and d < dtype.CUDA then
      return map(d, who, first, second, third, fourth, extra)
   elseif arg.is_storage(first) then
      if dtype.of_storage(first.s) ~= d then arg.refuse(who, 'storage', 'a ' .. who, first, 3) end
      local offset = second and arg.whole(who, 'offset', second) or 1
      local n = third and arg.whole(who, 'size', third) or tonumber(first.s.size) - offset + 1
      lib.call(who, C.th_storage_part, out, first.s, offset - 1, n)
      return adopt()
   end
   arg.refuse(who, 'argument 1', 'a size, a table, a file name, a storage or a torch.Allocator', first, 3)
end

-- ---- methods ------------------------------------------------------------------------------------------------------

local function at(self, i)
   local k, n = i, tonumber(self.s.size)
   if not (k >= 1 and k <= n and k % 1 == 0) then
      k = arg.whole_of(i) or 0
      if k < 1 or k > n then error(('index must lie in 1..%d, got %s'):format(n, tostring(i)), 4) end
   end
   return k - 1
end

--- Number of elements.
function Storage:size() return tonumber(self.s.size) end

--- Sets every element to v; returns the storage.
function Storage:fill(v)
   v = arg.number('fill', 'value', v)
   if self.s.device ~= 0 then return self:copy(storage.new(self.s.dtype, tonumber(self.s.size), false):fill(v)) end
   for i = 0, tonumber(self.s.size) - 1 do dtype.write(self.s.dtype, self.s.data, i, v) end
   return self
end

--- Copies the elements of another storage of the same size, of any type.
function Storage:copy(from)
   if not arg.is_storage(from) then arg.refuse('copy', 'source', 'a storage', from) end
   local n = tonumber(self.s.size)
   if n ~= tonumber(from.s.size) then
      error(('copy: source must have %d elements, got %d'):format(n, tonumber(from.s.size)), 2)
   end
   if self.s.device ~= 0 then
      from = storage.host(from):type('torch.' .. dtype.names[self.s.dtype] .. 'Storage')
      lib.check(C.th_storage_put(self.s, 0, n, from.s.data))
      return self
   end
   from = storage.host(from)
   if self.s.dtype == from.s.dtype then
      ffi.copy(self.s.data, from.s.data, n * dtype.bytes[self.s.dtype])
   else
      for i = 0, n - 1 do dtype.write(self.s.dtype, self.s.data, i, dtype.read(from.s.dtype, from.s.data, i)) end
   end
   return self
end

local zero_fill = true

--- Whether resize sets the elements that it adds to 0, which it does at the start. With false they keep what the memory held,
-- as in Torch7: maybe elements of tensors that were freed.
function storage.setzerofill(flag)
   if type(flag) ~= 'boolean' then arg.refuse('torch.setzerofill', 'flag', 'true or false', flag) end
   zero_fill = flag
end

--- Whether resize sets the elements that it adds to 0.
-- torch.getzerofill() --> true
function storage.getzerofill() return zero_fill end

--- Sets the elements of a storage of C behind the first `had` to 0, unless torch.setzerofill(false) was called.
function storage.clear_behind(s, had)
   had = tonumber(had)
   local added = tonumber(s.size) - had
   if added <= 0 or not zero_fill then return end
   local bytes = dtype.bytes[s.dtype]
   if s.device == 0 then return ffi.fill(ffi.cast('char *', s.data) + had * bytes, added * bytes) end
   return storage.clear_device(s, had, added)
end

--- Changes the number of elements; the first ones keep their values, and new ones are 0. Memory is not freed.
-- torch.IntStorage{1, 2}:resize(3):totable() --> {1, 2, 0}
function Storage:resize(n)
   local had = self.s.size
   lib.call('resize', C.th_storage_resize, self.s, arg.whole('resize', 'size', n))
   if self.s.size > had then storage.clear_behind(self.s, had) end
   return self
end

--- The elements as a table.
-- torch.IntStorage{1, 2}:totable() --> {1, 2}
function Storage:totable()
   local t, host = {}, storage.host(self)
   for i = 1, tonumber(self.s.size) do t[i] = dtype.read(host.s.dtype, host.s.data, i - 1) end
   return t
end

--- A storage of the same type, as its constructor takes them; s:new() alone has the elements of s.
function Storage:new(...)
   if not arg.is_storage(self) then arg.refuse('new', 'argument 1', 'a storage', self) end
   if select('#', ...) == 0 then return construct(dtype.of_storage(self.s), self) end
   return construct(dtype.of_storage(self.s), ...)
end

--- The elements as a pointer, or as its address, a number. It is valid as long as the storage lives and does not grow.
function Storage:data(asnumber)
   local p = ffi.cast(dtype.pointer[self.s.dtype], self.s.data)
   return asnumber and arg.address(p) or p
end
--- The struct of the storage, for functions of C, or its address, a number.
function Storage:cdata(asnumber) return asnumber and arg.address(self.s) or self.s end
--- Storage:retain(), Storage:free(): Do nothing, because the collector counts references. Return the storage.
function Storage:retain() return self end
function Storage:free() return self end

--- x:type() is its type's name; x:type('torch.IntStorage') a copy of that type.
function Storage:type(name)
   local own = 'torch.' .. dtype.words[dtype.of_storage(self.s)] .. 'Storage'
   if name == nil or name == own then return name and self or own end
   local word, d = type(name) == 'string' and name:match '^torch%.(%w+)Storage$', nil
   for ty in pairs(methods) do if dtype.words[ty] == word then d = ty end end
   if not d then arg.refuse('type', 'type', 'the name of a storage type', name) end
   return storage.new(d, tonumber(self.s.size), false):copy(self)
end

for d, name in ipairs(dtype.names) do
   Storage[name:lower()] = function(self) return self:type('torch.' .. dtype.names[d] .. 'Storage') end
end

-- ---- the types ----------------------------------------------------------------------------------------------------

--- torch.ByteStorage(...), torch.CharStorage(...), torch.ShortStorage(...), torch.IntStorage(...), torch.LongStorage(...): A block
-- of whole numbers, as torch.DoubleStorage takes them. A LongStorage also stands for sizes.
-- torch.LongStorage{2, 3} --> {2, 3}

--- torch.HalfStorage(...), torch.BFloat16Storage(...), torch.FloatStorage(...), torch.DoubleStorage(...): A block of floats.
-- Arguments: none; a number of elements; a table of numbers; another storage with offset and size,
-- to view a part of it. Or a torch.Allocator, and a size or a table. Or a file name, [shared],
-- [size], [offset]: the elements of a file from `offset` on, all unless size says how many. Changes
-- stay in memory; when shared is true they go to the file, which is created or grows if need be.
-- With true instead of an offset, the name is that of memory shared between processes, 'name' or
-- '/name', which exists until os.remove('/dev/shm/name'). A mapped file must not be shortened.
-- torch.DoubleStorage{1, 2, 3}:size() --> 3

--- Storage:byte(), Storage:char(), Storage:short(), Storage:int(), Storage:long(), Storage:half(), Storage:bfloat16(): A copy in another
-- type; the storage itself if it has that type.
-- torch.DoubleStorage{1.5}:int() --> {1}

--- Storage:float(), Storage:double(): A copy in another type; the storage itself if it has that type.
local pointer_t = ffi.typeof('$ *', storage_t)
-- Methods take a pointer to a storage, too.
local function need_storage(self)
   if not arg.is_storage(self) then error('a storage must not be a NULL pointer', 3) end
end

ffi.metatype(storage_t, {
   __gc = lib.finalizer(function(self) C.th_storage_drop(self) end),
   __len = function(self)
      if ffi.istype(pointer_t, self) then need_storage(self) end
      return tonumber(self.s.size)
   end,
   __eq = function(a, b) return arg.is_storage(a) and arg.is_storage(b) and a.s == b.s end,
   __index = function(self, k)
      if ffi.istype(pointer_t, self) then need_storage(self) end
      if type(k) == 'number' then return dtype.peek(self.s, at(self, k)) end
      local method = methods[dtype.of_storage(self.s)][k]
      if method ~= nil or type(k) ~= 'string' or not tonumber(k) then return method end
      return dtype.peek(self.s, at(self, tonumber(k)))
   end,
   __newindex = function(self, k, v)
      if ffi.istype(pointer_t, self) then need_storage(self) end
      if type(k) ~= 'number' then k = arg.number('storage', 'index', k) end
      if type(v) ~= 'number' then
         v = tonumber(v) or arg.refuse('storage', 'value', 'a number', v)
      end
      dtype.poke(self.s, at(self, k), v)
   end,
   __tostring = function(self)
      if not arg.is_storage(self) then return 'NULL' end
      return methods[dtype.of_storage(self.s)].__tostring__(self)
   end,
})

function Storage:__tostring__() return require 'torch.print'.storage(self, storage.host(self)) end

--- s:string() is the bytes of a Char or Byte storage as a string; s:string('text') makes the storage hold those bytes.
function Storage:string(text)
   if dtype.bytes[self.s.dtype] ~= 1 or self.s.device ~= 0 then arg.refuse('string', 'storage', 'a CharStorage or a ByteStorage', self) end
   if text == nil then return ffi.string(self.s.data, self.s.size) end
   if type(text) ~= 'string' then arg.refuse('string', 'text', 'a string', text) end
   self:resize(#text)
   ffi.copy(self.s.data, text, #text)
   return self
end

arg.guard(Storage, arg.is_storage, 'a storage')

class.ctype(storage_t, function(ref) return 'torch.' .. dtype.words[dtype.of_storage(ref.s)] .. 'Storage' end,
   function(ref) return tonumber(ffi.cast('intptr_t', ref.s)) end)

-- The class torch.Allocator.
local function install_allocator(torch)
   --- torch.Allocator([kind]): The source of a storage's memory, as its first argument: torch.FloatStorage(allocator, 100).
   -- 'default' is the memory of this process; 'shared' is memory that later forks of this process share.
   -- #torch.FloatStorage(torch.Allocator('shared'), 100) --> 100
   local Allocator = class.class('torch.Allocator', torch)
   function Allocator:__init(kind)
      if kind ~= nil and kind ~= 'default' and kind ~= shared_allocator then
         if type(kind) ~= 'string' then arg.refuse('torch.Allocator', 'kind', "'default' or 'shared'", kind, 3) end
         error(("torch.Allocator: kind must be 'default' or 'shared', got '%s'"):format(kind), 3)
      end
      self.kind = kind or 'default'
   end
end

--- Gives `torch` the type torch.<word>Storage.
function storage.add_type(torch, ty)
   local word = dtype.words[ty]
   local mt = setmetatable({}, { __index = Storage })
   methods[ty] = mt
   mt.new = function(first, ...)                             -- s.new(3) and s:new(3) both work
      if arg.is_storage(first) and select('#', ...) > 0 then return construct(ty, ...) end
      return construct(ty, first, ...)                        -- s:new() alone is s.new(s)
   end
   --- Bytes that one element takes: s:elementSize(), or of a class torch.FloatStorage.elementSize().
   function mt.elementSize() return dtype.bytes[ty % dtype.CUDA] end
   local constructor = setmetatable({}, { __index = mt, __newindex = mt, __metatable = mt,
      __call = function(_, ...) return construct(ty, ...) end })
   mt.__constructor = constructor
   torch[word .. 'Storage'] = constructor
   class.register('torch.' .. word .. 'Storage', mt, nil,
      { constructor = constructor, factory = function() return storage.new(ty, 0) end })
end

--- Fills `torch` with the constructors FloatStorage, ...
function storage.install(torch)
   install_allocator(torch)
   torch.setzerofill, torch.getzerofill = storage.setzerofill, storage.getzerofill
   for d in ipairs(dtype.names) do storage.add_type(torch, d) end
end

return storage
