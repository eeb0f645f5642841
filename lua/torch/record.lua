-- lua/torch/record.lua - shared code for writing and reading .t7 records: tags, buffers, the nesting of methods.
--
-- A record is a tag and its data. Tables, objects and functions have an index; for a second occurrence only tag and
-- index are written.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local class = require 'torch.class'
local arg = require 'torch.arg'
local file = require 'torch.file'

local record = {}

--- The tags of Torch7. LEGACY is an older form of FUNCTION; OLD_FUNCTION has no index.
record.NIL, record.NUMBER, record.STRING, record.TABLE, record.OBJECT, record.BOOLEAN = 0, 1, 2, 3, 4, 5
record.OLD_FUNCTION, record.LEGACY, record.FUNCTION = 6, 7, 8
--- Only within one process, for clone: a value by reference, a storage to copy, a table with a metatable.
record.CARRIED, record.CARRIED_STORAGE, record.CARRIED_TABLE = 100, 101, 102

--- The code of the functions that this process has written, as keys. Reading such code brings in nothing from outside.
record.known_code = {}

record.MAXDIM = tonumber(lib.C.TH_MAXDIM)

--- A buffer for one value or one shape between file and Lua.
record.int = ffi.new 'int32_t[1]'
record.double = ffi.new 'double[1]'
record.longs = ffi.new('int64_t[?]', record.MAXDIM)

--- The CPU's type for the name of a CUDA tensor or storage; nil for other names.
function record.cpu_name(name)
   local kind, what = name:match '^torch%.Cuda(%a-)(Tensor)$'
   if not kind then kind, what = name:match '^torch%.Cuda(%a-)(Storage)$' end
   if not kind then return nil end
   local cpu = 'torch.' .. (kind == '' and 'Float' or kind) .. what
   return class.getmetatable(cpu) and cpu or nil
end

--- The default read and write methods of tensors and storages. The reader and the writer do the same without calling them.
record.standard = {}

local DEEPEST = 400                         -- nesting of read and write methods

--- The C file of an object; an error when it is closed.
function record.open(self, method)
   if type(self) ~= 'table' then arg.refuse(method, 'argument 1', 'a file', self, 3) end
   local f = file.inside(self)
   if f == nil then error(('%s: the file is closed'):format(method), 3) end
   return f
end

--- What has been written to a file: objects by identity, storages by address. `count` indices are taken.
function record.writing_state(count)
   return { count = count, index = {}, storages = {}, kept = {}, cells = {}, cell_count = 0 }
end

--- Runs `work`, and limits the nesting of read and write methods.
function record.nested(self, what, work, ...)
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
   local w = self._written                   -- the record that failed is not in the file
   if w then self._written = record.writing_state(w.count) end
   if type(r) == 'string' then
      r = r:gsub('^file: ', '')
      if not self._nameless then r = ('%s:%sObject: %s'):format(class.typename(self), what, r) end
   end
   error(r, 0)
end

return record
