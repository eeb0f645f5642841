-- torch.safetensors - .safetensors files: named tensors behind a header of JSON.
--
-- torch.load and torch.save call this. The parser is lib/io/safetensors.c; it runs no code from a file.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local dtype = require 'torch.dtype'
local storage = require 'torch.storage'
local format = require 'torch.format'
local C, BYTE = lib.C, dtype.id.Byte
local check, take, put = format.check, format.take, format.put

local safetensors = {}

local MOST_HEADER = 100 * 10 ^ 6
local codes = { Byte = 'U8', Char = 'I8', Short = 'I16', Int = 'I32', Long = 'I64', Half = 'F16', BFloat16 = 'BF16',
   Float = 'F32', Double = 'F64' }
local info = ffi.new 'th_safetensor'
local length = ffi.new 'int64_t[1]'
local native = ffi.new 'th_npy'

if not ffi.abi 'le' then error('torch.safetensors needs a processor that keeps the lowest byte first', 0) end

--- The size of the header from the first 8 bytes, when the file may be one of these; nil otherwise.
-- @param first  the first 10 bytes at least
function safetensors.header_size(first, total)
   local n = 0
   for i = 7, 0, -1 do n = n * 256 + first[i] end
   local c = string.char(first[9])
   if n < 2 or n > total - 8 or first[8] ~= 123 or not c:match '["}%s]' then return nil end
   return n
end

--- The tensors of a file in a table by their names, and its metadata: a table of strings, or nil.
function safetensors.read(f)
   local total = format.left(f)
   local first = ffi.new 'uint8_t[10]'
   take(f, first, 10)
   local n = safetensors.header_size(first, total)
   if n > MOST_HEADER then error(('a header has at most %.0f bytes, the file says %.0f'):format(MOST_HEADER, n), 0) end
   local text, out = storage.new(BYTE, n, false), ffi.new 'th_safetensors *[1]'
   check(C.th_file_seek(f, 8))
   take(f, text.s.data, n)
   check(C.th_safetensors_parse(out, text.s.data, n, total - 8 - n))
   local s = ffi.gc(out[0], C.th_safetensors_free)
   local tensors = {}
   for i = 0, tonumber(C.th_safetensors_count(s)) - 1 do
      C.th_safetensors_at(s, i, info)
      local name = ffi.string(info.name, info.name_size)
      if tensors[name] then error(("it has two tensors '%s'"):format(name:sub(1, 200)), 0) end
      local t = format.room(info.dtype, info.ndim, ffi.cast('int64_t *', info.size), nil)
      local bytes = info['end'] - info.begin
      if bytes > 0 then
         check(C.th_file_seek(f, 8 + n + info.begin))
         take(f, t._storage.data, bytes)
         if info.boolean ~= 0 then
            native.dtype, native.boolean, native.bytes = BYTE, 1, bytes
            C.th_npy_native(native, t._storage.data)
         end
      end
      tensors[name] = t
   end
   local notes
   for i = 0, tonumber(C.th_safetensors_notes(s)) - 1 do
      notes = notes or {}
      local key = C.th_safetensors_note(s, i, 0, length)
      key = ffi.string(key, length[0])
      if notes[key] then error(("its metadata has '%s' twice"):format(key:sub(1, 200)), 0) end
      local value = C.th_safetensors_note(s, i, 1, length)
      notes[key] = ffi.string(value, length[0])
   end
   C.th_safetensors_free(ffi.gc(s, nil))
   return tensors, notes
end

-- ---- writing ------------------------------------------------------------------------------------------------------

local function quoted(s)
   return '"' .. s:gsub('[%c"\\]', function(c)
      if c == '"' or c == '\\' then return '\\' .. c end
      return ('\\u%04x'):format(c:byte())
   end) .. '"'
end

--- Refuses what a .safetensors file cannot hold, before anything is written.
function safetensors.check(who, object)
   local names = format.names(who, object, '.safetensors')
   for _, name in ipairs(names) do
      if name == '__metadata__' then
         error(who .. ": '__metadata__' cannot be the name of a tensor in a .safetensors file", 0)
      end
      if C.th_is_utf8(name, #name) == 0 then
         error(('%s: a name in a .safetensors file must be UTF-8, got %q'):format(who, name), 0)
      end
   end
   if #names > 65536 then error(('%s: a .safetensors file has at most 65536 tensors, got %d'):format(who, #names), 0) end
end

--- Writes a table of tensors; those with large elements first, so that all are aligned.
function safetensors.write(f, object)
   local names = format.names('torch.save', object, '.safetensors')
   table.sort(names, function(a, b)
      local x, y = dtype.bytes[object[a]._dtype], dtype.bytes[object[b]._dtype]
      if x ~= y then return x > y end
      return a < b
   end)
   local parts, at = {}, 0
   for i, name in ipairs(names) do
      local t = object[name]
      local to = at + tonumber(C.th_tensor_numel(t)) * dtype.bytes[t._dtype]
      parts[i] = ('%s:{"dtype":"%s","shape":[%s],"data_offsets":[%.0f,%.0f]}'):format(quoted(name),
         codes[dtype.names[t._dtype]], table.concat(format.sizes(t), ','), at, to)
      at = to
   end
   local text = '{' .. table.concat(parts, ',') .. '}'
   text = text .. (' '):rep(-#text % 8)
   if #text > MOST_HEADER then error(('a header has at most %.0f bytes, this would be %d'):format(MOST_HEADER, #text), 0) end
   put(f, format.le(8, #text) .. text)
   for _, name in ipairs(names) do
      local t = object[name]:host():contiguous()
      put(f, format.bytes(t))
   end
end

return safetensors
