-- lua/torch/serialize.lua - objects in files: the .t7 format of Torch7, both ways.
--
-- A record is a tag and what belongs to it. Tables, objects and functions carry an index; the second time one is met,
-- only tag and index are written. Both directions keep their own stack, so that nesting is bounded by memory and not by
-- the stack of the processor. Reading never runs code: function records become torch.OpaqueFunction objects, unless the
-- caller asks for them with {unsafe = true} or TH_UNSAFE_LOAD=1.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local class = require 'torch.class'
local dtype = require 'torch.dtype'
local storage = require 'torch.storage'
local arg = require 'torch.arg'
local file = require 'torch.file'
local C, File = lib.C, file.File

local M = {}

local NIL, NUMBER, STRING, TABLE, OBJECT, BOOLEAN, OLD_FUNCTION, FUNCTION = 0, 1, 2, 3, 4, 5, 6, 8    -- 7: in between
-- Only within one process, for clone: a value by reference, a storage to copy, a table with a metatable.
local CARRIED, CARRIED_STORAGE, CARRIED_TABLE = 100, 101, 102

local DEEPEST = 400                         -- read and write methods that may be inside of each other
local BYTE, INT, LONG, DOUBLE = dtype.id.Byte, dtype.id.Int, dtype.id.Long, dtype.id.Double
local MAXDIM = tonumber(C.TH_MAXDIM)

local int = ffi.new 'int32_t[1]'
local double = ffi.new 'double[1]'
local got = ffi.new 'int64_t[1]'
local longs = ffi.new('int64_t[?]', MAXDIM)
local strides = ffi.new('int64_t[?]', MAXDIM)
local text_room, text_size = ffi.new('char[?]', 4096), 4096

-- The C file of an object.
local function open(self, method)
   local f = rawget(self, '_file')
   if f == nil then error(('%s: the file is closed'):format(method), 3) end
   return f
end

---------------------------------------------------------------------------------------------------------
-- writing

local function put(f, d, p, n)
   local status = C.th_file_write(f, d, p, n)
   if status ~= 0 then lib.raise(tonumber(status), -1) end
end

local function put_int(f, v)
   int[0] = v
   put(f, INT, int, 1)
end

local function put_long(f, v)
   longs[0] = v
   put(f, LONG, longs, 1)
end

local function put_text(f, s)
   put_int(f, #s)
   put(f, BYTE, ffi.cast('const char *', s), #s)
end

-- What was written so far: objects by identity, storages by address.
local function writing_state(self)
   local w = self._written
   if not w then
      w = { count = 0, index = {}, storages = {}, kept = {}, cells = {}, cell_count = 0 }
      self._written = w
   end
   return w
end

local function index_of(w, object)
   if arg.is_storage(object) then return w.storages[class.pointer(object)] end
   return w.index[object]
end

local function remember(w, object, index)
   if arg.is_storage(object) then
      w.storages[class.pointer(object)] = index
      w.kept[#w.kept + 1] = object            -- so that its address is not used again
   else
      w.index[object] = index
   end
end

-- What a clone shares as it is: the tables of packages.
local function package_set()
   local set = { [_G] = true }
   for _, v in pairs(package.loaded) do set[v] = true end
   return set
end

-- The bytecode of a function, or nil when it is written in C.
local function dump_of(f)
   local ok, code = pcall(string.dump, f)
   return ok and code or nil
end

--- Whether writeObject can write this value (what it contains is another question).
function File.isWritableObject(_, object)
   local t = type(object)
   if t == 'nil' or t == 'boolean' or t == 'number' or t == 'string' then return true end
   if t == 'function' then return dump_of(object) ~= nil end
   if t == 'table' then return not class.is_class(object) end
   return t == 'cdata' and class.typename(object) ~= nil
end

-- 'object.modules[3].gate': where in the object the writer is.
local function trail(frames, depth)
   local parts = { 'object' }
   for i = 1, depth do
      local k = frames[i].key
      if type(k) == 'string' and k:match '^[%a_][%w_]*$' then
         parts[#parts + 1] = '.' .. k
      else
         parts[#parts + 1] = ('[%s]'):format(type(k) == 'string' and ('%q'):format(k) or tostring(k))
      end
   end
   return table.concat(parts)
end

local RANK = { number = 1, string = 2, boolean = 3 }

local function before(a, b)
   local ka, kb = type(a), type(b)
   if ka ~= kb then return RANK[ka] < RANK[kb] end
   if ka == 'boolean' then return b and not a end
   return a < b
end

-- The keys of a table: numbers, strings, booleans, each in their order, then all others as they come. `next` has
-- another order in every process, and the same object shall give the same bytes.
local function keys_of(t)
   local keys, others, sorted = {}, {}, true
   for k in next, t do
      if RANK[type(k)] then
         keys[#keys + 1] = k
         sorted = sorted and k == #keys
      else
         others[#others + 1] = k
      end
   end
   if not sorted then table.sort(keys, before) end
   for _, k in ipairs(others) do keys[#keys + 1] = k end
   return keys
end

-- The fields of an object that can be written; a warning names the others.
local function writable_fields(object, name, carry)
   local fields = {}
   for _, k in ipairs(keys_of(object)) do
      local v = object[k]
      if carry or (File.isWritableObject(nil, k) and File.isWritableObject(nil, v)) then
         fields[k] = v
      else
         print(('$ Warning: cannot write object field <%s> of <%s>'):format(tostring(k), name))
      end
   end
   return fields
end

-- Values by name and identity; functions that share a variable share its id.
local function upvalues_of(w, f)
   local list, i = {}, 1
   while true do
      local name, value = debug.getupvalue(f, i)
      if not name then return list end
      local cell = debug.upvalueid(f, i)
      if not w.cells[cell] then
         w.cell_count = w.cell_count + 1
         w.cells[cell] = w.cell_count
      end
      list[i] = { name = name, id = w.cells[cell], value = value }
      i = i + 1
   end
end

local function put_header(f, version, name)
   put_text(f, 'V ' .. version)
   put_text(f, name)
end

-- All of a tensor but its storage, which is returned.
local function put_view(f, t)
   local n = t._ndim
   if n == 1 and t._size[0] == 0 then n = 0 end              -- Torch7's empty tensor has no dimension
   put_int(f, n)
   put(f, LONG, t._size, n)
   put(f, LONG, t._stride, n)
   put_long(f, t._offset + 1)
   return t._storage ~= nil and storage.of(t._storage) or nil
end

local function put_storage(f, s)
   put_long(f, s.s.size)
   put(f, s.s.dtype, s.s.data, s.s.size)
end

-- A tensor without dimension holds one number. Torch7 has none and takes it for an empty one: hence another version.
local function version_of(object)
   if arg.is_tensor(object) then return object._ndim == 0 and 2 or 1 end
   return class.version(object)
end

local function carry_index(carry, value)
   carry[#carry + 1] = value
   return #carry
end

local function put_carried(f, carry, value)
   put_int(f, CARRIED)
   put_int(f, carry_index(carry, value))
end

local function has_upvalue(f) return debug.getupvalue(f, 1) ~= nil end

-- In a clone, what has no state of its own is shared with the original.
local function is_carried(carry, object, kind)
   if kind == 'function' then return not has_upvalue(object) or not dump_of(object) end
   if kind == 'table' then
      return class.is_class(object) or carry.packages[object] or class.typename(object) == 'torch.OpaqueFunction'
   end
   if kind == 'cdata' then return class.typename(object) == nil end
   return kind ~= 'nil' and kind ~= 'boolean' and kind ~= 'number' and kind ~= 'string'
end

local function need_acyclic(object, frames, depth)
   for i = 1, depth do
      if rawequal(frames[i].object, object) then
         error(trail(frames, depth) .. ' contains itself: an unreferenced file cannot hold it', 0)
      end
   end
end

local function what_it_is(object, kind)
   if kind == 'function' then return 'a function written in C' end
   return class.is_class(object) and 'a class' or 'a ' .. kind
end

-- Writes the object and all that it leads to. A frame is a table in the middle of its pairs.
local function write_graph(self, f, root, hook, carry)
   local w = writing_state(self)
   local frames, depth = {}, 0
   local object, internal = root, false

   local function push(t, owner, keys)
      depth = depth + 1
      frames[depth] = { t = t, object = owner, keys = keys, at = 0, key = nil, at_value = false }
   end

   -- The index of what comes now, under which it is known from now on.
   local function new_index(original, now)
      w.count = w.count + 1
      if self._referenced then
         remember(w, original, w.count)
         if not rawequal(now, original) then remember(w, now, w.count) end
      end
      put_int(f, w.count)
   end

   local function begin_table(t, original, owner, meta)
      put_int(f, meta and CARRIED_TABLE or TABLE)
      new_index(original, t)
      if meta then put_int(f, carry_index(carry, meta)) end
      local keys = keys_of(t)
      put_int(f, #keys)
      push(t, owner, keys)
   end

   while true do
      local again = false                   -- the record ends with another object
      local original, kind = object, type(object)
      local known
      if kind == 'table' or kind == 'function' or kind == 'cdata' then
         known = self._referenced and index_of(w, object)
         if hook and not known and not internal then
            object = hook(object)
            kind = type(object)
         end
      end
      if kind == 'nil' then
         put_int(f, NIL)
      elseif kind == 'boolean' then
         put_int(f, BOOLEAN)
         put_int(f, object and 1 or 0)
      elseif kind == 'number' then
         put_int(f, NUMBER)
         double[0] = object
         put(f, DOUBLE, double, 1)
      elseif kind == 'string' then
         if #object >= 2 ^ 31 then error(trail(frames, depth) .. ' is a string of more than 2^31 bytes', 0) end
         put_int(f, STRING)
         put_text(f, object)
      elseif carry and is_carried(carry, object, kind) then
         put_carried(f, carry, object)
      elseif not File.isWritableObject(nil, object) then
         error(('%s cannot be written: it is %s'):format(trail(frames, depth), what_it_is(object, kind)), 0)
      elseif known then
         put_int(f, kind == 'function' and FUNCTION or class.typename(object) and OBJECT or TABLE)
         put_int(f, known)
      else
         local name = class.typename(object)
         if not self._referenced then need_acyclic(original, frames, depth) end
         if kind == 'function' then
            put_int(f, FUNCTION)
            new_index(original, object)
            put_text(f, dump_of(object))
            object, internal, again = upvalues_of(w, object), true, true
         elseif name == 'torch.OpaqueFunction' then
            put_int(f, object.kind)
            if object.kind ~= OLD_FUNCTION then new_index(original, object) end
            put_text(f, object.code)
            object, internal, again = object.upvalues, true, true
         elseif not name then
            begin_table(object, original, original, carry and getmetatable(object))
         elseif carry and arg.is_storage(object) then
            put_int(f, CARRIED_STORAGE)
            new_index(original, object)
            put_int(f, carry_index(carry, object))
         else
            put_int(f, OBJECT)
            new_index(original, object)
            put_header(f, version_of(object), name)
            if arg.is_tensor(object) then
               object, again = put_view(f, object), true
            elseif arg.is_storage(object) then
               put_storage(f, object)
            elseif class.class_of(object).write then
               class.class_of(object).write(object, self)
            elseif kind == 'table' then
               local fields = writable_fields(object, name, carry)
               begin_table(fields, fields, original)
            else
               error(('%s cannot be written: %s has no method write'):format(trail(frames, depth), name), 0)
            end
         end
      end
      if not again then
         internal = false
         while depth > 0 do                  -- the next key or value of what is open
            local frame = frames[depth]
            if frame.at_value then
               frame.at_value = false
               object = rawget(frame.t, frame.key)
               break
            end
            frame.at = frame.at + 1
            frame.key = frame.keys[frame.at]
            if frame.key ~= nil then
               frame.at_value = true
               object = frame.key
               break
            end
            frames[depth] = nil
            depth = depth - 1
         end
         if depth == 0 then return end
      end
   end
end

-- Runs `work` with the nesting of read and write methods bounded.
local function nested(self, what, work, ...)
   local depth = (self._depth or 0) + 1
   if depth > DEEPEST then
      error(('objects with %s methods are inside of each other more than %d deep'):format(what, DEEPEST), 0)
   end
   if depth > 1 then
      self._depth = depth
      local r = work(self, ...)
      self._depth = depth - 1
      return r
   end
   self._depth = 1
   local ok, r = pcall(work, self, ...)
   self._depth = 0
   if ok then return r end
   self._error = true
   local w = self._written                   -- what was begun is not in the file
   if w then self._written = { count = w.count, index = {}, storages = {}, kept = {}, cells = {}, cell_count = 0 } end
   if type(r) == 'string' then r = r:gsub('^file: ', '') end
   error(r, 0)
end

--- Writes any value that Torch7's files can hold: numbers, strings, booleans, tables, functions, tensors, objects.
-- A table or object that this file has seen is written as a reference.
-- @param hook  called with every table, object and function; what it returns is written instead (optional)
function File:writeObject(object, _, hook)
   local f = open(self, 'writeObject')
   if hook ~= nil and type(hook) ~= 'function' then arg.refuse('writeObject', 'hook', 'a function', hook) end
   nested(self, 'write', write_graph, f, object, hook, self._carry)
end

---------------------------------------------------------------------------------------------------------
-- reading

local function bad(self, fmt, ...)
   error(('%s (before byte %d)'):format(fmt:format(...), self:position()), 0)
end

local function get(f, d, p, n)
   local status = C.th_file_read(f, d, p, n, got)
   if status ~= 0 then lib.raise(tonumber(status), -1) end
end

local function get_int(f)
   get(f, INT, int, 1)
   return int[0]
end

local function get_long(f)
   get(f, LONG, longs, 1)
   return tonumber(longs[0])
end

local function get_text(self, f, what)
   local n = get_int(f)
   if n < 0 then bad(self, '%s has the length %d', what, n) end
   local left = tonumber(C.th_file_left(f))
   if left >= 0 and n > left then bad(self, '%s of %d bytes, but %d are left', what, n, left) end
   if n > text_size then
      if left < 0 and n > 2 ^ 24 then bad(self, '%s of %d bytes in a pipe', what, n) end
      text_room, text_size = ffi.new('char[?]', n), n
   end
   get(f, BYTE, text_room, n)
   local s = ffi.string(text_room, n)
   if text_size > 2 ^ 20 then text_room, text_size = ffi.new('char[?]', 4096), 4096 end
   return s
end

-- What GPU classes become where there is no GPU.
local function cpu_name(name)
   local kind, what = name:match '^torch%.Cuda(%a-)(Tensor)$'
   if not kind then kind, what = name:match '^torch%.Cuda(%a-)(Storage)$' end
   if not kind then return nil end
   local cpu = 'torch.' .. (kind == '' and 'Float' or kind) .. what
   return class.getmetatable(cpu) and cpu or nil
end

local function unknown_class(self, name)
   local package_name = name:match '^([%w_]+)%.'
   if not name:match '^[%w_.]+$' then bad(self, 'the name of a class is garbage: %q', name:sub(1, 60)) end
   if package_name == 'torch' or not package_name then
      bad(self, 'an object of the unknown class %s', name:sub(1, 200))
   end
   bad(self, "an object of the unknown class %s: call require '%s' first", name:sub(1, 200), package_name:sub(1, 60))
end

-- The sizes and strides of a tensor, in a frame that waits for its storage.
local function get_view(self, f, t, version)
   local n = get_int(f)
   if n < 0 or n > MAXDIM then bad(self, 'a tensor has at most %d dimensions, not %d', MAXDIM, n) end
   get(f, LONG, longs, n)
   get(f, LONG, strides, n)
   local frame = { kind = 'tensor', object = t, n = n, size = ffi.new('int64_t[?]', MAXDIM),
                   stride = ffi.new('int64_t[?]', MAXDIM), single = n == 0 and version >= 2 }
   ffi.copy(frame.size, longs, 8 * n)
   ffi.copy(frame.stride, strides, 8 * n)
   get(f, LONG, longs, 1)
   if longs[0] < 1 then bad(self, 'the offset of a tensor must be at least 1, got %.0f', tonumber(longs[0])) end
   frame.offset = longs[0] - 1
   for i = 0, n - 1 do
      if frame.stride[i] < 0 then
         bad(self, 'stride %d of a tensor must not be negative, got %.0f', i + 1, tonumber(frame.stride[i]))
      end
   end
   return frame
end

local function finish_tensor(self, frame, s)
   local t = frame.object
   local name = dtype.names[t._dtype]
   if s ~= nil and not (arg.is_storage(s) and s.s.dtype == t._dtype) then
      bad(self, 'a %sTensor needs a %sStorage, got %s', name, name, arg.describe(s))
   end
   local n = frame.n
   if n == 0 and not frame.single then
      n, frame.size[0], frame.stride[0] = 1, 0, 1
   end
   local have = s and s.s.size or 0
   if frame.offset > have then
      bad(self, 'the offset of a tensor is %.0f, its storage has %d elements', tonumber(frame.offset) + 1,
          tonumber(have))
   end
   local status = C.th_tensor_set(t, t._dtype, s and s.s or nil, frame.offset, n, frame.size, frame.stride)
   if status ~= 0 then
      bad(self, 'a %sTensor is impossible: %s', name, (ffi.string(C.th_error()):gsub('^[%w_.]+: ', '')))
   end
   return t
end

local function get_storage(self, f, d)
   local n = get_long(f)
   if n < 0 then bad(self, 'a %sStorage has the size %.0f', dtype.names[d], n) end
   local s, why = file.read_storage('a ' .. dtype.names[d] .. 'Storage', f, d, n)
   if why then error(why, 0) end
   return s
end

-- ---- functions

-- LuaJIT trusts bytecode. This much can be said about it without running it: that it is LuaJIT's, made for this kind of
-- machine, and complete.
local function check_bytecode(self, code)
   if code:sub(1, 4) == '\27Lua' then
      bad(self, 'a function was written by PUC Lua, whose bytecode LuaJIT cannot run')
   end
   if code:sub(1, 3) ~= '\27LJ' then bad(self, 'a function is no bytecode') end
   if code:byte(4) ~= 2 then bad(self, 'a function has the bytecode version %s, not 2', tostring(code:byte(4))) end
   local at = 5
   local function number()
      local v, scale = 0, 1
      for _ = 1, 5 do
         local b = code:byte(at)
         if not b then bad(self, 'the bytecode of a function is cut') end
         at = at + 1
         v = v + b % 128 * scale
         if b < 128 then return v end
         scale = scale * 128
      end
      bad(self, 'the bytecode of a function is damaged')
   end
   local flags = number()
   if flags % 2 ~= (ffi.abi 'be' and 1 or 0) then
      bad(self, 'a function was written on a machine of other byte order')
   end
   if (math.floor(flags / 8) % 2 == 1) ~= ffi.abi 'gc64' then
      bad(self, 'a function was written by a LuaJIT %s GC64 mode', ffi.abi 'gc64' and 'without' or 'in')
   end
   if math.floor(flags / 2) % 2 == 0 then               -- not stripped: the name of the source
      local n = number()
      at = at + n
   end
   local prototypes = 0
   while true do
      local n = number()
      if n == 0 then break end
      if n < 7 or at + n - 1 > #code then bad(self, 'the bytecode of a function is damaged') end
      at, prototypes = at + n, prototypes + 1
   end
   if prototypes == 0 or at ~= #code + 1 then bad(self, 'the bytecode of a function is damaged') end
end

local function load_function(self, code)
   check_bytecode(self, code)
   local f, why = load(code, '=loaded function', 'b')
   if not f then bad(self, 'a function cannot be loaded: %s', tostring(why)) end
   return f
end

local function begin_function(self, tag, code)
   if self._carry or self._unsafe or os.getenv 'TH_UNSAFE_LOAD' == '1' then return load_function(self, code) end
   return class.setmetatable({ kind = tag, code = code }, 'torch.OpaqueFunction')
end

local function finish_function(self, r, frame, list)
   local f = frame.object
   if type(list) ~= 'table' then bad(self, 'a function has upvalues of type %s', type(list)) end
   if type(f) == 'table' then
      f.upvalues = list
      return f
   end
   for i, up in pairs(list) do
      if type(i) ~= 'number' then bad(self, 'a function has an upvalue %s', tostring(i)) end
      if frame.tag ~= FUNCTION then
         debug.setupvalue(f, i, up)
      elseif type(up) ~= 'table' then
         bad(self, 'upvalue %d of a function is a %s', i, type(up))
      elseif debug.setupvalue(f, i, up.value) and up.id ~= nil then
         local cell = r.cells[up.id]
         if cell then debug.upvaluejoin(f, i, cell.f, cell.i) else r.cells[up.id] = { f = f, i = i } end
      end
   end
   return f
end

-- ---- everything

local function put_pair(self, frame, value)
   if frame.at_value then
      rawset(frame.object, frame.key, value)
      frame.at_value, frame.left = false, frame.left - 1
      return
   end
   if value == nil then bad(self, 'a key of a table is nil') end
   if value ~= value then bad(self, 'a key of a table is nan') end
   frame.key, frame.at_value = value, true
end

local function begin_table(self, f, meta)
   local n = get_int(f)
   if n < 0 then bad(self, 'a table has %d elements', n) end
   local left = tonumber(C.th_file_left(f))
   local least = self:isBinary() and 12 or 5               -- bytes of the smallest pair
   if left >= 0 and n * least > left + 1 then
      bad(self, 'a table of %d elements, but %d bytes are left', n, left)
   end
   local t = {}
   if meta then setmetatable(t, meta) end
   return t, n
end

local function read_graph(self, f)
   local r = self._read
   if not r then
      r = { objects = {}, cells = {} }
      self._read = r
   end
   local frames, depth = {}, 0
   local function push(frame)
      depth = depth + 1
      frames[depth] = frame
   end
   local function keep(index, object)
      if self._referenced and index then r.objects[index] = object end
   end

   while true do
      local tag = get_int(f)
      local value
      local ready = true                     -- the value is complete
      if tag == NIL then value = nil
      elseif tag == NUMBER then
         get(f, DOUBLE, double, 1)
         value = dtype.read(DOUBLE, double, 0)
      elseif tag == STRING then value = get_text(self, f, 'a string')
      elseif tag == BOOLEAN then value = get_int(f) == 1
      elseif tag == CARRIED and self._carry then value = self._carry[get_int(f)]
      elseif tag >= TABLE and tag <= FUNCTION or self._carry and tag > CARRIED and tag <= CARRIED_TABLE then
         local index = tag ~= OLD_FUNCTION and get_int(f) or nil
         local known = self._referenced and index and r.objects[index]
         if known then
            value = known
         elseif tag == TABLE or tag == CARRIED_TABLE then
            local t, n = begin_table(self, f, tag == CARRIED_TABLE and self._carry[get_int(f)])
            keep(index, t)
            value = t
            if n > 0 then
               push { kind = 'table', object = t, left = n, at_value = false }
               ready = false
            end
         elseif tag == CARRIED_STORAGE then
            local from = self._carry[get_int(f)]
            local n = tonumber(from.s.size)
            value = storage.new(from.s.dtype, n, false)
            if n > 0 then ffi.copy(value.s.data, from.s.data, n * dtype.bytes[from.s.dtype]) end
            keep(index, value)
         elseif tag == OBJECT then
            local name, version = get_text(self, f, 'the version of an object'), 0      -- old files have no version
            local number = name:match '^V (%d+)$'
            if number then version, name = tonumber(number), get_text(self, f, 'the name of a class') end
            local make = class.factory(name)
            if not make then
               local cpu = cpu_name(name)
               if not cpu then unknown_class(self, name) end
               make = class.factory(cpu)
            end
            local object = make()
            if arg.is_tensor(object) then
               keep(index, object)
               push(get_view(self, f, object, version))
               ready = false
            elseif arg.is_storage(object) then
               value = get_storage(self, f, object.s.dtype)
               keep(index, value)
            else
               keep(index, object)
               value = object
               local read = class.class_of(object).read
               if read then
                  read(object, self, version)
               elseif type(object) == 'table' then
                  push { kind = 'fields', object = object, name = name }
                  ready = false
               else
                  bad(self, '%s has no method read', name)
               end
            end
         else
            local object = begin_function(self, tag, get_text(self, f, 'a function'))
            keep(index, object)
            push { kind = 'function', object = object, tag = tag }
            ready = false
         end
      else
         bad(self, 'no object begins with the tag %d', tag)
      end
      while ready do                         -- give the value to what waits for it
         if depth == 0 then return value end
         local frame = frames[depth]
         if frame.kind == 'table' then
            put_pair(self, frame, value)
            if frame.left > 0 then break end
            value = frame.object
         elseif frame.kind == 'tensor' then
            value = finish_tensor(self, frame, value)
         elseif frame.kind == 'function' then
            value = finish_function(self, r, frame, value)
         else
            if type(value) ~= 'table' then bad(self, 'the fields of a %s are a %s', frame.name, type(value)) end
            for k, v in next, value do rawset(frame.object, k, v) end
            value = frame.object
         end
         frames[depth] = nil
         depth = depth - 1
      end
   end
end

--- Reads what writeObject has written, by Torch7 too. Functions come as torch.OpaqueFunction.
function File:readObject()
   return nested(self, 'read', read_graph, (open(self, 'readObject')))
end

---------------------------------------------------------------------------------------------------------
-- files as a whole

local function modes(who, mode)
   mode = mode == nil and 'binary' or mode
   if mode ~= 'binary' and mode ~= 'ascii' and mode ~= 'b32' and mode ~= 'b64' then
      arg.refuse(who, 'mode', "'binary', 'ascii', 'b32' or 'b64'", mode, 3)
   end
   return mode
end

local function set_mode(f, mode)
   if mode == 'ascii' then return f:ascii() end
   f:binary()
   if mode == 'b32' then f:longSize(4) elseif mode == 'b64' then f:longSize(8) end
end

-- The options of loading: `referenced` as Torch7 takes it, or a table {unsafe =, referenced =}; or that in mode's place.
local function load_options(who, mode, options)
   if type(mode) == 'table' and options == nil then mode, options = nil, mode end
   if options ~= nil and type(options) ~= 'table' and type(options) ~= 'boolean' then
      arg.refuse(who, 'options', 'a table such as {unsafe = true}', options, 3)
   end
   if type(options) ~= 'table' then options = { referenced = options } end
   return modes(who, mode), options
end

local function read_all(f, who, mode, options)
   set_mode(f, mode)
   if options.referenced == false then f:referenced(false) end
   f._unsafe = options.unsafe
   local ok, object = pcall(f.readObject, f)
   file.abandon(f)
   if ok then return object end
   if type(object) == 'string' then
      if f._name and not object:find(f._name, 1, true) then object = f._name .. ': ' .. object end
      object = who .. ': ' .. object
   end
   error(object, 3)
end

-- Writes an object and calls `finish`; an error is raised in the name of `who`.
local function write_all(f, who, object, mode, referenced, finish)
   set_mode(f, mode)
   if referenced == false then f:referenced(false) end
   local ok, why = pcall(f.writeObject, f, object)
   if ok and finish then ok, why = pcall(finish, f) end
   if ok then return end
   file.abandon(f)
   if type(why) == 'string' then
      if f._name and not why:find(f._name, 1, true) then why = f._name .. ': ' .. why end
      why = who .. ': ' .. why:gsub('^.-torch%.DiskFile:close: ', '')
   end
   error(why, 3)
end

--- Writes an object to a file. The old file is replaced when the new one is complete and on disk, not before.
-- @param mode        'binary' (default) or 'ascii'
-- @param referenced  false: tables that occur twice are written twice (default true)
function M.save(filename, object, mode, referenced)
   if type(filename) ~= 'string' then arg.refuse('torch.save', 'filename', 'a string', filename) end
   mode = modes('torch.save', mode)
   local ok, f = pcall(file.replacing, filename)
   if not ok then error('torch.save: ' .. tostring(f):gsub('^.-torch%.DiskFile: ', ''), 2) end
   write_all(f, 'torch.save', object, mode, referenced, f.close)
end

--- Reads the object that a file holds. No code in the file is run: functions come as torch.OpaqueFunction.
-- @param mode     'binary' (default), 'ascii', or for binary files with Longs of 32 or 64 bits 'b32' or 'b64'
-- @param options  {unsafe = true} loads functions: do that with files that you trust like programs
function M.load(filename, mode, options)
   if type(filename) ~= 'string' then arg.refuse('torch.load', 'filename', 'a string', filename) end
   mode, options = load_options('torch.load', mode, options)
   local ok, f = pcall(File.disk, filename, 'r')
   if not ok then error('torch.load: ' .. tostring(f):gsub('^.-torch%.DiskFile: ', ''), 2) end
   return (read_all(f, 'torch.load', mode, options))
end

--- The bytes that torch.save would write, as a string.
function M.serialize(object, mode)
   mode = modes('torch.serialize', mode)
   local f = File.memory()
   write_all(f, 'torch.serialize', object, mode)
   local s = f:storage()
   local text = ffi.string(s.s.data, s.s.size - 1)
   file.abandon(f)
   return text
end

--- The object that a string holds; see torch.load.
function M.deserialize(text, mode, options)
   if type(text) ~= 'string' then arg.refuse('torch.deserialize', 'text', 'a string', text) end
   mode, options = load_options('torch.deserialize', mode, options)
   return (read_all(file.of_string(text), 'torch.deserialize', mode, options))
end

--- The bytes that torch.save would write, as a CharStorage.
function M.serializeToStorage(object, mode)
   mode = modes('torch.serializeToStorage', mode)
   local f = File.memory()
   write_all(f, 'torch.serializeToStorage', object, mode)
   local s = f:storage()
   file.abandon(f)
   return s:resize(#s - 1)
end

--- The object that the bytes of a CharStorage hold; see torch.load.
function M.deserializeFromStorage(s, mode, options)
   if not arg.is_storage(s) then arg.refuse('torch.deserializeFromStorage', 'storage', 'a torch.CharStorage', s) end
   mode, options = load_options('torch.deserializeFromStorage', mode, options)
   return (read_all(file.of_storage(s), 'torch.deserializeFromStorage', mode, options))
end

M.saveobj, M.loadobj = M.save, M.load

local internal = {}

--- A copy of an object and of all that belongs to it, made within this process. Unlike a file it carries everything:
-- functions come with copies of their variables; packages, classes, functions without variables and whatever else has
-- no copy are shared with the original.
function internal.clone(object)
   local carry = { packages = package_set() }
   local f = File.memory()
   f:binary()
   f._carry = carry
   f:writeObject(object)
   f:seek(1)
   local copy = f:readObject()
   file.abandon(f)
   return copy
end

-- Tensors and storages, inside of the write and read methods of other objects: no tag, index and class.
local function install_methods(torch)
   for _, name in ipairs(dtype.names) do
      local t = torch.getmetatable('torch.' .. name .. 'Tensor')
      t.write = function(self, f)
         f:writeObject(put_view(open(f, 'write'), self))
      end
      t.read = function(self, f, version)
         local frame = get_view(f, open(f, 'read'), self, version or 1)
         return finish_tensor(f, frame, f:readObject())
      end

      local s = torch.getmetatable('torch.' .. name .. 'Storage')
      s.write = function(self, f) put_storage(open(f, 'write'), self) end
      s.read = function(self, f)
         local from = get_storage(f, open(f, 'read'), self.s.dtype)
         return self:resize(#from):copy(from)
      end
   end
end

-- The state of a generator, in Torch7's bytes.
local function install_generator(mt)
   local function state() return ffi.new('uint8_t[?]', C.th_generator_state_size()) end
   function mt.write(self, f)
      local bytes = state()
      C.th_generator_get_state(self.g, bytes)
      put(open(f, 'write'), BYTE, bytes, C.th_generator_state_size())
   end
   function mt.read(self, f)
      local bytes = state()
      get(open(f, 'read'), BYTE, bytes, C.th_generator_state_size())
      lib.check(C.th_generator_set_state(self.g, bytes, C.th_generator_state_size()))
   end
end

--- Adds save, load, serialize, ... to torch; the files must be there already.
function internal.install(torch)
   for name, f in pairs(M) do torch[name] = f end
   File.disk, File.memory = torch.DiskFile, torch.MemoryFile
   local mt = class.getmetatable 'torch.File'
   for _, name in ipairs { 'writeObject', 'readObject', 'isWritableObject' } do mt[name] = File[name] end
   local Opaque = class.class('torch.OpaqueFunction', torch)
   function Opaque.__call__()
      error('this function came from a file, and files may not bring code: '
         .. 'torch.load(file, mode, {unsafe = true}) or TH_UNSAFE_LOAD=1 loads functions of files that you trust', 3)
   end
   function Opaque:__tostring__() return ('torch.OpaqueFunction (%d bytes of code, not loaded)'):format(#self.code) end
   install_methods(torch)
   local generator = class.getmetatable 'torch.Generator'
   if generator then install_generator(generator) end
end

return setmetatable(M, { __index = internal })
