-- bench/tds.lua - tds.Hash with many keys: inserts, lookups and iterations per second, bytes per key, compared with GHashTable.
--    th bench/tds.lua [keys] [rounds]
--
-- Each measurement runs in a separate process, because it includes resident memory; ours and the peer's take turns. Keys are
-- texts 'key' .. i, or the numbers i; values are the numbers i. The same Lua loop drives the peer, GLib's GHashTable, through the
-- FFI: it passes a copy of the text by g_strdup and a box with the number, as a C program would have to.
local ffi = require 'ffi'

local KEYS, ROUNDS = tonumber(arg[1]) or 1e7, tonumber(arg[2]) or 3

-- ---- one measurement --------------------------------------------------------------------------------------------------------

ffi.cdef [[
typedef struct bench_timespec { long s, ns; } bench_timespec;
int clock_gettime(int clock, bench_timespec *t);
typedef struct GHashTable GHashTable;
typedef struct GHashTableIter { void *a, *b, *c; int d, e; void *f; } GHashTableIter;
GHashTable *g_hash_table_new(void *hash, void *equal);
int g_hash_table_insert(GHashTable *h, void *key, void *value);
void *g_hash_table_lookup(GHashTable *h, const void *key);
void g_hash_table_iter_init(GHashTableIter *iter, GHashTable *h);
int g_hash_table_iter_next(GHashTableIter *iter, void **key, void **value);
unsigned g_str_hash(const void *v);
int g_str_equal(const void *a, const void *b);
char *g_strdup(const char *s);
]]

-- Processor time of this thread, because other processes share the machine, and wall time.
local PROCESSOR, WALL = 3, 1
local clock = ffi.new 'bench_timespec'
local function seconds(which)
   ffi.C.clock_gettime(which or PROCESSOR, clock)
   return tonumber(clock.s) + tonumber(clock.ns) * 1e-9
end

local function resident()
   for line in io.lines '/proc/self/status' do
      local kb = line:match '^VmRSS:%s+(%d+)'
      if kb then return tonumber(kb) * 1024 end
   end
end

local sides = {}

function sides.tds()
   local h = require 'tds'.Hash()
   local function set(k, v) h[k] = v end
   local function get(k) return h[k] end
   local function sum()
      local n = 0
      for _, v in pairs(h) do n = n + v end
      return n
   end
   return set, get, sum, set, get
end

function sides.glib()
   local C = ffi.load 'libglib-2.0.so.0'
   local texts = C.g_hash_table_new(ffi.cast('void *', C.g_str_hash), ffi.cast('void *', C.g_str_equal))
   local numbers = C.g_hash_table_new(nil, nil)
   local used
   local function pointer(x) return ffi.cast('void *', x) end
   local function set(k, v)
      used = texts
      C.g_hash_table_insert(texts, C.g_strdup(k), pointer(v))
   end
   local function get(k) return tonumber(ffi.cast('intptr_t', C.g_hash_table_lookup(texts, k))) end
   local function sum()
      local n, iter, k, v = 0, ffi.new 'GHashTableIter', ffi.new 'void *[1]', ffi.new 'void *[1]'
      C.g_hash_table_iter_init(iter, used)
      while C.g_hash_table_iter_next(iter, k, v) ~= 0 do n = n + tonumber(ffi.cast('intptr_t', v[0])) end
      return n
   end
   local function set_number(k, v)
      used = numbers
      C.g_hash_table_insert(numbers, pointer(k), pointer(v))
   end
   local function get_number(k) return tonumber(ffi.cast('intptr_t', C.g_hash_table_lookup(numbers, pointer(k)))) end
   return set, get, sum, set_number, get_number
end

-- The loops take the functions as arguments, so that each is compiled separately.
local function measure(side, keys, n)
   local set, get, sum, set_number, get_number = sides[side]()
   local name
   if keys == 'texts' then
      name = function(i) return 'key' .. i end
   else
      set, get = set_number, get_number
      name = function(i) return i end
   end
   -- Making the text is not part of the table's work, so it is measured separately and subtracted.
   local begin, wall, total = seconds(), seconds(WALL), 0
   for i = 1, n do total = total + #tostring(name(i)) end
   if keys == 'numbers' then
      begin, wall, total = seconds(), seconds(WALL), 0
      for i = 1, n do total = total + name(i) end
   end
   local making, making_wall = seconds() - begin, seconds(WALL) - wall
   assert(total > n / 2)
   collectgarbage()
   collectgarbage()
   local before = resident()
   begin, wall = seconds(), seconds(WALL)
   for i = 1, n do set(name(i), i) end
   local inserting, inserting_wall = seconds() - begin - making, seconds(WALL) - wall - making_wall
   collectgarbage()
   collectgarbage()
   local bytes = (resident() - before) / n
   begin = seconds()
   local found = 0
   for i = 1, n do found = found + get(name(i)) end
   local looking = seconds() - begin - making
   assert(found == n * (n + 1) / 2)
   begin = seconds()
   assert(sum() == n * (n + 1) / 2)
   local walking = seconds() - begin
   print(('%.6f %.6f %.6f %.6f %.3f'):format(n / inserting_wall / 1e6, n / inserting / 1e6, n / looking / 1e6, n / walking / 1e6,
      bytes))
end

if arg[3] then
   require 'torch'
   measure(arg[3], arg[4], KEYS)
   os.exit(0)
end

-- ---- all measurements -------------------------------------------------------------------------------------------------------

local function once(side, keys)
   local p = assert(io.popen(("'%s' '%s' %.0f 1 %s %s"):format(arg[-1] or 'th', arg[0], KEYS, side, keys)))
   local line = p:read '*a'
   p:close()
   local values = {}
   for x in line:gmatch '%S+' do values[#values + 1] = assert(tonumber(x), line) end
   assert(#values == 5, line)
   return values
end

print(('%.0f keys, the best of %d rounds; seconds are those of the processor, or those that passed'):format(KEYS, ROUNDS))
print '| keys | table | inserts M/s that passed | inserts M/s | lookups M/s | iteration M/s | bytes a key |'
print '|:-----|:------|------------:|------------:|------------:|--------------:|------------:|'
for _, keys in ipairs { 'texts', 'numbers' } do
   local best = {}
   for _ = 1, ROUNDS do
      for _, side in ipairs { 'tds', 'glib' } do
         local values = once(side, keys)
         best[side] = best[side] or { 0, 0, 0, 0, math.huge }
         for i = 1, 4 do best[side][i] = math.max(best[side][i], values[i]) end
         best[side][5] = math.min(best[side][5], values[5])
      end
   end
   for _, side in ipairs { 'tds', 'glib' } do
      print(('| %s | %s | %.2f | %.2f | %.2f | %.2f | %.1f |'):format(keys, side == 'tds' and 'tds.Hash' or 'GHashTable', unpack(best[side])))
   end
end
