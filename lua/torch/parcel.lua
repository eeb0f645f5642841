-- torch.parcel - packs values for another Lua state of this process. Tensors travel as addresses, so that both states see the
-- same elements; numbers, strings, tables and functions as copies; packages and classes by their names. A table whose metatable
-- is a package keeps it by name.
--
-- parcel.pack borrows the tensors: they must live until the other state has them. parcel.send makes a string that owns its
-- contents: copies of tensors and storages, or references to them. Its head lists them, so that a string can be dropped unread.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local class = require 'torch.class'
local arg = require 'torch.arg'
local C = lib.C

local header = assert(io.open(lib.include .. '/th_worker.h'))
ffi.cdef((assert(header:read '*a':match '/%* FFI BEGIN %*/(.-)/%* FFI END %*/', 'th_worker.h has lost its FFI part')))
header:close()

local parcel = {}

-- ---- values with a name in every state
-- ---------------------------------------------------------------------------------------

local names, packages = {}                        -- C functions and tables of packages -> how to find them; number of packages

-- Whether every state has a function of a Lua library. Those come from C, from th, or from the packages torch and tds,
-- which replace some. Functions of the program in _G exist in this state only.
local function is_everywhere(f)
   local source = debug.getinfo(f, 'S')
   if source.what == 'C' or source.linedefined < 0 or source.source == '=th' then return true end
   local folder, file = source.source:match '([^/\\]+)[/\\]([^/\\]+)%.lua$'
   if folder ~= 'torch' and folder ~= 'tds' then return false end
   return package.loaded[file == 'init' and folder or folder .. '.' .. file] ~= nil
end

-- Updates `names`.
local function learn_names()
   local count = 0
   for _ in pairs(package.loaded) do count = count + 1 end
   if count ~= packages then
      names, packages = {}, count
      for name, package_table in pairs(package.loaded) do
         if type(package_table) == 'table' then names[package_table] = name end
      end
      for _, library in ipairs { '_G', 'string', 'table', 'math', 'io', 'os', 'debug', 'coroutine', 'bit', 'ffi', 'jit',
         'torch.original' } do
         for k, v in pairs(package.loaded[library] or {}) do
            if type(v) == 'function' and not names[v] and is_everywhere(v) then names[v] = library .. '\0' .. tostring(k) end
         end
      end
      names[_G] = '_G'
   end
end

-- The name of a value, if it has one. For a value without a name, `names` is updated once per parcel.
local function named(out, value)
   if value == nil then return nil end
   local name, kind = names[value], type(value)
   if out.learned or name and (kind == 'function' or package.loaded[name] == value) then return name end
   if kind == 'function' and not is_everywhere(value) then return nil end
   learn_names()
   out.learned = true
   return names[value]
end

local function found(name)
   local library, k = name:match '^(%Z+)%z(%Z+)$'
   if not library then return name == '_G' and _G or require(name) end
   return require(library)[k]
end

-- ---- packing ----------------------------------------------------------------------------------------------------------------

local function text(out, mark, s) out[#out + 1] = ('%s%d:%s'):format(mark, #s, s) end

local pack

local function pack_function(out, f, where)
   local ok, code = pcall(string.dump, f)
   if not ok and not tostring(code):find 'unable to dump' then error(code, 0) end            -- Ctrl-C can raise an error anywhere
   if not ok then error(where .. ' cannot go to another thread: it is a function written in C', 0) end
   text(out, 'f', code)
   local i = 1
   while true do
      local name, value = debug.getupvalue(f, i)
      if not name then break end
      if value == nil or type(value) == 'number' then
         pack(out, value)
      else
         local info = debug.getinfo(f, 'S')
         pack(out, value, ('the variable %s of the function at %s:%d'):format(name, info.short_src, info.linedefined))
      end
      i = i + 1
   end
   out[#out + 1] = '.'
end

local DEEPEST = 1000                         -- nested tables: each takes room on the stack of both states

local function pack_table(out, t, where)
   out.depth = out.depth + 1
   if out.depth > DEEPEST then
      error(('%s cannot go to another thread: tables are inside of each other more than %d deep')
         :format(where:sub(1, 60), DEEPEST), 0)
   end
   local mt = named(out, getmetatable(t))
   if mt then text(out, 'k', mt) else out[#out + 1] = 't' end
   for k, v in pairs(t) do
      pack(out, k, 'a key of ' .. where)
      pack(out, v, type(k) == 'string' and where .. '.' .. k or where)
   end
   out[#out + 1] = '.'
   out.depth = out.depth - 1
end

-- A file for the methods `write` of classes: everything written to it is packed.
local function packing_file(out, where)
   return setmetatable({}, { __index = function(_, name)
      if not tostring(name):find '^write%u' then
         error(('a file that is sent to another thread has no method %s'):format(name), 2)
      end
      return function(_, v) pack(out, v, where) end
   end })
end

-- An object as its fields, or as the output of its class's `write`; values shared with the rest of the parcel stay shared.
local function pack_content(out, v, where)
   out.depth = out.depth + 1
   if out.depth > DEEPEST then
      error(('%s cannot go to another thread: objects are inside of each other more than %d deep')
         :format(where:sub(1, 60), DEEPEST), 0)
   end
   text(out, 'b', class.typename(v))
   local write = v.write
   if write then
      write(v, packing_file(out, where))
   else
      for k, value in pairs(v) do
         pack(out, k, 'a key of ' .. where)
         pack(out, value, type(k) == 'string' and where .. '.' .. k or where)
      end
   end
   out[#out + 1] = '.'
   out.depth = out.depth - 1
end

-- An object of a class with __send travels as the number that __send returns, which the other state passes to __receive. Other
-- objects are copied. Where tensors are copied, objects that a file can hold are copied too.
local function pack_object(out, v, where)
   local mt, name = class.class_of(v), class.typename(v)
   if mt.__stays then error(('%s cannot go to another thread: it is a %s'):format(where, name), 0) end
   if mt.__send and not (out.mode == 'copy' and mt.write) then
      if out.mode then
         return out:own(v, ('q%s\0%.0f'):format(name, mt.__send(v)))
      end
      text(out, 'q', ('%s\0%.0f'):format(name, mt.__send(v)))
   elseif out.mode and not name:find '^torch%.' then
      out.count = out.count + 1
      out.seen[v] = out.count
      pack_content(out, v, where)
   else
      local ok, bytes = pcall(require 'torch.serialize'.serialize, v)
      if not ok then error(('%s cannot go to another thread: %s'):format(where, bytes), 0) end
      text(out, 'o', bytes)
   end
end

-- ---- the contents that a parcel owns
-- ------------------------------------------------------------------------------------------

local function address(p) return tonumber(ffi.cast('uintptr_t', ffi.cast('const void *', p))) end

-- The owning parcel that is being packed. `owned` are entries for its head, or tensors whose entries are made at the end.
local Owning = {}
Owning.__index = Owning

-- Appends an entry to the head, and its index there to the body.
function Owning:own(v, entry)
   self.owned[#self.owned + 1] = entry
   self.places[v] = #self.owned
   text(self, 'i', tostring(#self.owned))
end

-- The address of a storage, since several Lua objects may hold it.
function Owning:own_storage(v)
   local key = address(v.s)
   if self.places[key] then return text(self, 'i', tostring(self.places[key])) end
   self.uses[key] = (self.uses[key] or 0) + 1
   self:own(key, v)
end

function Owning:own_tensor(v)
   if v._storage ~= nil then
      local key = address(v._storage)
      self.uses[key] = (self.uses[key] or 0) + 1
   end
   self:own(v, v)
end

-- A CPU storage with the same elements; the same one for each call.
function Owning:copy_of(s)
   local key = address(s)
   if not self.copies[key] then
      local storage = require 'torch.storage'
      local n = tonumber(s.size)
      local copy = storage.new(tonumber(s.dtype), n, false)
      if n > 0 then ffi.copy(copy.s.data, s.data, n * tonumber(C.th_dtype_size(s.dtype))) end
      self.copies[key] = copy
   end
   return self.copies[key]
end

-- A copy of a tensor. Views of one storage share the copy of it; a lone view of a part is copied as that part.
function Owning:tensor_copy(v)
   local s = v._storage
   if s == nil then return v end
   if s.device ~= 0 or self.uses[address(s)] == 1 and v:nElement() < tonumber(s.size) then return v:clone() end
   local t = lib.new()
   C.th_tensor_alias(t, v)
   C.th_worker_move(t, self:copy_of(s).s)
   return t
end

-- The text for the head. From here on the parcel owns a reference.
function Owning:entry(v)
   if arg.is_tensor(v) then
      local t = C.th_worker_wrap(self.mode == 'copy' and self:tensor_copy(v) or v)
      if t == nil then error('no memory left for a tensor that is sent to another thread', 0) end
      return ('w%.0f'):format(address(t))
   end
   local s = (self.mode == 'copy' and v.s.device == 0 and self:copy_of(v.s) or v).s
   C.th_storage_retain(s)
   return ('s%.0f'):format(address(s))
end

-- Takes over the references of a head: a list of Lua objects.
local function claim(head)
   local list = {}
   for entry in head:gmatch '[^;]+' do
      local mark, rest = entry:sub(1, 1), entry:sub(2)
      if mark == 'w' then
         local t = lib.new()
         C.th_worker_unwrap(t, ffi.cast('th_tensor *', ffi.cast('uintptr_t', tonumber(rest))))
         list[#list + 1] = t
      elseif mark == 's' then
         list[#list + 1] = require 'torch.storage'.owned(ffi.cast('th_storage *', ffi.cast('uintptr_t', tonumber(rest))))
      else
         local name, number = rest:match '^(%Z+)%z(%d+)$'
         if not class.getmetatable(name) then require(name:match '^[^.]+') end
         list[#list + 1] = class.getmetatable(name).__receive(tonumber(number))
      end
   end
   return list
end

-- The head: `H`, its length, `:`, its entries.
function Owning:head()
   local done = {}
   local ok, why = pcall(function()
      for i, v in ipairs(self.owned) do done[i] = type(v) == 'string' and v or self:entry(v) end
   end)
   local list = table.concat(done, ';')
   if not ok then
      claim(list)
      error(why, 0)
   end
   return ('H%d:%s'):format(#list, list)
end

-- Takes back what objects have sent, when packing fails.
function Owning:abandon()
   local sent = {}
   for _, v in ipairs(self.owned) do
      if type(v) == 'string' then sent[#sent + 1] = v end
   end
   claim(table.concat(sent, ';'))
end

-- Tables of no class. A metatable must be a package; in a parcel that owns its contents tables lose their metatable, as in
-- files.
local function is_plain(out, v)
   if type(v) ~= 'table' then return false end
   local mt = getmetatable(v)
   return not mt or not class.typename(v) and (out.mode or named(out, mt)) and true
end

function pack(out, v, where)
   local kind = type(v)
   if v == nil then out[#out + 1] = 'z'
   elseif kind == 'boolean' then out[#out + 1] = v and 'y' or 'n'
   elseif kind == 'number' then text(out, 'd', ('%.17g'):format(v))
   elseif kind == 'string' then text(out, 's', v)
   elseif out.mode and out.places[v] then text(out, 'i', tostring(out.places[v]))
   elseif out.mode and arg.is_tensor(v) then out:own_tensor(v)
   elseif out.mode and arg.is_storage(v) then out:own_storage(v)
   elseif arg.is_tensor(v) then
      out.tensors[#out.tensors + 1] = v
      out[#out + 1] = ''                                      -- its address comes last, so a failure leaves none behind
      out.places[#out.tensors] = #out
   elseif out.seen[v] then text(out, 'r', tostring(out.seen[v]))
   elseif named(out, v) then text(out, 'p', named(out, v))
   elseif kind == 'table' and class.is_class(v) then
      local name = class.name(v)
      text(out, rawget(v, '__typename') and 'm' or 'c', name)
   elseif kind == 'function' or is_plain(out, v) then
      out.count = out.count + 1
      out.seen[v] = out.count
      if kind == 'function' then pack_function(out, v, where) else pack_table(out, v, where) end
   elseif class.typename(v) then pack_object(out, v, where)
   else
      error(('%s cannot go to another thread: it is a %s%s'):format(where, kind,
         kind == 'table' and ' whose metatable is no class and no package' or ''), 0)
   end
end

local function pack_all(out, ...)
   for i = 1, select('#', ...) do pack(out, (select(i, ...)), 'argument ' .. i) end
end

--- All arguments as a string that is valid in this process only, and the list of the tensors among them.
-- @param keep  called with each tensor when all are known. Returns the th_tensor to point to, which
--   must live until the string has been unpacked
function parcel.pack_for(keep, ...)
   local out = { tensors = {}, places = {}, seen = {}, count = 0, depth = 0 }
   pack_all(out, ...)
   for i, t in ipairs(out.tensors) do
      local place = ('%.0f'):format(address(keep(t)))
      out[out.places[i]] = ('a%d:%s'):format(#place, place)
   end
   return table.concat(out), out.tensors
end

local function itself(t) return t end

--- The same, with the tensors themselves: they must live until the string has been unpacked.
function parcel.pack(...)
   return parcel.pack_for(itself, ...)
end

--- All arguments as a string that is valid in this process only and owns its contents. Call parcel.unpack or parcel.drop on it,
-- once.
-- @param mode  'copy': tensors, storages and objects are copied. 'share': both sides see the same elements
function parcel.send(mode, ...)
   local out = setmetatable({ mode = mode, owned = {}, places = {}, uses = {}, copies = {}, seen = {}, count = 0, depth = 0 },
      Owning)
   local ok, why = pcall(pack_all, out, ...)
   if not ok then
      out:abandon()
      error(why, 0)
   end
   if #out.owned == 0 then return table.concat(out) end
   return out:head() .. table.concat(out)
end

-- ---- unpacking --------------------------------------------------------------------------------------------------------------

local unpack_value

local readers = {
   z = function() return nil end, y = function() return true end, n = function() return false end,
}
local with_text = {
   d = function(_, s) return tonumber(s) end,
   s = function(_, s) return s end,
   a = function(_, s)
      local t = lib.new()
      C.th_tensor_alias(t, ffi.cast('th_tensor *', ffi.cast('uintptr_t', tonumber(s))))
      return t
   end,
   r = function(from, s) return from.seen[tonumber(s)] end,
   p = function(_, s) return found(s) end,
   m = function(_, s) return class.find(s) end,
   c = function(_, s) return class.find(s).__constructor end,
   q = function(_, s)
      local name, number = s:match '^(%Z+)%z(%d+)$'
      if not class.getmetatable(name) then require(name:match '^[^.]+') end
      return class.getmetatable(name).__receive(tonumber(number))
   end,
   i = function(from, s) return from.owned[tonumber(s)] end,
   b = function(from, name)
      if not class.getmetatable(name) then pcall(require, name:match '^[^.]+') end
      local make = class.factory_for(name)
      if not make then
         error(('the class %s is unknown in this thread: require its package there, in the function that starts it')
            :format(name), 0)
      end
      local v = make()
      from.seen[#from.seen + 1] = v
      if v.read then
         v:read(setmetatable({}, { __index = function() return function() return (unpack_value(from)) end end }))
      else
         while from.s:byte(from.at) ~= 46 do
            local k = unpack_value(from)
            v[k] = unpack_value(from)
         end
      end
      if from.s:byte(from.at) ~= 46 then error(('the method read of %s takes less than write gives'):format(name), 0) end
      from.at = from.at + 1
      return v
   end,
   o = function(_, s) return require 'torch.serialize'.deserialize(s, nil, { unsafe = true }) end,
   f = function(from, s)
      require 'torch.lua52'.know_length()
      local f = assert(load(s, '=a function from another thread', 'b'))
      from.seen[#from.seen + 1] = f
      local i = 1
      while from.s:byte(from.at) ~= 46 do
         debug.setupvalue(f, i, (unpack_value(from)))
         i = i + 1
      end
      from.at = from.at + 1
      return f
   end,
}

function readers.t(from)
   local t = {}
   from.seen[#from.seen + 1] = t
   while from.s:byte(from.at) ~= 46 do
      local k = unpack_value(from)
      t[k] = unpack_value(from)
   end
   from.at = from.at + 1
   return t
end

function unpack_value(from)
   local mark = from.s:sub(from.at, from.at)
   from.at = from.at + 1
   if readers[mark] then return readers[mark](from) end
   local colon = from.s:find(':', from.at, true)
   local n = tonumber(from.s:sub(from.at, colon - 1))
   from.at = colon + n + 1
   return with_text[mark](from, from.s:sub(colon + 1, colon + n))
end

function with_text.k(from, name) return setmetatable(readers.t(from), found(name)) end

-- The position of the body, and the head if there is one.
local function split(s)
   if s:byte(1) ~= 72 then return 1 end
   local colon = s:find(':', 2, true)
   local n = tonumber(s:sub(2, colon - 1))
   return colon + n + 1, s:sub(colon + 1, colon + n)
end

--- The packed values, and a list of the objects that the parcel owned.
function parcel.open(s)
   local at, head = split(s)
   local from, values, n = { s = s, at = at, seen = {}, owned = head and claim(head) }, {}, 0
   while from.at <= #s do
      n = n + 1
      values[n] = unpack_value(from)
   end
   return values, n, from.owned
end

--- The packed values.
function parcel.unpack(s)
   local values, n = parcel.open(s)
   return unpack(values, 1, n)
end

--- Frees the contents of a parcel that will not be unpacked.
function parcel.drop(s)
   local _, head = split(s)
   if head then claim(head) end
end

return parcel
