/* zip.c - fuzz target: a zip archive, every member unpacked within the limit that loading has, and packed again. */
#include "fuzz.h"

/* What came out of an archive goes into one. */
static void pack(const uint8_t *bytes, int64_t first, int64_t n)
{
  th_storage *s;
  if (th_zip_pack(&s, bytes, first, bytes + first, n - first) != TH_OK) return;
  assert(s->size > 0);
  th_storage_release(s);
}

static void unpack(th_zip *z, int64_t i)
{
  th_zip_member m;
  th_zip_at(z, i, &m);
  uint8_t *to = malloc(m.size ? (size_t)m.size : 1);
  const int64_t first = m.size < 12 ? m.size : 12;
  assert(to);
  if (th_zip_begin(z, i) == TH_OK && th_zip_take(z, to, first) == TH_OK
      && th_zip_take(z, to + first, m.size - first) == TH_OK) {
    if (th_zip_end(z) == TH_OK && i == 0) pack(to, first, m.size);       /* once: deflate needs a while to start */
  }
  free(to);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  fuzz_begin(n);
  uint8_t *p = exactly(bytes, n);
  th_zip *z;
  if (th_zip_open(&z, p, (int64_t)n) == TH_OK) {
    if (th_zip_total(z) <= 3 * (int64_t)n + (1 << 20)) {
      for (int64_t i = 0; i < th_zip_count(z); i++) unpack(z, i);
    }
    th_zip_close(z);
  }
  free(p);
  fuzz_end();
  return 0;
}
