/* pool.c - the tensors of a Lua state. A finalizer costs LuaJIT ten times as much as a small op. So Lua holds references to
 * tensors of this pool, and a weak table shows which references the collector has removed. */
#include <pthread.h>
#include <stdlib.h>
#include "core.h"
#include "block.h"

enum { FIRST = 256, SLAB = 256, AHEAD = 16 };   /* FIRST and SLAB are powers of 2 */

typedef struct pool {
  th_pool face;
  int32_t *free;                    /* a stack of free numbers */
  int32_t nfree;
  struct pool *next;                /* in the list of pools without a Lua state */
} pool;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pool *idle;

/* Adds slabs; tensors never move. Lower numbers are taken first, so that consecutive tensors are adjacent in memory. */
int th_pool_grow(th_pool *face)
{
  pool *p = (pool *)face;
  const int32_t before = face->count, count = before ? 2 * before : FIRST;
  if (count < before) return 0;
  th_tensor **tensor = realloc(face->tensor, sizeof *tensor * (size_t)count);
  if (!tensor) return 0;
  face->tensor = tensor;
  int32_t *numbers = realloc(p->free, sizeof *numbers * (size_t)count);
  if (!numbers) return 0;
  p->free = numbers;
  for (int32_t i = before; i < count; i += SLAB) {
    th_tensor *slab = calloc(SLAB, sizeof *slab);
    if (!slab) return face->count > before;
    for (int32_t k = 0; k < SLAB; k++) tensor[i + k] = slab + k;
    memmove(numbers + SLAB, numbers, sizeof *numbers * (size_t)p->nfree);
    for (int32_t k = 0; k < SLAB; k++) numbers[k] = i + SLAB - 1 - k;
    p->nfree += SLAB;
    face->count += SLAB;
  }
  return 1;
}

th_pool *th_pool_new(void)
{
  pthread_mutex_lock(&lock);
  pool *p = idle;
  if (p) idle = p->next;
  pthread_mutex_unlock(&lock);
  if (!p) p = calloc(1, sizeof *p);
  return p ? &p->face : NULL;
}

int th_pool_take(th_pool *face)
{
  pool *p = (pool *)face;
  if (p->nfree == 0) return -1;
  if (p->nfree > 1) {
    const char *next = (const char *)face->tensor[p->free[p->nfree - 2]];
    __builtin_prefetch(next, 1);
    __builtin_prefetch(next + offsetof(th_tensor, stride), 1);
  }
  return p->free[--p->nfree];
}

void th_pool_give(th_pool *face, int number)
{
  pool *p = (pool *)face;
  th_tensor *t = face->tensor[number];
  if (number >= AHEAD) {            /* a sweep frees numbers from high to low */
    const th_tensor *soon = face->tensor[number - AHEAD / 2];
    __builtin_prefetch(face->tensor[number - AHEAD], 1);
    if (soon->storage) __builtin_prefetch(soon->storage, 1);
  }
  if (t->storage) th_storage_release(t->storage);
  memset(t, 0, offsetof(th_tensor, size[1]));   /* code that reads more dimensions sets them first */
  p->free[p->nfree++] = number;
}

/* Frees the pages of tensors that are not in use: these hold nothing but sizes and strides, which
 * may become zeros. The lowest of them are taken next. */
void th_pool_trim(th_pool *face)
{
  pool *const p = (pool *)face;
  bool *unused = calloc((size_t)face->count + 1, sizeof *unused);
  if (!unused) return;
  for (int32_t i = 0; i < p->nfree; i++) unused[p->free[i]] = true;
  p->nfree = 0;
  for (int32_t i = face->count - 1; i >= 0; i--) if (unused[i]) p->free[p->nfree++] = i;
  for (int32_t slab = 0; slab < face->count; slab += SLAB) {
    for (int32_t i = slab, first; i < slab + SLAB; i++) {
      for (first = i; i < slab + SLAB && unused[i]; i++) {}
      th_block_discard(face->tensor[first], (i - first) * (int64_t)sizeof(th_tensor), false);
    }
  }
  free(unused);
}

/* Keeps the memory of the tensors, empty, for the next state, because finalizers that run later may still use them. */
void th_pool_free(th_pool *face)
{
  pool *p = (pool *)face;
  p->nfree = 0;
  for (int32_t i = face->count - 1; i >= 0; i--) th_pool_give(face, i);
  th_storage_end_of_state();
  pthread_mutex_lock(&lock);
  p->next = idle;
  idle = p;
  pthread_mutex_unlock(&lock);
}
