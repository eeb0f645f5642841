/* caffe.c - fuzz target: loadcaffe.load of a prototxt and, behind its first zero byte, a caffemodel. */
#include "lua.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  fuzz_lua_run("test/fuzz/caffe.lua", bytes, n);
  return 0;
}
