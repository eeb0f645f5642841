/* image_augment.c - parts of pictures, mirrored and with other colours, as a batch.
 *
 * One thread writes a picture, so that no bit depends on their number. Brightness b, contrast c and saturation s make
 * b (c (s p + (1 - s) g) + (1 - c) m) of a value p, where g is the brightness of its pixel and m the mean of g. The kernel
 * computes this as by[k] p + grey[k] g + plus[k], which includes the step to fractions, mean and std. */
#ifndef T
#include "kernel.h"
#include "../op/image_augment.args.h"
#include "../op/image_augment.h"

enum { PIECE = 256, LANES = 8 };                /* pixels whose values are computed together; partial sums */

static const double LUMA[3] = { 0.299, 0.587, 0.114 };

/* The part of a picture, and the place of its first pixel. A mirrored part is read from its right end. */
typedef struct part {
  int64_t planes, height, width;
  int64_t sp, sy, sx, first;                    /* strides of the picture, sx negative where the part is mirrored */
  int64_t top, rows;                            /* the row of the picture where the part begins; rows of the picture */
  int64_t begin, end;                           /* columns of the part that lie in the picture */
  double  brightness, contrast, saturation;
} part;

static part part_of(const th_call *c, int64_t k)
{
  const image_augment_args *a = image_augment_args_of(c);
  const th_tensor *x = a->list->t[k], *plan = a->plan;
  const double *row = TH_DATA(double, plan) + k * plan->stride[0];
  const int64_t s = plan->stride[1], width = a->width, left = (int64_t)row[IMAGE_LEFT * s];
  part p = { .planes = x->size[0], .height = a->height, .width = width,
             .sp = x->stride[0], .sy = x->stride[1], .sx = x->stride[2], .first = left * x->stride[2],
             .top = (int64_t)row[IMAGE_TOP * s], .rows = x->size[1], .begin = th_min(width, th_max(0, -left)),
             .brightness = row[IMAGE_BRIGHTNESS * s], .contrast = row[IMAGE_CONTRAST * s],
             .saturation = row[IMAGE_SATURATION * s] };
  p.end = th_max(p.begin, th_min(width, x->size[2] - left));
  if (row[IMAGE_FLIP * s] != 0) {
    const int64_t begin = p.begin;
    p.begin = width - p.end;
    p.end = width - begin;
    p.first += (width - 1) * p.sx;
    p.sx = -p.sx;
  }
  return p;
}

/* What the values of plane k and the brightness of a pixel are multiplied by, and what is added. */
typedef struct weights { double by[3], grey[3], plus[3]; } weights;

static double level(const th_tensor *t, int64_t k, double none)
{
  return t ? TH_DATA(double, t)[k * t->stride[0]] : none;
}

/* @param unit  the value that stands for 1 in the picture, where the result has fractions */
static weights weights_of(const th_call *c, const part *p, double mean, double unit)
{
  weights w;
  const double s = p->planes == 1 ? 1 : p->saturation;
  for (int64_t k = 0; k < p->planes; k++) {
    const double std = level(image_augment_args_of(c)->std, k, 1), scale = p->brightness / (unit * std);
    w.by[k] = scale * p->contrast * s;
    w.grey[k] = scale * p->contrast * (1 - s);
    w.plus[k] = scale * (1 - p->contrast) * mean - level(image_augment_args_of(c)->mean, k, 0) / std;
  }
  return w;
}

#define T uint8_t
#define P float
#define K(f) f##_u8
#define IS_INT 1
#include "image_augment.c"
#undef T
#undef P
#undef K
#undef IS_INT
#define IS_INT 0
#define T float
#define P float
#define K(f) f##_f32
#include "image_augment.c"
#undef T
#undef P
#undef K
#define T double
#define P double
#define K(f) f##_f64
#include "image_augment.c"

const th_kernel TH_AT(th_image_augment)[TH_NDTYPE] = {
  [TH_U8] = image_augment_u8, [TH_F32] = image_augment_f32, [TH_F64] = image_augment_f64,
};

#else

/* The sum of n values of a row, the same at every level: bytes have no error, others have fixed partial sums. */
static double K(sum)(const T *x, int64_t step, int64_t n)
{
#if IS_INT
  uint32_t sum = 0;                             /* 2^24 pixels of 255 fit */
  if (step == 1) for (int64_t i = 0; i < n; i++) sum += x[i];
  else           for (int64_t i = 0; i < n; i++) sum += x[i * step];
  return sum;
#else
  double sum[LANES] = { 0 };
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) for (int j = 0; j < LANES; j++) sum[j] += (double)x[(i + j) * step];
  for (int j = 0; i + j < n; j++) sum[j] += (double)x[(i + j) * step];
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
#endif
}

/* The mean brightness of a part, summed from the left also where it is mirrored. */
static double K(mean)(const part *p, const T *x)
{
  double sum = 0;
  const int64_t step = p->sx < 0 ? -p->sx : p->sx, first = p->sx < 0 ? p->end - 1 : p->begin;
  for (int64_t i = th_max(0, -p->top); i < th_min(p->height, p->rows - p->top) && p->begin < p->end; i++) {
    for (int64_t k = 0; k < p->planes; k++) {
      const T *row = x + p->first + k * p->sp + (p->top + i) * p->sy + first * p->sx;
      sum += (p->planes == 1 ? 1 : LUMA[k]) * K(sum)(row, step, p->end - p->begin);
    }
  }
  return sum / ((double)p->height * (double)p->width);
}

/* Loops over memory without gaps are apart, so that they vectorise; GCC does not vectorise one that turns and converts. */
static void K(load)(P *restrict v, const T *restrict x, int64_t step, int64_t n)
{
  T turned[PIECE];
  if (step == -1) {
    for (int64_t i = 0; i < n; i++) turned[i] = x[-i];
    x = turned;
    step = 1;
  }
  if (step == 1) for (int64_t i = 0; i < n; i++) v[i] = (P)x[i];
  else           for (int64_t i = 0; i < n; i++) v[i] = (P)x[i * step];
}

/* Columns from..from + n of a row; those outside of the picture are 0. x is NULL where all are. */
static void K(read)(P *v, const part *p, const T *x, int64_t from, int64_t n)
{
  const int64_t begin = x ? th_min(n, th_max(0, p->begin - from)) : n;
  const int64_t end = th_max(begin, th_min(n, p->end - from));
  for (int64_t i = 0; i < begin; i++) v[i] = 0;
  if (end > begin) K(load)(v + begin, x + (from + begin) * p->sx, p->sx, end - begin);
  for (int64_t i = end; i < n; i++) v[i] = 0;
}

static void K(combine)(P *restrict y, const P *restrict v, const P *restrict grey, int64_t n, P by, P of_grey, P plus)
{
  if (of_grey == 0) for (int64_t i = 0; i < n; i++) y[i] = by * v[i] + plus;
  else for (int64_t i = 0; i < n; i++) y[i] = by * v[i] + of_grey * grey[i] + plus;
}

/* The bytes nearest to values that have 0.5 added, and are limited; NaN becomes 0. */
static void K(write_bytes)(uint8_t *y, int64_t step, P *v, int64_t n)
{
  for (int64_t j = 0; j < n; j++) v[j] = v[j] > 0 ? v[j] : 0;
  for (int64_t j = 0; j < n; j++) v[j] = v[j] < 255 ? v[j] : 255;
  if (step == 1) for (int64_t j = 0; j < n; j++) y[j] = (uint8_t)(int32_t)v[j];
  else           for (int64_t j = 0; j < n; j++) y[j * step] = (uint8_t)(int32_t)v[j];
}

static void K(one)(const th_call *c, int64_t k)
{
  const image_augment_args *a = image_augment_args_of(c);
  const part p = part_of(c, k);
  const th_tensor *y = a->y;
  const int64_t step = y->stride[3];
  const T *x = TH_DATA(T, a->list->t[k]);
  const bool bytes = IS_INT && y->dtype == TH_U8;
  const weights w = weights_of(c, &p, p.contrast == 1 ? 0 : K(mean)(&p, x), IS_INT && !bytes ? 255 : 1);
  const bool colours = p.planes == 3 && p.saturation != 1;
  for (int64_t i = 0; i < p.height; i++) {
    const int64_t row = p.top + i;
    const bool inside = row >= 0 && row < p.rows;
    for (int64_t from = 0; from < p.width; from += PIECE) {
      const int64_t n = th_min(p.width - from, PIECE);
      P v[3][PIECE], grey[PIECE], made[PIECE];
      for (int64_t q = 0; q < p.planes; q++) {
        K(read)(v[q], &p, inside ? x + p.first + q * p.sp + row * p.sy : NULL, from, n);
      }
      if (colours) {
        const P r = (P)LUMA[0], g = (P)LUMA[1], b = (P)LUMA[2];
        for (int64_t j = 0; j < n; j++) grey[j] = r * v[0][j] + g * v[1][j] + b * v[2][j];
      }
      for (int64_t q = 0; q < p.planes; q++) {
        const int64_t at = k * y->stride[0] + q * y->stride[1] + i * y->stride[2] + from * step;
        const P by = (P)w.by[q], of_grey = colours ? (P)w.grey[q] : 0, plus = (P)w.plus[q];
        if (bytes) {
          K(combine)(made, v[q], grey, n, by, of_grey, plus + (P)0.5);
          K(write_bytes)(TH_DATA(uint8_t, y) + at, step, made, n);
        } else if (step == 1) {
          K(combine)(TH_DATA(P, y) + at, v[q], grey, n, by, of_grey, plus);
        } else {
          K(combine)(made, v[q], grey, n, by, of_grey, plus);
          for (int64_t j = 0; j < n; j++) TH_DATA(P, y)[at + j * step] = made[j];
        }
      }
    }
  }
}

static void K(block)(void *ctx, int64_t first, int64_t last)
{
  for (int64_t k = first; k < last; k++) K(one)(ctx, k);
}

static th_status K(image_augment)(const th_call *c)
{
  return th_parallel(image_augment_args_of(c)->list->n, 1, K(block), (void *)c);
}
#endif
