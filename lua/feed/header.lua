-- feed.header - the first 40 bytes of a file of records, in the format of feed.pack.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local format = require 'torch.format'
local source = require 'feed.source'
local C, le = lib.C, format.le

ffi.cdef [[
typedef struct feed_pack_header {
   char magic[8];
   uint32_t version, zero;
   int64_t count, index;
   uint32_t index_sum, sum;
} feed_pack_header;
]]

local header = { SIZE = 40 }

local MAGIC, VERSION = '\137THPACK\n', 1

--- The bytes of the header: the number of records, the position of their index and its checksum.
function header.make(count, index, sum)
   local text = MAGIC .. le(4, VERSION) .. le(4, 0) .. le(8, count) .. le(8, index) .. le(4, sum)
   return text .. le(4, C.th_crc32c(0, text, #text))
end

--- Reads the header of a file of so many bytes. @return the number of records, the position of the index, its checksum
function header.read(s, bytes)
   if bytes < header.SIZE then error('it is no file of feed.pack, or it is cut off within its header', 0) end
   local h = ffi.new 'feed_pack_header'
   source.read(s, h, header.SIZE, 0)
   if ffi.string(h.magic, 8) ~= MAGIC then error('it is no file of feed.pack', 0) end
   if h.version ~= VERSION then error(('version %d of its format is not known'):format(h.version), 0) end
   if C.th_crc32c(0, h, header.SIZE - 4) ~= h.sum then error('its header is damaged', 0) end
   local n, index = tonumber(h.count), tonumber(h.index)
   local last = index + 8 * (n + 1) + 4 * n
   if n < 0 or index < header.SIZE or last ~= bytes then
      error(('%.0f records end at byte %.0f with their index, but it has %.0f bytes'):format(n, last, bytes), 0)
   end
   return n, index, h.index_sum
end

return header
