/* lua.h - what the fuzz targets share whose reader is written in Lua: one state, in which test/fuzz/TARGET.lua gives the
 * function that takes a file. A line hook tells the fuzzer where that function has been, and ends what never ends. */
#ifndef TH_FUZZ_LUA_H
#define TH_FUZZ_LUA_H
#include <lauxlib.h>
#include <lua.h>
#include <luajit.h>
#include <lualib.h>
#include <sanitizer/lsan_interface.h>
#include "fuzz.h"

enum {
  FUZZ_COUNTERS = 1 << 14,          /* pairs of lines that follow each other, by hash */
  FUZZ_FILES = 256,                 /* chunks of code */
  FUZZ_LINES = 4096,                /* lines of a chunk */
  FUZZ_REST = 1000,                 /* runs between two collections */
};

/* libFuzzer treats these bytes like its own counters of C branches. */
__attribute__((section("__libfuzzer_extra_counters"))) static uint8_t fuzz_counter[FUZZ_COUNTERS];

static struct { const char *source; uint8_t *line; } fuzz_file[FUZZ_FILES];
static lua_State *fuzz_lua;
static int64_t fuzz_steps, fuzz_patience;
static unsigned fuzz_last;

/* Every block of Lua's is one of malloc's: the sanitizers see what is written beyond a buffer of Lua's. */
static void *fuzz_block(void *ud, void *p, size_t old, size_t size)
{
  (void)ud;
  (void)old;
  if (size) return realloc(p, size);
  free(p);
  return NULL;
}

static void fuzz_found(const char *what)
{
  fprintf(stderr, "fuzz: %s\n", what);
  fuzz_most = 0;
  abort();
}

/* The number of a chunk, by the address of its name. The registry keeps the name, because Lua frees
 * that of a collected chunk and reuses its address. Chunks beyond FUZZ_FILES count as the one of
 * the last place tried. */
static unsigned fuzz_file_of(lua_State *L, const char *source)
{
  unsigned i = (unsigned)((uintptr_t)source >> 4) % FUZZ_FILES;
  for (int tries = 1; tries < FUZZ_FILES; tries++) {
    if (!fuzz_file[i].source || fuzz_file[i].source == source) break;
    i = (i + 1) % FUZZ_FILES;
  }
  if (!fuzz_file[i].source) {
    lua_pushlightuserdata(L, &fuzz_file[i]);
    lua_pushstring(L, source);
    lua_rawset(L, LUA_REGISTRYINDEX);
    fuzz_file[i].source = source;
    fuzz_file[i].line = calloc(1, FUZZ_LINES);
  }
  return i;
}

static void fuzz_hook(lua_State *L, lua_Debug *ar)
{
  if (++fuzz_steps > fuzz_patience) {
    luaL_traceback(L, L, "too many steps", 0);
    fuzz_found(lua_tostring(L, -1));
  }
  lua_getinfo(L, "S", ar);
  const unsigned file = fuzz_file_of(L, ar->source), line = (unsigned)ar->currentline % FUZZ_LINES;
  const unsigned here = file * 2654435761u + line * 40503u;
  uint8_t *counter = &fuzz_counter[(here ^ fuzz_last >> 1) % FUZZ_COUNTERS];
  if (*counter < 255) ++*counter;
  fuzz_last = here;
  fuzz_file[file].line[line] = 1;
}

/* For ./dev fuzz: the lines that were reached, as "FILE LINE", into the file that TH_FUZZ_LINES names. */
static void fuzz_report(void)
{
  FILE *f = fopen(getenv("TH_FUZZ_LINES"), "w");
  if (!f) return;
  for (int i = 0; i < FUZZ_FILES; i++) {
    for (int line = 0; fuzz_file[i].source && line < FUZZ_LINES; line++) {
      if (fuzz_file[i].line[line]) fprintf(f, "%s %d\n", fuzz_file[i].source + 1, line);
    }
  }
  fclose(f);
}

static void fuzz_call(lua_State *L, int narg)
{
  if (lua_pcall(L, narg, 0, 0) != 0) fuzz_found(lua_tostring(L, -1));
}

/* What the state and the tensors hold when nothing is in use. */
static void fuzz_collect(int64_t *lua, int64_t *storages)
{
  lua_State *L = fuzz_lua;
  lua_gc(L, LUA_GCCOLLECT, 0);
  lua_gc(L, LUA_GCCOLLECT, 0);
  *lua = lua_gc(L, LUA_GCCOUNT, 0);
  if (luaL_loadstring(L, "return tonumber(require('torch.lib').C.th_memory_of(0).storages)") || lua_pcall(L, 0, 1, 0)) {
    fuzz_found(lua_tostring(L, -1));
  }
  *storages = (int64_t)lua_tonumber(L, -1);
  lua_pop(L, 1);
}

static void fuzz_check_leaks(void)
{
  static int64_t first_lua, first_storages;
  int64_t lua, storages;
  fuzz_collect(&lua, &storages);
  if (!first_lua) {
    first_lua = lua;
    first_storages = storages;
  }
  if (storages > first_storages) fuzz_found("unused storages are kept");
  if (lua > first_lua + 4096) fuzz_found("more and more memory of Lua's is kept");
  if (__lsan_do_recoverable_leak_check()) fuzz_found("memory was lost");
}

/* fuzz_mark(n) tells the fuzzer that something with the number n has happened. */
static int fuzz_mark(lua_State *L)
{
  uint8_t *counter = &fuzz_counter[(uint64_t)luaL_checknumber(L, 1) % FUZZ_COUNTERS];
  if (*counter < 255) ++*counter;
  return 0;
}

/* Run in the root of the checkout, with the library in TH_LIB. */
static void fuzz_open(const char *script)
{
  lua_State *L = fuzz_lua = lua_newstate(fuzz_block, NULL);
  assert(L);
  luaL_openlibs(L);
  lua_register(L, "fuzz_mark", fuzz_mark);
  luaJIT_setmode(L, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF);         /* compiled code calls no hook */
  if (luaL_loadstring(L, "package.path = 'lua/?.lua;lua/?/init.lua'")) abort();
  fuzz_call(L, 0);
  if (luaL_loadfile(L, script) || lua_pcall(L, 0, 1, 0)) fuzz_found(lua_tostring(L, -1));
  lua_setfield(L, LUA_REGISTRYINDEX, "fuzz");
  if (getenv("TH_FUZZ_LINES")) atexit(fuzz_report);
}

static void fuzz_lua_run(const char *script, const uint8_t *bytes, size_t n)
{
  static int64_t runs;
  if (!fuzz_lua) fuzz_open(script);
  lua_State *L = fuzz_lua;
  fuzz_steps = 0;
  fuzz_patience = 1000000 + 1000 * (int64_t)n;
  lua_getfield(L, LUA_REGISTRYINDEX, "fuzz");
  lua_pushlstring(L, (const char *)bytes, n);
  lua_sethook(L, fuzz_hook, LUA_MASKLINE, 0);
  fuzz_begin(n);
  fuzz_call(L, 1);
  fuzz_end();
  lua_sethook(L, NULL, 0, 0);
  if (runs++ % FUZZ_REST == FUZZ_REST - 1) fuzz_check_leaks();
}
#endif
