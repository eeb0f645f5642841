/* slots.h - scratch memory for the blocks of one parallel loop: as many pieces as there are threads,
 * taken before the loop, so that no block can fail; a block borrows one and gives it back warm. */
#ifndef TH_SLOTS_H
#define TH_SLOTS_H
#include <sched.h>
#include "../core/core.h"

typedef struct th_slots { char *base; size_t bytes; int count; unsigned char *busy; } th_slots;

static inline __attribute__((unused)) th_status th_slots_new(th_slots *s, size_t bytes)
{
  s->count = th_threads();
  s->bytes = (bytes + 127) & ~(size_t)63; /* 64 bytes of slack: vectors may read past the end */
  const size_t all = s->bytes * (size_t)s->count;
  s->base = th_scratch(all + (size_t)s->count);
  if (!s->base) return th_fail(TH_ENOMEM, "no memory for %zu bytes of scratch", all);
  s->busy = (unsigned char *)s->base + all;
  memset(s->busy, 0, (size_t)s->count);
  return TH_OK;
}

/* The caller's memory, with the slack, as the only piece: for loops of one block. */
static inline __attribute__((unused)) void th_slots_of(th_slots *s, void *memory)
{
  *s = (th_slots){ .base = memory };
}

static inline __attribute__((unused)) void *th_slot_take(th_slots *s)
{
  if (!s->busy) return s->base;
  for (;;) {
    for (int i = 0; i < s->count; i++) {
      if (!__atomic_test_and_set(&s->busy[i], __ATOMIC_ACQUIRE))
        return s->base + s->bytes * (size_t)i;
    }
    sched_yield();                                  /* the number of threads grew meanwhile */
  }
}

static inline __attribute__((unused)) void th_slot_give(th_slots *s, void *p)
{
  if (s->busy) __atomic_clear(&s->busy[(size_t)((char *)p - s->base) / s->bytes], __ATOMIC_RELEASE);
}

static inline __attribute__((unused)) void th_slots_free(th_slots *s)
{
  if (s->busy) th_scratch_free(s->base);
}

#endif
