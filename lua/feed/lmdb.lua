-- feed.lmdb - the values of an LMDB database, in the order of their keys. liblmdb is opened when the first database is.
local ffi = require 'ffi'
local fingerprint = require 'feed.fingerprint'
local load_library = require 'feed.library'
local torch = require 'torch'
local paths = require 'paths'
local need = require 'feed.need'
local source = require 'feed.source'

ffi.cdef [[
typedef struct MDB_env MDB_env;
typedef struct MDB_txn MDB_txn;
typedef struct MDB_cursor MDB_cursor;
typedef struct MDB_val { size_t size; void *data; } MDB_val;
typedef struct MDB_stat { unsigned psize, depth; size_t branch_pages, leaf_pages, overflow_pages, entries; } MDB_stat;
typedef struct MDB_envinfo { void *mapaddr; size_t mapsize, last_pgno, last_txnid; unsigned maxreaders, numreaders; } MDB_envinfo;
int mdb_env_create(MDB_env **env);
int mdb_env_open(MDB_env *env, const char *path, unsigned flags, unsigned mode);
int mdb_env_stat(MDB_env *env, MDB_stat *stat);
int mdb_env_info(MDB_env *env, MDB_envinfo *info);
void mdb_env_close(MDB_env *env);
int mdb_txn_begin(MDB_env *env, MDB_txn *parent, unsigned flags, MDB_txn **txn);
void mdb_txn_abort(MDB_txn *txn);
int mdb_dbi_open(MDB_txn *txn, const char *name, unsigned flags, unsigned *dbi);
int mdb_cursor_open(MDB_txn *txn, unsigned dbi, MDB_cursor **cursor);
int mdb_cursor_get(MDB_cursor *cursor, MDB_val *key, MDB_val *data, int op);
void mdb_cursor_close(MDB_cursor *cursor);
int mdb_get(MDB_txn *txn, unsigned dbi, MDB_val *key, MDB_val *data);
char *mdb_strerror(int err);
]]

local NOSUBDIR, RDONLY, NOTLS, NOLOCK, NORDAHEAD = 0x4000, 0x20000, 0x200000, 0x400000, 0x800000
local FIRST, NEXT, NOTFOUND = 0, 8, -30798

local lmdb
local function library()
   lmdb = lmdb or load_library('TH_LMDB', 'liblmdb.so.0', 'lmdb',
      'liblmdb is not installed (Debian: liblmdb0); TH_LMDB may name it')
   return lmdb
end

local function check(status)
   if status ~= 0 then error(ffi.string(lmdb.mdb_strerror(status)), 0) end
end

-- LMDB maps its file into memory and trusts it: one that was cut off would end the process.
local function need_whole(env, path)
   local stat, info = ffi.new 'MDB_stat', ffi.new 'MDB_envinfo'
   check(lmdb.mdb_env_stat(env, stat))
   check(lmdb.mdb_env_info(env, info))
   local want = (tonumber(info.last_pgno) + 1) * stat.psize
   local bytes = source.with(paths.dirp(path) and path .. '/data.mdb' or path, function(_, n) return n end)
   if bytes < want then error(('it has %.0f bytes, but its pages end at %.0f'):format(bytes, want), 0) end
end

-- A database that is open for reading, and one transaction of it. No locks: a process may open a file several times.
local function open_file(path)
   library()
   local out, txn, dbi = ffi.new 'MDB_env *[1]', ffi.new 'MDB_txn *[1]', ffi.new 'unsigned[1]'
   check(lmdb.mdb_env_create(out))
   local env = ffi.gc(out[0], lmdb.mdb_env_close)
   check(lmdb.mdb_env_open(env, path, RDONLY + NOTLS + NOLOCK + NORDAHEAD + (paths.dirp(path) and 0 or NOSUBDIR), 438))
   need_whole(env, path)
   check(lmdb.mdb_txn_begin(env, nil, RDONLY, txn))
   local held = ffi.gc(txn[0], function(t)                    -- both, in this order
      lmdb.mdb_txn_abort(t)
      lmdb.mdb_env_close(env)
   end)
   ffi.gc(env, nil)
   check(lmdb.mdb_dbi_open(held, nil, 0, dbi))
   return { txn = held, dbi = dbi[0] }
end

local open = setmetatable({}, { __mode = 'k' })            -- dataset -> its database, of this thread
local function database(self)
   open[self] = open[self] or open_file(self.file)
   return open[self]
end

local key, value = ffi.new 'MDB_val', ffi.new 'MDB_val'

-- All keys, one behind the other, and where each begins.
local function read_keys(self)
   local db, out = database(self), ffi.new 'MDB_cursor *[1]'
   check(lmdb.mdb_cursor_open(db.txn, db.dbi, out))
   local keys, places, count, place = {}, torch.LongTensor(1024), 0, 0
   local status = lmdb.mdb_cursor_get(out[0], key, value, FIRST)
   while status == 0 do
      count = count + 1
      if count == places:size(1) then places:resize(2 * count) end
      keys[count], places[count] = ffi.string(key.data, key.size), place
      place = place + tonumber(key.size)
      status = lmdb.mdb_cursor_get(out[0], key, value, NEXT)
   end
   lmdb.mdb_cursor_close(out[0])
   if status ~= NOTFOUND then check(status) end
   places[count + 1] = place
   self.n, self.places, self.keys = count, places:narrow(1, 1, count + 1):clone(), torch.ByteTensor(math.max(place, 1))
   local text = table.concat(keys)
   ffi.copy(self.keys:data(), text, #text)
end

local Lmdb = {}
Lmdb.__index = Lmdb

--- The values of an LMDB database as strings, in the order of their keys; feed.map(d, torch.deserialize) makes objects of
-- them. The file is a folder with data.mdb, or the file itself. Keys are read once and shared by all threads. Nobody may
-- write to it meanwhile. Needs liblmdb, which TH_LMDB names if it lies elsewhere. LMDB trusts its files: open those that you
-- trust.
-- @param options  a table: `keys` (true: a sample is {key = , value = })
function Lmdb.new(file, options)
   need.path('feed.lmdb', file)
   options = need.options('feed.lmdb', options, { keys = 'boolean' })
   local self = setmetatable({ file = file, with_keys = options.keys }, Lmdb)
   local ok, why = pcall(read_keys, self)
   if not ok then source.fail('feed.lmdb', file, why) end
   return self
end

function Lmdb:size() return self.n end

-- Makes `value` that of key i.
local function find(self, i)
   local ok, db = pcall(database, self)
   if not ok then source.fail('feed.lmdb', self.file, db, 3) end
   local first = self.places[i]
   key.size, key.data = self.places[i + 1] - first, self.keys:data() + first
   local status = lmdb.mdb_get(db.txn, db.dbi, key, value)
   if status ~= 0 then
      source.fail('feed.lmdb', self.file, ('sample %d: %s'):format(i, ffi.string(lmdb.mdb_strerror(status))), 3)
   end
end

function Lmdb:get(i)
   need.index('feed.lmdb', i, self.n)
   find(self, i)
   local first, text = self.places[i], ffi.string(value.data, value.size)
   if not self.with_keys then return text end
   return { key = ffi.string(self.keys:data() + first, self.places[i + 1] - first), value = text }
end

local function look(self)
   local list = { fingerprint.sum(self.places), self.n > 0 and fingerprint.sum(self.keys) or '' }
   for _, i in ipairs(fingerprint.some(self.n)) do
      find(self, i)
      list[#list + 1] = ('%.0f %s'):format(tonumber(value.size), ffi.string(value.data, math.min(4096, tonumber(value.size))))
   end
   return fingerprint.new('lmdb', table.concat(list, '\n'))
end

function Lmdb:fingerprint() return fingerprint.once(self, look) end

return Lmdb
