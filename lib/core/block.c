/* block.c - aligned memory for elements, and the block cache. Freed blocks are kept for the next allocation of their size: reused
 * memory costs no page faults, which take longer than most ops on fresh elements. */
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "core.h"
#include "block.h"
#include "processor.h"

enum { ALIGN = 64, PAGE = 4096, LARGE_PAGE = 2 << 20 };
enum { SMALLEST = 10, STEPS = 8, CLASSES = STEPS * 54 };
enum { KEPT_LEAST = 192 << 20 };                 /* slightly more garbage than the collector lets accumulate */

/* Lies before the elements. region: NULL for memory of malloc, &apart for pages of no region. */
typedef struct head { int64_t bytes; struct head *next; struct region *region; } head;

static struct { head *first[CLASSES]; int64_t bytes; bool locked; } kept;

/* Tries for the lock before a thread proceeds without it: the time of a few loads and stores. */
enum { PATIENCE = 100 };

/* A thread that does not get the lock soon proceeds without the cache. So no thread blocks, not even in the child of a fork that
 * inherited a held lock. */
static bool lock(void)
{
  if (!TH_KEEPS) return false;
  for (int k = 0; k < PATIENCE; k++) {
    if (!__atomic_test_and_set(&kept.locked, __ATOMIC_ACQUIRE)) return true;
    while (__atomic_load_n(&kept.locked, __ATOMIC_RELAXED) && ++k < PATIENCE) th_pause();
  }
  return false;
}
static void unlock(void) { __atomic_clear(&kept.locked, __ATOMIC_RELEASE); }

/* Blocks of each class that were allocated while the lock was busy. The same number is freed instead of cached later. Otherwise
 * the cache would grow without bound where one thread, which always gets the lock, frees what others allocate, as in a loader. */
static int owed[CLASSES];
static void owe(int c) { if (TH_KEEPS) __atomic_add_fetch(&owed[c], 1, __ATOMIC_RELAXED); }
static bool pay(int c)
{
  int n = __atomic_load_n(&owed[c], __ATOMIC_RELAXED);
  return n > 0 && __atomic_compare_exchange_n(&owed[c], &n, n - 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Returns the class of a size; there are STEPS classes between powers of two. Rounds *bytes up to the size of the class. */
static int class_of(int64_t *bytes)
{
  const uint64_t n = *bytes > 1 << SMALLEST ? (uint64_t)*bytes - 1 : 1 << SMALLEST;
  const int power = 63 - __builtin_clzll(n);
  const int64_t step = (int64_t)1 << (power - 3), at = (int64_t)n / step;         /* 8 .. 15 */
  *bytes = (at + 1) * step;
  return (power - SMALLEST) * STEPS + (int)(at - STEPS);
}

/* ---- regions: blocks of medium size lie side by side in large pages ---- */

/* A page fault takes about 2 us, also for a small page, so the first use of memory in small pages
 * takes six times as long as in large ones. A region is mapped whole and touched block after block.
 * refs: its blocks, and one while it is the current one. The pages of a freed block are returned at
 * once, its addresses when the region has no block left. */
enum { REGION = 16 << 20, LEAST_CARVED = 64 << 10, MOST_CARVED = REGION / 4 };
typedef struct region { int64_t refs, used; } region;
static region *current;                          /* guarded by the lock */

static region apart;

static void leave(region *r)
{
  if (r && __atomic_sub_fetch(&r->refs, 1, __ATOMIC_ACQ_REL) == 0) munmap(r, REGION);
}

void th_block_discard(void *p, int64_t bytes, bool lastingly)
{
  const uintptr_t first = ((uintptr_t)p + PAGE - 1) / PAGE * PAGE;
  const uintptr_t end = ((uintptr_t)p + (uintptr_t)bytes) / PAGE * PAGE;
  if (end <= first) return;
  madvise((void *)first, end - first, MADV_DONTNEED);
  if (lastingly) madvise((void *)first, end - first, MADV_NOHUGEPAGE);
}

/* Frees the pages of a region from its last block on. Its large pages reach past that. */
static void drop_rest(region *r)
{
  if (r) th_block_discard((char *)r + r->used, REGION - r->used, true);
}

static size_t whole_pages(size_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

/* Pages, the first of them large ones: those of which `used` bytes fill at least three quarters. A
 * large page takes memory as a whole. */
static void *pages_new(size_t bytes, size_t used)
{
  const size_t n = whole_pages(bytes);
  const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  char *p = mmap(NULL, n + LARGE_PAGE, PROT_READ | PROT_WRITE, how, -1, 0);
  if (p == MAP_FAILED) return NULL;
  const size_t before = -(uintptr_t)p % LARGE_PAGE;
  if (before) munmap(p, before);
  munmap(p + before + n, LARGE_PAGE - before);
  const size_t most = n / LARGE_PAGE, large = (used + LARGE_PAGE / 4) / LARGE_PAGE;
  madvise(p + before, (large < most ? large : most) * LARGE_PAGE, MADV_HUGEPAGE);
  return p + before;
}
void *th_pages_new(size_t bytes) { return pages_new(bytes, whole_pages(bytes)); }
void th_pages_free(void *p, size_t bytes) { munmap(p, whole_pages(bytes)); }

/* NULL if no memory can be mapped. */
static region *new_region(void)
{
  region *r = th_pages_new(REGION);
  if (r) *r = (region){ .refs = 1, .used = ALIGN };
  return r;
}

/* Called with the lock held. NULL for other sizes and without memory. */
static head *carve(int64_t bytes)
{
  const int64_t n = (bytes + ALIGN + ALIGN - 1) / ALIGN * ALIGN;
  if (n < LEAST_CARVED || n > MOST_CARVED) return NULL;
  if (!current || current->used + n > REGION) {
    region *r = new_region();
    if (!r) return NULL;
    drop_rest(current);
    leave(current);
    current = r;
  }
  head *h = (head *)(void *)((char *)current + current->used);
  current->used += n;
  __atomic_add_fetch(&current->refs, 1, __ATOMIC_RELAXED);
  *h = (head){ .bytes = bytes, .region = current };
  return h;
}

/* Returns the memory of a block to the system, but for the pages that it shares with neighbours. */
static void give_back(head *h)
{
  region *r = h ? h->region : NULL;
  if (!r) {
    free(h);
    return;
  }
  if (r == &apart) {
    th_pages_free(h, (size_t)h->bytes + ALIGN);
    return;
  }
  th_block_discard(h, h->bytes + ALIGN, false);
  leave(r);
}

/* Large blocks lie in large pages: 512 times fewer page faults on first use. They are no memory of
 * malloc, whose heap would keep the holes between them. The first use is of `used` bytes. */
static head *fresh(int64_t bytes, int64_t used)
{
  const size_t n = (size_t)bytes + ALIGN;
  const bool large = TH_KEEPS && n >= LARGE_PAGE;
  void *p = NULL;
  if (large) p = pages_new(n, (size_t)used + ALIGN);
  else if (posix_memalign(&p, ALIGN, n)) return NULL;
  if (p) *(head *)p = (head){ .bytes = bytes, .region = large ? &apart : NULL };
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

/* Frees cached blocks of all classes except `but` until at most `most` bytes are cached. */
static void shrink(int64_t most, int but)
{
  for (int c = 0; c < CLASSES && kept.bytes > most; c++) {
    while (c != but && kept.bytes > most && kept.first[c]) give_back(take(c));
  }
}

static int64_t (*spare)(void);

void th_block_spare(int64_t (*f)(void)) { __atomic_store_n(&spare, f, __ATOMIC_RELEASE); }

void th_block_trim(void)
{
  if (!lock()) return;
  shrink(0, -1);
  drop_rest(current);
  unlock();
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

int64_t th_block_drop(void)
{
  int64_t (*const more)(void) = __atomic_load_n(&spare, __ATOMIC_ACQUIRE);
  const int64_t spared = more ? more() : 0;         /* freed into the cache */
  if (!lock()) return spared;
  const int64_t bytes = kept.bytes;
  shrink(0, -1);
  unlock();
  return bytes > spared ? bytes : spared;
}

/* Also takes a larger cached block, because its memory is already mapped: of up to twice the size,
 * or eight times for a short time. */
void *th_block_new(int64_t bytes, bool shortly)
{
  const int reach = shortly ? 3 * STEPS : STEPS;
  head *h = NULL;
  if (bytes > INT64_MAX / 4) return NULL;
  const int64_t used = bytes;
  const int c = class_of(&bytes);
  if (lock()) {
    for (int k = c; !h && k <= c + reach && k < CLASSES; k++) h = take(k);
    if (!h) h = carve(bytes);
    unlock();
  } else {
    owe(c);
  }
  if (!h && !(h = fresh(bytes, used))) {
    if (th_block_drop() == 0 || !(h = fresh(bytes, used))) return NULL;
  }
  return (char *)h + ALIGN;
}

void th_block_free(void *p, int64_t held)
{
  head *h = (head *)((char *)p - ALIGN);
  int64_t bytes = h->bytes;
  const int c = class_of(&bytes);
  const int64_t most = KEPT_LEAST + held / 2;
  if (pay(c) || !lock()) {
    give_back(h);
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
  give_back(h);
}
