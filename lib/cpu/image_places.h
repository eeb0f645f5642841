/* image_places.h - where image_warp.c reads: positions of the pixels of a piece, the old pixels around them, and weights. */
#ifndef IMAGE_PLACES_H
#define IMAGE_PLACES_H
#include "kernel.h"
#include "slots.h"
#include "../formula/math.h"
#include "../op/image_geometry.h"

static const float PI = 3.14159265358979f;
#define ROOT 0.86602540378443864676             /* the sine of a sixth of a turn */
/* Pixels of a piece, and of one whose pixels are copied; the most that a side of one sample takes. */
enum { PIECE = 256, LONG_PIECE = 512, TAPS = 6 };

typedef enum method { SIMPLE, BILINEAR, BICUBIC, LANCZOS } method;

static method method_of(const char *mode)
{
  return mode[0] == 's' ? SIMPLE : mode[0] == 'l' ? LANCZOS : mode[2] == 'l' ? BILINEAR : BICUBIC;
}

/* Which positions count as inside: those in 0..last; those whose nearest pixel is; those that lie in a pixel whose corner is its
 * position. In the last case pixels at the end have no neighbours to mix with. */
typedef enum edge { LAST, NEAREST, CORNER } edge;

typedef struct warp warp;
struct warp {
  const th_tensor *y, *x, *field;
  void (*places)(const warp *w, int64_t group, int64_t row, int64_t first, int n, float *py, float *px);
  int64_t groups, planes;                       /* pictures with separate positions, and planes of each */
  int64_t height, width, sy, sx, ty, tx;        /* sides of x, strides of x and y */
  method how;
  edge edge;
  bool offset, clamp;
  double pad;
  float sine, cosine;                           /* of rotations */
  double radius;                                /* of polar coordinates */
  double matrix[4], down, right;                /* of affine transforms */
  bool log;
  th_slots slots;
};

/* Where the pixels of a piece are read. */
typedef struct piece {
  float   py[LONG_PIECE], px[LONG_PIECE];       /* rows and columns, then the parts behind the whole numbers */
  int32_t at[LONG_PIECE];                       /* the pixel above to the left */
  int32_t below[PIECE], right[PIECE];           /* the one below it or the same; the way to the next column, or 0 */
  int32_t row[PIECE], column[PIECE];            /* where sums of 4 x 4 or 6 x 6 pixels begin; that is `at` where all of them */
  uint8_t inside[LONG_PIECE], whole[PIECE];     /* are in the picture, which `whole` says */
  float   wy[TAPS][PIECE], wx[TAPS][PIECE];     /* their weights */
  int32_t taps;
  double  values[4 * PIECE];                    /* four values a pixel, of a type that is as long or shorter */
} piece;

/* p limited to 0..most; NaN becomes 0. */
TH_INLINE float limit(float p, float most)
{
  p = p > 0 ? p : 0;
  return p < most ? p : most;
}

/* The functions that find pixels take the edge as a constant: only then do their loops become vectors. Limited positions are not
 * below 0, so that they become whole numbers as floorf makes them. */
TH_INLINE void find_nearest_by(const warp *w, piece *restrict p, int n, edge kind)
{
  const float bottom = (float)(w->height - 1), right = (float)(w->width - 1), half = kind == CORNER ? 0 : 0.5f;
  const int32_t sy = (int32_t)w->sy, sx = (int32_t)w->sx;
  for (int i = 0; i < n; i++) {
    p->at[i] = (int32_t)limit(p->py[i] + half, bottom) * sy + (int32_t)limit(p->px[i] + half, right) * sx;
  }
  if (w->clamp) return;
  for (int i = 0; i < n; i++) {
    const float y = kind == LAST ? p->py[i] : floorf(p->py[i] + half), x = kind == LAST ? p->px[i] : floorf(p->px[i] + half);
    p->inside[i] = (y >= 0) & (y <= bottom) & (x >= 0) & (x <= right);
  }
}

static void find_nearest(const warp *w, piece *p, int n)
{
  switch (w->edge) {
    case LAST:    find_nearest_by(w, p, n, LAST); break;
    case NEAREST: find_nearest_by(w, p, n, NEAREST); break;
    case CORNER:  find_nearest_by(w, p, n, CORNER); break;
  }
}

/* Which element of the field says the row of a piece's first pixel. Its column lies f->stride[f->ndim - 3] elements further. */
static int64_t field_at(const th_tensor *f, int64_t group, int64_t row, int64_t first)
{
  const int d = f->ndim - 1;
  return (f->ndim == 4 ? group * f->stride[0] : 0) + row * f->stride[d - 1] + first * f->stride[d];
}

/* Computes what places_of_field and find_nearest compute, in one pass that stores no positions: of fields of contiguous floats
 * with offsets, where positions outside of the picture move to its edge. Returns false, and does nothing, in other cases. */
static bool find_in_field(const warp *w, piece *restrict p, int64_t group, int64_t row, int64_t first, int n)
{
  const th_tensor *f = w->field;
  if (!f || f->dtype != TH_F32 || f->stride[f->ndim - 1] != 1 || !w->offset || !w->clamp || w->sx != 1) return false;
  const float *restrict py = TH_DATA(float, f) + field_at(f, group, row, first), *restrict px = py + f->stride[f->ndim - 3];
  const float bottom = (float)(w->height - 1), right = (float)(w->width - 1), y = (float)row, x = (float)first;
  const int32_t sy = (int32_t)w->sy;
  for (int i = 0; i < n; i++) {
    p->at[i] = (int32_t)limit(y + py[i] + 0.5f, bottom) * sy + (int32_t)limit(x + (float)i + px[i] + 0.5f, right);
  }
  return true;
}

TH_INLINE void find_four_by(const warp *w, piece *restrict p, int n, edge kind)
{
  const float bottom = (float)(w->height - 1), right = (float)(w->width - 1), half = kind == CORNER ? 0 : 0.5f;
  const int32_t sy = (int32_t)w->sy, sx = (int32_t)w->sx;
  const int32_t last_y = (int32_t)w->height - 1, last_x = (int32_t)w->width - 1;
  if (!w->clamp) {
    for (int i = 0; i < n; i++) {
      const float y = kind == LAST ? p->py[i] : floorf(p->py[i] + half), x = kind == LAST ? p->px[i] : floorf(p->px[i] + half);
      p->inside[i] = (y >= 0) & (y <= bottom) & (x >= 0) & (x <= right);
    }
  }
  for (int i = 0; i < n; i++) {
    const float y = limit(p->py[i], bottom), x = limit(p->px[i], right);
    const int32_t iy = (int32_t)y, ix = (int32_t)x, at = iy * sy + ix * sx;
    const bool alone = (kind == CORNER) & ((iy == last_y) | (ix == last_x));
    p->at[i] = at;
    p->below[i] = at + (iy < last_y ? sy : 0);
    p->right[i] = ix < last_x ? sx : 0;
    p->py[i] = alone ? 0 : y - (float)iy;
    p->px[i] = alone ? 0 : x - (float)ix;
  }
}

static void find_four(const warp *w, piece *p, int n)
{
  switch (w->edge) {
    case LAST:    find_four_by(w, p, n, LAST); break;
    case NEAREST: find_four_by(w, p, n, NEAREST); break;
    case CORNER:  find_four_by(w, p, n, CORNER); break;
  }
}

/* ---- positions ---- */

static void places_of_rotation(const warp *w, int64_t group, int64_t row, int64_t first, int n, float *py, float *px)
{
  (void)group;
  const float cy = (float)(w->height - 1) / 2, cx = (float)(w->width - 1) / 2, y = (float)row - cy;
  const float cosine = w->cosine, sine = w->sine;
  const int32_t from = (int32_t)first;
  for (int i = 0; i < n; i++) {
    const float x = (float)(from + i) - cx;
    px[i] = cx + (cosine * x - sine * y);
    py[i] = cy + (cosine * y + sine * x);
  }
}

/* The largest float that is not above x: both lie in the same pixel. */
static float float_below(double x)
{
  const float f = (float)x;
  return (double)f > x ? nextafterf(f, -INFINITY) : f;
}

static void places_of_polar(const warp *w, int64_t group, int64_t row, int64_t first, int n, float *py, float *px)
{
  (void)group;
  const int64_t height = w->y->size[w->y->ndim - 2], width = w->y->size[w->y->ndim - 1];
  const double cy = (double)w->height / 2, cx = (double)w->width / 2, longest = log(w->radius);
  const float angle = (float)(2 * 3.14159265358979323846 * (double)row / (double)height);
  const double sine = (float)sin(angle), cosine = (float)cos(angle);
  for (int i = 0; i < n; i++) {
    const double part = (double)(first + i) / (double)width;
    const double r = w->log ? exp(longest * part) : w->radius * part;
    py[i] = float_below(cy + (float)(r * cosine));
    px[i] = float_below(cx - (float)(r * sine));
  }
}

static void places_of_affine(const warp *w, int64_t group, int64_t row, int64_t first, int n, float *py, float *px)
{
  (void)group;
  const double cy = (double)(w->height - 1) / 2, cx = (double)(w->width - 1) / 2, y = (double)row - cy;
  for (int i = 0; i < n; i++) {
    const double x = (double)(first + i) - cx;
    py[i] = (float)(cy + w->matrix[0] * y + w->matrix[1] * x - w->down);
    px[i] = (float)(cx + w->matrix[2] * y + w->matrix[3] * x - w->right);
  }
}

/* ---- weights of several pixels ---- */

/* Weights for positions that lie `part` behind the middle pixel before them. */
static void weigh_curve(const float *part, int n, float (*w)[PIECE])
{
  for (int i = 0; i < n; i++) {
    const float x = part[i];
    w[0][i] = 0.5f * x * (-1 + x * (2 - x));
    w[1][i] = 1 + 0.5f * x * x * (-5 + 3 * x);
    w[2][i] = 0.5f * x * (1 + x * (4 - 3 * x));
    w[3][i] = 0.5f * x * x * (x - 1);
  }
}

/* Torch7 takes the sines of PI * t and PI * t / 3 in floats, so that their arguments are a little off. Two sines and cosines a
 * pixel in double give those of all taps: k turns the angle by as many half turns, or sixths of a turn, and what the argument is
 * off multiplies the cosine. Its square is too small for a float. */
static void weigh_lanczos(const float *restrict part, int n, float (*restrict w)[PIECE])
{
  static const double SINE[TAPS] = { ROOT, ROOT, 0, -ROOT, -ROOT, 0 }, COSINE[TAPS] = { -0.5, 0.5, 1, 0.5, -0.5, -1 };
  const double pi = 3.14159265358979323846;
  double sine[PIECE], cosine[PIECE], sine3[PIECE], cosine3[PIECE];
  float sum[PIECE] = { 0 };
  for (int i = 0; i < n; i++) {
    const double angle = pi * ((double)(part[i] + 2) - 2);
    sine[i] = th_sin_f64(angle);
    cosine[i] = th_cos_f64(angle);
    sine3[i] = th_sin_f64(angle / 3);
    cosine3[i] = th_cos_f64(angle / 3);
  }
  for (int k = 0; k < TAPS; k++) {
    const double sign = k % 2 ? -1 : 1, s = SINE[k], c = COSINE[k];
    for (int i = 0; i < n; i++) {
      const float t = part[i] + 2 - (float)k, a = PI * t, a3 = PI * t / 3;
      const double exact = pi * (double)t, off = (double)a - exact, off3 = (double)a3 - exact * (1 / 3.0);
      const double first = sign * (sine[i] + off * cosine[i]);
      const double second = (sine3[i] * c + cosine3[i] * s) + off3 * (cosine3[i] * c - sine3[i] * s);
      w[k][i] = t == 0 ? 1 : 3 * (float)first * (float)second / (PI * PI * t * t);
      sum[i] += w[k][i];
    }
  }
  for (int k = 0; k < TAPS; k++) for (int i = 0; i < n; i++) w[k][i] /= sum[i];
}

static void find_many(const warp *w, piece *p, int n)
{
  const int taps = w->how == LANCZOS ? 6 : 4, before = taps / 2 - 1;
  const float bottom = (float)(w->height - 1), right = (float)(w->width - 1);
  const int32_t sy = (int32_t)w->sy, sx = (int32_t)w->sx;
  const int32_t most_y = (int32_t)w->height - taps, most_x = (int32_t)w->width - taps;
  p->taps = taps;
  for (int i = 0; i < n; i++) {
    p->inside[i] = (p->py[i] >= 0) & (p->py[i] <= bottom) & (p->px[i] >= 0) & (p->px[i] <= right);
  }
  for (int i = 0; i < n; i++) {
    const float y = limit(p->py[i], bottom), x = limit(p->px[i], right);
    const int32_t iy = (int32_t)y - before, ix = (int32_t)x - before;
    p->whole[i] = (iy >= 0) & (iy <= most_y) & (ix >= 0) & (ix <= most_x);
    p->row[i] = iy;
    p->column[i] = ix;
    p->at[i] = p->whole[i] ? iy * sy + ix * sx : 0;
    p->py[i] = y - (float)(iy + before);
    p->px[i] = x - (float)(ix + before);
  }
  (w->how == LANCZOS ? weigh_lanczos : weigh_curve)(p->py, n, p->wy);
  (w->how == LANCZOS ? weigh_lanczos : weigh_curve)(p->px, n, p->wx);
}

/* Fills in where the pixels of a piece are read. */
static void find(const warp *w, piece *p, int64_t group, int64_t row, int64_t first, int n)
{
  if (w->how == SIMPLE && find_in_field(w, p, group, row, first, n)) return;
  w->places(w, group, row, first, n, p->py, p->px);
  if (w->how == SIMPLE) find_nearest(w, p, n);
  else if (w->how == BILINEAR) find_four(w, p, n);
  else find_many(w, p, n);
}

/* The first i from `first` on whose flag is 0, or n. Flags are 0 or 1. */
static int next_zero(const uint8_t *flags, int first, int n)
{
  int i = first;
  while (i < n) {
    uint64_t eight = 0;
    if (i + 8 <= n) memcpy(&eight, flags + i, sizeof eight);
    if (eight == 0x0101010101010101) i += 8;
    else if (flags[i]) i++;
    else return i;
  }
  return n;
}
#endif
