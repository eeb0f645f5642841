-- torch.pytorch - reads files of PyTorch: zip archives, the form before version 1.6, and the tar archives before 0.1.12.
--
-- torch.load calls this. torch.pickle reads the structure and runs no code; elements go from the file straight into storages.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local dtype = require 'torch.dtype'
local file = require 'torch.file'
local storage = require 'torch.storage'
local format = require 'torch.format'
local keys = require 'torch.keys'
local pickle = require 'torch.pickle'
local rebuild = require 'torch.rebuild'
local C, about, take, check = lib.C, keys.about, format.take, format.check

local pytorch = {}

local MOST_PICKLE = 2 ^ 28                  -- bytes
local native = ffi.new 'th_npy'

-- ---- storages -----------------------------------------------------------------------------------------------------

-- The parts of a persistent id: ('storage', class, key, device, elements, view).
local function parts_of(vm, id)
   local its = type(id) == 'table' and about[id]
   if not its or its.kind ~= 'tuple' or id[1] ~= 'storage' then
      error(('a reference to a storage is damaged: the file has %s'):format(pickle.describe(id)), 0)
   end
   local class = pickle.name_of(id[2]) or id[2]
   local kind = type(class) == 'string' and rebuild.storages[class]
   if not kind then error(("a storage has the class '%s', which is none"):format(tostring(class):sub(1, 60)), 0) end
   if kind.refused then error('the file has ' .. kind.refused, 0) end
   local key = id[3]
   if type(key) ~= 'string' and type(key) ~= 'number' then error('a storage has no key', 0) end
   if id[4] == 'meta' then error('the file has a tensor of the device meta, which has no numbers', 0) end
   local n = rebuild.count_of(id[5], 'the size of a storage')
   local known = vm.storages[key]
   if known and (known.kind ~= kind or known.n ~= n) then
      error(("the storage '%s' has %.0f elements of %s, and elsewhere %.0f of %s"):format(tostring(key):sub(1, 60), known.n, known.kind.name,
         n, kind.name), 0)
   end
   return kind, key, n, known, id[6]
end

-- Remembers the storage of a key.
local function keep(vm, key, kind, n, s)
   vm.storages[key] = { kind = kind, n = n, s = s }
   vm.info[s] = { n = n, boolean = kind.boolean, complex = kind.complex, untyped = kind.untyped }
   return s
end

-- Turns elements into this machine's order, and booleans into 0 and 1.
local function make_native(s, kind, swapped)
   if #s == 0 or not (kind.boolean or swapped and not kind.untyped) then return end
   native.dtype, native.boolean, native.swapped = s.s.dtype, kind.boolean and 1 or 0, swapped and 1 or 0
   native.bytes = #s * dtype.bytes[s.s.dtype]
   C.th_npy_native(native, s.s.data)
end

-- A machine for the pickles of a file: `storages` by key, and `info` about each storage.
local function machine(persistent, other_name)
   return pickle.machine { names = rebuild.names, other_name = other_name, settle = rebuild.settle, persistent = persistent,
      storages = {}, info = {} }
end

local function result(v)
   if v == pickle.NONE then return nil end
   return v
end

-- ---- zip archives -------------------------------------------------------------------------------------------------

-- The members by their names; refuses archives whose parts overlap or unpack to too much.
local function members_of(z, n, most)
   local list, by_name, stored = {}, {}, {}
   local m, unpacked = ffi.new 'th_zip_member', 0
   for i = 0, tonumber(C.th_zip_count(z)) - 1 do
      C.th_zip_at(z, i, m)
      local name = ffi.string(m.name, m.name_size)
      if by_name[name] then error(("it has two members '%s'"):format(name:sub(1, 200)), 0) end
      local its = { i = i, name = name, size = tonumber(m.size), place = tonumber(m.place), stored = m.stored ~= 0 }
      by_name[name], list[i + 1] = its, its
      if its.stored then stored[#stored + 1] = its else unpacked = unpacked + its.size end
   end
   table.sort(stored, function(a, b)
      if a.place ~= b.place then return a.place < b.place end
      return a.size < b.size
   end)
   for i = 2, #stored do
      if stored[i].place < stored[i - 1].place + stored[i - 1].size then
         error(("its members '%s' and '%s' overlap"):format(stored[i - 1].name:sub(1, 200), stored[i].name:sub(1, 200)), 0)
      end
   end
   local limit = most or 3 * n + 48 * 2 ^ 20
   if unpacked > limit then
      error(('the packed members of the archive of %.0f bytes have %.0f, %.0f are allowed: load it with {most = %.0f} if you trust it')
         :format(n, unpacked, limit, unpacked), 0)
   end
   return by_name, list
end

-- All bytes of a member into memory.
local function read_member(z, f, m, to)
   if m.stored then
      check(C.th_file_seek(f, m.place))
      return take(f, to, m.size)
   end
   local function try(status)
      if status == lib.OK then return end
      if status == C.TH_EINTR then lib.raise(tonumber(status), -1) end
      error(("its member '%s': %s"):format(m.name:sub(1, 200), ffi.string(C.th_error())), 0)
   end
   try(C.th_zip_begin(z, m.i))
   try(C.th_zip_take(z, to, m.size))
   try(C.th_zip_end(z))
end

local function small_member(z, f, m)
   if m.size > 100 then error(("its member '%s' has %.0f bytes"):format(m.name:sub(1, 200), m.size), 0) end
   local room = ffi.new('uint8_t[?]', 100)
   read_member(z, f, m, room)
   return ffi.string(room, m.size)
end

-- The folder of data.pkl, with its slash, or nil where this is no archive of PyTorch.
local function root_of(list)
   local root
   for _, m in ipairs(list) do
      local folder = m.name:match '^([^/]*/)data%.pkl$' or m.name == 'data.pkl' and ''
      if folder then
         if root then error('it has two members data.pkl', 0) end
         root = folder
      end
   end
   return root
end

local function zip_storages(z, f, by_name, root, swapped)
   return function(vm, id)
      local kind, key, n, known = parts_of(vm, id)
      if known then return known.s end
      local m = by_name[root .. 'data/' .. key]
      if not m then error(("the storage '%s' is missing"):format(tostring(key):sub(1, 60)), 0) end
      local count = kind.complex and 2 * n or n
      local bytes = count * dtype.bytes[kind.dtype]
      if bytes ~= m.size then
         error(("the storage '%s' needs %.0f bytes, but its member has %.0f"):format(tostring(key):sub(1, 60), bytes, m.size), 0)
      end
      local s = storage.new(kind.dtype, count, false)
      if bytes > 0 then read_member(z, f, m, s.s.data) end
      make_native(s, kind, swapped)
      return keep(vm, key, kind, n, s)
   end
end

local function pickle_stream(z, f, m)
   if m.size > MOST_PICKLE then error(('data.pkl has %.0f bytes, %.0f are allowed'):format(m.size, MOST_PICKLE), 0) end
   if m.stored then return pickle.stream(f, m.place, m.place + m.size) end
   local bytes = storage.new(dtype.id.Byte, m.size, false)
   read_member(z, f, m, bytes.s.data)
   local memory = file.of_bytes(bytes)
   local s = pickle.stream(file.inside(memory), 0, m.size)
   s.memory = memory
   return s
end

-- Classes of TorchScript hold the attributes of modules, which are data, and functions, which are elsewhere in the archive.
local lists = { build_intlist = true, build_tensorlist = true, build_doublelist = true, build_boollist = true }
local function script_name(name)
   if name:find '^__torch__%.' then return rebuild.object end
   local own = name:match '^torch%.jit%._pickle%.([%w_]+)$'
   if own == 'restore_type_tag' or lists[own] then return function(_, a) return a[1] == nil and pickle.NONE or a[1] end end
end

--- The object of a zip archive of PyTorch.
-- @param most  the most bytes for members that are packed (default: 3 times the file and 48 MiB)
function pytorch.read_zip(f, most)
   check(C.th_file_seek(f, 0))
   local n = format.left(f)
   local out = ffi.new 'th_zip *[1]'
   check(C.th_zip_open_file(out, f))
   local z = ffi.gc(out[0], C.th_zip_close)
   local by_name, list = members_of(z, n, most)
   local root = root_of(list)
   if not root then error('the archive has no data.pkl, so torch.save of PyTorch has not written it', 0) end
   local order = by_name[root .. 'byteorder']
   local text = order and small_member(z, f, order) or 'little'
   if text ~= 'little' and text ~= 'big' then error('its member byteorder is damaged', 0) end
   local swapped = (text == 'big') == ffi.abi 'le'
   local script = by_name[root .. 'constants.pkl']
   local vm = machine(zip_storages(z, f, by_name, root, swapped), script and script_name)
   local v = pickle.read(vm, pickle_stream(z, f, by_name[root .. 'data.pkl']))
   C.th_zip_close(ffi.gc(z, nil))
   return result(v)
end

--- Whether a zip archive is one of PyTorch. Archives of NumPy have other members.
function pytorch.is_zip(f)
   local out, m, is = ffi.new 'th_zip *[1]', ffi.new 'th_zip_member', false
   check(C.th_zip_open_file(out, f))
   local z = ffi.gc(out[0], C.th_zip_close)
   for i = 0, tonumber(C.th_zip_count(z)) - 1 do
      C.th_zip_at(z, i, m)
      local name = ffi.string(m.name, m.name_size)
      is = is or name:find '^[^/]*/data%.pkl$' ~= nil or name == 'data.pkl' or name:find '^[^/]*/version$' ~= nil
   end
   C.th_zip_close(ffi.gc(z, nil))
   check(C.th_file_seek(f, 0))
   return is
end

-- ---- pickles one after the other ----------------------------------------------------------------------------------

local MAGIC = 'l\252\156F\249 j\168P\25'    -- 0x1950a86a20f9469cfc6c, lowest byte first

-- Makes room for a storage that comes later in the file; all of them cannot be larger than what is left there.
local function late_storage(vm, kind, key, n)
   local count = kind.complex and 2 * n or n
   vm.bytes = vm.bytes + 8 + count * dtype.bytes[kind.dtype]
   if vm.bytes > vm.left then
      error(("the storage '%s' of %.0f elements is larger than what is left of the file"):format(tostring(key):sub(1, 60), n), 0)
   end
   return keep(vm, key, kind, n, storage.new(kind.dtype, count, false))
end

-- A view of a storage that PyTorch 0.1 to 1.5 wrote: (key, offset, elements), or nil.
local function part_of(vm, s, kind, view)
   local its = type(view) == 'table' and about[view]
   if not its or its.n ~= 3 then error('the view of a storage is damaged', 0) end
   local offset, n = rebuild.count_of(view[2], 'the offset of a storage'), rebuild.count_of(view[3], 'the size of a storage')
   if offset + n > vm.info[s].n then error('a part of a storage lies outside of it', 0) end
   local part = pickle.container(vm, 'storage')
   vm.info[part] = { n = n, offset = offset * (kind.complex and 2 or 1), whole = s, boolean = kind.boolean, complex = kind.complex }
   return part
end

local function legacy_storage(vm, id)
   local kind, key, n, known, view = parts_of(vm, id)
   local s = known and known.s or late_storage(vm, kind, key, n)
   return view ~= nil and part_of(vm, s, kind, view) or s
end

local function fill(f, at, its, swapped, key)
   local head = ffi.new 'uint8_t[8]'
   check(C.th_file_seek(f, at))
   if format.left(f) < 8 then error('it ends before its storages do', 0) end
   take(f, head, 8)
   native.dtype, native.boolean, native.swapped, native.bytes = dtype.id.Long, 0, swapped and 1 or 0, 8
   C.th_npy_native(native, head)
   local n = ffi.cast('int64_t *', head)[0]
   if n ~= its.n then
      error(("the storage '%s' has %.0f elements, and where it lies %.0f"):format(tostring(key):sub(1, 60), its.n, tonumber(n)), 0)
   end
   local bytes = #its.s * dtype.bytes[its.kind.dtype]
   if bytes > format.left(f) then error('it ends before its storages do', 0) end
   take(f, its.s.s.data, bytes)
   make_native(its.s, its.kind, swapped)
   return at + 8 + bytes
end

local function little(info)
   return type(info) ~= 'table' or info.little_endian ~= false
end

-- Magic number, protocol, system, object, keys: five pickles; then the storages.
local function read_legacy(f, n)
   local at = 0
   local function next_pickle(vm)
      local s = pickle.stream(f, at, math.min(n, at + MOST_PICKLE))
      local v = pickle.read(vm, s)
      at = pickle.place(s)
      return v
   end
   local plain = machine()
   plain.huge = true
   if next_pickle(plain) ~= MAGIC then return error('its magic number is wrong', 0) end
   plain.huge = nil
   local protocol = next_pickle(plain)
   if protocol ~= 1001 then error(("it has the protocol '%s', 1001 is known"):format(tostring(protocol):sub(1, 60)), 0) end
   local swapped = little(next_pickle(plain)) ~= ffi.abi 'le'
   local vm = machine(legacy_storage)
   vm.late, vm.bytes, vm.left = true, 0, n - at
   local v = next_pickle(vm)
   local list = next_pickle(plain)
   local its = type(list) == 'table' and about[list]
   if not its or its.kind ~= 'list' then error('it has no list of storages', 0) end
   for i = 1, its.n do
      local key = list[i]
      local known = key ~= nil and vm.storages[key]
      if not known or known.filled then error(("it has the storage '%s', which is unknown or there twice"):format(tostring(key)), 0) end
      at = fill(f, at, known, swapped, key)
      known.filled = true
   end
   for key, known in pairs(vm.storages) do
      if not known.filled then error(("the storage '%s' is missing"):format(tostring(key):sub(1, 60)), 0) end
   end
   return v
end

--- The object of a file of PyTorch before version 1.6, or of a plain pickle of data.
function pytorch.read_pickle(f)
   check(C.th_file_seek(f, 0))
   local n = format.left(f)
   local first = ffi.new 'uint8_t[32]'
   local k = math.min(n, 32)
   take(f, first, k)
   if ffi.string(first, k):find(MAGIC, 1, true) then return result(read_legacy(f, n)) end
   local s = pickle.stream(f, 0, math.min(n, MOST_PICKLE))
   local v = pickle.read(machine(), s)
   if pickle.place(s) ~= n then error('bytes follow the pickle', 0) end
   return result(v)
end

-- ---- tar archives -------------------------------------------------------------------------------------------------

local BLOCK = 512

--- The positions and sizes of the files in a tar archive, by name.
local function tar_files(f, n)
   local files, at, head = {}, 0, ffi.new('uint8_t[?]', BLOCK)
   while at + BLOCK <= n do
      check(C.th_file_seek(f, at))
      take(f, head, BLOCK)
      if head[0] == 0 then break end
      local text = ffi.string(head, BLOCK)
      local name, size = text:match '^[^%z]*', tonumber(text:sub(125, 136):match '[0-7]+' or '', 8)
      if text:sub(258, 262) ~= 'ustar' or not size then error('the tar archive is damaged', 0) end
      at = at + BLOCK
      if size > n - at then error(("the file '%s' in the tar archive has %.0f bytes, but %.0f are left"):format(name, size, n - at), 0) end
      if files[name] then error(("the tar archive has the file '%s' twice"):format(name), 0) end
      files[name] = { place = at, size = size }
      at = at + math.ceil(size / BLOCK) * BLOCK
   end
   for _, name in ipairs { 'sys_info', 'pickle', 'storages', 'tensors' } do
      if not files[name] then error(("the tar archive has no file '%s', so PyTorch has not written it"):format(name), 0) end
   end
   return files
end

local function tuple_of(v, n, what)
   local its = type(v) == 'table' and about[v]
   if not its or its.kind ~= 'tuple' or its.n ~= n then error(what .. ' of the tar archive is damaged', 0) end
   return v
end

-- Pickles and bytes of one file of the archive.
local function reader_of(f, its)
   local r = { at = its.place, last = its.place + its.size }
   function r.pickle(vm)
      local s = pickle.stream(f, r.at, math.min(r.last, r.at + MOST_PICKLE))
      local v = pickle.read(vm, s)
      r.at = pickle.place(s)
      return v
   end
   function r.longs(n)
      if 8 * n > r.last - r.at then error('the tar archive is damaged: it ends too early', 0) end
      local out = ffi.new('int64_t[?]', math.max(n, 1))
      check(C.th_file_seek(f, r.at))
      take(f, out, 8 * n)
      r.at = r.at + 8 * n
      return out
   end
   return r
end

-- Storages: a count; for each (key, device, class), its size and elements. Then the views (key, key of the whole, offset, size).
local function tar_storages(f, its, vm)
   local r = reader_of(f, its)
   vm.bytes, vm.left = 0, its.size
   for _ = 1, rebuild.count_of(r.pickle(vm), 'the number of storages') do
      local v = tuple_of(r.pickle(vm), 3, 'a storage')
      local class, key = pickle.name_of(v[3]), v[1]
      local kind = rebuild.storages[class]
      if not kind or kind.refused or key == nil or vm.storages[key] then error('a storage of the tar archive is damaged', 0) end
      local n = r.longs(1)
      r.at = r.at - 8
      late_storage(vm, kind, key, rebuild.count_of(tonumber(n[0]), 'the size of a storage'))
      r.at = fill(f, r.at, vm.storages[key], false, key)
   end
   local views = r.pickle(vm)
   local list = type(views) == 'table' and about[views]
   for i = 1, list and list.n or 0 do
      local v = tuple_of(views[i], 4, 'a view')
      local whole = vm.storages[v[2]]
      if not whole or v[1] == nil or vm.storages[v[1]] then error('a view of the tar archive is damaged', 0) end
      local view = { v[2], v[3], v[4] }
      about[view] = { n = 3 }
      vm.storages[v[1]] = { kind = whole.kind, s = part_of(vm, whole.s, whole.kind, view) }
   end
end

-- Tensors: a count; for each (key, key of the storage, class), dimensions, sizes, strides, offset.
local function tar_tensors(f, its, vm)
   local r, tensors = reader_of(f, its), {}
   for _ = 1, rebuild.count_of(r.pickle(vm), 'the number of tensors') do
      local v = tuple_of(r.pickle(vm), 3, 'a tensor')
      local known = vm.storages[v[2]]
      if not known or v[1] == nil then error('a tensor of the tar archive has no storage', 0) end
      local n = ffi.cast('int32_t *', r.longs(1))[0]
      if n < 0 or n > 16 then error(('a tensor of the tar archive has %d dimensions'):format(n), 0) end
      local numbers = r.longs(2 * n + 1)
      local function tuple(first)
         local t = {}
         for i = 1, n do t[i] = tonumber(numbers[first + i - 1]) end
         about[t] = { kind = 'tuple', n = n }
         return t
      end
      tensors[v[1]] = rebuild.tensor(vm, known.s, tonumber(numbers[2 * n]), tuple(0), tuple(n))
   end
   return tensors
end

--- The object of a file of PyTorch before version 0.1.12.
function pytorch.read_tar(f)
   check(C.th_file_seek(f, 0))
   local n = format.left(f)
   local files = tar_files(f, n)
   local plain = machine()
   plain.other_name = function(name) return name:find '^torch%.%a+Tensor$' and true or name:find '^torch%.cuda%.%a+Tensor$' and true or nil end
   if not little(reader_of(f, files.sys_info).pickle(plain)) or ffi.abi 'be' then
      error('a tar archive of a machine of other byte order cannot be read', 0)
   end
   tar_storages(f, files.storages, plain)
   local tensors = tar_tensors(f, files.tensors, plain)
   local vm = machine(function(_, id)
      local t = tensors[type(id) == 'string' and tonumber(id) or id]
      if not t then error('the file wants a tensor that it does not have', 0) end
      return t
   end)
   return result(reader_of(f, files.pickle).pickle(vm))
end

return pytorch
