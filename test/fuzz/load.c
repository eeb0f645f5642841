/* load.c - fuzz target: torch.load of a file that it has to recognise; the Lua side of .npy, .npz and .safetensors. */
#include "lua.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  fuzz_lua_run("test/fuzz/load.lua", bytes, n);
  return 0;
}
