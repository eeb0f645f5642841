-- lua/torch/read.lua - File:readObject: reads the object in the records of a .t7 file, which may be damaged or hostile.
--
-- Every length is checked against the remaining bytes before memory is allocated, and every tensor against its storage. No code
-- is run: function records become torch.OpaqueFunction objects, unless this process has written the same code, or the caller
-- requests them with {unsafe = true} or TH_UNSAFE_LOAD=1. A frame is an object that waits for its next part. The frames are on
-- a stack of the reader, not on the processor's.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local class = require 'torch.class'
local dtype = require 'torch.dtype'
local storage = require 'torch.storage'
local arg = require 'torch.arg'
local file = require 'torch.file'
local format = require 'torch.format'
local record = require 'torch.record'
local environment = require 'torch.environment'
local C, File, open = lib.C, file.File, record.open

local NIL, NUMBER, STRING, TABLE, OBJECT, BOOLEAN = record.NIL, record.NUMBER, record.STRING, record.TABLE,
                                                    record.OBJECT, record.BOOLEAN
local OLD_FUNCTION, FUNCTION = record.OLD_FUNCTION, record.FUNCTION
local CARRIED, CARRIED_STORAGE, CARRIED_TABLE = record.CARRIED, record.CARRIED_STORAGE, record.CARRIED_TABLE
local BYTE, INT, LONG, DOUBLE = dtype.id.Byte, dtype.id.Int, dtype.id.Long, dtype.id.Double
local MAXDIM = record.MAXDIM
local int, double, longs = record.int, record.double, record.longs
local strides = ffi.new('int64_t[?]', MAXDIM)
local got = ffi.new 'int64_t[1]'
local text_room, text_size = ffi.new('char[?]', 4096), 4096

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
   local left = format.left(f)
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

local function unknown_class(self, name)
   local package_name = name:match '^([%w_]+)%.'
   if not name:match '^[%w_.]+$' then bad(self, 'the name of a class is garbage: %q', name:sub(1, 60)) end
   if package_name == 'torch' or not package_name then
      bad(self, 'an object of the unknown class %s', name:sub(1, 200))
   end
   if package.loaded[package_name] then
      bad(self, 'an object of the class %s, which the package %s does not have', name:sub(1, 200), package_name)
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
   local name = dtype.words[dtype.of(t)]
   if s ~= nil and not (arg.is_storage(s) and dtype.of_storage(s.s) == dtype.of(t)) then
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

-- LuaJIT trusts bytecode. Without running it we can check only that it is LuaJIT's, made for this kind of machine, and
-- complete.
local function check_bytecode(self, code)
   if code:sub(1, 4) == '\27Lua' then
      bad(self, 'a function was written by PUC Lua, whose bytecode LuaJIT cannot run')
   end
   if code:sub(1, 3) ~= '\27LJ' then bad(self, 'a function is no bytecode') end
   if code:byte(4) ~= 2 then bad(self, 'a function has the bytecode version %s, not 2', tostring(code:byte(4) or 'none')) end
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
   require 'torch.lua52'.know_length()
   local f, why = load(code, '=loaded function', 'b')
   if not f then bad(self, 'a function cannot be loaded: %s', tostring(why)) end
   return f
end

local function begin_function(self, tag, code)
   local trusted = self._carry or self._unsafe
   if trusted == nil then trusted = record.known_code[code] or environment.get 'TH_UNSAFE_LOAD' == '1' end
   if trusted then return load_function(self, code) end
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
   local left = format.left(f)
   local least = self:isBinary() and 12 or 5               -- bytes of the smallest pair
   if left >= 0 and n * least > left + 1 then
      bad(self, 'a table of %d elements, but %d bytes are left', n, left)
   end
   local t = {}
   if meta then setmetatable(t, meta) end
   return t, n
end

-- In a clone, makes empty objects of a class that cannot be found by name: write.lua writes an index into the list instead.
local function carried_factory(self, name)
   local place = self._carry and name:match '^%z(%d+)$'
   local its = place and self._carry[tonumber(place)]
   return its and function() return setmetatable({}, its) end
end

-- Later records may refer to the object by its index. LuaJIT keeps the functions that compiled code
-- calls: as an upvalue of one of them r would keep all that was read.
local function keep(self, r, index, object)
   if self._referenced and index then r.objects[index] = object end
end

-- An object of a class: the object, or nothing and the frame that waits for the rest of it.
local function begin_object(self, f, r, index)
   local name, version = get_text(self, f, 'the version of an object'), 0      -- old files have no version
   local number = name:match '^V (%d+)$'
   if number then version, name = tonumber(number), get_text(self, f, 'the name of a class') end
   local make = carried_factory(self, name) or class.factory_for(name) or class.factory_for(record.cpu_name(name) or '?')
   if not make then unknown_class(self, name) end
   local object = make(self)
   local its = class.class_of(object)
   if not its then bad(self, 'the factory of %s made no object of a class, but %s', name, arg.describe(object)) end
   local read = its.__read or its.read
   local own = read and not record.standard[read]
   if not own and arg.is_storage(object) then
      local ty = dtype.of_storage(object.s)
      object = get_storage(self, f, object.s.dtype)
      if ty >= dtype.CUDA then object = storage.new(ty, #object, false):copy(object) end
      keep(self, r, index, object)
      return object
   end
   keep(self, r, index, object)
   if not own and arg.is_tensor(object) then return nil, get_view(self, f, object, version) end
   if read then
      read(object, self, version)
      return object
   end
   if type(object) ~= 'table' then bad(self, '%s has no method read', name) end
   return nil, { kind = 'fields', object = object, name = name }
end

local function copy_of(s)
   local n = tonumber(s.s.size)
   return storage.new(dtype.of_storage(s.s), n, false, s.s.device):copy(s)
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
            keep(self, r, index, t)
            value = t
            if n > 0 then
               push { kind = 'table', object = t, left = n, at_value = false }
               ready = false
            end
         elseif tag == CARRIED_STORAGE then
            value = copy_of(self._carry[get_int(f)])
            keep(self, r, index, value)
         elseif tag == OBJECT then
            local frame
            value, frame = begin_object(self, f, r, index)
            if frame then
               push(frame)
               ready = false
            end
         else
            local object = begin_function(self, tag, get_text(self, f, 'a function'))
            keep(self, r, index, object)
            push { kind = 'function', object = object, tag = tag }
            ready = false
         end
      else
         bad(self, 'no object begins with the tag %d', tag)
      end
      while ready do                         -- pass the value to the frame that waits for it
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

--- Reads an object that writeObject, or Torch7, has written. Functions of other processes become torch.OpaqueFunction.
function File:readObject()
   return record.nested(self, 'read', read_graph, (open(self, 'readObject')))
end

return { get = get, view = get_view, finish = finish_tensor, storage = get_storage }
