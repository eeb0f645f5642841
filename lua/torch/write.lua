-- lua/torch/write.lua - File:writeObject: any object as records of a .t7 file.
--
-- The writer has an explicit stack of the tables in progress. So memory limits the nesting, not the stack of
-- the processor, and an error can say where in the object it occurred.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local class = require 'torch.class'
local dtype = require 'torch.dtype'
local storage = require 'torch.storage'
local arg = require 'torch.arg'
local file = require 'torch.file'
local record = require 'torch.record'
local C, File, open = lib.C, file.File, record.open

local NIL, NUMBER, STRING, TABLE, OBJECT, BOOLEAN = record.NIL, record.NUMBER, record.STRING, record.TABLE,
                                                    record.OBJECT, record.BOOLEAN
local OLD_FUNCTION, FUNCTION = record.OLD_FUNCTION, record.FUNCTION
local CARRIED, CARRIED_STORAGE, CARRIED_TABLE = record.CARRIED, record.CARRIED_STORAGE, record.CARRIED_TABLE
local BYTE, INT, LONG, DOUBLE = dtype.id.Byte, dtype.id.Int, dtype.id.Long, dtype.id.Double
local int, double, longs = record.int, record.double, record.longs

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

-- Values written so far: tables and tensors by identity, other C objects by address, since several Lua objects may hold one of
-- them.
local function writing_state(self)
   local w = self._written or record.writing_state(0)
   self._written = w
   return w
end

local function has_address(object) return type(object) == 'cdata' and not arg.is_tensor(object) end

local function index_of(w, object)
   if has_address(object) then return w.storages[class.pointer(object)] end
   return w.index[object]
end

local function remember(w, object, index)
   if has_address(object) then
      w.storages[class.pointer(object)] = index
      w.kept[#w.kept + 1] = object            -- so that its address is not reused
   else
      w.index[object] = index
   end
end

-- The bytecode of a function, or nil when it is written in C.
local function dump_of(f)
   local ok, code = pcall(string.dump, f)
   return ok and code or nil
end

--- Whether writeObject can write this value, regardless of its contents.
function File.isWritableObject(_, object)
   local t = type(object)
   if t == 'nil' or t == 'boolean' or t == 'number' or t == 'string' then return true end
   if t == 'function' then return dump_of(object) ~= nil end
   if t == 'table' then return not class.is_class(object) or class.constructor_name(object) ~= nil end
   return t == 'cdata' and class.typename(object) ~= nil
end

-- 'object.modules[3].gate': the current position in the object.
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

-- The keys of a table: numbers, strings and booleans sorted, then all others. Also how many of the
-- first kind there are. `next` has another order in every process, and the same object must give
-- the same bytes: see sort_others.
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
   local plain = #keys
   for _, k in ipairs(others) do keys[#keys + 1] = k end
   return keys, plain
end

local function id_of(k)
   local id = type(k) == 'table' and rawget(k, 'id')
   return type(id) == 'number' and id or math.huge
end

-- Sorts the keys behind the first n, which are tables and other objects: those in the file by
-- their index, others that have a number `id`, as nodes of graphs do, by that. The rest stays in
-- the order of `next`.
local function sort_others(w, keys, n)
   local others, index, id, place = {}, {}, {}, {}
   for i = n + 1, #keys do
      local k = keys[i]
      others[i - n], place[k] = k, i
      index[k], id[k] = index_of(w, k) or math.huge, id_of(k)
   end
   table.sort(others, function(a, b)
      if index[a] ~= index[b] then return index[a] < index[b] end
      if id[a] ~= id[b] then return id[a] < id[b] end
      return place[a] < place[b]
   end)
   for i, k in ipairs(others) do keys[n + i] = k end
end

-- The fields of an object that can be written; a warning names the others.
local function writable_fields(object, name, carry)
   local fields = {}
   for _, k in ipairs((keys_of(object))) do
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

-- The parts of a tensor without its storage, which is returned.
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
   s = storage.host(s)
   put_long(f, s.s.size)
   put(f, s.s.dtype, s.s.data, s.s.size)
end

-- A tensor without dimension holds one number. Torch7 would read it as an empty one, so it has another version.
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

-- In a clone, the index that replaces the name of a class that another class has replaced.
local function carried_class(carry, its) return '\0' .. carry_index(carry, its) end

local function has_upvalue(f) return debug.getupvalue(f, 1) ~= nil end

-- In a clone, objects without state are shared with the original.
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

-- The object to write in place of another: the result of its method `writtenAs`, if its class has one.
local function stand_in(object)
   local its = class.class_of(object)         -- a field of the object may have that name
   while its and its.writtenAs and not class.is_class(object) do
      local other = its.writtenAs(object)
      if rawequal(other, object) then break end
      object, its = other, class.class_of(other)
   end
   return object
end

-- Writes the index of the next object, under which later records refer to it. LuaJIT keeps the
-- functions that compiled code calls: as an upvalue of one of them w would keep all that was
-- written.
local function put_new_index(self, w, f, original, now)
   w.count = w.count + 1
   if self._referenced then
      remember(w, original, w.count)
      if not rawequal(now, original) then remember(w, now, w.count) end
   end
   put_int(f, w.count)
end

-- Writes the object and everything it refers to. A frame is a table whose pairs are being written.
local function write_graph(self, f, root, hook, carry)
   local w = writing_state(self)
   local frames, depth = {}, 0
   local object, internal = root, false

   local function push(t, owner, keys, plain)
      depth = depth + 1
      frames[depth] = { t = t, object = owner, keys = keys, plain = plain, at = 0, key = nil,
         at_value = false }
   end

   local function begin_table(self, w, t, original, owner, meta)
      put_int(f, meta and CARRIED_TABLE or TABLE)
      put_new_index(self, w, f, original, t)
      if meta then put_int(f, carry_index(carry, meta)) end
      local keys, plain = keys_of(t)
      put_int(f, #keys)
      push(t, owner, keys, plain)
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
         if kind == 'table' and not known and not carry then
            object = stand_in(object)
            known = self._referenced and index_of(w, object)
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
            put_new_index(self, w, f, original, object)
            local code = dump_of(object)
            if not carry then record.known_code[code] = true end
            put_text(f, code)
            object, internal, again = upvalues_of(w, object), true, true
         elseif name == 'torch.OpaqueFunction' then
            put_int(f, object.kind)
            if object.kind ~= OLD_FUNCTION then put_new_index(self, w, f, original, object) end
            put_text(f, object.code)
            object, internal, again = object.upvalues, true, true
         elseif not name then
            local made = class.constructor_name(object)     -- as in Torch7, the fields of its table, which is empty
            if made then print(('$ Warning: the constructor %s is written as an empty table'):format(made)) end
            begin_table(self, w, object, original, original, carry and getmetatable(object))
         elseif carry and arg.is_storage(object) then
            put_int(f, CARRIED_STORAGE)
            put_new_index(self, w, f, original, object)
            put_int(f, carry_index(carry, object))
         else
            put_int(f, OBJECT)
            put_new_index(self, w, f, original, object)
            local its = class.class_of(object)
            local own = its.__write or its.write
            put_header(f, version_of(object), carry and not class.is_current(its) and carried_class(carry, its) or name)
            if own and not record.standard[own] then
               own(object, self)
            elseif arg.is_tensor(object) then
               object, again = put_view(f, object), true
            elseif arg.is_storage(object) then
               put_storage(f, object)
            elseif kind == 'table' then
               local fields = writable_fields(object, name, carry)
               begin_table(self, w, fields, fields, original)
            else
               error(('%s cannot be written: %s has no method write'):format(trail(frames, depth), name), 0)
            end
         end
      end
      if not again then
         internal = false
         while depth > 0 do                  -- the next key or value of the table in progress
            local frame = frames[depth]
            if frame.at_value then
               frame.at_value = false
               object = rawget(frame.t, frame.key)
               break
            end
            if frame.at == frame.plain and frame.at + 1 < #frame.keys then
               sort_others(w, frame.keys, frame.plain)
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

--- Writes any value that Torch7's files can hold: numbers, strings, booleans, tables, functions, tensors, objects.
-- A table or object that is already in this file is written as a reference.
-- @param hook  called with every table, object and function; what it returns is written instead (optional)
function File:writeObject(object, _, hook)
   local f = open(self, 'writeObject')
   if type(hook) ~= 'nil' and type(hook) ~= 'function' then arg.refuse('writeObject', 'hook', 'a function', hook) end
   record.nested(self, 'write', write_graph, f, object, hook, self._carry)
end

return { put = put, view = put_view, storage = put_storage }
