/* th.c - the launcher: LuaJIT with the search paths of the tree it stands in. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>

int main(int argc, char **argv)
{
  lua_State *L = luaL_newstate();
  if (!L) return 1;
  luaL_openlibs(L);
  int failed = argc > 1 && luaL_dofile(L, argv[1]);
  if (failed) fprintf(stderr, "th: %s\n", lua_tostring(L, -1));
  lua_close(L);
  return failed;
}
