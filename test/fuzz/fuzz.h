/* fuzz.h - what the fuzz targets share: a block of exactly the given bytes, so that a read beyond its end is seen. */
#ifndef TH_FUZZ_H
#define TH_FUZZ_H
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "th.h"

static inline void *exactly(const uint8_t *bytes, size_t n)
{
  void *p = malloc(n ? n : 1);
  assert(p);
  if (n) memcpy(p, bytes, n);
  return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
#endif
