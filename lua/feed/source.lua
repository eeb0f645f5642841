-- feed.source - bytes of files, read anywhere. Every thread opens a dataset's file for itself.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local format = require 'torch.format'
local C = lib.C

local header = assert(io.open(lib.include .. '/th_source.h'))
ffi.cdef((assert(header:read '*a':match '/%* FFI BEGIN %*/(.-)/%* FFI END %*/', 'th_source.h has lost its FFI part')))
header:close()

local source = {}

local out = ffi.new 'th_source *[1]'

--- A file, open for reading. @return it, and its size in bytes
function source.open(path)
   format.check(C.th_source_open(out, path))
   return ffi.gc(out[0], C.th_source_free), tonumber(C.th_source_size(out[0]))
end

local open = setmetatable({}, { __mode = 'k' })            -- dataset -> its file, of this thread

--- The file of a dataset, whose fields `file` and `bytes` say its name and how long it was when the dataset was made.
function source.of(dataset)
   local s = open[dataset]
   if s then return s end
   local bytes
   s, bytes = source.open(dataset.file)
   if bytes ~= dataset.bytes then
      error(('%s has changed: it had %.0f bytes, now it has %.0f'):format(dataset.file, dataset.bytes, bytes), 0)
   end
   open[dataset] = s
   return s
end

--- n bytes from `place` on (from 0) into memory.
function source.read(s, to, n, place) format.check(C.th_source_read(s, to, n, place)) end

local room, size = nil, 0

--- n bytes from `place` on, in memory that is good until the next call.
function source.bytes(s, n, place)
   if n > size then room, size = ffi.new('uint8_t[?]', math.max(2 * n, 65536)), math.max(2 * n, 65536) end
   source.read(s, room, n, place)
   return room
end

--- n bytes from `place` on as a string.
function source.text(s, n, place) return n == 0 and '' or ffi.string(source.bytes(s, n, place), n) end

--- Raises what went wrong with a file, in the name of `who` and with the name of the file.
function source.fail(who, file, why, level)
   why = tostring(why)
   if not why:find(file, 1, true) then why = file .. ': ' .. why end
   error(who .. ': ' .. why, (level or 2) + 1)
end

return source
