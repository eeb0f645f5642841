/* compress.c - rows of gradients in fewer bytes. Each row is packed by itself, so the cut among threads leaves no trace; sums
 * run in 64 bytes of lanes at every level, so levels give the same bits.
 *
 *   half, bfloat16   the halves nearest to the elements
 *   int8             the largest size / 127, then for each element how many times that: rounded up as often as it is near
 *   onebit           the mean of the elements that are at least 0, and of the others, then a bit for each element
 *   topk             the k elements of largest size, then their places; of equal ones the first
 */
#ifndef T
#include "../comm/base/compress.h"
#include "../core/philox.h"
#include "elementwise.h"

enum { LANES = 16, WORD = 32, PIECE = 512 };        /* of `largest`; bits of a word; elements at a time */
/* Elements may be worked on in any order. */
#define EACH TH_VECTORISE for

/* The vectors of the level: so many make 64 bytes, which sums run in. */
#if defined __AVX512F__
enum { VECTOR = 64 };
#elif defined __AVX2__
enum { VECTOR = 32 };
#else
enum { VECTOR = 16 };
#endif
enum { PARTS = 64 / VECTOR };

/* Bit l: whether element l of a vector is at least 0. */
TH_INLINE uint32_t bits_of_f32(const float *s)
{
#if defined __AVX512F__
  return _mm512_cmp_ps_mask(_mm512_loadu_ps(s), _mm512_setzero_ps(), _CMP_GE_OQ);
#elif defined __AVX2__
  return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(s), _mm256_setzero_ps(), _CMP_GE_OQ));
#elif defined __SSE2__
  return (uint32_t)_mm_movemask_ps(_mm_cmpge_ps(_mm_loadu_ps(s), _mm_setzero_ps()));
#else
  uint32_t w = 0;
  for (int l = 0; l < VECTOR / 4; l++) w |= (uint32_t)(s[l] >= 0) << l;
  return w;
#endif
}
TH_INLINE uint32_t bits_of_f64(const double *s)
{
#if defined __AVX512F__
  return _mm512_cmp_pd_mask(_mm512_loadu_pd(s), _mm512_setzero_pd(), _CMP_GE_OQ);
#elif defined __AVX2__
  return (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd(_mm256_loadu_pd(s), _mm256_setzero_pd(), _CMP_GE_OQ));
#elif defined __SSE2__
  return (uint32_t)_mm_movemask_pd(_mm_cmpge_pd(_mm_loadu_pd(s), _mm_setzero_pd()));
#else
  uint32_t w = 0;
  for (int l = 0; l < VECTOR / 8; l++) w |= (uint32_t)(s[l] >= 0) << l;
  return w;
#endif
}

typedef int32_t size_f32;           /* sizes as whole numbers */
typedef int64_t size_f64;

#define TH_EACH_FLOATS
#define TH_SELF "compress.c"
#include "each_dtype.h"

/* What is lost by halves is kept as floats. */
const th_codec TH_AT(th_codec)[TH_NDTYPE] = {
  [TH_F16] = { add_f16, encode_f32, decode_f32, store_f16 }, [TH_BF16] = { add_bf16, encode_f32, decode_f32, store_bf16 },
  [TH_F32] = { add_f32, encode_f32, decode_f32, store_f32 }, [TH_F64] = { add_f64, encode_f64, decode_f64, store_f64 },
};

#else

/* ---- tensors ---- */

static void K(add)(void *to, const void *of, const void *error, int64_t n)
{
  C *s = to;
  const T *x = of;
  const C *e = error;
  if (e) {
    EACH (int64_t i = 0; i < n; i++) s[i] = LOAD(x[i]) + e[i];
  } else {
    EACH (int64_t i = 0; i < n; i++) s[i] = LOAD(x[i]);
  }
}

static void K(store)(void *to, const void *from, int64_t n, double scale)
{
  T *x = to;
  const C *s = from, by = (C)scale;
  EACH (int64_t i = 0; i < n; i++) x[i] = STORE(s[i] * by);
}

#if !IS_HALF
#define IS_DOUBLE (sizeof(C) == 8)
#define ABS(v) _Generic((C)0, float: fabsf, double: fabs)(v)
#define FLOOR(v) _Generic((C)0, float: floorf, double: floor)(v)
#define MOST (IS_DOUBLE ? (C)1.7976931348623157e308 : (C)3.4028234663852886e38)     /* the largest finite one */
#define LEAST (IS_DOUBLE ? (C)2.2250738585072014e-308 : (C)1.17549435e-38f)         /* the smallest normal one */

static bool K(finite)(const C *s, int64_t n)
{
  int bad = 0;
  EACH (int64_t i = 0; i < n; i++) bad |= !(ABS(s[i]) <= MOST);
  return !bad;
}

/* ---- as they are ---- */

static bool K(encode_raw)(C *s, int64_t n, char *to)
{
  const bool good = K(finite)(s, n);
  memcpy(to, s, (size_t)n * sizeof *s);
  memset(s, 0, (size_t)n * sizeof *s);
  return good;
}

static void K(decode_raw)(C *s, int64_t n, const char *from, bool adds)
{
  const C *x = (const C *)from;
  if (!adds) memcpy(s, x, (size_t)n * sizeof *s);
  else EACH (int64_t i = 0; i < n; i++) s[i] += x[i];
}

/* ---- halves: what they cannot hold is cut to their largest, and the rest travels later ---- */

static bool K(encode_half)(const int kind, C *s, int64_t all, char *to)
{
  const C most = kind == TH_COMPRESS_HALF ? (C)65504 : (C)3.38953139e38f;
  const bool good = K(finite)(s, all);
  float x[PIECE];
  for (int64_t first = 0; first < all; first += PIECE, s += PIECE) {
    const int64_t n = th_min(PIECE, all - first);
    EACH (int64_t i = 0; i < n; i++) x[i] = (float)(s[i] > most ? most : s[i] < -most ? -most : s[i]);
    if (kind == TH_COMPRESS_HALF) {
      th_f16 *h = (th_f16 *)to + first;
      TH_AT(th_store_f16s)(h, x, n);
      TH_AT(th_load_f16s)(x, h, n);
    } else {
      th_bf16 *h = (th_bf16 *)to + first;
      EACH (int64_t i = 0; i < n; i++) h[i] = th_store_bf16(x[i]);
      EACH (int64_t i = 0; i < n; i++) x[i] = th_load_bf16(h[i]);
    }
    EACH (int64_t i = 0; i < n; i++) s[i] -= (C)x[i];
  }
  return good;
}

static void K(decode_half)(const int kind, C *s, int64_t all, const char *from, bool adds)
{
  float x[PIECE];
  for (int64_t first = 0; first < all; first += PIECE, s += PIECE) {
    const int64_t n = th_min(PIECE, all - first);
    const th_bf16 *h = (const th_bf16 *)from + first;
    if (kind == TH_COMPRESS_HALF) TH_AT(th_load_f16s)(x, (const th_f16 *)from + first, n);
    else EACH (int64_t i = 0; i < n; i++) x[i] = th_load_bf16(h[i]);
    if (adds) EACH (int64_t i = 0; i < n; i++) s[i] += (C)x[i];
    else EACH (int64_t i = 0; i < n; i++) s[i] = (C)x[i];
  }
}

/* ---- 8 bits ---- */

static C K(largest)(const C *s, int64_t n)
{
  C lane[LANES] = { 0 }, most = 0;
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    EACH (int l = 0; l < LANES; l++) lane[l] = ABS(s[i + l]) > lane[l] ? ABS(s[i + l]) : lane[l];
  }
  for (; i < n; i++) lane[0] = ABS(s[i]) > lane[0] ? ABS(s[i]) : lane[0];
  for (int l = 0; l < LANES; l++) most = lane[l] > most ? lane[l] : most;
  return most;
}

/* Element i takes the 16 bits i of the row's random words: so far it is from 0, in steps, to be rounded up. */
static bool K(encode_int8)(const th_packing *p, C *s, char *to)
{
  const bool good = K(finite)(s, p->n);
  const C step = K(largest)(s, p->n) / 127, inverse = step >= LEAST ? 1 / step : 0;
  uint32_t word[PIECE / 2];
  uint16_t chance[PIECE];
  int8_t *q = (int8_t *)to + sizeof(C);
  memcpy(to, &step, sizeof step);
  for (int64_t first = 0; first < p->n; first += PIECE) {
    const int64_t n = th_min(PIECE, p->n - first);
    th_philox_blocks(p->key, p->stream, p->block + (uint64_t)(first / 8), word, (n + 7) / 8);
    for (int64_t i = 0; i < (n + 1) / 2; i++) {
      chance[2 * i] = (uint16_t)word[i];
      chance[2 * i + 1] = (uint16_t)(word[i] >> 16);
    }
    C *x = s + first;
    EACH (int64_t i = 0; i < n; i++) {
      C v = FLOOR(x[i] * inverse + ((C)chance[i] + (C)0.5) * (C)(1 / 65536.0));
      v = v > 127 ? 127 : v < -127 ? -127 : v;
      q[first + i] = (int8_t)v;
      x[i] -= v * step;
    }
  }
  return good;
}

static void K(decode_int8)(C *s, int64_t n, const char *from, bool adds)
{
  const int8_t *q = (const int8_t *)from + sizeof(C);
  C step;
  memcpy(&step, from, sizeof step);
  if (adds) EACH (int64_t i = 0; i < n; i++) s[i] += (C)q[i] * step;
  else EACH (int64_t i = 0; i < n; i++) s[i] = (C)q[i] * step;
}

/* ---- one bit ---- */

typedef C K(lanes) __attribute__((vector_size(VECTOR)));
typedef K(size) K(marks) __attribute__((vector_size(VECTOR)));
typedef struct K(levels) { C up, down; } K(levels);
enum { K(WIDE) = VECTOR / sizeof(C) };

TH_INLINE K(lanes) K(load)(const C *s)
{
  K(lanes) v;
  memcpy(&v, s, sizeof v);
  return v;
}

/* The last vector of a row may have fewer elements: k. */
TH_INLINE K(lanes) K(load_some)(const C *s, int64_t k)
{
  K(lanes) v = { 0 };
  if (k == K(WIDE)) return K(load)(s);
  memcpy(&v, s, (size_t)k * sizeof *s);
  return v;
}

TH_INLINE void K(store_some)(C *s, K(lanes) v, int64_t k)
{
  if (k == K(WIDE)) memcpy(s, &v, sizeof v);
  else memcpy(s, &v, (size_t)k * sizeof *s);
}

/* `up` where marks are -1, `down` where they are 0. */
TH_INLINE K(lanes) K(chosen)(K(marks) m, K(lanes) up, K(lanes) down)
{
  return (K(lanes))(((K(marks))up & m) | ((K(marks))down & ~m));
}

/* The lowest bits of w as marks. */
TH_INLINE K(marks) K(marks_of)(uint32_t w)
{
  K(marks) bits;
  for (int l = 0; l < K(WIDE); l++) bits[l] = (K(size))1 << l;
  return (((K(marks)){ 0 } + (K(size))w) & bits) != 0;
}

/* Means where sums are too large for C, or something is not finite. */
static K(levels) K(careful)(const C *s, int64_t n, int64_t ups)
{
  double up = 0, down = 0;
  for (int64_t i = 0; i < n; i++) {
    if (s[i] >= 0) up += (double)s[i] / (double)ups;
    else down += (double)s[i] / (double)(n - ups);
  }
  return (K(levels)){ (C)up, (C)down };
}

/* The bits of n elements, their sums on both sides of 0, and how many are on the upper one. */
static K(levels) K(signs)(const C *s, int64_t n, uint32_t *words, int64_t *ups)
{
  const K(lanes) zero = { 0 };
  K(lanes) up[PARTS], down[PARTS];
  C ends[2][64 / sizeof(C)];
  int64_t count = 0;
  for (int part = 0; part < PARTS; part++) up[part] = down[part] = zero;
  for (int64_t i = 0; i < n; i += WORD) {
    C rest[WORD] = { 0 };
    const C *x = s + i;
    uint32_t w = 0;
    if (n - i < WORD) x = memcpy(rest, x, (size_t)(n - i) * sizeof *s);
    for (int k = 0; k < WORD / K(WIDE); k++) {
      const K(lanes) v = K(load)(x + k * K(WIDE));
      const K(marks) m = v >= zero;
      up[k % PARTS] += K(chosen)(m, v, zero);
      down[k % PARTS] += K(chosen)(m, zero, v);
      w |= K(bits_of)(x + k * K(WIDE)) << (k * K(WIDE));
    }
    if (n - i < WORD) w &= (1u << (n - i)) - 1;
    words[i / WORD] = w;
    count += __builtin_popcount(w);
  }
  memcpy(ends[0], up, sizeof up);
  memcpy(ends[1], down, sizeof down);
  for (size_t half = 32 / sizeof(C); half; half /= 2) {
    for (size_t l = 0; l < half; l++) {
      ends[0][l] += ends[0][l + half];
      ends[1][l] += ends[1][l + half];
    }
  }
  *ups = count;
  return (K(levels)){ ends[0][0], ends[1][0] };
}

static bool K(encode_onebit)(C *s, int64_t n, char *to)
{
  uint32_t *words = (uint32_t *)(to + 2 * sizeof(C));
  int64_t ups;
  K(levels) mean = K(signs)(s, n, words, &ups);
  bool good = true;
  if (mean.up <= MOST && mean.down >= -MOST) {
    mean.up = ups ? mean.up / (C)ups : 0;
    mean.down = ups < n ? mean.down / (C)(n - ups) : 0;
  } else {
    mean = K(careful)(s, n, ups);
    good = K(finite)(s, n);
  }
  memcpy(to, &mean, sizeof mean);
  const K(lanes) zero = { 0 }, up = zero + mean.up, down = zero + mean.down;
  for (int64_t i = 0; i < n; i += K(WIDE)) {
    const int64_t k = th_min(n - i, K(WIDE));
    const K(lanes) v = K(load_some)(s + i, k), left = v - K(chosen)(v >= zero, up, down);
    K(store_some)(s + i, left, k);
  }
  return good;
}

TH_INLINE void K(decode_bits)(C *s, int64_t n, const char *from, const bool adds)
{
  const uint32_t *words = (const uint32_t *)(from + 2 * sizeof(C));
  K(levels) mean;
  memcpy(&mean, from, sizeof mean);
  const K(lanes) zero = { 0 }, up = zero + mean.up, down = zero + mean.down;
  for (int64_t i = 0; i < n; i += K(WIDE)) {
    const int64_t k = th_min(n - i, K(WIDE));
    K(lanes) v = K(chosen)(K(marks_of)(words[i / WORD] >> (i % WORD)), up, down);
    if (adds) v += K(load_some)(s + i, k);
    K(store_some)(s + i, v, k);
  }
}

static void K(decode_onebit)(C *s, int64_t n, const char *from, bool adds)
{
  if (adds) K(decode_bits)(s, n, from, true);
  else K(decode_bits)(s, n, from, false);
}

/* ---- the largest ---- */

/* How many sizes, as whole numbers of the same order, are `least` or more. */
static int64_t K(count)(const K(size) *size, int64_t n, K(size) least)
{
  K(size) count = 0;
  EACH (int64_t i = 0; i < n; i++) count += size[i] >= least;
  return count;
}

/* The largest number that at least k of the sizes reach; or one that k of them reach. */
static K(size) K(threshold)(const K(size) *size, int64_t n, int64_t k)
{
  K(size) low = 0, high = 0;
  for (int64_t i = 0; i < n; i++) high = size[i] > high ? size[i] : high;
  high++;
  while (high - low > 1) {
    const K(size) middle = low + (high - low) / 2;
    const int64_t found = K(count)(size, n, middle);
    if (found == k) return middle;
    if (found > k) low = middle;
    else high = middle;
  }
  return low;
}

static bool K(encode_topk)(C *s, int64_t n, int64_t k, char *to)
{
  K(size) size[TH_COMPRESS_ROW];
  C *value = (C *)to;
  uint16_t *place = (uint16_t *)(value + k);
  const bool good = K(finite)(s, n);
  EACH (int64_t i = 0; i < n; i++) {
    const C v = ABS(s[i]);
    memcpy(&size[i], &v, sizeof v);
  }
  const K(size) least = K(threshold)(size, n, k);
  int64_t equal = k - K(count)(size, n, least + 1), found = 0;
  for (int64_t i = 0; i < n && found < k; i++) {
    if (size[i] < least || (size[i] == least && equal-- <= 0)) continue;
    value[found] = s[i];
    place[found++] = (uint16_t)i;
    s[i] = 0;
  }
  return good;
}

static void K(decode_topk)(C *s, int64_t n, int64_t k, const char *from, bool adds)
{
  const C *value = (const C *)from;
  const uint16_t *place = (const uint16_t *)(value + k);
  if (!adds) memset(s, 0, (size_t)n * sizeof *s);
  for (int64_t i = 0; i < k; i++) if (place[i] < n) s[place[i]] += value[i];
}

/* ---- all ---- */

static bool K(encode)(const th_packing *p, void *s, char *to)
{
  if (p->raw) return K(encode_raw)(s, p->n, to);
  switch (p->kind) {
    case TH_COMPRESS_HALF: return K(encode_half)(TH_COMPRESS_HALF, s, p->n, to);
    case TH_COMPRESS_BFLOAT16: return K(encode_half)(TH_COMPRESS_BFLOAT16, s, p->n, to);
    case TH_COMPRESS_INT8: return K(encode_int8)(p, s, to);
    case TH_COMPRESS_ONEBIT: return K(encode_onebit)(s, p->n, to);
    default: return K(encode_topk)(s, p->n, p->k, to);
  }
}

static void K(decode)(const th_packing *p, void *s, const char *from, bool adds)
{
  if (p->raw) {
    K(decode_raw)(s, p->n, from, adds);
    return;
  }
  switch (p->kind) {
    case TH_COMPRESS_HALF: K(decode_half)(TH_COMPRESS_HALF, s, p->n, from, adds); break;
    case TH_COMPRESS_BFLOAT16: K(decode_half)(TH_COMPRESS_BFLOAT16, s, p->n, from, adds); break;
    case TH_COMPRESS_INT8: K(decode_int8)(s, p->n, from, adds); break;
    case TH_COMPRESS_ONEBIT: K(decode_onebit)(s, p->n, from, adds); break;
    default: K(decode_topk)(s, p->n, p->k, from, adds);
  }
}

#undef IS_DOUBLE
#undef ABS
#undef FLOOR
#undef MOST
#undef LEAST
#endif
#endif
