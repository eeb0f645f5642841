/* image_warp.c - pictures read at computed positions: fields, rotations, polar coordinates.
 *
 * A block takes a piece of a row, computes the positions of its pixels once, and reads all planes there. Positions are floats. */
#ifndef T
#include "kernel.h"
#include "slots.h"
#include "image_vector.h"
#include "../formula/math.h"
#include "../op/image_geometry.h"

static const float PI = 3.14159265358979f;
#define ROOT 0.86602540378443864676             /* the sine of a sixth of a turn */
enum { PIECE = 256, TAPS = 6 };                 /* pixels of a piece; the most that a side of one sample takes */

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
  int64_t groups, planes;                       /* pictures with positions of their own, and planes of each */
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
  float   py[PIECE], px[PIECE];                 /* rows and columns, then the parts behind the whole numbers */
  int32_t at[PIECE], below[PIECE], right[PIECE]; /* the pixel above to the left; the one below it or the same; the way to the
                                                   next column, or 0 */
  int32_t row[PIECE], column[PIECE];            /* where sums of 4 x 4 or 6 x 6 pixels begin; that is `at` where all of them */
  uint8_t inside[PIECE], whole[PIECE];          /* are in the picture, which `whole` says */
  float   wy[TAPS][PIECE], wx[TAPS][PIECE];     /* their weights */
  int32_t taps;
  double  values[4 * PIECE];                    /* four values a pixel, of a type that is as long or shorter */
} piece;

/* Loops that load from places in memory: GCC's vectors of places cost more than they save, since it takes each out again. */
#ifdef __clang__
#define SCALAR __attribute__((noinline))
#else
#define SCALAR __attribute__((noinline, optimize("no-tree-vectorize")))
#endif

static int64_t plane_offset(const th_tensor *t, int64_t k)
{
  int64_t off = 0;
  for (int d = t->ndim - 3; d >= 0; d--) {
    off += k % t->size[d] * t->stride[d];
    k /= t->size[d];
  }
  return off;
}

/* p limited to 0..most; NaN becomes 0. */
TH_INLINE float limit(float p, float most)
{
  p = p > 0 ? p : 0;
  return p < most ? p : most;
}

/* The functions that find pixels take the edge as a constant: only then do their loops become vectors. */
TH_INLINE void find_nearest_by(const warp *w, piece *restrict p, int n, edge kind)
{
  const float bottom = (float)(w->height - 1), right = (float)(w->width - 1), half = kind == CORNER ? 0 : 0.5f;
  const int32_t sy = (int32_t)w->sy, sx = (int32_t)w->sx;
  for (int i = 0; i < n; i++) {
    const float y = floorf(p->py[i] + half), x = floorf(p->px[i] + half);
    p->at[i] = (int32_t)limit(y, bottom) * sy + (int32_t)limit(x, right) * sx;
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

#if IMAGE_VECTORS
TH_INLINE __m256 two_halves(__m128 low, __m128 high) { return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1); }

/* The bytes i of eight 32-bit numbers, as floats. */
TH_INLINE __m256 byte_of(__m256i v, int i)
{
  v = _mm256_srli_epi32(v, 8 * i);
  return _mm256_cvtepi32_ps(i == 3 ? v : _mm256_and_si256(v, _mm256_set1_epi32(255)));
}

TH_INLINE int bytes_at(const void *p, int n)
{
  int32_t v = 0;
  memcpy(&v, p, (size_t)n);
  return v;
}

/* v[0] and v[1] become the pixels at[0..7] and their neighbours to the right. Loops over places that the compiler cannot see
 * through become gathers, which are slower. */
TH_INLINE void load_twos(const void *pixels, const int32_t *at, __m256 *v, int dtype)
{
  if (dtype == TH_U8) {
    const uint8_t *x = pixels;
    __m128i a = _mm_cvtsi32_si128(bytes_at(x + at[0], 2)), b = _mm_cvtsi32_si128(bytes_at(x + at[4], 2));
    a = _mm_insert_epi16(a, bytes_at(x + at[1], 2), 1);
    b = _mm_insert_epi16(b, bytes_at(x + at[5], 2), 1);
    a = _mm_insert_epi16(a, bytes_at(x + at[2], 2), 2);
    b = _mm_insert_epi16(b, bytes_at(x + at[6], 2), 2);
    a = _mm_insert_epi16(a, bytes_at(x + at[3], 2), 3);
    b = _mm_insert_epi16(b, bytes_at(x + at[7], 2), 3);
    const __m256i both = _mm256_cvtepu16_epi32(_mm_unpacklo_epi64(a, b));
    v[0] = byte_of(both, 0);
    v[1] = _mm256_cvtepi32_ps(_mm256_srli_epi32(both, 8));
  } else {
    const float *x = pixels;
    __m128 two[4];
    for (int k = 0; k < 4; k++) {
      const int32_t *from = at + (k & 1 ? 2 : 0) + (k & 2 ? 4 : 0);
      two[k] = _mm_castpd_ps(_mm_loadh_pd(_mm_load_sd((const double *)(x + from[0])), (const double *)(x + from[1])));
    }
    const __m256 a = two_halves(two[0], two[2]), b = two_halves(two[1], two[3]);
    v[0] = _mm256_shuffle_ps(a, b, 0x88);
    v[1] = _mm256_shuffle_ps(a, b, 0xdd);
  }
}

/* v[0..3] become four pixels of a row each, from at[0..7] on. */
TH_INLINE void load_fours(const void *pixels, const int32_t *at, __m256 *v, int dtype)
{
  if (dtype == TH_U8) {
    const uint8_t *x = pixels;
    __m128i a = _mm_cvtsi32_si128(bytes_at(x + at[0], 4)), b = _mm_cvtsi32_si128(bytes_at(x + at[4], 4));
    a = _mm_insert_epi32(a, bytes_at(x + at[1], 4), 1);
    b = _mm_insert_epi32(b, bytes_at(x + at[5], 4), 1);
    a = _mm_insert_epi32(a, bytes_at(x + at[2], 4), 2);
    b = _mm_insert_epi32(b, bytes_at(x + at[6], 4), 2);
    a = _mm_insert_epi32(a, bytes_at(x + at[3], 4), 3);
    b = _mm_insert_epi32(b, bytes_at(x + at[7], 4), 3);
    const __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1);
    for (int k = 0; k < 4; k++) v[k] = byte_of(both, k);
  } else {
    const float *x = pixels;
    __m256 r[4];
    for (int k = 0; k < 4; k++) r[k] = two_halves(_mm_loadu_ps(x + at[k]), _mm_loadu_ps(x + at[k + 4]));
    const __m256 a = _mm256_unpacklo_ps(r[0], r[1]), b = _mm256_unpackhi_ps(r[0], r[1]);
    const __m256 c = _mm256_unpacklo_ps(r[2], r[3]), d = _mm256_unpackhi_ps(r[2], r[3]);
    v[0] = _mm256_shuffle_ps(a, c, 0x44);
    v[1] = _mm256_shuffle_ps(a, c, 0xee);
    v[2] = _mm256_shuffle_ps(b, d, 0x44);
    v[3] = _mm256_shuffle_ps(b, d, 0xee);
  }
}

TH_INLINE __m256 mix(__m256 part, __m256 rest, __m256 a, __m256 b)
{
  return _mm256_add_ps(_mm256_mul_ps(rest, a), _mm256_mul_ps(part, b));
}

/* Mixes four pixels for each i from `first` on, eight at a time, until one of eight has no column to its right. Returns the next
 * i. Pixels of a row follow each other. */
TH_INLINE int mix_fours(const piece *p, int first, int n, const void *x, float *to, int dtype)
{
  const __m256 one = _mm256_set1_ps(1);
  int i = first;
  for (; i + 8 <= n; i += 8) {
    const __m256i alone = _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)(p->right + i)), _mm256_setzero_si256());
    if (!_mm256_testz_si256(alone, alone)) break;
    __m256 a[2], b[2];
    load_twos(x, p->at + i, a, dtype);
    load_twos(x, p->below + i, b, dtype);
    const __m256 fx = _mm256_loadu_ps(p->px + i), fy = _mm256_loadu_ps(p->py + i), rest = _mm256_sub_ps(one, fx);
    _mm256_storeu_ps(to + i, mix(fy, _mm256_sub_ps(one, fy), mix(fx, rest, a[0], a[1]), mix(fx, rest, b[0], b[1])));
  }
  return i;
}

/* Sums of 4 x 4 or 6 x 6 pixels, eight at a time; those that are not whole come out wrong. Returns the next i. */
TH_INLINE int sum_eights(const warp *w, const piece *p, int n, const void *pixels, float *to, int taps, int dtype)
{
  const int64_t bytes = dtype == TH_U8 ? 1 : 4;
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    uint64_t whole;
    memcpy(&whole, p->whole + i, sizeof whole);
    if (whole == 0) continue;
    __m256 total = _mm256_setzero_ps();
    for (int j = 0; j < taps; j++) {
      const char *x = (const char *)pixels + j * w->sy * bytes;
      __m256 v[TAPS], line = _mm256_setzero_ps();
      load_fours(x, p->at + i, v, dtype);
      if (taps > 4) load_twos(x + 4 * bytes, p->at + i, v + 4, dtype);
      for (int k = 0; k < taps; k++) line = _mm256_add_ps(line, _mm256_mul_ps(_mm256_loadu_ps(p->wx[k] + i), v[k]));
      total = _mm256_add_ps(total, _mm256_mul_ps(_mm256_loadu_ps(p->wy[j] + i), line));
    }
    _mm256_storeu_ps(to + i, total);
  }
  return i;
}
#endif

#define TH_SELF "image_warp.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_image_warp)[TH_NDTYPE] = TH_ALL(image_warp);
const th_kernel TH_AT(th_image_rotate)[TH_NDTYPE] = TH_ALL(image_rotate);
const th_kernel TH_AT(th_image_affine)[TH_NDTYPE] = TH_ALL(image_affine);
const th_kernel TH_AT(th_image_polar)[TH_NDTYPE] = TH_ALL(image_polar);

#else
#include "pixel.h"

static SCALAR void K(load_nearest)(const piece *p, int n, const T *restrict x, T *restrict y, int64_t step)
{
  if (step != 1) {
    for (int i = 0; i < n; i++) y[i * step] = x[p->at[i]];
    return;
  }
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    const T a = x[p->at[i]], b = x[p->at[i + 1]], c = x[p->at[i + 2]], d = x[p->at[i + 3]];
    y[i] = a, y[i + 1] = b, y[i + 2] = c, y[i + 3] = d;
  }
  for (; i < n; i++) y[i] = x[p->at[i]];
}

static SCALAR void K(load_four)(const piece *p, int first, int n, const T *restrict x, K(value) *restrict to)
{
  for (int i = first; i < n; i++) {
    const T *a = x + p->at[i], *b = x + p->below[i];
    const int32_t right = p->right[i];
    to[i] = (K(value))LOAD(a[0]);
    to[PIECE + i] = (K(value))LOAD(a[right]);
    to[2 * PIECE + i] = (K(value))LOAD(b[0]);
    to[3 * PIECE + i] = (K(value))LOAD(b[right]);
  }
}

/* Where positions outside of the picture do not count, their pixels become the pad value. */
static void K(fill_outside)(const warp *w, const piece *p, int n, T *y)
{
  if (w->clamp) return;
  const T pad = ELEMENT(w->pad);
  for (int i = next_zero(p->inside, 0, n); i < n; i = next_zero(p->inside, i + 1, n)) y[i * w->tx] = pad;
}

static void K(read_nearest)(const warp *w, const piece *p, int n, const T *restrict x, T *restrict y)
{
  K(load_nearest)(p, n, x, y, w->tx);
  K(fill_outside)(w, p, n, y);
}

static void K(mix_four)(const float *restrict px, const float *restrict py, int first, int n, K(value) *restrict v)
{
  for (int i = first; i < n; i++) {
    const K(value) fx = px[i], fy = py[i];
    const K(value) top = (1 - fx) * v[i] + fx * v[PIECE + i];
    const K(value) bottom = (1 - fx) * v[2 * PIECE + i] + fx * v[3 * PIECE + i];
    v[i] = (1 - fy) * top + fy * bottom;
  }
}

static void K(read_four)(const warp *w, piece *p, int n, const T *restrict x, T *restrict y)
{
  K(value) *restrict v = (K(value) *)p->values;
  const float *restrict px = p->px, *restrict py = p->py;
  int done = 0;
#if IMAGE_VECTORS
  if ((DT == TH_U8 || DT == TH_F32) && w->sx == 1) {
    while (done + 8 <= n) {
      done = mix_fours(p, done, n, x, (void *)v, DT);
      if (done + 8 <= n) {                      /* the next eight have one in the last column */
        K(load_four)(p, done, done + 8, x, v);
        K(mix_four)(px, py, done, done + 8, v);
        done += 8;
      }
    }
  }
#endif
  K(load_four)(p, done, n, x, v);
  K(mix_four)(px, py, done, n, v);
  K(write_row)(y, v, w->tx, n);
  K(fill_outside)(w, p, n, y);
}

/* The sum of pixel i where some of its pixels lie outside of the picture: for them bicubic takes the pad value, as Torch7 did,
 * and lanczos the nearest at the edge. */
TH_INLINE K(value) K(sum_at_edge)(const warp *w, const piece *p, int i, const T *restrict x, int taps)
{
  const int32_t bottom = (int32_t)w->height - 1, right = (int32_t)w->width - 1;
  const K(value) pad = (K(value))w->pad;
  int64_t at[TAPS];
  bool there[TAPS];
  for (int k = 0; k < taps; k++) {
    const int32_t q = p->column[i] + k, column = q < 0 ? 0 : q > right ? right : q;
    at[k] = column * w->sx;
    there[k] = taps == 6 || q == column;
  }
  K(value) sum = 0;
  for (int j = 0; j < taps; j++) {
    const int32_t r = p->row[i] + j, row = r < 0 ? 0 : r > bottom ? bottom : r;
    const bool inside = taps == 6 || r == row;
    const T *from = x + row * w->sy;
    K(value) line = 0;
    for (int k = 0; k < taps; k++) {
      const K(value) v = K(value_of)(from[at[k]]);
      line += (K(value))p->wx[k][i] * ((inside && there[k]) ? v : pad);
    }
    sum += (K(value))p->wy[j][i] * line;
  }
  return sum;
}

TH_INLINE void K(sum_whole)(const warp *w, const piece *p, int n, const T *restrict x, K(value) *restrict sum, int taps)
{
  const int64_t sy = w->sy, sx = w->sx;
  int i = 0;
#if IMAGE_VECTORS
  if ((DT == TH_U8 || DT == TH_F32) && sx == 1) i = sum_eights(w, p, n, x, (void *)sum, taps, DT);
#endif
  for (; i < n; i++) {
    if (!p->whole[i]) continue;
    const T *from = x + p->at[i];
    K(value) total = 0;
    for (int j = 0; j < taps; j++) {
      K(value) line = 0;
      for (int k = 0; k < taps; k++) line += (K(value))p->wx[k][i] * K(value_of)(from[j * sy + k * sx]);
      total += (K(value))p->wy[j][i] * line;
    }
    sum[i] = total;
  }
}

/* Pixels as sums of 4 x 4 or 6 x 6 pixels. */
static void K(read_many)(const warp *w, piece *p, int n, const T *restrict x, T *restrict y)
{
  K(value) *const sum = (K(value) *)p->values;
  if (p->taps == 4) {
    K(sum_whole)(w, p, n, x, sum, 4);
    for (int i = next_zero(p->whole, 0, n); i < n; i = next_zero(p->whole, i + 1, n)) sum[i] = K(sum_at_edge)(w, p, i, x, 4);
  } else {
    K(sum_whole)(w, p, n, x, sum, 6);
    for (int i = next_zero(p->whole, 0, n); i < n; i = next_zero(p->whole, i + 1, n)) sum[i] = K(sum_at_edge)(w, p, i, x, 6);
  }
  K(write_row)(y, sum, w->tx, n);
  K(fill_outside)(w, p, n, y);
}

static void K(warp_rows)(void *ctx, int64_t first, int64_t last)
{
  warp *w = ctx;
  const int64_t height = w->y->size[w->y->ndim - 2], width = w->y->size[w->y->ndim - 1];
  piece *p = th_slot_take(&w->slots);
  for (int64_t k = first; k < last; k++) {
    const int64_t group = k / height, row = k % height;
    for (int64_t j = 0; j < width; j += PIECE) {
      const int n = (int)th_min(PIECE, width - j);
      w->places(w, group, row, j, n, p->py, p->px);
      if (w->how == SIMPLE) find_nearest(w, p, n);
      else if (w->how == BILINEAR) find_four(w, p, n);
      else find_many(w, p, n);
      for (int64_t plane = group * w->planes; plane < (group + 1) * w->planes; plane++) {
        const T *x = TH_DATA(T, w->x) + plane_offset(w->x, plane);
        T *y = TH_DATA(T, w->y) + plane_offset(w->y, plane) + row * w->ty + j * w->tx;
        if (w->how == SIMPLE) K(read_nearest)(w, p, n, x, y);
        else if (w->how == BILINEAR) K(read_four)(w, p, n, x, y);
        else K(read_many)(w, p, n, x, y);
      }
    }
  }
  th_slot_give(&w->slots, p);
}

/* Fills in what follows from the tensors, and runs. */
static th_status K(run_warp)(const th_call *c, warp *w)
{
  const th_tensor *y = c->arg[0].t, *x = c->arg[1].t;
  const int d = x->ndim - 1;
  if (th_numel(y) == 0) return TH_OK;
  w->y = y;
  w->x = x;
  w->height = x->size[d - 1];
  w->width = x->size[d];
  w->sy = x->stride[d - 1];
  w->sx = x->stride[d];
  w->ty = y->stride[d - 1];
  w->tx = y->stride[d];
  const int64_t height = y->size[d - 1], planes = th_numel(y) / (height * y->size[d]);
  if (w->groups == 0) w->groups = 1;
  w->planes = planes / w->groups;
  TH_TRY(th_slots_new(&w->slots, sizeof(piece)));
  const int64_t work = y->size[d] * w->planes * (w->how == LANCZOS ? 32 : w->how == BICUBIC ? 16 : 4);
  const th_status status = th_parallel(w->groups * height, th_max(1, 2 * TH_GRAIN / work), K(warp_rows), w);
  th_slots_free(&w->slots);
  return status;
}

/* Adds a line of the field to positions. */
static void K(add_field)(const th_tensor *f, int64_t at, int n, float *restrict to)
{
  const int64_t step = f->stride[f->ndim - 1];
  if (f->dtype == TH_F32) {
    const float *restrict from = TH_DATA(float, f) + at;
    if (step == 1) for (int i = 0; i < n; i++) to[i] += from[i];
    else for (int i = 0; i < n; i++) to[i] += from[i * step];
  } else if (f->dtype == TH_F64) {
    const double *from = TH_DATA(double, f) + at;
    for (int i = 0; i < n; i++) to[i] += (float)from[i * step];
  } else {
    const T *from = TH_DATA(T, f) + at;
    for (int i = 0; i < n; i++) to[i] += (float)K(value_of)(from[i * step]);
  }
}

static void K(places_of_field)(const warp *w, int64_t group, int64_t row, int64_t first, int n, float *py, float *px)
{
  const th_tensor *f = w->field;
  const int d = f->ndim - 1;
  const int64_t at = (f->ndim == 4 ? group * f->stride[0] : 0) + row * f->stride[d - 1] + first * f->stride[d];
  const float down = w->offset ? (float)row : 0, step = w->offset ? 1 : 0;
  const int32_t from = (int32_t)first;
  for (int i = 0; i < n; i++) {
    py[i] = down;
    px[i] = step * (float)(from + i);
  }
  K(add_field)(f, at, n, py);
  K(add_field)(f, at + f->stride[d - 2], n, px);
}

static th_status K(image_warp)(const th_call *c)
{
  warp w = { .field = c->arg[2].t, .places = K(places_of_field), .offset = c->arg[4].i != 0,
             .how = method_of(c->arg[3].s), .clamp = c->arg[5].s[0] == 'c', .pad = c->arg[6].d };
  if (w.field->ndim == 4) w.groups = w.field->size[0];
  return K(run_warp)(c, &w);
}

static th_status K(image_rotate)(const th_call *c)
{
  warp w = { .places = places_of_rotation, .how = method_of(c->arg[3].s), .edge = NEAREST,
             .sine = (float)sin(c->arg[2].d), .cosine = (float)cos(c->arg[2].d) };
  return K(run_warp)(c, &w);
}

static th_status K(image_affine)(const th_call *c)
{
  warp w = { .places = places_of_affine, .how = method_of(c->arg[8].s), .down = c->arg[6].d,
             .right = c->arg[7].d, .clamp = c->arg[9].s[0] == 'c', .pad = c->arg[10].d };
  for (int i = 0; i < 4; i++) w.matrix[i] = c->arg[2 + i].d;
  return K(run_warp)(c, &w);
}

static th_status K(image_polar)(const th_call *c)
{
  const th_tensor *x = c->arg[1].t;
  const double height = (double)x->size[x->ndim - 2], width = (double)x->size[x->ndim - 1];
  const bool full = c->arg[5].s[0] == 'f';
  warp w = { .places = places_of_polar, .how = method_of(c->arg[4].s), .edge = CORNER,
             .radius = full ? sqrt(width * width + height * height) / 2 : (height < width ? height : width) / 2,
             .log = c->arg[6].i != 0 };
  return K(run_warp)(c, &w);
}
#endif
