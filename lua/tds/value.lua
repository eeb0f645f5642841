-- lua/tds/value.lua - converts values between Lua and the containers of lib/tds.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local arg = require 'torch.arg'
local storage = require 'torch.storage'
local C, istype = lib.C, ffi.istype

local header = assert(io.open(lib.include .. '/th_tds.h'))
ffi.cdef((assert(header:read '*a':match '/%* FFI BEGIN %*/(.-)/%* FFI END %*/', 'th_tds.h has lost its FFI part')))
header:close()

local value = { C = C }

local NIL, FALSE, TRUE, NUMBER, TEXT, TENSOR, STORAGE, OBJECT = C.TH_TDS_NIL, C.TH_TDS_FALSE, C.TH_TDS_TRUE, C.TH_TDS_NUMBER,
   C.TH_TDS_TEXT, C.TH_TDS_TENSOR, C.TH_TDS_STORAGE, C.TH_TDS_OBJECT
local value_t = ffi.typeof 'th_tds_value'
local hash_t, vec_t, counter_t = ffi.typeof 'th_tds_hash', ffi.typeof 'th_tds_vec', ffi.typeof 'th_tds_counter'
value.hash_t, value.vec_t, value.counter_t = hash_t, vec_t, counter_t

-- ---- objects ----------------------------------------------------------------------------------------------------------------

local types = { [C.TH_TDS_HASH] = hash_t, [C.TH_TDS_VEC] = vec_t, [C.TH_TDS_COUNTER] = counter_t }

local release = lib.finalizer(function(o) C.th_tds_release(o.th_tds_object) end)

--- Whether v is a container or counter of tds.
function value.is_object(v) return istype(hash_t, v) or istype(vec_t, v) or istype(counter_t, v) end

--- The C object behind one of Lua.
function value.base(o) return o.th_tds_object end

--- The Lua object of a C object; takes over its reference.
function value.own(o) return lib.own(ffi.gc(types[o.type]({ o }), release)) end

--- A new object.
function value.new(type)
   local o = C.th_tds_new(type)
   if o == nil then
      lib.collect()
      o = C.th_tds_new(type)
      if o == nil then error('tds: no memory left', 3) end
   end
   return value.own(o)
end

-- ---- from Lua ---------------------------------------------------------------------------------------------------------------

--- Fills the C value `to` with v, or raises an error at `level` that describes v.
function value.put(to, v, who, what, level)
   local kind = type(v)
   if kind == 'number' then
      to.kind, to.number = NUMBER, v
   elseif kind == 'string' then
      to.kind, to.text, to.size = TEXT, v, #v
   elseif kind == 'nil' then
      to.kind = NIL
   elseif kind == 'boolean' then
      to.kind = v and TRUE or FALSE
   elseif arg.is_tensor(v) then
      to.kind, to.tensor = TENSOR, v
   elseif arg.is_storage(v) then
      to.kind, to.storage = STORAGE, v.s
   elseif value.is_object(v) then
      to.kind, to.object = OBJECT, v.th_tds_object
   else
      arg.refuse(who, what, 'a number, text, boolean, tensor, storage or object of tds', v, level + 1)
   end
   return to
end

-- ---- to Lua -----------------------------------------------------------------------------------------------------------------

-- Memory for a value from C.
local Room = {}
Room.__index = Room

function value.room()
   local room = setmetatable({ c = value_t() }, Room)
   room:widen(256)
   return room
end

function Room:widen(bytes)
   self.text = ffi.new('char[?]', bytes)
   self.c.buffer, self.c.room = self.text, bytes
end

--- Before a call: provides no tensor, since few elements are tensors.
function Room:open()
   self.c.tensor = nil
   return self.c
end

--- After a call: true if the value was copied; else there is room for it now, and the call must be repeated.
function Room:settled()
   local c = self.c
   if c.complete ~= 0 then return true end
   if c.kind == TEXT then
      self:widen(tonumber(c.size) * 2)
   else
      self.tensor = lib.new()
      c.tensor = self.tensor
   end
   return false
end

--- The Lua value of the copy.
function Room:get()
   local c = self.c
   local kind = c.kind
   if kind == NUMBER then return c.number end
   if kind == TEXT then return ffi.string(c.buffer, c.size) end
   if kind == NIL then return nil end
   if kind == TRUE or kind == FALSE then return kind == TRUE end
   if kind == TENSOR then
      local t = self.tensor
      self.tensor, c.tensor = nil, nil
      return t
   end
   if kind == STORAGE then return storage.owned(c.storage) end
   return value.own(c.object)
end

value.value_t = value_t
return value
