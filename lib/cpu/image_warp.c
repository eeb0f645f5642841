/* image_warp.c - pictures read at computed positions: fields, rotations, polar coordinates.
 *
 * A block takes a piece of a row, computes the positions of its pixels once, and reads all planes there. Positions are floats. */
#ifndef T
#include "kernel.h"
#include "slots.h"
#include "../op/image_geometry.h"

static const float PI = 3.14159265358979f;
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
  int32_t at[PIECE], down[PIECE], right[PIECE]; /* the pixel above to the left; the way to the next row and column, or 0 */
  uint8_t inside[PIECE], whole[PIECE];          /* whole: all pixels of a sum lie in the picture */
  float   wy[TAPS][PIECE], wx[TAPS][PIECE];     /* weights of sums of 4 x 4 or 6 x 6 pixels; these begin at row `down`, */
  int32_t taps;                                 /* column `right`, which is `at` where all are in the picture */
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

static void find_nearest(const warp *w, piece *p, int n)
{
  const float bottom = (float)(w->height - 1), right = (float)(w->width - 1), half = w->edge == CORNER ? 0 : 0.5f;
  const int32_t sy = (int32_t)w->sy, sx = (int32_t)w->sx;
  for (int i = 0; i < n; i++) {
    const float y = floorf(p->py[i] + half), x = floorf(p->px[i] + half);
    const float ey = w->edge == LAST ? p->py[i] : y, ex = w->edge == LAST ? p->px[i] : x;
    p->inside[i] = (ey >= 0) & (ey <= bottom) & (ex >= 0) & (ex <= right);
    p->at[i] = (int32_t)limit(y, bottom) * sy + (int32_t)limit(x, right) * sx;
  }
}

static void find_four(const warp *w, piece *p, int n)
{
  const float bottom = (float)(w->height - 1), right = (float)(w->width - 1), half = w->edge == CORNER ? 0 : 0.5f;
  const int32_t sy = (int32_t)w->sy, sx = (int32_t)w->sx;
  const int32_t last_y = (int32_t)w->height - 1, last_x = (int32_t)w->width - 1;
  for (int i = 0; i < n; i++) {
    const float y = limit(p->py[i], bottom), x = limit(p->px[i], right);
    const int32_t iy = (int32_t)y, ix = (int32_t)x;
    const float ey = w->edge == LAST ? p->py[i] : floorf(p->py[i] + half);
    const float ex = w->edge == LAST ? p->px[i] : floorf(p->px[i] + half);
    const bool alone = (w->edge == CORNER) & ((iy == last_y) | (ix == last_x));
    p->inside[i] = (ey >= 0) & (ey <= bottom) & (ex >= 0) & (ex <= right);
    p->at[i] = iy * sy + ix * sx;
    p->down[i] = iy < last_y ? sy : 0;
    p->right[i] = ix < last_x ? sx : 0;
    p->py[i] = alone ? 0 : y - (float)iy;
    p->px[i] = alone ? 0 : x - (float)ix;
  }
}

/* ---- positions ---- */

static void places_of_rotation(const warp *w, int64_t group, int64_t row, int64_t first, int n, float *py, float *px)
{
  (void)group;
  const float cy = (float)(w->height - 1) / 2, cx = (float)(w->width - 1) / 2, y = (float)row - cy;
  for (int i = 0; i < n; i++) {
    const float x = (float)(first + i) - cx;
    px[i] = cx + (w->cosine * x - w->sine * y);
    py[i] = cy + (w->cosine * y + w->sine * x);
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

static void weigh_lanczos(const float *part, int n, float (*w)[PIECE])
{
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int k = 0; k < TAPS; k++) {
      const float t = part[i] + 2 - (float)k;
      w[k][i] = t == 0 ? 1 : 3 * sinf(PI * t) * sinf(PI * t / 3) / (PI * PI * t * t);
      sum += w[k][i];
    }
    for (int k = 0; k < TAPS; k++) w[k][i] /= sum;
  }
}

static void find_many(const warp *w, piece *p, int n)
{
  const int taps = w->how == LANCZOS ? 6 : 4, before = taps / 2 - 1;
  const float bottom = (float)(w->height - 1), right = (float)(w->width - 1);
  const int32_t sy = (int32_t)w->sy, sx = (int32_t)w->sx;
  const int32_t most_y = (int32_t)w->height - taps, most_x = (int32_t)w->width - taps;
  p->taps = taps;
  for (int i = 0; i < n; i++) {
    const float y = limit(p->py[i], bottom), x = limit(p->px[i], right);
    const int32_t iy = (int32_t)y - before, ix = (int32_t)x - before;
    p->inside[i] = (p->py[i] >= 0) & (p->py[i] <= bottom) & (p->px[i] >= 0) & (p->px[i] <= right);
    p->whole[i] = (iy >= 0) & (iy <= most_y) & (ix >= 0) & (ix <= most_x);
    p->down[i] = iy;
    p->right[i] = ix;
    p->at[i] = p->whole[i] ? iy * sy + ix * sx : 0;
    p->py[i] = y - (float)(iy + before);
    p->px[i] = x - (float)(ix + before);
  }
  (w->how == LANCZOS ? weigh_lanczos : weigh_curve)(p->py, n, p->wy);
  (w->how == LANCZOS ? weigh_lanczos : weigh_curve)(p->px, n, p->wx);
}

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
  for (int i = 0; i < n; i++) y[i * step] = x[p->at[i]];
}

static SCALAR void K(load_four)(const piece *p, int n, const T *restrict x, K(value) *restrict to)
{
  for (int i = 0; i < n; i++) {
    const T *a = x + p->at[i], *b = a + p->down[i];
    const int32_t right = p->right[i];
    to[i] = (K(value))LOAD(a[0]);
    to[PIECE + i] = (K(value))LOAD(a[right]);
    to[2 * PIECE + i] = (K(value))LOAD(b[0]);
    to[3 * PIECE + i] = (K(value))LOAD(b[right]);
  }
}

static void K(read_nearest)(const warp *w, const piece *p, int n, const T *restrict x, T *restrict y)
{
  const T pad = ELEMENT(w->pad);
  K(load_nearest)(p, n, x, y, w->tx);
  if (!w->clamp) for (int i = 0; i < n; i++) if (!p->inside[i]) y[i * w->tx] = pad;
}

static void K(read_four)(const warp *w, piece *p, int n, const T *restrict x, T *restrict y)
{
  K(value) *restrict v = (K(value) *)p->values;
  const float *restrict px = p->px, *restrict py = p->py;
  const T pad = ELEMENT(w->pad);
  K(load_four)(p, n, x, v);
  for (int i = 0; i < n; i++) {
    const K(value) fx = px[i], fy = py[i];
    const K(value) top = (1 - fx) * v[i] + fx * v[PIECE + i];
    const K(value) bottom = (1 - fx) * v[2 * PIECE + i] + fx * v[3 * PIECE + i];
    v[i] = (1 - fy) * top + fy * bottom;
  }
  K(write_row)(y, v, w->tx, n);
  if (!w->clamp) for (int i = 0; i < n; i++) if (!p->inside[i]) y[i * w->tx] = pad;
}

/* The sum of pixel i where some of its pixels lie outside of the picture: for them bicubic takes the pad value, as Torch7 did,
 * and lanczos the nearest at the edge. */
static K(value) K(sum_at_edge)(const warp *w, const piece *p, int i, const T *x)
{
  const int32_t bottom = (int32_t)w->height - 1, right = (int32_t)w->width - 1;
  K(value) sum = 0;
  for (int j = 0; j < p->taps; j++) {
    const int32_t r = p->down[i] + j, row = r < 0 ? 0 : r > bottom ? bottom : r;
    K(value) line = 0;
    for (int k = 0; k < p->taps; k++) {
      const int32_t q = p->right[i] + k, column = q < 0 ? 0 : q > right ? right : q;
      const bool there = w->how == LANCZOS || (r == row && q == column);
      line += (K(value))p->wx[k][i] * (there ? K(value_of)(x[row * w->sy + column * w->sx]) : (K(value))w->pad);
    }
    sum += (K(value))p->wy[j][i] * line;
  }
  return sum;
}

TH_INLINE void K(sum_whole)(const warp *w, const piece *p, int n, const T *restrict x, K(value) *restrict sum, int taps)
{
  const int64_t sy = w->sy, sx = w->sx;
  for (int i = 0; i < n; i++) {
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
  const T pad = ELEMENT(w->pad);
  if (p->taps == 4) K(sum_whole)(w, p, n, x, sum, 4);
  else K(sum_whole)(w, p, n, x, sum, 6);
  for (int i = 0; i < n; i++) if (!p->whole[i]) sum[i] = K(sum_at_edge)(w, p, i, x);
  K(write_row)(y, sum, w->tx, n);
  if (!w->clamp) for (int i = 0; i < n; i++) if (!p->inside[i]) y[i * w->tx] = pad;
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
static void K(add_field)(const th_tensor *f, int64_t at, int n, float *to)
{
  const int64_t step = f->stride[f->ndim - 1];
  if (f->dtype == TH_F32) {
    const float *from = TH_DATA(float, f) + at;
    for (int i = 0; i < n; i++) to[i] += from[i * step];
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
  for (int i = 0; i < n; i++) {
    py[i] = w->offset ? (float)row : 0;
    px[i] = w->offset ? (float)(first + i) : 0;
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
