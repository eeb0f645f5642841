-- examples/lib/gzip.lua - reads a file from its front, gzipped or not; zlib is opened only when it is needed.
local ffi = require 'ffi'

ffi.cdef [[
void *gzopen(const char *path, const char *mode);
int gzread(void *file, void *to, unsigned n);
const char *gzerror(void *file, int *code);
int gzclose(void *file);
]]

local zlib                                    -- stays open once found

local function openZlib(path)
   if zlib then return zlib end
   for _, name in ipairs { 'libz.so.1', 'z' } do
      local ok, found = pcall(ffi.load, name)
      if ok then
         zlib = found
         return zlib
      end
   end
   error(("%s is gzipped and zlib (libz.so.1) is not installed; install it (Debian: zlib1g) "
          .. "or unpack the file with gunzip"):format(path), 0)
end

local function openPlain(path, size, file)
   local reader = { path = path, limit = size }
   function reader:read(n)                    -- luacheck: no self
      return n == 0 and '' or file:read(n) or ''
   end
   function reader:close() file:close() end   -- luacheck: no self
   return reader
end

local function openGzipped(path, size)
   local lib = openZlib(path)
   local handle = lib.gzopen(path, 'rb')
   if handle == nil then error(('cannot open %s'):format(path), 0) end
   -- Deflate's highest ratio is 1032; a header that promises more is wrong.
   local reader = { path = path, limit = size * 1032 }
   function reader:read(n)
      local bytes = ffi.new('uint8_t[?]', math.max(n, 1))
      local got = n == 0 and 0 or lib.gzread(handle, bytes, n)
      local code = ffi.new 'int[1]'
      local text = ffi.string(lib.gzerror(handle, code))
      if code[0] < 0 then
         self:close()
         error(('%s is damaged: %s'):format(path, text:gsub('^.*: ', '')), 0)
      end
      return ffi.string(bytes, got)
   end
   function reader:close()                    -- luacheck: no self
      if handle ~= nil then lib.gzclose(handle) end
      handle = nil
   end
   return reader
end

local gzip = {}

--- Opens a file for reading. The first two bytes, not the name, decide whether it is gzipped.
-- The reader has `read(n)` (up to n bytes as a string, fewer only at the end), `close()` and `limit`, a
-- number of bytes that the unpacked content cannot exceed. A damaged stream raises an error from `read`.
function gzip.open(path)
   local file, why = io.open(path, 'rb')
   if not file then error('cannot open ' .. why, 0) end
   local first, whyNot = file:read(2)
   if not first and whyNot then
      file:close()
      error(('cannot read %s: %s'):format(path, whyNot), 0)
   end
   local size = file:seek 'end'
   file:seek 'set'
   if first ~= '\31\139' then return openPlain(path, size, file) end
   file:close()
   return openGzipped(path, size)
end

--- The whole content of a file, gzipped or not.
function gzip.readAll(path)
   local reader, pieces = gzip.open(path), {}
   repeat
      pieces[#pieces + 1] = reader:read(65536)
   until #pieces[#pieces] == 0
   reader:close()
   return table.concat(pieces)
end

return gzip
