-- feed.lmdb - the values of an LMDB database, in the order of their keys. lib/io/lmdb.c reads the file, without liblmdb.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local torch = require 'torch'
local paths = require 'paths'
local fingerprint = require 'feed.fingerprint'
local format = require 'torch.format'
local need = require 'feed.need'
local source = require 'feed.source'
local C = lib.C

-- n 64-bit integers as a LongTensor.
local function numbers(from, n)
   local t = torch.LongTensor(n)
   if n > 0 then ffi.copy(t:data(), from, 8 * n) end
   return t
end

local function take(self, d)
   self.n, self.page_size = tonumber(d.count), tonumber(d.page_size)
   self.places, self.values = numbers(d.key_place, tonumber(d.keys) + 1), numbers(d.value, 2 * self.n)
   self.owners = d.owner ~= nil and numbers(d.owner, self.n) or nil
   self.keys = torch.ByteTensor(math.max(tonumber(d.key_bytes), 1)):zero()
   ffi.copy(self.keys:data(), d.key, d.key_bytes)
end

local function open(s, _, self)
   local d = ffi.gc(ffi.new 'th_lmdb', C.th_lmdb_free)
   format.allocate(C.th_lmdb_open, d, s)
   local ok, why = pcall(take, self, d)
   C.th_lmdb_free(ffi.gc(d, nil))
   if not ok then error(why, 0) end
   self.stamp = source.stamp(s)
end

local Lmdb = {}
Lmdb.__index = Lmdb

--- The values of an LMDB database as strings, in the order of their keys; feed.map(d, torch.deserialize) makes objects of
-- them. The file is a folder with data.mdb, or the file itself, of version 1 of the format and a machine of 64 bits. Each value
-- of a key with several values is a sample. Opening reads all keys, which all threads share. Values are read on demand.
-- No program may write to the database meanwhile. A damaged file is an error.
-- @param options  a table: `keys` (true: a sample is {key = , value = })
function Lmdb.new(file, options)
   need.path('feed.lmdb', file)
   options = need.options('feed.lmdb', options, { keys = 'boolean' })
   local self = setmetatable({ file = paths.dirp(file) and file .. '/data.mdb' or file, with_keys = options.keys }, Lmdb)
   local ok, why = pcall(source.with, self.file, open, self)
   if not ok then source.fail('feed.lmdb', file, why) end
   return self
end

function Lmdb:size() return self.n end

local value = ffi.new 'const char *[1]'

-- Value i: its address, valid until the next one is read, and its size in bytes.
local function read(self, i)
   local at = self.values:data() + 2 * (i - 1)
   local n = tonumber(at[1])
   format.check(C.th_lmdb_value(source.of(self), self.page_size, at[0], n, source.room(n + C.TH_LMDB_HEAD), value))
   return value[0], n
end

local function find(self, i)
   local ok, p, n = pcall(read, self, i)
   if not ok then source.fail('feed.lmdb', self.file, ('sample %d: %s'):format(i, tostring(p)), 3) end
   return p, n
end

function Lmdb:get(i)
   need.index('feed.lmdb', i, self.n)
   local text = ffi.string(find(self, i))
   if not self.with_keys then return text end
   local k = self.owners and self.owners[i] or i
   local first = self.places[k]
   return { key = ffi.string(self.keys:data() + first, self.places[k + 1] - first), value = text }
end

local function look(self)
   local list = { fingerprint.sum(self.places), self.n > 0 and fingerprint.sum(self.keys) or '' }
   for _, i in ipairs(fingerprint.some(self.n)) do
      local p, n = find(self, i)
      list[#list + 1] = ('%.0f %s'):format(n, ffi.string(p, math.min(4096, n)))
   end
   return fingerprint.new('lmdb', table.concat(list, '\n'))
end

function Lmdb:fingerprint() return fingerprint.once(self, look) end

return Lmdb
