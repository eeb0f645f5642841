/* t7.c - fuzz target: a .t7 file, binary or ascii; the reader is lua/torch/read.lua over lib/io. */
#include "lua.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  fuzz_lua_run("test/fuzz/t7.lua", bytes, n);
  return 0;
}
