/* th.c - the launcher of Lua: LuaJIT that finds its source tree or installation, runs scripts or
 * the prompt, and handles Ctrl-C (interrupt.c). */
#include <errno.h>
#include <lauxlib.h>
#include <limits.h>
#include <lua.h>
#include <lualib.h>
#include <luajit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "interrupt.h"
#include "program.h"

static const char usage[] =
  "usage: th [options] [script [args]]\n"
  "  -e CODE    run CODE\n"
  "  -l NAME    require NAME\n"
  "  -i         go to the prompt after the script\n"
  "  -g, -gg    report globals that are made or read without a value; -gg: as errors\n"
  "  -h, -v     this help, the version\n"
  "  --         the options end here\n"
  "  -          the script comes from standard input\n"
  "Without script and options: the prompt, or a script from standard input if that is no terminal.\n";

/* ---- where the tree is ------------------------------------------------------------------------ */

/* Writes the parent of the running program's folder; returns 0 if it is not known. */
static int tree_of(char tree[PATH_MAX])
{
  if (!program_path(tree)) return 0;
  for (int up = 0; up < 2; up++) {
    char *slash = strrchr(tree, '/');
    if (!slash) return 0;
    *slash = 0;
  }
  return 1;
}

static int holds(const char *dir, const char *file)
{
  char path[PATH_MAX];
  return snprintf(path, sizeof path, "%s/%s", dir, file) < (int)sizeof path && access(path, R_OK) == 0;
}

/* The checkout of a build tree: the folder above it, or the one that CMake recorded. */
static int checkout_of(const char *tree, char root[PATH_MAX])
{
  snprintf(root, PATH_MAX, "%s", tree);
  char *slash = strrchr(root, '/');
  if (slash) {
    *slash = 0;
    if (holds(root, "lua/torch/lib.lua")) return 1;
  }
  char note[PATH_MAX];
  if (snprintf(note, sizeof note, "%s/checkout", tree) >= (int)sizeof note) return 0;
  FILE *f = fopen(note, "r");
  if (!f) return 0;
  const int got = fgets(root, PATH_MAX, f) != NULL;
  fclose(f);
  root[strcspn(root, "\n")] = 0;
  return got && holds(root, "lua/torch/lib.lua");
}

/* Puts `first` before package[field]. */
static void prepend(lua_State *L, const char *field, const char *first)
{
  lua_getglobal(L, "package");
  lua_getfield(L, -1, field);
  lua_pushfstring(L, "%s;%s", first, lua_tostring(L, -1));
  lua_setfield(L, -3, field);
  lua_pop(L, 2);
}

static void find_tree(lua_State *L)
{
  char tree[PATH_MAX], root[PATH_MAX], path[5 * PATH_MAX];
  if (!tree_of(tree)) return;
  if (holds(tree, "share/lua/5.1/torch/lib.lua")) {
    snprintf(path, sizeof path, "%s/share/lua/5.1/?.lua;%s/share/lua/5.1/?/init.lua", tree, tree);
    prepend(L, "path", path);
    snprintf(path, sizeof path, "%s/lib/lua/5.1/?.so", tree);
    prepend(L, "cpath", path);
  } else if (checkout_of(tree, root)) {
    snprintf(path, sizeof path, "%s/lua/?.lua;%s/lua/?/init.lua;%s/?.lua;%s/?/init.lua", root, root, root, root);
    prepend(L, "path", path);
    snprintf(path, sizeof path, "%s/libth.so", tree);
    setenv("TH_LIB", path, 0);         /* this tree's library, not that of another build of the checkout */
  }
}

/* ---- running Lua ------------------------------------------------------------------------------ */

/* Registry field: the function that calls another one, below which it pushes a Lua function
 * (lua/torch/coroutines.lua). */
static const char base_key[] = "th.base";

/* Registry field: the function that writes the text of an error (lua/torch/explain.lua). */
static const char report_key[] = "th.report";

/* Registry fields: loadstring and loadfile of programs (lua/torch/lua52.lua). */
static const char text_key[] = "th.loadstring", file_key[] = "th.loadfile";

/* Replaces the message on top of the stack by its text with the user's lines; returns 0 if that failed. */
static int told_by_lua(lua_State *L)
{
  lua_getfield(L, LUA_REGISTRYINDEX, report_key);
  lua_pushvalue(L, -2);
  if (!lua_isnil(L, -2) && lua_pcall(L, 1, 1, 0) == 0 && lua_isstring(L, -1)) {
    lua_replace(L, -2);
    return 1;
  }
  lua_settop(L, 1);
  return 0;
}

/* Removes the last line of the text on top of the stack: that of the function below the script. */
static void cut_last_line(lua_State *L)
{
  const char *text = lua_tostring(L, -1), *end = strrchr(text, '\n');
  if (!end) return;
  lua_pushlstring(L, text, (size_t)(end - text));
  lua_replace(L, -2);
}

static int with_traceback(lua_State *L)
{
  if (!lua_isstring(L, 1)) {
    if (lua_isnoneornil(L, 1)) {
      lua_pushliteral(L, "nil");
    } else if (!luaL_callmeta(L, 1, "__tostring")) {
      lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
    }
    lua_replace(L, 1);
    if (!lua_isstring(L, 1)) return 1;
  }
  lua_settop(L, 1);
  /* After a stack overflow little stack is left for Lua. */
  if (!strstr(lua_tostring(L, 1), "stack overflow") && told_by_lua(L)) return 1;
  luaL_traceback(L, L, lua_tostring(L, 1), 1);
  lua_getfield(L, LUA_REGISTRYINDEX, base_key);
  const int based = !lua_isnil(L, -1);
  lua_pop(L, 1);
  if (based) cut_last_line(L);
  return 1;
}

/* Adds to the message on top of the stack the explanation of lua/torch/explain.lua, if any. */
static void explain(lua_State *L)
{
  lua_getglobal(L, "require");
  lua_pushliteral(L, "torch.explain");
  if (lua_pcall(L, 1, 1, 0) == 0 && lua_istable(L, -1)) {
    lua_getfield(L, -1, "message");
    lua_pushvalue(L, -3);
    if (lua_pcall(L, 1, 1, 0) == 0 && lua_isstring(L, -1)) {
      lua_replace(L, -3);
    } else {
      lua_pop(L, 1);
    }
  }
  lua_pop(L, 1);
}

/* Prints the message on top of the stack if there is an error; returns 0 if there is none. */
static int interrupted;                    /* the last error that ended something was that of a Ctrl-C */

static int report(lua_State *L, int status)
{
  if (!status) return 0;
  if (status == LUA_ERRSYNTAX && lua_isstring(L, -1)) explain(L);
  if (status == LUA_ERRERR) {              /* the handler itself found no stack */
    lua_pushliteral(L, "stack overflow, and no stack is left for a traceback");
    lua_replace(L, -2);
  }
  const char *message = lua_tostring(L, -1);
  interrupted = th_was_interrupted() && message && strstr(message, "interrupted");
  fflush(stdout);
  fprintf(stderr, "th: %s\n", message ? message : "error object is not a string");
  lua_pop(L, 1);
  return 1;
}

/* Calls the function below its `narg` arguments and drops its results. */
static int call(lua_State *L, int narg)
{
  const int base = lua_gettop(L) - narg;
  lua_getfield(L, LUA_REGISTRYINDEX, base_key);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
  } else {
    lua_insert(L, base);
    narg++;
  }
  lua_pushcfunction(L, with_traceback);
  lua_insert(L, base);
  const int failed = report(L, lua_pcall(L, narg, 0, base));
  lua_remove(L, base);
  return failed;
}

/* Calls the loader `key` with the arguments on top of the stack. Leaves the function, or a message
 * and returns an error. */
static int load_by(lua_State *L, const char *key, int narg)
{
  lua_getfield(L, LUA_REGISTRYINDEX, key);
  lua_insert(L, -narg - 1);
  const int failed = lua_pcall(L, narg, 2, 0);
  if (failed) return failed;
  const int loaded = !lua_isnil(L, -2);
  if (loaded) {
    lua_pop(L, 1);
  } else {
    lua_remove(L, -2);
  }
  return loaded ? 0 : LUA_ERRSYNTAX;
}

/* Before prepare() has run, Lua's loader. */
static int run_code(lua_State *L, const char *code)
{
  static const char name[] = "=(command line)";
  lua_getfield(L, LUA_REGISTRYINDEX, text_key);
  const int prepared = !lua_isnil(L, -1);
  lua_pop(L, 1);
  if (!prepared) return report(L, luaL_loadbuffer(L, code, strlen(code), name)) || call(L, 0);
  lua_pushstring(L, code);
  lua_pushstring(L, name);
  return report(L, load_by(L, text_key, 2)) || call(L, 0);
}

static int require(lua_State *L, const char *name)
{
  lua_getglobal(L, "require");
  lua_pushstring(L, name);
  return call(L, 1);
}

/* Runs the script with its arguments; NULL: standard input. */
static int run_script(lua_State *L, const char *script, int narg, char **args)
{
  lua_pushstring(L, script);
  if (report(L, load_by(L, file_key, 1))) return 1;
  luaL_checkstack(L, narg + 4, "too many arguments to script");
  for (int i = 0; i < narg; i++) lua_pushstring(L, args[i]);
  return call(L, narg);
}

static int run_prompt(lua_State *L)
{
  static const char code[] = "require('torch.repl').run()";
  th_prompt_begins();
  return report(L, luaL_loadbuffer(L, code, sizeof code - 1, "=th")) || call(L, 0);
}

/* arg[0] is the script (or th), arg[1] its first argument, arg[-1] the word before it. */
static void set_arg(lua_State *L, int argc, char **argv, int script)
{
  const int zero = script < argc ? script : 0;
  lua_createtable(L, argc, argc);
  for (int i = 0; i < argc; i++) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i - zero);
  }
  lua_setglobal(L, "arg");
}

/* What th defines for its users, and an os.exit that runs finalizers. */
static const char prelude[] =
  "local exit = os.exit\n"
  "function os.exit(code, close)\n"
  "   local dist = package.loaded['distributed.lib']\n"
  "   if dist then dist.failed = not (code == nil or code == true or code == 0) end\n"
  "   io.stdout:flush()\n"
  "   local worker = close ~= false and package.loaded['torch.worker']\n"
  "   if worker then worker.end_all() end\n"
  "   jit.flush()\n"
  "   return exit(code, close ~= false)\n"
  "end\n"
  "require('torch.launch').start()\n"
  "local registry = debug.getregistry()\n"
  "registry['th.base'] = require('torch.coroutines').call\n"
  "registry['th.loadstring'], registry['th.loadfile'] = loadstring, loadfile\n"
  "registry['th.report'] = function(message)\n"
  "   local text = require('torch.explain').report(message, 3)\n"
  "   return text\n"
  "end\n";

/* The collector waits meanwhile, because nearly all of what is loaded stays. */
static int prepare(lua_State *L)
{
  lua_gc(L, LUA_GCSTOP, 0);
  const int loaded = luaL_loadbuffer(L, prelude, sizeof prelude - 1, "=th");
  const int failed = report(L, loaded) || call(L, 0);
  lua_gc(L, LUA_GCRESTART, -1);        /* begins when twice as much is in use */
  return failed;
}

static int version(lua_State *L)
{
  printf("Cresset %s, %s", TH_VERSION, LUAJIT_VERSION);
  fflush(stdout);
  return run_code(L, "local ok, torch = pcall(require, 'torch')\n"
                     "if ok then\n"
                     "   local c = torch.config()\n"
                     "   io.write(', ', c.level, ', BLAS ', c.blas)\n"
                     "end\n"
                     "io.write '\\n'");
}

/* Only in this mode FFI structs hold 64-bit pointers in one table slot. */
static int is_gc64(lua_State *L)
{
  if (luaL_dostring(L, "return require('ffi').abi('gc64')")) return 0;
  const int yes = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return yes;
}

/* monitor: the argument of trepl's monitor_G, or NULL. */
typedef struct options {
  int interactive, version, codes, script;
  const char *monitor;
} options;

static int is_option(const char *word, const char *brief, const char *full)
{
  return strcmp(word, brief) == 0 || strcmp(word, full) == 0;
}

/* Reads the options up to the script; returns 0 after it has reported an error. */
static int read_options(int argc, char **argv, options *o)
{
  int i = 1;
  for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
    const char c = argv[i][1];
    if (c == '-' && !argv[i][2]) {
      i++;
      break;
    }
    if ((c == 'e' || c == 'l') && (argv[i][2] || i + 1 < argc)) {
      if (!argv[i][2]) i++;
      o->codes = 1;
    } else if (is_option(argv[i], "-i", "--interactive")) {
      o->interactive = 1;
    } else if (is_option(argv[i], "-gg", "--gglobals")) {
      o->monitor = "true";
    } else if (is_option(argv[i], "-g", "--globals")) {
      o->monitor = "nil";
    } else if (c == 'v' && !argv[i][2]) {
      o->version = 1;
    } else if (is_option(argv[i], "-h", "--help")) {
      fputs(usage, stdout);
      exit(0);
    } else {
      fprintf(stderr, "th: %s: %s\n%s", argv[i],
              c == 'e' || c == 'l' ? "an argument must follow" : "unknown option", usage);
      return 0;
    }
  }
  o->script = i;
  return 1;
}

/* Runs -e and -l of the command line, in their order. */
static int run_options(lua_State *L, char **argv, int end)
{
  for (int i = 1; i < end; i++) {
    const char c = argv[i][0] == '-' ? argv[i][1] : 0;
    if (c != 'e' && c != 'l') continue;
    const char *value = argv[i][2] ? argv[i] + 2 : argv[++i];
    if (c == 'e' ? run_code(L, value) : require(L, value)) return 1;
  }
  return 0;
}

static int run(lua_State *L, int argc, char **argv, const options *o)
{
  if (!is_gc64(L)) {
    fprintf(stderr, "th: needs a LuaJIT with GC64 (built with -DLUAJIT_ENABLE_GC64), this one is %s without it\n",
            LUAJIT_VERSION);
    return 1;
  }
  find_tree(L);
  set_arg(L, argc, argv, o->script);
  if (o->version && version(L)) return 1;
  const int has_script = o->script < argc;
  const int asks = has_script || o->codes || o->version;
  if (o->version && !has_script && !o->codes && !o->interactive) return 0;
  th_catch_sigint(L);
  if (prepare(L)) return 1;
  th_tell_libth();
  if (o->monitor) {
    lua_pushfstring(L, "monitor_G(%s)", o->monitor);
    if (run_code(L, lua_tostring(L, -1))) return 1;
    lua_pop(L, 1);
  }
  if (run_options(L, argv, o->script)) return 1;
  if (has_script) {
    const char *script = argv[o->script];
    const int failed = run_script(L, strcmp(script, "-") == 0 ? NULL : script,
                                  argc - o->script - 1, argv + o->script + 1);
    if (failed && !o->interactive) return 1;
  }
  if (o->interactive || (!asks && isatty(STDIN_FILENO))) return run_prompt(L);
  return asks ? 0 : run_script(L, NULL, 0, NULL);
}

int main(int argc, char **argv)
{
  options o = { 0 };
  if (!read_options(argc, argv, &o)) return 2;
  lua_State *L = luaL_newstate();
  if (!L) {
    fputs("th: out of memory\n", stderr);
    return 1;
  }
  luaL_openlibs(L);
  const int failed = run(L, argc, argv, &o), dies = failed && interrupted;
  if (failed) run_code(L, "local dist = package.loaded['distributed.lib'] if dist then dist.failed = true end");
  /* Threads end before lua_close, which would wait for them one after the other. Where a finalizer
   * runs a compiled `pairs` loop, LuaJIT repeats it without end, so compiled code is flushed:
   * doc/internals/luajit.md. */
  run_code(L, "local worker = package.loaded['torch.worker'] if worker then worker.end_all() end jit.flush()");
  th_forget_sigint();
  lua_close(L);
  if (dies) th_die_of_sigint();
  return failed;
}
