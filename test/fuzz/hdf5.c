/* hdf5.c - fuzz target: all that an HDF5 file holds. libhdf5 reads it in another process, which may crash; this one may not. */
#include "lua.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  fuzz_lua_run("test/fuzz/hdf5.lua", bytes, n);
  return 0;
}
