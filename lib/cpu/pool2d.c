/* pool2d.c - pooling, plane by plane and row by row: the taps of a window are walked outside, a row
 * of results inside, so that the inner loops vectorise. */
#ifndef T
#include <float.h>
#include "kernel.h"
#include "../op/pool2d.args.h"
#include "packed.h"

enum { ROW = 256, GRAIN = 1 << 16 };

typedef struct pool {
  int64_t planes, h, w, oh, ow, kh, kw, sh, sw, ph, pw, dh, dw;
  bool count_pad;
  const void *x;
  void *y;
  int64_t *index;
} pool;

static pool geometry(const th_tensor *x, const th_tensor *y)
{
  pool p = { .planes = x->size[x->ndim - 3], .h = x->size[x->ndim - 2], .w = x->size[x->ndim - 1],
             .oh = y->size[y->ndim - 2], .ow = y->size[y->ndim - 1], .dh = 1, .dw = 1 };
  if (x->ndim == 4) p.planes *= x->size[0];
  return p;
}

/* Volumes as images: a slice of a volume lies behind the one before. */
static pool volumes(const th_tensor *x, const th_tensor *y)
{
  pool p = { .planes = x->size[x->ndim - 4], .h = x->size[x->ndim - 3] * x->size[x->ndim - 2],
             .w = x->size[x->ndim - 1], .oh = y->size[y->ndim - 3] * y->size[y->ndim - 2],
             .ow = y->size[y->ndim - 1], .dh = 1, .dw = 1 };
  if (x->ndim == 5) p.planes *= x->size[0];
  return p;
}

static void set_windows(pool *p, const pool_window_args *w)
{
  p->kh = w->kH, p->kw = w->kW, p->sh = w->strideH, p->sw = w->strideW, p->ph = w->padH, p->pw = w->padW;
}

static int64_t planes_a_block(const pool *p)
{
  const int64_t work = p->h * p->w + p->oh * p->ow * 8;
  return GRAIN / th_max(1, work) + 1;                /* no pixel at all has no work */
}

/* The results j of a row, of [first, last), whose tap `at` (from the window's start) lies in the image. */
static void inside(const pool *p, int64_t at, int64_t *first, int64_t *last)
{
  const int64_t shift = p->pw - at;                 /* j * sw >= shift and j * sw < w + shift */
  *first = th_max(*first, shift > 0 ? (shift + p->sw - 1) / p->sw : 0);
  *last = th_min(*last, p->w + shift > 0 ? (p->w + shift - 1) / p->sw + 1 : 0);
}

#define TH_EACH_FLOATS
#define TH_SELF "pool2d.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_maxpool2d)[TH_NDTYPE] = TH_FLOATS(max);
const th_kernel TH_AT(th_maxpool2d_grad)[TH_NDTYPE] = TH_FLOATS(max_grad);
const th_kernel TH_AT(th_maxpool3d_grad)[TH_NDTYPE] = TH_FLOATS(max_grad3);
const th_kernel TH_AT(th_avgpool2d)[TH_NDTYPE] = TH_FLOATS(avg);
const th_kernel TH_AT(th_avgpool2d_grad)[TH_NDTYPE] = TH_FLOATS(avg_grad);

#else

#define I __typeof__(_Generic((C)0, float: (int32_t)0, double: (int64_t)0))

/* One tap of n windows, `step` pixels apart: what is larger, or NaN, or the first one takes the place. */
TH_INLINE void K(tap)(C *best, I *where, const T *x, int64_t n, const int64_t step, I at)
{
  for (int64_t j = 0; j < n; j++) {
    const C v = LOAD(x[j * step]);
    const bool take = (v > best[j]) | (v != v) | (where[j] == 0);
    best[j] = take ? v : best[j];
    where[j] = take ? at + (I)(j * step) : where[j];
  }
}

/* Results [from, from + n) of one row of one plane. */
static void K(max_row)(const pool *p, const T *x, int64_t row, int64_t from, int64_t n, T *y,
                       int64_t *index)
{
  C best[ROW];
  I where[ROW];
  const int64_t top = row * p->sh - p->ph;
  for (int64_t j = 0; j < n; j++) best[j] = -INFINITY, where[j] = 0;
  for (int64_t a = 0; a < p->kh; a++) {
    const int64_t h = top + a * p->dh;
    if (h < 0 || h >= p->h) continue;
    for (int64_t b = 0; b < p->kw; b++) {
      int64_t first = from, last = from + n;
      inside(p, b * p->dw, &first, &last);
      if (first >= last) continue;
      const int64_t at = h * p->w + first * p->sw - p->pw + b * p->dw;
      C *to = best + (first - from);
      I *to_where = where + (first - from);
      if (p->sw == 1) K(tap)(to, to_where, x + at, last - first, 1, (I)at + 1);
      else if (p->sw == 2) K(tap)(to, to_where, x + at, last - first, 2, (I)at + 1);
      else K(tap)(to, to_where, x + at, last - first, p->sw, (I)at + 1);
    }
  }
  for (int64_t j = 0; j < n; j++) y[j] = STORE(best[j]);
  for (int64_t j = 0; j < n; j++) index[j] = where[j];
}

/* Windows of 2 x 2, side by side, are the common case: four at a time, without branches. */
#if !IS_HALF
typedef C K(quad) __attribute__((vector_size(4 * sizeof(C)), aligned(sizeof(C)), may_alias));
typedef I K(mask) __attribute__((vector_size(4 * sizeof(C)), may_alias));
typedef int64_t K(places) __attribute__((vector_size(32), aligned(8), may_alias));

/* Vectors travel by address: how they do by value differs between levels. */
TH_INLINE void K(take)(K(quad) *best, K(mask) *where, const K(quad) *candidate, I at)
{
  const K(quad) v = *candidate;
  const K(mask) m = (K(mask))(v > *best) | (K(mask))(v != v);
  *best = (K(quad))(((K(mask))v & m) | ((K(mask))*best & ~m));
  *where = ((m & at) | (*where & ~m));
}

static void K(max_four)(const T *x, int64_t w, int64_t at, T *y, int64_t *index)
{
  const K(quad) p = *(const K(quad) *)x, q = *(const K(quad) *)(x + 4);
  const K(quad) r = *(const K(quad) *)(x + w), s = *(const K(quad) *)(x + w + 4);
  K(quad) best = __builtin_shufflevector(p, q, 0, 2, 4, 6);
  K(mask) where = { 0 };
  const K(quad) right = __builtin_shufflevector(p, q, 1, 3, 5, 7);
  const K(quad) below = __builtin_shufflevector(r, s, 0, 2, 4, 6);
  const K(quad) last = __builtin_shufflevector(r, s, 1, 3, 5, 7);
  K(take)(&best, &where, &right, 1);
  K(take)(&best, &where, &below, (I)w);
  K(take)(&best, &where, &last, (I)w + 1);
  *(K(quad) *)y = best;
  *(K(places) *)index =
    __builtin_convertvector(where, K(places)) + (K(places)){ at + 1, at + 3, at + 5, at + 7 };
}
#endif

static void K(max_row_2x2)(const T *x, int64_t w, int64_t n, int64_t at, T *y, int64_t *index)
{
  int64_t j = 0;
#if !IS_HALF
  for (; j + 4 <= n; j += 4) K(max_four)(x + 2 * j, w, at + 2 * j, y + j, index + j);
#endif
  for (; j < n; j++) {
    const C v[4] = { LOAD(x[2 * j]), LOAD(x[2 * j + 1]), LOAD(x[w + 2 * j]),
                     LOAD(x[w + 2 * j + 1]) };
    const int64_t place[4] = { 1, 2, w + 1, w + 2 };
    int best = 0;
    for (int k = 1; k < 4; k++) best = v[k] > v[best] || v[k] != v[k] ? k : best;
    y[j] = STORE(v[best]);
    index[j] = at + 2 * j + place[best];
  }
}

static void K(max_planes)(void *ctx, int64_t first, int64_t last)
{
  const pool *p = ctx;
  const bool plain = p->kh == 2 && p->kw == 2 && p->sh == 2 && p->sw == 2 && p->ph == 0 &&
                     p->pw == 0 && p->dh == 1 && p->dw == 1 && 2 * p->oh <= p->h &&
                     2 * p->ow <= p->w;
  for (int64_t k = first; k < last && !th_interrupted(); k++) {
    const T *x = (const T *)p->x + k * p->h * p->w;
    T *y = (T *)p->y + k * p->oh * p->ow;
    int64_t *index = p->index + k * p->oh * p->ow;
    for (int64_t i = 0; i < p->oh; i++, y += p->ow, index += p->ow) {
      if (plain) {
        K(max_row_2x2)(x + 2 * i * p->w, p->w, p->ow, 2 * i * p->w, y, index);
        continue;
      }
      for (int64_t j = 0; j < p->ow; j += ROW)
        K(max_row)(p, x, i, j, th_min(ROW, p->ow - j), y + j, index + j);
    }
  }
}

static th_status K(max)(const th_call *c)
{
  const maxpool2d_args *a = maxpool2d_args_of(c);
  th_tensor *y = a->y, *index = a->index;
  const th_tensor *x = a->x;
  th_packed packed = { 0 };
  pool p = geometry(x, y);
  set_windows(&p, pool_window_args_at(c, maxpool2d_kH));
  p.dh = a->dilationH, p.dw = a->dilationW;
  th_status s = th_pack_input(&packed, &x);
  if (s == TH_OK) s = th_pack_result(&packed, &y, false);
  if (s == TH_OK) s = th_pack_result(&packed, &index, false);
  if (s == TH_OK) {
    p.x = TH_DATA(T, x), p.y = TH_DATA(T, y), p.index = TH_DATA(int64_t, index);
    s = th_parallel(p.planes, planes_a_block(&p), K(max_planes), &p);
  }
  return th_packed_end(&packed, s);
}

static void K(max_grad_planes)(void *ctx, int64_t first, int64_t last)
{
  const pool *p = ctx;
  const int64_t n = p->oh * p->ow, pixels = p->h * p->w;
  if (pixels == 0) return;
  for (int64_t k = first; k < last && !th_interrupted(); k++) {
    const T *g = (const T *)p->x + k * n;
    const int64_t *index = p->index + k * n;
    T *gx = (T *)p->y + k * pixels;
    memset(gx, 0, sizeof(T) * (size_t)pixels);
    for (int64_t i = 0; i < n; i++) {
      if (index[i]) gx[index[i] - 1] = STORE(LOAD(gx[index[i] - 1]) + LOAD(g[i]));
    }
  }
}

static th_status K(max_grad_of)(const th_call *c, pool p)
{
  const maxpool2d_grad_args *a = maxpool2d_grad_args_of(c);
  th_tensor *gx = a->gx;
  const th_tensor *index = a->index, *g = a->g;
  th_packed packed = { 0 };
  th_status s = th_pack_input(&packed, &index);
  if (s == TH_OK) s = th_pack_input(&packed, &g);
  if (s == TH_OK) s = th_pack_result(&packed, &gx, false);
  if (s == TH_OK) {
    p.x = TH_DATA(T, g), p.y = TH_DATA(T, gx), p.index = TH_DATA(int64_t, index);
    s = th_parallel(p.planes, planes_a_block(&p), K(max_grad_planes), &p);
  }
  return th_packed_end(&packed, s);
}

static th_status K(max_grad)(const th_call *c)
{
  const maxpool2d_grad_args *a = maxpool2d_grad_args_of(c);
  return K(max_grad_of)(c, geometry(a->gx, a->g));
}
static th_status K(max_grad3)(const th_call *c)
{
  const maxpool2d_grad_args *a = maxpool2d_grad_args_of(c);
  return K(max_grad_of)(c, volumes(a->gx, a->g));
}

/* ---- means ---- */

/* What window (i, j) divides by, and the part of it that lies in the image. */
typedef struct K(window) { int64_t h0, h1, w0, w1; C by; } K(window);

static K(window) K(window_at)(const pool *p, int64_t i, int64_t j)
{
  const int64_t h0 = i * p->sh - p->ph, w0 = j * p->sw - p->pw;
  const int64_t h1 = th_min(h0 + p->kh, p->h + p->ph), w1 = th_min(w0 + p->kw, p->w + p->pw);
  K(window) v = { th_max(h0, 0), th_min(h1, p->h), th_max(w0, 0), th_min(w1, p->w), 0 };
  v.by = (C)(p->count_pad ? (h1 - h0) * (w1 - w0) : (v.h1 - v.h0) * (v.w1 - v.w0));
  return v;
}

static void K(avg_planes)(void *ctx, int64_t first, int64_t last)
{
  const pool *p = ctx;
  for (int64_t k = first; k < last && !th_interrupted(); k++) {
    const T *x = (const T *)p->x + k * p->h * p->w;
    T *y = (T *)p->y + k * p->oh * p->ow;
    for (int64_t i = 0; i < p->oh; i++) {
      for (int64_t j = 0; j < p->ow; j++, y++) {
        const K(window) v = K(window_at)(p, i, j);
        A sum = 0;
        for (int64_t h = v.h0; h < v.h1; h++)
          for (int64_t w = v.w0; w < v.w1; w++) sum += (A)LOAD(x[h * p->w + w]);
        *y = STORE((C)(sum / (A)v.by));
      }
    }
  }
}

static void K(avg_grad_planes)(void *ctx, int64_t first, int64_t last)
{
  const pool *p = ctx;
  for (int64_t k = first; k < last && !th_interrupted(); k++) {
    const T *g = (const T *)p->x + k * p->oh * p->ow;
    T *gx = (T *)p->y + k * p->h * p->w;
    memset(gx, 0, sizeof(T) * (size_t)(p->h * p->w));
    for (int64_t i = 0; i < p->oh; i++) {
      for (int64_t j = 0; j < p->ow; j++, g++) {
        const K(window) v = K(window_at)(p, i, j);
        const C share = LOAD(*g) / v.by;
        for (int64_t h = v.h0; h < v.h1; h++) {
          for (int64_t w = v.w0; w < v.w1; w++)
            gx[h * p->w + w] = STORE(LOAD(gx[h * p->w + w]) + share);
        }
      }
    }
  }
}

/* Both ways: `from` is read, `to` written; the one of the images' size is x. */
static th_status K(avg_run)(th_tensor *to, const th_tensor *from, pool p, th_block f)
{
  th_packed packed = { 0 };
  th_status s = th_pack_input(&packed, &from);
  if (s == TH_OK) s = th_pack_result(&packed, &to, false);
  if (s == TH_OK) {
    p.x = TH_DATA(T, from), p.y = TH_DATA(T, to);
    s = th_parallel(p.planes, planes_a_block(&p), f, &p);
  }
  return th_packed_end(&packed, s);
}

static th_status K(avg)(const th_call *c)
{
  const avgpool2d_args *a = avgpool2d_args_of(c);
  pool p = geometry(a->x, a->y);
  set_windows(&p, pool_window_args_at(c, avgpool2d_kH));
  p.count_pad = a->countPad != 0;
  return K(avg_run)(a->y, a->x, p, K(avg_planes));
}

static th_status K(avg_grad)(const th_call *c)
{
  const avgpool2d_grad_args *a = avgpool2d_grad_args_of(c);
  pool p = geometry(a->x, a->g);
  set_windows(&p, pool_window_args_at(c, avgpool2d_grad_kH));
  p.count_pad = a->countPad != 0;
  return K(avg_run)(a->gx, a->g, p, K(avg_grad_planes));
}
#undef I
#endif
