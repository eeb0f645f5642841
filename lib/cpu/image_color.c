/* image_color.c - colours of pictures changed pixel by pixel. Colours are fractions while they are computed. */
#ifndef T
#include "walk.h"
#include "../op/image_color.args.h"
#include "../formula/math.h"
#include "../op/image_color.h"

enum { PIECE = 128 };       /* pixels whose values are computed together */

/* A line of the walk is a row of one plane; the other planes lie `px` and `py` elements behind it. */
typedef struct job { th_walk w; void *y; const void *x; int64_t px, py; image_color change; } job;

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
#define N(v) ((P)(v))
#define MATH(name, ...) (sizeof(P) == 8 ? (P)name(__VA_ARGS__) : (P)name##f(__VA_ARGS__))

typedef struct K(color) { K(part) a, b, c; } K(color);

/* NaN if b is NaN. */
TH_INLINE P K(least)(P a, P b) { return a < b ? a : b; }
TH_INLINE P K(most)(P a, P b)  { return a > b ? a : b; }

TH_INLINE K(color) K(rgb2yuv)(K(color) p)
{
  return (K(color)){ N(0.299) * p.a + N(0.587) * p.b + N(0.114) * p.c,
                     N(-0.14713) * p.a - N(0.28886) * p.b + N(0.436) * p.c,
                     N(0.615) * p.a - N(0.51499) * p.b - N(0.10001) * p.c };
}
TH_INLINE K(color) K(yuv2rgb)(K(color) p)
{
  return (K(color)){ p.a + N(1.13983) * p.c, p.a - N(0.39465) * p.b - N(0.58060) * p.c, p.a + N(2.03211) * p.b };
}

/* Hue as a fraction of the circle, 0 for grey. */
TH_INLINE P K(hue)(K(color) p, P most, P range)
{
  const P d = range == 0 ? 1 : range;
  const P red = (p.b - p.c) / d + (p.b < p.c ? N(6) : N(0)), green = (p.c - p.a) / d + 2, blue = (p.a - p.b) / d + 4;
  const P h = (most == p.a ? red : most == p.b ? green : blue) / 6;
  return range == 0 ? 0 : h;
}
TH_INLINE K(color) K(rgb2hsl)(K(color) p)
{
  const P most = K(most)(p.a, K(most)(p.b, p.c)), least = K(least)(p.a, K(least)(p.b, p.c));
  const P range = most - least, sum = most + least, l = sum / 2;
  const P s = range / (range == 0 ? 1 : l > N(0.5) ? 2 - sum : sum);
  return (K(color)){ K(hue)(p, most, range), s, l };
}
TH_INLINE K(color) K(rgb2hsv)(K(color) p)
{
  const P most = K(most)(p.a, K(most)(p.b, p.c)), least = K(least)(p.a, K(least)(p.b, p.c));
  const P range = most - least;
  return (K(color)){ K(hue)(p, most, range), most == 0 ? 0 : range / most, most };
}

/* The place of a hue on a circle of `n`, turned by `by`. */
TH_INLINE P K(turned)(P h, P n, P by)
{
  const P t = h * n + by, turns = MATH(floor, t / n);
  return t - n * turns;
}
TH_INLINE P K(of_hsl)(K(color) p, P range, P by)
{
  const P k = K(turned)(p.a, 12, by);
  return p.c - range * K(most)(-1, K(least)(1, K(least)(k - 3, 9 - k)));
}
TH_INLINE K(color) K(hsl2rgb)(K(color) p)
{
  const P range = p.b * K(least)(p.c, 1 - p.c);
  return (K(color)){ K(of_hsl)(p, range, 0), K(of_hsl)(p, range, 8), K(of_hsl)(p, range, 4) };
}
TH_INLINE P K(of_hsv)(K(color) p, P by)
{
  const P k = K(turned)(p.a, 6, by);
  return p.c - p.c * p.b * K(most)(0, K(least)(1, K(least)(k, 4 - k)));
}
TH_INLINE K(color) K(hsv2rgb)(K(color) p)
{
  return (K(color)){ K(of_hsv)(p, 5), K(of_hsv)(p, 3), K(of_hsv)(p, 1) };
}

TH_INLINE K(color) K(rgb2nrgb)(K(color) p)
{
  const P sum = p.a + p.b + p.c + N(1e-6);      /* so that black stays black */
  return (K(color)){ p.a / sum, p.b / sum, p.c / sum };
}

/* v^p of a positive v, without branches. */
TH_INLINE P K(power)(P v, P p)
{
  return _Generic((P)0, float: th_exp_f32, double: th_exp_f64)(p * _Generic((P)0, float: th_log_f32, double: th_log_f64)(v));
}

/* sRGB to light, and CIE 1976 L*a*b* under the white of D65. */
TH_INLINE P K(light)(P v) { return v <= N(0.04045) ? v / N(12.92) : K(power)((v + N(0.055)) / N(1.055), N(2.4)); }
TH_INLINE P K(srgb)(P v)
{
  return v <= N(0.0031308) ? N(12.92) * v : N(1.055) * K(power)(v, 1 / N(2.4)) - N(0.055);
}
#define LAB_EPSILON N(216.0 / 24389)
#define LAB_KAPPA   N(24389.0 / 27)
TH_INLINE P K(to_lab)(P v) { return v > LAB_EPSILON ? K(power)(v, 1 / N(3)) : (LAB_KAPPA * v + 16) / 116; }
TH_INLINE P K(from_lab)(P v) { return v * v * v > LAB_EPSILON ? v * v * v : (116 * v - 16) / LAB_KAPPA; }
TH_INLINE K(color) K(rgb2lab)(K(color) p)
{
  const P r = K(light)(p.a), g = K(light)(p.b), b = K(light)(p.c);
  const P x = K(to_lab)((N(0.412453) * r + N(0.357580) * g + N(0.180423) * b) / N(0.950456));
  const P y = K(to_lab)(N(0.212671) * r + N(0.715160) * g + N(0.072169) * b);
  const P z = K(to_lab)((N(0.019334) * r + N(0.119193) * g + N(0.950227) * b) / N(1.088754));
  return (K(color)){ 116 * y - 16, 500 * (x - y), 200 * (y - z) };
}
TH_INLINE K(color) K(lab2rgb)(K(color) p)
{
  const P fy = (p.a + 16) / 116, fx = p.b / 500 + fy, fz = fy - p.c / 200;
  const P x = N(0.950456) * K(from_lab)(fx), z = N(1.088754) * K(from_lab)(fz);
  const P y = p.a > LAB_KAPPA * LAB_EPSILON ? fy * fy * fy : p.a / LAB_KAPPA;
  return (K(color)){ K(srgb)(N(3.2404542) * x - N(1.5371385) * y - N(0.4985314) * z),
                     K(srgb)(N(-0.9692660) * x + N(1.8760108) * y + N(0.0415560) * z),
                     K(srgb)(N(0.0556434) * x - N(0.2040259) * y + N(1.0572252) * z) };
}

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
TH_INLINE void K(row)(const job *q, const int64_t *off, int64_t sx, int64_t sy, K(color) (*change)(K(color)))
{
  P v[3][PIECE];
  const T *x = (const T *)q->x + off[1];
  T *y = (T *)q->y + off[0];
  for (int64_t left = q->w.n[0]; left > 0; left -= PIECE, x += PIECE * sx, y += PIECE * sy) {
    const int64_t n = th_min(left, PIECE);
    for (int k = 0; k < 3; k++) K(load)(v[k], x + k * q->px, sx, n);
    for (int64_t i = 0; i < n; i++) {
      const K(color) p = change((K(color)){ v[0][i], v[1][i], v[2][i] });
      v[0][i] = p.a;
      v[1][i] = p.b;
      v[2][i] = p.c;
    }
    for (int k = 0; k < 3; k++) K(store)(y + k * q->py, sy, v[k], n);
  }
}
static void K(color_rows)(void *ctx, int64_t first, int64_t last)
{
  const job *q = ctx;
  const int64_t sy = q->w.step[0], sx = q->w.step[1];
  for (int64_t k = first; k < last; k++) {
    int64_t off[TH_WALKOPS];
    th_walk_at(&q->w, q->w.ndim, k, off);
    switch (q->change) {
      case RGB2YUV:  K(row)(q, off, sx, sy, K(rgb2yuv)); break;
      case YUV2RGB:  K(row)(q, off, sx, sy, K(yuv2rgb)); break;
      case RGB2LAB:  K(row)(q, off, sx, sy, K(rgb2lab)); break;
      case LAB2RGB:  K(row)(q, off, sx, sy, K(lab2rgb)); break;
      case RGB2HSL:  K(row)(q, off, sx, sy, K(rgb2hsl)); break;
      case HSL2RGB:  K(row)(q, off, sx, sy, K(hsl2rgb)); break;
      case RGB2HSV:  K(row)(q, off, sx, sy, K(rgb2hsv)); break;
      case HSV2RGB:  K(row)(q, off, sx, sy, K(hsv2rgb)); break;
      case RGB2NRGB: K(row)(q, off, sx, sy, K(rgb2nrgb)); break;
      case IMAGE_COLORS: break;
    }
  }
}
static void K(luma_rows)(void *ctx, int64_t first, int64_t last)
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
      for (int64_t i = 0; i < n; i++) v[0][i] = N(0.299) * v[0][i] + N(0.587) * v[1][i] + N(0.114) * v[2][i];
      K(store)(y, sy, v[0], n);
    }
  }
}

static th_status K(run)(job *q, const th_call *c, th_block rows)
{
  const image_color_args *a = image_color_args_of(c);
  q->y = TH_DATA(T, a->y);
  q->x = TH_DATA(T, a->x);
  job_of(q, c);
  const int64_t n = q->w.n[0];
  if (q->w.count == 0 || n == 0) return TH_OK;
  return th_parallel(q->w.count, th_max(1, TH_GRAIN / 4 / n), rows, q);
}
static th_status K(image_color)(const th_call *c)
{
  job q = { .change = image_color_of(image_color_args_of(c)->change) };
  return K(run)(&q, c, K(color_rows));
}
static th_status K(image_luma)(const th_call *c)
{
  job q = { 0 };
  return K(run)(&q, c, K(luma_rows));
}
#undef READ
#undef WRITE
#undef P
#undef N
#undef MATH
#undef LAB_EPSILON
#undef LAB_KAPPA
#endif
