-- torch.format - shared code for files of other programs: bytes of tensors, tables of tensors, parts of a file.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local class = require 'torch.class'
local dtype = require 'torch.dtype'
local arg = require 'torch.arg'
local C, BYTE = lib.C, dtype.id.Byte

local format = {}

local got = ffi.new 'int64_t[1]'
local bytes_t = ffi.typeof 'uint8_t *'

--- Raises the message of C without a position in the code, because the caller knows the file's name.
function format.check(status)
   if status ~= lib.OK then lib.raise(tonumber(status), -1) end
end

--- The text of an error without the position in our sources of the op that failed, for instance for lack of memory.
function format.reason(why) return (tostring(why):gsub('^[^\n]-%.lua:%d+: ', '')) end

--- Bytes between the position of a file (a th_file) and its end; -1 where the end is unknown, as in a pipe.
function format.left(f)
   local n = tonumber(C.th_file_left(f))
   if n < -1 then lib.raise(tonumber(C.TH_EIO), -1) end
   return n
end

--- Calls f(...), which allocates memory; when there is none left, collects garbage and tries once more.
function format.allocate(f, ...)
   C.th_enter(nil)
   local status = f(...)
   if status == C.TH_ENOMEM then
      collectgarbage()
      collectgarbage()
      status = f(...)
   end
   format.check(status)
end

--- The next n bytes of a file (a th_file) into memory.
function format.take(f, to, n)
   if n > 0 then format.check(C.th_file_read(f, BYTE, to, n, got)) end
end

--- Writes a string, or n bytes of memory.
function format.put(f, from, n)
   n = n or #from
   if n > 0 then format.check(C.th_file_write(f, BYTE, type(from) == 'string' and ffi.cast('const char *', from) or from, n)) end
end

--- A tensor that has room for these elements, not yet filled.
function format.room(d, n, size, stride)
   local t = lib.new()
   format.allocate(C.th_tensor_resize, t, d, n, size, stride)
   return t
end

--- The elements of a contiguous tensor on the CPU: a pointer and the number of bytes.
function format.bytes(t)
   local n = tonumber(C.th_tensor_numel(t)) * dtype.bytes[t._dtype]
   if n == 0 then return ffi.cast(bytes_t, nil), 0 end
   return ffi.cast(bytes_t, t._storage.data) + t._offset * dtype.bytes[t._dtype], n
end

--- The sizes of a tensor as numbers in a table.
function format.sizes(t)
   local sizes = {}
   for i = 1, t._ndim do sizes[i] = tonumber(t._size[i - 1]) end
   return sizes
end

--- The number v in n bytes, lowest first.
function format.le(n, v)
   local s = {}
   for i = 1, n do
      s[i] = string.char(v % 256)
      v = math.floor(v / 256)
   end
   return table.concat(s)
end

--- The sorted names of a table of tensors; refuses anything else in the name of `who`.
-- @param extension  of the file, for the message
function format.names(who, object, extension)
   if type(object) ~= 'table' or class.typename(object) then
      error(('%s: object must be a table of tensors for a %s file, got %s'):format(who, extension, arg.describe(object)), 0)
   end
   local names = {}
   for name, t in pairs(object) do
      if type(name) ~= 'string' then
         error(('%s: the keys of object must be strings for a %s file, got %s'):format(who, extension, arg.describe(name)), 0)
      end
      if not arg.is_tensor(t) then
         error(("%s: object['%s'] must be a tensor for a %s file, got %s"):format(who, name, extension, arg.describe(t)), 0)
      end
      names[#names + 1] = name
   end
   table.sort(names)
   return names
end

return format
