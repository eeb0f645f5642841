/* fuzz.h - what the fuzz targets share: a block of exactly the given bytes, so that a read beyond its end is seen, and
 * the limit of memory that reading a file of n bytes has. */
#ifndef TH_FUZZ_H
#define TH_FUZZ_H
#include <assert.h>
#include <sanitizer/allocator_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "th.h"

static int64_t fuzz_held, fuzz_most;         /* bytes of all blocks; how many they may be, 0 for any number */

static void fuzz_taken(const volatile void *p, size_t n)
{
  const int64_t now = __atomic_add_fetch(&fuzz_held, (int64_t)n, __ATOMIC_RELAXED);
  (void)p;
  if (!fuzz_most || now <= fuzz_most) return;
  fprintf(stderr, "fuzz: %zu bytes taken, %lld over the limit\n", n, (long long)(now - fuzz_most));
  fuzz_most = 0;
  abort();
}

static void fuzz_given(const volatile void *p)
{
  if (p) __atomic_sub_fetch(&fuzz_held, (int64_t)__sanitizer_get_allocated_size((const void *)(uintptr_t)p), __ATOMIC_RELAXED);
}

/* Reading a file of n bytes may take 4 times as much and 64 MiB, from now until fuzz_end. */
static inline void fuzz_begin(size_t n)
{
  static int counting;
  if (!counting) counting = __sanitizer_install_malloc_and_free_hooks(fuzz_taken, fuzz_given);
  assert(counting);
  fuzz_most = __atomic_load_n(&fuzz_held, __ATOMIC_RELAXED) + 4 * (int64_t)n + (64 << 20);
}

static inline void fuzz_end(void) { fuzz_most = 0; }

static inline void *exactly(const uint8_t *bytes, size_t n)
{
  void *p = malloc(n ? n : 1);
  assert(p);
  if (n) memcpy(p, bytes, n);
  return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
#endif
