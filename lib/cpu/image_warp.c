/* image_warp.c - pictures read at computed positions: fields, rotations, polar coordinates.
 *
 * A block takes a piece of a row, computes the positions of its pixels once, and reads all planes there. Positions are floats. */
#ifndef T
#include "kernel.h"
#include "../op/image_geometry.args.h"
#include "slots.h"
#include "image_places.h"
#include "image_planes.h"
#include "image_vector.h"

/* Loops that load from places in memory: GCC's vectors of places cost more than they save, since it takes each out again. */
#ifdef __clang__
#define SCALAR __attribute__((noinline))
#else
#define SCALAR __attribute__((noinline, optimize("no-tree-vectorize")))
#endif

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

/* Numbers of 2 or 4 bytes from four places, side by side. Loops over places that the compiler cannot see through become gathers,
 * which are slower for parts of 4 bytes. */
TH_INLINE __m128i four_places(const uint8_t *x, const int32_t *at, int bytes)
{
  __m128i v = _mm_cvtsi32_si128(bytes_at(x + at[0], bytes));
  if (bytes == 2) {
    v = _mm_insert_epi16(v, bytes_at(x + at[1], 2), 1);
    v = _mm_insert_epi16(v, bytes_at(x + at[2], 2), 2);
    return _mm_insert_epi16(v, bytes_at(x + at[3], 2), 3);
  }
  v = _mm_insert_epi32(v, bytes_at(x + at[1], 4), 1);
  v = _mm_insert_epi32(v, bytes_at(x + at[2], 4), 2);
  return _mm_insert_epi32(v, bytes_at(x + at[3], 4), 3);
}

/* v[0] and v[1] become the pixels at[0..7] and their neighbours to the right. */
TH_INLINE void load_twos(const void *pixels, const int32_t *at, __m256 *v, int dtype)
{
  if (dtype == TH_U8) {
    const __m128i a = four_places(pixels, at, 2), b = four_places(pixels, at + 4, 2);
    const __m256i both = _mm256_cvtepu16_epi32(_mm_unpacklo_epi64(a, b));
    v[0] = byte_of(both, 0);
    v[1] = _mm256_cvtepi32_ps(_mm256_srli_epi32(both, 8));
  } else {
    const float *x = pixels;
    __m128 two[4];
    for (int k = 0; k < 4; k++) {
      const int32_t *from = at + (k & 1 ? 2 : 0) + (k & 2 ? 4 : 0);
      const __m128i low = _mm_loadl_epi64((const __m128i *)(x + from[0])), high = _mm_loadl_epi64((const __m128i *)(x + from[1]));
      two[k] = _mm_castsi128_ps(_mm_unpacklo_epi64(low, high));
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
    const __m128i a = four_places(pixels, at, 4), b = four_places(pixels, at + 4, 4);
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

/* y = the pixels at places, 16 at a time; `last` is the last pixel of the plane. Returns the next i. With AVX-512 a gather takes
 * three quarters of the time of single loads and stores. Bytes are loaded four at a time, but not behind the last one. */
#ifdef __AVX512F__
TH_INLINE int gather(const int32_t *at, int n, const void *x, void *y, int64_t last, int bytes)
{
  const int64_t most = last - 3;
  int i = 0;
  if (bytes == 4) {
    for (; i + 16 <= n; i += 16) {
      _mm512_storeu_si512((int32_t *)y + i, _mm512_i32gather_epi32(_mm512_loadu_si512(at + i), x, 4));
    }
  } else if (bytes == 1 && most >= 0) {
    for (; i + 16 <= n; i += 16) {
      const __m512i place = _mm512_loadu_si512(at + i), from = _mm512_min_epi32(place, _mm512_set1_epi32((int32_t)most));
      const __m512i skipped = _mm512_slli_epi32(_mm512_sub_epi32(place, from), 3);
      const __m512i v = _mm512_srlv_epi32(_mm512_i32gather_epi32(from, x, 1), skipped);
      _mm_storeu_si128((__m128i *)((uint8_t *)y + i), _mm512_cvtepi32_epi8(v));
    }
  }
  return i;
}
#else
TH_INLINE int gather(const int32_t *at, int n, const void *x, void *y, int64_t last, int bytes)
{
  (void)at; (void)n; (void)x; (void)y; (void)last; (void)bytes;
  return 0;
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

static SCALAR void K(load_nearest)(const warp *w, const piece *p, int n, const T *restrict x, T *restrict y)
{
  if (w->tx != 1) {
    for (int i = 0; i < n; i++) y[i * w->tx] = x[p->at[i]];
    return;
  }
  int i = gather(p->at, n, x, y, (w->height - 1) * w->sy + (w->width - 1) * w->sx, sizeof(T));
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
  K(load_nearest)(w, p, n, x, y);
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
  const int64_t most = w->how == SIMPLE ? LONG_PIECE : PIECE;
  piece *p = th_slot_take(&w->slots);
  for (int64_t k = first; k < last; k++) {
    const int64_t group = k / height, row = k % height;
    for (int64_t j = 0; j < width; j += most) {
      const int n = (int)th_min(most, width - j);
      find(w, p, group, row, j, n);
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
  const image_warp_args *a = image_warp_args_of(c);
  const th_tensor *y = a->y, *x = a->x;
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

/* to = places from `start` on, each `far` behind the one before, plus a line of the field. */
static void K(read_field)(const th_tensor *f, int64_t at, int n, float start, float far, float *restrict to)
{
  const int64_t step = f->stride[f->ndim - 1];
  if (f->dtype == TH_F32) {
    const float *restrict from = TH_DATA(float, f) + at;
    if (step == 1) for (int i = 0; i < n; i++) to[i] = start + far * (float)i + from[i];
    else for (int i = 0; i < n; i++) to[i] = start + far * (float)i + from[i * step];
  } else if (f->dtype == TH_F64) {
    const double *from = TH_DATA(double, f) + at;
    for (int i = 0; i < n; i++) to[i] = start + far * (float)i + (float)from[i * step];
  } else {
    const T *from = TH_DATA(T, f) + at;
    for (int i = 0; i < n; i++) to[i] = start + far * (float)i + (float)K(value_of)(from[i * step]);
  }
}

static void K(places_of_field)(const warp *w, int64_t group, int64_t row, int64_t first, int n, float *py, float *px)
{
  const th_tensor *f = w->field;
  const int64_t at = field_at(f, group, row, first);
  K(read_field)(f, at, n, w->offset ? (float)row : 0, 0, py);
  K(read_field)(f, at + f->stride[f->ndim - 3], n, w->offset ? (float)first : 0, w->offset ? 1 : 0, px);
}

static th_status K(image_warp)(const th_call *c)
{
  const image_warp_args *a = image_warp_args_of(c);
  warp w = { .field = a->field, .places = K(places_of_field), .offset = a->offset != 0,
             .how = method_of(a->mode), .clamp = a->clamp[0] == 'c', .pad = a->pad };
  if (w.field->ndim == 4) w.groups = w.field->size[0];
  return K(run_warp)(c, &w);
}

static th_status K(image_rotate)(const th_call *c)
{
  const image_rotate_args *a = image_rotate_args_of(c);
  warp w = { .places = places_of_rotation, .how = method_of(a->mode), .edge = NEAREST,
             .sine = (float)sin(a->angle), .cosine = (float)cos(a->angle) };
  return K(run_warp)(c, &w);
}

static th_status K(image_affine)(const th_call *c)
{
  const image_affine_args *a = image_affine_args_of(c);
  warp w = { .places = places_of_affine, .how = method_of(a->mode), .down = a->down,
             .right = a->right, .clamp = a->clamp[0] == 'c', .pad = a->pad };
  for (int i = 0; i < 4; i++) w.matrix[i] = c->arg[2 + i].d;
  return K(run_warp)(c, &w);
}

static th_status K(image_polar)(const th_call *c)
{
  const image_polar_args *a = image_polar_args_of(c);
  const th_tensor *x = a->x;
  const double height = (double)x->size[x->ndim - 2], width = (double)x->size[x->ndim - 1];
  const bool full = a->area[0] == 'f';
  warp w = { .places = places_of_polar, .how = method_of(a->mode), .edge = CORNER,
             .radius = full ? sqrt(width * width + height * height) / 2 : (height < width ? height : width) / 2,
             .log = a->log != 0 };
  return K(run_warp)(c, &w);
}
#endif
