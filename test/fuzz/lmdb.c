/* lmdb.c - fuzz target: a database of LMDB, all its keys and values. */
#include <sys/mman.h>
#include <unistd.h>
#include "fuzz.h"
#include "th_source.h"

/* Every value that fits is read: it is all there, or an error. */
static void read_values(const th_source *s, const th_lmdb *d, size_t n)
{
  for (int64_t i = 0; i < d->count; i++) {
    const int64_t place = d->value[2 * i], size = d->value[2 * i + 1];
    const int64_t key = d->owner ? d->owner[i] - 1 : i;
    assert(size >= 0 && size <= (int64_t)n && key >= 0 && key < d->keys && d->key_place[key] <= d->key_place[key + 1]);
    char *room = malloc((size_t)size + TH_LMDB_HEAD);
    const char *value = NULL;
    assert(room);
    const th_status status = th_lmdb_value(s, d->page_size, place, size, room, &value);
    assert(status != TH_OK || value == room + (place < 0 ? TH_LMDB_HEAD : 0));
    free(room);
  }
  assert(d->key_place[d->keys] == d->key_bytes && (d->owner || d->count == d->keys || !d->count));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  static int file = -1;
  static char name[64];
  if (file < 0) {
    file = memfd_create("lmdb", 0);
    assert(file >= 0);
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  }
  assert(ftruncate(file, 0) == 0 && pwrite(file, bytes, n, 0) == (ssize_t)n);
  fuzz_begin(n);
  th_source *s;
  th_lmdb d;
  assert(th_source_open(&s, name) == TH_OK);
  if (th_lmdb_open(&d, s) == TH_OK) read_values(s, &d, n);
  th_lmdb_free(&d);
  th_source_free(s);
  fuzz_end();
  return 0;
}
