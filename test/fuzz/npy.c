/* npy.c - fuzz target: a .npy file, from its header to its elements. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  fuzz_begin(n);
  uint8_t *p = exactly(bytes, n);
  th_npy h;
  if (th_npy_parse(&h, p, (int64_t)n, (int64_t)n) == TH_OK) {
    assert(h.start >= 10 && h.bytes >= 0 && h.start + h.bytes <= (int64_t)n);
    void *elements = exactly(p + h.start, (size_t)h.bytes);
    th_npy_native(&h, elements);
    free(elements);
  }
  free(p);
  fuzz_end();
  return 0;
}
