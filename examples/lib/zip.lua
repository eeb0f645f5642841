-- examples/lib/zip.lua - reads a file out of a zip archive.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local C = lib.C

local zip = {}

-- A failed call as an error that names the archive.
local function need(path, status)
   if status ~= C.TH_OK then error(('%s: %s'):format(path, ffi.string(C.th_error())), 0) end
end

-- The position and the size of a member; nil without one of the name.
local function find(z, name)
   local member = ffi.new 'th_zip_member'
   for i = 0, tonumber(C.th_zip_count(z)) - 1 do
      C.th_zip_at(z, i, member)
      if ffi.string(member.name, member.name_size) == name then return i, tonumber(member.size) end
   end
end

--- The content of a member of an archive.
-- @param most  the most bytes that it may have
function zip.read(path, name, most)
   local f, why = io.open(path, 'rb')
   if not f then error('cannot open ' .. why, 0) end
   local bytes = f:read '*a' or ''
   f:close()
   local out = ffi.new 'th_zip *[1]'
   need(path, C.th_zip_open(out, bytes, #bytes))
   local z = ffi.gc(out[0], C.th_zip_close)
   local i, size = find(z, name)
   if not i then error(('%s: the archive must hold %s, got none'):format(path, name), 0) end
   if size > most then
      error(('%s: %s must have at most %.0f bytes, got %.0f'):format(path, name, most, size), 0)
   end
   local to = ffi.new('uint8_t[?]', math.max(size, 1))
   need(path, C.th_zip_begin(z, i))
   need(path, C.th_zip_take(z, to, size))
   need(path, C.th_zip_end(z))
   return ffi.string(to, size)
end

return zip
