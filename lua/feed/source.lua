-- feed.source - bytes of files, read anywhere. Every thread opens a dataset's file for itself.
local ffi = require 'ffi'
local torch = require 'torch'
local lib = require 'torch.lib'
local format = require 'torch.format'
local C = lib.C

local header = assert(io.open(lib.include .. '/th_source.h'))
ffi.cdef((assert(header:read '*a':match '/%* FFI BEGIN %*/(.-)/%* FFI END %*/', 'th_source.h has lost its FFI part')))
header:close()

local source = {}

local out = ffi.new 'th_source *[1]'

local EMFILE = 24

-- A file, open for reading. Files of datasets that are forgotten stay open until the collector comes by.
local function open_file(path)
   local status = C.th_source_open(out, path)
   if status ~= lib.OK and ffi.errno() == EMFILE then
      collectgarbage()
      collectgarbage()
      status = C.th_source_open(out, path)
   end
   format.check(status)
   return ffi.gc(out[0], C.th_source_free)
end

--- Opens a file for f(s, bytes, ...), where bytes is its size, and closes it. @return what f does, up to three values
function source.with(path, f, ...)
   local s = open_file(path)
   local ok, a, b, c = pcall(f, s, tonumber(C.th_source_size(s)), ...)
   C.th_source_free(ffi.gc(s, nil))
   if not ok then error(a, 0) end
   return a, b, c
end

--- What tells an open file from others, and from itself when it has been written: a LongTensor.
function source.stamp(s)
   local stamp = torch.LongTensor(C.TH_SOURCE_STAMP)
   C.th_source_stamp(s, stamp:data())
   return stamp
end

local open = setmetatable({}, { __mode = 'k' })            -- dataset -> its file, of this thread

--- The file of a dataset, whose fields `file` and `stamp` say its name and what it was when the dataset was made. It is the same
-- still, or an error.
function source.of(dataset)
   local s = open[dataset] or open_file(dataset.file)
   format.check(C.th_source_same(s, dataset.stamp:data()))
   open[dataset] = s
   return s
end

--- n bytes from `place` on (from 0) into memory.
function source.read(s, to, n, place) format.check(C.th_source_read(s, to, n, place)) end

local room, size = nil, 0
local LARGE = 2 ^ 24                        -- from here on there is room for what is wanted, and no more
local MOST = 2 ^ 31 - 257                   -- bytes of a string of LuaJIT

--- Room for n bytes, which is good until the next call.
function source.room(n)
   if n > MOST then error(('%.0f bytes are more than a value can have, %.0f'):format(n, MOST), 0) end
   if n > size then
      room, size = nil, 0
      local more = n < LARGE and math.max(2 * n, 65536) or n
      room, size = ffi.new('uint8_t[?]', more), more
   end
   return room
end

--- n bytes from `place` on, in memory that is good until the next call.
function source.bytes(s, n, place)
   local to = source.room(n)
   source.read(s, to, n, place)
   return to
end

--- n bytes from `place` on as a string.
function source.text(s, n, place) return n == 0 and '' or ffi.string(source.bytes(s, n, place), n) end

--- All bytes of a file: source.with(path, source.whole).
function source.whole(s, bytes) return source.text(s, bytes, 0) end

--- Raises what went wrong with a file, in the name of `who` and with the name of the file.
function source.fail(who, file, why, level)
   why = tostring(why)
   if not why:find(file, 1, true) then why = file .. ': ' .. why end
   error(who .. ': ' .. why, (level or 2) + 1)
end

return source
