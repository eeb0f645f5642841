/* test/support/races.c - threads that make and free storages at the same time, for ThreadSanitizer:
 * test/torch/storage_races_spec.lua. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include "th.h"

enum { THREADS = 4, ROUNDS = 400 };

/* Sizes of all kinds: few elements, sizes that the block cache keeps, and sizes that are counted immediately. */
static void *work(void *failed)
{
  static const int64_t sizes[] = { 8, 100, 5000, 70000, 1 << 20 };
  for (int i = 0; i < ROUNDS; i++) {
    th_storage *s[5] = { NULL };
    for (int k = 0; k < 5; k++) {
      if (th_storage_new(&s[k], TH_CPU, TH_U8, sizes[k], i % 2)) *(int *)failed = 1;
    }
    for (int k = 0; k < 5; k++) th_storage_release(s[k]);
  }
  return NULL;
}

int main(void)
{
  pthread_t thread[THREADS];
  int failed[THREADS] = { 0 }, any = 0;
  for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, work, &failed[i]);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(thread[i], NULL);
    any |= failed[i];
  }
  const th_memory *m = th_memory_of(TH_CPU);
  printf("failed %d, bytes %lld, storages %lld, peak %s\n", any, (long long)m->bytes, (long long)m->storages,
         m->peak >= 1 << 20 ? "counted" : "lost");
  return 0;
}
