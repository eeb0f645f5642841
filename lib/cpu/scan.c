/* scan.c - running sums and products along one dimension, and the order reversed. */
#ifndef T
#include "walk.h"

enum { WIDTH = 512, STRETCH = 1 << 20 };

typedef struct scan { bool product; th_walk w; void *y; const void *x; int64_t tiles; } scan;

#define TH_SELF "scan.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_cumsum)[TH_NDTYPE] = TH_ALL(cumsum);
const th_kernel TH_AT(th_cumprod)[TH_NDTYPE] = TH_ALL(cumprod);
const th_kernel TH_AT(th_flip)[TH_NDTYPE] = TH_ALL(flip);

#else

/* In stretches, so that Ctrl-C is answered. */
static void K(scan_lines)(void *ctx, int64_t first, int64_t last)
{
  const scan *s = ctx;
  const int64_t sx = s->w.step[0], sy = s->w.step[1], n = s->w.n[0];
  for (int64_t k = first; k < last; k++) {
    int64_t off[TH_WALKOPS];
    th_walk_at(&s->w, s->w.ndim, k, off);
    const T *x = (const T *)s->x + off[0];
    T *y = (T *)s->y + off[1];
    A a = s->product ? 1 : 0;
    for (int64_t from = 0; from < n && !th_interrupted(); from += STRETCH) {
      const int64_t to = th_min(n, from + STRETCH);
      if (s->product)
        for (int64_t i = from; i < to; i++) a *= LOAD(x[i * sx]), y[i * sy] = STORE(a);
      else for (int64_t i = from; i < to; i++) a += LOAD(x[i * sx]), y[i * sy] = STORE(a);
    }
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
  const th_tensor *y = c->arg[0].t, *x = c->arg[1].t;
  scan s = { .product = product, .y = TH_DATA(T, y), .x = TH_DATA(T, x) };
  th_walk_lines(&s.w, (int)c->arg[2].i, 2, (const th_tensor *const[]){ x, y });
  if (s.w.count == 0) return TH_OK;
  th_status done;
  if (th_walk_columns(&s.w)) {
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
  const th_tensor *y = c->arg[0].t, *x = c->arg[1].t;
  scan s = { .y = TH_DATA(T, y), .x = TH_DATA(T, x) };
  th_walk_lines(&s.w, (int)c->arg[2].i, 2, (const th_tensor *const[]){ x, y });
  return th_parallel(s.w.count, th_max(1, TH_GRAIN / (s.w.n[0] + 1)), K(flip_lines), &s);
}
#endif
