-- feed.records - samples in a file of feed.pack, which has the format: read one by one, in any order, and checked.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local torch = require 'torch'
local format = require 'torch.format'
local encode = require 'feed.encode'
local fingerprint = require 'feed.fingerprint'
local header = require 'feed.header'
local batch_memory = require 'feed.batch_memory'
local source = require 'feed.source'
local need = require 'feed.need'
local C, tobit = lib.C, require 'bit'.tobit

local Records = {}
Records.__index = Records

local function open(s, bytes, self)
   local n, index, sum = header.read(s, bytes)
   local places, sums = torch.LongTensor(n + 1), torch.IntTensor(math.max(n, 1))
   source.read(s, places:data(), 8 * (n + 1), index)
   source.read(s, sums:data(), 4 * n, index + 8 * (n + 1))
   if C.th_crc32c(C.th_crc32c(0, places:data(), 8 * (n + 1)), sums:data(), 4 * n) ~= sum then error('its index is damaged', 0) end
   local p = places:data()
   if p[0] ~= header.SIZE or p[n] ~= index then error('its index is damaged', 0) end
   for k = 1, n do
      if p[k] <= p[k - 1] then error('its index is damaged', 0) end
   end
   self.n, self.stamp, self.places, self.sums, self.sum = n, source.stamp(s), places, sums, sum
end

--- The samples in a file of feed.pack. The index, 12 bytes a sample, is read when the file is opened, and all threads share it.
-- A sample is read on demand, and compared with its checksum. No code in the file is run.
-- name = os.tmpname(); f = require 'feed'; f.pack(name, f.list{5, 6, 7}); x = f.records(name):get(3); os.remove(name); x --> 7
function Records.new(file)
   need.path('feed.records', file)
   local self = setmetatable({ file = file }, Records)
   local ok, why = pcall(source.with, file, open, self)
   if not ok then source.fail('feed.records', file, why) end
   return self
end

function Records:size() return self.n end

-- The bytes of record i, in memory that is valid until the next one is read.
local function bytes_of(self, s, i)
   local place = self.places[i]
   local n = self.places[i + 1] - place
   local p = source.bytes(s, n, place)
   if tobit(C.th_crc32c(0, p, n)) ~= self.sums[i] then
      error(('sample %d is damaged: its checksum is not that of its bytes'):format(i), 0)
   end
   return p, n
end

local function read(self, i) return encode.unpack(bytes_of(self, source.of(self), i)) end

function Records:get(i)
   need.index('feed.records', i, self.n)
   local ok, v = pcall(read, self, i)
   if ok then return v end
   v = tostring(v)
   source.fail('feed.records', self.file, v:find '^sample' and v or ('sample %d: %s'):format(i, v))
end

-- The kind of record i: the head of its bytes, which records of its kind have in common, type and sizes. nil if it is no
-- tensor, or none that fits into a batch.
local function kind_of(self, s, i)
   local p, size = bytes_of(self, s, i)
   if p[0] ~= 116 then return nil end
   local d, ndim, bytes, head = encode.shape(p, size)
   if head + bytes ~= size or ndim == 16 or ndim == 0 then return nil end
   local shape = ffi.new 'int64_t[16]'
   for k = 0, ndim - 1 do shape[k + 1] = encode.sizes[k] end
   return { head = ffi.string(p, head), bytes = bytes, dtype = d, ndim = ndim + 1, shape = shape }
end

local records, same = ffi.new 'th_records', ffi.new 'int[1]'

-- All samples in one read if they are of this kind; else nil.
local function read_kind(self, s, kind, numbers, out)
   local count = numbers:size(1)
   kind.shape[0] = count
   local t = batch_memory(kind.dtype, kind.ndim, kind.shape, out)
   records.place, records.sum = self.places:data(), ffi.cast('uint32_t *', self.sums:data())
   records.head, records.head_size, records.body_size = kind.head, #kind.head, kind.bytes
   local list = numbers:contiguous()                           -- must live until the end of the call
   format.check(C.th_source_records(s, records, list:data(), count, format.bytes(t), same))
   return same[0] ~= 0 and list and t or nil
end

local kinds = setmetatable({}, { __mode = 'k' })               -- dataset -> the kind of its last batch, in this thread

-- Tries the kind of the last batch first, because it is usually the same.
local function read_batch(self, numbers, out)
   local s, last = source.of(self), kinds[self]
   local made = last and read_kind(self, s, last, numbers, out)
   if made then return made end
   local kind = kind_of(self, s, numbers[1])
   kinds[self] = kind
   if not kind or last and last.head == kind.head then return nil end
   return read_kind(self, s, kind, numbers, out)
end

function Records:batch(numbers, out)
   need.indices('feed.records', numbers, self.n)
   local ok, t = pcall(read_batch, self, numbers, out)
   if not ok then source.fail('feed.records', self.file, t) end
   return t
end

-- The checksum of the index, which contains those of all records.
function Records:fingerprint() return fingerprint.new('records', ('%.0f'):format(self.sum)) end

return Records
