/* image_scale.c - pictures of another size, in two passes of one dimension each with weights computed before.
 *
 * Where rows become fewer, a block first combines the rows that a new one covers, then shrinks one row across. Where they
 * become more, each row is first scaled across, and the last four of them are kept. Either way a block needs a few rows
 * of memory, and a row of the result depends on nothing but the picture. Doubles are always scaled across first and summed in
 * floats: Torch7 did so, and recorded means of its results agree to the last bit. */
#ifndef T
#include "kernel.h"
#include "../op/image_geometry.args.h"
#include "slots.h"
#include "image_planes.h"
#include "image_vector.h"

/* Rows kept; sums of a long product; taps that are summed pixel by pixel; rows that one pass adds. */
enum { KEPT = 4, LANES = 8, FEW_TAPS = 8, AT_ONCE = 4 };

#ifdef __AVX512F__
enum { SPAN = 16 };                             /* floats of a vector */
#else
enum { SPAN = 8 };
#endif

typedef enum method { BILINEAR, BICUBIC, SIMPLE } method;

/* New pixel i is the sum of w times the `taps` pixels from from[i] on. Weights lie tap by tap, or, where there are many taps,
 * pixel by pixel; `taps` is then a multiple of LANES. */
typedef struct axis {
  int64_t  n;
  int      taps;
  bool     by_pixel;
  int      vectors;                             /* of old pixels that SPAN new ones come from: 1, 2, 4, or 0 for more */
  int64_t  inner;                               /* the new pixels, a multiple of SPAN, whose vectors end within the old row */
  int32_t *from;
  float   *w, *total;                           /* total: what sums are divided by; NULL where that is 1 */
} axis;

static inline float *weight(const axis *a, int64_t i, int k)
{
  return a->by_pixel ? a->w + i * a->taps + k : a->w + k * a->n + i;
}

/* The most pixels that a new one takes part of. */
static int box_taps(int64_t from, int64_t n)
{
  const float scale = (float)from / (float)n;
  int64_t most = 1;
  for (int64_t i = 0; i < n; i++) {
    const float begin = (float)i * scale, end = (float)(i + 1) * scale;
    const int64_t last = (int64_t)end - (end == (float)(int64_t)end);
    most = th_max(most, th_min(last, from - 1) - th_min((int64_t)begin, from - 1) + 1);
  }
  return (int)most;
}

static void add_box(const axis *a, int64_t i, int64_t n)
{
  const float scale = (float)n / (float)a->n, begin = (float)i * scale, end = (float)(i + 1) * scale;
  const int64_t first = th_min((int64_t)begin, n - 1), last = (int64_t)end;
  float sum = 0;
  a->from[i] = (int32_t)first;
  for (int64_t s = first; s <= th_min(last, n - 1) && s - first < a->taps; s++) {
    const float w = s == first ? 1 - (begin - (float)first) : s == last ? end - (float)last : 1;
    *weight(a, i, (int)(s - first)) = w;
    sum += w;
  }
  a->total[i] = sum;
}

/* Adds w times pixel s; one outside lies on the line through the last two. */
static void add_weight(const axis *a, int64_t i, int64_t s, float w, int64_t n)
{
  if (s < 0 || s >= n) {
    const int64_t edge = s < 0 ? 0 : n - 1, inner = s < 0 ? 1 : n - 2;
    add_weight(a, i, edge, 2 * w, n);
    add_weight(a, i, inner, -w, n);
  } else {
    *weight(a, i, (int)(s - a->from[i])) += w;
  }
}

static void add_curve(const axis *a, int64_t i, int64_t n, method how)
{
  const bool last = i == a->n - 1;
  const float scale = a->n == 1 ? (float)(n - 1) : (float)(n - 1) / (float)(a->n - 1);
  const int64_t s = last || n == 1 ? n - 1 : th_min((int64_t)((float)i * scale), n - 2);
  const float x = last || n == 1 ? 0 : (float)i * scale - (float)s;
  a->from[i] = (int32_t)(how == BILINEAR ? s : th_max(0, th_min(s - 1, n - a->taps)));
  if (x == 0) {
    add_weight(a, i, s, 1, n);
  } else if (how == BILINEAR) {
    add_weight(a, i, s, 1 - x, n);
    add_weight(a, i, s + 1, x, n);
  } else {
    add_weight(a, i, s - 1, 0.5f * x * (-1 + x * (2 - x)), n);
    add_weight(a, i, s, 1 + 0.5f * x * x * (-5 + 3 * x), n);
    add_weight(a, i, s + 1, 0.5f * x * (1 + x * (4 - 3 * x)), n);
    add_weight(a, i, s + 2, 0.5f * x * x * (x - 1), n);
  }
}

/* The weights that make n pixels of `from`; in scratch memory that begins at a->w. */
static th_status axis_new(axis *a, int64_t from, int64_t n, method how)
{
  const bool box = how == BILINEAR && n < from;
  a->n = n;
  a->taps = how == SIMPLE || n == from ? 1 : box ? box_taps(from, n) : how == BILINEAR ? 2 : 4;
  a->by_pixel = a->taps > FEW_TAPS;
  if (a->by_pixel) a->taps = (a->taps + LANES - 1) / LANES * LANES;
  const size_t bytes = (size_t)n * (size_t)(a->taps + 2) * sizeof(float);
  a->w = th_scratch(bytes);
  if (!a->w) return th_fail(TH_ENOMEM, "no memory for %zu bytes of weights", bytes);
  memset(a->w, 0, bytes);
  a->from = (int32_t *)(a->w + n * a->taps);
  a->total = box ? a->w + n * (a->taps + 1) : NULL;
  const float scale = (float)from / (float)n;
  for (int64_t i = 0; i < n; i++) {
    if (a->taps == 1) {
      a->from[i] = (int32_t)(n == from ? i : th_min((int64_t)((float)i * scale), from - 1));
      a->w[i] = 1;
    } else if (box) {
      add_box(a, i, from);
    } else {
      add_curve(a, i, from, how);
    }
  }
  int64_t reach = 0;
  for (int64_t i = 0; i + SPAN <= n; i += SPAN) reach = th_max(reach, a->from[i + SPAN - 1] - a->from[i] + a->taps);
  a->vectors = a->by_pixel || reach > 4 * SPAN ? 0 : reach > 2 * SPAN ? 4 : reach > SPAN ? 2 : 1;
  a->inner = 0;
  while (a->inner + SPAN <= n && a->from[a->inner] + a->vectors * SPAN <= from) a->inner += SPAN;
  return TH_OK;
}

static method method_of(const char *mode)
{
  return mode[0] == 's' ? SIMPLE : mode[2] == 'c' ? BICUBIC : BILINEAR;
}

/* SPAN new pixels that come from one, two or four vectors of old ones: loads and shuffles take the place of gathers, which cost a
 * cycle a pixel. Only GCC has shuffles by variable places. */
#if defined(__AVX2__) && !defined(__clang__)
typedef float span __attribute__((vector_size(4 * SPAN), aligned(4), may_alias));
typedef int32_t places __attribute__((vector_size(4 * SPAN), aligned(4), may_alias));

TH_INLINE span pick(const span *v, places at, int vectors)
{
  if (vectors == 1) return __builtin_shuffle(v[0], at);
  const span first = __builtin_shuffle(v[0], v[1], at);
  if (vectors == 2) return first;
  const span second = __builtin_shuffle(v[2], v[3], at);          /* places count modulo two vectors */
  const places near = at < 2 * SPAN;
  return (span)(((places)first & near) | ((places)second & ~near));
}

TH_INLINE int64_t spread_by(float *restrict to, const float *restrict row, const axis *a, int64_t i, int64_t n, int vectors,
                            int taps)
{
  for (; i + SPAN <= n; i += SPAN) {
    const int32_t base = a->from[i];
    const places at = *(const places *)(a->from + i) - base;
    span v[4];
    for (int j = 0; j < vectors; j++) v[j] = *(const span *)(row + base + j * SPAN);
    span sum = *(const span *)(a->w + i) * pick(v, at, vectors);
    for (int k = 1; k < taps; k++) sum += *(const span *)(a->w + k * a->n + i) * pick(v, at + k, vectors);
    *(span *)(to + i) = sum;
  }
  return i;
}

/* Writes the pixels first..n that fill vectors, and returns the next one. */
static int64_t spread(float *to, const float *row, const axis *a, int64_t first, int64_t n)
{
  switch (a->vectors) {
    case 1: return a->taps == 2 ? spread_by(to, row, a, first, n, 1, 2) : spread_by(to, row, a, first, n, 1, a->taps);
    case 2: return spread_by(to, row, a, first, n, 2, a->taps);
    case 4: return spread_by(to, row, a, first, n, 4, a->taps);
    default: return first;
  }
}
#else
static int64_t spread(float *to, const float *row, const axis *a, int64_t first, int64_t n)
{
  (void)to; (void)row; (void)a; (void)n;
  return first;
}
#endif

typedef struct scale {
  const th_tensor *y, *x;
  axis down, across;
  int64_t wide, sy, sx, ty, tx;                 /* the width of x; strides of x and of y */
  bool simple, across_first, rounds;            /* rounds: rows become pixels between the passes, as in Torch7 */
  th_slots slots;
} scale;

#if IMAGE_VECTORS
/* to = the sum of rows, each times its weight, or that added to it; divided by `by` where that is not NULL. */
TH_INLINE void sum_some_rows(float *restrict to, const void *const *rows, const float *w, int many, int64_t n, bool first,
                             const float *by, int dtype)
{
  __m256 u[AT_ONCE];
  for (int k = 0; k < many; k++) u[k] = _mm256_set1_ps(w[k]);
  const __m256 total = _mm256_set1_ps(by ? *by : 1);
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m256 v = _mm256_mul_ps(u[0], load_eight(rows[0], i, dtype));
    if (!first) v = _mm256_add_ps(_mm256_loadu_ps(to + i), v);
    for (int k = 1; k < many; k++) v = _mm256_add_ps(v, _mm256_mul_ps(u[k], load_eight(rows[k], i, dtype)));
    if (by) v = _mm256_div_ps(v, total);
    _mm256_storeu_ps(to + i, v);
  }
  for (; i < n; i++) {
    float v = w[0] * load_one(rows[0], i, dtype);
    if (!first) v = to[i] + v;
    for (int k = 1; k < many; k++) v += w[k] * load_one(rows[k], i, dtype);
    to[i] = by ? v / *by : v;
  }
}

TH_INLINE void sum_rows(float *to, const void *const *rows, const float *w, int many, int64_t n, bool first, const float *by,
                        int dtype)
{
  switch (many) {
    case 1: sum_some_rows(to, rows, w, 1, n, first, by, dtype); break;
    case 2: sum_some_rows(to, rows, w, 2, n, first, by, dtype); break;
    case 3: sum_some_rows(to, rows, w, 3, n, first, by, dtype); break;
    default: sum_some_rows(to, rows, w, AT_ONCE, n, first, by, dtype);
  }
}

/* A row of bytes between two rows. */
static void mix_bytes(uint8_t *restrict to, const float *restrict a, const float *restrict b, int64_t n, float wa, float wb)
{
  const __m256 u = _mm256_set1_ps(wa), v = _mm256_set1_ps(wb);
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) {
    __m256 m[4];
    for (int k = 0; k < 4; k++) {
      m[k] = _mm256_add_ps(_mm256_mul_ps(u, _mm256_loadu_ps(a + i + 8 * k)), _mm256_mul_ps(v, _mm256_loadu_ps(b + i + 8 * k)));
    }
    store_32_bytes(to + i, m[0], m[1], m[2], m[3]);
  }
  for (; i < n; i++) to[i] = nearest_byte(wa * a[i] + wb * b[i]);
}

/* The b for which n << b pixels become n, or -1 where no b up to 4 does. */
static int halvings(int64_t from, int64_t n)
{
  for (int b = 0; b <= 4; b++) if (from == n << b) return b;
  return -1;
}

/* to = the sum of `many` rows of bytes. */
static void add_bytes(uint16_t *restrict to, const uint8_t *restrict row, int64_t step, int many, int64_t n)
{
  int64_t i = 0;
  for (; i + 64 <= n; i += 64) {
    __m256i sum[4];
    for (int k = 0; k < 4; k++) sum[k] = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(row + i + 16 * k)));
    for (int r = 1; r < many; r++) {
      const uint8_t *from = row + r * step + i;
      for (int k = 0; k < 4; k++) {
        sum[k] = _mm256_add_epi16(sum[k], _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(from + 16 * k))));
      }
    }
    for (int k = 0; k < 4; k++) _mm256_storeu_si256((__m256i *)(to + i + 16 * k), sum[k]);
  }
  for (; i < n; i++) {
    uint16_t sum = 0;
    for (int r = 0; r < many; r++) sum = (uint16_t)(sum + row[r * step + i]);
    to[i] = sum;
  }
}

/* Rows of bytes whose pixels are means of 2^down x 2^across old ones, at most 256. Sums of as many bytes fit 16 bits, and their
 * means are the ones of the floats, which hold them, too. Behind the sums there is room for two vectors. */
static void halve_rows(void *ctx, int64_t first, int64_t last)
{
  scale *s = ctx;
  const int64_t height = s->down.n, width = s->across.n;
  const int down = halvings(s->x->size[s->x->ndim - 2], height), across = halvings(s->wide, width), bits = down + across;
  const __m256i half = _mm256_set1_epi16((int16_t)(1 << bits >> 1));
  const __m128i shift = _mm_cvtsi32_si128(bits);
  uint16_t *const sum = th_slot_take(&s->slots);
  for (int64_t k = first; k < last; k++) {
    const uint8_t *x = TH_DATA(uint8_t, s->x) + plane_offset(s->x, k / height) + ((k % height) << down) * s->sy;
    uint8_t *y = TH_DATA(uint8_t, s->y) + plane_offset(s->y, k / height) + k % height * s->ty;
    add_bytes(sum, x, s->sy, 1 << down, s->wide);
    for (int b = 1; b <= across; b++) {
      for (int64_t i = 0; i < s->wide >> b; i += 16) {
        const __m256i low = _mm256_loadu_si256((const __m256i *)(sum + 2 * i));
        const __m256i high = _mm256_loadu_si256((const __m256i *)(sum + 2 * i + 16));
        _mm256_storeu_si256((__m256i *)(sum + i), _mm256_permute4x64_epi64(_mm256_hadd_epi16(low, high), 0xd8));
      }
    }
    int64_t i = 0;
    for (; i + 32 <= width; i += 32) {
      const __m256i low = _mm256_add_epi16(_mm256_loadu_si256((const __m256i *)(sum + i)), half);
      const __m256i high = _mm256_add_epi16(_mm256_loadu_si256((const __m256i *)(sum + i + 16)), half);
      const __m256i both = _mm256_packus_epi16(_mm256_srl_epi16(low, shift), _mm256_srl_epi16(high, shift));
      _mm256_storeu_si256((__m256i *)(y + i), _mm256_permute4x64_epi64(both, 0xd8));
    }
    for (; i < width; i++) y[i] = (uint8_t)((sum[i] + (1 << bits >> 1)) >> bits);
  }
  th_slot_give(&s->slots, sum);
}

/* Is y made of means whose sums fit 16 bits? */
static bool halves(const scale *s, method how, int dtype)
{
  const int down = halvings(s->x->size[s->x->ndim - 2], s->y->size[s->y->ndim - 2]);
  const int across = halvings(s->wide, s->y->size[s->y->ndim - 1]);
  return dtype == TH_U8 && how == BILINEAR && s->sx == 1 && s->tx == 1 && down >= 0 && across > 0;
}
#else
static void halve_rows(void *ctx, int64_t first, int64_t last)
{
  (void)ctx; (void)first; (void)last;
}

static bool halves(const scale *s, method how, int dtype)
{
  (void)s; (void)how; (void)dtype;
  return false;
}
#endif

#define TH_SELF "image_scale.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_image_scale)[TH_NDTYPE] = TH_ALL(image_scale);

#else
#define TH_PIXEL_SINGLE
#include "pixel.h"
#undef TH_PIXEL_SINGLE

/* to = w * row, or added to it. */
TH_INLINE void K(add_pixels)(K(value) *restrict to, const T *restrict row, int64_t step, int64_t n, float w, bool first)
{
  if (step == 1 && first) {
    for (int64_t i = 0; i < n; i++) to[i] = (K(value))w * K(value_of)(row[i]);
  } else if (step == 1) {
    for (int64_t i = 0; i < n; i++) to[i] += (K(value))w * K(value_of)(row[i]);
  } else {
    for (int64_t i = 0; i < n; i++) to[i] = (first ? 0 : to[i]) + (K(value))w * K(value_of)(row[i * step]);
  }
}

/* The same of two rows whose pixels follow each other. */
static void K(add_two)(K(value) *restrict to, const T *restrict a, const T *restrict b, int64_t n, float wa, float wb, bool first)
{
  const K(value) u = (K(value))wa, v = (K(value))wb;
  if (first) for (int64_t i = 0; i < n; i++) to[i] = u * K(value_of)(a[i]) + v * K(value_of)(b[i]);
  else for (int64_t i = 0; i < n; i++) to[i] = (to[i] + u * K(value_of)(a[i])) + v * K(value_of)(b[i]);
}

TH_INLINE void K(add_values)(K(value) *restrict to, const K(value) *restrict row, int64_t n, float w, bool first)
{
  if (first) {
    for (int64_t i = 0; i < n; i++) to[i] = (K(value))w * row[i];
  } else {
    for (int64_t i = 0; i < n; i++) to[i] += (K(value))w * row[i];
  }
}

/* A row of pixels between two rows. */
static void K(mix_rows)(T *restrict to, const K(value) *restrict a, const K(value) *restrict b, int64_t n, float wa, float wb)
{
#if IMAGE_VECTORS
  if (DT == TH_U8) {
    mix_bytes((void *)to, (const void *)a, (const void *)b, n, wa, wb);
    return;
  }
#endif
  const K(value) u = (K(value))wa, v = (K(value))wb;
  for (int64_t i = 0; i < n; i++) to[i] = K(pixel)(u * a[i] + v * b[i]);
}

TH_INLINE void K(sum_taps)(K(value) *restrict to, const K(value) *restrict row, const axis *a, int64_t i, int taps)
{
  const int32_t *restrict from = a->from;
  const float *restrict w = a->w;
  const int64_t n = a->n;
  for (; i < n; i++) {
    K(value) sum = (K(value))w[i] * row[from[i]];
    for (int k = 1; k < taps; k++) sum += (K(value))w[k * n + i] * row[from[i] + k];
    to[i] = sum;
  }
}

/* The new pixels of a row from `first` on. Behind its pixels lie zeros, as many as the taps and four vectors. */
static void K(scale_row)(K(value) *restrict to, const K(value) *restrict row, const axis *a, int64_t first)
{
  const int64_t n = a->n;
  if (a->by_pixel) {
    const int32_t *restrict from = a->from;
    const float *restrict w = a->w + first * a->taps;
    for (int64_t i = first; i < n; i++, w += a->taps) {
      K(value) sum[LANES] = { 0 };
      for (int k = 0; k < a->taps; k += LANES) {
        for (int j = 0; j < LANES; j++) sum[j] += (K(value))w[k + j] * row[from[i] + k + j];
      }
      to[i] = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
    }
  } else {
    const int64_t done = sizeof(K(value)) == sizeof(float) ? spread((void *)to, (const void *)row, a, first, n) : first;
    switch (a->taps) {
      case 1: K(sum_taps)(to, row, a, done, 1); break;
      case 2: K(sum_taps)(to, row, a, done, 2); break;
      case 3: K(sum_taps)(to, row, a, done, 3); break;
      case 4: K(sum_taps)(to, row, a, done, 4); break;
      default: K(sum_taps)(to, row, a, done, a->taps);
    }
  }
  if (a->total) for (int64_t i = 0; i < n; i++) to[i] /= (K(value))a->total[i];
}

static void K(round_row)(K(value) *row, int64_t n)
{
  for (int64_t i = 0; i < n; i++) row[i] = K(value_of)(K(pixel)(row[i]));
}

/* A row whose pixels are copied. */
static void K(pick_row)(T *restrict to, const T *restrict row, const axis *a, int64_t step, int64_t from_step)
{
  const int32_t *restrict from = a->from;
  const int64_t n = a->n;
  if (step == 1 && from_step == 1) for (int64_t i = 0; i < n; i++) to[i] = row[from[i]];
  else for (int64_t i = 0; i < n; i++) to[i * step] = row[from[i] * from_step];
}

/* An old row scaled across. Its pixels are copied to `wide`, where zeros lie behind them; floats that lie side by side are read
 * where they are, but for those at the end. */
static void K(scale_line)(const scale *s, K(value) *to, K(value) *wide, const T *line)
{
  const axis *a = &s->across;
  const int64_t done = DT == TH_F32 && s->sx == 1 ? spread((void *)to, (const void *)line, a, 0, a->inner) : 0;
  const int64_t first = done == a->n ? s->wide : done ? a->from[done] : 0;
  K(add_pixels)(wide + first, line + first * s->sx, s->sx, s->wide - first, 1, true);
  K(scale_row)(to, wide, a, done);
}

/* to = the sum of the old rows that new row i comes from, the first at `line`. Returns whether it has divided by the total. */
static bool K(sum_down)(const scale *s, K(value) *to, const T *line, int64_t i)
{
  const axis *a = &s->down;
  int t = 0;
#if IMAGE_VECTORS
  if ((DT == TH_U8 || DT == TH_F32) && s->sx == 1) {
    const void *rows[AT_ONCE];
    float w[AT_ONCE];
    int many = 0;
    bool first = true;
    int paired = 0;                             /* rows that the loop below adds two by two, even with a weight of 0 */
    while (paired + 1 < a->taps && *weight(a, i, paired + 1) != 0) paired += 2;
    for (; t < a->taps; t++) {
      const float part = *weight(a, i, t);
      if (part == 0 && t > 0 && t >= paired) continue;
      if (many == AT_ONCE) {
        sum_rows((void *)to, rows, w, many, s->wide, first, NULL, DT);
        first = false;
        many = 0;
      }
      rows[many] = line + t * s->sy;
      w[many++] = part;
    }
    sum_rows((void *)to, rows, w, many, s->wide, first, a->total ? a->total + i : NULL, DT);
    return true;
  }
#endif
  for (; t + 1 < a->taps && s->sx == 1 && *weight(a, i, t + 1) != 0; t += 2) {
    K(add_two)(to, line + t * s->sy, line + (t + 1) * s->sy, s->wide, *weight(a, i, t), *weight(a, i, t + 1), t == 0);
  }
  for (; t < a->taps; t++) {
    const float part = *weight(a, i, t);
    if (part != 0 || t == 0) K(add_pixels)(to, line + t * s->sy, s->sx, s->wide, part, t == 0);
  }
  return false;
}

static void K(scale_rows)(void *ctx, int64_t first, int64_t last)
{
  scale *s = ctx;
  const int64_t height = s->down.n, width = s->across.n, room = s->wide + s->across.taps + 4 * SPAN;
  const bool same = width == s->wide;
  K(value) *const wide = th_slot_take(&s->slots), *const row = wide + room;
  K(value) *const kept = row + width;
  int64_t held[KEPT] = { -1, -1, -1, -1 }, at = -1;
  const T *x = NULL;
  T *y = NULL;
  memset(wide, 0, (size_t)room * sizeof *wide);
  for (int64_t k = first; k < last; k++) {
    const int64_t i = k % height;
    if (k / height != at) {
      at = k / height;
      x = TH_DATA(T, s->x) + plane_offset(s->x, at);
      y = TH_DATA(T, s->y) + plane_offset(s->y, at);
      for (int r = 0; r < KEPT; r++) held[r] = -1;
    }
    const int64_t from = s->down.from[i];
    T *const to = y + i * s->ty;
    if (s->simple) {
      K(pick_row)(to, x + from * s->sy, &s->across, s->tx, s->sx);
      continue;
    }
    K(value) *result = row;
    bool divided = false;
    if (s->across_first) {
      float w[2] = { 0 };
      const K(value) *rows[2];
      int many = 0;
      for (int t = 0; t < s->down.taps; t++) {
        const float part = *weight(&s->down, i, t);
        if (part == 0) continue;
        const int r = (int)((from + t) % KEPT);
        if (held[r] != from + t) {
          K(scale_line)(s, kept + r * width, wide, x + (from + t) * s->sy);
          if (s->rounds) K(round_row)(kept + r * width, width);
          held[r] = from + t;
        }
        if (s->down.taps == 2) {
          w[many] = part;
          rows[many] = kept + r * width;
        } else {
          K(add_values)(row, kept + r * width, width, part, many == 0);
        }
        many++;
      }
      if (s->down.taps == 2 && s->tx == 1 && !s->down.total) {
        K(mix_rows)(to, rows[0], rows[many - 1], width, w[0], w[1]);
        continue;
      }
      if (s->down.taps == 2) for (int m = 0; m < many; m++) K(add_values)(row, rows[m], width, w[m], m == 0);
    } else {
      divided = K(sum_down)(s, wide, x + from * s->sy, i);
    }
    if (s->down.total && !divided) {
      K(value) *sum = s->across_first ? row : wide;
      const K(value) by = (K(value))s->down.total[i];
      for (int64_t j = 0; j < (s->across_first ? width : s->wide); j++) sum[j] /= by;
    }
    if (!s->across_first && same) result = wide;
    else if (!s->across_first) K(scale_row)(row, wide, &s->across, 0);
    K(write_row)(to, result, s->tx, width);
  }
  th_slot_give(&s->slots, wide);
}

static th_status K(image_scale)(const th_call *c)
{
  const image_scale_args *a = image_scale_args_of(c);
  const th_tensor *y = a->y, *x = a->x;
  const int d = x->ndim - 1;
  const method how = method_of(a->mode);
  scale s = { .y = y, .x = x, .wide = x->size[d], .sy = x->stride[d - 1], .sx = x->stride[d],
              .ty = y->stride[d - 1], .tx = y->stride[d], .simple = how == SIMPLE, .rounds = IS_INT && how == BICUBIC };
  s.across_first = y->size[d - 1] > x->size[d - 1] || s.rounds || DT == TH_F64;
  if (th_numel(y) == 0) return TH_OK;
  th_status status = axis_new(&s.down, x->size[d - 1], y->size[d - 1], how);
  if (status != TH_OK) return status;
  status = axis_new(&s.across, s.wide, y->size[d], how);
  if (status == TH_OK) {
    const int64_t room = s.wide + s.across.taps + 4 * SPAN + (KEPT + 1) * s.across.n;
    status = th_slots_new(&s.slots, (size_t)room * sizeof(K(value)));
    if (status == TH_OK) {
      const int64_t rows = th_numel(y) / y->size[d];
      const int64_t work = s.down.taps * s.wide + s.across.taps * s.across.n;
      status = th_parallel(rows, th_max(1, 2 * TH_GRAIN / work), halves(&s, how, DT) ? halve_rows : K(scale_rows), &s);
      th_slots_free(&s.slots);
    }
    th_scratch_free(s.across.w);
  }
  th_scratch_free(s.down.w);
  return status;
}
#endif
