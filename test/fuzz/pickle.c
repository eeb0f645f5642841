/* pickle.c - fuzz target: a file of PyTorch, or a pickle that becomes the data.pkl of one; the readers are in Lua. */
#include "lua.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  fuzz_lua_run("test/fuzz/pickle.lua", bytes, n);
  return 0;
}
