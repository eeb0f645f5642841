/* fold.h - how a fold (a sum, a product, a norm, ...) takes elements, a line, some columns. Read once
 * as it is, and once per dtype. */
#ifndef T
#ifndef TH_FOLD_H
#define TH_FOLD_H
#include "walk.h"

/* What a fold does with each element. */
enum { SUM, PROD, COUNT, ABS, SQUARE, POWER, LARGEST, SPREAD };

enum {
  LANES = 32,    /* independent accumulators of a line: enough to hide the latency of an add */
  FEW = 8,       /* so many of them take what is left over */
  NARROW = 128,  /* columns are narrow where two rows of them are at most so many elements */
  BLOCK = 65536, /* elements a block holds */
  WIDTH = 2048,  /* columns side by side: their accumulators stay in the first-level cache */
};

TH_INLINE int what_of_norm(double p)
{
  return p == 0 ? COUNT : p == 1 ? ABS : p == 2 ? SQUARE : isinf(p) ? LARGEST : POWER;
}
TH_INLINE double root_of_norm(double sum, double p)
{
  return p == 0 || p == 1 || isinf(p) ? sum : p == 2 ? sqrt(sum) : pow(sum, 1 / p);
}

/* What the halves borrow. */
static double line_f32(int what, const float *p, int64_t step, int64_t n, double m);
static void columns_f32(int what, double *acc, const float *p, int64_t down, int64_t right,
                        int64_t rows, int64_t cols, const double *mean, double e);
#endif
#else

TH_INLINE A K(none)(int what) { return what == PROD ? 1 : 0; }

/* m is the exponent or the mean. */
TH_INLINE A K(take)(int what, A a, A v, A m)
{
  switch (what) {
    case PROD:    return a * v;
#if IS_FLOAT
    case COUNT:   return a + (v != 0);
    case ABS:     return a + fabs(v);
    case SQUARE:  return a + v * v;
    case POWER:   return a + pow(fabs(v), m);
    case LARGEST: return fabs(v) > a || v != v ? fabs(v) : a;
    case SPREAD:  return a + (v - m) * (v - m);
#endif
    default:      (void)m; return a + v;
  }
}
TH_INLINE A K(join)(int what, A a, A b)
{
#if IS_FLOAT
  if (what == LARGEST) return b > a || b != b ? b : a;
#endif
  return what == PROD ? a * b : a + b;
}

#if IS_HALF
/* Halves become floats, a piece at a time. */
static void K(widen)(float *to, const T *p, int64_t step, int64_t n)
{
  if (step == 1) for (int64_t i = 0; i < n; i++) to[i] = LOAD(p[i]);
  else for (int64_t i = 0; i < n; i++) to[i] = LOAD(p[i * step]);
}
static __attribute__((unused)) A K(line)(int what, const T *p, int64_t step, int64_t n, A m)
{
  float piece[WIDTH];
  A a = K(none)(what);
  for (int64_t i = 0; i < n; i += WIDTH) {
    const int64_t some = th_min(WIDTH, n - i);
    K(widen)(piece, p + i * step, step, some);
    a = K(join)(what, a, line_f32(what, piece, 1, some, m));
  }
  return a;
}
static __attribute__((unused)) void K(columns)(int what, A *acc, const T *p, int64_t down,
                                               int64_t right, int64_t rows, int64_t cols,
                                               const A *mean, A e)
{
  float piece[4 * WIDTH];
  for (int64_t r = 0; r < rows; r += 4) {
    const int64_t some = th_min(4, rows - r);
    for (int64_t i = 0; i < some; i++) K(widen)(piece + i * WIDTH, p + (r + i) * down, right, cols);
    columns_f32(what, acc, piece, WIDTH, 1, some, cols, mean, e);
  }
}
#else
TH_INLINE A K(line_as)(int what, const T *p, int64_t step, int64_t n, A m)
{
  A lane[LANES];
  int64_t i = 0;
  if (step != 1 || n < LANES) {
    A a = K(none)(what), b = a;
    for (; i + 2 <= n; i += 2) {
      a = K(take)(what, a, p[i * step], m);
      b = K(take)(what, b, p[(i + 1) * step], m);
    }
    return K(join)(what, i < n ? K(take)(what, a, p[i * step], m) : a, b);
  }
  for (int l = 0; l < LANES; l++) lane[l] = K(none)(what);
  for (; i + LANES <= n; i += LANES) {
    th_read_ahead(p + i, LANES * sizeof *p);
    for (int l = 0; l < LANES; l++) lane[l] = K(take)(what, lane[l], p[i + l], m);
  }
  for (; i + FEW <= n; i += FEW) {
    for (int l = 0; l < FEW; l++) lane[l] = K(take)(what, lane[l], p[i + l], m);
  }
  A rest = K(none)(what);
  for (; i < n; i++) rest = K(take)(what, rest, p[i], m);
  for (int h = LANES / 2; h > 0; h /= 2) {
    for (int l = 0; l < h; l++) lane[l] = K(join)(what, lane[l], lane[l + h]);
  }
  return K(join)(what, lane[0], rest);
}

/* Four rows at a time, so that the accumulators are fetched and put back less often. */
TH_INLINE void K(rows_as)(int what, A *restrict acc, const T *p, int64_t down, int64_t right,
                          int64_t rows, int64_t cols, const A *restrict mean, A e)
{
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4, p += 4 * down) {
    const T *a = p, *b = p + down, *c = p + 2 * down, *d = p + 3 * down;
    for (int64_t j = 0; j < cols; j++) {
      const A m = what == SPREAD ? mean[j] : e;
      A s = K(take)(what, acc[j], a[j * right], m);
      s = K(take)(what, s, b[j * right], m);
      s = K(take)(what, s, c[j * right], m);
      acc[j] = K(take)(what, s, d[j * right], m);
    }
  }
  for (; r < rows; r++, p += down) {
    for (int64_t j = 0; j < cols; j++) {
      acc[j] = K(take)(what, acc[j], p[j * right], what == SPREAD ? mean[j] : e);
    }
  }
}
TH_INLINE void K(columns_as)(int what, A *acc, const T *p, int64_t down, int64_t right,
                             int64_t rows, int64_t cols, const A *mean, A e)
{
  if (right == 1 && down == cols && cols <= NARROW / 2 && rows >= 2 * (NARROW / cols)) {
    /* So few columns that several rows make one: a matrix of fewer and longer rows. */
    const int64_t some = NARROW / cols, wide = some * cols, longer = rows / some;
    A part[NARROW], means[NARROW];
    for (int64_t j = 0; j < wide; j++) part[j] = K(none)(what);
    for (int64_t j = 0; what == SPREAD && j < wide; j++) means[j] = mean[j % cols];
    K(rows_as)(what, part, p, wide, 1, longer, wide, means, e);
    for (int64_t j = 0; j < wide; j++) acc[j % cols] = K(join)(what, acc[j % cols], part[j]);
    p += longer * wide;
    rows -= longer * some;
  }
  if (right == 1) K(rows_as)(what, acc, p, down, 1, rows, cols, mean, e);
  else K(rows_as)(what, acc, p, down, right, rows, cols, mean, e);
}

/* The loops above for each `what`, which is a constant inside. */
static __attribute__((noinline, unused)) A K(line)(int what, const T *p, int64_t step, int64_t n,
                                                   A m)
{
  switch (what) {
#if IS_FLOAT
    case COUNT:   return K(line_as)(COUNT, p, step, n, m);
    case ABS:     return K(line_as)(ABS, p, step, n, m);
    case SQUARE:  return K(line_as)(SQUARE, p, step, n, m);
    case POWER:   return K(line_as)(POWER, p, step, n, m);
    case LARGEST: return K(line_as)(LARGEST, p, step, n, m);
    case SPREAD:  return K(line_as)(SPREAD, p, step, n, m);
#endif
    case PROD:    return K(line_as)(PROD, p, step, n, m);
    default:      return K(line_as)(SUM, p, step, n, m);
  }
}
static __attribute__((noinline, unused)) void K(columns)(int what, A *acc, const T *p, int64_t down,
                                                 int64_t right, int64_t rows, int64_t cols,
                                                 const A *mean, A e)
{
  switch (what) {
#if IS_FLOAT
    case COUNT:   K(columns_as)(COUNT, acc, p, down, right, rows, cols, mean, e); break;
    case ABS:     K(columns_as)(ABS, acc, p, down, right, rows, cols, mean, e); break;
    case SQUARE:  K(columns_as)(SQUARE, acc, p, down, right, rows, cols, mean, e); break;
    case POWER:   K(columns_as)(POWER, acc, p, down, right, rows, cols, mean, e); break;
    case LARGEST: K(columns_as)(LARGEST, acc, p, down, right, rows, cols, mean, e); break;
    case SPREAD:  K(columns_as)(SPREAD, acc, p, down, right, rows, cols, mean, e); break;
#endif
    case PROD:    K(columns_as)(PROD, acc, p, down, right, rows, cols, mean, e); break;
    default:      K(columns_as)(SUM, acc, p, down, right, rows, cols, mean, e);
  }
}
#endif

#endif
