/* tds.c - fuzz target: tds objects in a .t7 file, and operations on containers. */
#include "lua.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  fuzz_lua_run("test/fuzz/tds.lua", bytes, n);
  return 0;
}
