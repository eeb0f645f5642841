/* tokenizer.c - fuzz target: text.load of a vocabulary of any kind, then encode and decode. */
#include "lua.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  fuzz_lua_run("test/fuzz/tokenizer.lua", bytes, n);
  return 0;
}
