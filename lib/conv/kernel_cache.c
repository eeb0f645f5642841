/* lib/conv/kernel_cache.c - cache of the transforms of convolution kernels, valid while the kernels are unchanged.
 *
 * Each entry holds a copy of its kernels. An entry is used only if all bits of the kernels equal the copy, and the transform is
 * made from the copy, so that concurrent writes to the kernels do no harm. A version number would have to be raised by every
 * writer. With the comparison no writer needs to know of this cache, and reused memory is not mistaken for its old contents.
 *
 * Kernels in training change between any two calls. A new place of the table therefore holds only a hash of a few of their
 * numbers. The next call makes and keeps a transform if the hash is unchanged. Where a caller promises with th_conv_trust that
 * kernels never change, the first call keeps it, nothing is compared or copied, and the entry holds a reference to their storage.
 * A thread that finds the lock busy proceeds without the cache. So no convolution waits, not even in the child of a fork that
 * inherited a held lock. Only th_kernel_cache_set_limit waits, for about a second at most. */
#include <sched.h>
#include <stdlib.h>
#include "../core/block.h"
#include "../core/mix.h"
#include "kernel_cache.h"

enum { PLACES = 512, SAMPLES = 64, ALIGN = 128, GRAIN = 1 << 16 };
enum { PATIENCE = 1 << 20 };                        /* attempts of th_kernel_cache_set_limit to take the lock: about a second */

typedef struct key {
  const void *data;
  int64_t     bytes, size[4], stride[4];
  th_kernel_tag tag;
  int64_t     trusted;                              /* the caller promised that the kernels never change */
} key;

/* Memory of several trusted entries, which lie in it in the order of their first use. The elements
 * follow. */
typedef struct arena { int64_t users, used; } arena;

/* Bytes of an arena, of the largest entry in one, and of its head. Its large pages matter where a
 * model reads all kernels once: 42 MB take 1.4 ms in large pages, 2.5 ms in small ones (Zen 4). */
enum { ARENA = 4 << 20, ARENA_MOST = 2 << 20, ARENA_HEAD = ALIGN };

typedef struct entry {
  th_cached_kernel kept;                                /* first, because callers get a pointer to it */
  key      of;
  int64_t  bytes;
  int      refs;
  void    *memory;                                  /* NULL in an arena */
  arena   *arena;
  th_storage *storage;                              /* of trusted kernels: a reference, so that their address is not reused */
} entry;

typedef struct place {
  key      of;
  uint64_t sample, used;                            /* used: clock_now at the last use, 0 for a free place */
  entry   *entry;
} place;

static place   *places;
static uint64_t clock_now;
static bool     locked;
static int64_t  most = 256 << 20, bytes_kept, count_kept, uses;
static TH_QUICK_LOCAL bool is_off, is_trusted;
static TH_QUICK_LOCAL bool asks;                    /* this thread allocates memory for an entry */

static arena   *opened;                             /* of the next entry, or NULL; a user of it */

static bool lock(void) { return !__atomic_test_and_set(&locked, __ATOMIC_ACQUIRE); }
static void unlock(void) { __atomic_clear(&locked, __ATOMIC_RELEASE); }

static void leave(arena *a)
{
  if (a && !__atomic_sub_fetch(&a->users, 1, __ATOMIC_ACQ_REL)) th_scratch_free(a);
}

static void release(entry *e)
{
  if (!e || __atomic_sub_fetch(&e->refs, 1, __ATOMIC_ACQ_REL)) return;
  th_scratch_free(e->memory);
  leave(e->arena);
  if (e->storage) th_storage_release(e->storage);
  free(e);
}

/* Called with the lock held, as are the functions below; other threads read these numbers without it. */
static void count(int64_t bytes, int64_t entries)
{
  __atomic_add_fetch(&bytes_kept, bytes, __ATOMIC_RELAXED);
  __atomic_add_fetch(&count_kept, entries, __ATOMIC_RELAXED);
}

/* Empties a place. */
static void clear(place *p)
{
  entry *const e = p->entry;
  p->entry = NULL;
  if (!e) return;
  count(-e->bytes, -1);
  release(e);
}

/* Drops the least recently used entries until at most `to` bytes are kept. */
static void shrink(int64_t to)
{
  while (bytes_kept > to) {
    place *oldest = NULL;
    for (int i = 0; i < PLACES; i++) {
      place *const p = &places[i];
      if (p->entry && (!oldest || p->used < oldest->used)) oldest = p;
    }
    if (!oldest) break;
    clear(oldest);
  }
  if (bytes_kept > 0) return;
  leave(opened);
  opened = NULL;
}

/* The place of a key, or the least recently used place if it has none. */
static place *seek(const key *k)
{
  place *oldest = places;
  for (int i = 0; i < PLACES; i++) {
    place *const p = &places[i];
    if (p->used && p->of.data == k->data && memcmp(&p->of, k, sizeof *k) == 0) return p;
    if (p->used < oldest->used) oldest = p;
  }
  return oldest;
}

/* Frees all entries when memory runs out. Not for a new entry, which is worth no more than the existing ones. */
static int64_t spare(void)
{
  if (asks || !lock()) return 0;
  const int64_t before = bytes_kept;
  shrink(0);
  unlock();
  return before;
}

/* ---- the kernels ---- */

int64_t th_reach(const th_tensor *t)
{
  int64_t reach = 1;
  for (int d = 0; d < t->ndim; d++) {
    if (t->size[d] < 1 || t->stride[d] < 0) return 0;
    reach += (t->size[d] - 1) * t->stride[d];
  }
  return reach > 2 * th_numel(t) ? 0 : reach;
}

/* The key of kernels: where they begin and how far they reach. Gaps between elements are compared as well. */
static bool key_of(key *to, const th_tensor *k, const th_kernel_tag *tag)
{
  const int64_t size = (int64_t)th_dtype_size(k->dtype), reach = th_reach(k);
  if (reach == 0) return false;
  memset(to, 0, sizeof *to);
  for (int d = 0; d < k->ndim; d++) to->size[d] = k->size[d], to->stride[d] = k->stride[d];
  to->data = th_data(k, (size_t)size);
  to->bytes = reach * size;
  to->tag = *tag;
  to->trusted = is_trusted;
  return true;
}

static uint64_t sample(const key *k)
{
  uint64_t h = 0;
  const int64_t n = k->bytes < 8 ? k->bytes : 8;
  for (int64_t i = 0; i < SAMPLES; i++) {
    uint64_t x = 0;
    memcpy(&x, (const char *)k->data + (k->bytes - n) / (SAMPLES - 1) * i, (size_t)n);
    h = th_mixed(h, x);
  }
  return h;
}

typedef struct compared { const char *a, *b; int64_t bytes, equal; } compared;      /* equal: number of equal blocks */

static void compare(void *ctx, int64_t first, int64_t last)
{
  compared *c = ctx;
  for (int64_t b = first; b < last; b++) {
    const int64_t at = b * GRAIN, n = c->bytes - at < GRAIN ? c->bytes - at : GRAIN;
    if (memcmp(c->a + at, c->b + at, (size_t)n)) return;
    __atomic_add_fetch(&c->equal, 1, __ATOMIC_RELAXED);
  }
}

/* Compares every bit. Blocks that an interruption skips count as changed. */
static bool unchanged(const entry *e)
{
  compared c = { .a = e->of.data, .b = e->kept.kernels, .bytes = e->of.bytes };
  const int64_t blocks = (c.bytes + GRAIN - 1) / GRAIN;
  if (memcmp(c.a, c.b, (size_t)(c.bytes < 64 ? c.bytes : 64))) return false;
  return th_parallel(blocks, 4, compare, &c) == TH_OK && c.equal == blocks;
}

/* Memory for an entry inside of an arena; NULL where there is none. */
static void *arena_take(int64_t bytes, arena **of)
{
  bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
  if (bytes > ARENA_MOST || !lock()) return NULL;
  if (!opened || opened->used + bytes > ARENA) {
    leave(opened);
    if ((opened = th_scratch(ARENA))) *opened = (arena){ .users = 1, .used = ARENA_HEAD };
  }
  void *p = NULL;
  if (opened) {
    p = (char *)opened + opened->used;
    opened->used += bytes;
    __atomic_add_fetch(&opened->users, 1, __ATOMIC_RELAXED);
    *of = opened;
  }
  unlock();
  return p;
}

static entry *new_entry(const key *k, size_t bytes, th_storage *storage)
{
  const int64_t all = (int64_t)bytes + (k->trusted ? 0 : k->bytes) + ALIGN;
  if (all > __atomic_load_n(&most, __ATOMIC_RELAXED)) return NULL;
  entry *const e = calloc(1, sizeof *e);
  if (!e) return NULL;
  arena *shared = NULL;
  asks = true;
  char *memory = k->trusted ? arena_take(all, &shared) : NULL, *apart = NULL;
  if (!memory) memory = apart = th_scratch((size_t)all);
  asks = false;
  if (!memory) {
    free(e);
    return NULL;
  }
  char *const data = memory + -(uintptr_t)memory % ALIGN;
  *e = (entry){ .kept = { data, data + bytes, false }, .of = *k, .bytes = all, .refs = 1,
                .memory = apart, .arena = shared };
  if (k->trusted) {
    e->kept.kernels = k->data;
    e->storage = storage;
    th_storage_retain(storage);
  } else {
    memcpy(data + bytes, k->data, (size_t)k->bytes);
  }
  return e;
}

/* ---- for engines ---- */

/* The entry of k, with a reference for the caller, or NULL. *again: the previous call with this key had the same sample. */
static entry *look(const key *k, bool *again)
{
  entry *e = NULL;
  const uint64_t now = k->trusted ? 0 : sample(k);
  if (!lock()) return NULL;
  if (!places) {
    places = calloc(PLACES, sizeof *places);
    th_block_spare(spare);
  }
  if (places) {
    place *const p = seek(k);
    *again = p->used && memcmp(&p->of, k, sizeof *k) == 0 && p->sample == now;
    if (!*again) {
      clear(p);
      p->of = *k, p->sample = now;
    }
    p->used = ++clock_now;
    if ((e = p->entry)) __atomic_add_fetch(&e->refs, 1, __ATOMIC_RELAXED);
  }
  unlock();
  return e;
}

/* Removes an entry whose kernels have changed although their sample has not. */
static void forget(const entry *e)
{
  if (!lock()) return;
  place *const p = seek(&e->of);
  if (p->entry == e) clear(p);
  unlock();
}

th_cached_kernel *th_kernel_cache_get(const th_tensor *k, const th_kernel_tag *tag, size_t bytes)
{
  key of;
  bool again = false;
  if (is_off || __atomic_load_n(&most, __ATOMIC_RELAXED) == 0 || bytes > INT64_MAX / 4 || !key_of(&of, k, tag)) return NULL;
  entry *e = look(&of, &again);
  if (of.trusted) again = true;
  if (e && !of.trusted && !unchanged(e)) {
    forget(e);
    release(e);
    e = NULL;
  }
  if (e) __atomic_add_fetch(&uses, 1, __ATOMIC_RELAXED);
  else if (again) e = new_entry(&of, bytes, k->storage);
  return e ? &e->kept : NULL;
}

void th_kernel_cache_give(th_cached_kernel *t, bool whole)
{
  entry *const e = (entry *)t;
  if (!e) return;
  if (whole && !t->made && lock()) {
    place *const p = seek(&e->of);
    const int64_t room = __atomic_load_n(&most, __ATOMIC_RELAXED) - e->bytes;
    if (p->used && memcmp(&p->of, &e->of, sizeof p->of) == 0 && room >= 0) {
      clear(p);
      shrink(room);
      t->made = true;
      p->entry = e;
      e->refs++;
      count(e->bytes, 1);
    }
    unlock();
  }
  release(e);
}

bool th_conv_trusted(void) { return is_trusted; }

int th_conv_trust(int on)
{
  const bool was = is_trusted;
  is_trusted = on != 0;
  return was;
}

bool th_kernel_cache_off(bool off)
{
  const bool was = is_off;
  is_off = off;
  return was;
}

/* ---- settings ---- */

void th_kernel_cache_set_limit(int64_t bytes)
{
  __atomic_store_n(&most, bytes, __ATOMIC_RELAXED);
  for (int i = 0; !lock(); i++) {                   /* held briefly by a running thread, for ever after a fork */
    if (i == PATIENCE) return;
    sched_yield();
  }
  shrink(bytes);
  unlock();
}

int64_t th_kernel_cache_limit(void) { return __atomic_load_n(&most, __ATOMIC_RELAXED); }

th_kernel_cache_counts th_kernel_cache_now(void)
{
  return (th_kernel_cache_counts){ __atomic_load_n(&bytes_kept, __ATOMIC_RELAXED), __atomic_load_n(&count_kept, __ATOMIC_RELAXED),
                                __atomic_load_n(&uses, __ATOMIC_RELAXED) };
}
