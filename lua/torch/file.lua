-- lua/torch/file.lua - torch.File and its three kinds: DiskFile, MemoryFile, PipeFile.
--
-- lib/io handles bytes. This file adds Torch7's names: numbers one by one or in storages, text, positions
-- (which count from 1), and the quiet mode, which keeps a failure for hasError() instead of raising it.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local class = require 'torch.class'
local dtype = require 'torch.dtype'
local storage = require 'torch.storage'
local arg = require 'torch.arg'
local C = lib.C

local file = {}
local File = {}                             -- methods of all kinds

local EINTR = tonumber(C.TH_EINTR)
local got = ffi.new 'int64_t[1]'
local state = ffi.new 'int[1]'
local cell = ffi.new 'union { int64_t l; double d; uint8_t bytes[8]; }'

-- Raises the error that C reported, in the name of the called function, or keeps it in quiet mode.
local function failed(self, who, status, level)
   if tonumber(status) == EINTR then lib.raise(EINTR, (level or 2) + 1) end
   self._error = true
   if self._quiet then return end
   error((ffi.string(C.th_error()):gsub('^file', who, 1)), (level or 2) + 1)
end
file.failed = failed

local function name_of(self, method) return class.typename(self) .. ':' .. method end

-- `_file` is a box with the C file. Its finalizer empties it. So methods that a program's finalizer calls find a closed file
-- and no freed memory.
ffi.cdef 'void th_file_drop(th_file **box);'
local box_t = ffi.typeof 'th_file *[1]'

--- The C file of an object, or nil when it is closed.
function file.inside(self)
   local box = rawget(self, '_file')
   local f = box and box[0]
   if f ~= nil then return f end
end
local inside = file.inside

-- A box into which C opens a file. The collector owns the file from the start, because Ctrl-C may raise an error anywhere.
local function new_box() return ffi.gc(box_t(), C.th_file_drop) end

local function forget(self)
   C.th_file_drop(self._file)
   self._file = nil
end

-- The C file of an object; an error when it is closed.
local function open(self, method, level)
   local f = inside(self)
   if f == nil then error(('%s: the file is closed'):format(name_of(self, method)), (level or 2) + 1) end
   return f
end

---------------------------------------------------------------------------------------------------------
-- numbers

-- The number of elements is limited to those that can still follow, because a damaged file must not fill the memory.
local function possible(f, d, n, left)
   if left < 0 then return n end
   local least = 1
   if C.th_file_get(f, C.TH_FILE_BINARY) ~= 0 then
      least = dtype.bytes[d]
      if d == dtype.id.Long and C.th_file_get(f, C.TH_FILE_LONGSIZE) == 4 then least = 4 end
   end
   return math.min(n, math.floor(left / least))
end

local BLOCK = 2 ^ 20                        -- elements; files of unknown length are read in blocks of so many

--- A storage of n elements that are read from the file; fewer, and the reason, when the file ends early.
-- @return the storage, nil or a message, and the status that goes with it
function file.read_storage(who, f, d, n)
   local left = tonumber(C.th_file_left(f))
   if left < -1 then return storage.new(d, 0, false), ffi.string(C.th_error()):gsub('^file', who, 1), tonumber(C.TH_EIO) end
   local most, known = possible(f, d, n, left), left >= 0
   local s = storage.new(d, known and most or math.min(most, BLOCK), false)
   local have, status = 0, 0
   while have < most do
      if have == tonumber(s.s.size) then s:resize(math.min(most, 2 * have)) end
      local to = ffi.cast('char *', s.s.data) + have * dtype.bytes[d]
      status = tonumber(C.th_file_read(f, d, to, s.s.size - have, got))
      have = have + tonumber(got[0])
      if status ~= 0 then break end
   end
   local why
   if status ~= 0 then
      why = ffi.string(C.th_error()):gsub('^file', who, 1)
      local short = why:match '^(.*) ends after %d+ of %d+ %a+ elements$'
      if short then why = ('%s ends after %.0f of %.0f %s elements'):format(short, have, n, dtype.names[d]) end
   elseif most < n then
      status = tonumber(C.TH_EIO)
      why = ('%s: %.0f elements are wanted, but the file ends after %.0f'):format(who, n, most)
   end
   if have < tonumber(s.s.size) then s:resize(have) end
   return s, why, status
end

--- torch.File:readByte([what]), torch.File:readChar([what]), torch.File:readShort([what]), torch.File:readInt([what]): Without argument
-- one number; with a number n a storage of n; with a storage its elements are filled, and their number is returned. A file
-- that ends early is an error in pedantic mode; in quiet mode hasError() returns true.
-- f = torch.MemoryFile(); f:writeInt(3); f:seek(1); f:readInt() --> 3

--- torch.File:readLong([what]), torch.File:readHalf([what]), torch.File:readBFloat16([what]), torch.File:readFloat([what]): As readInt.

--- torch.File:readDouble([what]): As readInt.

--- torch.File:writeByte(what), torch.File:writeChar(what), torch.File:writeShort(what), torch.File:writeInt(what): A number, or the
-- elements of a storage, whose number is returned. A number that the type cannot hold is refused.

--- torch.File:writeLong(what), torch.File:writeHalf(what), torch.File:writeBFloat16(what), torch.File:writeFloat(what): As writeInt.

--- torch.File:writeDouble(what): As writeInt.
local function define_numbers(name, d)
   local own, read_name, write_name = 'torch.' .. name .. 'Storage', 'read' .. name, 'write' .. name
   local integer, long = not dtype.is_float(d), name == 'Long'

   -- x = f:readInt(), s = f:readInt(3), count = f:readInt(storage)
   File[read_name] = function(self, x)
      local f = open(self, read_name)
      if x == nil then
         local status = C.th_file_read(f, d, cell, 1, got)
         if status ~= 0 then
            failed(self, name_of(self, read_name), status, 2)
            return 0
         end
         return dtype.read(d, cell, 0)
      end
      local who = name_of(self, read_name)
      if arg.number_of(x) then
         x = arg.whole(who, 'the number of elements', x)
         if x < 0 then
            error(('%s: the number of elements must not be negative, got %d'):format(who, x), 2)
         end
         local s, why, status = file.read_storage(who, f, d, x)
         if why then
            if status == EINTR then lib.raise(EINTR, 2) end
            self._error = true
            if not self._quiet then error(why, 2) end
         end
         return s
      end
      if not arg.is_storage(x) or x.s.dtype ~= d then arg.refuse(who, 'argument', 'a number or a ' .. own, x) end
      local status = C.th_file_read(f, d, x.s.data, x.s.size, got)
      if status ~= 0 then failed(self, who, status, 2) end
      return tonumber(got[0])
   end

   local lowest = integer and (name == 'Byte' and 0 or -2 ^ (8 * dtype.bytes[d] - 1))
   local beyond = integer and 2 ^ (8 * dtype.bytes[d] - (name == 'Byte' and 0 or 1))

   local function put_number(self, f, x)
      if type(x) == 'cdata' and long then
         cell.l = x
      elseif integer then
         local whole = x < 0 and math.ceil(x) or math.floor(x)
         if not (whole >= lowest and whole < beyond) then
            error(('%s: value must fit %s, got %s'):format(name_of(self, write_name), name, tostring(x)), 3)
         end
         dtype.write(d, cell, 0, whole)
      else
         dtype.write(d, cell, 0, x)
      end
      local status = C.th_file_write(f, d, cell, 1)
      if status ~= 0 then failed(self, name_of(self, write_name), status, 3) end
   end

   -- f:writeInt(5), count = f:writeInt(storage)
   File[write_name] = function(self, x)
      local f = open(self, write_name)
      if arg.number_of(x) or (long and (ffi.istype('int64_t', x) or ffi.istype('uint64_t', x))) then
         put_number(self, f, arg.number_of(x) or x)
         return
      end
      if arg.is_storage(x) and x.s.dtype == d then
         local status = C.th_file_write(f, d, x.s.data, x.s.size)
         if status ~= 0 then
            failed(self, name_of(self, write_name), status, 2)
            return 0
         end
         return tonumber(x.s.size)
      end
      arg.refuse(name_of(self, write_name), 'argument', 'a number or a ' .. own, x)
   end
end

for d, name in ipairs(dtype.names) do define_numbers(name, d) end

--- A boolean is an Int: 1 or 0.
function File:readBool() return self:readInt() == 1 end
--- Writes true as the Int 1, false as 0.
function File:writeBool(value)
   if type(value) ~= 'boolean' then arg.refuse(name_of(self, 'writeBool'), 'value', 'a boolean', value) end
   self:writeInt(value and 1 or 0)
end

---------------------------------------------------------------------------------------------------------
-- text

local ROOM = 65536
local buffer = ffi.new('char[?]', ROOM)

local function read_line(self, who, f)
   local parts = {}
   repeat
      local status = C.th_file_line(f, buffer, ROOM, got, state)
      if status ~= 0 then
         failed(self, who, status, 3)
         return table.concat(parts)
      end
      parts[#parts + 1] = ffi.string(buffer, got[0])
   until state[0] ~= 0
   if state[0] == 2 and #parts == 1 then return nil end
   return table.concat(parts)
end

local function read_rest(self, who, f)
   local parts = {}
   repeat
      local status = C.th_file_read(f, dtype.id.Byte, buffer, ROOM, got)
      if status ~= 0 and tonumber(status) ~= tonumber(C.TH_EIO) then failed(self, who, status, 3) end
      parts[#parts + 1] = ffi.string(buffer, got[0])
   until status ~= 0 or got[0] == 0
   return table.concat(parts)
end

--- Reads a line without its end ('*l') or all that is left ('*a').
-- When nothing is left it raises an error; in quiet mode it returns ''.
function File:readString(format)
   local who = name_of(self, 'readString')
   local f = open(self, 'readString')
   local text
   if type(format) == 'string' and format:sub(1, 2) == '*l' then
      text = read_line(self, who, f)
   elseif type(format) == 'string' and format:sub(1, 2) == '*a' then
      text = read_rest(self, who, f)
      if text == '' then text = nil end
   else
      arg.refuse(who, 'format', "'*l' or '*a'", format)
   end
   if text then return text end
   self._error = true
   if not self._quiet then error(who .. ': nothing is left to read', 2) end
   return ''
end

--- Writes the bytes of a string; returns how many they are.
function File:writeString(text)
   local f = open(self, 'writeString')
   if type(text) ~= 'string' then arg.refuse(name_of(self, 'writeString'), 'text', 'a string', text) end
   local spacing = C.th_file_get(f, C.TH_FILE_SPACING)
   C.th_file_set(f, C.TH_FILE_SPACING, 0)
   local status = C.th_file_write(f, dtype.id.Byte, ffi.cast('const char *', text), #text)
   C.th_file_set(f, C.TH_FILE_SPACING, spacing)
   if status ~= 0 then
      failed(self, name_of(self, 'writeString'), status, 2)
      return 0
   end
   return #text
end

---------------------------------------------------------------------------------------------------------
-- modes and places

--- torch.File:ascii(), torch.File:binary(): From now on elements are read and written as text (as files begin), or as bytes.

--- torch.File:autoSpacing(), torch.File:noAutoSpacing(): Whether text gets blanks and line ends between elements (as files begin).
local function switch(method, option, value)
   File[method] = function(self)
      C.th_file_set(open(self, method), option, value)
      return self
   end
end
switch('ascii', C.TH_FILE_BINARY, 0)
switch('binary', C.TH_FILE_BINARY, 1)
switch('autoSpacing', C.TH_FILE_SPACING, 1)
switch('noAutoSpacing', C.TH_FILE_SPACING, 0)

--- Whether elements are bytes, not text.
function File:isBinary() return C.th_file_get(open(self, 'isBinary'), C.TH_FILE_BINARY) ~= 0 end
--- Whether text gets blanks between elements.
function File:isAutoSpacing() return C.th_file_get(open(self, 'isAutoSpacing'), C.TH_FILE_SPACING) ~= 0 end
--- Whether the file was opened for reading.
function File:isReadable() return self._mode:find 'r' ~= nil end
--- Whether the file was opened for writing.
function File:isWritable() return self._mode:find 'w' ~= nil end

--- Quiet: failures are kept for hasError(). Pedantic (as files begin): they are raised.
function File:quiet()
   self._quiet = true
   return self
end
--- Failures are raised, as files begin.
function File:pedantic()
   self._quiet = false
   return self
end
--- Whether failures are kept for hasError().
function File:isQuiet() return self._quiet end
--- Whether something failed since the last clearError().
function File:hasError() return self._error end
--- Forgets failures. Returns the file.
function File:clearError()
   self._error = false
   return self
end

--- Whether objects that occur twice are written once (as files begin) or twice.
function File:referenced(yes)
   if type(yes) ~= 'boolean' then arg.refuse(name_of(self, 'referenced'), 'argument', 'a boolean', yes) end
   self._referenced = yes
   self._written, self._read = nil, nil
   return self
end
--- Whether objects that occur twice are written once.
function File:isReferenced() return self._referenced end

--- The position of the next read or write; the first byte is 1.
function File:position() return tonumber(C.th_file_place(open(self, 'position'))) + 1 end

--- Moves to a position; the first byte is 1. Returns the file. A position beyond the end is an error.
function File:seek(place)
   local who = name_of(self, 'seek')
   local f = open(self, 'seek')
   place = arg.whole(who, 'place', place)
   if place < 1 then
      self._error = true
      if self._quiet then return self end
      error(('%s: place must be at least 1, got %d'):format(who, place), 2)
   end
   local status = C.th_file_seek(f, place - 1)
   if status ~= 0 then failed(self, who, status, 2) end
   return self
end

--- Moves to the end. Returns the file.
function File:seekEnd()
   local status = C.th_file_seek(open(self, 'seekEnd'), -1)
   if status ~= 0 then failed(self, name_of(self, 'seekEnd'), status, 2) end
   return self
end

--- Passes all written bytes to the operating system.
function File:synchronize()
   local status = C.th_file_sync(open(self, 'synchronize'))
   if status ~= 0 then failed(self, name_of(self, 'synchronize'), status, 2) end
   return self
end

--- Closes the file. The collector closes files too, but their failures stay unseen.
function File:close()
   local f = open(self, 'close')
   local status = C.th_file_close(f)
   forget(self)
   if status ~= 0 then failed(self, name_of(self, 'close'), status, 2) end
end

--- Size of a Long in binary files: 4 or 8 bytes; 0 is the machine's own, 8.
function File:longSize(n)
   if n ~= 0 and n ~= 4 and n ~= 8 then arg.refuse(name_of(self, 'longSize'), 'size', '0, 4 or 8', n) end
   C.th_file_set(open(self, 'longSize'), C.TH_FILE_LONGSIZE, n == 4 and 4 or 8)
   return self
end

---------------------------------------------------------------------------------------------------------
-- the three kinds

local flags = { r = C.TH_FILE_READ, w = C.TH_FILE_WRITE, rw = C.TH_FILE_READ + C.TH_FILE_WRITE }

local function need_mode(who, mode)
   mode = mode == nil and 'r' or mode
   if type(mode) ~= 'string' or not flags[mode] then arg.refuse(who, 'mode', "'r', 'w' or 'rw'", mode, 3) end
   return mode
end

-- The object around the C file in a box.
local function object(name, box, mode, fields)
   local self = fields or {}
   self._file = box
   self._mode = mode
   self._quiet, self._error, self._referenced = false, false, true
   return class.setmetatable(self, name)
end

local function opened(name, box, status, mode, quiet, fields)
   if status == 0 then return object(name, box, mode, fields) end
   if tonumber(status) == EINTR then lib.raise(EINTR, 4) end
   if quiet then return nil end
   error((ffi.string(C.th_error()):gsub('^file', name, 1)), 4)
end

-- torch.DiskFile(path, [mode], [quiet]): nil when it cannot be opened and quiet is true
local function disk(path, mode, quiet)
   mode = need_mode('torch.DiskFile', mode)
   arg.path('torch.DiskFile', 'path', path)
   local box = new_box()
   return (opened('torch.DiskFile', box, C.th_file_open(box, path, flags[mode]), mode, quiet, { _name = path }))
end

local function pipe(command, mode, quiet)
   mode = need_mode('torch.PipeFile', mode)
   if mode == 'rw' then arg.refuse('torch.PipeFile', 'mode', "'r' or 'w'", mode) end
   arg.path('torch.PipeFile', 'command', command)
   local box = new_box()
   return (opened('torch.PipeFile', box, C.th_file_pipe(box, command, flags[mode]), mode, quiet, { _name = command }))
end

-- torch.MemoryFile([storage,] [mode])
local function memory(s, mode)
   if type(s) == 'string' and mode == nil then s, mode = nil, s end
   mode = mode == nil and 'rw' or need_mode('torch.MemoryFile', mode)
   if s ~= nil and not arg.is_storage(s) then arg.refuse('torch.MemoryFile', 'storage', 'a torch.CharStorage', s) end
   s = s or storage.new(dtype.id.Char, 1)
   local box = new_box()
   return (opened('torch.MemoryFile', box, C.th_file_memory(box, s.s, flags[mode]), mode, false, { _storage = s }))
end

--- A file in memory over the bytes of a string, for reading.
function file.of_string(text)
   local box = new_box()
   lib.check(C.th_file_view(box, text, #text), 2)
   return object('torch.MemoryFile', box, 'r', { _text = text })
end

--- A file in memory over all bytes of a storage, for reading.
function file.of_storage(s, who)
   local box = new_box()
   local status = C.th_file_memory(box, s.s, C.TH_FILE_READ + C.TH_FILE_WHOLE)
   if status ~= 0 then error((ffi.string(C.th_error()):gsub('^file', who, 1)), 3) end
   return object('torch.MemoryFile', box, 'r', { _storage = s })
end

--- A file in memory over the bytes of a ByteStorage, for reading.
function file.of_bytes(s)
   local box = new_box()
   lib.check(C.th_file_view(box, s.s.data, s.s.size), 2)
   return object('torch.MemoryFile', box, 'r', { _storage = s }):binary()
end

--- A file that replaces `path` when it is closed; until then `path` does not change.
function file.replacing(path)
   arg.path('torch.DiskFile', 'path', path)
   local box = new_box()
   local status = C.th_file_open(box, path, C.TH_FILE_WRITE + C.TH_FILE_ATOMIC)
   return (opened('torch.DiskFile', box, status, 'w', false, { _name = path }))
end

--- Drops a file without closing it properly: `path` of a replacing file does not change.
function file.abandon(self)
   if inside(self) then forget(self) end
end

local Disk, Memory = {}, {}

function Disk:__tostring__()
   local mode = ('%s%s'):format(self:isReadable() and 'r' or ' ', self:isWritable() and 'w' or ' ')
   return ('%s on <%s> [status: %s -- mode %s]'):format(class.typename(self), self._name,
      inside(self) and 'open' or 'closed', mode)
end

--- Binary elements have the byte order of this machine, as files begin.
function Disk:nativeEndianEncoding()
   C.th_file_set(open(self, 'nativeEndianEncoding'), C.TH_FILE_BIGENDIAN, ffi.abi 'be' and 1 or 0)
   return self
end
--- Binary elements have their lowest byte first.
function Disk:littleEndianEncoding()
   C.th_file_set(open(self, 'littleEndianEncoding'), C.TH_FILE_BIGENDIAN, 0)
   return self
end
--- Binary elements have their highest byte first.
function Disk:bigEndianEncoding()
   C.th_file_set(open(self, 'bigEndianEncoding'), C.TH_FILE_BIGENDIAN, 1)
   return self
end
--- Whether this machine stores the lowest byte first.
function Disk.isLittleEndianCPU() return ffi.abi 'le' end
--- Whether this machine stores the highest byte first.
function Disk.isBigEndianCPU() return ffi.abi 'be' end

--- Every write is passed to the operating system immediately.
function Disk:noBuffer()
   local f = open(self, 'noBuffer')
   C.th_file_set(f, C.TH_FILE_BUFFERED, 0)
   local status = C.th_file_sync(f)
   if status ~= 0 then failed(self, name_of(self, 'noBuffer'), status, 2) end
   return self
end

function Memory:__tostring__()
   return ('%s [status: %s -- mode: %s]'):format(class.typename(self), inside(self) and 'open' or 'closed', self._mode)
end

--- The storage that holds the bytes and, after them, a 0.
function Memory:storage()
   if self._file then open(self, 'storage') end                -- the storage of a file that was finalized is freed, too
   if self._text then
      local s = storage.new(dtype.id.Char, #self._text + 1)
      ffi.copy(s.s.data, self._text, #self._text)
      return s
   end
   return self._storage
end

--- torch.File: The methods of all files: numbers, strings and objects, as text or in binary. torch.DiskFile, torch.MemoryFile
-- and torch.PipeFile make files.
--

--- torch.DiskFile(path, [mode], [quiet]): A file on disk.
-- @param mode   'r' (default), 'w' (a new file) or 'rw' (both; the file must exist)
-- @param quiet  true: nil is returned when it cannot be opened, and failures are kept for hasError()
-- name = os.tmpname(); f = torch.DiskFile(name, 'w'); f:writeInt(5); f:close(); torch.DiskFile(name):readInt() --> 5
--

--- torch.PipeFile(command, [mode], [quiet]): A file on the output ('r', default) or the input ('w') of a command of the shell.
-- torch.PipeFile('echo 3'):readInt() --> 3
--

--- torch.MemoryFile([storage,] [mode]): A file in memory, in a CharStorage that grows; the mode is 'rw' unless given.
-- f = torch.MemoryFile(); f:writeString('abc'); f:seek(1); f:readString('*a') --> abc
--- Makes torch.File, DiskFile, MemoryFile and PipeFile.
function file.install(torch)
   local function is_file(v) return type(v) == 'table' and rawget(v, '_mode') ~= nil end
   local function make(name, parent, constructor, methods)
      local mt = class.newmetatable(name, parent, constructor, nil, nil, torch)
      arg.guard(methods, is_file, 'a file')
      for k, f in pairs(methods) do mt[k] = f end
   end
   make('torch.File', nil, function()
      error('torch.File: use torch.DiskFile, torch.MemoryFile or torch.PipeFile', 2)
   end, File)
   make('torch.DiskFile', 'torch.File', disk, Disk)
   make('torch.MemoryFile', 'torch.File', memory, Memory)
   make('torch.PipeFile', 'torch.DiskFile', pipe, {})
end

file.File = File

return file
