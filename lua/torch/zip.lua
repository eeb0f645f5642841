-- torch.zip - writes zip archives: members one after the other, then the directory. lib/io/zip.c reads them.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local format = require 'torch.format'
local C, put, le = lib.C, format.put, format.le

local zip = {}

local LARGE = 2 ^ 32 - 1                    -- in 32 bits: see the extra field, which has 64
local LOCAL = 30                            -- bytes of a member's header before its name

-- The part that a member's two headers share: from the version to the sizes of name and extra field.
local function record(m, extra)
   local large = m.size >= LARGE or m.packed >= LARGE
   return table.concat { le(2, 45), le(2, 2048), le(2, m.method), le(2, 0), le(2, 33), le(4, m.crc),
      le(4, large and LARGE or m.packed), le(4, large and LARGE or m.size), le(2, #m.name), le(2, #extra) }
end

-- Both sizes, and the position if it is too large, or nothing.
local function extra_of(m, place)
   local s = (m.size >= LARGE or m.packed >= LARGE) and le(8, m.size) .. le(8, m.packed) or ''
   if place and place >= LARGE then s = s .. le(8, place) end
   return s == '' and s or le(2, 1) .. le(2, #s) .. s
end

-- A field of the kind that PyTorch uses, so that the member begins at a multiple of `align` bytes.
local function padding(m, extra, align)
   local n = -(m.place + LOCAL + #m.name + #extra + 4) % align
   return 'FB' .. le(2, n) .. ('Z'):rep(n)
end

--- Writes a member of the bytes of a string and of n bytes at p.
-- @param options  {deflate = true: packed; align = the multiple of bytes at which it begins}
-- @return its entry, for zip.finish
function zip.member(f, name, top, p, n, options)
   local m = { name = name, size = #top + n, packed = #top + n, method = options.deflate and 8 or 0,
      place = tonumber(C.th_file_place(f)) }
   m.crc = C.th_zip_crc(C.th_zip_crc(0, top, #top), p, n)
   local packed
   if options.deflate then
      local out = ffi.new 'th_storage *[1]'
      format.allocate(C.th_zip_pack, out, top, #top, p, n)
      packed = lib.storage_t()
      packed.s = out[0]
      m.packed = tonumber(packed.s.size)
   end
   local extra = extra_of(m)
   if options.align then extra = extra .. padding(m, extra, options.align) end
   put(f, 'PK\3\4' .. record(m, extra) .. m.name .. extra)
   if packed then
      put(f, packed.s.data, m.packed)
   else
      put(f, top)
      put(f, p, n)
   end
   return m
end

--- Writes the directory of these members, which ends the archive.
function zip.finish(f, members)
   local at = tonumber(C.th_file_place(f))
   for _, m in ipairs(members) do
      local extra = extra_of(m, m.place)
      put(f, 'PK\1\2' .. le(2, 45) .. record(m, extra) .. le(2, 0) .. le(2, 0) .. le(2, 0) .. le(4, 0)
         .. le(4, math.min(m.place, LARGE)) .. m.name .. extra)
   end
   local place, count = tonumber(C.th_file_place(f)), #members
   local size = place - at
   if at >= LARGE or size >= LARGE or count >= 65535 then
      put(f, 'PK\6\6' .. le(8, 44) .. le(2, 45) .. le(2, 45) .. le(4, 0) .. le(4, 0) .. le(8, count) .. le(8, count)
         .. le(8, size) .. le(8, at))
      put(f, 'PK\6\7' .. le(4, 0) .. le(8, place) .. le(4, 1))
   end
   local few = math.min(count, 65535)
   put(f, 'PK\5\6' .. le(2, 0) .. le(2, 0) .. le(2, few) .. le(2, few) .. le(4, math.min(size, LARGE))
      .. le(4, math.min(at, LARGE)) .. le(2, 0))
end

return zip
