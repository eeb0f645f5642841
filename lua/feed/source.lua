-- feed.source - reads bytes of files at any position. Every thread opens a dataset's file separately.
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

-- A file, open for reading. Files of unreachable datasets stay open until the collector runs.
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

--- Opens a plain file below a folder, by a name that another file states. Refuses absolute names, parts like .., symbolic links,
-- and files with several names.
function source.below(folder, name)
   if name:find('\0', 1, true) then error('a name has a zero byte', 0) end
   format.check(C.th_source_open_below(out, folder, name))
   return ffi.gc(out[0], C.th_source_free)
end

--- Bytes of an open file.
function source.size(s) return tonumber(C.th_source_size(s)) end

--- Opens a file, which the caller closes with source.close. @return it, and its size
function source.open(path)
   local s = open_file(path)
   return s, source.size(s)
end

function source.close(s) C.th_source_free(ffi.gc(s, nil)) end

--- An error if a file has been written since it was opened.
function source.unchanged(s) format.check(C.th_source_same(s, source.stamp(s):data())) end

--- Opens a file for f(s, bytes, ...), where bytes is its size, and closes it. @return the results of f, up to three
function source.with(path, f, ...)
   local s, bytes = source.open(path)
   local ok, a, b, c = pcall(f, s, bytes, ...)
   source.close(s)
   if not ok then error(a, 0) end
   return a, b, c
end

--- Identifies an open file, and changes when it is written: a LongTensor.
function source.stamp(s)
   local stamp = torch.LongTensor(C.TH_SOURCE_STAMP)
   C.th_source_stamp(s, stamp:data())
   return stamp
end

local open = setmetatable({}, { __mode = 'k' })            -- dataset -> its file, in this thread

--- The open file of a dataset: its field `file` has the name, and `stamp` the stamp at the time when the dataset was made. A
-- changed stamp is an error.
function source.of(dataset)
   local s = open[dataset] or open_file(dataset.file)
   format.check(C.th_source_same(s, dataset.stamp:data()))
   open[dataset] = s
   return s
end

--- Reads n bytes from `place` on (from 0) into memory.
function source.read(s, to, n, place) format.check(C.th_source_read(s, to, n, place)) end

local files = setmetatable({}, { __mode = 'k' })           -- what a function of source.fetch reads

--- A function that copies parts of an open file: torch.protobuf reads with it.
function source.fetch(s)
   local function fetch(to, n, place) source.read(s, to, n, place) end
   files[fetch] = s
   return fetch
end

--- The file that such a function reads; nil of other functions.
function source.file_of(fetch) return files[fetch] end

local room, size = nil, 0
local LARGE = 2 ^ 24                        -- larger buffers are allocated exactly
local MOST = 2 ^ 31 - 257                   -- bytes of a string of LuaJIT

--- A buffer of n bytes, valid until the next call.
function source.room(n)
   if n > MOST then error(('%.0f bytes are more than a value can have, %.0f'):format(n, MOST), 0) end
   if n > size then
      room, size = nil, 0
      local more = n < LARGE and math.max(2 * n, 65536) or n
      room, size = ffi.new('uint8_t[?]', more), more
   end
   return room
end

--- n bytes from `place` on, in memory that is valid until the next call.
function source.bytes(s, n, place)
   local to = source.room(n)
   source.read(s, to, n, place)
   return to
end

--- n bytes from `place` on as a string.
function source.text(s, n, place) return n == 0 and '' or ffi.string(source.bytes(s, n, place), n) end

--- All bytes of a file: source.with(path, source.whole).
function source.whole(s, bytes) return source.text(s, bytes, 0) end

--- Raises an error about a file, in the name of `who` and with the name of the file.
function source.fail(who, file, why, level)
   why = tostring(why)
   if not why:find(file, 1, true) then why = file .. ': ' .. why end
   error(who .. ': ' .. why, (level or 2) + 1)
end

return source
