/* combine.c - reduces the tensors of several ranks, element by element and in pairs: ((0 + 1) + (2 + 3)) + ((4 + 5) + 6), so that
 * ranks which meet two by two can find the same bits. Halves are rounded once, at the end. A nan wins over every number. */
#ifndef T
#define TH_SELF "combine.c"
#include "../comm/base/comm.h"
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

/* sum[i] = sum[i] op more[i] */
TH_INLINE void K(join)(C *restrict sum, const C *restrict more, int64_t n, const int op)
{
  for (int64_t i = 0; i < n; i++) sum[i] = K(pair)(sum[i], more[i], op);
}

/* Sums lie in separate memory that no tensor overlaps, so the compiler vectorizes the loops. A sum of 2^k ranks waits for that of
 * the next 2^k; those that wait are of ever fewer. */
TH_INLINE void K(run)(T *out, const T *const *src, int nsrc, int64_t all, const int op, int over)
{
  enum { BLOCK = 512, DEEP = 6 };                                   /* of 2^6 ranks */
  C sums[DEEP][BLOCK];
  const bool exact = IS_FLOAT && (over & (over - 1)) == 0;          /* to multiply is as good as to divide */
  const C inverse = (C)(IS_FLOAT ? 1.0 / over : 1);
  for (int64_t first = 0; first < all; first += BLOCK) {
    const int64_t n = all - first < BLOCK ? all - first : BLOCK;
    int top = -1;
    for (int r = 0; r < nsrc; r += 2) {
      const T *a = src[r] + first, *b = src[r + 1 < nsrc ? r + 1 : r] + first;
      C *sum = sums[++top];
      if (r + 1 == nsrc) for (int64_t i = 0; i < n; i++) sum[i] = LOAD(a[i]);
      else for (int64_t i = 0; i < n; i++) sum[i] = K(pair)(LOAD(a[i]), LOAD(b[i]), op);
      for (int k = r / 2; k & 1; k >>= 1, top--) K(join)(sums[top - 1], sums[top], n, op);
    }
    for (; top > 0; top--) K(join)(sums[top - 1], sums[top], n, op);
    C *sum = sums[0];
    if (op == TH_DIST_MEAN && exact) for (int64_t i = 0; i < n; i++) sum[i] *= inverse;
    else if (op == TH_DIST_MEAN) for (int64_t i = 0; i < n; i++) sum[i] /= (C)over;
    for (int64_t i = 0; i < n; i++) out[first + i] = STORE(sum[i]);
  }
}

static void K(combine)(void *out, const void *const *source, int nsrc, int64_t n, int op, int over)
{
  const T *const *src = (const T *const *)source;
  switch (op) {
    case TH_DIST_SUM: K(run)(out, src, nsrc, n, TH_DIST_SUM, 1); break;
    case TH_DIST_MEAN: K(run)(out, src, nsrc, n, TH_DIST_MEAN, over); break;
    case TH_DIST_MIN: K(run)(out, src, nsrc, n, TH_DIST_MIN, 1); break;
    case TH_DIST_MAX: K(run)(out, src, nsrc, n, TH_DIST_MAX, 1); break;
    default: K(run)(out, src, nsrc, n, TH_DIST_PROD, 1); break;
  }
}
#endif
