-- test/support/liblmdb.lua - writes and reads databases with liblmdb, if it is installed, as the reference for feed.lmdb.
local ffi = require 'ffi'

ffi.cdef [[
typedef struct MDB_env MDB_env;
typedef struct MDB_txn MDB_txn;
typedef struct MDB_cursor MDB_cursor;
typedef struct MDB_val { size_t size; void *data; } MDB_val;
int mdb_env_create(MDB_env **env);
int mdb_env_set_mapsize(MDB_env *env, size_t size);
int mdb_env_set_maxdbs(MDB_env *env, unsigned n);
int mdb_env_open(MDB_env *env, const char *path, unsigned flags, unsigned mode);
void mdb_env_close(MDB_env *env);
int mdb_txn_begin(MDB_env *env, MDB_txn *parent, unsigned flags, MDB_txn **txn);
int mdb_txn_commit(MDB_txn *txn);
void mdb_txn_abort(MDB_txn *txn);
int mdb_dbi_open(MDB_txn *txn, const char *name, unsigned flags, unsigned *dbi);
int mdb_put(MDB_txn *txn, unsigned dbi, MDB_val *key, MDB_val *data, unsigned flags);
int mdb_del(MDB_txn *txn, unsigned dbi, MDB_val *key, MDB_val *data);
int mdb_get(MDB_txn *txn, unsigned dbi, MDB_val *key, MDB_val *data);
int mdb_cursor_open(MDB_txn *txn, unsigned dbi, MDB_cursor **cursor);
int mdb_cursor_get(MDB_cursor *cursor, MDB_val *key, MDB_val *data, int op);
void mdb_cursor_close(MDB_cursor *cursor);
char *mdb_strerror(int err);
]]

local NOSUBDIR, NOSYNC, RDONLY, NOLOCK, CREATE, FIRST, NEXT, NOTFOUND = 0x4000, 0x10000, 0x20000, 0x400000, 0x40000, 0, 8, -30798

local found, lib = pcall(ffi.load, 'liblmdb.so.0')
local liblmdb = { found = found, DUPSORT = 4, REVERSEKEY = 2, INTEGERKEY = 8, DUPFIXED = 16, INTEGERDUP = 32, REVERSEDUP = 64 }

local function check(status)
   if status ~= 0 then error(ffi.string(lib.mdb_strerror(status)), 2) end
end

local function val(s) return ffi.new('MDB_val', #s, ffi.cast('char *', s)) end

-- Calls f(txn, dbi) in one transaction of the file. @param name  of a database in the file, or nil
local function with(file, flags, mode, name, f)
   local env, txn, dbi = ffi.new 'MDB_env *[1]', ffi.new 'MDB_txn *[1]', ffi.new 'unsigned[1]'
   check(lib.mdb_env_create(env))
   check(lib.mdb_env_set_mapsize(env[0], 2 ^ 30))
   check(lib.mdb_env_set_maxdbs(env[0], 4))
   check(lib.mdb_env_open(env[0], file, NOSUBDIR + NOSYNC + mode, 438))
   check(lib.mdb_txn_begin(env[0], nil, mode % (2 * RDONLY) >= RDONLY and RDONLY or 0, txn))
   check(lib.mdb_dbi_open(txn[0], name, flags, dbi))
   local ok, why = pcall(f, txn[0], dbi[0])
   if ok then check(lib.mdb_txn_commit(txn[0])) else lib.mdb_txn_abort(txn[0]) end
   lib.mdb_env_close(env[0])
   if not ok then error(why, 0) end
   return why
end

--- Carries out changes in one transaction: { key, value } puts, { key } deletes, all values of the key.
function liblmdb.write(file, changes, flags, name)
   with(file, flags + (name and CREATE or 0), 0, name, function(txn, dbi)
      for _, c in ipairs(changes) do
         if c[2] then
            check(lib.mdb_put(txn, dbi, val(c[1]), val(c[2]), 0))
         else
            local status = lib.mdb_del(txn, dbi, val(c[1]), nil)
            if status ~= NOTFOUND then check(status) end
         end
      end
   end)
end

--- All entries in the order of the library: a list of { key = , value = }.
function liblmdb.read(file)
   return with(file, 0, RDONLY + NOLOCK, nil, function(txn, dbi)
      local out, key, value, list = ffi.new 'MDB_cursor *[1]', ffi.new 'MDB_val', ffi.new 'MDB_val', {}
      check(lib.mdb_cursor_open(txn, dbi, out))
      local status = lib.mdb_cursor_get(out[0], key, value, FIRST)
      while status == 0 do
         list[#list + 1] = { key = ffi.string(key.data, key.size), value = ffi.string(value.data, value.size) }
         status = lib.mdb_cursor_get(out[0], key, value, NEXT)
      end
      lib.mdb_cursor_close(out[0])
      if status ~= NOTFOUND then check(status) end
      return list
   end)
end

--- The seconds that reading the values of these keys needs: each becomes a string.
function liblmdb.time(file, keys, clock)
   return with(file, 0, RDONLY + NOLOCK, nil, function(txn, dbi)
      local key, value, begin = ffi.new 'MDB_val', ffi.new 'MDB_val', clock()
      for _, k in ipairs(keys) do
         key.size, key.data = #k, ffi.cast('char *', k)
         check(lib.mdb_get(txn, dbi, key, value))
         assert(#ffi.string(value.data, value.size) == tonumber(value.size))
      end
      return clock() - begin
   end)
end

return liblmdb
