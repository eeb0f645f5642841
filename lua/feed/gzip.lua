-- feed.gzip - unpacks gzipped files (RFC 1952) by zlib, which is opened on first use.
local ffi = require 'ffi'
local load_library = require 'feed.library'
local source = require 'feed.source'

-- Declared under names with a prefix of ours, since other code may declare them too.
ffi.cdef [[
typedef struct feed_z_stream {
   const uint8_t *next_in;
   unsigned avail_in;
   unsigned long total_in;
   uint8_t *next_out;
   unsigned avail_out;
   unsigned long total_out;
   const char *msg;
   void *state, *zalloc, *zfree, *opaque;
   int data_type;
   unsigned long adler, reserved;
} feed_z_stream;
int feed_inflate_init(feed_z_stream *z, int bits, const char *version, int size) __asm__("inflateInit2_");
int feed_inflate(feed_z_stream *z, int flush) __asm__("inflate");
int feed_inflate_reset(feed_z_stream *z) __asm__("inflateReset");
int feed_inflate_end(feed_z_stream *z) __asm__("inflateEnd");
]]

local OK, STREAM_END, NO_MEMORY, NO_PROGRESS = 0, 1, -4, -5
local GZIP = 15 + 16                         -- the largest window, and the header and checksum of gzip
local ROOM, PORTION = 65536, 2 ^ 20          -- bytes to read, and to unpack, at a time

local gzip = { MAGIC = '\31\139' }

--- Deflate packs at most so many bytes into one, so a header that claims more is false.
gzip.MOST_RATIO = 1032

local zlib
local function library()
   zlib = zlib or load_library('TH_ZLIB', 'libz.so.1', 'z',
      'it is gzipped, and zlib is not installed (Debian: zlib1g); TH_ZLIB may name it, or gunzip unpacks the file')
   return zlib
end

local Reader = {}
Reader.__index = Reader

-- Reads more when all input has been used. @return how many bytes wait to be unpacked: 0 at the end
local function fill(self)
   local z, n = self.z, math.min(ROOM, self.bytes - self.at)
   if z.avail_in == 0 then
      source.read(self.source, self.room, n, self.at)
      self.at, z.next_in, z.avail_in = self.at + n, self.room, n
   end
   return z.avail_in
end

-- Called when a member has ended. gzip allows more of them.
local function next_member(self)
   if fill(self) == 0 then
      self.ended = true
      return
   end
   self.member = self.member + 1
   zlib.feed_inflate_reset(self.z)
end

local function fail(self, status)
   local z = self.z
   if status == NO_MEMORY then error('zlib: no memory left', 0) end
   if self.member > 1 and z.total_out == 0 then error('other bytes follow the packed data', 0) end
   if status == NO_PROGRESS then error('it ends within the packed data', 0) end
   error('the packed data are damaged: ' .. (z.msg == nil and 'status ' .. status or ffi.string(z.msg)), 0)
end

--- Unpacks n bytes to memory. @return how many there were: fewer only where the file ends
function Reader:take(to, n)
   local z, done = self.z, 0
   while done < n and not self.ended do
      local wanted = math.min(n - done, PORTION)
      fill(self)
      z.next_out, z.avail_out = to + done, wanted
      local status = zlib.feed_inflate(z, 0)
      done = done + wanted - z.avail_out
      if status == STREAM_END then next_member(self)
      elseif status ~= OK then fail(self, status) end
   end
   return done
end

--- Whether more bytes are packed than were taken.
function Reader:goes_on() return self:take(self.one, 1) > 0 end

--- Calls f(reader, ...) for an open file of so many bytes. @return its result
function gzip.with(s, bytes, f, ...)
   local self = setmetatable({ source = s, bytes = bytes, at = 0, member = 1, ended = false, z = ffi.new 'feed_z_stream',
      room = ffi.new('uint8_t[?]', ROOM), one = ffi.new 'uint8_t[1]' }, Reader)
   local status = library().feed_inflate_init(self.z, GZIP, '1', ffi.sizeof 'feed_z_stream')
   if status ~= OK then error(('zlib cannot begin: status %d'):format(status), 0) end
   local ok, result = pcall(f, self, ...)
   zlib.feed_inflate_end(self.z)
   if not ok then error(result, 0) end
   return result
end

return gzip
