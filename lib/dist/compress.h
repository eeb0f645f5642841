/* compress.h - what lib/dist/compress.c and lib/cpu/compress.c share: how one row is packed. */
#ifndef TH_COMPRESS_H
#define TH_COMPRESS_H
#include "../core/core.h"
#include "th_compress.h"

/* How a row of n elements is packed. One that would not become smaller travels as it is. */
typedef struct th_packing {
  int      kind;
  bool     raw;
  int64_t  n, k;                                    /* k: how many of topk */
  uint64_t key, stream, block;                      /* of random numbers: from this block on TH_COMPRESS_ROW / 8 are the row's */
} th_packing;

/* Of a type of tensors; s, e are floats, or doubles for doubles. */
typedef struct th_codec {
  void (*add)(void *s, const void *x, const void *e, int64_t n);                /* s = x + e; no e is 0. s may be x or e */
  bool (*encode)(const th_packing *p, void *s, char *to);                       /* s becomes what is lost; false: not finite */
  void (*decode)(const th_packing *p, void *s, const char *from, bool adds);
  void (*store)(void *x, const void *s, int64_t n, double scale);               /* x may be s */
} th_codec;

void th_compress_keep(th_compress *c);              /* one more th_compress_free is wanted */

#endif
