/* image.c - fuzz target: image.decompress of a JPEG, PNG or PNM file, and the orientation in Exif data. */
#include "lua.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  fuzz_lua_run("test/fuzz/image.lua", bytes, n);
  return 0;
}
