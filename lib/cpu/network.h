/* network.h - sorts the lines of a few words each side by side: whatever they hold, the same two are
 * compared next, so that vectors do it (Batcher's odd-even merging). */
#ifndef TH_NETWORK_H
#define TH_NETWORK_H
#include "kernel.h"

enum {
  TH_LANES = 16,       /* lines side by side */
  TH_NET = 192,        /* they have at most so many words */
};
typedef uint64_t th_word;

/* Which two are put in order, one after the other. */
typedef struct th_net { int64_t count; uint8_t a[3072], b[3072]; } th_net;

static inline __attribute__((unused)) void th_net_make(th_net *t, int n)
{
  t->count = 0;
  for (int p = 1; p < n; p *= 2) {
    for (int k = p; k >= 1; k /= 2) {
      for (int j = k % p; j + k < n; j += 2 * k) {
        for (int i = j; i < j + k && i + k < n; i++) {
          if (i / (2 * p) != (i + k) / (2 * p)) continue;
          t->a[t->count] = (uint8_t)i;
          t->b[t->count++] = (uint8_t)(i + k);
        }
      }
    }
  }
}
static inline __attribute__((unused)) void th_net_sort(const th_net *t, th_word (*w)[TH_LANES])
{
  for (int64_t c = 0; c < t->count; c++) {
    th_word *a = w[t->a[c]], *b = w[t->b[c]], less[TH_LANES], more[TH_LANES];
    for (int l = 0; l < TH_LANES; l++) less[l] = a[l] < b[l] ? a[l] : b[l];
    for (int l = 0; l < TH_LANES; l++) more[l] = a[l] < b[l] ? b[l] : a[l];
    memcpy(a, less, sizeof less);
    memcpy(b, more, sizeof more);
  }
}

#endif
