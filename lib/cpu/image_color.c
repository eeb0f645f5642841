/* image_color.c - colours of pictures changed pixel by pixel. Colours are fractions while they are computed. */
#ifndef T
#include "walk.h"
#include "../op/image_color.args.h"
#include "../formula/math.h"
#include "../op/image_color.h"

enum { PIECE = 128 };       /* pixels whose values are computed together */

/* A line of the walk is a row of one plane; the other planes lie `px` and `py` elements behind it. */
typedef struct job {
  th_walk w;
  void *y;
  const void *x;
  int64_t px, py;
  image_color change;
  int planes;               /* of the result: 3, or 1 for the luminance */
} job;

static th_tensor plane_of(const th_tensor *t)
{
  th_tensor p = *t;
  p.ndim--;
  for (int d = t->ndim - 3; d < p.ndim; d++) p.size[d] = t->size[d + 1], p.stride[d] = t->stride[d + 1];
  return p;
}

static void job_of(job *q, const th_call *c)
{
  const image_color_args *a = image_color_args_of(c);
  const th_tensor *y = a->y, *x = a->x, yp = plane_of(y), xp = plane_of(x);
  q->py = y->stride[y->ndim - 3];
  q->px = x->stride[x->ndim - 3];
  th_walk_lines(&q->w, yp.ndim - 1, 2, (const th_tensor *const[]){ &yp, &xp });
}

#define TH_REAL "color.h"
#include "each_real.h"
#define TH_SELF "image_color.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_image_color)[TH_NDTYPE] = TH_ALL(image_color);
const th_kernel TH_AT(th_image_luma)[TH_NDTYPE] = TH_ALL(image_luma);

#else

#if IS_INT
typedef float K(part);
/* The nearest of 0..255 that T holds; the value is no NaN, because it comes from whole numbers. */
#define READ(v)  ((float)(v) * (1 / 255.0f))
TH_INLINE T K(whole)(float v)
{
  const float most = (T)-1 < 0 && sizeof(T) == 1 ? 127 : 255;
  v = v * 255 + 0.5f;
  v = v > 0 ? v : 0;
  return (T)(int32_t)(v < most ? v : most);
}
#define WRITE(v) K(whole)(v)
#else
typedef C K(part);
#define READ(v)  LOAD(v)
#define WRITE(v) STORE(v)
#endif
#define P K(part)

/* Some pixels of a plane as values and back. Loops over memory without gaps are apart, so that they vectorise. */
static void K(load)(K(part) *v, const T *x, int64_t step, int64_t n)
{
  if (step == 1) for (int64_t i = 0; i < n; i++) v[i] = READ(x[i]);
  else           for (int64_t i = 0; i < n; i++) v[i] = READ(x[i * step]);
}
static void K(store)(T *y, int64_t step, const K(part) *v, int64_t n)
{
  if (step == 1) for (int64_t i = 0; i < n; i++) y[i] = WRITE(v[i]);
  else           for (int64_t i = 0; i < n; i++) y[i * step] = WRITE(v[i]);
}

/* Piece by piece: all planes are read before one is written, because y may be x. */
static void K(rows)(void *ctx, int64_t first, int64_t last)
{
  const job *q = ctx;
  const int64_t sy = q->w.step[0], sx = q->w.step[1];
  for (int64_t k = first; k < last; k++) {
    int64_t off[TH_WALKOPS];
    th_walk_at(&q->w, q->w.ndim, k, off);
    P v[3][PIECE];
    const T *x = (const T *)q->x + off[1];
    T *y = (T *)q->y + off[0];
    for (int64_t left = q->w.n[0]; left > 0; left -= PIECE, x += PIECE * sx, y += PIECE * sy) {
      const int64_t n = th_min(left, PIECE);
      for (int p = 0; p < 3; p++) K(load)(v[p], x + p * q->px, sx, n);
      if (q->planes == 3) {
        _Generic((P)0, float: change_f32, double: change_f64)(v, n, q->change);
      } else {
        for (int64_t i = 0; i < n; i++) {
          v[0][i] = (P)0.299 * v[0][i] + (P)0.587 * v[1][i] + (P)0.114 * v[2][i];
        }
      }
      for (int p = 0; p < q->planes; p++) K(store)(y + p * q->py, sy, v[p], n);
    }
  }
}
static th_status K(run)(job *q, const th_call *c)
{
  const image_color_args *a = image_color_args_of(c);
  q->y = TH_DATA(T, a->y);
  q->x = TH_DATA(T, a->x);
  job_of(q, c);
  const int64_t n = q->w.n[0];
  if (q->w.count == 0 || n == 0) return TH_OK;
  return th_parallel(q->w.count, th_max(1, TH_GRAIN / 4 / n), K(rows), q);
}
static th_status K(image_color)(const th_call *c)
{
  job q = { .change = image_color_of(image_color_args_of(c)->change), .planes = 3 };
  return K(run)(&q, c);
}
static th_status K(image_luma)(const th_call *c)
{
  job q = { .planes = 1 };
  return K(run)(&q, c);
}
#undef READ
#undef WRITE
#undef P
#endif
