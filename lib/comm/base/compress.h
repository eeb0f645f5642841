/* compress.h - what lib/comm/api/compress.c and lib/cpu/compress.c share: how one row is packed. */
#ifndef TH_COMM_COMPRESS_H
#define TH_COMM_COMPRESS_H
#include "../../core/core.h"
#include "th_compress.h"

/* How a row of n elements is packed. A row that would not become smaller is sent unpacked. */
typedef struct th_packing {
  int      kind;
  bool     raw;
  int64_t  n, k;                                    /* k: how many elements topk keeps */
  uint64_t key, stream, block;                      /* random numbers: the row has TH_COMPRESS_ROW / 8 from `block` on */
} th_packing;

/* The functions for one dtype. s and e are floats, or doubles for doubles. */
typedef struct th_codec {
  void (*add)(void *s, const void *x, const void *e, int64_t n);                /* s = x + e; NULL counts as 0. s may be x or e */
  bool (*encode)(const th_packing *p, void *s, char *to);                       /* s becomes the error; false: not finite */
  void (*decode)(const th_packing *p, void *s, const char *from, bool adds);
  void (*store)(void *x, const void *s, int64_t n, double scale);               /* x may be s */
} th_codec;

void th_compress_keep(th_compress *c);              /* increments the count of users; each needs a th_compress_free */

#endif
