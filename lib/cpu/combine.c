/* combine.c - reduces the tensors of several ranks, element by element and in their order. Halves are rounded once, at the
 * end. A nan wins over every number. */
#ifndef T
#define TH_SELF "combine.c"
#include "../dist/dist.h"
#include "each_dtype.h"
const th_combine TH_AT(th_combine)[TH_NDTYPE] = TH_ALL(combine);
#else
#undef IS_NAN
#if IS_FLOAT
#define IS_NAN(a) ((a) != (a))
#else
#define IS_NAN(a) 0
#endif

TH_INLINE C K(pair)(C a, C b, int op)
{
  switch (op) {
    case TH_DIST_MIN: return a < b || IS_NAN(a) ? a : b;
    case TH_DIST_MAX: return a > b || IS_NAN(a) ? a : b;
    case TH_DIST_PROD: return (C)(a * b);
    default: return (C)(a + b);
  }
}

/* Sums lie in memory of their own, which no tensor overlaps: so the loops become vectors. */
TH_INLINE void K(run)(T *out, const T *const *src, int nsrc, int64_t all, const int op)
{
  enum { BLOCK = 512 };
  C sum[BLOCK];
  const bool exact = IS_FLOAT && (nsrc & (nsrc - 1)) == 0;          /* to multiply is as good as to divide */
  const C inverse = (C)(IS_FLOAT ? 1.0 / nsrc : 1);
  for (int64_t first = 0; first < all; first += BLOCK) {
    const int64_t n = all - first < BLOCK ? all - first : BLOCK;
    const T *a = src[0] + first, *b = src[nsrc > 1] + first;
    if (nsrc == 1) for (int64_t i = 0; i < n; i++) sum[i] = LOAD(a[i]);
    else for (int64_t i = 0; i < n; i++) sum[i] = K(pair)(LOAD(a[i]), LOAD(b[i]), op);
    for (int r = 2; r < nsrc; r++) {
      b = src[r] + first;
      for (int64_t i = 0; i < n; i++) sum[i] = K(pair)(sum[i], LOAD(b[i]), op);
    }
    if (op == TH_DIST_MEAN && exact) for (int64_t i = 0; i < n; i++) sum[i] *= inverse;
    else if (op == TH_DIST_MEAN) for (int64_t i = 0; i < n; i++) sum[i] /= (C)nsrc;
    for (int64_t i = 0; i < n; i++) out[first + i] = STORE(sum[i]);
  }
}

static void K(combine)(void *out, const void *const *source, int nsrc, int64_t n, int op)
{
  const T *const *src = (const T *const *)source;
  switch (op) {
    case TH_DIST_SUM: K(run)(out, src, nsrc, n, TH_DIST_SUM); break;
    case TH_DIST_MEAN: K(run)(out, src, nsrc, n, TH_DIST_MEAN); break;
    case TH_DIST_MIN: K(run)(out, src, nsrc, n, TH_DIST_MIN); break;
    case TH_DIST_MAX: K(run)(out, src, nsrc, n, TH_DIST_MAX); break;
    default: K(run)(out, src, nsrc, n, TH_DIST_PROD); break;
  }
}
#endif
