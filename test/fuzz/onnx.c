/* onnx.c - fuzz target: onnx.load of a model, then forward where its inputs are small. */
#include "lua.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  fuzz_lua_run("test/fuzz/onnx.lua", bytes, n);
  return 0;
}
