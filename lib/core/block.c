/* block.c - aligned memory for elements. Freed blocks wait for the next one of their size: memory that
 * was used before costs no page fault, and faults take longer than most work on fresh elements. */
#include <stdlib.h>
#include <sys/mman.h>
#include "core.h"
#include "block.h"

enum { ALIGN = 64, LARGE_PAGE = 2 << 20, SMALLEST = 10, STEPS = 8, CLASSES = STEPS * 54 };
enum { KEPT_LEAST = 192 << 20 };                 /* a little more than the collector lets gather */

/* Lies before the elements. */
typedef struct head { int64_t bytes; struct head *next; } head;

static struct { head *first[CLASSES]; int64_t bytes; bool locked; } kept;

/* Looks at a lock that is held, for the time of a few loads and stores, before one does without it. */
enum { PATIENCE = 100 };

/* Whoever does not get the lock soon does without: nobody waits long, not even the child of a fork that
 * left the lock behind. */
static bool lock(void)
{
  if (!TH_KEEPS) return false;
  for (int k = 0; k < PATIENCE; k++) {
    if (!__atomic_test_and_set(&kept.locked, __ATOMIC_ACQUIRE)) return true;
    while (__atomic_load_n(&kept.locked, __ATOMIC_RELAXED) && ++k < PATIENCE) __builtin_ia32_pause();
  }
  return false;
}
static void unlock(void) { __atomic_clear(&kept.locked, __ATOMIC_RELEASE); }

/* Blocks of each class that were made because the lock was held: as many are not kept when they come back.
 * Else every one would stay for good, for where threads make what one other lets go, as a loader's do, that
 * one always gets the lock. */
static int owed[CLASSES];
static void owe(int c) { if (TH_KEEPS) __atomic_add_fetch(&owed[c], 1, __ATOMIC_RELAXED); }
static bool pay(int c)
{
  int n = __atomic_load_n(&owed[c], __ATOMIC_RELAXED);
  return n > 0 && __atomic_compare_exchange_n(&owed[c], &n, n - 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Sizes come in STEPS classes between powers of two. Rounds *bytes up to the class that is returned. */
static int class_of(int64_t *bytes)
{
  const uint64_t n = *bytes > 1 << SMALLEST ? (uint64_t)*bytes - 1 : 1 << SMALLEST;
  const int power = 63 - __builtin_clzll(n);
  const int64_t step = (int64_t)1 << (power - 3), at = (int64_t)n / step;         /* 8 .. 15 */
  *bytes = (at + 1) * step;
  return (power - SMALLEST) * STEPS + (int)(at - STEPS);
}

/* Large blocks ask for large pages: 512 times fewer page faults on first use. */
static head *fresh(int64_t bytes)
{
  void *p = NULL;
  const size_t n = (size_t)bytes + ALIGN;
  const bool large = n >= LARGE_PAGE;
  if (posix_memalign(&p, large ? LARGE_PAGE : ALIGN, n)) return NULL;
  if (large) madvise(p, n / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
  ((head *)p)->bytes = bytes;
  return p;
}

static head *take(int c)
{
  head *h = kept.first[c];
  if (!h) return NULL;
  kept.first[c] = h->next;
  kept.bytes -= h->bytes;
  return h;
}

/* Gives blocks of other classes than `but` back until no more than `most` bytes are kept. */
static void shrink(int64_t most, int but)
{
  for (int c = 0; c < CLASSES && kept.bytes > most; c++) {
    while (c != but && kept.bytes > most && kept.first[c]) free(take(c));
  }
}

static int64_t (*spare)(void);

void th_block_spare(int64_t (*f)(void)) { __atomic_store_n(&spare, f, __ATOMIC_RELEASE); }

int64_t th_block_drop(void)
{
  int64_t (*const more)(void) = __atomic_load_n(&spare, __ATOMIC_ACQUIRE);
  const int64_t spared = more ? more() : 0;         /* which come to the others */
  if (!lock()) return spared;
  const int64_t bytes = kept.bytes;
  shrink(0, -1);
  unlock();
  return bytes > spared ? bytes : spared;
}

/* A block of up to twice the size will do: its memory is there already. */
void *th_block_new(int64_t bytes)
{
  head *h = NULL;
  if (bytes > INT64_MAX / 4) return NULL;
  const int c = class_of(&bytes);
  if (lock()) {
    for (int k = c; !h && k <= c + STEPS && k < CLASSES; k++) h = take(k);
    unlock();
  } else {
    owe(c);
  }
  if (!h && !(h = fresh(bytes))) {
    if (th_block_drop() == 0 || !(h = fresh(bytes))) return NULL;
  }
  return (char *)h + ALIGN;
}

void th_block_free(void *p)
{
  if (!p) return;
  head *h = (head *)((char *)p - ALIGN);
  int64_t bytes = h->bytes;
  const int c = class_of(&bytes);
  const int64_t most = KEPT_LEAST + __atomic_load_n(&th_memory_of(TH_CPU)->bytes, __ATOMIC_RELAXED) / 2;
  if (pay(c) || !lock()) {
    free(h);
    return;
  }
  shrink(most - bytes, c);
  if (kept.bytes + bytes <= most) {
    h->next = kept.first[c];
    kept.first[c] = h;
    kept.bytes += bytes;
    h = NULL;
  }
  unlock();
  free(h);
}
