/* lib/conv/kernel_cache.c - cache of the transforms of convolution kernels, valid while the kernels are unchanged.
 *
 * Each entry holds a copy of its kernels. An entry is used only if all bits of the kernels equal the copy, and the transform is
 * made from the copy, so that concurrent writes to the kernels do no harm. A version number would have to be raised by every
 * writer. With the comparison no writer needs to know of this cache, and reused memory is not mistaken for its old contents.
 *
 * Kernels in training change between any two calls. A new place of the table therefore holds only a hash of a few of their
 * numbers. The next call makes and keeps a transform if the hash is unchanged.
 *
 * A caller that promises that kernels never change gives a keeper (th_conv_keep). It holds their
 * transforms in place of this table, from the first call on and without a limit. Nothing is
 * compared or copied. A transform may then replace the kernels: the caller frees their pages, and
 * calls that would read them are errors.
 *
 * A thread that finds the lock busy proceeds without the cache. So no convolution waits, not even in the child of a fork that
 * inherited a held lock. Only th_kernel_cache_set_limit waits, for about a second at most. */
#include <sched.h>
#include <stdlib.h>
#include "../core/block.h"
#include "../core/mix.h"
#include "../core/storage.h"
#include "kernel_cache.h"

enum { PLACES = 512, SAMPLES = 64, ALIGN = 128, GRAIN = 1 << 16 };
enum { PATIENCE = 1 << 20 };                        /* attempts of th_kernel_cache_set_limit to take the lock: about a second */

typedef struct key {
  const void *data;
  int64_t     bytes, size[4], stride[4];
  th_kernel_tag tag;
} key;

/* Memory of one large or several small entries of keepers, which lie in it in the order of their
 * first use. */
typedef struct arena { int64_t users, used, bytes; char *memory; } arena;

/* Bytes of an arena, and of the largest entry in one of several. Its large pages matter where a
 * model reads all kernels once: 42 MB take 1.4 ms in large pages, 2.5 ms in small ones (Zen 4). */
enum { LARGE_PAGE = 2 << 20, ARENA = 2 * LARGE_PAGE, ARENA_MOST = LARGE_PAGE };

typedef struct entry {
  th_cached_kernel kept;                                /* first, because callers get a pointer to it */
  key      of;
  int64_t  bytes;
  int      refs;
  int64_t  used;                                    /* of a keeper: its clock at the last use */
  void    *memory;                                  /* NULL in an arena */
  arena   *arena;
  th_conv_keeper *keeper;                           /* NULL: of the table */
} entry;

/* As many transforms as a model has plans. */
enum { FORMS = 4 };
struct th_conv_keeper {
  entry  *form[FORMS];
  int64_t clock;
  bool    sufficed, gone, missed;
};

typedef struct place {
  key      of;
  uint64_t sample, used;                            /* used: clock_now at the last use, 0 for a free place */
  entry   *entry;
} place;

static place   *places;
static uint64_t clock_now;
static bool     locked;
static int64_t  most = 256 << 20, bytes_kept, count_kept, uses;
static TH_QUICK_LOCAL bool is_off;
/* Of this thread's calls; NULL: kernels may change. */
static TH_QUICK_LOCAL th_conv_keeper *keeper;
static TH_QUICK_LOCAL bool asks;                    /* this thread allocates memory for an entry */

static arena   *opened;                             /* of the next entry, or NULL; a user of it */

static bool lock(void) { return !__atomic_test_and_set(&locked, __ATOMIC_ACQUIRE); }
static void unlock(void) { __atomic_clear(&locked, __ATOMIC_RELEASE); }

static void leave(arena *a)
{
  if (!a || __atomic_sub_fetch(&a->users, 1, __ATOMIC_ACQ_REL)) return;
  th_pages_free(a->memory, (size_t)a->bytes);
  free(a);
}

static void release(entry *e)
{
  if (!e || __atomic_sub_fetch(&e->refs, 1, __ATOMIC_ACQ_REL)) return;
  th_scratch_free(e->memory);
  leave(e->arena);
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

/* NULL without memory. */
static arena *new_arena(int64_t bytes)
{
  arena *const a = th_too_much(bytes) ? NULL : malloc(sizeof *a);
  char *const p = a ? th_pages_new((size_t)bytes) : NULL;
  if (!p) {
    free(a);
    return NULL;
  }
  *a = (arena){ .users = 1, .bytes = bytes, .memory = p };
  return a;
}

/* Frees the pages behind the last entry. Large pages reach past it. */
static void discard_rest(void)
{
  if (opened) th_block_discard(opened->memory + opened->used, ARENA - opened->used, true);
}

/* Memory for an entry inside of an arena; NULL where there is none. */
static void *arena_take(int64_t bytes, arena **of)
{
  bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
  if (bytes > ARENA_MOST) {
    *of = new_arena(bytes);
    return *of ? (*of)->memory : NULL;
  }
  if (!lock()) return NULL;
  if (!opened || opened->used + bytes > ARENA) {
    discard_rest();
    leave(opened);
    opened = new_arena(ARENA);
  }
  void *p = NULL;
  if (opened) {
    p = opened->memory + opened->used;
    opened->used += bytes;
    __atomic_add_fetch(&opened->users, 1, __ATOMIC_RELAXED);
    *of = opened;
  }
  unlock();
  return p;
}

/* owner: NULL for the table, whose entries have a copy of the kernels. */
static entry *new_entry(const key *k, size_t bytes, th_conv_keeper *owner)
{
  const int64_t all = (int64_t)bytes + (owner ? 0 : k->bytes) + ALIGN;
  if (!owner && all > __atomic_load_n(&most, __ATOMIC_RELAXED)) return NULL;
  entry *const e = calloc(1, sizeof *e);
  if (!e) return NULL;
  arena *shared = NULL;
  asks = true;
  char *memory = owner ? arena_take((int64_t)bytes, &shared) : NULL, *apart = NULL;
  if (!memory) memory = apart = th_lasting((size_t)all);
  asks = false;
  if (!memory) {
    free(e);
    return NULL;
  }
  char *const data = memory + -(uintptr_t)memory % ALIGN;
  *e = (entry){ .kept = { data, owner ? k->data : data + bytes, false }, .of = *k, .bytes = all,
                .refs = 1, .memory = apart, .arena = shared, .keeper = owner };
  if (!owner) memcpy(data + bytes, k->data, (size_t)k->bytes);
  return e;
}

/* ---- keepers ---- */

/* The place of a key in a keeper, or the one used least recently. */
static entry **form_of(th_conv_keeper *k, const key *of)
{
  entry **oldest = &k->form[0];
  for (int i = 0; i < FORMS; i++) {
    entry **const e = &k->form[i];
    if (*e && memcmp(&(*e)->of, of, sizeof *of) == 0) return e;
    if (!*e || (*oldest && (*e)->used < (*oldest)->used)) oldest = e;
  }
  return oldest;
}

/* Of the keeper's thread alone, so that no lock is needed. */
static entry *keeper_get(th_conv_keeper *k, const key *of, size_t bytes)
{
  entry *const e = *form_of(k, of);
  if (!e || memcmp(&e->of, of, sizeof *of)) return new_entry(of, bytes, k);
  e->used = ++k->clock;
  e->refs++;
  return e;
}

static void keeper_give(entry *e, bool whole)
{
  th_conv_keeper *const k = e->keeper;
  if (!whole || e->kept.made) return;
  entry **const at = form_of(k, &e->of);
  release(*at);
  *at = e;
  e->used = ++k->clock;
  e->kept.made = true;
  e->refs++;
}

th_conv_keeper *th_conv_keeper_new(void) { return calloc(1, sizeof(th_conv_keeper)); }

void th_conv_keeper_free(th_conv_keeper *k)
{
  for (int i = 0; k && i < FORMS; i++) release(k->form[i]);
  free(k);
}

th_conv_keeper *th_conv_keep(th_conv_keeper *k)
{
  th_conv_keeper *const before = keeper;
  keeper = k;
  if (k) k->sufficed = k->missed = false;
  return before;
}

void th_conv_keepers_trim(void)
{
  if (!lock()) return;
  discard_rest();
  unlock();
}

int64_t th_conv_keeper_bytes(const th_conv_keeper *k)
{
  int64_t bytes = 0;
  for (int i = 0; i < FORMS; i++) if (k->form[i]) bytes += k->form[i]->bytes;
  return bytes;
}

int th_conv_keeper_sufficed(const th_conv_keeper *k) { return k->sufficed; }
int th_conv_keeper_missed(const th_conv_keeper *k) { return k->missed; }
void th_conv_keeper_gone(th_conv_keeper *k, int gone) { k->gone = gone != 0; }

bool th_conv_trusted(void) { return keeper != NULL; }
bool th_kernels_gone(void) { return keeper && keeper->gone; }
void th_kernels_sufficed(void) { if (keeper) keeper->sufficed = true; }

th_status th_kernels_missed(void)
{
  keeper->missed = true;
  return th_fail(TH_EBACKEND,
    "the kernels of this convolution were dropped, and it needs them again");
}

/* ---- for engines ---- */

/* The entry of k, with a reference for the caller, or NULL. *again: the previous call with this key had the same sample. */
static entry *look(const key *k, bool *again)
{
  entry *e = NULL;
  const uint64_t now = sample(k);
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
  if (is_off || bytes > INT64_MAX / 4 || !key_of(&of, k, tag)) return NULL;
  entry *e = NULL;
  if (keeper) return (e = keeper_get(keeper, &of, bytes)) ? &e->kept : NULL;
  if (__atomic_load_n(&most, __ATOMIC_RELAXED) == 0) return NULL;
  e = look(&of, &again);
  if (e && !unchanged(e)) {
    forget(e);
    release(e);
    e = NULL;
  }
  if (e) __atomic_add_fetch(&uses, 1, __ATOMIC_RELAXED);
  else if (again) e = new_entry(&of, bytes, NULL);
  return e ? &e->kept : NULL;
}

void th_kernel_cache_give(th_cached_kernel *t, bool whole)
{
  entry *const e = (entry *)t;
  if (!e) return;
  if (e->keeper) {
    keeper_give(e, whole);
  } else if (whole && !t->made && lock()) {
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
