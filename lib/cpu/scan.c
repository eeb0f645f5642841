/* scan.c - running sums and products along one dimension, and the order reversed. */
#ifndef T
#include "walk.h"
#include "../op/scan.args.h"

enum {
  WIDTH = 512,          /* columns side by side */
  STEP = 8,             /* elements that are scanned together */
  BLOCK = 1 << 15,      /* elements of a block of a long line; */
  GROUP = 32,           /* so many blocks are read a second time while a cache still holds them */
  LONG = 1 << 16,       /* a long line has at least so many elements */
};

typedef struct scan { bool product; th_walk w; void *y; const void *x; int64_t tiles; } scan;

#define TH_SELF "scan.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_cumsum)[TH_NDTYPE] = TH_ALL(cumsum);
const th_kernel TH_AT(th_cumprod)[TH_NDTYPE] = TH_ALL(cumprod);
const th_kernel TH_AT(th_flip)[TH_NDTYPE] = TH_ALL(flip);

#else

typedef A K(some) __attribute__((vector_size(STEP * sizeof(A))));

/* Each of STEP elements with the `by` before it: three times, and all that come before are in. */
#define WITH(by, a, none, ...) \
  a = product ? a * __builtin_shufflevector(none, a, __VA_ARGS__) \
              : a + __builtin_shufflevector(none, a, __VA_ARGS__)

/* One stretch of a line, on top of what came before; returns what has come then. */
TH_INLINE A K(stretch_as)(bool product, T *y, int64_t sy, const T *x, int64_t sx, int64_t n, A before)
{
  int64_t i = 0;
  if (n >= STEP) {
    A in[STEP];
    K(some) none, sum, total;
    for (int l = 0; l < STEP; l++) none[l] = product ? 1 : 0, total[l] = before;
    for (; i + STEP <= n; i += STEP) {
      for (int l = 0; l < STEP; l++) in[l] = LOAD(x[(i + l) * sx]);
      memcpy(&sum, in, sizeof sum);
      WITH(1, sum, none, 0, 8, 9, 10, 11, 12, 13, 14);
      WITH(2, sum, none, 0, 1, 8, 9, 10, 11, 12, 13);
      WITH(4, sum, none, 0, 1, 2, 3, 8, 9, 10, 11);
      const K(some) all = __builtin_shufflevector(sum, sum, 7, 7, 7, 7, 7, 7, 7, 7);
      sum = product ? total * sum : total + sum;
      total = product ? total * all : total + all;
      memcpy(in, &sum, sizeof sum);
      for (int l = 0; l < STEP; l++) y[(i + l) * sy] = STORE(in[l]);
    }
    before = total[0];
  }
  for (; i < n; i++) {
    before = product ? before * LOAD(x[i * sx]) : before + LOAD(x[i * sx]);
    y[i * sy] = STORE(before);
  }
  return before;
}
#undef WITH
static A K(stretch)(bool product, T *y, int64_t sy, const T *x, int64_t sx, int64_t n, A before)
{
  if (product) return K(stretch_as)(true, y, sy, x, sx, n, before);
  if (sx == 1 && sy == 1) return K(stretch_as)(false, y, 1, x, 1, n, before);
  return K(stretch_as)(false, y, sy, x, sx, n, before);
}

/* ---- a long line: its blocks' sums first, then each knows where it begins ---- */

typedef struct K(blocks) { const scan *s; const T *x; T *y; int64_t n; A sum[GROUP]; } K(blocks);

TH_INLINE A K(sum_as)(bool product, const T *x, int64_t step, int64_t n)
{
  A lane[4 * STEP], all = product ? 1 : 0;
  int64_t i = 0;
  for (int l = 0; l < 4 * STEP; l++) lane[l] = all;
  for (; i + 4 * STEP <= n; i += 4 * STEP) {
    for (int l = 0; l < 4 * STEP; l++) {
      const A v = LOAD(x[(i + l) * step]);
      lane[l] = product ? lane[l] * v : lane[l] + v;
    }
  }
  for (; i < n; i++) all = product ? all * LOAD(x[i * step]) : all + LOAD(x[i * step]);
  for (int l = 0; l < 4 * STEP; l++) all = product ? all * lane[l] : all + lane[l];
  return all;
}
static void K(sum_blocks)(void *ctx, int64_t first, int64_t last)
{
  K(blocks) *q = ctx;
  const int64_t step = q->s->w.step[0];
  for (int64_t b = first; b < last; b++) {
    const int64_t n = th_min(BLOCK, q->n - b * BLOCK);
    const T *x = q->x + b * BLOCK * step;
    q->sum[b] = q->s->product ? K(sum_as)(true, x, step, n)
              : step == 1     ? K(sum_as)(false, x, 1, n)
                              : K(sum_as)(false, x, step, n);
  }
}
static void K(scan_blocks)(void *ctx, int64_t first, int64_t last)
{
  const K(blocks) *q = ctx;
  const int64_t sx = q->s->w.step[0], sy = q->s->w.step[1];
  for (int64_t b = first; b < last; b++) {
    K(stretch)(q->s->product, q->y + b * BLOCK * sy, sy, q->x + b * BLOCK * sx, sx,
               th_min(BLOCK, q->n - b * BLOCK), q->sum[b]);
  }
}
static void K(long_line)(const scan *s, T *y, const T *x)
{
  const int64_t n = s->w.n[0];
  A before = s->product ? 1 : 0;
  for (int64_t from = 0; from < n; from += GROUP * BLOCK) {
    K(blocks) q = { s, x + from * s->w.step[0], y + from * s->w.step[1],
                    th_min(n - from, GROUP * BLOCK), { 0 } };
    const int64_t blocks = th_parts(q.n, BLOCK);
    if (th_parallel(blocks, 1, K(sum_blocks), &q) != TH_OK) return;
    for (int64_t b = 0; b < blocks; b++) {
      const A sum = q.sum[b];
      q.sum[b] = before;
      before = s->product ? before * sum : before + sum;
    }
    if (th_parallel(blocks, 1, K(scan_blocks), &q) != TH_OK) return;
  }
}
static void K(scan_lines)(void *ctx, int64_t first, int64_t last)
{
  const scan *s = ctx;
  const int64_t n = s->w.n[0];
  for (int64_t k = first; k < last; k++) {
    int64_t off[TH_WALKOPS];
    th_walk_at(&s->w, s->w.ndim, k, off);
    const T *x = (const T *)s->x + off[0];
    T *y = (T *)s->y + off[1];
    if (n >= LONG) K(long_line)(s, y, x);
    else K(stretch)(s->product, y, s->w.step[1], x, s->w.step[0], n, s->product ? 1 : 0);
  }
}

/* Lines side by side: row after row. */
static void K(scan_tiles)(void *ctx, int64_t first, int64_t last)
{
  const scan *s = ctx;
  const th_walk *w = &s->w;
  const int64_t cols = w->size[w->ndim - 1], rx = w->stride[0][w->ndim - 1],
                ry = w->stride[1][w->ndim - 1];
  for (int64_t t = first; t < last; t++) {
    const int64_t left = t % s->tiles * WIDTH, width = th_min(WIDTH, cols - left);
    int64_t off[TH_WALKOPS];
    A a[WIDTH];
    th_walk_at(w, w->ndim - 1, t / s->tiles, off);
    const T *x = (const T *)s->x + off[0] + left * rx;
    T *y = (T *)s->y + off[1] + left * ry;
    for (int64_t j = 0; j < width; j++) a[j] = s->product ? 1 : 0;
    for (int64_t i = 0; i < w->n[0]; i++, x += w->step[0], y += w->step[1]) {
      if ((i & 1023) == 0 && th_interrupted()) return;
      if (s->product) for (int64_t j = 0; j < width; j++) a[j] *= LOAD(x[j * rx]);
      else for (int64_t j = 0; j < width; j++) a[j] += LOAD(x[j * rx]);
      for (int64_t j = 0; j < width; j++) y[j * ry] = STORE(a[j]);
    }
  }
}
static th_status K(scan)(const th_call *c, bool product)
{
  const cumsum_args *args = cumsum_args_of(c);
  const th_tensor *y = args->y, *x = args->x;
  scan s = { .product = product, .y = TH_DATA(T, y), .x = TH_DATA(T, x) };
  th_walk_lines(&s.w, (int)args->dim, 2, (const th_tensor *const[]){ x, y });
  if (s.w.count == 0) return TH_OK;
  th_status done;
  if (s.w.n[0] >= LONG && s.w.count < 4) {                     /* the threads share a line */
    K(scan_lines)(&s, 0, s.w.count);
    done = TH_OK;
  } else if (th_walk_columns(&s.w) && s.w.step[0] != 1) {
    const int64_t cols = s.w.size[s.w.ndim - 1];
    s.tiles = th_parts(cols, WIDTH);
    done = th_parallel(s.w.count / cols * s.tiles,
                       th_max(1, TH_GRAIN / (s.w.n[0] * th_min(cols, WIDTH))), K(scan_tiles), &s);
  } else {
    done = th_parallel(s.w.count, th_max(1, TH_GRAIN / (s.w.n[0] + 1)), K(scan_lines), &s);
  }
  return done == TH_OK && th_interrupted() ? th_fail(TH_EINTR, "interrupted") : done;
}
static th_status K(cumsum)(const th_call *c) { return K(scan)(c, false); }
static th_status K(cumprod)(const th_call *c) { return K(scan)(c, true); }

static void K(flip_lines)(void *ctx, int64_t first, int64_t last)
{
  const scan *s = ctx;
  const int64_t n = s->w.n[0];
  for (int64_t k = first; k < last; k++) {
    int64_t off[TH_WALKOPS];
    th_walk_at(&s->w, s->w.ndim, k, off);
    const T *x = (const T *)s->x + off[0];
    T *y = (T *)s->y + off[1];
    for (int64_t i = 0; i < n; i++) y[i * s->w.step[1]] = x[(n - 1 - i) * s->w.step[0]];
  }
}
static th_status K(flip)(const th_call *c)
{
  const flip_args *a = flip_args_of(c);
  const th_tensor *y = a->y, *x = a->x;
  scan s = { .y = TH_DATA(T, y), .x = TH_DATA(T, x) };
  th_walk_lines(&s.w, (int)a->dim, 2, (const th_tensor *const[]){ x, y });
  return th_parallel(s.w.count, th_max(1, TH_GRAIN / (s.w.n[0] + 1)), K(flip_lines), &s);
}
#endif
