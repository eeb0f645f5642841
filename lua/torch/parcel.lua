-- torch.parcel - values on their way from one Lua state of this process to another: tensors by their address, so that both
-- states see the same elements; numbers, texts, tables and functions as copies; packages and classes by their names, and with
-- those of packages tables whose metatable is a package.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local class = require 'torch.class'
local arg = require 'torch.arg'
local C = lib.C

local parcel = {}

-- ---- what has a name in every state ------------------------------------------------------------------------------------------

local names, packages                        -- C functions and tables of packages -> how to find them; how many packages
local function named(value)
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
            if type(v) == 'function' and not names[v] then names[v] = library .. '\0' .. tostring(k) end
         end
      end
      names[_G] = '_G'
   end
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
   if not ok then error(where .. ' cannot go to another thread: it is a function written in C', 0) end
   text(out, 'f', code)
   local i = 1
   while debug.getupvalue(f, i) do
      local name, value = debug.getupvalue(f, i)
      pack(out, value, ('the variable %s of a function'):format(name))
      i = i + 1
   end
   out[#out + 1] = '.'
end

local DEEPEST = 1000                         -- tables inside of each other: each takes room on the stack, here and there

local function pack_table(out, t, where)
   out.depth = out.depth + 1
   if out.depth > DEEPEST then
      error(('%s cannot go to another thread: tables are inside of each other more than %d deep')
         :format(where:sub(1, 60), DEEPEST), 0)
   end
   local mt = getmetatable(t)
   if mt then text(out, 'k', named(mt)) else out[#out + 1] = 't' end
   for k, v in pairs(t) do
      pack(out, k, 'a key of ' .. where)
      pack(out, v, type(k) == 'string' and where .. '.' .. k or where)
   end
   out[#out + 1] = '.'
   out.depth = out.depth - 1
end

-- An object of a class with __send goes by the number that this gives, to __receive of the other state. Others are copied.
local function pack_object(out, v)
   local send = class.class_of(v).__send
   if send then
      text(out, 'q', ('%s\0%.0f'):format(class.typename(v), send(v)))
   else
      text(out, 'o', require 'torch.serialize'.serialize(v))
   end
end

function pack(out, v, where)
   local kind = type(v)
   if v == nil then out[#out + 1] = 'z'
   elseif kind == 'boolean' then out[#out + 1] = v and 'y' or 'n'
   elseif kind == 'number' then text(out, 'd', ('%.17g'):format(v))
   elseif kind == 'string' then text(out, 's', v)
   elseif arg.is_tensor(v) then
      out.tensors[#out.tensors + 1] = v
      text(out, 'a', ('%.0f'):format(tonumber(ffi.cast('uintptr_t', ffi.cast('const void *', v)))))
   elseif out.seen[v] then text(out, 'r', tostring(out.seen[v]))
   elseif named(v) then text(out, 'p', named(v))
   elseif kind == 'table' and class.is_class(v) then
      local name = class.name(v)
      text(out, rawget(v, '__typename') and 'm' or 'c', name)
   elseif kind == 'function' or kind == 'table' and (not getmetatable(v) or not class.typename(v) and named(getmetatable(v))) then
      out.count = out.count + 1
      out.seen[v] = out.count
      if kind == 'function' then pack_function(out, v, where) else pack_table(out, v, where) end
   elseif class.typename(v) then pack_object(out, v)
   else
      error(('%s cannot go to another thread: it is a %s%s'):format(where, kind,
         kind == 'table' and ' whose metatable is no class and no package' or ''), 0)
   end
end

--- All arguments as a string that lives in this process only, and the list of the tensors that it points to: they must live until
-- the string has been unpacked.
function parcel.pack(...)
   local out = { tensors = {}, seen = {}, count = 0, depth = 0 }
   for i = 1, select('#', ...) do pack(out, (select(i, ...)), 'argument ' .. i) end
   return table.concat(out), out.tensors
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
   o = function(_, s) return require 'torch.serialize'.deserialize(s, nil, { unsafe = true }) end,
   f = function(from, s)
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

--- What was packed.
function parcel.unpack(s)
   local from, values, n = { s = s, at = 1, seen = {} }, {}, 0
   while from.at <= #s do
      n = n + 1
      values[n] = unpack_value(from)
   end
   return unpack(values, 1, n)
end

return parcel
