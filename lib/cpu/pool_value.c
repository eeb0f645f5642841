/* pool_value.c - maxima and means of windows without places: channels side by side, or plane after
 * plane. */
#ifndef T
#include "channels_last.h"
#include "gemm.h"
#include "packed.h"
#include "../op/pool2d.args.h"

/* channels at a time; elements read by a block */
enum { TOGETHER = 64, WORK = 1 << 14 };

typedef struct pool {
  const void *x;
  void   *y;
  int64_t n, c, h, w, oh, ow, kh, kw, sh, sw, ph, pw, dh, dw;
  int64_t from, to;                 /* distances of pixels */
  bool    count_pad;
} pool;

/* Those of a window's taps along one dimension that lie in the input. */
typedef struct taps { int64_t n, first; } taps;

TH_INLINE taps taps_of(int64_t at, int64_t kernel, int64_t gap, int64_t size)
{
  /* saves two divisions */
  if (at >= 0 && at + (kernel - 1) * gap < size) return (taps){ kernel, at };
  const int64_t before = at < 0 ? (-at + gap - 1) / gap : 0,
    end = at >= size ? 0 : th_min(kernel, (size - 1 - at) / gap + 1);
  return (taps){ th_max(end - before, 0), at + before * gap };
}

TH_INLINE taps rows_of(const pool *p, int64_t i)
{
  return taps_of(i * p->sh - p->ph, p->kh, p->dh, p->h);
}

TH_INLINE taps columns_of(const pool *p, int64_t j)
{
  return taps_of(j * p->sw - p->pw, p->kw, p->dw, p->w);
}

/* What a mean divides by: the pixels of its window, those of the padding too if they count. */
static int64_t pixels_of(const pool *p, int64_t i, int64_t j, int64_t inside)
{
  const int64_t top = i * p->sh - p->ph, left = j * p->sw - p->pw;
  if (!p->count_pad) return inside;
  return (th_min(top + p->kh, p->h + p->ph) - top) * (th_min(left + p->kw, p->w + p->pw) - left);
}

#define TH_EACH_FLOATS
#define TH_SELF "pool_value.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_pool2d)[TH_NDTYPE] = TH_FLOATS(run);

#else

#if !IS_HALF
#define IV __typeof__(_Generic((C)0, float: (int32_t)0, double: (int64_t)0))
typedef C K(vec) __attribute__((vector_size(TH_VB), aligned(sizeof(C)), may_alias));
typedef IV K(mask) __attribute__((vector_size(TH_VB), may_alias));
#undef IV

/* v where it is larger than best or NaN. */
TH_INLINE K(vec) K(larger)(K(vec) best, K(vec) v)
{
#if TH_VB == 64
  if (sizeof(C) == sizeof(float)) {      /* where one is NaN, max_ps gives its second argument */
    const __m512 a = (__m512)v, b = _mm512_max_ps(a, (__m512)best);
    return (K(vec))_mm512_mask_mov_ps(b, _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q), a);
  }
#endif
  const K(mask) m = (K(mask))(v > best) | (K(mask))(v != v);
  return (K(vec))(((K(mask))v & m) | ((K(mask))best & ~m));
}

/* The maxima of GROUP vectors of channels; the first tap lies at x. */
TH_INLINE void K(max_vectors)(const pool *p, T *y, const T *x, int64_t rows, int64_t columns,
  const int group)
{
  K(vec) best[4];
  for (int g = 0; g < group; g++) best[g] = -(C)INFINITY - (K(vec)){ 0 };
  for (int64_t s = 0; s < rows; s++) {
    for (int64_t t = 0; t < columns; t++) {
      const K(vec) *at = (const K(vec) *)(const void *)(x +
        (s * p->dh * p->w + t * p->dw) * p->from);
#pragma GCC unroll 4
      for (int g = 0; g < group; g++) best[g] = K(larger)(best[g], at[g]);
    }
  }
  for (int g = 0; g < group; g++) ((K(vec) *)(void *)y)[g] = best[g];
}
#endif

/* The maxima of n <= TOGETHER channels; the first tap lies at x. */
TH_INLINE void K(max_channels)(const pool *p, T *y, const T *x, int64_t rows, int64_t columns,
  int64_t n)
{
  int64_t done = 0;
#if !IS_HALF
  const int64_t lanes = TH_VB / (int64_t)sizeof(C);
  for (; done + 4 * lanes <= n; done += 4 * lanes) K(max_vectors)(p, y + done, x + done, rows,
    columns, 4);
  for (; done + lanes <= n; done += lanes) K(max_vectors)(p, y + done, x + done, rows, columns, 1);
#endif
  C best[TOGETHER];
  for (int64_t c = done; c < n; c++) best[c] = -INFINITY;
  for (int64_t s = 0; s < rows && done < n; s++) {
    for (int64_t t = 0; t < columns; t++) {
      const T *at = x + (s * p->dh * p->w + t * p->dw) * p->from;
      for (int64_t c = done; c < n; c++) {
        const C v = LOAD(at[c]);
        best[c] = ((v > best[c]) | (v != v)) ? v : best[c];
      }
    }
  }
  for (int64_t c = done; c < n; c++) y[c] = STORE(best[c]);
}

TH_INLINE void K(mean_channels)(const pool *p, T *y, const T *x, int64_t rows, int64_t columns,
  int64_t n, int64_t pixels)
{
  A sum[TOGETHER] = { 0 };
  for (int64_t s = 0; s < rows; s++) {
    for (int64_t t = 0; t < columns; t++) {
      const T *at = x + (s * p->dh * p->w + t * p->dw) * p->from;
      for (int64_t c = 0; c < n; c++) sum[c] += (A)LOAD(at[c]);
    }
  }
  for (int64_t c = 0; c < n; c++) y[c] = STORE((C)(sum[c] / (A)pixels));
}

/* Block: rows of results, some channels. */
TH_INLINE void K(each_row)(const pool *p, int64_t first, int64_t last, const bool max)
{
  const int64_t parts = (p->c + TOGETHER - 1) / TOGETHER;
  for (int64_t b = first; b < last && !th_interrupted(); b++) {
    const int64_t part = b % parts, i = b / parts % p->oh, image = b / parts / p->oh,
      n = th_min(TOGETHER, p->c - part * TOGETHER);
    const T *x = (const T *)p->x + image * p->h * p->w * p->from + part * TOGETHER;
    T *y = (T *)p->y + (image * p->oh + i) * p->ow * p->to + part * TOGETHER;
    const taps v = rows_of(p, i);
    for (int64_t j = 0; j < p->ow; j++, y += p->to) {
      const taps u = columns_of(p, j);
      const T *corner = x + (v.first * p->w + u.first) * p->from;
      if (max) K(max_channels)(p, y, corner, v.n, u.n, n);
      else K(mean_channels)(p, y, corner, v.n, u.n, n, pixels_of(p, i, j, v.n * u.n));
    }
  }
}

static void K(max_last)(void *ctx, int64_t first, int64_t last)
{
  K(each_row)(ctx, first, last, true);
}

static void K(mean_last)(void *ctx, int64_t first, int64_t last)
{
  K(each_row)(ctx, first, last, false);
}

/* The last NaN of a window, or its maximum. The loop of the maximum has no branch: four times as
 * fast as one that looks for NaN as well. */
TH_INLINE C K(max_pixel)(const pool *p, const T *x, int64_t rows, int64_t columns)
{
  C best = -INFINITY, nan = 0;
  int is_nan = 0;
  for (int64_t s = 0; s < rows; s++) {
    for (int64_t t = 0; t < columns; t++) {
      const C v = LOAD(x[s * p->dh * p->w + t * p->dw]);
      best = v > best ? v : best;
      is_nan |= v != v;
    }
  }
  if (!is_nan) return best;
  for (int64_t s = 0; s < rows; s++) {
    for (int64_t t = 0; t < columns; t++) {
      const C v = LOAD(x[s * p->dh * p->w + t * p->dw]);
      if (v != v) nan = v;
    }
  }
  return nan;
}

TH_INLINE C K(mean_pixel)(const pool *p, const T *x, int64_t rows, int64_t columns,
  int64_t pixels)
{
  A sum = 0;
  for (int64_t s = 0; s < rows; s++) {
    for (int64_t t = 0; t < columns; t++) sum += (A)LOAD(x[s * p->dh * p->w + t * p->dw]);
  }
  return (C)(sum / (A)pixels);
}

/* Block: planes. */
TH_INLINE void K(each_plane)(const pool *p, int64_t first, int64_t last, const bool max)
{
  for (int64_t k = first; k < last && !th_interrupted(); k++) {
    const T *x = (const T *)p->x + k * p->h * p->w;
    T *y = (T *)p->y + k * p->oh * p->ow;
    for (int64_t i = 0; i < p->oh; i++) {
      const taps v = rows_of(p, i);
      for (int64_t j = 0; j < p->ow; j++) {
        const taps u = columns_of(p, j);
        const T *corner = x + v.first * p->w + u.first;
        *y++ = STORE(max ? K(max_pixel)(p, corner, v.n, u.n)
          : K(mean_pixel)(p, corner, v.n, u.n, pixels_of(p, i, j, v.n * u.n)));
      }
    }
  }
}

static void K(max_planes)(void *ctx, int64_t first, int64_t last)
{
  K(each_plane)(ctx, first, last, true);
}

static void K(mean_planes)(void *ctx, int64_t first, int64_t last)
{
  K(each_plane)(ctx, first, last, false);
}

static th_status K(run)(const th_call *c)
{
  const pool2d_args *a = pool2d_args_of(c);
  const th_tensor *x = a->x;
  th_tensor *y = a->y;
  th_packed packed = { 0 };
  const int f = x->ndim - 3;
  const bool max = strcmp(a->kind, "max") == 0;
  pool p = { .n = f ? x->size[0] : 1, .c = x->size[f], .h = x->size[f + 1], .w = x->size[f + 2],
    .oh = y->size[f + 1],
             .ow = y->size[f + 2], .kh = a->kH, .kw = a->kW, .sh = a->strideH, .sw = a->strideW,
               .ph = a->padH, .pw = a->padW,
             .dh = a->dilationH, .dw = a->dilationW, .from = pixel_step(x), .to = pixel_step(y),
               .count_pad = a->countPad != 0 };
  if (th_numel(y) == 0) return TH_OK;
  const bool last = p.from > 0 && p.to > 0;
  th_status s = last ? TH_OK : th_pack_input(&packed, &x);
  if (s == TH_OK && !last) s = th_pack_result(&packed, &y, false);
  if (s == TH_OK) {
    p.x = TH_DATA(T, x), p.y = TH_DATA(T, y);
    const int64_t window = th_min(p.kh, p.h) * th_min(p.kw, p.w),
      parts = (p.c + TOGETHER - 1) / TOGETHER;
    const int64_t row = p.ow * window * th_min(TOGETHER, p.c), plane = p.oh * p.ow * window;
    if (last) s = th_parallel(p.n * p.oh * parts, WORK / row + 1, max ? K(max_last) : K(mean_last),
      &p);
    else s = th_parallel(p.n * p.c, WORK / plane + 1, max ? K(max_planes) : K(mean_planes), &p);
  }
  return th_packed_end(&packed, s);
}
#endif
