/* local.c - zeroed per-thread memory, freed when the thread exits. A library that is loaded late has room for a
 * thread-local pointer, but not for what it points to. */
#include <pthread.h>
#include <stdlib.h>
#include "core.h"

typedef struct block { struct block *next; _Alignas(16) char bytes[]; } block;

static pthread_key_t key;           /* holds the list of a thread's blocks */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void free_all(void *list)
{
  for (block *b = list, *next; b; b = next) {
    next = b->next;
    free(b);
  }
}

static void make_key(void) { pthread_key_create(&key, free_all); }

void *th_thread_memory(void **slot, size_t bytes)
{
  if (*slot) return *slot;
  pthread_once(&once, make_key);
  block *b = calloc(1, sizeof *b + bytes);
  if (!b) return NULL;
  b->next = pthread_getspecific(key);
  if (pthread_setspecific(key, b) != 0) {
    free(b);
    return NULL;
  }
  return *slot = b->bytes;
}
