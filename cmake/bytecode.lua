-- cmake/bytecode.lua - compiles the Lua files of our packages into one file: th cmake/bytecode.lua
-- CHECKOUT OUT. lua/torch/bytecode.lua reads it.
local bytecode = require 'torch.bytecode'
local launch = require 'torch.launch'
local paths = require 'paths'

local root, out = arg[1], arg[2]
if not root or not out then error('usage: th cmake/bytecode.lua CHECKOUT OUT', 0) end

-- ---- the order of tables in a dump -------------------------------------------------------------

-- LuaJIT writes the entries of a table in the order of memory, which differs from run to run.
-- Builds of equal sources must be equal, so arrange() sorts them. The format is that of
-- lj_bcdump.h, 2.

local function uleb128(code, at)
   local v, scale = 0, 1
   while true do
      local byte = code:byte(at)
      at = at + 1
      if byte < 128 then return v + byte * scale, at end
      v, scale = v + (byte - 128) * scale, scale * 128
   end
end

local function skip(code, at, count)
   for _ = 1, count do
      local _
      _, at = uleb128(code, at)
   end
   return at
end

-- The position behind a key or value of a table.
local function behind_entry(code, at)
   local kind
   kind, at = uleb128(code, at)
   if kind == 3 then return skip(code, at, 1) elseif kind == 4 then return skip(code, at, 2) end
   return kind >= 5 and at + kind - 5 or at
end

-- Appends the bytes of a table whose sizes begin at `at`; returns the position behind it.
local function sort_table(parts, code, at)
   local first = at
   local array, behind_array = uleb128(code, at)
   local hash
   hash, at = uleb128(code, behind_array)
   for _ = 1, array do at = behind_entry(code, at) end
   parts[#parts + 1] = code:sub(first, at - 1)
   local entries = {}
   for i = 1, hash do
      local stop = behind_entry(code, behind_entry(code, at))
      entries[i], at = code:sub(at, stop - 1), stop
   end
   table.sort(entries)
   parts[#parts + 1] = table.concat(entries)
   return at
end

local DEBUG_IS_STRIPPED = 2
local values = { [0] = 0, 0, 2, 2, 4 }       -- numbers behind the kind of a constant

-- Appends the bytes of a function of `size` bytes at `at`.
local function sort_function(parts, code, at, size, flags)
   local first, stop = at, at + size
   local upvalues = code:byte(at + 3)
   local objects, numbers, instructions
   objects, at = uleb128(code, at + 4)
   numbers, at = uleb128(code, at)
   instructions, at = uleb128(code, at)
   if bit.band(flags, DEBUG_IS_STRIPPED) == 0 then
      local bytes, next_at = uleb128(code, at)
      at = bytes > 0 and skip(code, next_at, 2) or next_at
   end
   at = at + 4 * instructions + 2 * upvalues
   for _ = 1, objects do
      local kind
      kind, at = uleb128(code, at)
      if kind == 1 then
         parts[#parts + 1] = code:sub(first, at - 1)
         at = sort_table(parts, code, at)
         first = at
      else
         at = kind >= 5 and at + kind - 5 or skip(code, at, values[kind])
      end
   end
   assert(at + numbers <= stop, 'LuaJIT has another format of bytecode')
   parts[#parts + 1] = code:sub(first, stop - 1)
   return stop
end

local function arrange(code)
   local flags, at = uleb128(code, 5)
   local name_bytes
   name_bytes, at = uleb128(code, at)
   at = at + name_bytes
   local parts = { code:sub(1, at - 1) }
   while true do
      local size, start = uleb128(code, at)
      parts[#parts + 1] = code:sub(at, start - 1)
      if size == 0 then break end
      at = sort_function(parts, code, start, size, flags)
   end
   local sorted = table.concat(parts)
   assert(#sorted == #code and loadstring(sorted), 'LuaJIT has another format of bytecode')
   return sorted
end

-- ---- the files ---------------------------------------------------------------------------------

local list = {}
local function add(folder, name)
   for entry in paths.files(folder) do
      local below = name == '' and entry or name .. '/' .. entry
      local file = folder .. '/' .. entry
      if entry:sub(1, 1) ~= '.' and below ~= 'bin' then
         if paths.dirp(file) then add(file, below)
         elseif entry:sub(-4) == '.lua' then
            local f = assert(io.open(file, 'rb'))
            list[#list + 1] = { below, f:read '*a' }
            f:close()
         end
      end
   end
end
add(root .. '/lua', '')
add(root .. '/nn', 'nn')
table.sort(list, function(a, b) return a[1] < b[1] end)

local f = assert(io.open(out .. '.new', 'wb'))
assert(f:write(bytecode.pack(list, launch.front, arrange)))
assert(f:close())
assert(os.rename(out .. '.new', out))
